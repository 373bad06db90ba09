/* The files of the PostgreSQL engine share its connections, statements and listener. */
#pragma once

#include "kit/db/engine.h"

#include <libpq-fe.h>
#include <stdatomic.h>

struct pg_listener;

/* --- postgres_watch.c: whether the server answers --- */

enum {
    PG_TICK_MS = 100,      /* the time between looks at the clock */
    PG_ASK_EVERY_MS = 500, /* the time between questions of the lookout */
};

struct pg_watch {
    int64_t silence_ms; /* a server that has not answered for so long hangs */
    _Atomic int64_t
        asked_at_ms; /* monotonic: a question went out then and has no answer yet; 0: none */
    _Atomic int64_t silent_at_ms; /* likewise: the server was last seen to hang then; 0: never */
    atomic_bool is_silent;
};

/* The lookout says that a question goes out, or still has no answer; and that an answer came, be it
 * a refusal. */
void pg_watch_ask(struct pg_watch *watch);
void pg_watch_hear(struct pg_watch *watch);
/* Another thread has found a server that answers, so the lookout gets time to find it, too. */
void pg_watch_hear_of_other(struct pg_watch *watch);
/* Is called once a tick; returns true if the server hangs since now. */
bool pg_watch_tick(struct pg_watch *watch, int64_t now_ms);
/* Tells whether a connection that was opened at that moment goes to a server that has hung since.
 */
bool pg_watch_has_condemned(const struct pg_watch *watch, int64_t opened_at_ms);

/* --- postgres_connect.c: how to connect --- */

/* The role of a connection decides its timeouts. */
enum pg_role { PG_POOL, PG_LOOKOUT, PG_MIGRATION, PG_LISTENER };

struct pg_params {
    PQconninfoOption *url;
    unsigned host_count; /* hosts that the URL names, at least 1 */
    atomic_uint host;    /* is tried first: the one that was found last, or the next if that hung */
    int64_t timeout_ms;  /* as in db_options */
    struct pg_watch watch;
    char *schema; /* holds our tables, and is the search path of all connections; NULL: not known */
    bool is_pooled;          /* a pooler stands between and takes no options */
    atomic_bool is_nameless; /* the server's session may change between transactions */
};

enum err pg_params_init(struct pg_params *params, const struct db_options *options,
                        struct buf *why) MUST_CHECK;
void pg_params_done(struct pg_params *params);
/* Lets all connections go on without prepared statements; it is logged once. */
void pg_do_without_names(struct pg_params *params);

/* Opens a blocking connection to the first host that takes it; returns NULL, and `why`, if none
 * does. */
PGconn *pg_connect(struct pg_params *params, enum pg_role role, struct buf *why);
/* Makes the next host the first to be tried, since the current one hangs. */
void pg_pass_host(struct pg_params *params);

/* --- postgres_conn.c: connections, and the wire --- */

/* Rows that a statement will read when they have come. */
struct pg_awaited {
    uint64_t answer; /* the number of the answer that holds them */
    PGresult *rows;  /* NULL until they have come */
    struct pg_awaited *next;
};

/* A connection in pipeline mode. */
struct pg_conn {
    PGconn *pg;
    struct pg_params *params;
    int64_t opened_at_ms;       /* monotonic */
    int64_t deadline_ms;        /* likewise: the deadline of the task that it serves; 0: none */
    struct pg_names *names;     /* NULL: statements go without names */
    size_t sent;                /* messages whose answers were not read yet */
    uint64_t answered;          /* answers that were read */
    struct pg_awaited *awaited; /* in the order of their answers; given up after a failure */
    enum err
        failure;   /* the first one since the last sync; the server skips all up to the next sync */
    bool is_lost;  /* nothing more can be had from it */
    bool is_stale; /* its session has changed, so it is closed after the transaction */
    bool is_warned;  /* the server sent a warning */
    bool is_full;    /* the server had no room on its disk */
    bool is_swollen; /* a large value went through it, and libpq's buffers keep its size for ever */
};

