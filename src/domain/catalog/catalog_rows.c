/* Rows for one statement, gathered and run together. */
#include "domain/catalog/catalog_rows.h"

void row_batch_init(struct row_batch *batch, struct work *work, const char *sql, size_t width)
{
    *batch = (struct row_batch){.tx = work->tx, .sql = sql, .width = width, .arena = work->arena};
}

enum err row_batch_add(struct row_batch *batch, const struct db_arg *args, size_t arg_count)
{
    assert(arg_count == batch->width);
    if (batch->count == ROW_BATCH_MAX) {
        enum err err = row_batch_flush(batch);
        if (err) return err;
    }
    if (!batch->args)
        batch->args = arena_array(batch->arena, ROW_BATCH_MAX, batch->width * sizeof(*args));
    memcpy(&batch->args[batch->count++ * batch->width], args, arg_count * sizeof(*args));
    return ERR_OK;
}

enum err row_batch_flush(struct row_batch *batch)
{
    if (batch->count == 0) return ERR_OK;
    size_t count = batch->count;
    batch->count = 0;
    return db_exec_many(batch->tx, batch->sql, batch->args, batch->width, count, NULL);
}
