/*
 * A worker of the PostgreSQL engine is a thread with a connection, which runs tasks in
 * transactions.
 */
#include "kit/base/clock.h"
#include "kit/base/log.h"
#include "kit/base/macros.h"
#include "kit/base/thread.h"
#include "kit/db/postgres.h"

enum {
    REFUSAL_TOLD_EVERY_MS = 60 * 1000,
    FULL_MS = 10 * 1000, /* a server that had no room counts as full for so long */
};

void pg_worker_start(struct pg_worker *worker, struct pg_db *db, const char *name,
                     void *(*main)(void *worker))
{
    *worker = (struct pg_worker){.db = db};
    thread_start(&worker->thread, name, main, worker);
}

/* --- Connections --- */

static bool is_lookout(const struct pg_worker *worker)
{
    return worker == &worker->db->server->lookout;
}

void pg_worker_disconnect(struct pg_worker *worker)
{
    pg_conn_close(&worker->conn);
    worker->has_conn = false;
    if (is_lookout(worker)) return;
    if (atomic_fetch_sub(&worker->db->connected, 1) == 1)
        atomic_store(&worker->db->down_since_ms, clock_monotonic_ms());
}

/* Keeps the server's own words ("too many clients already"), and logs them once in a while; no
 * words are a connection that was opened. */
static void note_refusal(struct pg_server *server, struct str words)
{
    char text[DB_WHY_MAX];
    int64_t now_ms = clock_monotonic_ms();

    snprintf(text, sizeof text, "%.*s", (int)words.len, words.len > 0 ? words.data : "");
    pthread_mutex_lock(&server->refusal_mutex);
    memcpy(server->refusal, text, sizeof text);
    bool is_due = text[0] && (!server->refusal_told_ms ||
                              now_ms - server->refusal_told_ms >= REFUSAL_TOLD_EVERY_MS);
    if (is_due) server->refusal_told_ms = now_ms;
    pthread_mutex_unlock(&server->refusal_mutex);
    if (is_due) db_log(true, "PostgreSQL takes no connection.", text);
}

bool pg_worker_connect(struct pg_worker *worker)
{
    enum pg_role role = is_lookout(worker) ? PG_LOOKOUT : PG_POOL;
    AUTO_BUF why = {0};
    buf_init(&why, DB_WHY_MAX);
    worker->has_conn = !pg_conn_open(&worker->db->server->params, role, &worker->conn, &why);
    /* That the lookout has a connection does not say that there is one for the pool. */
    if (!worker->has_conn || !is_lookout(worker))
        note_refusal(worker->db->server, worker->has_conn ? STR("") : buf_view(&why));
    if (!worker->has_conn) return false;
    worker->wait_ms = 0;
    if (is_lookout(worker))
        atomic_store(&worker->db->server->found_at_ms, clock_monotonic_ms());
    else
        atomic_fetch_add(&worker->db->connected, 1);
    return true;
}

/* --- One transaction --- */

/* Leaves the connection without a transaction, or marks it as lost. */
static void roll_back(struct pg_conn *conn)
{
    /* The failure is known already; the connection's state says what is left to do. */
    if (conn->sent && pg_receive(conn, NULL) && conn->is_lost) return;
    if (conn->is_lost || PQtransactionStatus(conn->pg) == PQTRANS_IDLE) return;
    enum err err = pg_send(conn, "ROLLBACK", DB_NO_ARGS);
    if (!err) err = pg_receive(conn, NULL);
    if (err) conn->is_lost = true;
}

static enum err commit(struct pg_conn *conn)
{
    conn->is_warned = false;
    bool is_alone = !conn->sent; /* else a part of the pipeline may be out, COMMIT with it */
    enum err err = pg_send(conn, "COMMIT", DB_NO_ARGS);
    if (err) return is_alone ? err : ERR_STORAGE_UNAVAILABLE;

    PGresult *answer = NULL;
    err = pg_receive(conn, &answer);
    if (conn->is_lost) {
        db_log(true, "The connection to PostgreSQL broke during COMMIT; its outcome is unknown.",
               NULL);
        return ERR_STORAGE_UNAVAILABLE;
    }
    /* A warning here says that the wait for a synchronous standby was cut short: the transaction is
     * committed on this server, and perhaps on no other. */
    bool is_partial = conn->is_warned;
    if (!err && strcmp(PQcmdStatus(answer), "COMMIT") != 0)
        err = LOG_BROKEN("PostgreSQL answered COMMIT with something else");
    else if (!err && is_partial)
        err = ERR_STORAGE_UNAVAILABLE;
    PQclear(answer);
    return err;
}

/* On a full disk much goes well: a server can read, and change a row in its place. So only time
 * tells that there is room again. */
static void judge_room(struct pg_db *db, struct pg_conn *conn)
{
    int64_t now_ms = clock_monotonic_ms();
    if (conn->is_full) {
        conn->is_full = false;
        atomic_store(&db->full_at_ms, now_ms);
        if (!atomic_exchange(&db->base.is_troubled, true))
            db_log(true, "PostgreSQL has no room on its disk.", NULL);
        return;
    }
    if (!atomic_load(&db->base.is_troubled)) return;
    if (now_ms - atomic_load(&db->full_at_ms) < FULL_MS) return;
    if (atomic_exchange(&db->base.is_troubled, false))
        db_log(false, "PostgreSQL has room again, or was not asked for any.", NULL);
}

enum err pg_worker_run_in(struct pg_tx *tx, struct pg_db *db, struct db_task *task)
{
    tx->base = (struct db_tx){.db = &db->base, .is_read = task->is_read, .shared = tx->base.shared};
    tx->needs_tx = false;
    enum err err = task->run(task, &tx->base);
    db_tx_close_statements(&tx->base);
    return err;
}

enum err pg_worker_end_tx(struct pg_worker *worker, struct pg_tx *tx, enum err err)
{
    if (!err) err = tx->base.broken;
    if (!err && tx->has_begun) {
        int64_t began_us = clock_monotonic_us();
        err = commit(tx->conn);
        if (!err) db_count_commit(&worker->db->base, began_us);
    }
    if (!tx->conn->is_lost) roll_back(tx->conn);
    judge_room(worker->db, &worker->conn);
    if (worker->conn.is_lost || worker->conn.is_stale) pg_worker_disconnect(worker);
    return err;
}

enum err pg_worker_run(struct pg_worker *worker, struct db_task *task, struct pg_tx *tx)
{
    *tx = (struct pg_tx){.conn = &worker->conn, .is_whole = task->is_whole};
    worker->conn.deadline_ms = task->deadline_ms;
    return pg_worker_end_tx(worker, tx, pg_worker_run_in(tx, worker->db, task));
}
