/* The worker's statements on orders. Index order_delivery_due finds what is due of an integration,
 * order_delivery_give_up what is older than its time, order_delivery_by_state all that is not
 * final; all others go by the key. */
#include "domain/order/order_turn_db.h"

#include "core/said.h"
#include "domain/order/order_db.h"
#include "kit/base/macros.h"
#include "kit/db/rows.h"

enum { SHARES_AT_ONCE = 16 };

/* Index order_delivery_by_state holds only such rows, so its readers have to say this behind the
 * state that they ask for. */
#define NOT_ACCEPTED " AND state <> 'accepted' AND created_at > 0"

/* --- Orders that are due ---------------------------------------------------------------------- */

static struct due_order read_due(struct work *work, struct db_stmt *stmt)
{
    return (struct due_order){
        .id = db_get_uuid(stmt, "id"),
        .order_id = db_get_uuid(stmt, "order_id"),
        .integration_id = db_get_uuid(stmt, "integration_id"),
        .was_begun = db_get_int(stmt, "was_begun") != 0,
        .attempts = db_get_int(stmt, "attempts"),
        .failures = db_get_int(stmt, "failures"),
        .begun_at = db_get_int(stmt, "updated_at"),
        .give_up_at = db_get_int(stmt, "give_up_at"),
        .traceparent = db_get_text(stmt, "traceparent", work->arena),
        .sealed = db_get_blob(stmt, "sealed", work->arena),
    };
}

static enum err read_all_due(struct work *work, struct db_stmt *stmt, struct due_orders *orders)
{
    enum err err;
    while ((err = db_step(stmt)) == ERR_OK)
        orders->items[orders->count++] = read_due(work, stmt);
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

#define DUE_COLUMNS                                                                            \
    "o.id, o.integration_id, CASE WHEN o.state = 'delivering' THEN 1 ELSE 0 END AS was_begun," \
    " o.attempts, o.failures, o.updated_at, o.give_up_at,"                                     \
    " COALESCE(o.order_id, o.id) AS order_id, o.traceparent,"                                  \
    " (SELECT b.sealed FROM order_body AS b WHERE b.id = o.id) AS sealed"

/* A row that is locked is being recorded by a worker that was taken for lost. PostgreSQL holds the
 * rest until it is begun, so that beginning waits for nobody. */
#define BEGIN_LOCK " FOR UPDATE OF d SKIP LOCKED"

/* PostgreSQL is not told how few: where it takes them for all that is due, it reads and sorts that.
 */
#define A_FEW "(SELECT CAST($3 AS BIGINT))"

#define SELECT_ONE(limit, lock)                                                                    \
    "SELECT " DUE_COLUMNS " FROM (SELECT d.* FROM order_delivery AS d WHERE d.integration_id = $1" \
    " AND d.due_at IS NOT NULL AND d.due_at <= $2 ORDER BY d.due_at LIMIT " limit lock ") AS o"

static enum err select_one(struct work *work, const struct due_share *share,
                           struct due_orders *orders)
{
    AUTO_STMT stmt = NULL;
    const char *sql = db_sql(work->tx, SELECT_ONE("$3", ""), SELECT_ONE(A_FEW, BEGIN_LOCK));
    enum err err = db_query(
        work->tx, sql,
        DB_ARGS(db_uuid(&share->integration_id), db_int(work->now_ms), db_int(share->max)), &stmt);
    return err ? err : read_all_due(work, stmt, orders);
}

#define SHARE(id, max) "(CAST(" id " AS BYTEA), CAST(" max " AS BIGINT))"
#define SHARES_1_4 \
    SHARE("$2", "$3") "," SHARE("$4", "$5") "," SHARE("$6", "$7") "," SHARE("$8", "$9")
#define SHARES_5_8 \
    SHARE("$10", "$11") "," SHARE("$12", "$13") "," SHARE("$14", "$15") "," SHARE("$16", "$17")
#define SHARES_9_12 \
    SHARE("$18", "$19") "," SHARE("$20", "$21") "," SHARE("$22", "$23") "," SHARE("$24", "$25")
#define SHARES_13_16 \
    SHARE("$26", "$27") "," SHARE("$28", "$29") "," SHARE("$30", "$31") "," SHARE("$32", "$33")
#define SHARES SHARES_1_4 "," SHARES_5_8 "," SHARES_9_12 "," SHARES_13_16

/* PostgreSQL looks into the index once for each integration, and is asked once for some of them. */
static enum err select_some(struct work *work, const struct due_share *shares, size_t count,
                            struct due_orders *orders)
{
    struct db_arg args[1 + 2 * SHARES_AT_ONCE] = {db_int(work->now_ms)};
    const struct uuid nobody = {0};

