/*
 * An inbound-call challenge lives so (contract, section 2, rules 1, 2, 6, 10, section 9.19):
 * pending -> confirmed | canceled, or expired by the clock.
 */
#include "domain/inbound_call/inbound_call.h"

#include "domain/challenge/challenge.h"
#include "domain/inbound_call/inbound_call_db.h"

#include <stdlib.h>

const char *const inbound_call_state_words[] = {"pending", "confirmed", "expired", "canceled",
                                                NULL};
const char *const event_result_words[] = {"confirmed", "no_challenge", "late", NULL};

static_assert(INBOUND_CALL_TTL_MAX_S * 1000 <= CHALLENGE_LENGTH_MAX_MS,
              "no call is active for longer");

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
    err = fleet_take_number(work, &choice, &challenge.gateway_number);
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
    bool is_over =
        challenge_is_over(ret_challenge->created_at, ret_challenge->expires_at, work->now_ms);
    if (is_over && ret_challenge->state == INBOUND_CALL_PENDING)
        ret_challenge->state = INBOUND_CALL_EXPIRED;
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

    err = inbound_call_set_canceled(work, id, &is_moved);
    if (err) return err;
    if (!is_moved) return ERR_TX_RETRY;
    work_note(work, LOG_INFO, "call challenge canceled", LOG_FIELDS(log_uuid("challenge_id", id)));
    return challenge_release(work, challenge.caller, id);
}

static enum err confirm(struct work *work, const struct call_challenge *challenge, int64_t dated_at,
                        struct event_result *result)
{
    bool is_moved;
    enum err err = inbound_call_set_confirmed(work, &challenge->id, dated_at, &is_moved);
    if (err) return err;
    if (!is_moved) return ERR_TX_RETRY;
    result->result = EVENT_CONFIRMED;
    work_note(work, LOG_INFO, "call challenge confirmed",
              LOG_FIELDS(log_uuid("challenge_id", &challenge->id),
                         log_phone("caller", challenge->caller)));
    return challenge_release(work, challenge->caller, &challenge->id);
}

/* Reads how far the phone's clock is behind, below 0: ahead. `ret_told_ms` is what this report
 * tells, `ret_lag_ms` what the phone's earlier reports let us believe; 0: nobody knows. */
static enum err read_clock(struct work *work, const struct device *device,
                           const struct call_event *event, int64_t *ret_told_ms,
                           int64_t *ret_lag_ms)
{
    int64_t told_ms = work->now_ms - event->sent_at;
    bool is_credible = told_ms >= -DEVICE_CLOCK_LAG_MAX_MS && told_ms <= DEVICE_CLOCK_LAG_MAX_MS;

    *ret_told_ms = event->sent_at && is_credible ? told_ms : 0;
    *ret_lag_ms = 0;
    return event->sent_at ? fleet_learn_clock(work, device, told_ms, ret_lag_ms) : ERR_OK;
}

/* Tells whether this call has confirmed a challenge already. Calls are compared by the phone's
 * clock, which dates a call alike in all its reports, and by herald's: there, a call that is dated
 * outside the life of its challenge, or not at all, came when it was reported. */
static bool is_spent(const struct record_list *past, int64_t dated_at, int64_t called_at)
{
    const struct call_challenge *rows = past->items;

    for (size_t i = 0; i < past->count; i++) {
        const struct call_challenge *row = &rows[i];
        if (row->state != INBOUND_CALL_CONFIRMED) continue;
        bool is_dated_well = row->called_at <= row->confirmed_at &&
                             row->called_at >= row->created_at - DEVICE_CLOCK_SLACK_MS;
        int64_t came_at = is_dated_well ? row->called_at : row->confirmed_at;
        if (llabs(dated_at - row->called_at) <= CALL_APART_MS ||
            llabs(called_at - came_at) <= CALL_APART_MS)
            return true;
    }
    return false;
}

/* A report that has waited looks like one of a clock that is behind, and an old call would become
 * young. So a clock is no further behind than a call that counted has shown; and where the call, as
 * the phone dates it, followed an earlier challenge, it was meant for that one (section 9.19). A
 * clock that is right needs none of this. */
static int64_t credible_lag(int64_t lag_ms, int64_t dated_at, int64_t now_ms,
                            const struct record_list *past)
{
    const struct call_challenge *rows = past->items;
    bool is_old = dated_at < rows[0].created_at - DEVICE_CLOCK_SLACK_MS;
    size_t i = 1;

    if (fleet_is_clock_right(lag_ms)) return lag_ms;
    for (; lag_ms != 0 && i < past->count && rows[i].created_at >= now_ms - CALL_PAST_MS; i++) {
        int64_t shown_ms = rows[i].confirmed_at - rows[i].called_at;
        int64_t after_ms = dated_at - rows[i].created_at;
        bool is_followed =
            after_ms >= -DEVICE_CLOCK_SLACK_MS && after_ms <= INBOUND_CALL_TTL_MAX_S * 1000;
        if (rows[i].called_at)
            lag_ms = shown_ms < lag_ms ? shown_ms : lag_ms;
        else if (is_old && is_followed && lag_ms > 0)
            return 0;
    }
    return i < CALL_PAST_MAX ? lag_ms : 0; /* of so many, not all were seen */
}

/* Applies an event to the latest challenge of its caller at this number (rule 6). */
static enum err apply_call(struct work *work, const struct device *device,
                           const struct call_event *event, const char *caller,
                           struct event_result *result)
{
    struct record_list past = {.count = 0};
    int64_t dated_at = event->occurred_at, told_ms, lag_ms;

    enum err err = read_clock(work, device, event, &told_ms, &lag_ms);
    if (!err) err = inbound_call_select_past(work, caller, event->gateway_number, &past);
    if (err || past.count == 0) return err;
    /* No call comes after its report, whatever the phone's clock says. */
    int64_t called_at = dated_at + told_ms < work->now_ms ? dated_at + told_ms : work->now_ms;
    const struct call_challenge *latest = past.items;
    if (is_spent(&past, dated_at, called_at))
        result->why = "this call, or one within 60 s of it, confirmed a challenge before";
    if (latest->state != INBOUND_CALL_PENDING || result->why) return ERR_OK;

    lag_ms = credible_lag(lag_ms, dated_at, work->now_ms, &past);
    called_at = dated_at + lag_ms;
    result->challenge_id = latest->id;
    if (called_at >= latest->created_at - DEVICE_CLOCK_SLACK_MS &&
        called_at <= latest->expires_at &&
        !challenge_is_over(latest->created_at, latest->expires_at, work->now_ms))
        return confirm(work, latest, dated_at, result);
    result->result = EVENT_LATE;
    if (lag_ms != told_ms)
        result->why = "the report seems to have waited since before the challenge, or the phone's "
                      "clock is behind: set that clock";
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
        err = apply_call(work, device, event, caller, &result);
        if (err) return err;
    }
    if (result.result != EVENT_CONFIRMED)
        work_note(work, LOG_INFO, "call reported",
                  LOG_FIELDS(log_text("result", event_result_words[result.result]),
                             log_phone("gateway_number", event->gateway_number),
                             log_phone("caller", event->caller), log_text("why", result.why),
                             log_uuid("device_id", &device->id)));
    fleet_renew_seen(work, device);
    *ret_result = result;
    return inbound_call_event_insert(work, &device->id, &result);
}
