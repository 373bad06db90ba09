/*
 * Memory of one request or job: allocated piece by piece, dropped as a whole.
 *
 * Whoever works for a request allocates from its arena and frees nothing. In sanitizer builds each
 * allocation is a malloc of its own, so that an overrun of one shows.
 *
 * Most arenas give what they are asked for. A large one has a budget, and holds what an outside
 * body decides the size of: arena_try asks it for that, and is told where there is no more.
 */
#pragma once

#include "kit/base/str.h"

#include <stdarg.h>

struct arena_chunk;

struct arena {
    struct arena_chunk *chunks; /* newest first */
    size_t used;                /* bytes handed out, for limits and tests */
    size_t max;                 /* of a large one: arena_try hands out so many; else 0 */
    bool is_exhausted;          /* arena_try refused something, and so all since */
};

/* Where an arena stood; arena_rewind drops all that came after, as arena_done does. */
struct arena_mark {
    struct arena_chunk *chunk;
    size_t chunk_used;
    size_t used;
};

void arena_init(struct arena *arena);
void arena_init_large(struct arena *arena, size_t max);
/* What was handed out is zeroed before it goes: it may hold codes and keys. */
void arena_done(struct arena *arena);

/* Zeroed memory, aligned for any type. Never NULL: out of memory aborts. */
void *arena_alloc(struct arena *arena, size_t size) __attribute__((returns_nonnull, malloc));
/* Room for `count` items of `size` bytes; aborts if the product overflows. */
void *arena_array(struct arena *arena, size_t count, size_t size) __attribute__((returns_nonnull));

/* A NUL-terminated copy. arena_text takes NULL and gives NULL back. */
char *arena_str(struct arena *arena, struct str s) __attribute__((returns_nonnull));
char *arena_text(struct arena *arena, const char *text);
char *arena_printf(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3), returns_nonnull));

/* As arena_array and arena_str. NULL: the arena is large, and would pass its budget or finds no
 * memory; so one look at `is_exhausted` serves many calls. Of other arenas never NULL. */
void *arena_try(struct arena *arena, size_t count, size_t size);
char *arena_try_str(struct arena *arena, struct str s);

struct arena_mark arena_mark(const struct arena *arena);
void arena_rewind(struct arena *arena, struct arena_mark mark);

#define ARENA_NEW(arena, type) ((type *)arena_alloc((arena), sizeof(type)))
