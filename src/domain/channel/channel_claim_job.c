/* Claims: jobs that are due become slots, and their sends `calling`, in one transaction. */
#include "domain/channel/channel_db.h"
#include "domain/channel/channel_lane.h"

#include <stdlib.h>

void lane_drop_claimed(struct lane *lane)
{
    while (lane->claimed) {
        struct slot *slot = lane->claimed;
        lane->claimed = slot->next;
        slot_free(slot);
    }
    lane->claimed_end = &lane->claimed;
}

static struct slot *slot_new(struct lane *lane, enum channel_step step, const struct job *job,
                             struct db_tx *tx)
{
    struct slot *slot = calloc(1, sizeof(*slot));
    if (!slot) abort();
    slot->lane = lane;
    slot->step = step;
    slot->job = *job;
    slot->job.kind = channel_job_kinds[lane->channel][step];
    arena_init(&slot->arena);
    work_init(&slot->work, lane->worker->service, &slot->arena, lane->claim_at_ms, NULL);
    work_restart(&slot->work, tx);
    *lane->claimed_end = slot;
    lane->claimed_end = &slot->next;
    return slot;
}

/* --- Steps without a call --------------------------------------------------------------------- */

static enum err drop_job(struct slot *slot)
{
    bool has_code = slot->step == STEP_SUCCESS;

    slot->step = STEP_COUNT;
    enum err err = job_finish(slot->work.tx, &slot->job);
    if (err || !has_code) return err;
    return send_set_success_code(&slot->work, &slot->job.subject, (struct str){0});
}

/* Until the circuit may close, or there is no time left. */
static enum err put_off(struct slot *slot)
{
    int64_t until_ms = slot->lane->closed_until_ms;

    slot->step = STEP_COUNT;
    if (until_ms > slot->send.expires_at) until_ms = slot->send.expires_at;
    return job_retry(slot->work.tx, &slot->job, until_ms);
}

static enum err give_up(struct slot *slot, enum send_state state, const char *error)
{
    enum send_state from = (enum send_state)slot->send.state;
    slot->send.state = state;
    slot->send.error = error;
    enum err err = channel_move_send(&slot->work, &slot->send, from, NULL);
    return err ? err : drop_job(slot);
}

/* One row that cannot be read must not hold up the others: its job stays until its lease ends. */
static enum err set_aside(struct slot *slot, enum err err)
{
    if (err != ERR_INTERNAL) return err;
    slot->step = STEP_COUNT;
    log_write(LOG_ERROR, "a send could not be read; it is tried again when its lease ends",
              LOG_FIELDS(log_uuid("send_id", &slot->job.subject)));
    return ERR_OK;
}

/* --- What a call needs ------------------------------------------------------------------------ */

static void begin_order(struct slot *slot)
{
    slot->order = (struct channel_order){
        .send_id = slot->send.id,
        .provider_id = slot->send.provider_id,
        .ttl_s = (slot->send.expires_at - slot->work.now_ms) / 1000,
        .now_ms = slot->work.now_ms,
    };
}

static enum err load_order(struct slot *slot)
{
    begin_order(slot);
    return lane_setup(slot->lane)->owner.load(&slot->work, &slot->send.owner_id, &slot->order);
}

/* Written before the first byte goes out. */
static enum err move_to_calling(struct slot *slot)
{
    enum send_state from = (enum send_state)slot->send.state;
    bool is_moved;

    slot->was_in_doubt = from == SEND_CALLING;
    slot->send.state = SEND_CALLING;
    slot->send.attempt++;
    enum err err = send_move(&slot->work, &slot->send, from, &is_moved);
    if (err) return err;
    return is_moved ? ERR_OK : ERR_TX_RETRY;
}

static bool is_check_wanted(const struct slot *slot)
{
    const struct channel_setup *setup = lane_setup(slot->lane);
    return setup->config.is_checking && setup->driver->make_check && !slot->send.provider_id;
}

static enum err ask_fate(struct slot *slot)
{
    slot->ask = ASK_FATE;
    slot->was_in_doubt = true;
    begin_order(slot);
    return ERR_OK;
}

