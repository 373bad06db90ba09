/*
 * Each channel sends a code in its own way (doc A, section 4 "One-time codes"; contract, section 2,
 * rules 1, 7 to 9 and section 3): phones get it as a task, providers as a send.
 */
#include "domain/otp/otp_send.h"

#include "core/event.h"
#include "core/words.h"
#include "domain/otp/otp_count.h"
#include "domain/otp/otp_db.h"
#include "domain/sms/sms_text.h"
#include "kit/base/macros.h"

#include <stdlib.h>

static const struct channel_row {
    int code_length;
    int code_max;
    enum channel provider;          /* of those that have one (otp_has_provider) */
    enum phone_task_channel phones; /* of the others */
} channel_rows[] = {
    [OTP_SMS] = {.code_length = 6, .code_max = 999999, .phones = PHONE_TASK_SMS},
    [OTP_FLASH_CALL] = {.code_length = 4, .code_max = 9999, .provider = CHANNEL_FLASH_CALL},
    [OTP_MESSENGER_GATEWAY] = {.code_length = 6,
                               .code_max = 999999,
                               .provider = CHANNEL_MESSENGER_GATEWAY},
    [OTP_PERSONAL_MESSENGER] = {.code_length = 6,
                                .code_max = 999999,
                                .phones = PHONE_TASK_PERSONAL_MESSENGER},
};
static_assert(COUNT_OF(channel_rows) == OTP_CHANNEL_COUNT, "each channel has its row");

METRIC(otp_delivery_seconds, OTP_CHANNEL_COUNT, METRIC_HISTOGRAM_CELLS,
       .name = "herald_otp_delivery_seconds",
       .help = "How long it took from the beginning of a send of a code to its delivery.",
       .type = METRIC_HISTOGRAM, .labels = {"channel"}, .words = {otp_channel_words},
       .word_counts = {OTP_CHANNEL_COUNT, 1}, .bounds = &metric_bounds_delivery);

int64_t otp_code_length(int channel)
{
    return channel_rows[channel].code_length;
}

/* --- The sender ------------------------------------------------------------------------------- */

/* A test number may play that nothing is left of its limit. */
static enum err refuse_test(const char *recipient, struct otp_refusal *refusal)
{
    enum err err = test_number_refuse(recipient, TEST_OF_OTP, &refusal->retry_after_ms);

    if (err != ERR_RATE_LIMITED) return err;
    refusal->limit.left = 0;
    refusal->limit.refill_ms = refusal->retry_after_ms;
    return err;
}

enum err otp_take_sender(struct work *work, const struct otp_input *input, bool is_test,
                         struct otp_sender *ret_sender, struct otp_refusal *refusal)
{
    struct number_choice choice = {.wanted = input->gateway_number, .must_be_ready = true};

    if (is_test) {
        *ret_sender = (struct otp_sender){input->gateway_number, input->account_id};
        return refuse_test(input->recipient, refusal);
    }

    switch ((enum otp_channel)input->channel) {
    case OTP_SMS:
        return fleet_take_number(work, &choice, &ret_sender->gateway_number);
    case OTP_FLASH_CALL:
    case OTP_MESSENGER_GATEWAY:
        return channel_check(work, channel_rows[input->channel].provider, &refusal->retry_after_ms);
    case OTP_PERSONAL_MESSENGER:
        ret_sender->account_id = input->account_id;
        return fleet_check_account(work, input->account_id);
    case OTP_CHANNEL_COUNT:
        break;
    }
    return ERR_INTERNAL;
}

/* --- The code --------------------------------------------------------------------------------- */

const char *otp_code_new(struct arena *arena, int min, int max, int length)
{
    assert(min >= 0 && min < max && length >= 4 && length <= OTP_CODE_MAX);
    uint32_t code = (uint32_t)min + random_below((uint32_t)(max - min) + 1);
    return arena_printf(arena, "%0*u", length, code);
}

