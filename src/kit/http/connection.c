/*
 * The bytes of a connection become a head, a body and a request; then the next request follows, or
 * the end. While a request is in work its peer may send on; these bytes wait here, and beyond
 * HTTP_WAITING_MAX in the peer.
 */
#include "kit/http/connection.h"

#include "kit/base/must.h"

#include <stdlib.h>
#include <unistd.h>

/* The first record of a read may have begun long before. */
enum { STASH_MAX = HTTP_HEAD_BYTES_MAX + HTTP_READ_BUFFER + TLS_RECORD_MAX + HTTP_WAITING_MAX };

/* ---- deadlines ---- */

static void set_read_deadline(struct http_connection *c, enum http_deadline_kind kind)
{
    http_deadline_set(&c->read_deadline, http_deadlines_of(c, kind), http_loop_now(c->loop));
}

/* The mean rate counts from the first moment in which the handler wanted bytes. */
static bool is_body_too_slow(const struct http_connection *c)
{
    const struct http_limits *limits = &c->loop->server->limits;
    const struct http_request *x = &c->request;
    int64_t elapsed_ms = http_loop_now(c->loop) - x->body_start_ms;

    if (elapsed_ms < limits->body_grace_ms) return false;
    return x->body_bytes * 1000 < elapsed_ms * limits->body_rate_min;
}

static void expire_body(struct http_connection *c)
{
    if (!is_body_too_slow(c))
        set_read_deadline(c, HTTP_DEADLINE_BODY_RATE);
    else if (c->request.answer == HTTP_ANSWER_NONE)
        http_answer_refuse(c, ERR_REQUEST_TIMEOUT);
    else
        http_connection_close(c);
}

void http_connection_expire(struct http_connection *c, enum http_deadline_kind kind)
{
    if (c->phase == HTTP_PHASE_HANDSHAKE) { /* nothing can be answered yet */
        http_connection_close(c);
        return;
    }
    switch (kind) {
    case HTTP_DEADLINE_IDLE:
    case HTTP_DEADLINE_LINGER:
        http_connection_close(c);
        return;
    case HTTP_DEADLINE_HEAD:
        http_answer_refuse(c, ERR_REQUEST_TIMEOUT);
        return;
    case HTTP_DEADLINE_BODY_GRACE:
    case HTTP_DEADLINE_BODY_RATE:
        expire_body(c);
        return;
    case HTTP_DEADLINE_WRITE:
        if (http_output_has_stalled(c)) http_connection_close(c);
        return;
    case HTTP_DEADLINE_EXCESS:
        if (c->phase == HTTP_PHASE_LINGER)
            http_connection_close(c);
        else
            http_answer_refuse(c, ERR_OVERLOADED);
        return;
    case HTTP_DEADLINE_COUNT:
        return;
    }
}

/* ---- the end ---- */

void http_connection_touch(struct http_connection *c)
{
    if (c->is_touched) return;
    c->is_touched = true;
    c->touched_next = c->loop->touched;
    c->loop->touched = c;
}

static void on_closed(uv_handle_t *handle)
{
    struct http_connection *c = handle->data;

    c->is_handle_closed = true;
    http_connection_touch(c);
    http_loop_advance(c->loop);
}

void http_connection_close(struct http_connection *c)
{
    if (c->phase == HTTP_PHASE_CLOSED) return;
    /* An answer that is cut off must not look whole. */
    if (c->link && c->request.answer != HTTP_ANSWER_STREAM) http_secure_end(c);
    c->phase = HTTP_PHASE_CLOSED;
    http_deadline_clear(&c->read_deadline);
    http_deadline_clear(&c->write_deadline);
    http_deadline_clear(&c->spare);
    /* A reset tells the peer that this is not the end of an answer, and the kernel to keep no bytes
     * for a reader that takes none. */
    bool is_cut = c->is_writing || c->request.answer == HTTP_ANSWER_STREAM;
    if (!is_cut || uv_tcp_close_reset(&c->tcp, on_closed) != 0)
        uv_close((uv_handle_t *)&c->tcp, on_closed);
    http_connection_touch(c);
}

void http_connection_give_up(struct http_connection *c)
{
    bool is_unanswered = c->phase == HTTP_PHASE_REQUEST && c->request.answer == HTTP_ANSWER_NONE;

    c->is_replaced = true;
    if (is_unanswered) http_answer_refuse(c, ERR_OVERLOADED);
    http_connection_close(c);
}

