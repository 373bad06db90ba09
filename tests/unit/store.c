/* Databases for tests. */
#include "store.h"

#include "kit/base/secret.h"

#include <fcntl.h>
#include <ftw.h>
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <time.h>
#include <unistd.h>

/* In the place of libc's, also for SQLite: tests end processes but no machine, and a disk is slow.
 * Weak, since a test may have its own. */
__attribute__((weak)) int fsync(int fd)
{
    (void)fd;
    return 0;
}

__attribute__((weak)) int fdatasync(int fd)
{
    (void)fd;
    return 0;
}

/* Cases whose stores are copies of one that is migrated once on each engine. */
struct group {
    const struct db_migration *migrations;
    size_t migration_count;
    char sqlite[64];   /* the folder; "": there is none yet */
    char postgres[64]; /* the database */
};

/* One cmocka test: a case on an engine. */
struct run {
    const struct store_case *test_case;
    struct group *group;
    enum db_engine engine;
    struct store *store;
};

/* --- PostgreSQL's databases --- */

static const char *postgres_url(void)
{
    return getenv("HERALD_TEST_POSTGRES_URL");
}

static void admin(const char *url, const char *sql)
{
    PGconn *pg = PQconnectdb(url);
    PGresult *answer = PQexec(pg, "SET client_min_messages = error");
    PQclear(answer);
    answer = PQexec(pg, sql);
    ExecStatusType status = PQresultStatus(answer);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
        fail_msg("%s: %s", sql, PQerrorMessage(pg));
    PQclear(answer);
    PQfinish(pg);
}

void store_admin(struct store *store, const char *sql)
{
    admin(store->url, sql);
}

/* `verb` NAME `rest`, on a database as a whole. */
static void database_run(const char *verb, const char *name, const char *rest)
{
    char sql[256];
    snprintf(sql, sizeof sql, "%s DATABASE %s %s", verb, name, rest);
    admin(postgres_url(), sql);
}

static void database_drop(const char *name)
{
    database_run("DROP", name, "WITH (FORCE)");
}

/* The URL of the tests with another database in it. */
static void fill_url(struct store *store, const char *database)
{
    const char *base = postgres_url();
    const char *authority = strstr(base, "://") + strlen("://");
    const char *path = authority + strcspn(authority, "/?");
    const char *options = path + strcspn(path, "?");
    snprintf(store->url, sizeof store->url,
             "%.*s/%s%s%capplication_name=%s&options=-csearch_path%%3D%s", (int)(path - base), base,
             database, options, *options ? '&' : '?', store->schema, store->schema);
}

/* --- Opening --- */

void store_open(struct store *store)
{
    struct buf why;
    buf_init(&why, 4096);
    enum err err = db_open(&store->options, &store->db, &why);
    if (err) fail_msg("db_open: %.*s", (int)why.len, why.data);
    buf_done(&why);
}

void store_close(struct store *store)
{
    db_close(store->db);
    store->db = NULL;
}

char *store_open_refused(const struct db_options *options)
{
    struct buf why;
    buf_init(&why, 4096);
    struct db *db = NULL;
    assert_int_equal(db_open(options, &db, &why), ERR_STORAGE_UNAVAILABLE);
    assert_null(db);
    char *text = strndup(why.data, why.len);
    buf_done(&why);
    return text;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
    (void)status, (void)type, (void)ftw;
    return remove(path);
}