const char *otp_new_code(struct work *work, const struct otp *otp)
{
    const struct channel_row *row = &channel_rows[otp->channel];
    int min = 0, max = row->code_max;

    if (otp->test) return arena_printf(work->arena, "%0*d", row->code_length, 0);
    if (otp_has_provider(otp->channel)) {
        const struct channel_driver *driver = work->service->channels[row->provider].driver;
        assert(driver); /* otp_take_sender saw it in this transaction */
        if (driver->chooses_code) return "";
        min = driver->code_min;
        if (driver->code_max > 0 && driver->code_max < max) max = driver->code_max;
    }
    return otp_code_new(work->arena, min, max, row->code_length);
}

enum err otp_code_seal(struct work *work, const struct uuid *id, const char *code,
                       struct str *ret_sealed)
{
    return work_seal(work, SEALED_OTP_CODE, uuid_view(id), str_of(code), ret_sealed);
}

enum err otp_code_open(struct work *work, const struct otp *otp, const char **ret_code)
{
    return vault_open_text(work->service->vault, sealed_at(SEALED_OTP_CODE, uuid_view(&otp->id)),
                           otp->sealed_code, work->arena, ret_code);
}

static enum err store_code(struct work *work, const struct uuid *id, const char *code)
{
    struct str sealed;
    enum err err = otp_code_seal(work, id, code, &sealed);
    return err ? err : otp_set_code(work, id, sealed);
}

/* --- Queueing --------------------------------------------------------------------------------- */

static enum err queue_task(struct work *work, const struct otp *otp,
                           enum phone_task_channel channel, const char *sender)
{
    struct phone_task_spec spec = {
        .channel = channel,
        .owner_kind = PHONE_TASK_OF_OTP,
        .owner_id = otp->id,
        .sender = sender,
        .recipient = otp->recipient,
        .expires_at = otp->expires_at,
    };
    return phone_task_queue(work, &spec);
}

static enum err queue_test(struct work *work, const struct otp *otp, enum otp_channel channel,
                           const char *gateway_number, bool is_fallback)
{
    struct test_send send = {
        .owner = TEST_OF_OTP,
        .owner_id = otp->id,
        .channel = otp_channel_words[channel],
        .gateway_number = gateway_number,
    };
    return test_send_queue(work, &send, otp->recipient, is_fallback);
}

/* The answer shows the send that this transaction queues, as a reader would see it. */
static void show_first_send(struct work *work, struct otp *otp, const struct otp_sender *sender)
{
    struct otp_send *send = ARENA_NEW(work->arena, struct otp_send);
    *send = (struct otp_send){
        .channel = otp->channel,
        .gateway_number = sender->gateway_number,
        .state = OTP_SEND_QUEUED,
        .updated_at = work->now_ms,
    };
    otp->sends = (struct record_list){send, 1};
}

enum err otp_send_first(struct work *work, struct otp *otp, const struct otp_sender *sender)
{
    const struct channel_row *row = &channel_rows[otp->channel];
    enum err err = ERR_OK;

    show_first_send(work, otp, sender);
    if (otp->test) return queue_test(work, otp, otp->channel, sender->gateway_number, false);
    if (otp_has_provider(otp->channel))
        return channel_queue(work, row->provider, &otp->id, work->now_ms, otp->expires_at);
    if (sender->account_id) return queue_task(work, otp, row->phones, sender->account_id);
    err = challenge_set_gateway_number(work, otp->recipient, &otp->id, sender->gateway_number);
    return err ? err : queue_task(work, otp, row->phones, sender->gateway_number);
}

/* --- The fallback ----------------------------------------------------------------------------- */

/* A code that was undelivered takes the recipient's place as the active challenge again (contract,
 * section 2, rule 8). */
static enum err revive(struct work *work, const struct otp *otp, const char *wanted_number,
                       struct uuid *ret_active)
{
    if (otp->state != OTP_UNDELIVERED) return ERR_OK;
    enum err err =
        challenge_take(work, otp->recipient, &otp->id, otp->expires_at, wanted_number, ret_active);
    return err ? err : otp_set_sending(work, &otp->id, OTP_QUEUED, NULL);
}

