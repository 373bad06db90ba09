/* The statements on active_challenge. */
#pragma once

#include "domain/challenge/challenge.h"
#include "kit/json/record.h"

/* Takes `number`, unless another one holds it that has time left, and removes up to `max` rows
 * whose time is over. The gateway numbers of the rows that are gone, in the arena. */
enum err active_take(struct work *work, const char *number, const struct uuid *id,
                     int64_t expires_at, int max, bool *ret_is_taken,
                     struct record_list *ret_gateways) MUST_CHECK;
/* ERR_NOT_FOUND: it is active no more. `ret_gateway` NULL: it has none. */
enum err active_select_gateway(struct work *work, const char *number, const struct uuid *id,
                               const char **ret_gateway) MUST_CHECK;
/* Who holds the number? ERR_NOT_FOUND. */
enum err active_select(struct work *work, const char *number, struct uuid *ret_id) MUST_CHECK;
/* Removes the row; ERR_NOT_FOUND. `ret_gateway` NULL: it has none. */
enum err active_delete(struct work *work, const char *number, const struct uuid *id,
                       const char **ret_gateway) MUST_CHECK;
/* Removes up to `max` rows whose time is over, and as many that would last longer than any can. The
 * gateway numbers that they had, in the arena; `ret_count` is the greater count. */
enum err active_delete_over(struct work *work, int max, struct record_list *ret_gateways,
                            int64_t *ret_count) MUST_CHECK;
