/*
 * Taking connections. The kernel spreads them over the listening sockets by a hash, which is fair
 * for many and unfair for few; so a loop that has clearly more than another hands new ones over.
 */
#include "kit/http/connection.h"
#include "kit/http/memory.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <unistd.h>

enum {
    ACCEPT_BATCH = 64, /* between two looks at the other connections */
    BALANCE_SLACK = 2, /* a hand-over costs a wake-up: small differences stay */
    EXCESS_MAX = 64,   /* connections of a loop that are told why they are refused */
    UNSENT_MAX = 64 * 1024,
};

/* On its way from one loop to another. */
struct handover {
    struct http_loop *loop;
    int fd;
    struct in6_addr address;
};

static void adopt(void *arg)
{
    struct handover *handover = arg;
    struct http_loop *loop = handover->loop;

    if (loop->is_stopping) {
        http_admission_leave(&loop->server->admission, &handover->address);
        atomic_fetch_sub(&loop->connection_count, 1);
        close(handover->fd);
    } else {
        http_connection_open(loop, handover->fd, &handover->address, false);
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

static void place(struct http_loop *own, int fd, const struct in6_addr *address)
{
    struct http_loop *loop = find_least_busy(own);

    atomic_fetch_add(&loop->connection_count, 1);
    if (loop == own) {
        http_connection_open(own, fd, address, false);
        return;
    }
    struct handover *handover = http_alloc(sizeof(*handover));
    *handover = (struct handover){loop, fd, *address};
    http_loop_post(loop, (struct http_task){.run = adopt, .arg = handover});
}

static void take(struct http_loop *loop, int fd, const struct in6_addr *address)
{
    if (http_admission_enter(&loop->server->admission, address) == HTTP_ADMITTED) {
        place(loop, fd, address);
        return;
    }
    if (loop->excess_count >= EXCESS_MAX) {
        close(fd);
        return;
    }
    atomic_fetch_add(&loop->connection_count, 1);
    http_connection_open(loop, fd, address, true);
}

static bool is_out_of_descriptors(int error)
{
    return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

static void on_acceptable(uv_poll_t *listener, int status, int events)
{
    struct http_loop *loop = listener->data;
    (void)status; /* an error of the socket shows in accept4 */
    (void)events;

    for (int i = 0; i < ACCEPT_BATCH; i++) {
        struct sockaddr_storage peer = {0};
        socklen_t len = sizeof(peer);
        int fd =
            accept4(loop->listen_fd, (struct sockaddr *)&peer, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0) {
            /* Those who wait stay in the backlog; asking again at once would only burn time. */
            if (is_out_of_descriptors(errno)) {
                loop->is_accept_paused = true;
                uv_poll_stop(listener);
                http_loop_update_timer(loop);
            }
            break;
        }
        struct in6_addr address = http_address_of(&peer);
        take(loop, fd, &address);
    }
    http_loop_settle(loop);
}

void http_accept_start(struct http_loop *loop)
{
    unsigned stall_ms = (unsigned)loop->server->limits.write_stall_ms;
    int unsent_max = UNSENT_MAX;

    /* Inherited by the connections: a peer that vanished without a word is noticed, too. */
    setsockopt(loop->listen_fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &stall_ms, sizeof(stall_ms));
    /* What a peer has no room for waits here: the kernel would take megabytes of each, and slow
     * down every connection of the machine once it has too many. */
    setsockopt(loop->listen_fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent_max, sizeof(unsent_max));
    int rc = uv_poll_init(&loop->uv, &loop->listener, loop->listen_fd);
    assert(rc == 0);
    uv_poll_start(&loop->listener, UV_READABLE, on_acceptable);
}

void http_accept_resume(struct http_loop *loop)
{
    if (!loop->is_accept_paused || loop->is_stopping) return;
    loop->is_accept_paused = false;
    uv_poll_start(&loop->listener, UV_READABLE, on_acceptable);
    http_loop_update_timer(loop);
}

void http_accept_stop(struct http_loop *loop)
{
    uv_close((uv_handle_t *)&loop->listener, NULL);
    close(loop->listen_fd);
    loop->listen_fd = -1;
    loop->is_accept_paused = false;
    http_loop_update_timer(loop);
}
