/*
 * Each channel sends a code in its own way (doc A, section 4 "One-time codes"; contract, section 2,
 * rules 1, 7 to 9 and section 3): phones get it as a task, providers as a send. Both together are
 * the list that an OTPChallenge shows (contract, section 2, OTPChallenge.sends).
 */
#include "domain/otp/otp_send.h"

#include "domain/otp/otp_db.h"
#include "domain/sms/sms_text.h"
#include "kit/base/macros.h"

#include <stdlib.h>

static const struct channel_row {
    int code_length;
    int code_max;
    bool has_provider;
    enum channel provider;
    enum phone_task_channel phones; /* without a provider */
} channel_rows[] = {
    [OTP_SMS] = {.code_length = 6, .code_max = 999999, .phones = PHONE_TASK_SMS},
    [OTP_FLASH_CALL] = {.code_length = 4,
                        .code_max = 9999,
                        .has_provider = true,
                        .provider = CHANNEL_FLASH_CALL},
    [OTP_MESSENGER_GATEWAY] = {.code_length = 6,
                               .code_max = 999999,
                               .has_provider = true,
                               .provider = CHANNEL_MESSENGER_GATEWAY},
    [OTP_PERSONAL_MESSENGER] = {.code_length = 6,
                                .code_max = 999999,
                                .phones = PHONE_TASK_PERSONAL_MESSENGER},
};
static_assert(COUNT_OF(channel_rows) == OTP_CHANNEL_COUNT, "each channel has its row");

int64_t otp_code_length(int channel)
{
    return channel_rows[channel].code_length;
}

/* --- The list of sends ------------------------------------------------------------------------ */

const char *const otp_send_state_words[] = {"queued",    "claimed", "accepted", "sent",
                                            "delivered", "failed",  "unknown",  NULL};

static const enum otp_send_state state_of_task[] = {
    [PHONE_TASK_QUEUED] = OTP_SEND_QUEUED, [PHONE_TASK_CLAIMED] = OTP_SEND_CLAIMED,
    [PHONE_TASK_SENT] = OTP_SEND_SENT,     [PHONE_TASK_DELIVERED] = OTP_SEND_DELIVERED,
    [PHONE_TASK_FAILED] = OTP_SEND_FAILED, [PHONE_TASK_UNKNOWN] = OTP_SEND_UNKNOWN,
};

static const enum otp_send_state state_of_send[] = {
    [SEND_QUEUED] = OTP_SEND_QUEUED,       [SEND_CALLING] = OTP_SEND_CLAIMED,
    [SEND_ACCEPTED] = OTP_SEND_ACCEPTED,   [SEND_SENT] = OTP_SEND_SENT,
    [SEND_DELIVERED] = OTP_SEND_DELIVERED, [SEND_FAILED] = OTP_SEND_FAILED,
    [SEND_UNKNOWN] = OTP_SEND_UNKNOWN,
};

/* This has no default, so that a new channel is a compile error here. */
static enum otp_channel channel_of_send(const struct channel_send *send)
{
    switch ((enum channel)send->channel) {
    case CHANNEL_FLASH_CALL:
        return OTP_FLASH_CALL;
    case CHANNEL_MESSENGER_GATEWAY:
        return OTP_MESSENGER_GATEWAY;
    case CHANNEL_MESSENGER_BOT:
    case CHANNEL_COUNT:
        break;
    }
    abort(); /* no code goes over those */
}

/* A send with its id, which gives it its place in the list: ids are in the order of time. */
struct row {
    struct uuid id;
    struct otp_send send;
};

static struct row row_of_task(const struct phone_task *task, int64_t now_ms)
{
    bool is_sms = task->channel == PHONE_TASK_SMS;
    return (struct row){
        .id = task->id,
        .send =
            {
                .channel = is_sms ? OTP_SMS : OTP_PERSONAL_MESSENGER,
                .gateway_number = is_sms ? task->sender : NULL,
                .state = (int)state_of_task[phone_task_shown_state(task, now_ms)],
                .error = task->error,
                .updated_at = task->updated_at,
            },
    };
}

static struct row row_of_send(const struct channel_send *send)
{
    return (struct row){
        .id = send->id,
        .send =
            {
                .channel = (int)channel_of_send(send),
                .state = (int)state_of_send[send->state],
                .error = send->error,
                .updated_at = send->updated_at,
            },
    };
}

