/*
 * An inbound-call challenge lives so (contract, section 2, rules 1, 2, 6 and 10):
 * pending -> confirmed | canceled, or expired by the clock.
 */
#include "domain/inbound_call/inbound_call.h"

#include "core/audit.h"
#include "core/event.h"
#include "domain/challenge/challenge.h"
#include "domain/inbound_call/inbound_call_db.h"
#include "kit/base/clock.h"

#include <stdlib.h>

const char *const inbound_call_state_words[] = {"pending", "confirmed", "expired", "canceled",
                                                NULL};
const char *const event_result_words[] = {"confirmed", "no_challenge", "late", NULL};

enum { PAST_PAGES_MAX = 40 }; /* nearly 2,000 challenges of one caller at one number */

/* A phone that has never claimed may be one that only reports calls. */
static void note_unready(struct work *work, const struct call_challenge *challenge, bool never_was)
{
    work_note(work, never_was ? LOG_INFO : LOG_WARNING,
              "a customer has to call a SIM that is not ready, so the call may not be heard of",
              LOG_FIELDS(log_uuid("challenge_id", &challenge->id),
                         log_phone("gateway_number", challenge->gateway_number)));
}

static enum err take_gateway_number(struct work *work, const struct call_challenge_input *input,
                                    struct call_challenge *challenge)
{
    struct number_to_call taken;
    enum err err = fleet_take_number_to_call(work, input->gateway_number, &taken);
    if (err) return err;
    challenge->gateway_number = taken.number;
    challenge->gateway_ready = taken.is_ready;
    if (taken.is_to_be_told) note_unready(work, challenge, taken.never_was);
    return challenge_set_gateway_number(work, challenge->caller, &challenge->id,
                                        challenge->gateway_number);
}

/* No number of the fleet is busy with it, so the active challenge names none. */
static enum err take_test_number(struct work *work, const struct call_challenge_input *input,
                                 struct call_challenge *challenge)
{
    struct test_send call = {.owner = TEST_OF_CALL, .owner_id = challenge->id};
    const char *wanted = input->gateway_number;
    int64_t retry_after_ms;

    challenge->gateway_number = wanted ? wanted : test_number_to_call(work);
    challenge->gateway_ready = true;
    enum err err = test_number_refuse(challenge->caller, TEST_OF_CALL, &retry_after_ms);
    return err ? err : test_send_queue(work, &call, challenge->caller, false);
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
        .test = test_number_applies(work, input->caller),
        .metadata = input->metadata,
    };

    enum err err = challenge_take(work, challenge.caller, id, challenge.expires_at,
                                  input->gateway_number, ret_active);
    if (!err)
        err = challenge.test ? take_test_number(work, input, &challenge)
                             : take_gateway_number(work, input, &challenge);
    if (!err) err = challenge_expire(work, ret_active);
    if (!err) err = inbound_call_insert(work, &challenge);
    if (err) return err;

    work_note(work, LOG_INFO, "call challenge created",
              LOG_FIELDS(log_uuid("challenge_id", id), log_phone("caller", challenge.caller),
                         log_phone("gateway_number", challenge.gateway_number)));
    *ret_challenge = challenge;
    return ERR_OK;
}

/* The clock alone makes a challenge expired; its row does not say so. */
static void expire_by_clock(const struct work *work, struct call_challenge *challenge)
{
    bool is_over = challenge_is_over(challenge->expires_at, work->now_ms);
    if (is_over && challenge->state == INBOUND_CALL_PENDING)
        challenge->state = INBOUND_CALL_EXPIRED;
}

enum err inbound_call_read(struct work *work, const struct uuid *id,
                           struct call_challenge *ret_challenge)
{
    enum err err = inbound_call_select(work, id, ret_challenge);
    if (err) return err;
    expire_by_clock(work, ret_challenge);
    return ERR_OK;
}

enum err inbound_call_reveal(struct work *work, const struct uuid *id,
                             struct call_challenge *ret_challenge)
{
    struct audit_changes changes = {.arena = work->arena};
    enum err err = inbound_call_read(work, id, ret_challenge);
    if (err) return err;
    audit_change_reveal(&changes, "caller", ret_challenge->caller);
    work_audit_id(work, "challenge.reveal", "challenge", id, &changes);
    return ERR_OK;
}

enum err inbound_call_list(struct work *work, const struct call_challenge_filter *filter,
                           struct call_challenge_list *ret_list)
{
    static const struct page_key by_time =
        PAGE_BY_NUMBER_AND_ID(struct call_challenge, created_at, id);
    bool has_filter = filter->state >= 0 || filter->gateway_number;
    int64_t limit = filter->search.page.limit;
    struct call_challenge_list list;
    struct search search;

