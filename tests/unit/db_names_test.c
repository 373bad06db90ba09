/*
 * Prepared statements of PostgreSQL connections: each text is parsed once, whatever fails on the
 * way, and a server that forgot them, or whose tables were altered, is no reason to fail.
 */
#include "item_store.h"

#include <stdio.h>

static const char insert_sql[] = "INSERT INTO item (id, n) VALUES ($1, 0)";
static const char update_sql[] = "UPDATE item SET n = n + 1 WHERE id = $1";
static const char select_sql[] = "SELECT * FROM item WHERE id = $1";

/* All that follows goes over one connection. */
static void use_one_connection(struct store *store)
{
    store_close(store);
    store->options.connections = 1;
    store_open(store);
}

/* Returns how many of these the connection has prepared. */
static int64_t count_prepared(struct store *store, const char *condition)
{
    char sql[256];
    snprintf(sql, sizeof sql, "SELECT count(*) AS n FROM pg_prepared_statements WHERE %s",
             condition);
    return store_number(store, sql);
}

struct step {
    const char *sql;
    int64_t id;
};

static enum err run_step(void *arg, struct db_tx *tx)
{
    const struct step *step = arg;
    return db_exec(tx, step->sql, DB_ARGS(db_int(step->id)), NULL);
}

static enum err try_step(struct store *store, const char *sql, int64_t id)
{
    struct step step = {sql, id};
    return db_run(store->db, false, run_step, &step);
}

static void a_statement_is_parsed_once(struct store *store)
{
    char same[sizeof insert_sql];
    memcpy(same, insert_sql, sizeof same);
    use_one_connection(store);
    assert_int_equal(try_step(store, insert_sql, 1), ERR_OK);
    assert_int_equal(try_step(store, insert_sql, 2), ERR_OK);
    assert_int_equal(try_step(store, same, 3), ERR_OK);
    assert_int_equal(count_prepared(store, "statement LIKE 'INSERT INTO item%'"), 1);
    assert_int_equal(count_prepared(store, "statement LIKE 'INSERT INTO item%'"
                                           " AND generic_plans + custom_plans = 3"),
                     1);
    assert_count(store, "item", 3);
}

