/*
 * Rows for one statement, gathered and run together: what a snapshot writes comes to a hundred
 * thousand of them.
 */
#pragma once

#include "kit/db/work.h"

enum { ROW_BATCH_MAX = 512 };

struct row_batch {
    struct db_tx *tx;
    const char *sql;
    size_t width; /* arguments of a row */
    size_t count;
    struct db_arg *args; /* room for ROW_BATCH_MAX rows, made with the first */
    struct arena *arena;
};

/* The memory of the rows is that of the work. */
void row_batch_init(struct row_batch *batch, struct work *work, const char *sql, size_t width);
/* Texts and blobs are borrowed until the next flush, also of the rows before. */
enum err row_batch_add(struct row_batch *batch, const struct db_arg *args,
                       size_t arg_count) MUST_CHECK;
enum err row_batch_flush(struct row_batch *batch) MUST_CHECK;
