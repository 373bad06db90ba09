/*
 * A connection carries one request at a time.
 *
 * It moves through phases; http_connection_advance takes every step that its bytes allow. It lives
 * until its socket is closed and its request is no longer held.
 */
#pragma once

#include "kit/http/body.h"
#include "kit/http/head.h"
#include "kit/http/loop.h"

enum {
    HTTP_HANDSHAKES_US = 2000,    /* of each iteration of a loop may go to handshakes of TLS */
    HTTP_WAITING_MAX = 16 * 1024, /* with so many bytes behind a request, reading stops */
    HTTP_DRAIN_MAX = 64 * 1024,   /* a rest of a body up to here is read to keep the connection */
    HTTP_LINGER_BYTES_MAX =
        64 * 1024 * 1024, /* so much is read and dropped so that the peer sees its answer */
    HTTP_LINGER_MS = 5000,
    HTTP_BACKLOG_MAX = 64 * 1024 * 1024, /* bytes that wait behind a write */
    HTTP_SEAL_AT_ONCE = 64 * 1024, /* bytes of an answer that are sealed before they are sent */
    HTTP_SEALED_MAX =
        2 * HTTP_SEAL_AT_ONCE, /* and of records: they are longer, and others precede */
};

enum http_phase {
    HTTP_PHASE_HANDSHAKE, /* of TLS; nothing of HTTP has come */
    HTTP_PHASE_IDLE,      /* no byte of a request has come */
    HTTP_PHASE_HEAD,      /* a part of a head has come */
    HTTP_PHASE_REQUEST,   /* from the whole head to the last byte of the answer */
    HTTP_PHASE_LINGER,    /* all is answered; further bytes are dropped until the peer closes */
    HTTP_PHASE_CLOSED,    /* waits for the socket, and until the request is no longer held */
};

enum http_answer { HTTP_ANSWER_NONE, HTTP_ANSWER_STREAM, HTTP_ANSWER_GIVEN };

/* Holds the joined value of a header that came more than once. */
struct http_joined {
    struct http_joined *next;
    const char *name; /* in the head, where it came first */
    size_t len;
    char value[];
};

struct http_request {
    struct http_connection *connection;
    struct http_head head;
    struct http_body body;
    void *user;
    enum http_answer answer;
    int hold_count;
    bool is_open;     /* on_head was called, on_close was not */
    bool is_given_up; /* the server ended it, so an answer of the handler would reach nobody */
    bool is_refused; /* the server refused it, so the bytes behind it cannot be read as a request */
    bool is_head_request;
    bool is_keep_alive;
    bool is_chunked_answer;
    bool has_no_content; /* the answer has no body: HEAD, 204, 304 */
    bool is_continue_due;
    bool is_end_due; /* on_end is yet to be called */
    bool is_body_paused;
    bool wants_drain;
    bool is_vouched; /* it has shown a right key (http_vouch) */
    bool is_kept;    /* as one of the voucher's, until it is over (http_vouch_body) */
    struct http_source voucher;
    int64_t body_start_ms; /* moved on by all pauses; during a pause, the time before it */
    int64_t body_bytes;    /* bytes as they came, with their framing */
};

struct http_connection {
    uv_tcp_t tcp;
    struct http_loop *loop;
    struct http_connection *previous, *next; /* in the list of the loop's connections */
    struct http_connection *touched_next, *turn_next;
    struct in6_addr address; /* the peer's */
    uint64_t number;

    enum http_phase phase;
    int listener; /* the index of the address that it came to */
    bool is_tls;
    struct tls_link *link; /* NULL: it is plain, or no byte of a handshake has come */
    bool is_touched;
    bool awaits_turn; /* its next request has come, and others go first (http_loop_await_turn) */
    bool is_reading;
    bool is_peer_done; /* it will send no more */
    bool is_excess;    /* it has no place, and is refused unless its request is vital */
    bool is_replaced;  /* another connection has its place */
    bool is_handle_closed;
    bool is_writing;         /* a write waits for the socket */
    uint64_t read_iteration; /* iteration of the loop in which it was last read */

    struct http_deadline read_deadline;
    struct http_deadline write_deadline;
    struct http_deadline spare; /* among the spares of its kind, since it began to wait */
    enum http_spare spare_kind;

    struct str in;    /* bytes not yet taken, while http_connection_advance runs */
    struct buf stash; /* bytes that wait; it has no memory while there are none */
    struct http_head_scan scan;
    int empty_lines;
    int discarded; /* bytes, at most HTTP_LINGER_BYTES_MAX and one read */

    char *head_memory; /* fields and bytes of the request's head; the next one uses it again */
    size_t head_capacity;
    struct http_joined *joined;

