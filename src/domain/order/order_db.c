/* Rows are written, and so locked, in this sequence: order_delivery, order_body, order_attempt,
 * order_lane, and rows of one table by key. The worker does not wait for lanes, nor for orders that
 * it begins (order_lane_db.c, order_turn_db.c). */
#include "domain/order/order_db.h"

#include "core/columns.h"
#include "core/personal.h"
#include "core/rows.h"
#include "core/said.h"
#include "kit/base/clock.h"
#include "kit/base/macros.h"
#include "kit/job/circuit.h"

/* --- Taking ----------------------------------------------------------------------------------- */

static struct str hash_view(const uint8_t hash[static SECRET_HASH_LEN])
{
    return (struct str){(const char *)hash, SECRET_HASH_LEN};
}

/* The products are counted on the way: another question would cost PostgreSQL more than the count.
 * Each engine has its own way to read a list of keys, and PostgreSQL looks up each one. */
#define INSERT_DELIVERY(known)                                                             \
    "INSERT INTO order_delivery (id, integration_id, state, attempts, failures, due_at,"   \
    " give_up_at, fingerprint, created_at, updated_at, order_id, product_count, metadata," \
    " customer, traceparent, product_known)"                                               \
    " VALUES ($1, $2, 'queued', 0, 0, $3, $4, $5, $3, $3, $6, $7, $9, $10, $11,"           \
    " (" known "))"                                                                        \
    " ON CONFLICT DO NOTHING RETURNING product_known"
#define KNOWN_SQLITE                                                  \
    "SELECT count(*) FROM catalog AS c CROSS JOIN json_each($8) AS k" \
    " CROSS JOIN catalog_product AS p WHERE c.integration_id = $2"    \
    " AND p.catalog = c.number AND p.id = k.value AND p.archived = 0"
#define KNOWN_POSTGRES                                                              \
    "SELECT count(*) FROM catalog AS c"                                             \
    " CROSS JOIN json_array_elements_text(CAST($8 AS json)) AS k (id)"              \
    " CROSS JOIN LATERAL (SELECT q.product FROM catalog_product AS q"               \
    " WHERE q.catalog = c.number AND q.id = k.id AND q.archived = 0 OFFSET 0) AS p" \
    " WHERE c.integration_id = $2"

enum err order_insert(struct work *work, struct order_delivery *delivery,
                      const struct order_text *text, bool *ret_is_new)
{
    bool has_own_key = !uuid_equal(&delivery->id, &delivery->order_id);
    const char *sql =
        db_sql(work->tx, INSERT_DELIVERY(KNOWN_SQLITE), INSERT_DELIVERY(KNOWN_POSTGRES));
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(
        work->tx, sql,
        DB_ARGS(db_uuid(&delivery->id), db_uuid(&delivery->integration_id),
                db_int(delivery->created_at), db_int(delivery->created_at + ORDER_RETRY_FOR_MS),
                db_blob(hash_view(text->fingerprint)),
                db_uuid(has_own_key ? &delivery->order_id : NULL), db_int(text->product_count),
                db_text(text->product_ids), db_text(delivery->metadata),
                db_blob(text->has_customer ? hash_view(text->customer) : (struct str){NULL, 0}),
                db_text(work->traceparent)),
        &stmt);
    if (err && err != ERR_NOT_FOUND) return err;
    *ret_is_new = err == ERR_OK;
    if (err) return ERR_OK;
    delivery->known_products = ARENA_NEW(work->arena, struct order_products);
    *delivery->known_products =
        (struct order_products){db_get_int(stmt, "product_known"), text->product_count};
    return ERR_OK;
}

enum err order_body_insert(struct work *work, const struct uuid *id, struct str sealed)
{
    return db_exec_later(work->tx, "INSERT INTO order_body (id, sealed) VALUES ($1, $2)",
                         DB_ARGS(db_uuid(id), db_blob(sealed)));
}

