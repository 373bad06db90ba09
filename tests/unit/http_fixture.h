/*
 * A server for tests, with a worker thread behind it. What it answers:
 *
 *   /echo     the body, from the loop
 *   /defer    the body, from the worker; the query gives ms of work before, -1 waits for the gate
 *   /early    413 before the body is read
 *   /list     the joined X-List, and how often it came
 *   /stream   as many bytes as the query says, as the reader takes them
 *   /events   a stream that stays open
 *   /abort    what has come of the body, after a pause, without waiting for the rest
 *   /pause    the body, of which each piece waits until the worker has seen it; the query likewise
 *   /vital    as /echo, also where there is no place
 *   /count    how many requests have begun, itself included
 *   /block    as /echo, after the whole loop has waited for the gate
 *   /key      as /echo, of who has shown a right key, as the query `key` does
 *
 * Every exchange that is opened must be closed: fixture_stop checks it.
 *
 * With HTTP_OVER_TLS it speaks HTTPS, and the clients of fixture_connect have a bridge
 * (tls_bridge.h).
 */
#pragma once

#include "http_wire.h"
#ifdef HTTP_OVER_TLS
#include "tls_bridge.h"
#endif
#include "kit/http/server.h"

#include <pthread.h>
#include <stdatomic.h>

enum { FIXTURE_BODY_MAX = 64 << 20, FIXTURE_JOBS_MAX = 4096 };

struct job {
    struct http_request *x;
    int work_ms;
    void (*answer)(struct http_request *x);
};

struct fixture {
    struct http_server *server;
    pthread_t worker;
    pthread_mutex_t lock;
    pthread_cond_t is_filled;
    struct job jobs[FIXTURE_JOBS_MAX];
    int job_count;
    bool is_ending;
    atomic_bool is_gate_open; /* what work of -1 ms waits for */
#ifdef HTTP_OVER_TLS
    struct tls_made made;
#endif
    struct tls *tls;
    atomic_int opened, closed, held, drained, deferred_to_closed, events;
    atomic_size_t body_bytes;
};

struct visit {
    bool is_event; /* of /events */
    struct fixture *fixture;
    struct buf body;
    size_t stream_left;
};

static inline void fixture_push(struct fixture *f, struct job job)
{
    pthread_mutex_lock(&f->lock);
    assert(f->job_count < FIXTURE_JOBS_MAX);
    f->jobs[f->job_count++] = job;
    pthread_cond_signal(&f->is_filled);
    pthread_mutex_unlock(&f->lock);
}

static inline void *fixture_work(void *arg)
{
    struct fixture *f = arg;

    pthread_mutex_lock(&f->lock);
    while (!f->is_ending || f->job_count > 0) {
        if (f->job_count == 0) {
            pthread_cond_wait(&f->is_filled, &f->lock);
            continue;
        }
        struct job job = f->jobs[0];
        memmove(f->jobs, f->jobs + 1, (size_t)--f->job_count * sizeof(job));
        pthread_mutex_unlock(&f->lock);
        if (job.work_ms > 0) usleep((useconds_t)job.work_ms * 1000);
        while (job.work_ms < 0 && !f->is_gate_open)
            usleep(1000);
        /* The request may be read from here while it is held. */
        assert(http_path(job.x).len > 0 && http_user(job.x));
        http_defer(job.x, job.answer);
        pthread_mutex_lock(&f->lock);
    }
    pthread_mutex_unlock(&f->lock);
    return NULL;
}

static inline int query_number(const struct http_request *x)
{
    long long number = 0;

    return str_to_int64(http_query(x), &number) ? (int)number : 0;
}

static inline void reply_body(struct http_request *x)
{
    const struct http_header type = {STR("Content-Type"), STR("text/plain")};
    struct visit *visit = http_user(x);

    http_reply(x, 200, &type, 1, &visit->body);
}

static inline void reply_deferred(struct http_request *x)
{
    struct visit *visit = http_user(x);

    if (http_is_closed(x)) atomic_fetch_add(&visit->fixture->deferred_to_closed, 1);
    reply_body(x);
    atomic_fetch_sub(&visit->fixture->held, 1);
    http_release(x);
}

