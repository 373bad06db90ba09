/*
 * A buffer is a growing run of bytes with a named maximum. What would pass the maximum is left out
 * and `is_full` says so: one check at the end serves many appends. Without memory the process ends,
 * but a large buffer is only full then.
 */
#pragma once

#include "kit/base/str.h"

#include <stdarg.h>

struct buf {
    char *data; /* NULL while empty; not NUL-terminated */
    size_t len;
    size_t capacity;
    size_t max;
    bool is_full;                /* something did not fit */
    bool may_lack, lacks_memory; /* a large buffer found no memory, and takes no more */
};

void buf_init(struct buf *buf, size_t max);
/* The large buffer is for data whose size an outside body decides. */
void buf_init_large(struct buf *buf, size_t max);
/* Zeroes its memory and frees it. */
void buf_done(struct buf *buf);
/* Empties it and keeps its memory. */
void buf_clear(struct buf *buf);

void buf_append(struct buf *buf, const void *data, size_t len);
void buf_str(struct buf *buf, struct str s);
void buf_text(struct buf *buf, const char *text);
void buf_char(struct buf *buf, char c);
void buf_printf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buf_vprintf(struct buf *buf, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
/* Adds `len` bytes, which the calling function writes; returns NULL where they do not fit. */
char *buf_reserve(struct buf *buf, size_t len);
/* Drops the first `len` bytes. */
void buf_consume(struct buf *buf, size_t len);

static inline struct str buf_view(const struct buf *buf)
{
    return (struct str){buf->data, buf->len};
}

#define AUTO_BUF __attribute__((cleanup(buf_done))) struct buf
