/*
 * kit/db on SQLite: the file and who may hold it, power cuts as far as kill -9 shows them, disks
 * that are full, and the settings that durability rests on.
 */
#include "kit/base/clock.h"
#include "sqlite_waits.h"
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct db_migration migrations[] = {{
    .version = 1,
    .name = "0001_item",
    .store = "verification",
    .sqlite_sql = "CREATE TABLE item (id INTEGER PRIMARY KEY NOT NULL, data BLOB) STRICT;"
                  "CREATE TABLE part (item_id INTEGER NOT NULL REFERENCES item (id)) STRICT",
    .postgres_sql = "",
}};

static const char count_sql[] = "SELECT COUNT(*) AS n FROM item";

static char *path_of(struct store *store, const char *name)
{
    return arena_printf(&store->arena, "%s/%s", store->folder, name);
}

static enum err insert_one(void *arg, struct db_tx *tx)
{
    return db_exec(tx, "INSERT INTO item (id) VALUES ($1)", DB_ARGS(db_int(*(int64_t *)arg)), NULL);
}

/* --- The file --- */

static mode_t mode_of(struct store *store, const char *name)
{
    struct stat status;
    if (stat(path_of(store, name), &status)) fail_msg("%s: %s", name, strerror(errno));
    return status.st_mode & 0777;
}

static void only_its_owner_reads_it(struct store *store)
{
    mode_t before = umask(0);
    store_close(store);
    assert_int_equal(chmod(path_of(store, "herald.db"), 0644), 0);
    store_open(store);
    int64_t id = 1;
    store_write(store, insert_one, &id);
    umask(before);
    assert_int_equal(mode_of(store, "herald.db"), 0600);
    assert_int_equal(mode_of(store, "herald.db-wal"), 0600);
    assert_int_equal(mode_of(store, "herald.db-shm"), 0600);
}

/* The exit code of a process of its own that opens the store. */
static int open_elsewhere(struct store *store)
{
    pid_t child = fork();
    if (child == 0) {
        struct buf why;
        buf_init(&why, 4096);
        struct db *db;
        enum err err = db_open(&store->options, &db, &why);
        if (!err) db_close(db);
        _exit(err ? 1 : 0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void a_second_process_is_refused(struct store *store)
{
    char *why = store_open_refused(&store->options);
    assert_non_null(strstr(why, path_of(store, "herald.db")));
    assert_non_null(strstr(why, "in use by another herald"));
    free(why);
    assert_int_equal(open_elsewhere(store), 1);

    int64_t id = 1;
    store_write(store, insert_one, &id); /* and the first is not disturbed */
    store_close(store);
    assert_int_equal(open_elsewhere(store), 0);
    store_open(store);
    assert_int_equal(store_number(store, count_sql), 1);
}

static enum err count_items(void *arg, struct db_tx *tx)
{
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(tx, count_sql, DB_NO_ARGS, &stmt);
    if (!err) *(int64_t *)arg = db_get_int(stmt, "n");
    return err;
}

/* Reads the store beside whoever holds it. */
static int64_t count_beside(struct store *store)
{
    struct db_options options = store->options;
    struct buf why;
    struct db *db;
    int64_t count = -1;

    options.may_migrate = false;
    options.is_beside = true;
    buf_init(&why, 4096);
    assert_int_equal(db_open(&options, &db, &why), ERR_OK);
    assert_int_equal(db_run(db, true, count_items, &count), ERR_OK);
    db_close(db);
    return count;
}

static void a_reader_beside_holds_nobody_up(struct store *store)
{
    for (int64_t id = 1; id <= 3; id++) {
        store_write(store, insert_one, &id);
        assert_int_equal(count_beside(store), id);
    }
    store_close(store);
    assert_int_equal(count_beside(store), 3);
    assert_int_not_equal(access(path_of(store, "herald.db-wal"), F_OK), 0);
    store_open(store);
}

static void write_file(const char *path, const char *bytes, size_t len, off_t offset)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, bytes, len, offset), len);
    close(fd);
}

static void assert_refused(struct store *store, const char *name, const char *sentence)
{
    struct db_options options = store->options;
    options.url = arena_printf(&store->arena, "sqlite:%s", name ? path_of(store, name) : "");
    char *why = store_open_refused(&options);
    if (!strstr(why, sentence)) fail_msg("expected '%s' in: %s", sentence, why);
    free(why);
}

