/*
 * kit/db on PostgreSQL: connections that break at each point of a transaction, servers that are
 * gone for a while, locks, other processes, and settings changed behind our back.
 */
#include "item_store.h"
#include "kit/base/clock.h"
#include "listener.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* --- The clock --- */

static _Atomic int64_t skipped_ms; /* the clock of the store runs ahead by that */

/* The linker puts the first one in the place of clock_monotonic_ms. */
int64_t __wrap_clock_monotonic_ms(void);
int64_t __real_clock_monotonic_ms(void);

int64_t __wrap_clock_monotonic_ms(void)
{
    return __real_clock_monotonic_ms() + skipped_ms;
}

/* --- What a read sees --- */

static enum err count_items(struct db_tx *tx, int64_t *ret_count)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(tx, item_count_sql, DB_NO_ARGS, &stmt);
    if (!err) *ret_count = db_get_int(stmt, "n");
    return err;
}

static enum err count_twice(void *arg, struct db_tx *tx)
{
    struct store *store = arg;
    int64_t before = -1, after = -1;
    enum err err = count_items(tx, &before);
    if (err) return err;
    store_admin(store, "INSERT INTO item (id, n) VALUES (1, 0)");
    err = count_items(tx, &after);
    assert_int_equal(before, 0);
    assert_int_equal(after, 0);
    return err;
}

static void all_statements_of_a_read_see_the_same_moment(struct store *store)
{
    store_read(store, count_twice, store);
    assert_count(store, "item", 1);
}

/* --- Connections that break --- */

static enum err kill_own_backend(struct db_tx *tx)
{
    return db_exec(tx, "SELECT pg_terminate_backend(pg_backend_pid())", DB_NO_ARGS, NULL);
}

static enum err break_once(void *arg, struct db_tx *tx)
{
    int *runs = arg;
    enum err err = item_insert(tx, 1, 0);
    if (err) return err;
    return ++*runs == 1 ? kill_own_backend(tx) : ERR_OK;
}

static enum err break_always(void *arg, struct db_tx *tx)
{
    int *runs = arg;
    ++*runs;
    enum err err = item_insert(tx, 2, 0);
    return err ? err : kill_own_backend(tx);
}

static void a_connection_lost_before_commit_runs_the_task_again(struct store *store)
{
    int runs = 0;
    store_write(store, break_once, &runs);
    assert_int_equal(runs, 2);
    assert_int_equal(store_number(store, item_count_sql), 1);

    runs = 0;
    assert_int_equal(db_run(store->db, false, break_always, &runs), ERR_STORAGE_UNAVAILABLE);
    assert_int_equal(runs, 10);
    assert_int_equal(store_number(store, item_count_sql), 1);
}

/* A value of arg bytes, there and back; then who served it. */
struct large_value {
    size_t len;
    int64_t pid;
};

static enum err send_value(void *arg, struct db_tx *tx)
{
    struct large_value *value = arg;
    char *text = calloc(1, value->len + 1);
    AUTO_STMT row = NULL;
    assert_non_null(text);
    memset(text, 'x', value->len);
    enum err err = db_query_one(tx, "SELECT CAST($1 AS TEXT) AS echo, pg_backend_pid() AS pid",
                                DB_ARGS(db_text(text)), &row);
    free(text);
    if (!err) value->pid = db_get_int(row, "pid");
    return err;
}

static bool is_served_by(struct store *store, int64_t pid)
{
    char sql[128];
    snprintf(sql, sizeof sql, "SELECT COUNT(*) AS n FROM pg_stat_activity WHERE pid = %lld",
             (long long)pid);
    return store_number(store, sql) > 0;
}

/* libpq keeps buffers as large as the largest value, for each connection. */
static void a_connection_that_took_a_large_value_is_opened_anew(struct store *store)
{
    struct large_value small = {.len = 512 * 1024}, large = {.len = 1024 * 1024 + 1};

    store_write(store, send_value, &large);
    for (int i = 0; i < 1500 && is_served_by(store, large.pid); i++)
        sleep_ms(20);
    assert_false(is_served_by(store, large.pid));
    store_write(store, send_value, &small);
    sleep_ms(200);
    assert_true(is_served_by(store, small.pid));
}

