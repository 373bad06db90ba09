/*
 * PostgreSQL does its part of migrations here. One database has every store, and several processes
 * may start at once, so each migration locks the table of versions and looks again.
 */
#include "kit/base/clock.h"
#include "kit/db/migrate.h"
#include "kit/db/postgres.h"

#include <time.h>

enum { CREATE_TRIES_MAX = 5 };

static enum err refuse(PGconn *pg, PGresult *answer, struct buf *why)
{
    buf_printf(why, "PostgreSQL refuses to show or change the schema: %s", PQerrorMessage(pg));
    PQclear(answer);
    return ERR_STORAGE_UNAVAILABLE;
}

static bool is_done(PGconn *pg, const char *sql)
{
    PGresult *answer = PQexec(pg, sql);
    bool is_done = pg_is_success(answer);
    PQclear(answer);
    return is_done;
}

static void list_rows(const PGresult *answer, struct schema_versions *versions)
{
    for (int row = 0; row < PQntuples(answer); row++) {
        long long version;
        if (!str_to_int64(str_of(PQgetvalue(answer, row, 0)), &version)) continue;
        if (version < 1 || version > MIGRATION_VERSION_MAX) continue;
        versions->has[version] = true;
        versions->highest = (int)version;
    }
}

/* Looks for the table of versions anywhere on the search path. */
static enum err find_table(PGconn *pg, bool *ret_exists, struct buf *why)
{
    PGresult *answer = PQexec(pg, "SELECT to_regclass('schema_migration') IS NOT NULL");
    if (PQresultStatus(answer) != PGRES_TUPLES_OK) return refuse(pg, answer, why);
    *ret_exists = *PQgetvalue(answer, 0, 0) == 't';
    PQclear(answer);
    return ERR_OK;
}

static enum err pg_list(void *connection, struct schema_versions *versions, struct buf *why)
{
    PGconn *pg = connection;
    bool exists;
    enum err err = find_table(pg, &exists, why);
    if (err || !exists) return err;

    PGresult *answer = PQexec(pg, "SELECT version FROM schema_migration ORDER BY version");
    if (PQresultStatus(answer) != PGRES_TUPLES_OK) return refuse(pg, answer, why);
    list_rows(answer, versions);
    PQclear(answer);
    return ERR_OK;
}

/* Of two processes that create a table at once, one fails on PostgreSQL's own catalog, even with IF
 * NOT EXISTS, and looks again. */
static enum err ensure_table(PGconn *pg, struct buf *why)
{
    static const char sql[] = "CREATE TABLE IF NOT EXISTS schema_migration ("
                              "version INTEGER PRIMARY KEY, "
                              "name TEXT NOT NULL, "
                              "applied_at_ms BIGINT NOT NULL)";
    for (int tries = 0; tries < CREATE_TRIES_MAX; tries++) {
        bool exists;
        enum err err = find_table(pg, &exists, why);
        if (err || exists) return err;
        if (is_done(pg, sql)) return ERR_OK;
        db_back_off(tries + 3);
    }
    buf_printf(why, "PostgreSQL refuses to create a table: %s", PQerrorMessage(pg));
    return ERR_STORAGE_UNAVAILABLE;
}

/* New tables join the old ones, whatever the search path says by now. */
static const char follow_schema[] =
    "SELECT set_config('search_path', quote_ident(n.nspname), true) "
    "FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
    "WHERE c.oid = to_regclass('schema_migration')";

/* Returns false, without an error, if another process was faster. */
static bool is_missing(PGconn *pg, const struct db_migration *migration)
{
    char sql[96];
    snprintf(sql, sizeof sql, "SELECT 1 FROM schema_migration WHERE version = %d",
             migration->version);
    PGresult *answer = PQexec(pg, sql);
    bool is_missing = PQresultStatus(answer) == PGRES_TUPLES_OK && PQntuples(answer) == 0;
    PQclear(answer);
    return is_missing;
}

