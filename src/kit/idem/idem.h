/*
 * Idempotency keys (contract, section 1): the same key with the same body makes one resource, also
 * at the same moment; with another body it is a conflict. Only successes are remembered, since the
 * row goes with its transaction.
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
                                (contract, section 9.20) */
    uint8_t fingerprint[32]; /* of the body, json_fingerprint */
};

/*
 * Takes the key for `resource`, the id that the resource will have if it is created. First thing of
 * the transaction: a second one with the same key waits here for the first to end.
 * ERR_OK with `ret_is_replay` false: go on and create. True: `ret_original` is the resource that
 * the key stands for. ERR_IDEMPOTENCY_CONFLICT: the key came with another body before.
 */
enum err idem_take(struct db_tx *tx, const struct idem_key *key, const struct uuid *resource,
                   bool *ret_is_replay, struct uuid *ret_original) MUST_CHECK;
