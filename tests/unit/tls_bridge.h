/*
 * A bridge lets a client that knows no TLS talk to a server that speaks nothing else: it hands out
 * a plain socket, and a thread carries what goes over it. Each end, and each reset, is passed on.
 */
#pragma once

#include "tls_made.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/socket.h>

enum { BRIDGE_PIECE = 16 * 1024, BRIDGE_BUFFER = 128 * 1024 };

struct bridge_way {
    char bytes[BRIDGE_PIECE];
    size_t at, len;
    bool is_over; /* the side that it comes from has ended */
    bool is_told; /* the other side knows */
};

/* It counts the bridges that carry something. */
static atomic_int bridges;

struct bridge {
    int plain, sealed;
    SSL *ssl;
    struct bridge_way out, in; /* to the server, and from it */
    bool is_cut;
};

static inline bool bridge_must_wait(struct bridge *b, int rc)
{
    int error = SSL_get_error(b->ssl, rc);
    ERR_clear_error();
    return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE;
}

/* Reads from the client, and writes to the server. */
static inline void bridge_send(struct bridge *b)
{
    struct bridge_way *way = &b->out;

    if (way->len == 0 && !way->is_over) {
        ssize_t len = recv(b->plain, way->bytes, sizeof(way->bytes), MSG_DONTWAIT);
        if (len > 0) way->len = (size_t)len;
        if (len == 0) way->is_over = true;
        if (len < 0 && errno != EAGAIN) b->is_cut = true;
        way->at = 0;
    }
    if (way->len > 0) {
        int rc = SSL_write(b->ssl, way->bytes + way->at, (int)way->len);
        if (rc > 0) {
            way->at += (size_t)rc;
            way->len -= (size_t)rc;
        } else if (!bridge_must_wait(b, rc)) {
            way->is_over = true; /* the server takes no more; it may still have something to say */
            way->len = 0;
        }
    }
    if (way->is_over && way->len == 0 && !way->is_told) {
        way->is_told = true;
        SSL_shutdown(b->ssl);
        shutdown(b->sealed, SHUT_WR);
    }
}

/* Reads from the server, and writes to the client. */
static inline void bridge_receive(struct bridge *b)
{
    struct bridge_way *way = &b->in;

    if (way->len == 0 && !way->is_over) {
        int rc = SSL_read(b->ssl, way->bytes, sizeof(way->bytes));
        int error = rc > 0 ? SSL_ERROR_NONE : SSL_get_error(b->ssl, rc);
        ERR_clear_error();
        if (rc > 0) way->len = (size_t)rc;
        /* Having said its end, OpenSSL stops once at a ticket that comes. */
        bool is_ticket = rc == 0 && error == SSL_ERROR_SYSCALL && b->out.is_told;
        if (error == SSL_ERROR_ZERO_RETURN)
            way->is_over = true;
        else if (rc <= 0 && !is_ticket && error != SSL_ERROR_WANT_READ &&
                 error != SSL_ERROR_WANT_WRITE)
            b->is_cut = true; /* a reset, or an end that the server has not announced */
        way->at = 0;
    }
    if (way->len > 0) {
        ssize_t len = send(b->plain, way->bytes + way->at, way->len, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (len > 0) {
            way->at += (size_t)len;
            way->len -= (size_t)len;
        } else if (errno != EAGAIN) {
            b->is_cut = true;
        }
    }
    if (way->is_over && way->len == 0 && !way->is_told) {
        way->is_told = true;
        shutdown(b->plain, SHUT_WR);
    }
}

static inline void bridge_wait(struct bridge *b)
{
    bool takes = b->out.len == 0 && !b->out.is_over;
    bool gives = b->in.len > 0;
    struct pollfd fds[] = {
        {b->plain, (short)((takes ? POLLIN : 0) | (gives ? POLLOUT : 0)), 0},
        {b->sealed,
         (short)((b->in.len == 0 && !b->in.is_over ? POLLIN : 0) | (b->out.len > 0 ? POLLOUT : 0)),
         0},
    };

    if (!fds[0].events) fds[0].fd = -1;
    if (!fds[1].events) fds[1].fd = -1;
    poll(fds, 2, 20);
}

static inline void *bridge_run(void *arg)
{
    struct bridge *b = arg;

    while (!b->is_cut && !(b->out.is_told && b->in.is_told)) {
        bridge_send(b);
        bridge_receive(b);
        if (SSL_has_pending(b->ssl) == 0 || b->in.len > 0) bridge_wait(b);
    }
    if (b->is_cut)
        setsockopt(b->plain, SOL_SOCKET, SO_LINGER, &(struct linger){1, 0}, sizeof(struct linger));
    if (b->is_cut)
        setsockopt(b->sealed, SOL_SOCKET, SO_LINGER, &(struct linger){1, 0}, sizeof(struct linger));
    close(b->plain);
    close(b->sealed);
    SSL_free(b->ssl);
    free(b);
    bridges--;
    return NULL;
}

/* Waits until no bridge has a descriptor or memory, 5 s at most: their clients are closed. */
static inline void bridges_end(void)
{
    for (int i = 0; i < 500 && bridges > 0; i++)
        usleep(10 * 1000);
}

/* Two sockets over the loopback that are connected, with small buffers; the first is returned. */
static inline int bridge_pair(int *ret_other)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t len = sizeof(to);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), buffer = BRIDGE_BUFFER;

    setsockopt(listener, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof(buffer));
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof(buffer));
    assert_int_equal(bind(listener, (struct sockaddr *)&to, len), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&to, &len), 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, len), 0);
    *ret_other = accept(listener, NULL, NULL);
    assert_true(*ret_other >= 0);
    close(listener);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    setsockopt(*ret_other, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    return fd;
}

/* Does the handshake over a connected socket, and returns the plain one in its place. */
static inline int bridge_over(int fd)
{
    signal(SIGPIPE, SIG_IGN); /* OpenSSL writes to whom has left */
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    struct bridge *b = calloc(1, sizeof(*b));
    pthread_t thread;

    assert_non_null(b);
    b->sealed = fd;
    b->ssl = SSL_new(context);
    SSL_CTX_free(context);
    SSL_set_mode(b->ssl, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_set_fd(b->ssl, fd);
    assert_int_equal(SSL_connect(b->ssl), 1);
    fcntl(fd, F_SETFL, O_NONBLOCK);
    int plain = bridge_pair(&b->plain);
    static bool is_end_awaited;
    if (!is_end_awaited) is_end_awaited = atexit(bridges_end) == 0; /* what they hold is no leak */
    bridges++;
    assert_int_equal(pthread_create(&thread, NULL, bridge_run, b), 0);
    pthread_detach(thread);
    return plain;
}
