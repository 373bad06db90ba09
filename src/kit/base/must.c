/* Memory and other means that herald must have end the process where they lack. */
#include "kit/base/must.h"

#include "kit/base/macros.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The reserve belongs to the whole process, as memory does: allocators know no struct of ours. */
static _Atomic(void *) reserve;
static pthread_mutex_t reserve_lock = PTHREAD_MUTEX_INITIALIZER;
static size_t reserve_size;

void must_have(bool is_there, const char *sentence)
{
    if (is_there) return;
    /* The pieces are written one by one, since there may be no memory to join them. */
    const char *const pieces[] = {"herald: ", sentence, "\n"};
    for (size_t i = 0; i < COUNT_OF(pieces); i++) {
        ssize_t written = write(STDERR_FILENO, pieces[i], strlen(pieces[i]));
        (void)written; /* nobody is left to be told */
    }
    abort();
}

void must_have_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        bool is_open = fcntl(fd, F_GETFD) >= 0;
        /* The lowest free number is given, and those below are open. */
        must_have(is_open || open("/dev/null", O_RDWR) == fd,
                  "standard input, output or error is closed, and there is no /dev/null.");
    }
}

/* Frees the reserve and keeps its lock. So nobody takes the memory as a new reserve before it has
 * served, and a second thread that needs it waits until it is free. */
static void lock_and_free_reserve(void)
{
    pthread_mutex_lock(&reserve_lock);
    free(atomic_exchange(&reserve, NULL));
}

void memory_give_reserve(void)
{
    lock_and_free_reserve();
    pthread_mutex_unlock(&reserve_lock);
}

static const char no_memory[] =
    "out of memory. Allow the process more (ulimit -v, MemoryMax), or send it less at once.";

void *must_from(void *(*allocate)(size_t size), size_t size)
{
    void *memory = allocate(size);

    if (!memory) {
        lock_and_free_reserve();
        memory = allocate(size);
        pthread_mutex_unlock(&reserve_lock);
    }
    must_have(memory, no_memory);
    return memory;
}

void *must_malloc(size_t size)
{
    return must_from(malloc, size);
}

char *must_strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(must_malloc(size), text, size);
}

void *must_calloc(size_t count, size_t size)
{
    void *memory = calloc(count, size);

    if (!memory) {
        lock_and_free_reserve();
        memory = calloc(count, size);
        pthread_mutex_unlock(&reserve_lock);
    }
    must_have(memory, no_memory);
    return memory;
}

void *must_realloc(void *memory, size_t count, size_t size)
{
    void *grown = reallocarray(memory, count, size);

    if (!grown) {
        lock_and_free_reserve();
        grown = reallocarray(memory, count, size);
        pthread_mutex_unlock(&reserve_lock);
    }
    must_have(grown, no_memory);
    return grown;
}

void *must_grow(void *list, size_t count, size_t *capacity, size_t first, size_t size)
{
    if (count < *capacity) return list;
    *capacity = *capacity ? 2 * *capacity : first;
    return must_realloc(list, *capacity, size);
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

void *may_grow(void *list, size_t count, size_t *capacity, size_t first, size_t size)
{
    if (count < *capacity) return list;
    size_t wider = *capacity ? 2 * *capacity : first;
    void *grown = may_realloc(list, wider, size);
    if (grown) *capacity = wider;
    return grown;
}

static bool take_reserve(void)
{
    if (pthread_mutex_trylock(&reserve_lock) != 0) return false;
    if (!atomic_load(&reserve)) atomic_store(&reserve, malloc(reserve_size));
    bool is_taken = atomic_load(&reserve) != NULL;
    pthread_mutex_unlock(&reserve_lock);
    return is_taken;
}

bool memory_keep_reserve(size_t size)
{
    memory_give_reserve(); /* the old one may have another size */
    reserve_size = size;
    return take_reserve();
}

bool memory_is_short(void)
{
    if (atomic_load_explicit(&reserve, memory_order_relaxed) || reserve_size == 0) return false;
    return !take_reserve();
}
