/* Statements on packages. Locks are taken in the order erp_receipt, erp_package,
 * erp_package_body. */
#include "domain/erp/erp_db.h"

#include "domain/words.h"
#include "kit/json/record_stream.h"

/* --- Who sends --- */

/* A client that is not there was made by the identity service, where that is another one. */
static bool is_client_enabled(struct work *work, struct db_stmt *stmt)
{
    if (db_get_null(stmt, "client_is_enabled")) return !work->service->has_own_tokens;
    return db_get_int(stmt, "client_is_enabled") != 0;
}

enum err erp_standing_select(struct work *work, const struct token_claims *claims,
                             const struct uuid *integration_id, struct token_standing *ret_standing)
{
    struct uuid client_id;
    bool is_id = uuid_parse(str_of(claims->client_id), &client_id);
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(
        work->tx,
        "SELECT i.tenant_id, i.point_id, i.is_enabled, c.is_enabled AS client_is_enabled"
        " FROM integration i LEFT JOIN workload_client c"
        " ON c.id = $2 AND c.integration_id = i.id WHERE i.id = $1",
        DB_ARGS(db_uuid(integration_id), db_uuid(is_id ? &client_id : NULL)), &stmt);

    *ret_standing = (struct token_standing){.is_there = !err};
    if (err) return err == ERR_NOT_FOUND ? ERR_OK : err;
    ret_standing->tenant_id = db_get_uuid(stmt, "tenant_id");
    ret_standing->point_id = db_get_uuid(stmt, "point_id");
    ret_standing->is_enabled = db_get_int(stmt, "is_enabled") != 0 && is_client_enabled(work, stmt);
    return ERR_OK;
}

/* --- Intake --- */

static enum err take_receipt(struct work *work, const struct uuid *integration_id)
{
    return db_exec_later(work->tx,
                         "INSERT INTO erp_receipt (integration_id, last_receipt)"
                         " VALUES ($1, 1) ON CONFLICT (integration_id)"
                         " DO UPDATE SET last_receipt = erp_receipt.last_receipt + 1",
                         DB_ARGS(db_uuid(integration_id)));
}

enum err erp_package_insert(struct work *work, const struct uuid *integration_id,
                            struct erp_package *package, int64_t row_count, bool *ret_is_new)
{
    AUTO_STMT stmt = NULL;
    enum err err = take_receipt(work, integration_id);
    if (err) return err;
    err = db_query_one(
        work->tx,
        "INSERT INTO erp_package (integration_id, event_id, receipt, event_type, status,"
        " attempts, received_at, generated_at, due_at, give_up_at, released, row_count,"
        " rows_done, body_length)"
        " VALUES ($1, $2, (SELECT last_receipt FROM erp_receipt WHERE integration_id = $1),"
        " $3, 'accepted', 0, $4, $5, $4, $6, 0, $7, 0, $8)"
        " ON CONFLICT (integration_id, event_id) DO NOTHING RETURNING receipt",
        DB_ARGS(db_uuid(integration_id), db_text(package->event_id),
                db_text(erp_package_type_words[package->event_type]), db_int(package->received_at),
                db_int(package->generated_at), db_int(package->received_at + ERP_RETRY_FOR_MS),
                db_int(row_count), db_int(package->body_length)),
        &stmt);
    if (err && err != ERR_NOT_FOUND) return err;
    *ret_is_new = !err;
    if (!err) package->receipt = db_get_int(stmt, "receipt");
    return ERR_OK;
}

enum err erp_body_insert(struct work *work, const struct uuid *integration_id, int64_t receipt,
                         struct str packed)
{
    return db_exec_later(
        work->tx,
        "INSERT INTO erp_package_body (integration_id, receipt, received_at,"
        " packed) VALUES ($1, $2, $3, $4)",
        DB_ARGS(db_uuid(integration_id), db_int(receipt), db_int(work->now_ms), db_blob(packed)));
}

/* --- Reading --- */

