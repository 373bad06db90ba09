/*
 * Every call that the simulator took, until a test claims it. Bounded by count and by bytes: the
 * oldest go first. Not locked; its owner is.
 */
#pragma once

#include "kit/json/writer.h"

enum { CALLS_MAX = 200000, LEDGER_SUBJECT_MAX = 40 };
#define CALLS_BYTES_MAX ((size_t)512 * 1024 * 1024)

struct call_record {
    uint64_t number;  /* from 1 on */
    const char *peer; /* who was called, where the simulator plays several; borrowed, as is: */
    const char *method;
    char subject[LEDGER_SUBJECT_MAX + 1]; /* whom or what it was about */
    int64_t at_ms;
    bool had_effect; /* somebody was messaged or called, something was made by it */
    bool is_claimed;
    char *json; /* the whole record, an object without its last brace */
    size_t json_len;
    const char *until_ended; /* stands behind it until ledger_end; NULL: it is whole */
};

/* It says which calls are meant; what is NULL (or negative) fits all: begin with
 * CALL_FILTER_ALL. */
struct call_filter {
    const char *peer;
    const char *method;
    const char *subject;
    const char *contains; /* a text that stands in the record */
    int claimed;          /* 0, 1, or -1 for both */
    int had_effect;
    const char *method_not; /* all but that one */
    uint64_t after;         /* only calls with a greater number */
};

#define CALL_FILTER_ALL                 \
    {                                   \
        .claimed = -1, .had_effect = -1 \
    }

struct ledger;

/* `file`: each call is appended to it as a line of JSON; NULL: to none. False from
 * ledger_can_write once that failed. */
struct ledger *ledger_new(const char *file);
void ledger_free(struct ledger *ledger);
bool ledger_can_write(const struct ledger *ledger);

uint64_t ledger_next_number(const struct ledger *ledger);
/* Gives the call its number. `take_json` becomes the ledger's: the record with its last brace. */
void ledger_add(struct ledger *ledger, struct call_record call, struct buf *take_json);
/* Adds what is known of a call only at its end, as further members (",\"a\":1"); nothing if it was
 * forgotten since. */
void ledger_end(struct ledger *ledger, uint64_t number, bool had_effect, struct str members);
void ledger_clear(struct ledger *ledger);

/* The oldest call that fits and has a number above `filter->after`; NULL: none. */
const struct call_record *ledger_find(const struct ledger *ledger,
                                      const struct call_filter *filter);
/* The oldest unclaimed call that fits becomes claimed; NULL: none. */
const struct call_record *ledger_claim(struct ledger *ledger, struct call_filter filter);
size_t ledger_count(const struct ledger *ledger, struct call_filter filter);
/* Returns how many were dropped for want of room. */
uint64_t ledger_dropped(const struct ledger *ledger);

/* The record of a call as JSON, with "claimed". */
void call_record_write(const struct call_record *call, struct buf *out);
/* Appends "calls": the oldest `limit` of those that fit. */
void ledger_put_calls(const struct ledger *ledger, struct call_filter filter, int64_t limit,
                      struct json_writer *json);
