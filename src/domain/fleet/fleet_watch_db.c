/* These are the statements of the watch on device_number, device_account and free_sender. */
#include "domain/fleet/fleet_watch_db.h"

#include "domain/fleet/fleet_account.h"

#define SELECT_NUMBERS                                                                            \
    "SELECT n.number, n.device_id, n.is_enabled, n.sim_ready_until, d.last_seen_at, s.at AS ping" \
    " FROM device_number n JOIN device d ON d.id = n.device_id"                                   \
    " LEFT JOIN device_status s ON s.device_id = n.device_id WHERE n.watch_at <= $1"              \
    " ORDER BY n.watch_at LIMIT $2"

/* Of a SIM that is ready the last claim is known. One that its phone called not ready is heard of
 * as long as its phone is, of which a ping writes the status alone. */
static int64_t read_heard_at(struct db_stmt *stmt)
{
    int64_t ready_until = db_get_int(stmt, "sim_ready_until");
    int64_t seen_at = db_get_int(stmt, "last_seen_at"), ping_at = db_get_int(stmt, "ping");

    if (ready_until > 0) return ready_until - SIM_READY_MS;
    return ping_at > seen_at ? ping_at : seen_at;
}

enum err device_number_select_watched(struct work *work, int max, struct watched *watched,
                                      size_t *ret_count)
{
    const char *sql =
        db_sql(work->tx, SELECT_NUMBERS, SELECT_NUMBERS " FOR UPDATE OF n SKIP LOCKED");
    AUTO_STMT stmt = NULL;
    enum err err = db_query(work->tx, sql, DB_ARGS(db_int(work->now_ms), db_int(max)), &stmt);

    *ret_count = 0;
    while (!err && (err = db_step(stmt)) == ERR_OK)
        watched[(*ret_count)++] = (struct watched){
            .sender = db_get_text(stmt, "number", work->arena),
            .device_id = db_get_uuid(stmt, "device_id"),
            .is_enabled = db_get_int(stmt, "is_enabled") != 0,
            .heard_at = read_heard_at(stmt),
        };
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

#define SELECT_ACCOUNTS                                                                 \
    "SELECT a.account_id, a.device_id, d.is_enabled, a.state_until"                     \
    " FROM device_account a JOIN device d ON d.id = a.device_id WHERE a.watch_at <= $1" \
    " ORDER BY a.watch_at LIMIT $2"
/* Declarations hold the phone. */
#define PASSING " FOR UPDATE OF a SKIP LOCKED FOR NO KEY UPDATE OF d SKIP LOCKED"

enum err device_account_select_watched(struct work *work, int max, struct watched *watched,
                                       size_t *ret_count)
{
    const char *sql = db_sql(work->tx, SELECT_ACCOUNTS, SELECT_ACCOUNTS PASSING);
    AUTO_STMT stmt = NULL;
    enum err err = db_query(work->tx, sql, DB_ARGS(db_int(work->now_ms), db_int(max)), &stmt);

    *ret_count = 0;
    while (!err && (err = db_step(stmt)) == ERR_OK)
        watched[(*ret_count)++] = (struct watched){
            .sender = db_get_text(stmt, "account_id", work->arena),
            .device_id = db_get_uuid(stmt, "device_id"),
            .is_enabled = db_get_int(stmt, "is_enabled") != 0,
            .heard_at = db_get_int(stmt, "state_until") - ACCOUNT_VALID_MS,
        };
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

enum err device_number_set_watch(struct work *work, const char *number, int64_t watch_at,
                                 int64_t since)
{
    return db_exec_later(
        work->tx,
        "UPDATE device_number SET watch_at = $2, silent_since = $3, changes = changes + $4"
        " WHERE number = $1",
        DB_ARGS(db_text(number), db_int_or_null(watch_at), db_int_or_null(since),
                db_int(since > 0)));
}

enum err device_account_set_watch(struct work *work, const char *account_id, int64_t watch_at,
                                  int64_t since)
{
    return db_exec_later(
        work->tx,
        "UPDATE device_account SET watch_at = $2, gone_since = $3, changes = changes + $4"
        " WHERE account_id = $1",
        DB_ARGS(db_text(account_id), db_int_or_null(watch_at), db_int_or_null(since),
                db_int(since > 0)));
}

/* --- What is nobody's ------------------------------------------------------------------------- */

static const char *const free_kind_words[] = {[FREE_NUMBER] = "number", [FREE_ACCOUNT] = "account"};

static int64_t until_now(const struct work *work, int64_t time)
{
    return time > 0 && time < work->now_ms ? time : work->now_ms;
}

enum err free_sender_keep(struct work *work, enum free_kind kind, const char *sender,
                          const struct free_sender *known)
{
    if (!known->watch_at && !known->silent_since) return ERR_OK;
    return db_exec_later(
        work->tx,
        "INSERT INTO free_sender (kind, sender, heard_until, silent_since, free_since)"
        " VALUES ($1, $2, $3, $4, $5) ON CONFLICT (kind, sender) DO UPDATE SET"
        " heard_until = excluded.heard_until, silent_since = excluded.silent_since,"
        " free_since = excluded.free_since",
        DB_ARGS(db_text(free_kind_words[kind]), db_text(sender),
                db_int(until_now(work, known->heard_until)), db_int_or_null(known->silent_since),
                db_int(work->now_ms)));
}

enum err free_sender_take(struct work *work, enum free_kind kind, const char *sender,
                          struct free_sender *ret_known)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx,
                                "DELETE FROM free_sender WHERE kind = $1 AND sender = $2"
                                " RETURNING heard_until, silent_since",
                                DB_ARGS(db_text(free_kind_words[kind]), db_text(sender)), &stmt);
    if (err) return err;
    int64_t silent_since = db_get_int(stmt, "silent_since");
    *ret_known = (struct free_sender){
        .heard_until = until_now(work, db_get_int(stmt, "heard_until")),
        .watch_at = silent_since ? 0 : work->now_ms + work->service->fleet->silent_ms,
        .silent_since = silent_since,
    };
    return ERR_OK;
}

