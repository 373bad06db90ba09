/* Statements on erp_package and erp_package_body that applying needs. Index erp_package_due finds
 * who is next, erp_package_waiting what, erp_package_processing who is busy. */
#include "domain/erp/erp_apply_db.h"

#include "domain/words.h"

static_assert(ERP_SKIPS_MAX == 4, "the parameters of erp_due_select_integration");

enum err erp_due_select_integration(struct work *work, const struct due_skips *skips,
                                    struct uuid *ret_integration_id)
{
    AUTO_STMT stmt = NULL;
    enum err err =
        db_query_one(work->tx,
                     "SELECT integration_id FROM erp_package"
                     " WHERE due_at IS NOT NULL AND (due_at <= $1 OR status = 'accepted')"
                     " AND integration_id <> $2 AND integration_id <> $3"
                     " AND integration_id <> $4 AND integration_id <> $5"
                     " AND integration_id NOT IN (SELECT b.integration_id FROM erp_package AS b"
                     " WHERE b.status = 'processing' AND b.due_at > $1)"
                     " ORDER BY due_at LIMIT 1",
                     DB_ARGS(db_int(work->now_ms), db_uuid(&skips->ids[0]), db_uuid(&skips->ids[1]),
                             db_uuid(&skips->ids[2]), db_uuid(&skips->ids[3])),
                     &stmt);
    if (!err) *ret_integration_id = db_get_uuid(stmt, "integration_id");
    return err;
}

static enum err read_due(struct work *work, struct db_stmt *stmt, struct due_package *ret_due)
{
    struct arena *arena = work->arena;
    struct due_package due = {
        .event_id = db_get_text(stmt, "event_id", arena),
        .receipt = db_get_int(stmt, "receipt"),
        .type = word_index(erp_package_type_words, db_get_text(stmt, "event_type", arena)),
        .status = word_index(erp_package_status_words, db_get_text(stmt, "status", arena)),
        .attempts = db_get_int(stmt, "attempts"),
        .received_at = db_get_int(stmt, "received_at"),
        .give_up_at = db_get_int(stmt, "give_up_at"),
        .is_released = db_get_int(stmt, "released") != 0,
        .last_error = db_get_text(stmt, "last_error", arena),
        .row_count = db_get_int(stmt, "row_count"),
        .body_length = db_get_int(stmt, "body_length"),
    };
    if (due.type < 0 || due.status < 0) return ERR_INTERNAL;
    *ret_due = due;
    return ERR_OK;
}

enum err erp_due_select(struct work *work, const struct uuid *integration_id, int max,
                        struct due_list *ret_list)
{
    struct due_list list = {arena_array(work->arena, (size_t)max, sizeof(*list.items)), 0};
    AUTO_STMT stmt = NULL;
    enum err err = db_query(
        work->tx,
        "SELECT event_id, receipt, event_type, status, attempts, received_at, give_up_at, released,"
        " last_error, row_count, body_length FROM erp_package AS p"
        " WHERE p.integration_id = $1 AND p.due_at IS NOT NULL"
        " AND (p.due_at <= $2 OR p.status = 'accepted')"
        " AND NOT EXISTS (SELECT 1 FROM erp_package AS b WHERE b.status = 'processing'"
        " AND b.integration_id = $1 AND b.due_at > $2)"
        " ORDER BY p.receipt LIMIT $3",
        DB_ARGS(db_uuid(integration_id), db_int(work->now_ms), db_int(max)), &stmt);
    if (err) return err;
    while ((err = db_step(stmt)) == ERR_OK) {
        err = read_due(work, stmt, &list.items[list.count++]);
        if (err) return err;
    }
    if (err != ERR_NOT_FOUND) return err;
    *ret_list = list;
    return ERR_OK;
}

enum err erp_due_select_body(struct work *work, const struct uuid *integration_id, int64_t receipt,
                             struct arena *arena, struct str *ret_packed)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx,
                                "SELECT packed FROM erp_package_body"
                                " WHERE integration_id = $1 AND receipt = $2",
                                DB_ARGS(db_uuid(integration_id), db_int(receipt)), &stmt);
    if (!err) *ret_packed = db_get_blob(stmt, "packed", arena);
    return err;
}