enum err order_body_select(struct work *work, const struct uuid *id, struct str *ret_sealed)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx, "SELECT sealed FROM order_body WHERE id = $1",
                                DB_ARGS(db_uuid(id)), &stmt);
    if (!err) *ret_sealed = db_get_blob(stmt, "sealed", work->arena);
    return err;
}

enum err order_lane_insert(struct work *work, const struct uuid *integration_id)
{
    return db_exec_later(work->tx,
                         "INSERT INTO order_lane (integration_id, held_until, failures)"
                         " VALUES ($1, 0, 0) ON CONFLICT (integration_id) DO NOTHING",
                         DB_ARGS(db_uuid(integration_id)));
}

/* --- Reading ---------------------------------------------------------------------------------- */

/* A lane is looked up for each order: PostgreSQL might join all lanes. */
#define OF_LANE(column, alias) \
    " (SELECT l." column       \
    " FROM order_lane AS l WHERE l.integration_id = r.integration_id) AS " alias ","
#define OF_INTEGRATION(column, alias) \
    " (SELECT i." column " FROM integration AS i WHERE i.id = r.integration_id) AS " alias
#define CIRCUIT_COLUMNS                  \
    OF_LANE("failures", "lane_failures") \
    OF_LANE("probe_at", "probe_at")      \
    OF_LANE("opened_at", "opened_at")    \
    OF_LANE("last_error", "lane_error")
#define POINT_COLUMNS \
    OF_INTEGRATION("environment", "environment") "," OF_INTEGRATION("name", "integration_name")
#define DELIVERY_ROW(FIRST, NEXT)                 \
    FIRST(r.id, id, UUID)                         \
    NEXT(r.integration_id, integration_id, UUID)  \
    NEXT(r.state, state, WORD(order_state_words)) \
    NEXT(r.attempts, attempts, INT)               \
    NEXT(r.erp_order_id, erp_order_id, TEXT)      \
    NEXT(r.erp_number, erp_number, TEXT)          \
    NEXT(r.created_at, created_at, INT)           \
    NEXT(r.updated_at, updated_at, INT)           \
    NEXT(r.metadata, metadata, TEXT)              \
    NEXT(r.changes, changes, INT)
#define DELIVERY_COLUMNS                                                             \
    COLUMNS(DELIVERY_ROW)                                                            \
    ", r.due_at, r.last_error, r.words, r.product_count, r.product_known, r.erased," \
    " COALESCE(r.order_id, r.id) AS order_id," CIRCUIT_COLUMNS POINT_COLUMNS
COLUMNS_READER(read_columns, struct order_delivery *, DELIVERY_ROW)

#define FROM_DELIVERY " FROM order_delivery AS r WHERE "

/* The circuit of its lane holds up an order that waits. */
static struct lane_circuit *read_circuit(struct work *work, struct db_stmt *stmt, int state)
{
    const struct circuit circuit = {db_get_int(stmt, "lane_failures"),
                                    db_get_int(stmt, "probe_at")};
    bool is_waiting = state == ORDER_QUEUED || state == ORDER_DELIVERING;

    if (!is_waiting || (!circuit_is_open(&circuit) && !circuit_is_half_open(&circuit))) return NULL;
    return lane_circuit_new(work, &circuit, db_get_int(stmt, "opened_at"),
                            db_get_text(stmt, "lane_error", work->arena));
}

/* No attempt comes before its ERP is asked whether it serves. */
static int64_t next_attempt(int64_t due_at, const struct lane_circuit *circuit, int64_t now_ms)
{
    int64_t probe_at = circuit ? circuit->next_probe_at : 0;
    return clock_not_past(due_at > probe_at ? due_at : probe_at, now_ms);
}

