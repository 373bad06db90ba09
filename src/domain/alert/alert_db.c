/* These are the statements of alerts: on their own rows, and on those of other rooms. */
#include "domain/alert/alert_db.h"

#include "core/rows.h"
#include "core/words.h"
#include "domain/message/message.h"
#include "domain/overview/overview.h"
#include "kit/base/macros.h"

/* --- Alerts ----------------------------------------------------------------------------------- */

enum { ALERTS_MAX = 2 * TROUBLE_KIND_COUNT * TROUBLES_MAX }; /* with those that are over */

static enum err read_alert(struct work *work, struct db_stmt *stmt, void *ret_row)
{
    struct alert *alert = ret_row;

    *alert = (struct alert){
        .kind = word_index(trouble_kind_words, db_get_text(stmt, "kind", work->arena)),
        .subject = db_get_text(stmt, "subject", work->arena),
        .name = db_get_text(stmt, "name", work->arena),
        .is_there = db_get_int(stmt, "is_there") != 0,
        .since_at = db_get_int(stmt, "since_at"),
        .is_told = db_get_int(stmt, "is_told") != 0,
        .told_at = db_get_int(stmt, "told_at"),
    };
    return alert->kind < 0 ? LOG_BROKEN("an alert has an unknown word") : ERR_OK;
}

enum err alert_select(struct work *work, enum alert_way way, struct record_list *ret_alerts)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query(work->tx,
                            "SELECT kind, subject, name, is_there, since_at, is_told, told_at"
                            " FROM alert WHERE way = $1 ORDER BY kind, subject LIMIT $2",
                            DB_ARGS(db_text(alert_way_words[way]), db_int(ALERTS_MAX)), &stmt);
    return err ? err
               : rows_read(work, stmt, ALERTS_MAX, sizeof(struct alert), read_alert, ret_alerts);
}

enum err alert_put(struct work *work, enum alert_way way, const struct alert *alert)
{
    return db_exec_later(
        work->tx,
        "INSERT INTO alert (way, kind, subject, name, is_there, since_at, is_told, told_at)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (way, kind, subject) DO UPDATE SET"
        " name = excluded.name, is_there = excluded.is_there, since_at = excluded.since_at,"
        " is_told = excluded.is_told, told_at = excluded.told_at",
        DB_ARGS(db_text(alert_way_words[way]), db_text(trouble_kind_words[alert->kind]),
                db_text(alert->subject), db_text(alert->name), db_int(alert->is_there),
                db_int(alert->since_at), db_int(alert->is_told), db_int(alert->told_at)));
}

enum err alert_delete(struct work *work, enum alert_way way, const struct alert *alert)
{
    return db_exec_later(
        work->tx, "DELETE FROM alert WHERE way = $1 AND kind = $2 AND subject = $3",
        DB_ARGS(db_text(alert_way_words[way]), db_text(trouble_kind_words[alert->kind]),
                db_text(alert->subject)));
}

enum err alert_count_sms(struct work *work, const char *number, int64_t since_at,
                         int64_t *ret_count)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(
        work->tx,
        "SELECT COUNT(CASE WHEN few.channel = $3 THEN 1 END) AS count"
        " FROM (SELECT m.channel FROM message AS m"
        " WHERE m.recipient = $1 AND m.created_at > $2"
        " ORDER BY m.created_at DESC, m.id DESC LIMIT 1000) AS few",
        DB_ARGS(db_text(number), db_int(since_at), db_text(message_channel_words[MESSAGE_SMS])),
        &stmt);
    if (!err) *ret_count = db_get_int(stmt, "count");
    return err;
}

/* --- Troubles --------------------------------------------------------------------------------- */

enum { OLD_MS = TROUBLE_REFUSED_H * 60 * 60 * 1000 };
static_assert((int)OLD_MS == (int)OVERVIEW_OLD_CATALOG_MS, "the catalog is old when a refusal is");

/* Of the integrations that are enabled, the first ones. Rows of others are looked up for each:
 * PostgreSQL might join whole tables. */
#define OF_INTEGRATIONS(columns)                                            \
    "FROM (SELECT i.id, i.name, i.is_enabled, " columns " FROM integration" \
    " AS i ORDER BY i.id LIMIT 10000) AS few WHERE few.is_enabled = 1 AND "
#define SNAPSHOT_AT \
    "(SELECT c.snapshot_at FROM catalog AS c WHERE c.integration_id = i.id) AS snapshot_at"
#define APPLIED_AT                                                                  \
    "(SELECT CASE WHEN c.changes_at > COALESCE(c.snapshot_at, 0) THEN c.changes_at" \
    " ELSE c.snapshot_at END FROM catalog AS c WHERE c.integration_id = i.id)"      \
    " AS applied_at"
/* The id of a refusal begins with its time, so that old ones are not looked at. */
#define REFUSED(column, condition, alias)                                                  \
    "(SELECT r." column " FROM erp_refusal AS r WHERE r.integration_id = i.id AND r.id >=" \
    " $2 " condition "ORDER BY r.id DESC LIMIT 1) AS " alias
#define OF_SNAPSHOT "AND r.event_type = 'snapshot' "

/* Each row lists its troubles in an order that does not change, so that those behind the last that
 * is listed stay unlisted. A package that failed is a trouble of its integration until another one
 * is applied; so is one that was refused, but a snapshot until a snapshot is. $1 is how many are
 * listed, and $2 the least id of three days ago, or that time. */
