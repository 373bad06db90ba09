/* These are the statements on webhook_endpoint and webhook_delivery. */
#include "domain/webhook/webhook_db.h"

#include "core/columns.h"
#include "core/rows.h"
#include "kit/base/clock.h"

/* --- Endpoints -------------------------------------------------------------------------------- */

static const char *join_types(struct work *work, const struct record_list *types)
{
    const char *const *items = types->items, *joined = "";

    for (size_t i = 0; i < types->count; i++)
        joined = arena_printf(work->arena, "%s%s%s", joined, i > 0 ? "," : "", items[i]);
    return joined;
}

static struct record_list split_types(struct work *work, const char *text)
{
    const char **items = arena_array(work->arena, WEBHOOK_TYPES_MAX, sizeof(*items));
    struct str rest = str_of(text), item;
    size_t count = 0;

    while (count < WEBHOOK_TYPES_MAX && rest.len > 0 && str_next_item(&rest, &item))
        items[count++] = arena_str(work->arena, item);
    return (struct record_list){items, count};
}

enum err webhook_endpoint_insert(struct work *work, const struct webhook_endpoint *endpoint)
{
    return db_exec(work->tx,
                   "INSERT INTO webhook_endpoint (id, url, types, description, full_numbers,"
                   " is_enabled, secret, created_at, updated_at, active_from)"
                   " VALUES ($1, $2, $3, $4, $5, 1, $6, $7, $7, $8)",
                   DB_ARGS(db_uuid(&endpoint->id), db_text(endpoint->url),
                           db_text(join_types(work, &endpoint->types)),
                           db_text(endpoint->description), db_int(endpoint->full_numbers),
                           db_blob(endpoint->sealed_secret), db_int(endpoint->created_at),
                           db_int(endpoint->active_from)),
                   NULL);
}

enum err webhook_endpoint_update(struct work *work, const struct webhook_endpoint *endpoint)
{
    return db_exec(
        work->tx,
        "UPDATE webhook_endpoint SET url = $2, types = $3, description = $4, full_numbers = $5,"
        " is_enabled = $6, disabled_why = $7, secret = $8, old_secret = $9, old_until = $10,"
        " failing_since = $11, updated_at = $12, active_from = $13 WHERE id = $1",
        DB_ARGS(db_uuid(&endpoint->id), db_text(endpoint->url),
                db_text(join_types(work, &endpoint->types)), db_text(endpoint->description),
                db_int(endpoint->full_numbers), db_int(endpoint->enabled),
                db_text(endpoint->disabled_why), db_blob(endpoint->sealed_secret),
                db_blob(endpoint->sealed_old_secret), db_int_or_null(endpoint->old_secret_until),
                db_int_or_null(endpoint->failing_since), db_int(endpoint->updated_at),
                db_int(endpoint->active_from)),
        NULL);
}

enum err webhook_endpoint_delete(struct work *work, const struct uuid *id)
{
    int64_t changed = 0;
    enum err err = db_exec(work->tx, "DELETE FROM webhook_endpoint WHERE id = $1",
                           DB_ARGS(db_uuid(id)), &changed);
    return !err && changed != 1 ? ERR_NOT_FOUND : err;
}

#define ENDPOINT_ROW(FIRST, NEXT)             \
    FIRST(id, id, UUID)                       \
    NEXT(url, url, TEXT)                      \
    NEXT(description, description, TEXT)      \
    NEXT(full_numbers, full_numbers, BOOL)    \
    NEXT(is_enabled, enabled, BOOL)           \
    NEXT(disabled_why, disabled_why, TEXT)    \
    NEXT(secret, sealed_secret, BLOB)         \
    NEXT(old_secret, sealed_old_secret, BLOB) \
    NEXT(old_until, old_secret_until, INT)    \
    NEXT(failing_since, failing_since, INT)   \
    NEXT(changes, changes, INT)               \
    NEXT(created_at, created_at, INT)         \
    NEXT(updated_at, updated_at, INT)         \
    NEXT(active_from, active_from, INT)
