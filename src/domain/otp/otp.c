/*
 * The rules of one-time codes (contract, section 2, rules 2 to 5, 8, 10):
 *
 *   queued -> accepted | sent -> delivered     while it is being sent
 *          -> undelivered                      every send failed; it can still be verified
 *   all of them -> confirmed | expired | exhausted | canceled     final; the code is erased
 */
#include "domain/otp/otp.h"

#include "core/audit.h"
#include "core/event.h"
#include "domain/otp/otp_count.h"
#include "domain/otp/otp_db.h"
#include "domain/otp/otp_send.h"
#include "kit/base/clock.h"
#include "kit/base/macros.h"

const char *const otp_channel_words[] = {"sms", "flash_call", "messenger_gateway",
                                         "personal_messenger", NULL};
const char *const otp_state_words[] = {"queued",      "accepted",  "sent",    "delivered",
                                       "undelivered", "confirmed", "expired", "exhausted",
                                       "canceled",    NULL};

static_assert(COUNT_OF(otp_channel_words) == OTP_CHANNEL_COUNT + 1, "each channel has its word");

static enum err refuse_rate(int64_t wait_ms, struct rate_limit limit, struct otp_refusal *refusal)
{
    limit.refill_ms = wait_ms;
    refusal->retry_after_ms = wait_ms;
    refusal->limit = limit;
    return ERR_RATE_LIMITED;
}

/* The window of wrong codes is full where it holds as many as it may: `oldest` is then the time of
 * the oldest of them, and 0 where there are fewer. */
static enum err check_wrong_codes(const struct work *work, int64_t oldest,
                                  struct otp_refusal *refusal)
{
    static const struct rate_limit limit = {
        .name = "wrong-codes", .quota = OTP_WRONG_MAX, .window_s = OTP_WRONG_WINDOW_MS / 1000};
    if (oldest == 0) return ERR_OK;
    int64_t wait_ms = clock_left_ms(oldest + OTP_WRONG_WINDOW_MS, work->now_ms);
    return refuse_rate(wait_ms, limit, refusal);
}

/* Also tells how many codes are left behind the one that is to be created. */
static enum err check_codes(const struct work *work, const struct otp_limits *limits,
                            struct otp_refusal *refusal)
{
    struct rate_limit limit = {.name = "codes",
                               .quota = OTP_RATE_COUNT,
                               .window_s = OTP_RATE_WINDOW_MS / 1000,
                               .refill_ms = OTP_RATE_WINDOW_MS};
    if (limits->codes > 0)
        limit.refill_ms = clock_left_ms(limits->code_at + OTP_RATE_WINDOW_MS, work->now_ms);
    if (limits->codes >= OTP_RATE_COUNT) return refuse_rate(limit.refill_ms, limit, refusal);
    limit.left = OTP_RATE_COUNT - limits->codes - 1;
    refusal->limit = limit;
    return ERR_OK;
}

/* Rules 3 and 4: at most 3 codes in 10 minutes, and not after 50 wrong codes in 24 hours. */
static enum err check_limits(struct work *work, const char *recipient, struct otp_refusal *refusal)
{
    struct otp_limits limits;
    enum err err = otp_select_limits(work, recipient, &limits);
    if (!err) err = check_codes(work, &limits, refusal);
    return err ? err : check_wrong_codes(work, limits.wrong_code_at, refusal);
}

static void count_outcome(struct work *work, const struct otp *otp, const char *gateway_number,
                          enum otp_outcome outcome)
{
    struct otp_counted counted = {otp->channel, otp->recipient, gateway_number};
    if (!otp->test) otp_count(work, &counted, outcome);
}

/* Counts the end of a code, which went over this number; NULL: over none. */
static void count_end(struct work *work, const struct otp *otp, const char *gateway_number,
                      enum otp_state state)
{
    static const enum otp_outcome outcomes[] = {[OTP_CONFIRMED] = OTP_IS_CONFIRMED,
                                                [OTP_EXPIRED] = OTP_IS_EXPIRED,
                                                [OTP_EXHAUSTED] = OTP_IS_EXHAUSTED,
                                                [OTP_CANCELED] = OTP_IS_CANCELED};
    assert(state >= OTP_CONFIRMED);
    count_outcome(work, otp, gateway_number, outcomes[state]);
}

static void note_created(struct work *work, const struct otp *otp, const struct otp_sender *sender,
                         const char *code)
{
    work_note(work, LOG_INFO, "otp created",
              LOG_FIELDS(log_uuid("otp_id", &otp->id),
                         log_plain("channel", otp_channel_words[otp->channel]),
                         log_phone("recipient", otp->recipient),
                         log_phone("gateway_number", sender->gateway_number),
                         fleet_log_sender("account_id", sender->account_id),
                         log_secret("code", code)));
}

