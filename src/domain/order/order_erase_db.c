/* These are the statements by which personal data of orders goes (contract, section 10.5). */
#include "core/personal.h"
#include "domain/order/order_db.h"
#include "domain/order/order_turn_db.h"

#define HAS_ENDED "state IN ('accepted', 'rejected', 'failed')"

enum err orders_mark_of(struct work *work, const uint8_t customer[static SECRET_HASH_LEN], int max,
                        int64_t *ret_marked, struct uuid *ret_ended, size_t *ret_ended_count)
{
    const struct str hash = {(const char *)customer, SECRET_HASH_LEN};
    AUTO_STMT stmt = NULL;
    enum err err = db_query(work->tx,
                            "UPDATE order_delivery SET erased = 1, customer = NULL WHERE id IN"
                            " (SELECT id FROM order_delivery WHERE customer = $1 LIMIT $2)"
                            " RETURNING id, CASE WHEN " HAS_ENDED " THEN 1 ELSE 0 END AS has_ended",
                            DB_ARGS(db_blob(hash), db_int(max)), &stmt);

    *ret_marked = 0;
    *ret_ended_count = 0;
    while (!err && (err = db_step(stmt)) == ERR_OK) {
        *ret_marked += 1;
        if (db_get_int(stmt, "has_ended") != 0)
            ret_ended[(*ret_ended_count)++] = db_get_uuid(stmt, "id");
    }
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

/* Tells where the walk by age stands; the first time it is at the beginning. */
static enum err select_mark(struct work *work, int64_t *ret_at, struct uuid *ret_id)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx, "SELECT at, id FROM order_personal_mark WHERE one = 1",
                                DB_NO_ARGS, &stmt);
    *ret_at = 0;
    *ret_id = (struct uuid){{0}};
    if (err) return err == ERR_NOT_FOUND ? ERR_OK : err;
    *ret_at = db_get_int(stmt, "at");
    *ret_id = db_get_uuid(stmt, "id");
    return ERR_OK;
}

static enum err save_mark(struct work *work, int64_t at, const struct uuid *id)
{
    return db_exec(work->tx,
                   "INSERT INTO order_personal_mark (one, at, id) VALUES (1, $1, $2)"
                   " ON CONFLICT (one) DO UPDATE SET at = excluded.at, id = excluded.id",
                   DB_ARGS(db_int(at), db_uuid(id)), NULL);
}

static enum err mark_one(struct work *work, const struct uuid *id)
{
    return db_exec_later(work->tx,
                         "UPDATE order_delivery SET erased = 1, customer = NULL"
                         " WHERE id = $1 AND erased IS NULL",
                         DB_ARGS(db_uuid(id)));
}

enum err orders_mark_old(struct work *work, int64_t cutoff_ms, int max, int64_t *ret_marked)
{
    struct uuid *ids = arena_array(work->arena, (size_t)max, sizeof(*ids));
    int64_t at;
    struct uuid after;
    size_t count = 0;
    AUTO_STMT stmt = NULL;

    enum err err = select_mark(work, &at, &after);
    if (at >= cutoff_ms) at = 0; /* as in personal_begin */
    if (!err)
        err = db_query(work->tx,
                       "SELECT id, created_at FROM order_delivery WHERE (created_at, id) > ($1, $2)"
                       " AND created_at < $3 AND created_at > 0 ORDER BY created_at, id LIMIT $4",
                       DB_ARGS(db_int(at), db_uuid(&after), db_int(cutoff_ms), db_int(max)), &stmt);
    while (!err && (err = db_step(stmt)) == ERR_OK) {
        at = db_get_int(stmt, "created_at");
        ids[count++] = db_get_uuid(stmt, "id");
    }
    if (err == ERR_NOT_FOUND) err = ERR_OK;
    for (size_t i = 0; !err && i < count; i++)
        err = mark_one(work, &ids[i]);
    *ret_marked = (int64_t)count;
    return err || count == 0 ? err : save_mark(work, at, &ids[count - 1]);
}

#define SELECT_ERASING \
    "SELECT id FROM order_delivery WHERE erased = 1 AND " HAS_ENDED " ORDER BY state, id LIMIT $1"

enum err orders_select_erasing(struct work *work, int max, struct uuid *ret_ids, size_t *ret_count)
{
    const char *sql = db_sql(work->tx, SELECT_ERASING, SELECT_ERASING " FOR UPDATE SKIP LOCKED");
    AUTO_STMT stmt = NULL;
    enum err err = db_query(work->tx, sql, DB_ARGS(db_int(max)), &stmt);

    *ret_count = 0;
    while (!err && (err = db_step(stmt)) == ERR_OK)
        ret_ids[(*ret_count)++] = db_get_uuid(stmt, "id");
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

/* A body that goes can not be sent again, so there is no time until which it is kept. */
enum err orders_erase(struct work *work, const struct uuid *ids, size_t count)
{
    enum err err = ERR_OK;

    for (size_t i = 0; !err && i < count; i++)
        err = db_exec_later(
            work->tx,
            "UPDATE order_delivery SET erased = 2, metadata = NULL,"
            " body_until = NULL, words = NULL," PERSONAL_TEXT_GONE(" last_error") " WHERE id = $1",
            DB_ARGS(db_uuid(&ids[i])));
    for (size_t i = 0; !err && i < count; i++)
        err = db_exec_later(
            work->tx,
            "UPDATE order_attempt SET words = NULL, words_key = NULL," PERSONAL_TEXT_GONE(
                " error") " WHERE id = $1",
            DB_ARGS(db_uuid(&ids[i])));
    return err ? err : order_bodies_delete(work, ids, count);
}
