/* kit/db on PostgreSQL: when a transaction begins, and queries that travel together. */
#include "item_store.h"

/* --- When a transaction begins --- */

/* Asks when the transaction began; outside of one, what was sent together. */
static enum err start_moment(struct db_tx *tx, struct db_stmt **ret_stmt)
{
    return db_query(tx, "SELECT CAST(EXTRACT(EPOCH FROM now()) * 1000000 AS BIGINT) AS n",
                    DB_NO_ARGS, ret_stmt);
}

static enum err read_start(struct db_tx *tx, int64_t *ret_us)
{
    AUTO_STMT stmt = NULL;
    enum err err = start_moment(tx, &stmt);
    if (!err) err = db_step(stmt);
    if (!err) *ret_us = db_get_int(stmt, "n");
    sleep_ms(2);
    return err;
}

static enum err read_then_act(struct db_tx *tx, const char *sql, bool *ret_has_begun)
{
    int64_t starts[4] = {0};
    AUTO_STMT stmt = NULL;
    enum err err = read_start(tx, &starts[0]);
    if (!err) err = read_start(tx, &starts[1]);
    if (!err) err = db_query(tx, sql, DB_NO_ARGS, &stmt);
    if (!err) err = read_start(tx, &starts[2]);
    if (!err) err = read_start(tx, &starts[3]);
    assert_true(err || starts[0] < starts[1]);
    *ret_has_begun = starts[2] == starts[3];
    return err;
}

static enum err write_late(void *arg, struct db_tx *tx)
{
    bool has_begun = false;
    enum err err = read_then_act(tx, "INSERT INTO item (id, n) VALUES (1, 0)", &has_begun);
    assert_true(err || has_begun);
    return err ? err : *(enum err *)arg;
}

static enum err lock_late(void *arg, struct db_tx *tx)
{
    bool has_begun = false;
    enum err err = read_then_act(tx, "SELECT id FROM item FOR UPDATE", &has_begun);
    (void)arg;
    assert_true(err || has_begun);
    return err;
}

static enum err only_read(void *arg, struct db_tx *tx)
{
    bool has_begun = true;
    enum err err = read_then_act(tx, "SELECT id FROM item", &has_begun);
    (void)arg;
    assert_false(has_begun);
    return err;
}

static void a_transaction_begins_when_it_is_needed(struct store *store)
{
    enum err refusal = ERR_VALIDATION, success = ERR_OK;
    store_write(store, only_read, NULL);
    store_write(store, lock_late, NULL);
    assert_int_equal(db_run(store->db, false, write_late, &refusal), ERR_VALIDATION);
    assert_int_equal(store_number(store, item_count_sql), 0);
    store_write(store, write_late, &success);
    assert_int_equal(store_number(store, item_count_sql), 1);
}

/* --- Queries that travel together --- */

static const char number_sql[] = "SELECT CAST($1 AS BIGINT) AS n";

static enum err start_number(struct db_tx *tx, int64_t n, struct db_stmt **ret_stmt)
{
    return db_query(tx, number_sql, DB_ARGS(db_int(n)), ret_stmt);
}

static enum err assert_number(struct db_stmt *stmt, int64_t n)
{
    enum err err = db_step(stmt);
    if (err) return err;
    assert_int_equal(db_get_int(stmt, "n"), n);
    assert_int_equal(db_step(stmt), ERR_NOT_FOUND);
    return ERR_OK;
}

/* Behind each other, one of them never asked for its rows, and with a write in between. */
static enum err ask_together(void *arg, struct db_tx *tx)
{
    AUTO_STMT first = NULL;
    AUTO_STMT second = NULL;
    AUTO_STMT third = NULL;
    struct db_stmt *unread;
    (void)arg;
    enum err err = start_number(tx, 1, &first);
    if (!err) err = start_number(tx, 2, &second);
    if (!err) err = start_number(tx, -1, &unread);
    if (err) return err;
    db_stmt_done(&unread);
    if (!err) err = assert_number(first, 1);
    if (!err) err = item_insert(tx, 1, 0);
    if (!err) err = start_number(tx, 3, &third);
    if (!err) err = assert_number(second, 2);
    return err ? err : assert_number(third, 3);
}

static void queries_travel_together(struct store *store)
{
    store_write(store, ask_together, NULL);
    assert_int_equal(store_number(store, item_count_sql), 1);
}

