/* One thread waits with all requests that wait for a worker; there are few. */
#include "app/api/waiter.h"

#include "app/api/dispatch.h"
#include "app/setup/stores.h"
#include "kit/base/clock.h"
#include "kit/base/macros.h"
#include "kit/base/must.h"
#include "kit/base/thread.h"

#include <stdlib.h>

enum { WAITING_MAX = 16, WAIT_MS = 1000, LOOK_MS = 40 };

struct waiting {
    struct dispatch *ex;
    void (*deliver)(struct http_request *x);
    int64_t until_ms; /* monotonic */
};

struct waiter {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t is_woken;
    bool is_stopping;
    struct waiting rows[WAITING_MAX];
    size_t count;
};

bool waiter_add(struct waiter *waiter, struct dispatch *ex, void (*deliver)(struct http_request *x))
{
    int wait_ms = ex->rq.route->recheck_ms > 0 ? ex->rq.route->recheck_ms : WAIT_MS;

    pthread_mutex_lock(&waiter->lock);
    bool is_taken = waiter->count < WAITING_MAX && !waiter->is_stopping;
    if (is_taken)
        waiter->rows[waiter->count++] =
            (struct waiting){ex, deliver, clock_monotonic_ms() + wait_ms};
    pthread_cond_broadcast(&waiter->is_woken);
    pthread_mutex_unlock(&waiter->lock);
    return is_taken;
}

static enum err look(struct work *work)
{
    struct dispatch *ex = CONTAINER_OF(work, struct dispatch, rq.work);

    request_restart(&ex->rq, work->tx);
    return ex->rq.route->recheck(&ex->rq);
}

/* Returns true if it is answered now. */
static bool look_at(const struct waiting *row, bool is_stopping)
{
    struct dispatch *ex = row->ex;
    struct db *db = store_of(ex->api->service, ex->rq.route->store);

    ex->rq.work.task = (struct db_task){.is_read = true};
    ex->err = work_run(&ex->rq.work, db, look);
    bool is_over = is_stopping || clock_monotonic_ms() >= row->until_ms;
    if ((ex->err || ex->rq.is_unfinished) && !is_over) return false;
    http_defer(ex->x, row->deliver);
    return true;
}

/* Only this thread takes rows out, so those that are seen here stay where they are. */
static void look_at_all(struct waiter *waiter, size_t count, bool is_stopping)
{
    for (size_t i = count; i-- > 0;) {
        if (!look_at(&waiter->rows[i], is_stopping)) continue;
        pthread_mutex_lock(&waiter->lock);
        waiter->rows[i] = waiter->rows[--waiter->count];
        pthread_mutex_unlock(&waiter->lock);
    }
}

static void *wait_on(void *arg)
{
    struct waiter *waiter = arg;
    bool is_stopping = false;

    while (!is_stopping) {
        pthread_mutex_lock(&waiter->lock);
        while (waiter->count == 0 && !waiter->is_stopping)
            pthread_cond_wait(&waiter->is_woken, &waiter->lock);
        struct timespec until = thread_deadline(LOOK_MS);
        if (!waiter->is_stopping) pthread_cond_timedwait(&waiter->is_woken, &waiter->lock, &until);
        is_stopping = waiter->is_stopping;
        size_t count = waiter->count;
        pthread_mutex_unlock(&waiter->lock);
        look_at_all(waiter, count, is_stopping);
    }
    return NULL;
}

struct waiter *waiter_start(void)
{
    struct waiter *waiter = must_calloc(1, sizeof(*waiter));

    pthread_mutex_init(&waiter->lock, NULL);
    thread_cond_init(&waiter->is_woken);
    thread_start(&waiter->thread, "waiter", wait_on, waiter);
    return waiter;
}

void waiter_stop(struct waiter *waiter)
{
    if (!waiter) return;
    pthread_mutex_lock(&waiter->lock);
    waiter->is_stopping = true;
    pthread_cond_broadcast(&waiter->is_woken);
    pthread_mutex_unlock(&waiter->lock);
    pthread_join(waiter->thread, NULL);
    pthread_cond_destroy(&waiter->is_woken);
    pthread_mutex_destroy(&waiter->lock);
    free(waiter);
}
