/* Rows for one statement, gathered and run together. */
#include "domain/catalog/catalog_rows.h"

void catalog_rows_init(struct catalog_rows *batch, struct work *work, const char *sql, size_t width)
{
    *batch =
        (struct catalog_rows){.tx = work->tx, .sql = sql, .width = width, .arena = work->arena};
}

enum err catalog_rows_add(struct catalog_rows *batch, const struct db_arg *args, size_t arg_count)
{
    assert(arg_count == batch->width);
    if (batch->count == CATALOG_ROWS_MAX) {
        enum err err = catalog_rows_flush(batch);
        if (err) return err;
    }
    if (!batch->args)
        batch->args = arena_array(batch->arena, CATALOG_ROWS_MAX, batch->width * sizeof(*args));
    memcpy(&batch->args[batch->count++ * batch->width], args, arg_count * sizeof(*args));
    return ERR_OK;
}

enum err catalog_rows_flush(struct catalog_rows *batch)
{
    if (batch->count == 0) return ERR_OK;
    size_t count = batch->count;
    batch->count = 0;
    return db_exec_many(batch->tx, batch->sql, batch->args, batch->width, count, NULL);
}
