/*
 * Personal data goes when it is old enough, and when a person asks for it (contract, section 10.5).
 * A record stays as it is but for it: so counts, replays and limits hold. Until the window of a
 * limit is over, a keyed hash stands in for the number that the limit counts by.
 */
#pragma once

#include "core/work.h"
#include "kit/base/secret.h"
#include "kit/json/record.h"

/* The column `erased` of a record; NULL: its personal data is there. */
enum { PERSONAL_STANDS_IN = 1, PERSONAL_ERASED = 2 };

/* In place of a text by others that may name somebody, such as the error of a phone. */
#define PERSONAL_TEXT_GONE(column) \
    column " = CASE WHEN " column " IS NULL THEN NULL ELSE 'erased' END"

/* Hashes a number (E.164) under a key of the installation. */
void personal_hash(const struct work *work, const char *number,
                   uint8_t ret_hash[static SECRET_HASH_LEN]);
/* Returns the text that stands in for the number, in the arena. No number is such a text. */
const char *personal_stand_in(const struct work *work, const char *number);

/* The row of a record that tells it. */
#define PERSONAL_ERASED_ROW(owner)                                                \
    FIELD(owner, erased, FIELD_BOOLEAN, FIELD_OMIT_NULL,                          \
          "True if what was personal in it is erased; otherwise it is left out.", \
          .example = "true")

/* HERALD_PERSONAL_DAYS goes through a table along its ids, from where it stood on. */
struct personal_span {
    struct uuid after, before;
    bool is_due; /* false: there is nothing to do, since it is 0 */
};
/* Records of less than so much beyond the days stay: whatever ends them had its time by then. */
#define PERSONAL_SLACK_MS (60 * 60 * INT64_C(1000))
/* Returns the time before which records are old; 0: none is. */
int64_t personal_cutoff(const struct work *work);
/* ERR_OK, and the span of the table `place`. */
enum err personal_begin(struct work *work, const char *place,
                        struct personal_span *ret_span) MUST_CHECK;
/* Stores that the record with this id was the last one. */
enum err personal_end(struct work *work, const char *place, const struct uuid *last) MUST_CHECK;

/* --- personal_db.c --- */

/* Reads the last id; ERR_NOT_FOUND: there was none yet. */
enum err personal_mark_select(struct work *work, const char *place, struct uuid *ret_id) MUST_CHECK;
