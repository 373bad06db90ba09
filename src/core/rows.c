/* A list is read the same way, whatever its rows become. */
#include "core/rows.h"

enum err rows_read(struct work *work, struct db_stmt *stmt, size_t max, size_t size,
                   enum err (*read)(struct work *work, struct db_stmt *stmt, void *ret_row),
                   struct record_list *ret_rows)
{
    char *rows = arena_array(work->arena, max, size);
    size_t count = 0;
    enum err err;

    while (!(err = db_step(stmt))) {
        assert(count < max);
        err = read(work, stmt, rows + count++ * size);
        if (err) return err;
    }
    if (err != ERR_NOT_FOUND) return err;
    *ret_rows = (struct record_list){rows, count};
    return ERR_OK;
}
