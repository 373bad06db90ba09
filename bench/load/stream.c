/* A blocking socket, a decoder of chunks, and a search for this run's mark in each line. */
#include "stream.h"

#include "kit/base/clock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { LINE_BYTES_MAX = 262144, PIECE_MAX = 65536, PAUSE_MS = 50, HEAD_MAX = 8192 };

/* Where the decoder stands in a chunked body. */
enum chunk_state { CHUNK_SIZE, CHUNK_DATA, CHUNK_END };

struct stream {
    int socket;
    bool is_chunked;
    enum chunk_state state;
    size_t chunk_size; /* of the size line so far, then the bytes left */
    char mark[64];     /* "bench-RUN-" */
    struct buf line;   /* the unfinished one */
    size_t entries;
    int64_t *seen_us;
    atomic_size_t seen; /* how many entries came */
    atomic_bool is_over;
    pthread_t thread;
};

/* A frame is at least one data line; what it says is in that line. */
static void on_line(struct stream *stream, struct str line, int64_t now_us)
{
    const char *at = memmem(line.data, line.len, stream->mark, strlen(stream->mark));

    if (!at) return;
    const char *digits = at + strlen(stream->mark);
    size_t left = line.len - (size_t)(digits - line.data);
    size_t n = 0;
    for (size_t i = 0; i < left && digits[i] >= '0' && digits[i] <= '9'; i++)
        n = n * 10 + (size_t)(digits[i] - '0');
    if (n >= stream->entries || stream->seen_us[n] != 0) return;
    stream->seen_us[n] = now_us;
    atomic_fetch_add(&stream->seen, 1);
}

static void on_text(struct stream *stream, const char *data, size_t len, int64_t now_us)
{
    while (len > 0) {
        const char *end = memchr(data, '\n', len);
        size_t part = end ? (size_t)(end - data) : len;
        buf_append(&stream->line, data, part);
        if (!end) return;
        on_line(stream, buf_view(&stream->line), now_us);
        buf_clear(&stream->line);
        data += part + 1;
        len -= part + 1;
    }
}

static size_t hex_value(char c)
{
    if (c >= '0' && c <= '9') return (size_t)(c - '0');
    return (size_t)((c | 0x20) - 'a') + 10;
}

/* One byte of framing; chunk extensions are not sent by herald. */
static void on_framing(struct stream *stream, char c)
{
    if (c == '\r') return;
    if (c != '\n') {
        stream->chunk_size = stream->chunk_size * 16 + hex_value(c);
        return;
    }
    /* The line feed ends either the size line or the chunk before it. */
    stream->state = stream->state == CHUNK_END ? CHUNK_SIZE : CHUNK_DATA;
}

static void on_body(struct stream *stream, const char *data, size_t len, int64_t now_us)
{
    if (!stream->is_chunked) {
        on_text(stream, data, len, now_us);
        return;
    }
    while (len > 0) {
        if (stream->state != CHUNK_DATA) {
            on_framing(stream, *data++);
            len--;
            continue;
        }
        size_t part = len < stream->chunk_size ? len : stream->chunk_size;
        on_text(stream, data, part, now_us);
        data += part;
        len -= part;
        stream->chunk_size -= part;
        if (stream->chunk_size == 0) stream->state = CHUNK_END;
    }
}

static void *read_stream(void *context)
{
    struct stream *stream = context;
    char piece[PIECE_MAX];

    while (!atomic_load(&stream->is_over)) {
        ssize_t got = recv(stream->socket, piece, sizeof piece, 0);
        if (got > 0) on_body(stream, piece, (size_t)got, clock_monotonic_us());
        if (got == 0) break;
    }
    return NULL;
}

/* Reads the head byte by byte, so that nothing of the body is taken with it. */
static bool read_head(struct stream *stream)
{
    char head[HEAD_MAX] = "";
    size_t len = 0;

    while (len + 1 < sizeof head && !strstr(head, "\r\n\r\n")) {
        if (recv(stream->socket, head + len, 1, 0) != 1) return false;
        head[++len] = '\0';
    }
    stream->is_chunked = strcasestr(head, "\r\ntransfer-encoding: chunked") != NULL;
    return strncmp(head, "HTTP/1.1 200", 12) == 0;
}

static bool ask(struct stream *stream, const struct bench *bench)
{
    struct timeval patience = {.tv_sec = 5};
    struct timeval pause = {.tv_usec = PAUSE_MS * 1000};
    AUTO_BUF request = {0};

    buf_init(&request, HEAD_MAX);
    buf_printf(&request,
               "GET /internal/v1/logs/stream HTTP/1.1\r\nHost: herald\r\n"
               "X-Internal-API-Key: %s\r\nAccept: text/event-stream\r\n\r\n",
               bench->internal_key);
    setsockopt(stream->socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (send(stream->socket, request.data, request.len, MSG_NOSIGNAL) < 0) return false;
    if (!read_head(stream)) return false;
    /* From here on the thread looks now and then whether it is over. */
    return setsockopt(stream->socket, SOL_SOCKET, SO_RCVTIMEO, &pause, sizeof pause) == 0;
}

static void stream_free(struct stream *stream)
{
    if (stream->socket >= 0) close(stream->socket);
    buf_done(&stream->line);
    free(stream->seen_us);
    free(stream);
}

struct stream *stream_open(const struct bench *bench, size_t entries)
{
    struct stream *stream = calloc(1, sizeof *stream);

    if (!stream) abort();
    snprintf(stream->mark, sizeof stream->mark, "bench-%s-", bench->run);
    buf_init(&stream->line, LINE_BYTES_MAX);
    stream->entries = entries;
    stream->seen_us = calloc(entries, sizeof *stream->seen_us);
    if (!stream->seen_us) abort();
    stream->socket = wire_connect(&bench->address);
    if (stream->socket >= 0 && ask(stream, bench) &&
        pthread_create(&stream->thread, NULL, read_stream, stream) == 0)
        return stream;
    fprintf(stderr, "load: herald does not give its log stream\n");
    stream_free(stream);
    return NULL;
}

void stream_close(struct stream *stream, int64_t wait_ms, int64_t *ret_seen_us)
{
    int64_t end_ms = clock_monotonic_ms() + wait_ms;

    while (atomic_load(&stream->seen) < stream->entries && clock_monotonic_ms() < end_ms)
        usleep(PAUSE_MS * 1000);
    atomic_store(&stream->is_over, true);
    pthread_join(stream->thread, NULL);
    memcpy(ret_seen_us, stream->seen_us, stream->entries * sizeof *ret_seen_us);
    stream_free(stream);
}
