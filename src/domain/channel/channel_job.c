/*
 * The way of one job: claimed in a transaction that also writes `calling` -> commit -> call ->
 * recorded in another transaction. Each call has a slot of its own; nothing waits in a thread.
 */
#include "domain/channel/channel_job.h"

#include "domain/audit/audit.h"
#include "domain/channel/channel_breaker.h"
#include "domain/channel/channel_db.h"
#include "domain/channel/channel_rules.h"
#include "kit/base/clock.h"
#include "kit/job/job.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

enum {
    RETRY_FIRST_MS = 1000,
    RETRY_MAX_MS = 30 * 1000,
    STATUS_FIRST_MS = 2000,
    STATUS_MAX_MS = 30 * 1000,
    PACE_WINDOW_MS = 1000,
};

/* A job with everything that it needs until it is recorded. */
struct slot {
    struct db_task task; /* first: the database gives this pointer back */
    struct slot *next;
    struct channel_worker *worker;
    enum channel_step step;
    struct job job;
    struct channel_send send;
    struct channel_order order;
    struct channel_answer answer;
    struct client_call call; /* `done` finds the slot by it */
    struct arena arena;      /* lives as long as the slot */
    struct work work;
    enum breaker_change circuit; /* what this answer did to the circuit */
};

/* One channel's flow of jobs. */
struct lane {
    struct db_task task; /* of the claim; first: the database gives this pointer back */
    struct channel_worker *worker;
    int channel;
    bool is_claiming;
    bool is_woken; /* again, while claiming */
    int in_flight;
    struct breaker breaker;
    int64_t paced_until_ms; /* the window in which `paced_count` sends were taken */
    int paced_count;
    struct slot *claimed; /* by the claim at hand */
    int claim_max;
    struct arena arena; /* of the claim at hand */
};

struct channel_worker {
    struct service *service;
    struct audit *audit;
    struct client *client;
    pthread_mutex_t lock;
    pthread_cond_t is_idle;
    bool is_stopping;
    struct lane lanes[CHANNEL_COUNT];
};

static const struct channel_setup *setup_of(const struct channel_worker *worker, int channel)
{
    return &worker->service->channels[channel];
}

static int64_t backoff_ms(int64_t attempt, int64_t first_ms, int64_t max_ms)
{
    int64_t wait_ms = first_ms;
    for (int64_t i = 1; i < attempt && wait_ms < max_ms; i++)
        wait_ms *= 2;
    return wait_ms < max_ms ? wait_ms : max_ms;
}

/* --- Claiming --------------------------------------------------------------------------------- */

static void slot_free(struct slot *slot)
{
    client_call_done(&slot->call);
    arena_done(&slot->arena);
    free(slot);
}

static void free_slots(struct slot *slot)
{
    while (slot) {
        struct slot *next = slot->next;
        slot_free(slot);
        slot = next;
    }
}

static struct slot *slot_new(struct lane *lane, enum channel_step step, const struct job *job)
{
    struct slot *slot = calloc(1, sizeof(*slot));
    if (!slot) abort();
    slot->worker = lane->worker;
    slot->step = step;
    slot->send.channel = lane->channel;
    slot->job = *job;
    slot->job.kind = channel_job_kinds[lane->channel][step];
    arena_init(&slot->arena);
    return slot;
}

/* The send ends here and now, without a call. */
static enum err give_up(struct slot *slot, enum send_state state, const char *error)
{
    enum send_state from = (enum send_state)slot->send.state;
    slot->send.state = state;
    slot->send.error = error;
    enum err err = channel_move_send(&slot->work, &slot->send, from, NULL);
    return err ? err : job_finish(slot->work.tx, &slot->job);
}

/* Writes `calling` before the first byte goes out. ERR_NOT_FOUND: there is nothing to call. */
static enum err begin_send(struct slot *slot)
{
    struct channel_send *send = &slot->send;
    const struct channel_setup *setup = setup_of(slot->worker, send->channel);
    enum send_state from = (enum send_state)send->state;
    bool is_moved;
    enum err err = ERR_OK;

