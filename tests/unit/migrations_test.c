/*
 * Migrations: the rules of kit/db for applying them, and that herald's own two folders make the
 * same tables.
 */
#include "app/setup/migrations.h"
#include "store.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define TABLE(number, stores)                                                   \
    {                                                                           \
        .version = number, .name = "000" #number "_t" #number, .store = stores, \
        .sqlite_sql = "CREATE TABLE t" #number " (id INTEGER NOT NULL) STRICT", \
        .postgres_sql = "CREATE TABLE t" #number " (id BIGINT NOT NULL)"        \
    }

static const struct db_migration migrations[] = {
    TABLE(1, "verification exchange"),
    TABLE(2, "exchanges"),
    TABLE(3, "exchange"),
    TABLE(4, "exchange verification"),
    {
        .version = 5,
        .name = "0005_broken",
        .store = "verification",
        .sqlite_sql =
            "CREATE TABLE t5 (id INTEGER NOT NULL) STRICT; INSERT INTO nowhere VALUES (1)",
        .postgres_sql = "CREATE TABLE t5 (id BIGINT NOT NULL); INSERT INTO nowhere VALUES (1)",
    },
};

/* --- The rules --- */

static void reopen(struct store *store, size_t migration_count)
{
    store_close(store);
    store->options.store = "verification";
    store->options.migration_count = migration_count;
    store_open(store);
}

static enum err remove_first(void *arg, struct db_tx *tx)
{
    (void)arg;
    return db_exec(tx, "DELETE FROM schema_migration WHERE version = 1", DB_NO_ARGS, NULL);
}

static enum err exists(void *arg, struct db_tx *tx)
{
    AUTO_STMT row = NULL;
    const char *sql = db_sql(tx, "SELECT 1 AS n FROM sqlite_schema WHERE name = $1",
                             "SELECT 1 AS n WHERE to_regclass($1) IS NOT NULL");
    return db_query_one(tx, sql, DB_ARGS(db_text(arg)), &row);
}

static bool has_table(struct store *store, const char *name)
{
    enum err err = db_run(store->db, true, exists, (void *)name);
    assert_true(err == ERR_OK || err == ERR_NOT_FOUND);
    return err == ERR_OK;
}

static void each_store_gets_its_own(struct store *store)
{
    reopen(store, 4);
    bool is_postgres = store->engine == DB_POSTGRES; /* one database holds all stores */
    assert_true(has_table(store, "t1"));
    assert_int_equal(has_table(store, "t2"), is_postgres);
    assert_int_equal(has_table(store, "t3"), is_postgres);
    assert_true(has_table(store, "t4"));
    assert_true(store_number(store, "SELECT MIN(applied_at_ms) AS n FROM schema_migration") >
                INT64_C(1600000000000));
}

static void an_older_schema_is_refused_with_the_command(struct store *store)
{
    store_close(store);
    store->options.migration_count = 4;
    store->options.may_migrate = false;
    char *why = store_open_refused(&store->options);
    assert_non_null(strstr(why, "version 1"));
    assert_non_null(strstr(why, "herald migrate up"));
    free(why);
    store->options.migration_count = 1;
    store_open(store);
}

static void a_newer_schema_is_welcome(struct store *store)
{
    reopen(store, 4);
    store->options.may_migrate = false;
    reopen(store, 1);
    assert_true(has_table(store, "t4"));
}

static void a_gap_is_refused(struct store *store)
{
    reopen(store, 4);
    store_write(store, remove_first, NULL);
    store_close(store);
    char *why = store_open_refused(&store->options);
    assert_non_null(strstr(why, "not migration 0001_t1"));
    free(why);
}

static void a_failed_migration_leaves_nothing(struct store *store)
{
    reopen(store, 4);
    store_close(store);
    store->options.migration_count = 5;
    char *why = store_open_refused(&store->options);
    assert_non_null(strstr(why, "0005_broken failed"));
    assert_non_null(strstr(why, "nowhere"));
    free(why);
    reopen(store, 4);
    assert_false(has_table(store, "t5"));
    assert_int_equal(store_number(store, "SELECT MAX(version) AS n FROM schema_migration"), 4);
}

static void migrate(struct store *store, bool apply, int version, int newest)
{
    struct buf why;
    buf_init(&why, 4096);
    int is_version = -1, is_newest = -1;
    enum err err = db_migrate(&store->options, apply, &is_version, &is_newest, &why);
    if (err) fail_msg("%.*s", (int)why.len, why.data);
    assert_int_equal(is_version, version);
    assert_int_equal(is_newest, newest);
    buf_done(&why);
}

