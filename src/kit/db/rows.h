/*
 * Rows of arguments for one statement, gathered one by one and run together (db_exec_many).
 *
 * Whoever gathers sets the first part; the rest is zero at first. Texts and blobs are borrowed
 * until the rows have run.
 */
#pragma once

#include "kit/db/db.h"

struct db_rows {
    struct db_tx *tx;
    struct arena *arena; /* of the memory for `max` rows, which the first row takes */
    const char *sql;
    size_t max; /* one more runs those that are there */
    /* $1 is the uuid of the row that each one writes, and they run in order of it: PostgreSQL locks
     * rows in the order in which they are written, so two transactions that write the same rows
     * never wait for each other at once. */
    bool is_by_key;
    int64_t *changed; /* how many rows each of them changed, in the order of addition; or NULL */

    struct db_arg *args;
    size_t arg_count, count;
};

/* DB_ARGS(db_uuid(key), ...): every row has as many as the first. */
enum err db_rows_add(struct db_rows *rows, const struct db_arg *args, size_t arg_count) MUST_CHECK;
/* Runs what has not run yet; then more may be added. */
enum err db_rows_run(struct db_rows *rows) MUST_CHECK;
