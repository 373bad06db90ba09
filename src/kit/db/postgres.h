/* Inside the PostgreSQL engine: how to connect, connections, statements, the listener. */
#pragma once

#include "kit/db/engine.h"

#include <libpq-fe.h>
#include <stdatomic.h>

/* --- postgres_watch.c: whether the server answers --- */

enum {
    PG_TICK_MS = 100,      /* how often it is looked at */
    PG_ASK_EVERY_MS = 500, /* how often the lookout asks the server */
    PG_SILENCE_MS = 1500,  /* so long without an answer, and the server hangs */
};

struct pg_watch {
    _Atomic int64_t asked_at_ms;  /* monotonic: of a question without an answer so far; 0: none */
    _Atomic int64_t silent_at_ms; /* likewise: when the server was last seen to hang; 0: never */
    atomic_bool is_silent;
};

/* The lookout's: a question goes out, or is still without an answer; an answer came, be it a
 * refusal. */
void pg_watch_ask(struct pg_watch *watch);
void pg_watch_hear(struct pg_watch *watch);
/* Somebody else has found a server that answers: the lookout gets time to find it, too. */
void pg_watch_hear_of_other(struct pg_watch *watch);
/* Once a tick. True: the server hangs since now. */
bool pg_watch_tick(struct pg_watch *watch, int64_t now_ms);
/* Whether a connection that was opened at that moment goes to a server that hung since. */
bool pg_watch_has_condemned(const struct pg_watch *watch, int64_t opened_at_ms);

/* --- postgres_connect.c: how to connect --- */

/* What a connection is for decides its timeouts. */
enum pg_role { PG_POOL, PG_LOOKOUT, PG_MIGRATION, PG_LISTENER };

struct pg_params {
    PQconninfoOption *url;
    unsigned host_count; /* that the URL names, at least 1 */
    atomic_uint host;    /* which is tried first: the one that was found last, or the one behind it
                            once that hung */
    int64_t timeout_ms;  /* db_options */
    struct pg_watch watch;
    char *schema;   /* where our tables are; the search path of all connections. NULL: not known */
    bool is_pooled; /* a pooler stands between and takes no options */
    atomic_bool is_nameless; /* the server's session may change between transactions */
};

enum err pg_params_init(struct pg_params *params, const struct db_options *options,
                        struct buf *why) MUST_CHECK;
void pg_params_done(struct pg_params *params);
/* From now on; it is logged once. */
void pg_do_without_names(struct pg_params *params);

/* A blocking connection to the first host that takes it; NULL, and `why`, if none does. */
PGconn *pg_connect(struct pg_params *params, enum pg_role role, struct buf *why);
/* The host at hand hangs: others are tried before it. */
void pg_pass_host(struct pg_params *params);

/* --- postgres_conn.c: connections, and the wire --- */

/* Rows that somebody will read when they are there. */
struct pg_awaited {
    uint64_t answer; /* its number */
    PGresult *rows;  /* NULL until then */
    struct pg_awaited *next;
};

/* A connection in pipeline mode. */
struct pg_conn {
    PGconn *pg;
    struct pg_params *params;
    int64_t opened_at_ms;       /* monotonic */
    int64_t deadline_ms;        /* likewise: of the task that it serves; 0: none */
    struct pg_names *names;     /* NULL: statements go without names */
    size_t sent;                /* what will be answered, and was not read yet */
    uint64_t answered;          /* answers that were read */
    struct pg_awaited *awaited; /* in the order of their answers; given up after a failure */
    enum err failure; /* the first of them since the last sync; up to the next all are skipped */
    bool is_lost;     /* nothing more can be had from it */
    bool is_stale;    /* its session is not what it was: to be closed after the transaction */
    bool is_warned;   /* the server sent a warning */
    bool is_full;     /* the server had no room on its disk */
    bool is_swollen;  /* a value went through it whose size libpq's buffers keep for ever */
};