/* Both lists are in the order of their ids, which is that of time. */
static size_t merge(const struct record_list *tasks, const struct record_list *sends,
                    int64_t now_ms, struct row *rows)
{
    const struct phone_task *task = tasks->items, *phone_task_end = task + tasks->count;
    const struct channel_send *send = sends->items, *send_end = send + sends->count;
    size_t count = 0;

    while (task < phone_task_end || send < send_end) {
        bool is_task = send == send_end || (task < phone_task_end &&
                                            memcmp(&task->id, &send->id, sizeof(task->id)) < 0);
        rows[count++] = is_task ? row_of_task(task++, now_ms) : row_of_send(send++);
    }
    return count;
}

/* A code that no provider can have sent is spared the question. */
static enum err read_list(struct work *work, const struct uuid *otp_id, bool has_provider,
                          struct record_list *ret_rows)
{
    struct record_list tasks, sends = {0};
    enum err err = phone_task_list(work, otp_id, &tasks);
    if (!err && has_provider) err = channel_list(work, otp_id, &sends);
    if (err) return err;
    struct row *rows = arena_array(work->arena, tasks.count + sends.count, sizeof(*rows));
    size_t count = merge(&tasks, &sends, work->now_ms, rows);
    *ret_rows = (struct record_list){rows, count};
    return ERR_OK;
}

enum err otp_read_sends(struct work *work, struct otp *otp)
{
    struct record_list list;
    enum err err = read_list(work, &otp->id, channel_rows[otp->channel].has_provider, &list);
    if (err) return err;

    const struct row *rows = list.items;
    struct otp_send *sends = arena_array(work->arena, list.count, sizeof(*sends));
    for (size_t i = 0; i < list.count; i++)
        sends[i] = rows[i].send;
    otp->sends = (struct record_list){sends, list.count};
    return ERR_OK;
}

static enum err has_living_send(struct work *work, const struct uuid *otp_id,
                                const struct uuid *failed_id, bool *ret_has)
{
    struct record_list list;
    enum err err = read_list(work, otp_id, true, &list);
    if (err) return err;

    const struct row *rows = list.items;
    *ret_has = false;
    for (size_t i = 0; i < list.count; i++) {
        bool is_other = !uuid_equal(&rows[i].id, failed_id);
        if (is_other && rows[i].send.state != OTP_SEND_FAILED) *ret_has = true;
    }
    return ERR_OK;
}

/* --- The sender ------------------------------------------------------------------------------- */

enum err otp_take_sender(struct work *work, const struct otp_input *input,
                         struct otp_sender *ret_sender, int64_t *ret_retry_after_ms)
{
    struct number_choice choice = {.wanted = input->gateway_number, .must_be_ready = true};

    switch ((enum otp_channel)input->channel) {
    case OTP_SMS:
        return fleet_take_number(work, &choice, &ret_sender->gateway_number);
    case OTP_FLASH_CALL:
    case OTP_MESSENGER_GATEWAY:
        return channel_check(work, channel_rows[input->channel].provider, ret_retry_after_ms);
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

    if (row->has_provider) {
        const struct channel_driver *driver = work->service->channels[row->provider].driver;
        assert(driver); /* otp_take_sender saw it in this transaction */
        if (driver->chooses_code) return "";
        min = driver->code_min;
        if (driver->code_max < max) max = driver->code_max;
    }
    return otp_code_new(work->arena, min, max, row->code_length);
}

enum err otp_code_seal(struct work *work, const struct uuid *id, const char *code,
                       struct str *ret_sealed)
{
    return vault_seal(work->service->vault, sealed_at(SEALED_OTP_CODE, uuid_view(id)), str_of(code),
                      work->arena, ret_sealed);
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
    if (row->has_provider)
        return channel_queue(work, row->provider, &otp->id, work->now_ms, otp->expires_at);
    if (sender->account_id) return queue_task(work, otp, row->phones, sender->account_id);
    err = challenge_set_gateway(work, otp->recipient, &otp->id, sender->gateway_number);
    return err ? err : queue_task(work, otp, row->phones, sender->gateway_number);
}

/* --- The fallback ----------------------------------------------------------------------------- */

/* A code that was undelivered takes the recipient's place as the active challenge again (contract,
 * section 9.14). */
static enum err revive(struct work *work, const struct otp *otp, const char *wanted_number,
                       struct uuid *ret_active)
{
    if (otp->state != OTP_UNDELIVERED) return ERR_OK;
    enum err err =
        challenge_take(work, otp->recipient, &otp->id, otp->expires_at, wanted_number, ret_active);
    return err ? err : otp_set_sending(work, &otp->id, OTP_QUEUED);
}

/* Makes the code where its provider would have chosen it, whose send is withdrawn then. */
static enum err settle_code(struct work *work, const struct otp *otp)
{
    const struct channel_row *row = &channel_rows[otp->channel];
    const char *code;
    bool is_calling;

