/*
 * kit/db: what must hold on both engines alike.
 *
 * What runs on a database thread checks with assert: cmocka's own asserts jump within their thread.
 */
#include "item_table.h"

#include <stdlib.h>

/* --- Values --- */

static enum err write_values(void *arg, struct db_tx *tx)
{
    (void)arg;
    const char *sql = "INSERT INTO item (id, n, word, data) VALUES ($1, $2, $3, $4)";
    struct uuid id = {.bytes = {1, 0, 255}};
    enum err err = db_exec(
        tx, sql, DB_ARGS(db_int(1), db_int(INT64_MIN), db_text("Привет 'и' \"мир\""), db_uuid(&id)),
        NULL);
    if (!err)
        err = db_exec(tx, sql, DB_ARGS(db_int(2), db_int(INT64_MAX), db_text(""), db_blob(STR(""))),
                      NULL);
    if (!err)
        err = db_exec(
            tx, sql,
            DB_ARGS(db_int(3), db_int_or_null(0), db_text(NULL), db_blob((struct str){NULL, 0})),
            NULL);
    if (!err)
        err = db_exec(tx, sql,
                      DB_ARGS(db_int(4), db_int_or_null(-1), db_text("a"), db_blob(STR("a\0b"))),
                      NULL);
    return err;
}

static void check_full_row(struct db_stmt *row, struct arena *arena)
{
    assert(db_step(row) == ERR_OK);
    assert(db_get_uuid(row, "data").bytes[2] == 255);
    assert(db_get_int(row, "n") == INT64_MIN);
    assert(strcmp(db_get_text(row, "word", arena), "Привет 'и' \"мир\"") == 0);
    assert(db_get_int(row, "id") == 1);
    assert(!db_get_null(row, "n"));
}

static void check_empty_row(struct db_stmt *row, struct arena *arena)
{
    assert(db_step(row) == ERR_OK);
    assert(db_get_int(row, "n") == INT64_MAX);
    assert(strcmp(db_get_text(row, "word", arena), "") == 0);
    struct str data = db_get_blob(row, "data", arena);
    assert(data.data && !data.len);
}

static void check_null_row(struct db_stmt *row, struct arena *arena)
{
    assert(db_step(row) == ERR_OK);
    assert(db_get_null(row, "n") && db_get_null(row, "word") && db_get_null(row, "data"));
    assert(db_get_int(row, "n") == 0);
    assert(!db_get_text(row, "word", arena));
    assert(!db_get_blob(row, "data", arena).data);
    struct uuid id = db_get_uuid(row, "data");
    assert(uuid_is_nil(&id));
}

static enum err read_values(void *arg, struct db_tx *tx)
{
    struct arena *arena = arg;
    AUTO_STMT row = NULL;
    enum err err = db_query(tx, "SELECT id, n, word, data FROM item ORDER BY id", DB_NO_ARGS, &row);
    if (err) return err;
    check_full_row(row, arena);
    check_empty_row(row, arena);
    check_null_row(row, arena);
    assert(db_step(row) == ERR_OK);
    struct str data = db_get_blob(row, "data", arena);
    assert(data.len == 3);
    assert(memcmp(data.data, "a\0b", 3) == 0);
    assert(db_get_int(row, "n") == -1);
    assert(db_step(row) == ERR_NOT_FOUND);
    assert(db_step(row) == ERR_NOT_FOUND);
    return ERR_OK;
}

static void values_come_back(struct store *store)
{
    store_write(store, write_values, NULL);
    store_read(store, read_values, &store->arena);
}

static enum err large_value(void *arg, struct db_tx *tx)
{
    struct str data = *(struct str *)arg;
    enum err err =
        db_exec(tx, "INSERT INTO item (id, data) VALUES (1, $1)", DB_ARGS(db_blob(data)), NULL);
    if (err) return err;
    AUTO_STMT row = NULL;
    err = db_query_one(tx, "SELECT data FROM item", DB_NO_ARGS, &row);
    if (err) return err;
    struct arena arena;
    arena_init(&arena);
    struct str read = db_get_blob(row, "data", &arena);
    assert(read.len == data.len);
    assert(memcmp(read.data, data.data, data.len) == 0);
    arena_done(&arena);
    return ERR_OK;
}

