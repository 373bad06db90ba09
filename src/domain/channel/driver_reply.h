/*
 * Drivers share this in reading answers: single values out of a JSON body, texts that hold no
 * secret, and the same meaning of an answer that no driver can read.
 */
#pragma once

#include "domain/channel/driver.h"
#include "kit/json/pointer.h"

enum {
    REPLY_ID_MAX = 128, /* bytes of a provider's id; a longer one is none */
    REPLY_WAIT_MAX_S = 24 * 60 * 60,
    REPLY_WAIT_MAX_MS = REPLY_WAIT_MAX_S * 1000,
};

/* A driver reads the answer of a provider. */
struct reply {
    const struct channel_driver *driver;
    const struct driver_config *config;
    const struct fetch *fetch;
    struct arena *arena;
};

/* Begins to read an answer. False: the driver has nothing to read (no answer, or no JSON object),
 * and `ret_answer` is complete. True: it is OUTCOME_UNKNOWN, for the driver to change. */
bool reply_open(const struct reply *reply, struct channel_answer *ret_answer);

/* Tells whether the HTTP status is 2xx. */
bool reply_is_success(const struct reply *reply);

/* Reads the string, the number's digits, "true" or "false" at `pointer`; NULL: it is absent, null,
 * an object or a list. */
const char *reply_scalar(const struct reply *reply, const char *pointer);
/* Tells whether there is a value at `pointer` that is not null. */
bool reply_has(const struct reply *reply, const char *pointer);
bool reply_is_true(const struct reply *reply, const char *pointer);
/* Reads a whole number, or a string of digits. */
bool reply_int(const struct reply *reply, const char *pointer, int64_t *ret_value);
/* Reads the number of an error as reply_int does, or where there is none, an HTTP status from 400
 * on. */
bool reply_error_code(const struct reply *reply, const char *pointer, int64_t *ret_code);
/* Reads an id that can be kept and sent back: visible ASCII, REPLY_ID_MAX at most; NULL: it is
 * none. */
const char *reply_id(const struct reply *reply, const char *pointer);

/* Returns what is kept of a provider's words, without the token (said_keep); NULL: there are none.
 */
const char *reply_words(const struct reply *reply, const char *text);

/* Takes a refusal, and the words in which the provider stated it; NULL: it said none. HTTP 429
 * makes it OUTCOME_RATE_LIMITED, and Retry-After its wait, if that is longer than
 * ret_answer->wait_ms. */
void reply_refused(const struct reply *reply, enum channel_outcome outcome, const char *words,
                   struct channel_answer *ret_answer);
/* Tells what a refusal means whose name or number the driver does not know. */
enum channel_outcome reply_unlisted(const struct reply *reply);
/* Takes an answer that is no JSON, or lacks a member that the driver needs. */
void reply_unreadable(const struct reply *reply, struct channel_answer *ret_answer);

/* Makes milliseconds of a wait in seconds, between 0 and REPLY_WAIT_MAX_MS. */
int64_t reply_wait_ms(int64_t wait_s);

/* Ends read_status: to ask once more is always safe, so nothing is unknown. */
void reply_end_status(struct channel_answer *answer);
