/* Statements on packages. Locks are taken in the order erp_receipt, erp_package,
 * erp_package_body. */
#include "domain/erp/erp_db.h"

#include "core/columns.h"
#include "kit/base/clock.h"
#include "kit/base/log_names.h"
#include "kit/db/rows.h"
#include "kit/json/record_stream.h"

#include <stdio.h>

enum { WARNINGS_BYTES_MAX = 128 * 1024 }; /* ERP_WARNINGS_MAX rows of a key and an id are below */

/* --- Who sends --- */

/* A client that is not there was made by the identity service, where that is another one. */
static bool is_client_enabled(struct work *work, struct db_stmt *stmt)
{
    if (db_get_null(stmt, "client_is_enabled")) return !work->service->integrations->has_own_tokens;
    return db_get_int(stmt, "client_is_enabled") != 0;
}

enum err erp_sender_select(struct work *work, const struct token_claims *claims,
                           const struct uuid *integration_id, struct erp_sender *ret_sender)
{
    struct uuid client_id;
    bool is_id = uuid_parse(str_of(claims->client_id), &client_id);
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(
        work->tx,
        "SELECT i.tenant_id, i.point_id, i.is_enabled, c.is_enabled AS client_is_enabled,"
        " CASE i.absent WHEN 'keep' THEN 1 ELSE 0 END AS keeps_absent,"
        " CASE i.environment WHEN 'test' THEN 1 ELSE 0 END AS is_test,"
        " i.name, r.packages_full_us, r.snapshots_full_us, r.kept_bytes, r.trim_at"
        " FROM integration i"
        " LEFT JOIN workload_client c ON c.id = $2 AND c.integration_id = $1"
        " LEFT JOIN erp_receipt r ON r.integration_id = $1 WHERE i.id = $1",
        DB_ARGS(db_uuid(integration_id), db_uuid(is_id ? &client_id : NULL)), &stmt);

    *ret_sender = (struct erp_sender){.standing.is_there = !err};
    if (err) return err == ERR_NOT_FOUND ? ERR_OK : err;
    log_keep_name(integration_id, db_get_text(stmt, "name", work->arena));
    struct token_standing *standing = &ret_sender->standing;
    standing->tenant_id = db_get_uuid(stmt, "tenant_id");
    standing->point_id = db_get_uuid(stmt, "point_id");
    standing->is_enabled = db_get_int(stmt, "is_enabled") != 0 && is_client_enabled(work, stmt);
    ret_sender->keeps_absent = db_get_int(stmt, "keeps_absent") != 0;
    ret_sender->is_test = db_get_int(stmt, "is_test") != 0;
    int64_t *full_at = ret_sender->buckets.full_at; /* of a first package: 0 */
    full_at[ERP_BUCKET_PACKAGES] = db_get_int(stmt, "packages_full_us");
    full_at[ERP_BUCKET_SNAPSHOTS] = db_get_int(stmt, "snapshots_full_us");
    ret_sender->keep =
        (struct erp_keep){db_get_int(stmt, "kept_bytes"), db_get_int(stmt, "trim_at")};
    return ERR_OK;
}

/* The sender of the packages that share a transaction. */
struct shared_sender {
    struct uuid integration_id;
    char client_id[TOKEN_CLIENT_ID_MAX + 1]; /* "": nothing was read yet */
    struct erp_sender sender;
};
static_assert(sizeof(struct shared_sender) <= DB_SHARED_MAX, "has to fit");

static bool is_of(const struct shared_sender *shared, const struct token_claims *claims,
                  const struct uuid *integration_id)
{
    return uuid_equal(&shared->integration_id, integration_id) &&
           strcmp(shared->client_id, claims->client_id) == 0;
}