static void remove_folder(const char *folder)
{
    nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static struct store *store_new(enum db_engine engine, const struct group *group)
{
    struct store *store = calloc(1, sizeof *store);
    assert_non_null(store);
    store->engine = engine;
    arena_init(&store->arena);
    snprintf(store->schema, sizeof store->schema, "test_%d", (int)getpid());
    store->options = (struct db_options){
        .url = store->url,
        .store = NULL, /* all of them in one database, also on SQLite */
        .readers = 2,
        .connections = STORE_CONNECTIONS,
        .migrations = group->migrations,
        .migration_count = group->migration_count,
        .may_migrate = true,
        .timeout_ms =
            20 * 1000, /* a machine that is busy with tests may stall longer than others */
        .silence_ms = DB_SILENCE_MAX_MS, /* likewise */
    };
    return store;
}

static void store_free(struct store *store)
{
    arena_done(&store->arena);
    free(store);
}

/* --- What is copied --- */

static void make_sqlite_folder(struct store *store, char folder[static 64])
{
    snprintf(folder, 64, "/tmp/herald-test-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(store->url, sizeof store->url, "sqlite:%s/herald.db", folder);
}

static void migrate_sqlite(struct group *group)
{
    struct store *store = store_new(DB_SQLITE, group);
    make_sqlite_folder(store, group->sqlite);
    store_open(store);
    store_close(store);
    store_free(store);
}

static void migrate_postgres(struct group *group)
{
    struct store *store = store_new(DB_POSTGRES, group);
    snprintf(group->postgres, sizeof group->postgres, "made_%d", (int)getpid());
    database_run("CREATE", group->postgres, "");
    fill_url(store, group->postgres);
    char sql[128];
    snprintf(sql, sizeof sql, "CREATE SCHEMA %s", store->schema);
    store_admin(store, sql);
    store_open(store);
    store_close(store);
    store_free(store);
}

static void copy_file(const char *from_folder, const char *to_folder)
{
    char from[128], to[128];
    snprintf(from, sizeof from, "%s/herald.db", from_folder);
    snprintf(to, sizeof to, "%s/herald.db", to_folder);
    int in = open(from, O_RDONLY | O_CLOEXEC);
    int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    assert_true(in >= 0 && out >= 0);
    while (sendfile(out, in, NULL, 1 << 20) > 0)
        continue;
    close(in);
    close(out);
}

static void copy_sqlite(struct store *store, struct group *group)
{
    if (!group->sqlite[0]) migrate_sqlite(group);
    make_sqlite_folder(store, store->folder);
    copy_file(group->sqlite, store->folder);
}

static void copy_postgres(struct store *store, struct group *group)
{
    if (!group->postgres[0]) migrate_postgres(group);
    char rest[128];
    snprintf(rest, sizeof rest, "TEMPLATE %s STRATEGY file_copy", group->postgres);
    database_run("CREATE", store->schema, rest);
    fill_url(store, store->schema);
}

static void drop_all(const struct group *group)
{
    if (group->sqlite[0]) remove_folder(group->sqlite);
    if (group->postgres[0]) database_drop(group->postgres);
}

/* --- cmocka --- */

static int set_up(void **state)
{
    struct run *run = *state;
    run->store = store_new(run->engine, run->group);
    (run->engine == DB_SQLITE ? copy_sqlite : copy_postgres)(run->store, run->group);
    store_open(run->store);
    return 0;
}

static int tear_down(void **state)
{
    struct run *run = *state;
    store_close(run->store);
    if (run->engine == DB_SQLITE)
        remove_folder(run->store->folder);
    else
        database_drop(run->store->schema);
    store_free(run->store);
    return 0;
}

static void run_case(void **state)
{
    struct run *run = *state;
    run->test_case->run(run->store);
}

static struct CMUnitTest cmocka_test_of(struct run *run)
{
    char *name;
    int length = asprintf(&name, "%s: %s", run->engine == DB_SQLITE ? "sqlite" : "postgres",
                          run->test_case->name);
    assert_true(length > 0);
    return (struct CMUnitTest){.name = name,
                               .test_func = run_case,
                               .setup_func = set_up,
                               .teardown_func = tear_down,
                               .initial_state = run};
}

static void free_tests(struct CMUnitTest *tests, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free((void *)tests[i].name);
        free(tests[i].initial_state);
    }
    free(tests);
}

static bool is_wanted(const struct store_case *test_case, enum db_engine engine)
{
    int engines = test_case->engines ? test_case->engines : STORE_BOTH;
    return engines & (engine == DB_SQLITE ? STORE_SQLITE : STORE_POSTGRES);
}

static struct run *run_new(const struct store_case *test_case, enum db_engine engine,
                           struct group *group)
{
    struct run *run = malloc(sizeof *run);
    assert_non_null(run);
    *run = (struct run){test_case, group, engine, NULL};
    return run;
}

int store_run_cases(const char *group, const struct db_migration *migrations,
                    size_t migration_count, const struct store_case *cases, size_t case_count)
{
    struct CMUnitTest *tests = calloc(case_count * 2, sizeof *tests);
    if (!tests || !secret_system_init()) abort();
    struct group made = {.migrations = migrations, .migration_count = migration_count};
    size_t count = 0, left_out = 0;
    for (size_t i = 0; i < case_count * 2; i++) {
        enum db_engine engine = i < case_count ? DB_SQLITE : DB_POSTGRES;
        const struct store_case *test_case = &cases[i < case_count ? i : i - case_count];
        if (!is_wanted(test_case, engine)) continue;
        if (engine == DB_POSTGRES && !postgres_url())
            left_out++;
        else
            tests[count++] = cmocka_test_of(run_new(test_case, engine, &made));
    }
    /* In TAP's own words: what a cmocka test skips is reported as a failure there. */
    if (left_out)
        print_message("%s %zu tests need PostgreSQL: run tools/with_postgres COMMAND\n",
                      count ? "#" : "1..0 # SKIP", left_out);
    int failed = count ? _cmocka_run_group_tests(group, tests, count, NULL, NULL) : 0;
    free_tests(tests, count);
    drop_all(&made);
    return failed;
}

/* --- For cases --- */

static void run_well(struct store *store, bool is_read, enum err (*run)(void *, struct db_tx *),
                     void *arg)
{
    enum err err = db_run(store->db, is_read, run, arg);
    if (err) fail_msg("the task ended in %s", err_info(err)->name);
}

void store_write(struct store *store, enum err (*run)(void *arg, struct db_tx *tx), void *arg)
{
    run_well(store, false, run, arg);
}

void store_read(struct store *store, enum err (*run)(void *arg, struct db_tx *tx), void *arg)
{
    run_well(store, true, run, arg);
}

struct number {
    const char *sql;
    int64_t n;
};

static enum err read_number(void *arg, struct db_tx *tx)
{
    struct number *number = arg;
    AUTO_STMT row = NULL;
    enum err err = db_query_one(tx, number->sql, DB_NO_ARGS, &row);
    if (err) return err;
    number->n = db_get_int(row, "n");
    return ERR_OK;
}

int64_t store_number(struct store *store, const char *sql)
{
    struct number number = {.sql = sql};
    store_read(store, read_number, &number);
    return number.n;
}

enum err store_count_read(struct db *db, struct db_tx *tx, const char *table, int64_t *ret_count)
{
    AUTO_STMT row = NULL;

    *ret_count = 0;
    if (db_engine_of(db) == DB_SQLITE) return ERR_OK;
    enum err err = db_query_one(tx,
                                "SELECT seq_tup_read + COALESCE(idx_tup_fetch, 0) AS n"
                                " FROM pg_stat_xact_user_tables"
                                " WHERE relname = $1 AND schemaname = current_schema()",
                                DB_ARGS(db_text(table)), &row);
    if (!err) *ret_count = db_get_int(row, "n");
    return err;
}

void sleep_ms(int ms)
{
    struct timespec wait = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
    nanosleep(&wait, NULL);
}

void store_use_own_database(struct store *store, char *name, size_t size)
{
    store_close(store);
    snprintf(name, size, "herald_test_%d", (int)getpid());
    store_admin(store,
                arena_printf(&store->arena, "DROP DATABASE IF EXISTS %s WITH (FORCE)", name));
    store_admin(store, arena_printf(&store->arena, "CREATE DATABASE %s", name));
    store->options.url = arena_printf(&store->arena, "%s&dbname=%s&options=", store->url, name);
    store_open(store);
}

void store_drop_own_database(struct store *store, const char *name)
{
    store_close(store);
    store_admin(store, arena_printf(&store->arena, "DROP DATABASE %s WITH (FORCE)", name));
    store->options.url = store->url;
}
