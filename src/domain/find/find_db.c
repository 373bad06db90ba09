/* Whatever has a key is found by it, whatever it is: a row here is a statement. */
#include "domain/find/find_db.h"

#include "core/rows.h"
#include "domain/find/find_list.h"

/* This is what $1 is. */
enum key { BY_ID, BY_TEXT };

struct look_up {
    enum route_store store;
    enum key key;
    enum find_type type;
    bool has_id;     /* `id` is selected; otherwise what was asked for is its id */
    enum role least; /* that may read it in its own list */
    const char *sql; /* title, state, at, and the owner where it belongs to something */
};

#define ENABLED "CASE is_enabled WHEN 1 THEN 'enabled' ELSE 'disabled' END AS state"

/* Each integration is asked by the key of what it has, whatever the engine thinks of how much there
 * is: a subquery for one value is never joined the other way round. */
#define INTEGRATIONS " FROM (SELECT id, name FROM integration ORDER BY id LIMIT 10000) i) f"
#define OF_INTEGRATIONS(state, at, from)                                                         \
    "SELECT title, state, at, owner FROM (SELECT i.id AS owner, i.name AS title, (SELECT " state \
    " FROM " from ") AS state, (SELECT " at " FROM " from ") AS at" INTEGRATIONS                 \
    " WHERE at IS NOT NULL ORDER BY at DESC, owner DESC LIMIT 5"

#define PACKAGE "erp_package p WHERE p.integration_id = i.id AND p.event_id = $1"
#define REFUSAL "erp_refusal r WHERE r.integration_id = i.id AND r.id = $1"
/* A package that was refused is found by the id that its ERP gave it, the newest of each
 * integration. */
#define OF_REFUSED(column, name)                                                            \
    "(SELECT r." column " FROM erp_refusal r WHERE r.integration_id = i.id AND r.event_id " \
    "= $1 ORDER BY r.id DESC LIMIT 1) AS " name
#define REFUSED                                                                                    \
    "SELECT id, title, state, at, owner FROM (SELECT i.id AS owner, i.name AS title, " OF_REFUSED( \
        "id", "id") ", " OF_REFUSED("code", "state") ", " OF_REFUSED("refused_at", "at")           \
        INTEGRATIONS " WHERE at IS NOT NULL ORDER BY at DESC, owner DESC LIMIT 5"
#define PRODUCTS                                                                                 \
    "SELECT (SELECT i.name FROM integration i WHERE i.id = owner) AS title, NULL AS state, at,"  \
    " owner FROM (SELECT c.integration_id AS owner, (SELECT p.updated_at FROM catalog_product p" \
    " WHERE p.catalog = c.number AND p.id = $1) AS at FROM (SELECT number, integration_id FROM"  \
    " catalog ORDER BY integration_id LIMIT 10000) c) f"                                         \
    " WHERE at IS NOT NULL ORDER BY at DESC, owner DESC LIMIT 5"

/* An order that has another id of its own, since an order of another integration had it before. */
#define OF_ORDER(column, name) \
    "(SELECT o." column " FROM order_delivery o WHERE o.id = f.id) AS " name
#define ORDER_BY_OWN_ID                                                                          \
    "SELECT id, " OF_ORDER("erp_number", "title") ", " OF_ORDER("state", "state") ", " OF_ORDER( \
        "created_at",                                                                            \
        "at") ", NULL AS owner FROM (SELECT (SELECT r.id FROM order_delivery r"                  \
              " WHERE r.integration_id = i.id AND r.order_id = $1) AS id" INTEGRATIONS           \
              " WHERE id <> $1 ORDER BY at DESC, id DESC LIMIT 5"

#define ORDERS "SELECT id, erp_number AS title, state, created_at AS at, NULL AS owner FROM "
#define OF_DOCUMENT(column)                                                                   \
    "SELECT id, erp_number, state, created_at FROM (SELECT id, erp_number, state, created_at" \
    " FROM order_delivery WHERE " column                                                      \
    " = $1 ORDER BY created_at DESC, id DESC LIMIT 5) AS by_" column