/* Makes the code where its provider would have chosen it, whose send is withdrawn then. */
static enum err ensure_code(struct work *work, const struct otp *otp)
{
    const struct channel_row *row = &channel_rows[otp->channel];
    const char *code;
    bool is_fetching;

    enum err err = otp_code_open(work, otp, &code);
    if (err || code[0]) return err;
    err = channel_withdraw(work, &otp->id, "the code went out by SMS instead", &is_fetching);
    if (err) return err;
    if (is_fetching) return ERR_CALL_UNDER_WAY;
    return store_code(work, &otp->id,
                      otp_code_new(work->arena, 0, row->code_max, row->code_length));
}

static void note_fallback(struct work *work, const struct otp *otp, const char *gateway_number)
{
    work_note(work, LOG_INFO, "otp falls back to sms",
              LOG_FIELDS(log_uuid("otp_id", &otp->id), log_phone("recipient", otp->recipient),
                         log_phone("gateway_number", gateway_number)));
}

enum err otp_send_fallback(struct work *work, const struct otp *otp, const char *wanted_number,
                           struct uuid *ret_active)
{
    struct number_choice choice = {.wanted = wanted_number, .must_be_ready = true};
    const char *number = wanted_number;

    enum err err = challenge_hold(work, otp->recipient, &otp->id);
    if (!err) err = revive(work, otp, wanted_number, ret_active);
    if (!err && !otp->test) err = fleet_take_number(work, &choice, &number);
    if (!err) err = challenge_expire(work, ret_active);
    if (!err) err = ensure_code(work, otp);
    if (err) return err;
    note_fallback(work, otp, number);
    if (otp->test) return queue_test(work, otp, OTP_SMS, number, true);
    err = challenge_move_gateway_number(work, otp->recipient, &otp->id, number);
    return err ? err : queue_task(work, otp, PHONE_TASK_SMS, number);
}

/* --- The end of a send ------------------------------------------------------------------------ */

enum err otp_end_sends(struct work *work, const struct otp *otp, enum otp_state state,
                       const char *right_code)
{
    if (otp->test) return test_send_end(work, &otp->id, otp_state_words[state]);
    enum err err = phone_task_end(work, &otp->id, otp_state_words[state]);
    if (err || !otp_has_provider(otp->channel)) return err;
    return channel_end(work, &otp->id, otp_state_words[state], right_code);
}

void otp_tell(struct work *work, const struct uuid *id, enum otp_state state)
{
    static const enum event_type types[] = {
        [OTP_ACCEPTED] = EVENT_OTP_ACCEPTED,   [OTP_SENT] = EVENT_OTP_SENT,
        [OTP_DELIVERED] = EVENT_OTP_DELIVERED, [OTP_UNDELIVERED] = EVENT_OTP_UNDELIVERED,
        [OTP_CONFIRMED] = EVENT_OTP_CONFIRMED, [OTP_EXPIRED] = EVENT_OTP_EXPIRED,
        [OTP_EXHAUSTED] = EVENT_OTP_EXHAUSTED, [OTP_CANCELED] = EVENT_OTP_CANCELED,
    };
    assert(state != OTP_QUEUED);
    work_event_id(work, types[state], id);
}

static enum err raise_to(struct work *work, const struct uuid *id, enum otp_state state)
{
    int64_t changed = 0;
    enum err err = otp_raise_sending(work, id, state, work_is_heard(work) ? &changed : NULL);
    if (!err && changed > 0) otp_tell(work, id, state);
    return err;
}

/* Counts what was reported of a send, which began at `since`. */
static void count_report(struct work *work, const struct otp_counted *counted,
                         enum otp_outcome outcome, int64_t since)
{
    otp_count(work, counted, outcome);
    if (outcome == OTP_IS_DELIVERED)
        work_count(work, &otp_delivery_seconds, (size_t)counted->channel,
                   1000 * (work->now_ms - since));
}

