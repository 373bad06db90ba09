/* These statements find SIMs and accounts that are to be looked at, and keep what is known of those
 * that leave their phone. */
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

/* A number or an account that is nobody's, since it has left its phone. */
enum free_kind { FREE_NUMBER, FREE_ACCOUNT };
struct free_sender {
    int64_t heard_until; /* until then a number counted as ready; never in the time to come */
    int64_t watch_at;    /* it is to be looked at then; 0: it is not watched */
    int64_t
        silent_since; /* the log was told that it is silent, or gone, since then; 0: it was not */
};
/* Keeps what is known of one that is watched, or was told; of others there is nothing to keep. */
enum err free_sender_keep(struct work *work, enum free_kind kind, const char *sender,
                          const struct free_sender *known) MUST_CHECK;
/* Takes what is known of one that comes to a phone, which has time to be heard of. ERR_NOT_FOUND.
 */
enum err free_sender_take(struct work *work, enum free_kind kind, const char *sender,
                          struct free_sender *ret_known) MUST_CHECK;