static inline void resume_body(struct http_request *x)
{
    struct visit *visit = http_user(x);

    http_body_resume(x);
    atomic_fetch_sub(&visit->fixture->held, 1);
    http_release(x);
}

static inline void hand_over(struct http_request *x, int work_ms,
                             void (*answer)(struct http_request *x))
{
    struct visit *visit = http_user(x);

    http_hold(x);
    atomic_fetch_add(&visit->fixture->held, 1);
    fixture_push(visit->fixture, (struct job){x, work_ms, answer});
}

static inline void reply_list(struct http_request *x)
{
    struct visit *visit = http_user(x);
    struct str list = http_header_get(x, "X-Forwarded-For");
    struct str single = http_header_get(x, "X-Single");
    struct str again = http_header_get(x, "x-forwarded-for");

    assert(again.data == list.data);
    buf_printf(&visit->body, "%.*s|%d|%.*s|%d|%d", (int)list.len, list.data,
               http_header_count(x, "x-forwarded-FOR"), (int)single.len, single.data,
               http_header_count(x, "X-Single"), http_header_get(x, "X-None").data == NULL);
    reply_body(x);
}

/* The bytes of a stream tell where they stand, so that a reader sees what is lost. */
static inline void pump_stream(struct http_request *x)
{
    static const char alphabet[] = "zyxwvutsrqponmlkjihgfedcba";
    enum { PIECE = 1040 }; /* whole alphabets */
    struct visit *visit = http_user(x);
    char piece[PIECE + 26];

    for (size_t i = 0; i < sizeof(piece); i++)
        piece[i] = alphabet[i % 26];
    while (visit->stream_left > 0) {
        size_t len = visit->stream_left < PIECE ? visit->stream_left : PIECE;
        size_t offset = (25 + 26 - visit->stream_left % 26) % 26;
        if (!http_stream_write(x, (struct str){piece + offset, len})) return;
        visit->stream_left -= len;
    }
    http_stream_end(x);
}

static inline void on_head(void *arg, struct http_request *x)
{
    struct fixture *f = arg;
    struct visit *visit = calloc(1, sizeof(*visit));

    assert(visit);
    atomic_fetch_add(&f->opened, 1);
    visit->fixture = f;
    buf_init(&visit->body, FIXTURE_BODY_MAX);
    http_set_user(x, visit);
    if (str_is(http_path(x), "/key") || str_is(http_query(x), "key")) http_vouch(x, true);
    while (str_is(http_path(x), "/block") && !f->is_gate_open)
        usleep(1000);
    if (!str_is(http_path(x), "/early")) return;
    buf_text(&visit->body, "too large");
    http_reply(x, 413, NULL, 0, &visit->body);
}

static inline void on_body(void *arg, struct http_request *x, struct str bytes)
{
    struct fixture *f = arg;
    struct visit *visit = http_user(x);

    atomic_fetch_add(&f->body_bytes, bytes.len);
    buf_str(&visit->body, bytes);
    bool is_abort = str_is(http_path(x), "/abort");
    if (!is_abort && !str_is(http_path(x), "/pause")) return;
    http_body_pause(x);
    hand_over(x, query_number(x), is_abort ? reply_deferred : resume_body);
}

static inline void on_end(void *arg, struct http_request *x)
{
    struct fixture *f = arg;
    struct visit *visit = http_user(x);
    struct str path = http_path(x);

    if (str_is(path, "/defer")) {
        hand_over(x, query_number(x), reply_deferred);
    } else if (str_is(path, "/count")) {
        buf_printf(&visit->body, "%d", atomic_load(&f->opened));
        reply_body(x);
    } else if (str_is(path, "/list")) {
        reply_list(x);
    } else if (str_is(path, "/stream")) {
        visit->stream_left = (size_t)query_number(x);
        http_stream_begin(x, 200, NULL, 0);
        pump_stream(x);
    } else if (str_is(path, "/events")) {
        atomic_fetch_add(&f->events, 1);
        visit->is_event = true;
        http_stream_begin(x, 200, NULL, 0);
        http_stream_write(x, STR("hello\n"));
    } else if (str_is(path, "/silence")) {
        http_reply(x, 204, NULL, 0, &visit->body);
    } else {
        reply_body(x);
    }
}

