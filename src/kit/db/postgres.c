/*
 * The PostgreSQL engine has a pool of threads, each of which opens a connection when more tasks
 * wait than the others can take. A transaction serves one task, or the tasks of a group that came
 * while the one before them was under way.
 *
 * A serialization failure, a deadlock or a connection lost before COMMIT was sent runs the task
 * again. Once COMMIT is on its way its outcome is the server's alone: without an answer the task
 * ends in ERR_STORAGE_UNAVAILABLE and is never repeated here (the idempotency key makes a repeat by
 * the client safe).
 *
 * Beside the pool, the lookout has a connection of its own. It asks the server whether it answers,
 * and runs tasks that go ahead. The watch is a thread that waits for no server and looks at the
 * clock: it ends tasks whose deadline passes while all connections hang, and finds out that the
 * server hangs. Two stores of one database share the lookout and the listener.
 */
#include "kit/db/postgres.h"

#include "kit/base/clock.h"
#include "kit/base/macros.h"
#include "kit/base/must.h"
#include "kit/base/thread.h"

#include <stdatomic.h>
#include <stdlib.h>

enum {
    OUTAGE_GRACE_MS = 1000, /* tasks wait so long for a connection, then they fail */
    RECONNECT_FIRST_MS = 50,
    RECONNECT_LAST_MS = 500,
};

/* Tries to connect for as long as tasks wait in an outage. */
static bool await_connection(struct pg_worker *worker)
{
    int64_t deadline_ms = clock_monotonic_ms() + OUTAGE_GRACE_MS;
    for (int tries = 0; !worker->has_conn; tries++) {
        if (pg_worker_connect(worker)) return true;
        if (clock_monotonic_ms() >= deadline_ms) return false;
        db_back_off(tries + 3);
    }
    return true;
}

/* Returns ERR_TX_RETRY for a task that has to go back into the queue: connecting may take long, and
 * a bounded task that waits in the queue ends in time. */
static enum err run_task(struct pg_worker *worker, struct db_task *task, struct pg_tx *tx)
{
    for (; task->tries < DB_TRIES_MAX; task->tries++) {
        if (task->deadline_ms && clock_monotonic_ms() >= task->deadline_ms) break;
        if (!worker->has_conn && task->deadline_ms) return ERR_TX_RETRY;
        if (!await_connection(worker)) return ERR_STORAGE_UNAVAILABLE;
        enum err err = pg_worker_run(worker, task, tx);
        if (err != ERR_TX_RETRY) return err;
        db_back_off(task->tries);
    }
    return ERR_STORAGE_UNAVAILABLE;
}

/* --- Tasks that were taken together --- */

/* Returns the earliest deadline; 0 if no task has one. */
static int64_t first_deadline_ms(const struct db_task *tasks)
{
    int64_t first_ms = 0;

    for (; tasks; tasks = tasks->next) {
        if (tasks->deadline_ms == 0) continue;
        if (first_ms == 0 || tasks->deadline_ms < first_ms) first_ms = tasks->deadline_ms;
    }
    return first_ms;
}

/* Runs the tasks one behind the other. A task that is refused before it needed the transaction
 * leaves the others as they are, and needs no savepoint; any other failure fails the whole
 * transaction. */
static enum err run_group(struct pg_worker *worker, struct db_task *tasks, struct db_batch *batch)
{
    struct db_shared shared = {0};
    struct pg_tx tx = {.conn = &worker->conn, .base.shared = &shared};
    enum err failure = ERR_OK;
    size_t i = 0;

    worker->conn.deadline_ms = first_deadline_ms(tasks);
    for (struct db_task *task = tasks; task && !failure; task = task->next, i++) {
        enum err err = pg_worker_run_in(&tx, worker->db, task);
        if (tx.base.broken) err = tx.base.broken;
        if (tx.base.broken || tx.needs_tx || err == ERR_TX_RETRY) failure = err;
        batch->results[i] = err;
        if (!err) db_topics_add_all(&batch->topics, &tx.base.topics);
    }
    return pg_worker_end_tx(worker, &tx, failure);
}

static void fail_from(struct db_batch *batch, size_t first, enum err err)
{
    for (size_t i = first; i < DB_BATCH_MAX; i++)
        batch->results[i] = err;
}

/* Runs each task by itself. Where the storage fails one, those behind it are not run, since they
 * might wait as long for the same end. Those behind a task that goes back into the queue are not
 * run either. */
