/* These are the statements on active_challenge. */
#pragma once

#include "domain/challenge/challenge.h"
#include "kit/json/record.h"

/* Takes `number`, unless another challenge holds it that has time left, and removes up to `max`
 * rows whose time is over. `ret_former` is the challenge whose row was taken over, nil if there was
 * none. `ret_gateway_numbers` has the gateway numbers of the rows that are gone and of that one. */
enum err active_take(struct work *work, const char *number, const struct uuid *id,
                     int64_t expires_at, int max, bool *ret_is_taken, struct uuid *ret_former,
                     struct record_list *ret_gateway_numbers) MUST_CHECK;
/* Reads the gateway number of a challenge; NULL: none. ERR_NOT_FOUND: it is active no more. */
enum err active_select_gateway_number(struct work *work, const char *number, const struct uuid *id,
                                      const char **ret_gateway_number) MUST_CHECK;
/* Finds the challenge that holds the number. ERR_NOT_FOUND. */
enum err active_select(struct work *work, const char *number, struct uuid *ret_id) MUST_CHECK;
/* Removes the row, and tells its gateway number; NULL: it has none. ERR_NOT_FOUND. */
enum err active_delete(struct work *work, const char *number, const struct uuid *id,
                       const char **ret_gateway_number) MUST_CHECK;
/* Removes up to `max` rows whose time is over. `ret_gateway_numbers` has their gateway numbers. */
enum err active_delete_over(struct work *work, int max, struct record_list *ret_gateway_numbers,
                            int64_t *ret_count) MUST_CHECK;
