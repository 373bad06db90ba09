/* These statements read rows of the exchange store and write none. Each count is along the index
 * that lists such rows of all integrations, and repeats its condition. */
#include "core/rows.h"
#include "domain/overview/overview.h"

#define FEW(name, source)    "(SELECT COUNT(*) FROM (" source " LIMIT $1) AS few) AS " name
#define OLDEST(name, source) "(" source " LIMIT 1) AS " name
#define PACKAGES(condition, order) \
    "SELECT p.received_at FROM erp_package AS p WHERE " condition " ORDER BY " order
#define BY_TIME "p.received_at, p.integration_id, p.receipt"
#define NEW     PACKAGES("p.status = 'accepted' AND p.attempts >= 0", BY_TIME)
#define RETRIED PACKAGES("p.status = 'retry' AND p.received_at > 0", BY_TIME)
#define BEGUN   PACKAGES("p.status = 'processing'", "p.integration_id, p.due_at")
#define FAILED  PACKAGES("p.status = 'failed' AND p.received_at > 0", BY_TIME)
#define ORDERS(state)                                                      \
    "SELECT d.created_at FROM order_delivery AS d WHERE d.state = '" state \
    "' AND d.state <> 'accepted' AND d.created_at > 0 ORDER BY d.created_at, d.id"

/* clang-format off */
static const char select_overview[] =
    "SELECT "
    FEW("new_count", NEW) ", "
    FEW("retry_count", RETRIED) ", "
    FEW("begun_count", BEGUN) ", "
    FEW("failed_count", FAILED) ", "
    OLDEST("new_at", NEW) ", "
    OLDEST("retry_at", RETRIED) ", "
    FEW("queued_count", ORDERS("queued")) ", "
    FEW("delivering_count", ORDERS("delivering")) ", "
    OLDEST("queued_at", ORDERS("queued")) ", "
    OLDEST("delivering_at", ORDERS("delivering")) ", "
    "(SELECT COUNT(*) FROM (SELECT id FROM integration ORDER BY id LIMIT $2) AS few) AS total, "
    "(SELECT COUNT(CASE WHEN is_enabled = 1 THEN 1 END) FROM (SELECT is_enabled FROM integration"
    " ORDER BY id LIMIT $2) AS few) AS enabled, "
    "(SELECT COUNT(CASE WHEN is_enabled = 1 AND at <= $3 THEN 1 END) FROM (SELECT i.is_enabled,"
    " (SELECT c.snapshot_at FROM catalog AS c WHERE c.integration_id = i.id) AS at"
    " FROM integration AS i ORDER BY i.id LIMIT $2) AS few) AS old_catalogs, "
    "(SELECT COUNT(CASE WHEN probe_at > 0 THEN 1 END) FROM (SELECT probe_at FROM order_lane"
    " ORDER BY integration_id LIMIT $2) AS few) AS open_circuits";
/* clang-format on */

static int64_t at_most(int64_t count)
{
    return count < OVERVIEW_COUNT_MAX ? count : OVERVIEW_COUNT_MAX;
}

/* The earlier one of two times; 0 is none. */
static int64_t earlier(int64_t a, int64_t b)
{
    if (a == 0 || b == 0) return a + b;
    return a < b ? a : b;
}

enum err exchange_overview_select(struct work *work, struct exchange_overview *ret_overview)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx, select_overview,
                                DB_ARGS(db_int(OVERVIEW_COUNT_MAX), db_int(OVERVIEW_FLEET_MAX),
                                        db_int(work->now_ms - OVERVIEW_OLD_CATALOG_MS)),
                                &stmt);
    if (err) return err;
    *ret_overview = (struct exchange_overview){
        .integrations = db_get_int(stmt, "total"),
        .enabled_integrations = db_get_int(stmt, "enabled"),
        .open_circuits = db_get_int(stmt, "open_circuits"),
        .old_catalogs = db_get_int(stmt, "old_catalogs"),
        .packages_waiting =
            at_most(db_get_int(stmt, "new_count") + db_get_int(stmt, "retry_count") +
                    db_get_int(stmt, "begun_count")),
        .packages_failed = at_most(db_get_int(stmt, "failed_count")),
        .orders_waiting =
            at_most(db_get_int(stmt, "queued_count") + db_get_int(stmt, "delivering_count")),
        .oldest_package_at = earlier(db_get_int(stmt, "new_at"), db_get_int(stmt, "retry_at")),
        .oldest_order_at =
            earlier(db_get_int(stmt, "queued_at"), db_get_int(stmt, "delivering_at")),
    };
    return ERR_OK;
}

static enum err read_age(struct work *work, struct db_stmt *stmt, void *ret_row)
{
    struct snapshot_age *age = ret_row;
    (void)work;
    *age = (struct snapshot_age){db_get_uuid(stmt, "id"), db_get_int(stmt, "at")};
    return ERR_OK;
}

/* Rows are looked up for each integration: PostgreSQL might join whole tables. */
enum err snapshot_age_select(struct work *work, int max, struct record_list *ret_ages)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query(work->tx,
                            "SELECT id, at FROM (SELECT i.id, i.is_enabled,"
                            " (SELECT c.snapshot_at FROM catalog AS c"
                            " WHERE c.integration_id = i.id) AS at"
                            " FROM integration AS i ORDER BY i.id LIMIT $1) AS few"
                            " WHERE is_enabled = 1 AND at IS NOT NULL ORDER BY id",
                            DB_ARGS(db_int(max)), &stmt);
    return err ? err
               : rows_read(work, stmt, (size_t)max, sizeof(struct snapshot_age), read_age,
                           ret_ages);
}