static enum err read_delivery(struct work *work, struct db_stmt *stmt,
                              struct order_delivery *ret_delivery)
{
    struct order_delivery delivery = {
        .order_id = db_get_uuid(stmt, "order_id"),
        .environment = word_index(integration_environment_words,
                                  db_get_text(stmt, "environment", work->arena)),
        .integration_name = db_get_text(stmt, "integration_name", work->arena),
        .erased = db_get_int(stmt, "erased") == PERSONAL_ERASED,
    };

    if (!read_columns(work, stmt, &delivery) || delivery.environment < 0)
        return LOG_BROKEN("an order has an unknown word");
    delivery.last_error = said_show(work, SEALED_ORDER_WORDS, uuid_view(&delivery.id),
                                    db_get_blob(stmt, "words", work->arena),
                                    db_get_text(stmt, "last_error", work->arena));
    if (!db_get_null(stmt, "product_count")) {
        delivery.known_products = ARENA_NEW(work->arena, struct order_products);
        *delivery.known_products = (struct order_products){db_get_int(stmt, "product_known"),
                                                           db_get_int(stmt, "product_count")};
    }
    delivery.circuit = read_circuit(work, stmt, delivery.state);
    if (delivery.state == ORDER_QUEUED)
        delivery.next_attempt_at =
            next_attempt(db_get_int(stmt, "due_at"), delivery.circuit, work->now_ms);
    *ret_delivery = delivery;
    return ERR_OK;
}

enum err order_read(struct work *work, const struct uuid *id, struct order_delivery *ret_delivery)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx, "SELECT " DELIVERY_COLUMNS FROM_DELIVERY "r.id = $1",
                                DB_ARGS(db_uuid(id)), &stmt);
    return err ? err : read_delivery(work, stmt, ret_delivery);
}

/* Only one half finds a row: either the order has its own id as its key, or it has not. */
#define OWN(columns)                                                                             \
    "SELECT " columns FROM_DELIVERY "r.id = $2 AND r.integration_id = $1 AND r.order_id IS NULL" \
    " UNION ALL SELECT " columns FROM_DELIVERY "r.integration_id = $1 AND r.order_id = $2"

enum err order_read_own(struct work *work, const struct uuid *integration_id,
                        const struct uuid *order_id, struct order_delivery *ret_delivery)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx, OWN(DELIVERY_COLUMNS),
                                DB_ARGS(db_uuid(integration_id), db_uuid(order_id)), &stmt);
    return err ? err : read_delivery(work, stmt, ret_delivery);
}

enum err order_select_same(struct work *work, const struct uuid *integration_id,
                           const struct uuid *order_id,
                           const uint8_t fingerprint[static SECRET_HASH_LEN],
                           struct order_delivery *ret_delivery, bool *ret_is_same)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(
        work->tx, OWN(DELIVERY_COLUMNS ", r.fingerprint = $3 AS is_same"),
        DB_ARGS(db_uuid(integration_id), db_uuid(order_id), db_blob(hash_view(fingerprint))),
        &stmt);
    if (err) return err;
    *ret_is_same = db_get_int(stmt, "is_same") != 0;
    return read_delivery(work, stmt, ret_delivery);
}

/* Each filter has a text of its own, so that it can use the index that was made for it, and none
 * that was not: order_delivery_by_time and order_delivery_by_state serve those that say that a time
 * is above 0. SQLite has to be told that what waits or failed is not accepted. */
#define PAGE(condition)                                                                  \
    "SELECT " DELIVERY_COLUMNS FROM_DELIVERY "(r.created_at, r.id) < ($1, $2)" condition \
    " ORDER BY r.created_at DESC, r.id DESC LIMIT $3"
#define OPEN " AND r.state <> 'accepted' AND r.state = "
#define PAGES(condition)                                                                       \
    {                                                                                          \
        PAGE(condition), PAGE(condition OPEN "'queued'"), PAGE(condition OPEN "'delivering'"), \
            PAGE(condition " AND r.state = 'accepted'"), PAGE(condition OPEN "'rejected'"),    \
            PAGE(condition OPEN "'failed'")                                                    \
    }