#define ORDERS_OF_DOCUMENT                                        \
    ORDERS "(" OF_DOCUMENT("erp_order_id") " UNION " OF_DOCUMENT( \
        "erp_number") ") f"                                       \
                      " ORDER BY created_at DESC, id DESC LIMIT 5"

#define CLIENTS                                                                        \
    "SELECT id, name AS title, " ENABLED ", created_at AS at, integration_id AS owner" \
    " FROM workload_client WHERE id = "

/* In the order of their types, newer ones first. */
static const struct look_up look_ups[] = {
    {STORE_VERIFICATION, BY_ID, FOUND_EVENT, false, ROLE_VIEWER,
     "SELECT type AS title, NULL AS state, at, NULL AS owner FROM event WHERE id = $1"},
    {STORE_VERIFICATION, BY_TEXT, FOUND_ACCOUNT, false, ROLE_VIEWER,
     "SELECT (SELECT d.name FROM device d WHERE d.id = a.device_id) AS title, NULL AS state,"
     " NULL AS at, device_id AS owner FROM device_account a WHERE account_id = $1"},
    {STORE_VERIFICATION, BY_ID, FOUND_API_KEY, false, ROLE_VIEWER,
     "SELECT name AS title, NULL AS state, created_at AS at, NULL AS owner FROM api_key"
     " WHERE id = $1"},
    {STORE_VERIFICATION, BY_ID, FOUND_OPERATOR, false, ROLE_VIEWER,
     "SELECT name AS title, NULL AS state, created_at AS at, NULL AS owner FROM operator"
     " WHERE id = $1"},
    {STORE_VERIFICATION, BY_ID, FOUND_SESSION, false, ROLE_ADMIN,
     "SELECT (SELECT o.name FROM operator o WHERE o.id = s.operator_id) AS title, NULL AS state,"
     " created_at AS at, operator_id AS owner FROM operator_session s WHERE id = $1"},
    {STORE_VERIFICATION, BY_ID, FOUND_ENDPOINT, false, ROLE_VIEWER,
     "SELECT url AS title, " ENABLED ", created_at AS at, NULL AS owner FROM webhook_endpoint"
     " WHERE id = $1"},
    {STORE_VERIFICATION, BY_ID, FOUND_DELIVERY, false, ROLE_VIEWER,
     "SELECT type AS title, state, created_at AS at, endpoint_id AS owner FROM webhook_delivery"
     " WHERE id = $1"},
    {STORE_VERIFICATION, BY_ID, FOUND_SUBJECT_JOB, false, ROLE_ADMIN,
     "SELECT kind AS title, state, created_at AS at, NULL AS owner FROM subject_job WHERE id = $1"},
    {STORE_VERIFICATION, BY_ID, FOUND_PROCESS, false, ROLE_VIEWER,
     "SELECT verb || '@' || host AS title, NULL AS state, started_at AS at, NULL AS owner"
     " FROM process WHERE id = $1"},
    {STORE_EXCHANGE, BY_ID, FOUND_ORDER, true, ROLE_VIEWER, ORDER_BY_OWN_ID},
    {STORE_EXCHANGE, BY_ID, FOUND_ORDER, true, ROLE_VIEWER, ORDERS "order_delivery WHERE id = $1"},
    {STORE_EXCHANGE, BY_TEXT, FOUND_ORDER, true, ROLE_VIEWER, ORDERS_OF_DOCUMENT},
    {STORE_EXCHANGE, BY_TEXT, FOUND_PACKAGE, false, ROLE_VIEWER,
     OF_INTEGRATIONS("p.status", "p.received_at", PACKAGE)},
    {STORE_EXCHANGE, BY_ID, FOUND_REFUSAL, false, ROLE_VIEWER,
     OF_INTEGRATIONS("r.code", "r.refused_at", REFUSAL)},
    {STORE_EXCHANGE, BY_TEXT, FOUND_REFUSAL, true, ROLE_VIEWER, REFUSED},
    {STORE_EXCHANGE, BY_TEXT, FOUND_PRODUCT, false, ROLE_VIEWER, PRODUCTS},
    {STORE_EXCHANGE, BY_ID, FOUND_CLIENT, true, ROLE_VIEWER, CLIENTS "$1"},
    {STORE_EXCHANGE, BY_ID, FOUND_CLIENT, true, ROLE_VIEWER,
     CLIENTS "(SELECT client_id FROM client_secret WHERE id = $1)"},
    {STORE_EXCHANGE, BY_TEXT, FOUND_SIGNING_KEY, false, ROLE_VIEWER,
     "SELECT NULL AS title, NULL AS state, created_at AS at, NULL AS owner FROM signing_key"
     " WHERE kid = $1"},
};

