/* The statements on active_challenge, one function each. */
#pragma once

#include "domain/challenge/challenge.h"
#include "kit/json/record.h"

/* `ret_changed` 0: another one holds the number. */
enum err active_insert(struct work *work, const char *number, const struct uuid *id,
                       int64_t expires_at, int64_t *ret_changed) MUST_CHECK;
enum err active_set_gateway(struct work *work, const char *number, const struct uuid *id,
                            const char *gateway_number) MUST_CHECK;
/* ERR_NOT_FOUND: it is active no more. */
enum err active_lock(struct work *work, const char *number, const struct uuid *id) MUST_CHECK;
/* ERR_NOT_FOUND: it is active no more. `ret_gateway` NULL: it has none. */
enum err active_select_gateway(struct work *work, const char *number, const struct uuid *id,
                               const char **ret_gateway) MUST_CHECK;
/* Who holds the number? ERR_NOT_FOUND. */
enum err active_select(struct work *work, const char *number, struct uuid *ret_id) MUST_CHECK;
/* Removes the row; ERR_NOT_FOUND. `ret_gateway` NULL: it has none. */
enum err active_delete(struct work *work, const char *number, const struct uuid *id,
                       const char **ret_gateway) MUST_CHECK;
/* Removes up to `max` rows whose time is over, and that of `number` (may be NULL). The gateway
 * numbers that they had, in the arena; `ret_count` counts all rows removed. */
enum err active_delete_over(struct work *work, const char *number, int max,
                            struct record_list *ret_gateways, int64_t *ret_count) MUST_CHECK;
