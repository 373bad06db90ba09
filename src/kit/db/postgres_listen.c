/*
 * Processes give each other hints over one connection of each, for all its stores, which listens
 * and sends the NOTIFYs of its process. A NOTIFY within the transactions themselves would make
 * their commits wait for each other. Here they are merged: the first goes at once and the next
 * after a short pause. A hint may be lost, so its receivers poll as well. Where the server, or a
 * pooler before it, knows no LISTEN, only time is lost.
 */
#include "kit/base/clock.h"
#include "kit/base/macros.h"
#include "kit/base/must.h"
#include "kit/base/thread.h"
#include "kit/db/postgres.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum {
    STORES_MAX = 2,
    ANNOUNCE_PAUSE_MS = 5,
    LOOK_EVERY_MS = 1000, /* the time between looks whether the server hangs */
    RECONNECT_FIRST_MS = 1000,
    RECONNECT_LAST_MS = 5 * 60 * 1000, /* where there is no LISTEN */
};

struct pg_listener {
    struct pg_params *params;
    pthread_t thread;
    pthread_mutex_t stores_mutex; /* is held while subscribers are called; guards what follows */
    struct db *stores[STORES_MAX];
    int wake_fd;
    int64_t announce_at_ms; /* the next announcement waits until then; monotonic */
    int64_t opened_at_ms;   /* likewise: the connection was opened then */
    int reconnect_ms;       /* the pause after the current connection */
    bool is_refused;        /* the server refused a statement, and will refuse it again */
    pthread_mutex_t mutex;  /* guards what follows */
    bool is_stopping;
    struct db_topics announced; /* topics that other processes have to hear of */
    struct db_topics listened;
};

static void wake(struct pg_listener *listener)
{
    uint64_t one = 1;
    ssize_t written = write(listener->wake_fd, &one, sizeof one);
    (void)written; /* a full counter wakes as well */
}

static bool is_stopping(struct pg_listener *listener)
{
    pthread_mutex_lock(&listener->mutex);
    bool is_stopping = listener->is_stopping;
    pthread_mutex_unlock(&listener->mutex);
    return is_stopping;
}

/* A server that hangs is awaited no longer than a request would. */
static bool await_answer(PGconn *pg, int64_t until_ms)
{
    struct pollfd socket = {.fd = PQsocket(pg), .events = POLLIN};
    int64_t left_ms;

    while (PQisBusy(pg)) {
        left_ms = until_ms - clock_monotonic_ms();
        if (left_ms <= 0 || poll(&socket, 1, (int)left_ms) <= 0 || !PQconsumeInput(pg))
            return false;
    }
    return true;
}

/* A failure of the server itself passes; a refusal of the statement does not. */
static bool is_refusal(const PGresult *answer)
{
    static const char *const passing[] = {"08", "25", "53", "57", "58"};
    const char *sqlstate = PQresultErrorField(answer, PG_DIAG_SQLSTATE);

    for (size_t i = 0; sqlstate && i < COUNT_OF(passing); i++)
        if (strncmp(sqlstate, passing[i], 2) == 0) return false;
    return sqlstate != NULL;
}

static bool is_done(struct pg_listener *listener, PGconn *pg, const char *sql, const char *arg)
{
    int64_t until_ms = clock_monotonic_ms() + listener->params->timeout_ms;
    bool is_done = true;
    PGresult *answer;

    if (!PQsendQueryParams(pg, sql, arg ? 1 : 0, NULL, arg ? &arg : NULL, NULL, NULL, 0))
        return false;
    while (await_answer(pg, until_ms)) {
        answer = PQgetResult(pg);
        if (!answer) return is_done;
        is_done &= pg_is_success(answer);
        listener->is_refused |= is_refusal(answer);
        PQclear(answer);
    }
    return false;
}

/* --- Listening --- */

