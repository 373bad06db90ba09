/*
 * Some things herald cannot go on without. Where one of them is missing, the process ends with a
 * sentence on stderr, since an abort alone tells nobody what to do.
 *
 * Most memory is of that kind (must_*), and small. Memory whose size an outside body decides is not
 * (may_*): where there is none, the body is refused (ERR_OVERLOADED). A large body could take the
 * last memory, and small things beside it would end the process. So herald keeps a reserve: it is
 * freed for the first must_* call that finds no memory, and until it can be taken again every may_*
 * call is refused.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Never return NULL. must_calloc gives zeroed memory for `count` items of `size` bytes. */
void *must_malloc(size_t size) __attribute__((returns_nonnull, malloc));
void *must_calloc(size_t count, size_t size) __attribute__((returns_nonnull, malloc));
char *must_strdup(const char *text) __attribute__((returns_nonnull, malloc));
/* Asks another allocator, which returns NULL where it has none. */
void *must_from(void *(*allocate)(size_t size), size_t size) __attribute__((returns_nonnull));
/* Grows `memory` to `count` items of `size` bytes; the new ones are not zeroed. */
void *must_realloc(void *memory, size_t count, size_t size) __attribute__((returns_nonnull));
/* Makes room for one more item than `count` in a list that has `first` places at first, and twice
 * as many each time. Returns the list, which may have moved. */
void *must_grow(void *list, size_t count, size_t *capacity, size_t first, size_t size)
    __attribute__((returns_nonnull));

/* Serve data whose size an outside body decides; return NULL where memory is short. */
void *may_malloc(size_t size) __attribute__((malloc));
void *may_calloc(size_t count, size_t size) __attribute__((malloc));
void *may_realloc(void *memory, size_t count, size_t size);
/* Does as must_grow; where it returns NULL the list is as it was. */
void *may_grow(void *list, size_t count, size_t *capacity, size_t first, size_t size);

/* Ends the process unless `is_there`. The sentence says what is missing and what to do. */
void must_have(bool is_there, const char *sentence);

/* Opens /dev/null as each of the descriptors 0 to 2 that is closed, so that no file which is opened
 * later gets one of these numbers, and no log is written into a database. Call it before anything
 * else is opened. */
void must_have_streams(void);

/* Takes the reserve. Call it once, at the start. Returns false if there is not even so much. */
bool memory_keep_reserve(size_t size);
/* Gives the reserve back to the system if it is still there, since a library needs memory. */
void memory_give_reserve(void);
/* Tells whether the reserve was needed and could not be taken again yet. Any thread may ask. */
bool memory_is_short(void);