enum err erp_sender_find(struct work *work, const struct token_claims *claims,
                         const struct uuid *integration_id, struct erp_sender **ret_sender)
{
    static const char owner[] = "erp_sender";
    struct shared_sender *shared = db_shared(work->tx, owner, sizeof(*shared));

    if (!shared) shared = ARENA_NEW(work->arena, struct shared_sender);
    *ret_sender = &shared->sender;
    if (is_of(shared, claims, integration_id)) return ERR_OK;
    shared->client_id[0] = '\0';
    enum err err = erp_sender_select(work, claims, integration_id, &shared->sender);
    if (err) return err;
    shared->integration_id = *integration_id;
    snprintf(shared->client_id, sizeof(shared->client_id), "%s", claims->client_id);
    return ERR_OK;
}

/* --- Intake --- */

/* $2 is now. */
#define CHARGED(column, step)                                                                     \
    column " = " step " + CASE WHEN erp_receipt." column " < $2 THEN $2 ELSE erp_receipt." column \
           " END"
#define PACKAGES_CHARGED  CHARGED("packages_full_us", "$3")
#define SNAPSHOTS_CHARGED CHARGED("snapshots_full_us", "$4")

static enum err charge_receipt(struct work *work, const struct uuid *integration_id,
                               const struct erp_charge *charge)
{
    const int64_t *step_us = charge->step_us;
    return db_exec_later(
        work->tx,
        "INSERT INTO erp_receipt (integration_id, last_receipt, packages_full_us,"
        " snapshots_full_us, kept_bytes, trim_at)"
        " VALUES ($1, 1, CAST($2 AS BIGINT) + $3, CAST($2 AS BIGINT) + $4, $5,"
        " CASE WHEN CAST($5 AS BIGINT) > $6 THEN CAST($7 AS BIGINT) END)"
        " ON CONFLICT (integration_id) DO UPDATE"
        " SET last_receipt = erp_receipt.last_receipt + 1, " PACKAGES_CHARGED ", " SNAPSHOTS_CHARGED
        ", kept_bytes = erp_receipt.kept_bytes + $5,"
        " trim_at = CASE WHEN erp_receipt.trim_at IS NULL AND erp_receipt.kept_bytes + $5 > $6"
        " THEN $7 ELSE erp_receipt.trim_at END",
        DB_ARGS(db_uuid(integration_id), db_int(charge->now_us),
                db_int(step_us[ERP_BUCKET_PACKAGES]), db_int(step_us[ERP_BUCKET_SNAPSHOTS]),
                db_int(charge->kept_bytes), db_int(charge->kept_max), db_int(work->now_ms)));
}

static struct db_arg encode_warnings(struct work *work, const struct erp_package *package)
{
    const struct erp_warning_list list = {package->warnings};
    struct json_writer writer;
    AUTO_BUF out = {0};

    if (list.warnings.count == 0) return db_null();
    buf_init(&out, WARNINGS_BYTES_MAX);
    json_writer_init(&writer, &out);
    record_encode(&erp_warning_list_record, &list, &writer);
    assert(!out.is_full);
    return db_text(arena_str(work->arena, buf_view(&out)));
}

/* One that is the first beyond what may be kept, as $4 says, is stored whatever else is: that was
 * never looked at. */
enum err erp_package_insert(struct work *work, const struct uuid *integration_id,
                            struct erp_package *package, int64_t row_count,
                            const struct erp_charge *charge, bool *ret_is_new)
{
    AUTO_STMT stmt = NULL;
    enum err err = charge_receipt(work, integration_id, charge);
    if (err) return err;
    err = db_query_one(
        work->tx,
        "INSERT INTO erp_package (integration_id, event_id, receipt, event_type, status,"
        " attempts, received_at, generated_at, due_at, give_up_at, released, row_count,"
        " rows_done, body_length, warnings)"
        " SELECT $1, $2, r.last_receipt, $3, 'accepted', 0, $4, $5, $4, $6, 0, $7, 0, $8, $13"
        " FROM erp_receipt r WHERE r.integration_id = $1"
        " AND r.packages_full_us <= $9 AND r.snapshots_full_us <= $10"
        " AND (r.kept_bytes - $11 <= $12 OR r.trim_at = $4)"
        " ON CONFLICT (integration_id, event_id) DO NOTHING RETURNING receipt",
        DB_ARGS(db_uuid(integration_id), db_text(package->event_id),
                db_text(erp_package_type_words[package->event_type]), db_int(package->received_at),
                db_int(package->generated_at), db_int(package->received_at + ERP_RETRY_FOR_MS),
                db_int(row_count), db_int(package->body_length),
                db_int(charge->latest_us[ERP_BUCKET_PACKAGES]),
                db_int(charge->latest_us[ERP_BUCKET_SNAPSHOTS]), db_int(charge->kept_bytes),
                db_int(charge->unapplied_max), encode_warnings(work, package)),
        &stmt);
    if (err && err != ERR_NOT_FOUND) return err;
    *ret_is_new = !err;
    if (!err) package->receipt = db_get_int(stmt, "receipt");
    return ERR_OK;
}

