/*
 * The database runs one SQL text on two engines. A store is a set of tables: a file of its own on
 * SQLite, a part of one database on PostgreSQL.
 *
 * Work reaches the database as tasks. A task's `run` is one transaction, written top to bottom; it
 * may run twice, so it does nothing but SQL and memory. `done` is called once, after the commit is
 * durable or the transaction is rolled back, on a thread of the database; it must not block.
 *
 *   SQLite      one writer thread with the only writing connection: it takes all waiting writes (up
 *               to DB_BATCH_MAX) into one transaction, each behind the first in a savepoint,
 *               commits once (synchronous=FULL), then lets all answers go. Reads run on read-only
 *               connections.
 *   PostgreSQL  a pool of connections, opened when needed, a thread each; one transaction a task,
 * or a group of tasks that would wait for each other. It begins with the first statement that
 * writes or locks. Serialization failures, deadlocks and connections lost before COMMIT was sent
 * run the task again; a commit whose outcome is unknown ends in ERR_STORAGE_UNAVAILABLE. A server
 * that hangs is noticed within 2 s; its connections are given up then, and the next host is tried.
 *
 * On SQLite all statements of a read task see the same moment. On PostgreSQL each sees its own,
 * unless the task asks for one moment (is_whole), as db_run does.
 *
 * SQL keeps to the portable subset. Parameters are $1, $2 ..., columns are read by name. The types
 * are TEXT, BIGINT, INTEGER and BLOB (BYTEA on PostgreSQL). There is no now(), random(), serial or
 * trigger; core/store_clock.c alone asks a server for its clock. A statement that begins with
 * SELECT and has no FOR only reads; any other, also WITH, begins the transaction of a task that may
 * write. A task that reads sends SELECT and WITH only.
 */
#pragma once

#include "kit/base/arena.h"
#include "kit/base/buf.h"
#include "kit/base/err.h"
#include "kit/base/metric.h"
#include "kit/base/uuid.h"

enum {
    DB_BATCH_MAX = 64,
    DB_QUEUE_MAX = 8192,
    DB_SHARED_MAX = 512,
    DB_CONNECTIONS_MAX = 100,
    DB_TIMEOUT_MIN_MS = 1000,
    DB_TIMEOUT_MAX_MS = 15 * 1000,
    DB_SILENCE_MIN_MS = 1000,
    DB_SILENCE_MAX_MS = 60 * 1000,
    DB_LOOK_MS = 1000, /* a look that takes longer has no answer */
};

enum db_engine { DB_SQLITE, DB_POSTGRES };

struct db;
struct db_tx;
struct db_stmt;

/* One migration, compiled in from migrations/sqlite and migrations/postgres. */
struct db_migration {
    int version;       /* 1, 2, 3 ... without gaps */
    const char *name;  /* "0001_fleet" */
    const char *store; /* the store that it belongs to: "verification", "exchange" */
    const char *sqlite_sql;
    const char *postgres_sql;
};

struct db_options {
    const char *url;   /* sqlite:PATH or postgresql://... (libpq URI, several hosts allowed) */
    const char *store; /* its migrations are applied; NULL: all of them */
    int readers;       /* SQLite: threads for reads, at least 1 */
    /* SQLite: the log is copied into the file when it has so many pages of 4 KiB; 0: the default.
     * With a longer log a page that changes often is copied fewer times, but each copying takes
     * longer, and the writes behind it wait. */
    int log_pages;
    int connections; /* PostgreSQL: pool size at most, 1 to DB_CONNECTIONS_MAX */
    /* PostgreSQL: a store of the same database that is open and closes later: both share what
     * listens and what sees whether the server answers. NULL: this is the first one. */
    struct db *with;
    /* PostgreSQL: a bounded task ends within this time, DB_TIMEOUT_MIN_MS to DB_TIMEOUT_MAX_MS; 0:
     * the default of 5,000. */
    int timeout_ms;
    /* PostgreSQL: a server that has not answered for so long hangs, DB_SILENCE_MIN_MS to
     * DB_SILENCE_MAX_MS; 0: the default of 1,500. Of stores that share a lookout, the first one's.
     */
    int silence_ms;
    const struct db_migration *migrations;
    size_t migration_count;
    const struct metric
        *commits; /* counts how long commits take, in `commits_series`; NULL: none */
    size_t commits_series;
    /* SQLite: before this migration a file kept what was erased from it, so an older file is
     * rewritten once, which takes twice its size as free room. 0: no file did. */
    int rewrite_before;
    bool may_migrate; /* bring an older schema up to date; else ERR_STORAGE_UNAVAILABLE */
    /* SQLite: only reads, and leaves the file to the process that holds it. A write finds no
     * thread, so submit none. The file must be there. PostgreSQL: makes no difference. */
    bool is_beside;
};