    for (size_t i = 0; i < SHARES_AT_ONCE; i++) {
        args[1 + 2 * i] = db_uuid(i < count ? &shares[i].integration_id : &nobody);
        args[2 + 2 * i] = db_int(i < count ? shares[i].max : 0);
    }
    AUTO_STMT stmt = NULL;
    enum err err = db_query(
        work->tx,
        "SELECT " DUE_COLUMNS " FROM (VALUES " SHARES ") AS s (id, share)"
        " CROSS JOIN LATERAL (SELECT d.* FROM order_delivery AS d WHERE d.integration_id = s.id"
        " AND d.due_at IS NOT NULL AND d.due_at <= $1 ORDER BY d.due_at LIMIT s.share" BEGIN_LOCK
        ") AS o",
        args, COUNT_OF(args), &stmt);
    return err ? err : read_all_due(work, stmt, orders);
}

static size_t sum_of(const struct due_share *shares, size_t count)
{
    size_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (size_t)shares[i].max;
    return sum;
}

enum err due_orders_select(struct work *work, const struct due_share *shares, size_t share_count,
                           struct due_orders *ret_orders)
{
    size_t max = sum_of(shares, share_count);
    struct due_orders orders = {arena_array(work->arena, max, sizeof(*orders.items)), 0};
    /* SQLite knows no LATERAL, and has no round trips to save. */
    bool is_sqlite = db_engine_of(work->service->exchange) == DB_SQLITE;
    enum err err = ERR_OK;

    for (size_t at = 0, count; !err && at < share_count; at += count) {
        count = is_sqlite ? 1 : share_count - at;
        if (count > SHARES_AT_ONCE) count = SHARES_AT_ONCE;
        err = count == 1 ? select_one(work, shares + at, &orders)
                         : select_some(work, shares + at, count, &orders);
    }
    if (!err) *ret_orders = orders;
    return err;
}

/* Nothing depends on how many rows these change: what was selected is as it was (PostgreSQL has it
 * locked). */
enum err orders_begin(struct work *work, const struct order_begin *begins, size_t count)
{
    enum err err = ERR_OK;

