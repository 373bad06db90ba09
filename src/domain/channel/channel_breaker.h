/* A circuit breaker: after some failures in a row nobody calls for a while, then one call probes.
 */
#pragma once

#include "domain/channel/channel.h"

enum {
    BREAKER_FAILURES = 5, /* in a row, until the circuit opens */
    BREAKER_OPEN_MS = 30 * 1000,
};

enum breaker_change { BREAKER_UNCHANGED, BREAKER_OPENED, BREAKER_CLOSED };

struct breaker {
    int failures;        /* in a row */
    bool is_open;        /* until a call succeeds */
    int64_t probe_at_ms; /* monotonic: when one call may be tried */
};

/* Whether a call may be made: the circuit is closed, or a probe is due. */
bool breaker_allows(const struct breaker *breaker, int64_t now_ms);
/* How long nobody may call; 0: one may, at least to probe. */
int64_t breaker_wait_ms(const struct breaker *breaker, int64_t now_ms);
/* One call at a time until it is known that the provider serves again. */
bool breaker_is_probing(const struct breaker *breaker);
/* Counts how a call ended. Calls that began before the circuit opened and fail after change
 * nothing; a probe that fails opens it anew. */
enum breaker_change breaker_count(struct breaker *breaker, enum channel_outcome outcome,
                                  int64_t now_ms);