    enum err err = otp_code_open(work, otp, &code);
    if (err || code[0]) return err;
    err = channel_withdraw(work, &otp->id, "the code went out by SMS instead", &is_calling);
    if (err) return err;
    if (is_calling) return ERR_CALL_UNDER_WAY;
    return store_code(work, &otp->id,
                      otp_code_new(work->arena, 0, row->code_max, row->code_length));
}

enum err otp_send_fallback(struct work *work, const struct otp *otp, const char *wanted_number,
                           struct uuid *ret_active)
{
    struct number_choice choice = {.wanted = wanted_number, .must_be_ready = true};
    const char *number;

    enum err err = challenge_hold(work, otp->recipient, &otp->id);
    if (!err) err = revive(work, otp, wanted_number, ret_active);
    if (!err) err = fleet_take_number(work, &choice, &number);
    if (!err) err = settle_code(work, otp);
    if (err) return err;
    work_note(work, LOG_INFO, "otp falls back to sms",
              LOG_FIELDS(log_uuid("otp_id", &otp->id), log_phone("recipient", otp->recipient),
                         log_phone("gateway_number", number)));
    err = challenge_move_gateway(work, otp->recipient, &otp->id, number);
    return err ? err : queue_task(work, otp, PHONE_TASK_SMS, number);
}

/* --- The end of a send ------------------------------------------------------------------------ */

enum err otp_end_sends(struct work *work, const struct otp *otp, enum otp_state state,
                       const char *right_code)
{
    enum err err = phone_task_end(work, &otp->id, otp_state_words[state]);
    if (err || !channel_rows[otp->channel].has_provider) return err;
    return channel_end(work, &otp->id, otp_state_words[state], right_code);
}

/* The send `failed_id` has failed. Its row may not say so yet, so it does not count as living. */
static enum err apply_failure(struct work *work, const struct uuid *otp_id, const char *recipient,
                              const struct uuid *failed_id)
{
    bool has_living;
    enum err err = has_living_send(work, otp_id, failed_id, &has_living);
    if (err || has_living) return err;
    err = otp_set_sending(work, otp_id, OTP_UNDELIVERED);
    if (err) return err;
    /* The recipient may start again (rule 2). */
    return challenge_release(work, recipient, otp_id);
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
    switch (change) {
    case PHONE_TASK_NOW_SENT:
        return otp_raise_sending(work, &task->owner_id, OTP_SENT);
    case PHONE_TASK_NOW_DELIVERED:
        return otp_raise_sending(work, &task->owner_id, OTP_DELIVERED);
    case PHONE_TASK_NOW_GIVEN_UP:
        return apply_failure(work, &task->owner_id, task->recipient, &task->id);
    case PHONE_TASK_NOW_QUEUED:
    case PHONE_TASK_UNCHANGED:
        return ERR_OK;
    }
    return ERR_INTERNAL;
}

const struct phone_task_owner otp_task_owner = {
    .hold = hold_for_task,
    .make_text = make_text,
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

static enum err apply_state(struct work *work, const struct otp *otp,
                            const struct channel_send *send)
{
    switch ((enum send_state)send->state) {
    case SEND_ACCEPTED:
        return otp_raise_sending(work, &otp->id, OTP_ACCEPTED);
    case SEND_SENT:
        return otp_raise_sending(work, &otp->id, OTP_SENT);
    case SEND_DELIVERED:
        return otp_raise_sending(work, &otp->id, OTP_DELIVERED);
    case SEND_FAILED:
        return apply_failure(work, &otp->id, otp->recipient, &send->id);
    case SEND_QUEUED:
    case SEND_CALLING:
    case SEND_UNKNOWN: /* the code can still be verified, and its fallback asked for */
        return ERR_OK;
    }
    return ERR_INTERNAL;
}

static enum err apply_send(struct work *work, const struct channel_send *send,
                           const char *learned_code)
{
    struct otp otp;
    enum err err = otp_select_locked(work, &send->owner_id, &otp);
    if (err) return err;
    if (otp_is_final(&otp, work->now_ms)) return ERR_OK;
    if (learned_code) err = learn_code(work, &otp, learned_code);
    return err ? err : apply_state(work, &otp, send);
}

const struct channel_owner otp_channel_owner = {.load = load_send, .apply = apply_send};
