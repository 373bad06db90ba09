/* The statements on accounts, one function each. */
#pragma once

#include "domain/fleet/fleet_account.h"

/* Fills `accounts` of devices in rising order of id, as they are stored, in order of account_id. */
enum err device_account_select(struct work *work, struct device *devices, size_t count) MUST_CHECK;

/* An account with its phone. */
struct account_owner {
    struct uuid device_id;
    bool is_enabled; /* the phone */
    struct device_account account;
};
/* ERR_NOT_FOUND. */
enum err device_account_select_owner(struct work *work, const char *account_id,
                                     struct account_owner *ret_owner) MUST_CHECK;

/* Stores what `device_id` says of an account. `ret_is_stored` is false if another phone's word on
 * it still holds. */
enum err device_account_upsert(struct work *work, const struct uuid *device_id,
                               const struct device_account *account,
                               bool *ret_is_stored) MUST_CHECK;
/* Only if it is still that phone's, and for a shorter time, or for an impossibly long one. */
enum err device_account_extend(struct work *work, const struct uuid *device_id,
                               const char *account_id, int64_t state_until) MUST_CHECK;
/* Only if it is still that phone's, and its word has lapsed. */
enum err device_account_delete_lapsed(struct work *work, const struct uuid *device_id,
                                      const char *account_id) MUST_CHECK;
/* On PostgreSQL holds the row, if there is one, until the end of the transaction. */
enum err device_account_hold(struct work *work, const char *account_id) MUST_CHECK;
/* Those whose words ended before `before`, at most `max`, oldest first. */
enum err device_account_delete_old(struct work *work, int64_t before, int max,
                                   int64_t *ret_deleted) MUST_CHECK;