#define ENDPOINT_COLUMNS COLUMNS(ENDPOINT_ROW) ", types"
COLUMNS_READER(read_endpoint_columns, struct webhook_endpoint *, ENDPOINT_ROW)

static enum err read_endpoint(struct work *work, struct db_stmt *stmt, void *ret_row)
{
    struct webhook_endpoint *endpoint = ret_row;

    *endpoint = (struct webhook_endpoint){0};
    bool is_known = read_endpoint_columns(work, stmt, endpoint);
    endpoint->types = split_types(work, db_get_text(stmt, "types", work->arena));
    return is_known ? ERR_OK : LOG_BROKEN("an endpoint has an unknown word");
}

#define ENDPOINT_BY_ID "SELECT " ENDPOINT_COLUMNS " FROM webhook_endpoint WHERE id = $1"

enum err webhook_read(struct work *work, const struct uuid *id,
                      struct webhook_endpoint *ret_endpoint)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx, ENDPOINT_BY_ID, DB_ARGS(db_uuid(id)), &stmt);
    return err ? err : read_endpoint(work, stmt, ret_endpoint);
}

enum err webhook_endpoint_select_locked(struct work *work, const struct uuid *id,
                                        struct webhook_endpoint *ret_endpoint)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx, DB_FOR_UPDATE(work->tx, ENDPOINT_BY_ID),
                                DB_ARGS(db_uuid(id)), &stmt);
    return err ? err : read_endpoint(work, stmt, ret_endpoint);
}

enum err webhook_endpoint_select_all(struct work *work, bool only_enabled,
                                     struct record_list *ret_endpoints)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query(work->tx,
                            "SELECT " ENDPOINT_COLUMNS " FROM webhook_endpoint"
                            " WHERE is_enabled >= $1 ORDER BY id LIMIT $2",
                            DB_ARGS(db_int(only_enabled), db_int(WEBHOOK_ENDPOINTS_MAX)), &stmt);
    return err ? err
               : rows_read(work, stmt, WEBHOOK_ENDPOINTS_MAX, sizeof(struct webhook_endpoint),
                           read_endpoint, ret_endpoints);
}

static enum err read_endpoint_due(struct work *work, struct db_stmt *stmt, void *ret_row)
{
    enum err err = read_endpoint(work, stmt, ret_row);
    ((struct webhook_endpoint *)ret_row)->is_due = !db_get_null(stmt, "due_at");
    return err;
}

enum err webhook_endpoint_select_due(struct work *work, struct record_list *ret_endpoints)
{
    AUTO_STMT stmt = NULL;
    enum err err =
        db_query(work->tx,
                 "SELECT " ENDPOINT_COLUMNS ", (SELECT d.due_at FROM webhook_delivery AS d"
                 " WHERE d.endpoint_id = webhook_endpoint.id AND d.due_at <= $1"
                 " ORDER BY d.due_at LIMIT 1) AS due_at"
                 " FROM webhook_endpoint WHERE is_enabled = 1 ORDER BY id LIMIT $2",
                 DB_ARGS(db_int(work->now_ms), db_int(WEBHOOK_ENDPOINTS_MAX)), &stmt);
    return err ? err
               : rows_read(work, stmt, WEBHOOK_ENDPOINTS_MAX, sizeof(struct webhook_endpoint),
                           read_endpoint_due, ret_endpoints);
}

enum err webhook_endpoint_set_failing(struct work *work, const struct uuid *id, int64_t since)
{
    return db_exec_later(work->tx, "UPDATE webhook_endpoint SET failing_since = $2 WHERE id = $1",
                         DB_ARGS(db_uuid(id), db_int_or_null(since)));
}

enum err webhook_endpoint_disable(struct work *work, const struct uuid *id, const char *why,
                                  bool *ret_is_disabled)
{
    int64_t changed = 0;
    enum err err = db_exec(work->tx,
                           "UPDATE webhook_endpoint SET is_enabled = 0, disabled_why = $2,"
                           " changes = changes + 1, updated_at = $3 WHERE id = $1"
                           " AND is_enabled = 1",
                           DB_ARGS(db_uuid(id), db_text(why), db_int(work->now_ms)), &changed);
    *ret_is_disabled = changed == 1;
    return err;
}