void otp_note_end(struct work *work, enum log_level level, const char *message,
                  const struct otp *otp)
{
    static const struct otp_send none = {.channel = -1};
    const struct otp_send *sends = otp->sends.items;
    const struct otp_send *last = otp->sends.count > 0 ? &sends[otp->sends.count - 1] : &none;
    bool is_sent = last->channel >= 0;

    work_note(work, level, message,
              LOG_FIELDS(log_uuid("otp_id", &otp->id), log_phone("recipient", otp->recipient),
                         log_plain("channel", is_sent ? otp_channel_words[last->channel] : NULL),
                         log_phone("gateway_number", last->gateway_number),
                         log_plain("last_send", is_sent ? otp_send_state_words[last->state] : NULL),
                         log_plain("error", last->failure)));
}

/* The last send of a code has failed. Its row may not say so yet, so it does not count as
 * living. */
static enum err apply_failure(struct work *work, struct otp *otp, const struct uuid *failed_id,
                              struct otp_send *last)
{
    bool has_living;
    int64_t changed = 0;
    enum err err = otp_has_living_send(work, &otp->id, otp->test, failed_id, &has_living);
    if (err || has_living) return err;
    err = otp_set_sending(work, &otp->id, OTP_UNDELIVERED, &changed);
    if (err) return err;
    if (changed > 0) {
        last->state = OTP_SEND_FAILED;
        otp->sends = (struct record_list){last, 1};
        otp_note_end(work, LOG_WARNING, "otp undelivered", otp);
        otp_tell(work, &otp->id, OTP_UNDELIVERED);
    }
    /* The recipient may start again (rule 2). */
    return challenge_release(work, otp->recipient, &otp->id, NULL);
}

/* --- By phones -------------------------------------------------------------------------------- */

/* A failure may move or end the active challenge, which is locked before any number. */
static enum err hold_for_task(struct work *work, const struct uuid *owner_id, bool is_failure)
{
    struct otp otp;

    if (!is_failure) return otp_hold(work, owner_id);
    enum err err = otp_select_locked(work, owner_id, &otp);
    return err ? err : challenge_hold(work, otp.recipient, owner_id);
}

/* The code as it goes out. ERR_NOT_FOUND: the OTP is final, so nothing of it is sent any more. */
static enum err load_code(struct work *work, const struct uuid *id, struct otp *ret_otp,
                          const char **ret_code)
{
    enum err err = otp_select(work, id, ret_otp);
    if (err) return err;
    if (otp_is_final(ret_otp, work->now_ms)) return ERR_NOT_FOUND;
    return otp_code_open(work, ret_otp, ret_code);
}

/* Only in an SMS an application or browser looks for its mark. */
static enum err make_text(struct work *work, const struct phone_task *task, const char **ret_text)
{
    bool is_sms = task->channel == PHONE_TASK_SMS;
    struct otp otp;
    const char *code;

    enum err err = load_code(work, &task->owner_id, &otp, &code);
    if (err) return err;
    *ret_text = sms_code_text(work->arena, work->service->sms->language, code,
                              is_sms ? otp.app_hash : NULL, is_sms ? otp.origin : NULL);
    return ERR_OK;
}

static enum err apply_task(struct work *work, const struct phone_task *task,
                           enum phone_task_change change)
{
    bool is_sms = task->channel == PHONE_TASK_SMS;
    const struct otp_counted counted = {is_sms ? OTP_SMS : OTP_PERSONAL_MESSENGER, task->recipient,
                                        is_sms ? task->sender : NULL};

    switch (change) {
    case PHONE_TASK_NOW_SENT:
        count_report(work, &counted, OTP_IS_SENT, task->created_at);
        return raise_to(work, &task->owner_id, OTP_SENT);
    case PHONE_TASK_NOW_DELIVERED:
        count_report(work, &counted, OTP_IS_DELIVERED, task->created_at);
        return raise_to(work, &task->owner_id, OTP_DELIVERED);
    case PHONE_TASK_NOW_GIVEN_UP:
        count_report(work, &counted, OTP_IS_UNDELIVERED, task->created_at);
        return apply_failure(
            work, &(struct otp){.id = task->owner_id, .recipient = task->recipient}, &task->id,
            &(struct otp_send){counted.channel, counted.gateway_number, .failure = task->error});
    case PHONE_TASK_NOW_QUEUED:
    case PHONE_TASK_NOW_UNKNOWN:
    case PHONE_TASK_NOW_HANDED_OVER:
    case PHONE_TASK_UNCHANGED:
        return ERR_OK;
    }
    return ERR_INTERNAL;
}

