/*
 * Personal messenger accounts on phones (doc A, section 4 "Messages"; contract, section 2, rule 9):
 * a phone declares its accounts, each word is good for 60 seconds, and an account belongs to one
 * phone. An account that is not named any more lapses by itself; another phone may take it over
 * then, and its waiting tasks with it.
 */
#pragma once

#include "domain/fleet/fleet.h"

enum {
    ACCOUNT_ID_MAX = 128,
    ACCOUNT_MESSENGER_MAX = 50,
    DEVICE_ACCOUNTS_MAX = 16,
    ACCOUNT_VALID_MS = 60 * 1000,
};

/* An account is forgotten this long after its phone last named it. */
#define ACCOUNT_KEPT_MS (30 * 24 * 60 * 60 * INT64_C(1000))

enum account_state { ACCOUNT_LINKED, ACCOUNT_CONNECTED, ACCOUNT_DISCONNECTED, ACCOUNT_BANNED };
extern const char *const account_state_words[];

struct accounts_input {
    struct record_list accounts; /* of struct device_account without state_until */
};

/* A phone declares accounts. ERR_DEVICE_DISABLED; ERR_NUMBER_NOT_OWNED: another phone's, whose word
 * still holds, `ret_taken` is that account. ERR_VALIDATION: more than DEVICE_ACCOUNTS_MAX in all.
 * What is stored already, says the same and will do for a while is only noted, to be written with
 * many others soon; else, in a read, ERR_WRITE_NEEDED. */
enum err fleet_declare_accounts(struct work *work, const struct device *device,
                                const struct accounts_input *input,
                                const char **ret_taken) MUST_CHECK;
/* Whether the account can send now. ERR_NOT_FOUND: nobody declared it. ERR_CHANNEL_UNAVAILABLE: it
 * is not connected, its word has lapsed, or its phone is disabled. */
enum err fleet_check_account(struct work *work, const char *account_id) MUST_CHECK;
/* ERR_DEVICE_DISABLED, or ERR_NUMBER_NOT_OWNED, or fine. `ret_is_connected` (may be NULL): whether
 * the phone last said so; a word that has lapsed counts too, as the phone that asks is there. */
enum err fleet_check_own_account(struct work *work, const struct device *device,
                                 const char *account_id, bool *ret_is_connected) MUST_CHECK;
/* On PostgreSQL holds the account's row; behind device_number in the order of locks. One that was
 * forgotten since has none: its phone may still report. */
enum err fleet_hold_account(struct work *work, const char *account_id) MUST_CHECK;
/* Accounts that no phone has named for ACCOUNT_KEPT_MS go, at most `max`. */
enum err fleet_sweep_accounts(struct work *work, int max, int64_t *ret_swept) MUST_CHECK;

/* Fills `accounts` of devices in rising order of id, as they are shown: lapsed is disconnected. */
enum err fleet_show_accounts(struct work *work, struct device *devices, size_t count) MUST_CHECK;
/* An account's id for the log: masked where it could be or hold a phone number. */
struct log_field fleet_log_account(const char *name, const char *account_id);

extern const struct record accounts_input_record;
