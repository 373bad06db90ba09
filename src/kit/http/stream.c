/* Streamed answers are chunked for HTTP/1.1, and end by closing for HTTP/1.0. */
#include "kit/http/connection.h"

#include <stdio.h>

enum { CHUNK_HEAD_MAX = 2 * sizeof(size_t) + 2, CHUNK_OVERHEAD = CHUNK_HEAD_MAX + 2 };

static uv_buf_t part_of(struct str text)
{
    return uv_buf_init((char *)(uintptr_t)text.data, (unsigned)text.len);
}

static bool is_open_stream(const struct http_request *x)
{
    if (http_is_closed(x)) return false;
    assert(x->answer == HTTP_ANSWER_STREAM);
    return true;
}

void http_stream_begin(struct http_request *x, int status, const struct http_header *headers,
                       size_t header_count)
{
    struct http_connection *c = x->connection;

    if (http_is_closed(x)) return;
    assert(x->answer == HTTP_ANSWER_NONE);
    x->has_no_content = x->is_head_request || !http_status_has_content(status);
    x->is_chunked_answer = x->head.minor_version > 0 && http_status_has_content(status);
    http_answer_decide_keep_alive(x, status);
    if (!x->is_chunked_answer && !x->has_no_content) x->is_keep_alive = false;
    http_answer_begin_head(x, status, headers, header_count);
    if (x->is_chunked_answer) buf_str(&c->loop->head, STR("Transfer-Encoding: chunked\r\n"));
    http_answer_end_head(x);
    uv_buf_t part = part_of(buf_view(&c->loop->head));
    x->answer = HTTP_ANSWER_STREAM;
    http_output_send(c, &part, 1);
    http_answer_decide_reading(x);
    if (c->loop->is_stopping) http_answer_end_stream(x);
}

size_t http_stream_queued(const struct http_request *x)
{
    return http_is_closed(x) ? 0 : http_output_queued(x->connection);
}

/* An empty queue takes a piece of any size, since a large one would never be taken otherwise. */
static bool has_room(struct http_request *x, size_t len)
{
    size_t max = x->connection->loop->server->limits.stream_queue_max;
    size_t queued = http_output_queued(x->connection);

    if (queued == 0 || queued + len + CHUNK_OVERHEAD <= max) return true;
    x->wants_drain = true;
    return false;
}

static void send_chunk(struct http_connection *c, struct str bytes)
{
    char size[CHUNK_HEAD_MAX + 1];
    int size_len = snprintf(size, sizeof(size), "%zx\r\n", bytes.len);
    const uv_buf_t parts[] = {
        uv_buf_init(size, (unsigned)size_len),
        part_of(bytes),
        part_of(STR("\r\n")),
    };

    http_output_send(c, parts, 3);
}

bool http_stream_write(struct http_request *x, struct str bytes)
{
    struct http_connection *c = x->connection;

    /* An empty chunk would end the stream. Bytes that reach nobody need no queue. */
    if (!is_open_stream(x) || bytes.len == 0 || x->has_no_content) return true;
    if (!has_room(x, bytes.len)) return false;
    if (x->is_chunked_answer) {
        send_chunk(c, bytes);
    } else {
        uv_buf_t part = part_of(bytes);
        http_output_send(c, &part, 1);
    }
    if (http_stream_queued(x) > c->loop->server->limits.stream_queue_max / 2) x->wants_drain = true;
    return true;
}

static void end_stream(struct http_request *x)
{
    uv_buf_t part = part_of(STR("0\r\n\r\n"));

    x->answer = HTTP_ANSWER_GIVEN;
    if (x->is_chunked_answer && !x->has_no_content) http_output_send(x->connection, &part, 1);
    http_connection_touch(x->connection);
}

void http_stream_end(struct http_request *x)
{
    if (is_open_stream(x)) end_stream(x);
}

void http_answer_end_stream(struct http_request *x)
{
    x->is_keep_alive = false;
    end_stream(x);
    x->is_given_up = true;
}
