/*
 * The way of an order: begun in a transaction (order_begin_job.c) -> commit -> call
 * (order_call_job.c) -> recorded in another transaction, with all others that have ended and all
 * that begin then (order_record_job.c). Here: the thread that goes from turn to turn, what wakes
 * it, and how it starts and ends.
 */
#include "domain/order/order_job.h"

#include "domain/order/order_worker.h"
#include "kit/base/clock.h"
#include "kit/base/macros.h"
#include "kit/base/must.h"
#include "kit/base/thread.h"

#include <stdlib.h>

/* --- The inbox -------------------------------------------------------------------------------- */

void order_worker_take_call(struct order_worker *worker, struct order_call *call)
{
    pthread_mutex_lock(&worker->lock);
    call->next = NULL;
    *worker->calls_end = call;
    worker->calls_end = &call->next;
    pthread_cond_signal(&worker->is_called);
    pthread_mutex_unlock(&worker->lock);
}

void order_worker_take_probe(struct order_worker *worker, struct order_probe *probe)
{
    pthread_mutex_lock(&worker->lock);
    probe->next = worker->inbox.probes;
    worker->inbox.probes = probe;
    pthread_cond_signal(&worker->is_called);
    pthread_mutex_unlock(&worker->lock);
}

void order_worker_wake(struct order_worker *worker)
{
    pthread_mutex_lock(&worker->lock);
    worker->inbox.is_woken = true;
    pthread_cond_signal(&worker->is_called);
    pthread_mutex_unlock(&worker->lock);
}

/* While the database does not answer, what ends can wait for the next look. The lock is held. */
static bool has_news(const struct order_worker *worker)
{
    const struct order_inbox *inbox = &worker->inbox;
    bool has_ended = inbox->calls || inbox->probes;

    if (inbox->is_stopping && !worker->has_stopped) return true;
    if (inbox->is_pausing && !worker->has_paused) return true;
    return !worker->is_troubled && (inbox->is_woken || has_ended);
}

static struct order_inbox take_news(struct order_worker *worker, int wait_ms)
{
    struct timespec deadline = thread_deadline(wait_ms);
    int timed_out = 0;

    pthread_mutex_lock(&worker->lock);
    while (!has_news(worker) && !timed_out)
        timed_out = pthread_cond_timedwait(&worker->is_called, &worker->lock, &deadline);
    struct order_inbox inbox = worker->inbox;
    worker->inbox.calls = NULL;
    worker->inbox.probes = NULL;
    worker->inbox.is_woken = false;
    worker->calls_end = &worker->inbox.calls;
    pthread_mutex_unlock(&worker->lock);
    return inbox;
}

/* --- From turn to turn ------------------------------------------------------------------------ */

static void end_calls(const struct order_inbox *inbox)
{
    struct order_call *call = inbox->calls;
    struct order_probe *probe = inbox->probes;
    int64_t now_ms = clock_now_ms();

    while (call) {
        struct order_call *next = call->next;
        order_call_end(call, now_ms);
        call = next;
    }
    while (probe) {
        struct order_probe *next = probe->next;
        order_probe_end(probe, now_ms);
        probe = next;
    }
}

static bool are_calls_under_way(const struct order_worker *worker)
{
    return worker->under_way > 0 || worker->probes > 0;
}

/* For whoever waits for the end. */
static void tell_state(struct order_worker *worker, const struct order_inbox *inbox)
{
    pthread_mutex_lock(&worker->lock);
    worker->has_paused = inbox->is_pausing;
    worker->has_stopped = inbox->is_stopping;
    worker->is_busy = are_calls_under_way(worker) || worker->unrecorded_count > 0;
    if (worker->has_paused) pthread_cond_broadcast(&worker->is_changed);
    pthread_mutex_unlock(&worker->lock);
}

static enum err release_lanes(struct work *work)
{
    const struct uuid *holder = &CONTAINER_OF(work, struct order_turn, work)->worker->id;

    db_notify(work->tx, ORDER_CHANNEL);
    enum err err = order_lane_release_all(work, holder);
    return err ? err : life_end_own(work->tx, ORDER_LIFE, holder);
}

/* What could not be recorded is left to the end of its time, and so are the lanes. */
static void give_back(struct order_worker *worker)
{
    if (worker->is_troubled || worker->lanes.count == 0) return;
    enum err err = work_run(&worker->turn.work, worker->service->exchange, release_lanes);
    if (err)
        log_write(LOG_WARNING, "orders wait for other workers until a lease ends",
                  LOG_FIELDS(log_text("error", err_info(err)->code)));
}

