/* These are the statements on active_challenge. */
#include "domain/challenge/challenge_db.h"

#include "domain/fleet/fleet.h"

enum err challenge_set_gateway_number(struct work *work, const char *number, const struct uuid *id,
                                      const char *gateway_number)
{
    return db_exec_later(work->tx,
                         "UPDATE active_challenge SET gateway_number = $3"
                         " WHERE number = $1 AND challenge_id = $2",
                         DB_ARGS(db_text(number), db_uuid(id), db_text(gateway_number)));
}

enum err challenge_hold(struct work *work, const char *number, const struct uuid *id)
{
    return db_hold(work->tx,
                   "SELECT number FROM active_challenge WHERE number = $1 AND challenge_id = $2",
                   DB_ARGS(db_text(number), db_uuid(id)));
}

/* The list has a place for each number of a phone; the first one fills those that are left. */
#define GATEWAYS "gateway_number IN ($1, $2, $3, $4, $5, $6, $7, $8)"
static_assert(DEVICE_NUMBERS_MAX == 8, "as many as GATEWAYS has");

static void fill_gateways(const struct record_list *numbers,
                          struct db_arg ret_args[static DEVICE_NUMBERS_MAX])
{
    const char *const *items = numbers->items;
    assert(numbers->count > 0 && numbers->count <= DEVICE_NUMBERS_MAX);
    for (size_t i = 0; i < DEVICE_NUMBERS_MAX; i++)
        ret_args[i] = db_text(items[i < numbers->count ? i : 0]);
}

enum err challenge_hold_gateways(struct work *work, const struct record_list *numbers)
{
    struct db_arg args[DEVICE_NUMBERS_MAX];
    fill_gateways(numbers, args);
    return db_hold(work->tx,
                   "SELECT number FROM active_challenge WHERE " GATEWAYS " ORDER BY number", args,
                   DEVICE_NUMBERS_MAX);
}

enum err challenge_forget_gateways(struct work *work, const struct record_list *numbers)
{
    struct db_arg args[DEVICE_NUMBERS_MAX];
    fill_gateways(numbers, args);
    return db_exec(work->tx, "UPDATE active_challenge SET gateway_number = NULL WHERE " GATEWAYS,
                   args, DEVICE_NUMBERS_MAX, NULL);
}

enum err active_select_gateway_number(struct work *work, const char *number, const struct uuid *id,
                                      const char **ret_gateway_number)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx,
                                "SELECT gateway_number FROM active_challenge"
                                " WHERE number = $1 AND challenge_id = $2",
                                DB_ARGS(db_text(number), db_uuid(id)), &stmt);
    if (err) return err;
    *ret_gateway_number = db_get_text(stmt, "gateway_number", work->arena);
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
                       const char **ret_gateway_number)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx,
                                "DELETE FROM active_challenge"
                                " WHERE number = $1 AND challenge_id = $2 RETURNING gateway_number",
                                DB_ARGS(db_text(number), db_uuid(id)), &stmt);
    if (err) return err;
    *ret_gateway_number = db_get_text(stmt, "gateway_number", work->arena);
    return ERR_OK;
}

/* Collects the gateway numbers of the rows that a DELETE returns. */
static enum err collect_gateway_numbers(struct work *work, struct db_stmt *stmt,
                                        const char **gateway_numbers, size_t *count,
                                        int64_t *ret_deleted)
{
    enum err err;
    while ((err = db_step(stmt)) == ERR_OK) {
        const char *gateway_number = db_get_text(stmt, "gateway_number", work->arena);
        if (gateway_number) gateway_numbers[(*count)++] = gateway_number;
        (*ret_deleted)++;
    }
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

#define DELETE_OVER(lock)                                                                    \
    "DELETE FROM active_challenge WHERE number IN"                                           \
    " (SELECT number FROM active_challenge WHERE expires_at < $1 ORDER BY expires_at LIMIT " \
    "$2" lock ") RETURNING gateway_number"

/* Deletes rows whose time is over. On PostgreSQL rows that another transaction is settling at this
 * moment are left to it. */
static enum err start_delete(struct work *work, int max, struct db_stmt **ret_stmt)
{
    const char *sql = db_sql(work->tx, DELETE_OVER(""), DELETE_OVER(" FOR UPDATE SKIP LOCKED"));
    return db_query(work->tx, sql, DB_ARGS(db_int(work->now_ms), db_int(max)), ret_stmt);
}

/* A row whose time is over is taken over, and then names the former challenge and still its gateway
 * number. */
static enum err start_insert(struct work *work, const char *number, const struct uuid *id,
                             int64_t expires_at, struct db_stmt **ret_stmt)
{
    return db_query(work->tx,
                    "INSERT INTO active_challenge (number, challenge_id, expires_at)"
                    " VALUES ($1, $2, $3) ON CONFLICT (number) DO UPDATE"
                    " SET former_id = active_challenge.challenge_id,"
                    " challenge_id = excluded.challenge_id, expires_at = excluded.expires_at"
                    " WHERE active_challenge.expires_at < $4 RETURNING former_id, gateway_number",
                    DB_ARGS(db_text(number), db_uuid(id), db_int(expires_at), db_int(work->now_ms)),
                    ret_stmt);
}

static enum err read_former(struct work *work, struct db_stmt *stmt, bool *ret_is_taken,
                            struct uuid *ret_former, const char **ret_gateway_number)
{
    enum err err = db_step(stmt);
    if (err && err != ERR_NOT_FOUND) return err;
    *ret_is_taken = !err;
    *ret_former = (struct uuid){0};
    if (!err) *ret_former = db_get_uuid(stmt, "former_id");
    *ret_gateway_number = err ? NULL : db_get_text(stmt, "gateway_number", work->arena);
    return ERR_OK;
}

enum err active_take(struct work *work, const char *number, const struct uuid *id,
                     int64_t expires_at, int max, bool *ret_is_taken, struct uuid *ret_former,
                     struct record_list *ret_gateway_numbers)
{
    const char **gateway_numbers =
        arena_array(work->arena, (size_t)max + 1, sizeof(*gateway_numbers));
    const char *former_number = NULL;
    size_t count = 0;
    int64_t deleted = 0;
    AUTO_STMT insert = NULL;
    AUTO_STMT delete = NULL;

    /* The own row comes first: of all these, it alone may have to be waited for. */
    enum err err = start_insert(work, number, id, expires_at, &insert);
    if (!err && max > 0) err = start_delete(work, max, &delete);
    if (!err) err = read_former(work, insert, ret_is_taken, ret_former, &former_number);
    if (!err && delete)
        err = collect_gateway_numbers(work, delete, gateway_numbers, &count, &deleted);
    if (!err && former_number) {
        gateway_numbers[count++] = former_number;
        err = challenge_set_gateway_number(work, number, id, NULL);
    }
    if (err) return err;
    *ret_gateway_numbers = (struct record_list){gateway_numbers, count};
    return ERR_OK;
}

enum err active_delete_over(struct work *work, int max, struct record_list *ret_gateway_numbers,
                            int64_t *ret_count)
{
    const char **gateway_numbers = arena_array(work->arena, (size_t)max, sizeof(*gateway_numbers));
    size_t count = 0;
    AUTO_STMT stmt = NULL;

    *ret_count = 0;
    enum err err = start_delete(work, max, &stmt);
    if (!err) err = collect_gateway_numbers(work, stmt, gateway_numbers, &count, ret_count);
    *ret_gateway_numbers = (struct record_list){gateway_numbers, count};
    return err;
}
