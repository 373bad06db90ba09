/* Counts the statements of a store, and those of them that write. */
#pragma once

#include "kit/db/engine.h"
#include "store.h"

#include <stdatomic.h>
#include <string.h>

static const struct db_ops *true_ops;
static struct db_ops counting; /* also behind an assertion that failed */
static struct {
    atomic_long statements, writes;
} counts;

static inline void count_statement(const char *sql, size_t row_count)
{
    atomic_fetch_add(&counts.statements, (long)row_count);
    if (strncmp(sql, "SELECT ", strlen("SELECT ")) != 0)
        atomic_fetch_add(&counts.writes, (long)row_count);
}

static inline enum err count_exec(struct db_tx *tx, const char *sql, const struct db_arg *args,
                                  size_t arg_count, int64_t *ret_changed)
{
    count_statement(sql, 1);
    return true_ops->exec(tx, sql, args, arg_count, ret_changed);
}

static inline enum err count_exec_later(struct db_tx *tx, const char *sql,
                                        const struct db_arg *args, size_t arg_count)
{
    count_statement(sql, 1);
    return true_ops->exec_later(tx, sql, args, arg_count);
}

static inline enum err count_exec_many(struct db_tx *tx, const char *sql, const struct db_arg *args,
                                       size_t arg_count, size_t row_count, int64_t *ret_changed)
{
    count_statement(sql, row_count);
    return true_ops->exec_many(tx, sql, args, arg_count, row_count, ret_changed);
}

static inline enum err count_query(struct db_tx *tx, const char *sql, const struct db_arg *args,
                                   size_t arg_count, struct db_stmt **ret_stmt)
{
    count_statement(sql, 1);
    return true_ops->query(tx, sql, args, arg_count, ret_stmt);
}

/* Counts what is asked of the store from now on, until count_end. */
static inline void count_begin(struct store *store)
{
    true_ops = store->db->ops;
    counting = *true_ops;
    counting.exec = count_exec;
    counting.exec_later = count_exec_later;
    counting.exec_many = count_exec_many;
    counting.query = count_query;
    store->db->ops = &counting;
    atomic_store(&counts.statements, 0);
    atomic_store(&counts.writes, 0);
}

static inline void count_end(struct store *store)
{
    store->db->ops = true_ops;
}