static void the_command_tells_and_applies(struct store *store)
{
    store->options.migration_count = 4;
    migrate(store, false, 1, 4); /* also while it is in use */
    store_close(store);
    migrate(store, true, 4, 4);
    migrate(store, true, 4, 4);
    store->options.may_migrate = false;
    store_open(store);
    assert_true(has_table(store, "t4"));
}

static void asking_makes_no_file(struct store *store)
{
    store->options.url = arena_printf(&store->arena, "sqlite:%s/new.db", store->folder);
    migrate(store, false, 0, 1);
    assert_int_not_equal(access(store->options.url + strlen("sqlite:"), F_OK), 0);
}

enum { PROCESSES = 8 };

static void *open_and_close(void *arg)
{
    struct store other = {.options = *(struct db_options *)arg};
    struct buf why;
    buf_init(&why, 4096);
    enum err err = db_open(&other.options, &other.db, &why);
    if (err) fprintf(stderr, "%.*s\n", (int)why.len, why.data);
    assert(!err);
    buf_done(&why);
    db_close(other.db);
    return NULL;
}

static void many_may_migrate_at_once(struct store *store)
{
    store_close(store);
    store_admin(store, "DROP TABLE schema_migration; DROP TABLE t1");
    store->options.migration_count = 4;
    store->options.connections = 1;
    pthread_t threads[PROCESSES];
    for (int i = 0; i < PROCESSES; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, open_and_close, &store->options), 0);
    for (int i = 0; i < PROCESSES; i++)
        pthread_join(threads[i], NULL);
    store_open(store);
    assert_int_equal(store_number(store, "SELECT COUNT(*) AS n FROM schema_migration"), 4);
}

/* --- herald's own --- */

/* Each column as a line: table, column, type, whether it may be NULL, place in the primary key. */
static const char columns_sqlite[] =
    "SELECT t.name || '.' || c.name || ' ' || "
    "CASE c.type WHEN 'INTEGER' THEN 'integer' WHEN 'BLOB' THEN 'bytes' ELSE lower(c.type) END || "
    "CASE WHEN c.\"notnull\" THEN ' not null' ELSE '' END || ' ' || c.pk AS line "
    "FROM sqlite_schema t JOIN pragma_table_info(t.name) c "
    "WHERE t.type = 'table' AND t.name <> 'schema_migration' ORDER BY 1";
static const char columns_postgres[] =
    "SELECT (c.relname || '.' || a.attname || ' ' || "
    "CASE format_type(a.atttypid, a.atttypmod) WHEN 'bigint' THEN 'integer' "
    "WHEN 'bytea' THEN 'bytes' ELSE format_type(a.atttypid, a.atttypmod) END || "
    "CASE WHEN a.attnotnull THEN ' not null' ELSE '' END || ' ' || "
    "COALESCE(array_position(i.indkey::int[], a.attnum::int) + 1, 0)) COLLATE \"C\" AS line "
    "FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 "
    "AND NOT a.attisdropped "
    "LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary "
    "WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace "
    "AND c.relname <> 'schema_migration' ORDER BY 1";

/* Each index that has a name of ours, with its columns. One that leaves out what is NULL where
 * nothing can be is not partial. */
static const char indexes_sqlite[] =
    "SELECT i.name || CASE WHEN l.\"unique\" THEN ' unique' ELSE '' END || "
    "CASE WHEN l.partial THEN ' partial' ELSE '' END || ' ' || "
    "(SELECT group_concat(c.name, ' ') FROM (SELECT name FROM pragma_index_info(i.name) "
    "ORDER BY seqno) c) AS line "
    "FROM sqlite_schema i JOIN pragma_index_list(i.tbl_name) l ON l.name = i.name "
    "WHERE i.type = 'index' AND i.sql IS NOT NULL ORDER BY 1";
static const char indexes_postgres[] =
    "SELECT (c.relname || CASE WHEN i.indisunique THEN ' unique' ELSE '' END || "
    "CASE WHEN i.indpred IS NOT NULL AND NOT EXISTS (SELECT 1 FROM pg_attribute a "
    "WHERE a.attrelid = i.indrelid AND a.attnotnull "
    "AND pg_get_expr(i.indpred, i.indrelid) = '(' || a.attname || ' IS NOT NULL)') "
    "THEN ' partial' ELSE '' END || ' ' || "
    "(SELECT string_agg(a.attname, ' ' ORDER BY k.place) "
    "FROM unnest(i.indkey::int[]) WITH ORDINALITY k (attnum, place) "
    "JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum)) COLLATE \"C\" AS "
    "line "
    "FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
    "WHERE c.relnamespace = current_schema()::regnamespace AND NOT i.indisprimary "
    "AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = c.oid AND k.contype = 'u') "
    "ORDER BY 1";

struct listing {
    const char *sqlite_sql;
    const char *postgres_sql;
    struct buf lines;
};