static void link_connection(struct http_connection *c)
{
    c->next = c->loop->connections;
    if (c->next) c->next->previous = c;
    c->loop->connections = c;
    http_loop_update_timer(c->loop);
}

static void unlink_connection(struct http_connection *c)
{
    if (c->previous)
        c->previous->next = c->next;
    else
        c->loop->connections = c->next;
    if (c->next) c->next->previous = c->previous;
    http_loop_update_timer(c->loop);
}

static void free_connection(struct http_connection *c)
{
    assert(!c->is_touched && !c->is_writing);
    unlink_connection(c);
    if (c->is_excess)
        c->loop->excess_count--;
    else if (!c->is_replaced)
        http_admission_leave(&c->loop->server->admission, &c->address);
    atomic_fetch_sub(&c->loop->connection_count, 1);
    buf_done(&c->stash);
    buf_done(&c->backlog);
    buf_done(&c->behind);
    tls_link_free(c->link);
    http_request_forget_head(c);
    free(c->head_memory);
    free(c);
}

/* ---- the request ---- */

static const struct http_handler *handler_of(const struct http_connection *c)
{
    return &c->loop->server->handler;
}

static void end_request(struct http_connection *c)
{
    struct http_request *x = &c->request;

    if (x->is_open) handler_of(c)->on_close(handler_of(c)->arg, x);
    http_request_reset(c);
}

static bool is_over(const struct http_connection *c)
{
    const struct http_request *x = &c->request;

    if (x->answer != HTTP_ANSWER_GIVEN || x->hold_count > 0 || c->is_writing) return false;
    return http_body_is_whole(&x->body) || !x->is_keep_alive;
}

void http_connection_begin(struct http_connection *c)
{
    c->phase = HTTP_PHASE_IDLE;
    c->empty_lines = 0;
    http_deadline_clear(&c->spare); /* the request that it waited for has come */
    set_read_deadline(c, c->is_excess ? HTTP_DEADLINE_EXCESS : HTTP_DEADLINE_IDLE);
}

/* Closing with unread bytes would make the kernel reset the connection, and the peer could lose the
 * answer. So only our side is closed, and we read until the peer closes (RFC 9112, section 9.6).
 * Over TLS a peer that closes sends a record, so there are always such bytes. */
static void begin_linger(struct http_connection *c)
{
    uv_os_fd_t fd;

    if (c->link) http_secure_end(c);
    if (c->is_peer_done || uv_fileno((const uv_handle_t *)&c->tcp, &fd) != 0 ||
        shutdown(fd, SHUT_WR) != 0) {
        http_connection_close(c);
        return;
    }
    c->phase = HTTP_PHASE_LINGER;
    set_read_deadline(c, c->is_excess ? HTTP_DEADLINE_EXCESS : HTTP_DEADLINE_LINGER);
}

static void finish_request(struct http_connection *c)
{
    const struct http_request *x = &c->request;
    bool is_keep_alive = x->is_keep_alive && !c->loop->is_stopping;
    bool is_all_read = http_body_is_whole(&x->body) && !x->is_refused && c->in.len == 0;

    end_request(c);
    if (is_keep_alive) {
        http_connection_begin(c);
        if (c->in.len > 0) http_loop_await_turn(c->loop, c);
    } else if (is_all_read && (!c->link || c->loop->is_stopping))
        http_connection_close(c);
    else
        begin_linger(c);
}

/* ---- bytes ---- */

/* Further bytes cannot be understood: they are read and dropped, up to a bound. */
static bool discard_input(struct http_connection *c)
{
    c->discarded += (int)c->in.len;
    c->in.len = 0;
    if (c->discarded <= HTTP_LINGER_BYTES_MAX) return false;
    http_connection_close(c);
    return true;
}

/* No step is possible without more bytes; if none will come, the connection ends. */
static bool await_input(struct http_connection *c)
{
    if (!c->is_peer_done) return false;
    http_connection_close(c);
    return true;
}

static bool refuse(struct http_connection *c, enum err err)
{
    http_answer_refuse(c, err);
    return true;
}

