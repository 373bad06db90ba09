/* The statements on accounts have one function each. */
#pragma once

#include "domain/fleet/fleet_account.h"

/* Fills `accounts` of devices in rising order of id, as they are stored, in order of account_id. */
enum err device_account_select(struct work *work, struct device *devices, size_t count) MUST_CHECK;

/* An account is read with its phone. */
struct account_owner {
    struct uuid device_id;
    bool is_enabled; /* the phone */
    struct device_account account;
};
/* ERR_NOT_FOUND. */
enum err device_account_select_owner(struct work *work, const char *account_id,
                                     struct account_owner *ret_owner) MUST_CHECK;

/* An account that is bound to another phone takes along whether it is gone, or is to be watched.
 * ERR_NUMBER_TAKEN if a phone is bound to it already. */
enum err device_account_insert(struct work *work, const struct uuid *device_id,
                               const char *account_id) MUST_CHECK;
/* Deletes the account only if it is that phone's. */
enum err device_account_delete(struct work *work, const struct uuid *device_id,
                               const char *account_id) MUST_CHECK;
/* Stores what its phone says of an account. */
/* `changes` of the account is how many more of its changes were events. */
enum err device_account_update(struct work *work, const struct uuid *device_id,
                               const struct device_account *account) MUST_CHECK;
/* Those accounts of the phone that are watched get all their time anew. */
enum err device_account_postpone_watch(struct work *work, const struct uuid *device_id) MUST_CHECK;
/* Extends what a phone said, only if the account is still its own, and that holds for a shorter
 * time, or for an impossibly long one. */
enum err device_account_extend(struct work *work, const struct uuid *device_id,
                               const char *account_id, int64_t state_until) MUST_CHECK;

/* Fills `ret_named[i]` for devices in rising order of id with what the phones declare without being
 * bound to it, as ACCOUNT_UNBOUND or ACCOUNT_TAKEN, in order of account_id. */
enum err named_account_select(struct work *work, const struct device *devices, size_t count,
                              struct record_list *ret_named) MUST_CHECK;
/* Stores that the phone named it now; `ret_state` is ACCOUNT_UNBOUND or ACCOUNT_TAKEN. */
enum err named_account_upsert(struct work *work, const struct uuid *device_id,
                              const struct device_account *account,
                              enum account_state *ret_state) MUST_CHECK;
enum err named_account_delete(struct work *work, const struct uuid *device_id,
                              const char *account_id) MUST_CHECK;
/* Deletes all that the phone named. */
enum err named_account_delete_all(struct work *work, const struct uuid *device_id) MUST_CHECK;