static void an_idle_connection_may_die(struct store *store)
{
    for (int64_t id = 1; id <= 5; id++) {
        store_write(store, item_insert_one, &id);
        store_admin(store, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                           "WHERE application_name = current_schema() AND pid <> pg_backend_pid() "
                           "AND state = 'idle' "
                           "AND query NOT LIKE 'LISTEN%'");
    }
    assert_int_equal(store_number(store, item_count_sql), 5);
}

static enum err insert_counted(void *arg, struct db_tx *tx)
{
    ++*(atomic_int *)arg;
    return item_insert(tx, 1, 0);
}

static void *commit_slowly(void *arg)
{
    struct store *store = arg;
    static atomic_int runs;
    runs = 0;
    enum err err = db_run(store->db, false, insert_counted, &runs);
    assert(err == ERR_STORAGE_UNAVAILABLE);
    assert(runs == 1);
    return NULL;
}

static bool is_committing(struct store *store)
{
    return store_number(store, "SELECT COUNT(*) AS n FROM pg_stat_activity "
                               "WHERE application_name = current_schema() AND query = 'COMMIT' "
                               "AND state = 'active' AND wait_event = 'PgSleep'") > 0;
}

/* A deferred trigger makes COMMIT itself take its time; then the connection breaks. */
static void a_commit_without_an_answer_is_not_repeated(struct store *store)
{
    store_admin(store, "CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS "
                       "$$ BEGIN PERFORM pg_sleep(20); RETURN NULL; END $$;"
                       "CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON item "
                       "DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION wait()");
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, commit_slowly, store), 0);
    for (int i = 0; i < 1500 && !is_committing(store); i++)
        sleep_ms(10);
    store_admin(store, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                       "WHERE application_name = current_schema() AND pid <> pg_backend_pid() AND "
                       "query = 'COMMIT' "
                       "AND state = 'active' AND wait_event = 'PgSleep'");
    pthread_join(thread, NULL);
    assert_int_equal(store_number(store, item_count_sql), 0);
}

/* --- Hosts --- */

static void what_cannot_be_reached_says_why(struct store *store)
{
    struct db_options options = store->options;
    options.url = "postgresql://herald:hunter2@127.0.0.1:1/herald";
    char *why = store_open_refused(&options);
    assert_non_null(strstr(why, "PostgreSQL cannot be reached"));
    assert_null(strstr(why, "hunter2"));
    free(why);
    options.url = "postgresql://herald:hunter2@127.0.0.1:1/herald?nonsense=1";
    why = store_open_refused(&options);
    assert_non_null(strstr(why, "not one that PostgreSQL understands"));
    assert_null(strstr(why, "hunter2"));
    free(why);
}

/* The first host of two does not answer, the second is the primary. */
static void the_host_that_takes_writes_is_found(struct store *store)
{
    const char *at = strchr(store->url, '@');
    int64_t id = 1;
    assert_non_null(at);
    store_close(store);
    store->options.url = arena_printf(&store->arena, "%.*s@127.0.0.1:1,%s", (int)(at - store->url),
                                      store->url, at + 1);
    store_open(store);
    store_write(store, item_insert_one, &id);
    assert_int_equal(store_number(store, item_count_sql), 1);
}

/* Stands in for that of Kerberos, which libpq calls before it asks for encryption by it. */
unsigned gss_acquire_cred(void);
static atomic_int kerberos_asked;

unsigned gss_acquire_cred(void)
{
    atomic_fetch_add(&kerberos_asked, 1);
    return 13U << 16; /* GSS_S_FAILURE */
}

static void kerberos_is_asked_where_the_url_says_so(struct store *store)
{
    store_close(store);
    atomic_store(&kerberos_asked, 0); /* by what prepared this test */
    store_open(store);
    store_close(store);
    assert_int_equal(atomic_load(&kerberos_asked), 0);
    store->options.url = arena_printf(&store->arena, "%s&gssencmode=prefer", store->url);
    store_open(store);
    assert_true(atomic_load(&kerberos_asked) > 0);
}