static void large_values_come_back(struct store *store)
{
    enum { SIZE = 5 * 1024 * 1024 };
    char *data = malloc(SIZE);
    assert_non_null(data);
    for (size_t i = 0; i < SIZE; i++)
        data[i] = (char)(i * 7 + i / 256);
    store_write(store, large_value, &(struct str){data, SIZE});
    free(data);
}

static enum err parameters_by_name(void *arg, struct db_tx *tx)
{
    (void)arg;
    AUTO_STMT row = NULL;
    enum err err = db_query_one(tx,
                                "SELECT CAST($2 AS BIGINT) AS second, CAST($1 AS BIGINT) AS first, "
                                "CAST($2 AS BIGINT) - CAST($1 AS BIGINT) AS difference",
                                DB_ARGS(db_int(1), db_int(20)), &row);
    if (err) return err;
    assert(db_get_int(row, "first") == 1);
    assert(db_get_int(row, "second") == 20);
    assert(db_get_int(row, "difference") == 19);
    return ERR_OK;
}

static void parameters_are_bound_by_name(struct store *store)
{
    store_read(store, parameters_by_name, NULL);
}

static enum err three_items(void *arg, struct db_tx *tx)
{
    (void)arg;
    enum err err = item_insert(tx, 1, 70000);
    if (!err) err = item_insert(tx, 2, 100000000);
    return err ? err : item_insert(tx, 3, -1);
}

static void sums_are_integers(struct store *store)
{
    assert_int_equal(store_number(store, "SELECT SUM(n) AS n FROM item"), 0);
    store_write(store, three_items, NULL);
    assert_int_equal(store_number(store, "SELECT SUM(n) AS n FROM item"), 100069999);
    assert_int_equal(store_number(store, "SELECT SUM(n) * 10000 - 9990000 AS n FROM item"),
                     1000690000000);
    assert_int_equal(store_number(store, "SELECT -SUM(n) AS n FROM item"), -100069999);
    assert_int_equal(store_number(store, "SELECT n > 0 AS n FROM item WHERE id = 1"), 1);
    assert_int_equal(store_number(store, "SELECT 0 * SUM(n) AS n FROM item"), 0);
}

/* --- Statements --- */

static enum err changes(void *arg, struct db_tx *tx)
{
    (void)arg;
    int64_t changed = -1;
    enum err err = three_items(NULL, tx);
    if (err) return err;
    assert(db_exec(tx, "UPDATE item SET n = 5 WHERE id >= 2", DB_NO_ARGS, &changed) == 0);
    assert(changed == 2);
    assert(db_exec(tx, "UPDATE item SET n = 5 WHERE id > 9", DB_NO_ARGS, &changed) == 0);
    assert(changed == 0);
    assert(db_exec(tx, "INSERT INTO item (id) VALUES (1) ON CONFLICT (id) DO NOTHING", DB_NO_ARGS,
                   &changed) == 0);
    assert(changed == 0);
    assert(db_exec(tx, "SELECT id FROM item", DB_NO_ARGS, &changed) == 0);
    assert(changed == 0);
    assert(db_exec(tx, "DELETE FROM item WHERE n = 5 RETURNING id", DB_NO_ARGS, &changed) == 0);
    assert(changed == 2);
    return ERR_OK;
}

static void changed_rows_are_counted(struct store *store)
{
    store_write(store, changes, NULL);
    assert_int_equal(store_number(store, item_count_sql), 1);
}

static enum err nested(void *arg, struct db_tx *tx)
{
    static const char sql[] = "SELECT id FROM item ORDER BY id";
    (void)arg;
    AUTO_STMT outer = NULL;
    enum err err = db_query_one(tx, sql, DB_NO_ARGS, &outer);
    if (err) return err;
    AUTO_STMT inner = NULL;
    err = db_query_one(tx, sql, DB_NO_ARGS, &inner);
    if (err) return err;
    assert(db_step(outer) == ERR_OK);
    assert(db_get_int(outer, "id") == 2);
    assert(db_get_int(inner, "id") == 1);

    struct db_stmt *forgotten;
    return db_query_one(tx, sql, DB_NO_ARGS, &forgotten);
}

static void a_statement_may_run_within_itself(struct store *store)
{
    store_write(store, three_items, NULL);
    for (int i = 0; i < 3; i++) {
        store_read(store, nested, NULL);
        store_write(store, nested, NULL); /* a forgotten statement does not hold up the commit */
    }
}

