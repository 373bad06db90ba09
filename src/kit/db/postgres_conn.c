/*
 * PostgreSQL connections send their statements in pipeline mode: prepared, or unnamed where a
 * pooler in transaction mode stands between. Answers are awaited with a deadline, so that a server
 * that hangs costs a connection and not a thread.
 */
#include "kit/base/clock.h"
#include "kit/db/postgres.h"

#include <poll.h>

enum {
    SQL_ARGS_MAX = 64,             /* one statement has at most so many */
    ANSWER_TIMEOUT_MS = 20 * 1000, /* longer than the server's own statement_timeout */
    WAIT_STEP_MS = 250,
    LARGE_VALUE = 1024 * 1024,
};

/* --- Opening and closing --- */

void pg_take_notice(void *arg, const PGresult *result)
{
    const char *severity = PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
    if (arg && severity && strcmp(severity, "WARNING") == 0)
        ((struct pg_conn *)arg)->is_warned = true;
}

enum err pg_conn_open(struct pg_params *params, enum pg_role role, struct pg_conn *conn,
                      struct buf *why)
{
    PGconn *pg = pg_connect(params, role, why);
    if (!pg) return ERR_STORAGE_UNAVAILABLE;
    *conn = (struct pg_conn){.pg = pg, .params = params, .opened_at_ms = clock_monotonic_ms()};
    if (!atomic_load(&params->is_nameless)) conn->names = pg_names_new();
    PQsetNoticeReceiver(pg, pg_take_notice, conn);
    int failure = PQsetnonblocking(pg, 1);
    int is_pipelined = PQenterPipelineMode(pg);
    assert(!failure && is_pipelined);
    return ERR_OK;
}

void pg_conn_close(struct pg_conn *conn)
{
    PQfinish(conn->pg);
    pg_names_free(conn->names);
    *conn = (struct pg_conn){0};
}

bool pg_conn_is_alive(struct pg_conn *conn)
{
    struct pollfd socket = {.fd = PQsocket(conn->pg), .events = POLLIN};
    if (conn->is_lost) return false;
    if (pg_watch_has_condemned(&conn->params->watch, conn->opened_at_ms)) return false;
    if (poll(&socket, 1, 0) == 0) return true;
    /* The first read takes the server's last words, the second meets the end. */
    for (int i = 0; i < 2; i++) {
        if (!PQconsumeInput(conn->pg)) return false;
    }
    return PQstatus(conn->pg) == CONNECTION_OK;
}

/* --- Sending --- */

static enum err lost(struct pg_conn *conn)
{
    conn->is_lost = true;
    conn->sent = 0;
    conn->awaited = NULL;
    return ERR_TX_RETRY;
}

enum { NUMBER_TEXT_LEN = 20 };

struct wire_args {
    const char *values[SQL_ARGS_MAX];
    int lengths[SQL_ARGS_MAX];
    int formats[SQL_ARGS_MAX];
    char numbers[SQL_ARGS_MAX][NUMBER_TEXT_LEN + 1];
};

/* Integers go as text, so that the server takes their type from the statement; all else goes as it
 * is. */
static void fill_args(struct wire_args *wire, const struct db_arg *args, size_t arg_count)
{
    for (size_t i = 0; i < arg_count; i++) {
        wire->values[i] = args[i].data;
        wire->lengths[i] = (int)args[i].len;
        wire->formats[i] = 1;
        if (args[i].type != DB_INT) continue;
        snprintf(wire->numbers[i], sizeof wire->numbers[i], "%lld", (long long)args[i].number);
        wire->values[i] = wire->numbers[i];
        wire->formats[i] = 0;
    }
}

static void mark_large(struct pg_conn *conn, const struct db_arg *args, size_t arg_count)
{
    for (size_t i = 0; i < arg_count; i++)
        if (args[i].len > LARGE_VALUE) conn->is_swollen = true;
}

