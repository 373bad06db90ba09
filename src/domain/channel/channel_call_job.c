/* Calls: what was claimed is called, and answers are read, with no transaction open. */
#include "domain/channel/channel_lane.h"
#include "domain/event_log/event_log.h"
#include "kit/base/clock.h"
#include "kit/base/macros.h"

#include <stddef.h>

static driver_make_fn make_of_slot(const struct slot *slot)
{
    const struct channel_driver *driver = lane_setup(slot->lane)->driver;

    switch (slot->ask) {
    case ASK_STEP:
        return driver_make_of(driver, slot->step);
    case ASK_ABILITY:
        return driver->make_check;
    case ASK_FATE:
        return driver->make_status;
    case ASK_TURN:
    case ASK_END:
        return NULL;
    }
    return NULL;
}

static void call_done(struct fetch_call *call)
{
    struct slot *slot = CONTAINER_OF(call, struct slot, call);
    const struct channel_setup *setup = lane_setup(slot->lane);

    if (slot->step == STEP_STATUS || slot->ask == ASK_FATE)
        setup->driver->read_status(&setup->config, call, &slot->arena, &slot->answer);
    else if (slot->step == STEP_SEND)
        setup->driver->read_send(&setup->config, call, &slot->arena, &slot->answer);
    if (slot->step == STEP_SEND) slot->circuit = lane_count(slot->lane, call, &slot->answer);
    slot_record(slot);
}

/* --- Beginning -------------------------------------------------------------------------------- */

/* Why what was claimed is not called: it came about while the claim ran. */
struct no_calls {
    bool is_stopping;
    bool is_circuit_open;
};

/* No byte went out, and it is not the provider's doing: later. */
static void put_back(struct slot *slot, const char *why)
{
    slot->call.end = FETCH_NOT_SENT;
    slot->answer =
        (struct channel_answer){.outcome = OUTCOME_RATE_LIMITED, .error = why, .is_pending = true};
    slot_record(slot);
}

static void start_call(struct slot *slot, const struct no_calls *no_calls)
{
    const struct channel_setup *setup = lane_setup(slot->lane);

    if (!slot_has_call(slot)) {
        slot_record(slot);
        return;
    }
    if (no_calls->is_stopping) {
        put_back(slot, "herald is stopping");
        return;
    }
    if (slot->step == STEP_SEND && no_calls->is_circuit_open) {
        put_back(slot, "the provider does not serve");
        return;
    }
    slot->call.route = setup->config.route;
    slot->call.done = call_done;
    make_of_slot(slot)(&setup->config, &slot->order, &slot->arena, &slot->call);
    if (fetch_start(slot->lane->worker->client, &slot->call) != ERR_OK)
        put_back(slot, "too many calls under way");
}

static void count_call(struct slot *slot)
{
    struct lane *lane = slot->lane;

    lane->calls++;
    slot->is_calling = true;
    lane->pace_level -= 1000;
    slot->is_probe = circuit_is_open(&lane->circuit);
    lane->is_probing |= slot->is_probe;
}

/* What was claimed is under way from now on. The lock is held. */
static void count_claimed(struct lane *lane)
{
    for (struct slot *slot = lane->claimed; slot; slot = slot->next) {
        lane->sends += slot->step == STEP_SEND;
        lane->follow_ups += slot->step != STEP_SEND && slot->step != STEP_COUNT;
        if (slot->step == STEP_SEND && slot_has_call(slot)) count_call(slot);
    }
}

static void begin_calls(struct lane *lane, const struct no_calls *no_calls)
{
    struct slot *slot = lane->claimed;

    lane->claimed = NULL;
    lane->claimed_end = &lane->claimed;
    while (slot) {
        struct slot *next = slot->next;
        event_log_publish(lane->worker->event_log, &slot->work, NULL);
        if (slot->step == STEP_COUNT)
            slot_free(slot);
        else
            start_call(slot, no_calls);
        slot = next;
    }
}

/* The lock is held. */
static bool may_call(const struct lane *lane)
{
    bool is_by_probe = circuit_is_open(&lane->circuit) && lane_has_probe(lane);
    return !is_by_probe && circuit_wait_ms(&lane->circuit, clock_monotonic_ms()) == 0;
}

/* Claims go on while there is more. Where there was no room they go on when a slot leaves. The lock
 * is held. */
static void end_claim(struct lane *lane, bool has_failed)
{
    bool goes_on = !has_failed && (lane->is_full || lane->are_follow_ups_full);

    lane->is_claiming = false;
    lane->has_follow_ups |= has_failed || lane->are_follow_ups_full;
    bool is_rest_due = has_failed || lane->send_max == 0 || lane->has_follow_ups;
    lane->is_short = goes_on || is_rest_due;
    if (goes_on || lane->is_woken) lane_pump(lane);
    if (lane->is_claiming) return;
    lane->is_woken |= is_rest_due;
    pthread_cond_broadcast(&lane->worker->is_idle);
}

/* Once, however often it is tried again. */
static void note_failure(struct lane *lane, enum err err)
{
    if (err && err != lane->claim_err)
        log_write(LOG_ERROR, "the jobs of a channel cannot be claimed",
                  LOG_FIELDS(log_text("channel", channel_words[lane->channel]),
                             log_text("error", err_info(err)->code)));
    lane->claim_err = err;
}

void lane_claim_done(struct db_task *task, enum err err)
{
    struct lane *lane = lane_of(task);
    struct channel_worker *worker = lane->worker;

    if (err) lane_drop_claimed(lane);
    note_failure(lane, err);
    arena_done(&lane->arena);
    arena_init(&lane->arena);

    pthread_mutex_lock(&worker->lock);
    count_claimed(lane);
    struct no_calls no_calls = {
        .is_stopping = worker->is_stopping,
        .is_circuit_open = !may_call(lane),
    };
    pthread_mutex_unlock(&worker->lock);
    begin_calls(lane, &no_calls);
    pthread_mutex_lock(&worker->lock);
    end_claim(lane, err != ERR_OK);
    pthread_mutex_unlock(&worker->lock);
}
