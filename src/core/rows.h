/*
 * The rows of a statement become structs of the domain, laid side by side.
 */
#pragma once

#include "core/work.h"
#include "kit/json/record.h"

/* Reads all rows of a statement that has `max` at most, in their order, into structs of `size`
 * bytes in the arena, each of which `read` fills. The error of any row is that of the list. */
enum err rows_read(struct work *work, struct db_stmt *stmt, size_t max, size_t size,
                   enum err (*read)(struct work *work, struct db_stmt *stmt, void *ret_row),
                   struct record_list *ret_rows) MUST_CHECK;
