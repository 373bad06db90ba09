/*
 * The SQLite engine has one writer thread, which commits in groups, and readers beside it.
 *
 * A group commit takes all waiting writes, runs them in one transaction, each behind the first in a
 * savepoint, commits once with an fsync, and only then lets any answer go. The writer never waits
 * for more writes to come.
 *
 * After a failed commit nothing is known about the frames in the log, so nothing of the batch is
 * acknowledged and the writing connection is dropped. The readers stay open: the shared index that
 * they map does not name those frames, so the next commit overwrites them (see pragmas_reader).
 */
#include "kit/db/sqlite.h"

#include "kit/base/clock.h"
#include "kit/base/must.h"
#include "kit/base/thread.h"
#include "kit/db/migrate.h"
#include "kit/db/sqlite_heap.h"

#include <stdlib.h>
#include <unistd.h>

enum {
    READ_BATCH_MAX = 16,
    READ_BATCH_MS = 20,         /* after that time, tasks that go ahead may come before the rest */
    CHECKPOINT_PAGES = 200,     /* the default; the p99 of commits is that of checkpoints */
    LONG_LOG_PAGES = 16 * 1024, /* each time the log grew by so many, readers are awaited: */
    READERS_WAIT_MS = 100,
};

/* db_empty_log asks the writer to empty the log, and the writer answers. */
enum emptying { EMPTYING_NOT, EMPTYING_ASKED, EMPTYING_DONE, EMPTYING_READ };

struct sqlite_db {
    struct db base;
    char *path;
    int lock_fd;
    struct sqlite_files files;
    struct sqlite_conn *writer; /* NULL after a failed commit, until it is opened again */
    int log_pages;              /* the length of the write-ahead log after the last commit */
    int log_pages_max;          /* at that length it is copied */
    int log_pages_long;         /* at that length readers are awaited, so that it begins anew */
    bool is_beside;             /* another process may hold the file; there is no writer */
    bool has_written;           /* the last commit touched the file; one without changes does not */
    atomic_int emptying;        /* enum emptying */
    pthread_t writer_thread;
    struct sqlite_reader *readers;
    size_t reader_count;
};

struct sqlite_reader {
    struct sqlite_db *db;
    struct sqlite_conn *conn;
    pthread_t thread;
};

/* --- Troubles of the writer --- */

static void troubled(struct sqlite_db *db, const char *sentence, const char *detail)
{
    if (!atomic_exchange(&db->base.is_troubled, true)) db_log(true, sentence, detail);
}

static void writer_troubled(struct sqlite_db *db, const char *detail)
{
    troubled(db, "SQLite could not write; its connection is opened anew.", detail);
}

/* Tells whether all files are where they were. */
static bool files_are_there(struct sqlite_db *db)
{
    const char *missing = db->is_beside ? NULL : sqlite_files_missing(&db->files);

    if (!missing) return true;
    troubled(db,
             "A database file is no longer there; put it back, or stop herald: until then nothing "
             "is written.",
             missing);
    return false;
}

static bool file_is_whole(struct sqlite_db *db)
{
    if (!sqlite_files_are_cut(&db->files)) return true;
    troubled(db,
             "A part of the database file was cut off; stop herald and restore a backup: until "
             "then nothing is written.",
             db->path);
    return false;
}