static enum err store_and_send(struct work *work, struct otp *otp, const struct otp_sender *sender)
{
    const char *code = otp_new_code(work, otp);

    enum err err = otp_code_seal(work, &otp->id, code, &otp->sealed_code);
    if (!err) err = otp_insert(work, otp, sender->account_id);
    if (err) return err;
    note_created(work, otp, sender, code);
    count_outcome(work, otp, sender->gateway_number, OTP_IS_CREATED);
    return otp_send_first(work, otp, sender);
}

enum err otp_create(struct work *work, const struct uuid *id, const struct otp_input *input,
                    struct otp *ret_otp, struct otp_refusal *ret_refusal)
{
    struct otp_sender sender = {0};
    struct otp otp = {
        .id = *id,
        .channel = input->channel,
        .recipient = input->recipient,
        .state = OTP_QUEUED,
        .code_length = otp_code_length(input->channel),
        .attempts_left = OTP_ATTEMPTS_MAX,
        .created_at = work->now_ms,
        .expires_at = work->now_ms + input->ttl_seconds * 1000,
        .app_hash = input->app_hash,
        .origin = input->origin,
        .test = test_number_applies(work, input->recipient),
        .metadata = input->metadata,
    };

    *ret_refusal = (struct otp_refusal){0};
    if (otp.test) otp.attempts_left = test_number_attempts(otp.recipient, OTP_ATTEMPTS_MAX);
    /* The active challenge refuses first, then the rate, then the channel (rule 3). */
    enum err err = challenge_take(work, otp.recipient, id, otp.expires_at, input->gateway_number,
                                  &ret_refusal->active);
    if (err) return err;
    err = check_limits(work, otp.recipient, ret_refusal);
    if (err) return err;
    err = otp_take_sender(work, input, otp.test, &sender, ret_refusal);
    if (!err) err = challenge_expire(work, &ret_refusal->active);
    if (!err) err = store_and_send(work, &otp, &sender);
    if (err) return err;
    *ret_otp = otp;
    return ERR_OK;
}

/* The clock alone makes a code expired; until the sweep its row does not say so. */
static void expire_by_clock(const struct work *work, struct otp *otp)
{
    bool is_living = otp->state < OTP_CONFIRMED;
    if (is_living && otp_is_final(otp, work->now_ms)) otp->state = OTP_EXPIRED;
}

static enum err select_now(struct work *work, const struct uuid *id, struct otp *ret_otp)
{
    enum err err = otp_select(work, id, ret_otp);
    if (err) return err;
    expire_by_clock(work, ret_otp);
    return ERR_OK;
}

enum err otp_read(struct work *work, const struct uuid *id, struct otp *ret_otp)
{
    enum err err = select_now(work, id, ret_otp);
    if (err) return err;
    return otp_read_sends(work, ret_otp);
}

enum err otp_reveal(struct work *work, const struct uuid *id, struct otp *ret_otp)
{
    struct audit_changes changes = {.arena = work->arena};
    enum err err = otp_read(work, id, ret_otp);
    if (err) return err;
    audit_change_reveal(&changes, "recipient", ret_otp->recipient);
    work_audit_id(work, "otp.reveal", "otp", id, &changes);
    return ERR_OK;
}

enum err otp_list(struct work *work, const struct otp_filter *filter, struct otp_list *ret_list)
{
    static const struct page_key by_time = PAGE_BY_NUMBER_AND_ID(struct otp, created_at, id);
    bool has_filter = filter->state >= 0 || filter->channel >= 0 || filter->gateway_number;
    int64_t limit = filter->search.page.limit;
    struct otp_list list;
    struct search search;

    enum err err = search_begin(&filter->search, has_filter, work->arena, &search);
    if (!err) err = otp_cut_search(work, &search);
    if (!err) err = otp_select_page(work, filter, &search, limit + 1, &list.codes);
    if (err) return err;
    list.next_cursor = search_end(&search, limit, &by_time, &list.codes, work->arena);
    struct otp *codes = list.codes.items;
    for (size_t i = 0; i < list.codes.count; i++)
        expire_by_clock(work, &codes[i]);
    *ret_list = list;
    return otp_read_sends_of(work, codes, list.codes.count);
}

/* A final state has an error that tells of it; a living one has none. */
static enum err error_of_state(enum otp_state state)
{
    switch (state) {
    case OTP_CONFIRMED:
        return ERR_ALREADY_CONFIRMED;
    case OTP_EXPIRED:
        return ERR_CHALLENGE_EXPIRED;
    case OTP_EXHAUSTED:
        return ERR_ATTEMPTS_EXHAUSTED;
    case OTP_CANCELED:
        return ERR_CHALLENGE_CANCELED;
    case OTP_QUEUED:
    case OTP_ACCEPTED:
    case OTP_SENT:
    case OTP_DELIVERED:
    case OTP_UNDELIVERED:
        return ERR_OK;
    }
    return ERR_OK;
}

