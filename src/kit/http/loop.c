/*
 * The loop has a timer and runs tasks.
 *
 * Handlers run only from here and from the callbacks of connections, each of which ends with
 * http_loop_advance. So a handler may call any http_ function, also for another request than its
 * own, and no http_ function calls a handler that is running.
 */
#include "kit/http/loop.h"

#include "kit/base/macros.h"
#include "kit/base/must.h"
#include "kit/http/connection.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum {
    TICK_MIN_MS = 5,
    TICK_MAX_MS = 250,
    TICKS_PER_DEADLINE = 4,
    LOOK_MS = 1000, /* time between looks at how fast a peer sends, or takes its answer */
    EXCESS_MS = 1000,
    TURNS_US = 5000, /* of each iteration of a loop may go to requests that wait for their turn */
};

/* A deadline may be late by one tick. */
static uint64_t tick_ms(const struct http_loop *loop)
{
    int64_t shortest = TICK_MAX_MS * TICKS_PER_DEADLINE;

    for (int kind = 0; kind < HTTP_DEADLINE_COUNT; kind++) {
        if (loop->deadlines[kind].after_ms < shortest) shortest = loop->deadlines[kind].after_ms;
    }
    shortest /= TICKS_PER_DEADLINE;
    return shortest < TICK_MIN_MS ? TICK_MIN_MS : (uint64_t)shortest;
}

static int min_int(int a, int b)
{
    return a < b ? a : b;
}

static void init_deadlines(struct http_loop *loop)
{
    const struct http_limits *limits = &loop->server->limits;
    const int after_ms[HTTP_DEADLINE_COUNT] = {
        [HTTP_DEADLINE_IDLE] = limits->idle_timeout_ms,
        [HTTP_DEADLINE_HEAD] = limits->head_timeout_ms,
        [HTTP_DEADLINE_BODY_GRACE] = limits->body_grace_ms,
        [HTTP_DEADLINE_BODY_RATE] = min_int(LOOK_MS, limits->body_grace_ms),
        /* Progress is checked more often than it must happen, so that the connection that has
         * waited for longest is known. */
        [HTTP_DEADLINE_WRITE] = min_int(LOOK_MS, limits->write_stall_ms / TICKS_PER_DEADLINE),
        [HTTP_DEADLINE_LINGER] = HTTP_LINGER_MS,
        [HTTP_DEADLINE_EXCESS] = min_int(EXCESS_MS, limits->head_timeout_ms),
    };

    for (int kind = 0; kind < HTTP_DEADLINE_COUNT; kind++)
        http_deadlines_init(&loop->deadlines[kind], after_ms[kind]);
    for (int kind = 0; kind < HTTP_SPARE_KINDS; kind++)
        http_deadlines_init(&loop->spares[kind], 0);
}

int64_t http_loop_now(const struct http_loop *loop)
{
    return (int64_t)uv_now(&loop->uv);
}

static void cut_all(struct http_loop *loop)
{
    for (struct http_connection *c = loop->connections; c; c = c->next)
        http_connection_close(c);
}

static struct http_connection *connection_of(struct http_deadline *deadline,
                                             enum http_deadline_kind kind)
{
    size_t offset = kind == HTTP_DEADLINE_WRITE ? offsetof(struct http_connection, write_deadline)
                                                : offsetof(struct http_connection, read_deadline);
    return (struct http_connection *)(void *)((char *)deadline - offset);
}

struct http_connection *http_loop_first_excess(const struct http_loop *loop)
{
    struct http_deadline *first = http_deadlines_first(&loop->deadlines[HTTP_DEADLINE_EXCESS]);

    return first ? connection_of(first, HTTP_DEADLINE_EXCESS) : NULL;
}

struct http_connection *http_loop_first_spare(const struct http_loop *loop, enum http_spare kind)
{
    struct http_deadline *first = http_deadlines_first(&loop->spares[kind]);

    return first ? CONTAINER_OF(first, struct http_connection, spare) : NULL;
}

void http_loop_publish(struct http_loop *loop)
{
    for (int kind = 0; kind < HTTP_SPARE_KINDS; kind++) {
        const struct http_deadline *first = http_deadlines_first(&loop->spares[kind]);
        atomic_store_explicit(&loop->spare_since_ms[kind], first ? first->at_ms : INT64_MAX,
                              memory_order_relaxed);
    }
}

