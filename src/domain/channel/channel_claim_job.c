/* A claim makes slots of jobs that are due, and moves their sends to SEND_FETCHING, in one
 * transaction. */
#include "domain/channel/channel_db.h"
#include "domain/channel/channel_worker.h"
#include "kit/base/must.h"

#include <stdlib.h>
#include <strings.h>

/* A job that is found so long after its time usually has company: other jobs for the same
 * recipient, meant to go one after another, are due as well. */
enum { LATE_MS = 1000 };

void lane_drop_claimed(struct lane *lane)
{
    while (lane->claimed) {
        struct slot *slot = lane->claimed;
        lane->claimed = slot->next;
        slot_free(slot);
    }
    lane->claimed_end = &lane->claimed;
}

bool lane_can_ask_fate(const struct lane *lane, const struct channel_send *send)
{
    const struct channel_setup *setup = lane_setup(lane);
    return setup->config.is_checking && setup->driver->make_check && setup->driver->make_status &&
           send->provider_id;
}

static struct slot *slot_new(struct lane *lane, enum channel_step step, const struct job *job)
{
    struct slot *slot = must_calloc(1, sizeof(*slot));
    slot->lane = lane;
    slot->step = step;
    slot->job = *job;
    slot->job.kind = channel_job_kinds[lane->channel][step];
    fetch_slot_init(&slot->base, &lane->worker->fetcher);
    work_init(&slot->work, lane->work.service, &slot->base.arena, lane->work.now_ms, NULL);
    work_restart(&slot->work, lane->work.tx);
    *lane->claimed_end = slot;
    lane->claimed_end = &slot->next;
    return slot;
}

/* --- Steps without a fetch -------------------------------------------------------------------- */

static enum err drop_job(struct slot *slot)
{
    bool has_code = slot->step == STEP_SUCCESS;

    slot->step = STEP_COUNT;
    enum err err = job_finish(slot->work.tx, &slot->job);
    if (err || !has_code) return err;
    return send_set_success_code(&slot->work, &slot->job.subject, (struct str){0});
}

static enum err run_later(struct slot *slot, int64_t run_at)
{
    int64_t expires_at = slot->send.expires_at;

    slot->step = STEP_COUNT;
    return job_retry(slot->work.tx, &slot->job, run_at < expires_at ? run_at : expires_at);
}

/* Puts a send off until the circuit may close, or there is no time left. */
static enum err put_off(struct slot *slot)
{
    int64_t until_ms = slot->lane->closed_until_ms, expires_at = slot->send.expires_at;

    if (!lane_setup(slot->lane)->owner.next_turn) return run_later(slot, until_ms);
    slot->ask = ASK_TURN;
    slot->turn_at_least_ms = until_ms < expires_at ? until_ms : expires_at;
    return ERR_OK;
}

static enum err give_up(struct slot *slot, enum send_state end, const char *error)
{
    slot->ask = ASK_END;
    slot->end = end;
    slot->answer = (struct channel_answer){.error = error};
    return ERR_OK;
}

/* A row that cannot be read must not hold up the others: its job stays until its lease ends. */
static enum err set_aside(struct slot *slot, enum err err)
{
    if (err != ERR_INTERNAL) return err;
    slot->step = STEP_COUNT;
    log_write(LOG_ERROR, "a send could not be read; it is tried again when its lease ends",
              LOG_FIELDS(log_uuid("send_id", &slot->job.subject)));
    return ERR_OK;
}

/* --- What a fetch needs ----------------------------------------------------------------------- */

static void begin_content(struct slot *slot)
{
    slot->content = (struct channel_content){
        .send_id = slot->send.id,
        .provider_id = slot->send.provider_id,
        .ttl_s = (slot->send.expires_at - slot->work.now_ms) / 1000,
        .now_ms = slot->work.now_ms,
    };
}

/* SEND_FETCHING is written before the first byte goes out. */
static enum err move_to_fetching(struct slot *slot)
{
    enum send_state from = slot->send.state;
    bool is_moved;