static void run_each(struct pg_worker *worker, struct db_task *tasks, struct db_batch *batch)
{
    size_t i = 0;

    for (struct db_task *task = tasks; task; task = task->next, i++) {
        struct pg_tx tx = {0};
        batch->results[i] = run_task(worker, task, &tx);
        if (!batch->results[i]) db_topics_add_all(&batch->topics, &tx.base.topics);
        bool is_failed = batch->results[i] == ERR_STORAGE_UNAVAILABLE;
        if (!is_failed && batch->results[i] != ERR_TX_RETRY) continue;
        fail_from(batch, i, batch->results[i]);
        return;
    }
}

static void run_all(struct pg_worker *worker, struct db_task *tasks, struct db_batch *batch)
{
    if (tasks->next && worker->has_conn) {
        enum err err = run_group(worker, tasks, batch);
        if (!err) return;
        *batch = (struct db_batch){0}; /* nothing of the group was kept */
        if (err == ERR_STORAGE_UNAVAILABLE) {
            fail_from(batch, 0, err);
            return;
        }
    }
    run_each(worker, tasks, batch); /* one task may be the cause, and only that one fails here */
}

/* Takes out the tasks that are to be run again. */
static struct db_task *take_unserved(struct db_task **tasks, struct db_batch *batch)
{
    struct db_task *unserved = NULL, **unserved_end = &unserved, **place = tasks;
    size_t kept = 0;

    for (size_t i = 0; *place; i++) {
        struct db_task *task = *place;
        if (batch->results[i] != ERR_TX_RETRY) {
            batch->results[kept++] = batch->results[i];
            place = &task->next;
            continue;
        }
        *place = task->next;
        task->next = NULL;
        *unserved_end = task;
        unserved_end = &task->next;
    }
    return unserved;
}

/* This process hears of the topics at once, the others through the listener. */
static void announce(struct pg_db *db, const struct db_topics *topics)
{
    if (!topics->count) return;
    for (size_t i = 0; i < topics->count; i++)
        db_call_subscribers(&db->base, topics->names[i]);
    pg_listener_announce(db->server->listener, topics);
}

static void serve(struct pg_worker *worker, struct db_task *tasks)
{
    struct db_batch batch = {0};
    struct db_queue *queue = &worker->db->base.writes;
    uint64_t group = db_queue_group_of(tasks);

    if (!pg_conn_is_alive(&worker->conn)) pg_worker_disconnect(worker);
    run_all(worker, tasks, &batch);
    struct db_task *unserved = take_unserved(&tasks, &batch);
    if (unserved) db_queue_return(queue, unserved);
    db_queue_end_group(queue, group);
    db_end_tasks(tasks, batch.results);
    announce(worker->db, &batch.topics);
    /* Otherwise each connection of the pool would come to hold twice the largest value of all. */
    if (worker->has_conn && worker->conn.is_swollen) pg_worker_disconnect(worker);
}

/* --- The pool --- */

static void fail_waiting(struct db_queue *queue)
{
    struct db_task *tasks;
    if (db_queue_take_now(queue, DB_QUEUE_MAX, &tasks)) db_end_tasks(tasks, NULL);
}

/* While no worker has a connection, tasks fail after a grace instead of piling up. It begins anew
 * when the lookout has found the server, since the pool is about to find it, too. */
static void fail_tasks_in_outage(struct pg_db *db)
{
    int64_t found_at_ms = atomic_load(&db->server->found_at_ms);
    int64_t since_ms = atomic_load(&db->down_since_ms);

    if (atomic_load(&db->connected) > 0) return;
    if (found_at_ms > since_ms) since_ms = found_at_ms;
    if (clock_monotonic_ms() - since_ms < OUTAGE_GRACE_MS) return;
    fail_waiting(&db->base.writes);
}

/* Waits between tries, each time longer; returns false once the database closes. */
static bool pause_in_outage(struct pg_worker *worker)
{
    struct db_queue *queue = &worker->db->base.writes;
    if (worker->wait_ms == 0) worker->wait_ms = RECONNECT_FIRST_MS;
    int64_t until_ms = clock_monotonic_ms() + worker->wait_ms;
    if (worker->wait_ms < RECONNECT_LAST_MS) worker->wait_ms *= 2;
    do {
        if (db_queue_await_close(queue, RECONNECT_FIRST_MS)) return false;
        fail_tasks_in_outage(worker->db);
    } while (clock_monotonic_ms() < until_ms);
    return true;
}

static bool worker_seek(struct pg_worker *worker)
{
    while (!pg_worker_connect(worker)) {
        fail_tasks_in_outage(worker->db);
        if (!pause_in_outage(worker)) return false;
    }
    return true;
}

