/* Statements on workload_client and client_secret. */
#include "domain/integration/client_db.h"

/* --- Clients --- */

enum err client_insert(struct work *work, const struct workload_client *client)
{
    return db_exec(work->tx,
                   "INSERT INTO workload_client"
                   " (id, integration_id, name, scopes, is_enabled, created_at)"
                   " VALUES ($1, $2, $3, $4, $5, $6)",
                   DB_ARGS(db_uuid(&client->client_id), db_uuid(&client->integration_id),
                           db_text(client->name),
                           db_text(scopes_text(work->arena, client->scope_set)),
                           db_int(client->enabled), db_int(client->created_at)),
                   NULL);
}

enum err client_count(struct work *work, const struct uuid *integration_id, int64_t *ret_count)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx,
                                "SELECT count(*) AS n FROM workload_client"
                                " WHERE integration_id = $1",
                                DB_ARGS(db_uuid(integration_id)), &stmt);
    if (err) return err;
    *ret_count = db_get_int(stmt, "n");
    return ERR_OK;
}

/* A word of a later version of herald is ERR_INTERNAL, rather than a client that may do less. */
static enum err read_scopes(struct work *work, struct db_stmt *stmt, unsigned *ret_scopes)
{
    const char *words = db_get_text(stmt, "scopes", work->arena);
    bool has_unknown;
    bool is_list = scopes_read(str_of(words), ret_scopes, &has_unknown);
    return is_list && !has_unknown ? ERR_OK : LOG_BROKEN("a client has an unknown scope");
}

static enum err read_client(struct work *work, struct db_stmt *stmt,
                            struct workload_client *ret_client)
{
    struct workload_client client = {
        .client_id = db_get_uuid(stmt, "id"),
        .integration_id = db_get_uuid(stmt, "integration_id"),
        .name = db_get_text(stmt, "name", work->arena),
        .enabled = db_get_int(stmt, "is_enabled") != 0,
        .created_at = db_get_int(stmt, "created_at"),
    };
    enum err err = read_scopes(work, stmt, &client.scope_set);
    if (err) return err;
    client.scopes = scopes_list(work->arena, client.scope_set);
    *ret_client = client;
    return ERR_OK;
}

#define SELECT_CLIENT \
    "SELECT id, integration_id, name, scopes, is_enabled, created_at FROM workload_client WHERE "

enum err client_lock(struct work *work, const struct uuid *client_id,
                     struct workload_client *ret_client)
{
    /* SQLite has one writer, so there the plain read will do. Rows that refer to it may come in. */
    const char *sql =
        db_sql(work->tx, SELECT_CLIENT "id = $1", SELECT_CLIENT "id = $1 FOR NO KEY UPDATE");
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx, sql, DB_ARGS(db_uuid(client_id)), &stmt);
    return err ? err : read_client(work, stmt, ret_client);
}

/* Makes room for one more; there are never more than CLIENT_SECRETS_MAX live ones. */
static struct client_secret *add_secret(struct work *work, struct record_list *secrets)
{
    if (!secrets->items)
        secrets->items = arena_array(work->arena, CLIENT_SECRETS_MAX, sizeof(struct client_secret));
    if (secrets->count == CLIENT_SECRETS_MAX) return NULL;
    return (struct client_secret *)secrets->items + secrets->count++;
}

/* The row's client, which is the last of `clients` already if this is its second secret. */
static enum err collect_client(struct work *work, struct db_stmt *stmt, struct record_list *clients)
{
    struct workload_client *rows = clients->items;
    struct uuid id = db_get_uuid(stmt, "id");

    if (clients->count == 0 || !uuid_equal(&rows[clients->count - 1].client_id, &id)) {
        enum err err = read_client(work, stmt, &rows[clients->count]);
        if (err) return err;
        clients->count++;
    }
    if (db_get_null(stmt, "secret_id")) return ERR_OK;
    struct client_secret *secret = add_secret(work, &rows[clients->count - 1].secrets);
    if (!secret) return LOG_BROKEN("a client has too many secrets");
    *secret = (struct client_secret){
        .id = db_get_uuid(stmt, "secret_id"),
        .created_at = db_get_int(stmt, "secret_created_at"),
        .expires_at = db_get_int(stmt, "expires_at"),
    };
    return ERR_OK;
}

/* It is true where a secret is live; $2 is now. */
#define IS_LIVE "s.ended_at IS NULL AND (s.expires_at IS NULL OR s.expires_at > $2)"

enum err client_select_page(struct work *work, const struct uuid *integration_id,
                            const struct uuid *after, int64_t limit,
                            struct record_list *ret_clients)
{
    struct record_list clients = {
        .items = arena_array(work->arena, (size_t)limit, sizeof(struct workload_client))};
    AUTO_STMT stmt = NULL;
    enum err err = db_query(
        work->tx,
        "SELECT c.id, c.integration_id, c.name, c.scopes, c.is_enabled, c.created_at,"
        " s.id AS secret_id, s.created_at AS secret_created_at, s.expires_at"
        " FROM (SELECT * FROM workload_client WHERE integration_id = $1 AND id > $3"
        " ORDER BY id LIMIT $4) c"
        " LEFT JOIN client_secret s ON s.client_id = c.id AND " IS_LIVE " ORDER BY c.id, s.id",
        DB_ARGS(db_uuid(integration_id), db_int(work->now_ms), db_uuid(after), db_int(limit)),
        &stmt);
    while (!err && (err = db_step(stmt)) == ERR_OK)
        err = collect_client(work, stmt, &clients);
    if (err != ERR_NOT_FOUND) return err;
    *ret_clients = clients;
    return ERR_OK;
}

