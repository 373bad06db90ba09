/*
 * The way of one job: claimed in a transaction that also writes `calling` (channel_claim_job.c) ->
 * commit -> call (channel_call_job.c) -> recorded in another transaction (channel_record_job.c).
 * Each call has a slot of its own; nothing waits in a thread. Here: how many may be under way, and
 * how the worker starts and ends. A ticker looks for what fell due and was not announced.
 */
#include "domain/channel/channel_job.h"

#include "domain/channel/channel_lane.h"
#include "kit/base/clock.h"
#include "kit/base/must.h"
#include "kit/base/thread.h"

#include <stdlib.h>

enum { PACED_POLL_MS = 100 };

/* --- Room ------------------------------------------------------------------------------------- */

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* How many sends the provider's pace allows now. What may go out at once and what comes in over the
 * next second are together what it allows in any second. */
static int pace_room(struct lane *lane, int64_t now_ms)
{
    int per_s = lane_setup(lane)->driver ? lane_setup(lane)->driver->calls_per_s : 0;
    if (per_s == 0) return CHANNEL_CLAIM_MAX;

    int burst = per_s < 5 ? 1 : per_s / 5;
    int rate = per_s > burst ? per_s - burst : 1;
    lane->pace_level += (now_ms - lane->paced_at_ms) * rate;
    if (lane->pace_level > burst * 1000) lane->pace_level = burst * 1000;
    lane->paced_at_ms = now_ms;
    return (int)(lane->pace_level / 1000);
}

static int slot_room(const struct lane *lane)
{
    return smaller(CHANNEL_SLOTS_MAX - lane->sends, CHANNEL_CLAIM_MAX);
}

static int send_room(struct lane *lane, int64_t now_ms)
{
    int room = smaller(CHANNEL_IN_FLIGHT_MAX - lane->calls, slot_room(lane));
    room = smaller(room, pace_room(lane, now_ms));
    if (!circuit_is_open(&lane->circuit)) return room;
    if (lane->is_probing || lane_has_probe(lane)) return 0;
    return smaller(room, 1);
}

/* What a claim may take now. While the circuit is open sends are claimed all the same, to be put
 * off or, when their time is over, ended. */
static void set_room(struct lane *lane, int64_t now_ms)
{
    int64_t closed_ms = circuit_wait_ms(&lane->circuit, now_ms);

    lane->claim_at_ms = clock_now_ms();
    lane->closed_until_ms = closed_ms > 0 ? lane->claim_at_ms + closed_ms : 0;
    lane->asks_circuit = lane_asks_circuit(lane);
    lane->send_max = closed_ms > 0 ? slot_room(lane) : send_room(lane, now_ms);
    lane->follow_up_max = lane->has_follow_ups ? CHANNEL_FOLLOW_UPS_MAX - lane->follow_ups : 0;
}

void lane_pump(struct lane *lane)
{
    struct channel_worker *worker = lane->worker;

    int64_t now_ms = clock_monotonic_ms();

    lane->is_woken = true;
    /* A channel that was never set up has no jobs. */
    if (!lane_setup(lane)->owner.load || worker->is_stopping) return;
    lane_probe(lane, now_ms);
    if (lane->is_claiming) return;
    set_room(lane, now_ms);
    if (lane->send_max == 0 && lane->follow_up_max == 0) return;
    lane->is_claiming = db_submit(worker->service->verification, &lane->task) == ERR_OK;
    lane->is_woken = !lane->is_claiming;
    if (lane->is_claiming && lane->follow_up_max > 0) lane->has_follow_ups = false;
}

void slot_free(struct slot *slot)
{
    fetch_call_done(&slot->call);
    arena_done(&slot->arena);
    free(slot);
}

void slot_leave(struct slot *slot)
{
    struct lane *lane = slot->lane;
    struct channel_worker *worker = lane->worker;
    bool is_send = slot->step == STEP_SEND, is_probe = slot->is_probe, goes_on = slot->goes_on;

    slot_free(slot);
    pthread_mutex_lock(&worker->lock);
    if (is_send)
        lane->sends--;
    else
        lane->follow_ups--;
    if (is_probe) lane->is_probing = false;
    if (lane->is_woken || goes_on) lane_pump(lane);
    if (lane->sends + lane->follow_ups == 0) pthread_cond_broadcast(&worker->is_idle);
    pthread_mutex_unlock(&worker->lock);
}

/* --- The ticker ------------------------------------------------------------------------------- */

/* The database may take now what it did not take before. */
static void record_again(struct channel_worker *worker)
{
    for (int i = 0; i < CHANNEL_COUNT; i++) {
        pthread_mutex_lock(&worker->lock);
        struct slot *slot = worker->lanes[i].unrecorded;
        worker->lanes[i].unrecorded = NULL;
        pthread_mutex_unlock(&worker->lock);
        while (slot) {
            struct slot *next = slot->next;
            slot_record(slot);
            slot = next;
        }
    }
}

