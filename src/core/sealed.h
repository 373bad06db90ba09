/*
 * This list has every column whose values the vault seals (contract, section 10.4). Code that seals
 * or opens a value names its column by it, and sealing anew walks through it (app/jobs/reseal.c).
 * One sealed value is not in it: the text in vault_check by which a database knows its key
 * (app/setup/vault_db.h).
 */
#pragma once

#include "kit/base/secret.h"

/* X(name, store, table, column, key of the row, type of the key, rows that are read at once when
 * they are sealed anew) */
#define SEALED_COLUMNS(X)                                                                          \
    X(OTP_CODE, STORE_VERIFICATION, "otp", "code", "id", DB_BLOB, 1000)                            \
    X(SEND_CODE, STORE_VERIFICATION, "channel_send", "success_code", "id", DB_BLOB, 1000)          \
    X(TASK_WORDS, STORE_VERIFICATION, "phone_task", "words", "id", DB_BLOB, 1000)                  \
    X(SEND_WORDS, STORE_VERIFICATION, "channel_send", "words", "id", DB_BLOB, 1000)                \
    X(MESSAGE_WORDS, STORE_VERIFICATION, "message", "words", "id", DB_BLOB, 1000)                  \
    X(MESSAGE_TEXT, STORE_VERIFICATION, "message", "text", "id", DB_BLOB, 500)                     \
    X(ERP_TOKEN, STORE_EXCHANGE, "integration", "erp_token", "id", DB_BLOB, 100)                   \
    X(SIGNING_SEED, STORE_EXCHANGE, "signing_key", "sealed_seed", "kid", DB_TEXT, 100)             \
    X(SUBJECT_NUMBER, STORE_VERIFICATION, "subject_job", "number", "id", DB_BLOB, 100)             \
    X(SUBJECT_RESULT, STORE_VERIFICATION, "subject_job", "result", "id", DB_BLOB, 4)               \
    X(WEBHOOK_SECRET, STORE_VERIFICATION, "webhook_endpoint", "secret", "id", DB_BLOB, 50)         \
    X(WEBHOOK_OLD_SECRET, STORE_VERIFICATION, "webhook_endpoint", "old_secret", "id", DB_BLOB, 50) \
    X(ORDER_WORDS, STORE_EXCHANGE, "order_delivery", "words", "id", DB_BLOB, 500)                  \
    X(ATTEMPT_WORDS, STORE_EXCHANGE, "order_attempt", "words", "words_key", DB_BLOB, 500)          \
    X(ORDER_BODY, STORE_EXCHANGE, "order_body", "sealed", "id", DB_BLOB, 20)

enum sealed_column {
#define SEALED_NAME(name, ...) SEALED_##name,
    SEALED_COLUMNS(SEALED_NAME)
#undef SEALED_NAME
        SEALED_COLUMN_COUNT
};

static inline struct vault_place sealed_at(enum sealed_column column, struct str row)
{
    static const struct {
        const char *table, *column;
    } places[] = {
#define SEALED_PLACE(name, store, table, column, ...) [SEALED_##name] = {table, column},
        SEALED_COLUMNS(SEALED_PLACE)
#undef SEALED_PLACE
    };
    return (struct vault_place){places[column].table, places[column].column, row};
}

struct work;

/* Seals a value that the transaction stores in that row, into the arena. The key must still be in
 * force when the transaction is over, and another process may have replaced it; so the database is
 * asked, and work_check_seals looks at its answer. Returns ERR_STORAGE_UNAVAILABLE as vault_seal
 * does, and ERR_TX_RETRY if the key has changed since the last value of the transaction. */
enum err work_seal(struct work *work, enum sealed_column column, struct str row, struct str plain,
                   struct str *ret_sealed) MUST_CHECK;
/* The end of every run calls it; a work that shares the transaction of another one seals nothing.
 * Returns ERR_TX_RETRY if values were sealed under another key than that in force, which seals from
 * now on, and ERR_STORAGE_UNAVAILABLE if this process does not know that one. */
enum err work_check_seals(struct work *work) MUST_CHECK;
