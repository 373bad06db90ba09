/*
 * Requests with the same idempotency key and the same body make one resource, also at the same
 * moment; with another body the key is a conflict (contract, section 1). Only successes are
 * remembered, since the row goes with its transaction.
 *
 * Table idempotency_key (migration 0001).
 */
#pragma once

#include "kit/db/db.h"

enum {
    IDEM_KEY_MAX = 200, /* characters */
    IDEM_KEY_BYTES_MAX = 4 * IDEM_KEY_MAX,
};

struct idem_key {
    const char *family;      /* "otp": keys are unique within it */
    const char *key;         /* 1 to IDEM_KEY_MAX characters of UTF-8 without control characters
                                (contract, section 1 "Idempotency-Key") */
    uint8_t fingerprint[32]; /* the json_fingerprint of the body */
};

/*
 * Takes the key for `resource`, the id that the resource will have if it is created. It is the
 * first thing that a transaction writes: a second one with the same key waits here for the first to
 * end. If `ret_is_replay` is false, go on and create; else `ret_original` is the resource that the
 * key stands for. Returns ERR_IDEMPOTENCY_CONFLICT if the key came with another body before.
 */
enum err idem_take(struct db_tx *tx, const struct idem_key *key, const struct uuid *resource,
                   bool *ret_is_replay, struct uuid *ret_original) MUST_CHECK;
