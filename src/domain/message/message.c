/*
 * These rules (doc A, section 4 "Messages"; contract, section 2, rule 9, and section 3) say which
 * messages are accepted, when the bot may send one, and what becomes of one that nobody sent.
 */
#include "domain/message/message.h"

#include "core/audit.h"
#include "core/event.h"
#include "domain/message/message_db.h"
#include "domain/message/message_send.h"
#include "kit/base/macros.h"

enum { TURNS_KEPT_MS = 60 * 1000 }; /* the clocks of processes differ a little */

const char *const message_channel_words[] = {"personal_messenger", "messenger_bot", "sms", NULL};
const char *const message_input_channel_words[] = {"personal_messenger", "messenger_bot", NULL};
static_assert(COUNT_OF(message_channel_words) == MESSAGE_CHANNEL_COUNT + 1,
              "each channel has its word");
const char *const message_state_words[] = {"accepted", "sent",    "delivered",
                                           "failed",   "unknown", NULL};

/* --- Creating --------------------------------------------------------------------------------- */

static enum err queue_task(struct work *work, const struct message *message,
                           enum phone_task_channel channel, const char *sender)
{
    struct phone_task_spec spec = {
        .channel = channel,
        .owner_kind = PHONE_TASK_OF_MESSAGE,
        .owner_id = message->id,
        .sender = sender,
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
    return err ? err
               : queue_task(work, message, PHONE_TASK_PERSONAL_MESSENGER, message->account_id);
}

/* The SIM's count is of challenges, of which this is none. */
static enum err create_for_sim(struct work *work, struct message *message, const char *text)
{
    struct number_choice choice = {.must_be_ready = true, .never_waits = true};
    const char *number;
    enum err err = fleet_take_number(work, &choice, &number);
    if (!err) err = fleet_release_numbers(work, &(struct record_list){&number, 1});
    if (!err) err = store(work, message, text);
    return err ? err : queue_task(work, message, PHONE_TASK_SMS, number);
}

static enum err create_for_test(struct work *work, struct message *message, const char *text,
                                int64_t *ret_retry_after_ms)
{
    struct test_send send = {.owner = TEST_OF_MESSAGE, .owner_id = message->id};
    enum err err = test_number_refuse(message->recipient, TEST_OF_MESSAGE, ret_retry_after_ms);
    if (!err) err = store(work, message, text);
    return err ? err : test_send_queue(work, &send, message->recipient, false);
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

static enum err create_by_channel(struct work *work, struct message *message, const char *text,
                                  int64_t *ret_retry_after_ms)
{
    switch (message->channel) {
    case MESSAGE_PERSONAL_MESSENGER:
        return create_for_phone(work, message, text, ret_retry_after_ms);
    case MESSAGE_MESSENGER_BOT:
        return create_for_bot(work, message, text, ret_retry_after_ms);
    case MESSAGE_SMS:
        return create_for_sim(work, message, text);
    case MESSAGE_CHANNEL_COUNT:
        break;
    }
    return ERR_INTERNAL;
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
        .test = test_number_applies(work, input->recipient),
        .metadata = input->metadata,
        .expires_at = work->now_ms + MESSAGE_LIFE_MS,
    };
    enum err err = message.test
                       ? create_for_test(work, &message, input->text, ret_retry_after_ms)
                       : create_by_channel(work, &message, input->text, ret_retry_after_ms);
    if (err) return err;
    *ret_message = message;
    return ERR_OK;
}

/* --- Asking ----------------------------------------------------------------------------------- */

enum err message_reveal(struct work *work, const struct uuid *id, struct message *ret_message)
{
    struct audit_changes changes = {.arena = work->arena};
    enum err err = message_read(work, id, ret_message);
    if (err) return err;
    audit_change_reveal(&changes, "recipient", ret_message->recipient);
    audit_change_reveal(&changes, "chat_id", ret_message->chat_id.text);
    work_audit_id(work, "message.reveal", "message", id, &changes);
    return ERR_OK;
}

enum err message_list(struct work *work, const struct message_filter *filter,
                      struct message_list *ret_list)
{
    static const struct page_key by_time = PAGE_BY_NUMBER_AND_ID(struct message, created_at, id);
    bool has_filter = filter->state >= 0 || filter->channel >= 0 || filter->account_id ||
                      filter->chat_id || filter->gateway_number;
    int64_t limit = filter->search.page.limit;
    struct message_list list;
    struct search search;

