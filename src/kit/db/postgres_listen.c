/*
 * Hints between processes: one connection that listens, and that sends this process's NOTIFYs. A
 * NOTIFY inside the transactions themselves would make their commits wait for each other; here they
 * are merged, the first at once and the next after a short pause. A hint may be lost: whoever waits
 * for one polls as well.
 */
#include "kit/base/clock.h"
#include "kit/base/thread.h"
#include "kit/db/postgres.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum {
    ANNOUNCE_PAUSE_MS = 5,
    RECONNECT_MS = 1000,
};

struct pg_listener {
    struct db *db;
    struct pg_params *params;
    pthread_t thread;
    int wake_fd;
    int64_t announce_at_ms; /* not before, on the monotonic clock */
    pthread_mutex_t mutex;  /* for what follows */
    bool is_stopping;
    struct db_channels announced; /* to be told to others */
    struct db_channels listened;  /* the subscribers' own strings */
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

static bool is_done(PGconn *pg, const char *sql, const char *arg)
{
    PGresult *answer = PQexecParams(pg, sql, arg ? 1 : 0, NULL, arg ? &arg : NULL, NULL, NULL, 0);
    ExecStatusType status = PQresultStatus(answer);
    PQclear(answer);
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

/* --- Listening --- */

static bool listen_to(PGconn *pg, const char *channel)
{
    char *name = PQescapeIdentifier(pg, channel, strlen(channel));
    if (!name) return false;
    char sql[256];
    snprintf(sql, sizeof sql, "LISTEN %s", name);
    PQfreemem(name);
    return is_done(pg, sql, NULL);
}

/* LISTEN for the channels beyond the first `*count`, which are listened to already. */
static bool listen_to_new(struct pg_listener *listener, PGconn *pg, size_t *count)
{
    for (;;) {
        pthread_mutex_lock(&listener->mutex);
        const char *channel =
            *count < listener->listened.count ? listener->listened.names[*count] : NULL;
        pthread_mutex_unlock(&listener->mutex);
        if (!channel) return true;
        if (!listen_to(pg, channel)) return false;
        (*count)++;
    }
}

static void hear(struct pg_listener *listener, PGconn *pg)
{
    PGnotify *notify;
    while ((notify = PQnotifies(pg))) {
        /* What this process announced it has heard already. */
        if (notify->be_pid != PQbackendPID(pg)) db_call_subscribers(listener->db, notify->relname);
        PQfreemem(notify);
    }
}

/* --- Announcing --- */

static struct db_channels take_announced(struct pg_listener *listener)
{
    pthread_mutex_lock(&listener->mutex);
    struct db_channels taken = listener->announced;
    listener->announced.count = 0;
    pthread_mutex_unlock(&listener->mutex);
    return taken;
}

/* How long until the next announcement may go out; -1 if there is none. */
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
    struct db_channels channels = take_announced(listener);
    for (size_t i = 0; i < channels.count; i++)
        if (!is_done(pg, "SELECT pg_notify($1, '')", channels.names[i])) return false;
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

/* Until the connection breaks or the database closes. */
static void converse(struct pg_listener *listener, PGconn *pg)
{
    size_t listened_count = 0;
    bool is_well = listen_to_new(listener, pg, &listened_count);
    /* What was said while nobody listened is not repeated. */
    if (is_well) db_call_subscribers(listener->db, NULL);
    while (is_well && !is_stopping(listener)) {
        hear(listener, pg);
        await_wake(listener, pg, announce_wait_ms(listener));
        is_well = PQconsumeInput(pg) && listen_to_new(listener, pg, &listened_count) &&
                  announce(listener, pg);
    }
}

static void *listener_main(void *arg)
{
    struct pg_listener *listener = arg;
    while (!is_stopping(listener)) {
        struct buf why;
        buf_init(&why, DB_WHY_MAX);
        PGconn *pg = pg_connect(listener->params, PG_LISTENER, &why);
        buf_done(&why);
        if (pg) converse(listener, pg);
        PQfinish(pg);
        if (!is_stopping(listener)) await_wake(listener, NULL, RECONNECT_MS);
    }
    return NULL;
}

/* --- For the engine --- */

struct pg_listener *pg_listener_start(struct db *db, struct pg_params *params)
{
    struct pg_listener *listener = calloc(1, sizeof *listener);
    if (!listener) abort();
    listener->db = db;
    listener->params = params;
    listener->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (listener->wake_fd < 0) abort();
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
    free(listener);
}

void pg_listener_add(struct pg_listener *listener, const char *channel)
{
    pthread_mutex_lock(&listener->mutex);
    db_channels_add(&listener->listened, channel);
    pthread_mutex_unlock(&listener->mutex);
    wake(listener);
}

void pg_listener_announce(struct pg_listener *listener, const struct db_channels *channels)
{
    pthread_mutex_lock(&listener->mutex);
    for (size_t i = 0; i < channels->count; i++)
        db_channels_add(&listener->announced, channels->names[i]);
    pthread_mutex_unlock(&listener->mutex);
    wake(listener);
}
