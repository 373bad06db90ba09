/*
 * Head and body parser behind each other, as a connection runs them, without a connection: for the
 * tests and fuzz targets of the framing. Bytes go in, in pieces of any size.
 */
#pragma once

#include "kit/base/buf.h"
#include "kit/http/body.h"
#include "kit/http/head.h"

enum { MACHINE_HEAD_MAX = 16 * 1024, MACHINE_HEADERS_MAX = 100, MACHINE_MEMORY = 1 << 20 };

struct http_machine {
    struct buf pending; /* bytes of a head that is not whole */
    struct http_head_scan scan;
    struct http_body body;
    struct http_field fields[MACHINE_HEADERS_MAX];
    int empty_lines;
    bool is_in_body;
    enum err err;       /* the refusal; nothing is read after it */
    int requests;       /* whole ones */
    struct buf payload; /* of all bodies */
    struct buf targets; /* "method path query\n" of all heads */
};

static inline void machine_init(struct http_machine *m)
{
    *m = (struct http_machine){0};
    buf_init(&m->pending, MACHINE_MEMORY);
    buf_init(&m->payload, MACHINE_MEMORY);
    buf_init(&m->targets, MACHINE_MEMORY);
}

static inline void machine_done(struct http_machine *m)
{
    buf_done(&m->pending);
    buf_done(&m->payload);
    buf_done(&m->targets);
}

static inline void machine_note_head(struct http_machine *m, const struct http_head *head)
{
    const struct http_span parts[] = {head->method, head->path, head->query};

    for (int i = 0; i < 3; i++) {
        buf_str(&m->targets, http_head_view(head, parts[i]));
        buf_char(&m->targets, i < 2 ? ' ' : '\n');
    }
}

/* True if a whole head was taken off the front. */
static inline bool machine_take_head(struct http_machine *m, struct str *in)
{
    struct http_head head;
    size_t len = 0;

    m->err = http_head_skip_empty_lines(in, &m->empty_lines);
    if (m->err || in->len == 0 || str_is(*in, "\r")) return false;
    m->err = http_head_find_end(&m->scan, *in, MACHINE_HEAD_MAX, &len);
    if (m->err || len == 0) return false;
    struct str bytes = {in->data, len};
    *in = (struct str){in->data + len, in->len - len};
    m->err = http_head_parse(bytes, m->fields, MACHINE_HEADERS_MAX, &head);
    if (m->err) return false;
    machine_note_head(m, &head);
    http_body_init(&m->body, head.is_chunked ? -1 : head.content_length);
    m->is_in_body = true;
    return true;
}

/* True if something was taken. */
static inline bool machine_take_body(struct http_machine *m, struct str *in)
{
    struct str payload;

    if (http_body_is_whole(&m->body)) {
        m->is_in_body = false;
        m->requests++;
        m->scan = (struct http_head_scan){0};
        m->empty_lines = 0;
        return true;
    }
    if (in->len == 0) return false;
    m->err = http_body_take(&m->body, in, &payload);
    if (m->err) return false;
    buf_str(&m->payload, payload);
    return true;
}

static inline void machine_feed(struct http_machine *m, struct str bytes)
{
    if (m->err) return;
    buf_str(&m->pending, bytes);
    struct str in = buf_view(&m->pending);
    while (m->is_in_body ? machine_take_body(m, &in) : machine_take_head(m, &in))
        continue;
    buf_consume(&m->pending, m->pending.len - in.len);
}

/* True between two requests: none is begun, none is refused. */
static inline bool machine_is_idle(const struct http_machine *m)
{
    return !m->err && !m->is_in_body && m->pending.len == 0;
}