enum err erp_charge_undo(struct work *work, const struct uuid *integration_id,
                         const struct erp_charge *charge)
{
    return db_exec_later(
        work->tx,
        "UPDATE erp_receipt SET packages_full_us = packages_full_us - $2,"
        " snapshots_full_us = snapshots_full_us - $3,"
        " kept_bytes = kept_bytes - $4 WHERE integration_id = $1",
        DB_ARGS(db_uuid(integration_id), db_int(charge->step_us[ERP_BUCKET_PACKAGES]),
                db_int(charge->step_us[ERP_BUCKET_SNAPSHOTS]), db_int(charge->kept_bytes)));
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

enum err erp_package_select_next_due(struct work *work, const struct uuid *integration_id,
                                     int64_t *ret_due_at)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(
        work->tx,
        "SELECT MIN(due_at) AS due_at FROM (SELECT due_at FROM (SELECT due_at FROM erp_package"
        " WHERE integration_id = $1 AND status = 'accepted' ORDER BY receipt LIMIT 1) AS new"
        " UNION ALL SELECT due_at FROM (SELECT due_at FROM erp_package WHERE integration_id = $1"
        " AND status IN ('retry', 'processing') ORDER BY due_at LIMIT 1) AS tried) AS due",
        DB_ARGS(db_uuid(integration_id)), &stmt);
    if (!err) *ret_due_at = db_get_int(stmt, "due_at");
    return err;
}

/* In a list the errors and warnings are left out. */
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

#define PACKAGE_ROW(FIRST, NEXT)                               \
    FIRST(event_id, event_id, TEXT)                            \
    NEXT(receipt, receipt, INT)                                \
    NEXT(event_type, event_type, WORD(erp_package_type_words)) \
    NEXT(status, status, WORD(erp_package_status_words))       \
    NEXT(attempts, attempts, INT)                              \
    NEXT(received_at, received_at, INT)                        \
    NEXT(generated_at, generated_at, INT)                      \
    NEXT(processed_at, processed_at, INT)                      \
    NEXT(last_error, last_error, TEXT)                         \
    NEXT(body_length, body_length, INT)                        \
    NEXT(changes, changes, INT)
#define PACKAGE_COLUMNS COLUMNS(PACKAGE_ROW) ", due_at, row_count, rows_done, result"
COLUMNS_READER(read_columns, struct erp_package *, PACKAGE_ROW)

static enum err read_package(struct work *work, struct db_stmt *stmt,
                             struct erp_package *ret_package)
{
    struct erp_package package = {0};

    if (!read_columns(work, stmt, &package)) return LOG_BROKEN("a package has an unknown word");
    if (package.status == ERP_PACKAGE_ACCEPTED || package.status == ERP_PACKAGE_RETRY)
        package.next_attempt_at = clock_not_past(db_get_int(stmt, "due_at"), work->now_ms);
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

static enum err read_warnings(struct work *work, struct db_stmt *stmt, struct erp_package *package)
{
    const char *text = db_get_text(stmt, "warnings", work->arena);
    struct erp_warning_list list = {0};

