/*
 * Personal messenger accounts on phones (doc A, section 4 "Messages"; contract, section 2, rule 9,
 * and section 9.1). The operator says which phone an account is bound to, as with numbers; no
 * silence moves it. A phone declares its accounts, and each word is good for 60 seconds. What it
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

/* What a phone declares without being bound to it is forgotten this long after it last did. */
#define ACCOUNT_NAMED_MS (24 * 60 * 60 * INT64_C(1000))

enum account_state {
    ACCOUNT_LINKED,
    ACCOUNT_CONNECTED,
    ACCOUNT_DISCONNECTED,
    ACCOUNT_BANNED,
    /* No word of a phone: */
    ACCOUNT_UNBOUND, /* it is bound to nobody */
    ACCOUNT_TAKEN,   /* it is bound to another phone; not shown as an account */
};
extern const char *const account_state_words[]; /* those that a phone can say */

struct device_accounts_input {
    struct record_list accounts; /* of const char * */
};

struct accounts_input {
    struct record_list accounts; /* of struct device_account without state_until */
};

/* From now on the phone is bound to these accounts (const char *) and to no others. The phone
 * exists. ERR_NUMBER_TAKEN: another phone is bound to `ret_taken`. */
enum err fleet_bind_accounts(struct work *work, const struct uuid *device_id,
                             const struct record_list *account_ids,
                             const char **ret_taken) MUST_CHECK;
/* The same of a phone that may be unknown (ERR_NOT_FOUND), which is then read. */
enum err fleet_set_accounts(struct work *work, const struct uuid *device_id,
                            const struct device_accounts_input *input, struct device *ret_device,
                            const char **ret_taken) MUST_CHECK;
/* A phone declares accounts: its word counts for those that it is bound to; the others are noted
 * for the operator, and the log is told of each once. ERR_DEVICE_DISABLED. ERR_VALIDATION: more
 * than DEVICE_ACCOUNTS_MAX of others within 60 seconds. What is stored already, says the same and
 * will do for a while is only noted, to be written with many others soon; else, in a read,
 * ERR_WRITE_NEEDED. */
enum err fleet_declare_accounts(struct work *work, const struct device *device,
                                const struct accounts_input *input) MUST_CHECK;
/* Whether the account can send now. ERR_NOT_FOUND: it is bound to nobody.
 * ERR_ACCOUNT_NOT_CONNECTED: it is not connected, its word has lapsed, or its phone is disabled. */
enum err fleet_check_account(struct work *work, const char *account_id) MUST_CHECK;
/* ERR_DEVICE_DISABLED, or ERR_NUMBER_NOT_OWNED, or fine. `ret_is_connected` (may be NULL): whether
 * the phone last said so; a word that has lapsed counts too, as the phone that asks is there. */
enum err fleet_check_own_account(struct work *work, const struct device *device,
                                 const char *account_id, bool *ret_is_connected) MUST_CHECK;
/* On PostgreSQL holds the account's row; behind device_number in the order of locks. One that is
 * bound to nobody any more has none: its phone may still report. */
enum err fleet_hold_account(struct work *work, const char *account_id) MUST_CHECK;
/* What phones declared without being bound to it, and not for ACCOUNT_NAMED_MS, goes, at most
 * `max`. */
enum err fleet_sweep_accounts(struct work *work, int max, int64_t *ret_swept) MUST_CHECK;

/* Fills `accounts` and `left_out` of devices in rising order of id, as they are shown: lapsed is
 * disconnected, and what is bound to nobody stands behind the phone's own. */
enum err fleet_show_accounts(struct work *work, struct device *devices, size_t count) MUST_CHECK;
/* An account's id for the log: masked where it could be or hold a phone number. */
struct log_field fleet_log_account(const char *name, const char *account_id);

extern const struct record accounts_input_record;
extern const struct record device_accounts_input_record;