static enum err later(void *arg, struct db_tx *tx)
{
    int64_t count = *(int64_t *)arg;
    for (int64_t i = 0; i < count; i++) {
        enum err err = db_exec_later(tx, "INSERT INTO item (id, n) VALUES ($1, $2)",
                                     DB_ARGS(db_int(i), db_int(i * i)));
        if (err) return err;
    }
    return ERR_OK;
}

static enum err later_and_twice(void *arg, struct db_tx *tx)
{
    enum err err = later(arg, tx);
    return err ? err
               : db_exec_later(tx, "INSERT INTO item (id, n) VALUES ($1, $2)",
                               DB_ARGS(db_int(0), db_int(0)));
}

static void later_statements_are_committed_or_fail_it(struct store *store)
{
    int64_t few = 3, many = 1000, none = 0;
    assert_int_equal(db_run(store->db, false, later_and_twice, &few), ERR_UNIQUE);
    assert_int_equal(db_run(store->db, false, later_and_twice, &many), ERR_UNIQUE);
    assert_int_equal(store_number(store, item_count_sql), 0);
    store_write(store, later, &none);
    store_write(store, later, &many);
    assert_int_equal(store_number(store, "SELECT SUM(n) AS n FROM item"), 332833500);
}

/* --- Failures --- */

static enum err insert_and_refuse(void *arg, struct db_tx *tx)
{
    enum err err = item_insert_one(arg, tx);
    return err ? err : ERR_VALIDATION;
}

/* Reports success although a statement failed for no good reason. */
static enum err insert_and_hush(void *arg, struct db_tx *tx)
{
    enum err err = item_insert_one(arg, tx);
    if (err) return err;
    err = db_exec(tx, "INSERT INTO item (id, n) VALUES (2, 'x')", DB_NO_ARGS, NULL);
    assert(err != ERR_OK);
    return ERR_OK;
}

static void an_error_rolls_back(struct store *store)
{
    int64_t id = 1;
    assert_int_equal(db_run(store->db, false, insert_and_refuse, &id), ERR_VALIDATION);
    assert_int_equal(db_run(store->db, false, insert_and_hush, &id), ERR_INTERNAL);
    assert_int_equal(store_number(store, item_count_sql), 0);
    store_write(store, item_insert_one, &id);
    assert_int_equal(db_run(store->db, false, item_insert_one, &id), ERR_UNIQUE);
    assert_int_equal(store_number(store, item_count_sql), 1);
}

struct refusal {
    int runs;
    int refusals;
};

static enum err refuse_at_first(void *arg, struct db_tx *tx)
{
    struct refusal *refusal = arg;
    enum err err = item_insert(tx, ++refusal->runs, 0);
    if (err) return err;
    return refusal->runs <= refusal->refusals ? ERR_TX_RETRY : ERR_OK;
}

static void a_retry_runs_again_but_not_for_ever(struct store *store)
{
    struct refusal twice = {.refusals = 2}, always = {.refusals = 1000};
    store_write(store, refuse_at_first, &twice);
    assert_int_equal(twice.runs, 3);
    assert_int_equal(store_number(store, "SELECT MIN(id) AS n FROM item"), 3);

    always.runs = 10;
    assert_int_equal(db_run(store->db, false, refuse_at_first, &always), ERR_STORAGE_UNAVAILABLE);
    assert_int_equal(always.runs, 20);
    assert_int_equal(store_number(store, item_count_sql), 1);
}

int main(void)
{
    static const struct store_case cases[] = {
        {"values come back", values_come_back},
        {"large values come back", large_values_come_back},
        {"parameters are bound by name", parameters_are_bound_by_name},
        {"sums are integers", sums_are_integers},
        {"changed rows are counted", changed_rows_are_counted},
        {"a statement may run within itself", a_statement_may_run_within_itself},
        {"later statements are committed or fail it", later_statements_are_committed_or_fail_it},
        {"an error rolls back", an_error_rolls_back},
        {"a retry runs again but not for ever", a_retry_runs_again_but_not_for_ever},
    };
    return store_run_cases("db", item_migrations, 1, cases, sizeof cases / sizeof *cases);
}