static void one_that_fails_is_parsed_once(struct store *store)
{
    use_one_connection(store);
    assert_int_equal(try_step(store, insert_sql, 1), ERR_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(try_step(store, insert_sql, 1), ERR_UNIQUE);
    assert_int_equal(try_step(store, insert_sql, 2), ERR_OK);
    assert_int_equal(count_prepared(store, "statement LIKE 'INSERT INTO item%'"), 1);
}

static enum err insert_then_update(void *arg, struct db_tx *tx)
{
    int64_t id = *(int64_t *)arg;
    enum err err = db_exec_later(tx, insert_sql, DB_ARGS(db_int(id)));
    return err ? err : db_exec_later(tx, update_sql, DB_ARGS(db_int(id)));
}

/* The server skips what is behind a failure, so it never saw the second statement. */
static void what_was_skipped_is_prepared_later(struct store *store)
{
    int64_t taken = 1, new = 2;
    use_one_connection(store);
    assert_int_equal(try_step(store, insert_sql, taken), ERR_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(db_run(store->db, false, insert_then_update, &taken), ERR_UNIQUE);
    assert_int_equal(count_prepared(store, "statement LIKE 'UPDATE item%'"), 0);
    store_write(store, insert_then_update, &new);
    assert_int_equal(try_step(store, update_sql, taken), ERR_OK);
    assert_int_equal(count_prepared(store, "statement LIKE 'UPDATE item%'"), 1);
    assert_count(store, "item WHERE n = 1", 2);
}

static void one_that_cannot_be_parsed_fails_alone(struct store *store)
{
    use_one_connection(store);
    for (int i = 0; i < 2; i++)
        assert_int_equal(try_step(store, "INSERT INTO nowhere VALUES ($1)", 1), ERR_INTERNAL);
    assert_int_equal(try_step(store, insert_sql, 1), ERR_OK);
    assert_count(store, "item", 1);
}

struct reading {
    int64_t id;
};

static enum err read_item(void *arg, struct db_tx *tx)
{
    struct reading *reading = arg;
    AUTO_STMT row = NULL;
    enum err err = db_query_one(tx, select_sql, DB_ARGS(db_int(reading->id)), &row);
    if (err) return err;
    reading->id = db_get_int(row, "id");
    return ERR_OK;
}

static void a_table_may_be_altered(struct store *store)
{
    struct reading reading = {.id = 1};
    use_one_connection(store);
    assert_int_equal(try_step(store, insert_sql, 1), ERR_OK);
    store_read(store, read_item, &reading);
    store_admin(store, "ALTER TABLE item ADD COLUMN more TEXT");
    store_read(store, read_item, &reading);
    assert_int_equal(reading.id, 1);
    assert_int_equal(count_prepared(store, "statement LIKE 'SELECT * FROM item%'"), 1);
}

static enum err forget_all(void *arg, struct db_tx *tx)
{
    (void)arg;
    return db_exec(tx, "DEALLOCATE ALL", DB_NO_ARGS, NULL);
}

/* A thing that the server cannot do it cannot do over another connection either. */
static void what_is_not_supported_is_not_tried_again(struct store *store)
{
    use_one_connection(store);
    assert_int_equal(try_step(store, insert_sql, 1), ERR_OK);
    assert_int_equal(try_step(store, "SELECT id FROM item WHERE id = $1 GROUP BY id FOR UPDATE", 1),
                     ERR_INTERNAL);
    assert_int_equal(count_prepared(store, "statement LIKE 'INSERT INTO item%'"), 1);
}

/* As behind a pooler that gives each transaction another session of the server. */
static void a_server_that_forgets_gets_no_names(struct store *store)
{
    use_one_connection(store);
    assert_int_equal(try_step(store, insert_sql, 1), ERR_OK);
    /* COMMIT is forgotten as well: the server refuses it, and all is run again. */
    store_write(store, forget_all, NULL);
    for (int64_t id = 2; id < 10; id++)
        assert_int_equal(try_step(store, insert_sql, id), ERR_OK);
    assert_count(store, "item", 9);
    assert_int_equal(count_prepared(store, "name <> ''"), 0);
}

static void too_many_go_without_a_name(struct store *store)
{
    enum { MANY = 1100 };
    use_one_connection(store);
    for (int64_t id = 0; id < MANY; id++) {
        char sql[64];
        snprintf(sql, sizeof sql, "INSERT INTO item (id, n) VALUES ($1, %lld)", (long long)id);
        assert_int_equal(try_step(store, sql, id), ERR_OK);
    }
    assert_count(store, "item WHERE id = n", MANY);
    assert_in_range(count_prepared(store, "name <> ''"), 1000, 1024);
}

int main(void)
{
    static const struct store_case cases[] = {
        {"a statement is parsed once", a_statement_is_parsed_once, STORE_POSTGRES},
        {"one that fails is parsed once", one_that_fails_is_parsed_once, STORE_POSTGRES},
        {"what was skipped is prepared later", what_was_skipped_is_prepared_later, STORE_POSTGRES},
        {"one that cannot be parsed fails alone", one_that_cannot_be_parsed_fails_alone,
         STORE_POSTGRES},
        {"a table may be altered", a_table_may_be_altered, STORE_POSTGRES},
        {"a server that forgets gets no names", a_server_that_forgets_gets_no_names,
         STORE_POSTGRES},
        {"what is not supported is not tried again", what_is_not_supported_is_not_tried_again,
         STORE_POSTGRES},
        {"too many go without a name", too_many_go_without_a_name, STORE_POSTGRES},
    };
    return store_run_cases("prepared statements", item_migrations, ITEM_MIGRATIONS, cases,
                           sizeof cases / sizeof *cases);
}