/* A connection is opened when tasks wait for one. Returns false if the database closes before there
 * is one. */
static bool worker_is_ready(struct pg_worker *worker)
{
    struct pg_db *db = worker->db;

    if (worker->has_conn) return true;
    if (!db_queue_await_need(&db->base.writes)) return false;
    bool is_first = atomic_fetch_add(&db->seeking, 1) == 0;
    if (is_first && atomic_load(&db->connected) == 0)
        atomic_store(&db->down_since_ms, clock_monotonic_ms());
    bool is_ready = worker_seek(worker);
    db_queue_end_need(&db->base.writes);
    atomic_fetch_sub(&db->seeking, 1);
    return is_ready;
}

static void *worker_main(void *arg)
{
    struct pg_worker *worker = arg;
    struct db_queue *queue = &worker->db->base.writes;
    struct db_task *tasks;
    while (worker_is_ready(worker) && db_queue_take_group(queue, DB_BATCH_MAX, &tasks))
        serve(worker, tasks);
    if (worker->has_conn) pg_worker_disconnect(worker);
    return NULL;
}

/* --- The watch --- */

/* The first store looks for the server, each for its own tasks. */
static void *watch_main(void *arg)
{
    struct pg_db *db = arg;
    struct pg_params *params = &db->server->params;
    struct db_queue *queues[] = {&db->base.writes, &db->base.looks};
    struct db_task *late;

    while (!db_queue_await_close(&db->base.looks, PG_TICK_MS)) {
        int64_t now_ms = clock_monotonic_ms();
        if (pg_is_first_store(db) && pg_watch_tick(&params->watch, now_ms)) pg_pass_host(params);
        for (size_t i = 0; i < COUNT_OF(queues); i++)
            if (db_queue_take_late(queues[i], now_ms, &late)) db_end_tasks(late, NULL);
    }
    return NULL;
}

/* --- Opening and closing --- */

static void pg_db_free(struct pg_db *db)
{
    fail_waiting(&db->base.writes);
    fail_waiting(&db->base.looks);
    db_done(&db->base);
    pg_server_done(&db->own);
    free(db->workers);
    free(db);
}

/* The watch goes on until the pool has done the rest of its work. */
static void pg_close(struct db *base)
{
    struct pg_db *db = (struct pg_db *)base;

    for (size_t i = 0; i < db->worker_count; i++)
        pthread_join(db->workers[i].thread, NULL);
    db_queue_close(&db->base.looks);
    pthread_join(db->watch, NULL);
    pg_server_leave(db);
    pg_db_free(db);
}

static void threads_start(struct pg_db *db, int count)
{
    assert(count > 0 && count <= DB_CONNECTIONS_MAX);
    db->worker_count = (size_t)count;
    db->workers = must_calloc(db->worker_count, sizeof *db->workers);
    for (size_t i = 0; i < db->worker_count; i++)
        pg_worker_start(&db->workers[i], db, "db-pool", worker_main);
    thread_start(&db->watch, "db-watch", watch_main, db);
}

static enum err pg_open(const struct db_options *options, struct db **ret_db, struct buf *why)
{
    struct pg_db *db = must_calloc(1, sizeof *db);

    db_init(&db->base, &postgres_ops, options);
    enum err err = pg_server_join(db, options, why);
    if (err) {
        pg_db_free(db);
        return err;
    }
    db->base.timeout_ms = db->server->params.timeout_ms - 2 * PG_TICK_MS;
    atomic_store(&db->down_since_ms, clock_monotonic_ms());
    threads_start(db, options->connections);
    *ret_db = &db->base;
    return ERR_OK;
}

static void pg_listen(struct db *db, const char *topic)
{
    pg_listener_add(((struct pg_db *)db)->server->listener, topic);
}

/* 150009 is 15.9. */
static const char *pg_library_version(struct arena *arena)
{
    int version = PQlibVersion();
    return arena_printf(arena, "%d.%d", version / 10000, version % 10000);
}

const struct db_ops postgres_ops = {
    .engine = DB_POSTGRES,
    .open = pg_open,
    .close = pg_close,
    .library_version = pg_library_version,
    .migrate = pg_migrate,
    .exec = pg_exec,
    .exec_later = pg_exec_later,
    .exec_many = pg_exec_many,
    .query = pg_query,
    .step = pg_step,
    .close_stmt = pg_close_stmt,
    .column_name = pg_column_name,
    .is_null = pg_column_is_null,
    .get_int = pg_column_number,
    .get_bytes = pg_column_data,
    .has_begun = pg_has_begun,
    .explain = pg_server_explain,
    .listen = pg_listen,
};