/* Prepares a statement once for each connection. */
static bool prepare(struct pg_conn *conn, struct pg_name *name, const char *sql)
{
    if (name->is_prepared) return true;
    if (!PQsendPrepare(conn->pg, name->text, sql, 0, NULL)) return false;
    conn->sent++;
    pg_names_await(conn->names, name, conn->answered + conn->sent);
    return true;
}

enum err pg_send(struct pg_conn *conn, const char *sql, const struct db_arg *args, size_t arg_count)
{
    assert(arg_count <= SQL_ARGS_MAX);
    if (conn->is_lost) return ERR_TX_RETRY;
    struct wire_args wire;
    fill_args(&wire, args, arg_count);
    mark_large(conn, args, arg_count);
    struct pg_name *name = conn->names ? pg_names_find(conn->names, sql) : NULL;
    int is_sent;
    if (name)
        is_sent = prepare(conn, name, sql) &&
                  PQsendQueryPrepared(conn->pg, name->text, (int)arg_count, wire.values,
                                      wire.lengths, wire.formats, 1);
    else
        is_sent = PQsendQueryParams(conn->pg, sql, (int)arg_count, NULL, wire.values, wire.lengths,
                                    wire.formats, 1);
    if (!is_sent) return lost(conn);
    conn->sent++;
    return ERR_OK;
}

/* The statement that was sent last stays the unnamed prepared one until another is sent. */
enum err pg_send_again(struct pg_conn *conn, const struct db_arg *args, size_t arg_count)
{
    if (conn->is_lost) return ERR_TX_RETRY;
    struct wire_args wire;
    fill_args(&wire, args, arg_count);
    mark_large(conn, args, arg_count);
    if (!PQsendQueryPrepared(conn->pg, "", (int)arg_count, wire.values, wire.lengths, wire.formats,
                             1))
        return lost(conn);
    conn->sent++;
    return ERR_OK;
}

void pg_await(struct pg_conn *conn, struct pg_awaited *awaited)
{
    struct pg_awaited **place = &conn->awaited;

    while (*place)
        place = &(*place)->next;
    *awaited = (struct pg_awaited){.answer = conn->answered + conn->sent};
    *place = awaited;
}

void pg_forget(struct pg_conn *conn, struct pg_awaited *awaited)
{
    struct pg_awaited **place = &conn->awaited;

    while (*place && *place != awaited)
        place = &(*place)->next;
    if (*place) *place = awaited->next;
    PQclear(awaited->rows);
    awaited->rows = NULL;
}

enum err pg_send_flush(struct pg_conn *conn)
{
    return PQsendFlushRequest(conn->pg) ? ERR_OK : lost(conn);
}

/* --- Receiving --- */

/* A connection to a server that hung may still get its answer, and a task that no request waits for
 * has the time for that. */
static bool is_given_up(const struct pg_conn *conn, int64_t since_ms, int64_t now_ms)
{
    bool is_condemned = pg_watch_has_condemned(&conn->params->watch, conn->opened_at_ms);
    int64_t patience_ms = ANSWER_TIMEOUT_MS;

    if (is_condemned) patience_ms = conn->params->watch.silence_ms * (conn->deadline_ms ? 1 : 2);
    if (conn->deadline_ms && now_ms >= conn->deadline_ms) return true;
    return now_ms - since_ms >= patience_ms;
}

/* Waits in steps, since another thread finds out that the server hangs. */
static bool await_socket(struct pg_conn *conn, short events)
{
    struct pollfd socket = {.fd = PQsocket(conn->pg), .events = events};
    int64_t since_ms = clock_monotonic_ms(), now_ms = since_ms;

    while (!is_given_up(conn, since_ms, now_ms)) {
        int64_t left_ms = conn->deadline_ms ? conn->deadline_ms - now_ms : WAIT_STEP_MS;
        int ready = poll(&socket, 1, (int)(left_ms < WAIT_STEP_MS ? left_ms : WAIT_STEP_MS));
        if (ready != 0) return ready > 0;
        now_ms = clock_monotonic_ms();
    }
    return false;
}