static enum err begin_send(struct slot *slot)
{
    const struct channel_driver *driver = lane_setup(slot->lane)->driver;
    bool is_in_doubt = slot->send.state == SEND_CALLING;
    enum send_state end = is_in_doubt ? SEND_UNKNOWN : SEND_FAILED;
    bool is_repeatable = !is_in_doubt || (driver && driver->is_deduplicating);

    if (slot->send.state != SEND_QUEUED && !is_in_doubt) return drop_job(slot);
    if (!driver) return give_up(slot, end, "the channel has no driver any more");
    if (!is_repeatable && !lane_can_ask_fate(slot->lane, &slot->send))
        return give_up(slot, SEND_UNKNOWN, "a worker ended during the call");
    if (slot->send.expires_at <= slot->work.now_ms) return give_up(slot, end, "no time left");
    if (slot->lane->closed_until_ms) return put_off(slot);
    if (!is_repeatable) return ask_fate(slot);

    enum err err = load_order(slot);
    if (err == ERR_NOT_FOUND) return give_up(slot, end, "not wanted any more");
    if (err) return set_aside(slot, err);
    if (!is_check_wanted(slot)) return move_to_calling(slot);
    slot->ask = ASK_ABILITY;
    return ERR_OK;
}

static bool is_open(const struct channel_send *send)
{
    return send->state == SEND_ACCEPTED || send->state == SEND_SENT;
}

/* The driver may be another one than the one that the provider's id is of: then there is nothing
 * to ask. */
static enum err begin_follow_up(struct slot *slot)
{
    bool is_wanted = slot->send.provider_id && (slot->step != STEP_STATUS || is_open(&slot->send));
    if (!is_wanted || !driver_has_step(lane_setup(slot->lane)->driver, slot->step))
        return drop_job(slot);
    begin_order(slot);
    if (slot->step != STEP_SUCCESS) return ERR_OK;
    if (slot->send.expires_at <= slot->work.now_ms) return drop_job(slot);
    enum err err = channel_open_code(&slot->work, &slot->send.id, &slot->order.code);
    if (err == ERR_NOT_FOUND) return drop_job(slot);
    return err ? set_aside(slot, err) : ERR_OK;
}

static enum err begin(struct slot *slot)
{
    enum err err = send_select(&slot->work, &slot->job.subject, &slot->send);
    if (err == ERR_NOT_FOUND) return drop_job(slot);
    if (err) return set_aside(slot, err);
    return slot->step == STEP_SEND ? begin_send(slot) : begin_follow_up(slot);
}

/* --- The transaction -------------------------------------------------------------------------- */

static enum err claim_step(struct lane *lane, struct db_tx *tx, enum channel_step step, int max,
                           int *ret_count)
{
    int64_t lease_ms = lane_setup(lane)->config.route.timeout_ms + CHANNEL_LEASE_MARGIN_MS;
    struct job *jobs;
    size_t count;
    enum err err = job_claim(tx, channel_job_kinds[lane->channel][step], max, lease_ms,
                             lane->claim_at_ms, &lane->arena, &jobs, &count);
    if (err) return err;

    for (size_t i = 0; i < count; i++) {
        err = begin(slot_new(lane, step, &jobs[i], tx));
        if (err) return err;
    }
    *ret_count = (int)count;
    return ERR_OK;
}

static enum err claim_sends(struct lane *lane, struct db_tx *tx)
{
    int count;
    enum err err = claim_step(lane, tx, STEP_SEND, lane->send_max, &count);
    if (!err) lane->is_full = count == lane->send_max;
    return err;
}

static enum err claim_follow_ups(struct lane *lane, struct db_tx *tx)
{
    int room = lane->follow_up_max, count;

    for (int step = STEP_SEND + 1; room > 0 && step < STEP_COUNT; step++) {
        enum err err = claim_step(lane, tx, (enum channel_step)step, room, &count);
        if (err) return err;
        room -= count;
    }
    lane->are_follow_ups_full = room == 0;
    return ERR_OK;
}

enum err lane_claim(struct db_task *task, struct db_tx *tx)
{
    struct lane *lane = (struct lane *)task;
    enum err err = ERR_OK;

    lane_drop_claimed(lane);
    lane->is_full = lane->are_follow_ups_full = false;
    if (lane->send_max > 0) err = claim_sends(lane, tx);
    if (!err && lane->follow_up_max > 0) err = claim_follow_ups(lane, tx);
    return err;
}
