/* Rows of arguments for one statement. */
#include "kit/db/rows.h"

#include <stdlib.h>

struct place {
    const void *key;
    size_t index;
};

static int compare_keys(const void *a, const void *b)
{
    const struct place *first = a, *second = b;
    return memcmp(first->key, second->key, sizeof(struct uuid));
}

static const struct place *sort_by_key(const struct db_rows *rows, size_t count)
{
    struct place *places = arena_array(rows->arena, count, sizeof(*places));

    for (size_t i = 0; i < count; i++)
        places[i] = (struct place){rows->args[i * rows->arg_count].data, i};
    if (count > 1) qsort(places, count, sizeof(*places), compare_keys);
    return places;
}

static enum err run_by_key(const struct db_rows *rows, size_t count)
{
    const struct place *places = sort_by_key(rows, count);
    struct db_arg *sorted = arena_array(rows->arena, count * rows->arg_count, sizeof(*sorted));
    int64_t *changed = arena_array(rows->arena, count, sizeof(*changed));

    for (size_t i = 0; i < count; i++)
        memcpy(&sorted[i * rows->arg_count], &rows->args[places[i].index * rows->arg_count],
               rows->arg_count * sizeof(*sorted));
    enum err err = db_exec_many(rows->tx, rows->sql, sorted, rows->arg_count, count, changed);
    for (size_t i = 0; !err && rows->changed && i < count; i++)
        rows->changed[places[i].index] = changed[i];
    return err;
}

enum err db_rows_run(struct db_rows *rows)
{
    size_t count = rows->count;
    enum err err;

    rows->count = 0;
    if (count == 0) return ERR_OK;
    if (rows->is_by_key)
        err = run_by_key(rows, count);
    else
        err = db_exec_many(rows->tx, rows->sql, rows->args, rows->arg_count, count, rows->changed);
    if (rows->changed) rows->changed += count;
    return err;
}

enum err db_rows_add(struct db_rows *rows, const struct db_arg *args, size_t arg_count)
{
    enum err err = rows->count == rows->max ? db_rows_run(rows) : ERR_OK;

    if (err) return err;
    if (!rows->args) {
        rows->args = arena_array(rows->arena, rows->max * arg_count, sizeof(*args));
        rows->arg_count = arg_count;
    }
    assert(arg_count == rows->arg_count);
    memcpy(&rows->args[rows->count++ * arg_count], args, arg_count * sizeof(*args));
    return ERR_OK;
}