static inline void on_close(void *arg, struct http_request *x)
{
    struct fixture *f = arg;
    struct visit *visit = http_user(x);

    if (visit->is_event) atomic_fetch_sub(&f->events, 1);
    buf_done(&visit->body);
    free(visit);
    http_set_user(x, NULL);
    atomic_fetch_add(&f->closed, 1);
}

static inline void on_drain(void *arg, struct http_request *x)
{
    struct fixture *f = arg;

    atomic_fetch_add(&f->drained, 1);
    pump_stream(x);
}

static inline void render_error(void *arg, enum err err, struct str request_id, struct buf *body)
{
    (void)arg;
    buf_printf(body, "{\"code\":\"%s\",\"request_id\":\"%.*s\"}", err_info(err)->code,
               (int)request_id.len, request_id.data);
}

static inline bool is_vital(void *arg, const struct http_request *x)
{
    (void)arg;
    return str_is(http_path(x), "/vital");
}

static inline struct fixture *fixture_start(int loops, const struct http_limits *limits)
{
    struct fixture *f = calloc(1, sizeof(*f));

    assert_non_null(f);
#ifdef HTTP_OVER_TLS
    tls_made_init(&f->made);
    f->tls = tls_made_open(&f->made);
#endif
    const struct http_options options = {
        .listen = "127.0.0.1:0",
        .tls = f->tls,
        .loops = loops,
        .limits = *limits,
        .handler = {on_head, on_body, on_end, on_close, on_drain, render_error, f, is_vital},
    };
    AUTO_BUF why = {0};

    buf_init(&why, 1024);
    pthread_mutex_init(&f->lock, NULL);
    pthread_cond_init(&f->is_filled, NULL);
    assert_int_equal(pthread_create(&f->worker, NULL, fixture_work, f), 0);
    assert_int_equal(http_server_start(&options, &f->server, &why), ERR_OK);
    return f;
}

static inline void fixture_stop_within(struct fixture *f, int grace_ms)
{
    http_server_stop(f->server, grace_ms);
    pthread_mutex_lock(&f->lock);
    f->is_ending = true;
    pthread_cond_signal(&f->is_filled);
    pthread_mutex_unlock(&f->lock);
    pthread_join(f->worker, NULL);
    assert_int_equal(atomic_load(&f->opened), atomic_load(&f->closed));
    assert_int_equal(atomic_load(&f->held), 0);
    assert_int_equal(atomic_load(&f->events), 0);
    pthread_cond_destroy(&f->is_filled);
    pthread_mutex_destroy(&f->lock);
#ifdef HTTP_OVER_TLS
    tls_close(f->tls);
    tls_made_done(&f->made);
#endif
    free(f);
}

static inline void fixture_stop(struct fixture *f)
{
    fixture_stop_within(f, 5000);
}

/* `receive_buffer`: as of wire_connect_with. */
static inline int fixture_connect_with(const struct fixture *f, int receive_buffer)
{
    int fd = wire_connect_with(http_server_address(f->server), receive_buffer);
#ifdef HTTP_OVER_TLS
    fd = bridge_over(fd);
#endif
    return fd;
}

static inline int fixture_connect(const struct fixture *f)
{
    return fixture_connect_with(f, 0);
}

static inline void count_post(void *arg)
{
    atomic_fetch_add((atomic_int *)arg, 1);
}

/* Waits until every loop has met what its sockets had at the call: one that runs a post has asked
 * them before it runs the next one. */
static inline void fixture_settle(struct fixture *f)
{
    atomic_int posts = 0;

    for (int round = 1; round <= 3; round++) {
        for (int i = 0; i < http_server_loops(f->server); i++)
            http_server_post(f->server, i, count_post, &posts);
        while (posts < round * http_server_loops(f->server))
            usleep(1000);
    }
}

/* Waits until `is_so` holds; fails after WIRE_TIMEOUT_MS. */
#define FIXTURE_AWAIT(is_so)                                              \
    for (int64_t await_ms = clock_monotonic_ms(); !(is_so); usleep(1000)) \
    assert_true(clock_monotonic_ms() - await_ms < WIRE_TIMEOUT_MS)
