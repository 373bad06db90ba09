/*
 * One active challenge per number, over inbound calls and one-time codes together, race-free on
 * every engine (contract, section 2, rule 2): a key table with the number as its primary key and an
 * expiry that the clock alone ends. Also counts what each gateway number is busy with (rule 1).
 * Lives in the verification store.
 */
#pragma once

#include "core/service.h"
#include "kit/base/clock.h"

enum {
    CHALLENGE_SETTLE_MAX = 200,
    CHALLENGE_LENGTH_MAX_MS = 900 * 1000, /* of calls and codes */
};

/* A challenge is taken in two steps, since the number that it goes over is chosen only when all
 * limits were passed. On PostgreSQL rows are locked in the order that ARCHITECTURE.md has. */

/* Takes `number` for the challenge `id` until `expires_at`. ERR_ACTIVE_CHALLENGE_EXISTS:
 * `ret_active` is the one that holds it. A former one of `number` that the clock has ended is taken
 * off the count of its gateway number, and, if a number is to be chosen by these counts (`wanted`
 * NULL), up to CHALLENGE_SETTLE_MAX others: also where `number` is not taken. Whoever names a
 * number waits for its row, and so must hold no others. */
enum err challenge_take(struct work *work, const char *number, const struct uuid *id,
                        int64_t expires_at, const char *wanted, struct uuid *ret_active) MUST_CHECK;
/* The challenge goes over this gateway number, which was counted when it was taken; NULL: none. */
enum err challenge_set_gateway(struct work *work, const char *number, const struct uuid *id,
                               const char *gateway_number) MUST_CHECK;
/* On PostgreSQL holds the active row, if there is one, until the end of the transaction. */
enum err challenge_hold(struct work *work, const char *number, const struct uuid *id) MUST_CHECK;
/* The challenge goes over another number from now on: the count moves with it. Where it is active
 * no more, that number, which was counted when it was chosen, is given back. */
enum err challenge_move_gateway(struct work *work, const char *number, const struct uuid *id,
                                const char *gateway_number) MUST_CHECK;

/* The challenge `id` stops being active. Nothing happens if it holds `number` no more. */
enum err challenge_release(struct work *work, const char *number, const struct uuid *id) MUST_CHECK;
/* The same for several at once: `ids[i]` holds `numbers[i]`. */
enum err challenge_release_all(struct work *work, const char *const *numbers,
                               const struct uuid *ids, size_t count) MUST_CHECK;

/* The clock alone ends a challenge: at its very last millisecond it is still alive. One that has
 * yet to begin is over: it would outlive its time. */
static inline bool challenge_is_over(int64_t created_at, int64_t expires_at, int64_t now_ms)
{
    return now_ms > expires_at || created_at > clock_latest(now_ms, 0);
}

/* Takes what the clock has ended off the counts at leisure, at most `max`. */
enum err challenge_sweep(struct work *work, int max, int64_t *ret_swept) MUST_CHECK;
