/*
 * Phones and the bot send a message (contract, section 2, rule 9, and section 3), which moves it:
 *
 *   accepted -> sent -> delivered
 *       |  \-> failed              every send failed, or nobody sent it within its life
 *       \----> unknown             it may have been sent: never sent again by itself, but a late
 *                                  report still tells
 */
#include "domain/message/message_send.h"

#include "core/event.h"
#include "core/said.h"
#include "domain/message/message_db.h"

/* --- The text --------------------------------------------------------------------------------- */

enum err message_seal_text(struct work *work, const struct uuid *id, const char *text,
                           struct str *ret_sealed)
{
    return work_seal(work, SEALED_MESSAGE_TEXT, uuid_view(id), str_of(text), ret_sealed);
}

/* ERR_NOT_FOUND: the text is erased. */
static enum err open_text(struct work *work, const struct message *message, const char **ret_text)
{
    if (message->sealed_text.len == 0) return ERR_NOT_FOUND;
    return vault_open_text(work->service->vault,
                           sealed_at(SEALED_MESSAGE_TEXT, uuid_view(&message->id)),
                           message->sealed_text, work->arena, ret_text);
}

/* --- States ----------------------------------------------------------------------------------- */

/* These moves are allowed, from one state to another. A provider may take back that it was sent. */
static const bool may_move[MESSAGE_UNKNOWN + 1][MESSAGE_UNKNOWN + 1] = {
    [MESSAGE_ACCEPTED] = {[MESSAGE_SENT] = true,
                          [MESSAGE_DELIVERED] = true,
                          [MESSAGE_FAILED] = true,
                          [MESSAGE_UNKNOWN] = true},
    [MESSAGE_SENT] = {[MESSAGE_DELIVERED] = true, [MESSAGE_FAILED] = true},
    [MESSAGE_UNKNOWN] =
        {[MESSAGE_SENT] = true, [MESSAGE_DELIVERED] = true, [MESSAGE_FAILED] = true},
};

void message_note(struct work *work, enum log_level level, const char *what,
                  const struct message *message)
{
    work_note(work, level, what,
              LOG_FIELDS(log_uuid("message_id", &message->id),
                         log_plain("channel", message_channel_words[message->channel]),
                         log_plain("state", message_state_words[message->state]),
                         log_phone("recipient", message->recipient),
                         fleet_log_sender("account_id", message->account_id),
                         log_id("chat_id", message->chat_id.text),
                         log_plain("error", message->error)));
}

static const enum event_type event_types[] = {
    [MESSAGE_SENT] = EVENT_MESSAGE_SENT,
    [MESSAGE_DELIVERED] = EVENT_MESSAGE_DELIVERED,
    [MESSAGE_FAILED] = EVENT_MESSAGE_FAILED,
    [MESSAGE_UNKNOWN] = EVENT_MESSAGE_UNKNOWN,
};

enum err message_move(struct work *work, const struct message *message, enum message_state state,
                      const char *error, const char *words)
{
    struct str sealed;
    bool is_moved;

    if (!may_move[message->state][state]) return ERR_OK;
    enum err err = said_seal(work, SEALED_MESSAGE_WORDS, uuid_view(&message->id), words, &sealed);
    if (!err) err = message_set_state(work, message, state, error, sealed, &is_moved);
    if (err) return err;
    if (!is_moved) return ERR_TX_RETRY;

    struct message moved = *message;
    moved.state = state;
    moved.error = error;
    message_note(work, error ? LOG_WARNING : LOG_INFO, "message changed", &moved);
    work_event_id(work, event_types[state], &message->id);
    return ERR_OK;
}

/* --- Phones ----------------------------------------------------------------------------------- */

static enum err hold_for_task(struct work *work, const struct uuid *id, bool is_failure)
{
    (void)is_failure; /* nothing stands between a message and its account */
    return message_hold(work, id);
}

static enum err make_task_text(struct work *work, const struct phone_task *task,
                               const char **ret_text)
{
    struct message message;
    enum err err = message_read(work, &task->owner_id, &message);
    if (!err && message.state != MESSAGE_ACCEPTED) err = ERR_NOT_FOUND;
    return err ? err : open_text(work, &message, ret_text);
}

static enum err apply_task(struct work *work, const struct phone_task *task,
                           enum phone_task_change change)
{
    struct message message;
    enum err err = message_lock(work, &task->owner_id, &message);
    if (err) return err;

    switch (change) {
    case PHONE_TASK_NOW_SENT:
        return message_move(work, &message, MESSAGE_SENT, NULL, NULL);
    case PHONE_TASK_NOW_DELIVERED:
        return message_move(work, &message, MESSAGE_DELIVERED, NULL, NULL);
    case PHONE_TASK_NOW_GIVEN_UP:
        return message_move(work, &message, MESSAGE_FAILED, "the phone could not send it",
                            phone_task_error(work, task));
    case PHONE_TASK_NOW_QUEUED:
    case PHONE_TASK_NOW_UNKNOWN:
    case PHONE_TASK_NOW_HANDED_OVER:
    case PHONE_TASK_UNCHANGED:
        return ERR_OK;
    }
    return ERR_INTERNAL;
}

