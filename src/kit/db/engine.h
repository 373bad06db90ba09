/*
 * db.c and the two engines share this header; no other file includes it but a test that counts
 * statements.
 *
 * An engine embeds struct db, db_tx and db_stmt as the first member of its own and is called
 * through its table.
 */
#pragma once

#include "kit/db/queue.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>

enum {
    DB_TRIES_MAX = 10,  /* a task that meets other transactions runs at most so often */
    DB_TOPICS_MAX = 16, /* one transaction, or one batch, notifies at most so many */
    DB_WHY_MAX = 2048,
};

/* Topics whose subscribers are to be called after a commit, each once. */
struct db_topics {
    const char *names[DB_TOPICS_MAX];
    size_t count;
};

/* The outcome of tasks that shared a transaction. */
struct db_batch {
    enum err results[DB_BATCH_MAX];
    struct db_topics topics; /* notified by the tasks that were kept */
};

struct db_subscriber {
    struct db_subscriber *next;
    const char *topic;
    void (*fn)(void *arg);
    void *arg;
};

/* See db_shared. */
struct db_shared {
    const void *owner; /* NULL: nobody asked yet */
    alignas(max_align_t) char bytes[DB_SHARED_MAX];
};

struct db_tx {
    struct db *db;
    struct db_stmt *open;     /* statements that `run` has not closed yet */
    struct db_shared *shared; /* NULL: this task shares its transaction with none */
    struct db_topics topics;
    bool is_read;
    enum err broken; /* a failure after which the transaction must not be committed */
};

struct db_stmt {
    struct db_tx *tx;
    struct db_stmt *next_open;
    int column_count;
    int last_column; /* the last db_get_ found its name there; columns are mostly read in order */
    bool has_row;
};

struct db_ops {
    enum db_engine engine;
    bool has_one_writer; /* all writes go through one thread */
    enum err (*open)(const struct db_options *options, struct db **ret_db, struct buf *why);
    void (*close)(struct db *db);
    const char *(*library_version)(struct arena *arena);
    enum err (*migrate)(const struct db_options *options, bool apply, int *ret_version,
                        int *ret_newest, struct buf *why);

    enum err (*exec)(struct db_tx *tx, const char *sql, const struct db_arg *args, size_t arg_count,
                     int64_t *ret_changed);
    enum err (*exec_later)(struct db_tx *tx, const char *sql, const struct db_arg *args,
                           size_t arg_count);
    enum err (*exec_many)(struct db_tx *tx, const char *sql, const struct db_arg *args,
                          size_t arg_count, size_t row_count, int64_t *ret_changed);
    enum err (*query)(struct db_tx *tx, const char *sql, const struct db_arg *args,
                      size_t arg_count, struct db_stmt **ret_stmt);
    enum err (*step)(struct db_stmt *stmt);
    void (*close_stmt)(struct db_stmt *stmt);

    /* Read the current row. Bytes live until the next step. */
    const char *(*column_name)(const struct db_stmt *stmt, int column);
    bool (*is_null)(const struct db_stmt *stmt, int column);
    int64_t (*get_int)(const struct db_stmt *stmt, int column);
    struct str (*get_bytes)(const struct db_stmt *stmt, int column);

    bool (*has_begun)(const struct db_tx *tx);       /* NULL: each has */
    enum err (*empty_log)(struct db *db);            /* NULL: the engine has no log of ours */
    void (*explain)(struct db *db, struct buf *why); /* NULL: there is never anything to explain */

    /* Is called when a subscriber of `topic` was added. May be NULL. */
    void (*listen)(struct db *db, const char *topic);
};

struct db {
    const struct db_ops *ops;
    struct db_queue writes;
    struct db_queue reads;
    struct db_queue looks; /* an engine that has such a queue closes it */
    struct db *looker;     /* the store whose `looks` holds ours; NULL: they join the others */
    bool has_reads;        /* reads have a queue of their own */
    const struct metric *commits; /* NULL: nobody counts them */
    size_t commits_series;
    int64_t timeout_ms;      /* of bounded tasks; 0: the engine bounds none */
    atomic_bool is_troubled; /* see db_is_troubled */
    pthread_mutex_t subscribers_mutex;
    struct db_subscriber *subscribers;
};

extern const struct db_ops sqlite_ops;
extern const struct db_ops postgres_ops;

void db_init(struct db *db, const struct db_ops *ops, const struct db_options *options);
void db_done(struct db *db);
/* Adds a statement that was started to the open ones of `tx`. */
void db_stmt_attach(struct db_stmt *stmt, struct db_tx *tx, int column_count);
/* Closes the statements that `run` left open. */
void db_tx_close_statements(struct db_tx *tx);
/* Remembers the first failure and returns `err`. */
enum err db_tx_broken(struct db_tx *tx, enum err err);

/* Counts a commit that began at `began_us` (clock_monotonic_us). */
void db_count_commit(const struct db *db, int64_t began_us);

/* Calls `done` of all tasks. Without results the storage has failed them all. */
void db_end_tasks(struct db_task *tasks, const enum err *results);

void db_topics_add(struct db_topics *topics, const char *topic);
void db_topics_add_all(struct db_topics *topics, const struct db_topics *more);
/* Calls the subscribers of this process. A NULL topic calls all of them. */
void db_call_subscribers(struct db *db, const char *topic);

/* Logs what happened, and the engine's own words about it. */
void db_log(bool is_error, const char *message, const char *detail);

/* Waits a while before the next try: longer each time, and never in step with others. */
void db_back_off(int tries);
