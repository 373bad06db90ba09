/*
 * kit/db: one statement for many rows, on both engines: what it changes, what it fails with, and
 * what is left in order behind it.
 *
 * What runs on a database thread checks with assert: cmocka's own asserts jump within their thread.
 */
#include "item_table.h"

#include <stdlib.h>

enum { ROWS_MAX = 20000 };

static const char update_sql[] = "UPDATE item SET n = n + $2 WHERE id >= $1 AND id < $1 + 2";

/* Rows (id, n) from `first` on, and what each changed. */
struct rows {
    struct db_arg args[ROWS_MAX * 2];
    int64_t untouched[100];
    int64_t changed[ROWS_MAX];
    size_t count;
    enum err expected;
};

static struct rows *rows_new(int64_t first, size_t count)
{
    struct rows *rows = calloc(1, sizeof *rows);
    assert_non_null(rows);
    assert_true(count <= ROWS_MAX);
    rows->count = count;
    for (size_t i = 0; i < count; i++) {
        rows->args[i * 2] = db_int(first + (int64_t)i);
        rows->args[i * 2 + 1] = db_int((int64_t)i * 10);
        rows->changed[i] = -1;
    }
    return rows;
}

static enum err insert_rows(void *arg, struct db_tx *tx)
{
    struct rows *rows = arg;
    return db_exec_many(tx, item_insert_sql, rows->args, 2, rows->count, rows->changed);
}

/* Makes the connection pool one of one, so that the next task meets what this one left. */
static void use_one_connection(struct store *store)
{
    store_close(store);
    store->options.connections = 1;
    store_open(store);
}

/* --- Rows and counts --- */

static void rows_are_inserted(struct store *store)
{
    static const size_t counts[] = {0, 1, 2, 10000, ROWS_MAX};
    int64_t first = 0, inserted = 0;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        struct rows *rows = rows_new(first, counts[c]);
        store_write(store, insert_rows, rows);
        for (size_t i = 0; i < counts[c]; i++)
            assert_int_equal(rows->changed[i], 1);
        inserted += (int64_t)counts[c];
        first += ROWS_MAX;
        assert_int_equal(store_number(store, item_count_sql), inserted);
        free(rows);
    }
    assert_int_equal(store_number(store, "SELECT SUM(n) AS n FROM item WHERE id >= 80000"),
                     INT64_C(1999900000));
}

static enum err update_rows(void *arg, struct db_tx *tx)
{
    struct rows *rows = arg;
    enum err err = db_exec_many(tx, update_sql, rows->args, 2, rows->count, rows->changed);
    if (err) return err;
    return db_exec_many(tx, update_sql, rows->args, 2, rows->count, NULL);
}

static void each_row_has_its_own_count(struct store *store)
{
    struct rows *items = rows_new(0, 1000), *updates = rows_new(-3, 2000);
    store_write(store, insert_rows, items);
    store_write(store, update_rows, updates);
    for (int64_t i = 0; i < 2000; i++) {
        int64_t id = i - 3;
        int64_t expected = id < -1 || id > 999 ? 0 : id == -1 || id == 999 ? 1 : 2;
        assert_int_equal(updates->changed[i], expected);
    }
    free(items);
    free(updates);
}

static enum err skip_known(void *arg, struct db_tx *tx)
{
    struct rows *rows = arg;
    return db_exec_many(tx, "INSERT INTO item (id, n) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING",
                        rows->args, 2, rows->count, rows->changed);
}

static void rows_that_are_there_count_nothing(struct store *store)
{
    struct rows *items = rows_new(500, 1000), *more = rows_new(0, 3000);
    store_write(store, insert_rows, items);
    store_write(store, skip_known, more);
    for (int64_t i = 0; i < 3000; i++)
        assert_int_equal(more->changed[i], i < 500 || i >= 1500);
    free(items);
    free(more);
}

static enum err select_rows(void *arg, struct db_tx *tx)
{
    struct rows *rows = arg;
    enum err err = db_exec_many(tx, "SELECT id FROM item WHERE id >= $1 AND n >= $2", rows->args, 2,
                                rows->count, rows->changed);
    if (err) return err;
    return db_exec_many(tx, "DELETE FROM item WHERE id = $1 AND n = $2 RETURNING id", rows->args, 2,
                        rows->count, rows->changed + rows->count);
}