const struct phone_task_owner message_task_owner = {
    .hold = hold_for_task,
    .make_text = make_task_text,
    .apply = apply_task,
};

/* --- Turns ------------------------------------------------------------------------------------ */

/* Each message takes a turn of its chat when it is created, so that no worker has to know what
 * another one sent. A message that does not go out at its turn takes another one behind all others
 * of the chat. One that is found late, as after a restart and perhaps with others, goes at once if
 * no other late one went to the chat within its pace. */

/* Groups and Telegram channels have ids below 0 or a @name. */
static int64_t pace_of(const char *chat_id)
{
    bool is_group = chat_id[0] == '-' || chat_id[0] == '@';
    return is_group ? MESSAGE_GROUP_PACE_MS : MESSAGE_CHAT_PACE_MS;
}

/* A @name is the same in upper and lower case. */
static const char *lower_case(struct arena *arena, const char *name)
{
    char *lower = arena_text(arena, name);
    for (char *c = lower; *c; c++) {
        if (*c >= 'A' && *c <= 'Z') *c = (char)(*c + ('a' - 'A'));
    }
    return lower;
}

enum err message_take_turn(struct work *work, const char *chat_id, int64_t *ret_run_at,
                           int64_t *ret_retry_after_ms)
{
    int64_t turn, last = work->now_ms + MESSAGE_CHAT_QUEUE_MS;
    enum err err = chat_turn_take(work, lower_case(work->arena, chat_id), pace_of(chat_id),
                                  work->now_ms, &turn);
    if (err) return err;
    if (turn > last) {
        *ret_retry_after_ms = turn - last;
        return ERR_RATE_LIMITED;
    }
    *ret_run_at = turn;
    return ERR_OK;
}

/* --- The bot ---------------------------------------------------------------------------------- */

/* A message that was sent has no text any more, but is as wanted as before. */
static enum err load_send(struct work *work, const struct uuid *id, struct channel_content *content)
{
    struct message message;
    enum err err = message_read(work, id, &message);
    if (err) return err;
    bool is_over = message.state == MESSAGE_FAILED || message.state == MESSAGE_UNKNOWN;
    if (is_over) return ERR_NOT_FOUND;
    content->chat_id = message.chat_id.text;
    if (message.state != MESSAGE_ACCEPTED) return ERR_OK;
    return open_text(work, &message, &content->text);
}

static const char *in_doubt(struct work *work, const char *error)
{
    return arena_printf(work->arena, "it is not known whether it was sent: %s",
                        error ? error : "the provider's answer tells nothing");
}

static enum err apply_send(struct work *work, const struct channel_send *send,
                           const char *learned_code)
{
    struct message message;
    (void)learned_code; /* only a code can be learned */
    enum err err = message_lock(work, &send->owner_id, &message);
    if (err) return err;

    switch (send->state) {
    case SEND_ACCEPTED: /* the bot's provider has it, so it is on its way */
    case SEND_SENT:
        return message_move(work, &message, MESSAGE_SENT, NULL, NULL);
    case SEND_DELIVERED:
        return message_move(work, &message, MESSAGE_DELIVERED, NULL, NULL);
    case SEND_FAILED:
        return message_move(work, &message, MESSAGE_FAILED,
                            send->error ? send->error : "the provider refused it",
                            channel_error(work, send));
    case SEND_UNKNOWN:
        return message_move(work, &message, MESSAGE_UNKNOWN, in_doubt(work, send->error),
                            in_doubt(work, channel_error(work, send)));
    case SEND_QUEUED:
    case SEND_FETCHING:
        return ERR_OK;
    }
    return ERR_INTERNAL;
}

static enum err next_turn(struct work *work, const struct uuid *id, int64_t at_least_ms,
                          int64_t *ret_run_at)
{
    struct message message;
    bool is_now = at_least_ms <= work->now_ms, may_go = false;

    enum err err = message_read(work, id, &message);
    if (err) return err;
    const char *chat = lower_case(work->arena, message.chat_id.text);
    int64_t pace_ms = pace_of(chat);
    if (is_now) err = chat_turn_go_late(work, chat, pace_ms, &may_go);
    if (err) return err;
    if (!may_go) return chat_turn_take(work, chat, pace_ms, at_least_ms, ret_run_at);
    *ret_run_at = work->now_ms;
    return ERR_OK;
}

const struct channel_owner message_channel_owner = {
    .load = load_send,
    .apply = apply_send,
    .next_turn = next_turn,
};

/* --- A scenario ------------------------------------------------------------------------------- */

enum err message_apply_test(struct work *work, const struct test_send *send)
{
    struct channel_send as_of_provider = {
        .owner_id = send->owner_id,
        .state = send->state,
        .error = send->error,
    };
    return apply_send(work, &as_of_provider, NULL);
}