    enum err err =
        text ? record_decode_known(&erp_warning_list_record, str_of(text), work->arena, &list)
             : ERR_OK;
    package->warnings = list.warnings;
    if (!package->warnings.items) /* empty, not absent */
        package->warnings.items = ARENA_NEW(work->arena, struct erp_warning);
    return err;
}

enum err erp_package_start(struct work *work, const struct uuid *integration_id,
                           const char *event_id, struct db_stmt **ret_stmt)
{
    return db_query(work->tx,
                    "SELECT " PACKAGE_COLUMNS ", errors, warnings" FROM_PACKAGE "event_id = $2",
                    DB_ARGS(db_uuid(integration_id), db_text(event_id)), ret_stmt);
}

enum err erp_package_read(struct work *work, struct db_stmt *stmt, struct erp_package *ret_package)
{
    enum err err = db_step(stmt);
    if (!err) err = read_package(work, stmt, ret_package);
    if (!err) err = read_errors(work, stmt, ret_package);
    return err ? err : read_warnings(work, stmt, ret_package);
}

enum err erp_package_select(struct work *work, const struct uuid *integration_id,
                            const char *event_id, struct erp_package *ret_package)
{
    AUTO_STMT stmt = NULL;
    enum err err = erp_package_start(work, integration_id, event_id, &stmt);
    return err ? err : erp_package_read(work, stmt, ret_package);
}

/* A text for each filter, so that each can use the index that was made for it. */
#define PAGE(status, type)                                            \
    "SELECT " PACKAGE_COLUMNS FROM_PACKAGE "receipt < $2" status type \
    " ORDER BY receipt DESC LIMIT $3"
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
                                 const struct erp_package_filter *filter, int64_t before,
                                 int64_t limit, struct record_list *ret_packages)
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

/* Of all integrations, along the index erp_package_by_time, or that of new ones, snapshots, retries
 * or failures. Texts for what has an index of its own leave out what would let an engine walk
 * through all packages by time. */
#define BY_TIME " AND received_at > 0"
#define ALL_PAGE(wanted)                                                                         \
    "SELECT p.*, (SELECT i.name FROM integration AS i WHERE i.id = p.integration_id) AS name,"   \
    " (SELECT i.environment FROM integration AS i WHERE i.id = p.integration_id) AS environment" \
    " FROM (SELECT integration_id, " PACKAGE_COLUMNS " FROM erp_package"                         \
    " WHERE (received_at, integration_id, receipt) < ($1, $2, $3)" wanted                        \
    " ORDER BY received_at DESC, integration_id DESC, receipt DESC LIMIT $4) AS p"               \
    " ORDER BY received_at DESC, integration_id DESC, receipt DESC"
#define ALL_PAGES(type)                                                                        \
    {                                                                                          \
        ALL_PAGE(type BY_TIME),                                                                \
            [1 + ERP_PACKAGE_ACCEPTED] =                                                       \
                ALL_PAGE(type " AND status = 'accepted' AND attempts >= 0"),                   \
                 [1 + ERP_PACKAGE_PROCESSING] = ALL_PAGE(type " AND status = 'processing'"),   \
                 [1 + ERP_PACKAGE_APPLIED] = ALL_PAGE(type " AND status = 'applied'" BY_TIME), \
                 [1 + ERP_PACKAGE_RETRY] = ALL_PAGE(type " AND status = 'retry'" BY_TIME),     \
                 [1 + ERP_PACKAGE_FAILED] = ALL_PAGE(type " AND status = 'failed'" BY_TIME),   \
    }
static const char *const all_pages[][1 + ERP_PACKAGE_FAILED + 1] = {
    ALL_PAGES(""),
    [1 + ERP_PACKAGE_SNAPSHOT] = ALL_PAGES(" AND event_type = 'snapshot'"),
    [1 + ERP_PACKAGE_DELTA] = ALL_PAGES(" AND event_type = 'delta'"),
};

