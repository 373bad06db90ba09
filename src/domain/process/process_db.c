/* These are the statements on process. */
#include "domain/process/process_db.h"

#include "core/words.h"

enum err process_write(struct db_tx *tx, const struct own_process *own, int64_t now_ms, bool is_gap)
{
    return db_exec(tx,
                   "INSERT INTO process (id, host, pid, verb, version, started_at, beaten_at,"
                   " build, gap_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)"
                   " ON CONFLICT (id) DO UPDATE SET beaten_at = excluded.beaten_at,"
                   " gap_at = COALESCE(excluded.gap_at, process.gap_at)",
                   DB_ARGS(db_uuid(&own->id), db_text(own->host), db_int(own->pid),
                           db_text(process_verb_words[own->verb]), db_text(HERALD_VERSION),
                           db_int(own->started_at), db_int(now_ms), db_text(own->build),
                           db_int_or_null(is_gap ? now_ms : 0)),
                   NULL);
}

enum err process_delete(struct db_tx *tx, const struct uuid *id)
{
    return db_exec(tx, "DELETE FROM process WHERE id = $1", DB_ARGS(db_uuid(id)), NULL);
}

static enum err read_beside(struct db_stmt *stmt, struct process_beside *ret_rows,
                            size_t *ret_count)
{
    enum err err;

    *ret_count = 0;
    while ((err = db_step(stmt)) == ERR_OK)
        ret_rows[(*ret_count)++] = (struct process_beside){
            db_get_uuid(stmt, "id"), db_get_int(stmt, "pid"), db_get_int(stmt, "is_here") == 1};
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

enum err process_select_beside(struct db_tx *tx, const struct own_process *own, int64_t from_ms,
                               int max, struct process_beside *ret_rows, size_t *ret_count)
{
    AUTO_STMT stmt = NULL;
    enum err err =
        db_query(tx,
                 "SELECT id, pid, 1 AS is_here FROM process"
                 " WHERE beaten_at >= $1 AND host = $2 AND verb = $3"
                 " AND id <> $4 ORDER BY beaten_at DESC, id DESC LIMIT $5",
                 DB_ARGS(db_int(from_ms), db_text(own->host),
                         db_text(process_verb_words[own->verb]), db_uuid(&own->id), db_int(max)),
                 &stmt);

    return err ? err : read_beside(stmt, ret_rows, ret_count);
}

enum err process_select_workers(struct db_tx *tx, const struct own_process *own, int64_t from_ms,
                                int max, struct process_beside *ret_rows, size_t *ret_count)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query(
        tx,
        "SELECT id, pid, CASE WHEN host = $2 THEN 1 ELSE 0 END AS is_here FROM process"
        " WHERE beaten_at >= $1 AND verb IN ('serve', 'worker')"
        " AND id <> $3 ORDER BY beaten_at DESC, id DESC LIMIT $4",
        DB_ARGS(db_int(from_ms), db_text(own->host), db_uuid(&own->id), db_int(max)), &stmt);

    return err ? err : read_beside(stmt, ret_rows, ret_count);
}

enum err process_touch(struct db_tx *tx, const struct uuid *id, int64_t now_ms)
{
    return db_exec(tx, "UPDATE process SET beaten_at = $2 WHERE id = $1",
                   DB_ARGS(db_uuid(id), db_int(now_ms)), NULL);
}

static enum err read_process(struct work *work, struct db_stmt *stmt, struct process *ret_row)
{
    *ret_row = (struct process){
        .id = db_get_uuid(stmt, "id"),
        .host = db_get_text(stmt, "host", work->arena),
        .pid = db_get_int(stmt, "pid"),
        .verb = word_index(process_verb_words, db_get_text(stmt, "verb", work->arena)),
        .version = db_get_text(stmt, "version", work->arena),
        .build = db_get_text(stmt, "build", work->arena),
        .started_at = db_get_int(stmt, "started_at"),
        .last_beat_at = db_get_int(stmt, "beaten_at"),
    };
    if (!ret_row->build) ret_row->build = ret_row->version;
    return ret_row->verb < 0 ? LOG_BROKEN("a process has an unknown verb") : ERR_OK;
}

enum err process_select(struct work *work, int max, struct process **ret_rows, size_t *ret_count)
{
    struct process *rows = arena_array(work->arena, (size_t)max, sizeof(*rows));
    size_t count = 0;
    AUTO_STMT stmt = NULL;
    enum err err = db_query(work->tx,
                            "SELECT id, host, pid, verb, version, build, started_at, beaten_at"
                            " FROM process ORDER BY beaten_at DESC, id DESC LIMIT $1",
                            DB_ARGS(db_int(max)), &stmt);
    while (!err && (err = db_step(stmt)) == ERR_OK)
        err = read_process(work, stmt, &rows[count++]);
    *ret_rows = rows;
    *ret_count = count;
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

/* ERR_NOT_FOUND: the row is not there yet, or was forgotten; the next beat writes it. */
enum err process_set_epoch(struct db_tx *tx, const struct uuid *id, int64_t epoch)
{
    int64_t changed = 0;
    enum err err = db_exec(tx, "UPDATE process SET event_epoch = $2 WHERE id = $1",
                           DB_ARGS(db_uuid(id), db_int(epoch)), &changed);
    return !err && changed != 1 ? ERR_NOT_FOUND : err;
}

enum err process_find_behind(struct db_tx *tx, int64_t epoch, int64_t from_ms, bool *ret_is_behind)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(tx,
                                "SELECT id FROM process WHERE beaten_at >= $2"
                                " AND event_epoch < $1 ORDER BY beaten_at LIMIT 1",
                                DB_ARGS(db_int(epoch), db_int(from_ms)), &stmt);
    if (err && err != ERR_NOT_FOUND) return err;
    *ret_is_behind = !err;
    return ERR_OK;
}

enum err process_delete_old(struct db_tx *tx, int64_t before_ms, int max, int64_t *ret_deleted)
{
    return db_exec(tx,
                   "DELETE FROM process WHERE id IN (SELECT id FROM process WHERE beaten_at < $1"
                   " ORDER BY beaten_at LIMIT $2)",
                   DB_ARGS(db_int(before_ms), db_int(max)), ret_deleted);
}