/* Moves a code to a final state: it is erased, its recipient is free, and nothing more is sent.
 * `right_code` is NULL unless it was confirmed. */
static enum err finish(struct work *work, const struct otp *otp, enum otp_state state,
                       const char *right_code)
{
    const char *gateway_number;
    bool is_moved;
    enum err err = otp_move(work, otp, state, &is_moved);
    if (err) return err;
    if (!is_moved) return ERR_TX_RETRY;
    otp_tell(work, &otp->id, state);
    err = challenge_release(work, otp->recipient, &otp->id, &gateway_number);
    if (err) return err;
    count_end(work, otp, gateway_number, state);
    return otp_end_sends(work, otp, state, right_code);
}

static void note_verify(struct work *work, const struct otp *otp, enum log_level level,
                        const char *message, const char *code)
{
    work_note(work, level, message,
              LOG_FIELDS(log_uuid("otp_id", &otp->id), log_phone("recipient", otp->recipient),
                         log_int("attempts_left", otp->attempts_left), log_secret("code", code)));
}

static enum err accept_code(struct work *work, struct otp *otp, const char *code)
{
    enum err err = finish(work, otp, OTP_CONFIRMED, code);
    if (err) return err;
    otp->attempts_left++; /* only wrong codes cost one */
    otp->state = OTP_CONFIRMED;
    otp->confirmed_at = work->now_ms;
    note_verify(work, otp, LOG_INFO, "otp confirmed", code);
    return otp_read_sends(work, otp);
}

/* The attempt is spent already; the fifth ends the code. */
static enum err refuse_code(struct work *work, struct otp *otp, const char *code)
{
    enum err err = wrong_code_insert(work, otp);
    if (err) return err;
    note_verify(work, otp, LOG_WARNING, "otp code wrong", code);
    if (otp->attempts_left > 0) return ERR_CODE_MISMATCH;
    err = otp_read_sends(work, otp);
    if (!err) err = finish(work, otp, OTP_EXHAUSTED, NULL);
    if (err) return err;
    otp_note_end(work, LOG_WARNING, "otp exhausted", otp);
    return ERR_CODE_MISMATCH;
}

/* A code that another challenge has taken the place of is expired, whatever its process takes the
 * time to be (contract, section 2, rule 2). */
static enum err expect_place(struct work *work, const struct otp *otp)
{
    bool is_held;

    if (otp->state == OTP_UNDELIVERED) return ERR_OK;
    enum err err = challenge_is_held(work, otp->recipient, &otp->id, &is_held);
    return err || is_held ? err : ERR_CHALLENGE_EXPIRED;
}

/* Tells why no attempt could be taken. */
static enum err explain_no_attempt(struct work *work, const struct uuid *id)
{
    struct otp otp;
    enum err err = select_now(work, id, &otp);
    if (!err) err = error_of_state(otp.state);
    if (!err) err = expect_place(work, &otp);
    return err ? err : ERR_TX_RETRY; /* it moved in between */
}

enum err otp_verify(struct work *work, const struct uuid *id, const char *code, struct otp *ret_otp,
                    struct otp_refusal *ret_refusal)
{
    int64_t oldest;
    const char *right_code;
    /* The attempt is taken before the comparison, in one transaction: 100 guesses at once spend
     * exactly as many attempts as there are. */
    enum err err = otp_take_attempt(work, id, ret_otp);
    if (err == ERR_NOT_FOUND) return explain_no_attempt(work, id);
    if (err) return err;
    err = wrong_code_select_limit(work, ret_otp->recipient, &oldest);
    if (!err) err = check_wrong_codes(work, oldest, ret_refusal);
    if (!err) err = otp_code_open(work, ret_otp, &right_code);
    if (err) return err;
    bool is_right = secret_text_equals(str_of(right_code), str_of(code)); /* in constant time */
    return is_right ? accept_code(work, ret_otp, code) : refuse_code(work, ret_otp, code);
}

enum err otp_fall_back(struct work *work, const struct uuid *id, const char *gateway_number,
                       struct otp_refusal *ret_refusal)
{
    struct otp otp;
    bool is_first;

    *ret_refusal = (struct otp_refusal){0};
    enum err err = otp_select_locked(work, id, &otp);
    if (err) return err;
    expire_by_clock(work, &otp);
    if (otp.erased) return error_of_state(otp.state);
    if (otp.channel == OTP_SMS || !phone_is_valid(str_of(otp.recipient)))
        return ERR_FALLBACK_NOT_APPLICABLE;
    err = error_of_state(otp.state);
    if (!err) err = expect_place(work, &otp);
    if (err) return err;
    err = otp_take_fallback(work, id, &is_first);
    if (err || !is_first) return err;
    work_audit_person(work, "otp.fall_back", "otp", id);
    return otp_send_fallback(work, &otp, gateway_number, &ret_refusal->active);
}