static void expire_due(struct http_loop *loop)
{
    int64_t now_ms = http_loop_now(loop);
    struct http_deadline *due;

    for (int kind = 0; kind < HTTP_DEADLINE_COUNT; kind++) {
        while ((due = http_deadlines_take_due(&loop->deadlines[kind], now_ms)))
            http_connection_expire(connection_of(due, kind), kind);
    }
    if (loop->is_stopping && now_ms >= loop->cut_ms) cut_all(loop);
}

static void on_tick(uv_timer_t *timer)
{
    struct http_loop *loop = timer->data;

    expire_due(loop);
    http_accept_resume(loop);
    http_loop_advance(loop);
}

void http_loop_update_timer(struct http_loop *loop)
{
    bool wants_ticks = loop->connections || loop->is_accept_paused;

    if (loop->is_over || wants_ticks == loop->is_ticking) return;
    loop->is_ticking = wants_ticks;
    if (wants_ticks)
        uv_timer_start(&loop->timer, on_tick, tick_ms(loop), tick_ms(loop));
    else
        uv_timer_stop(&loop->timer);
}

/* Returns true if there was a task to run. */
static bool run_tasks(struct http_loop *loop)
{
    http_mailbox_take(&loop->mailbox, &loop->tasks);
    for (size_t i = 0; i < loop->tasks.count; i++) {
        const struct http_task *task = &loop->tasks.items[i];
        if (task->run_request)
            task->run_request(task->request);
        else
            task->run(task->arg);
    }
    http_loop_advance(loop);
    return loop->tasks.count > 0;
}

static void on_wake(uv_async_t *wake)
{
    run_tasks(wake->data);
}

void http_loop_post(struct http_loop *loop, struct http_task task)
{
    if (http_mailbox_put(&loop->mailbox, task)) uv_async_send(&loop->wake);
}

void http_loop_advance(struct http_loop *loop)
{
    while (loop->touched) {
        struct http_connection *c = loop->touched;
        loop->touched = c->touched_next;
        c->is_touched = false;
        http_connection_advance(c);
    }
    http_loop_publish(loop);
    /* A loop that stops is over when its last connection is gone. */
    if (!loop->is_stopping || loop->is_over || loop->connections) return;
    loop->is_over = true;
    uv_close((uv_handle_t *)&loop->timer, NULL);
}

void http_loop_stop(void *arg)
{
    struct http_loop *loop = arg;

    loop->is_stopping = true;
    loop->cut_ms = http_loop_now(loop) + loop->server->stop_grace_ms;
    http_accept_stop(loop);
    for (struct http_connection *c = loop->connections; c; c = c->next)
        http_connection_wind_down(c);
    if (loop->server->stop_grace_ms <= 0) cut_all(loop);
}

struct str http_loop_date(struct http_loop *loop)
{
    static const char days[] = "SunMonTueWedThuFriSat";
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    struct timespec now;
    struct tm tm;

    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    if (now.tv_sec != loop->date_second) {
        loop->date_second = now.tv_sec;
        gmtime_r(&now.tv_sec, &tm);
        /* strftime would not do, since its names of days follow the locale. */
        snprintf(loop->date, sizeof(loop->date),
                 "Date: %.3s, %02u %.3s %04u %02u:%02u:%02u GMT\r\n", days + 3 * tm.tm_wday,
                 tm.tm_mday % 100u, months + 3 * tm.tm_mon, (tm.tm_year + 1900) % 10000u,
                 tm.tm_hour % 100u, tm.tm_min % 100u, tm.tm_sec % 100u);
    }
    return (struct str){loop->date, HTTP_DATE_LEN};
}

/* ---- turns ---- */

static void take_turn(struct http_loop *loop)
{
    struct http_connection *c = loop->first_turn;

    loop->first_turn = c->turn_next;
    if (!loop->first_turn) loop->turns_end = &loop->first_turn;
    c->awaits_turn = false;
    http_connection_touch(c);
    http_loop_advance(loop);
}