static enum err code_length(struct work *work, const struct uuid *id, int64_t *ret_length)
{
    struct otp otp;
    enum err err = otp_select(work, id, &otp);
    if (!err) *ret_length = otp.code_length;
    return err;
}

const struct phone_task_owner otp_task_owner = {
    .hold = hold_for_task,
    .make_text = make_text,
    .code_length = code_length,
    .apply = apply_task,
};

/* --- By providers ----------------------------------------------------------------------------- */

static enum err load_send(struct work *work, const struct uuid *owner_id,
                          struct channel_content *content)
{
    struct otp otp;
    const char *code;

    enum err err = load_code(work, owner_id, &otp, &code);
    if (err) return err;
    content->recipient = otp.recipient;
    content->code = code[0] ? code : NULL;
    return ERR_OK;
}

/* Stores the code that the provider chose, unless a fallback has made one in the meantime. */
static enum err learn_code(struct work *work, const struct otp *otp, const char *learned_code)
{
    const char *code;
    enum err err = otp_code_open(work, otp, &code);
    if (err || code[0]) return err;
    work_note(work, LOG_INFO, "otp code learned",
              LOG_FIELDS(log_uuid("otp_id", &otp->id), log_secret("code", learned_code)));
    return store_code(work, &otp->id, learned_code);
}

static enum err apply_state(struct work *work, struct otp *otp, const struct channel_send *send)
{
    switch (send->state) {
    case SEND_ACCEPTED:
        return raise_to(work, &otp->id, OTP_ACCEPTED);
    case SEND_SENT:
        return raise_to(work, &otp->id, OTP_SENT);
    case SEND_DELIVERED:
        return raise_to(work, &otp->id, OTP_DELIVERED);
    case SEND_FAILED:
        return apply_failure(work, otp, &send->id,
                             &(struct otp_send){.channel = otp->channel, .failure = send->error});
    case SEND_QUEUED:
    case SEND_FETCHING:
    case SEND_UNKNOWN: /* the code can still be verified, and its fallback asked for */
        return ERR_OK;
    }
    return ERR_INTERNAL;
}

static void count_send(struct work *work, const struct otp *otp, const struct channel_send *send)
{
    const struct otp_counted counted = {otp->channel, otp->recipient, NULL};

    switch (send->state) {
    case SEND_ACCEPTED:
        count_report(work, &counted, OTP_IS_ACCEPTED, send->created_at);
        return;
    case SEND_SENT:
        count_report(work, &counted, OTP_IS_SENT, send->created_at);
        return;
    case SEND_DELIVERED:
        count_report(work, &counted, OTP_IS_DELIVERED, send->created_at);
        return;
    case SEND_FAILED:
        count_report(work, &counted, OTP_IS_UNDELIVERED, send->created_at);
        return;
    case SEND_QUEUED:
    case SEND_FETCHING:
    case SEND_UNKNOWN:
        return;
    }
}

static enum err apply_send(struct work *work, const struct channel_send *send,
                           const char *learned_code)
{
    struct otp otp;
    enum err err = otp_select_locked(work, &send->owner_id, &otp);
    if (err) return err;
    count_send(work, &otp, send);
    if (otp_is_final(&otp, work->now_ms)) return ERR_OK;
    if (learned_code) err = learn_code(work, &otp, learned_code);
    return err ? err : apply_state(work, &otp, send);
}

const struct channel_owner otp_channel_owner = {
    .load = load_send, .apply = apply_send, .code_length = code_length};

/* --- By a scenario ---------------------------------------------------------------------------- */

enum err otp_apply_test(struct work *work, const struct test_send *send)
{
    struct channel_send as_of_provider = {
        .id = send->id,
        .owner_id = send->owner_id,
        .state = send->state,
        .error = send->error,
    };
    return apply_send(work, &as_of_provider, NULL);
}