/* Whether there is more to do at once: pages behind this one, or before it. */
static bool goes_on(struct order_worker *worker)
{
    const struct order_turn *turn = &worker->turn;

    worker->is_round_stale |= turn->is_short && turn->has_progress;
    if (!uuid_is_nil(&turn->cursor)) return turn->lane_count > 0;
    bool is_stale = worker->is_round_stale;
    worker->is_round_stale = false;
    return is_stale;
}

static void *work_on(void *arg)
{
    struct order_worker *worker = arg;
    struct order_inbox inbox;
    int wait_ms = 0;

    do {
        inbox = take_news(worker, wait_ms);
        bool is_news = inbox.is_woken || inbox.calls;
        worker->is_round_stale |= is_news && !uuid_is_nil(&worker->cursor);
        if (inbox.is_pausing) order_calls_give_back(worker);
        end_calls(&inbox);
        bool is_done = order_turn_run(worker, !inbox.is_pausing);
        wait_ms = is_done && goes_on(worker) ? 0 : ORDER_POLL_MS;
        tell_state(worker, &inbox);
    } while (!inbox.is_stopping || are_calls_under_way(worker));
    give_back(worker);
    return NULL;
}

/* --- Start and stop --------------------------------------------------------------------------- */

struct order_worker *order_worker_new(struct service *service, struct event_log *event_log,
                                      struct fetch_client *client)
{
    struct order_worker *worker = must_calloc(1, sizeof(*worker));
    worker->service = service;
    worker->event_log = event_log;
    worker->client = client;
    worker->id = uuid_new(clock_now_ms());
    worker->calls_end = &worker->inbox.calls;
    worker->unrecorded_end = &worker->unrecorded;
    worker->inbox.is_woken = true;
    pthread_mutex_init(&worker->lock, NULL);
    thread_cond_init(&worker->is_called);
    thread_cond_init(&worker->is_changed);
    worker->turn.worker = worker;
    arena_init(&worker->turn.arena);
    work_init(&worker->turn.work, service, &worker->turn.arena, 0, NULL);
    thread_start(&worker->thread, "orders", work_on, worker);
    return worker;
}

void order_worker_begin_no_more(struct order_worker *worker)
{
    pthread_mutex_lock(&worker->lock);
    worker->inbox.is_pausing = true;
    pthread_cond_signal(&worker->is_called);
    pthread_mutex_unlock(&worker->lock);
}

/* Whoever waits goes on when the turn at hand has ended, since it may still begin calls. */
void order_worker_pause(struct order_worker *worker, int grace_ms)
{
    if (!worker) return;
    struct timespec deadline = thread_deadline(grace_ms);
    int timed_out = 0;

    pthread_mutex_lock(&worker->lock);
    worker->inbox.is_pausing = true;
    pthread_cond_signal(&worker->is_called);
    while (!worker->has_paused)
        pthread_cond_wait(&worker->is_changed, &worker->lock);
    while (worker->is_busy && !timed_out)
        timed_out = pthread_cond_timedwait(&worker->is_changed, &worker->lock, &deadline);
    pthread_mutex_unlock(&worker->lock);
}

void order_worker_stop(struct order_worker *worker)
{
    if (!worker) return;
    pthread_mutex_lock(&worker->lock);
    worker->inbox.is_pausing = true;
    worker->inbox.is_stopping = true;
    pthread_cond_signal(&worker->is_called);
    pthread_mutex_unlock(&worker->lock);
    pthread_join(worker->thread, NULL);
}

static bool is_any(const struct held_lane *lane, const void *arg)
{
    (void)lane, (void)arg;
    return true;
}

void order_worker_free(struct order_worker *worker)
{
    if (!worker) return;
    while (worker->unrecorded) {
        struct order_call *call = worker->unrecorded;
        worker->unrecorded = call->next;
        order_call_free(call);
    }
    for (struct held_lane *lane = worker->lanes.unwritten; lane; lane = lane->next_unwritten)
        lane->is_unwritten = false;
    worker->lanes.unwritten = NULL;
    held_lanes_drop(&worker->lanes, is_any, NULL);
    arena_done(&worker->turn.arena);
    pthread_cond_destroy(&worker->is_called);
    pthread_cond_destroy(&worker->is_changed);
    pthread_mutex_destroy(&worker->lock);
    free(worker);
}
