/*
 * The kernel spreads new connections over the listening sockets by a hash, which is fair for many
 * and unfair for few; so a loop that has clearly more than another hands new ones over.
 *
 * When all places are taken, a connection that waits for its peer goes for a new one, in the order
 * of enum http_spare (contract, section 7 "Connections make room"). Each loop keeps these in order
 * and tells the others how long its first ones wait, so that the choice costs a look at each loop.
 * The new connection is handed to the loop that closes the old one. A connection that finds no
 * place this way, or whose address has all that it may have, is an excess. Each loop hears a few of
 * them for a second, so that health can always be asked; the one that has waited for longest goes
 * for a new one.
 */
#include "kit/base/log.h"
#include "kit/base/must.h"
#include "kit/http/connection.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    ACCEPT_BATCH = 64, /* so many are accepted between two looks at the other connections */
    BALANCE_SLACK = 2, /* a hand-over costs a wake-up, so small differences stay */
    EXCESS_MAX = 32,   /* connections of a loop that have no place */
    REPLACED_MAX =
        16, /* so many are closed in one round, which keep their descriptors until its end */
    MOVING_MAX = 64, /* so many may be on their way to a loop that closes another for them */
    WAITING_LEAST_MS = 1000,
    LOOKS_MAX = ACCEPT_BATCH, /* looks for one connection at others that turn out not to wait */
    CROWD_TOLD_EVERY_MS = 60 * 1000,
    UNSENT_MAX = 64 * 1024,
};

/* A connection on its way from one loop to another. */
struct handover {
    struct http_loop *loop;
    struct http_arrival arrival;
};

static void hand_over(struct http_loop *loop, const struct http_arrival *arrival,
                      void (*adopt)(void *arg))
{
    struct handover *handover = must_calloc(1, sizeof(*handover));

    *handover = (struct handover){loop, *arrival};
    http_loop_post(loop, (struct http_task){.run = adopt, .arg = handover});
}

static void adopt(void *arg)
{
    struct handover *handover = arg;
    struct http_loop *loop = handover->loop;

    if (loop->is_stopping) {
        http_admission_leave(&loop->server->admission, &handover->arrival.address);
        atomic_fetch_sub(&loop->connection_count, 1);
        close(handover->arrival.fd);
    } else {
        http_connection_open(loop, &handover->arrival, false);
    }
    free(handover);
}

static struct http_loop *find_least_busy(struct http_loop *own)
{
    struct http_server *server = own->server;
    struct http_loop *least = own;
    int fewest = atomic_load(&own->connection_count) - BALANCE_SLACK;

    for (int i = 0; i < server->loop_count; i++) {
        int count = atomic_load(&server->loops[i].connection_count);
        if (count >= fewest) continue;
        fewest = count;
        least = &server->loops[i];
    }
    return least;
}

static void place(struct http_loop *own, const struct http_arrival *arrival)
{
    struct http_loop *loop = find_least_busy(own);

    atomic_fetch_add(&loop->connection_count, 1);
    if (loop == own) {
        http_connection_open(own, arrival, false);
        return;
    }
    hand_over(loop, arrival, adopt);
}

static void log_crowd(struct http_loop *loop)
{
    const struct http_server *server = loop->server;
    int64_t now_ms = http_loop_now(loop);

    if (loop->crowd_told_ms != 0 && now_ms - loop->crowd_told_ms < CROWD_TOLD_EVERY_MS) return;
    loop->crowd_told_ms = now_ms;
    log_write(
        LOG_WARNING,
        "a limit of connections is reached: those that keep herald waiting are closed for new "
        "ones; "
        "where there are none, new ones are refused",
        LOG_FIELDS(log_int("connections", atomic_load(&server->admission.connections)),
                   log_int("connections_max", server->limits.connections_max),
                   log_int("connections_per_address", server->limits.connections_per_address)));
}

static void take_excess(struct http_loop *loop, const struct http_arrival *arrival)
{
    log_crowd(loop);
    if (loop->excess_count >= EXCESS_MAX) {
        struct http_connection *first = http_loop_first_excess(loop);
        if (!first) {
            close(arrival->fd);
            return;
        }
        http_connection_close(first);
        loop->replaced_count++;
    }
    atomic_fetch_add(&loop->connection_count, 1);
    http_connection_open(loop, arrival, true);
}