/* Waits until PQgetResult has an answer. */
static bool await_answer(struct pg_conn *conn)
{
    for (;;) {
        int is_unsent = PQflush(conn->pg);
        if (is_unsent < 0) return false;
        if (!is_unsent && !PQisBusy(conn->pg)) return true;
        if (!await_socket(conn, is_unsent ? POLLIN | POLLOUT : POLLIN)) return false;
        if (!PQconsumeInput(conn->pg)) return false;
    }
}

/* Returns the answer to one statement; NULL if the connection is lost. */
static PGresult *read_answer(struct pg_conn *conn)
{
    if (!await_answer(conn)) return NULL;
    PGresult *answer = PQgetResult(conn->pg);
    if (!answer) return NULL;
    PGresult *more = NULL;
    while (await_answer(conn) && (more = PQgetResult(conn->pg)))
        PQclear(more);
    return answer;
}

static bool read_sync(struct pg_conn *conn)
{
    if (!await_answer(conn)) return false;
    PGresult *answer = PQgetResult(conn->pg);
    bool is_sync = answer && PQresultStatus(answer) == PGRES_PIPELINE_SYNC;
    PQclear(answer);
    return is_sync;
}

/* The failures from FAIL_STALE on are logged. */
enum failure {
    FAIL_UNIQUE,
    FAIL_RETRY,
    FAIL_LOST,
    FAIL_STALE,
    FAIL_NAMES,
    FAIL_STORAGE,
    FAIL_FULL,
    FAIL_BUG
};

/* The beginning of the SQLSTATE chooses a row; the first that fits counts. */
static const struct {
    const char *prefix;
    enum failure failure;
} failures[] = {
    {"23505", FAIL_UNIQUE},  /* unique_violation */
    {"40001", FAIL_RETRY},   /* serialization_failure */
    {"40P01", FAIL_RETRY},   /* deadlock_detected */
    {"40003", FAIL_STORAGE}, /* statement_completion_unknown, so it may have been committed */
    {"25006", FAIL_LOST},    /* read only: this server is no longer the primary one */
    {"57P", FAIL_LOST},      /* it shuts down, crashed, or starts up */
    {"08", FAIL_LOST},       /* the pooler lost its connection */
    {"0A000", FAIL_STALE},   /* a table that a prepared statement reads was altered */
    {"26000", FAIL_NAMES},   /* a prepared statement is missing, */
    {"42P05", FAIL_NAMES},   /* or exists already: the session is another one than before */
    {"25P03", FAIL_LOST},    /* idle_in_transaction_session_timeout */
    {"57014", FAIL_STORAGE}, /* statement_timeout */
    {"55P03", FAIL_STORAGE}, /* lock_timeout */
    {"53100", FAIL_FULL},    /* disk_full */
    {"53", FAIL_STORAGE},    /* memory, connections used up */
    {"58", FAIL_STORAGE},    /* input and output */
    {"XX", FAIL_STORAGE},    /* damaged data */
    {"", FAIL_BUG},
};

static enum failure failure_of(const char *sqlstate)
{
    size_t i = 0;
    while (strncmp(sqlstate, failures[i].prefix, strlen(failures[i].prefix)) != 0)
        i++;
    return failures[i].failure;
}

/* The server's DETAIL is left out, since it holds values such as phone numbers. */
static void log_failure(const char *sqlstate, const PGresult *answer)
{
    char detail[512];
    const char *message = PQresultErrorField(answer, PG_DIAG_MESSAGE_PRIMARY);
    snprintf(detail, sizeof detail, "%s: %s", sqlstate, message ? message : "");
    db_log(true, "PostgreSQL could not run a statement.", detail);
}

/* Tells whether 0A000 is about a plan that does not fit any more. For other statements it means
 * that the server cannot do what they ask for. */
