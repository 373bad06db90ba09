/* These are the statements on log_entry and log_head. */
#include "domain/event_log/event_log_db.h"

#include "kit/base/clock.h"

#include <stddef.h>

enum { ROWS_AT_ONCE = 8, COLUMNS = 5 };

enum err log_head_take(struct db_tx *tx, int64_t count, int64_t *ret_first_id)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(
        tx, "UPDATE log_head SET last_id = last_id + $1 WHERE one = 1 RETURNING last_id",
        DB_ARGS(db_int(count)), &stmt);
    if (err) return err;
    *ret_first_id = db_get_int(stmt, "last_id") - count + 1;
    return ERR_OK;
}

static void bind_row(struct db_arg args[static COLUMNS], int64_t id, const struct log_row *row)
{
    args[0] = db_int(id);
    args[1] = db_int(row->at);
    args[2] = db_int(row->level);
    args[3] = db_text(row->message);
    args[4] = db_str(row->fields);
}

enum err log_entry_insert(struct db_tx *tx, int64_t first_id, const struct log_row *rows,
                          size_t count)
{
    static const char one[] = "INSERT INTO log_entry (id, at, level, message, fields)"
                              " VALUES ($1, $2, $3, $4, $5)";
    /* A statement has eight rows: a round trip for each would hold the counter long. */
    static const char eight[] = "INSERT INTO log_entry (id, at, level, message, fields) VALUES"
                                " ($1, $2, $3, $4, $5), ($6, $7, $8, $9, $10),"
                                " ($11, $12, $13, $14, $15), ($16, $17, $18, $19, $20),"
                                " ($21, $22, $23, $24, $25), ($26, $27, $28, $29, $30),"
                                " ($31, $32, $33, $34, $35), ($36, $37, $38, $39, $40)";
    struct db_arg args[ROWS_AT_ONCE * COLUMNS];

    for (size_t i = 0; i < count;) {
        size_t rows_now = count - i >= ROWS_AT_ONCE ? ROWS_AT_ONCE : 1;
        for (size_t k = 0; k < rows_now; k++)
            bind_row(args + k * COLUMNS, first_id + (int64_t)(i + k), &rows[i + k]);
        enum err err = db_exec_later(tx, rows_now == 1 ? one : eight, args, rows_now * COLUMNS);
        if (err) return err;
        i += rows_now;
    }
    return ERR_OK;
}

enum err event_log_read(struct work *work, int64_t after_id, struct log_entry **ret_entries,
                        size_t *ret_count)
{
    struct log_entry *entries = arena_array(work->arena, EVENT_LOG_PAGE_MAX, sizeof(*entries));
    size_t count = 0;
    AUTO_STMT stmt = NULL;
    enum err err = db_query(work->tx,
                            "SELECT id, level, message, fields FROM log_entry"
                            " WHERE id > $1 ORDER BY id LIMIT $2",
                            DB_ARGS(db_int(after_id), db_int(EVENT_LOG_PAGE_MAX)), &stmt);
    if (err) return err;
    while ((err = db_step(stmt)) == ERR_OK) {
        entries[count++] = (struct log_entry){
            .id = db_get_int(stmt, "id"),
            .level = (int)db_get_int(stmt, "level"),
            .message = db_get_text(stmt, "message", work->arena),
            .fields = str_of(db_get_text(stmt, "fields", work->arena)),
        };
    }
    *ret_entries = entries;
    *ret_count = count;
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

enum err event_log_last_id(struct work *work, int64_t *ret_id)
{
    AUTO_STMT stmt = NULL;
    enum err err =
        db_query_one(work->tx, "SELECT last_id FROM log_head WHERE one = 1", DB_NO_ARGS, &stmt);
    if (err) return err;
    *ret_id = db_get_int(stmt, "last_id");
    return ERR_OK;
}

/* The `max` oldest entries are looked at together. */
struct oldest {
    int64_t end;    /* the newest of them that is beyond the retention; 0: none is */
    int64_t latest; /* the latest time of any */
};

static enum err select_oldest(struct work *work, int max, struct oldest *ret_oldest)
{
    AUTO_STMT stmt = NULL;
    enum err err =
        db_query_one(work->tx,
                     "SELECT max(CASE WHEN at < $2 THEN id END) AS end_id, max(at) AS latest FROM"
                     " (SELECT id, at FROM log_entry ORDER BY id LIMIT $1) oldest",
                     DB_ARGS(db_int(max), db_int(work->now_ms - EVENT_LOG_RETENTION_MS)), &stmt);
    if (err) return err;
    *ret_oldest = (struct oldest){db_get_int(stmt, "end_id"), db_get_int(stmt, "latest")};
    return ERR_OK;
}

/* Entries that were written under a clock that was ahead are kept as if they had come just now. */
static enum err keep_no_longer(struct work *work, int max)
{
    return db_exec(
        work->tx,
        "UPDATE log_entry SET at = $1 WHERE at > $2"
        " AND id IN (SELECT id FROM log_entry ORDER BY id LIMIT $3)",
        DB_ARGS(db_int(work->now_ms), db_int(clock_latest(work->now_ms, 0)), db_int(max)), NULL);
}

enum err event_log_sweep(struct work *work, int max, bool *ret_goes_on)
{
    struct oldest oldest;
    int64_t deleted = 0;
    enum err err = select_oldest(work, max, &oldest);
    if (!err && oldest.latest > clock_latest(work->now_ms, 0)) err = keep_no_longer(work, max);
    int64_t end = err ? 0 : oldest.end;
    if (err || end == 0) return err;
    err = db_exec(work->tx, "DELETE FROM log_entry WHERE id <= $1", DB_ARGS(db_int(end)), &deleted);
    *ret_goes_on = deleted >= max;
    return err;
}
