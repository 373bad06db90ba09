/*
 * An arena is the memory of one request or job: it is allocated piece by piece and dropped as a
 * whole.
 *
 * The code that works for a request allocates from its arena and frees nothing. In sanitizer builds
 * each allocation is a malloc of its own, so that an overrun of one shows.
 *
 * Most arenas give what they are asked for. A large arena has a budget, since an outside body
 * decides how much goes into it: arena_try returns NULL where the budget ends.
 */
#pragma once

#include "kit/base/str.h"

#include <stdarg.h>

struct arena_chunk;

struct arena {
    struct arena_chunk *chunks; /* newest first */
    size_t used;                /* bytes handed out, for limits and tests */
    size_t max;                 /* the budget of a large arena; 0 for all others */
    bool is_exhausted;          /* arena_try refused once, and refuses ever since */
};

/* A mark says how far an arena was filled; arena_rewind drops all that came after it. */
struct arena_mark {
    struct arena_chunk *chunk;
    size_t chunk_used;
    size_t used;
};

void arena_init(struct arena *arena);
void arena_init_large(struct arena *arena, size_t max);
/* Zeroes all memory before it frees it, since it may hold codes and keys. */
void arena_done(struct arena *arena);

/* Returns zeroed memory, aligned for any type. Without memory the process ends. */
void *arena_alloc(struct arena *arena, size_t size) __attribute__((returns_nonnull, malloc));
/* Returns room for `count` items of `size` bytes; aborts if the product overflows. */
void *arena_array(struct arena *arena, size_t count, size_t size) __attribute__((returns_nonnull));

/* Return a NUL-terminated copy. arena_text gives NULL back for NULL. */
char *arena_str(struct arena *arena, struct str s) __attribute__((returns_nonnull));
char *arena_text(struct arena *arena, const char *text);
char *arena_printf(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3), returns_nonnull));

/* Do what arena_array and arena_str do, but return NULL where a large arena would pass its budget
 * or finds no memory. One look at `is_exhausted` serves many calls. */
void *arena_try(struct arena *arena, size_t count, size_t size);
char *arena_try_str(struct arena *arena, struct str s);

struct arena_mark arena_mark(const struct arena *arena);
void arena_rewind(struct arena *arena, struct arena_mark mark);

#define ARENA_NEW(arena, type) ((type *)arena_alloc((arena), sizeof(type)))
