/*
 * A number has at most one active challenge, over inbound calls and one-time codes together, and no
 * race on any engine makes it two (contract, section 2, rule 2): the number is the primary key of a
 * table, and the clock alone ends its row. The room also counts what each gateway number is busy
 * with (rule 1). It lives in the verification store.
 */
#pragma once

#include "core/service.h"
#include "kit/json/record.h"

enum {
    CHALLENGE_SETTLE_MAX = 200,
};

/* service->challenges has who can end a challenge, calls and codes; app.c names them. */
struct challenge_setup {
    /* Makes the challenge expired, unless it has ended. `ret_is_found` is false if it is of another
     * kind, and while another transaction of PostgreSQL holds its row. */
    enum err (*expire[2])(struct work *work, const struct uuid *id, bool *ret_is_found);
};

/* A challenge is taken in two steps, since the number that it goes over is chosen only when all
 * limits were passed. On PostgreSQL rows are locked in the order that ARCHITECTURE.md has. */

/* Takes `number` for the challenge `id` until `expires_at`. ERR_ACTIVE_CHALLENGE_EXISTS:
 * `ret_other` is the one that holds it; otherwise it is the one that looked expired and lost its
 * place, which challenge_expire is to be told of, or nil. Whether or not it gets `number`, it also
 * subtracts expired challenges from the load of their gateway numbers: the former one of `number`,
 * and, if a gateway number is to be chosen by these loads (`wanted` NULL), up to
 * CHALLENGE_SETTLE_MAX others. With `wanted` the transaction will wait for that number's row, so it
 * must not hold the rows of others. */
enum err challenge_take(struct work *work, const char *number, const struct uuid *id,
                        int64_t expires_at, const char *wanted, struct uuid *ret_other) MUST_CHECK;
/* Makes the challenge expired that lost its place (contract, section 2, rule 2); nil: nothing
 * happens. It locks what is to be sent of it, so it follows the choice of a gateway number.
 * ERR_TX_RETRY: another transaction is about to end it. */
enum err challenge_expire(struct work *work, const struct uuid *id) MUST_CHECK;
/* Stores the gateway number that the challenge goes over, which was counted when it was taken;
 * NULL: it goes over none. */
enum err challenge_set_gateway_number(struct work *work, const char *number, const struct uuid *id,
                                      const char *gateway_number) MUST_CHECK;
/* On PostgreSQL holds the active row, if there is one, until the end of the transaction. */
enum err challenge_hold(struct work *work, const char *number, const struct uuid *id) MUST_CHECK;
/* Moves the challenge to another gateway number, and the count with it. Where it is active no more,
 * that number, which was counted when it was chosen, is given back. */
enum err challenge_move_gateway_number(struct work *work, const char *number, const struct uuid *id,
                                       const char *gateway_number) MUST_CHECK;

/* On PostgreSQL holds the rows of all challenges that go over these gateway numbers (const char *,
 * DEVICE_NUMBERS_MAX at most), until the end of the transaction. */
enum err challenge_hold_gateways(struct work *work, const struct record_list *numbers) MUST_CHECK;
/* The challenges that go over these gateway numbers go over none from now on, since their phone
 * gave the numbers up; who has such a number next does not inherit them. */
enum err challenge_forget_gateways(struct work *work, const struct record_list *numbers) MUST_CHECK;

/* Ends the challenge `id`. Nothing happens if it holds `number` no more. `ret_gateway_number`,
 * which may be NULL, is the gateway number that it went over; NULL: none that is known. */
enum err challenge_release(struct work *work, const char *number, const struct uuid *id,
                           const char **ret_gateway_number) MUST_CHECK;
/* Ends several challenges at once: `ids[i]` holds `numbers[i]`. */
enum err challenge_release_all(struct work *work, const char *const *numbers,
                               const struct uuid *ids, size_t count) MUST_CHECK;

/* The condition that the challenge still holds its number. Another one may have taken the place of
 * one that looked expired to its process, and then that is what it is (contract, section 2, rule
 * 2). */
#define CHALLENGE_HOLDS(number, id) \
    "(SELECT a.challenge_id FROM active_challenge AS a WHERE a.number = " number ") = " id
/* Tells the same of one. */
enum err challenge_is_held(struct work *work, const char *number, const struct uuid *id,
                           bool *ret_is_held) MUST_CHECK;

/* The clock alone ends a challenge, which is still alive at its very last millisecond. */
static inline bool challenge_is_over(int64_t expires_at, int64_t now_ms)
{
    return now_ms > expires_at;
}

/* Takes challenges that the clock has ended off the counts, at leisure and at most `max`. */
enum err challenge_sweep(struct work *work, int max, int64_t *ret_swept) MUST_CHECK;
