/*
 * The tests of kit/fetch stand on this: a server on the loopback that does with each connection
 * what a function of the test says, and fetches that can be waited for.
 */
#pragma once

#include "kit/base/clock.h"
#include "kit/fetch/fetch.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

enum {
    CONNECTIONS_MAX = 512,
    REQUEST_MAX = 4 << 20,
    PATIENCE_MS = 30000, /* what never takes so long has failed */
    LINGER_MS = 300,     /* how long a repeat is waited for that must not come */
};

/* --- The server --- */

struct visit {
    struct server *server;
    pthread_t thread;
    int fd;
    int number; /* of the connection, from 1 */
    bool has_ended;
    struct buf request; /* the last one, whole and NUL-terminated */
};

struct server {
    void (*serve)(struct visit *visit);
    const char *answer; /* for serve functions that need one */
    int listen_fd;
    int port;
    pthread_t thread;
    char url[64]; /* http://127.0.0.1:port/path */
    char https_url[64];
    atomic_int connections, requests;
    atomic_int read_answers; /* on how many connections the test has its answer */
    atomic_int ends;         /* connections on which all is said */
    atomic_bool is_open;     /* what serve functions may wait for; true from server_stop on */
    struct visit visits[CONNECTIONS_MAX];
};

static inline bool visit_send(struct visit *visit, struct str bytes)
{
    while (bytes.len > 0) {
        ssize_t sent = send(visit->fd, bytes.data, bytes.len, MSG_NOSIGNAL);
        if (sent < 0) return false;
        bytes.data += sent;
        bytes.len -= (size_t)sent;
    }
    return true;
}

static inline void visit_answer(struct visit *visit, const char *body)
{
    char text[512];
    snprintf(text, sizeof(text), "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n%s", strlen(body),
             body);
    visit_send(visit, str_of(text));
}

/* The bytes of a request that are there; 0 while its head is not whole. */
static inline size_t request_size(const char *text)
{
    const char *end = strstr(text, "\r\n\r\n");
    if (!end) return 0;
    const char *length = strcasestr(text, "\r\nContent-Length:");
    size_t body_len = length && length < end ? strtoul(strchr(length, ':') + 1, NULL, 10) : 0;
    return (size_t)(end - text) + 4 + body_len;
}

/* Waits for a whole request; false if the peer closes before. */
static inline bool visit_read(struct visit *visit)
{
    struct buf *request = &visit->request;
    size_t size;
    buf_clear(request);
    do {
        char bytes[16384];
        ssize_t len = recv(visit->fd, bytes, sizeof(bytes), 0);
        if (len <= 0) return false;
        buf_append(request, bytes, (size_t)len);
        buf_char(request, '\0');
        request->len--;
        assert(!request->is_full);
        size = request_size(request->data);
    } while (size == 0 || request->len < size);
    visit->server->requests++;
    return true;
}

