/* Statements on the row that each catalog has: whoever applies a package holds it alone. */
#include "domain/catalog/catalog_hold_db.h"

/* ERR_NOT_FOUND: there is none, or another transaction holds it. */
static enum err lock_row(struct work *work, const struct uuid *integration_id)
{
    AUTO_STMT stmt = NULL;
    /* SQLite has one writer. On PostgreSQL nobody waits for a catalog that is being written: there
     * are others. */
    const char *sql =
        db_sql(work->tx, "SELECT number FROM catalog WHERE integration_id = $1",
               "SELECT number FROM catalog WHERE integration_id = $1 FOR UPDATE SKIP LOCKED");
    return db_query_one(work->tx, sql, DB_ARGS(db_uuid(integration_id)), &stmt);
}

/* `ret_is_new` false: there is one, or another one was made at this moment. */
static enum err insert_row(struct work *work, const struct uuid *integration_id, bool *ret_is_new)
{
    int64_t changed = 0;
    /* Two that are made at once may want the same number: the later one is not made. */
    enum err err = db_exec(work->tx,
                           "INSERT INTO catalog (integration_id, number, last_product,"
                           " snapshot_receipt, edition, updated_at)"
                           " SELECT $1, COALESCE(MAX(number), 0) + 1, 0, 0, 0, $2 FROM catalog"
                           " WHERE true ON CONFLICT DO NOTHING",
                           DB_ARGS(db_uuid(integration_id), db_int(work->now_ms)), &changed);
    if (err) return err;
    *ret_is_new = changed == 1;
    return ERR_OK;
}

enum err catalog_try_hold(struct work *work, const struct uuid *integration_id, bool *ret_is_held)
{
    enum err err = lock_row(work, integration_id);

    if (err == ERR_NOT_FOUND) return insert_row(work, integration_id, ret_is_held);
    if (!err) *ret_is_held = true;
    return err;
}

enum err catalog_row_select(struct work *work, const struct uuid *integration_id,
                            struct catalog_row *ret_catalog)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(
        work->tx,
        "SELECT number, last_product, snapshot_receipt, edition, snapshot_at, changes_at"
        " FROM catalog WHERE integration_id = $1",
        DB_ARGS(db_uuid(integration_id)), &stmt);
    if (err) return err;
    *ret_catalog = (struct catalog_row){
        .number = db_get_int(stmt, "number"),
        .last_product = db_get_int(stmt, "last_product"),
        .snapshot_receipt = db_get_int(stmt, "snapshot_receipt"),
        .edition = db_get_int(stmt, "edition"),
        .snapshot_at = db_get_int(stmt, "snapshot_at"),
        .changes_at = db_get_int(stmt, "changes_at"),
    };
    return ERR_OK;
}

enum err catalog_row_update(struct work *work, const struct uuid *integration_id,
                            const struct catalog_row *catalog)
{
    return db_exec_later(work->tx,
                         "UPDATE catalog SET last_product = $2, snapshot_receipt = $3,"
                         " edition = $4, updated_at = $5, snapshot_at = $6, changes_at = $7"
                         " WHERE integration_id = $1",
                         DB_ARGS(db_uuid(integration_id), db_int(catalog->last_product),
                                 db_int(catalog->snapshot_receipt), db_int(catalog->edition),
                                 db_int(work->now_ms), db_int_or_null(catalog->snapshot_at),
                                 db_int_or_null(catalog->changes_at)));
}
