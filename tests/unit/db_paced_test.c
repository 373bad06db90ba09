/*
 * kit/db on SQLite: whatever one transaction or one copy of the log writes, little of it waits for
 * the disk at any moment, so that nobody else's commit waits for all of it; and pages go to the log
 * many at a time.
 */
#include "store.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    ROW_SIZE = 100 * 1000,
    ROWS = 400,
    PORTION = 2 * 1024 * 1024,
    GATHERED_MAX = 128 * 1024,
    AT_ONCE_MAX = PORTION + GATHERED_MAX, /* and what fills it */
    WRITE_LEAST = 64 * 1024,              /* bytes, on the average */
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
static atomic_long writes, write_to_fail; /* of the log; it is copied by its own writes, any time */

static bool is_log(int fd)
{
    char link[32], path[PATH_MAX];
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    ssize_t len = readlink(link, path, sizeof(path));
    return len > 4 && memcmp(path + len - 4, "-wal", 4) == 0;
}

/* Says which sync, and which write, fails; 0: none. */
static void watch(long failing_sync, long failing_write)
{
    unsynced = most_unsynced = syncs = writes = 0;
    sync_to_fail = failing_sync;
    write_to_fail = failing_write;
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset)
{
    if (is_log(fd) && ++writes == write_to_fail) {
        errno = ENOSPC;
        return -1;
    }
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
    watch(0, 0);
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
    watch(0, 0);
    store_write(store, insert_rows, &(int){1});
    assert_int_equal(syncs, 1);
}

static void pages_go_to_the_log_many_at_a_time(struct store *store)
{
    watch(0, 0);
    store_write(store, insert_rows, &(int){PORTION / ROW_SIZE});
    assert_in_range(writes, 1, PORTION / WRITE_LEAST);
}

static void assert_sound(struct store *store, int64_t rows)
{
    store_close(store);
    store_open(store);
    assert_int_equal(store_number(store, count_sql), rows);
    assert_int_equal(store_number(store, "SELECT COUNT(*) AS n FROM pragma_integrity_check "
                                         "WHERE integrity_check = 'ok'"),
                     1);
}

/* Whichever it is; what was gathered then shall not come to the log in the place of what follows.
 */
static void a_write_that_fails_loses_the_transaction(struct store *store)
{
    enum { WRITES_LEAST = PORTION / GATHERED_MAX / 2 };
    for (int failing = 1; failing <= WRITES_LEAST; failing++) {
        watch(0, failing);
        assert_int_not_equal(db_run(store->db, false, insert_rows, &(int){PORTION / ROW_SIZE}),
                             ERR_OK);
        store_write(store, insert_rows, &(int){1});
        assert_int_equal(store_number(store, count_sql), failing);
    }
    assert_sound(store, WRITES_LEAST);
}

/* Wherever in the transaction that is. */
static void a_portion_that_is_not_durable_loses_the_transaction(struct store *store)
{
    for (long failing = 1; failing <= ROWS * ROW_SIZE / AT_ONCE_MAX; failing += 5) {
        watch(failing, 0);
        assert_int_equal(db_run(store->db, false, insert_rows, &(int){ROWS}),
                         ERR_STORAGE_UNAVAILABLE);
        assert_int_equal(store_number(store, count_sql), 0);
    }
    watch(0, 0);
    store_write(store, insert_rows, &(int){1});
    assert_sound(store, 1);
}

int main(void)
{
    static const struct store_case cases[] = {
        {"a long transaction goes to the disk in portions",
         a_long_transaction_goes_to_the_disk_in_portions, STORE_SQLITE},
        {"a short one waits once", a_short_one_waits_once, STORE_SQLITE},
        {"pages go to the log many at a time", pages_go_to_the_log_many_at_a_time, STORE_SQLITE},
        {"a write that fails loses the transaction", a_write_that_fails_loses_the_transaction,
         STORE_SQLITE},
        {"a portion that is not durable loses the transaction",
         a_portion_that_is_not_durable_loses_the_transaction, STORE_SQLITE},
    };
    return store_run_cases("db paced", migrations, 1, cases, sizeof cases / sizeof *cases);
}