/* The end of the connection as a reset instead of a FIN. */
static inline void visit_reset(struct visit *visit)
{
    struct linger at_once = {.l_onoff = 1};
    setsockopt(visit->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
}

static inline void visit_await_opening(struct visit *visit)
{
    while (!visit->server->is_open)
        usleep(1000);
}

/* All that it says is said; counted once. */
static inline void visit_note_end(struct visit *visit)
{
    if (!visit->has_ended) visit->server->ends++;
    visit->has_ended = true;
}

/* Until the test says that its client has read the answer of this connection. */
static inline void visit_await_reading(struct visit *visit)
{
    while (visit->server->read_answers < visit->number && !visit->server->is_open)
        usleep(1000);
}

/* Takes bytes and says nothing, until the peer has enough. */
static inline void visit_ignore(struct visit *visit)
{
    char bytes[4096];
    while (recv(visit->fd, bytes, sizeof(bytes), 0) > 0)
        continue;
}

static inline void *visit_run(void *arg)
{
    struct visit *visit = arg;
    visit->server->serve(visit);
    /* The socket stays until server_stop, so that its number cannot be another's: see there. */
    struct linger linger;
    socklen_t size = sizeof(linger);
    getsockopt(visit->fd, SOL_SOCKET, SO_LINGER, &linger, &size);
    if (linger.l_onoff) {
        /* A reset is sent by connecting to nowhere, which drops the connection. */
        struct sockaddr nowhere = {.sa_family = AF_UNSPEC};
        (void)connect(visit->fd, &nowhere, sizeof(nowhere));
    } else {
        shutdown(visit->fd, SHUT_WR);
    }
    visit_note_end(visit);
    return NULL;
}

static inline void *server_run(void *arg)
{
    struct server *server = arg;
    int fd;
    while ((fd = accept4(server->listen_fd, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
        int number = ++server->connections;
        assert(number <= CONNECTIONS_MAX);
        struct visit *visit = &server->visits[number - 1];
        *visit = (struct visit){.server = server, .fd = fd, .number = number};
        buf_init(&visit->request, REQUEST_MAX);
        int failed = pthread_create(&visit->thread, NULL, visit_run, visit);
        assert(!failed);
    }
    return NULL;
}

/* A socket that listens on a port of an IPv4 address; 0 takes a free one. */
static inline int listen_at(const char *host, int backlog, int port, int *ret_port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    socklen_t size = sizeof(address);
    assert_int_equal(inet_pton(AF_INET, host, &address.sin_addr), 1);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(fd, backlog), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &size), 0);
    *ret_port = ntohs(address.sin_port);
    return fd;
}

/* The same on a free port of the loopback. */
static inline int listen_socket(int backlog, int *ret_port)
{
    return listen_at("127.0.0.1", backlog, 0, ret_port);
}

static inline struct server *server_start_at(const char *host, int port,
                                             void (*serve)(struct visit *visit), const char *answer)
{
    struct server *server = calloc(1, sizeof(*server));
    assert_non_null(server);
    server->serve = serve;
    server->answer = answer;
    server->listen_fd = listen_at(host, CONNECTIONS_MAX, port, &server->port);
    snprintf(server->url, sizeof(server->url), "http://%s:%d/path", host, server->port);
    snprintf(server->https_url, sizeof(server->https_url), "https://%s:%d/path", host,
             server->port);
    assert_int_equal(pthread_create(&server->thread, NULL, server_run, server), 0);
    return server;
}

static inline struct server *server_start(void (*serve)(struct visit *visit), const char *answer)
{
    return server_start_at("127.0.0.1", 0, serve, answer);
}

static inline void server_stop(struct server *server)
{
    server->is_open = true;
    shutdown(server->listen_fd, SHUT_RDWR);
    pthread_join(server->thread, NULL);
    for (int i = 0; i < server->connections; i++) {
        struct visit *visit = &server->visits[i];
        shutdown(visit->fd, SHUT_RDWR);
        pthread_join(visit->thread, NULL);
        close(visit->fd);
        buf_done(&visit->request);
    }
    close(server->listen_fd);
    free(server);
}

/* Waits until the server has counted so far, and not further. */
static inline void counter_await(const atomic_int *counter, int number)
{
    int64_t give_up_ms = clock_monotonic_ms() + PATIENCE_MS;
    while (*counter < number && clock_monotonic_ms() < give_up_ms)
        usleep(1000);
    assert_int_equal(*counter, number);
}

/* The request that came last on connection `number`, read after its answer. */
static inline const char *server_request(const struct server *server, int number)
{
    return server->visits[number - 1].request.data;
}

/* Serves one request after the other. */
static inline void serve_answers(struct visit *visit)
{
    while (visit_read(visit))
        visit_answer(visit, "fine");
}

/* Takes requests and never answers. */
static inline void serve_nothing(struct visit *visit)
{
    while (visit_read(visit))
        continue;
}

/* --- Calls --- */

struct trial {
    struct fetch fetch;
    atomic_int done_count;
    sem_t is_done;
};

static inline void trial_done(struct fetch *fetch)
{
    struct trial *trial = (struct trial *)fetch;
    trial->done_count++;
    sem_post(&trial->is_done);
}

static inline struct trial trial_new(const char *method, const char *url, const char *body)
{
    struct trial trial = {
        .fetch = {.method = method,
                  .url = url,
                  .body = str_of(body),
                  .route = {.connect_timeout_ms = PATIENCE_MS / 2, .timeout_ms = PATIENCE_MS / 2},
                  .done = trial_done}};
    sem_init(&trial.is_done, 0, 0);
    return trial;
}

static inline void trial_start(struct fetch_client *client, struct trial *trial)
{
    assert_int_equal(fetch_start(client, &trial->fetch), ERR_OK);
}

static inline void trial_await(struct trial *trial)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_MS / 1000;
    assert_int_equal(sem_timedwait(&trial->is_done, &until), 0);
    assert_int_equal(trial->done_count, 1);
}

static inline void trial_run(struct fetch_client *client, struct trial *trial)
{
    trial_start(client, trial);
    trial_await(trial);
}

static inline void trial_drop(struct trial *trial)
{
    fetch_done(&trial->fetch);
    sem_destroy(&trial->is_done);
}

static inline void assert_answer(const struct trial *trial, int status, const char *body)
{
    const struct fetch *fetch = &trial->fetch;
    if (fetch->end != FETCH_ANSWERED) fail_msg("no answer: %s", fetch->error);
    assert_int_equal(fetch->status, status);
    assert_true(fetch->was_sent);
    assert_null(fetch->error);
    assert_int_equal(fetch->answer.len, strlen(body));
    if (body[0]) assert_memory_equal(fetch->answer.data, body, strlen(body));
}

static inline void assert_no_answer(const struct trial *trial, enum fetch_end end, bool was_sent)
{
    const struct fetch *fetch = &trial->fetch;
    assert_int_equal(fetch->end, end);
    assert_int_equal(fetch->was_sent, was_sent);
    assert_int_equal(fetch->status, 0);
    assert_int_equal(fetch->retry_after_ms, -1);
    assert_int_equal(fetch->answer.len, 0);
    assert_non_null(fetch->error);
}

/* A fetch of `url`, by a client of its own, of which no byte leaves in the time for connecting. */
static inline void assert_unsent_within(int connect_timeout_ms, const char *url, const char *error)
{
    struct fetch_client *client = fetch_client_new(2, 0, FETCH_ANSWER_MAX);
    struct trial trial = trial_new("POST", url, "code 1234");
    trial.fetch.route.connect_timeout_ms = connect_timeout_ms;
    trial_run(client, &trial);
    assert_no_answer(&trial, FETCH_NOT_SENT, false);
    assert_string_equal(trial.fetch.error, error);
    fetch_client_free(client);
    trial_drop(&trial);
}

static inline void assert_unsent(const char *url, const char *error)
{
    assert_unsent_within(PATIENCE_MS / 2, url, error);
}

static inline void assert_not_connected(const char *url)
{
    assert_unsent_within(200, url, "the time was up");
}