    struct buf backlog; /* answers behind the write that waits */
    size_t unsealed;    /* over TLS: bytes of that write that are not records yet */
    struct buf behind;  /* records that TLS itself sends behind that write */
    size_t write_left;  /* bytes that waited at the last look */
    int64_t write_progress_ms;

    struct http_request request;
};

/* A socket that was accepted. */
struct http_arrival {
    int fd;
    struct in6_addr address; /* the peer's */
    int listener;
    bool is_tls;
};

/* Takes over an accepted socket. One that `is_excess` is over a limit and has a second to send its
 * request, which is answered if it is vital (http_handler) and refused otherwise. */
void http_connection_open(struct http_loop *loop, const struct http_arrival *arrival,
                          bool is_excess);
/* Lets the loop bring it forward soon. */
void http_connection_touch(struct http_connection *c);
/* Takes every step that is possible now; frees the connection after the last one. */
void http_connection_advance(struct http_connection *c);
/* Cuts it: unsent bytes are lost. */
void http_connection_close(struct http_connection *c);
/* Cuts it for the sake of a new connection. A request that was not answered yet gets ERR_OVERLOADED
 * before that, as far as its peer takes it at once. */
void http_connection_give_up(struct http_connection *c);
/* Closes an idle connection and ends a stream, when the server stops. */
void http_connection_wind_down(struct http_connection *c);
/* Begins to wait for the first request: all before it is done. */
void http_connection_begin(struct http_connection *c);
/* Takes bytes of requests. */
void http_connection_take(struct http_connection *c, struct str bytes);
/* Acts on a deadline that has passed. */
void http_connection_expire(struct http_connection *c, enum http_deadline_kind kind);

static inline struct http_deadlines *http_deadlines_of(struct http_connection *c,
                                                       enum http_deadline_kind kind)
{
    return &c->loop->deadlines[kind];
}

/* output.c */

/* The body of an answer. Bytes that wait for the socket are not copied: they are taken from their
 * owner, or, without an owner, stay as they are until the server is gone. */
struct http_content {
    struct str bytes;
    struct buf *owner; /* NULL: none */
};

/* Sends what the socket takes now and keeps a copy of the rest. */
void http_output_send(struct http_connection *c, const uv_buf_t *parts, unsigned count);
/* Sends a head, of which it keeps a copy, and a body behind it. */
void http_output_send_content(struct http_connection *c, struct str head,
                              const struct http_content *content);
size_t http_output_queued(const struct http_connection *c);
/* Tells whether the peer has taken any byte since the last look; then its wait begins anew. */
bool http_output_has_moved(struct http_connection *c);
/* Returns true if the peer has taken nothing for too long; else it looks again later. */
bool http_output_has_stalled(struct http_connection *c);

/* secure.c: a connection over TLS */

/* Takes bytes as they came off the wire. */
void http_secure_take(struct http_connection *c, struct str bytes);
/* Tells whether the loop has given enough of this iteration to handshakes, so that this one waits
 * for the next. */
static inline bool http_secure_must_wait(const struct http_connection *c)
{
    return c->phase == HTTP_PHASE_HANDSHAKE && c->loop->handshake_us >= HTTP_HANDSHAKES_US;
}
/* Seals `parts` and sends the records until the socket takes no more; returns how many bytes of
 * them it sealed. Records that the socket did not take are left in the loop's room. The connection
 * closes if it is of no more use. */
size_t http_secure_send(struct http_connection *c, const uv_buf_t *parts, unsigned count);
/* Tells the peer that no more comes, as far as the socket takes it. */
void http_secure_end(struct http_connection *c);

/* answer.c */

/* Answers with an error of HTTP itself and closes after it. */
void http_answer_refuse(struct http_connection *c, enum err err);
/* The head is composed in loop->head: begin, then lines of the calling function, then end. */
void http_answer_begin_head(struct http_request *x, int status, const struct http_header *headers,
                            size_t header_count);
void http_answer_end_head(struct http_request *x);

/* Decides whether the connection goes on after this answer; call it before the head is composed. */
void http_answer_decide_keep_alive(struct http_request *x, int status);
/* Decides, once an answer has begun, what becomes of the bytes that still come. */
void http_answer_decide_reading(struct http_request *x);

/* Returns false for a status whose answer ends with its head. */
bool http_status_has_content(int status);
/* Ends a stream as if the handler had. */
void http_answer_end_stream(struct http_request *x);

/* request.c */

/* Begins a request with a parsed head, which it copies from a shared buffer. */
void http_request_begin(struct http_connection *c, const struct http_head *head);
/* Zeroes the copy of the head: it may hold keys and tokens. */
void http_request_forget_head(struct http_connection *c);
/* Does the same, and gives its memory back. */
void http_request_drop_head(struct http_connection *c);
/* Drops what belonged to the last request. */
void http_request_reset(struct http_connection *c);
