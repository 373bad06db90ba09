/*
 * What the drivers share in reading answers: single values out of a JSON body, texts that hold no
 * secret, and the same meaning of what no driver can read.
 */
#pragma once

#include "domain/channel/driver.h"
#include "kit/json/pointer.h"

enum {
    REPLY_ERROR_MAX = 200, /* bytes of a provider's text that are kept */
    REPLY_ID_MAX = 128,    /* bytes of a provider's id; a longer one is none */
    REPLY_WAIT_MAX_S = 24 * 60 * 60,
    REPLY_WAIT_MAX_MS = REPLY_WAIT_MAX_S * 1000,
};

/* The answer of a provider while its driver reads it. */
struct reply {
    const struct channel_driver *driver;
    const struct driver_config *config;
    const struct fetch_call *call;
    struct arena *arena;
};

/* False if the driver has nothing to read (no answer, or no JSON object): then `ret_answer` is
 * complete. Else it is OUTCOME_UNKNOWN, for the driver to change. */
bool reply_open(const struct reply *reply, struct channel_answer *ret_answer);

/* The HTTP status is 2xx. */
bool reply_is_success(const struct reply *reply);

/* The string, the number's digits, "true" or "false" at `pointer`; NULL if it is absent, null, an
 * object or a list. */
const char *reply_scalar(const struct reply *reply, const char *pointer);
/* There is a value at `pointer`, and it is not null. */
bool reply_has(const struct reply *reply, const char *pointer);
bool reply_is_true(const struct reply *reply, const char *pointer);
/* A whole number, or a string of digits. */
bool reply_int(const struct reply *reply, const char *pointer, int64_t *ret_value);
/* The number of an error: as reply_int, or where there is none, an HTTP status from 400 on. */
bool reply_error_code(const struct reply *reply, const char *pointer, int64_t *ret_code);
/* An id that can be kept and sent back: visible ASCII, REPLY_ID_MAX at most; NULL if it is none. */
const char *reply_id(const struct reply *reply, const char *pointer);

/* A provider's words as they may be shown and logged: short, without control characters, the token
 * and what could be a code or a phone number (redact_codes). NULL for none. */
const char *reply_words(const struct reply *reply, const char *text);
/* The same for a name or number of an error, whose digits stay. */
const char *reply_name(const struct reply *reply, const char *text);

/* A refusal that the provider stated. HTTP 429 makes it OUTCOME_RATE_LIMITED, and Retry-After its
 * wait, if that is the longer one than ret_answer->wait_ms. */
void reply_refused(const struct reply *reply, enum channel_outcome outcome, const char *error,
                   struct channel_answer *ret_answer);
/* What a refusal means whose name or number the driver does not know. */
enum channel_outcome reply_unlisted(const struct reply *reply);
/* What an answer means that is no JSON, or lacks a member that the driver needs. */
void reply_unreadable(const struct reply *reply, struct channel_answer *ret_answer);

/* A wait in seconds as ms, between 0 and REPLY_WAIT_MAX_MS. */
int64_t reply_wait_ms(int64_t wait_s);

/* The last step of read_status: to ask once more is always safe, so nothing is unknown. */
void reply_settle_status(struct channel_answer *answer);
