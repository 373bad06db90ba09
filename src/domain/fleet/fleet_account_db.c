/* These are the statements on device_account and named_account. */
#include "domain/fleet/fleet_account_db.h"

#include "core/columns.h"
#include "domain/fleet/fleet_db.h"
#include "domain/fleet/fleet_watch_db.h"

#define ACCOUNT_ROW(FIRST, NEXT)                    \
    FIRST(a.account_id, account_id, TEXT)           \
    NEXT(a.messenger, messenger, TEXT)              \
    NEXT(a.state, state, WORD(account_state_words)) \
    NEXT(a.state_until, state_until, INT)           \
    NEXT(a.watch_at, watch_at, INT)                 \
    NEXT(a.gone_since, gone_since, INT)             \
    NEXT(a.changes, changes, INT)
#define ACCOUNT_COLUMNS COLUMNS(ACCOUNT_ROW)
COLUMNS_READER(read_columns, struct device_account *, ACCOUNT_ROW)

static enum err read_account(struct work *work, struct db_stmt *stmt,
                             struct device_account *ret_account)
{
    *ret_account = (struct device_account){0};
    return read_columns(work, stmt, ret_account) ? ERR_OK
                                                 : LOG_BROKEN("an account has an unknown state");
}

/* Finds the device of the row at hand from `*place` on, which moves there; both are in the order of
 * device ids. -1: none of the devices has it, since on PostgreSQL a phone may be new since they
 * were read. */
static int find_device(struct db_stmt *stmt, const struct device *devices, size_t count,
                       size_t *place)
{
    struct uuid id = db_get_uuid(stmt, "device_id");
    while (*place < count && memcmp(&devices[*place].id, &id, sizeof(id)) < 0)
        ++*place;
    return *place < count && uuid_equal(&devices[*place].id, &id) ? (int)*place : -1;
}

enum err device_account_select(struct work *work, struct device *devices, size_t count)
{
    AUTO_STMT stmt = NULL;
    size_t place = 0;
    if (count == 0) return ERR_OK;
    enum err err = db_query(
        work->tx,
        "SELECT a.device_id, " ACCOUNT_COLUMNS " FROM device_account a"
        " WHERE a.device_id >= $1 AND a.device_id <= $2 ORDER BY a.device_id, a.account_id",
        DB_ARGS(db_uuid(&devices[0].id), db_uuid(&devices[count - 1].id)), &stmt);
    while (!err && (err = db_step(stmt)) == ERR_OK) {
        int index = find_device(stmt, devices, count, &place);
        if (index >= 0)
            err = read_account(work, stmt,
                               fleet_list_add(work->arena, &devices[index].accounts,
                                              sizeof(struct device_account)));
    }
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

enum err device_account_select_owner(struct work *work, const char *account_id,
                                     struct account_owner *ret_owner)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(
        work->tx,
        "SELECT a.device_id, d.is_enabled, " ACCOUNT_COLUMNS
        " FROM device_account a JOIN device d ON d.id = a.device_id WHERE a.account_id = $1",
        DB_ARGS(db_text(account_id)), &stmt);
    if (err) return err;
    ret_owner->device_id = db_get_uuid(stmt, "device_id");
    ret_owner->is_enabled = db_get_int(stmt, "is_enabled") != 0;
    return read_account(work, stmt, &ret_owner->account);
}

/* It may have been another phone's: that it is gone was told, or is to be. */
static enum err take_up_watch(struct work *work, const char *account_id)
{
    struct free_sender known;
    enum err err = free_sender_take(work, FREE_ACCOUNT, account_id, &known);
    if (err) return err == ERR_NOT_FOUND ? ERR_OK : err;
    return db_exec_later(
        work->tx, "UPDATE device_account SET watch_at = $2, gone_since = $3 WHERE account_id = $1",
        DB_ARGS(db_text(account_id), db_int_or_null(known.watch_at),
                db_int_or_null(known.silent_since)));
}

enum err device_account_insert(struct work *work, const struct uuid *device_id,
                               const char *account_id)
{
    int64_t inserted;
    enum err err =
        db_exec(work->tx,
                "INSERT INTO device_account (account_id, device_id, messenger, state, state_until,"
                " changes) VALUES ($1, $2, '', $3, $4, $4) ON CONFLICT (account_id) DO NOTHING",
                DB_ARGS(db_text(account_id), db_uuid(device_id),
                        db_text(account_state_words[ACCOUNT_DISCONNECTED]), db_int(work->now_ms)),
                &inserted);
    if (err) return err;
    return inserted == 1 ? take_up_watch(work, account_id) : ERR_NUMBER_TAKEN;
}

enum err device_account_delete(struct work *work, const struct uuid *device_id,
                               const char *account_id)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx,
                                "DELETE FROM device_account WHERE account_id = $1"
                                " AND device_id = $2 RETURNING watch_at, gone_since",
                                DB_ARGS(db_text(account_id), db_uuid(device_id)), &stmt);
    if (err) return err == ERR_NOT_FOUND ? ERR_OK : err;
    struct free_sender known = {.watch_at = db_get_int(stmt, "watch_at"),
                                .silent_since = db_get_int(stmt, "gone_since")};
    return free_sender_keep(work, FREE_ACCOUNT, account_id, &known);
}