enum err erp_package_is_stored(struct work *work, const struct uuid *integration_id,
                               const char *event_id, bool *ret_is_stored)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(
        work->tx, "SELECT receipt FROM erp_package WHERE integration_id = $1 AND event_id = $2",
        DB_ARGS(db_uuid(integration_id), db_text(event_id)), &stmt);
    if (err && err != ERR_NOT_FOUND) return err;
    *ret_is_stored = !err;
    return ERR_OK;
}

/* In a list the errors are left out. */
#define COLUMNS                                                                   \
    "event_id, receipt, event_type, status, attempts, received_at, generated_at," \
    " processed_at, due_at, last_error, row_count, rows_done, result, body_length"
#define FROM_PACKAGE " FROM erp_package WHERE integration_id = $1 AND "

static enum err read_result(struct work *work, struct db_stmt *stmt, struct erp_package *package)
{
    const char *text = db_get_text(stmt, "result", work->arena);

    if (!text || package->status != ERP_PACKAGE_APPLIED) return ERR_OK;
    package->result = ARENA_NEW(work->arena, struct catalog_result);
    return record_decode_known(&catalog_result_record, str_of(text), work->arena, package->result);
}

static void read_progress(struct work *work, struct db_stmt *stmt, struct erp_package *package)
{
    if (package->status != ERP_PACKAGE_PROCESSING) return;
    package->progress = ARENA_NEW(work->arena, struct erp_progress);
    package->progress->rows_done = db_get_int(stmt, "rows_done");
    package->progress->rows_all = db_get_int(stmt, "row_count");
}

static enum err read_package(struct work *work, struct db_stmt *stmt,
                             struct erp_package *ret_package)
{
    struct erp_package package = {
        .event_id = db_get_text(stmt, "event_id", work->arena),
        .event_type =
            word_index(erp_package_type_words, db_get_text(stmt, "event_type", work->arena)),
        .status = word_index(erp_package_status_words, db_get_text(stmt, "status", work->arena)),
        .attempts = db_get_int(stmt, "attempts"),
        .received_at = db_get_int(stmt, "received_at"),
        .processed_at = db_get_int(stmt, "processed_at"),
        .last_error = db_get_text(stmt, "last_error", work->arena),
        .receipt = db_get_int(stmt, "receipt"),
        .generated_at = db_get_int(stmt, "generated_at"),
        .body_length = db_get_int(stmt, "body_length"),
    };
    if (package.event_type < 0 || package.status < 0)
        return LOG_BROKEN("a package has an unknown word");
    if (package.status == ERP_PACKAGE_ACCEPTED || package.status == ERP_PACKAGE_RETRY)
        package.next_attempt_at = db_get_int(stmt, "due_at");
    read_progress(work, stmt, &package);
    enum err err = read_result(work, stmt, &package);
    if (!err) *ret_package = package;
    return err;
}

static enum err read_errors(struct work *work, struct db_stmt *stmt, struct erp_package *package)
{
    const char *text = db_get_text(stmt, "errors", work->arena);
    struct erp_error_list list = {0};

    if (package->status != ERP_PACKAGE_RETRY && package->status != ERP_PACKAGE_FAILED)
        return ERR_OK;
    enum err err =
        text ? record_decode_known(&erp_error_list_record, str_of(text), work->arena, &list)
             : ERR_OK;
    package->errors = list.errors;
    if (!package->errors.items) /* empty, not absent */
        package->errors.items = ARENA_NEW(work->arena, struct catalog_row_fault);
    return err;
}

enum err erp_package_select(struct work *work, const struct uuid *integration_id,
                            const char *event_id, struct erp_package *ret_package)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx, "SELECT " COLUMNS ", errors" FROM_PACKAGE "event_id = $2",
                                DB_ARGS(db_uuid(integration_id), db_text(event_id)), &stmt);
    if (!err) err = read_package(work, stmt, ret_package);
    return err ? err : read_errors(work, stmt, ret_package);
}

/* A text for each filter, so that each can use the index that was made for it. */
#define PAGE(status, type) \
    "SELECT " COLUMNS FROM_PACKAGE "receipt < $2" status type " ORDER BY receipt DESC LIMIT $3"