#define DELETE_FREE(lock)                                          \
    "DELETE FROM free_sender WHERE (kind, sender) IN"              \
    " (SELECT kind, sender FROM free_sender WHERE free_since < $1" \
    "  ORDER BY free_since LIMIT $2" lock ")"

enum err fleet_sweep_free(struct work *work, int max, int64_t *ret_swept)
{
    /* On PostgreSQL one that comes to a phone at this moment is left alone. */
    const char *sql = db_sql(work->tx, DELETE_FREE(""), DELETE_FREE(" FOR UPDATE SKIP LOCKED"));
    return db_exec(work->tx, sql, DB_ARGS(db_int(work->now_ms - FLEET_FREE_KEPT_MS), db_int(max)),
                   ret_swept);
}

enum err fleet_list_standings(struct work *work, const char *after, int max,
                              struct record_list *ret_sims)
{
    struct sim_standing *sims = arena_array(work->arena, (size_t)max, sizeof(*sims));
    size_t count = 0;
    AUTO_STMT stmt = NULL;
    enum err err = db_query(work->tx,
                            "SELECT number, is_enabled, sim_ready_until FROM device_number"
                            " WHERE number > $1 ORDER BY number LIMIT $2",
                            DB_ARGS(db_text(after), db_int(max)), &stmt);

    while (!err && (err = db_step(stmt)) == ERR_OK)
        sims[count++] = (struct sim_standing){
            .number = db_get_text(stmt, "number", work->arena),
            .is_enabled = db_get_int(stmt, "is_enabled") != 0,
            .ready_until = db_get_int(stmt, "sim_ready_until"),
        };
    *ret_sims = (struct record_list){sims, count};
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}