/* --- Locks --- */

struct pair {
    int64_t first, second;
    atomic_int *at_work;
    struct store *store;
    enum err err;
};

static enum err touch(struct db_tx *tx, int64_t id)
{
    return db_exec(tx, "UPDATE item SET n = n + 1 WHERE id = $1", DB_ARGS(db_int(id)), NULL);
}

static enum err touch_both(void *arg, struct db_tx *tx)
{
    struct pair *pair = arg;
    enum err err = touch(tx, pair->first);
    if (err) return err;
    ++*pair->at_work;
    for (int i = 0; i < 3000 && *pair->at_work < 2; i++)
        sleep_ms(10);
    return touch(tx, pair->second);
}

static void *run_pair(void *arg)
{
    struct pair *pair = arg;
    pair->err = db_run(pair->store->db, false, touch_both, pair);
    return NULL;
}

static void a_deadlock_is_run_again(struct store *store)
{
    int64_t id;
    for (id = 1; id <= 2; id++)
        store_write(store, item_insert_one, &id);
    atomic_int at_work = 0;
    struct pair pairs[] = {{1, 2, &at_work, store, ERR_INTERNAL},
                           {2, 1, &at_work, store, ERR_INTERNAL}};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_pair, &pairs[i]), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(pairs[0].err, ERR_OK);
    assert_int_equal(pairs[1].err, ERR_OK);
    assert_true(at_work >= 3); /* one ran twice */
    assert_int_equal(store_number(store, "SELECT SUM(n) AS n FROM item"), 4);
}

static enum err nowait(void *arg, struct db_tx *tx)
{
    (void)arg;
    return db_exec(tx, "LOCK TABLE item IN EXCLUSIVE MODE NOWAIT", DB_NO_ARGS, NULL);
}

static enum err lock_and_try(void *arg, struct db_tx *tx)
{
    struct store *store = arg;
    enum err err = db_exec(tx, "LOCK TABLE item IN EXCLUSIVE MODE", DB_NO_ARGS, NULL);
    if (err) return err;
    int64_t id = 7;
    /* Another connection of the pool runs this. */
    assert(db_run(store->db, false, item_insert_one, &id) == ERR_STORAGE_UNAVAILABLE);
    assert(db_run(store->db, false, nowait, NULL) == ERR_STORAGE_UNAVAILABLE);
    return ERR_OK;
}

static void a_lock_is_not_waited_for_for_ever(struct store *store)
{
    store_close(store);
    store->options.url = arena_printf(&store->arena, "%s%%20-clock_timeout%%3D300ms", store->url);
    store_open(store);
    assert_int_equal(store_number(store, "SELECT setting::bigint AS n FROM pg_settings "
                                         "WHERE name = 'lock_timeout'"),
                     300);
    store_write(store, lock_and_try, store);
    assert_int_equal(store_number(store, item_count_sql), 0);
}

/* --- Time --- */

struct bounded {
    struct db_task task;
    const char *sql;
    sem_t is_done;
    enum err err;
};

static enum err run_bounded(struct db_task *task, struct db_tx *tx)
{
    return db_exec(tx, ((struct bounded *)task)->sql, DB_NO_ARGS, NULL);
}

static void bounded_done(struct db_task *task, enum err err)
{
    struct bounded *bounded = (struct bounded *)task;
    bounded->err = err;
    sem_post(&bounded->is_done);
}

static void submit_bounded(struct store *store, struct bounded *bounded, const char *sql)
{
    *bounded = (struct bounded){
        .task = {.run = run_bounded, .done = bounded_done, .is_bounded = true}, .sql = sql};
    sem_init(&bounded->is_done, 0, 0);
    assert_int_equal(db_submit(store->db, &bounded->task), ERR_OK);
}

static void use_timeout(struct store *store, int timeout_ms)
{
    store_close(store);
    store->options.timeout_ms = timeout_ms;
    store_open(store);
}