#define PAGES(status)                                                   \
    {                                                                   \
        PAGE(status, ""), PAGE(status, " AND event_type = 'snapshot'"), \
            PAGE(status, " AND event_type = 'delta'")                   \
    }
static const char *const pages[][3] = {
    PAGES(""),
    [1 + ERP_PACKAGE_ACCEPTED] = PAGES(" AND status = 'accepted'"),
    [1 + ERP_PACKAGE_PROCESSING] = PAGES(" AND status = 'processing'"),
    [1 + ERP_PACKAGE_APPLIED] = PAGES(" AND status = 'applied'"),
    [1 + ERP_PACKAGE_RETRY] = PAGES(" AND status = 'retry'"),
    [1 + ERP_PACKAGE_FAILED] = PAGES(" AND status = 'failed'"),
};

enum err erp_package_select_page(struct work *work, const struct uuid *integration_id,
                                 const struct erp_package_filter *filter, int64_t before, int limit,
                                 struct record_list *ret_packages)
{
    struct erp_package *packages = arena_array(work->arena, (size_t)limit, sizeof(*packages));
    size_t count = 0;
    AUTO_STMT stmt = NULL;
    enum err err = db_query(work->tx, pages[1 + filter->status][1 + filter->event_type],
                            DB_ARGS(db_uuid(integration_id), db_int(before), db_int(limit)), &stmt);
    if (err) return err;
    while ((err = db_step(stmt)) == ERR_OK) {
        err = read_package(work, stmt, &packages[count++]);
        if (err) return err;
    }
    if (err != ERR_NOT_FOUND) return err;
    *ret_packages = (struct record_list){packages, count};
    return ERR_OK;
}

enum err erp_body_select(struct work *work, const struct uuid *integration_id, const char *event_id,
                         struct str *ret_packed)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx,
                                "SELECT packed FROM erp_package_body WHERE integration_id = $1"
                                " AND receipt = (SELECT receipt" FROM_PACKAGE "event_id = $2)",
                                DB_ARGS(db_uuid(integration_id), db_text(event_id)), &stmt);
    if (!err) *ret_packed = db_get_blob(stmt, "packed", work->arena);
    return err;
}

/* --- Operators --- */

enum err erp_package_retry(struct work *work, const struct uuid *integration_id,
                           const char *event_id, bool *ret_is_due)
{
    int64_t changed;
    enum err err =
        db_exec(work->tx,
                "UPDATE erp_package SET due_at = $3,"
                " give_up_at = CASE WHEN status = 'failed' THEN $4 ELSE give_up_at END,"
                " status = CASE WHEN status = 'failed' THEN 'accepted' ELSE status END"
                " WHERE integration_id = $1 AND event_id = $2 AND status IN ('failed', 'retry')",
                DB_ARGS(db_uuid(integration_id), db_text(event_id), db_int(work->now_ms),
                        db_int(work->now_ms + ERP_RETRY_FOR_MS)),
                &changed);
    if (!err) *ret_is_due = changed > 0;
    return err;
}

enum err erp_package_set_released(struct work *work, const struct uuid *integration_id,
                                  const char *event_id, bool *ret_is_new)
{
    int64_t changed;
    enum err err = db_exec(work->tx,
                           "UPDATE erp_package SET released = 1"
                           " WHERE integration_id = $1 AND event_id = $2 AND status <> 'applied'"
                           " AND released = 0",
                           DB_ARGS(db_uuid(integration_id), db_text(event_id)), &changed);
    if (!err) *ret_is_new = changed > 0;
    return err;
}

/* --- Sweeping --- */

enum err erp_body_delete_old(struct work *work, int64_t before_ms, int max, int64_t *ret_deleted)
{
    return db_exec(work->tx,
                   "DELETE FROM erp_package_body WHERE (integration_id, receipt) IN"
                   " (SELECT integration_id, receipt FROM erp_package_body b"
                   " WHERE received_at < $1 AND (SELECT p.status FROM erp_package p"
                   " WHERE p.integration_id = b.integration_id AND p.receipt = b.receipt)"
                   " = 'applied' ORDER BY received_at LIMIT $2)",
                   DB_ARGS(db_int(before_ms), db_int(max)), ret_deleted);
}
