/*
 * Tallies count what metrics cannot: by a key that nobody knows beforehand, such as a number. Those
 * who scrape do not see them; who keeps counts reads them here and settles what was kept. So that
 * no stranger fills the memory, there are at most TALLY_MAX at a time, and what does not fit counts
 * under the key TALLY_OTHER. A tally is found under a lock that is held for the time of a hash.
 * They are a state of the process, as the cells of metrics are (kit/base/metric.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TALLY_MAX = 3000, TALLY_KEY_MAX = 31 };
#define TALLY_OTHER "other"

struct tally {
    const char *name, *outcome; /* of static life */
    char key[TALLY_KEY_MAX + 1];
    uint64_t count; /* since the last settlement that was an end */
};

/* Counts one; any thread may call. Of a longer key the first TALLY_KEY_MAX bytes count. */
void tally_add(const char *name, const char *key, const char *outcome);
/* Copies those that have grown since they were settled, TALLY_MAX at most, and returns how many. */
size_t tally_read(struct tally ret_tallies[static TALLY_MAX]);
/* These were kept as they were read. `is_end`: the time is over for which they counted, so each
 * begins anew with what came since it was kept. One thread reads and settles. */
void tally_settle(const struct tally *tallies, size_t count, bool is_end);
