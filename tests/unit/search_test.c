/* core/search: what a search looks at, by its cursor and its times, and where its pages end. */
#include "core/search.h"
#include "kit/base/uuid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define ID "0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8f" /* of AT */
enum { AT_OFFSET = 1000 };
static const int64_t AT = 0x0192f0c17c2a;

struct item {
    int64_t created_at;
    struct uuid id;
};
static const struct page_key by_time = PAGE_BY_NUMBER_AND_ID(struct item, created_at, id);

static struct uuid id_of(const char *text)
{
    struct uuid id;
    assert_true(uuid_parse(str_of(text), &id));
    return id;
}

static struct search begun(const struct search_query *query, struct arena *arena)
{
    struct search search;
    assert_int_equal(search_begin(query, false, arena, &search), ERR_OK);
    return search;
}

static int compare_ids(struct uuid a, struct uuid b)
{
    return memcmp(&a, &b, sizeof(a));
}

static void a_search_of_all_is_bounded_by_ids(void **state)
{
    struct uuid id = id_of(ID);
    struct arena arena;
    (void)state;
    arena_init(&arena);
    struct search all = begun(&(struct search_query){0}, &arena);
    assert_null(all.number);
    assert_true(compare_ids(id, all.before.id) < 0);
    assert_true(compare_ids(id, all.from.id) >= 0);
    assert_int_equal(all.looked_max, 0);
    assert_false(all.is_cut);

    struct search since = begun(&(struct search_query){.since = AT}, &arena);
    assert_true(compare_ids(id, since.from.id) >= 0);
    since = begun(&(struct search_query){.since = AT + 1}, &arena);
    assert_true(compare_ids(id, since.from.id) < 0);

    struct search until = begun(&(struct search_query){.until = AT}, &arena);
    assert_true(compare_ids(id, until.before.id) >= 0);
    until = begun(&(struct search_query){.until = AT + 1}, &arena);
    assert_true(compare_ids(id, until.before.id) < 0);
    until = begun(&(struct search_query){.until = -1}, &arena);
    assert_true(uuid_is_nil(&until.before.id));
    arena_done(&arena);
}

static void a_search_of_a_number_is_bounded_by_times(void **state)
{
    struct arena arena;
    (void)state;
    arena_init(&arena);
    struct search search =
        begun(&(struct search_query){.number = "8 (916) 123-45-67", .since = AT, .until = AT + 5},
              &arena);
    assert_string_equal(search.number, "+79161234567");
    assert_int_equal(search.from.number, AT);
    assert_true(uuid_is_nil(&search.from.id));
    assert_int_equal(search.before.number, AT + 5);
    assert_true(uuid_is_nil(&search.before.id));

    search = begun(&(struct search_query){.number = "+79161234567"}, &arena);
    assert_int_equal(search.before.number, INT64_MAX);
    assert_int_equal(search.from.number, 0);
    assert_int_equal(search.looked_max, 1);
    assert_int_equal(
        search_begin(&(struct search_query){.number = "+79161234567"}, true, &arena, &search),
        ERR_OK);
    assert_int_equal(search.looked_max, SEARCH_LOOKED_MAX);
    assert_string_equal(search_number(NULL, &arena), "");
    assert_string_equal(search_number("7 916 123 45 67", &arena), "+79161234567");
    arena_done(&arena);
}

/* Of the end of a page and the end of the time, the older one counts. */
static void a_cursor_goes_on_within_the_times(void **state)
{
    static const char *const numbers[] = {NULL, "+79161234567"};
    struct arena arena;
    (void)state;
    arena_init(&arena);
    const char *cursor = arena_printf(&arena, "%lld.%s", (long long)AT, ID);
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        struct search_query query = {.number = numbers[i], .page.cursor = cursor};
        struct uuid id = id_of(ID);
        query.until = AT + AT_OFFSET;
        struct search search = begun(&query, &arena);
        assert_true(uuid_equal(&search.before.id, &id));
        query.until = AT - AT_OFFSET;
        search = begun(&query, &arena);
        assert_true(compare_ids(search.before.id, id) < 0);
        assert_int_equal(search.before.number, AT - AT_OFFSET);
        query.page.cursor = ID;
        assert_int_equal(search_begin(&query, false, &arena, &search), ERR_VALIDATION);
    }
    arena_done(&arena);
}

static void a_page_that_was_cut_leads_on(void **state)
{
    struct item items[] = {{AT, id_of(ID)}, {AT - 1, id_of(ID)}};
    struct record_list list = {items, 1};
    struct search search = {.from = {.number = 7, .id = id_of(ID)}};
    struct arena arena;
    (void)state;
    arena_init(&arena);
    assert_null(search_end(&search, 1, &by_time, &list, &arena));
    search.is_cut = true;
    assert_string_equal(search_end(&search, 1, &by_time, &list, &arena), "7." ID);
    list.count = 2; /* a full page ends at its last item */
    const char *cursor = search_end(&search, 1, &by_time, &list, &arena);
    assert_string_equal(cursor, arena_printf(&arena, "%lld.%s", (long long)AT, ID));
    assert_int_equal(list.count, 1);
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_search_of_all_is_bounded_by_ids),
        cmocka_unit_test(a_search_of_a_number_is_bounded_by_times),
        cmocka_unit_test(a_cursor_goes_on_within_the_times),
        cmocka_unit_test(a_page_that_was_cut_leads_on),
    };
    return cmocka_run_group_tests_name("search", tests, NULL, NULL);
}
