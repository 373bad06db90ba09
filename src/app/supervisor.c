/* A thread asks each loop to answer, and tells the supervisor once all have. So a loop that hangs
 * keeps the watchdog from being told. */
#include "app/supervisor.h"

#include "kit/base/log.h"
#include "kit/base/must.h"
#include "kit/base/notify.h"
#include "kit/base/thread.h"
#include "kit/http/server.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LOOK_MS = 5 * 1000, /* without a watchdog */
    LOOK_MIN_MS = 10,
    STATUS_MAX = 512,
};

struct supervisor {
    const struct supervisor_setup *setup;
    int64_t watchdog_ms; /* 0: nobody wants to hear that the loops live */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t has_news;
    bool is_stopping, is_over;
    int unanswered;          /* loops that were asked */
    char status[STATUS_MAX]; /* the line that was told last */
};

static void answer(void *arg)
{
    struct supervisor *supervisor = arg;

    pthread_mutex_lock(&supervisor->lock);
    supervisor->unanswered--;
    pthread_cond_broadcast(&supervisor->has_news);
    pthread_mutex_unlock(&supervisor->lock);
}

/* Asks each loop, once all have answered the question before. The lock is held, so that the server
 * does not end meanwhile. */
static void ask_loops(struct supervisor *supervisor)
{
    struct http_server *server = supervisor->setup->server;
    int loops = server ? http_server_loops(server) : 0;

    if (supervisor->unanswered > 0 || supervisor->is_stopping) return;
    supervisor->unanswered = loops;
    for (int i = 0; i < loops; i++)
        http_server_post(server, i, answer, supervisor);
}

/* The lock is held. */
static void wait_for_answers(struct supervisor *supervisor, const struct timespec *until)
{
    int fault = 0;
    while (supervisor->unanswered > 0 && !supervisor->is_over && !fault)
        fault = pthread_cond_timedwait(&supervisor->has_news, &supervisor->lock, until);
}

/* The lock is held, so that what is asked here is there: the parts of the process end after
 * supervisor_stopping. */
static bool is_alive(const struct supervisor *supervisor)
{
    const struct supervisor_setup *setup = supervisor->setup;

    if (supervisor->is_stopping) return true;
    if (supervisor->unanswered > 0) return false;
    return !setup->worker_silence_ms ||
           setup->worker_silence_ms(setup->arg) <= SUPERVISOR_WORKER_MAX_MS;
}

/* Returns true if the status is another one than was told. The lock is held. */
static bool has_new_status(struct supervisor *supervisor)
{
    const struct supervisor_setup *setup = supervisor->setup;
    char status[STATUS_MAX];

    if (supervisor->is_stopping) return false;
    const char *trouble = setup->trouble ? setup->trouble(setup->arg) : NULL;
    snprintf(status, sizeof(status), "STATUS=%s%s", trouble ? "not ready: " : "",
             trouble ? trouble : setup->status);
    bool is_new = strcmp(status, supervisor->status) != 0;
    memcpy(supervisor->status, status, sizeof(status));
    return is_new;
}

static void look(struct supervisor *supervisor, const struct timespec *until)
{
    pthread_mutex_lock(&supervisor->lock);
    ask_loops(supervisor);
    wait_for_answers(supervisor, until);
    bool is_told = supervisor->watchdog_ms > 0 && is_alive(supervisor);
    bool is_new = has_new_status(supervisor);
    pthread_mutex_unlock(&supervisor->lock);
    if (is_told) (void)notify_send("WATCHDOG=1");
    if (is_new) (void)notify_send(supervisor->status);
}

static bool wait_until(struct supervisor *supervisor, const struct timespec *until)
{
    int fault = 0;

    pthread_mutex_lock(&supervisor->lock);
    while (!supervisor->is_over && !fault)
        fault = pthread_cond_timedwait(&supervisor->has_news, &supervisor->lock, until);
    bool goes_on = !supervisor->is_over;
    pthread_mutex_unlock(&supervisor->lock);
    return goes_on;
}

/* The watchdog is told at half its time, as sd_watchdog_enabled(3) recommends. */
static int64_t look_every_ms(const struct supervisor *supervisor)
{
    int64_t half_ms = supervisor->watchdog_ms / 2;

    if (supervisor->watchdog_ms == 0) return LOOK_MS;
    return half_ms > LOOK_MIN_MS ? half_ms : LOOK_MIN_MS;
}

static void *look_again_and_again(void *arg)
{
    struct supervisor *supervisor = arg;
    int64_t every_ms = look_every_ms(supervisor);
    struct timespec until = thread_deadline(every_ms);

    while (wait_until(supervisor, &until)) {
        until = thread_deadline(every_ms);
        look(supervisor, &until);
    }
    return NULL;
}

struct supervisor *supervisor_start(const struct supervisor_setup *setup)
{
    if (!notify_is_wanted()) return NULL;

    struct supervisor *supervisor = must_calloc(1, sizeof(*supervisor));
    char ready[STATUS_MAX];
    supervisor->setup = setup;
    supervisor->watchdog_ms = notify_watchdog_ms();
    pthread_mutex_init(&supervisor->lock, NULL);
    thread_cond_init(&supervisor->has_news);
    snprintf(supervisor->status, STATUS_MAX, "STATUS=%s", setup->status);
    snprintf(ready, sizeof(ready), "READY=1\nSTATUS=%s", setup->status);
    if (!notify_send(ready))
        log_write(LOG_WARNING,
                  "the supervisor that NOTIFY_SOCKET names could not be told that "
                  "herald is ready",
                  NULL, 0);
    thread_start(&supervisor->thread, "supervisor", look_again_and_again, supervisor);
    return supervisor;
}

void supervisor_stopping(struct supervisor *supervisor)
{
    if (!supervisor) return;
    pthread_mutex_lock(&supervisor->lock);
    supervisor->is_stopping = true;
    pthread_mutex_unlock(&supervisor->lock);
    (void)notify_send("STOPPING=1\nSTATUS=running requests end");
}

void supervisor_free(struct supervisor *supervisor)
{
    if (!supervisor) return;
    pthread_mutex_lock(&supervisor->lock);
    supervisor->is_over = true;
    pthread_cond_broadcast(&supervisor->has_news);
    pthread_mutex_unlock(&supervisor->lock);
    pthread_join(supervisor->thread, NULL);
    pthread_cond_destroy(&supervisor->has_news);
    pthread_mutex_destroy(&supervisor->lock);
    free(supervisor);
}
