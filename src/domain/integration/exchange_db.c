/*
 * These statements tell how the exchange of integrations stands. They read rows of higher rooms
 * (packages, orders, lanes and catalogs) and write none. Each count ends at EXCHANGE_COUNT_MAX
 * entries of an index, so an integration with a million packages is read as quickly as any other.
 */
#include "domain/integration/integration_db.h"
#include "kit/base/clock.h"
#include "kit/job/circuit.h"

enum { IDS = 32 }; /* of one statement */
#define IDS_IN                                                                                \
    "($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20," \
    " $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33)"
static_assert(IDS == 32, "the parameters of IDS_IN");

/* Each condition is that of the index which was made for it. */
#define PACKAGES(alias, condition, order)                                                         \
    "(SELECT COUNT(*) FROM (SELECT p.receipt FROM erp_package AS p WHERE p.integration_id = i.id" \
    " AND " condition " ORDER BY " order " LIMIT $1) AS few) AS " alias ", "
#define ORDERS(state)                                                                   \
    " FROM order_delivery AS d WHERE d.integration_id = i.id AND d.state <> 'accepted'" \
    " AND d.state = '" state "' ORDER BY d.created_at, d.id LIMIT "
#define ORDERS_OF(state)                                                              \
    "(SELECT COUNT(*) FROM (SELECT d.id" ORDERS(state) "$1) AS few) AS " state ", "   \
                                                       "(SELECT d.created_at" ORDERS( \
                                                           state) "1) AS " state "_at, "
/* Rows are looked up for each integration: PostgreSQL might join whole tables. */
#define OF(table, column) \
    "(SELECT t." column " FROM " table " AS t WHERE t.integration_id = i.id) AS " column ", "

/* clang-format off */
static const char select_exchange[] =
    "SELECT "
    OF("catalog", "snapshot_at")
    OF("catalog", "changes_at")
    OF("order_lane", "failures")
    OF("order_lane", "probe_at")
    OF("order_lane", "opened_at")
    OF("order_lane", "last_error")
    PACKAGES("new_count", "p.status = 'accepted'", "p.receipt")
    PACKAGES("retry_count", "p.status = 'retry'", "p.receipt")
    PACKAGES("begun_count", "p.status = 'processing'", "p.due_at")
    PACKAGES("failed_count", "p.status = 'failed'", "p.receipt")
    ORDERS_OF("queued")
    ORDERS_OF("delivering")
    "i.id FROM integration AS i WHERE i.id IN " IDS_IN " ORDER BY i.id";
/* clang-format on */

struct lane_circuit *lane_circuit_new(struct work *work, const struct circuit *circuit,
                                      int64_t opened_at, const char *last_error)
{
    bool is_open = circuit_is_open(circuit), is_half_open = circuit_is_half_open(circuit);
    struct lane_circuit *shown = ARENA_NEW(work->arena, struct lane_circuit);

    *shown = (struct lane_circuit){
        .state = is_open        ? LANE_OPEN
                 : is_half_open ? LANE_HALF_OPEN
                                : LANE_CLOSED,
        .since = is_open || is_half_open ? opened_at : 0,
        .next_probe_at = clock_not_past(circuit->probe_at, work->now_ms),
        .last_error = is_open || circuit->failures > 0 ? last_error : NULL,
    };
    return shown;
}

static int64_t at_most(int64_t count)
{
    return count < EXCHANGE_COUNT_MAX ? count : EXCHANGE_COUNT_MAX;
}

/* The earlier one of two times; 0 is none. */
static int64_t earlier(int64_t a, int64_t b)
{
    if (a == 0 || b == 0) return a + b;
    return a < b ? a : b;
}

static struct exchange *read_exchange(struct work *work, struct db_stmt *stmt)
{
    struct exchange *exchange = ARENA_NEW(work->arena, struct exchange);
    const struct circuit circuit = {db_get_int(stmt, "failures"), db_get_int(stmt, "probe_at")};

    *exchange = (struct exchange){
        .last_snapshot_at = db_get_int(stmt, "snapshot_at"),
        .last_change_at = db_get_int(stmt, "changes_at"),
        .waiting = at_most(db_get_int(stmt, "new_count") + db_get_int(stmt, "retry_count") +
                           db_get_int(stmt, "begun_count")),
        .failed = at_most(db_get_int(stmt, "failed_count")),
        .circuit = lane_circuit_new(work, &circuit, db_get_int(stmt, "opened_at"),
                                    db_get_text(stmt, "last_error", work->arena)),
        .orders_waiting = at_most(db_get_int(stmt, "queued") + db_get_int(stmt, "delivering")),
        .oldest_order_at =
            earlier(db_get_int(stmt, "queued_at"), db_get_int(stmt, "delivering_at")),
    };
    return exchange;
}

/* Integrations come in order of id, as the rows do. */
static enum err select_some(struct work *work, struct integration *integrations, size_t count)
{
    struct db_arg args[1 + IDS] = {db_int(EXCHANGE_COUNT_MAX)};
    size_t at = 0;
    AUTO_STMT stmt = NULL;

    for (size_t i = 0; i < IDS; i++)
        args[1 + i] = db_uuid(i < count ? &integrations[i].id : NULL);
    enum err err = db_query(work->tx, select_exchange, args, 1 + IDS, &stmt);
    while (!err && at < count && (err = db_step(stmt)) == ERR_OK) {
        struct uuid id = db_get_uuid(stmt, "id");
        while (at < count && !uuid_equal(&integrations[at].id, &id))
            at++;
        if (at < count) integrations[at++].exchange = read_exchange(work, stmt);
    }
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

enum err exchange_select(struct work *work, struct integration *integrations, size_t count)
{
    enum err err = ERR_OK;

    for (size_t i = 0; !err && i < count; i += IDS)
        err = select_some(work, integrations + i, count - i < IDS ? count - i : IDS);
    return err;
}
