/* A figure that the worker keeps of SIMs and orders belongs to no process: its id is nil. */
#include "app/metrics/figures_db.h"

enum { COLUMNS = 4 };

#define SELECT_HOURS                                                         \
    "SELECT at, labels, value FROM metric_hour WHERE name = $1 AND at >= $2" \
    " AND at < $3 ORDER BY name, at LIMIT $4"

enum err kept_hour_select(struct work *work, const char *name, int64_t since, int64_t until,
                          int max, struct db_stmt **ret_stmt)
{
    return db_query(work->tx, SELECT_HOURS,
                    DB_ARGS(db_text(name), db_int(since), db_int(until), db_int(max)), ret_stmt);
}

enum err kept_sum_select(struct work *work, const char *name, int64_t since, int64_t until, int max,
                         struct db_stmt **ret_stmt)
{
    return db_query(work->tx,
                    "SELECT 0 AS at, labels, CAST(SUM(value) AS BIGINT) AS value"
                    " FROM (" SELECT_HOURS ") AS hours GROUP BY labels",
                    DB_ARGS(db_text(name), db_int(since), db_int(until), db_int(max)), ret_stmt);
}

#define SELECT_CELLS "SELECT at, labels, value FROM metric_minute WHERE name = 'sim_minutes'"

enum err kept_cell_select(struct work *work, const char *labels, int64_t since, int max,
                          struct db_stmt **ret_stmt)
{
    if (labels)
        return db_query(work->tx,
                        SELECT_CELLS " AND labels = $1 AND at >= $2 ORDER BY labels, at LIMIT $3",
                        DB_ARGS(db_text(labels), db_int(since), db_int(max)), ret_stmt);
    return db_query(work->tx, SELECT_CELLS " AND at >= $1 ORDER BY labels, at LIMIT $2",
                    DB_ARGS(db_int(since), db_int(max)), ret_stmt);
}

enum err kept_step(struct work *work, struct db_stmt *stmt, struct kept_value *ret_value)
{
    enum err err = db_step(stmt);
    if (err) return err;
    *ret_value = (struct kept_value){.at = db_get_int(stmt, "at"),
                                     .labels = db_get_text(stmt, "labels", work->arena),
                                     .value = db_get_int(stmt, "value")};
    return ERR_OK;
}

enum err kept_cell_add(struct work *work, const struct kept_value *cells, size_t count)
{
    static const struct uuid nobody = {0};
    struct db_arg *args = arena_array(work->arena, count * COLUMNS, sizeof(*args));

    if (count == 0) return ERR_OK;
    for (size_t i = 0; i < count; i++) {
        args[COLUMNS * i] = db_int(cells[i].at);
        args[COLUMNS * i + 1] = db_uuid(&nobody);
        args[COLUMNS * i + 2] = db_text(cells[i].labels);
        args[COLUMNS * i + 3] = db_int(cells[i].value);
    }
    return db_exec_many(work->tx,
                        "INSERT INTO metric_minute (at, process, name, labels, value)"
                        " VALUES ($1, $2, 'sim_minutes', $3, $4)"
                        " ON CONFLICT (at, process, name, labels)"
                        " DO UPDATE SET value = metric_minute.value | excluded.value",
                        args, COLUMNS, count, NULL);
}

enum err kept_hour_set(struct work *work, const char *name, int64_t at, int64_t value)
{
    static const struct uuid nobody = {0};

    return db_exec_later(work->tx,
                         "INSERT INTO metric_hour (at, process, name, labels, value)"
                         " VALUES ($1, $2, $3, '', $4) ON CONFLICT (at, process, name, labels)"
                         " DO UPDATE SET value = excluded.value",
                         DB_ARGS(db_int(at), db_uuid(&nobody), db_text(name), db_int(value)));
}