/* --- Deliveries ------------------------------------------------------------------------------- */

enum err webhook_delivery_insert(struct work *work, const struct webhook_delivery *delivery)
{
    return db_exec_later(
        work->tx,
        "INSERT INTO webhook_delivery (id, endpoint_id, seq, event_id, type, state, attempts,"
        " due_at, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, 'pending', 0, $6, $6, $6)",
        DB_ARGS(db_uuid(&delivery->id), db_uuid(&delivery->endpoint_id),
                delivery->seq < 0 ? db_null() : db_int(delivery->seq), db_uuid(&delivery->event_id),
                db_text(delivery->type), db_int(delivery->created_at)));
}

#define DELIVERY_ROW(FIRST, NEXT)                 \
    FIRST(id, id, UUID)                           \
    NEXT(endpoint_id, endpoint_id, UUID)          \
    NEXT(seq, seq, INT_OR(-1))                    \
    NEXT(event_id, event_id, UUID)                \
    NEXT(type, type, TEXT)                        \
    NEXT(state, state, WORD(webhook_state_words)) \
    NEXT(attempts, attempts, INT)                 \
    NEXT(status, status, INT_OR(-1))              \
    NEXT(answer, answer, TEXT)                    \
    NEXT(created_at, created_at, INT)             \
    NEXT(updated_at, updated_at, INT)
#define DELIVERY_COLUMNS COLUMNS(DELIVERY_ROW) ", due_at"
COLUMNS_READER(read_delivery_columns, struct webhook_delivery *, DELIVERY_ROW)

static enum err read_delivery(struct work *work, struct db_stmt *stmt, void *ret_row)
{
    struct webhook_delivery *delivery = ret_row;

    *delivery = (struct webhook_delivery){0};
    if (!read_delivery_columns(work, stmt, delivery))
        return LOG_BROKEN("a delivery has an unknown state");
    delivery->next_attempt_at = clock_not_past(db_get_int(stmt, "due_at"), work->now_ms);
    return ERR_OK;
}

enum err webhook_read_delivery(struct work *work, const struct uuid *id,
                               struct webhook_delivery *ret_delivery)
{
    AUTO_STMT stmt = NULL;
    enum err err =
        db_query_one(work->tx, "SELECT " DELIVERY_COLUMNS " FROM webhook_delivery WHERE id = $1",
                     DB_ARGS(db_uuid(id)), &stmt);
    return err ? err : read_delivery(work, stmt, ret_delivery);
}

/* The order is that of no other index: PostgreSQL might go along the key of all deliveries. */
#define PAGE(state)                                                                  \
    "SELECT " DELIVERY_COLUMNS " FROM webhook_delivery WHERE endpoint_id = $1" state \
    " AND (created_at, id) < ($2, $3) ORDER BY created_at DESC, id DESC LIMIT $4"

static const char *page_sql(int state)
{
    if (state < 0) return PAGE("");
    switch ((enum webhook_state)state) {
    case WEBHOOK_PENDING:
        return PAGE(" AND state = 'pending'");
    case WEBHOOK_DELIVERED:
        return PAGE(" AND state = 'delivered'");
    case WEBHOOK_FAILED:
        return PAGE(" AND state = 'failed'");
    }
    return PAGE("");
}

enum err webhook_delivery_select_page(struct work *work, const struct uuid *endpoint_id, int state,
                                      const struct page_place *before, int64_t limit,
                                      struct record_list *ret_deliveries)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query(
        work->tx, page_sql(state),
        DB_ARGS(db_uuid(endpoint_id), db_int(before->number), db_uuid(&before->id), db_int(limit)),
        &stmt);
    return err ? err
               : rows_read(work, stmt, (size_t)limit, sizeof(struct webhook_delivery),
                           read_delivery, ret_deliveries);
}

#define CLAIM(lock)                                                                     \
    "UPDATE webhook_delivery SET attempts = attempts + 1, due_at = $3, updated_at = $2" \
    " WHERE id IN (SELECT id FROM webhook_delivery WHERE endpoint_id = $1"              \
    " AND due_at IS NOT NULL AND due_at <= $2 ORDER BY due_at LIMIT $4" lock ")"        \
    " RETURNING " DELIVERY_COLUMNS