static bool step_idle(struct http_connection *c)
{
    if (c->awaits_turn) return false;
    enum err err = http_head_skip_empty_lines(&c->in, &c->empty_lines);

    if (err) return refuse(c, err);
    if (c->in.len == 0 || str_is(c->in, "\r")) return await_input(c);
    c->phase = HTTP_PHASE_HEAD;
    c->scan = (struct http_head_scan){0};
    if (!c->is_excess) http_deadline_clear(&c->read_deadline);
    return true;
}

static void send_continue(struct http_connection *c)
{
    static const char text[] = "HTTP/1.1 100 Continue\r\n\r\n";
    uv_buf_t part = uv_buf_init((char *)(uintptr_t)text, sizeof(text) - 1);

    http_output_send(c, &part, 1);
}

/* The handler has seen the head, and wants the body or does not. */
static void start_body(struct http_connection *c)
{
    struct http_request *x = &c->request;

    if (http_body_is_whole(&x->body) || c->phase != HTTP_PHASE_REQUEST) return;
    x->body_start_ms = x->is_body_paused ? 0 : http_loop_now(c->loop);
    bool wants_bytes = x->answer == HTTP_ANSWER_NONE || x->is_keep_alive;
    if (wants_bytes && !x->is_body_paused) set_read_deadline(c, HTTP_DEADLINE_BODY_GRACE);
}

/* A connection without a place is served only if its request is vital. */
static bool may_go_on(struct http_connection *c)
{
    const struct http_handler *handler = handler_of(c);
    struct http_request *x = &c->request;

    if (!c->is_excess) return true;
    x->is_keep_alive = false;
    return http_body_is_whole(&x->body) && handler->is_vital && handler->is_vital(handler->arg, x);
}

static void begin_request(struct http_connection *c, const struct http_head *head)
{
    struct http_request *x = &c->request;

    http_deadline_clear(&c->read_deadline);
    c->phase = HTTP_PHASE_REQUEST;
    http_request_begin(c, head);
    if (!may_go_on(c)) {
        http_answer_refuse(c, ERR_OVERLOADED);
        return;
    }
    x->is_open = true;
    handler_of(c)->on_head(handler_of(c)->arg, x);
    start_body(c);
}

static bool step_head(struct http_connection *c)
{
    const struct http_limits *limits = &c->loop->server->limits;
    struct http_head head;
    size_t len;

    enum err err = http_head_find_end(&c->scan, c->in, limits->head_max, &len);
    if (err) return refuse(c, err);
    if (len == 0) {
        if (!http_deadline_is_set(&c->read_deadline)) set_read_deadline(c, HTTP_DEADLINE_HEAD);
        return await_input(c);
    }
    struct str bytes = {c->in.data, len};
    c->in.data += len;
    c->in.len -= len;
    err = http_head_parse(bytes, c->loop->fields, limits->headers_max, &head);
    if (err) return refuse(c, err);
    begin_request(c, &head);
    return true;
}

/* Reads on in the body; returns false if it cannot be read. */
static bool take_body(struct http_connection *c, struct str *ret_payload)
{
    struct http_request *x = &c->request;
    size_t before = c->in.len;

    if (http_body_take(&x->body, &c->in, ret_payload) != ERR_OK) return false;
    x->body_bytes += (int64_t)(before - c->in.len);
    if (http_body_is_whole(&x->body)) http_deadline_clear(&c->read_deadline);
    return true;
}

/* The handler waits for the body, or thinks about it. */
static bool step_receive(struct http_connection *c)
{
    struct http_request *x = &c->request;
    struct str payload;

    if (x->is_body_paused) return false;
    if (http_body_is_whole(&x->body)) {
        if (!x->is_end_due) return false;
        x->is_end_due = false;
        handler_of(c)->on_end(handler_of(c)->arg, x);
        return true;
    }
    if (x->is_continue_due) {
        x->is_continue_due = false;
        if (c->in.len == 0) send_continue(c);
    }
    if (c->in.len == 0) return await_input(c);
    if (!take_body(c, &payload)) return refuse(c, ERR_BAD_REQUEST);
    if (payload.len > 0) handler_of(c)->on_body(handler_of(c)->arg, x, payload);
    return true;
}

/* There is an answer, and the rest of the body is not wanted: it is read if it is short and the
 * connection stays, else dropped as it comes. */