/* Receives libpq's notices; `arg` is the connection, or NULL. */
void pg_take_notice(void *arg, const PGresult *result);
enum err pg_conn_open(struct pg_params *params, enum pg_role role, struct pg_conn *conn,
                      struct buf *why) MUST_CHECK;
void pg_conn_close(struct pg_conn *conn);
/* Returns false if the server closed it while it was idle, or has hung since it was opened. */
bool pg_conn_is_alive(struct pg_conn *conn);

/* Adds a statement to the pipeline. Where it has a name, it is parsed at its first use. */
enum err pg_send(struct pg_conn *conn, const char *sql, const struct db_arg *args,
                 size_t arg_count) MUST_CHECK;
/* Sends the statement before again, with other arguments; without a name it is not parsed again. */
enum err pg_send_again(struct pg_conn *conn, const struct db_arg *args,
                       size_t arg_count) MUST_CHECK;
/* Lets the rows of the statement that was sent last go to `awaited` once they are received. */
void pg_await(struct pg_conn *conn, struct pg_awaited *awaited);
/* Drops rows that are not wanted any more. */
void pg_forget(struct pg_conn *conn, struct pg_awaited *awaited);
/* Asks the server not to hold back the answers to what was sent. */
enum err pg_send_flush(struct pg_conn *conn) MUST_CHECK;
/* Reads the answer to the oldest statement; the server must have been asked for it. It gives NULL
 * for an answer that went to a pg_awaited. After a failure read the rest with pg_receive, which
 * returns the same. */
enum err pg_receive_one(struct pg_conn *conn, PGresult **ret_answer) MUST_CHECK;
/* Reads the answers to all that was sent and returns the first failure. `ret_last` (may be NULL) is
 * the answer to the last statement. Returns ERR_TX_RETRY with `is_lost` if the connection broke. */
enum err pg_receive(struct pg_conn *conn, PGresult **ret_last) MUST_CHECK;

bool pg_is_success(const PGresult *answer);

/* --- postgres_names.c: prepared statements of a connection --- */

struct pg_names;

struct pg_name {
    char text[40];         /* NUL-terminated; the server cuts what is longer than 63 */
    bool is_prepared;      /* or will be, unless the statement's answer tells otherwise */
    uint64_t answer;       /* the number of that answer on this connection */
    struct pg_name *later; /* the next one whose answer is awaited */
};

struct pg_names *pg_names_new(void);
void pg_names_free(struct pg_names *names);
/* Returns the name of a statement, which lives as long as `names`; NULL if there are too many. It
 * has to be prepared before its first use. */
struct pg_name *pg_names_find(struct pg_names *names, const char *sql);
/* Says that it was sent to be prepared, and that the answer with this number tells whether it is.
 */
void pg_names_await(struct pg_names *names, struct pg_name *name, uint64_t answer);
/* Takes answers with their numbers, in order, as they come. */
void pg_names_take(struct pg_names *names, uint64_t answer, bool is_success);

/* --- postgres_stmt.c: statements of a transaction --- */

struct pg_tx {
    struct db_tx base;
    struct pg_conn *conn;
    bool has_begun;
    bool needs_tx;      /* the current task has sent more than plain reads */
    bool is_whole;      /* as in db_task */
    const char *parsed; /* the statement that the connection sent last, within this transaction */
    int repeats;        /* of that statement */
};

enum err pg_exec(struct db_tx *tx, const char *sql, const struct db_arg *args, size_t arg_count,
                 int64_t *ret_changed) MUST_CHECK;
enum err pg_exec_later(struct db_tx *tx, const char *sql, const struct db_arg *args,
                       size_t arg_count) MUST_CHECK;
/* All that was sent is answered. */
bool pg_has_begun(const struct db_tx *tx);
enum err pg_exec_many(struct db_tx *tx, const char *sql, const struct db_arg *args,
                      size_t arg_count, size_t row_count, int64_t *ret_changed) MUST_CHECK;
enum err pg_query(struct db_tx *tx, const char *sql, const struct db_arg *args, size_t arg_count,
                  struct db_stmt **ret_stmt) MUST_CHECK;
