/* These are the statements on log_entry and log_head. */
#include "domain/event_log/event_log_db.h"

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

static struct log_entry read_entry(struct work *work, struct db_stmt *stmt)
{
    return (struct log_entry){
        .id = db_get_int(stmt, "id"),
        .level = (int)db_get_int(stmt, "level"),
        .message = db_get_text(stmt, "message", work->arena),
        .at = db_get_int(stmt, "at"),
        .fields = str_of(db_get_text(stmt, "fields", work->arena)),
    };
}

enum err event_log_read(struct work *work, int64_t after_id, struct log_entry **ret_entries,
                        size_t *ret_count)
{
    struct log_entry *entries = arena_array(work->arena, EVENT_LOG_PAGE_MAX, sizeof(*entries));
    size_t count = 0;
    AUTO_STMT stmt = NULL;
    enum err err = db_query(work->tx,
                            "SELECT id, level, message, at, fields FROM log_entry"
                            " WHERE id > $1 ORDER BY id LIMIT $2",
                            DB_ARGS(db_int(after_id), db_int(EVENT_LOG_PAGE_MAX)), &stmt);
    if (err) return err;
    while ((err = db_step(stmt)) == ERR_OK)
        entries[count++] = read_entry(work, stmt);
    *ret_entries = entries;
    *ret_count = count;
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

enum err log_bounds_select(struct work *work, struct log_bounds *ret_bounds)
{
    AUTO_STMT stmt = NULL;
    enum err err =
        db_query_one(work->tx,
                     "SELECT last_id, (SELECT id FROM log_entry ORDER BY id LIMIT 1) AS oldest_id"
                     " FROM log_head WHERE one = 1",
                     DB_NO_ARGS, &stmt);
    if (err) return err;
    *ret_bounds = (struct log_bounds){db_get_int(stmt, "oldest_id"), db_get_int(stmt, "last_id")};
    return ERR_OK;
}

#define MAY_BE_SHOWN(unmasked) "(" unmasked " = 1 OR fields NOT LIKE '%" LOG_UNMASKED_END "')"

/* Each engine has a name of its own for where a text begins in another one; LIKE of SQLite takes
 * two ids of requests for one that differ by the case of their letters alone. */
#define SEARCH_BY(where_is)                                                           \
    "SELECT id, level, message, at, fields FROM log_entry WHERE id >= $1 AND id < $2" \
    " AND level >= $3 AND at >= $4 AND at < $5"                                       \
    " AND (" where_is "(fields, $6) > 0 OR " where_is "(fields, $7) > 0)"             \
    " AND " where_is "(fields, $8) > 0 AND " MAY_BE_SHOWN("$10") " ORDER BY id DESC LIMIT $9"

static bool is_wanted(struct work *work, const struct log_search *search,
                      const struct log_entry *entry)
{
    if (!search->wanted.text) return true;
    return event_log_has(event_log_fold(entry->message, entry->fields, work->arena),
                         &search->wanted);
}

enum err log_entry_search(struct work *work, const struct log_search *search, size_t max,
                          struct record_list *entries)
{
    struct log_entry *list = entries->items;
    int64_t limit = search->wanted.text ? LOG_JUDGED_AT_ONCE : (int64_t)(max - entries->count);
    AUTO_STMT stmt = NULL;
    enum err err =
        db_query(work->tx, db_sql(work->tx, SEARCH_BY("instr"), SEARCH_BY("strpos")),
                 DB_ARGS(db_int(search->from_id), db_int(search->to_id), db_int(search->level),
                         db_int(search->since), db_int(search->until), db_text(search->request[0]),
                         db_text(search->request[1]), db_text(search->id), db_int(limit),
                         db_int(search->shows_unmasked)),
                 &stmt);
    while (!err && entries->count < max && (err = db_step(stmt)) == ERR_OK) {
        struct arena_mark mark = arena_mark(work->arena);
        struct log_entry entry = read_entry(work, stmt);
        if (is_wanted(work, search, &entry))
            list[entries->count++] = entry;
        else
            arena_rewind(work->arena, mark);
    }
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

/* Of the `max` oldest entries, gives the newest that is beyond the retention; 0: none is. */
static enum err select_old(struct work *work, int max, int64_t *ret_end)
{
    AUTO_STMT stmt = NULL;
    enum err err =
        db_query_one(work->tx,
                     "SELECT max(CASE WHEN at < $2 THEN id END) AS end_id FROM"
                     " (SELECT id, at FROM log_entry ORDER BY id LIMIT $1) oldest",
                     DB_ARGS(db_int(max), db_int(work->now_ms - EVENT_LOG_RETENTION_MS)), &stmt);
    if (!err) *ret_end = db_get_int(stmt, "end_id");
    return err;
}

enum err event_log_sweep(struct work *work, int max, bool *ret_goes_on)
{
    int64_t end = 0, deleted = 0;

    enum err err = select_old(work, max, &end);
    if (err || end == 0) return err;
    err = db_exec(work->tx, "DELETE FROM log_entry WHERE id <= $1", DB_ARGS(db_int(end)), &deleted);
    *ret_goes_on = deleted >= max;
    return err;
}

/* --- A number --- */

#define HAS(column)        "(" column " LIKE '%' || $3 || '%' OR " column " LIKE '%' || $4 || '%')"
#define NAMES_IT           "id > $1 AND id <= $2 AND (" HAS("message") " OR " HAS("fields") ")"
#define WITHOUT_IT(column) column " = REPLACE(REPLACE(" column ", $4, 'erased'), $3, 'erased')"

enum err log_entry_erase(struct work *work, const struct log_number *number, int64_t after,
                         int64_t last, int64_t *ret_erased)
{
    return db_exec(
        work->tx,
        "UPDATE log_entry SET " WITHOUT_IT("message") ", " WITHOUT_IT("fields") " WHERE " NAMES_IT,
        DB_ARGS(db_int(after), db_int(last), db_text(number->digits), db_text(number->mask)),
        ret_erased);
}

enum err log_entry_find(struct work *work, const struct log_number *number, int64_t after,
                        int64_t last, size_t max, struct log_entry *ret_entries, size_t *ret_count)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query(
        work->tx,
        "SELECT id, level, message, at, fields FROM log_entry WHERE " NAMES_IT
        " AND ($6 = '' OR message = $6) AND " MAY_BE_SHOWN("0") " ORDER BY id DESC LIMIT $5",
        DB_ARGS(db_int(after), db_int(last), db_text(number->digits), db_text(number->mask),
                db_int((int64_t)max), db_text(number->message)),
        &stmt);
    *ret_count = 0;
    while (!err && (err = db_step(stmt)) == ERR_OK)
        ret_entries[(*ret_count)++] = read_entry(work, stmt);
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}