/* Reads how long the first connection of each kind waits in `loop`, as it told last; -1 for none.
 */
static void read_waiting(const struct http_loop *own, const struct http_loop *loop,
                         int64_t ret_waiting_ms[static HTTP_SPARE_KINDS])
{
    for (int kind = 0; kind < HTTP_SPARE_KINDS; kind++) {
        int64_t since_ms = atomic_load_explicit(&loop->spare_since_ms[kind], memory_order_relaxed);
        int64_t waiting_ms = http_loop_now(own) - since_ms;
        ret_waiting_ms[kind] = since_ms == INT64_MAX ? -1 : waiting_ms < 0 ? 0 : waiting_ms;
    }
}

/* A connection that came a moment ago is about to ask, and is neither idle nor slow yet: it goes
 * only if all others, of any kind, came later still. So no peer keeps a place by coming again and
 * again. A stream, which few peers may have, goes only where its peer has taken nothing for a
 * while. */
static enum http_spare choose_kind(const int64_t waiting_ms[static HTTP_SPARE_KINDS])
{
    enum http_spare chosen = 0;

    for (int kind = 1; kind < HTTP_SPARE_KINDS; kind++) {
        bool is_early = kind == HTTP_SPARE_STREAM && waiting_ms[kind] < WAITING_LEAST_MS;
        if (is_early || waiting_ms[chosen] >= WAITING_LEAST_MS) continue;
        if (waiting_ms[kind] > waiting_ms[chosen]) chosen = kind;
    }
    return chosen;
}

/* Tells whether it turns out not to keep herald waiting: its peer has taken bytes of its answer
 * since the last look, or its request has come and is yet to be read. */
static bool has_moved(struct http_connection *c)
{
    uv_os_fd_t fd;
    int unread = 0;

    if (c->is_writing) return http_output_has_moved(c);
    if (c->phase != HTTP_PHASE_IDLE || uv_fileno((const uv_handle_t *)&c->tcp, &fd) != 0)
        return false;
    if (ioctl(fd, FIONREAD, &unread) != 0 || unread == 0) return false;
    http_deadline_set(&c->spare, &c->loop->spares[c->spare_kind], http_loop_now(c->loop));
    return true;
}

/* Returns the connection of this loop that can be spared first, or NULL. */
static struct http_connection *find_spare(struct http_loop *loop)
{
    int64_t waiting_ms[HTTP_SPARE_KINDS];
    struct http_connection *spare;
    int looks = 0;

    do {
        http_loop_publish(loop);
        read_waiting(loop, loop, waiting_ms);
        spare = http_loop_first_spare(loop, choose_kind(waiting_ms));
    } while (spare && looks++ < LOOKS_MAX && has_moved(spare));
    return spare;
}

/* Opens a connection in the place of one of this loop. Returns false if none can be spared, or if
 * the new one's address has all that it may have. */
static bool replace(struct http_loop *loop, const struct http_arrival *arrival)
{
    struct http_connection *old = find_spare(loop);

    if (!old || !http_admission_replace(&loop->server->admission, &old->address, &arrival->address))
        return false;
    log_crowd(loop);
    http_connection_give_up(old);
    loop->replaced_count++;
    atomic_fetch_add(&loop->connection_count, 1);
    http_connection_open(loop, arrival, false);
    http_loop_publish(loop);
    return true;
}

static void adopt_by_replacing(void *arg)
{
    struct handover *handover = arg;
    struct http_loop *loop = handover->loop;

    atomic_fetch_sub(&loop->server->moving_count, 1);
    http_loop_advance(loop); /* the tasks before this one have changed connections */
    if (loop->is_stopping)
        close(handover->arrival.fd);
    else if (!replace(loop, &handover->arrival))
        take_excess(loop, &handover->arrival);
    free(handover);
}

