/* A buffer grows by doubling, up to its maximum. */
#include "kit/base/buf.h"

#include "kit/base/must.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CAPACITY_MIN = 256 };

void buf_init(struct buf *buf, size_t max)
{
    *buf = (struct buf){.max = max};
}

void buf_init_large(struct buf *buf, size_t max)
{
    *buf = (struct buf){.max = max, .may_lack = true};
}

/* Buffers carry requests and answers, which hold keys, codes and tokens; so memory is zeroed before
 * it goes back. */
static void release(struct buf *buf)
{
    if (buf->data) explicit_bzero(buf->data, buf->capacity);
    free(buf->data);
}

void buf_done(struct buf *buf)
{
    release(buf);
    *buf = (struct buf){.max = buf->max, .may_lack = buf->may_lack};
}

void buf_clear(struct buf *buf)
{
    buf->len = 0;
    buf->is_full = false;
}

char *buf_reserve(struct buf *buf, size_t len)
{
    if (buf->lacks_memory || len > buf->max || buf->len > buf->max - len) {
        buf->is_full = true;
        return NULL;
    }
    if (buf->capacity - buf->len < len) {
        size_t capacity = buf->capacity > 0 ? buf->capacity : CAPACITY_MIN;
        while (capacity - buf->len < len)
            capacity *= 2;
        if (capacity > buf->max) capacity = buf->max;
        char *data = buf->may_lack ? may_malloc(capacity) : must_malloc(capacity);
        if (!data) {
            buf->is_full = buf->lacks_memory = true;
            return NULL;
        }
        if (buf->len > 0) memcpy(data, buf->data, buf->len);
        release(buf);
        buf->data = data;
        buf->capacity = capacity;
    }
    char *room = buf->data + buf->len;
    buf->len += len;
    return room;
}

void buf_append(struct buf *buf, const void *data, size_t len)
{
    if (len == 0) return;
    char *room = buf_reserve(buf, len);
    if (room) memcpy(room, data, len);
}

void buf_str(struct buf *buf, struct str s)
{
    buf_append(buf, s.data, s.len);
}

void buf_text(struct buf *buf, const char *text)
{
    buf_append(buf, text, strlen(text));
}

void buf_char(struct buf *buf, char c)
{
    buf_append(buf, &c, 1);
}

void buf_printf(struct buf *buf, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    buf_vprintf(buf, format, args);
    va_end(args);
}

void buf_vprintf(struct buf *buf, const char *format, va_list args)
{
    char stack[256];
    va_list again;

    va_copy(again, args);
    int len = vsnprintf(stack, sizeof(stack), format, args);
    if (len < 0) abort();
    if ((size_t)len < sizeof(stack)) {
        buf_append(buf, stack, (size_t)len);
        va_end(again);
        return;
    }
    char *heap = must_malloc((size_t)len + 1);
    vsnprintf(heap, (size_t)len + 1, format, again);
    va_end(again);
    buf_append(buf, heap, (size_t)len);
    free(heap);
}

void buf_consume(struct buf *buf, size_t len)
{
    if (len >= buf->len) {
        buf->len = 0;
        return;
    }
    memmove(buf->data, buf->data + len, buf->len - len);
    buf->len -= len;
}
