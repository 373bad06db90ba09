/* These are the statements on device_pairing and pairing_guard. */
#include "domain/fleet/pairing.h"

enum err pairing_insert(struct work *work, const struct uuid *device_id, struct str code_hash,
                        int64_t expires_at)
{
    enum err err = db_exec(work->tx, "DELETE FROM device_pairing WHERE expires_at <= $1",
                           DB_ARGS(db_int(work->now_ms)), NULL);
    int64_t inserted = 0;
    if (!err)
        err = db_exec(work->tx, "DELETE FROM device_pairing WHERE device_id = $1",
                      DB_ARGS(db_uuid(device_id)), NULL);
    if (!err)
        err =
            db_exec(work->tx,
                    "INSERT INTO device_pairing (device_id, code_hash, expires_at)"
                    " VALUES ($1, $2, $3) ON CONFLICT (code_hash) DO NOTHING",
                    DB_ARGS(db_uuid(device_id), db_blob(code_hash), db_int(expires_at)), &inserted);
    return !err && inserted == 0 ? ERR_UNIQUE : err;
}

enum err pairing_select(struct work *work, struct str code_hash, struct uuid *ret_device_id)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx,
                                "SELECT device_id FROM device_pairing WHERE code_hash = $1"
                                " AND expires_at > $2",
                                DB_ARGS(db_blob(code_hash), db_int(work->now_ms)), &stmt);
    if (!err) *ret_device_id = db_get_uuid(stmt, "device_id");
    return err;
}

enum err pairing_take(struct work *work, struct str code_hash, bool *ret_was)
{
    int64_t deleted = 0;
    enum err err = db_exec(work->tx, "DELETE FROM device_pairing WHERE code_hash = $1",
                           DB_ARGS(db_blob(code_hash)), &deleted);
    *ret_was = deleted == 1;
    return err;
}

enum err pairing_delete(struct work *work, const struct uuid *device_id)
{
    return db_exec(work->tx, "DELETE FROM device_pairing WHERE device_id = $1",
                   DB_ARGS(db_uuid(device_id)), NULL);
}

enum err pairing_delete_all(struct work *work, int64_t *ret_count)
{
    return db_exec(work->tx, "DELETE FROM device_pairing WHERE expires_at > 0", NULL, 0, ret_count);
}

enum err pairing_is_any_open(struct work *work, bool *ret_is)
{
    AUTO_STMT stmt = NULL;
    enum err err =
        db_query_one(work->tx, "SELECT 1 AS one FROM device_pairing WHERE expires_at > $1 LIMIT 1",
                     DB_ARGS(db_int(work->now_ms)), &stmt);
    *ret_is = !err;
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

enum err pairing_guard_hold(struct work *work, const char **ret_wrong_at)
{
    AUTO_STMT stmt = NULL;
    const char *sql = DB_FOR_UPDATE(work->tx, "SELECT wrong_at FROM pairing_guard WHERE id = 1");
    enum err err = db_query_one(work->tx, sql, NULL, 0, &stmt);
    if (!err) *ret_wrong_at = db_get_text(stmt, "wrong_at", work->arena);
    return err;
}

enum err pairing_guard_update(struct work *work, const char *wrong_at)
{
    return db_exec(work->tx, "UPDATE pairing_guard SET wrong_at = $1 WHERE id = 1",
                   DB_ARGS(db_text(wrong_at)), NULL);
}
