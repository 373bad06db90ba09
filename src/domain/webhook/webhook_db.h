/* The statements on webhook_endpoint and webhook_delivery have one function each. */
#pragma once

#include "domain/webhook/webhook.h"

enum err webhook_endpoint_insert(struct work *work,
                                 const struct webhook_endpoint *endpoint) MUST_CHECK;
enum err webhook_endpoint_update(struct work *work,
                                 const struct webhook_endpoint *endpoint) MUST_CHECK;
enum err webhook_endpoint_delete(struct work *work, const struct uuid *id) MUST_CHECK;
enum err webhook_endpoint_select_locked(struct work *work, const struct uuid *id,
                                        struct webhook_endpoint *ret_endpoint) MUST_CHECK;
/* Lists all, or those that are enabled. */
enum err webhook_endpoint_select_all(struct work *work, bool only_enabled,
                                     struct record_list *ret_endpoints) MUST_CHECK;
/* Lists those that are enabled, with whether a delivery is due. */
enum err webhook_endpoint_select_due(struct work *work,
                                     struct record_list *ret_endpoints) MUST_CHECK;
/* Notes since when nothing succeeded; 0: the last attempt did. */
enum err webhook_endpoint_set_failing(struct work *work, const struct uuid *id,
                                      int64_t since) MUST_CHECK;
/* `ret_is_disabled`: it was enabled before. */
enum err webhook_endpoint_disable(struct work *work, const struct uuid *id, const char *why,
                                  bool *ret_is_disabled) MUST_CHECK;

enum err webhook_delivery_insert(struct work *work,
                                 const struct webhook_delivery *delivery) MUST_CHECK;
enum err webhook_delivery_select_page(struct work *work, const struct uuid *endpoint_id, int state,
                                      const struct page_place *before, int64_t limit,
                                      struct record_list *ret_deliveries) MUST_CHECK;
/* Takes what is due of an endpoint under a lease; attempts count the one that begins. */
enum err webhook_delivery_claim(struct work *work, const struct uuid *endpoint_id, int max,
                                int64_t lease_until, struct record_list *ret_deliveries) MUST_CHECK;
/* Records attempts, each unless another one of its delivery has begun: state, next_attempt_at,
 * status and answer. `ret_are_recorded` tells for each of them whether it was. */
enum err webhook_delivery_end(struct work *work, const struct webhook_delivery *deliveries,
                              size_t count, bool *ret_are_recorded) MUST_CHECK;
enum err webhook_delivery_requeue(struct work *work, const struct uuid *id) MUST_CHECK;
enum err webhook_delivery_requeue_failed(struct work *work, const struct uuid *endpoint_id,
                                         int64_t since, int max, int64_t *ret_count) MUST_CHECK;
enum err webhook_delivery_delete_old(struct work *work, int64_t before_ms, int max,
                                     int64_t *ret_deleted) MUST_CHECK;
