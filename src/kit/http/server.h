/*
 * HTTP/1.1 (RFC 9110, 9112) runs on libuv: one event loop a thread, all on one port (SO_REUSEPORT).
 *
 * A struct http_request is one request and its answer. It lives on the loop of its connection; all
 * functions but http_defer take it on that thread only. The server frames messages and keeps
 * limits; the handler decides what a path means. Everything is bounded by http_limits.
 */
#pragma once

#include "kit/base/buf.h"
#include "kit/base/err.h"

#include <stdint.h>

struct http_addresses;
struct http_request;
struct http_server;
struct in6_addr;
struct tls;

enum { HTTP_VOUCHER_LEN = 16 };       /* of an id */
enum { HTTP_OVERLOADED_RETRY_S = 1 }; /* Retry-After of what HTTP itself refuses for want of room */

struct http_limits {
    size_t head_max; /* bytes of request line and headers: 16 KiB */
    int headers_max; /* 100 */
    /* Above this number a new connection takes the place of the one that is idle for longest, then
     * of the one whose head is the slowest to come, then of the slowest body without http_vouch,
     * then of the answer whose peer has taken no byte for longest. Where there is none, it is
     * answered 503, unless it asks for what is vital. Requests that run, and streams that are read,
     * keep their places. */
    int connections_max;
    int connections_per_address; /* 0 is no limit; IPv6 counts by /64 */
    int head_timeout_ms;         /* from the first byte to the end of the headers: 10 s */
    int idle_timeout_ms;         /* between requests: 60 s */
    int body_grace_ms;           /* 10 s; after it the mean rate must be at least: */
    int body_rate_min;           /* 10 KiB/s */
    int write_stall_ms;          /* an answer is cut if no byte leaves for so long: 30 s */
    size_t stream_queue_max;     /* bytes of a streamed answer that wait for a slow reader */
};
extern const struct http_limits http_limits_default;

struct http_header {
    struct str name;
    struct str value;
};

struct http_handler {
    /* The head has come. Either answer at once (http_reply or http_stream_begin); then a body that
     * follows is not read, and the connection closes unless the body is short. Or return: then
     * `on_body` gets the body, de-chunked, and `on_end` says that it is whole. `100 Continue` is
     * sent when the handler has returned without an answer, and not before a pause has ended. */
    void (*on_head)(void *arg, struct http_request *x);
    void (*on_body)(void *arg, struct http_request *x, struct str bytes);
    void (*on_end)(void *arg, struct http_request *x);
    /* The request is over: it was answered, or its connection has gone. It is the last call and
     * frees what http_set_user holds. It does not come between http_hold and http_release. */
    void (*on_close)(void *arg, struct http_request *x);
    /* The queue of a stream (http_stream_begin) was above half of stream_queue_max, and is below it
     * again. NULL: nobody wants to know. */
    void (*on_drain)(void *arg, struct http_request *x);
    /* Writes the body where HTTP itself refuses a request (400, 408, 414, 417, 431, 501, 503, 505).
     * The content type is application/json. */
    void (*render_error)(void *arg, enum err err, struct str request_id, struct buf *body);
    void *arg;
    /* Tells whether a request without a body is answered even where there is no place for it. Its
     * on_head and on_end answer before they return. NULL: no request is. */
    bool (*is_vital)(void *arg, const struct http_request *x);
};

struct http_options {
    /* "127.0.0.1:8080", "[::1]:0"; port 0 takes a free one. Several are separated by commas, and
     * http:// or https:// may stand before each. */
    const char *listen;
    /* The certificate (kit/http/tls.h), without which no address may say https://; with it those
     * that say neither speak TLS. It lives as long as the server. */
    struct tls *tls;
    int loops; /* event threads, at least 1 */
    struct http_limits limits;
    /* These addresses, and loopback, have no limit of connections_per_address; NULL: all have it.
     * They live as long as the server. */
    const struct http_addresses *uncounted;
    struct http_handler handler;
};

/* Listens and starts the loops. On failure `why` says what to do. */
enum err http_server_start(const struct http_options *options, struct http_server **ret_server,
                           struct buf *why) MUST_CHECK;
/* Do the same in two steps, for a program that needs the address before the first request comes.
 * Peers that connect after the first step wait for the second. A server that was opened is stopped
 * like any other, whether it runs or not. */
enum err http_server_open(const struct http_options *options, struct http_server **ret_server,
                          struct buf *why) MUST_CHECK;