/* Statements that are sent without waiting have one moment, outside of a transaction too. */
static enum err ask_for_the_moment(void *arg, struct db_tx *tx)
{
    AUTO_STMT first = NULL;
    AUTO_STMT second = NULL;
    (void)arg;
    enum err err = start_moment(tx, &first);
    sleep_ms(2);
    if (!err) err = start_moment(tx, &second);
    if (!err) err = db_step(first);
    if (!err) err = db_step(second);
    if (!err) assert_int_equal(db_get_int(first, "n"), db_get_int(second, "n"));
    return err;
}

static void nobody_waits_between_them(struct store *store)
{
    store_write(store, ask_for_the_moment, NULL);
}

static void a_read_cannot_write(struct store *store)
{
    int64_t id = 1;
    assert_int_equal(db_run(store->db, true, item_insert_one, &id), ERR_INTERNAL);
    assert_int_equal(store_number(store, item_count_sql), 0);
}

/* The second fails: none has a row, and nothing is kept. */
static enum err fail_in_between(void *arg, struct db_tx *tx)
{
    AUTO_STMT first = NULL;
    AUTO_STMT second = NULL;
    AUTO_STMT third = NULL;
    enum err err = item_insert(tx, 7, 0);
    if (!err) err = start_number(tx, 1, &first);
    if (!err) err = db_query(tx, "SELECT n / 0 AS n FROM item", DB_NO_ARGS, &second);
    if (!err) err = start_number(tx, 3, &third);
    if (err) return err;
    *(enum err *)arg = db_step(first);
    assert_int_equal(db_step(second), ERR_INTERNAL);
    assert_int_equal(db_step(third), ERR_INTERNAL);
    assert_int_equal(item_insert(tx, 8, 0), ERR_INTERNAL);
    return ERR_OK;
}

static void a_failure_among_them_is_that_of_all(struct store *store)
{
    enum err first = ERR_OK;
    assert_int_equal(db_run(store->db, false, fail_in_between, &first), ERR_INTERNAL);
    assert_int_equal(first, ERR_INTERNAL);
    assert_int_equal(store_number(store, item_count_sql), 0);
}

static enum err break_among_queries(void *arg, struct db_tx *tx)
{
    AUTO_STMT first = NULL;
    AUTO_STMT second = NULL;
    int *runs = arg;
    enum err err = item_insert(tx, 9, 0);
    if (!err) err = start_number(tx, 1, &first);
    if (!err && ++*runs == 1)
        err = db_query(tx, "SELECT pg_terminate_backend(pg_backend_pid())", DB_NO_ARGS, &second);
    if (err) return err;
    err = assert_number(first, 1);
    return err == ERR_NOT_FOUND || !second ? err : db_step(second);
}

static void a_connection_lost_among_them_runs_the_task_again(struct store *store)
{
    int runs = 0;
    store_write(store, break_among_queries, &runs);
    assert_int_equal(runs, 2);
    assert_int_equal(store_number(store, item_count_sql), 1);
}

static enum err hold_item(void *arg, struct db_tx *tx)
{
    enum err err = db_hold(tx, "SELECT id FROM item WHERE id = 1", DB_NO_ARGS);
    if (!err) err = db_hold(tx, "SELECT id FROM item WHERE id = 404", DB_NO_ARGS);
    AUTO_STMT stmt = NULL;
    if (!err) err = start_number(tx, 1, &stmt);
    if (!err) err = assert_number(stmt, 1);
    /* Whoever does not wait for it meets it. */
    store_admin(arg, "DO $$ BEGIN PERFORM 1 FROM item WHERE id = 1 FOR UPDATE NOWAIT;"
                     " RAISE EXCEPTION 'it is not held';"
                     " EXCEPTION WHEN lock_not_available THEN NULL; END $$");
    return err;
}

static void rows_are_held_by_the_next_statement(struct store *store)
{
    int64_t id = 1;
    store_write(store, item_insert_one, &id);
    store_write(store, hold_item, store);
}

int main(void)
{
    static const struct store_case cases[] = {
        {"a transaction begins when it is needed", a_transaction_begins_when_it_is_needed,
         STORE_POSTGRES},
        {"queries travel together", queries_travel_together, STORE_POSTGRES},
        {"nobody waits between them", nobody_waits_between_them, STORE_POSTGRES},
        {"a read cannot write", a_read_cannot_write, STORE_POSTGRES},
        {"a failure among them is that of all", a_failure_among_them_is_that_of_all,
         STORE_POSTGRES},
        {"a connection lost among them runs the task again",
         a_connection_lost_among_them_runs_the_task_again, STORE_POSTGRES},
        {"rows are held by the next statement", rows_are_held_by_the_next_statement,
         STORE_POSTGRES},
    };
    return store_run_cases("db together", item_migrations, ITEM_MIGRATIONS, cases,
                           sizeof cases / sizeof *cases);
}