/* --- Moves ------------------------------------------------------------------------------------ */

enum err erp_package_begin(struct work *work, const struct uuid *integration_id,
                           const struct due_package *due, int64_t lease_end, bool *ret_is_begun)
{
    int64_t changed = 0;
    enum err err = db_exec(work->tx,
                           "UPDATE erp_package SET status = 'processing', attempts = attempts + 1,"
                           " due_at = $5, rows_done = 0"
                           " WHERE integration_id = $1 AND event_id = $2 AND status = $3"
                           " AND attempts = $4",
                           DB_ARGS(db_uuid(integration_id), db_text(due->event_id),
                                   db_text(erp_package_status_words[due->status]),
                                   db_int(due->attempts), db_int(lease_end)),
                           &changed);
    if (!err) *ret_is_begun = changed == 1;
    return err;
}

enum err erp_package_end(struct work *work, const struct uuid *integration_id,
                         const struct due_package *due, const struct apply_end *end,
                         bool *ret_is_ended)
{
    int64_t changed = 0;
    enum err err =
        db_exec(work->tx,
                "UPDATE erp_package SET status = $5, attempts = $6, due_at = $7, last_error = $8,"
                " result = $9, errors = $10, rows_done = $11, processed_at = $12"
                " WHERE integration_id = $1 AND event_id = $2 AND status = $3 AND attempts = $4",
                DB_ARGS(db_uuid(integration_id), db_text(due->event_id),
                        db_text(erp_package_status_words[due->status]), db_int(due->attempts),
                        db_text(erp_package_status_words[end->status]), db_int(end->attempts),
                        db_int_or_null(end->due_at), db_text(end->last_error), db_text(end->result),
                        db_text(end->errors), db_int(end->rows_done), db_int(work->now_ms)),
                &changed);
    if (!err) *ret_is_ended = changed == 1;
    return err;
}

enum err erp_package_is_ours(struct work *work, const struct uuid *integration_id,
                             const struct due_package *due, bool *ret_is_ours)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(
        work->tx,
        "SELECT receipt FROM erp_package"
        " WHERE integration_id = $1 AND event_id = $2 AND status = $3 AND attempts = $4",
        DB_ARGS(db_uuid(integration_id), db_text(due->event_id),
                db_text(erp_package_status_words[due->status]), db_int(due->attempts)),
        &stmt);
    *ret_is_ours = err == ERR_OK;
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

enum err erp_package_is_released(struct work *work, const struct uuid *integration_id,
                                 const struct due_package *due, bool *ret_is_released)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx,
                                DB_FOR_UPDATE(work->tx, "SELECT released FROM erp_package"
                                                        " WHERE integration_id = $1"
                                                        " AND event_id = $2"),
                                DB_ARGS(db_uuid(integration_id), db_text(due->event_id)), &stmt);
    if (!err) *ret_is_released = db_get_int(stmt, "released") != 0;
    return err;
}

enum err erp_packages_wake(struct work *work, const struct uuid *integration_id)
{
    return db_exec_later(work->tx,
                         "UPDATE erp_package SET due_at ="
                         " CASE WHEN received_at < $2 THEN received_at ELSE $2 END"
                         " WHERE integration_id = $1 AND status = 'retry' AND due_at IS NOT NULL",
                         DB_ARGS(db_uuid(integration_id), db_int(work->now_ms)));
}

enum err erp_package_set_progress(struct work *work, const struct uuid *integration_id,
                                  int64_t receipt, int64_t attempts, int64_t rows_done,
                                  int64_t lease_end)
{
    return db_exec_later(
        work->tx,
        "UPDATE erp_package SET rows_done = $4, due_at = $5 WHERE integration_id = $1"
        " AND receipt = $2 AND status = 'processing' AND attempts = $3",
        DB_ARGS(db_uuid(integration_id), db_int(receipt), db_int(attempts), db_int(rows_done),
                db_int(lease_end)));
}

enum err erp_packages_release_leases(struct work *work)
{
    return db_exec_later(
        work->tx, "UPDATE erp_package SET due_at = $1 WHERE status = 'processing' AND due_at > $1",
        DB_ARGS(db_int(work->now_ms)));
}
