/*
 * Most answers leave at once, in one system call and without a copy. For the others one write waits
 * for the socket, and a backlog waits behind it. Over TLS the write has some records of the answer
 * at a time, so that a slow peer costs a few records and no copy of what it is sent.
 */
#include "kit/base/must.h"
#include "kit/http/connection.h"

#include <linux/sockios.h>
#include <stdlib.h>
#include <sys/ioctl.h>

/* Bytes that the socket has not taken yet. */
struct waiting_write {
    uv_write_t request;
    struct http_connection *connection;
    struct buf body;   /* its memory was taken from its owner; may be empty */
    uv_buf_t parts[2]; /* in `copy` and in the body; over TLS, what is not sealed yet */
    unsigned count;
    struct buf sealed; /* over TLS: the records that wait */
    char copy[];
};

size_t http_output_queued(const struct http_connection *c)
{
    return uv_stream_get_write_queue_size((const uv_stream_t *)&c->tcp) + c->unsealed +
           c->backlog.len;
}

/* Counts the bytes that have not left this machine, also those in the socket. A socket with
 * megabytes of room asks for more only when a third of it is free, and a slow reader may take a
 * minute for that. */
static size_t bytes_left(const struct http_connection *c)
{
    size_t left = uv_stream_get_write_queue_size((const uv_stream_t *)&c->tcp);
    uv_os_fd_t fd;
    int unsent = 0;

    if (uv_fileno((const uv_handle_t *)&c->tcp, &fd) == 0 && ioctl(fd, SIOCOUTQ, &unsent) == 0)
        left += (size_t)unsent;
    return left;
}

/* Lets its wait begin anew, also among the spares. */
static void restart_wait(struct http_connection *c, size_t left)
{
    int64_t now_ms = http_loop_now(c->loop);

    c->write_progress_ms = now_ms;
    c->write_left = left;
    if (http_deadline_is_set(&c->spare))
        http_deadline_set(&c->spare, &c->loop->spares[c->spare_kind], now_ms);
    http_connection_touch(c);
}

bool http_output_has_moved(struct http_connection *c)
{
    size_t left = bytes_left(c);

    if (left == c->write_left) return false;
    restart_wait(c, left);
    return true;
}

bool http_output_has_stalled(struct http_connection *c)
{
    int64_t now_ms = http_loop_now(c->loop);
    bool has_moved = http_output_has_moved(c);
    int64_t waited_ms = now_ms - c->write_progress_ms;

    if (!has_moved && waited_ms >= c->loop->server->limits.write_stall_ms) return true;
    http_deadline_set(&c->write_deadline, http_deadlines_of(c, HTTP_DEADLINE_WRITE), now_ms);
    return false;
}

/* A stream whose queue had been full may go on. */
static void call_drain(struct http_connection *c)
{
    const struct http_server *server = c->loop->server;
    struct http_request *x = &c->request;

    if (!x->wants_drain || x->answer != HTTP_ANSWER_STREAM || c->phase == HTTP_PHASE_CLOSED) return;
    if (http_output_queued(c) > server->limits.stream_queue_max / 2) return;
    x->wants_drain = false;
    if (server->handler.on_drain) server->handler.on_drain(server->handler.arg, x);
}

static size_t length_of(const uv_buf_t *parts, unsigned count)
{
    size_t len = 0;

    for (unsigned i = 0; i < count; i++)
        len += parts[i].len;
    return len;
}

/* Copies `parts` but for their first `skipped` bytes; returns how many bytes it copied. */
static size_t copy_rest(const uv_buf_t *parts, unsigned count, size_t skipped, char *out)
{
    size_t len = 0;

    for (unsigned i = 0; i < count; i++) {
        size_t skip = skipped < parts[i].len ? skipped : parts[i].len;
        skipped -= skip;
        if (parts[i].len == skip) continue;
        memcpy(out + len, parts[i].base + skip, parts[i].len - skip);
        len += parts[i].len - skip;
    }
    return len;
}

static void on_written(uv_write_t *request, int status);

/* Lets the loop write what waits. */
static void begin_write(struct waiting_write *write)
{
    struct http_connection *c = write->connection;
    uv_buf_t sealed = uv_buf_init(write->sealed.data, (unsigned)write->sealed.len);
    const uv_buf_t *parts = c->link ? &sealed : write->parts;

    c->is_writing = true;
    c->unsealed = c->link ? length_of(write->parts, write->count) : 0;
    int rc = uv_write(&write->request, (uv_stream_t *)&c->tcp, parts, c->link ? 1 : write->count,
                      on_written);
    assert(rc == 0);
    restart_wait(c, bytes_left(c));
    http_deadline_set(&c->write_deadline, http_deadlines_of(c, HTTP_DEADLINE_WRITE),
                      http_loop_now(c->loop));
}

/* Takes the records that the socket did not. */
static void take_sealed(struct waiting_write *write)
{
    struct buf *sealed = &write->connection->loop->tls_room->sealed;

    buf_init(&write->sealed, sealed->max);
    buf_str(&write->sealed, buf_view(sealed));
    buf_clear(sealed);
}

