/* kit/db on PostgreSQL: a server that is gone for a while, and what it says to that. */
#include "item_store.h"
#include "kit/base/clock.h"

#include <stdio.h>
#include <unistd.h>

static void set_open(struct store *store, const char *name, bool is_open)
{
    store_admin(store, arena_printf(&store->arena, "ALTER DATABASE %s WITH ALLOW_CONNECTIONS %s",
                                    name, is_open ? "true" : "false"));
    store_admin(store, arena_printf(&store->arena,
                                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                                    "WHERE datname = '%s'",
                                    name));
}

/* Until the server is found again. */
static void await_write(struct store *store, int64_t *id)
{
    enum err err = ERR_STORAGE_UNAVAILABLE;
    for (int i = 0; i < 300 && err; i++) {
        if (i > 0) sleep_ms(100);
        err = db_run(store->db, false, item_insert_one, id);
    }
    assert_int_equal(err, ERR_OK);
}

static void in_an_outage_tasks_fail_soon(struct store *store)
{
    char name[64];
    int64_t id = 1;
    store_use_own_database(store, name, sizeof name);
    store_write(store, item_insert_one, &id);
    set_open(store, name, false);
    for (int i = 0; i <= STORE_CONNECTIONS; i++) {
        int64_t began_ms = clock_monotonic_ms();
        id = 100 + i;
        assert_int_equal(db_run(store->db, false, item_insert_one, &id), ERR_STORAGE_UNAVAILABLE);
        assert_in_range(clock_monotonic_ms() - began_ms, 0, 10000);
    }
    set_open(store, name, true);
    id = 2;
    await_write(store, &id);
    assert_int_equal(store_number(store, item_count_sql), 2);
    store_drop_own_database(store, name);
}

static void assert_explained(struct store *store, const char *words)
{
    AUTO_BUF why = {0};
    buf_init(&why, 4096);
    db_explain(store->db, &why);
    buf_char(&why, '\0');
    if (words ? !strstr(why.data, words) : why.len > 1) fail_msg("\"%s\"", why.data);
}

/* The server's own words reach whoever has to explain a start that failed. */
static void a_refused_connection_is_explained(struct store *store)
{
    char name[64];
    int64_t id = 1;
    store_use_own_database(store, name, sizeof name);
    store_write(store, item_insert_one, &id);
    assert_explained(store, NULL);
    set_open(store, name, false);
    while (db_run(store->db, false, item_insert_one, &id) == ERR_OK)
        id++;
    assert_explained(store, "is not currently accepting connections");
    set_open(store, name, true);
    id = 1000;
    await_write(store, &id);
    store_drop_own_database(store, name);
}

/* A busy machine may take longer than tasks wait, but not each time. */
static void a_short_outage_is_waited_for(struct store *store)
{
    enum { OUTAGES_MAX = 5, WRITES = 8 };
    char name[64];
    int64_t id = 1;
    bool is_waited_for = false;
    store_use_own_database(store, name, sizeof name);
    store_write(store, item_insert_one, &id);
    for (int i = 0; i < OUTAGES_MAX && !is_waited_for; i++) {
        set_open(store, name, false);
        set_open(store, name, true);
        is_waited_for = true;
        for (int k = 0; k < WRITES; k++) {
            id++;
            if (db_run(store->db, false, item_insert_one, &id)) is_waited_for = false;
        }
    }
    assert_true(is_waited_for);
    store_drop_own_database(store, name);
}

int main(void)
{
    static const struct store_case cases[] = {
        {"in an outage tasks fail soon", in_an_outage_tasks_fail_soon, STORE_POSTGRES},
        {"a refused connection is explained", a_refused_connection_is_explained, STORE_POSTGRES},
        {"a short outage is waited for", a_short_outage_is_waited_for, STORE_POSTGRES},
    };
    return store_run_cases("db in an outage", item_migrations, ITEM_MIGRATIONS, cases,
                           sizeof cases / sizeof *cases);
}