enum err pg_step(struct db_stmt *stmt) MUST_CHECK;
void pg_close_stmt(struct db_stmt *stmt);
const char *pg_column_name(const struct db_stmt *stmt, int column);
bool pg_column_is_null(const struct db_stmt *stmt, int column);
int64_t pg_column_number(const struct db_stmt *stmt, int column);
struct str pg_column_data(const struct db_stmt *stmt, int column);

/* --- postgres_worker.c: a thread with a connection --- */

struct pg_worker {
    struct pg_db *db;
    struct pg_conn conn;
    bool has_conn;
    int64_t wait_ms; /* before the next try to connect; 0: none was in vain */
    pthread_t thread;
};

/* This is what the stores of one database share. */
struct pg_server {
    struct pg_params params;
    struct pg_listener *listener;
    struct pg_worker lookout;
    _Atomic int64_t found_at_ms;   /* monotonic: the lookout connected then; 0: never */
    pthread_mutex_t refusal_mutex; /* guards what follows */
    char refusal[DB_WHY_MAX];      /* why the last connection was not opened; "": it was */
    int64_t refusal_told_ms;       /* monotonic: the log last said so; 0: never */
};

struct pg_db {
    struct db base;
    struct pg_server *server;
    struct pg_server own; /* is `server` of the store that was opened first */
    struct pg_worker *workers;
    size_t worker_count;
    pthread_t watch;
    atomic_int connected;          /* workers with a connection */
    atomic_int seeking;            /* workers that try to connect */
    _Atomic int64_t down_since_ms; /* monotonic: `connected` fell to 0 then, or the first worker
                                      began to try */
    _Atomic int64_t full_at_ms;    /* likewise: the server last had no room then */
};

void pg_worker_start(struct pg_worker *worker, struct pg_db *db, const char *name,
                     void *(*main)(void *worker));
/* The rest is for the worker's own thread. */
bool pg_worker_connect(struct pg_worker *worker);
void pg_worker_disconnect(struct pg_worker *worker);
/* Runs a task in `tx`, which goes on. */
enum err pg_worker_run_in(struct pg_tx *tx, struct pg_db *db, struct db_task *task) MUST_CHECK;
/* Commits, or with `err` rolls back; returns `err`, or how the commit ended. */
enum err pg_worker_end_tx(struct pg_worker *worker, struct pg_tx *tx, enum err err) MUST_CHECK;
/* Runs a task in a transaction of its own; `tx` is for the caller to read. */
enum err pg_worker_run(struct pg_worker *worker, struct db_task *task, struct pg_tx *tx) MUST_CHECK;

/* --- postgres_server.c: what the stores of one database share --- */

/* Lets a store use what another one has (db_options.with), or opens it. */
enum err pg_server_join(struct pg_db *db, const struct db_options *options,
                        struct buf *why) MUST_CHECK;
/* Ends it, if this store has opened it; its looks are closed before. */
void pg_server_leave(struct pg_db *db);
void pg_server_done(struct pg_server *server);
bool pg_is_first_store(const struct pg_db *db);
/* Is db_ops.explain. */
void pg_server_explain(struct db *db, struct buf *why);

/* --- postgres_schema.c --- */

/* Brings the schema up to date, or refuses it, and records in `params` where it is. */
enum err pg_schema_open(struct pg_params *params, const struct db_options *options,
                        struct buf *why) MUST_CHECK;
enum err pg_migrate(const struct db_options *options, bool apply, int *ret_version, int *ret_newest,
                    struct buf *why) MUST_CHECK;

/* --- postgres_listen.c --- */

struct pg_listener *pg_listener_start(struct db *db, struct pg_params *params);
void pg_listener_stop(struct pg_listener *listener);
/* Lets a further store of the database hear of topics, until it leaves. */
void pg_listener_join(struct pg_listener *listener, struct db *db);
void pg_listener_leave(struct pg_listener *listener, struct db *db);
/* Listens to a further topic. */
void pg_listener_add(struct pg_listener *listener, const char *topic);
/* Tells the other processes about the topics. */
void pg_listener_announce(struct pg_listener *listener, const struct db_topics *topics);
