/*
 * Statements on erp_package and erp_package_body that applying needs.
 *
 * Thousands of packages may wait to be tried again, and nothing may walk them: each question below
 * is put together from parts that read a range of one index. Indexes erp_package_new_due and
 * erp_package_tried_due find who is next, erp_package_new and erp_package_tried what,
 * erp_package_processing who is busy.
 */
#include "domain/erp/erp_apply_db.h"

#include "core/words.h"

enum { ERRORS_MAX = 1024 * 1024 }; /* CATALOG_FAULTS_MAX rows of two ids each are far below */

#define NEW   "status = 'accepted'"
#define TRIED "status IN ('retry', 'processing')"

/* --- Who is next ------------------------------------------------------------------------------ */

static_assert(ERP_SKIPS_MAX == 16, "the parameters of SKIPPED");

#define SKIPPED "($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)"
#define BUSY                                        \
    "SELECT b.integration_id FROM erp_package AS b" \
    " WHERE b.status = 'processing' AND b.due_at > $1"
#define FIRST(since, condition)                                                                  \
    "SELECT * FROM (SELECT integration_id, " since " AS since FROM erp_package WHERE " condition \
    " AND integration_id NOT IN " SKIPPED " AND integration_id NOT IN (" BUSY ")"                \
    " ORDER BY " since " LIMIT 1) AS first"
#define FIRST_NEW   FIRST("received_at", NEW " AND attempts >= 0")
#define FIRST_TRIED FIRST("due_at", TRIED " AND attempts > 0 AND due_at <= $1")

enum err erp_due_select_integration(struct work *work, const struct due_skips *skips,
                                    struct uuid *ret_integration_id)
{
    struct db_arg args[1 + ERP_SKIPS_MAX] = {db_int(work->now_ms)};
    AUTO_STMT stmt = NULL;

    for (size_t i = 0; i < ERP_SKIPS_MAX; i++)
        args[1 + i] = db_uuid(&skips->ids[i]);
    enum err err = db_query_one(work->tx,
                                "SELECT integration_id FROM (" FIRST_NEW " UNION ALL " FIRST_TRIED
                                ") AS due ORDER BY since LIMIT 1",
                                args, 1 + ERP_SKIPS_MAX, &stmt);
    if (!err) *ret_integration_id = db_get_uuid(stmt, "integration_id");
    return err;
}

/* --- What is due of it ------------------------------------------------------------------------ */

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
    if (due.type < 0 || due.status < 0) return LOG_BROKEN("a package has an unknown word");
    *ret_due = due;
    return ERR_OK;
}

#define DUE_COLUMNS                                                              \
    "event_id, receipt, event_type, status, attempts, received_at, give_up_at, " \
    "released, last_error, row_count, body_length"
#define DUE(condition, order)                                \
    "SELECT * FROM (SELECT " DUE_COLUMNS " FROM erp_package" \
    " WHERE integration_id = $1 AND " condition " ORDER BY " order " LIMIT $3) AS due"
#define DUE_NEW   DUE(NEW, "receipt")
#define DUE_TRIED DUE(TRIED " AND due_at <= $2", "due_at, receipt")

enum err erp_due_select(struct work *work, const struct uuid *integration_id, int max,
                        struct due_list *ret_list)
{
    struct due_list list = {arena_array(work->arena, (size_t)max, sizeof(*list.items)), 0};
    AUTO_STMT stmt = NULL;
    enum err err =
        db_query(work->tx,
                 "SELECT * FROM (" DUE_NEW " UNION ALL " DUE_TRIED ") AS all_due"
                 " WHERE NOT EXISTS (SELECT 1 FROM erp_package AS b WHERE b.status = 'processing'"
                 " AND b.integration_id = $1 AND b.due_at > $2)"
                 " ORDER BY receipt LIMIT $3",
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
    if (err) return err;
    *ret_packed = db_get_blob(stmt, "packed", arena);
    return ret_packed->data ? ERR_OK : ERR_OVERLOADED;
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

static struct db_arg encode(struct work *work, const struct record *record, const void *value)
{
    struct json_writer writer;
    AUTO_BUF out = {0};

    buf_init(&out, ERRORS_MAX);
    json_writer_init(&writer, &out);
    record_encode(record, value, &writer);
    assert(!out.is_full);
    return db_text(arena_str(work->arena, buf_view(&out)));
}

enum err erp_package_end(struct work *work, const struct uuid *integration_id,
                         const struct due_package *due, const struct apply_end *end,
                         bool *ret_is_ended)
{
    const struct erp_error_list errors = {end->errors};
    bool is_applied = end->status == ERP_PACKAGE_APPLIED;
    int64_t changed = 0;
    enum err err = db_exec(
        work->tx,
        "UPDATE erp_package SET status = $5, attempts = $6, due_at = $7, last_error = $8,"
        " result = $9, errors = $10, rows_done = $11, processed_at = $12,"
        " changes = changes + $13"
        " WHERE integration_id = $1 AND event_id = $2 AND status = $3 AND attempts = $4",
        DB_ARGS(db_uuid(integration_id), db_text(due->event_id),
                db_text(erp_package_status_words[due->status]), db_int(due->attempts),
                db_text(erp_package_status_words[end->status]), db_int(end->attempts),
                db_int_or_null(end->due_at), db_text(end->last_error),
                is_applied ? encode(work, &catalog_result_record, &end->result) : db_null(),
                end->errors.count > 0 ? encode(work, &erp_error_list_record, &errors) : db_null(),
                db_int(end->rows_done), db_int(end->ended_at),
                db_int(is_applied || end->status == ERP_PACKAGE_FAILED)),
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
    /* Every receipt is above 0; to say so leads SQLite to erp_package_retry, or it would read all
     * packages. */
    return db_exec_later(work->tx,
                         "UPDATE erp_package SET due_at = (SELECT"
                         " CASE WHEN f.received_at < $2 THEN f.received_at ELSE $2 END"
                         " FROM erp_package AS f WHERE f.integration_id = $1"
                         " AND f.status = 'retry' ORDER BY f.receipt LIMIT 1)"
                         " WHERE integration_id = $1 AND receipt > 0 AND status = 'retry'",
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

enum err erp_release_leases(struct work *work)
{
    return db_exec_later(
        work->tx, "UPDATE erp_package SET due_at = $1 WHERE status = 'processing' AND due_at > $1",
        DB_ARGS(db_int(work->now_ms)));
}