static void await_sleeper(struct store *store)
{
    store_admin(store, "DO $$ BEGIN WHILE NOT EXISTS (SELECT 1 FROM pg_stat_activity "
                       "WHERE application_name = current_schema() AND pid <> pg_backend_pid() AND "
                       "state = 'active' AND query LIKE 'SELECT pg_sleep%') LOOP "
                       "PERFORM pg_sleep(0.01), pg_stat_clear_snapshot(); END LOOP; END $$");
}

/* Those under way, and those that wait behind them. They last for a minute, and would end well. */
static void bounded_tasks_end_in_time(struct store *store)
{
    enum { TASKS = 3 * STORE_CONNECTIONS };
    struct bounded tasks[TASKS];
    use_timeout(store, DB_TIMEOUT_MAX_MS);
    for (int i = 0; i < TASKS; i++)
        submit_bounded(store, &tasks[i], "SELECT pg_sleep(60)");
    await_sleeper(store);
    for (int i = 0; i < TASKS; i++)
        assert_int_equal(sem_trywait(&tasks[i].is_done), -1);
    skipped_ms += DB_TIMEOUT_MAX_MS;
    for (int i = 0; i < TASKS; i++) {
        sem_wait(&tasks[i].is_done);
        assert_int_equal(tasks[i].err, ERR_STORAGE_UNAVAILABLE);
    }
    submit_bounded(store, &tasks[0], "SELECT 1");
    sem_wait(&tasks[0].is_done);
    assert_int_equal(tasks[0].err, ERR_OK);
}

static enum err sleep_in_database(void *arg, struct db_tx *tx)
{
    (void)arg;
    return db_exec(tx, "SELECT pg_sleep(2.5)", DB_NO_ARGS, NULL);
}

static void other_tasks_have_the_time_they_need(struct store *store)
{
    use_timeout(store, DB_TIMEOUT_MIN_MS);
    store_write(store, sleep_in_database, NULL);
}

/* As databases of several nodes have it: COMMIT itself says that its outcome is unknown. */
static void a_commit_that_knows_no_outcome_is_not_repeated(struct store *store)
{
    static atomic_int runs;
    runs = 0;
    store_admin(store, "CREATE FUNCTION doubt() RETURNS trigger LANGUAGE plpgsql AS "
                       "$$ BEGIN RAISE EXCEPTION USING ERRCODE = '40003'; END $$;"
                       "CREATE CONSTRAINT TRIGGER doubtful AFTER INSERT ON item "
                       "DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION doubt()");
    assert_int_equal(db_run(store->db, false, insert_counted, &runs), ERR_STORAGE_UNAVAILABLE);
    assert_int_equal(runs, 1);
}

/* --- Other processes --- */

static enum err insert_and_notify(void *arg, struct db_tx *tx)
{
    db_notify(tx, "item");
    return item_insert_one(arg, tx);
}

static void count_call(void *arg)
{
    ++*(atomic_int *)arg;
}

static void other_processes_are_notified(struct store *store)
{
    static atomic_int calls;
    calls = 0;
    struct store other = {.engine = store->engine, .options = store->options};
    store_open(&other); /* connections of its own, as another process has them */
    db_subscribe(other.db, "item", count_call, &calls);
    await_listener(&other);
    int before = calls;
    for (int64_t id = 1; id <= 50; id++)
        store_write(store, insert_and_notify, &id);
    for (int i = 0; i < 3000 && calls == before; i++)
        sleep_ms(10);
    assert_in_range(calls, before + 1, before + 50);

    store_admin(store, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                       "WHERE application_name = current_schema() AND pid <> pg_backend_pid() AND "
                       "query LIKE 'SELECT pg_notify%'");
    before = calls;
    for (int i = 0; i < 3000 && calls == before; i++)
        sleep_ms(10);
    assert_true(calls > before); /* it connects again, and asks everybody to look */
    store_close(&other);
}

/* --- Settings changed behind our back --- */

