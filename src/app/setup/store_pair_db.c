/* These are the statements on table store_pair and on the newest rows of a store. */
#include "app/setup/store_pair_db.h"

enum err store_pair_read(struct db_tx *tx, struct store_pair *ret_pair)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(tx, "SELECT pair_id, is_complete FROM store_pair WHERE one = 1",
                                DB_NO_ARGS, &stmt);
    *ret_pair = (struct store_pair){.is_complete = false};
    if (err) return err == ERR_NOT_FOUND ? ERR_OK : err;
    ret_pair->id = db_get_uuid(stmt, "pair_id");
    ret_pair->is_complete = db_get_int(stmt, "is_complete") != 0;
    return ERR_OK;
}

enum err store_pair_write(struct db_tx *tx, const struct store_pair *pair)
{
    return db_exec(tx,
                   "INSERT INTO store_pair (one, pair_id, is_complete) VALUES (1, $1, $2)"
                   " ON CONFLICT (one) DO UPDATE SET is_complete = excluded.is_complete",
                   DB_ARGS(db_uuid(&pair->id), db_int(pair->is_complete)), NULL);
}

#define NEWEST(table) "SELECT id FROM (SELECT id FROM " table " ORDER BY id DESC LIMIT 1) AS " table

#define ALSO(table) " UNION ALL " NEWEST(table)

#define VERIFICATION_RESOURCES NEWEST("otp") ALSO("call_challenge") ALSO("message") ALSO("device")

#define VERIFICATION_SENDS ALSO("phone_task") ALSO("channel_send")

enum err newest_ids_read(struct db_tx *tx, enum route_store store,
                         struct uuid ret_ids[static NEWEST_IDS_MAX], int *ret_count)
{
    const char *sql = store == STORE_VERIFICATION ? VERIFICATION_RESOURCES VERIFICATION_SENDS
                                                  : NEWEST("integration") ALSO("workload_client");
    int count = 0;
    AUTO_STMT stmt = NULL;
    enum err err = db_query(tx, sql, DB_NO_ARGS, &stmt);
    while (!err && !(err = db_step(stmt))) {
        assert(count < NEWEST_IDS_MAX);
        ret_ids[count++] = db_get_uuid(stmt, "id");
    }
    *ret_count = count;
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}
