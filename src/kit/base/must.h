/*
 * What herald cannot go on without. Where it is not to be had, the process ends with a sentence on
 * stderr: an abort alone tells nobody what to do.
 *
 * Most memory is of that kind, and small. What an outside body decides the size of is not: it may
 * be had or not, and where there is none the body is refused (ERR_OVERLOADED). So that a large body
 * that took the last of it does not end what is small beside it, a reserve is kept, which goes to
 * the first that must have memory and finds none; and until it can be had again, all that may be
 * refused is.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Never NULL. must_calloc gives zeroed memory for `count` items of `size` bytes. */
void *must_malloc(size_t size) __attribute__((returns_nonnull, malloc));
void *must_calloc(size_t count, size_t size) __attribute__((returns_nonnull, malloc));
char *must_strdup(const char *text) __attribute__((returns_nonnull, malloc));
/* From another allocator, which returns NULL where it has none. */
void *must_from(void *(*allocate)(size_t size), size_t size) __attribute__((returns_nonnull));
/* What `memory` held, with room for `count` items of `size` bytes; what is new is not zeroed. */
void *must_realloc(void *memory, size_t count, size_t size) __attribute__((returns_nonnull));

/* The same of what an outside body decides the size of. NULL: there is none, or it is short. */
void *may_malloc(size_t size) __attribute__((malloc));
void *may_calloc(size_t count, size_t size) __attribute__((malloc));
void *may_realloc(void *memory, size_t count, size_t size);

/* Ends the process unless `is_there`. The sentence says what is missing and what to do. */
void must_have(bool is_there, const char *sentence);

/* Once, at the start. False: there is not even so much. */
bool memory_keep_reserve(size_t size);
/* Gives the reserve back to the system if it is still there: for what a library must have. */
void memory_give_reserve(void);
/* Whether the reserve was needed, and cannot be had again so far. Any thread. */
bool memory_is_short(void);
