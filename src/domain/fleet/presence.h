/*
 * Phones renew the readiness of SIMs, what they say of accounts, and when they were last heard
 * from, at every poll. These renewals are kept in memory and written once a second in short batches
 * beside everything else, so that a poll itself only reads (a fleet of 100,000 phones polls 20,000
 * times a second).
 */
#pragma once

#include "domain/fleet/fleet.h"

enum {
    PRESENCE_RENEWALS_MAX = 65536,
    PRESENCE_FLUSH_MS = 1000,
    PRESENCE_STATUS_MAX = 32 * 1024 * 1024, /* bytes of the bodies of pings */
};

struct presence *presence_new(void);
void presence_free(struct presence *presence);

/* A phone was heard from, and said of one of its numbers until when the SIM is ready; or of none:
 * NULL and 0. False: there is no room until the next flush. Any thread may call it. */
bool presence_renew(struct presence *presence, const struct uuid *device_id, const char *number,
                    int64_t ready_until, int64_t seen_at);
/* A phone was heard from, and what it said of one of its accounts holds until `state_until`. */
bool presence_renew_account(struct presence *presence, const struct uuid *device_id,
                            const char *account_id, int64_t state_until, int64_t seen_at);

/* A phone was heard from by a ping with this body. */
bool presence_renew_status(struct presence *presence, const struct uuid *device_id, struct str body,
                           int64_t seen_at);

/* One transaction writes a chunk of at most PRESENCE_CHUNK renewals, which are taken out. */
struct presence_chunk;
enum { PRESENCE_CHUNK = 500 };
/* NULL: nothing was renewed. Free it with presence_chunk_free. */
struct presence_chunk *presence_take(struct presence *presence);
void presence_chunk_free(struct presence_chunk *chunk);
/* Writes a chunk; it may run twice. What fails is renewed by the next polls. */
enum err presence_write(const struct presence_chunk *chunk, struct work *work) MUST_CHECK;