static enum err list_lines(void *arg, struct db_tx *tx)
{
    struct listing *listing = arg;
    struct arena arena;
    arena_init(&arena);
    AUTO_STMT rows = NULL;
    enum err err =
        db_query(tx, db_sql(tx, listing->sqlite_sql, listing->postgres_sql), DB_NO_ARGS, &rows);
    while (!err && !(err = db_step(rows)))
        buf_printf(&listing->lines, "%s\n", db_get_text(rows, "line", &arena));
    arena_done(&arena);
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

static char *lines_of(struct store *store, const char *sqlite_sql, const char *postgres_sql)
{
    struct listing listing = {.sqlite_sql = sqlite_sql, .postgres_sql = postgres_sql};
    buf_init(&listing.lines, 1024 * 1024);
    store_read(store, list_lines, &listing);
    buf_char(&listing.lines, '\0');
    char *lines = arena_text(&store->arena, listing.lines.data);
    buf_done(&listing.lines);
    return lines;
}

/* All migrations in one SQLite file, whatever stores they name. */
static void open_sqlite_twin(const struct store *store, struct store *twin)
{
    *twin = (struct store){.engine = DB_SQLITE, .options = store->options};
    arena_init(&twin->arena);
    snprintf(twin->folder, sizeof twin->folder, "/tmp/herald-test-XXXXXX");
    assert_non_null(mkdtemp(twin->folder));
    twin->options.url = arena_printf(&twin->arena, "sqlite:%s/twin.db", twin->folder);
    store_open(twin);
}

static void close_sqlite_twin(struct store *twin)
{
    store_close(twin);
    unlink(twin->options.url + strlen("sqlite:"));
    rmdir(twin->folder);
    arena_done(&twin->arena);
}

static void assert_same_lines(const char *sqlite_lines, const char *postgres_lines)
{
    size_t same = 0;
    for (size_t i = 0; sqlite_lines[i] && sqlite_lines[i] == postgres_lines[i]; i++)
        if (sqlite_lines[i] == '\n') same = i + 1;
    if (strcmp(sqlite_lines, postgres_lines) != 0)
        fail_msg("the folders differ:\nsqlite   %.100s\npostgres %.100s", sqlite_lines + same,
                 postgres_lines + same);
}

static void use_own_migrations(struct store *store)
{
    store_close(store);
    if (store->engine == DB_POSTGRES)
        store_admin(store, "DROP TABLE schema_migration; DROP TABLE t1");
    store->options.migrations = herald_migrations;
    store->options.migration_count = herald_migration_count;
}

static void both_folders_make_the_same_tables(struct store *store)
{
    struct store twin;
    use_own_migrations(store);
    store_open(store);
    open_sqlite_twin(store, &twin);
    char *columns = lines_of(&twin, columns_sqlite, columns_postgres);
    assert_non_null(strstr(columns, "idempotency_key.key text not null 2\n"));
    assert_non_null(strstr(columns, "job.lease_id bytes 0\n"));
    assert_same_lines(columns, lines_of(store, columns_sqlite, columns_postgres));

    char *indexes = lines_of(&twin, indexes_sqlite, indexes_postgres);
    assert_non_null(strstr(indexes, "job_by_due kind due_at_ms\n"));
    assert_same_lines(indexes, lines_of(store, indexes_sqlite, indexes_postgres));
    close_sqlite_twin(&twin);
}

static void every_store_opens(struct store *store)
{
    static const char *const stores[] = {"verification", "exchange"};
    use_own_migrations(store);
    for (size_t i = 0; i < 2; i++) {
        store_close(store);
        store->options.store = stores[i];
        store->options.url =
            arena_printf(&store->arena, "sqlite:%s/%s.db", store->folder, stores[i]);
        store_open(store);
        assert_int_equal(store_number(store, "SELECT COUNT(*) AS n FROM job"), 0);
    }
}

int main(void)
{
    static const struct store_case cases[] = {
        {"each store gets its own", each_store_gets_its_own},
        {"an older schema is refused with the command",
         an_older_schema_is_refused_with_the_command},
        {"a newer schema is welcome", a_newer_schema_is_welcome},
        {"a gap is refused", a_gap_is_refused},
        {"a failed migration leaves nothing", a_failed_migration_leaves_nothing},
        {"the command tells and applies", the_command_tells_and_applies},
        {"asking makes no file", asking_makes_no_file, STORE_SQLITE},
        {"many may migrate at once", many_may_migrate_at_once, STORE_POSTGRES},
        {"both folders make the same tables", both_folders_make_the_same_tables, STORE_POSTGRES},
        {"every store opens", every_store_opens, STORE_SQLITE},
    };
    return store_run_cases("migrations", migrations, 1, cases, sizeof cases / sizeof *cases);
}
