/* Arenas: chunks that grow, or one malloc per allocation where a sanitizer watches. */
#include "kit/base/arena.h"

#include "kit/base/must.h"

#include <assert.h>
#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef HERALD_SANITIZED
enum { CHUNK_MIN = 0 };
#else
enum { CHUNK_MIN = 4000 };
#endif

struct arena_chunk {
    struct arena_chunk *older;
    size_t used;
    size_t capacity;
    alignas(max_align_t) char data[];
};

void arena_init(struct arena *arena)
{
    *arena = (struct arena){0};
}

void arena_init_large(struct arena *arena, size_t max)
{
    *arena = (struct arena){.max = max};
}

static void drop_until(struct arena *arena, const struct arena_chunk *keep)
{
    while (arena->chunks != keep) {
        struct arena_chunk *chunk = arena->chunks;
        arena->chunks = chunk->older;
        explicit_bzero(chunk->data, chunk->used);
        free(chunk);
    }
}

void arena_done(struct arena *arena)
{
    drop_until(arena, NULL);
    *arena = (struct arena){.max = arena->max};
}

/* Returns NULL only where it may refuse. */
static struct arena_chunk *grow(struct arena *arena, size_t size, bool may_refuse)
{
    size_t last = arena->chunks ? arena->chunks->capacity : 0;
    size_t capacity = size > CHUNK_MIN ? size : CHUNK_MIN;
    /* Doubling keeps the number of chunks small where much is allocated piece by piece. */
    if (CHUNK_MIN > 0 && capacity < 2 * last && last < 1024 * 1024) capacity = 2 * last;

    size_t whole = sizeof(struct arena_chunk) + capacity;
    struct arena_chunk *chunk = may_refuse ? may_malloc(whole) : must_malloc(whole);
    if (!chunk) return NULL;
    *chunk = (struct arena_chunk){.older = arena->chunks, .capacity = capacity};
    arena->chunks = chunk;
    return chunk;
}

static void *allocate(struct arena *arena, size_t size, bool may_refuse)
{
    size_t align = alignof(max_align_t);
    size_t rounded = size == 0 ? align : (size + align - 1) / align * align;
    assert(rounded >= size);

#ifdef HERALD_SANITIZED
    /* A chunk has exactly the size asked for, so that the sanitizer sees one byte too far. */
    rounded = size == 0 ? 1 : size;
    struct arena_chunk *chunk = grow(arena, rounded, may_refuse);
#else
    struct arena_chunk *chunk = arena->chunks;
    if (!chunk || chunk->capacity - chunk->used < rounded) chunk = grow(arena, rounded, may_refuse);
#endif
    if (!chunk) return NULL;
    void *memory = chunk->data + chunk->used;
    chunk->used += rounded;
    arena->used += rounded;
    return memset(memory, 0, rounded);
}

void *arena_alloc(struct arena *arena, size_t size)
{
    return allocate(arena, size, false);
}

void *arena_try(struct arena *arena, size_t count, size_t size)
{
    size_t bytes;

    if (arena->max == 0) return arena_array(arena, count, size);
    bool is_beyond = __builtin_mul_overflow(count, size, &bytes) || bytes > arena->max ||
                     arena->used > arena->max - bytes;
    bool is_refused = arena->is_exhausted || is_beyond;
    void *memory = is_refused ? NULL : allocate(arena, bytes, true);
    if (!memory) arena->is_exhausted = true;
    return memory;
}

void *arena_array(struct arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) abort();
    return arena_alloc(arena, bytes);
}

char *arena_str(struct arena *arena, struct str s)
{
    char *copy = arena_alloc(arena, s.len + 1);
    if (s.len > 0) memcpy(copy, s.data, s.len);
    return copy;
}

char *arena_try_str(struct arena *arena, struct str s)
{
    char *copy = arena_try(arena, s.len + 1, 1);
    if (copy && s.len > 0) memcpy(copy, s.data, s.len);
    return copy;
}

char *arena_text(struct arena *arena, const char *text)
{
    return text ? arena_str(arena, str_of(text)) : NULL;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (len < 0) abort();
    char *text = arena_alloc(arena, (size_t)len + 1);
    vsnprintf(text, (size_t)len + 1, format, again);
    va_end(again);
    return text;
}

struct arena_mark arena_mark(const struct arena *arena)
{
    return (struct arena_mark){.chunk = arena->chunks,
                               .chunk_used = arena->chunks ? arena->chunks->used : 0,
                               .used = arena->used};
}

void arena_rewind(struct arena *arena, struct arena_mark mark)
{
    drop_until(arena, mark.chunk);
    if (mark.chunk) {
        explicit_bzero(mark.chunk->data + mark.chunk_used, mark.chunk->used - mark.chunk_used);
        mark.chunk->used = mark.chunk_used;
    }
    arena->used = mark.used;
}