/* The index is 1 + enum order_state. */
static const char *const pages[] = PAGES(" AND r.created_at > 0");
static const char *const pages_of_integration[] = PAGES(" AND r.integration_id = $4");

enum err order_select_page(struct work *work, const struct order_filter *filter,
                           const struct page_place *before, int64_t limit,
                           struct record_list *ret_orders)
{
    struct order_delivery *orders = arena_array(work->arena, (size_t)limit, sizeof(*orders));
    bool is_of_all = uuid_is_nil(&filter->integration_id);
    const struct db_arg args[] = {db_int(before->number), db_uuid(&before->id), db_int(limit),
                                  db_uuid(&filter->integration_id)};
    const char *const *texts = is_of_all ? pages : pages_of_integration;
    size_t count = 0;
    AUTO_STMT stmt = NULL;
    enum err err = db_query(work->tx, texts[1 + filter->state], args, is_of_all ? 3 : 4, &stmt);
    if (err) return err;
    while ((err = db_step(stmt)) == ERR_OK) {
        err = read_delivery(work, stmt, &orders[count++]);
        if (err) return err;
    }
    if (err != ERR_NOT_FOUND) return err;
    *ret_orders = (struct record_list){orders, count};
    return ERR_OK;
}

/* --- Of a customer --- */

/* Only a hash of the phone is stored. The other filters compare what no index has, so that
 * PostgreSQL looks for the customer and for nothing else. */
#define OF_CUSTOMER SEARCH_OF_NUMBER("customer", "$6", "$7", "$8")

enum err order_cut_search(struct work *work, struct search *search)
{
    return search_cut(work, search, NULL, SEARCH_CUT_OF_NUMBER("order_delivery", "customer", ""));
}

static enum err read_item(struct work *work, struct db_stmt *stmt, void *ret_row)
{
    return read_delivery(work, stmt, ret_row);
}

enum err order_select_page_of(struct work *work, const struct order_filter *filter,
                              const struct search *search, int64_t limit,
                              struct record_list *ret_orders)
{
    bool is_of_any = uuid_is_nil(&filter->integration_id);
    const struct db_arg own[] = {
        db_text(search_word(order_state_words, filter->state)),
        db_uuid(is_of_any ? NULL : &filter->integration_id),
    };
    AUTO_STMT stmt = NULL;
    enum err err = search_select(
        work, search, limit, NULL,
        "SELECT " DELIVERY_COLUMNS FROM_DELIVERY OF_CUSTOMER " AND ($4 = '' OR r.state || '' = $4)"
        " AND (COALESCE(r.integration_id, r.id) = $5 OR $5 IS NULL)" SEARCH_BY_TIME,
        own, COUNT_OF(own), &stmt);
    if (err) return err;
    return rows_read(work, stmt, (size_t)limit, sizeof(struct order_delivery), read_item,
                     ret_orders);
}

