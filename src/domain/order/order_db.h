/* The statements by which orders are taken and asked about; those of the worker stand in
 * order_turn_db.h and order_lane_db.h. */
#pragma once

#include "domain/order/order.h"

/* --- Taking --- */

/* An order's content, as it is stored. */
struct order_text {
    const char *body;
    uint8_t fingerprint[SECRET_HASH_LEN];
    const char *product_ids; /* each once, a JSON array */
    int64_t product_count;
    uint8_t customer[SECRET_HASH_LEN]; /* of the phone */
    bool has_customer;                 /* false: it has no phone that can be read */
};
/* Inserts `delivery`, which is queued and due now, and sets how many of its products the catalog
 * has. `ret_is_new` false: there is one with its key, or its integration has one with its order_id.
 */
enum err order_insert(struct work *work, struct order_delivery *delivery,
                      const struct order_text *text, bool *ret_is_new) MUST_CHECK;
enum err order_body_insert(struct work *work, const struct uuid *id, struct str sealed) MUST_CHECK;
/* Reads the body of an order by the id of its delivery. ERR_NOT_FOUND: it is gone. */
enum err order_body_select(struct work *work, const struct uuid *id,
                           struct str *ret_sealed) MUST_CHECK;
/* Inserts the row of the integration's lane, free and with a closed circuit, unless it is there. */
enum err order_lane_insert(struct work *work, const struct uuid *integration_id) MUST_CHECK;

/* --- Reading --- */

/* Reads it by the order's own id; `ret_is_same`: its content has this fingerprint. ERR_NOT_FOUND.
 */
enum err order_select_same(struct work *work, const struct uuid *integration_id,
                           const struct uuid *order_id,
                           const uint8_t fingerprint[static SECRET_HASH_LEN],
                           struct order_delivery *ret_delivery, bool *ret_is_same) MUST_CHECK;

/* Reads a page, newest first, from behind the order made then with that id; `filter->search` is not
 * looked at. */
enum err order_select_page(struct work *work, const struct order_filter *filter,
                           const struct page_place *before, int64_t limit,
                           struct record_list *ret_orders) MUST_CHECK;

/* Cuts a search for the orders of a customer, whose hash it has, and reads a page of it. */
enum err order_cut_search(struct work *work, struct search *search) MUST_CHECK;
enum err order_select_page_of(struct work *work, const struct order_filter *filter,
                              const struct search *search, int64_t limit,
                              struct record_list *ret_orders) MUST_CHECK;

/* Reads a page, oldest first, from behind the attempt with this number. */
enum err order_attempt_select_page(struct work *work, const struct uuid *id, int64_t after,
                                   int64_t limit, struct record_list *ret_attempts) MUST_CHECK;

/* Reads the lines of its timeline; NULL: none. ERR_NOT_FOUND. */
enum err order_select_steps(struct work *work, const struct uuid *id,
                            const char **ret_steps) MUST_CHECK;

/* --- Erasing (order_erase_db.c) --- */

/* Marks orders of a customer, at most `max`, as to be erased; `ret_ended` has room for so many, and
 * gets those that have ended. */
enum err orders_mark_of(struct work *work, const uint8_t customer[static SECRET_HASH_LEN], int max,
                        int64_t *ret_marked, struct uuid *ret_ended,
                        size_t *ret_ended_count) MUST_CHECK;
enum err orders_mark_old(struct work *work, int64_t cutoff_ms, int max,
                         int64_t *ret_marked) MUST_CHECK;
/* Reads, and holds, orders that are to be erased and have ended. */
enum err orders_select_erasing(struct work *work, int max, struct uuid *ret_ids,
                               size_t *ret_count) MUST_CHECK;
/* Erases what is personal in their rows. */
enum err orders_erase(struct work *work, const struct uuid *ids, size_t count) MUST_CHECK;

/* --- Trying again --- */

/* On PostgreSQL holds the row until the end of the transaction. */
enum err order_hold(struct work *work, const struct uuid *id) MUST_CHECK;
/* Queues an order that is queued, failed or rejected, and has its body: it is due now, with
 * ORDER_RETRY_FOR_MS from now on. `ret_is_due` false: it was none of these, or its body is gone. */
enum err order_requeue(struct work *work, const struct order_delivery *order,
                       bool *ret_is_due) MUST_CHECK;