    if (from != SEND_QUEUED && from != SEND_CALLING) {
        err = job_finish(slot->work.tx, &slot->job);
        return err ? err : ERR_NOT_FOUND;
    }
    if (from == SEND_CALLING && !setup->driver->is_deduplicating)
        err = give_up(slot, SEND_UNKNOWN, "a worker ended during the call");
    else if (send->expires_at <= slot->work.now_ms)
        err = give_up(slot, SEND_FAILED, "no time left");
    else {
        send->state = SEND_CALLING;
        send->attempt++;
        err = send_move(&slot->work, send, from, &is_moved);
        return err ? err : (is_moved ? ERR_OK : ERR_TX_RETRY);
    }
    return err ? err : ERR_NOT_FOUND;
}

/* Reads what the job is about. ERR_NOT_FOUND: it is done with, and no call is needed. */
static enum err begin(struct slot *slot)
{
    struct work *work = &slot->work;
    enum err err = send_select(work, &slot->job.subject, &slot->send);
    if (err == ERR_NOT_FOUND) {
        err = job_finish(work->tx, &slot->job);
        return err ? err : ERR_NOT_FOUND;
    }
    if (err) return err;

    const struct channel_setup *setup = setup_of(slot->worker, slot->send.channel);
    slot->order = (struct channel_order){
        .send_id = slot->send.id,
        .provider_id = slot->send.provider_id,
        .ttl_s = (slot->send.expires_at - work->now_ms) / 1000,
        .now_ms = work->now_ms,
    };
    err = setup->owner.load(work, &slot->send.owner_id, &slot->order);
    if (err == ERR_NOT_FOUND && slot->step == STEP_SEND) {
        err = give_up(slot, SEND_FAILED, "not wanted any more");
        return err ? err : ERR_NOT_FOUND;
    }
    if (err && err != ERR_NOT_FOUND) return err;
    return slot->step == STEP_SEND ? begin_send(slot) : ERR_OK;
}

static enum err claim_step(struct lane *lane, struct db_tx *tx, enum channel_step step, int max)
{
    const struct channel_setup *setup = setup_of(lane->worker, lane->channel);
    int64_t now_ms = clock_now_ms();
    int64_t lease_ms = setup->config.route.timeout_ms + CHANNEL_LEASE_MARGIN_MS;
    struct job *jobs;
    size_t count;
    enum err err = job_claim(tx, channel_job_kinds[lane->channel][step], max, lease_ms, now_ms,
                             &lane->arena, &jobs, &count);
    if (err) return err;

    for (size_t i = 0; i < count; i++) {
        struct slot *slot = slot_new(lane, step, &jobs[i]);
        work_init(&slot->work, lane->worker->service, &slot->arena, now_ms, NULL);
        work_restart(&slot->work, tx);
        err = begin(slot);
        /* A slot without a call still has notes to publish. */
        slot->call.url = NULL;
        if (err == ERR_NOT_FOUND) slot->step = STEP_COUNT;
        slot->next = lane->claimed;
        lane->claimed = slot;
        if (err && err != ERR_NOT_FOUND) return err;
    }
    return ERR_OK;
}

/* How many sends the provider's pace allows now. The lock is held. */
static int pace_room(const struct channel_worker *worker, struct lane *lane, int64_t now_ms)
{
    int per_s = setup_of(worker, lane->channel)->driver->calls_per_s;
    if (per_s == 0) return CHANNEL_CLAIM_MAX;
    if (now_ms >= lane->paced_until_ms) {
        lane->paced_until_ms = now_ms + PACE_WINDOW_MS;
        lane->paced_count = 0;
    }
    return per_s - lane->paced_count;
}

static enum err claim(struct db_task *task, struct db_tx *tx)
{
    struct lane *lane = (struct lane *)task;
    enum err err = ERR_OK;

    free_slots(lane->claimed);
    lane->claimed = NULL;
    if (lane->claim_max > 0) err = claim_step(lane, tx, STEP_SEND, lane->claim_max);
    for (int step = STEP_STATUS; !err && step < STEP_COUNT; step++)
        err = claim_step(lane, tx, (enum channel_step)step, CHANNEL_CLAIM_MAX);
    return err;
}

/* --- Calling ---------------------------------------------------------------------------------- */

static void submit_record(struct slot *slot);

static void call_done(struct client_call *call)
{
    struct slot *slot = (struct slot *)((char *)call - offsetof(struct slot, call));
    submit_record(slot);
}