/* It comes before the loop looks at its sockets. Turns that are left wait for the next iteration.
 */
static void on_turns(uv_idle_t *turns)
{
    struct http_loop *loop = turns->data;
    uint64_t end_ns = uv_hrtime() + (uint64_t)TURNS_US * 1000;

    do
        take_turn(loop);
    while (loop->first_turn && uv_hrtime() < end_ns);
    if (!loop->first_turn) uv_idle_stop(turns);
}

void http_loop_await_turn(struct http_loop *loop, struct http_connection *c)
{
    c->awaits_turn = true;
    c->turn_next = NULL;
    *loop->turns_end = c;
    loop->turns_end = &c->turn_next;
    uv_idle_start(&loop->turns, on_turns);
}

static void on_iteration_end(uv_check_t *iteration_end)
{
    struct http_loop *loop = iteration_end->data;
    loop->iteration++;
    loop->handshake_us = 0;
}

static bool init_handles(struct http_loop *loop)
{
    if (uv_loop_init(&loop->uv) != 0) return false;
    loop->wake.data = loop->timer.data = loop->iteration_end.data = loop->turns.data = loop;
    if (uv_async_init(&loop->uv, &loop->wake, on_wake) != 0) {
        uv_loop_close(&loop->uv);
        return false;
    }
    uv_unref((uv_handle_t *)&loop->wake);
    uv_timer_init(&loop->uv, &loop->timer);
    uv_idle_init(&loop->uv, &loop->turns);
    uv_unref((uv_handle_t *)&loop->turns);
    uv_check_init(&loop->uv, &loop->iteration_end);
    uv_check_start(&loop->iteration_end, on_iteration_end);
    uv_unref((uv_handle_t *)&loop->iteration_end);
    loop->iteration = 1;
    return true;
}

static void init_listeners(struct http_loop *loop)
{
    const struct http_server *server = loop->server;

    loop->listener_count = server->bound_count;
    for (int i = 0; i < server->bound_count; i++)
        loop->listeners[i] = (struct http_listener){
            .loop = loop,
            .fd = server->bound[i].sockets[loop->index],
            .index = i,
            .is_tls = server->bound[i].is_tls,
        };
}

enum err http_loop_init(struct http_loop *loop, struct http_server *server, int index)
{
    *loop = (struct http_loop){.server = server, .index = index, .turns_end = &loop->first_turn};
    if (!init_handles(loop)) return ERR_INTERNAL;
    http_mailbox_init(&loop->mailbox);
    init_deadlines(loop);
    http_loop_publish(loop);
    buf_init(&loop->head, HTTP_HEAD_BYTES_MAX);
    loop->fields = must_calloc(1, (size_t)server->limits.headers_max * sizeof(struct http_field));
    loop->read_buffer = must_calloc(1, HTTP_READ_BUFFER);
    if (server->tls) {
        loop->tls_room = must_calloc(1, sizeof(*loop->tls_room));
        buf_init(&loop->tls_room->sealed, HTTP_SEALED_MAX);
    }
    init_listeners(loop);
    http_accept_start(loop);
    return ERR_OK;
}

void *http_loop_run(void *arg)
{
    struct http_loop *loop = arg;

    uv_run(&loop->uv, UV_RUN_DEFAULT);
    return NULL;
}

void http_loop_done(struct http_loop *loop)
{
    while (run_tasks(loop))
        continue;
    if (!loop->is_stopping) http_loop_stop(loop);
    http_loop_advance(loop);
    uv_close((uv_handle_t *)&loop->wake, NULL);
    uv_close((uv_handle_t *)&loop->iteration_end, NULL);
    uv_close((uv_handle_t *)&loop->turns, NULL);
    uv_run(&loop->uv, UV_RUN_DEFAULT);
    int rc = uv_loop_close(&loop->uv);
    assert(rc == 0 && atomic_load(&loop->connection_count) == 0);
    http_mailbox_done(&loop->mailbox);
    free(loop->tasks.items);
    free(loop->fields);
    free(loop->read_buffer);
    if (loop->tls_room) buf_done(&loop->tls_room->sealed);
    free(loop->tls_room);
    buf_done(&loop->head);
}