static void statements_with_rows_run_too(struct store *store)
{
    struct rows *rows = rows_new(0, 800);
    store_write(store, insert_rows, rows);
    store_write(store, select_rows, rows);
    for (size_t i = 0; i < 800; i++) {
        assert_int_equal(rows->changed[i], 0);
        assert_int_equal(rows->changed[i + 800], 1);
    }
    assert_int_equal(store_number(store, item_count_sql), 0);
    free(rows);
}

/* --- Values --- */

static enum err insert_values(void *arg, struct db_tx *tx)
{
    static const char sql[] = "INSERT INTO item (id, n, word, data) VALUES ($1, $2, $3, $4)";
    struct uuid id = {.bytes = {1, 0, 255}};
    const struct db_arg args[] = {
        db_int(1), db_text(NULL),     db_text(NULL),     db_blob((struct str){NULL, 0}),
        db_int(2), db_int(INT64_MIN), db_text("Привет"), db_uuid(&id),
        db_int(3), db_int(INT64_MAX), db_text(""),       db_blob(STR("")),
        db_int(4), db_int(-1),        db_text(NULL),     db_blob(STR("a\0b")),
        db_int(5), db_text(NULL),     db_text("5"),      db_uuid(NULL),
    };
    (void)arg;
    return db_exec_many(tx, sql, args, 4, 5, NULL);
}

static void check_row(struct db_stmt *row, struct arena *arena, int64_t n, const char *word,
                      struct str expected)
{
    assert(db_step(row) == ERR_OK);
    assert(db_get_int(row, "n") == n);
    const char *text = db_get_text(row, "word", arena);
    assert(word ? text && strcmp(text, word) == 0 : !text);
    struct str data = db_get_blob(row, "data", arena);
    assert(!data.data == !expected.data && data.len == expected.len);
    assert(data.len == 0 || memcmp(data.data, expected.data, data.len) == 0);
}

static enum err read_values(void *arg, struct db_tx *tx)
{
    struct arena *arena = arg;
    static const char id[16] = {1, 0, (char)255};
    AUTO_STMT row = NULL;
    enum err err = db_query(tx, "SELECT n, word, data FROM item ORDER BY id", DB_NO_ARGS, &row);
    if (err) return err;
    check_row(row, arena, 0, NULL, (struct str){NULL, 0});
    assert(db_get_null(row, "n"));
    check_row(row, arena, INT64_MIN, "Привет", (struct str){id, 16});
    check_row(row, arena, INT64_MAX, "", STR(""));
    check_row(row, arena, -1, NULL, STR("a\0b"));
    check_row(row, arena, 0, "5", (struct str){NULL, 0});
    assert(db_get_null(row, "n"));
    assert(db_step(row) == ERR_NOT_FOUND);
    return ERR_OK;
}

static void values_come_back(struct store *store)
{
    store_write(store, insert_values, NULL);
    store_read(store, read_values, &store->arena);
}

enum { BLOBS = 300, BLOB_SIZE = 30000 };

static enum err insert_blobs(void *arg, struct db_tx *tx)
{
    const char *bytes = arg;
    struct db_arg args[BLOBS * 2];
    for (size_t i = 0; i < BLOBS; i++) {
        args[i * 2] = db_int((int64_t)i);
        args[i * 2 + 1] = db_blob((struct str){bytes + i, i == 7 ? 20 * BLOB_SIZE : BLOB_SIZE});
    }
    int64_t changed[BLOBS];
    enum err err =
        db_exec_many(tx, "INSERT INTO item (id, data) VALUES ($1, $2)", args, 2, BLOBS, changed);
    for (size_t i = 0; !err && i < BLOBS; i++)
        assert(changed[i] == 1);
    return err;
}

static void large_rows_come_back(struct store *store)
{
    char *bytes = arena_alloc(&store->arena, BLOBS + 20 * BLOB_SIZE);
    for (size_t i = 0; i < BLOBS + 20 * BLOB_SIZE; i++)
        bytes[i] = (char)(i * 7 + i / 256);
    store_write(store, insert_blobs, bytes);
    assert_int_equal(store_number(store, "SELECT SUM(LENGTH(data)) AS n FROM item"),
                     (BLOBS + 19) * BLOB_SIZE);
}

