/*
 * The life of an inbound-call challenge (contract, section 2, rules 1, 2, 6, 10, section 9.19):
 * pending -> confirmed | canceled, or expired by the clock.
 */
#include "domain/inbound_call/inbound_call.h"

#include "domain/challenge/challenge.h"
#include "domain/inbound_call/inbound_call_db.h"

const char *const inbound_call_state_words[] = {"pending", "confirmed", "expired", "canceled",
                                                NULL};
const char *const event_result_words[] = {"confirmed", "no_challenge", "late", NULL};

static_assert(INBOUND_CALL_TTL_MAX_S * 1000 <= CHALLENGE_LENGTH_MAX_MS,
              "no call is active for longer");

/* The state as the clock sees it. */
static void apply_clock(struct call_challenge *challenge, int64_t now_ms)
{
    if (challenge->state == INBOUND_CALL_PENDING &&
        challenge_is_over(challenge->created_at, challenge->expires_at, now_ms))
        challenge->state = INBOUND_CALL_EXPIRED;
}

enum err inbound_call_create(struct work *work, const struct uuid *id,
                             const struct call_challenge_input *input,
                             struct call_challenge *ret_challenge, struct uuid *ret_active)
{
    struct call_challenge challenge = {
        .id = *id,
        .caller = input->caller,
        .state = INBOUND_CALL_PENDING,
        .created_at = work->now_ms,
        .expires_at = work->now_ms + input->ttl_seconds * 1000,
    };
    struct number_choice choice = {.wanted = input->gateway_number};

    enum err err =
        challenge_take(work, challenge.caller, id, challenge.expires_at, choice.wanted, ret_active);
    if (err) return err;
    err = fleet_choose_number(work, &choice, &challenge.gateway_number);
    if (err) return err;
    err = challenge_set_gateway(work, challenge.caller, id, challenge.gateway_number);
    if (err) return err;
    err = inbound_call_insert(work, &challenge);
    if (err) return err;

    work_note(work, LOG_INFO, "call challenge created",
              LOG_FIELDS(log_uuid("challenge_id", id), log_phone("caller", challenge.caller),
                         log_phone("gateway_number", challenge.gateway_number)));
    *ret_challenge = challenge;
    return ERR_OK;
}

enum err inbound_call_read(struct work *work, const struct uuid *id,
                           struct call_challenge *ret_challenge)
{
    enum err err = inbound_call_select(work, id, ret_challenge);
    if (err) return err;
    apply_clock(ret_challenge, work->now_ms);
    return ERR_OK;
}

enum err inbound_call_cancel(struct work *work, const struct uuid *id)
{
    struct call_challenge challenge;
    bool is_moved;
    enum err err = inbound_call_read(work, id, &challenge);
    if (err) return err;
    if (challenge.state == INBOUND_CALL_CONFIRMED) return ERR_ALREADY_CONFIRMED;
    if (challenge.state != INBOUND_CALL_PENDING) return ERR_OK;

    err = call_cancel_pending(work, id, &is_moved);
    if (err) return err;
    if (!is_moved) return ERR_TX_RETRY;
    work_note(work, LOG_INFO, "call challenge canceled", LOG_FIELDS(log_uuid("challenge_id", id)));
    return challenge_release(work, challenge.caller, id);
}

static enum err confirm(struct work *work, const struct call_challenge *challenge,
                        int64_t called_at, struct event_result *result)
{
    bool is_moved;
    enum err err = call_confirm(work, &challenge->id, called_at, &is_moved);
    if (err) return err;
    if (!is_moved) return ERR_TX_RETRY;
    result->result = EVENT_CONFIRMED;
    work_note(work, LOG_INFO, "call challenge confirmed",
              LOG_FIELDS(log_uuid("challenge_id", &challenge->id),
                         log_phone("caller", challenge->caller)));
    return challenge_release(work, challenge->caller, &challenge->id);
}

/* When the call came in by herald's clock, as far as the phone tells the offset of its own. */
static int64_t time_of_call(const struct call_event *event, int64_t now_ms)
{
    int64_t offset = event->sent_at ? now_ms - event->sent_at : 0;
    bool is_known = offset >= -CALL_OFFSET_MAX_MS && offset <= CALL_OFFSET_MAX_MS;
    return event->occurred_at + (is_known ? offset : 0);
}

/* What the event means for the latest challenge of its caller at this number (rule 6). */
static enum err judge(struct work *work, const struct call_event *event, const char *caller,
                      struct event_result *result)
{
    struct call_challenge challenge;
    int64_t occurred_at = time_of_call(event, work->now_ms);
    /* No call comes after its report, whatever the phone's clock says. */
    int64_t called_at = occurred_at < work->now_ms ? occurred_at : work->now_ms;
    enum err err = inbound_call_select_latest(work, caller, event->gateway_number, called_at,
                                              &challenge, &result->is_spent);
    if (err == ERR_NOT_FOUND) return ERR_OK;
    if (err) return err;
    if (challenge.state != INBOUND_CALL_PENDING || result->is_spent) return ERR_OK;

    result->challenge_id = challenge.id;
    if (occurred_at >= challenge.created_at - INBOUND_CALL_CLOCK_SLACK_MS &&
        occurred_at <= challenge.expires_at &&
        !challenge_is_over(challenge.created_at, challenge.expires_at, work->now_ms))
        return confirm(work, &challenge, called_at, result);
    result->result = EVENT_LATE;
    return ERR_OK;
}

enum err inbound_call_apply_event(struct work *work, const struct device *device,
                                  const struct call_event *event, struct event_result *ret_result)
{
    char caller[PHONE_MAX + 1];

    if (!device->enabled) return ERR_DEVICE_DISABLED;
    enum err err = inbound_call_event_select(work, &device->id, event->event_id, ret_result);
    if (!err) ret_result->duplicate = true;
    if (err != ERR_NOT_FOUND) return err;
    err = fleet_check_number(work, device, event->gateway_number, NULL);
    if (err) return err;

    struct event_result result = {.event_id = event->event_id, .result = EVENT_NO_CHALLENGE};
    if (event->caller && phone_normalize(str_of(event->caller), caller)) {
        err = judge(work, event, caller, &result);
        if (err) return err;
    }
    if (result.result != EVENT_CONFIRMED)
        work_note(work, LOG_INFO, "call reported",
                  LOG_FIELDS(log_text("result", event_result_words[result.result]),
                             log_phone("gateway_number", event->gateway_number),
                             log_phone("caller", event->caller),
                             log_text("why", result.is_spent ? "this call, or one within 60 s of "
                                                               "it, confirmed a challenge before"
                                                             : NULL),
                             log_uuid("device_id", &device->id)));
    fleet_note_seen(work, device);
    *ret_result = result;
    return inbound_call_event_insert(work, &device->id, &result);
}

enum err inbound_call_sweep(struct work *work, int max, int64_t *ret_swept)
{
    return inbound_call_event_sweep(work, work->now_ms - INBOUND_CALL_EVENT_KEPT_MS, max,
                                    ret_swept);
}
