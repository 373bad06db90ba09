/*
 * How a lane goes on. An ERP that is down answers nobody; so after some failures its orders are
 * left alone, and come back one by one: no storm when it is up again.
 */
#include "domain/order/order_lane.h"

#include "kit/base/clock.h"

static bool is_half_open(const struct order_lane *lane)
{
    return !order_lane_is_open(lane) && lane->failures >= ORDER_BREAKER_FAILURES;
}

/* An open circuit stays as it is: the probe decides. */
static enum order_lane_change count_success(struct order_lane *lane)
{
    bool was_failing = lane->failures > 0;

    lane->failures = 0;
    return was_failing && !order_lane_is_open(lane) ? LANE_RECOVERED : LANE_SAME;
}

static enum order_lane_change count_failure(struct order_lane *lane, int64_t now_ms)
{
    lane->failures++;
    if (order_lane_is_open(lane)) return LANE_SAME;
    if (lane->failures >= ORDER_BREAKER_FAILURES) {
        lane->probe_at = now_ms + ORDER_PROBE_EVERY_MS;
        return LANE_OPENED;
    }
    return lane->failures == 1 ? LANE_FAILING : LANE_SAME;
}

enum order_lane_change order_lane_count(struct order_lane *lane, enum order_outcome outcome,
                                        int64_t now_ms)
{
    switch (outcome) {
    case ATTEMPT_ACCEPTED:
    case ATTEMPT_REJECTED:
        return count_success(lane);
    case ATTEMPT_CONTRACT_ERROR:
    case ATTEMPT_REFUSED:
    case ATTEMPT_UNKNOWN:
    case ATTEMPT_NOT_SENT:
        return count_failure(lane, now_ms);
    }
    return LANE_SAME;
}

int order_lane_room(const struct order_lane *lane, int under_way, bool is_quick,
                    enum order_crowd crowd)
{
    bool is_ahead = is_quick && crowd == CROWD_NONE && lane->failures == 0;
    int most = is_ahead ? ORDER_IN_FLIGHT_MAX + ORDER_AHEAD_MAX : ORDER_IN_FLIGHT_MAX;

    if (crowd == CROWD_LARGE || is_half_open(lane)) most = 1;
    if (order_lane_is_open(lane) || under_way >= most) return 0;
    return most - under_way;
}

int order_lane_share(int budget, size_t lanes)
{
    if (budget <= 0 || lanes == 0) return 0;
    return (size_t)budget < lanes ? 1 : (int)((size_t)budget / lanes);
}

bool order_lane_is_open(const struct order_lane *lane)
{
    return lane->probe_at != 0;
}

bool order_lane_is_probe_due(const struct order_lane *lane, int64_t now_ms)
{
    return order_lane_is_open(lane) &&
           clock_left_ms(lane->probe_at, ORDER_PROBE_EVERY_MS, now_ms) == 0;
}

void order_lane_begin_probe(struct order_lane *lane, int64_t now_ms)
{
    lane->probe_at = now_ms + ORDER_PROBE_EVERY_MS;
}

void order_lane_close(struct order_lane *lane)
{
    lane->probe_at = 0;
}

bool order_lane_warns(struct order_lane *lane, int64_t now_ms)
{
    bool is_told = lane->warned_at != 0 && lane->warned_at <= now_ms;

    if (is_told && now_ms - lane->warned_at < ORDER_WARN_EVERY_MS) return false;
    lane->warned_at = now_ms;
    return true;
}
