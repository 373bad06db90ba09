/* This event loop under libcurl's multi interface also watches the connections that libcurl keeps
 * for later and does not watch itself. */
#include "kit/fetch/poller.h"

#include "kit/base/clock.h"
#include "kit/base/must.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    EVENTS_MAX = 256,
    DRAIN_MAX = 16, /* reads */
};

static const int64_t NEVER = INT64_MAX;

/* Watches a socket. An event carries it, and whether its connection is a kept one. Returns false if
 * the socket is closed. */
static bool watch(struct poller *poller, curl_socket_t fd, uint32_t events, bool is_kept)
{
    struct epoll_event event = {.events = events, .data.u64 = (uint64_t)fd << 1 | is_kept};
    if (epoll_ctl(poller->epoll_fd, EPOLL_CTL_MOD, fd, &event) == 0) return true;
    if (errno != ENOENT) return false;
    return epoll_ctl(poller->epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

static int watch_socket(CURL *easy, curl_socket_t fd, int what, void *user, void *socket_user)
{
    struct poller *poller = user;
    (void)easy, (void)socket_user;
    if (what == CURL_POLL_REMOVE) {
        /* It is kept for later, or about to be closed; epoll forgets closed ones by itself. */
        (void)watch(poller, fd, EPOLLIN, true);
        return 0;
    }
    uint32_t events = 0;
    if (what & CURL_POLL_IN) events |= EPOLLIN;
    if (what & CURL_POLL_OUT) events |= EPOLLOUT;
    bool is_watched = watch(poller, fd, events, false);
    assert(is_watched);
    return 0;
}

/* A FIN, a reset or stray bytes came on a kept connection. It must not be used again, but
 * libcurl 7.88 would: it notices only a FIN, sends a request into a connection that was reset, and
 * takes stray bytes for the answer. So all of them are made to look like a FIN. */
static void spoil(struct poller *poller, curl_socket_t fd)
{
    char bytes[4096];
    for (int i = 0; i < DRAIN_MAX && recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT) > 0; i++)
        continue;
    shutdown(fd, SHUT_RDWR);
    epoll_ctl(poller->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
}

static int set_timer(CURLM *multi, long wait_ms, void *user)
{
    struct poller *poller = user;
    (void)multi;
    poller->timer_at_ms = wait_ms < 0 ? NEVER : clock_monotonic_ms() + wait_ms;
    return 0;
}

void poller_init(struct poller *poller, long idle_max)
{
    *poller = (struct poller){
        .multi = curl_multi_init(),
        .epoll_fd = epoll_create1(EPOLL_CLOEXEC),
        .wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
        .timer_at_ms = NEVER,
    };
    must_have(poller->multi && poller->epoll_fd >= 0 && poller->wake_fd >= 0,
              "fetches cannot be prepared: allow more file descriptors (ulimit -n, "
              "LimitNOFILE) or more memory.");
    bool is_watched = watch(poller, poller->wake_fd, EPOLLIN, false);
    assert(is_watched);

    curl_multi_setopt(poller->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_NOTHING);
    curl_multi_setopt(poller->multi, CURLMOPT_MAXCONNECTS, idle_max);
    curl_multi_setopt(poller->multi, CURLMOPT_SOCKETFUNCTION, watch_socket);
    curl_multi_setopt(poller->multi, CURLMOPT_SOCKETDATA, poller);
    curl_multi_setopt(poller->multi, CURLMOPT_TIMERFUNCTION, set_timer);
    curl_multi_setopt(poller->multi, CURLMOPT_TIMERDATA, poller);
}

void poller_done(struct poller *poller)
{
    curl_multi_cleanup(poller->multi);
    close(poller->epoll_fd);
    close(poller->wake_fd);
}

/* Returns the milliseconds for epoll_wait: up to `wait_ms` or libcurl's timer, whichever is nearer;
 * -1 if there is neither. */
static int wait_of(const struct poller *poller, int64_t wait_ms)
{
    if (poller->timer_at_ms != NEVER) {
        int64_t timer_ms = poller->timer_at_ms - clock_monotonic_ms();
        if (timer_ms < 0) timer_ms = 0;
        if (wait_ms < 0 || timer_ms < wait_ms) wait_ms = timer_ms;
    }
    return wait_ms < INT_MAX ? (int)wait_ms : INT_MAX;
}

static void act(struct poller *poller, curl_socket_t fd, int ready)
{
    int running;
    CURLMcode code = curl_multi_socket_action(poller->multi, fd, ready, &running);
    assert(code == CURLM_OK);
}

static void handle_event(struct poller *poller, uint32_t events, curl_socket_t fd)
{
    int ready = 0;
    if (fd == poller->wake_fd) {
        uint64_t wakes;
        ssize_t len = read(poller->wake_fd, &wakes, sizeof(wakes));
        assert(len == sizeof(wakes));
        return;
    }
    if (events & EPOLLIN) ready |= CURL_CSELECT_IN;
    if (events & EPOLLOUT) ready |= CURL_CSELECT_OUT;
    /* libcurl finds out what is wrong by reading and writing. It would trust CURL_CSELECT_ERR, even
     * about a socket that was closed, and whose number was given to another, in this round. */
    if (events & (EPOLLERR | EPOLLHUP)) ready |= CURL_CSELECT_IN | CURL_CSELECT_OUT;
    act(poller, fd, ready);
}

static void handle_events(struct poller *poller, const struct epoll_event *events, int count)
{
    /* These come first, while no socket has been closed or used since the kernel told. */
    for (int i = 0; i < count; i++) {
        if (events[i].data.u64 & 1) spoil(poller, (curl_socket_t)(events[i].data.u64 >> 1));
    }
    for (int i = 0; i < count; i++) {
        if (events[i].data.u64 & 1) continue;
        handle_event(poller, events[i].events, (curl_socket_t)(events[i].data.u64 >> 1));
    }
}

void poller_run(struct poller *poller, int64_t wait_ms)
{
    struct epoll_event events[EVENTS_MAX];
    int count = epoll_wait(poller->epoll_fd, events, EVENTS_MAX, wait_of(poller, wait_ms));
    assert(count >= 0 || errno == EINTR);
    handle_events(poller, events, count);

    /* Fetches begin here, and so just after the kept connections were checked. */
    if (poller->timer_at_ms > clock_monotonic_ms()) return;
    poller->timer_at_ms = NEVER; /* libcurl names the next one while it acts */
    act(poller, CURL_SOCKET_TIMEOUT, 0);
}

void poller_wake(struct poller *poller)
{
    const uint64_t one = 1;
    ssize_t len = write(poller->wake_fd, &one, sizeof(one));
    assert(len == sizeof(one));
}
