/*
 * Every refusal can be looked up in the log by its request id (contract, section 2, rule 12). A
 * client that repeats what is refused must not fill the log, so of each kind, which is an error
 * towards one sort of client, at most REFUSALS_PER_SECOND a second have an entry; the next entry
 * of that kind says how many had none. The memory is fixed, and any thread may call. A successful
 * request costs nothing here.
 */
#pragma once

#include "kit/base/err.h"

#include <stdbool.h>
#include <stdint.h>

enum { REFUSALS_PER_SECOND = 10, REFUSALS_SECOND_MS = 1000 };

/* The sorts of clients that are refused. */
enum refused {
    REFUSED_CORE,
    REFUSED_PHONE,
    REFUSED_ERP,
    REFUSED_UNKNOWN, /* nobody knows who it is: it was refused before its key was looked up */
    REFUSED_COUNT
};
extern const char *const refused_words[REFUSED_COUNT + 1]; /* NULL at the end */

struct refusals;

struct refusals *refusals_new(void);
/* Takes NULL. */
void refusals_free(struct refusals *refusals);

/* Counts a refusal. Returns true if it has an entry; `ret_left_out` is then how many of its kind
 * had none since the last one that had. `now_ms` is of the monotonic clock. */
bool refusals_add(struct refusals *refusals, enum refused client, enum err err, int64_t now_ms,
                  int64_t *ret_left_out);

/* Refusals of one kind that had no entry, and after which none of their kind came. */
struct refusals_left_out {
    enum refused client;
    enum err err;
    int64_t count;
};
/* Takes those of a kind whose second is over, or with `is_last` of any; returns false if there are
 * none. */
bool refusals_take_left_out(struct refusals *refusals, int64_t now_ms, bool is_last,
                            struct refusals_left_out *ret_left_out);
