/*
 * kit/db: rows of arguments that are gathered for one statement: when they run, in which order,
 * and what each changed. What runs on a database thread checks with assert.
 */
#include "item_table.h"
#include "kit/db/rows.h"

#include <stdio.h>

enum { ROWS = 10, KEYS = 200 };

static enum err add_all(struct db_rows *rows, int64_t first, size_t count)
{
    enum err err = ERR_OK;
    for (int64_t i = 0; !err && i < (int64_t)count; i++)
        err = db_rows_add(rows, DB_ARGS(db_int(first + i), db_int(7)));
    return err;
}

/* --- When they run ---------------------------------------------------------------------------- */

static enum err count_items(struct db_tx *tx, int64_t *ret_count)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(tx, item_count_sql, DB_NO_ARGS, &stmt);
    if (!err) *ret_count = db_get_int(stmt, "n");
    return err;
}

static enum err fill_up(void *arg, struct db_tx *tx)
{
    struct db_rows rows = {.tx = tx, .arena = arg, .sql = item_insert_sql, .max = ROWS};
    int64_t count = -1;

    assert(db_rows_run(&rows) == ERR_OK);
    assert(add_all(&rows, 0, ROWS) == ERR_OK && count_items(tx, &count) == ERR_OK && count == 0);
    assert(add_all(&rows, ROWS, 1) == ERR_OK && count_items(tx, &count) == ERR_OK);
    assert(count == ROWS);
    return db_rows_run(&rows);
}

static void one_more_than_there_is_room_for_runs_the_others(struct store *store)
{
    store_write(store, fill_up, &store->arena);
    assert_count(store, "item WHERE n = 7", ROWS + 1);
}

/* --- What each changed ------------------------------------------------------------------------ */

static enum err update_known(void *arg, struct db_tx *tx)
{
    int64_t changed[3 * ROWS];
    struct db_rows rows = {
        .tx = tx, .arena = arg, .max = ROWS, .sql = item_insert_sql, .changed = changed};

    for (size_t i = 0; i < 3 * ROWS; i++)
        changed[i] = -1;
    assert(add_all(&rows, 0, 2 * ROWS) == ERR_OK && db_rows_run(&rows) == ERR_OK);
    for (size_t i = 0; i < 3 * ROWS; i++)
        assert(changed[i] == (i < 2 * ROWS ? 1 : -1));

    rows.sql = "UPDATE item SET n = n + $2 WHERE id = $1";
    rows.changed = changed;
    assert(add_all(&rows, ROWS, 3 * ROWS) == ERR_OK && db_rows_run(&rows) == ERR_OK);
    for (size_t i = 0; i < 3 * ROWS; i++)
        assert(changed[i] == (i < ROWS));
    return ERR_OK;
}

static void counts_stand_where_their_rows_were_added(struct store *store)
{
    store_write(store, update_known, &store->arena);
    assert_count(store, "item WHERE n = 14", ROWS);
}

/* --- In order of their keys ------------------------------------------------------------------- */

/* Keys whose order is not that of their addition; the last of each three is not stored. */
static struct uuid key_of(size_t i)
{
    return (struct uuid){.bytes = {(uint8_t)(i * 77 % KEYS), 0, 200, (uint8_t)i}};
}

static enum err write_by_key(void *arg, struct db_tx *tx)
{
    struct uuid keys[KEYS];
    int64_t changed[KEYS];
    struct db_rows stored = {
        .tx = tx,
        .arena = arg,
        .max = KEYS,
        .sql = "INSERT INTO item (data, id, n) VALUES ($1, $2, 0)",
    };
    struct db_rows written = {
        .tx = tx,
        .arena = arg,
        .max = KEYS / 2,
        .sql = "UPDATE item SET n = (SELECT MAX(n) + 1 FROM item) WHERE data = $1 AND id = $2",
        .is_by_key = true,
        .changed = changed,
    };

    for (size_t i = 0; i < KEYS; i++) {
        keys[i] = key_of(i);
        if (i % 3 < 2)
            assert(!db_rows_add(&stored, DB_ARGS(db_uuid(&keys[i]), db_int((int64_t)i))));
    }
    assert(!db_rows_run(&stored));
    for (size_t i = 0; i < KEYS; i++)
        assert(!db_rows_add(&written, DB_ARGS(db_uuid(&keys[i]), db_int((int64_t)i))));
    assert(!db_rows_run(&written));
    for (size_t i = 0; i < KEYS; i++)
        assert(changed[i] == (i % 3 < 2));
    return ERR_OK;
}

/* Each half has run by itself, in its own order. */
static void rows_run_in_order_of_their_keys(struct store *store)
{
    store_write(store, write_by_key, &store->arena);
    assert_count(store, "item WHERE n = 0", 0);
    for (int half = 0; half < 2; half++) {
        char sql[300];
        snprintf(sql, sizeof(sql),
                 "SELECT count(*) AS n FROM item AS a JOIN item AS b ON a.data < b.data"
                 " AND a.n > b.n WHERE a.id / %d = %d AND b.id / %d = %d",
                 KEYS / 2, half, KEYS / 2, half);
        assert_int_equal(store_number(store, sql), 0);
    }
}

int main(void)
{
    static const struct store_case cases[] = {
        STORE_CASE(one_more_than_there_is_room_for_runs_the_others),
        STORE_CASE(counts_stand_where_their_rows_were_added),
        STORE_CASE(rows_run_in_order_of_their_keys),
    };
    return store_run_cases("db_rows", item_migrations, 1, cases, sizeof cases / sizeof *cases);
}
