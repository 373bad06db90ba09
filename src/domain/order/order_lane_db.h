/* The worker's statements on order_lane. The row is made with the first order of an integration
 * (order_lane_insert). */
#pragma once

#include "domain/order/order_lane.h"

/* A target says where an integration's orders go. */
struct order_target {
    const char *base_url, *order_path;
    struct str sealed_token;
    int64_t timeout_s;
};

/* A lane of which something is due. */
struct order_lane_row {
    struct uuid integration_id;
    bool is_held; /* by the one who asks */
    struct order_lane lane;
    struct order_target target;
};
struct order_lane_page {
    struct order_lane_row *rows;
    size_t count;
};

/* Reads lanes of enabled integrations with something due that `holder` or nobody holds, in order of
 * their ids, from behind `after` on, at most `max`. Those whose circuit is open are left out,
 * unless their probe is due. */
enum err order_lane_select_due(struct work *work, const struct uuid *holder,
                               const struct uuid *after, int max,
                               struct order_lane_page *ret_page) MUST_CHECK;

/* Takes `count` lanes at once; `ret_are_taken` is 1 where nobody else was faster. */
enum err order_lane_take(struct work *work, const struct uuid *holder, const struct uuid *ids,
                         size_t count, int64_t held_until, int64_t *ret_are_taken) MUST_CHECK;
/* Renews all that `holder` holds, until `held_until`, and returns at most `max` of them. */
enum err order_lane_renew(struct work *work, const struct uuid *holder, int64_t held_until,
                          size_t max, struct uuid **ret_ids, size_t *ret_count) MUST_CHECK;
enum err order_lane_release(struct work *work, const struct uuid *holder, const struct uuid *ids,
                            size_t count) MUST_CHECK;
enum err order_lane_release_all(struct work *work, const struct uuid *holder) MUST_CHECK;
/* Releases every lane: whoever held them is no more. */
enum err order_lane_release_everybodys(struct work *work) MUST_CHECK;

struct order_lane_state {
    struct uuid integration_id;
    struct order_lane lane;
    bool is_edge; /* its circuit has opened or closed since it was written */
};
/* Writes the state of those lanes that `holder` still holds; `ret_are_written` has `count` numbers,
 * not 0 for these. */
enum err order_lane_write(struct work *work, const struct uuid *holder,
                          const struct order_lane_state *states, size_t count,
                          int64_t *ret_are_written) MUST_CHECK;