/* clang-format off */
static const char select_silent[] =
    "SELECT n.number AS subject, n.number || ' (' || d.name || ')' AS name, n.device_id AS"
    " record_id, NULL AS reason, CASE WHEN n.silent_since > 1 THEN n.silent_since END AS since_at"
    " FROM (SELECT number, device_id, is_enabled, silent_since FROM device_number"
    " ORDER BY number LIMIT 10000) AS n JOIN device AS d ON d.id = n.device_id"
    " WHERE n.is_enabled = 1 AND n.silent_since IS NOT NULL ORDER BY n.number LIMIT $1";
static const char select_disabled[] =
    "SELECT id AS record_id, url AS name, NULL AS reason, updated_at AS since_at"
    " FROM webhook_endpoint"
    " WHERE is_enabled = 0 AND disabled_why IS NOT NULL ORDER BY id LIMIT $1";
static const char select_circuits[] =
    "SELECT i.id AS record_id, i.name, l.last_error AS reason, l.opened_at AS since_at"
    " FROM order_lane AS l JOIN integration AS i ON i.id = l.integration_id"
    " WHERE l.probe_at > 0 AND i.is_enabled = 1 ORDER BY l.integration_id LIMIT $1";
static const char select_failed[] =
    "SELECT few.id AS record_id, few.name, NULL AS reason, few.failed_at AS since_at "
    OF_INTEGRATIONS(
        "(SELECT p.processed_at FROM erp_package AS p WHERE p.integration_id = i.id"
        " AND p.status = 'failed' ORDER BY p.receipt DESC LIMIT 1) AS failed_at, "
        APPLIED_AT)
    "few.failed_at > COALESCE(few.applied_at, 0) ORDER BY few.id LIMIT $1";
static const char select_refused[] =
    "SELECT few.id AS record_id, few.name,"
    " CASE WHEN few.refused_at > COALESCE(few.applied_at, 0) THEN few.code"
    " ELSE few.snapshot_code END AS reason,"
    " CASE WHEN few.refused_at > COALESCE(few.applied_at, 0) THEN few.refused_at"
    " ELSE few.snapshot_refused_at END AS since_at "
    OF_INTEGRATIONS(
        REFUSED("refused_at", "", "refused_at") ", "
        REFUSED("code", "", "code") ", "
        REFUSED("refused_at", OF_SNAPSHOT, "snapshot_refused_at") ", "
        REFUSED("code", OF_SNAPSHOT, "snapshot_code") ", "
        SNAPSHOT_AT ", "
        APPLIED_AT)
    "(few.refused_at > COALESCE(few.applied_at, 0)"
    " OR few.snapshot_refused_at > COALESCE(few.snapshot_at, 0)) ORDER BY few.id LIMIT $1";
static const char select_old[] =
    "SELECT few.id AS record_id, few.name, NULL AS reason, few.snapshot_at AS since_at "
    OF_INTEGRATIONS(SNAPSHOT_AT)
    "few.snapshot_at <= $2 ORDER BY few.id LIMIT $1";
/* clang-format on */

static const struct source {
    enum trouble_kind kind;
    enum route_store store;
    enum { BARE, SINCE_TIME, SINCE_ID } bound; /* what $2 is */
    bool has_text; /* the subject is one, and not the id of the record */
    const char *sql;
} sources[] = {
    {TROUBLE_SIM_SILENT, STORE_VERIFICATION, BARE, true, select_silent},
    {TROUBLE_ENDPOINT_DISABLED, STORE_VERIFICATION, BARE, false, select_disabled},
    {TROUBLE_ERP_CIRCUIT, STORE_EXCHANGE, BARE, false, select_circuits},
    {TROUBLE_PACKAGE_FAILED, STORE_EXCHANGE, BARE, false, select_failed},
    {TROUBLE_PACKAGE_REFUSED, STORE_EXCHANGE, SINCE_ID, false, select_refused},
    {TROUBLE_CATALOG_OLD, STORE_EXCHANGE, SINCE_TIME, false, select_old},
};

static void add_row(struct work *work, const struct source *source, struct db_stmt *stmt,
                    struct trouble_list *troubles)
{
    struct uuid id = db_get_uuid(stmt, "record_id");
    const char *record_id = uuid_text(&id, work->arena);
    struct trouble trouble = {
        .kind = source->kind,
        .subject = source->has_text ? db_get_text(stmt, "subject", work->arena) : record_id,
        .name = db_get_text(stmt, "name", work->arena),
        .record_id = record_id,
        .reason = db_get_text(stmt, "reason", work->arena),
        .since = db_get_int(stmt, "since_at"),
    };

    if (source->kind == TROUBLE_CATALOG_OLD) trouble.since += OLD_MS;
    trouble_add(troubles, &trouble);
}

static enum err select_from(struct work *work, const struct source *source,
                            struct trouble_list *troubles)
{
    AUTO_STMT stmt = NULL;
    struct uuid oldest = uuid_at(work->now_ms - OLD_MS);
    const struct db_arg args[] = {
        db_int(TROUBLES_MAX),
        source->bound == SINCE_ID ? db_uuid(&oldest) : db_int(work->now_ms - OLD_MS),
    };
    enum err err = db_query(work->tx, source->sql, args, source->bound == BARE ? 1 : 2, &stmt);

    while (!err && (err = db_step(stmt)) == ERR_OK)
        add_row(work, source, stmt, troubles);
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

enum err trouble_select(struct work *work, enum route_store store, struct trouble_list *troubles)
{
    enum err err = ERR_OK;
    for (size_t i = 0; !err && i < COUNT_OF(sources); i++) {
        if (sources[i].store == store) err = select_from(work, &sources[i], troubles);
    }
    return err;
}