    for (size_t i = 0; !err && i < count; i++) {
        const struct due_order *order = begins[i].order;
        err = db_exec_later(work->tx,
                            "UPDATE order_delivery SET state = 'delivering', attempts = $3,"
                            " due_at = $4, updated_at = $5 WHERE id = $1 AND attempts = $2"
                            " AND state IN ('queued', 'delivering') AND due_at <= $5",
                            DB_ARGS(db_uuid(&order->id), db_int(order->attempts),
                                    db_int(order->attempts + 1), db_int(begins[i].due_at),
                                    db_int(work->now_ms)));
    }
    return err;
}

/* --- What came of them ------------------------------------------------------------------------ */

/* Until when the body stays; 0: it goes now, or is still needed. */
static int64_t body_until(const struct work *work, enum order_state state)
{
    bool has_ended = state == ORDER_REJECTED || state == ORDER_FAILED;
    return has_ended ? work->now_ms + ORDER_BODY_KEPT_MS : 0;
}

enum err orders_end(struct work *work, const struct order_end *ends, size_t count,
                    int64_t *ret_are_ended)
{
    static const char sql[] =
        "UPDATE order_delivery SET state = $3, due_at = $4, erp_order_id = $5, erp_number = $6,"
        " last_error = $7, failures = $8, updated_at = $9, body_until = $10,"
        " changes = changes + $11, words = $12"
        " WHERE id = $1 AND ((attempts = $2 AND state = 'delivering')"
        " OR ($3 = 'accepted' AND state <> 'accepted'))";
    struct db_rows rows = {work->tx, work->arena, sql, count, .is_by_key = true};
    enum err err = ERR_OK;

    rows.changed = ret_are_ended;
    for (size_t i = 0; !err && i < count; i++) {
        const struct order_end *end = &ends[i];
        struct str words;
        err = said_seal(work, SEALED_ORDER_WORDS, uuid_view(&end->id), end->words, &words);
        if (err) return err;
        err = db_rows_add(&rows, DB_ARGS(db_uuid(&end->id), db_int(end->attempt),
                                         db_text(order_state_words[end->state]),
                                         db_int_or_null(end->due_at), db_text(end->erp_order_id),
                                         db_text(end->erp_number), db_text(end->error),
                                         db_int(end->failures), db_int(work->now_ms),
                                         db_int_or_null(body_until(work, end->state)),
                                         db_int(end->state >= ORDER_ACCEPTED), db_blob(words)));
    }
    return err ? err : db_rows_run(&rows);
}

enum err order_has_other_document(struct work *work, const struct order_end *end, bool *ret_has)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx,
                                "SELECT id FROM order_delivery WHERE id = $1"
                                " AND state = 'accepted' AND erp_order_id <> $2",
                                DB_ARGS(db_uuid(&end->id), db_text(end->erp_order_id)), &stmt);
    if (err && err != ERR_NOT_FOUND) return err;
    *ret_has = err == ERR_OK;
    return ERR_OK;
}

/* Nothing depends on how many rows these change, so PostgreSQL is not waited for. */
enum err order_bodies_delete(struct work *work, const struct uuid *ids, size_t count)
{
    enum err err = ERR_OK;
    for (size_t i = 0; !err && i < count; i++)
        err = db_exec_later(work->tx, "DELETE FROM order_body WHERE id = $1",
                            DB_ARGS(db_uuid(&ids[i])));
    return err;
}

/* Returns by what the words of an attempt are sealed, in the arena: a sealed value has a key of one
 * column. */
static struct str key_of_words(struct work *work, const struct uuid *id, int64_t attempt)
{
    enum { LEN = sizeof(id->bytes) + sizeof(attempt) };
    uint8_t *key = arena_alloc(work->arena, LEN);

    memcpy(key, id->bytes, sizeof(id->bytes));
    for (size_t i = LEN; i-- > sizeof(id->bytes); attempt >>= 8)
        key[i] = (uint8_t)attempt;
    return (struct str){(const char *)key, LEN};
}

static enum err insert_attempt(struct work *work, const struct uuid *id,
                               const struct order_attempt *attempt)
{
    struct str key = key_of_words(work, id, attempt->attempt), words;
    enum err err = said_seal(work, SEALED_ATTEMPT_WORDS, key, attempt->words, &words);
    if (err) return err;
    return db_exec_later(
        work->tx,
        "INSERT INTO order_attempt (id, attempt, started_at, duration_ms, status,"
        " outcome, error, words, words_key) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)"
        " ON CONFLICT (id, attempt) DO UPDATE SET started_at = $3,"
        " duration_ms = $4, status = $5, outcome = $6, error = $7, words = $8, words_key = $9",
        DB_ARGS(db_uuid(id), db_int(attempt->attempt), db_int(attempt->started_at),
                db_int(attempt->duration_ms), db_int(attempt->status > 0 ? attempt->status : 0),
                db_text(order_outcome_words[attempt->outcome]), db_text(attempt->error),
                db_blob(words), db_blob(words.len > 0 ? key : words)));
}

enum err order_attempts_insert(struct work *work, const struct attempt_row *attempts, size_t count)
{
    enum err err = ERR_OK;
    for (size_t i = 0; !err && i < count; i++)
        err = insert_attempt(work, &attempts[i].id, &attempts[i].attempt);
    return err;
}

/* --- Without a worker that serves them -------------------------------------------------------- */

