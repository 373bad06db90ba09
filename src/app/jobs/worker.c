/* One thread shows signs of life, takes the lease and runs the jobs that are due. */
#include "app/jobs/worker.h"

#include "app/jobs/worker_db.h"
#include "app/setup/stores.h"
#include "core/store_clock.h"
#include "domain/erp/erp.h"
#include "domain/order/order_job.h"
#include "domain/process/process.h"
#include "kit/base/clock.h"
#include "kit/base/macros.h"
#include "kit/base/must.h"
#include "kit/base/thread.h"
#include "kit/job/job.h"

#include <stdlib.h>

enum {
    BEAT_MS = 2 * 1000,
    TICK_MS = 500,
    LEASE_MS = 10 * 1000,     /* codes and SMS of a worker that died wait no longer */
    DEAD_MS = 60 * 60 * 1000, /* a row this old belongs to a worker that died */
    BATCHES_MAX = 200,        /* batches of one job in a row, so that the others run, too */
    RETRY_MS = 60 * 1000,     /* at most, so that a failed job does not wait for an hour */
};

static const int64_t LONG_AGO_MS = INT64_MIN / 2;

struct worker {
    struct jobs *jobs;
    struct uuid id;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t is_woken;
    bool is_stopping;
    atomic_int_least64_t turned_at_ms; /* monotonic: it began something new then */
    int64_t beaten_at_ms;
    int64_t leased_at_ms; /* monotonic: the lease was last taken then; long ago: it is not held */
    int64_t due_at_ms[];  /* by periodic job, monotonic */
};

/* --- Signs of life and the lease -------------------------------------------------------------- */

/* The time is read at the moment of writing, since the transaction may have waited for long. */
static enum err touch(void *arg, struct db_tx *tx)
{
    struct worker *worker = arg;
    int64_t now_ms = clock_now_ms();
    enum err err = worker_touch(tx, &worker->id, now_ms);
    return err ? err : store_clock_note(tx, now_ms);
}

static void beat(struct worker *worker, int64_t now_ms)
{
    if (now_ms - worker->beaten_at_ms < BEAT_MS) return;
    enum err err = db_run(worker->jobs->service->verification, false, touch, worker);
    if (!err) {
        worker->beaten_at_ms = now_ms; /* otherwise the next tick tries again */
        err = stores_learn(worker->jobs->service);
    }
    if (!err) process_beat(worker->jobs->service);
    if (err)
        log_write(LOG_WARNING, "the worker cannot reach the database",
                  LOG_FIELDS(log_plain("error", err_info(err)->code)));
}

struct lease_request {
    struct worker *worker;
    bool is_held;
};

static enum err take_lease(void *arg, struct db_tx *tx)
{
    struct lease_request *request = arg;
    int64_t now_ms = clock_now_ms();
    return lease_take(tx, "periodic", &request->worker->id, now_ms, now_ms + LEASE_MS,
                      &request->is_held);
}

/* The lease is renewed when a third of it is over, so that an idle worker writes little. */
static bool holds_lease(struct worker *worker, int64_t now_ms)
{
    struct lease_request request = {.worker = worker};

    if (now_ms - worker->leased_at_ms < LEASE_MS / 3) return true;
    enum err err = db_run(worker->jobs->service->verification, false, take_lease, &request);
    bool is_held = !err && request.is_held;
    worker->leased_at_ms = is_held ? now_ms : LONG_AGO_MS;
    return is_held;
}

static enum err sign_off(void *arg, struct db_tx *tx)
{
    struct worker *worker = arg;
    enum err err = lease_release(tx, "periodic", &worker->id);
    return err ? err : worker_forget(tx, &worker->id, clock_now_ms() - DEAD_MS);
}

/* --- Periodic jobs ---------------------------------------------------------------------------- */

struct batch {
    struct worker *worker;
    const struct periodic_job *job;
    struct arena arena;
    struct work work;
    bool goes_on;
};

static enum err run_batch(struct work *work)
{
    struct batch *batch = CONTAINER_OF(work, struct batch, work);
    const struct periodic_job *job = batch->job;
    int64_t swept = 0;

    batch->goes_on = false;
    if (job->once) return job->once(work);
    if (job->run) return job->run(work, &batch->goes_on);
    enum err err = job->sweep(work, job->max, &swept);
    batch->goes_on = swept == job->max;
    return err;
}

static enum err do_job(struct batch *batch)
{
    const struct periodic_job *job = batch->job;
    struct service *service = batch->worker->jobs->service;
    struct db *db = store_of(service, job->store);

    if (job->tend) return job->tend(db);
    if (job->pass) return job->pass(service, batch->work.now_ms, &batch->goes_on);
    return work_run(&batch->work, db, run_batch);
}

