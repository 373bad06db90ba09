/* These are the statements of alerts: on their own rows, and on those of other rooms. */
#include "domain/alert/alert_db.h"

#include "core/rows.h"
#include "core/words.h"
#include "domain/message/message.h"
#include "kit/base/clock.h"
#include "kit/base/macros.h"

/* --- Alerts ----------------------------------------------------------------------------------- */

enum { ALERTS_MAX = 2 * ALERT_KIND_COUNT * ALERT_TROUBLES_MAX }; /* with those that are over */

static enum err read_alert(struct work *work, struct db_stmt *stmt, void *ret_row)
{
    struct alert *alert = ret_row;

    *alert = (struct alert){
        .kind = word_index(alert_kind_words, db_get_text(stmt, "kind", work->arena)),
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
        DB_ARGS(db_text(alert_way_words[way]), db_text(alert_kind_words[alert->kind]),
                db_text(alert->subject), db_text(alert->name), db_int(alert->is_there),
                db_int(alert->since_at), db_int(alert->is_told), db_int(alert->told_at)));
}

enum err alert_delete(struct work *work, enum alert_way way, const struct alert *alert)
{
    return db_exec_later(work->tx,
                         "DELETE FROM alert WHERE way = $1 AND kind = $2 AND subject = $3",
                         DB_ARGS(db_text(alert_way_words[way]),
                                 db_text(alert_kind_words[alert->kind]), db_text(alert->subject)));
}

enum err alert_count_sms(struct work *work, const char *number, int64_t since_at,
                         int64_t *ret_count)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(
        work->tx,
        "SELECT COUNT(CASE WHEN few.channel = $3 THEN 1 END) AS count"
        " FROM (SELECT m.channel FROM message AS m"
        " WHERE m.recipient = $1 AND m.created_at > $2 AND m.created_at <= $4"
        " ORDER BY m.created_at DESC, m.id DESC LIMIT 1000) AS few",
        DB_ARGS(db_text(number), db_int(since_at), db_text(message_channel_words[MESSAGE_SMS]),
                db_int(clock_latest(work->now_ms, 0))),
        &stmt);
    if (!err) *ret_count = db_get_int(stmt, "count");
    return err;
}

/* --- Troubles --------------------------------------------------------------------------------- */

/* Each row lists its troubles in an order that does not change, so that those behind the last that
 * is listed stay unlisted. A package that failed is a trouble of its integration until another one
 * is applied. */
static const struct source {
    enum alert_kind kind;
    enum route_store store;
    bool is_id; /* the subject is one, else a text */
    const char *sql;
} sources[] = {
    {ALERT_SIM_SILENT, STORE_VERIFICATION, false,
     "SELECT n.number AS subject, n.number || ' (' || d.name || ')' AS name"
     " FROM (SELECT number, device_id, is_enabled, silent_since FROM device_number"
     " ORDER BY number LIMIT 10000) AS n JOIN device AS d ON d.id = n.device_id"
     " WHERE n.is_enabled = 1 AND n.silent_since IS NOT NULL ORDER BY n.number LIMIT $1"},
    {ALERT_ENDPOINT_DISABLED, STORE_VERIFICATION, true,
     "SELECT id AS subject, url AS name FROM webhook_endpoint"
     " WHERE is_enabled = 0 AND disabled_why IS NOT NULL ORDER BY id LIMIT $1"},
    {ALERT_ERP_CIRCUIT, STORE_EXCHANGE, true,
     "SELECT i.id AS subject, i.name FROM order_lane AS l"
     " JOIN integration AS i ON i.id = l.integration_id"
     " WHERE l.probe_at > 0 ORDER BY l.integration_id LIMIT $1"},
    {ALERT_PACKAGE_FAILED, STORE_EXCHANGE, true,
     "SELECT few.id AS subject, few.name FROM (SELECT i.id, i.name, i.is_enabled,"
     " (SELECT p.processed_at FROM erp_package AS p WHERE p.integration_id = i.id"
     " AND p.status = 'failed' ORDER BY p.receipt DESC LIMIT 1) AS failed_at,"
     " (SELECT CASE WHEN c.changes_at > COALESCE(c.snapshot_at, 0) THEN c.changes_at"
     " ELSE c.snapshot_at END FROM catalog AS c WHERE c.integration_id = i.id) AS applied_at"
     " FROM integration AS i ORDER BY i.id LIMIT 10000) AS few WHERE few.is_enabled = 1"
     " AND few.failed_at > COALESCE(few.applied_at, 0) ORDER BY few.id LIMIT $1"},
};

void trouble_add(struct trouble_list *troubles, enum alert_kind kind, const char *subject,
                 const char *name)
{
    if (troubles->count == COUNT_OF(troubles->items)) return;
    troubles->items[troubles->count++] = (struct trouble){kind, subject, name};
}

static const char *subject_of(struct work *work, const struct source *source, struct db_stmt *stmt)
{
    char text[UUID_TEXT_LEN + 1];

    if (!source->is_id) return db_get_text(stmt, "subject", work->arena);
    struct uuid id = db_get_uuid(stmt, "subject");
    uuid_format(&id, text);
    return arena_text(work->arena, text);
}

static enum err select_from(struct work *work, const struct source *source,
                            struct trouble_list *troubles)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query(work->tx, source->sql, DB_ARGS(db_int(ALERT_TROUBLES_MAX)), &stmt);

    while (!err && (err = db_step(stmt)) == ERR_OK)
        trouble_add(troubles, source->kind, subject_of(work, source, stmt),
                    db_get_text(stmt, "name", work->arena));
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