/* --- Failures --- */

static enum err insert_rows_and_go_on(void *arg, struct db_tx *tx)
{
    struct rows *rows = arg;
    enum err err = db_exec_many(tx, item_insert_sql, rows->args, 2, rows->count, rows->changed);
    assert(err == rows->expected);
    /* On PostgreSQL the transaction is over, on SQLite the rows before it are there. */
    enum err next = db_exec(tx, item_insert_sql, DB_ARGS(db_int(-5), db_int(0)), NULL);
    assert(strcmp(db_sql(tx, "", "PostgreSQL"), "") == 0 ? !next : next == err);
    return err;
}

static int64_t backend(struct store *store)
{
    return store->engine == DB_POSTGRES ? store_number(store, "SELECT pg_backend_pid() AS n") : 0;
}

static void a_row_that_is_taken_fails_all(struct store *store)
{
    static const size_t places[] = {0, 1, 5, 511, 512, 700, 1999};
    use_one_connection(store);
    int64_t before = backend(store);
    struct rows *known = rows_new(100000, 1);
    store_write(store, insert_rows, known);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct rows *rows = rows_new(0, 2000);
        rows->args[places[i] * 2] = db_int(100000);
        rows->expected = ERR_UNIQUE;
        assert_int_equal(db_run(store->db, false, insert_rows_and_go_on, rows), ERR_UNIQUE);
        assert_int_equal(store_number(store, item_count_sql), 1);
        free(rows);
    }
    struct rows *good = rows_new(0, 2000);
    store_write(store, insert_rows, good);
    assert_int_equal(store_number(store, item_count_sql), 2001);
    assert_int_equal(backend(store), before); /* the connection was left in order */
    free(known);
    free(good);
}

static enum err hush_a_bug(void *arg, struct db_tx *tx)
{
    struct rows *rows = arg;
    enum err err = db_exec_many(tx, "INSERT INTO item (id, word) VALUES ($1, $2)", rows->args, 2,
                                rows->count, NULL);
    assert(err == ERR_INTERNAL);
    err = db_exec_many(tx, "INSERT INTO nowhere (id, word) VALUES ($1, $2)", rows->args, 2,
                       rows->count, NULL);
    assert(err == ERR_INTERNAL);
    return ERR_OK;
}

/* Two times the same key, and a value that the column does not take. */
static void a_bug_is_the_error_of_the_transaction(struct store *store)
{
    use_one_connection(store);
    struct rows *rows = rows_new(0, 1000);
    for (size_t i = 0; i < 1000; i++)
        rows->args[i * 2 + 1] = db_text("word");
    rows->args[600 * 2] = db_blob(STR("no number"));
    assert_int_equal(db_run(store->db, false, hush_a_bug, rows), ERR_INTERNAL);
    assert_int_equal(store_number(store, item_count_sql), 0);
    free(rows);
}

/* --- Together with other statements --- */

static enum err mix(void *arg, struct db_tx *tx)
{
    struct rows *rows = arg;
    enum err err = ERR_OK;
    for (int64_t i = 0; !err && i < 60; i++)
        err = db_exec_later(tx, item_insert_sql, DB_ARGS(db_int(50000 + i), db_int(i)));
    if (!err) err = db_exec_later(tx, "UPDATE item SET n = 1 WHERE id >= 50000", DB_NO_ARGS);
    if (!err) err = insert_rows(rows, tx); /* the same statement, after another one */
    for (int64_t i = 0; !err && i < 10; i++)
        err = db_exec_later(tx, update_sql, DB_ARGS(db_int(i), db_int(1)));
    int64_t changed = 0;
    if (!err) err = db_exec(tx, update_sql, DB_ARGS(db_int(10), db_int(1)), &changed);
    assert(err || changed == 2);
    if (!err) err = db_exec_many(tx, update_sql, rows->args, 2, rows->count, rows->changed);
    return err;
}

static void other_statements_stand_before_and_behind(struct store *store)
{
    struct rows *rows = rows_new(0, 1500);
    store_write(store, mix, rows);
    for (size_t i = 0; i < 1500; i++)
        assert_int_equal(rows->changed[i], i == 1499 ? 1 : 2);
    for (size_t i = 0; i < 100; i++) /* counts of what stood before are nobody's */
        assert_int_equal(rows->untouched[i], 0);
    assert_int_equal(store_number(store, item_count_sql), 1560);
    assert_int_equal(store_number(store, "SELECT SUM(n) AS n FROM item WHERE id >= 50000"), 60);
    free(rows);
}