enum err device_account_postpone_watch(struct work *work, const struct uuid *device_id)
{
    return db_exec_later(
        work->tx,
        "UPDATE device_account SET watch_at = $2"
        " WHERE device_id = $1 AND watch_at IS NOT NULL",
        DB_ARGS(db_uuid(device_id), db_int(work->now_ms + work->service->fleet->silent_ms)));
}

enum err device_account_update(struct work *work, const struct uuid *device_id,
                               const struct device_account *account)
{
    return db_exec_later(
        work->tx,
        "UPDATE device_account SET messenger = $3, state = $4, state_until = $5, watch_at = $6,"
        " gone_since = $7, changes = changes + $8"
        " WHERE account_id = $1 AND device_id = $2",
        DB_ARGS(db_text(account->account_id), db_uuid(device_id), db_text(account->messenger),
                db_text(account_state_words[account->state]), db_int(account->state_until),
                db_int_or_null(account->watch_at), db_int_or_null(account->gone_since),
                db_int(account->changes)));
}

enum err device_account_extend(struct work *work, const struct uuid *device_id,
                               const char *account_id, int64_t state_until)
{
    return db_exec_later(work->tx,
                         "UPDATE device_account SET state_until = $3"
                         " WHERE account_id = $1 AND device_id = $2"
                         " AND state_until < $3",
                         DB_ARGS(db_text(account_id), db_uuid(device_id), db_int(state_until)));
}

enum err fleet_hold_account(struct work *work, const char *account_id)
{
    return db_hold(work->tx, "SELECT account_id FROM device_account WHERE account_id = $1",
                   DB_ARGS(db_text(account_id)));
}

/* --- What is only named ----------------------------------------------------------------------- */

static void read_named(struct work *work, struct db_stmt *stmt, struct device_account *ret_account)
{
    bool is_taken = db_get_int(stmt, "is_taken") != 0;
    *ret_account = (struct device_account){
        .account_id = db_get_text(stmt, "account_id", work->arena),
        .messenger = db_get_text(stmt, "messenger", work->arena),
        .state = is_taken ? ACCOUNT_TAKEN : ACCOUNT_UNBOUND,
        .state_until = db_get_int(stmt, "named_at"),
        .is_told = is_taken == (db_get_int(stmt, "was_taken") != 0),
    };
}

enum err named_account_select(struct work *work, const struct device *devices, size_t count,
                              struct record_list *ret_named)
{
    AUTO_STMT stmt = NULL;
    size_t place = 0;
    if (count == 0) return ERR_OK;
    enum err err =
        db_query(work->tx,
                 "SELECT n.device_id, n.account_id, n.messenger, n.named_at,"
                 " n.is_taken AS was_taken, CASE WHEN a.account_id IS NULL THEN 0 ELSE 1 END"
                 " AS is_taken FROM named_account n"
                 " LEFT JOIN device_account a ON a.account_id = n.account_id"
                 " WHERE n.device_id >= $1 AND n.device_id <= $2"
                 " ORDER BY n.device_id, n.account_id",
                 DB_ARGS(db_uuid(&devices[0].id), db_uuid(&devices[count - 1].id)), &stmt);
    while (!err && (err = db_step(stmt)) == ERR_OK) {
        int index = find_device(stmt, devices, count, &place);
        if (index >= 0)
            read_named(
                work, stmt,
                fleet_list_add(work->arena, &ret_named[index], sizeof(struct device_account)));
    }
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

enum err named_account_upsert(struct work *work, const struct uuid *device_id,
                              const struct device_account *account, enum account_state *ret_state)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(
        work->tx,
        "INSERT INTO named_account (device_id, account_id, messenger, is_taken, named_at)"
        " VALUES ($1, $2, $3, (SELECT count(*) FROM device_account WHERE account_id = $2), $4)"
        " ON CONFLICT (device_id, account_id) DO UPDATE SET messenger = excluded.messenger,"
        " is_taken = excluded.is_taken, named_at = excluded.named_at RETURNING is_taken",
        DB_ARGS(db_uuid(device_id), db_text(account->account_id), db_text(account->messenger),
                db_int(work->now_ms)),
        &stmt);
    if (err) return err;
    *ret_state = db_get_int(stmt, "is_taken") ? ACCOUNT_TAKEN : ACCOUNT_UNBOUND;
    return ERR_OK;
}

enum err named_account_delete(struct work *work, const struct uuid *device_id,
                              const char *account_id)
{
    return db_exec_later(work->tx,
                         "DELETE FROM named_account WHERE device_id = $1 AND account_id = $2",
                         DB_ARGS(db_uuid(device_id), db_text(account_id)));
}

enum err named_account_delete_all(struct work *work, const struct uuid *device_id)
{
    return db_exec_later(work->tx, "DELETE FROM named_account WHERE device_id = $1",
                         DB_ARGS(db_uuid(device_id)));
}

#define DELETE_OLD(lock)                                                    \
    "DELETE FROM named_account WHERE (device_id, account_id) IN"            \
    " (SELECT device_id, account_id FROM named_account WHERE named_at < $1" \
    "  ORDER BY named_at LIMIT $2" lock ")"

enum err fleet_sweep_accounts(struct work *work, int max, int64_t *ret_swept)
{
    /* On PostgreSQL an account that is being named at this moment is left alone. */
    const char *sql = db_sql(work->tx, DELETE_OLD(""), DELETE_OLD(" FOR UPDATE SKIP LOCKED"));
    return db_exec(work->tx, sql, DB_ARGS(db_int(work->now_ms - ACCOUNT_NAMED_MS), db_int(max)),
                   ret_swept);
}
