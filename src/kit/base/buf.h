/*
 * A growing run of bytes with a named maximum. What would pass the maximum is left out and
 * `is_full` says so: one check at the end serves many appends. Out of memory ends the process, but
 * for a large one, which is full then.
 */
#pragma once

#include "kit/base/str.h"

struct buf {
    char *data; /* NULL while empty; not NUL-terminated */
    size_t len;
    size_t capacity;
    size_t max;
    bool is_full;                /* something did not fit */
    bool may_lack, lacks_memory; /* of a large one: there was no memory, and nothing more fits */
};

void buf_init(struct buf *buf, size_t max);
/* For what an outside body decides the size of. */
void buf_init_large(struct buf *buf, size_t max);
/* Frees its memory, zeroed first. */
void buf_done(struct buf *buf);
/* Empties it and keeps its memory. */
void buf_clear(struct buf *buf);

void buf_append(struct buf *buf, const void *data, size_t len);
void buf_str(struct buf *buf, struct str s);
void buf_text(struct buf *buf, const char *text);
void buf_char(struct buf *buf, char c);
void buf_printf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* `len` bytes at the end, to be written by the caller; NULL where they do not fit. */
char *buf_reserve(struct buf *buf, size_t len);
/* Drops the first `len` bytes. */
void buf_consume(struct buf *buf, size_t len);

static inline struct str buf_view(const struct buf *buf)
{
    return (struct str){buf->data, buf->len};
}

#define AUTO_BUF __attribute__((cleanup(buf_done))) struct buf
