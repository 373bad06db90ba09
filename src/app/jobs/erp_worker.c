/* Some threads apply packages of ERPs. */
#include "app/jobs/erp_worker.h"

#include "domain/erp/erp.h"
#include "kit/base/clock.h"
#include "kit/base/macros.h"
#include "kit/base/must.h"
#include "kit/base/thread.h"

#include <stdlib.h>

enum { TROUBLE_ENDS_MS = 60 * 1000 }; /* so long after the last failure */

struct erp_worker {
    struct jobs *jobs;
    struct work progress; /* writes progress; at most one is under way */
    struct arena progress_arena;
    bool is_writing;

    pthread_t threads[ERP_WORKER_THREADS], ticker;
    pthread_mutex_t lock;
    pthread_cond_t is_woken, is_stopped;
    int wakes; /* so many threads have to look at once */
    bool is_stopping;
    bool is_troubled;       /* a failure was logged */
    int64_t troubled_at_ms; /* monotonic: the last failure came then */
};

/* --- Waiting ---------------------------------------------------------------------------------- */

/* A wake lets one thread look; the next package wakes another. */
static void wait_for_work(struct erp_worker *worker)
{
    struct timespec deadline = thread_deadline(ERP_WORKER_POLL_MS);
    int timed_out = 0;

    pthread_mutex_lock(&worker->lock);
    while (worker->wakes == 0 && !worker->is_stopping && !timed_out)
        timed_out = pthread_cond_timedwait(&worker->is_woken, &worker->lock, &deadline);
    if (worker->wakes > 0) worker->wakes--;
    pthread_mutex_unlock(&worker->lock);
}

static void wake(void *arg)
{
    struct erp_worker *worker = arg;
    pthread_mutex_lock(&worker->lock);
    if (worker->wakes < ERP_WORKER_THREADS) worker->wakes++;
    pthread_cond_signal(&worker->is_woken);
    pthread_mutex_unlock(&worker->lock);
}

static bool goes_on(struct erp_worker *worker)
{
    pthread_mutex_lock(&worker->lock);
    bool is_stopping = worker->is_stopping;
    pthread_mutex_unlock(&worker->lock);
    return !is_stopping;
}

/* --- Applying --------------------------------------------------------------------------------- */

/* Tells whether this failure is the first of a trouble. A thread that finds nothing to do does not
 * end the trouble, since another one may be about to fail with a package. */
static bool is_new_trouble(struct erp_worker *worker)
{
    int64_t now_ms = clock_monotonic_ms();

    pthread_mutex_lock(&worker->lock);
    bool is_new = !worker->is_troubled || now_ms - worker->troubled_at_ms >= TROUBLE_ENDS_MS;
    worker->is_troubled = true;
    worker->troubled_at_ms = now_ms;
    pthread_mutex_unlock(&worker->lock);
    return is_new;
}

static bool apply_due(struct erp_worker *worker)
{
    struct jobs *jobs = worker->jobs;
    struct arena arena;
    bool was_due = false;

    arena_init(&arena);
    enum err err = erp_apply_due(jobs->service, jobs->event_log, &arena, &was_due);
    arena_done(&arena);
    if (err && is_new_trouble(worker))
        log_write(LOG_WARNING, "packages cannot be applied at the moment and will be tried again",
                  LOG_FIELDS(log_plain("error", err_info(err)->code)));
    return !err && was_due;
}

static void *apply_on(void *arg)
{
    struct erp_worker *worker = arg;

    while (goes_on(worker)) {
        if (!apply_due(worker)) wait_for_work(worker);
    }
    return NULL;
}

/* --- Progress --------------------------------------------------------------------------------- */

/* The time is read at the moment of writing, since the transaction may have waited for long. */
static enum err write_progress(struct work *work)
{
    work->now_ms = clock_now_ms();
    return erp_note_progress(work);
}

/* If progress was not written, the next one will be. */
static void end_progress(struct work *work, enum err err)
{
    struct erp_worker *worker = CONTAINER_OF(work, struct erp_worker, progress);
    (void)err;
    pthread_mutex_lock(&worker->lock);
    worker->is_writing = false;
    pthread_mutex_unlock(&worker->lock);
}

/* Call it with the lock. */
static void start_progress(struct erp_worker *worker)
{
    struct service *service = worker->jobs->service;
    if (worker->is_writing || erp_applying_is_empty(service->erp->applying)) return;
    worker->is_writing =
        work_start(&worker->progress, service->exchange, write_progress, end_progress) == ERR_OK;
}

static void *tick(void *arg)
{
    struct erp_worker *worker = arg;

    pthread_mutex_lock(&worker->lock);
    while (!worker->is_stopping) {
        struct timespec deadline = thread_deadline(ERP_WORKER_TICK_MS);
        pthread_cond_timedwait(&worker->is_stopped, &worker->lock, &deadline);
        if (!worker->is_stopping) start_progress(worker);
    }
    pthread_mutex_unlock(&worker->lock);
    return NULL;
}

/* --- Start and stop --------------------------------------------------------------------------- */

struct erp_worker *erp_worker_start(struct jobs *jobs)
{
    struct erp_worker *worker = must_calloc(1, sizeof(*worker));

    worker->jobs = jobs;
    arena_init(&worker->progress_arena);
    work_init(&worker->progress, jobs->service, &worker->progress_arena, 0, NULL);
    pthread_mutex_init(&worker->lock, NULL);
    thread_cond_init(&worker->is_woken);
    thread_cond_init(&worker->is_stopped);
    db_subscribe(jobs->service->exchange, ERP_TOPIC, wake, worker);
    for (int i = 0; i < ERP_WORKER_THREADS; i++)
        thread_start(&worker->threads[i], "erp-worker", apply_on, worker);
    thread_start(&worker->ticker, "erp-ticker", tick, worker);
    return worker;
}

void erp_worker_stop(struct erp_worker *worker)
{
    if (!worker) return;
    pthread_mutex_lock(&worker->lock);
    worker->is_stopping = true;
    pthread_cond_broadcast(&worker->is_woken);
    pthread_cond_broadcast(&worker->is_stopped);
    pthread_mutex_unlock(&worker->lock);
    for (int i = 0; i < ERP_WORKER_THREADS; i++)
        pthread_join(worker->threads[i], NULL);
    pthread_join(worker->ticker, NULL);
}

void erp_worker_free(struct erp_worker *worker)
{
    if (!worker) return;
    arena_done(&worker->progress_arena);
    pthread_cond_destroy(&worker->is_woken);
    pthread_cond_destroy(&worker->is_stopped);
    pthread_mutex_destroy(&worker->lock);
    free(worker);
}
