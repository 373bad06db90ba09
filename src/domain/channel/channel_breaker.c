/* What counts as the provider's failure: no service, or no credentials; not a bad recipient. */
#include "domain/channel/channel_breaker.h"

bool breaker_allows(const struct breaker *breaker, int64_t now_ms)
{
    return breaker_wait_ms(breaker, now_ms) == 0;
}

int64_t breaker_wait_ms(const struct breaker *breaker, int64_t now_ms)
{
    if (!breaker->is_open || now_ms >= breaker->probe_at_ms) return 0;
    return breaker->probe_at_ms - now_ms;
}

bool breaker_is_probing(const struct breaker *breaker)
{
    return breaker->is_open;
}

static enum breaker_change close_circuit(struct breaker *breaker)
{
    bool was_open = breaker->is_open;
    *breaker = (struct breaker){0};
    return was_open ? BREAKER_CLOSED : BREAKER_UNCHANGED;
}

/* While it is open and no probe is due, this was a call from before. */
static enum breaker_change count_failure(struct breaker *breaker, int weight, int64_t now_ms)
{
    if (!breaker_allows(breaker, now_ms)) return BREAKER_UNCHANGED;
    breaker->failures += weight;
    if (!breaker->is_open && breaker->failures < BREAKER_FAILURES) return BREAKER_UNCHANGED;
    breaker->is_open = true;
    breaker->probe_at_ms = now_ms + BREAKER_OPEN_MS;
    return BREAKER_OPENED;
}

enum breaker_change breaker_count(struct breaker *breaker, enum channel_outcome outcome,
                                  int64_t now_ms)
{
    switch (outcome) {
    case OUTCOME_DONE:
    case OUTCOME_PERMANENT:
        return close_circuit(breaker);
    case OUTCOME_RATE_LIMITED: /* it serves, though not now: enough for a probe */
        if (breaker->is_open && breaker_allows(breaker, now_ms)) return close_circuit(breaker);
        return BREAKER_UNCHANGED;
    case OUTCOME_OURS: /* nobody's next call would do better */
        return count_failure(breaker, BREAKER_FAILURES, now_ms);
    case OUTCOME_RETRYABLE:
    case OUTCOME_UNKNOWN:
        return count_failure(breaker, 1, now_ms);
    }
    return BREAKER_UNCHANGED;
}
