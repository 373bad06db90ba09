/* What herald cannot go on without, and what it can. */
#include "kit/base/must.h"

#include "kit/base/macros.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* For the whole process, as its memory is: whoever finds none is far from any struct of ours. */
static _Atomic(void *) reserve;
static size_t reserve_size;

void must_have(bool is_there, const char *sentence)
{
    if (is_there) return;
    /* Piece by piece, since there may be no memory to put them together. */
    const char *const pieces[] = {"herald: ", sentence, "\n"};
    for (size_t i = 0; i < COUNT_OF(pieces); i++) {
        ssize_t written = write(STDERR_FILENO, pieces[i], strlen(pieces[i]));
        (void)written; /* nobody is left to be told */
    }
    abort();
}

static bool give_reserve(void)
{
    void *given = atomic_exchange(&reserve, NULL);

    free(given);
    return given != NULL;
}

static const char no_memory[] =
    "out of memory. Allow the process more (ulimit -v, MemoryMax), or send it less at once.";

void *must_malloc(size_t size)
{
    void *memory = malloc(size);

    if (!memory && give_reserve()) memory = malloc(size);
    must_have(memory, no_memory);
    return memory;
}

void *must_calloc(size_t count, size_t size)
{
    void *memory = calloc(count, size);

    if (!memory && give_reserve()) memory = calloc(count, size);
    must_have(memory, no_memory);
    return memory;
}

void *must_realloc(void *memory, size_t count, size_t size)
{
    void *grown = reallocarray(memory, count, size);

    if (!grown && give_reserve()) grown = reallocarray(memory, count, size);
    must_have(grown, no_memory);
    return grown;
}

void *may_malloc(size_t size)
{
    return memory_is_short() ? NULL : malloc(size);
}

void *may_calloc(size_t count, size_t size)
{
    return memory_is_short() ? NULL : calloc(count, size);
}

void *may_realloc(void *memory, size_t count, size_t size)
{
    return memory_is_short() ? NULL : reallocarray(memory, count, size);
}

static bool take_reserve(void)
{
    void *none = NULL, *taken = malloc(reserve_size);

    if (!taken) return false;
    if (!atomic_compare_exchange_strong(&reserve, &none, taken)) free(taken);
    return true;
}

bool memory_keep_reserve(size_t size)
{
    give_reserve(); /* of another size */
    reserve_size = size;
    return take_reserve();
}

bool memory_is_short(void)
{
    if (atomic_load_explicit(&reserve, memory_order_relaxed) || reserve_size == 0) return false;
    return !take_reserve();
}
