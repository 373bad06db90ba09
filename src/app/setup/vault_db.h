/*
 * What the database says of sealed values: which secret key sealed them (migration 0001), in which
 * form they are written and taken, and how far they were sealed anew (migration "sealed").
 */
#pragma once

#include "core/route.h"
#include "core/service.h"

struct vault_state {
    bool writes_form_2; /* newly sealed values have it, in every process */
    int64_t since_ms;   /* when that was said */
    bool is_resealed;   /* nothing of form 1 is left */
};

/* Seals a known text at the first start, and opens it at every later one. ERR_UNAUTHORIZED: the
 * database was sealed with another key. A new database has form 2 from its beginning. */
enum err vault_check(struct db_tx *tx, const struct vault *vault, int64_t now_ms) MUST_CHECK;
/* ERR_NOT_FOUND: nothing was ever sealed. */
enum err vault_select_state(struct db_tx *tx, struct vault_state *ret_state) MUST_CHECK;
/* From now on values have form 2, which herald 0.5.0 cannot read: then it refuses to start. Nothing
 * changes where they have it already. */
enum err vault_begin_form_2(struct db_tx *tx, const struct vault *vault, int64_t now_ms) MUST_CHECK;
/* Nothing of form 1 is left: the walk is over. */
enum err vault_end_form_1(struct db_tx *tx) MUST_CHECK;

/* A round trip that touches next to nothing. */
enum err vault_ping(struct db_tx *tx) MUST_CHECK;

/* --- The walk through the sealed columns --- */

struct reseal_step {
    enum sealed_column column;
    struct str after_key;
};

struct sealed_row {
    struct str key, sealed; /* sealed: no data where there is no value */
};

/* How the columns go on from `column`: the first of the store at or behind it, or of both where
 * they are one; SEALED_COLUMN_COUNT at the end. */
enum sealed_column sealed_column_from(int column, enum route_store store, bool are_one);
const char *sealed_column_name(enum sealed_column column);

/* ERR_NOT_FOUND: no walk is under way. */
enum err resealing_select(struct work *work, struct reseal_step *ret_step) MUST_CHECK;
enum err resealing_save(struct work *work, const struct reseal_step *step) MUST_CHECK;

/* The next rows of a column in order of their keys, at most one page; `ret_is_last`: there are no
 * more. */
enum err sealed_select_page(struct work *work, const struct reseal_step *step,
                            struct record_list *ret_rows, bool *ret_is_last) MUST_CHECK;
/* Changes nothing if the value is another one by now, or none. */
enum err sealed_replace(struct work *work, enum sealed_column column, const struct sealed_row *row,
                        struct str sealed) MUST_CHECK;
