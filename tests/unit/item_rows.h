/* Rows of the table item, which each header with its migrations has. */
#pragma once

#include "store.h"

static const char item_count_sql[] = "SELECT COUNT(*) AS n FROM item";
static const char item_insert_sql[] = "INSERT INTO item (id, n) VALUES ($1, $2)";

static inline enum err item_insert(struct db_tx *tx, int64_t id, int64_t n)
{
    return db_exec(tx, item_insert_sql, DB_ARGS(db_int(id), db_int(n)), NULL);
}

/* For db_run: the item whose id `arg` points to. */
static inline enum err item_insert_one(void *arg, struct db_tx *tx)
{
    return item_insert(tx, *(int64_t *)arg, 0);
}