enum err order_select_of(struct work *work, const uint8_t customer[static SECRET_HASH_LEN], int max,
                         struct record_list *ret_orders)
{
    struct order_delivery *orders = arena_array(work->arena, (size_t)max, sizeof(*orders));
    size_t count = 0;
    AUTO_STMT stmt = NULL;
    enum err err =
        db_query(work->tx, "SELECT " DELIVERY_COLUMNS FROM_DELIVERY "r.customer = $1 LIMIT $2",
                 DB_ARGS(db_blob(hash_view(customer)), db_int(max)), &stmt);
    while (!err && !(err = db_step(stmt)))
        err = read_delivery(work, stmt, &orders[count++]);
    *ret_orders = (struct record_list){orders, count};
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

static enum err read_attempt(struct work *work, struct db_stmt *stmt,
                             struct order_attempt *ret_attempt)
{
    int64_t status = db_get_int(stmt, "status");
    struct order_attempt attempt = {
        .attempt = db_get_int(stmt, "attempt"),
        .started_at = db_get_int(stmt, "started_at"),
        .duration_ms = db_get_int(stmt, "duration_ms"),
        .status = status > 0 ? status : -1,
        .outcome = word_index(order_outcome_words, db_get_text(stmt, "outcome", work->arena)),
    };
    attempt.error =
        said_show(work, SEALED_ATTEMPT_WORDS, db_get_blob(stmt, "words_key", work->arena),
                  db_get_blob(stmt, "words", work->arena), db_get_text(stmt, "error", work->arena));
    if (attempt.outcome < 0) return LOG_BROKEN("an attempt has an unknown outcome");
    *ret_attempt = attempt;
    return ERR_OK;
}

enum err order_attempt_select_page(struct work *work, const struct uuid *id, int64_t after,
                                   int64_t limit, struct record_list *ret_attempts)
{
    struct order_attempt *attempts = arena_array(work->arena, (size_t)limit, sizeof(*attempts));
    size_t count = 0;
    AUTO_STMT stmt = NULL;
    enum err err =
        db_query(work->tx,
                 "SELECT attempt, started_at, duration_ms, status, outcome, error, words,"
                 " words_key"
                 " FROM order_attempt WHERE id = $1 AND attempt > $2"
                 " ORDER BY attempt LIMIT $3",
                 DB_ARGS(db_uuid(id), db_int(after), db_int(limit)), &stmt);
    if (err) return err;
    while ((err = db_step(stmt)) == ERR_OK) {
        err = read_attempt(work, stmt, &attempts[count++]);
        if (err) return err;
    }
    if (err != ERR_NOT_FOUND) return err;
    *ret_attempts = (struct record_list){attempts, count};
    return ERR_OK;
}

enum err order_select_steps(struct work *work, const struct uuid *id, const char **ret_steps)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx, "SELECT steps FROM order_delivery WHERE id = $1",
                                DB_ARGS(db_uuid(id)), &stmt);
    if (!err) *ret_steps = db_get_text(stmt, "steps", work->arena);
    return err;
}

/* --- Trying again ----------------------------------------------------------------------------- */

enum err order_hold(struct work *work, const struct uuid *id)
{
    return db_hold(work->tx, "SELECT id FROM order_delivery WHERE id = $1", DB_ARGS(db_uuid(id)));
}

/* Returns the lines that say how it had ended, which its row tells no more, and that it is tried
 * again. */
static const char *lines_of_retry(const struct work *work, const struct order_delivery *order)
{
    bool is_failed = order->state == ORDER_FAILED, is_rejected = order->state == ORDER_REJECTED;
    struct timeline_step end =
        timeline_step_of(is_failed ? TIMELINE_FAILED : TIMELINE_REJECTED, order->updated_at);
    struct timeline_step retry = timeline_step_of(TIMELINE_RETRIED, work->now_ms);
    const char *before = is_failed || is_rejected ? timeline_line(work->arena, &end) : "";
    return arena_printf(work->arena, "%s%s", before, timeline_line(work->arena, &retry));
}

#define APPEND_RETRY TIMELINE_APPEND("$4")

enum err order_requeue(struct work *work, const struct order_delivery *order, bool *ret_is_due)
{
    int64_t changed;
    enum err err = db_exec(
        work->tx,
        "UPDATE order_delivery SET state = 'queued', failures = 0, due_at = $2,"
        " give_up_at = $3, updated_at = $2, body_until = NULL," APPEND_RETRY
        " WHERE id = $1 AND state IN ('queued', 'failed', 'rejected')"
        " AND (body_until IS NULL OR body_until > $2)"
        " AND EXISTS (SELECT 1 FROM order_body AS b WHERE b.id = order_delivery.id)",
        DB_ARGS(db_uuid(&order->id), db_int(work->now_ms),
                db_int(work->now_ms + ORDER_RETRY_FOR_MS), db_text(lines_of_retry(work, order))),
        &changed);
    if (!err) *ret_is_due = changed > 0;
    return err;
}