/* Returns true if there is more to do at once. */
static bool do_batch(struct worker *worker, const struct periodic_job *job)
{
    struct batch batch = {.worker = worker, .job = job};

    atomic_store(&worker->turned_at_ms, clock_monotonic_ms());
    arena_init(&batch.arena);
    work_init(&batch.work, worker->jobs->service, &batch.arena, clock_now_ms(), NULL);
    enum err err = do_job(&batch);
    if (err && job->period_ms > RETRY_MS)
        worker->due_at_ms[job - periodic_jobs] = clock_monotonic_ms() + RETRY_MS;
    if (err)
        log_write(LOG_WARNING, "a periodic job failed and will run again",
                  LOG_FIELDS(log_plain("job", job->name), log_plain("error", err_info(err)->code)));
    else
        event_log_publish(worker->jobs->event_log, &batch.work, NULL);
    arena_done(&batch.arena);
    return !err && batch.goes_on;
}

static void run_due(struct worker *worker, int64_t now_ms)
{
    bool is_asked = false;

    for (size_t i = 0; i < periodic_job_count; i++) {
        if (now_ms < worker->due_at_ms[i]) continue;
        beat(worker, clock_monotonic_ms()); /* each job may wait for a lock for some seconds */
        if (!is_asked && !holds_lease(worker, now_ms)) return;
        is_asked = true;
        worker->due_at_ms[i] = now_ms + periodic_jobs[i].period_ms;
        for (int k = 0; k < BATCHES_MAX && !atomic_load(&worker->jobs->is_stopping); k++) {
            if (!do_batch(worker, &periodic_jobs[i])) break;
        }
    }
}

/* --- The thread ------------------------------------------------------------------------------- */

static bool wait_for_tick(struct worker *worker)
{
    struct timespec until = thread_deadline(TICK_MS);
    pthread_mutex_lock(&worker->lock);
    if (!worker->is_stopping) pthread_cond_timedwait(&worker->is_woken, &worker->lock, &until);
    bool goes_on = !worker->is_stopping;
    pthread_mutex_unlock(&worker->lock);
    return goes_on;
}

static void *work_on(void *arg)
{
    struct worker *worker = arg;

    do {
        int64_t now_ms = clock_monotonic_ms();
        atomic_store(&worker->turned_at_ms, now_ms);
        beat(worker, now_ms);
        run_due(worker, now_ms);
    } while (wait_for_tick(worker));

    enum err err = db_run(worker->jobs->service->verification, false, sign_off, worker);
    if (err)
        log_write(LOG_WARNING, "the worker could not sign off; its lease ends by itself",
                  LOG_FIELDS(log_plain("error", err_info(err)->code)));
    return NULL;
}

static enum err release_leases(struct work *work)
{
    enum err err = erp_release_leases(work);
    return err ? err : order_release_leases(work);
}

/* Only one process has an embedded database, so the leases of the one before it are over. */
static void release_what_was_held(struct service *service)
{
    struct arena arena;
    struct work work;

    if (db_engine_of(service->exchange) != DB_SQLITE) return;
    arena_init(&arena);
    work_init(&work, service, &arena, clock_now_ms(), NULL);
    enum err err = work_run(&work, service->exchange, release_leases);
    if (err)
        log_write(LOG_WARNING,
                  "packages and orders that were under way when herald ended wait until their "
                  "leases end",
                  LOG_FIELDS(log_plain("error", err_info(err)->code)));
    arena_done(&arena);
}

struct worker *worker_start(struct jobs *jobs)
{
    struct worker *worker =
        must_calloc(1, sizeof(*worker) + periodic_job_count * sizeof(worker->due_at_ms[0]));

    worker->jobs = jobs;
    worker->id = uuid_new(clock_now_ms());
    worker->beaten_at_ms = LONG_AGO_MS;
    worker->leased_at_ms = LONG_AGO_MS;
    atomic_init(&worker->turned_at_ms, clock_monotonic_ms());
    pthread_mutex_init(&worker->lock, NULL);
    thread_cond_init(&worker->is_woken);
    release_what_was_held(jobs->service);
    thread_start(&worker->thread, "worker", work_on, worker);
    return worker;
}

int64_t worker_silence_ms(const struct worker *worker)
{
    return clock_monotonic_ms() - atomic_load(&worker->turned_at_ms);
}

void worker_stop(struct worker *worker)
{
    if (!worker) return;
    pthread_mutex_lock(&worker->lock);
    worker->is_stopping = true;
    pthread_cond_broadcast(&worker->is_woken);
    pthread_mutex_unlock(&worker->lock);
    pthread_join(worker->thread, NULL);
    pthread_cond_destroy(&worker->is_woken);
    pthread_mutex_destroy(&worker->lock);
    free(worker);
}
