/*
 * The rest of the program opens a database by URL, submits tasks, reads columns and subscribes to
 * topics here. Where the engines differ, struct db_ops leads to them.
 */
#include "kit/base/clock.h"
#include "kit/base/log.h"
#include "kit/base/macros.h"
#include "kit/base/must.h"
#include "kit/base/secret.h"
#include "kit/db/engine.h"

#include <stdlib.h>
#include <time.h>

static const struct {
    const char *prefix;
    const struct db_ops *ops;
} schemes[] = {
    {"sqlite:", &sqlite_ops},
    {"postgresql://", &postgres_ops},
    {"postgres://", &postgres_ops},
};

static const struct db_ops *ops_of(const char *url, struct buf *why)
{
    for (size_t i = 0; i < COUNT_OF(schemes); i++)
        if (strncmp(url, schemes[i].prefix, strlen(schemes[i].prefix)) == 0) return schemes[i].ops;

    /* The URL is not repeated, since it may hold a password. */
    buf_text(why, "The database URL must be sqlite:PATH or postgresql://USER@HOST/NAME.");
    return NULL;
}

enum err db_open(const struct db_options *options, struct db **ret_db, struct buf *why)
{
    const struct db_ops *ops = ops_of(options->url, why);
    if (!ops) return ERR_STORAGE_UNAVAILABLE;
    return ops->open(options, ret_db, why);
}

enum err db_migrate(const struct db_options *options, bool apply, int *ret_version, int *ret_newest,
                    struct buf *why)
{
    const struct db_ops *ops = ops_of(options->url, why);
    if (!ops) return ERR_STORAGE_UNAVAILABLE;
    return ops->migrate(options, apply, ret_version, ret_newest, why);
}

void db_close(struct db *db)
{
    if (!db) return;
    db_queue_close(&db->writes);
    db_queue_close(&db->reads);
    db->ops->close(db);
}

void db_count_commit(const struct db *db, int64_t began_us)
{
    if (db->commits) metric_observe_since(db->commits, db->commits_series, began_us);
}

static size_t length_of(struct db_queue *queue)
{
    pthread_mutex_lock(&queue->mutex);
    size_t count = queue->count;
    pthread_mutex_unlock(&queue->mutex);
    return count;
}

size_t db_queue_length(struct db *db)
{
    return length_of(&db->writes) + length_of(&db->reads);
}

enum db_engine db_engine_of(const struct db *db)
{
    return db->ops->engine;
}

const char *db_library_version(enum db_engine engine, struct arena *arena)
{
    return (engine == DB_SQLITE ? &sqlite_ops : &postgres_ops)->library_version(arena);
}

bool db_has_one_writer(const struct db *db)
{
    return db->ops->has_one_writer;
}

bool db_has_begun(const struct db_tx *tx)
{
    return !tx->db->ops->has_begun || tx->db->ops->has_begun(tx);
}

bool db_is_troubled(const struct db *db)
{
    return atomic_load(&db->is_troubled);
}

void db_explain(struct db *db, struct buf *why)
{
    if (db->ops->explain) db->ops->explain(db, why);
}

enum err db_empty_log(struct db *db)
{
    return db->ops->empty_log ? db->ops->empty_log(db) : ERR_OK;
}

/* --- Tasks --- */

enum err db_submit(struct db *db, struct db_task *task)
{
    bool needs_deadline = task->is_bounded && db->timeout_ms > 0 && task->deadline_ms == 0;
    struct db_queue *queue = task->is_read && db->has_reads ? &db->reads : &db->writes;

    if (needs_deadline) task->deadline_ms = clock_monotonic_ms() + db->timeout_ms;
    if (task->is_ahead && db->looker) queue = &db->looker->looks;
    return db_queue_push(queue, task);
}

struct waiting_task {
    struct db_task task;
    enum err (*run)(void *arg, struct db_tx *tx);
    void *arg;
    pthread_mutex_t mutex;
    pthread_cond_t ended;
    bool has_ended;
    enum err err;
};

static enum err waiting_run(struct db_task *task, struct db_tx *tx)
{
    struct waiting_task *waiting = (struct waiting_task *)task;
    return waiting->run(waiting->arg, tx);
}

static void waiting_done(struct db_task *task, enum err err)
{
    struct waiting_task *waiting = (struct waiting_task *)task;
    pthread_mutex_lock(&waiting->mutex);
    waiting->err = err;
    waiting->has_ended = true;
    pthread_cond_signal(&waiting->ended);
    pthread_mutex_unlock(&waiting->mutex);
}

static enum err await_end(struct waiting_task *waiting)
{
    pthread_mutex_lock(&waiting->mutex);
    while (!waiting->has_ended)
        pthread_cond_wait(&waiting->ended, &waiting->mutex);
    pthread_mutex_unlock(&waiting->mutex);
    return waiting->err;
}

