#include "domain/order/order_rows.h"

#include <stdlib.h>

struct place {
    const void *key;
    size_t index;
};

struct order_rows order_rows_new(struct work *work, size_t arg_count, size_t count)
{
    return (struct order_rows){
        .args = arena_array(work->arena, arg_count * count, sizeof(struct db_arg)),
        .arg_count = arg_count,
    };
}

void order_rows_add(struct order_rows *rows, const struct db_arg *args, size_t arg_count)
{
    assert(arg_count == rows->arg_count);
    memcpy(rows->args + rows->count * arg_count, args, arg_count * sizeof(*args));
    rows->count++;
}

static int compare_keys(const void *a, const void *b)
{
    const struct place *first = a, *second = b;
    return memcmp(first->key, second->key, sizeof(struct uuid));
}

static struct place *sort_by_key(struct work *work, const struct order_rows *rows)
{
    struct place *places = arena_array(work->arena, rows->count, sizeof(*places));

    for (size_t i = 0; i < rows->count; i++)
        places[i] = (struct place){rows->args[i * rows->arg_count].data, i};
    if (rows->count > 1) qsort(places, rows->count, sizeof(*places), compare_keys);
    return places;
}

enum err order_rows_exec(struct work *work, const char *sql, const struct order_rows *rows,
                         int64_t *ret_changed)
{
    const struct place *places = sort_by_key(work, rows);
    struct order_rows sorted = order_rows_new(work, rows->arg_count, rows->count);
    int64_t *changed = arena_array(work->arena, rows->count, sizeof(*changed));

    for (size_t i = 0; i < rows->count; i++)
        order_rows_add(&sorted, rows->args + places[i].index * rows->arg_count, rows->arg_count);
    enum err err =
        db_exec_many(work->tx, sql, sorted.args, sorted.arg_count, sorted.count, changed);
    for (size_t i = 0; !err && ret_changed && i < rows->count; i++)
        ret_changed[places[i].index] = changed[i];
    return err;
}
