/*
 * A job goes this way: it is claimed in a transaction that also writes SEND_FETCHING
 * (channel_claim_job.c), and its fetch begins after the commit (channel_fetch_job.c); what came of
 * the fetch is recorded in another transaction (channel_record_job.c). Each fetch has a slot of its
 * own; nothing waits in a thread. This file puts these together: it starts and ends the worker, and
 * its thread looks for jobs that fell due and were not announced.
 */
#include "domain/channel/channel_job.h"

#include "domain/channel/channel_worker.h"
#include "kit/base/must.h"

#include <stdlib.h>

enum {
    PACED_POLL_MS = 100,
    FETCHES_MAX = CHANNEL_COUNT * (CHANNEL_IN_FLIGHT_MAX + CHANNEL_FOLLOW_UPS_MAX),
    FETCH_QUEUE_MAX = 64,
};

/* --- The thread ------------------------------------------------------------------------------- */

/* Records again what the database did not take before. */
static void record_again(struct channel_worker *worker)
{
    for (int i = 0; i < CHANNEL_COUNT; i++) {
        pthread_mutex_lock(&worker->fetcher.lock);
        struct slot *slot = worker->lanes[i].unrecorded;
        worker->lanes[i].unrecorded = NULL;
        pthread_mutex_unlock(&worker->fetcher.lock);
        while (slot) {
            struct slot *next = slot->next;
            slot_record(slot);
            slot = next;
        }
    }
}

/* Looks for jobs that fell due, of whatever kind; sends of a channel that has lost its driver are
 * ended. Returns when to look again: a pace gives room at any time, and nothing else says so. */
static int look_for_all(struct channel_worker *worker)
{
    int wait_ms = CHANNEL_POLL_MS;

    pthread_mutex_lock(&worker->fetcher.lock);
    for (int i = 0; i < CHANNEL_COUNT; i++) {
        struct lane *lane = &worker->lanes[i];
        const struct channel_driver *driver = lane_setup(lane)->driver;
        lane->has_follow_ups = true;
        lane_pump(lane);
        if (lane->is_short && driver && driver->calls_per_s > 0) wait_ms = PACED_POLL_MS;
    }
    pthread_mutex_unlock(&worker->fetcher.lock);
    return wait_ms;
}

static bool is_claiming(const struct fetcher *fetcher)
{
    const struct channel_worker *worker = CONTAINER_OF(fetcher, struct channel_worker, fetcher);
    for (int i = 0; i < CHANNEL_COUNT; i++) {
        if (worker->lanes[i].is_claiming) return true;
    }
    return false;
}

static bool is_busy(const struct fetcher *fetcher)
{
    const struct channel_worker *worker = CONTAINER_OF(fetcher, struct channel_worker, fetcher);
    for (int i = 0; i < CHANNEL_COUNT; i++) {
        const struct lane *lane = &worker->lanes[i];
        if (lane->sends + lane->follow_ups > 0 || lane->probe.is_under_way) return true;
    }
    return is_claiming(fetcher);
}

static void work_on(struct fetcher *fetcher)
{
    struct channel_worker *worker = CONTAINER_OF(fetcher, struct channel_worker, fetcher);
    int wait_ms = 0;

    while (fetcher_wait(fetcher, wait_ms, false).state != FETCHER_STOPPING) {
        record_again(worker);
        wait_ms = look_for_all(worker);
    }
    record_again(worker);
    pthread_mutex_lock(&fetcher->lock);
    while (is_busy(fetcher))
        pthread_cond_wait(&fetcher->is_changed, &fetcher->lock);
    pthread_mutex_unlock(&fetcher->lock);
}

/* --- Start and stop --------------------------------------------------------------------------- */

static const struct fetcher_kind kind = {
    .thread = "channel-ticker",
    .fetches_max = FETCHES_MAX,
    .queue_max = FETCH_QUEUE_MAX,
    .answer_max = FETCH_ANSWER_MAX,
    .run = work_on,
    .is_beginning = is_claiming,
    .is_busy = is_busy,
};

struct channel_worker *channel_worker_start(struct service *service, struct event_log *event_log)
{
    struct channel_worker *worker = must_calloc(1, sizeof(*worker));
    worker->service = service;
    worker->event_log = event_log;
    worker->claim = lane_claim;
    worker->claimed = lane_claimed;
    for (int i = 0; i < CHANNEL_COUNT; i++) {
        struct lane *lane = &worker->lanes[i];
        lane->worker = worker;
        lane->channel = i;
        lane->claimed_end = &lane->claimed;
        lane->probe.lane = lane;
        arena_init(&lane->arena);
    }
    fetcher_start(&worker->fetcher, &kind);
    return worker;
}

void channel_worker_wake(void *arg)
{
    struct channel_worker *worker = arg;

    pthread_mutex_lock(&worker->fetcher.lock);
    for (int i = 0; i < CHANNEL_COUNT; i++) {
        if (lane_setup(&worker->lanes[i])->driver) lane_pump(&worker->lanes[i]);
    }
    pthread_mutex_unlock(&worker->fetcher.lock);
}

void channel_worker_stop(struct channel_worker *worker, int64_t grace_ms)
{
    if (worker) fetcher_stop(&worker->fetcher, grace_ms);
}

void channel_worker_free(struct channel_worker *worker)
{
    if (!worker) return;
    for (int i = 0; i < CHANNEL_COUNT; i++)
        arena_done(&worker->lanes[i].arena);
    fetcher_done(&worker->fetcher);
    free(worker);
}