    slot->was_in_doubt = from == SEND_FETCHING;
    slot->send.state = SEND_FETCHING;
    slot->send.attempt++;
    struct timeline_step begun = timeline_step_of(TIMELINE_FETCH, slot->work.now_ms);
    slot->send.line = timeline_line(slot->work.arena, &begun);
    enum err err = send_move(&slot->work, &slot->send, from, &is_moved);
    slot->send.line = NULL;
    if (err) return err;
    return is_moved ? ERR_OK : ERR_TX_RETRY;
}

/* Begins a send for which nothing was fetched, or whose fetch may be made again. */
static enum err begin_fetch(struct slot *slot, enum send_state end)
{
    const struct channel_setup *setup = lane_setup(slot->lane);
    const struct channel_owner *owner = &setup->owner;

    begin_content(slot);
    enum err err = owner->load(&slot->work, &slot->send.owner_id, &slot->content);
    if (err == ERR_NOT_FOUND) return give_up(slot, end, "it is not wanted any more");
    if (err) return set_aside(slot, err);
    if (setup->config.is_checking && setup->driver->make_check && !slot->send.provider_id) {
        slot->ask = ASK_ABILITY;
        return ERR_OK;
    }
    slot->is_late = owner->next_turn && slot->work.now_ms - slot->job.run_at_ms > LATE_MS;
    return slot->is_late ? ERR_OK : move_to_fetching(slot);
}

static enum err begin_send(struct slot *slot)
{
    const struct channel_driver *driver = lane_setup(slot->lane)->driver;
    bool is_in_doubt = slot->send.state == SEND_FETCHING;
    enum send_state end = is_in_doubt ? SEND_UNKNOWN : SEND_FAILED;
    bool is_repeatable = !is_in_doubt || (driver && driver->is_deduplicating);

    if (slot->send.state != SEND_QUEUED && !is_in_doubt) return drop_job(slot);
    if (!driver) return give_up(slot, end, "the channel has no driver any more");
    if (!is_repeatable && !lane_can_ask_fate(slot->lane, &slot->send))
        return give_up(slot, SEND_UNKNOWN, "a worker ended during the fetch");
    if (slot->send.expires_at <= slot->work.now_ms)
        return give_up(slot, end, "there was no time left");
    if (slot->lane->closed_until_ms) return put_off(slot);
    if (is_repeatable) return begin_fetch(slot, end);
    slot->ask = ASK_FATE;
    slot->was_in_doubt = true;
    begin_content(slot);
    return ERR_OK;
}

/* Begins a follow-up. Where the provider's id is that of another driver, there is nothing to
 * ask. */
static enum err begin_follow_up(struct slot *slot)
{
    bool is_open = slot->send.state == SEND_ACCEPTED || slot->send.state == SEND_SENT;
    bool is_wanted = slot->send.provider_id && (slot->step != STEP_STATUS || is_open);
    if (!is_wanted || !driver_has_step(lane_setup(slot->lane)->driver, slot->step))
        return drop_job(slot);
    begin_content(slot);
    if (slot->step != STEP_SUCCESS) return ERR_OK;
    if (slot->send.expires_at <= slot->work.now_ms) return drop_job(slot);
    enum err err = channel_open_code(&slot->work, &slot->send.id, &slot->content.code);
    if (err == ERR_NOT_FOUND) return drop_job(slot);
    return err ? set_aside(slot, err) : ERR_OK;
}

static enum err begin(struct slot *slot)
{
    enum err err = send_select(&slot->work, &slot->job.subject, &slot->send);
    if (err == ERR_NOT_FOUND) return drop_job(slot);
    if (err) return set_aside(slot, err);
    slot->work.traceparent = slot->send.traceparent;
    return slot->step == STEP_SEND ? begin_send(slot) : begin_follow_up(slot);
}

/* --- Turns ------------------------------------------------------------------------------------ */

enum err slot_take_turn(struct slot *slot, int64_t at_least_ms, int64_t *ret_run_at)
{
    const struct channel_owner *owner = &lane_setup(slot->lane)->owner;
    int64_t run_at = at_least_ms;

    enum err err = owner->next_turn
                       ? owner->next_turn(&slot->work, &slot->send.owner_id, at_least_ms, &run_at)
                       : ERR_OK;
    if (err && err != ERR_NOT_FOUND) return err;
    *ret_run_at = run_at;
    return ERR_OK;
}