static void what_cannot_be_opened_says_why(struct store *store)
{
    char garbage[4096];
    memset(garbage, 'x', sizeof garbage);
    write_file(path_of(store, "letter.db"), garbage, sizeof garbage, 0);
    assert_int_equal(mkdir(path_of(store, "folder.db"), 0700), 0);
    assert_refused(store, "letter.db", "is not a SQLite database");
    assert_refused(store, "folder.db", "Is a directory");
    assert_refused(store, "nowhere/herald.db", "Its folder must exist");
    assert_refused(store, NULL, "must name a file");

    store_close(store);
    write_file(path_of(store, "herald.db"), garbage, sizeof garbage - 100, 100);
    assert_refused(store, "herald.db", "is damaged");
    assert_int_equal(unlink(path_of(store, "herald.db")), 0);
    store_open(store);
}

static void another_url_says_what_is_allowed(struct store *store)
{
    struct db_options options = store->options;
    options.url = "mysql://root:hunter2@localhost/";
    char *why = store_open_refused(&options);
    assert_non_null(strstr(why, "sqlite:PATH"));
    assert_null(strstr(why, "hunter2"));
    free(why);
}

/* --- Settings --- */

struct setting {
    const char *sql;
    int64_t expected;
};

static enum err check_settings(void *arg, struct db_tx *tx)
{
    for (const struct setting *setting = arg; setting->sql; setting++) {
        AUTO_STMT row = NULL;
        enum err err = db_query_one(tx, setting->sql, DB_NO_ARGS, &row);
        if (err) return err;
        int64_t value = db_get_int(row, "n");
        if (value != setting->expected)
            fprintf(stderr, "%s: %lld\n", setting->sql, (long long)value);
        assert(value == setting->expected);
    }
    return ERR_OK;
}

static void the_writer_is_durable(struct store *store)
{
    static struct setting settings[] = {
        {"SELECT synchronous AS n FROM pragma_synchronous", 2},
        {"SELECT foreign_keys AS n FROM pragma_foreign_keys", 1},
        {"SELECT secure_delete AS n FROM pragma_secure_delete", 1},
        {"SELECT journal_mode = 'wal' AS n FROM pragma_journal_mode", 1},
        {NULL, 0},
    };
    store_write(store, check_settings, settings);
}

static enum err dangling(void *arg, struct db_tx *tx)
{
    (void)arg;
    return db_exec(tx, "INSERT INTO part (item_id) VALUES (77)", DB_NO_ARGS, NULL);
}

static void foreign_keys_are_kept(struct store *store)
{
    assert_int_equal(db_run(store->db, false, dangling, NULL), ERR_INTERNAL);
    assert_int_equal(store_number(store, "SELECT COUNT(*) AS n FROM part"), 0);
}

static void a_read_cannot_write(struct store *store)
{
    int64_t id = 1;
    assert_int_not_equal(db_run(store->db, true, insert_one, &id), ERR_OK);
    assert_int_equal(store_number(store, count_sql), 0);
}

/* --- A disk that is full --- */

static enum err insert_data(void *arg, struct db_tx *tx)
{
    return db_exec(tx, "INSERT INTO item (data) VALUES ($1)", DB_ARGS(db_blob(*(struct str *)arg)),
                   NULL);
}

static void limit_files(rlim_t size)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = size;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void a_failed_commit_is_not_acknowledged(struct store *store)
{
    enum { SIZE = 100 * 1000, LIMIT = 1000 * 1000 };
    static char bytes[SIZE];
    struct str data = {bytes, SIZE};
    int64_t kept = 0;
    limit_files(LIMIT);
    enum err err = ERR_OK;
    while (!err && kept < 100) {
        err = db_run(store->db, false, insert_data, &data);
        if (!err) kept++;
    }
    assert_int_equal(err, ERR_STORAGE_UNAVAILABLE);
    assert_int_equal(db_run(store->db, false, insert_data, &data), ERR_STORAGE_UNAVAILABLE);
    assert_int_equal(store_number(store, count_sql), kept); /* reads go on */

    limit_files(RLIM_INFINITY);
    store_write(store, insert_data, &data);
    assert_int_equal(store_number(store, count_sql), kept + 1);
    store_close(store);
    store_open(store);
    assert_int_equal(store_number(store, count_sql), kept + 1);
}

static enum err write_nothing(void *arg, struct db_tx *tx)
{
    (void)arg, (void)tx;
    return ERR_OK;
}