static enum err run_and_wait(struct db *db, struct db_task task,
                             enum err (*run)(void *arg, struct db_tx *tx), void *arg)
{
    task.run = waiting_run;
    task.done = waiting_done;
    struct waiting_task waiting = {
        .task = task,
        .run = run,
        .arg = arg,
        .mutex = PTHREAD_MUTEX_INITIALIZER,
        .ended = PTHREAD_COND_INITIALIZER,
    };
    enum err err = db_submit(db, &waiting.task);
    if (!err) err = await_end(&waiting);
    pthread_cond_destroy(&waiting.ended);
    pthread_mutex_destroy(&waiting.mutex);
    return err;
}

enum err db_run(struct db *db, bool is_read, enum err (*run)(void *arg, struct db_tx *tx),
                void *arg)
{
    return run_and_wait(db, (struct db_task){.is_read = is_read, .is_whole = is_read}, run, arg);
}

enum err db_look(struct db *db, enum err (*run)(void *arg, struct db_tx *tx), void *arg)
{
    struct db_task look = {
        .is_read = true, .is_ahead = true, .deadline_ms = clock_monotonic_ms() + DB_LOOK_MS};
    return run_and_wait(db, look, run, arg);
}

/* --- Statements --- */

void *db_shared(struct db_tx *tx, const void *owner, size_t size)
{
    struct db_shared *shared = tx->shared;

    if (!shared || size > sizeof(shared->bytes)) return NULL;
    if (shared->owner && shared->owner != owner) return NULL;
    shared->owner = owner;
    return shared->bytes;
}

enum err db_exec(struct db_tx *tx, const char *sql, const struct db_arg *args, size_t arg_count,
                 int64_t *ret_changed)
{
    return tx->db->ops->exec(tx, sql, args, arg_count, ret_changed);
}

enum err db_exec_later(struct db_tx *tx, const char *sql, const struct db_arg *args,
                       size_t arg_count)
{
    return tx->db->ops->exec_later(tx, sql, args, arg_count);
}

enum err db_exec_many(struct db_tx *tx, const char *sql, const struct db_arg *args,
                      size_t arg_count, size_t row_count, int64_t *ret_changed)
{
    assert(arg_count > 0);
    if (!row_count) return ERR_OK;
    return tx->db->ops->exec_many(tx, sql, args, arg_count, row_count, ret_changed);
}

enum err db_query(struct db_tx *tx, const char *sql, const struct db_arg *args, size_t arg_count,
                  struct db_stmt **ret_stmt)
{
    return tx->db->ops->query(tx, sql, args, arg_count, ret_stmt);
}

enum err db_step(struct db_stmt *stmt)
{
    enum err err = stmt->tx->db->ops->step(stmt);
    stmt->has_row = !err;
    return err;
}

enum err db_query_one(struct db_tx *tx, const char *sql, const struct db_arg *args,
                      size_t arg_count, struct db_stmt **ret_stmt)
{
    struct db_stmt *stmt;
    enum err err = db_query(tx, sql, args, arg_count, &stmt);
    if (err) return err;
    err = db_step(stmt);
    if (!err)
        *ret_stmt = stmt;
    else
        db_stmt_done(&stmt);
    return err;
}

void db_stmt_attach(struct db_stmt *stmt, struct db_tx *tx, int column_count)
{
    stmt->tx = tx;
    stmt->column_count = column_count;
    stmt->last_column = -1;
    stmt->has_row = false;
    stmt->next_open = tx->open;
    tx->open = stmt;
}

void db_stmt_done(struct db_stmt **stmt)
{
    struct db_stmt *closing = *stmt;
    if (!closing) return;
    *stmt = NULL;
    struct db_stmt **place = &closing->tx->open;
    while (*place != closing)
        place = &(*place)->next_open;
    *place = closing->next_open;
    closing->tx->db->ops->close_stmt(closing);
}

const char *db_sql(const struct db_tx *tx, const char *sqlite_sql, const char *postgres_sql)
{
    return tx->db->ops->engine == DB_SQLITE ? sqlite_sql : postgres_sql;
}

enum err db_hold_rows(struct db_tx *tx, const char *postgres_sql, const struct db_arg *args,
                      size_t arg_count)
{
    if (tx->db->ops->engine == DB_SQLITE) return ERR_OK;
    return db_exec_later(tx, postgres_sql, args, arg_count);
}

/* --- Columns --- */

/* Columns are mostly read in the order in which the statement names them, so the search starts
 * after the one found last and as a rule ends at once. */
static int column_of(struct db_stmt *stmt, const char *name)
{
    assert(stmt->has_row);
    const struct db_ops *ops = stmt->tx->db->ops;
    int column = stmt->last_column;
    for (int tried = 0; tried < stmt->column_count; tried++) {
        column = column + 1 < stmt->column_count ? column + 1 : 0;
        if (strcmp(ops->column_name(stmt, column), name) == 0) return stmt->last_column = column;
    }
    assert(!"a column of this name");
    __builtin_unreachable();
}

int64_t db_get_int(struct db_stmt *stmt, const char *column)
{
    const struct db_ops *ops = stmt->tx->db->ops;
    int index = column_of(stmt, column);
    return ops->is_null(stmt, index) ? 0 : ops->get_int(stmt, index);
}

