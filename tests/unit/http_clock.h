/* The clock of a server's loops: a test stops it and moves it, so that it does not matter how long
 * anything takes on a busy machine. The program is linked with --wrap=uv_now. */
#pragma once

#include "http_fixture.h"

#include <uv.h>

static _Atomic int64_t clock_stands_at_ms; /* 0: it runs */
static _Atomic int64_t clock_ahead_ms;
static atomic_int clock_looks; /* how often the loops have asked for the time */

/* The linker puts the first one in the place of uv_now. */
uint64_t __wrap_uv_now(const uv_loop_t *loop);
uint64_t __real_uv_now(const uv_loop_t *loop);

uint64_t __wrap_uv_now(const uv_loop_t *loop)
{
    int64_t stands_at_ms = clock_stands_at_ms;

    clock_looks++;
    return (uint64_t)(stands_at_ms ? stands_at_ms : (int64_t)__real_uv_now(loop) + clock_ahead_ms);
}

static inline int64_t clock_true_ms(void)
{
    return (int64_t)(uv_hrtime() / 1000000);
}

static inline void clock_stop(void)
{
    clock_stands_at_ms = clock_true_ms() + clock_ahead_ms;
}

/* It goes on, from where it stands. */
static inline void clock_go_on(void)
{
    if (!clock_stands_at_ms) return;
    clock_ahead_ms = clock_stands_at_ms - clock_true_ms();
    clock_stands_at_ms = 0;
}

/* Time passes, behind all that the sockets have been sent so far. */
static inline void clock_pass(struct fixture *f, int ms)
{
    fixture_settle(f);
    clock_stands_at_ms += ms;
}

/* Time passes, and a loop that is alone has looked what is due. */
static inline void clock_pass_and_look(struct fixture *f, int ms)
{
    clock_pass(f, ms);
    int before = clock_looks;
    FIXTURE_AWAIT(clock_looks > before); /* a tick has begun, since nothing else goes on */
    fixture_settle(f);
}

/* Ends the server; what does not end by itself is cut after a while, so time goes on. */
static inline void stop_on_time(struct fixture *f)
{
    clock_go_on();
    fixture_stop(f);
}

/* It keeps a loop busy (http_server_post) until a test says that it is over. */
struct pause {
    atomic_bool has_begun, is_over;
};

static inline void pause_loop(void *arg)
{
    struct pause *pause = arg;

    pause->has_begun = true;
    while (!pause->is_over)
        usleep(1000);
}
