/*
 * One active challenge per number, over inbound calls and one-time codes together, race-free on
 * every engine (contract, section 2, rule 2): a key table with the number as its primary key and an
 * expiry that the clock alone ends. Also counts what each gateway number is busy with (rule 1).
 * Lives in the verification store.
 */
#pragma once

#include "domain/service.h"

enum { CHALLENGE_SETTLE_MAX = 16 };

/* Before a gateway number is chosen: challenges that the clock has ended are taken off the counts,
 * the one of `number` in any case, of others as many as CHALLENGE_SETTLE_MAX. */
enum err challenge_settle(struct work *work, const char *number) MUST_CHECK;

/* Takes `number` for the challenge `id` until `expires_at`; after challenge_settle.
 * `gateway_number` (may be NULL) is what the challenge goes over, counted when it was chosen.
 * ERR_ACTIVE_CHALLENGE_EXISTS: `ret_active` is the one that holds it. */
enum err challenge_take(struct work *work, const char *number, const struct uuid *id,
                        const char *gateway_number, int64_t expires_at,
                        struct uuid *ret_active) MUST_CHECK;

/* The challenge `id` stops being active. Nothing happens if it holds `number` no more. */
enum err challenge_release(struct work *work, const char *number, const struct uuid *id) MUST_CHECK;

/* The clock alone ends a challenge: at its very last millisecond it is still alive. */
static inline bool challenge_is_over(int64_t expires_at, int64_t now_ms)
{
    return now_ms > expires_at;
}

/* Takes what the clock has ended off the counts at leisure, at most `max`. */
enum err challenge_sweep(struct work *work, int max, int64_t *ret_swept) MUST_CHECK;
