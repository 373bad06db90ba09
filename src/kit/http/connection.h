/*
 * A connection and the one exchange that it carries at a time.
 *
 * A connection moves through phases; http_connection_advance takes every step that the bytes at
 * hand allow. It lives until its socket is closed and its exchange is no longer held.
 */
#pragma once

#include "kit/http/body.h"
#include "kit/http/head.h"
#include "kit/http/loop.h"

enum {
    HTTP_WAITING_MAX = 16 * 1024, /* bytes that wait behind an exchange; then no reading */
    HTTP_DRAIN_MAX = 64 * 1024,   /* an unread rest up to here is read to keep the connection */
    HTTP_LINGER_BYTES_MAX =
        64 * 1024 * 1024, /* read and dropped so that the peer sees its answer */
    HTTP_LINGER_MS = 5000,
    HTTP_BACKLOG_MAX = 64 * 1024 * 1024, /* bytes that wait behind a write */
};

enum http_phase {
    HTTP_PHASE_IDLE,     /* no byte of a request is here */
    HTTP_PHASE_HEAD,     /* a part of a head is */
    HTTP_PHASE_EXCHANGE, /* from the whole head to the last byte of the answer */
    HTTP_PHASE_LINGER,   /* all is answered; what still comes is dropped until the peer closes */
    HTTP_PHASE_CLOSED,   /* waits for the socket and for those who hold the exchange */
};

enum http_answer { HTTP_ANSWER_NONE, HTTP_ANSWER_STREAM, HTTP_ANSWER_GIVEN };

/* The joined value of a header that came more than once. */
struct http_joined {
    struct http_joined *next;
    const char *name; /* of its first coming, in the head */
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
    bool is_given_up; /* the layer ended it: an answer of the handler would reach nobody */
    bool is_refused;  /* by the layer: what follows in the connection is not understood */
    bool is_head_request;
    bool is_keep_alive;
    bool is_chunked_answer;
    bool has_no_content; /* an answer without a body: HEAD, 204, 304 */
    bool is_continue_due;
    bool is_end_due; /* on_end is yet to be called */
    bool is_body_paused;
    bool wants_drain;
    bool is_vouched; /* it has shown a right key (http_vouch) */
    bool is_kept;    /* as one of the voucher's, until it is over (http_vouch_body) */
    struct http_caller voucher;
    int64_t body_start_ms; /* later by all pauses; during one, the time before it */
    int64_t body_bytes;    /* as they came, with their framing */
};

struct http_connection {
    uv_tcp_t tcp;
    struct http_loop *loop;
    struct http_connection *previous, *next; /* of the loop's connections */
    struct http_connection *touched_next;
    struct in6_addr address; /* the peer's */
    uint64_t number;

    enum http_phase phase;
    bool is_touched;
    bool is_reading;
    bool is_peer_done; /* it will send no more */
    bool is_excess;    /* over a limit: has no place, and is refused unless it is vital */
    bool is_replaced;  /* another one has its place */
    bool is_handle_closed;
    bool is_writing;    /* a write waits for the socket */
    uint64_t read_turn; /* of the loop, when it was read from last */

    struct http_deadline read_deadline;
    struct http_deadline write_deadline;
    struct http_deadline spare; /* among its kind, since it began to wait */
    enum http_spare spare_kind;

    struct str in;    /* bytes not yet taken, while http_connection_advance runs */
    struct buf stash; /* bytes that wait; no memory while there are none */
    struct http_head_scan scan;
    int empty_lines;
    int discarded; /* bytes, at most HTTP_LINGER_BYTES_MAX and a read more */

    char *head_memory; /* fields and bytes of the exchange's head, used again for the next */
    size_t head_capacity;
    struct http_joined *joined;

    struct buf backlog; /* answers behind the write that waits */
    size_t write_left;  /* bytes that waited when the progress was last looked at */
    int64_t write_progress_ms;

    struct http_request exchange;
};

/* Takes over an accepted socket. `is_excess`: it is over a limit, and has a second to say what it
 * wants: that is answered if it is vital (http_handler), and refused else. */
void http_connection_open(struct http_loop *loop, int fd, const struct in6_addr *address,
                          bool is_excess);
/* Has the loop settle it soon. */
void http_connection_touch(struct http_connection *c);
/* Takes every step that is possible now; frees the connection after the last one. */
void http_connection_advance(struct http_connection *c);
/* Cuts it: unsent bytes are lost. */
void http_connection_close(struct http_connection *c);
/* The same for the sake of a new connection. A request that was not answered yet is answered
 * ERR_OVERLOADED before, as far as its peer takes that at once. */
void http_connection_give_up(struct http_connection *c);
/* On stop: closes what is idle, ends streams. */
void http_connection_wind_down(struct http_connection *c);
/* A deadline has passed. */
void http_connection_expire(struct http_connection *c, enum http_deadline_kind kind);

static inline struct http_deadlines *http_deadlines_of(struct http_connection *c,
                                                       enum http_deadline_kind kind)
{
    return &c->loop->deadlines[kind];
}

/* output.c */

/* The body of an answer. What has to wait for the socket is not copied: it is taken from its owner,
 * or, where nobody owns it, stays as it is until the server is gone. */
struct http_content {
    struct str bytes;
    struct buf *owner; /* NULL: nobody */
};

/* Sends now what the socket takes and keeps a copy of the rest. */
void http_output_send(struct http_connection *c, const uv_buf_t *parts, unsigned count);
/* The same of a head, of which a copy is kept, and a body behind it. */
void http_output_send_content(struct http_connection *c, struct str head,
                              const struct http_content *content);
size_t http_output_queued(const struct http_connection *c);
/* Whether the peer has taken anything of what waits since the last look; it then has not waited. */
bool http_output_has_moved(struct http_connection *c);
/* True if the peer has taken nothing for too long; else looks again later. */
bool http_output_has_stalled(struct http_connection *c);

/* answer.c */

/* Answers with an error of HTTP itself and closes after it. */
void http_answer_refuse(struct http_connection *c, enum err err);
/* Ends a stream as if the handler had. */
void http_answer_end_stream(struct http_request *x);

/* exchange.c */

/* Copies a parsed head, which lies in a shared buffer, into the connection's own memory. */
void http_exchange_begin(struct http_connection *c, const struct http_head *head);
/* Zeroes the copy of the head: it may hold keys and tokens. */
void http_exchange_forget_head(struct http_connection *c);
/* The same, and gives its memory back. */
void http_exchange_drop_head(struct http_connection *c);
/* Drops what belonged to the last exchange. */
void http_exchange_reset(struct http_connection *c);
