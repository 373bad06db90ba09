/*
 * Every call that the providers took, until a test claims it. Bounded by count and by bytes: the
 * oldest go first. Not locked; its owner is.
 */
#pragma once

#include "kit/base/buf.h"
#include "sends.h"

enum { CALLS_MAX = 200000 };
#define CALLS_BYTES_MAX ((size_t)512 * 1024 * 1024)

struct call {
    uint64_t number; /* from 1 on */
    const char *provider;
    const char *method;
    char recipient[SEND_TEXT_MAX + 1];
    int64_t at_ms;
    bool had_effect; /* somebody was messaged or called by it */
    bool is_claimed;
    char *json; /* the whole record, an object without its last brace */
    size_t json_len;
};

/* Which calls; what is NULL (or negative) fits all. */
struct call_filter {
    const char *provider;
    const char *method;
    const char *recipient; /* normalized */
    const char *contains;  /* a text that stands in the record */
    int claimed;           /* 0, 1, or -1 for both */
    int had_effect;
    uint64_t after; /* only calls with a greater number */
};

struct ledger;

/* `file`: each call is appended to it as a line of JSON; NULL: to none. False from
 * ledger_can_write once that failed. */
struct ledger *ledger_new(const char *file);
void ledger_free(struct ledger *ledger);
bool ledger_can_write(const struct ledger *ledger);

uint64_t ledger_next_number(const struct ledger *ledger);
/* Gives the call its number. `take_json` becomes the ledger's: the record with its last brace. */
void ledger_add(struct ledger *ledger, struct call call, struct buf *take_json);
void ledger_clear(struct ledger *ledger);

/* The oldest call that fits and has a number above `filter->after`; NULL: none. */
const struct call *ledger_find(const struct ledger *ledger, const struct call_filter *filter);
/* The oldest unclaimed call that fits becomes claimed; NULL: none. */
const struct call *ledger_claim(struct ledger *ledger, struct call_filter filter);
size_t ledger_count(const struct ledger *ledger, struct call_filter filter);
/* How many were dropped for want of room. */
uint64_t ledger_dropped(const struct ledger *ledger);

/* The record of a call as JSON, with "claimed". */
void call_write(const struct call *call, struct buf *out);