static bool listen_to(struct pg_listener *listener, PGconn *pg, const char *topic)
{
    char *name = PQescapeIdentifier(pg, topic, strlen(topic));
    if (!name) return false;
    char sql[256];
    snprintf(sql, sizeof sql, "LISTEN %s", name);
    PQfreemem(name);
    return is_done(listener, pg, sql, NULL);
}

/* Sends LISTEN for the topics behind the first `*count`, which are listened to already. */
static bool listen_to_new(struct pg_listener *listener, PGconn *pg, size_t *count)
{
    for (;;) {
        pthread_mutex_lock(&listener->mutex);
        const char *topic =
            *count < listener->listened.count ? listener->listened.names[*count] : NULL;
        pthread_mutex_unlock(&listener->mutex);
        if (!topic) return true;
        if (!listen_to(listener, pg, topic)) return false;
        (*count)++;
    }
}

static void call_subscribers(struct pg_listener *listener, const char *topic)
{
    pthread_mutex_lock(&listener->stores_mutex);
    for (size_t i = 0; i < STORES_MAX; i++)
        if (listener->stores[i]) db_call_subscribers(listener->stores[i], topic);
    pthread_mutex_unlock(&listener->stores_mutex);
}

static void hear(struct pg_listener *listener, PGconn *pg)
{
    PGnotify *notify;
    while ((notify = PQnotifies(pg))) {
        /* This process has heard of its own announcements already. */
        if (notify->be_pid != PQbackendPID(pg)) call_subscribers(listener, notify->relname);
        PQfreemem(notify);
    }
}

/* --- Announcing --- */

static struct db_topics take_announced(struct pg_listener *listener)
{
    pthread_mutex_lock(&listener->mutex);
    struct db_topics taken = listener->announced;
    listener->announced.count = 0;
    pthread_mutex_unlock(&listener->mutex);
    return taken;
}

/* Returns the time until the next announcement may go out; -1 if there is none. */
static int announce_wait_ms(struct pg_listener *listener)
{
    pthread_mutex_lock(&listener->mutex);
    bool has_any = listener->announced.count > 0;
    pthread_mutex_unlock(&listener->mutex);
    if (!has_any) return -1;
    int64_t left_ms = listener->announce_at_ms - clock_monotonic_ms();
    return left_ms > 0 ? (int)left_ms : 0;
}

static bool announce(struct pg_listener *listener, PGconn *pg)
{
    if (announce_wait_ms(listener) != 0) return true;
    struct db_topics topics = take_announced(listener);
    for (size_t i = 0; i < topics.count; i++)
        if (!is_done(listener, pg, "SELECT pg_notify($1, '')", topics.names[i])) return false;
    listener->announce_at_ms = clock_monotonic_ms() + ANNOUNCE_PAUSE_MS;
    return true;
}

/* --- The thread --- */

static void await_wake(struct pg_listener *listener, PGconn *pg, int wait_ms)
{
    struct pollfd fds[] = {
        {.fd = listener->wake_fd, .events = POLLIN},
        {.fd = pg ? PQsocket(pg) : -1, .events = POLLIN},
    };
    poll(fds, 2, wait_ms);
    uint64_t count;
    if (fds[0].revents && read(listener->wake_fd, &count, sizeof count) < 0) return;
}

/* Listens and announces until the connection breaks, the server refuses, or the database closes. */
static void converse(struct pg_listener *listener, PGconn *pg)
{
    size_t listened_count = 0;
    bool goes_on = listen_to_new(listener, pg, &listened_count);
    /* The hints of the time without a listener are lost, so all subscribers look. */
    if (goes_on) call_subscribers(listener, NULL);
    while (goes_on && !is_stopping(listener)) {
        hear(listener, pg);
        int wait_ms = announce_wait_ms(listener);
        await_wake(listener, pg, wait_ms < 0 ? LOOK_EVERY_MS : wait_ms);
        const struct pg_watch *watch = &listener->params->watch;
        goes_on = !pg_watch_has_condemned(watch, listener->opened_at_ms) && PQconsumeInput(pg) &&
                  listen_to_new(listener, pg, &listened_count) && announce(listener, pg);
    }
}

