/* Statements on erp_package. */
#include "domain/erp/erp_db.h"

#include "domain/words.h"

enum err erp_package_select(struct work *work, const struct uuid *integration_id,
                            const char *event_id, struct erp_package *ret_package)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(
        work->tx,
        "SELECT event_id, event_type, status, attempts, received_at, processed_at, last_error"
        " FROM erp_package WHERE integration_id = $1 AND event_id = $2",
        DB_ARGS(db_uuid(integration_id), db_text(event_id)), &stmt);
    if (err) return err;

    struct erp_package package = {
        .event_id = db_get_text(stmt, "event_id", work->arena),
        .event_type =
            word_index(erp_package_type_words, db_get_text(stmt, "event_type", work->arena)),
        .status = word_index(erp_package_status_words, db_get_text(stmt, "status", work->arena)),
        .attempts = db_get_int(stmt, "attempts"),
        .received_at = db_get_int(stmt, "received_at"),
        .processed_at = db_get_int(stmt, "processed_at"),
        .last_error = db_get_text(stmt, "last_error", work->arena),
    };
    if (package.event_type < 0 || package.status < 0) return ERR_INTERNAL;
    *ret_package = package;
    return ERR_OK;
}