/* Over TLS, the records before are written: seals and sends what is behind them. Returns true if
 * that waits for the socket again. */
static bool write_on(struct waiting_write *write)
{
    struct http_connection *c = write->connection;

    size_t sealed = http_secure_send(c, write->parts, write->count);
    for (unsigned i = 0; i < write->count; i++) {
        size_t len = sealed < write->parts[i].len ? sealed : write->parts[i].len;
        write->parts[i] =
            uv_buf_init(write->parts[i].base + len, (unsigned)(write->parts[i].len - len));
        sealed -= len;
    }
    bool is_all = length_of(write->parts, write->count) == 0;
    if (c->phase == HTTP_PHASE_CLOSED || (is_all && c->loop->tls_room->sealed.len == 0))
        return false;
    buf_done(&write->sealed);
    take_sealed(write);
    begin_write(write);
    return true;
}

static void end_write(struct waiting_write *write, int status)
{
    struct http_connection *c = write->connection;
    struct buf backlog = c->backlog;

    c->unsealed = 0;
    buf_done(&write->sealed);
    buf_done(&write->body);
    free(write);
    if (status != 0) http_connection_close(c);
    if (backlog.len == 0 || c->phase == HTTP_PHASE_CLOSED) return;
    uv_buf_t part = uv_buf_init(backlog.data, (unsigned)backlog.len);
    buf_init(&c->backlog, HTTP_BACKLOG_MAX);
    http_output_send(c, &part, 1);
    buf_done(&backlog);
}

static void on_written(uv_write_t *request, int status)
{
    struct waiting_write *write = request->data;
    struct http_connection *c = write->connection;

    c->is_writing = false;
    http_deadline_clear(&c->write_deadline);
    bool goes_on = c->link && status == 0 && c->phase != HTTP_PHASE_CLOSED && write_on(write);
    if (!goes_on) end_write(write, status);
    call_drain(c);
    http_connection_touch(c);
    http_loop_advance(c->loop);
}

/* Lets the loop write the bytes behind the first `sent` ones as soon as the socket takes them. The
 * last part is `content`, unless that is NULL. */
static void wait_for_socket(struct http_connection *c, const uv_buf_t *parts, unsigned count,
                            size_t sent, const struct http_content *content)
{
    unsigned copied = content ? count - 1 : count;
    size_t copied_len = length_of(parts, copied);
    struct waiting_write *write = must_calloc(1, sizeof(*write) + copied_len);

    write->connection = c;
    write->request.data = write;
    size_t len = copy_rest(parts, copied, sent, write->copy);
    if (len > 0) write->parts[write->count++] = uv_buf_init(write->copy, (unsigned)len);
    if (content && content->owner) {
        write->body = *content->owner;
        buf_init(content->owner, content->owner->max);
    }
    if (content) {
        size_t skip = sent > copied_len ? sent - copied_len : 0;
        write->parts[write->count++] =
            uv_buf_init(parts[copied].base + skip, (unsigned)(parts[copied].len - skip));
    }
    if (c->link) take_sealed(write);
    begin_write(write);
}

/* Sends what the socket takes at once, and has the rest wait. */
static void send_secure(struct http_connection *c, const uv_buf_t *parts, unsigned count,
                        const struct http_content *content)
{
    size_t sealed = http_secure_send(c, parts, count);

    if (c->phase == HTTP_PHASE_CLOSED) return;
    if (sealed < length_of(parts, count) || c->loop->tls_room->sealed.len > 0)
        wait_for_socket(c, parts, count, sealed, content);
}

static void send_parts(struct http_connection *c, const uv_buf_t *parts, unsigned count,
                       const struct http_content *content)
{
    if (c->phase == HTTP_PHASE_CLOSED) return;
    if (c->is_writing) {
        for (unsigned i = 0; i < count; i++)
            buf_append(&c->backlog, parts[i].base, parts[i].len);
        if (c->backlog.is_full) http_connection_close(c);
        return;
    }
    if (c->link) {
        send_secure(c, parts, count, content);
        return;
    }
    int sent = uv_try_write((uv_stream_t *)&c->tcp, parts, count);
    if (sent == UV_EAGAIN) sent = 0;
    if (sent < 0) {
        http_connection_close(c);
        return;
    }
    if ((size_t)sent < length_of(parts, count))
        wait_for_socket(c, parts, count, (size_t)sent, content);
}

void http_output_send(struct http_connection *c, const uv_buf_t *parts, unsigned count)
{
    send_parts(c, parts, count, NULL);
}

void http_output_send_content(struct http_connection *c, struct str head,
                              const struct http_content *content)
{
    const uv_buf_t parts[] = {
        uv_buf_init((char *)(uintptr_t)head.data, (unsigned)head.len),
        uv_buf_init((char *)(uintptr_t)content->bytes.data, (unsigned)content->bytes.len),
    };

    if (content->bytes.len > 0)
        send_parts(c, parts, 2, content);
    else
        send_parts(c, parts, 1, NULL);
}