static void await_trouble(struct store *store, bool is_troubled)
{
    for (int i = 0; i < 3000 && db_is_troubled(store->db) != is_troubled; i++)
        sleep_ms(10);
    assert_int_equal(db_is_troubled(store->db), is_troubled);
}

/* Whoever only looked whether there is something to do has not shown that the disk has room. */
static void trouble_ends_with_a_write(struct store *store)
{
    enum { SIZE = 1000 * 1000, LIMIT = 100 * 1000 };
    static char bytes[SIZE];
    struct str data = {bytes, SIZE};
    bool is_told = true;
    assert_false(db_is_troubled(store->db));
    limit_files(LIMIT);
    assert_int_equal(db_run(store->db, false, insert_data, &data), ERR_STORAGE_UNAVAILABLE);
    limit_files(1);
    for (int i = 0; i < 3; i++) {
        store_write(store, write_nothing, NULL);
        sleep_ms(20);
        is_told = is_told && db_is_troubled(store->db);
    }
    limit_files(RLIM_INFINITY);
    assert_true(is_told);
    store_write(store, write_nothing, NULL);
    await_trouble(store, false);
}

static void a_full_disk_is_told_at_the_start(struct store *store)
{
    enum { NO_ROOM_FOR_THE_INDEX = 20 * 1000 };
    store_close(store);
    void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
    limit_files(NO_ROOM_FOR_THE_INDEX);
    assert_refused(store, "herald.db", "is full. Make room and start again.");
    limit_files(RLIM_INFINITY);
    signal(SIGXFSZ, before);
    store_open(store);
}

/* --- Kill -9 --- */

enum { KILL_ROUNDS = 20 };

struct acknowledged {
    struct db_task task;
    int64_t id;
    int fd;
};

static enum err write_id(struct db_task *task, struct db_tx *tx)
{
    return insert_one(&((struct acknowledged *)task)->id, tx);
}

static void acknowledge(struct db_task *task, enum err err)
{
    struct acknowledged *acknowledged = (struct acknowledged *)task;
    if (!err && write(acknowledged->fd, &acknowledged->id, sizeof acknowledged->id) < 0) _exit(2);
    free(acknowledged);
}

/* Writes ids from `first` on and acknowledges them, until it is killed. */
static void write_for_ever(struct store *store, int64_t first, int fd)
{
    struct buf why;
    buf_init(&why, 4096);
    if (db_open(&store->options, &store->db, &why)) _exit(3);
    for (int64_t id = first;;) {
        struct acknowledged *task = malloc(sizeof *task);
        if (!task) _exit(4);
        *task = (struct acknowledged){{.run = write_id, .done = acknowledge}, id, fd};
        if (db_submit(store->db, &task->task))
            free(task);
        else
            id++;
    }
}

/* Reads until the pipe ends, or until a time (0: none); returns how many bytes there are then. */
static size_t collect(int fd, char *bytes, size_t len, size_t size, int64_t until_ms)
{
    for (;;) {
        int64_t left_ms = until_ms ? until_ms - clock_monotonic_ms() : 20000;
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        if (left_ms <= 0 || poll(&ready, 1, (int)left_ms) <= 0) return len;
        ssize_t got = read(fd, bytes + len, size - len);
        if (got <= 0) return len;
        len += (size_t)got;
    }
}

