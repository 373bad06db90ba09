/*
 * A message goes to a person through a personal messenger account on a phone, or from the messenger
 * bot to a known chat (doc A, sections 2 to 4 "Messages"; contract, sections 2 and 3). It is
 * accepted when it is stored; its text is sealed, and erased once nothing will be sent any more.
 * Messages live in the verification store.
 */
#pragma once

#include "domain/channel/channel.h"
#include "domain/messenger/messenger.h"
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

enum message_channel { MESSAGE_PERSONAL_MESSENGER, MESSAGE_MESSENGER_BOT };
extern const char *const message_channel_words[];

enum message_state {
    MESSAGE_ACCEPTED,
    MESSAGE_SENT,
    MESSAGE_DELIVERED,
    MESSAGE_FAILED,
    MESSAGE_UNKNOWN, /* it may have been sent, so it is not sent again (contract, section 9.21) */
};
extern const char *const message_state_words[];

struct message_input {
    int channel; /* enum message_channel */
    const char *text;
    const char *account_id;           /* personal_messenger */
    const char *recipient;            /* personal_messenger: a phone number */
    struct string_or_integer chat_id; /* messenger_bot: an id, or @name */
};

struct message {
    struct uuid id;
    int channel; /* enum message_channel */
    int state;   /* enum message_state */
    const char *account_id;
    const char *recipient;
    struct string_or_integer chat_id; /* as it was given */
    const char *error;
    int64_t created_at;
    int64_t updated_at;
    /* Not shown: */
    int64_t expires_at;
    struct str sealed_text; /* empty once nothing will be sent any more */
};

/* Stores a message with the id given and queues it. ERR_NOT_FOUND (the account). With
 * ERR_RATE_LIMITED (the chat or the account has more waiting than it can take) and
 * ERR_CIRCUIT_OPEN `ret_retry_after_ms` tells when to try again. */
enum err message_create(struct work *work, const struct uuid *id, const struct message_input *input,
                        struct message *ret_message, int64_t *ret_retry_after_ms) MUST_CHECK;
/* Reads a message. ERR_NOT_FOUND; ERR_INTERNAL: a later version of herald wrote a word that this
 * one does not know. */
enum err message_read(struct work *work, const struct uuid *id,
                      struct message *ret_message) MUST_CHECK;
/* Ends messages that nobody has sent within their life: they have failed or, if a phone had one and
 * never reported, are unknown. Forgets turns of chats that are over. At most `max` of each;
 * `ret_swept` is the greater count. */
enum err message_sweep(struct work *work, int max, int64_t *ret_swept) MUST_CHECK;

/* These say what phones and the bot are to send of a message, and take what came of it. */
extern const struct phone_task_owner message_task_owner;
extern const struct channel_owner message_channel_owner;

extern const struct record message_input_record;
extern const struct record message_record;

/* --- For the tables of app/ --- */

struct request;
enum err message_http_create(struct request *rq) MUST_CHECK;
/* Also what a repeated create is answered with. */
enum err message_http_read(struct request *rq) MUST_CHECK;