bool db_get_null(struct db_stmt *stmt, const char *column)
{
    return stmt->tx->db->ops->is_null(stmt, column_of(stmt, column));
}

/* Returns no data for NULL, but some for an empty value. */
static struct str bytes_of(struct db_stmt *stmt, const char *column)
{
    const struct db_ops *ops = stmt->tx->db->ops;
    int index = column_of(stmt, column);
    if (ops->is_null(stmt, index)) return (struct str){NULL, 0};
    struct str bytes = ops->get_bytes(stmt, index);
    return bytes.len ? bytes : STR("");
}

char *db_get_text(struct db_stmt *stmt, const char *column, struct arena *arena)
{
    struct str bytes = bytes_of(stmt, column);
    return bytes.data ? arena_try_str(arena, bytes) : NULL;
}

struct str db_get_blob(struct db_stmt *stmt, const char *column, struct arena *arena)
{
    struct str bytes = bytes_of(stmt, column);
    if (bytes.data) bytes.data = arena_try_str(arena, bytes);
    return bytes.data ? bytes : (struct str){NULL, 0};
}

struct uuid db_get_uuid(struct db_stmt *stmt, const char *column)
{
    struct uuid id = {0};
    struct str bytes = bytes_of(stmt, column);
    if (!bytes.data) return id;
    assert(bytes.len == sizeof id.bytes);
    memcpy(id.bytes, bytes.data, sizeof id.bytes);
    return id;
}

/* --- Notifications --- */

void db_topics_add(struct db_topics *topics, const char *topic)
{
    for (size_t i = 0; i < topics->count; i++)
        if (strcmp(topics->names[i], topic) == 0) return;
    assert(topics->count < DB_TOPICS_MAX);
    topics->names[topics->count++] = topic;
}

void db_topics_add_all(struct db_topics *topics, const struct db_topics *more)
{
    for (size_t i = 0; i < more->count; i++)
        db_topics_add(topics, more->names[i]);
}

void db_notify(struct db_tx *tx, const char *topic)
{
    db_topics_add(&tx->topics, topic);
}

void db_subscribe(struct db *db, const char *topic, void (*fn)(void *arg), void *arg)
{
    struct db_subscriber *subscriber = must_calloc(1, sizeof *subscriber);
    *subscriber = (struct db_subscriber){.topic = topic, .fn = fn, .arg = arg};
    pthread_mutex_lock(&db->subscribers_mutex);
    subscriber->next = db->subscribers;
    db->subscribers = subscriber;
    pthread_mutex_unlock(&db->subscribers_mutex);
    if (db->ops->listen) db->ops->listen(db, topic);
}

void db_call_subscribers(struct db *db, const char *topic)
{
    pthread_mutex_lock(&db->subscribers_mutex);
    struct db_subscriber *first = db->subscribers;
    pthread_mutex_unlock(&db->subscribers_mutex);

    /* Subscribers are only ever added in front, and live as long as the database. */
    for (struct db_subscriber *s = first; s; s = s->next)
        if (!topic || strcmp(s->topic, topic) == 0) s->fn(s->arg);
}

/* --- For the engines --- */

void db_init(struct db *db, const struct db_ops *ops, const struct db_options *options)
{
    db->ops = ops;
    db->commits = options->commits;
    db->commits_series = options->commits_series;
    atomic_init(&db->is_troubled, false);
    db_queue_init(&db->writes);
    db_queue_init(&db->reads);
    db_queue_init(&db->looks);
    pthread_mutex_init(&db->subscribers_mutex, NULL);
}

void db_done(struct db *db)
{
    db_queue_done(&db->writes);
    db_queue_done(&db->reads);
    db_queue_done(&db->looks);
    while (db->subscribers) {
        struct db_subscriber *subscriber = db->subscribers;
        db->subscribers = subscriber->next;
        free(subscriber);
    }
    pthread_mutex_destroy(&db->subscribers_mutex);
}

void db_tx_close_statements(struct db_tx *tx)
{
    while (tx->open) {
        struct db_stmt *stmt = tx->open;
        db_stmt_done(&stmt);
    }
}

enum err db_tx_broken(struct db_tx *tx, enum err err)
{
    if (!tx->broken) tx->broken = err;
    return err;
}

void db_end_tasks(struct db_task *tasks, const enum err *results)
{
    for (size_t i = 0; tasks; i++) {
        struct db_task *task = tasks;
        tasks = task->next; /* `done` may free the task */
        task->done(task, results ? results[i] : ERR_STORAGE_UNAVAILABLE);
    }
}

void db_log(bool is_error, const char *message, const char *detail)
{
    log_write(is_error ? LOG_ERROR : LOG_WARNING, message, LOG_FIELDS(log_words("detail", detail)));
}

void db_back_off(int tries)
{
    uint32_t longest_us = 1000u << (tries < 6 ? tries : 6);
    uint32_t wait_us = longest_us / 2 + random_below(longest_us / 2);
    struct timespec wait = {.tv_nsec = (long)wait_us * 1000};
    nanosleep(&wait, NULL);
}
