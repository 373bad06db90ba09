/* Statements of `herald doctor`. */
#include "app/doctor/doctor_db.h"

/* Everywhere else the process's own clock counts. Here it is what is asked about. */
enum err doctor_select_clock(struct db_tx *tx, int64_t *ret_now_ms)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(
        tx, "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) AS now_ms",
        DB_NO_ARGS, &stmt);
    if (err) return err;
    *ret_now_ms = db_get_int(stmt, "now_ms");
    return ERR_OK;
}
