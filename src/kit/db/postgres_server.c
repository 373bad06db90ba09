/*
 * Two stores of one database share how to connect, the listener and the lookout.
 *
 * The lookout has a connection of its own. It asks the server whether it answers, and runs tasks
 * that go ahead.
 */
#include "kit/base/clock.h"
#include "kit/base/macros.h"
#include "kit/db/postgres.h"

void pg_server_explain(struct db *base, struct buf *why)
{
    struct pg_server *server = ((struct pg_db *)base)->server;

    pthread_mutex_lock(&server->refusal_mutex);
    if (server->refusal[0]) buf_printf(why, " %s.", server->refusal);
    pthread_mutex_unlock(&server->refusal_mutex);
}

/* --- The lookout --- */

/* A refusal is an answer; a try that takes as long as a silence has none. */
static bool lookout_connects(struct pg_worker *lookout)
{
    struct pg_watch *watch = &lookout->db->server->params.watch;
    int64_t began_ms = clock_monotonic_ms();

    if (lookout->has_conn) return true;
    pg_watch_ask(watch);
    bool is_connected = pg_worker_connect(lookout);
    if (is_connected || clock_monotonic_ms() - began_ms < watch->silence_ms) pg_watch_hear(watch);
    return is_connected;
}

static enum err ask_nothing(struct db_task *task, struct db_tx *tx)
{
    (void)task;
    return db_exec(tx, "SELECT 1", DB_NO_ARGS, NULL);
}

/* An answer is awaited until pg_watch_tick misses it, and no longer. */
static enum err lookout_ask(struct pg_worker *lookout, struct db_task *look)
{
    struct pg_watch *watch = &lookout->db->server->params.watch;
    struct pg_tx tx;

    pg_watch_ask(watch);
    look->deadline_ms = clock_monotonic_ms() + watch->silence_ms + 3 * PG_TICK_MS;
    enum err err = pg_worker_run(lookout, look, &tx);
    if (lookout->has_conn) pg_watch_hear(watch);
    return err;
}

/* The lookout asks a question of its own where no look waits. */
static void lookout_serve(struct pg_worker *lookout)
{
    struct db_queue *looks = &lookout->db->base.looks;
    struct db_task *look, own = {.run = ask_nothing, .is_read = true};

    db_queue_await_task(looks, PG_ASK_EVERY_MS);
    if (db_queue_take_now(looks, 1, &look))
        look->done(look, lookout_ask(lookout, look));
    else
        (void)lookout_ask(lookout, &own);
}

static void *lookout_main(void *arg)
{
    struct pg_worker *lookout = arg;
    struct db_queue *looks = &lookout->db->base.looks;

    while (!db_queue_await_close(looks, 0)) {
        if (lookout_connects(lookout))
            lookout_serve(lookout);
        else
            db_queue_await_close(looks, PG_ASK_EVERY_MS / 2);
    }
    if (lookout->has_conn) pg_worker_disconnect(lookout);
    return NULL;
}

/* --- Joining and leaving --- */

bool pg_is_first_store(const struct pg_db *db)
{
    return db->server == &db->own;
}

static enum err server_open(struct pg_server *server, struct pg_db *db,
                            const struct db_options *options, struct buf *why)
{
    pthread_mutex_init(&server->refusal_mutex, NULL);
    enum err err = pg_params_init(&server->params, options, why);
    if (!err) err = pg_schema_open(&server->params, options, why);
    if (err) return err;
    server->listener = pg_listener_start(&db->base, &server->params);
    pg_worker_start(&server->lookout, db, "db-lookout", lookout_main);
    return ERR_OK;
}

enum err pg_server_join(struct pg_db *db, const struct db_options *options, struct buf *why)
{
    struct pg_db *first = options->with ? (struct pg_db *)options->with : db;

    db->base.looker = &first->base;
    db->server = &first->own;
    if (first == db) return server_open(&db->own, db, options, why);
    pg_listener_join(db->server->listener, &db->base);
    return ERR_OK;
}

void pg_server_leave(struct pg_db *db)
{
    if (!pg_is_first_store(db)) {
        pg_listener_leave(db->server->listener, &db->base);
        return;
    }
    pthread_join(db->server->lookout.thread, NULL);
    pg_listener_stop(db->server->listener);
}

void pg_server_done(struct pg_server *server)
{
    pg_params_done(&server->params);
    pthread_mutex_destroy(&server->refusal_mutex);
}