/* libpq's receiver of notices; `arg` is the connection, or NULL. */
void pg_note_warning(void *arg, const PGresult *result);
enum err pg_conn_open(struct pg_params *params, enum pg_role role, struct pg_conn *conn,
                      struct buf *why) MUST_CHECK;
void pg_conn_close(struct pg_conn *conn);
/* False if the server closed it while it was idle, or hung since it was opened. */
bool pg_conn_is_alive(struct pg_conn *conn);

/* Adds a statement to the pipeline. Where it has a name, it is parsed at its first use. */
enum err pg_send(struct pg_conn *conn, const char *sql, const struct db_arg *args,
                 size_t arg_count) MUST_CHECK;
/* The same statement as before, with other arguments: without a name it is not parsed again. */
enum err pg_send_again(struct pg_conn *conn, const struct db_arg *args,
                       size_t arg_count) MUST_CHECK;
/* The rows of what was sent last go there, once they are received. */
void pg_await(struct pg_conn *conn, struct pg_awaited *awaited);
/* They are not wanted any more. */
void pg_forget(struct pg_conn *conn, struct pg_awaited *awaited);
/* Asks the server not to hold back the answers to what was sent. */
enum err pg_send_flush(struct pg_conn *conn) MUST_CHECK;
/* Reads one answer, that to the oldest statement; the server must have been asked for it. NULL:
 * somebody has awaited it. After a failure the rest is to be read with pg_receive, which has the
 * same result. */
enum err pg_receive_one(struct pg_conn *conn, PGresult **ret_answer) MUST_CHECK;
/* Reads the answers of all that was sent. The first failure is the result; `ret_last` (may be NULL)
 * is the answer to the last statement. ERR_TX_RETRY with `is_lost` if the connection broke. */
enum err pg_receive(struct pg_conn *conn, PGresult **ret_last) MUST_CHECK;

/* --- postgres_names.c: prepared statements of a connection --- */

struct pg_names;
struct pg_name;
struct pg_names *pg_names_new(void);
void pg_names_free(struct pg_names *names);
/* The name of a statement; NULL: there are too many. It lives as long as `names`. */
struct pg_name *pg_names_find(struct pg_names *names, const char *sql);
const char *pg_name_text(const struct pg_name *name);
/* False: it has to be prepared before it is used. */
bool pg_name_is_prepared(const struct pg_name *name);
/* It was sent to be prepared: the answer with this number tells whether it is. */
void pg_names_await(struct pg_names *names, struct pg_name *name, uint64_t answer);
/* Answers with their numbers, in order, as they come. */
void pg_names_note(struct pg_names *names, uint64_t answer, bool is_success);

/* --- postgres_stmt.c: statements of a transaction --- */

struct pg_tx {
    struct db_tx base;
    struct pg_conn *conn;
    bool has_begun;
    bool needs_tx;      /* the task that runs has sent more than plain reads */
    bool is_whole;      /* db.h */
    const char *parsed; /* the statement that the connection sent last, within this transaction */
    int repeats;        /* of that one */
};

enum err pg_exec(struct db_tx *tx, const char *sql, const struct db_arg *args, size_t arg_count,
                 int64_t *ret_changed) MUST_CHECK;
enum err pg_exec_later(struct db_tx *tx, const char *sql, const struct db_arg *args,
                       size_t arg_count) MUST_CHECK;
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

/* --- postgres_schema.c --- */

/* Brings the schema up to date, or refuses, and notes in `params` where it is. */
enum err pg_schema_open(struct pg_params *params, const struct db_options *options,
                        struct buf *why) MUST_CHECK;
enum err pg_migrate(const struct db_options *options, bool apply, int *ret_version, int *ret_newest,
                    struct buf *why) MUST_CHECK;

/* --- postgres_listen.c --- */

struct pg_listener;
struct pg_listener *pg_listener_start(struct db *db, struct pg_params *params);
void pg_listener_stop(struct pg_listener *listener);
/* Listens to one channel more. */
void pg_listener_add(struct pg_listener *listener, const char *channel);
/* Tells the other processes. */
void pg_listener_announce(struct pg_listener *listener, const struct db_channels *channels);
