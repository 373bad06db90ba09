/* These statements read rows of other rooms and write none. What is counted ends at a LIMIT along
 * an index; conditions that the index does not know are asked of those few rows. */
#include "domain/overview/overview_db.h"

#include "core/words.h"
#include "domain/fleet/fleet.h"
#include "domain/fleet/fleet_account.h"

static int64_t at_most(int64_t count)
{
    return count < OVERVIEW_COUNT_MAX ? count : OVERVIEW_COUNT_MAX;
}

static void read_load(struct db_stmt *stmt, struct channel_load *ret_load)
{
    *ret_load = (struct channel_load){
        .under_way = at_most(db_get_int(stmt, "under_way")),
        .waiting = at_most(db_get_int(stmt, "waiting")),
        .oldest_waiting_at = db_get_int(stmt, "oldest_at"),
    };
}

/* Those that are due come first, and behind them what is under way: it is due at the end of its
 * lease. */
#define FEW_JOBS(condition)                                                             \
    "SELECT * FROM (SELECT lease_id, due_at_ms, created_at_ms FROM job WHERE kind = $1" \
    " AND due_at_ms " condition " $2 ORDER BY due_at_ms LIMIT $3) AS few_jobs"
#define JOB_IS_HELD "lease_id IS NOT NULL AND due_at_ms > $2"

enum err load_select_sends(struct work *work, enum channel channel, struct channel_load *ret_load)
{
    AUTO_STMT stmt = NULL;
    enum err err =
        db_query_one(work->tx,
                     "SELECT COUNT(CASE WHEN " JOB_IS_HELD " THEN 1 END) AS under_way,"
                     " COUNT(CASE WHEN NOT (" JOB_IS_HELD ") THEN 1 END) AS waiting,"
                     " MIN(CASE WHEN NOT (" JOB_IS_HELD ") THEN created_at_ms END) AS oldest_at"
                     " FROM (" FEW_JOBS("<=") " UNION ALL " FEW_JOBS(">") ") AS few",
                     DB_ARGS(db_text(channel_send_kind(channel)), db_int(work->now_ms),
                             db_int(OVERVIEW_COUNT_MAX)),
                     &stmt);
    if (!err) read_load(stmt, ret_load);
    return err;
}

#define TASK_IS_HELD "(state = 'claimed' AND lease_until > $2)"

enum err load_select_tasks(struct work *work, const char *word, struct channel_load *ret_load)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(
        work->tx,
        "SELECT COUNT(CASE WHEN " TASK_IS_HELD " THEN 1 END) AS under_way,"
        " COUNT(CASE WHEN NOT " TASK_IS_HELD " AND expires_at > $2 THEN 1 END) AS waiting,"
        " MIN(CASE WHEN NOT " TASK_IS_HELD " AND expires_at > $2 THEN created_at END)"
        " AS oldest_at FROM (SELECT state, lease_until, expires_at, created_at FROM phone_task"
        " WHERE channel = $1 AND state IN ('queued', 'claimed') ORDER BY sender, id LIMIT $3)"
        " AS few",
        DB_ARGS(db_text(word), db_int(work->now_ms), db_int(OVERVIEW_COUNT_MAX)), &stmt);
    if (!err) read_load(stmt, ret_load);
    return err;
}

enum err shared_circuit_select(struct work *work, enum channel channel,
                               struct shared_circuit *ret_circuit)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(
        work->tx, "SELECT open_until, opened_at, reason FROM channel_circuit WHERE channel = $1",
        DB_ARGS(db_text(channel_words[channel])), &stmt);

    *ret_circuit = (struct shared_circuit){0};
    if (err) return err == ERR_NOT_FOUND ? ERR_OK : err;
    *ret_circuit = (struct shared_circuit){
        .open_until = db_get_int(stmt, "open_until"),
        .opened_at = db_get_int(stmt, "opened_at"),
        .reason = db_get_text(stmt, "reason", work->arena),
    };
    return ERR_OK;
}

#define SUCCESSES(table, states)                                                             \
    "SELECT channel, MAX(updated_at) AS success_at FROM (SELECT channel, state, updated_at " \
    "FROM " table " ORDER BY id DESC LIMIT $1) AS few_of_" table " WHERE state IN (" states  \
    ") GROUP BY channel"

enum err success_select(struct work *work, int64_t *ret_times)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query(
        work->tx,
        SUCCESSES("channel_send", "'accepted', 'sent', 'delivered'") " UNION ALL " SUCCESSES(
            "phone_task", "'sent', 'delivered'"),
        DB_ARGS(db_int(OVERVIEW_LOOK_MAX)), &stmt);

    while (!err && (err = db_step(stmt)) == ERR_OK) {
        int channel = word_index(timeline_channel_words, db_get_text(stmt, "channel", work->arena));
        if (channel < 0) return LOG_BROKEN("a send or task has an unknown channel");
        ret_times[channel] = db_get_int(stmt, "success_at");
    }
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

/* A figure, of at most $2 rows in the order of a key. */
#define COUNT_OF_FEW(name, condition, few) \
    "(SELECT COUNT(CASE WHEN " condition " THEN 1 END) FROM (" few ") AS few) AS " name
#define FEW_PHONES "SELECT is_enabled, removed_at FROM device ORDER BY id LIMIT $2"
#define FEW_SIMS                                                                    \
    "SELECT is_enabled, is_ready, sim_ready_until, silent_since FROM device_number" \
    " ORDER BY number LIMIT $2"
#define FEW_ACCOUNTS "SELECT state, state_until FROM device_account ORDER BY account_id LIMIT $2"

enum err fleet_overview_select(struct work *work, struct fleet_overview *ret_fleet)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(
        work->tx,
        /* clang-format off */
        "SELECT "
        COUNT_OF_FEW("phones", "removed_at IS NULL", FEW_PHONES) ", "
        COUNT_OF_FEW("enabled_phones", "removed_at IS NULL AND is_enabled = 1", FEW_PHONES) ", "
        COUNT_OF_FEW("sims", "1 = 1", FEW_SIMS) ", "
        COUNT_OF_FEW("ready_sims", "is_enabled = 1 AND is_ready = 1 AND sim_ready_until > $1",
                     FEW_SIMS) ", "
        COUNT_OF_FEW("silent_sims", "is_enabled = 1 AND silent_since IS NOT NULL", FEW_SIMS) ", "
        COUNT_OF_FEW("accounts", "1 = 1", FEW_ACCOUNTS) ", "
        COUNT_OF_FEW("connected_accounts", "state = 'connected' AND state_until > $1",
                     FEW_ACCOUNTS),
        /* clang-format on */
        DB_ARGS(db_int(work->now_ms), db_int(OVERVIEW_FLEET_MAX)), &stmt);
    if (err) return err;
    *ret_fleet = (struct fleet_overview){
        .phones = db_get_int(stmt, "phones"),
        .enabled_phones = db_get_int(stmt, "enabled_phones"),
        .sims = db_get_int(stmt, "sims"),
        .ready_sims = db_get_int(stmt, "ready_sims"),
        .silent_sims = db_get_int(stmt, "silent_sims"),
        .accounts = db_get_int(stmt, "accounts"),
        .connected_accounts = db_get_int(stmt, "connected_accounts"),
    };
    return ERR_OK;
}
