/*
 * A timeline tells, step by step, what became of a code, a call, a message or an order (contract,
 * section 11.7). A step costs no row: whatever changes a row appends a short line to the column
 * `steps` of that row, in the same statement, and what the other columns tell is not written twice.
 * Reading adds up the lines of all rows of the owner, and what the columns tell, by time.
 *
 * No line holds a code, a key or the number of a customer.
 */
#pragma once

#include "kit/base/uuid.h"
#include "kit/json/record.h"

/* More steps than a timeline can have: the lines of a row are bounded, and so are its rows. */
enum { TIMELINE_STEPS_MAX = 1000, TIMELINE_ERROR_MAX = 80 /* bytes of an error in a line */ };

enum timeline_word {
    TIMELINE_CREATED,
    TIMELINE_QUEUED,
    TIMELINE_CLAIMED,
    TIMELINE_RETURNED,
    TIMELINE_MOVED,
    TIMELINE_CHECK,
    TIMELINE_FETCH,
    TIMELINE_STATUS,
    TIMELINE_SUCCESS,
    TIMELINE_ATTEMPT,
    TIMELINE_ACCEPTED,
    TIMELINE_SENT,
    TIMELINE_DELIVERED,
    TIMELINE_FAILED,
    TIMELINE_UNKNOWN,
    TIMELINE_REJECTED,
    TIMELINE_RETRIED,
    TIMELINE_WRONG_CODE,
    TIMELINE_FALLBACK,
    TIMELINE_UNDELIVERED,
    TIMELINE_CONFIRMED,
    TIMELINE_EXHAUSTED,
    TIMELINE_EXPIRED,
    TIMELINE_CANCELED,
    TIMELINE_CUT, /* later steps of a row, or earlier attempts, are not told */
    TIMELINE_WORD_COUNT
};
extern const char *const timeline_words[];
extern const char *const timeline_channel_words[]; /* of codes and of messages */
extern const char *const timeline_outcome_words[]; /* of fetches for sends, and for orders */

/* A member that is not told is NULL, nil or -1. */
struct timeline_step {
    int64_t at;
    int word;    /* enum timeline_word */
    int channel; /* index in timeline_channel_words */
    const char *gateway_number;
    const char *account_id;
    struct uuid device_id;
    const char *device_name;
    int64_t attempt;
    int64_t duration_ms;
    int64_t status; /* HTTP */
    int outcome;    /* index in timeline_outcome_words */
    const char *error;
};
/* Returns a step that tells nothing else. */
static inline struct timeline_step timeline_step_of(enum timeline_word word, int64_t at)
{
    return (struct timeline_step){
        .at = at,
        .word = (int)word,
        .channel = -1,
        .attempt = -1,
        .duration_ms = -1,
        .status = -1,
        .outcome = -1,
    };
}

struct timeline {
    struct record_list steps; /* of struct timeline_step */
    struct arena *arena;
    size_t capacity;
};
extern const struct record timeline_record;

/* --- In the database -------------------------------------------------------------------------- */

/* Makes the line of a step, in the arena: its word, time, device_id, gateway_number, duration_ms,
 * status, outcome and error, as far as they are told. The other members are those of its row. */
const char *timeline_line(struct arena *arena, const struct timeline_step *step);

/* The assignment that appends `line`, a parameter which is never NULL; the empty text appends
 * nothing. Where the column is full a mark is set in its place. */
#define TIMELINE_APPEND(line) TIMELINE_APPEND_UPTO(line, "2000")
/* The same of a code, which has few steps. */
#define TIMELINE_APPEND_SHORT(line) TIMELINE_APPEND_UPTO(line, "1000")
#define TIMELINE_APPEND_UPTO(line, max)                                             \
    "steps = CASE WHEN " line " = '' THEN steps"                                    \
    " WHEN LENGTH(COALESCE(steps, '')) < " max " THEN COALESCE(steps, '') || " line \
    " WHEN steps LIKE '%+' THEN steps ELSE steps || '+' END"
/* Appends the last line of a row, for which there is always room. */
#define TIMELINE_APPEND_LAST(line) "steps = COALESCE(steps, '') || " line

/* --- Reading ---------------------------------------------------------------------------------- */

void timeline_init(struct timeline *timeline, struct arena *arena);
void timeline_add(struct timeline *timeline, const struct timeline_step *step);
/* Adds the steps of a column (NULL: it has none). What a line does not tell is that of `row`. What
 * is no line, or has a word of a later version of herald, is left out. */
void timeline_add_lines(struct timeline *timeline, const char *steps,
                        const struct timeline_step *row);
/* Takes the step at `index` out again. */
void timeline_remove(struct timeline *timeline, size_t index);
/* Returns the step at `index`. */
struct timeline_step *timeline_at(const struct timeline *timeline, size_t index);
/* Puts the steps in the order of time; those of one moment stay as they were added. */
void timeline_sort(struct timeline *timeline);