/* Opens the store and starts its threads. On failure `why` says in a sentence what is wrong and
 * what to do. A SQLite file that another process holds is refused. */
enum err db_open(const struct db_options *options, struct db **ret_db, struct buf *why) MUST_CHECK;
/* Finishes what is queued, then closes. */
void db_close(struct db *db);
enum db_engine db_engine_of(const struct db *db);
/* Returns the version of the library of an engine that runs, in the arena. */
const char *db_library_version(enum db_engine engine, struct arena *arena);
/* Tells whether all writes go through one thread (SQLite). Then a task that mostly finds nothing to
 * write should look first as a read. */
bool db_has_one_writer(const struct db *db);
/* Tells whether the database has begun the transaction for sure. PostgreSQL begins it with the
 * first statement that writes or locks, and ends it within 15 s if this process stands still. */
bool db_has_begun(const struct db_tx *tx);

/* Returns how many tasks wait for a thread of the database. Any thread may ask. */
size_t db_queue_length(struct db *db);

/* Tells whether the database cannot be written. SQLite: a write failed, as on a full disk, and none
 * went well since. PostgreSQL: its disk was full within the last 10 s. Any thread may ask. */
bool db_is_troubled(const struct db *db);

/* Adds a sentence with the server's own words where it last took no connection; nothing otherwise.
 * Any thread may ask. */
void db_explain(struct db *db, struct buf *why);

/* SQLite: copies the log into the file and empties it, so that what was erased is in neither;
 * db_open does so once. It waits for the writer, and holds it up for 100 ms at most beside the
 * copying. Returns ERR_OVERLOADED while a reader such as a backup still needs the log; ask again
 * later. PostgreSQL: does nothing, since the log is the server's. Not for database threads. */
enum err db_empty_log(struct db *db) MUST_CHECK;

/* Gives the version of the schema and the newest known one, for `herald migrate`. */
enum err db_migrate(const struct db_options *options, bool apply, int *ret_version, int *ret_newest,
                    struct buf *why) MUST_CHECK;

struct db_task {
    enum err (*run)(struct db_task *task, struct db_tx *tx);
    void (*done)(struct db_task *task, enum err err);
    bool is_read;  /* it writes nothing, so it may run beside the writer */
    bool is_whole; /* all statements of a read see the same moment, as on SQLite */
    bool is_ahead; /* it goes before all that wait, and finds room in a full queue */
    /* A request waits for it: on PostgreSQL it ends within db_options.timeout_ms, in
     * ERR_STORAGE_UNAVAILABLE where the server has not answered by then. Any other task ends when
     * it is done, or when its connection is found to be dead. */
    bool is_bounded;
    int64_t deadline_ms; /* on the monotonic clock; 0: db_submit sets it for a bounded task */
    int tries;           /* how often it ran; the engine counts */
    /* Writes of one group lock the same row first, and so would wait for each other. On PostgreSQL
     * they run one behind the other, and those that wait share a transaction, as all writes do on
     * SQLite. 0: it is in no group. */
    uint64_t group;
    struct db_task *next; /* for the queue */
};

