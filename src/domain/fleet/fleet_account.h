/*
 * Personal messenger accounts on phones (doc A, section 4 "Messages"; contract, section 2, rule
 * 9). The operator says which phone an account is bound to, as with numbers; no silence moves it. A
 * phone declares its accounts, and each word is good for 60 seconds. What it
 * declares without being bound to it is kept apart, shown to the operator, and never used.
 */
#pragma once

#include "domain/fleet/fleet.h"

enum {
    ACCOUNT_ID_MAX = 128,
    ACCOUNT_MESSENGER_MAX = 50,
    DEVICE_ACCOUNTS_MAX = 16,
    ACCOUNT_VALID_MS = 60 * 1000,
};

/* An account that a phone declares without being bound to it is forgotten this long after. */
#define ACCOUNT_NAMED_MS (24 * 60 * 60 * INT64_C(1000))

enum account_state {
    ACCOUNT_LINKED,
    ACCOUNT_CONNECTED,
    ACCOUNT_DISCONNECTED,
    ACCOUNT_BANNED,
    /* A phone does not say these: */
    ACCOUNT_UNBOUND, /* it is bound to nobody */
    ACCOUNT_TAKEN,   /* it is bound to another phone; not shown as an account */
};
extern const char *const account_state_words[];       /* of the states that a phone says */
extern const char *const account_shown_state_words[]; /* of all, as they are shown */

struct device_accounts_input {
    struct record_list accounts; /* of const char * */
};

struct accounts_input {
    struct record_list accounts; /* of struct device_account without state_until */
};

/* Binds these accounts (const char *) and no others to the phone, which exists. ERR_NUMBER_TAKEN:
 * another phone is bound to `ret_taken`. */
enum err fleet_bind_accounts(struct work *work, const struct uuid *device_id,
                             const struct record_list *account_ids,
                             const char **ret_taken) MUST_CHECK;
/* Binds accounts to a phone that may be unknown (ERR_NOT_FOUND), and reads the phone. */
enum err fleet_set_accounts(struct work *work, const struct uuid *device_id,
                            const struct device_accounts_input *input, struct device *ret_device,
                            const char **ret_taken) MUST_CHECK;
/* A phone declares accounts: what it says counts for those that it is bound to; the others are kept
 * for the operator, and the log tells of each once. ERR_DEVICE_DISABLED. ERR_VALIDATION: it named
 * more than DEVICE_ACCOUNTS_MAX of others within 60 seconds. Where the same is stored already and
 * will do for a while, it is only renewed in memory (presence.h); else it is stored, or in a read,
 * ERR_WRITE_NEEDED. */
enum err fleet_declare_accounts(struct work *work, const struct device *device,
                                const struct accounts_input *input) MUST_CHECK;
/* Checks that the account can send now. ERR_ACCOUNT_NOT_FOUND: it is bound to nobody.
 * ERR_ACCOUNT_NOT_CONNECTED: its phone is disabled, or did not say within 60 seconds that it is
 * connected. */
enum err fleet_check_account(struct work *work, const char *account_id) MUST_CHECK;
/* Checks that the phone is enabled and bound to the account: ERR_DEVICE_DISABLED,
 * ERR_NUMBER_NOT_OWNED. `ret_is_connected` (may be NULL) tells whether the phone last said so,
 * however long ago: the phone that asks is there. */
enum err fleet_check_own_account(struct work *work, const struct device *device,
                                 const char *account_id, bool *ret_is_connected) MUST_CHECK;
/* On PostgreSQL holds the account's row, which comes behind device_number in the order of locks. An
 * account that is bound to nobody any more has no row: its phone may still report. */
enum err fleet_hold_account(struct work *work, const char *account_id) MUST_CHECK;
/* Deletes, at most `max`, what phones declared without being bound to it and have not named for
 * ACCOUNT_NAMED_MS. */
enum err fleet_sweep_accounts(struct work *work, int max, int64_t *ret_swept) MUST_CHECK;

/* Fills `accounts` and `left_out` of devices in rising order of id, as they are shown: an account
 * that was not heard of is disconnected, and one that nobody is bound to stands behind the phone's
 * own. */
enum err fleet_show_accounts(struct work *work, struct device *devices, size_t count) MUST_CHECK;
/* Makes the field of a number or an account for the log, masked where it could be or hold a phone
 * number. */
struct log_field fleet_log_sender(const char *name, const char *sender);

extern const struct record accounts_input_record;
extern const struct record device_accounts_input_record;