static enum err read_with_integration(struct work *work, struct db_stmt *stmt,
                                      struct erp_package *ret_package)
{
    enum err err = read_package(work, stmt, ret_package);
    if (err) return err;
    ret_package->integration_id = db_get_uuid(stmt, "integration_id");
    ret_package->integration_name = db_get_text(stmt, "name", work->arena);
    ret_package->environment =
        word_index(integration_environment_words, db_get_text(stmt, "environment", work->arena));
    return ret_package->environment < 0 ? LOG_BROKEN("an integration has an unknown word") : ERR_OK;
}

enum err erp_package_select_all(struct work *work, const struct erp_package_filter *filter,
                                const struct page_place *before, int64_t limit,
                                struct record_list *ret_packages)
{
    struct erp_package *packages = arena_array(work->arena, (size_t)limit, sizeof(*packages));
    size_t count = 0;
    AUTO_STMT stmt = NULL;
    enum err err = db_query(
        work->tx, all_pages[1 + filter->event_type][1 + filter->status],
        DB_ARGS(db_int(before->number), db_uuid(&before->id), db_int(before->rank), db_int(limit)),
        &stmt);
    if (err) return err;
    while ((err = db_step(stmt)) == ERR_OK) {
        err = read_with_integration(work, stmt, &packages[count++]);
        if (err) return err;
    }
    if (err != ERR_NOT_FOUND) return err;
    *ret_packages = (struct record_list){packages, count};
    return ERR_OK;
}

enum err erp_body_select(struct work *work, const struct uuid *integration_id, const char *event_id,
                         struct arena *arena, struct str *ret_packed)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx,
                                "SELECT packed FROM erp_package_body WHERE integration_id = $1"
                                " AND receipt = (SELECT receipt" FROM_PACKAGE "event_id = $2)",
                                DB_ARGS(db_uuid(integration_id), db_text(event_id)), &stmt);
    if (err) return err;
    *ret_packed = db_get_blob(stmt, "packed", arena);
    return ret_packed->data ? ERR_OK : ERR_OVERLOADED;
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

static enum err read_bodies(struct work *work, struct db_stmt *stmt, int max,
                            struct record_list *ret_bodies)
{
    struct kept_body *bodies = arena_array(work->arena, (size_t)max, sizeof(*bodies));
    size_t count = 0;
    enum err err;

    while ((err = db_step(stmt)) == ERR_OK)
        bodies[count++] = (struct kept_body){
            db_get_uuid(stmt, "integration_id"),
            db_get_int(stmt, "receipt"),
            db_get_int(stmt, "bytes"),
        };
    if (err != ERR_NOT_FOUND) return err;
    *ret_bodies = (struct record_list){bodies, count};
    return ERR_OK;
}

#define SELECT_BODY                                                         \
    "SELECT b.integration_id, b.receipt, LENGTH(b.packed) AS bytes"         \
    " FROM erp_package_body b WHERE (SELECT p.status FROM erp_package p"    \
    " WHERE p.integration_id = b.integration_id AND p.receipt = b.receipt)" \
    " = 'applied' AND "

enum err erp_bodies_select_old(struct work *work, int64_t before_ms, int max,
                               struct record_list *ret_bodies)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query(work->tx,
                            "SELECT integration_id, receipt, bytes FROM (" SELECT_BODY
                            "b.received_at < $1 ORDER BY b.received_at LIMIT $2) AS old"
                            " ORDER BY integration_id, receipt",
                            DB_ARGS(db_int(before_ms), db_int(max)), &stmt);
    return err ? err : read_bodies(work, stmt, max, ret_bodies);
}

enum err erp_bodies_select_first(struct work *work, const struct uuid *integration_id, int max,
                                 struct record_list *ret_bodies)
{
    AUTO_STMT stmt = NULL;
    enum err err =
        db_query(work->tx, SELECT_BODY "b.integration_id = $1 ORDER BY b.receipt LIMIT $2",
                 DB_ARGS(db_uuid(integration_id), db_int(max)), &stmt);
    return err ? err : read_bodies(work, stmt, max, ret_bodies);
}

