/* These are the statements on table worker. */
#include "app/jobs/worker_db.h"

enum err worker_last_seen(struct db_tx *tx, int64_t *ret_seen_at)
{
    AUTO_STMT stmt = NULL;
    enum err err =
        db_query_one(tx, "SELECT max(seen_at) AS seen_at FROM worker", DB_NO_ARGS, &stmt);
    if (err) return err;
    *ret_seen_at = db_get_int(stmt, "seen_at");
    return ERR_OK;
}

enum err worker_touch(struct db_tx *tx, const struct uuid *id, int64_t now_ms)
{
    return db_exec(tx,
                   "INSERT INTO worker (id, seen_at) VALUES ($1, $2)"
                   " ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at",
                   DB_ARGS(db_uuid(id), db_int(now_ms)), NULL);
}

enum err worker_forget(struct db_tx *tx, const struct uuid *id, int64_t before_ms)
{
    return db_exec(tx, "DELETE FROM worker WHERE id = $1 OR seen_at < $2",
                   DB_ARGS(db_uuid(id), db_int(before_ms)), NULL);
}
