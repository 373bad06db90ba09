/*
 * The secret key can be replaced while herald runs (contract, section 10.4). A process learns from
 * the databases how far that is (stores_learn), since each of them says so for itself.
 */
#pragma once

#include "app/setup/vault_db.h"

#include <stdatomic.h>

enum key_change {
    KEY_CHANGE_IDLE,      /* all is sealed under the key in force, which is the target */
    KEY_CHANGE_READY,     /* this process knows another target */
    KEY_CHANGE_ANNOUNCED, /* all processes are being told */
    KEY_CHANGE_SEALING,   /* values are sealed under the target, and older ones sealed anew */
};
extern const char *const key_change_words[];

/* Any thread may read and write it. */
struct key_watch {
    const char *key_file; /* herald's own, which it replaces by itself; NULL: there is none */
    atomic_bool is_changing;
    atomic_bool is_begun;          /* in the verification store */
    atomic_int state;              /* enum key_change */
    atomic_int columns_done;       /* of SEALED_COLUMN_COUNT */
    atomic_int_least64_t since_ms; /* all processes seal as they do since then */
};

/* Lets the vault seal as both databases want it. `states` are those of the verification and the
 * exchange store. */
void key_watch_judge(struct key_watch *watch, struct vault *vault,
                     const struct vault_state states[static 2]);
/* Makes the key that comes, beside the key file, and lets it be the target.
 * ERR_STORAGE_UNAVAILABLE: the file cannot be written, as the log says. */
enum err key_watch_make_target(struct key_watch *watch, struct vault *vault,
                               struct arena *arena) MUST_CHECK;
