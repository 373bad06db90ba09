/* core/page: cursors that come back, those of others, and where a list ends. */
#include "core/page.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define ID       "0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8f"
#define OTHER_ID "0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e90"

struct item {
    int64_t number;
    struct uuid id;
    int64_t rank;
};

static const struct page_key by_number = PAGE_BY_NUMBER(struct item, number);
static const struct page_key by_id = PAGE_BY_ID(struct item, id);
static const struct page_key by_both = PAGE_BY_NUMBER_AND_ID(struct item, number, id);
static const struct page_key by_all = PAGE_BY_NUMBER_ID_AND_RANK(struct item, number, id, rank);

static struct item item_of(int64_t number, const char *id)
{
    struct item item = {.number = number, .rank = 3};
    assert_true(uuid_parse(str_of(id), &item.id));
    return item;
}

static void a_page_ends_where_the_next_begins(void **state)
{
    static const struct {
        const struct page_key *key;
        const char *cursor;
    } rows[] = {{&by_number, "7"}, {&by_id, ID}, {&by_both, "7." ID}, {&by_all, "7." ID ".3"}};
    struct item items[] = {item_of(7, ID), item_of(9, OTHER_ID)};
    struct arena arena;

    (void)state;
    arena_init(&arena);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct page_place place = {0};
        struct record_list list = {items, 2};
        assert_null(page_end(2, rows[i].key, &list, &arena));
        assert_int_equal(list.count, 2);
        const char *cursor = page_end(1, rows[i].key, &list, &arena);
        assert_string_equal(cursor, rows[i].cursor);
        assert_int_equal(list.count, 1);
        assert_int_equal(page_begin(cursor, rows[i].key, &place), ERR_OK);
        assert_int_equal(place.number, rows[i].key->has_number ? 7 : 0);
        assert_int_equal(place.rank, rows[i].key->has_rank ? 3 : 0);
        assert_int_equal(uuid_equal(&place.id, &items[0].id), rows[i].key->has_id);
    }
    arena_done(&arena);
}

static void without_a_cursor_it_is_the_first_page(void **state)
{
    struct page_place place = {.number = INT64_MAX};

    (void)state;
    assert_int_equal(page_begin(NULL, &by_both, &place), ERR_OK);
    assert_int_equal(place.number, INT64_MAX);
}

static void a_cursor_of_another_list_is_refused(void **state)
{
    static const struct {
        const struct page_key *key;
        const char *cursors[8];
    } rows[] = {
        {&by_number, {"", "0", "-1", "x", "1x", " 1", ID, "99999999999999999999"}},
        {&by_id, {"", "7", "7." ID, ID "0"}},
        {&by_both, {"", ".", "7", "7.", "7.x", "." ID, ID, "0." ID}},
        {&by_both, {"7." ID ".3", "7." ID "x"}},
        {&by_all, {"7." ID, "7." ID ".", "7." ID ".0", "7." ID ".x", "7." ID ".3.4", "7.3"}},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        for (size_t k = 0; k < 8 && rows[i].cursors[k]; k++) {
            struct page_place place = {.number = 42};
            assert_int_equal(page_begin(rows[i].cursors[k], rows[i].key, &place), ERR_VALIDATION);
            assert_int_equal(place.number, 42);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_ends_where_the_next_begins),
        cmocka_unit_test(without_a_cursor_it_is_the_first_page),
        cmocka_unit_test(a_cursor_of_another_list_is_refused),
    };
    return cmocka_run_group_tests_name("page", tests, NULL, NULL);
}