enum err overdue_orders_select(struct work *work, int64_t give_up_at, int max,
                               struct due_orders *ret_orders)
{
    struct due_orders orders = {arena_array(work->arena, (size_t)max, sizeof(*orders.items)), 0};
    AUTO_STMT stmt = NULL;
    enum err err = db_query(
        work->tx,
        "SELECT id, integration_id, CASE WHEN state = 'delivering' THEN 1 ELSE 0 END AS was_begun,"
        " attempts, failures, updated_at, give_up_at, COALESCE(order_id, id) AS order_id,"
        " traceparent, NULL AS sealed FROM order_delivery"
        " WHERE due_at IS NOT NULL AND give_up_at > 0 AND give_up_at <= $1 AND (state = 'queued' "
        "OR due_at <= $2)"
        " ORDER BY give_up_at LIMIT $3",
        DB_ARGS(db_int(give_up_at), db_int(work->now_ms), db_int(max)), &stmt);
    if (!err) err = read_all_due(work, stmt, &orders);
    if (!err) *ret_orders = orders;
    return err;
}

enum err orders_fail(struct work *work, const struct due_order *orders, size_t count,
                     const char *error, int64_t *ret_are_failed)
{
    static const char sql[] =
        "UPDATE order_delivery SET state = 'failed', due_at = NULL,"
        " last_error = COALESCE(last_error, $4), updated_at = $5, body_until = $6,"
        " changes = changes + 1"
        " WHERE id = $1 AND attempts = $2 AND give_up_at = $3"
        " AND state IN ('queued', 'delivering')";
    struct db_rows rows = {work->tx, work->arena, sql, count, .is_by_key = true};
    enum err err = ERR_OK;

    rows.changed = ret_are_failed;
    for (size_t i = 0; !err && i < count; i++)
        err = db_rows_add(&rows,
                          DB_ARGS(db_uuid(&orders[i].id), db_int(orders[i].attempts),
                                  db_int(orders[i].give_up_at), db_text(error),
                                  db_int(work->now_ms), db_int(body_until(work, ORDER_FAILED))));
    return err ? err : db_rows_run(&rows);
}

#define SELECT_OVER                                                                   \
    "SELECT id FROM order_delivery WHERE body_until IS NOT NULL AND body_until <= $1" \
    " ORDER BY body_until LIMIT $2"

enum err bodies_over_select(struct work *work, int max, struct uuid *ret_ids, size_t *ret_count)
{
    const char *sql = db_sql(work->tx, SELECT_OVER, SELECT_OVER " FOR UPDATE SKIP LOCKED");
    AUTO_STMT stmt = NULL;
    enum err err = db_query(work->tx, sql, DB_ARGS(db_int(work->now_ms), db_int(max)), &stmt);

    *ret_count = 0;
    while (!err && (err = db_step(stmt)) == ERR_OK)
        ret_ids[(*ret_count)++] = db_get_uuid(stmt, "id");
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

enum err orders_forget_bodies(struct work *work, const struct uuid *ids, size_t count)
{
    enum err err = ERR_OK;
    for (size_t i = 0; !err && i < count; i++)
        err = db_exec_later(work->tx, "UPDATE order_delivery SET body_until = NULL WHERE id = $1",
                            DB_ARGS(db_uuid(&ids[i])));
    return err ? err : order_bodies_delete(work, ids, count);
}

enum err orders_release(struct work *work)
{
    return db_exec(work->tx,
                   "UPDATE order_delivery SET due_at = $1"
                   " WHERE state = 'delivering'" NOT_ACCEPTED " AND due_at > $1",
                   DB_ARGS(db_int(work->now_ms)), NULL);
}

/* Only PostgreSQL has several workers. What one of them has locked, it is about to record. */
enum err orders_release_of(struct work *work, const struct uuid *holder)
{
    return db_exec(work->tx,
                   "UPDATE order_delivery SET due_at = $2 WHERE id IN"
                   " (SELECT id FROM order_delivery WHERE state = 'delivering'" NOT_ACCEPTED
                   " AND due_at > $2 AND integration_id IN"
                   " (SELECT integration_id FROM order_lane WHERE holder = $1)"
                   " FOR UPDATE SKIP LOCKED)",
                   DB_ARGS(db_uuid(holder), db_int(work->now_ms)), NULL);
}