/* Queues a task, whose `done` will be called. Returns ERR_OVERLOADED if the queue is full and
 * ERR_STORAGE_UNAVAILABLE after db_close began; then `done` is not called. Any thread may submit. A
 * task that is submitted a second time, as a write, keeps its deadline. */
enum err db_submit(struct db *db, struct db_task *task) MUST_CHECK;

/* Runs a task and waits for its end; for start-up, jobs and tests. Not for database threads. */
enum err db_run(struct db *db, bool is_read, enum err (*run)(void *arg, struct db_tx *tx),
                void *arg) MUST_CHECK;

/* Reads ahead of all tasks that wait, so it tells how well the database is and not how busy. On
 * PostgreSQL it has a connection of its own. Returns ERR_STORAGE_UNAVAILABLE after DB_LOOK_MS. Not
 * for database threads. */
enum err db_look(struct db *db, enum err (*run)(void *arg, struct db_tx *tx), void *arg) MUST_CHECK;

/* Once a transaction that called db_notify has committed, every subscriber of the topic is called,
 * in every process. On PostgreSQL the topic is a channel of NOTIFY, whose hints can be lost; so
 * poll as well. Callbacks run on a database thread and must not block. `topic` is a literal. */
void db_notify(struct db_tx *tx, const char *topic);
void db_subscribe(struct db *db, const char *topic, void (*fn)(void *arg), void *arg);

/* A parameter of a statement. Text and blobs are borrowed until the call returns; a NULL pointer
 * binds NULL. */
struct db_arg {
    enum { DB_NULL, DB_INT, DB_TEXT, DB_BLOB } type;
    int64_t number;
    const void *data;
    size_t len;
};

static inline struct db_arg db_null(void)
{
    return (struct db_arg){.type = DB_NULL};
}
static inline struct db_arg db_int(int64_t value)
{
    return (struct db_arg){.type = DB_INT, .number = value};
}
static inline struct db_arg db_text(const char *text)
{
    return (struct db_arg){
        .type = text ? DB_TEXT : DB_NULL, .data = text, .len = text ? strlen(text) : 0};
}
static inline struct db_arg db_str(struct str text)
{
    return (struct db_arg){
        .type = text.data ? DB_TEXT : DB_NULL, .data = text.data, .len = text.len};
}
static inline struct db_arg db_blob(struct str bytes)
{
    return (struct db_arg){
        .type = bytes.data ? DB_BLOB : DB_NULL, .data = bytes.data, .len = bytes.len};
}
static inline struct db_arg db_uuid(const struct uuid *id)
{
    return (struct db_arg){.type = id ? DB_BLOB : DB_NULL, .data = id, .len = id ? 16 : 0};
}
/* Binds NULL for 0; for times and counts that may be absent. */
static inline struct db_arg db_int_or_null(int64_t value)
{
    return (struct db_arg){.type = value ? DB_INT : DB_NULL, .number = value};
}

/* Gives $1, $2 ... in order, at most 64: DB_ARGS(db_uuid(&id), db_int(now_ms)); or DB_NO_ARGS. */
#define DB_ARGS(...)                      \
    (const struct db_arg[]){__VA_ARGS__}, \
        sizeof((const struct db_arg[]){__VA_ARGS__}) / sizeof(struct db_arg)
#define DB_NO_ARGS NULL, 0

/* Gives memory in which a task of a group leaves what it read for those behind it, so that they
 * need not read it again: all of them came before it was read. It is zeroed at first, holds `size`
 * bytes, DB_SHARED_MAX at most, and lives as long as the transaction. `owner` is any address that
 * only those have who know what lies there. Returns NULL for a task that shares its transaction
 * with none, for another owner than the first, and on SQLite, where other writes may lie between.
 */
void *db_shared(struct db_tx *tx, const void *owner, size_t size);

