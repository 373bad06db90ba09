/*
 * Wrong passwords slow down the pair of an account and an address (contract, section 18.3), so that
 * a stranger who guesses keeps nobody else out. After OPERATOR_FREE_TRIES wrong ones each further
 * one doubles the time until the pair may try again, up to a minute. The memory is fixed: where too
 * many pairs guess at once, the oldest are forgotten. Any thread may call.
 */
#pragma once

#include "kit/http/address.h"

enum { OPERATOR_FREE_TRIES = 5, OPERATOR_WAIT_MAX_MS = 60 * 1000 };

struct login_guard;

struct login_guard *login_guard_new(void);
void login_guard_free(struct login_guard *guard);

/* Returns how long the pair still has to wait; 0: it may try. Times are monotonic. */
int64_t login_guard_wait(struct login_guard *guard, const char *name_key,
                         const struct in6_addr *address, int64_t now_ms);
/* Counts a password of the pair: a right one ends its slowness. */
void login_guard_count(struct login_guard *guard, const char *name_key,
                       const struct in6_addr *address, bool is_right, int64_t now_ms);