static bool record(PGconn *pg, const struct db_migration *migration)
{
    char version[16], applied_at_ms[24];
    snprintf(version, sizeof version, "%d", migration->version);
    snprintf(applied_at_ms, sizeof applied_at_ms, "%lld", (long long)clock_now_ms());
    const char *values[] = {version, migration->name, applied_at_ms};
    PGresult *answer = PQexecParams(
        pg, "INSERT INTO schema_migration (version, name, applied_at_ms) VALUES ($1, $2, $3)", 3,
        NULL, values, NULL, NULL, 0);
    bool is_recorded = PQresultStatus(answer) == PGRES_COMMAND_OK;
    PQclear(answer);
    return is_recorded;
}

static bool apply_in_transaction(PGconn *pg, const struct db_migration *migration)
{
    if (!is_done(pg, "BEGIN") || !is_done(pg, follow_schema) ||
        !is_done(pg, "LOCK TABLE schema_migration IN EXCLUSIVE MODE"))
        return false;
    if (is_missing(pg, migration) &&
        !(is_done(pg, migration->postgres_sql) && record(pg, migration)))
        return false;
    return is_done(pg, "COMMIT");
}

static enum err pg_apply(void *connection, const struct db_migration *migration, struct buf *why)
{
    PGconn *pg = connection;
    enum err err = ensure_table(pg, why);
    if (err) return err;
    if (apply_in_transaction(pg, migration)) return ERR_OK;
    buf_printf(why, "Migration %s failed, nothing of it was kept. %s", migration->name,
               PQerrorMessage(pg));
    return ERR_STORAGE_UNAVAILABLE; /* the connection closes, and with it the transaction */
}

static const struct schema_ops pg_schema = {
    .list = pg_list, .apply = pg_apply, .has_all_stores = true};

static enum err check_encoding(const PGconn *pg, struct buf *why)
{
    const char *encoding = PQparameterStatus(pg, "server_encoding");
    if (!encoding || strcmp(encoding, "UTF8") == 0) return ERR_OK;
    buf_printf(why,
               "The PostgreSQL database is encoded in %s. "
               "Create one with ENCODING 'UTF8' TEMPLATE template0.",
               encoding);
    return ERR_STORAGE_UNAVAILABLE;
}

static void find_schema(PGconn *pg, struct pg_params *params)
{
    PGresult *answer = PQexec(pg, "SELECT n.nspname FROM pg_catalog.pg_class c "
                                  "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
                                  "WHERE c.oid = to_regclass('schema_migration')");
    if (PQresultStatus(answer) == PGRES_TUPLES_OK && PQntuples(answer) == 1)
        params->schema = strdup(PQgetvalue(answer, 0, 0));
    PQclear(answer);
}

/* A pooler invents the number of the server process that it tells its client. */
static void check_session(PGconn *pg, struct pg_params *params)
{
    long long pid;
    PGresult *answer = PQexec(pg, "SELECT pg_backend_pid()");
    bool is_known = PQresultStatus(answer) == PGRES_TUPLES_OK &&
                    str_to_int64(str_of(PQgetvalue(answer, 0, 0)), &pid);
    if (!is_known || pid != PQbackendPID(pg)) pg_do_without_names(params);
    PQclear(answer);
}

enum err pg_schema_open(struct pg_params *params, const struct db_options *options, struct buf *why)
{
    PGconn *pg = pg_connect(params, PG_MIGRATION, why);
    if (!pg) return ERR_STORAGE_UNAVAILABLE;
    enum err err = check_encoding(pg, why);
    if (!err) err = schema_open(&pg_schema, pg, options, why);
    if (!err) find_schema(pg, params);
    if (!err) check_session(pg, params);
    PQfinish(pg);
    return err;
}

static enum err migrate_with(struct pg_params *params, const struct db_options *options, bool apply,
                             int *ret_version, int *ret_newest, struct buf *why)
{
    PGconn *pg = pg_connect(params, PG_MIGRATION, why);
    if (!pg) return ERR_STORAGE_UNAVAILABLE;
    enum err err = check_encoding(pg, why);
    if (!err) err = schema_update(&pg_schema, pg, options, apply, ret_version, ret_newest, why);
    PQfinish(pg);
    return err;
}

enum err pg_migrate(const struct db_options *options, bool apply, int *ret_version, int *ret_newest,
                    struct buf *why)
{
    struct pg_params params;
    enum err err = pg_params_init(&params, options, why);
    if (err) return err;
    err = migrate_with(&params, options, apply, ret_version, ret_newest, why);
    pg_params_done(&params);
    return err;
}
