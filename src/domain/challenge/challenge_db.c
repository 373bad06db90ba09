/* Statements on active_challenge. */
#include "domain/challenge/challenge_db.h"

enum err active_insert(struct work *work, const char *number, const struct uuid *id,
                       int64_t expires_at, int64_t *ret_changed)
{
    return db_exec(work->tx,
                   "INSERT INTO active_challenge (number, challenge_id, expires_at)"
                   " VALUES ($1, $2, $3) ON CONFLICT (number) DO NOTHING",
                   DB_ARGS(db_text(number), db_uuid(id), db_int(expires_at)), ret_changed);
}

enum err active_set_gateway(struct work *work, const char *number, const struct uuid *id,
                            const char *gateway_number)
{
    return db_exec_later(work->tx,
                         "UPDATE active_challenge SET gateway_number = $3"
                         " WHERE number = $1 AND challenge_id = $2",
                         DB_ARGS(db_text(number), db_uuid(id), db_text(gateway_number)));
}

#define SELECT_ACTIVE "SELECT number FROM active_challenge WHERE number = $1 AND challenge_id = $2"

enum err active_lock(struct work *work, const char *number, const struct uuid *id)
{
    AUTO_STMT stmt = NULL;
    return db_query_one(work->tx, DB_FOR_UPDATE(work->tx, SELECT_ACTIVE),
                        DB_ARGS(db_text(number), db_uuid(id)), &stmt);
}

enum err active_select_gateway(struct work *work, const char *number, const struct uuid *id,
                               const char **ret_gateway)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx,
                                "SELECT gateway_number FROM active_challenge"
                                " WHERE number = $1 AND challenge_id = $2",
                                DB_ARGS(db_text(number), db_uuid(id)), &stmt);
    if (err) return err;
    *ret_gateway = db_get_text(stmt, "gateway_number", work->arena);
    return ERR_OK;
}

enum err active_select(struct work *work, const char *number, struct uuid *ret_id)
{
    AUTO_STMT stmt = NULL;
    enum err err =
        db_query_one(work->tx, "SELECT challenge_id FROM active_challenge WHERE number = $1",
                     DB_ARGS(db_text(number)), &stmt);
    if (err) return err;
    *ret_id = db_get_uuid(stmt, "challenge_id");
    return ERR_OK;
}

enum err active_delete(struct work *work, const char *number, const struct uuid *id,
                       const char **ret_gateway)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx,
                                "DELETE FROM active_challenge"
                                " WHERE number = $1 AND challenge_id = $2 RETURNING gateway_number",
                                DB_ARGS(db_text(number), db_uuid(id)), &stmt);
    if (err) return err;
    *ret_gateway = db_get_text(stmt, "gateway_number", work->arena);
    return ERR_OK;
}

/* The gateway numbers of the rows that a DELETE returns. */
static enum err collect_gateways(struct work *work, struct db_stmt *stmt, const char **gateways,
                                 size_t *count, int64_t *ret_deleted)
{
    enum err err;
    while ((err = db_step(stmt)) == ERR_OK) {
        const char *gateway = db_get_text(stmt, "gateway_number", work->arena);
        if (gateway) gateways[(*count)++] = gateway;
        (*ret_deleted)++;
    }
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

static enum err delete_own(struct work *work, const char *number, const char **gateways,
                           size_t *count, int64_t *ret_deleted)
{
    AUTO_STMT stmt = NULL;
    /* + 0: PostgreSQL thinks that hardly any is over, and would read all that are. */
    enum err err = db_query(work->tx,
                            "DELETE FROM active_challenge WHERE number = $1 AND expires_at + 0 < $2"
                            " RETURNING gateway_number",
                            DB_ARGS(db_text(number), db_int(work->now_ms)), &stmt);
    if (err) return err;
    return collect_gateways(work, stmt, gateways, count, ret_deleted);
}

#define DELETE_OVER(lock)                                         \
    "DELETE FROM active_challenge WHERE number IN"                \
    " (SELECT number FROM active_challenge WHERE expires_at < $1" \
    "  ORDER BY expires_at LIMIT $2" lock ") RETURNING gateway_number"

enum err active_delete_over(struct work *work, const char *number, int max,
                            struct record_list *ret_gateways, int64_t *ret_count)
{
    /* PostgreSQL: rows that another transaction is settling at this moment are left to it. */
    const char *sql = db_sql(work->tx, DELETE_OVER(""), DELETE_OVER(" FOR UPDATE SKIP LOCKED"));
    const char **gateways = arena_array(work->arena, (size_t)max + 1, sizeof(*gateways));
    size_t count = 0;

    *ret_count = 0;
    /* The own row first, while nothing is held: this is the only one that is waited for. */
    enum err err = number ? delete_own(work, number, gateways, &count, ret_count) : ERR_OK;
    if (err) return err;
    AUTO_STMT stmt = NULL;
    err = db_query(work->tx, sql, DB_ARGS(db_int(work->now_ms), db_int(max)), &stmt);
    if (err) return err;
    err = collect_gateways(work, stmt, gateways, &count, ret_count);
    *ret_gateways = (struct record_list){gateways, count};
    return err;
}