    enum err err = search_begin(&filter->search, has_filter, work->arena, &search);
    if (!err) err = message_cut_search(work, &search);
    if (!err) err = message_select_page(work, filter, &search, limit + 1, &list.messages);
    if (err) return err;
    list.next_cursor = search_end(&search, limit, &by_time, &list.messages, work->arena);
    *ret_list = list;
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
        if (sends[i].state == SEND_FETCHING) *ret_rest = REST_UNDER_WAY;
    }
    return ERR_OK;
}

static const char unsent[] = "it was not sent within 24 hours";
static const char unreported[] =
    "it is not known whether it was sent: its phone did not report within 24 hours";

static enum err end_over(struct work *work, const struct message *message, int64_t *ended)
{
    bool is_on_phones = message_is_on_phones(message);
    enum rest rest;
    enum err err = is_on_phones ? rest_on_phones(work, message, &rest)
                                : rest_at_provider(work, message, &rest);
    if (err || rest == REST_UNDER_WAY) return err;

    err = rest == REST_UNKNOWN ? message_move(work, message, MESSAGE_UNKNOWN, unreported, NULL)
                               : message_move(work, message, MESSAGE_FAILED, unsent, NULL);
    if (!err)
        err = is_on_phones ? phone_task_end(work, &message->id, unsent)
                           : channel_end(work, &message->id, unsent, NULL);
    if (!err) ++*ended;
    return err;
}

enum err message_sweep(struct work *work, int max, int64_t *ret_swept)
{
    int64_t ended = 0, deleted = 0;
    struct record_list list;
    enum err err = message_select_over(work, max, &list);
    if (err) return err;

    const struct message *messages = list.items;
    for (size_t i = 0; i < list.count; i++) {
        err = end_over(work, &messages[i], &ended);
        if (err) return err;
    }
    err = chat_turn_delete_old(work, work->now_ms - TURNS_KEPT_MS, max, &deleted);
    *ret_swept = ended > deleted ? ended : deleted;
    return err;
}

/* --- Erasing ---------------------------------------------------------------------------------- */

static const char forgotten[] = "its personal data was erased";

/* The log is not told whom it was for. */
static enum err end_unsent(struct work *work, const struct message *message)
{
    struct message nobodys = *message;

    nobodys.recipient = NULL;
    nobodys.chat_id = (struct string_or_integer){0};
    enum err err = message_move(work, &nobodys, MESSAGE_FAILED, forgotten, NULL);
    if (err) return err;
    return message_is_on_phones(message) ? phone_task_end(work, &message->id, forgotten)
                                         : channel_end(work, &message->id, forgotten, NULL);
}

static enum err erase_all(struct work *work, const struct record_list *list)
{
    const struct message *messages = list->items;
    enum err err = ERR_OK;

    for (size_t i = 0; !err && i < list->count; i++) {
        if (messages[i].sealed_text.len > 0) err = end_unsent(work, &messages[i]);
        if (!err) err = message_erase(work, &messages[i].id);
        work_event_erase(work, EVENT_OF_MESSAGE, &messages[i].id);
        if (!err) err = phone_task_erase(work, &messages[i].id);
        if (!err) err = channel_erase(work, &messages[i].id);
    }
    return err;
}

enum err message_erase_of(struct work *work, const char *number, int max, int64_t *ret_erased)
{
    struct record_list list;
    enum err err = message_select_of(work, number, max, &list);
    if (!err) err = erase_all(work, &list);
    if (!err) *ret_erased = (int64_t)list.count;
    return err;
}

enum err message_sweep_personal(struct work *work, int max, int64_t *ret_swept)
{
    struct personal_span span;
    struct record_list list = {0};

    *ret_swept = 0;
    enum err err = personal_begin(work, "message", &span);
    if (err || !span.is_due) return err;
    err = message_select_old(work, &span, max, &list);
    if (err || list.count == 0) return err;
    const struct message *last = &((const struct message *)list.items)[list.count - 1];
    err = erase_all(work, &list);
    if (!err) err = personal_end(work, "message", &last->id);
    *ret_swept = (int64_t)list.count;
    return err;
}