/* What fell due, of whatever kind; sends of a channel that has lost its driver are ended. */
static void look_for_all(struct channel_worker *worker)
{
    pthread_mutex_lock(&worker->lock);
    for (int i = 0; i < CHANNEL_COUNT; i++) {
        worker->lanes[i].has_follow_ups = true;
        lane_pump(&worker->lanes[i]);
    }
    pthread_mutex_unlock(&worker->lock);
}

/* A pace gives room at any time, and nothing else says so. The lock is held. */
static int tick_ms(const struct channel_worker *worker)
{
    for (int i = 0; i < CHANNEL_COUNT; i++) {
        const struct lane *lane = &worker->lanes[i];
        const struct channel_driver *driver = lane_setup(lane)->driver;
        if (lane->is_short && driver && driver->calls_per_s > 0) return PACED_POLL_MS;
    }
    return CHANNEL_POLL_MS;
}

static void *tick(void *arg)
{
    struct channel_worker *worker = arg;

    pthread_mutex_lock(&worker->lock);
    while (!worker->is_stopping) {
        struct timespec deadline = thread_deadline(tick_ms(worker));
        pthread_cond_timedwait(&worker->is_ending, &worker->lock, &deadline);
        pthread_mutex_unlock(&worker->lock);
        record_again(worker);
        look_for_all(worker);
        pthread_mutex_lock(&worker->lock);
    }
    pthread_mutex_unlock(&worker->lock);
    return NULL;
}

static void start_ticker(struct channel_worker *worker)
{
    thread_start(&worker->ticker, "channel-ticker", tick, worker);
    worker->has_ticker = true;
}

/* --- Start and stop --------------------------------------------------------------------------- */

struct channel_worker *channel_worker_new(struct service *service, struct event_log *event_log,
                                          struct fetch_client *client)
{
    struct channel_worker *worker = must_calloc(1, sizeof(*worker));
    worker->service = service;
    worker->event_log = event_log;
    worker->client = client;
    pthread_mutex_init(&worker->lock, NULL);
    thread_cond_init(&worker->is_idle);
    thread_cond_init(&worker->is_ending);
    for (int i = 0; i < CHANNEL_COUNT; i++) {
        struct lane *lane = &worker->lanes[i];
        lane->task = (struct db_task){.run = lane_claim, .done = lane_claim_done};
        lane->worker = worker;
        lane->channel = i;
        lane->claimed_end = &lane->claimed;
        lane->probe.lane = lane;
        arena_init(&lane->arena);
        arena_init(&lane->probe.arena);
    }
    start_ticker(worker);
    look_for_all(worker);
    return worker;
}

void channel_worker_wake(struct channel_worker *worker)
{
    pthread_mutex_lock(&worker->lock);
    for (int i = 0; i < CHANNEL_COUNT; i++) {
        if (lane_setup(&worker->lanes[i])->driver) lane_pump(&worker->lanes[i]);
    }
    pthread_mutex_unlock(&worker->lock);
}

static bool is_claiming(const struct channel_worker *worker)
{
    for (int i = 0; i < CHANNEL_COUNT; i++) {
        if (worker->lanes[i].is_claiming) return true;
    }
    return false;
}

static bool is_busy(const struct channel_worker *worker)
{
    for (int i = 0; i < CHANNEL_COUNT; i++) {
        const struct lane *lane = &worker->lanes[i];
        if (lane->sends + lane->follow_ups > 0 || lane->probe.is_under_way) return true;
    }
    return is_claiming(worker);
}

/* No claim and no call begins any more, but those of a claim at hand. */
static void begin_stop(struct channel_worker *worker)
{
    pthread_mutex_lock(&worker->lock);
    worker->is_stopping = true;
    pthread_cond_broadcast(&worker->is_ending);
    pthread_mutex_unlock(&worker->lock);
    record_again(worker);
}

void channel_worker_pause(struct channel_worker *worker, int grace_ms)
{
    if (!worker) return;
    struct timespec deadline = thread_deadline(grace_ms);
    int timed_out = 0;

    begin_stop(worker);
    pthread_mutex_lock(&worker->lock);
    while (is_busy(worker) && !timed_out)
        timed_out = pthread_cond_timedwait(&worker->is_idle, &worker->lock, &deadline);
    while (is_claiming(worker))
        pthread_cond_wait(&worker->is_idle, &worker->lock);
    pthread_mutex_unlock(&worker->lock);
}

void channel_worker_stop(struct channel_worker *worker)
{
    if (!worker) return;
    begin_stop(worker);
    pthread_mutex_lock(&worker->lock);
    while (is_busy(worker))
        pthread_cond_wait(&worker->is_idle, &worker->lock);
    pthread_mutex_unlock(&worker->lock);
    if (worker->has_ticker) pthread_join(worker->ticker, NULL);
    worker->has_ticker = false;
}

void channel_worker_free(struct channel_worker *worker)
{
    if (!worker) return;
    assert(!worker->has_ticker); /* stopped before */
    for (int i = 0; i < CHANNEL_COUNT; i++) {
        arena_done(&worker->lanes[i].arena);
        arena_done(&worker->lanes[i].probe.arena);
    }
    pthread_cond_destroy(&worker->is_idle);
    pthread_cond_destroy(&worker->is_ending);
    pthread_mutex_destroy(&worker->lock);
    free(worker);
}