enum err http_server_run(struct http_server *server, struct buf *why) MUST_CHECK;
/* Returns the first address in use, with the real port: "127.0.0.1:41234". */
const char *http_server_address(const struct http_server *server);
/* Writes all of them in their order, separated by commas, with http:// or https:// before each. */
void http_server_addresses(const struct http_server *server, struct buf *out);
/* Stops gracefully: it takes no new connections, closes idle ones and streams, and lets running
 * requests end; after `grace_ms` it cuts the rest. It blocks until all loops have ended, and so
 * until all requests that are held are released. Then it frees the server. From this call on only
 * threads that hold a request may still use the server; functions that others post while it blocks
 * run, at the latest on this thread. */
void http_server_stop(struct http_server *server, int grace_ms);
int http_server_loops(const struct http_server *server);
/* Runs fn(arg) on loop `index` soon. Any thread may call. */
void http_server_post(struct http_server *server, int index, void (*fn)(void *arg), void *arg);
int http_server_connections(const struct http_server *server);

/* Read the request. Views are valid until on_end has returned, or while the request is held. A
 * stream forgets its head then, so the handler keeps what on_drain or on_close need from it. */
struct str http_method(const struct http_request *x);
struct str http_path(const struct http_request *x);  /* as sent, without the query */
struct str http_query(const struct http_request *x); /* as sent, without the '?' */
/* Returns the value of a header by its name (in any case); its data is NULL if it is absent or has
 * no value.
 * Repeats are joined with ", " only where RFC 9110 allows lists; http_header_count tells how often
 * it came. */
struct str http_header_get(const struct http_request *x, const char *name);
int http_header_count(const struct http_request *x, const char *name);
/* Returns the announced length; -1 for a chunked body, 0 for none. */
int64_t http_body_length(const struct http_request *x);
/* Returns the peer's address, in the one form that addresses have (kit/http/address.h). */
const struct in6_addr *http_peer(const struct http_request *x);
/* Returns which address of http_options.listen it came to, from 0 on. */
int http_listener_of(const struct http_request *x);
bool http_is_tls(const struct http_request *x);
/* Returns the number of its connection; no two connections of a server share one. */
uint64_t http_connection_number(const struct http_request *x);

void http_set_user(struct http_request *x, void *user);
void *http_user(const struct http_request *x);
int http_loop_index(const struct http_request *x);
/* Returns true once an answer would reach nobody: the connection has gone, or the server itself has
 * answered (a body that is malformed or too slow) or ended the stream (on stop). The functions
 * below send nothing then, but still take the memory that they are given. */
bool http_is_closed(const struct http_request *x);
/* Returns true once the peer sends no more: it has left, or waits for its answer in silence. */
bool http_peer_has_ended(const struct http_request *x);

/* Keep the request and its user valid for another thread until http_release, even if the peer
 * leaves. Call both on the loop's thread. */
void http_hold(struct http_request *x);
void http_release(struct http_request *x);
/* Runs fn(x) on the loop of the request soon. Any thread may call while it is held. Wake-ups are
 * merged. */
void http_defer(struct http_request *x, void (*fn)(struct http_request *x));

/* Holds back on_body and on_end until http_body_resume; the bytes wait in the peer. The time does
 * not count as slowness of the peer. */
void http_body_pause(struct http_request *x);
void http_body_resume(struct http_request *x);

/* Says whether the request has shown a right key; before this call it has not. A connection does
 * not lose its place (http_limits) while the body of a request with a right key comes. While places
 * are short, an answer of 400 and above to any other request is the last of its connection. */
void http_vouch(struct http_request *x, bool has_right_key);
/* The same of one whose body comes, for a stranger with a key: whose bodies are on a quarter of all
 * places already has this one kept no better than without a key. */
void http_vouch_body(struct http_request *x, const uint8_t voucher[static HTTP_VOUCHER_LEN]);

/* Answers with further `headers`; the server adds Content-Length, Date and Connection. It takes the
 * memory of the body and leaves the buf empty. For HEAD the body is measured, not sent. */
void http_reply(struct http_request *x, int status, const struct http_header *headers,
                size_t header_count, struct buf *take_body);
/* Does the same with a body that stays as it is until the server is gone: it is not copied, however
 * many peers wait for it. */
void http_reply_shared(struct http_request *x, int status, const struct http_header *headers,
                       size_t header_count, struct str body);

/* Begins a streamed answer without a length (chunked; close-delimited for HTTP/1.0). */
void http_stream_begin(struct http_request *x, int status, const struct http_header *headers,
                       size_t header_count);
/* Queues bytes. Returns false if the queue is full: then it took nothing, and on_drain says when to
 * go on. An empty queue takes a piece of any size. */
bool http_stream_write(struct http_request *x, struct str bytes);
size_t http_stream_queued(const struct http_request *x);
void http_stream_end(struct http_request *x);

/* Cuts the connection without a further byte, as if the server had died. Only on_close is called
 * for the request after that. */
void http_cut(struct http_request *x);
