/* The worker's statements on order_delivery, order_body and order_attempt. Each is for many orders
 * at once, since its round trip costs PostgreSQL more than an order. */
#pragma once

#include "domain/order/order.h"

/* --- Orders that are due --- */

struct due_order {
    struct uuid id;
    struct uuid order_id; /* the order's own */
    struct uuid integration_id;
    bool was_begun; /* by a worker that did not tell what came of it */
    int64_t attempts;
    int64_t failures; /* of its schedule */
    int64_t begun_at; /* of the attempt that was begun */
    int64_t give_up_at;
    const char *traceparent; /* of the request that took it (core/trace.h); NULL: none */
    struct str sealed;       /* body; none: it is gone */
};
struct due_orders {
    struct due_order *items;
    size_t count;
};

/* It says how many may begin of an integration. */
struct due_share {
    struct uuid integration_id;
    int max;
};

/* Selects those of each integration that are due the longest, without those that another
 * transaction has; PostgreSQL holds them until the end of this one. */
enum err due_orders_select(struct work *work, const struct due_share *shares, size_t share_count,
                           struct due_orders *ret_orders) MUST_CHECK;

struct order_begin {
    const struct due_order *order;
    int64_t due_at; /* when another worker may begin the next attempt */
};
/* Begins orders that this transaction has selected; nobody else has changed them since. */
enum err orders_begin(struct work *work, const struct order_begin *begins, size_t count) MUST_CHECK;

/* --- What came of them --- */

struct order_end {
    struct uuid id;
    int64_t attempt;
    enum order_state state;
    int64_t due_at; /* 0: never again by itself */
    const char *erp_order_id, *erp_number;
    const char *error, *words;
    int64_t failures; /* of its schedule */
};
/* Ends attempts. `ret_are_ended` is 1 where it was still this attempt; an acceptance counts
 * whatever the attempt is by now, unless one is known already. */
enum err orders_end(struct work *work, const struct order_end *ends, size_t count,
                    int64_t *ret_are_ended) MUST_CHECK;
/* Tells whether the order is known to be accepted as another document than `end` tells. */
enum err order_has_other_document(struct work *work, const struct order_end *end,
                                  bool *ret_has) MUST_CHECK;
enum err order_bodies_delete(struct work *work, const struct uuid *ids, size_t count) MUST_CHECK;

struct attempt_row {
    struct uuid id;
    struct order_attempt attempt;
};
/* Inserts attempts. What is told of one later takes the place of what was told before. */
enum err order_attempts_insert(struct work *work, const struct attempt_row *rows,
                               size_t count) MUST_CHECK;

/* --- Without a worker that serves them --- */

/* Selects orders whose time was over at `give_up_at`, the longest first, without those that are
 * being delivered. */
enum err overdue_orders_select(struct work *work, int64_t give_up_at, int max,
                               struct due_orders *ret_orders) MUST_CHECK;
enum err orders_fail(struct work *work, const struct due_order *orders, size_t count,
                     const char *error, int64_t *ret_are_failed) MUST_CHECK;
/* Selects orders whose body has been kept for its time, the longest first, without those that
 * another transaction has; PostgreSQL holds them until the end of this one. `ret_ids` has room for
 * `max`. */
enum err bodies_over_select(struct work *work, int max, struct uuid *ret_ids,
                            size_t *ret_count) MUST_CHECK;
/* Forgets the bodies of orders that this transaction has selected. */
enum err orders_forget_bodies(struct work *work, const struct uuid *ids, size_t count) MUST_CHECK;
/* Makes all that are being delivered due now: whoever was delivering them is no more. */
enum err orders_release(struct work *work) MUST_CHECK;
/* Does so for a worker that is dead, by the lanes that it held; PostgreSQL only. */
enum err orders_release_of(struct work *work, const struct uuid *holder) MUST_CHECK;
