/* Rows of arguments for one statement, which has the key of its row as $1: PostgreSQL locks the
 * rows of a table in the order in which they are written, so that order is always that of their
 * keys. */
#pragma once

#include "core/service.h"

struct order_rows {
    struct db_arg *args;
    size_t arg_count, count;
};

/* Room for `count` rows. */
struct order_rows order_rows_new(struct work *work, size_t arg_count, size_t count);
/* DB_ARGS(db_uuid(key), ...): the key lives as long as the rows. */
void order_rows_add(struct order_rows *rows, const struct db_arg *args, size_t arg_count);
/* As db_exec_many, in order of key; `ret_changed` (may be NULL) is in the order of addition. */
enum err order_rows_exec(struct work *work, const char *sql, const struct order_rows *rows,
                         int64_t *ret_changed) MUST_CHECK;
