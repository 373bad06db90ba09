/*
 * The database knows which secret key sealed its values (migration 0001), in which form they are
 * written and taken, and how far they were sealed anew (migration "sealed").
 */
#pragma once

#include "core/route.h"
#include "core/service.h"

struct vault_state {
    bool writes_form_2; /* newly sealed values have it, in every process */
    int64_t since_ms;   /* the database has said so since then, or since the key changed */
    bool is_resealed;   /* no value of form 1, or under an earlier key, is left */
    /* Values of form 2 begin with these: newly sealed ones, those of an announced key, and those
     * that may be left of the key before. No data: there is none. */
    struct str prefix, next_prefix, old_prefix;
    int64_t next_since_ms; /* it is announced since then */
    int column;            /* enum sealed_column: the walk has come to it */
};

/* Seals a known text at the first start, and opens it at every later one; whichever key opens it
 * seals from now on. The verification store has the key of fingerprints, too, which the vault
 * takes. Returns ERR_UNAUTHORIZED if the database was sealed with a key that the vault does not
 * know, and ERR_LEASE_LOST if it knows that one, but not the one before it, under which values are
 * left. A new database has form 2 from its beginning. */
enum err vault_check(struct db_tx *tx, struct vault *vault, enum route_store store,
                     int64_t now_ms) MUST_CHECK;
/* The same without a first start: writes nothing, and asks only whether a key is known.
 * ERR_NOT_FOUND if no value was ever sealed. */
enum err vault_check_only(struct db_tx *tx, struct vault *vault) MUST_CHECK;
/* Returns ERR_NOT_FOUND if no value was ever sealed. */
enum err vault_select_state(struct db_tx *tx, struct arena *arena,
                            struct vault_state *ret_state) MUST_CHECK;
/* Lets values have form 2 from now on, which herald 0.5.0 cannot read, so that it refuses to start.
 * Nothing changes if they have it already. */
enum err vault_begin_form_2(struct db_tx *tx, const struct vault *vault, int64_t now_ms) MUST_CHECK;
/* Ends the walk, since no value of form 1 or of an earlier key is left. */
enum err vault_end_walk(struct db_tx *tx) MUST_CHECK;
/* Announces the target to all processes. Nothing changes, and nothing is begun, if it is announced
 * or in force, or values of an earlier key are left. */
enum err vault_announce(struct db_tx *tx, const struct vault *vault, int64_t now_ms,
                        bool *ret_is_begun) MUST_CHECK;
/* Lets values be sealed under the target from now on; the walk begins anew. */
enum err vault_begin_key(struct db_tx *tx, const struct vault *vault, enum route_store store,
                         int64_t now_ms) MUST_CHECK;

/* Makes a round trip that touches one row. */
enum err vault_ping(struct db_tx *tx) MUST_CHECK;

/* --- The walk through the sealed columns --- */

struct reseal_step {
    enum sealed_column column;
    struct str after_key;
};

struct sealed_row {
    struct str key, sealed; /* `sealed` has no data for NULL */
};

/* Returns the first column at or behind `column` that is in the store, or in either if `are_one`;
 * SEALED_COLUMN_COUNT at the end. */
enum sealed_column sealed_column_from(int column, enum route_store store, bool are_one);
const char *sealed_column_name(enum sealed_column column);

/* Returns ERR_NOT_FOUND if no walk is under way. */
enum err resealing_select(struct work *work, struct reseal_step *ret_step) MUST_CHECK;
enum err resealing_save(struct work *work, const struct reseal_step *step) MUST_CHECK;

/* Reads the next rows of a column in order of their keys, at most one page; `ret_is_last` says that
 * there are no more. */
enum err sealed_select_page(struct work *work, const struct reseal_step *step,
                            struct record_list *ret_rows, bool *ret_is_last) MUST_CHECK;
/* Replaces a sealed value, unless it has changed or gone by now. */
enum err sealed_replace(struct work *work, enum sealed_column column, const struct sealed_row *row,
                        struct str sealed) MUST_CHECK;
