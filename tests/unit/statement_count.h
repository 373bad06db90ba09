/* Counts the statements that a store is given, by any thread, between statements_begin and
 * statements_end. */
#pragma once

#include "kit/db/engine.h"
#include "store.h"

#include <stdatomic.h>

static const struct db_ops *true_ops;
static struct db_ops counting; /* also behind an assertion that failed */
static atomic_long statements;

static enum err count_exec(struct db_tx *tx, const char *sql, const struct db_arg *args,
                           size_t arg_count, int64_t *ret_changed)
{
    atomic_fetch_add(&statements, 1);
    return true_ops->exec(tx, sql, args, arg_count, ret_changed);
}

static enum err count_exec_later(struct db_tx *tx, const char *sql, const struct db_arg *args,
                                 size_t arg_count)
{
    atomic_fetch_add(&statements, 1);
    return true_ops->exec_later(tx, sql, args, arg_count);
}

static enum err count_exec_many(struct db_tx *tx, const char *sql, const struct db_arg *args,
                                size_t arg_count, size_t row_count, int64_t *ret_changed)
{
    atomic_fetch_add(&statements, (long)row_count);
    return true_ops->exec_many(tx, sql, args, arg_count, row_count, ret_changed);
}

static enum err count_query(struct db_tx *tx, const char *sql, const struct db_arg *args,
                            size_t arg_count, struct db_stmt **ret_stmt)
{
    atomic_fetch_add(&statements, 1);
    return true_ops->query(tx, sql, args, arg_count, ret_stmt);
}

static inline void statements_begin(struct store *store)
{
    true_ops = store->db->ops;
    counting = *true_ops;
    counting.exec = count_exec;
    counting.exec_later = count_exec_later;
    counting.exec_many = count_exec_many;
    counting.query = count_query;
    store->db->ops = &counting;
}

static inline void statements_end(struct store *store)
{
    store->db->ops = true_ops;
}
