/*
 * Rows for one statement, gathered and run together: what a snapshot writes comes to a hundred
 * thousand of them.
 */
#pragma once

#include "core/work.h"

enum { CATALOG_ROWS_MAX = 512 };

struct catalog_rows {
    struct db_tx *tx;
    const char *sql;
    size_t width; /* arguments of a row */
    size_t count;
    struct db_arg *args; /* room for CATALOG_ROWS_MAX rows, made with the first */
    struct arena *arena;
};

/* The memory of the rows is that of the work. */
void catalog_rows_init(struct catalog_rows *batch, struct work *work, const char *sql,
                       size_t width);
/* Texts and blobs are borrowed until the next flush, also of the rows before. */
enum err catalog_rows_add(struct catalog_rows *batch, const struct db_arg *args,
                          size_t arg_count) MUST_CHECK;
enum err catalog_rows_flush(struct catalog_rows *batch) MUST_CHECK;