enum err otp_cancel(struct work *work, const struct uuid *id)
{
    struct otp otp;
    enum err err = select_now(work, id, &otp);
    if (err) return err;
    if (otp.state == OTP_CONFIRMED) return ERR_ALREADY_CONFIRMED;
    if (otp.state >= OTP_CONFIRMED) return ERR_OK;
    work_note(work, LOG_INFO, "otp canceled",
              LOG_FIELDS(log_uuid("otp_id", id), log_phone("recipient", otp.recipient)));
    work_audit_person(work, "otp.cancel", "otp", id);
    return finish(work, &otp, OTP_CANCELED, NULL);
}

/* Goes table by table, in the order in which every transaction locks them. */
static enum err expire_all(struct work *work, struct otp *otps, size_t count)
{
    const char **numbers = arena_array(work->arena, count, sizeof(*numbers));
    struct uuid *ids = arena_array(work->arena, count, sizeof(*ids));
    enum err err = otp_read_sends_of(work, otps, count);
    if (err) return err;
    for (size_t i = 0; i < count; i++) {
        bool is_moved;
        numbers[i] = otps[i].recipient;
        ids[i] = otps[i].id;
        err = otp_move(work, &otps[i], OTP_EXPIRED, &is_moved);
        if (err) return err;
        if (!is_moved) return ERR_TX_RETRY;
        otp_tell(work, &ids[i], OTP_EXPIRED);
        count_end(work, &otps[i], NULL, OTP_EXPIRED);
        otp_note_end(work, LOG_INFO, "otp expired", &otps[i]);
    }
    err = challenge_release_all(work, numbers, ids, count);
    for (size_t i = 0; !err && i < count; i++)
        err = otp_end_sends(work, &otps[i], OTP_EXPIRED, NULL);
    return err;
}

enum err otp_sweep(struct work *work, int max, int64_t *ret_swept)
{
    struct record_list list;
    enum err err = otp_select_over(work, max, &list);
    if (!err) err = expire_all(work, list.items, list.count);
    *ret_swept = (int64_t)list.count;
    return err;
}

enum err otp_expire(struct work *work, const struct uuid *id, bool *ret_is_found)
{
    struct otp otp;
    enum err err = otp_select_unless_held(work, id, &otp);
    *ret_is_found = !err;
    if (err == ERR_NOT_FOUND) return ERR_OK;
    return err || otp.state >= OTP_CONFIRMED ? err : expire_all(work, &otp, 1);
}

/* Nothing is sent any more to somebody who is to be forgotten. */
static enum err end_and_erase(struct work *work, const struct otp *otp)
{
    enum otp_state end = otp_is_final(otp, work->now_ms) ? OTP_EXPIRED : OTP_CANCELED;
    enum err err = ERR_OK;

    if (!otp->erased && otp->state < OTP_CONFIRMED) err = finish(work, otp, end, NULL);
    if (!err && !otp->erased) err = otp_erase(work, otp);
    work_event_erase(work, EVENT_OF_OTP, &otp->id);
    if (!err) err = phone_task_erase(work, &otp->id);
    return err ? err : channel_erase(work, &otp->id);
}

static enum err erase_all(struct work *work, const struct record_list *list)
{
    const struct otp *otps = list->items;
    enum err err = ERR_OK;

    for (size_t i = 0; !err && i < list->count; i++)
        err = end_and_erase(work, &otps[i]);
    return err;
}

enum err otp_erase_of(struct work *work, const char *number, int max, int64_t *ret_erased)
{
    struct record_list list;
    enum err err = otp_select_of(work, number, max, &list);
    if (!err) err = erase_all(work, &list);
    if (!err) err = wrong_code_erase(work, number);
    if (!err) *ret_erased = (int64_t)list.count;
    return err;
}

enum err otp_sweep_personal(struct work *work, int max, int64_t *ret_swept)
{
    struct personal_span span;
    struct record_list list = {0};

    *ret_swept = 0;
    enum err err = personal_begin(work, "otp", &span);
    if (err || !span.is_due) return err;
    err = otp_select_old(work, &span, max, &list);
    if (err || list.count == 0) return err;
    const struct otp *last = &((const struct otp *)list.items)[list.count - 1];
    err = erase_all(work, &list);
    if (!err) err = personal_end(work, "otp", &last->id);
    *ret_swept = (int64_t)list.count;
    return err;
}