static enum err begin_late(struct slot *slot)
{
    int64_t run_at;
    enum err err = slot_take_turn(slot, slot->work.now_ms, &run_at);
    if (err) return set_aside(slot, err);
    return run_at > slot->work.now_ms ? run_later(slot, run_at) : move_to_fetching(slot);
}

/* Late sends go by recipient, then in the order in which they were due. */
static int compare_late(const void *a, const void *b)
{
    const struct slot *left = *(struct slot *const *)a, *right = *(struct slot *const *)b;
    int content = strcasecmp(left->content.chat_id, right->content.chat_id);
    if (content) return content;
    if (left->job.run_at_ms != right->job.run_at_ms)
        return left->job.run_at_ms < right->job.run_at_ms ? -1 : 1;
    return memcmp(&left->job.id, &right->job.id, sizeof(left->job.id));
}

/* The turns of a recipient are a row, which the claims of several workers have to lock in one
 * order. */
static enum err begin_all_late(struct lane *lane, size_t max)
{
    struct slot **late = arena_array(&lane->arena, max, sizeof(struct slot *));
    size_t count = 0;
    for (struct slot *slot = lane->claimed; slot; slot = slot->next) {
        if (slot->is_late) late[count++] = slot;
    }
    qsort(late, count, sizeof(struct slot *), compare_late);
    for (size_t i = 0; i < count; i++) {
        enum err err = begin_late(late[i]);
        if (err) return err;
    }
    return ERR_OK;
}

/* --- The transaction -------------------------------------------------------------------------- */

static enum err claim_step(struct lane *lane, enum channel_step step, int max, int *ret_count)
{
    const struct channel_setup *setup = lane_setup(lane);
    int64_t lease_ms = setup->config.route.timeout_ms + CHANNEL_LEASE_MARGIN_MS;
    /* Another process may have the driver. */
    int64_t grace_ms = setup->driver ? 0 : CHANNEL_UNSERVED_MS;
    struct job *jobs;
    size_t count;
    enum err err =
        job_claim(lane->work.tx, channel_job_kinds[lane->channel][step], max, grace_ms + lease_ms,
                  lane->work.now_ms - grace_ms, &lane->arena, &jobs, &count);
    if (err) return err;

    for (size_t i = 0; i < count; i++) {
        err = begin(slot_new(lane, step, &jobs[i]));
        if (err) return err;
    }
    *ret_count = (int)count;
    return ERR_OK;
}

/* The lane is closed for as long as another process tells. */
static enum err ask_circuit(struct lane *lane)
{
    int64_t open_until;
    enum err err = circuit_select(&lane->work, (enum channel)lane->channel, &open_until);
    if (err) return err;
    bool is_closed = open_until > lane->work.now_ms;
    lane->closed_until_ms = is_closed ? open_until : 0;
    return ERR_OK;
}

static enum err claim_sends(struct lane *lane)
{
    int count;
    enum err err = lane->asks_circuit ? ask_circuit(lane) : ERR_OK;
    if (!err) err = claim_step(lane, STEP_SEND, lane->send_max, &count);
    if (err) return err;
    lane->is_full = count == lane->send_max;
    return begin_all_late(lane, (size_t)count);
}

static enum err claim_follow_ups(struct lane *lane)
{
    int room = lane->follow_up_max, count;

    for (int step = STEP_SEND + 1; room > 0 && step < STEP_COUNT; step++) {
        enum err err = claim_step(lane, (enum channel_step)step, room, &count);
        if (err) return err;
        room -= count;
    }
    lane->are_follow_ups_full = room == 0;
    return ERR_OK;
}

enum err lane_claim(struct work *work)
{
    struct lane *lane = CONTAINER_OF(work, struct lane, work);
    enum err err = ERR_OK;

    lane_drop_claimed(lane);
    lane->is_full = lane->are_follow_ups_full = false;
    if (lane->send_max > 0) err = claim_sends(lane);
    if (!err && lane->follow_up_max > 0) err = claim_follow_ups(lane);
    return err;
}
