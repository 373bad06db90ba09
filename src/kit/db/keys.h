/* A statement can look for the rows of several keys at once: `owner_id IN DB_KEYS`. */
#pragma once

#include "kit/db/db.h"

enum { DB_KEYS_MAX = 50 };

#define DB_KEYS                                                                               \
    "($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, " \
    "$20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, "   \
    "$37, $38, $39, $40, $41, $42, $43, $44, $45, $46, $47, $48, $49, $50)"

/* Fills the arguments with 1 to DB_KEYS_MAX ids; the first one stands in each place that is left,
 * so that all these statements have one text. */
static inline void db_fill_keys(const struct uuid *ids, size_t count,
                                struct db_arg ret_args[static DB_KEYS_MAX])
{
    assert(count > 0 && count <= DB_KEYS_MAX);
    for (size_t i = 0; i < DB_KEYS_MAX; i++)
        ret_args[i] = db_uuid(&ids[i < count ? i : 0]);
}
