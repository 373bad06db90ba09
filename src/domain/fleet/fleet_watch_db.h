/* These statements find SIMs and accounts that are to be looked at. */
#pragma once

#include "domain/fleet/fleet_watch.h"

/* A SIM or an account that is to be looked at. */
struct watched {
    const char *sender; /* the number or the account */
    struct uuid device_id;
    bool is_enabled;  /* its phone */
    int64_t heard_at; /* the last claim or declaration */
};

/* Read into `watched`, which has room for `max`, those whose time has come, the earliest first. On
 * PostgreSQL their rows are held, and those that others hold are left out. */
enum err device_number_select_watched(struct work *work, int max, struct watched *watched,
                                      size_t *ret_count) MUST_CHECK;
enum err device_account_select_watched(struct work *work, int max, struct watched *watched,
                                       size_t *ret_count) MUST_CHECK;
/* Store when to look next, or (0) that it is silent or gone `since`. */
enum err device_number_set_watch(struct work *work, const char *number, int64_t watch_at,
                                 int64_t since) MUST_CHECK;
enum err device_account_set_watch(struct work *work, const char *account_id, int64_t watch_at,
                                  int64_t since) MUST_CHECK;