/* The pause grows each time that the server refuses a statement. */
static void choose_pause(struct pg_listener *listener, const PGconn *pg)
{
    if (!listener->is_refused) {
        listener->reconnect_ms = RECONNECT_FIRST_MS;
        return;
    }
    if (listener->reconnect_ms == RECONNECT_FIRST_MS)
        db_log(false,
               "PostgreSQL, or a pooler before it, refuses LISTEN or NOTIFY: processes learn of "
               "each other's work by polling, up to a second later.",
               PQerrorMessage(pg));
    if (listener->reconnect_ms < RECONNECT_LAST_MS) listener->reconnect_ms *= 2;
}

/* Waits without a connection; announcements of that time wait as well. */
static void pause_between(struct pg_listener *listener)
{
    int64_t until_ms = clock_monotonic_ms() + listener->reconnect_ms, left_ms;

    while (!is_stopping(listener) && (left_ms = until_ms - clock_monotonic_ms()) > 0)
        await_wake(listener, NULL, (int)left_ms);
}

static void *listener_main(void *arg)
{
    struct pg_listener *listener = arg;
    while (!is_stopping(listener)) {
        struct buf why;
        buf_init(&why, DB_WHY_MAX);
        PGconn *pg = pg_connect(listener->params, PG_LISTENER, &why);
        buf_done(&why);
        listener->opened_at_ms = clock_monotonic_ms();
        listener->is_refused = false;
        if (pg) converse(listener, pg);
        if (!is_stopping(listener)) choose_pause(listener, pg);
        PQfinish(pg);
        pause_between(listener);
    }
    return NULL;
}

/* --- For the engine --- */

struct pg_listener *pg_listener_start(struct db *db, struct pg_params *params)
{
    struct pg_listener *listener = must_calloc(1, sizeof *listener);
    pthread_mutex_init(&listener->stores_mutex, NULL);
    listener->stores[0] = db;
    listener->params = params;
    listener->reconnect_ms = RECONNECT_FIRST_MS;
    listener->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    must_have(listener->wake_fd >= 0, "too few file descriptors are allowed: raise the limit "
                                      "(ulimit -n, LimitNOFILE).");
    pthread_mutex_init(&listener->mutex, NULL);
    thread_start(&listener->thread, "db-listen", listener_main, listener);
    return listener;
}

void pg_listener_stop(struct pg_listener *listener)
{
    pthread_mutex_lock(&listener->mutex);
    listener->is_stopping = true;
    pthread_mutex_unlock(&listener->mutex);
    wake(listener);
    pthread_join(listener->thread, NULL);
    close(listener->wake_fd);
    pthread_mutex_destroy(&listener->mutex);
    pthread_mutex_destroy(&listener->stores_mutex);
    free(listener);
}

static void replace_store(struct pg_listener *listener, struct db *old, struct db *new)
{
    size_t i = 0;

    pthread_mutex_lock(&listener->stores_mutex);
    while (i < STORES_MAX && listener->stores[i] != old)
        i++;
    assert(i < STORES_MAX);
    listener->stores[i] = new;
    pthread_mutex_unlock(&listener->stores_mutex);
}

void pg_listener_join(struct pg_listener *listener, struct db *db)
{
    replace_store(listener, NULL, db);
}

void pg_listener_leave(struct pg_listener *listener, struct db *db)
{
    replace_store(listener, db, NULL);
}

void pg_listener_add(struct pg_listener *listener, const char *topic)
{
    pthread_mutex_lock(&listener->mutex);
    db_topics_add(&listener->listened, topic);
    pthread_mutex_unlock(&listener->mutex);
    wake(listener);
}

void pg_listener_announce(struct pg_listener *listener, const struct db_topics *topics)
{
    pthread_mutex_lock(&listener->mutex);
    db_topics_add_all(&listener->announced, topics);
    pthread_mutex_unlock(&listener->mutex);
    wake(listener);
}
