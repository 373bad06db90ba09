/*
 * These rules (doc A, section 4 "Messages"; contract, section 2, rule 9, and section 3) say which
 * messages are accepted, when the bot may send one, and what becomes of one that nobody sent.
 */
#include "domain/message/message.h"

#include "domain/message/message_db.h"
#include "domain/message/message_send.h"

enum { TURNS_KEPT_MS = 60 * 1000 }; /* the clocks of processes differ a little */

const char *const message_channel_words[] = {"personal_messenger", "messenger_bot", NULL};
const char *const message_state_words[] = {"accepted", "sent",    "delivered",
                                           "failed",   "unknown", NULL};

/* --- Creating --------------------------------------------------------------------------------- */

static enum err queue_task(struct work *work, const struct message *message)
{
    struct phone_task_spec spec = {
        .channel = PHONE_TASK_PERSONAL_MESSENGER,
        .owner_kind = PHONE_TASK_OF_MESSAGE,
        .owner_id = message->id,
        .sender = message->account_id,
        .recipient = message->recipient,
        .expires_at = message->expires_at,
    };
    return phone_task_queue(work, &spec);
}

static enum err store(struct work *work, struct message *message, const char *text)
{
    enum err err = message_seal_text(work, &message->id, text, &message->sealed_text);
    if (err) return err;
    message_note(work, LOG_INFO, "message accepted", message);
    return message_insert(work, message);
}

/* Codes that wait for the account count, too, but are never refused for it. On PostgreSQL messages
 * that come in at this very moment do not see each other. */
static enum err check_waiting(struct work *work, const char *account_id,
                              int64_t *ret_retry_after_ms)
{
    int64_t waiting;
    enum err err = phone_task_count_open(work, PHONE_TASK_PERSONAL_MESSENGER, account_id,
                                         MESSAGES_WAITING_MAX, &waiting);
    if (err || waiting < MESSAGES_WAITING_MAX) return err;
    *ret_retry_after_ms = MESSAGES_WAITING_RETRY_MS;
    return ERR_RATE_LIMITED;
}

static enum err create_for_phone(struct work *work, struct message *message, const char *text,
                                 int64_t *ret_retry_after_ms)
{
    enum err err = fleet_check_account(work, message->account_id);
    if (!err) err = check_waiting(work, message->account_id, ret_retry_after_ms);
    if (!err) err = store(work, message, text);
    return err ? err : queue_task(work, message);
}

static enum err create_for_bot(struct work *work, struct message *message, const char *text,
                               int64_t *ret_retry_after_ms)
{
    int64_t run_at;
    enum err err = channel_check(work, CHANNEL_MESSENGER_BOT, ret_retry_after_ms);
    if (!err) err = message_take_turn(work, message->chat_id.text, &run_at, ret_retry_after_ms);
    if (!err) err = store(work, message, text);
    if (err) return err;
    return channel_queue(work, CHANNEL_MESSENGER_BOT, &message->id, run_at, message->expires_at);
}

enum err message_create(struct work *work, const struct uuid *id, const struct message_input *input,
                        struct message *ret_message, int64_t *ret_retry_after_ms)
{
    struct message message = {
        .id = *id,
        .channel = input->channel,
        .state = MESSAGE_ACCEPTED,
        .account_id = input->account_id,
        .recipient = input->recipient,
        .chat_id = input->chat_id,
        .created_at = work->now_ms,
        .updated_at = work->now_ms,
        .expires_at = work->now_ms + MESSAGE_LIFE_MS,
    };
    enum err err = input->channel == MESSAGE_PERSONAL_MESSENGER
                       ? create_for_phone(work, &message, input->text, ret_retry_after_ms)
                       : create_for_bot(work, &message, input->text, ret_retry_after_ms);
    if (err) return err;
    *ret_message = message;
    return ERR_OK;
}

/* --- When its time is over -------------------------------------------------------------------- */

/* A message that nobody reported on counts as the greatest of these among its sends. */
enum rest {
    REST_UNSENT,
    REST_UNKNOWN,   /* a phone had it, and never said what became of it */
    REST_UNDER_WAY, /* a phone or the provider has it at this moment, and will tell */
};

static enum rest rest_of_task(const struct phone_task *task, int64_t now_ms)
{
    enum phone_task_state shown = phone_task_shown_state(task, now_ms);
    if (shown == PHONE_TASK_CLAIMED) return REST_UNDER_WAY;
    bool had_phone = !uuid_is_nil(&task->lease_device_id);
    return shown == PHONE_TASK_UNKNOWN || (shown == PHONE_TASK_QUEUED && had_phone) ? REST_UNKNOWN
                                                                                    : REST_UNSENT;
}

static enum err rest_on_phones(struct work *work, const struct message *message,
                               enum rest *ret_rest)
{
    struct record_list list;
    enum err err = phone_task_list(work, &message->id, &list);
    if (err) return err;

    const struct phone_task *tasks = list.items;
    *ret_rest = REST_UNSENT;
    for (size_t i = 0; i < list.count; i++) {
        enum rest rest = rest_of_task(&tasks[i], work->now_ms);
        if (rest > *ret_rest) *ret_rest = rest;
    }
    return ERR_OK;
}

/* A message whose outcome is not known is not here: its text is erased already. */
static enum err rest_at_provider(struct work *work, const struct message *message,
                                 enum rest *ret_rest)
{
    struct record_list list;
    enum err err = channel_list(work, &message->id, &list);
    if (err) return err;

    const struct channel_send *sends = list.items;
    *ret_rest = REST_UNSENT;
    for (size_t i = 0; i < list.count; i++) {
        if (sends[i].state == SEND_CALLING) *ret_rest = REST_UNDER_WAY;
    }
    return ERR_OK;
}

static const char unsent[] = "it was not sent within 24 hours";

static enum err end_sends(struct work *work, const struct message *message)
{
    if (message->channel == MESSAGE_PERSONAL_MESSENGER)
        return phone_task_end(work, &message->id, unsent);
    return channel_end(work, &message->id, unsent, NULL);
}

static enum err settle(struct work *work, const struct message *message, int64_t *settled)
{
    enum rest rest;
    enum err err = message->channel == MESSAGE_PERSONAL_MESSENGER
                       ? rest_on_phones(work, message, &rest)
                       : rest_at_provider(work, message, &rest);
    if (err || rest == REST_UNDER_WAY) return err;

    err = rest == REST_UNKNOWN
              ? message_move(work, message, MESSAGE_UNKNOWN,
                             "it is not known whether it was sent: its phone did not report within"
                             " 24 hours")
              : message_move(work, message, MESSAGE_FAILED, unsent);
    if (!err) err = end_sends(work, message);
    if (!err) ++*settled;
    return err;
}

enum err message_sweep(struct work *work, int max, int64_t *ret_swept)
{
    int64_t settled = 0, deleted = 0;
    struct record_list list;
    enum err err = message_shorten_lives(work, max);
    if (!err) err = message_select_over(work, max, &list);
    if (err) return err;

    const struct message *messages = list.items;
    for (size_t i = 0; i < list.count; i++) {
        err = settle(work, &messages[i], &settled);
        if (err) return err;
    }
    err = chat_turn_delete_old(work, work->now_ms - TURNS_KEPT_MS, max, &deleted);
    *ret_swept = settled > deleted ? settled : deleted;
    return err;
}