static enum err later_fails(void *arg, struct db_tx *tx)
{
    struct rows *rows = arg;
    enum err err = db_exec_later(tx, item_insert_sql, DB_ARGS(db_int(1), db_int(0)));
    if (!err) err = db_exec_later(tx, item_insert_sql, DB_ARGS(db_int(1), db_int(0)));
    if (!err) err = insert_rows(rows, tx);
    assert(err == ERR_UNIQUE);
    return err;
}

static void what_failed_before_is_told(struct store *store)
{
    use_one_connection(store);
    struct rows *rows = rows_new(100, 1000);
    for (int i = 0; i < 3; i++)
        assert_int_equal(db_run(store->db, false, later_fails, rows), ERR_UNIQUE);
    store_write(store, insert_rows, rows);
    free(rows);
}

/* A statement that is run again and again within a transaction, and the next one begins with it. */
static enum err alternate(void *arg, struct db_tx *tx)
{
    static const char sum_sql[] = "SELECT SUM(n) AS n FROM item WHERE id < $1";
    int64_t *first = arg;
    for (int64_t i = 0; i < 20; i++) {
        enum err err = db_exec(tx, item_insert_sql, DB_ARGS(db_int(*first + i), db_int(1)), NULL);
        if (!err && i % 5 == 0)
            err = db_exec(tx, item_insert_sql, DB_ARGS(db_int(-1 - *first - i), db_int(0)), NULL);
        AUTO_STMT row = NULL;
        if (!err) err = db_query_one(tx, sum_sql, DB_ARGS(db_int(*first + i + 1)), &row);
        AUTO_STMT again = NULL;
        if (!err) err = db_query_one(tx, sum_sql, DB_ARGS(db_int(*first + i)), &again);
        if (err) return err;
        assert(db_get_int(row, "n") == *first + i + 1);
        assert(db_get_int(again, "n") == *first + i);
    }
    *first += 20;
    return ERR_OK;
}

static void statements_repeat_and_alternate(struct store *store)
{
    use_one_connection(store);
    int64_t first = 0;
    for (int i = 0; i < 5; i++)
        store_write(store, alternate, &first);
    assert_int_equal(store_number(store, "SELECT SUM(n) AS n FROM item"), 100);
    assert_int_equal(store_number(store, "SELECT SUM(n) AS n FROM item"), 100);
}

/* --- PostgreSQL --- */

struct breaking {
    struct rows *rows;
    const char *sql;
    int runs, faults;
};

static enum err break_at_first(void *arg, struct db_tx *tx)
{
    struct breaking *breaking = arg;
    struct rows *rows = breaking->rows;
    rows->args[1100 * 2 + 1] = db_int(++breaking->runs <= breaking->faults ? -1 : 7);
    enum err err = insert_rows(rows, tx);
    return err ? err : db_exec_many(tx, breaking->sql, rows->args, 2, rows->count, NULL);
}

static void make_breaker(struct store *store)
{
    use_one_connection(store);
    store_admin(store, "CREATE FUNCTION break(n BIGINT, code TEXT) RETURNS BIGINT LANGUAGE plpgsql "
                       "AS $$ BEGIN IF n < 0 THEN RAISE EXCEPTION 'broken' USING ERRCODE = code; "
                       "END IF; RETURN n; END $$");
}

