/* Free blocks lie in lists by size, which a thread shares with nobody, so there is no lock. */
#include "kit/db/sqlite_heap.h"

#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

/* malloc gives 24 bytes, 40, 56 and so on, and nothing between. */
enum {
    SIZE_MIN = 24,
    SIZE_STEP = 16,
    SIZES = (SQLITE_HEAP_BLOCK_MAX - SIZE_MIN) / SIZE_STEP + 1,
};

struct block {
    struct block *next;
};

struct heap {
    struct block *blocks[SIZES];
    size_t kept;
};

static _Thread_local struct heap *own_heap;
static pthread_key_t heap_key; /* frees a thread's heap at its end */

static int size_index(size_t size)
{
    return size <= SIZE_MIN ? 0 : (int)((size - SIZE_MIN + SIZE_STEP - 1) / SIZE_STEP);
}

static size_t size_at(int index)
{
    return SIZE_MIN + (size_t)index * SIZE_STEP;
}

static struct heap *heap_of_thread(void)
{
    if (own_heap) return own_heap;
    struct heap *heap = calloc(1, sizeof(*heap));
    if (heap && pthread_setspecific(heap_key, heap)) {
        free(heap);
        return NULL;
    }
    return own_heap = heap;
}

static void free_heap(void *arg)
{
    struct heap *heap = arg;

    own_heap = NULL;
    for (int i = 0; i < SIZES; i++) {
        for (struct block *block = heap->blocks[i], *next; block; block = next) {
            next = block->next;
            free(block);
        }
    }
    free(heap);
}

/* --- What SQLite calls ------------------------------------------------------------------------ */

static int heap_round_up(int size)
{
    return (int)size_at(size_index((size_t)size));
}

static void *heap_malloc(int size)
{
    int index = size_index((size_t)size);
    struct heap *heap = index < SIZES ? heap_of_thread() : NULL;

    if (!heap || !heap->blocks[index]) return malloc(size_at(index));
    struct block *block = heap->blocks[index];
    heap->blocks[index] = block->next;
    heap->kept -= size_at(index);
    return block;
}

static void heap_free(void *memory)
{
    size_t size = malloc_usable_size(memory);
    bool is_small = size >= SIZE_MIN && size <= SQLITE_HEAP_BLOCK_MAX;
    struct heap *heap = is_small ? heap_of_thread() : NULL;

    if (!heap || heap->kept + size > SQLITE_HEAP_KEPT_MAX) {
        free(memory);
        return;
    }
    int index = (int)((size - SIZE_MIN) / SIZE_STEP);
    struct block *block = memory;
    block->next = heap->blocks[index];
    heap->blocks[index] = block;
    heap->kept += size_at(index);
}

static void *heap_realloc(void *memory, int size)
{
    return realloc(memory, (size_t)heap_round_up(size));
}

static int heap_size(void *memory)
{
    return (int)malloc_usable_size(memory);
}

static int heap_begin(void *arg)
{
    (void)arg;
    return pthread_key_create(&heap_key, free_heap) ? SQLITE_NOMEM : SQLITE_OK;
}

static void heap_end(void *arg)
{
    (void)arg;
    if (own_heap) free_heap(own_heap);
    pthread_key_delete(heap_key);
}

const sqlite3_mem_methods sqlite_heap_methods = {
    .xMalloc = heap_malloc,
    .xFree = heap_free,
    .xRealloc = heap_realloc,
    .xSize = heap_size,
    .xRoundup = heap_round_up,
    .xInit = heap_begin,
    .xShutdown = heap_end,
};

size_t sqlite_heap_kept(void)
{
    return own_heap ? own_heap->kept : 0;
}