/* Returns false if no connection can be spared for it. */
static bool make_room(struct http_loop *own, const struct http_arrival *arrival)
{
    struct http_server *server = own->server;
    struct http_loop *loops[HTTP_SPARE_KINDS] = {NULL};
    int64_t waiting_ms[HTTP_SPARE_KINDS], longest_ms[HTTP_SPARE_KINDS] = {0};

    for (int i = 0; i < server->loop_count; i++) {
        read_waiting(own, &server->loops[i], waiting_ms);
        for (int kind = 0; kind < HTTP_SPARE_KINDS; kind++) {
            if (i > 0 && waiting_ms[kind] <= longest_ms[kind]) continue;
            longest_ms[kind] = waiting_ms[kind];
            loops[kind] = &server->loops[i];
        }
    }
    enum http_spare kind = choose_kind(longest_ms);
    struct http_loop *loop = loops[kind];
    if (!loop || longest_ms[kind] < 0) return false;
    if (loop == own || atomic_load(&server->moving_count) >= MOVING_MAX)
        return replace(own, arrival);
    atomic_fetch_add(&server->moving_count, 1);
    /* Until the other loop tells anew, its first connection counts as the last that came. */
    atomic_store(&loop->spare_since_ms[kind], http_loop_now(own));
    hand_over(loop, arrival, adopt_by_replacing);
    return true;
}

static void take(struct http_loop *loop, const struct http_arrival *arrival)
{
    enum http_admitted admitted = http_admission_enter(&loop->server->admission, &arrival->address);
    bool is_full = admitted == HTTP_ALL_PLACES_TAKEN;

    if (admitted == HTTP_ADMITTED)
        place(loop, arrival);
    else if (!is_full || !make_room(loop, arrival))
        take_excess(loop, arrival);
}

static void pause_accepting(struct http_loop *loop)
{
    loop->is_accept_paused = true;
    for (int i = 0; i < loop->listener_count; i++)
        uv_poll_stop(&loop->listeners[i].poll);
    http_loop_update_timer(loop);
}

static void on_acceptable(uv_poll_t *poll, int status, int events)
{
    const struct http_listener *listener = poll->data;
    struct http_loop *loop = listener->loop;
    (void)status; /* an error of the socket shows in accept4 */
    (void)events;

    loop->replaced_count = 0;
    for (int i = 0; i < ACCEPT_BATCH && loop->replaced_count < REPLACED_MAX; i++) {
        struct sockaddr_storage peer = {0};
        socklen_t len = sizeof(peer);
        int fd =
            accept4(listener->fd, (struct sockaddr *)&peer, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0) {
            bool is_out_of_descriptors =
                errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
            /* New connections stay in the backlog; a further try at once would only cost time. */
            if (is_out_of_descriptors) pause_accepting(loop);
            break;
        }
        const struct http_arrival arrival = {fd, http_address_of(&peer), listener->index,
                                             listener->is_tls};
        take(loop, &arrival);
    }
    http_loop_advance(loop);
}

static void set_options(const struct http_loop *loop, int fd)
{
    unsigned stall_ms = (unsigned)loop->server->limits.write_stall_ms;
    int unsent_max = UNSENT_MAX;

    /* The connections inherit these. With the first, a peer that vanished is noticed, too. */
    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &stall_ms, sizeof(stall_ms));
    /* With the second, bytes that a peer has no room for wait here: the kernel would take megabytes
     * of each, and slow down every connection of the machine once it has too many. */
    setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent_max, sizeof(unsent_max));
}

static void start_listeners(struct http_loop *loop)
{
    for (int i = 0; i < loop->listener_count; i++)
        uv_poll_start(&loop->listeners[i].poll, UV_READABLE, on_acceptable);
}

void http_accept_start(struct http_loop *loop)
{
    for (int i = 0; i < loop->listener_count; i++) {
        struct http_listener *listener = &loop->listeners[i];
        set_options(loop, listener->fd);
        int rc = uv_poll_init(&loop->uv, &listener->poll, listener->fd);
        assert(rc == 0);
        listener->poll.data = listener;
    }
    start_listeners(loop);
}

void http_accept_resume(struct http_loop *loop)
{
    if (!loop->is_accept_paused || loop->is_stopping) return;
    loop->is_accept_paused = false;
    start_listeners(loop);
    http_loop_update_timer(loop);
}

void http_accept_stop(struct http_loop *loop)
{
    for (int i = 0; i < loop->listener_count; i++) {
        struct http_listener *listener = &loop->listeners[i];
        uv_close((uv_handle_t *)&listener->poll, NULL);
        close(listener->fd);
        listener->fd = -1;
    }
    loop->is_accept_paused = false;
    http_loop_update_timer(loop);
}