static bool step_skip(struct http_connection *c)
{
    struct http_request *x = &c->request;
    struct str payload;

    if (!x->is_keep_alive) return discard_input(c);
    if (http_body_is_whole(&x->body)) return false;
    if (c->in.len == 0 && !c->is_peer_done) return false;
    /* The body ends early or is malformed, but the answer still goes out. */
    if (c->in.len == 0 || !take_body(c, &payload)) x->is_keep_alive = false;
    return true;
}

static bool step_request(struct http_connection *c)
{
    struct http_request *x = &c->request;

    if (is_over(c)) {
        finish_request(c);
        return true;
    }
    if (x->answer == HTTP_ANSWER_NONE) return step_receive(c);
    /* A stream may last for days, and its handler does not need the head any more. */
    bool is_lasting = x->answer == HTTP_ANSWER_STREAM && !x->is_end_due && x->hold_count == 0;
    if (is_lasting) http_request_drop_head(c);
    /* A peer that left looks like one that only finished sending. Both get their answer; but a
     * silent stream might notice only after hours, so it ends here. */
    if (x->answer == HTTP_ANSWER_STREAM && await_input(c)) return true;
    return step_skip(c);
}

/* Returns true if a further step may be possible. */
static bool step(struct http_connection *c)
{
    switch (c->phase) {
    case HTTP_PHASE_HANDSHAKE:
        return await_input(c);
    case HTTP_PHASE_IDLE:
        return step_idle(c);
    case HTTP_PHASE_HEAD:
        return step_head(c);
    case HTTP_PHASE_REQUEST:
        return step_request(c);
    case HTTP_PHASE_LINGER:
        return discard_input(c) || await_input(c);
    case HTTP_PHASE_CLOSED:
        break;
    }
    return false;
}

/* Allows one read an iteration: libuv would go on for 2 MB with a peer that sends fast, and all
 * others would wait. */
static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *ret_buffer)
{
    struct http_connection *c = handle->data;
    bool was_read = c->read_iteration == c->loop->iteration || http_secure_must_wait(c);
    (void)suggested;

    c->read_iteration = c->loop->iteration;
    *ret_buffer = uv_buf_init(c->loop->read_buffer, was_read ? 0 : HTTP_READ_BUFFER);
}

static void on_read(uv_stream_t *stream, ssize_t len, const uv_buf_t *buffer);

static bool wants_input(const struct http_connection *c)
{
    if (c->is_peer_done || c->phase == HTTP_PHASE_CLOSED) return false;
    if (c->phase != HTTP_PHASE_REQUEST && !c->awaits_turn) return true;
    const struct http_request *x = &c->request;
    if (x->is_body_paused && x->answer == HTTP_ANSWER_NONE) return false;
    return c->stash.len < HTTP_WAITING_MAX;
}

static void update_reading(struct http_connection *c)
{
    bool wants = wants_input(c);

    if (wants == c->is_reading) return;
    c->is_reading = wants;
    if (wants)
        uv_read_start((uv_stream_t *)&c->tcp, on_alloc, on_read);
    else if (c->phase != HTTP_PHASE_CLOSED)
        uv_read_stop((uv_stream_t *)&c->tcp);
}

/* Returns what it waits for; HTTP_SPARE_KINDS if herald works for it, or if it has no place to
 * give. A request with a right key is not given up before it is answered, nor is a stream whose
 * peer reads. */
static enum http_spare spare_kind_of(const struct http_connection *c)
{
    const struct http_request *x = &c->request;

    if (c->phase == HTTP_PHASE_CLOSED || c->is_excess) return HTTP_SPARE_KINDS;
    if (c->phase == HTTP_PHASE_IDLE && !c->awaits_turn) return HTTP_SPARE_IDLE;
    if (c->phase == HTTP_PHASE_IDLE) return HTTP_SPARE_HEAD;
    if (c->phase == HTTP_PHASE_HEAD || c->phase == HTTP_PHASE_HANDSHAKE) return HTTP_SPARE_HEAD;
    if (c->phase == HTTP_PHASE_LINGER) return HTTP_SPARE_LINGER;
    if (x->hold_count > 0) return HTTP_SPARE_KINDS;
    if (x->answer == HTTP_ANSWER_STREAM)
        return c->is_writing ? HTTP_SPARE_STREAM : HTTP_SPARE_KINDS;
    if (x->answer == HTTP_ANSWER_GIVEN) return c->is_writing ? HTTP_SPARE_ANSWER : HTTP_SPARE_BODY;
    bool awaits_body = !http_body_is_whole(&x->body) && !x->is_body_paused;
    return awaits_body && !x->is_vouched ? HTTP_SPARE_BODY : HTTP_SPARE_KINDS;
}

