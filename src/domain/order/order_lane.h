/*
 * The rules of a lane: how many orders of an integration may be under way, what failures do to it,
 * and when its ERP is asked whether it serves again (contract, section 6). Pure: the worker's side
 * keeps the lanes and the clock, order_lane_db.h stores them.
 *
 *   closed     up to ORDER_IN_FLIGHT_MAX at once. Where the ERP is quick, ORDER_AHEAD_MAX more are
 *              begun, whose fetches leave one by one as those before them end
 *   open       none. Only a probe of its health ends that, also when the answer to an earlier fetch
 *              comes in meanwhile
 *   half-open  one at a time, until one was served
 *
 * Failures are those of the ERP. What is wrong with one order (400, 409, 413, 422) is none, and no
 * success: some such orders, each tried for its 72 hours, would hold up all others.
 */
#pragma once

#include "domain/order/order.h"
#include "kit/job/circuit.h"

enum {
    ORDER_WARN_EVERY_MS = 3600 * 1000, /* of refused credentials */
    ORDER_AHEAD_MAX = 4,
    ORDER_QUICK_MS = 100, /* within so long does a quick ERP answer */
    ORDER_LANE_ERROR_MAX = 160,
};

struct order_lane {
    struct circuit circuit; /* by the wall clock: it is stored, and read by other workers */
    int64_t warned_at;      /* when refused credentials were last told; 0: never */
    int64_t opened_at;      /* since when it is open or half-open; 0: it is closed */
    char last_error[ORDER_LANE_ERROR_MAX +
                    1]; /* how a fetch or a probe failed last; "": it is well */
};

/* Counts how an attempt ended that tells of the ERP. Whatever the ERP decided, accepted or
 * rejected, is a success. */
enum circuit_change order_lane_count(struct order_lane *lane, enum order_outcome outcome,
                                     int64_t now_ms);

/* Notes how a fetch or a probe failed (NULL: it went well), and since when the circuit is not
 * closed. A lane that is well has neither. Comes behind each change of its circuit. */
void order_lane_note(struct order_lane *lane, const char *error, int64_t now_ms);

enum order_crowd {
    CROWD_NONE, /* ERPs wait for the database rather than it for them */
    CROWD_SOME,
    CROWD_LARGE, /* each lane has one, so that ERPs that do not answer leave places for others */
};
/* Returns how many more may begin while `under_way` are with their ERP, or begun ahead. */
int order_lane_room(const struct order_lane *lane, int under_way, bool is_quick,
                    enum order_crowd crowd);
/* Returns how many orders each of `lanes` with room may begin at most, so that all get their
 * turn. */
int order_lane_share(int budget, size_t lanes);

/* Returns whether refused credentials are to be told now; then they count as told. */
bool order_lane_warns(struct order_lane *lane, int64_t now_ms);
