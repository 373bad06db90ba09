/*
 * Readiness of SIMs, words on accounts and last-seen times that are renewed at every poll: noted in
 * memory and written once a second in short batches beside everything else, so that a poll itself
 * only reads (a fleet of 100,000 phones polls 20,000 times a second).
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
/* The same of one of its accounts, and until when the phone's word on it holds. */
bool presence_note_account(struct presence *presence, const struct uuid *device_id,
                           const char *account_id, int64_t state_until, int64_t seen_at);

/* Notes taken out, at most PRESENCE_CHUNK of them: what one transaction writes. */
struct presence_chunk;
enum { PRESENCE_CHUNK = 500 };
/* NULL: nothing was noted. The caller frees it. */
struct presence_chunk *presence_take(struct presence *presence);
void presence_chunk_free(struct presence_chunk *chunk);
/* Writes a chunk; may run twice. What fails is noted again by the next polls. */
enum err presence_write(const struct presence_chunk *chunk, struct work *work) MUST_CHECK;
