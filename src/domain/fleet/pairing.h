/*
 * A phone is paired by a code of 8 digits, which an operator makes and somebody enters on the phone
 * or reads from a QR code (contract, section 15.1). Whoever shows the code gets a new key of the
 * phone; the one before it ends. A code is good once and for 10 minutes, and a phone has one at a
 * time.
 */
#pragma once

#include "domain/fleet/fleet.h"

enum {
    PAIRING_CODE_LEN = 8,
    PAIRING_OPEN_MS = 10 * 60 * 1000,
    PAIRING_WRONG_MAX = 20, /* so many wrong codes within PAIRING_WINDOW_MS end all open ones */
    PAIRING_WINDOW_MS = 10 * 60 * 1000,
};

/* An operator is shown this of a new code. */
struct pairing {
    const char *code;
    int64_t expires_at;
    const char *url; /* of the page that tells what to enter */
    const char *qr_svg;
};

/* A phone sends this. */
struct pairing_input {
    const char *code;
};

/* Makes the code of a phone, in place of one that is still open. ERR_NOT_FOUND. */
enum err pairing_create(struct work *work, const struct uuid *device_id,
                        struct pairing *ret_pairing) MUST_CHECK;
/* Gives whoever has an open code a new key of its phone. `ret_is_wrong` says that there is no such
 * code, or no more, and that this was counted; the transaction is to be kept then.
 * ERR_WRITE_NEEDED: this is a read. */
enum err pairing_use(struct work *work, struct str code, struct rotated_key *ret_key,
                     bool *ret_is_wrong) MUST_CHECK;

extern const struct record pairing_record;
extern const struct record pairing_input_record;
extern const struct record pairing_page_query; /* struct pairing_input */

/* --- For the tables of app/ --- */

struct route_table;
extern const struct route_table pairing_routes;

/* --- pairing_db.c --- */

/* Stores the code of a phone and forgets what has expired. ERR_UNIQUE: another open code has that
 * hash. */
enum err pairing_insert(struct work *work, const struct uuid *device_id, struct str code_hash,
                        int64_t expires_at) MUST_CHECK;
/* Finds the phone of an open code; ERR_NOT_FOUND. */
enum err pairing_select(struct work *work, struct str code_hash,
                        struct uuid *ret_device_id) MUST_CHECK;
/* Takes an open code away; `ret_was` is false if another one was quicker. */
enum err pairing_take(struct work *work, struct str code_hash, bool *ret_was) MUST_CHECK;
/* Ends the open code of a phone, if it has one. */
enum err pairing_delete(struct work *work, const struct uuid *device_id) MUST_CHECK;
/* Ends all, and tells how many were open. */
enum err pairing_delete_all(struct work *work, int64_t *ret_count) MUST_CHECK;
/* Tells whether any code is open. */
enum err pairing_is_any_open(struct work *work, bool *ret_is) MUST_CHECK;
/* Holds the row with the times of wrong codes, and reads it. */
enum err pairing_guard_hold(struct work *work, const char **ret_wrong_at) MUST_CHECK;
enum err pairing_guard_update(struct work *work, const char *wrong_at) MUST_CHECK;