static void writer_drop(struct sqlite_db *db)
{
    if (!db->writer) return;
    writer_troubled(db, sqlite3_errmsg(db->writer->handle));
    sqlite3_db_config(db->writer->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    sqlite_conn_close(db->writer);
    db->writer = NULL;
}

static int count_log_pages(void *arg, sqlite3 *handle, const char *name, int pages)
{
    struct sqlite_db *db = arg;
    (void)handle, (void)name;
    db->log_pages = pages;
    db->has_written = true;
    return SQLITE_OK;
}

static enum err writer_open(struct sqlite_db *db, struct buf *why)
{
    enum err err = sqlite_conn_open(db->path, false, &db->writer, why);
    if (err) return err;
    sqlite3_wal_hook(db->writer->handle, count_log_pages, db);
    return ERR_OK;
}

static bool writer_is_ready(struct sqlite_db *db)
{
    if (db->writer) return true;
    char text[DB_WHY_MAX];
    struct buf why;
    buf_init(&why, sizeof text - 1);
    enum err err = writer_open(db, &why);
    if (err) {
        snprintf(text, sizeof text, "%.*s", (int)why.len, why.data);
        writer_troubled(db, text);
    }
    buf_done(&why);
    return !err;
}

/* --- One task --- */

/* Statements that a run left open would hold up the savepoint and the commit. */
static enum err run_once(struct sqlite_tx *tx, struct db_task *task)
{
    tx->base = (struct db_tx){.db = tx->base.db, .is_read = task->is_read};
    enum err err = task->run(task, &tx->base);
    db_tx_close_statements(&tx->base);
    return err ? err : tx->base.broken;
}

static bool run_all(struct sqlite_conn *conn, const char *first, const char *second)
{
    return sqlite_conn_step(conn, first) == SQLITE_OK &&
           sqlite_conn_step(conn, second) == SQLITE_OK;
}

static bool task_end(struct sqlite_conn *conn, bool is_alone, bool is_kept)
{
    if (is_alone) return is_kept || run_all(conn, "ROLLBACK", "BEGIN IMMEDIATE");
    if (is_kept) return sqlite_conn_step(conn, "RELEASE task") == SQLITE_OK;
    return run_all(conn, "ROLLBACK TO task", "RELEASE task");
}

/* Runs a task so that it may fail without those before it in the transaction. If it `is_alone`, it
 * needs no savepoint, for which SQLite would copy each page before it is changed. Returns false if
 * the whole transaction is lost. */
static bool run_apart(struct sqlite_tx *tx, struct db_task *task, bool is_alone, enum err *ret_err)
{
    enum err err;
    int tries = 0;
    do {
        if (!is_alone && sqlite_conn_step(tx->conn, "SAVEPOINT task")) return false;
        err = run_once(tx, task);
        /* SQLite itself rolls everything back on some failures, a full disk among them. */
        if (sqlite3_get_autocommit(tx->conn->handle)) return false;
        if (!task_end(tx->conn, is_alone, !err)) return false;
    } while (err == ERR_TX_RETRY && ++tries < DB_TRIES_MAX);
    *ret_err = err == ERR_TX_RETRY ? ERR_STORAGE_UNAVAILABLE : err;
    return true;
}

/* --- The writer --- */

static bool run_batch(struct sqlite_db *db, struct db_task *tasks, struct db_batch *batch)
{
    struct sqlite_tx tx = {.base.db = &db->base, .conn = db->writer};
    if (sqlite_conn_step(db->writer, "BEGIN IMMEDIATE")) return false;

    size_t i = 0;
    bool is_alone = true; /* no task before it is kept */
    for (struct db_task *task = tasks; task; task = task->next, i++) {
        if (!run_apart(&tx, task, is_alone, &batch->results[i])) return false;
        if (batch->results[i]) continue;
        is_alone = false;
        db_topics_add_all(&batch->topics, &tx.base.topics);
    }
    int64_t began_us = clock_monotonic_us();
    bool is_committed = sqlite_conn_step(db->writer, "COMMIT") == SQLITE_OK;
    if (is_committed) db_count_commit(&db->base, began_us);
    return is_committed;
}

/* Tells after a commit whether the disk has room. A commit that wrote nothing cannot tell; so in
 * times of trouble a page is written that changes nothing. */
static bool can_write(struct sqlite_db *db)
{
    static const char try_page[] = "BEGIN IMMEDIATE; PRAGMA user_version = 0; COMMIT";
    if (db->has_written || !atomic_load(&db->base.is_troubled)) return true;
    return sqlite_conn_run(db->writer, try_page) == SQLITE_OK;
}

/* Readers of the log's older part keep it from beginning anew; our own are done in a moment. A
 * reader that stays, such as a backup, is not awaited at each commit. */
static int wait_for_readers(struct sqlite_db *db, int mode)
{
    sqlite3 *handle = db->writer->handle;

    db->log_pages_long = db->log_pages + LONG_LOG_PAGES;
    sqlite3_busy_timeout(handle, READERS_WAIT_MS);
    int code = sqlite3_wal_checkpoint_v2(handle, NULL, mode, NULL, NULL);
    sqlite3_busy_timeout(handle, SQLITE_WAIT_MS);
    return code;
}

static int empty_log(struct sqlite_db *db)
{
    int code = wait_for_readers(db, SQLITE_CHECKPOINT_TRUNCATE);
    if (code == SQLITE_OK) db->log_pages = 0;
    atomic_store(&db->emptying, code == SQLITE_OK ? EMPTYING_DONE : EMPTYING_READ);
    return code;
}

/* Copies the log into the file, after the answers are on their way. */
static void checkpoint(struct sqlite_db *db)
{
    int code = SQLITE_OK;

    if (!file_is_whole(db)) return; /* what is copied would make it as long as it was */
    if (db->log_pages < LONG_LOG_PAGES) db->log_pages_long = LONG_LOG_PAGES;
    if (atomic_load(&db->emptying) == EMPTYING_ASKED)
        code = empty_log(db);
    else if (db->log_pages >= db->log_pages_long)
        code = wait_for_readers(db, SQLITE_CHECKPOINT_RESTART);
    else if (db->log_pages >= db->log_pages_max)
        code = sqlite3_wal_checkpoint_v2(db->writer->handle, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL,
                                         NULL);
    if (code != SQLITE_OK && (code & 0xff) != SQLITE_BUSY) writer_drop(db);
    sqlite_files_measure(&db->files);
}

static void write_batch(struct sqlite_db *db, struct db_task *tasks)
{
    struct db_batch batch = {0};
    db->has_written = false;
    bool is_sound = files_are_there(db) && file_is_whole(db);
    bool is_committed = is_sound && writer_is_ready(db) && run_batch(db, tasks, &batch);
    if (!is_committed && is_sound) writer_drop(db);

    /* A failed commit fails all, also those that were refused, since what they saw is gone. */
    db_end_tasks(tasks, is_committed ? batch.results : NULL);
    if (!is_committed) return;
    for (size_t i = 0; i < batch.topics.count; i++)
        db_call_subscribers(&db->base, batch.topics.names[i]);
    if (!can_write(db)) {
        writer_drop(db);
        return;
    }
    if (atomic_exchange(&db->base.is_troubled, false))
        db_log(false, "SQLite writes again.", db->path);
    checkpoint(db);
}

static void *writer_main(void *arg)
{
    struct sqlite_db *db = arg;
    struct db_task *tasks;
    while (db_queue_take(&db->base.writes, 1, DB_BATCH_MAX, &tasks))
        write_batch(db, tasks);
    return NULL;
}

static enum err run_nothing(void *arg, struct db_tx *tx)
{
    (void)arg, (void)tx;
    return ERR_OK;
}

/* The writer empties the log after a task, so it is done when a second task runs. */
static enum err sqlite_empty_log(struct db *base)
{
    struct sqlite_db *db = (struct sqlite_db *)base;
    atomic_store(&db->emptying, EMPTYING_ASKED);
    enum err err = db_run(base, false, run_nothing, NULL);
    if (!err) err = db_run(base, false, run_nothing, NULL);
    if (err) return err;
    return atomic_load(&db->emptying) == EMPTYING_DONE ? ERR_OK : ERR_OVERLOADED;
}

/* --- The readers --- */

/* Short reads that wait share a transaction. It begins after they were taken from the queue, so
 * each of them sees all that was acknowledged before it was submitted. They also notice a file that
 * is gone, since health reads often, and what is read was true. */
static void read_batch(struct sqlite_reader *reader, struct db_task *tasks)
{
    struct sqlite_tx tx = {.base.db = &reader->db->base, .conn = reader->conn};
    int64_t until_ms = clock_monotonic_ms() + READ_BATCH_MS;
    (void)files_are_there(reader->db);
    bool has_begun = sqlite_conn_step(reader->conn, "BEGIN") == SQLITE_OK;
    do {
        struct db_task *task = tasks;
        tasks = task->next;
        enum err err = has_begun ? run_once(&tx, task) : ERR_STORAGE_UNAVAILABLE;
        task->done(task, err == ERR_TX_RETRY ? ERR_STORAGE_UNAVAILABLE : err);
    } while (tasks && clock_monotonic_ms() < until_ms);
    if (tasks) db_queue_return(&reader->db->base.reads, tasks);
    /* A failure may have ended the transaction already. */
    if (!sqlite3_get_autocommit(reader->conn->handle)) sqlite_conn_step(reader->conn, "COMMIT");
}

static void *reader_main(void *arg)
{
    struct sqlite_reader *reader = arg;
    struct db_queue *queue = &reader->db->base.reads;
    struct db_task *tasks;
    while (db_queue_take(queue, reader->db->reader_count, READ_BATCH_MAX, &tasks))
        read_batch(reader, tasks);
    return NULL;
}

/* --- Opening and closing --- */

static void sqlite_db_free(struct sqlite_db *db)
{
    for (size_t i = 0; i < db->reader_count; i++)
        sqlite_conn_close(db->readers[i].conn);
    sqlite_conn_close(db->writer); /* last: it checkpoints and removes the log */
    if (db->lock_fd >= 0) close(db->lock_fd);
    db_done(&db->base);
    sqlite_files_done(&db->files);
    free(db->readers);
    free(db->path);
    free(db);
}

static void sqlite_close(struct db *base)
{
    struct sqlite_db *db = (struct sqlite_db *)base;
    if (!db->is_beside) pthread_join(db->writer_thread, NULL);
    for (size_t i = 0; i < db->reader_count; i++)
        pthread_join(db->readers[i].thread, NULL);
    sqlite_db_free(db);
}

static enum err open_beside(struct sqlite_db *db, const struct db_options *options, struct buf *why)
{
    enum err err = ERR_OK;

    for (size_t i = 0; !err && i < db->reader_count; i++) {
        db->readers[i].db = db;
        err = sqlite_conn_open_beside(db->path, &db->readers[i].conn, why);
    }
    return err ? err : schema_open(&sqlite_schema, db->readers[0].conn, options, why);
}

static enum err connections_open(struct sqlite_db *db, const struct db_options *options,
                                 struct buf *why)
{
    enum err err = sqlite_lock_file(db->path, &db->lock_fd, why);
    if (!err) err = writer_open(db, why);
    if (!err) err = schema_open(&sqlite_schema, db->writer, options, why);
    if (err) return err;
    /* The file or its log still holds what was erased before a kill or by a rewriting. */
    atomic_store(&db->emptying, EMPTYING_ASKED);
    checkpoint(db);
    for (size_t i = 0; !err && i < db->reader_count; i++) {
        db->readers[i].db = db;
        err = sqlite_conn_open(db->path, true, &db->readers[i].conn, why);
    }
    if (!err) sqlite_files_learn(&db->files, db->path, db->lock_fd);
    return err;
}

/* SQLite refuses these once it is in use, but then they are set already. */
static void set_memory(void)
{
    /* Nobody asks how much memory SQLite takes, and counting costs a lock each time. */
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
#ifndef HERALD_SANITIZED /* it sees what is used after it was freed, unless that is kept */
    sqlite3_config(SQLITE_CONFIG_MALLOC, &sqlite_heap_methods);
#endif
}

static enum err sqlite_open(const struct db_options *options, struct db **ret_db, struct buf *why)
{
    const char *path;
    enum err err = sqlite_path(options, &path, why);
    if (err) return err;

    assert(options->readers > 0 && !(options->is_beside && options->may_migrate));
    set_memory();
    struct sqlite_db *db = must_calloc(1, sizeof *db);
    db_init(&db->base, &sqlite_ops, options);
    db->base.has_reads = true;
    db->path = must_strdup(path);
    db->lock_fd = -1;
    db->files.fd = -1;
    db->log_pages_max = options->log_pages > 0 ? options->log_pages : CHECKPOINT_PAGES;
    db->reader_count = (size_t)options->readers;
    db->readers = must_calloc(db->reader_count, sizeof *db->readers);

    db->is_beside = options->is_beside;
    err = db->is_beside ? open_beside(db, options, why) : connections_open(db, options, why);
    if (err) {
        sqlite_db_free(db);
        return err;
    }
    if (!db->is_beside) thread_start(&db->writer_thread, "db-writer", writer_main, db);
    for (size_t i = 0; i < db->reader_count; i++)
        thread_start(&db->readers[i].thread, "db-reader", reader_main, &db->readers[i]);
    *ret_db = &db->base;
    return ERR_OK;
}

static const char *sqlite_library_version(struct arena *arena)
{
    return arena_text(arena, sqlite3_libversion());
}

const struct db_ops sqlite_ops = {
    .engine = DB_SQLITE,
    .has_one_writer = true,
    .open = sqlite_open,
    .close = sqlite_close,
    .library_version = sqlite_library_version,
    .migrate = sqlite_migrate,
    .empty_log = sqlite_empty_log,
    .exec = sqlite_exec,
    .exec_later = sqlite_exec_later,
    .exec_many = sqlite_exec_many,
    .query = sqlite_query,
    .step = sqlite_step,
    .close_stmt = sqlite_close_stmt,
    .column_name = sqlite_column_name_at,
    .is_null = sqlite_column_is_null,
    .get_int = sqlite_column_number,
    .get_bytes = sqlite_column_data,
};
