/*
 * HTTP/1.1 (RFC 9110, 9112) on libuv: one event loop a thread, all on one port (SO_REUSEPORT).
 *
 * An exchange is one request and its answer. It lives on the loop of its connection; every function
 * takes it on that thread only, but for http_defer. The layer frames and limits; what a path means
 * is the handler's business. Everything is bounded by http_limits.
 */
#pragma once

#include "kit/base/buf.h"
#include "kit/base/err.h"

#include <stdint.h>

struct http_addresses;
struct http_request;
struct http_server;
struct in6_addr;

enum { HTTP_VOUCHER_LEN = 16 }; /* of an id */

struct http_limits {
    size_t head_max; /* bytes of request line and headers: 16 KiB */
    int headers_max; /* 100 */
    /* In all. Above it a new one takes the place of the one that is idle for longest, then of the
     * one whose head is the slowest to come, then of the slowest body without http_vouch, then
     * of the answer that has waited for longest for its peer to take a byte; else it is answered
     * 503, unless it asks for what is vital. Requests that run keep their places, and streams that
     * are read. */
    int connections_max;
    int connections_per_address; /* 0 is no limit; of IPv6, per /64 */
    int head_timeout_ms;         /* from the first byte to the end of the headers: 10 s */
    int idle_timeout_ms;         /* between requests: 60 s */
    int body_grace_ms;           /* 10 s; after it the mean rate must be at least: */
    int body_rate_min;           /* 10 KiB/s */
    int write_stall_ms;          /* an answer of which no byte leaves for this long: 30 s */
    size_t stream_queue_max;     /* bytes waiting for a slow reader of a streamed answer */
};
extern const struct http_limits http_limits_default;

struct http_header {
    struct str name;
    struct str value;
};

struct http_handler {
    /* The head is in. Either answer at once (http_reply or http_stream_begin; a body that follows
     * is then not read and the connection closes, unless it is short) or return: the body is then
     * given to `on_body`, and `on_end` says that it is whole. Bodies are de-chunked. `100 Continue`
     * is sent when the handler returned without an answer, and not before a pause has ended. */
    void (*on_head)(void *arg, struct http_request *x);
    void (*on_body)(void *arg, struct http_request *x, struct str bytes);
    void (*on_end)(void *arg, struct http_request *x);
    /* The exchange is over: answered, or its connection went away. Last call; frees what
     * http_set_user holds. Is not called between http_hold and http_release. */
    void (*on_close)(void *arg, struct http_request *x);
    /* A stream (http_stream_begin) whose queue was above half of stream_queue_max is below again.
     */
    void (*on_drain)(void *arg, struct http_request *x);
    /* HTTP itself refuses a request (400, 408, 414, 417, 431, 501, 503, 505): writes the body of
     * the answer. The content type is application/json. */
    void (*render_error)(void *arg, enum err err, struct str request_id, struct buf *body);
    void *arg;
    /* Whether a request, which has no body, is answered also where there is no place for it. Its
     * on_head and on_end answer before they return. NULL: none is. */
    bool (*is_vital)(void *arg, const struct http_request *x);
};

struct http_options {
    const char *listen; /* "127.0.0.1:8080", "[::1]:0"; port 0 takes a free one */
    int loops;          /* event threads, at least 1 */
    struct http_limits limits;
    /* Who has no limit of connections_per_address, beside loopback; NULL: everybody has it. Stays
     * while the server does. */
    const struct http_addresses *uncounted;
    struct http_handler handler;
};

/* Listens and starts the loops. On failure `why` says what to do. */
enum err http_server_start(const struct http_options *options, struct http_server **ret_server,
                           struct buf *why) MUST_CHECK;
/* The same in two steps, for who needs the address before the first request comes: who connects
 * after the first waits for the second. A server that was opened is stopped like any other,
 * whether it runs or not. */
enum err http_server_open(const struct http_options *options, struct http_server **ret_server,
                          struct buf *why) MUST_CHECK;