enum err client_update_enabled(struct work *work, const struct uuid *client_id, bool is_enabled)
{
    int64_t changed = 0;
    enum err err = db_exec(work->tx, "UPDATE workload_client SET is_enabled = $2 WHERE id = $1",
                           DB_ARGS(db_uuid(client_id), db_int(is_enabled)), &changed);
    if (err) return err;
    return changed == 1 ? ERR_OK : ERR_NOT_FOUND;
}

/* --- Secrets --- */

enum err client_secret_insert(struct work *work, const struct uuid *client_id,
                              const struct client_secret *secret, struct str hash)
{
    return db_exec(work->tx,
                   "INSERT INTO client_secret (id, client_id, hash, created_at)"
                   " VALUES ($1, $2, $3, $4)",
                   DB_ARGS(db_uuid(&secret->id), db_uuid(client_id), db_blob(hash),
                           db_int(secret->created_at)),
                   NULL);
}

enum err client_secret_select(struct work *work, const struct uuid *client_id,
                              struct record_list *ret_secrets)
{
    struct record_list secrets = {0};
    AUTO_STMT stmt = NULL;
    enum err err = db_query(work->tx,
                            "SELECT s.id, s.created_at, s.expires_at FROM client_secret s"
                            " WHERE s.client_id = $1 AND " IS_LIVE " ORDER BY s.id",
                            DB_ARGS(db_uuid(client_id), db_int(work->now_ms)), &stmt);
    while (!err && (err = db_step(stmt)) == ERR_OK) {
        struct client_secret *secret = add_secret(work, &secrets);
        if (!secret) return LOG_BROKEN("a client has too many secrets");
        secret->id = db_get_uuid(stmt, "id");
        secret->created_at = db_get_int(stmt, "created_at");
        secret->expires_at = db_get_int(stmt, "expires_at");
    }
    if (err != ERR_NOT_FOUND) return err;
    *ret_secrets = secrets;
    return ERR_OK;
}

enum err client_secret_set_expiry(struct work *work, const struct uuid *id, int64_t expires_at)
{
    return db_exec(work->tx,
                   "UPDATE client_secret SET expires_at = $2, retired_at = $3 WHERE id = $1",
                   DB_ARGS(db_uuid(id), db_int(expires_at), db_int(work->now_ms)), NULL);
}

enum err client_secret_end_others(struct work *work, const struct uuid *client_id,
                                  const struct uuid *kept)
{
    return db_exec(work->tx,
                   "UPDATE client_secret SET ended_at = $3"
                   " WHERE client_id = $1 AND id <> $2 AND ended_at IS NULL",
                   DB_ARGS(db_uuid(client_id), db_uuid(kept), db_int(work->now_ms)), NULL);
}

enum err client_secret_end(struct work *work, const struct uuid *client_id, const struct uuid *id)
{
    int64_t changed = 0;
    enum err err =
        db_exec(work->tx,
                "UPDATE client_secret SET ended_at = coalesce(ended_at, $3)"
                " WHERE id = $2 AND client_id = $1",
                DB_ARGS(db_uuid(client_id), db_uuid(id), db_int(work->now_ms)), &changed);
    if (err) return err;
    return changed == 1 ? ERR_OK : ERR_NOT_FOUND;
}

/* --- Who is it? --- */

enum err client_select_identity(struct work *work, struct str hash,
                                struct client_identity *ret_identity)
{
    AUTO_STMT stmt = NULL;
    /* That both are enabled is no condition of the statement: PostgreSQL would take it for one that
     * few rows meet and begin there, rather than with the one row of the hash. */
    enum err err = db_query_one(
        work->tx,
        "SELECT c.id, c.scopes, c.integration_id, i.tenant_id, i.point_id,"
        " c.is_enabled * i.is_enabled AS is_enabled FROM client_secret s"
        " JOIN workload_client c ON c.id = s.client_id"
        " JOIN integration i ON i.id = c.integration_id WHERE s.hash = $1 AND " IS_LIVE,
        DB_ARGS(db_blob(hash), db_int(work->now_ms)), &stmt);
    if (err) return err;
    if (!db_get_int(stmt, "is_enabled")) return ERR_NOT_FOUND;
    *ret_identity = (struct client_identity){
        .client_id = db_get_uuid(stmt, "id"),
        .integration_id = db_get_uuid(stmt, "integration_id"),
        .tenant_id = db_get_uuid(stmt, "tenant_id"),
        .point_id = db_get_uuid(stmt, "point_id"),
    };
    return read_scopes(work, stmt, &ret_identity->scope_set);
}