static bool is_of_kept_plan(const PGresult *answer)
{
    const char *function = PQresultErrorField(answer, PG_DIAG_SOURCE_FUNCTION);
    return function && strcmp(function, "RevalidateCachedQuery") == 0;
}

/* The transaction did nothing, and is run again over another connection. */
static enum err leave_session(struct pg_conn *conn)
{
    conn->is_stale = true;
    return ERR_TX_RETRY;
}

void pg_do_without_names(struct pg_params *params)
{
    if (!atomic_exchange(&params->is_nameless, true))
        db_log(false,
               "A pooler stands before PostgreSQL: statements are not prepared, which is slower.",
               NULL);
}

/* An answer without a SQLSTATE is libpq's own: the connection broke. */
static enum err fail(struct pg_conn *conn, const PGresult *answer)
{
    const char *sqlstate = PQresultErrorField(answer, PG_DIAG_SQLSTATE);
    enum failure failure = sqlstate ? failure_of(sqlstate) : FAIL_LOST;
    if (failure == FAIL_STALE && !is_of_kept_plan(answer)) failure = FAIL_BUG;
    if (failure >= FAIL_STALE) log_failure(sqlstate, answer);
    switch (failure) {
    case FAIL_UNIQUE:
        return ERR_UNIQUE;
    case FAIL_RETRY:
        return ERR_TX_RETRY;
    case FAIL_NAMES:
        pg_do_without_names(conn->params);
        return leave_session(conn);
    case FAIL_STALE:
        return leave_session(conn);
    case FAIL_LOST:
        return lost(conn);
    case FAIL_FULL:
        conn->is_full = true;
        return ERR_STORAGE_UNAVAILABLE;
    case FAIL_STORAGE:
        return ERR_STORAGE_UNAVAILABLE;
    case FAIL_BUG:
        return ERR_INTERNAL;
    }
    __builtin_unreachable();
}

bool pg_is_success(const PGresult *answer)
{
    ExecStatusType status = PQresultStatus(answer);
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

/* Gives the answer to the statement that awaits it, or returns it. */
static PGresult *hand_over(struct pg_conn *conn, PGresult *answer)
{
    struct pg_awaited *awaited = conn->awaited;

    if (!awaited || awaited->answer != conn->answered) return answer;
    conn->awaited = awaited->next;
    awaited->rows = answer;
    return NULL;
}

/* After a failure the server skips the rest of the pipeline; those answers say only that. */
enum err pg_receive_one(struct pg_conn *conn, PGresult **ret_answer)
{
    PGresult *answer = read_answer(conn);
    if (!answer) return lost(conn);
    conn->sent--;
    conn->answered++;
    if (conn->names) pg_names_take(conn->names, conn->answered, pg_is_success(answer));
    int rows = PQntuples(answer);
    if (rows > 0 && PQresultMemorySize(answer) / (size_t)rows > LARGE_VALUE)
        conn->is_swollen = true;
    if (!conn->failure && !pg_is_success(answer)) conn->failure = fail(conn, answer);
    if (!conn->failure)
        *ret_answer = hand_over(conn, answer);
    else
        PQclear(answer);
    return conn->failure;
}

static enum err read_answers(struct pg_conn *conn, PGresult **ret_last)
{
    while (conn->sent) {
        PQclear(*ret_last);
        *ret_last = NULL;
        enum err err = pg_receive_one(conn, ret_last);
        if (conn->is_lost) return err;
    }
    enum err err = conn->failure;
    conn->failure = ERR_OK;
    conn->awaited = NULL;
    return read_sync(conn) ? err : lost(conn);
}

enum err pg_receive(struct pg_conn *conn, PGresult **ret_last)
{
    if (conn->is_lost) return ERR_TX_RETRY;
    if (!PQpipelineSync(conn->pg)) return lost(conn);
    PGresult *last = NULL;
    enum err err = read_answers(conn, &last);
    if (!err && ret_last)
        *ret_last = last;
    else
        PQclear(last);
    return err;
}