static void make_call(struct slot *slot)
{
    const struct channel_setup *setup = setup_of(slot->worker, slot->send.channel);
    const struct channel_driver *driver = setup->driver;

    slot->call.route = setup->config.route;
    slot->call.done = call_done;
    switch (slot->step) {
    case STEP_SEND:
        driver->make_send(&setup->config, &slot->order, &slot->arena, &slot->call);
        return;
    case STEP_STATUS:
        driver->make_status(&setup->config, &slot->order, &slot->arena, &slot->call);
        return;
    case STEP_REVOKE:
        driver->make_revoke(&setup->config, &slot->order, &slot->arena, &slot->call);
        return;
    case STEP_SUCCESS:
        driver->make_success(&setup->config, &slot->order, &slot->arena, &slot->call);
        return;
    case STEP_COUNT:
        return;
    }
}

static void leave(struct slot *slot, struct lane *lane);

static void start_call(struct slot *slot)
{
    struct channel_worker *worker = slot->worker;

    audit_publish(worker->audit, &slot->work, NULL);
    if (slot->step == STEP_COUNT) {
        leave(slot, &worker->lanes[slot->send.channel]);
        return;
    }
    make_call(slot);
    if (client_start(worker->client, &slot->call) == ERR_OK) return;
    /* No room: as if the connection had failed; nothing went out. */
    slot->call.end = CLIENT_NOT_SENT;
    slot->call.error = "too many calls under way";
    submit_record(slot);
}

static void pump(struct channel_worker *worker, struct lane *lane);

static void claim_done(struct db_task *task, enum err err)
{
    struct lane *lane = (struct lane *)task;
    struct channel_worker *worker = lane->worker;
    struct slot *slots = lane->claimed;
    int count = 0, sends = 0;

    lane->claimed = NULL;
    arena_done(&lane->arena);
    arena_init(&lane->arena);
    if (err) {
        free_slots(slots);
        slots = NULL;
    }
    for (const struct slot *slot = slots; slot; slot = slot->next) {
        count++;
        sends += slot->step == STEP_SEND;
    }
    pthread_mutex_lock(&worker->lock);
    lane->is_claiming = false;
    lane->in_flight += count;
    lane->paced_count += sends;
    bool goes_on = !err && (lane->is_woken || sends == lane->claim_max) && sends > 0;
    if (goes_on) pump(worker, lane);
    if (!lane->is_claiming) pthread_cond_broadcast(&worker->is_idle);
    pthread_mutex_unlock(&worker->lock);
    while (slots) {
        struct slot *next = slots->next;
        slots->next = NULL;
        start_call(slots);
        slots = next;
    }
}

/* Claims if there is room. The lock is held. */
static void pump(struct channel_worker *worker, struct lane *lane)
{
    int64_t now_ms = clock_monotonic_ms();
    bool is_idle = !setup_of(worker, lane->channel)->driver || worker->is_stopping;

    lane->is_woken = true;
    if (is_idle || lane->is_claiming) return;
    int room = CHANNEL_IN_FLIGHT_MAX - lane->in_flight;
    int paced = pace_room(worker, lane, now_ms);
    if (paced < room) room = paced;
    if (room > CHANNEL_CLAIM_MAX) room = CHANNEL_CLAIM_MAX;
    if (!breaker_allows(&lane->breaker, now_ms)) room = 0;
    if (breaker_is_probing(&lane->breaker) && room > 0) room = lane->in_flight == 0 ? 1 : 0;
    lane->claim_max = room > 0 ? room : 0;
    lane->is_woken = false;
    lane->is_claiming = db_submit(worker->service->verification, &lane->task) == ERR_OK;
}

/* --- Recording -------------------------------------------------------------------------------- */

static enum err retry_later(struct slot *slot, int64_t wait_ms)
{
    struct channel_send *send = &slot->send;
    int64_t run_at = slot->work.now_ms + wait_ms;
    bool is_moved;

    if (run_at >= send->expires_at) return give_up(slot, SEND_FAILED, slot->answer.error);
    send->state = SEND_QUEUED;
    send->error = slot->answer.error;
    enum err err = send_move(&slot->work, send, SEND_CALLING, &is_moved);
    if (err) return err;
    if (!is_moved) return ERR_TX_RETRY;
    return job_retry(slot->work.tx, &slot->job, run_at);
}

