/* SQLite's memory: blocks of every size, kept by the thread that freed them, and only so many. */
#include "kit/db/sqlite_heap.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const sqlite3_mem_methods *const heap = &sqlite_heap_methods;

static int begin(void **state)
{
    (void)state;
    return heap->xInit(NULL);
}

static int end(void **state)
{
    (void)state;
    heap->xShutdown(NULL);
    return 0;
}

static void fill(char *memory, int size)
{
    for (int i = 0; i < size; i++)
        memory[i] = (char)(size + i);
}

static bool is_filled(const char *memory, int size)
{
    for (int i = 0; i < size; i++) {
        if (memory[i] != (char)(size + i)) return false;
    }
    return true;
}

static void test_every_size(void **state)
{
    (void)state;
    for (int size = 1; size < 2 * SQLITE_HEAP_BLOCK_MAX; size++) {
        char *memory = heap->xMalloc(size);
        assert_non_null(memory);
        assert_true(heap->xSize(memory) >= size);
        assert_true(heap->xRoundup(size) >= size);
        fill(memory, size);
        char *other = heap->xMalloc(size);
        assert_ptr_not_equal(other, memory);
        fill(other, size);
        assert_true(is_filled(memory, size));
        heap->xFree(other);
        memory = heap->xRealloc(memory, size + 300);
        assert_true(is_filled(memory, size));
        assert_true(heap->xSize(memory) >= size + 300);
        heap->xFree(memory);
    }
}

static void test_a_block_is_used_again(void **state)
{
    void *memory = heap->xMalloc(100);
    (void)state;
    heap->xFree(memory);
    size_t kept = sqlite_heap_kept();
    assert_true(kept >= 100);
    assert_ptr_equal(heap->xMalloc(heap->xRoundup(100)), memory);
    assert_true(sqlite_heap_kept() + 100 <= kept);
    heap->xFree(memory);
}

static void test_large_blocks_are_not_kept(void **state)
{
    (void)state;
    size_t kept = sqlite_heap_kept();
    heap->xFree(heap->xMalloc(SQLITE_HEAP_BLOCK_MAX + 1));
    assert_int_equal(sqlite_heap_kept(), kept);
}

static void test_only_so_much_is_kept(void **state)
{
    enum { BLOCKS = 4 * SQLITE_HEAP_KEPT_MAX / 1000 };
    static void *blocks[BLOCKS];

    (void)state;
    for (int i = 0; i < BLOCKS; i++)
        blocks[i] = heap->xMalloc(1000);
    for (int i = 0; i < BLOCKS; i++)
        heap->xFree(blocks[i]);
    assert_in_range(sqlite_heap_kept(), SQLITE_HEAP_KEPT_MAX - 2 * 1000, SQLITE_HEAP_KEPT_MAX);
}

static void *free_here(void *memory)
{
    heap->xFree(memory);
    return (void *)(uintptr_t)sqlite_heap_kept();
}

/* The memory that the thread keeps is freed at its end: the sanitizer would find it. */
static void test_another_thread_frees(void **state)
{
    pthread_t thread;
    void *kept;

    (void)state;
    void *memory = heap->xMalloc(500);
    size_t before = sqlite_heap_kept();
    assert_int_equal(pthread_create(&thread, NULL, free_here, memory), 0);
    assert_int_equal(pthread_join(thread, &kept), 0);
    assert_true((uintptr_t)kept >= 500);
    assert_int_equal(sqlite_heap_kept(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_every_size, begin, end),
        cmocka_unit_test_setup_teardown(test_a_block_is_used_again, begin, end),
        cmocka_unit_test_setup_teardown(test_large_blocks_are_not_kept, begin, end),
        cmocka_unit_test_setup_teardown(test_only_so_much_is_kept, begin, end),
        cmocka_unit_test_setup_teardown(test_another_thread_frees, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
