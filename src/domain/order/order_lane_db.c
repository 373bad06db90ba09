/* Statements on order_lane. Its rows are as many as there are integrations with orders, so that no
 * index is needed but the key: a turn reads them all, which costs 0.2 us a lane on SQLite and 1 us
 * on PostgreSQL. Index order_delivery_due tells what is due of a lane. */
#include "domain/order/order_lane_db.h"

#include "domain/order/order_job.h"
#include "kit/base/log_names.h"
#include "kit/db/rows.h"

static void read_row(struct work *work, const struct uuid *holder, struct db_stmt *stmt,
                     struct order_lane_row *ret_row)
{
    struct uuid held_by = db_get_uuid(stmt, "holder");
    const char *error = db_get_text(stmt, "last_error", work->arena);

    *ret_row = (struct order_lane_row){
        .integration_id = db_get_uuid(stmt, "integration_id"),
        .is_held = uuid_equal(&held_by, holder),
        .lane = {.circuit = {.failures = db_get_int(stmt, "failures"),
                             .probe_at = db_get_int(stmt, "probe_at")},
                 .warned_at = db_get_int(stmt, "warned_at"),
                 .opened_at = db_get_int(stmt, "opened_at")},
        .target = {.base_url = db_get_text(stmt, "erp_url", work->arena),
                   .order_path = db_get_text(stmt, "erp_path", work->arena),
                   .sealed_token = db_get_blob(stmt, "erp_token", work->arena),
                   .timeout_s = db_get_int(stmt, "erp_timeout_s")},
    };
    log_keep_name(&ret_row->integration_id, db_get_text(stmt, "name", work->arena));
    /* A change by an older version of herald may have left these two behind. */
    order_lane_note(&ret_row->lane, error, work->now_ms);
}

enum err order_lane_select_due(struct work *work, const struct uuid *holder,
                               const struct uuid *after, int max, struct order_lane_page *ret_page)
{
    struct order_lane_page page = {arena_array(work->arena, (size_t)max, sizeof(*page.rows)), 0};
    AUTO_STMT stmt = NULL;
    enum err err = db_query(
        work->tx,
        "SELECT l.integration_id, l.holder, l.failures, l.probe_at, l.warned_at,"
        " l.opened_at, l.last_error, i.erp_url, i.erp_token, i.erp_path, i.erp_timeout_s,"
        " i.name"
        " FROM order_lane AS l JOIN integration AS i ON i.id = l.integration_id"
        " WHERE l.integration_id > $1"
        " AND (l.holder = $2 OR l.held_until <= $3)"
        " AND (l.probe_at IS NULL OR l.probe_at <= $3)"
        " AND i.is_enabled = 1"
        /* This is the first in the index from there on, of whatever lane. PostgreSQL would
         * make a join of any other form, or sort, and read all that is due. */
        " AND (SELECT CASE WHEN d.integration_id = l.integration_id THEN d.due_at END"
        " FROM order_delivery AS d"
        " WHERE d.integration_id >= l.integration_id AND d.due_at IS NOT NULL"
        " ORDER BY d.integration_id, d.due_at LIMIT 1) <= $3"
        " ORDER BY l.integration_id LIMIT $4",
        DB_ARGS(db_uuid(after), db_uuid(holder), db_int(work->now_ms), db_int(max)), &stmt);
    if (err) return err;
    while ((err = db_step(stmt)) == ERR_OK)
        read_row(work, holder, stmt, &page.rows[page.count++]);
    if (err != ERR_NOT_FOUND) return err;
    *ret_page = page;
    return ERR_OK;
}

/* --- Leases ----------------------------------------------------------------------------------- */

/* Nobody waits for a row that another transaction has: whoever locks a lane of another worker takes
 * it, since its lease is over. */
#define OF_HOLDER(lock)                                                                        \
    " WHERE integration_id = (SELECT integration_id FROM order_lane WHERE integration_id = $1" \
    " AND holder = $2" lock ")"
#define OVER(lock)                                                                             \
    " WHERE integration_id = (SELECT integration_id FROM order_lane WHERE integration_id = $1" \
    " AND held_until <= $4" lock ")"
#define SKIP    " FOR UPDATE SKIP LOCKED"
#define TAKE    "UPDATE order_lane SET holder = $2, held_until = $3"
#define RELEASE "UPDATE order_lane SET holder = NULL, held_until = 0"
#define WRITE                                                                             \
    "UPDATE order_lane SET failures = $3, probe_at = $4, warned_at = $5, opened_at = $6," \
    " last_error = $7, changes = changes + $8"
