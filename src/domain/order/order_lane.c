/* A lane goes on here, with its circuit and without one fetch more than its ERP can take. */
#include "domain/order/order_lane.h"

#include <stdio.h>

enum circuit_change order_lane_count(struct order_lane *lane, enum order_outcome outcome,
                                     int64_t now_ms)
{
    switch (outcome) {
    case ATTEMPT_ACCEPTED:
    case ATTEMPT_REJECTED:
        if (!circuit_is_open(&lane->circuit)) return circuit_count_success(&lane->circuit);
        lane->circuit.failures = 0; /* the probe decides, but then it need not be half-open */
        return CIRCUIT_SAME;
    case ATTEMPT_CONTRACT_ERROR:
    case ATTEMPT_REFUSED:
    case ATTEMPT_UNKNOWN:
    case ATTEMPT_NOT_SENT:
        return circuit_count_failure(&lane->circuit, 1, now_ms);
    }
    return CIRCUIT_SAME;
}

void order_lane_note(struct order_lane *lane, const char *error, int64_t now_ms)
{
    bool is_shut = circuit_is_open(&lane->circuit) || circuit_is_half_open(&lane->circuit);

    if (error) {
        struct str text = utf8_cut(str_of(error), ORDER_LANE_ERROR_MAX);
        snprintf(lane->last_error, sizeof(lane->last_error), "%.*s", (int)text.len, text.data);
    }
    if (!is_shut && lane->circuit.failures == 0) lane->last_error[0] = '\0';
    if (!is_shut) lane->opened_at = 0;
    if (is_shut && lane->opened_at == 0) lane->opened_at = now_ms;
}

int order_lane_room(const struct order_lane *lane, int under_way, bool is_quick,
                    enum order_crowd crowd)
{
    bool is_ahead = is_quick && crowd == CROWD_NONE && lane->circuit.failures == 0;
    int most = is_ahead ? ORDER_IN_FLIGHT_MAX + ORDER_AHEAD_MAX : ORDER_IN_FLIGHT_MAX;

    if (crowd == CROWD_LARGE || circuit_is_half_open(&lane->circuit)) most = 1;
    if (circuit_is_open(&lane->circuit) || under_way >= most) return 0;
    return most - under_way;
}

int order_lane_share(int budget, size_t lanes)
{
    if (budget <= 0 || lanes == 0) return 0;
    return (size_t)budget < lanes ? 1 : (int)((size_t)budget / lanes);
}

bool order_lane_warns(struct order_lane *lane, int64_t now_ms)
{
    if (lane->warned_at != 0 && now_ms - lane->warned_at < ORDER_WARN_EVERY_MS) return false;
    lane->warned_at = now_ms;
    return true;
}