/* The ids that a child acknowledges before it is killed, which happens in the midst of its work. */
static int64_t kill_and_collect(pid_t child, int fd, int delay_ms, int64_t *ids, size_t max)
{
    struct pollfd first = {.fd = fd, .events = POLLIN};
    assert_int_equal(poll(&first, 1, 20000), 1);
    size_t size = max * sizeof *ids;
    size_t len = collect(fd, (char *)ids, 0, size, clock_monotonic_ms() + delay_ms);
    assert_int_equal(kill(child, SIGKILL), 0);
    len = collect(fd, (char *)ids, len, size, 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_true(len < size);
    return (int64_t)(len / sizeof *ids);
}

struct ids {
    int64_t *ids;
    int64_t count;
};

static enum err find_all(void *arg, struct db_tx *tx)
{
    struct ids *ids = arg;
    for (int64_t i = 0; i < ids->count; i++) {
        AUTO_STMT row = NULL;
        enum err err = db_query_one(tx, "SELECT id FROM item WHERE id = $1",
                                    DB_ARGS(db_int(ids->ids[i])), &row);
        if (err) return err;
    }
    return ERR_OK;
}

static void a_killed_process_loses_nothing_acknowledged(struct store *store)
{
    enum { MAX = 1000 * 1000 };
    struct ids acknowledged = {.ids = calloc(MAX, sizeof(int64_t))};
    assert_non_null(acknowledged.ids);
    for (int round = 0; round < KILL_ROUNDS; round++) {
        store_close(store);
        int fds[2];
        assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
        pid_t child = fork();
        if (child == 0) write_for_ever(store, (int64_t)round * MAX + 1, fds[1]);
        close(fds[1]);
        acknowledged.count = kill_and_collect(child, fds[0], round * 3, acknowledged.ids, MAX);
        close(fds[0]);
        assert_true(acknowledged.count > 0);
        store_open(store);
        store_read(store, find_all, &acknowledged);
    }
    assert_int_equal(store_number(store, "SELECT COUNT(*) AS n FROM pragma_integrity_check "
                                         "WHERE integrity_check = 'ok'"),
                     1);
    free(acknowledged.ids);
}

/* --- A reader that stays --- */

enum { LONG_LOG_MB = 64, SMALL_WRITES = 40 };

static enum err insert_megabyte(void *arg, struct db_tx *tx)
{
    return db_exec(tx, "INSERT INTO item (id, data) VALUES ($1, zeroblob(1048576))",
                   DB_ARGS(db_int(*(int64_t *)arg)), NULL);
}

static void write_megabytes(struct store *store, int64_t *id, int count)
{
    for (int i = 0; i < count; i++, (*id)++)
        store_write(store, insert_megabyte, id);
}

static int64_t log_megabytes(struct store *store)
{
    struct stat status;
    assert_int_equal(stat(path_of(store, "herald.db-wal"), &status), 0);
    return status.st_size >> 20;
}

/* As `sqlite3` does while it makes a backup. */
static sqlite3 *begin_reading(struct store *store)
{
    sqlite3 *handle;
    int flags = SQLITE_OPEN_READONLY;
    assert_int_equal(sqlite3_open_v2(path_of(store, "herald.db"), &handle, flags, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(handle, "BEGIN; SELECT * FROM item", NULL, NULL, NULL),
                     SQLITE_OK);
    return handle;
}

static void a_reader_that_stays_holds_up_no_writes(struct store *store)
{
    int64_t id = 1;
    write_megabytes(store, &id, 1);
    sqlite3 *reader = begin_reading(store);
    write_megabytes(store, &id, LONG_LOG_MB + 4);
    int before = waits;
    for (int i = 0; i < SMALL_WRITES; i++, id++)
        store_write(store, insert_one, &id);
    assert_in_range(waits - before, 0, 1); /* for the reader, at each write */

    sqlite3_close(reader);
    write_megabytes(store, &id, LONG_LOG_MB);
    assert_true(log_megabytes(store) < LONG_LOG_MB * 3 / 2); /* it began anew */
    assert_int_equal(store_number(store, count_sql), id - 1);
}

/* --- What is erased --- */

enum { ERASED = 400, MARK_LEN = 32, LARGE_LEN = 9000, EMPTYING_MS = 1000 };

static const char marks[] = "0123456789abcdef";

/* Of row `id`: bytes that no other row has, all through its value. */
static void fill_mark(char mark[static MARK_LEN + 1], int64_t id)
{
    snprintf(mark, MARK_LEN + 1, "%s%016llx", marks, (unsigned long long)id * 0x9E3779B97F4A7C15u);
}

static size_t len_of(int64_t id)
{
    return id % 4 == 0 ? LARGE_LEN : (size_t)(id % 7 + 1) * MARK_LEN * 2;
}

static enum err insert_marked(void *arg, struct db_tx *tx)
{
    char data[LARGE_LEN + MARK_LEN], mark[MARK_LEN + 1];
    int64_t id = *(int64_t *)arg;
    size_t len = len_of(id);
    fill_mark(mark, id);
    for (size_t at = 0; at < len; at += MARK_LEN)
        memcpy(data + at, mark, MARK_LEN);
    return db_exec(tx, "INSERT INTO item (id, data) VALUES ($1, $2)",
                   DB_ARGS(db_int(id), db_blob((struct str){data, len})), NULL);
}

/* By turns as a code is erased and as the body of an order is. */
static enum err erase_marked(void *arg, struct db_tx *tx)
{
    int64_t id = *(int64_t *)arg;
    const char *sql =
        id % 2 ? "UPDATE item SET data = NULL WHERE id = $1" : "DELETE FROM item WHERE id = $1";
    return db_exec(tx, sql, DB_ARGS(db_int(id)), NULL);
}

/* Returns how many of the rows a file still has bytes of. */
static int rows_in(struct store *store, const char *name)
{
    char mark[MARK_LEN + 1];
    int found = 0;
    FILE *file = fopen(path_of(store, name), "re");
    assert_non_null(file);
    char *bytes = calloc(1, (size_t)64 << 20);
    assert_non_null(bytes);
    size_t len = fread(bytes, 1, (size_t)64 << 20, file);
    fclose(file);
    for (int64_t id = 1; id <= ERASED; id++) {
        fill_mark(mark, id);
        found += len > 0 && memmem(bytes, len, mark, MARK_LEN) != NULL;
    }
    free(bytes);
    return found;
}

static void what_is_erased_is_in_no_file(struct store *store)
{
    for (int64_t id = 1; id <= ERASED; id++)
        store_write(store, insert_marked, &id);
    assert_int_equal(db_empty_log(store->db), ERR_OK);
    assert_int_equal(rows_in(store, "herald.db"), ERASED);
    for (int64_t id = 1; id <= ERASED; id++) {
        int64_t scattered = id * 7 % ERASED + 1;
        store_write(store, erase_marked, &scattered);
    }
    assert_int_equal(db_empty_log(store->db), ERR_OK);
    assert_int_equal(rows_in(store, "herald.db"), 0);
    assert_int_equal(rows_in(store, "herald.db-wal"), 0);
    assert_int_equal(store_number(store, count_sql), ERASED / 2);
}

/* A backup, say: the log is emptied later, and nobody waits meanwhile. */
static void a_log_that_is_read_is_emptied_later(struct store *store)
{
    int64_t id = 1;
    write_megabytes(store, &id, 2);
    sqlite3 *reader = begin_reading(store);
    write_megabytes(store, &id, 2);
    int before = waits;
    assert_int_equal(db_empty_log(store->db), ERR_OVERLOADED);
    assert_int_equal(waits, before + 1);
    assert_in_range(wait_ms, 1, EMPTYING_MS);
    assert_true(log_megabytes(store) > 0);
    store_write(store, insert_one, &id);
    id++;
    sqlite3_close(reader);
    assert_int_equal(db_empty_log(store->db), ERR_OK);
    assert_int_equal(log_megabytes(store), 0);
    assert_int_equal(store_number(store, count_sql), id - 1);
    store_write(store, insert_one, &id);
    assert_int_equal(store_number(store, count_sql), id);
}

int main(void)
{
    static const struct store_case cases[] = {
        {"only its owner reads it", only_its_owner_reads_it, STORE_SQLITE},
        {"a second process is refused", a_second_process_is_refused, STORE_SQLITE},
        {"a reader beside holds nobody up", a_reader_beside_holds_nobody_up, STORE_SQLITE},
        {"what cannot be opened says why", what_cannot_be_opened_says_why, STORE_SQLITE},
        {"another url says what is allowed", another_url_says_what_is_allowed, STORE_SQLITE},
        {"the writer is durable", the_writer_is_durable, STORE_SQLITE},
        {"foreign keys are kept", foreign_keys_are_kept, STORE_SQLITE},
        {"a read cannot write", a_read_cannot_write, STORE_SQLITE},
        {"a failed commit is not acknowledged", a_failed_commit_is_not_acknowledged, STORE_SQLITE},
        {"trouble ends with a write", trouble_ends_with_a_write, STORE_SQLITE},
        {"a reader that stays holds up no writes", a_reader_that_stays_holds_up_no_writes,
         STORE_SQLITE},
        {"what is erased is in no file", what_is_erased_is_in_no_file, STORE_SQLITE},
        {"a log that is read is emptied later", a_log_that_is_read_is_emptied_later, STORE_SQLITE},
        {"a full disk is told at the start", a_full_disk_is_told_at_the_start, STORE_SQLITE},
        {"a killed process loses nothing acknowledged", a_killed_process_loses_nothing_acknowledged,
         STORE_SQLITE},
    };
    return store_run_cases("db on sqlite", migrations, 1, cases, sizeof cases / sizeof *cases);
}
