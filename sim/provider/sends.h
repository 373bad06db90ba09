/*
 * Sends are what the providers sent: each message or call that went out to somebody, with its code
 * and what becomes of it. Bounded: the oldest are forgotten. Not locked; their owner is.
 */
#pragma once

#include "kit/base/arena.h"

#include <stdint.h>

enum { SENDS_MAX = 200000, SEND_TEXT_MAX = 40, SEND_UNIQUE_MAX = 64, SEND_CODE_MAX = 10 };

/* A send comes to one of these, in the words of the control API; each provider has its own on the
 * wire. */
enum send_status {
    STATUS_PENDING,     /* nothing is known of it yet */
    STATUS_DELIVERED,   /* the message arrived, the call was placed */
    STATUS_READ,        /* messages: and was read */
    STATUS_UNDELIVERED, /* it never arrives: expired, not connected */
    STATUS_REVOKED,     /* messages: taken back */
    STATUS_SILENT,      /* the provider's answer leaves the status out */
    STATUS_COUNT
};
extern const char *const send_status_words[STATUS_COUNT + 1]; /* NULL at the end */

/* It says what becomes of a send, and when that is known. */
struct outcome {
    enum send_status status;
    int64_t after_ms;
    bool is_reported; /* by itself, to the callback URL of the send */
};

enum send_key { SEND_BY_ID, SEND_BY_RECIPIENT, SEND_BY_UNIQUE, SEND_KEY_COUNT };

struct provider;

struct send {
    const struct provider *provider;
    char id[SEND_TEXT_MAX + 1]; /* as the provider gave it out */
    char recipient[SEND_TEXT_MAX + 1];
    char unique[SEND_UNIQUE_MAX + 1]; /* "": the caller gave none */
    char code[SEND_CODE_MAX + 1];
    bool is_out; /* false: so far only asked whether it could be sent */
    int64_t made_ms;
    int64_t changed_ms; /* since when its status is what it is; in the future while it is pending */
    enum send_status status; /* from changed_ms on */
    bool is_reported;
    bool is_unreachable;
    char *callback_url; /* NULL: none */
    char *payload;
    char guess[SEND_CODE_MAX + 1]; /* the code that was last entered; "" none */
    int64_t guessed_ms;
    struct send *next[SEND_KEY_COUNT]; /* of the same bucket */
};

struct sends;

struct sends *sends_new(void);
void sends_free(struct sends *sends);
/* Forgets all; numbers go on, so that no id is given out twice. */
void sends_clear(struct sends *sends);

/* A number that no other run of this program gave out, as far as its clock goes forward. */
int64_t sends_next_number(struct sends *sends);

/* A new one, to be filled in by the caller apart from its three keys, which it copies (longer ones
 * are cut) and finds again. `unique` may be NULL. */
struct send *sends_add(struct sends *sends, const struct provider *provider, const char *id,
                       const char *recipient, const char *unique);
/* The newest of that provider (NULL: of any); NULL if there is none. */
struct send *sends_find(const struct sends *sends, enum send_key key,
                        const struct provider *provider, const char *text);

/* The one that was added `back` before the newest; NULL: there are not so many. */
const struct send *sends_recent(const struct sends *sends, uint64_t back);

/* Returns what is known of it at that time. */
enum send_status send_status(const struct send *send, int64_t now_ms);

/* Phones in every shape that the providers take become +7…; anything else stays as it is. */
void recipient_normalize(const char *text, char ret_recipient[static SEND_TEXT_MAX + 1]);
