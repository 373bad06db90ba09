/* Statements on store_pair. */
#include "app/store_pair_db.h"

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