static const char *text_of(struct work *work, struct uuid id)
{
    return uuid_is_nil(&id) ? NULL : uuid_text(&id, work->arena);
}

static void add_row(struct work *work, struct db_stmt *stmt, const struct look_up *row,
                    const char *asked_id, struct find_list *list)
{
    struct find_result result = {
        .type = row->type,
        .id = row->has_id ? text_of(work, db_get_uuid(stmt, "id")) : asked_id,
        .title = db_get_text(stmt, "title", work->arena),
        .state = db_get_text(stmt, "state", work->arena),
        .at = db_get_int(stmt, "at"),
    };
    const char **owner = row->store == STORE_EXCHANGE ? &result.integration_id : &result.owner_id;

    *owner = text_of(work, db_get_uuid(stmt, "owner"));
    find_add(work, list, result);
}

static bool may_find(const struct work *work, enum role least)
{
    return !work->actor || role_may(work->actor->role, least, false);
}

enum err find_by_key(struct work *work, const char *q, struct find_list *list)
{
    struct uuid id;
    bool is_id = uuid_parse(str_of(q), &id);
    enum err err = ERR_OK;

    for (size_t i = 0; !err && i < COUNT_OF(look_ups); i++) {
        const struct look_up *row = &look_ups[i];
        bool is_by_id = row->key == BY_ID;
        if (row->store != work->store || (is_by_id && !is_id) || !may_find(work, row->least))
            continue;
        AUTO_STMT stmt = NULL;
        err = db_query(work->tx, row->sql, DB_ARGS(is_by_id ? db_uuid(&id) : db_text(q)), &stmt);
        while (!err && !(err = db_step(stmt)))
            add_row(work, stmt, row, is_by_id ? uuid_text(&id, work->arena) : q, list);
        if (err == ERR_NOT_FOUND) err = ERR_OK;
    }
    return err;
}

/* --- What is a part of a code, a challenge or a message -----------------------------------------
 */

static enum err read_id(struct work *work, struct db_stmt *stmt, void *ret_row)
{
    (void)work;
    *(struct uuid *)ret_row = db_get_uuid(stmt, "id");
    return ERR_OK;
}

/* A phone has its own ids of reports, so the newest phones are asked as integrations are. */
enum err find_owners(struct work *work, const char *q, struct record_list *ret_ids)
{
    struct uuid task_id = {0};
    AUTO_STMT stmt = NULL;

    (void)uuid_parse(str_of(q), &task_id);
    enum err err = db_query(
        work->tx,
        "SELECT id FROM (SELECT owner_id AS id FROM phone_task WHERE id = $1"
        " UNION SELECT id FROM (SELECT owner_id AS id FROM channel_send WHERE provider_id = $2"
        " LIMIT 5) s"
        " UNION SELECT id FROM (SELECT (SELECT e.challenge_id FROM call_event e WHERE e.device_id"
        " = d.id AND e.event_id = $2) AS id FROM (SELECT id FROM device ORDER BY id DESC LIMIT"
        " 1000) d) c) f WHERE id IS NOT NULL ORDER BY id DESC LIMIT 5",
        DB_ARGS(db_uuid(&task_id), db_text(q)), &stmt);
    if (err) return err;
    return rows_read(work, stmt, FIND_OF_KIND_MAX, sizeof(struct uuid), read_id, ret_ids);
}
