/*
 * kit/db on SQLite: whatever one transaction or one copy of the log writes, little of it waits for
 * the disk at any moment, so that nobody else's commit waits for all of it.
 */
#include "store.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    ROW_SIZE = 100 * 1000,
    ROWS = 400,
    PORTION = 2 * 1024 * 1024,
    AT_ONCE_MAX = PORTION + 64 * 1024, /* and the page that fills it */
};

static const struct db_migration migrations[] = {{
    .version = 1,
    .name = "0001_item",
    .store = "verification",
    .sqlite_sql = "CREATE TABLE item (id INTEGER PRIMARY KEY NOT NULL, data BLOB) STRICT",
    .postgres_sql = "",
}};

static const char count_sql[] = "SELECT COUNT(*) AS n FROM item";

/* --- What SQLite asks of the system --- */

static atomic_long unsynced, most_unsynced, syncs, sync_to_fail;

static void watch(long failing)
{
    unsynced = most_unsynced = syncs = 0;
    sync_to_fail = failing;
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset)
{
    long now = atomic_fetch_add(&unsynced, (long)count) + (long)count;
    if (now > most_unsynced) most_unsynced = now;
    return syscall(SYS_pwrite64, fd, bytes, count, offset);
}

int fdatasync(int fd)
{
    unsynced = 0;
    if (++syncs != sync_to_fail) return (int)syscall(SYS_fdatasync, fd);
    errno = EIO;
    return -1;
}

/* --- Writing --- */

static enum err insert_rows(void *arg, struct db_tx *tx)
{
    static char bytes[ROW_SIZE];
    const int *rows = arg;
    enum err err = ERR_OK;
    for (int i = 0; !err && i < *rows; i++)
        err = db_exec(tx, "INSERT INTO item (data) VALUES ($1)",
                      DB_ARGS(db_blob((struct str){bytes, sizeof(bytes)})), NULL);
    return err;
}

static void a_long_transaction_goes_to_the_disk_in_portions(struct store *store)
{
    watch(0);
    store_write(store, insert_rows, &(int){ROWS});
    store_close(store); /* the log is copied: all that was written is written once more */
    assert_true(syncs >= 2 * (ROWS * ROW_SIZE / AT_ONCE_MAX));
    assert_in_range(most_unsynced, PORTION, AT_ONCE_MAX);
    store_open(store);
    assert_int_equal(store_number(store, count_sql), ROWS);
}

static void a_short_one_waits_once(struct store *store)
{
    store_write(store, insert_rows, &(int){1});
    watch(0);
    store_write(store, insert_rows, &(int){1});
    assert_int_equal(syncs, 1);
}

/* Wherever in the transaction that is. */
static void a_portion_that_is_not_durable_loses_the_transaction(struct store *store)
{
    for (long failing = 1; failing <= ROWS * ROW_SIZE / AT_ONCE_MAX; failing += 5) {
        watch(failing);
        assert_int_equal(db_run(store->db, false, insert_rows, &(int){ROWS}),
                         ERR_STORAGE_UNAVAILABLE);
        assert_int_equal(store_number(store, count_sql), 0);
    }
    watch(0);
    store_write(store, insert_rows, &(int){1});
    store_close(store);
    store_open(store);
    assert_int_equal(store_number(store, count_sql), 1);
    assert_int_equal(store_number(store, "SELECT COUNT(*) AS n FROM pragma_integrity_check "
                                         "WHERE integrity_check = 'ok'"),
                     1);
}

int main(void)
{
    static const struct store_case cases[] = {
        {"a long transaction goes to the disk in portions",
         a_long_transaction_goes_to_the_disk_in_portions, STORE_SQLITE},
        {"a short one waits once", a_short_one_waits_once, STORE_SQLITE},
        {"a portion that is not durable loses the transaction",
         a_portion_that_is_not_durable_loses_the_transaction, STORE_SQLITE},
    };
    return store_run_cases("db paced", migrations, 1, cases, sizeof cases / sizeof *cases);
}