enum err webhook_delivery_claim(struct work *work, const struct uuid *endpoint_id, int max,
                                int64_t lease_until, struct record_list *ret_deliveries)
{
    const char *sql = db_sql(work->tx, CLAIM(""), CLAIM(" FOR UPDATE SKIP LOCKED"));
    AUTO_STMT stmt = NULL;
    enum err err = db_query(
        work->tx, sql,
        DB_ARGS(db_uuid(endpoint_id), db_int(work->now_ms), db_int(lease_until), db_int(max)),
        &stmt);
    return err ? err
               : rows_read(work, stmt, (size_t)max, sizeof(struct webhook_delivery), read_delivery,
                           ret_deliveries);
}

enum { END_ARGS = 8 };

static void put_end(const struct work *work, const struct webhook_delivery *delivery,
                    struct db_arg ret_args[static END_ARGS])
{
    const struct db_arg args[END_ARGS] = {
        db_uuid(&delivery->id),
        db_int(delivery->attempts),
        db_text(webhook_state_words[delivery->state]),
        db_int_or_null(delivery->next_attempt_at),
        delivery->status < 0 ? db_null() : db_int(delivery->status),
        db_text(delivery->answer),
        db_int(work->now_ms),
        db_int(delivery->is_unsent),
    };
    memcpy(ret_args, args, sizeof(args));
}

enum err webhook_delivery_end(struct work *work, const struct webhook_delivery *deliveries,
                              size_t count, bool *ret_are_recorded)
{
    struct db_arg *args = arena_array(work->arena, count * END_ARGS, sizeof(*args));
    int64_t *changed = arena_array(work->arena, count, sizeof(*changed));

    if (count == 0) return ERR_OK;
    for (size_t i = 0; i < count; i++)
        put_end(work, &deliveries[i], args + i * END_ARGS);
    enum err err = db_exec_many(
        work->tx,
        "UPDATE webhook_delivery SET state = $3, due_at = $4, status = $5, answer = $6,"
        " updated_at = $7, attempts = attempts - $8"
        " WHERE id = $1 AND attempts = $2 AND state = 'pending'",
        args, END_ARGS, count, changed);
    for (size_t i = 0; !err && i < count; i++)
        ret_are_recorded[i] = changed[i] == 1;
    return err;
}

enum err webhook_delivery_requeue(struct work *work, const struct uuid *id)
{
    return db_exec(work->tx,
                   "UPDATE webhook_delivery SET state = 'pending', attempts = 0, due_at = $2,"
                   " updated_at = $2 WHERE id = $1",
                   DB_ARGS(db_uuid(id), db_int(work->now_ms)), NULL);
}

enum err webhook_delivery_requeue_failed(struct work *work, const struct uuid *endpoint_id,
                                         int64_t since, int max, int64_t *ret_count)
{
    return db_exec(work->tx,
                   "UPDATE webhook_delivery SET state = 'pending', attempts = 0, due_at = $3,"
                   " updated_at = $3 WHERE id IN (SELECT id FROM webhook_delivery"
                   " WHERE endpoint_id = $1 AND state = 'failed' AND created_at >= $2"
                   " AND seq IS NOT NULL" /* a test is no event */
                   " ORDER BY created_at LIMIT $4)",
                   DB_ARGS(db_uuid(endpoint_id), db_int(since), db_int(work->now_ms), db_int(max)),
                   ret_count);
}

enum err webhook_delivery_delete_old(struct work *work, int64_t before_ms, int max,
                                     int64_t *ret_deleted)
{
    struct uuid before = uuid_at(before_ms);
    return db_exec(work->tx,
                   "DELETE FROM webhook_delivery WHERE id IN"
                   " (SELECT id FROM webhook_delivery WHERE id < $1 ORDER BY id LIMIT $2)",
                   DB_ARGS(db_uuid(&before), db_int(max)), ret_deleted);
}