static enum err watch_status(struct slot *slot)
{
    const struct channel_setup *setup = setup_of(slot->worker, slot->send.channel);
    if (!setup->driver->make_status || !slot->send.provider_id) return ERR_OK;
    return job_enqueue(slot->work.tx, channel_job_kinds[slot->send.channel][STEP_STATUS],
                       &slot->send.id, slot->work.now_ms + STATUS_FIRST_MS, slot->work.now_ms);
}

static enum err record_done(struct slot *slot)
{
    static const enum send_state states[] = {
        [PROGRESS_ACCEPTED] = SEND_ACCEPTED,
        [PROGRESS_SENT] = SEND_SENT,
        [PROGRESS_DELIVERED] = SEND_DELIVERED,
        [PROGRESS_FAILED] = SEND_FAILED,
    };
    struct channel_send *send = &slot->send;

    send->state = states[slot->answer.progress];
    send->error = slot->answer.error;
    send->provider_id = slot->answer.provider_id;
    enum err err = channel_move_send(&slot->work, send, SEND_CALLING, slot->answer.learned_code);
    if (!err && send->state < SEND_DELIVERED) err = watch_status(slot);
    return err ? err : job_finish(slot->work.tx, &slot->job);
}

static enum err record_send(struct slot *slot)
{
    int64_t wait_ms = backoff_ms(slot->send.attempt, RETRY_FIRST_MS, RETRY_MAX_MS);

    switch (slot->answer.outcome) {
    case OUTCOME_DONE:
        return record_done(slot);
    case OUTCOME_RATE_LIMITED:
        return retry_later(slot, slot->answer.wait_ms > 0 ? slot->answer.wait_ms : wait_ms);
    case OUTCOME_RETRYABLE:
    case OUTCOME_OURS:
        return retry_later(slot, wait_ms);
    case OUTCOME_PERMANENT:
        return give_up(slot, SEND_FAILED, slot->answer.error);
    case OUTCOME_UNKNOWN:
        return give_up(slot, SEND_UNKNOWN, slot->answer.error);
    }
    return ERR_INTERNAL;
}

static enum err record_status(struct slot *slot)
{
    struct work *work = &slot->work;
    int64_t run_at = work->now_ms + backoff_ms(slot->job.attempt, STATUS_FIRST_MS, STATUS_MAX_MS);
    /* As it stands now: a report may have come in the meantime. */
    enum err err = send_select(work, &slot->job.subject, &slot->send);
    if (err) return err;
    err = channel_apply_progress(work, &slot->send, &slot->answer);
    if (err) return err;
    bool is_open = slot->send.state == SEND_ACCEPTED || slot->send.state == SEND_SENT;
    if (!is_open || run_at >= slot->send.expires_at) return job_finish(work->tx, &slot->job);
    return job_retry(work->tx, &slot->job, run_at);
}

static enum err record(struct db_task *task, struct db_tx *tx)
{
    struct slot *slot = (struct slot *)task;
    struct work *work = &slot->work;
    struct channel_send before = slot->send;
    enum err err = ERR_OK;

    work_restart(work, tx);
    if (slot->step == STEP_SEND) err = record_send(slot);
    if (slot->step == STEP_STATUS) err = record_status(slot);
    if (slot->step == STEP_REVOKE || slot->step == STEP_SUCCESS) err = job_finish(tx, &slot->job);
    if (!err && slot->circuit == BREAKER_OPENED)
        err = circuit_set(work, (enum channel)before.channel, work->now_ms + BREAKER_OPEN_MS,
                          slot->answer.error);
    if (!err && slot->circuit == BREAKER_CLOSED)
        err = circuit_set(work, (enum channel)before.channel, 0, NULL);
    if (err) slot->send = before; /* so that a second run begins alike */
    return err;
}

/* The slot is over; the lane may take the next job. */
static void leave(struct slot *slot, struct lane *lane)
{
    struct channel_worker *worker = slot->worker;

    slot_free(slot);
    pthread_mutex_lock(&worker->lock);
    lane->in_flight--;
    pump(worker, lane);
    if (lane->in_flight == 0) pthread_cond_broadcast(&worker->is_idle);
    pthread_mutex_unlock(&worker->lock);
}