    enum err err = search_begin(&filter->search, has_filter, work->arena, &search);
    if (!err) err = inbound_call_cut_search(work, &search);
    if (!err) err = inbound_call_select_page(work, filter, &search, limit + 1, &list.challenges);
    if (err) return err;
    list.next_cursor = search_end(&search, limit, &by_time, &list.challenges, work->arena);
    struct call_challenge *challenges = list.challenges.items;
    for (size_t i = 0; i < list.challenges.count; i++)
        expire_by_clock(work, &challenges[i]);
    *ret_list = list;
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
    work_event_id(work, EVENT_CHALLENGE_CANCELED, id);
    work_audit_person(work, "challenge.cancel", "challenge", id);
    return challenge_release(work, challenge.caller, id, NULL);
}

/* It moved in between, or another challenge took its place once it looked expired. */
static enum err explain_unmoved(struct work *work, const struct call_challenge *challenge,
                                struct event_result *result)
{
    bool is_held;
    enum err err = challenge_is_held(work, challenge->caller, &challenge->id, &is_held);
    if (err) return err;
    result->result = EVENT_LATE;
    return is_held ? ERR_TX_RETRY : ERR_OK;
}

/* `device` reports the call; NULL: it is that of a test number. */
static enum err confirm(struct work *work, const struct device *device,
                        const struct call_challenge *challenge, int64_t dated_at,
                        struct event_result *result)
{
    bool is_moved;
    enum err err = inbound_call_set_confirmed(work, &challenge->id, device ? &device->id : NULL,
                                              dated_at, &is_moved);
    if (err) return err;
    if (!is_moved) return explain_unmoved(work, challenge, result);
    result->result = EVENT_CONFIRMED;
    work_event_id(work, EVENT_CHALLENGE_CONFIRMED, &challenge->id);
    work_note(work, LOG_INFO, "call challenge confirmed",
              LOG_FIELDS(log_uuid("challenge_id", &challenge->id),
                         log_phone("caller", challenge->caller)));
    return challenge_release(work, challenge->caller, &challenge->id, NULL);
}

enum err inbound_call_apply_test(struct work *work, const struct test_send *send)
{
    struct call_challenge challenge;
    struct event_result result;
    enum err err = inbound_call_read(work, &send->owner_id, &challenge);
    if (err || challenge.state != INBOUND_CALL_PENDING) return err;
    return confirm(work, NULL, &challenge, clock_to_wall(work->now_ms), &result);
}

/* Reads how far the phone's clock is behind, below 0: ahead. `ret_told_ms` is what this report
 * tells, `ret_lag_ms` what the phone's earlier reports let us believe; 0: nobody knows. */
static enum err read_clock(struct work *work, const struct device *device,
                           const struct call_event *event, int64_t *ret_told_ms,
                           int64_t *ret_lag_ms)
{
    int64_t told_ms = clock_to_wall(work->now_ms) - event->sent_at;
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
        int64_t came_at = clock_from_wall(row->called_at);
        bool is_dated_well =
            came_at <= row->confirmed_at && came_at >= row->created_at - DEVICE_CLOCK_SLACK_MS;
        if (!is_dated_well) came_at = row->confirmed_at;
        if (llabs(dated_at - row->called_at) <= CALL_APART_MS ||
            llabs(called_at - came_at) <= CALL_APART_MS)
            return true;
    }
    return false;
}

/* A report that has waited looks like one of a clock that is behind, and an old call would become
 * young. So a clock is no further behind than a call that counted has shown; and where the call, as
 * the phone dates it, followed an earlier challenge, it was meant for that one (contract, section
 * 2, rule 6). A clock that is right needs none of this. */
