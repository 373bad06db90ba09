/*
 * The way of an order: begun in a transaction (order_begin_job.c) -> commit -> fetch
 * (order_fetch_job.c) -> recorded in another transaction, with all others that have ended and all
 * that begin then (order_record_job.c). This file has the thread that goes from turn to turn: what
 * wakes it, how it starts and ends.
 */
#include "domain/order/order_job.h"

#include "domain/order/order_worker.h"
#include "kit/base/clock.h"
#include "kit/base/must.h"

#include <stdlib.h>

static struct order_worker *worker_of(const struct fetcher *fetcher)
{
    return CONTAINER_OF(fetcher, struct order_worker, fetcher);
}

/* --- From turn to turn ------------------------------------------------------------------------ */

static bool are_fetches_under_way(const struct order_worker *worker)
{
    return worker->under_way > 0 || worker->probes > 0;
}

static enum err release_lanes(struct work *work)
{
    const struct uuid *holder = &CONTAINER_OF(work, struct order_turn, work)->worker->id;

    db_notify(work->tx, ORDER_TOPIC);
    enum err err = order_lane_release_all(work, holder);
    return err ? err : life_end_own(work->tx, ORDER_LIFE, holder);
}

/* Gives the lanes back. Where something could not be recorded, it and the lanes are left to the
 * ends of their leases. */
static void give_back(struct order_worker *worker)
{
    if (worker->is_troubled || worker->lanes.count == 0) return;
    enum err err = work_run(&worker->turn.work, worker->service->exchange, release_lanes);
    if (err)
        log_write(LOG_WARNING, "orders wait for other workers until a lease ends",
                  LOG_FIELDS(log_plain("error", err_info(err)->code)));
}

/* Returns whether there is more to do at once: pages behind this one, or before it. */
static bool goes_on(struct order_worker *worker)
{
    const struct order_turn *turn = &worker->turn;

    worker->is_round_stale |= turn->is_short && turn->has_progress;
    if (!uuid_is_nil(&turn->cursor)) return turn->lane_count > 0;
    bool is_stale = worker->is_round_stale;
    worker->is_round_stale = false;
    return is_stale;
}

/* While the database does not answer, fetches that end wait for the next look. */
static void work_on(struct fetcher *fetcher)
{
    struct order_worker *worker = worker_of(fetcher);
    struct fetcher_news news;
    int wait_ms = 0;

    do {
        news = fetcher_wait(fetcher, wait_ms, worker->is_troubled);
        bool is_pausing = news.state != FETCHER_RUNNING, is_news = news.is_woken || news.ended;
        worker->is_round_stale |= is_news && !uuid_is_nil(&worker->cursor);
        if (is_pausing) order_fetches_give_back(worker);
        while (news.ended) {
            struct fetch_slot *slot = news.ended;
            news.ended = slot->next;
            slot->end(slot);
        }
        bool is_done = order_turn_run(worker, !is_pausing);
        wait_ms = is_done && goes_on(worker) ? 0 : ORDER_POLL_MS;

        pthread_mutex_lock(&fetcher->lock);
        worker->has_paused = is_pausing;
        worker->is_busy = are_fetches_under_way(worker) || worker->unrecorded_count > 0;
        fetcher_changed(fetcher);
        pthread_mutex_unlock(&fetcher->lock);
    } while (news.state != FETCHER_STOPPING || are_fetches_under_way(worker));
    give_back(worker);
}

/* --- Start and stop --------------------------------------------------------------------------- */

/* The turn at hand may still begin fetches. */
static bool is_beginning(const struct fetcher *fetcher)
{
    return !worker_of(fetcher)->has_paused;
}

static bool is_busy(const struct fetcher *fetcher)
{
    return worker_of(fetcher)->is_busy;
}

static const struct fetcher_kind kind = {
    .thread = "orders",
    .takes_turns = true,
    .fetches_max = ORDER_FETCHES_MAX + ORDER_PROBES_MAX,
    .answer_max = ORDER_ANSWER_MAX,
    .run = work_on,
    .is_beginning = is_beginning,
    .is_busy = is_busy,
};

struct order_worker *order_worker_start(struct service *service, struct event_log *event_log)
{
    struct order_worker *worker = must_calloc(1, sizeof(*worker));
    worker->service = service;
    worker->event_log = event_log;
    worker->lanes.event_log = event_log;
    worker->id = uuid_new(clock_now_ms());
    worker->unrecorded_end = &worker->unrecorded;
    worker->turn.worker = worker;
    arena_init(&worker->turn.arena);
    work_init(&worker->turn.work, service, &worker->turn.arena, 0, NULL);
    fetcher_start(&worker->fetcher, &kind);
    return worker;
}

void order_worker_wake(void *arg)
{
    struct order_worker *worker = arg;
    fetcher_wake(&worker->fetcher);
}

void order_worker_begin_no_more(struct order_worker *worker)
{
    if (worker) fetcher_begin_no_more(&worker->fetcher);
}

void order_worker_pause(struct order_worker *worker)
{
    if (worker) fetcher_pause(&worker->fetcher, 0);
}

void order_worker_stop(struct order_worker *worker, int64_t grace_ms)
{
    if (worker) fetcher_stop(&worker->fetcher, grace_ms);
}

void order_worker_free(struct order_worker *worker)
{
    if (!worker) return;
    while (worker->unrecorded) {
        struct order_fetch *fetch = worker->unrecorded;
        worker->unrecorded = fetch->next;
        order_fetch_free(fetch);
    }
    held_lanes_written(&worker->lanes);
    held_lanes_drop(&worker->lanes, NULL, NULL);
    arena_done(&worker->turn.arena);
    fetcher_done(&worker->fetcher);
    free(worker);
}