static void record_finished(struct db_task *task, enum err err)
{
    struct slot *slot = (struct slot *)task;
    struct lane *lane = &slot->worker->lanes[slot->send.channel];

    if (!err) audit_publish(slot->worker->audit, &slot->work, NULL);
    if (err && err != ERR_LEASE_LOST)
        log_write(LOG_ERROR, "the outcome of a call could not be recorded; its lease will end",
                  LOG_FIELDS(log_uuid("send_id", &slot->job.subject),
                             log_text("error", err_info(err)->code)));
    leave(slot, lane);
}

/* Reads the answer and what it means for the circuit. */
static void read_answer(struct slot *slot)
{
    const struct channel_setup *setup = setup_of(slot->worker, slot->send.channel);
    struct lane *lane = &slot->worker->lanes[slot->send.channel];
    bool is_status = slot->step == STEP_STATUS;

    if (is_status)
        setup->driver->read_status(&setup->config, &slot->call, &slot->arena, &slot->answer);
    else if (slot->step == STEP_SEND)
        setup->driver->read_send(&setup->config, &slot->call, &slot->arena, &slot->answer);
    if (slot->step != STEP_SEND) return;
    pthread_mutex_lock(&slot->worker->lock);
    slot->circuit = breaker_count(&lane->breaker, slot->answer.outcome, clock_monotonic_ms());
    pthread_mutex_unlock(&slot->worker->lock);
    if (slot->circuit == BREAKER_OPENED)
        log_write(LOG_ERROR, "a channel is closed for a while: its provider does not serve",
                  LOG_FIELDS(log_text("channel", channel_words[slot->send.channel]),
                             log_text("driver", setup->driver->name),
                             log_text("error", slot->answer.error)));
}

static void submit_record(struct slot *slot)
{
    read_answer(slot);
    slot->work.now_ms = clock_now_ms();
    slot->task = (struct db_task){.run = record, .done = record_finished};
    enum err err = db_submit(slot->worker->service->verification, &slot->task);
    if (err) record_finished(&slot->task, err);
}

/* --- Start and stop --------------------------------------------------------------------------- */

struct channel_worker *channel_worker_new(struct service *service, struct audit *audit,
                                          struct client *client)
{
    struct channel_worker *worker = calloc(1, sizeof(*worker));
    if (!worker) abort();
    worker->service = service;
    worker->audit = audit;
    worker->client = client;
    pthread_mutex_init(&worker->lock, NULL);
    pthread_cond_init(&worker->is_idle, NULL);
    for (int i = 0; i < CHANNEL_COUNT; i++) {
        struct lane *lane = &worker->lanes[i];
        lane->task = (struct db_task){.run = claim, .done = claim_done};
        lane->worker = worker;
        lane->channel = i;
        arena_init(&lane->arena);
    }
    return worker;
}

void channel_worker_wake(struct channel_worker *worker)
{
    pthread_mutex_lock(&worker->lock);
    for (int i = 0; i < CHANNEL_COUNT; i++)
        pump(worker, &worker->lanes[i]);
    pthread_mutex_unlock(&worker->lock);
}

static bool is_busy(const struct channel_worker *worker)
{
    for (int i = 0; i < CHANNEL_COUNT; i++) {
        if (worker->lanes[i].is_claiming || worker->lanes[i].in_flight > 0) return true;
    }
    return false;
}

void channel_worker_stop(struct channel_worker *worker)
{
    if (!worker) return;
    pthread_mutex_lock(&worker->lock);
    worker->is_stopping = true;
    while (is_busy(worker))
        pthread_cond_wait(&worker->is_idle, &worker->lock);
    pthread_mutex_unlock(&worker->lock);
}

void channel_worker_free(struct channel_worker *worker)
{
    if (!worker) return;
    for (int i = 0; i < CHANNEL_COUNT; i++) {
        free_slots(worker->lanes[i].claimed);
        arena_done(&worker->lanes[i].arena);
    }
    pthread_cond_destroy(&worker->is_idle);
    pthread_mutex_destroy(&worker->lock);
    free(worker);
}