static int64_t credible_lag(int64_t lag_ms, int64_t dated_at, int64_t now_ms,
                            const struct record_list *past)
{
    const struct call_challenge *rows = past->items;
    bool is_old = dated_at < rows[0].created_at - DEVICE_CLOCK_SLACK_MS;
    size_t i = 1;

    if (fleet_is_clock_right(lag_ms)) return lag_ms;
    for (; lag_ms != 0 && i < past->count && rows[i].created_at >= now_ms - CALL_PAST_MS; i++) {
        int64_t shown_ms = clock_to_wall(rows[i].confirmed_at) - rows[i].called_at;
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

/* Tells the same of all challenges of the last hours, of which `past` are the newest: whoever asks
 * again and again does not hide the one that this call confirmed. Of more than are ever looked
 * through, one may have been. */
static enum err find_spent(struct work *work, const struct call_event *event, const char *caller,
                           struct record_list past, int64_t rest_ms, int64_t called_at,
                           bool *ret_spent)
{
    for (int page = 1;; page++) {
        bool goes_on = rest_ms > work->now_ms - CALL_PAST_MS;
        *ret_spent =
            is_spent(&past, event->occurred_at, called_at) || (goes_on && page == PAST_PAGES_MAX);
        if (*ret_spent || !goes_on) return ERR_OK;
        enum err err =
            inbound_call_select_past(work, caller, event->gateway_number, rest_ms, &past, &rest_ms);
        if (err) return err;
    }
}

/* Applies an event to the latest challenge of its caller at this number (rule 6). */
static enum err apply_call(struct work *work, const struct device *device,
                           const struct call_event *event, const char *caller,
                           struct event_result *result)
{
    struct record_list past = {.count = 0};
    int64_t dated_at = clock_from_wall(event->occurred_at), told_ms, lag_ms, rest_ms;
    bool was_spent = false;

    enum err err = read_clock(work, device, event, &told_ms, &lag_ms);
    if (!err)
        err = inbound_call_select_past(work, caller, event->gateway_number, INT64_MAX, &past,
                                       &rest_ms);
    if (err || past.count == 0) return err;
    /* No call comes after its report, whatever the phone's clock says. */
    int64_t called_at = dated_at + told_ms < work->now_ms ? dated_at + told_ms : work->now_ms;
    const struct call_challenge *latest = past.items;
    err = find_spent(work, event, caller, past, rest_ms, called_at, &was_spent);
    if (err) return err;
    if (was_spent)
        result->why = "this call, or one within 60 s of it, confirmed a challenge before";
    bool is_pending = latest->state == INBOUND_CALL_PENDING;
    if ((!is_pending && latest->state != INBOUND_CALL_EXPIRED) || result->why) return ERR_OK;

    lag_ms = credible_lag(lag_ms, dated_at, work->now_ms, &past);
    called_at = dated_at + lag_ms;
    result->challenge_id = latest->id;
    if (is_pending && called_at >= latest->created_at - DEVICE_CLOCK_SLACK_MS &&
        called_at <= latest->expires_at && !challenge_is_over(latest->expires_at, work->now_ms))
        return confirm(work, device, latest, event->occurred_at, result);
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
                  LOG_FIELDS(log_plain("result", event_result_words[result.result]),
                             log_phone("gateway_number", event->gateway_number),
                             log_phone("caller", phone_if_one(event->caller)),
                             log_plain("why", result.why), log_device(&device->id)));
    fleet_renew_seen(work, device);
    *ret_result = result;
    return inbound_call_event_insert(work, &device->id, &result);
}

/* --- Its end by the clock --------------------------------------------------------------------- */

/* A call that is being confirmed has read the time a little earlier than the worker. */
enum { END_MARGIN_MS = 300 };

enum err inbound_call_tell_expired(struct work *work, int max, int64_t *ret_told)
{
    struct uuid *ids = arena_array(work->arena, (size_t)max, sizeof(*ids));
    size_t count;
    enum err err = inbound_call_end_over(work, work->now_ms - END_MARGIN_MS, max, ids, &count);

    for (size_t i = 0; !err && i < count; i++)
        work_event_id(work, EVENT_CHALLENGE_EXPIRED, &ids[i]);
    *ret_told = (int64_t)count;
    return err;
}

enum err inbound_call_expire(struct work *work, const struct uuid *id, bool *ret_is_found)
{
    bool is_told;
    enum err err = inbound_call_select_told(work, id, &is_told);
    *ret_is_found = !err;
    if (err) return err == ERR_NOT_FOUND ? ERR_OK : err;
    if (!is_told) work_event_id(work, EVENT_CHALLENGE_EXPIRED, id);
    return inbound_call_set_expired(work, id);
}

/* --- Erasing ---------------------------------------------------------------------------------- */

static enum err end_and_erase(struct work *work, const struct call_challenge *challenge)
{
    bool is_moved = false;
    enum err err = ERR_OK;

    if (challenge->erased) return ERR_OK;
    if (challenge->state == INBOUND_CALL_PENDING) {
        if (!challenge_is_over(challenge->expires_at, work->now_ms))
            err = inbound_call_set_canceled(work, &challenge->id, &is_moved);
        if (!err) err = challenge_release(work, challenge->caller, &challenge->id, NULL);
    }
    if (is_moved) work_event_id(work, EVENT_CHALLENGE_CANCELED, &challenge->id);
    work_event_erase(work, EVENT_OF_CHALLENGE, &challenge->id);
    return err ? err : inbound_call_erase(work, challenge);
}

static enum err erase_all(struct work *work, const struct record_list *list)
{
    const struct call_challenge *challenges = list->items;
    enum err err = ERR_OK;

    for (size_t i = 0; !err && i < list->count; i++)
        err = end_and_erase(work, &challenges[i]);
    return err;
}

enum err inbound_call_erase_of(struct work *work, const char *caller, int max, int64_t *ret_erased)
{
    struct record_list list;
    enum err err = inbound_call_select_of(work, caller, max, &list);
    if (!err) err = erase_all(work, &list);
    if (!err) *ret_erased = (int64_t)list.count;
    return err;
}

enum err inbound_call_sweep_personal(struct work *work, int max, int64_t *ret_swept)
{
    struct personal_span span;
    struct record_list list = {0};

    *ret_swept = 0;
    enum err err = personal_begin(work, "call_challenge", &span);
    if (err || !span.is_due) return err;
    err = inbound_call_select_old(work, &span, max, &list);
    if (err || list.count == 0) return err;
    const struct call_challenge *last =
        &((const struct call_challenge *)list.items)[list.count - 1];
    err = erase_all(work, &list);
    if (!err) err = personal_end(work, "call_challenge", &last->id);
    *ret_swept = (int64_t)list.count;
    return err;
}
