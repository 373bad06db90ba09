/*
 * Readiness and last-seen times that are renewed at every poll: noted in memory, written in one
 * batch a second, never a row a poll (a fleet of 100,000 phones polls 20,000 times a second).
 */
#pragma once

#include "domain/fleet/fleet.h"

enum { PRESENCE_NOTES_MAX = 65536, PRESENCE_FLUSH_MS = 1000 };

struct presence *presence_new(void);
void presence_free(struct presence *presence);

/* Notes that a phone was heard from; with a number and until when its SIM is ready, or NULL and 0.
 * False if there is no room until the next flush. Any thread. */
bool presence_note(struct presence *presence, const struct uuid *device_id, const char *number,
                   int64_t ready_until, int64_t seen_at);

/* Writes what was noted: a transaction of its own. What fails is noted again by the next polls. */
enum err presence_flush(struct presence *presence, struct work *work) MUST_CHECK;
/* Whether there is anything to flush. */
bool presence_is_dirty(struct presence *presence);