/* The bodies of one integration; another worker may have been faster with some. */
static enum err delete_of_one(struct work *work, const struct kept_body *bodies, size_t count)
{
    static const char sql[] =
        "DELETE FROM erp_package_body WHERE integration_id = $1 AND receipt = $2";
    const struct uuid *integration_id = &bodies[0].integration_id;
    int64_t *deleted = arena_array(work->arena, count, sizeof(*deleted)), bytes = 0;
    struct db_rows rows = {work->tx, work->arena, sql, count, .changed = deleted};

    enum err err = db_hold(work->tx, "SELECT kept_bytes FROM erp_receipt WHERE integration_id = $1",
                           DB_ARGS(db_uuid(integration_id)));
    for (size_t i = 0; !err && i < count; i++)
        err = db_rows_add(&rows, DB_ARGS(db_uuid(integration_id), db_int(bodies[i].receipt)));
    if (!err) err = db_rows_run(&rows);
    if (err) return err;
    for (size_t i = 0; i < count; i++)
        bytes += deleted[i] * bodies[i].bytes;
    /* A herald without these counts did not add to them what it stored. */
    return db_exec_later(work->tx,
                         "UPDATE erp_receipt SET kept_bytes = CASE WHEN kept_bytes > $2"
                         " THEN kept_bytes - $2 ELSE 0 END WHERE integration_id = $1",
                         DB_ARGS(db_uuid(integration_id), db_int(bytes)));
}

enum err erp_bodies_delete(struct work *work, const struct kept_body *bodies, size_t count)
{
    enum err err = ERR_OK;

    for (size_t i = 0, end; i < count && !err; i = end) {
        end = i + 1;
        while (end < count && uuid_equal(&bodies[end].integration_id, &bodies[i].integration_id))
            end++;
        err = delete_of_one(work, &bodies[i], end - i);
    }
    return err;
}

/* Two statements: the second one sees what was stored by whom the first has waited for. */
enum err erp_kept_recount(struct work *work, struct uuid *id)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(
        work->tx,
        DB_FOR_UPDATE(work->tx, "SELECT integration_id FROM erp_receipt WHERE integration_id > $1"
                                " ORDER BY integration_id LIMIT 1"),
        DB_ARGS(db_blob((struct str){(const char *)id->bytes, sizeof(id->bytes)})), &stmt);
    if (err) return err;
    *id = db_get_uuid(stmt, "integration_id");
    return db_exec(work->tx,
                   "UPDATE erp_receipt SET kept_bytes = (SELECT COALESCE(SUM(LENGTH(b.packed)), 0)"
                   " FROM erp_package_body b WHERE b.integration_id = $1),"
                   " trim_at = COALESCE(trim_at, $2) WHERE integration_id = $1",
                   DB_ARGS(db_uuid(id), db_int(work->now_ms)), NULL);
}

enum err erp_kept_lock_next(struct work *work, struct erp_kept *ret_kept)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(
        work->tx,
        DB_FOR_UPDATE(work->tx, "SELECT integration_id, kept_bytes, trim_at FROM erp_receipt"
                                " WHERE trim_at IS NOT NULL ORDER BY trim_at LIMIT 1"),
        DB_NO_ARGS, &stmt);
    if (err) return err;
    *ret_kept = (struct erp_kept){
        .integration_id = db_get_uuid(stmt, "integration_id"),
        .keep = {db_get_int(stmt, "kept_bytes"), db_get_int(stmt, "trim_at")},
    };
    return ERR_OK;
}

enum err erp_kept_set_trim(struct work *work, const struct uuid *integration_id, int64_t trim_at)
{
    return db_exec_later(work->tx, "UPDATE erp_receipt SET trim_at = $2 WHERE integration_id = $1",
                         DB_ARGS(db_uuid(integration_id), db_int_or_null(trim_at)));
}