static void update_spare(struct http_connection *c)
{
    enum http_spare kind = spare_kind_of(c);

    if (kind == c->spare_kind && http_deadline_is_set(&c->spare)) return;
    c->spare_kind = kind;
    if (kind == HTTP_SPARE_KINDS)
        http_deadline_clear(&c->spare);
    else
        http_deadline_set(&c->spare, &c->loop->spares[kind], http_loop_now(c->loop));
}

void http_connection_advance(struct http_connection *c)
{
    c->in = buf_view(&c->stash);
    while (step(c))
        continue;
    buf_consume(&c->stash, c->stash.len - c->in.len);
    if (c->stash.len == 0) buf_done(&c->stash);
    c->in = (struct str){NULL, 0};
    update_reading(c);
    update_spare(c);
    if (c->phase != HTTP_PHASE_CLOSED || c->request.hold_count > 0) return;
    if (c->request.is_open) end_request(c);
    if (c->is_handle_closed && !c->is_touched && !c->awaits_turn) free_connection(c);
}

/* Most requests come in one piece, and are read where they lie, in the loop's buffer. */
void http_connection_take(struct http_connection *c, struct str bytes)
{
    if (c->stash.len > 0) {
        buf_str(&c->stash, bytes);
        assert(!c->stash.is_full);
        return;
    }
    c->in = bytes;
    while (step(c))
        continue;
    buf_str(&c->stash, c->in);
    c->in = (struct str){NULL, 0};
}

static void on_read(uv_stream_t *stream, ssize_t len, const uv_buf_t *buffer)
{
    struct http_connection *c = stream->data;

    if (c->phase == HTTP_PHASE_CLOSED || len == UV_ENOBUFS) return;
    bool is_secure = c->link || c->phase == HTTP_PHASE_HANDSHAKE;
    if (len > 0 && is_secure)
        http_secure_take(c, (struct str){buffer->base, (size_t)len});
    else if (len > 0)
        http_connection_take(c, (struct str){buffer->base, (size_t)len});
    if (len == UV_EOF) c->is_peer_done = true;
    if (len < 0 && len != UV_EOF) http_connection_close(c);
    /* The touch decides whether to read on, even where there is nothing else to do. */
    http_connection_touch(c);
    http_loop_advance(c->loop);
    /* The next read may be shorter, and leave a key behind it. */
    if (len > 0) explicit_bzero(buffer->base, (size_t)len);
}

/* ---- the beginning, and the stop ---- */

/* A handshake has as much time as a head. */
static void await_handshake(struct http_connection *c)
{
    c->phase = HTTP_PHASE_HANDSHAKE;
    set_read_deadline(c, c->is_excess ? HTTP_DEADLINE_EXCESS : HTTP_DEADLINE_HEAD);
}

void http_connection_open(struct http_loop *loop, const struct http_arrival *arrival,
                          bool is_excess)
{
    struct http_connection *c = must_calloc(1, sizeof(*c));

    c->loop = loop;
    c->address = arrival->address;
    c->listener = arrival->listener;
    c->is_tls = arrival->is_tls;
    c->number = loop->opened_count++ * (uint64_t)loop->server->loop_count + (uint64_t)loop->index;
    buf_init(&c->stash, STASH_MAX);
    buf_init(&c->backlog, HTTP_BACKLOG_MAX);
    c->request.connection = c;
    uv_tcp_init(&loop->uv, &c->tcp);
    c->tcp.data = c;
    int rc = uv_tcp_open(&c->tcp, arrival->fd);
    assert(rc == 0);
    link_connection(c);
    c->is_excess = is_excess;
    loop->excess_count += is_excess;
    if (arrival->is_tls)
        await_handshake(c);
    else
        http_connection_begin(c);
    update_spare(c);
    http_connection_touch(c);
}

void http_connection_wind_down(struct http_connection *c)
{
    if (c->phase == HTTP_PHASE_IDLE || c->phase == HTTP_PHASE_HANDSHAKE) http_connection_close(c);
    if (c->phase == HTTP_PHASE_REQUEST && c->request.answer == HTTP_ANSWER_STREAM)
        http_answer_end_stream(&c->request);
}
