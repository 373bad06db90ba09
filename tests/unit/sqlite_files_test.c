/* kit/db on SQLite: a file that is cut off at the worst moment, right after a commit and before its
 * log is copied. */
#include "store.h"

#include <stdio.h>
#include <unistd.h>

static const struct db_migration migrations[] = {{
    .version = 1,
    .name = "0001_item",
    .store = "verification",
    .sqlite_sql = "CREATE TABLE item (id INTEGER PRIMARY KEY NOT NULL) STRICT",
    .postgres_sql = "",
}};

static const char topic[] = "item";

static enum err insert_one(void *arg, struct db_tx *tx)
{
    (void)arg;
    db_notify(tx, topic);
    return db_exec(tx, "INSERT INTO item DEFAULT VALUES", DB_NO_ARGS, NULL);
}

/* Subscribers hear of a commit while the writer has not yet looked at the file again. */
static void cut_off(void *arg)
{
    struct store *store = arg;
    char path[sizeof store->folder + sizeof "/herald.db"];

    snprintf(path, sizeof path, "%s/herald.db", store->folder);
    assert_int_equal(truncate(path, 0), 0);
}

static void expect_no_writes(struct store *store)
{
    for (int i = 0; i < 3; i++)
        assert_int_equal(db_run(store->db, false, insert_one, NULL), ERR_STORAGE_UNAVAILABLE);
}

static void a_file_cut_off_after_a_commit_is_noticed(struct store *store)
{
    db_subscribe(store->db, topic, cut_off, store);
    store_write(store, insert_one, NULL);
    expect_no_writes(store);
}

static void a_file_that_was_cut_off_is_not_made_long_again(struct store *store)
{
    store_close(store);
    store->options.log_pages = 1; /* the log is copied after each commit */
    store_open(store);
    db_subscribe(store->db, topic, cut_off, store);
    store_write(store, insert_one, NULL);
    expect_no_writes(store);
}

int main(void)
{
    static const struct store_case cases[] = {
        {"a file cut off after a commit is noticed", a_file_cut_off_after_a_commit_is_noticed,
         STORE_SQLITE},
        {"a file that was cut off is not made long again",
         a_file_that_was_cut_off_is_not_made_long_again, STORE_SQLITE},
    };
    return store_run_cases("sqlite files", migrations, 1, cases, sizeof cases / sizeof *cases);
}