static enum err where_is_part(void *arg, struct db_tx *tx)
{
    AUTO_STMT row = NULL;
    enum err err = db_query_one(tx,
                                "SELECT schemaname FROM pg_catalog.pg_tables "
                                "WHERE tablename = 'part' AND schemaname IN ('public', 'other')",
                                DB_NO_ARGS, &row);
    if (err) return err;
    struct arena arena;
    arena_init(&arena);
    *(bool *)arg = strcmp(db_get_text(row, "schemaname", &arena), "public") == 0;
    arena_done(&arena);
    return ERR_OK;
}

static void another_search_path_does_not_confuse(struct store *store)
{
    char name[64];
    int64_t id = 1;
    store->options.migration_count = 1;
    store_use_own_database(store, name, sizeof name);
    store_write(store, item_insert_one, &id);
    struct store admin = {0};
    snprintf(admin.url, sizeof admin.url, "%s", store->options.url);
    store_admin(&admin, "CREATE SCHEMA other");
    store_admin(&admin, arena_printf(&store->arena,
                                     "ALTER DATABASE %s SET search_path = other, public", name));
    store_close(store);
    store->options.migration_count = 2;
    store_open(store);
    bool is_public = false;
    store_read(store, where_is_part, &is_public);
    assert_true(is_public);

    store_admin(&admin, "CREATE TABLE other.item (id BIGINT, n BIGINT)");
    assert_int_equal(store_number(store, item_count_sql), 1);
    store_drop_own_database(store, name);
}

static void only_utf8_is_taken(struct store *store)
{
    char name[64];
    snprintf(name, sizeof name, "herald_latin_%d", (int)getpid());
    store_admin(store, arena_printf(&store->arena,
                                    "CREATE DATABASE %s ENCODING 'LATIN1' LC_COLLATE 'C' "
                                    "LC_CTYPE 'C' TEMPLATE template0",
                                    name));
    struct db_options options = store->options;
    options.url = arena_printf(&store->arena, "%s&dbname=%s", store->url, name);
    char *why = store_open_refused(&options);
    assert_non_null(strstr(why, "LATIN1"));
    free(why);
    store_admin(store, arena_printf(&store->arena, "DROP DATABASE %s", name));
}

int main(void)
{
    static const struct store_case cases[] = {
        {"all statements of a read see the same moment",
         all_statements_of_a_read_see_the_same_moment, STORE_POSTGRES},
        {"a connection lost before commit runs the task again",
         a_connection_lost_before_commit_runs_the_task_again, STORE_POSTGRES},
        {"a connection that took a large value is opened anew",
         a_connection_that_took_a_large_value_is_opened_anew, STORE_POSTGRES},
        {"an idle connection may die", an_idle_connection_may_die, STORE_POSTGRES},
        {"a commit without an answer is not repeated", a_commit_without_an_answer_is_not_repeated,
         STORE_POSTGRES},
        {"what cannot be reached says why", what_cannot_be_reached_says_why, STORE_POSTGRES},
        {"the host that takes writes is found", the_host_that_takes_writes_is_found,
         STORE_POSTGRES},
        {"Kerberos is asked where the URL says so", kerberos_is_asked_where_the_url_says_so,
         STORE_POSTGRES},
        {"a deadlock is run again", a_deadlock_is_run_again, STORE_POSTGRES},
        {"a lock is not waited for for ever", a_lock_is_not_waited_for_for_ever, STORE_POSTGRES},
        {"bounded tasks end in time", bounded_tasks_end_in_time, STORE_POSTGRES},
        {"other tasks have the time they need", other_tasks_have_the_time_they_need,
         STORE_POSTGRES},
        {"a commit that knows no outcome is not repeated",
         a_commit_that_knows_no_outcome_is_not_repeated, STORE_POSTGRES},
        {"other processes are notified", other_processes_are_notified, STORE_POSTGRES},
        {"another search path does not confuse", another_search_path_does_not_confuse,
         STORE_POSTGRES},
        {"only UTF-8 is taken", only_utf8_is_taken, STORE_POSTGRES},
    };
    return store_run_cases("db on postgres", item_migrations, ITEM_MIGRATIONS, cases,
                           sizeof cases / sizeof *cases);
}