static void the_code_of_a_row_decides(struct store *store)
{
    static const struct {
        const char *sql;
        int runs;
        enum err err;
    } rows_of_codes[] = {
        {"SELECT break($2, '40001') WHERE $1 >= CAST(0 AS BIGINT)", 2, ERR_OK},
        {"SELECT break($2, '40P01') WHERE $1 >= CAST(0 AS BIGINT)", 2, ERR_OK},
        {"SELECT break($2, '08006') WHERE $1 >= CAST(0 AS BIGINT)", 2, ERR_OK},
        {"SELECT break($2, '23505') WHERE $1 >= CAST(0 AS BIGINT)", 1, ERR_UNIQUE},
        {"SELECT break($2, '57014') WHERE $1 >= CAST(0 AS BIGINT)", 1, ERR_STORAGE_UNAVAILABLE},
        {"SELECT break($2, '22000') WHERE $1 >= CAST(0 AS BIGINT)", 1, ERR_INTERNAL},
    };
    make_breaker(store);
    struct rows *rows = rows_new(0, 2000);
    for (size_t i = 0; i < sizeof rows_of_codes / sizeof *rows_of_codes; i++) {
        struct breaking breaking = {.rows = rows, .sql = rows_of_codes[i].sql, .faults = 1};
        enum err err = db_run(store->db, false, break_at_first, &breaking);
        assert_int_equal(err, rows_of_codes[i].err);
        assert_int_equal(breaking.runs, rows_of_codes[i].runs);
        assert_int_equal(store_number(store, item_count_sql), err ? 0 : 2000);
        store_admin(store, "DELETE FROM item");
    }
    free(rows);
}

static void a_connection_lost_between_rows_runs_the_task_again(struct store *store)
{
    use_one_connection(store);
    struct rows *rows = rows_new(0, 2000);
    struct breaking breaking = {
        .rows = rows,
        .sql = "SELECT pg_terminate_backend(pg_backend_pid()) WHERE $2 < CAST(0 AS BIGINT) "
               "AND $1 >= CAST(0 AS BIGINT)",
        .faults = 2,
    };
    store_write(store, break_at_first, &breaking);
    assert_int_equal(breaking.runs, 3);
    assert_int_equal(store_number(store, item_count_sql), 2000);
    free(rows);
}

static enum err insert_unless_there(void *arg, struct db_tx *tx)
{
    struct rows *rows = arg;
    enum err err = db_exec_many(tx,
                                "INSERT INTO item (id, n) SELECT CAST($1 AS BIGINT), "
                                "CAST($2 AS BIGINT) "
                                "WHERE NOT EXISTS (SELECT 1 FROM item WHERE id = $1)",
                                rows->args, 2, rows->count, rows->changed);
    if (err) return err;
    AUTO_STMT row = NULL;
    err = db_query_one(tx,
                       "SELECT COALESCE(SUM(seq_tup_read), 0) AS n FROM pg_stat_xact_user_tables "
                       "WHERE relname = 'item' AND schemaname = current_schema()",
                       DB_NO_ARGS, &row);
    if (err) return err;
    assert(db_get_int(row, "n") < ROWS_MAX * INT64_C(200));
    return ERR_OK;
}

/* Reading all of a table is right while it is empty, and is not done for ever. */
static void a_plan_does_not_outlive_its_reasons(struct store *store)
{
    store_admin(store, "INSERT INTO item (id) VALUES (-1), (-2)");
    store_admin(store, "VACUUM ANALYZE item");
    struct rows *rows = rows_new(0, ROWS_MAX);
    store_write(store, insert_unless_there, rows);
    assert_int_equal(store_number(store, item_count_sql), ROWS_MAX + 2);
    free(rows);
}

int main(void)
{
    static const struct store_case cases[] = {
        {"rows are inserted", rows_are_inserted},
        {"each row has its own count", each_row_has_its_own_count},
        {"rows that are there count nothing", rows_that_are_there_count_nothing},
        {"statements with rows run too", statements_with_rows_run_too},
        {"values come back", values_come_back},
        {"large rows come back", large_rows_come_back},
        {"a row that is taken fails all", a_row_that_is_taken_fails_all},
        {"a bug is the error of the transaction", a_bug_is_the_error_of_the_transaction},
        {"other statements stand before and behind", other_statements_stand_before_and_behind},
        {"what failed before is told", what_failed_before_is_told},
        {"statements repeat and alternate", statements_repeat_and_alternate},
        {"the code of a row decides", the_code_of_a_row_decides, STORE_POSTGRES},
        {"a connection lost between rows runs the task again",
         a_connection_lost_between_rows_runs_the_task_again, STORE_POSTGRES},
        {"a plan does not outlive its reasons", a_plan_does_not_outlive_its_reasons,
         STORE_POSTGRES},
    };
    return store_run_cases("db_many", item_migrations, 1, cases, sizeof cases / sizeof *cases);
}
