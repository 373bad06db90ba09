/* Statements on device_account. */
#include "domain/fleet/fleet_account_db.h"

#include "domain/words.h"

static enum err read_account(struct work *work, struct db_stmt *stmt,
                             struct device_account *ret_account)
{
    *ret_account = (struct device_account){
        .account_id = db_get_text(stmt, "account_id", work->arena),
        .messenger = db_get_text(stmt, "messenger", work->arena),
        .state = word_index(account_state_words, db_get_text(stmt, "state", work->arena)),
        .state_until = db_get_int(stmt, "state_until"),
    };
    return ret_account->state >= 0 ? ERR_OK : LOG_BROKEN("an account has an unknown state");
}

/* Room for one more; memory doubles in the arena. */
static struct device_account *add_account(struct arena *arena, struct record_list *accounts)
{
    size_t capacity = DEVICE_ACCOUNTS_MAX;
    while (capacity < accounts->count)
        capacity *= 2;
    if (accounts->count == 0 || accounts->count == capacity) {
        size_t wanted = accounts->count == 0 ? capacity : 2 * capacity;
        void *items = arena_array(arena, wanted, sizeof(struct device_account));
        if (accounts->count > 0)
            memcpy(items, accounts->items, accounts->count * sizeof(struct device_account));
        accounts->items = items;
    }
    return (struct device_account *)accounts->items + accounts->count++;
}

/* Both are in the order of device ids. On PostgreSQL a phone may be new since the devices were
 * read: what is nobody's is left out. */
static enum err hand_out(struct work *work, struct db_stmt *stmt, struct device *devices,
                         size_t count)
{
    size_t i = 0;
    enum err err;

    while ((err = db_step(stmt)) == ERR_OK) {
        struct uuid id = db_get_uuid(stmt, "device_id");
        while (i < count && memcmp(&devices[i].id, &id, sizeof(id)) < 0)
            i++;
        if (i == count || !uuid_equal(&devices[i].id, &id)) continue;
        err = read_account(work, stmt, add_account(work->arena, &devices[i].accounts));
        if (err) return err;
    }
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

enum err device_account_select(struct work *work, struct device *devices, size_t count)
{
    AUTO_STMT stmt = NULL;
    if (count == 0) return ERR_OK;
    enum err err =
        db_query(work->tx,
                 "SELECT device_id, account_id, messenger, state, state_until FROM device_account"
                 " WHERE device_id >= $1 AND device_id <= $2 ORDER BY device_id, account_id",
                 DB_ARGS(db_uuid(&devices[0].id), db_uuid(&devices[count - 1].id)), &stmt);
    return err ? err : hand_out(work, stmt, devices, count);
}

enum err device_account_select_owner(struct work *work, const char *account_id,
                                     struct account_owner *ret_owner)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(
        work->tx,
        "SELECT a.device_id, d.is_enabled, a.account_id, a.messenger, a.state, a.state_until"
        " FROM device_account a JOIN device d ON d.id = a.device_id WHERE a.account_id = $1",
        DB_ARGS(db_text(account_id)), &stmt);
    if (err) return err;
    ret_owner->device_id = db_get_uuid(stmt, "device_id");
    ret_owner->is_enabled = db_get_int(stmt, "is_enabled") != 0;
    return read_account(work, stmt, &ret_owner->account);
}

/* A word that claims to be good for longer than any word is of a clock that was ahead. */
static int64_t longest_word(const struct work *work)
{
    return work->now_ms + ACCOUNT_VALID_MS + SIM_READY_SLACK_MS;
}

enum err device_account_upsert(struct work *work, const struct uuid *device_id,
                               const struct device_account *account, bool *ret_is_stored)
{
    int64_t stored = 0;
    enum err err = db_exec(
        work->tx,
        "INSERT INTO device_account (account_id, device_id, messenger, state, state_until)"
        " VALUES ($1, $2, $3, $4, $5) ON CONFLICT (account_id) DO UPDATE SET"
        " device_id = excluded.device_id, messenger = excluded.messenger, state = excluded.state,"
        " state_until = excluded.state_until WHERE device_account.device_id = excluded.device_id"
        " OR device_account.state_until <= $6 OR device_account.state_until > $7",
        DB_ARGS(db_text(account->account_id), db_uuid(device_id), db_text(account->messenger),
                db_text(account_state_words[account->state]), db_int(account->state_until),
                db_int(work->now_ms), db_int(longest_word(work))),
        &stored);
    *ret_is_stored = stored == 1;
    return err;
}

enum err device_account_extend(struct work *work, const struct uuid *device_id,
                               const char *account_id, int64_t state_until)
{
    return db_exec_later(work->tx,
                         "UPDATE device_account SET state_until = $3"
                         " WHERE account_id = $1 AND device_id = $2"
                         " AND (state_until < $3 OR state_until > $4)",
                         DB_ARGS(db_text(account_id), db_uuid(device_id), db_int(state_until),
                                 db_int(longest_word(work))));
}

enum err device_account_delete_lapsed(struct work *work, const struct uuid *device_id,
                                      const char *account_id)
{
    return db_exec(work->tx,
                   "DELETE FROM device_account WHERE account_id = $1 AND device_id = $2"
                   " AND (state_until <= $3 OR state_until > $4)",
                   DB_ARGS(db_text(account_id), db_uuid(device_id), db_int(work->now_ms),
                           db_int(longest_word(work))),
                   NULL);
}

enum err device_account_hold(struct work *work, const char *account_id)
{
    return db_hold(work->tx, "SELECT account_id FROM device_account WHERE account_id = $1",
                   DB_ARGS(db_text(account_id)));
}

#define DELETE_OLD(lock)                                             \
    "DELETE FROM device_account WHERE account_id IN"                 \
    " (SELECT account_id FROM device_account WHERE state_until < $1" \
    "  ORDER BY state_until LIMIT $2" lock ")"

enum err device_account_delete_old(struct work *work, int64_t before, int max, int64_t *ret_deleted)
{
    /* PostgreSQL: one that is being declared or claimed for at this moment is left alone. */
    const char *sql = db_sql(work->tx, DELETE_OLD(""), DELETE_OLD(" FOR UPDATE SKIP LOCKED"));
    return db_exec(work->tx, sql, DB_ARGS(db_int(before), db_int(max)), ret_deleted);
}
