/* These are the statements on metric_minute and metric_hour. All go by the primary key. */
#include "app/metrics/history_db.h"

enum { COLUMNS = 5 };

static enum err write_rows(struct work *work, const char *sql, const struct history_row *rows,
                           size_t count)
{
    struct db_arg *args = arena_array(work->arena, count * COLUMNS, sizeof(*args));

    if (count == 0) return ERR_OK;
    for (size_t i = 0; i < count; i++) {
        args[COLUMNS * i] = db_int(rows[i].at);
        args[COLUMNS * i + 1] = db_uuid(&rows[i].process);
        args[COLUMNS * i + 2] = db_text(rows[i].name);
        args[COLUMNS * i + 3] = db_text(rows[i].labels);
        args[COLUMNS * i + 4] = db_int(rows[i].value);
    }
    return db_exec_many(work->tx, sql, args, COLUMNS, count, NULL);
}

#define WRITE(table)                                                                       \
    "INSERT INTO " table " (at, process, name, labels, value) VALUES ($1, $2, $3, $4, $5)" \
    " ON CONFLICT (at, process, name, labels) DO UPDATE SET value = excluded.value"

enum err history_write_minutes(struct work *work, const struct history_row *rows, size_t count)
{
    return write_rows(work, WRITE("metric_minute"), rows, count);
}

enum err history_write_hours(struct work *work, const struct history_row *rows, size_t count)
{
    return write_rows(work, WRITE("metric_hour"), rows, count);
}

#define FORGET(table)                                            \
    "DELETE FROM " table " WHERE (at, process, name, labels) IN" \
    " (SELECT at, process, name, labels FROM " table             \
    " WHERE at < $1 ORDER BY at, process, name, labels LIMIT $2)"

enum err history_forget_minutes(struct work *work, int64_t before, int max, int64_t *ret_forgotten)
{
    return db_exec(work->tx, FORGET("metric_minute"), DB_ARGS(db_int(before), db_int(max)),
                   ret_forgotten);
}

enum err history_forget_hours(struct work *work, int64_t before, int max, int64_t *ret_forgotten)
{
    return db_exec(work->tx, FORGET("metric_hour"), DB_ARGS(db_int(before), db_int(max)),
                   ret_forgotten);
}
