/*
 * Failed authentications per address: after THROTTLE_FAILURES_MAX in a minute, the address is
 * refused for the rest of that minute (contract, section 1, Keys). Fixed memory: where too many
 * addresses fail at once, the oldest are forgotten.
 */
#pragma once

#include "kit/base/str.h"

#include <stdint.h>

enum { THROTTLE_FAILURES_MAX = 20, THROTTLE_WINDOW_MS = 60 * 1000 };

struct throttle;

struct throttle *throttle_new(void);
void throttle_free(struct throttle *throttle);

/* How long this address is still refused, in ms; 0: it is not. Any thread. */
int64_t throttle_wait_ms(struct throttle *throttle, const char *address, int64_t now_ms);
void throttle_add_failure(struct throttle *throttle, const char *address, int64_t now_ms);