/* Runs a statement without rows. `ret_changed` (may be NULL) counts the rows inserted, updated or
 * deleted. Returns ERR_UNIQUE if a unique key is taken (on PostgreSQL the transaction is over then,
 * so prefer ON CONFLICT), ERR_TX_RETRY, which `run` has to return, or ERR_STORAGE_UNAVAILABLE.
 * `sql` must be a literal or otherwise live for ever: SQLite's prepared statements are kept by its
 * address. */
enum err db_exec(struct db_tx *tx, const char *sql, const struct db_arg *args, size_t arg_count,
                 int64_t *ret_changed) MUST_CHECK;

/* Runs a statement on whose outcome nothing depends before the commit. PostgreSQL gets it together
 * with the next one, and the answer is not waited for; SQLite runs it at once. A failure comes from
 * here, from a later statement, or as the error of the whole transaction. */
enum err db_exec_later(struct db_tx *tx, const char *sql, const struct db_arg *args,
                       size_t arg_count) MUST_CHECK;

/* Runs one statement `row_count` times. `args` holds `arg_count` arguments (at least 1) for each
 * row, one row behind the other. PostgreSQL parses the statement once and does not wait between the
 * rows. `ret_changed` (may be NULL) gets `row_count` numbers: the rows that each of them changed.
 * The error of any row is the error of the call; on SQLite the rows before it are written then. */
enum err db_exec_many(struct db_tx *tx, const char *sql, const struct db_arg *args,
                      size_t arg_count, size_t row_count, int64_t *ret_changed) MUST_CHECK;

/* Starts a statement with rows; AUTO_STMT frees it. Nothing is sure before its first db_step, which
 * also returns its error: PostgreSQL gets all statements that were started by then in one trip,
 * SQLite runs the statement in that step. So start several that do not need each other's rows
 * before you step any of them. Step a statement that writes before you start one that reads what it
 * wrote. */
enum err db_query(struct db_tx *tx, const char *sql, const struct db_arg *args, size_t arg_count,
                  struct db_stmt **ret_stmt) MUST_CHECK;
/* Goes to the next row. Returns ERR_NOT_FOUND behind the last one. */
enum err db_step(struct db_stmt *stmt) MUST_CHECK;
/* Calls db_query and the first db_step; returns ERR_NOT_FOUND if there is no row. */
enum err db_query_one(struct db_tx *tx, const char *sql, const struct db_arg *args,
                      size_t arg_count, struct db_stmt **ret_stmt) MUST_CHECK;
void db_stmt_done(struct db_stmt **stmt);
#define AUTO_STMT __attribute__((cleanup(db_stmt_done))) struct db_stmt *

/* Read columns of the current row by name; the name must exist. NULL reads as 0, NULL or nil, and
 * so does a text or blob for which a large arena has no room. */
int64_t db_get_int(struct db_stmt *stmt, const char *column);
bool db_get_null(struct db_stmt *stmt, const char *column);
char *db_get_text(struct db_stmt *stmt, const char *column, struct arena *arena);
struct str db_get_blob(struct db_stmt *stmt, const char *column, struct arena *arena);
struct uuid db_get_uuid(struct db_stmt *stmt, const char *column);

/* Chooses between two dialects where one text cannot serve both; a comment beside it says why. */
const char *db_sql(const struct db_tx *tx, const char *sqlite_sql, const char *postgres_sql);
/* Gives a SELECT (a literal) whose rows PostgreSQL locks until the end of the transaction. SQLite
 * has one writer, so a plain read will do there. */
#define DB_FOR_UPDATE(tx, select) db_sql(tx, select, select " FOR UPDATE")
/* Locks those rows without telling whether there are any: PostgreSQL runs it before the next
 * statement, SQLite not at all. */
#define db_hold(tx, select, ...) db_hold_rows(tx, select " FOR UPDATE", __VA_ARGS__)
enum err db_hold_rows(struct db_tx *tx, const char *postgres_sql, const struct db_arg *args,
                      size_t arg_count) MUST_CHECK;
