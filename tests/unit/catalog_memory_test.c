/* domain/catalog/catalog_memory: what it tells is true, and it stays as large as it is. */
#include "domain/catalog/catalog_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static int memory_begin(void **state)
{
    *state = catalog_memory_new();
    return 0;
}

static int memory_end(void **state)
{
    catalog_memory_free(*state);
    return 0;
}

enum { NUMBER = 3 };

static struct catalog_row row_of(int64_t edition)
{
    return (struct catalog_row){.number = NUMBER, .edition = edition};
}

static void keep(struct catalog_memory *memory, int64_t edition, const char *product_id,
                 const char *variant_id, int64_t product, int64_t variant)
{
    struct catalog_row row = row_of(edition);
    struct catalog_pair pair = {product_id, variant_id, catalog_first_product(&row) + product,
                                variant};
    catalog_memory_keep(memory, &row, &pair);
}

/* -1: it is not known. */
static int64_t recall(struct catalog_memory *memory, int64_t edition, const char *product_id,
                      const char *variant_id)
{
    struct catalog_row row = row_of(edition);
    struct catalog_pair pair = {product_id, variant_id, 0, 0};
    if (catalog_memory_recall(memory, &row, &pair))
        return (pair.product - catalog_first_product(&row)) * 10 + pair.variant;
    assert_true(pair.product == 0 && pair.variant == 0);
    return -1;
}

static void a_pair_is_known_in_its_edition(void **state)
{
    struct catalog_memory *memory = *state;

    assert_int_equal(recall(memory, 7, "p", "v"), -1);
    keep(memory, 7, "p", "v", 4, 2);
    assert_int_equal(recall(memory, 7, "p", "v"), 42);
    assert_int_equal(recall(memory, 8, "p", "v"), -1);
    keep(memory, 8, "p", "v", 5, 1);
    assert_int_equal(recall(memory, 7, "p", "v"), 42);
    assert_int_equal(recall(memory, 8, "p", "v"), 51);
    keep(memory, 8, "p", "v", 5, 3);
    assert_int_equal(recall(memory, 8, "p", "v"), 53);
}

static void it_matters_where_an_id_ends(void **state)
{
    struct catalog_memory *memory = *state;

    keep(memory, 7, "ab", "c", 4, 2);
    assert_int_equal(recall(memory, 7, "a", "bc"), -1);
    assert_int_equal(recall(memory, 7, "c", "ab"), -1);
    assert_int_equal(recall(memory, 7, "abc", ""), -1);
    assert_int_equal(recall(memory, 7, "ab", "c"), 42);
}

/* More than there is room for: some are forgotten, none is mixed up, the last one is there. */
static void what_is_too_much_is_forgotten(void **state)
{
    enum { COUNT = 600 * 1000 };
    struct catalog_memory *memory = *state;
    int64_t known = 0;
    char id[16];

    for (int i = 1; i <= COUNT; i++) {
        snprintf(id, sizeof(id), "%d", i);
        keep(memory, 7, id, "v", i, 1);
        assert_int_equal(recall(memory, 7, id, "v"), (int64_t)i * 10 + 1);
    }
    for (int i = 1; i <= COUNT; i++) {
        snprintf(id, sizeof(id), "%d", i);
        int64_t found = recall(memory, 7, id, "v");
        assert_true(found == -1 || found == (int64_t)i * 10 + 1);
        known += found != -1;
    }
    assert_true(known > COUNT / 5 && known < COUNT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, memory_begin, memory_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_pair_is_known_in_its_edition),
        TEST(it_matters_where_an_id_ends),
        TEST(what_is_too_much_is_forgotten),
    };
    return cmocka_run_group_tests_name("catalog_memory", tests, NULL, NULL);
}
