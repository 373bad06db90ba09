/* Threads that apply packages of ERPs. */
#include "app/jobs/erp_worker.h"

#include "domain/erp/erp.h"
#include "kit/base/clock.h"
#include "kit/base/must.h"
#include "kit/base/thread.h"

#include <stdlib.h>

enum { TROUBLE_ENDS_MS = 60 * 1000 }; /* after the last failure */

struct erp_worker {
    struct db_task progress; /* at most one is under way */
    struct arena progress_arena;
    bool is_noting;

    struct app *app;
    pthread_t threads[ERP_WORKER_THREADS], ticker;
    pthread_mutex_t lock;
    pthread_cond_t is_woken, is_stopped;
    int wakes; /* threads that are to look at once */
    bool is_stopping;
    bool is_troubled;       /* a failure was logged */
    int64_t troubled_at_ms; /* monotonic: the last one since */
};

/* --- Waiting ---------------------------------------------------------------------------------- */

/* A wake sends one thread to look: another one is for the next package. */
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

/* Once per trouble. That a thread finds nothing to do does not end it: another one may be about to
 * fail with what is due. */
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
    struct app *app = worker->app;
    struct arena arena;
    bool was_due = false;

    arena_init(&arena);
    enum err err = erp_apply_due(&app->service, app->event_log, &arena, &was_due);
    arena_done(&arena);
    if (err && is_new_trouble(worker))
        log_write(LOG_WARNING, "packages cannot be applied at the moment and will be tried again",
                  LOG_FIELDS(log_text("error", err_info(err)->code)));
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

static enum err run_progress(struct db_task *task, struct db_tx *tx)
{
    struct erp_worker *worker = (struct erp_worker *)task;
    struct work work;
    work_init(&work, &worker->app->service, &worker->progress_arena, clock_now_ms(), NULL);
    work_restart(&work, tx);
    return erp_note_progress(&work);
}

/* One that was not written is followed by the next. */
static void end_progress(struct db_task *task, enum err err)
{
    struct erp_worker *worker = (struct erp_worker *)task;
    (void)err;
    pthread_mutex_lock(&worker->lock);
    worker->is_noting = false;
    pthread_mutex_unlock(&worker->lock);
}

/* The lock is held. */
static void note_progress(struct erp_worker *worker)
{
    struct service *service = &worker->app->service;
    if (worker->is_noting || erp_applying_is_empty(service->applying)) return;
    worker->is_noting = db_submit(service->exchange, &worker->progress) == ERR_OK;
}

static void *tick(void *arg)
{
    struct erp_worker *worker = arg;

    pthread_mutex_lock(&worker->lock);
    while (!worker->is_stopping) {
        struct timespec deadline = thread_deadline(ERP_WORKER_TICK_MS);
        pthread_cond_timedwait(&worker->is_stopped, &worker->lock, &deadline);
        if (!worker->is_stopping) note_progress(worker);
    }
    pthread_mutex_unlock(&worker->lock);
    return NULL;
}

/* --- Start and stop --------------------------------------------------------------------------- */

static enum err run_release(void *arg, struct db_tx *tx)
{
    struct work *work = arg;
    work_restart(work, tx);
    return erp_release_leases(work);
}

/* One process alone has the database: what one before it left is nobody's any more. */
static void release_leases(struct app *app)
{
    struct arena arena;
    struct work work;

    arena_init(&arena);
    work_init(&work, &app->service, &arena, clock_now_ms(), NULL);
    enum err err = db_run(app->service.exchange, false, run_release, &work);
    if (err)
        log_write(LOG_WARNING, "packages that were being applied wait until their lease ends",
                  LOG_FIELDS(log_text("error", err_info(err)->code)));
    arena_done(&arena);
}

static struct erp_worker *worker_new(struct app *app)
{
    struct erp_worker *worker = must_calloc(1, sizeof(*worker));

    worker->app = app;
    worker->progress = (struct db_task){.run = run_progress, .done = end_progress};
    arena_init(&worker->progress_arena);
    pthread_mutex_init(&worker->lock, NULL);
    thread_cond_init(&worker->is_woken);
    thread_cond_init(&worker->is_stopped);
    return worker;
}

static void start_threads(struct erp_worker *worker)
{
    for (int i = 0; i < ERP_WORKER_THREADS; i++)
        thread_start(&worker->threads[i], "erp-worker", apply_on, worker);
    thread_start(&worker->ticker, "erp-ticker", tick, worker);
}

struct erp_worker *erp_worker_start(struct app *app)
{
    struct erp_worker *worker = worker_new(app);
    if (db_engine_of(app->service.exchange) == DB_SQLITE) release_leases(app);
    db_subscribe(app->service.exchange, ERP_CHANNEL, wake, worker);
    start_threads(worker);
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
