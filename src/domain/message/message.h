/*
 * A message goes to a person through a personal messenger account on a phone, or from the messenger
 * bot to a known chat (doc A, sections 2 to 4 "Messages"; contract, sections 2 and 3). It is
 * accepted when it is stored; its text is sealed, and erased once nothing will be sent any more.
 * Messages live in the verification store.
 */
#pragma once

#include "core/metadata.h"
#include "core/search.h"
#include "domain/channel/channel.h"
#include "domain/messenger/messenger.h"
#include "domain/test_number/test_number.h"
#include "kit/json/record.h"

enum {
    MESSAGE_TEXT_MAX = 4096,               /* characters */
    MESSAGE_LIFE_MS = 24 * 60 * 60 * 1000, /* a message that was not sent in it has failed */
    /* The bot keeps this pace in one chat, and this one in a group or Telegram channel (20 a
       minute). */
    MESSAGE_CHAT_PACE_MS = 1000,
    MESSAGE_GROUP_PACE_MS = 3000,
    /* So many messages of an account may wait, that each is sent within its life; who has more is
     * told to ask again then. */
    MESSAGES_WAITING_MAX = 1000,
    MESSAGES_WAITING_RETRY_MS = 60 * 1000,
    MESSAGE_CHAT_QUEUE_MS = 10 * 60 * 1000, /* a chat whose turn is later than this is full */
};

enum message_channel {
    MESSAGE_PERSONAL_MESSENGER,
    MESSAGE_MESSENGER_BOT,
    MESSAGE_SMS, /* only from herald itself: alerts (contract, section 13.4) */
    MESSAGE_CHANNEL_COUNT
};
extern const char *const message_channel_words[];
extern const char *const message_input_channel_words[]; /* those that can be asked for */

enum message_state {
    MESSAGE_ACCEPTED,
    MESSAGE_SENT,
    MESSAGE_DELIVERED,
    MESSAGE_FAILED,
    MESSAGE_UNKNOWN, /* it may have been sent, so it is not sent again (contract, section 2,
                        "Records of messages") */
};
extern const char *const message_state_words[];

struct message_input {
    int channel; /* enum message_channel */
    const char *text;
    const char *account_id;           /* personal_messenger */
    const char *recipient;            /* personal_messenger, sms: a phone number */
    struct string_or_integer chat_id; /* messenger_bot: an id, or @name */
    const char *metadata;
};

struct message {
    struct uuid id;
    enum message_channel channel;
    enum message_state state;
    const char *account_id;
    const char *recipient;
    struct string_or_integer chat_id; /* as it was given */
    const char *error;
    int64_t created_at;
    int64_t updated_at;
    bool test;            /* to a test number */
    const char *metadata; /* NULL: none */
    bool erased;          /* its personal data is gone: no recipient, chat_id, metadata */
    /* Not shown: */
    int64_t expires_at;
    struct str sealed_text; /* empty once nothing will be sent any more */
    int64_t changes;        /* how many of its changes were events; not shown */
};

/* The messages that are looked for, which have all of these. */
struct message_filter {
    struct search_query search; /* by recipient */
    int state;                  /* enum message_state; -1: any */
    int channel;                /* enum message_channel; -1: any */
    const char *account_id;     /* NULL: any, or none */
    const char *chat_id;        /* the same */
    const char *gateway_number; /* over which an SMS goes, in any spelling; NULL: any, or none */
};
struct message_list {
    struct record_list messages; /* of struct message, newest first */
    const char *next_cursor;
};

/* Stores a message with the id given and queues it. ERR_ACCOUNT_NOT_FOUND; ERR_NO_READY_SIM,
 * ERR_NO_ENABLED_NUMBER (an SMS). With ERR_RATE_LIMITED (the chat or the account has more waiting
 * than it can take) and ERR_CIRCUIT_OPEN `ret_retry_after_ms` tells when to try again. */
enum err message_create(struct work *work, const struct uuid *id, const struct message_input *input,
                        struct message *ret_message, int64_t *ret_retry_after_ms) MUST_CHECK;
/* Reads a message. ERR_NOT_FOUND; ERR_INTERNAL: a later version of herald wrote a word that this
 * one does not know. */
enum err message_read(struct work *work, const struct uuid *id,
                      struct message *ret_message) MUST_CHECK;
/* Does the same for somebody who has to know its recipient or chat, and leaves a record of the
 * audit. */
enum err message_reveal(struct work *work, const struct uuid *id,
                        struct message *ret_message) MUST_CHECK;
/* Tells what became of a message, step by step. ERR_NOT_FOUND. */
enum err message_read_timeline(struct work *work, const struct uuid *id,
                               struct timeline *ret_timeline) MUST_CHECK;
/* ERR_VALIDATION: a cursor that is none of ours. */
enum err message_list(struct work *work, const struct message_filter *filter,
                      struct message_list *ret_list) MUST_CHECK;
/* Ends messages that nobody has sent within their life: they have failed or, if a phone had one and
 * never reported, are unknown. Forgets turns of chats that are over. At most `max` of each;
 * `ret_swept` is the greater count. */
enum err message_sweep(struct work *work, int max, int64_t *ret_swept) MUST_CHECK;

/* Erases what is personal in the messages to a number, at most `max`. One that was not sent yet is
 * not sent any more (contract, section 10.5). */
enum err message_erase_of(struct work *work, const char *number, int max,
                          int64_t *ret_erased) MUST_CHECK;
/* Does so with messages that are older than HERALD_PERSONAL_DAYS. */
enum err message_sweep_personal(struct work *work, int max, int64_t *ret_swept) MUST_CHECK;

/* These say what phones and the bot are to send of a message, and take what came of it; or what the
 * scenario of a test number makes of it. */
extern const struct phone_task_owner message_task_owner;
extern const struct channel_owner message_channel_owner;
enum err message_apply_test(struct work *work, const struct test_send *send) MUST_CHECK;

/* Tells whether phones send it, as tasks; else the bot does. */
static inline bool message_is_on_phones(const struct message *message)
{
    return message->channel != MESSAGE_MESSENGER_BOT;
}

extern const struct field_format message_format_chat_id;
extern const struct record message_input_record;
extern const struct record message_record;
extern const struct record message_filter_query; /* for route->query */
extern const struct record message_list_record;

/* --- For the tables of app/ --- */

struct route_table;
extern const struct route_table message_routes;