enum err http_server_run(struct http_server *server, struct buf *why) MUST_CHECK;
/* The address in use, with the real port: "127.0.0.1:41234". */
const char *http_server_address(const struct http_server *server);
/* Graceful stop: no new connections, idle ones close, running requests end, streams are closed;
 * after `grace_ms` the rest is cut. Blocks until all loops have ended, which for exchanges that are
 * held means until they are released, however long that takes. Then frees the server. From this
 * call on only threads that hold an exchange may still use it; what others post while it blocks
 * runs, at the latest on this thread. */
void http_server_stop(struct http_server *server, int grace_ms);
int http_server_loops(const struct http_server *server);
/* Runs fn(arg) on loop `index` soon. Any thread. */
void http_server_post(struct http_server *server, int index, void (*fn)(void *arg), void *arg);
int http_server_connections(const struct http_server *server);

/* The request. Views are valid until on_end has returned, or while the exchange is held. A stream
 * then forgets what was asked for: what on_drain or on_close wants to know of it, the handler
 * keeps. */
struct str http_method(const struct http_request *x);
struct str http_path(const struct http_request *x);  /* as sent, without the query */
struct str http_query(const struct http_request *x); /* as sent, without the '?' */
/* A header's value by name (any case); data NULL if absent. Repeats are joined with ", " only where
 * RFC 9110 allows lists; http_header_count tells how often it came. */
struct str http_header_get(const struct http_request *x, const char *name);
int http_header_count(const struct http_request *x, const char *name);
/* The announced length; -1 for chunked, 0 for none. */
int64_t http_body_length(const struct http_request *x);
/* The peer's address, in the one form that addresses have (kit/http/address.h). */
const struct in6_addr *http_peer(const struct http_request *x);
/* The number of its connection: no two connections of a server share one. */
uint64_t http_connection_number(const struct http_request *x);

void http_set_user(struct http_request *x, void *user);
void *http_user(const struct http_request *x);
int http_loop_index(const struct http_request *x);
/* True once the connection is gone, or the layer itself has answered (a body that is malformed or
 * too slow) or ended the stream (on stop): an answer would reach nobody. The functions below then
 * do nothing, and take what they take. */
bool http_is_closed(const struct http_request *x);

/* Another thread works for this exchange: it and its user stay valid until http_release, even if
 * the peer leaves. Both on the loop's thread. */
void http_hold(struct http_request *x);
void http_release(struct http_request *x);
/* Runs fn(x) on the exchange's loop soon. Any thread, while held. Wake-ups are merged. */
void http_defer(struct http_request *x, void (*fn)(struct http_request *x));

/* Back-pressure: no on_body and no on_end until http_body_resume; the bytes wait in the peer. The
 * time does not count as slowness of the peer's. */
void http_body_pause(struct http_request *x);
void http_body_resume(struct http_request *x);

/* Whether the request has shown a right key; until this is called it has not. While the body of one
 * that has comes, its place is not given to a new connection (http_limits). While places are short,
 * an answer of 400 and above to one that has not is the last of its connection. */
void http_vouch(struct http_request *x, bool has_right_key);
/* The same of one whose body comes, for a stranger with a key: whose bodies are on a quarter of all
 * places already has this one kept no better than without a key. */
void http_vouch_body(struct http_request *x, const uint8_t voucher[static HTTP_VOUCHER_LEN]);

/* Answers. `headers`: extra ones; Content-Length, Date, Connection are the layer's. The body's
 * memory is taken (the buf is left empty). For HEAD the body is measured, not sent. */
void http_reply(struct http_request *x, int status, const struct http_header *headers,
                size_t header_count, struct buf *take_body);
/* The same with a body that stays as it is until the server is gone: it is not copied, however many
 * wait for it. */
void http_reply_shared(struct http_request *x, int status, const struct http_header *headers,
                       size_t header_count, struct str body);

/* A streamed answer without a length (chunked; close-delimited for HTTP/1.0). */
void http_stream_begin(struct http_request *x, int status, const struct http_header *headers,
                       size_t header_count);
/* Queues bytes; false if the queue is full: then nothing was taken, wait for on_drain. An empty
 * queue takes a piece of any size. */
bool http_stream_write(struct http_request *x, struct str bytes);
size_t http_stream_queued(const struct http_request *x);
void http_stream_end(struct http_request *x);

/* Cuts the connection without a further byte: what a peer sees when its server dies. Nothing more
 * is called for the exchange but on_close. */
void http_cut(struct http_request *x);