#define ALL_OF(lock) \
    " WHERE integration_id IN (SELECT integration_id FROM order_lane WHERE holder = $1" lock ")"
#define RENEW(lock) "UPDATE order_lane SET held_until = $2" ALL_OF(lock) " RETURNING integration_id"

enum err order_lane_take(struct work *work, const struct uuid *holder, const struct uuid *ids,
                         size_t count, int64_t held_until, int64_t *ret_are_taken)
{
    const char *sql = db_sql(work->tx, TAKE OVER(""), TAKE OVER(SKIP));
    struct db_rows rows = {work->tx, work->arena, sql, count, .is_by_key = true};
    enum err err = ERR_OK;

    rows.changed = ret_are_taken;
    for (size_t i = 0; !err && i < count; i++)
        err = db_rows_add(&rows, DB_ARGS(db_uuid(&ids[i]), db_uuid(holder), db_int(held_until),
                                         db_int(work->now_ms)));
    return err ? err : db_rows_run(&rows);
}

enum err order_lane_renew(struct work *work, const struct uuid *holder, int64_t held_until,
                          size_t max, struct uuid **ret_ids, size_t *ret_count)
{
    struct uuid *ids = arena_array(work->arena, max, sizeof(*ids));
    size_t count = 0;
    AUTO_STMT stmt = NULL;
    enum err err = db_query(work->tx, db_sql(work->tx, RENEW(""), RENEW(SKIP)),
                            DB_ARGS(db_uuid(holder), db_int(held_until)), &stmt);
    if (err) return err;
    while (count < max && (err = db_step(stmt)) == ERR_OK)
        ids[count++] = db_get_uuid(stmt, "integration_id");
    if (err && err != ERR_NOT_FOUND) return err;
    *ret_ids = ids;
    *ret_count = count;
    return ERR_OK;
}

enum err order_lane_release(struct work *work, const struct uuid *holder, const struct uuid *ids,
                            size_t count)
{
    const char *sql = db_sql(work->tx, RELEASE OF_HOLDER(""), RELEASE OF_HOLDER(SKIP));
    struct db_rows rows = {work->tx, work->arena, sql, count, .is_by_key = true};
    enum err err = ERR_OK;

    for (size_t i = 0; !err && i < count; i++)
        err = db_rows_add(&rows, DB_ARGS(db_uuid(&ids[i]), db_uuid(holder)));
    return err ? err : db_rows_run(&rows);
}

enum err order_lane_release_all(struct work *work, const struct uuid *holder)
{
    const char *sql = db_sql(work->tx, RELEASE ALL_OF(""), RELEASE ALL_OF(SKIP));
    return db_exec(work->tx, sql, DB_ARGS(db_uuid(holder)), NULL);
}

enum err order_lane_release_everybodys(struct work *work)
{
    return db_exec(work->tx,
                   "UPDATE order_lane SET holder = NULL, held_until = 0 WHERE holder IS NOT NULL",
                   DB_NO_ARGS, NULL);
}

/* --- Their state ------------------------------------------------------------------------------ */

enum err order_lane_write(struct work *work, const struct uuid *holder,
                          const struct order_lane_state *states, size_t count,
                          int64_t *ret_are_written)
{
    const char *sql = db_sql(work->tx, WRITE OF_HOLDER(""), WRITE OF_HOLDER(SKIP));
    struct db_rows rows = {work->tx, work->arena, sql, count, .is_by_key = true};
    enum err err = ERR_OK;

    rows.changed = ret_are_written;
    for (size_t i = 0; !err && i < count; i++) {
        const struct order_lane *lane = &states[i].lane;
        err = db_rows_add(
            &rows, DB_ARGS(db_uuid(&states[i].integration_id), db_uuid(holder),
                           db_int(lane->circuit.failures), db_int_or_null(lane->circuit.probe_at),
                           db_int_or_null(lane->warned_at), db_int_or_null(lane->opened_at),
                           db_text(lane->last_error[0] ? lane->last_error : NULL),
                           db_int(states[i].is_edge)));
    }
    return err ? err : db_rows_run(&rows);
}

enum err order_lane_select_changes(struct work *work, const struct uuid *integration_id,
                                   int64_t *ret_changes)
{
    AUTO_STMT stmt = NULL;
    enum err err =
        db_query_one(work->tx, "SELECT changes FROM order_lane WHERE integration_id = $1",
                     DB_ARGS(db_uuid(integration_id)), &stmt);
    if (!err) *ret_changes = db_get_int(stmt, "changes");
    return err;
}
