/* kit/base/text_map: what is in is found with its number, what is not is not. */
#include "kit/base/secret.h"
#include "kit/base/text_map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

enum { MANY = 100 * 1000 };

static struct str numbered(char text[static 32], const char *word, uint32_t number)
{
    int len = snprintf(text, 32, "%s-%u", word, number);
    return (struct str){text, (size_t)len};
}

static void add_numbered(struct text_map *map, const char *word, uint32_t count)
{
    char text[32];
    for (uint32_t i = 0; i < count; i++)
        assert_true(text_map_add(map, numbered(text, word, i), i, NULL));
}

static void find_numbered(const struct text_map *map, const char *word, uint32_t count)
{
    char text[32];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = UINT32_MAX;
        assert_true(text_map_find(map, numbered(text, word, i), &number));
        assert_int_equal(number, i);
    }
}

static void an_empty_map_has_nothing(void **state)
{
    (void)state;
    struct text_map map;
    text_map_init(&map);
    uint32_t number = 7;
    assert_false(text_map_find(&map, STR("a"), &number));
    assert_false(text_map_find_pair(&map, STR("a"), STR("b"), &number));
    assert_int_equal(number, 7);
    assert_int_equal(map.count, 0);
    text_map_clear(&map);
    text_map_done(&map);
    text_map_done(&map);
}

static void a_text_keeps_its_first_number(void **state)
{
    (void)state;
    struct text_map map;
    text_map_init(&map);
    uint32_t number = 0;
    assert_true(text_map_add(&map, STR("P-1"), 41, &number));
    assert_int_equal(number, 0);
    assert_false(text_map_add(&map, STR("P-1"), 42, &number));
    assert_int_equal(number, 41);
    assert_false(text_map_add(&map, STR("P-1"), 43, NULL));
    assert_true(text_map_find(&map, STR("P-1"), &number));
    assert_int_equal(number, 41);
    assert_int_equal(map.count, 1);
    assert_false(text_map_find(&map, STR("p-1"), NULL));
    assert_false(text_map_find(&map, STR("P-1\0"), NULL));
    text_map_done(&map);
}

static void the_empty_text_is_a_text(void **state)
{
    (void)state;
    struct text_map map;
    text_map_init(&map);
    assert_false(text_map_find(&map, STR(""), NULL));
    assert_true(text_map_add(&map, (struct str){NULL, 0}, 0, NULL));
    assert_true(text_map_find(&map, STR(""), NULL));
    assert_true(text_map_add_pair(&map, STR(""), STR(""), 1, NULL));
    assert_false(text_map_add_pair(&map, (struct str){NULL, 0}, STR(""), 2, NULL));
    text_map_done(&map);
}

/* Two things matter: where the first text of a pair ends, and which is the first. */
static void pairs_are_not_their_concatenation(void **state)
{
    (void)state;
    static const struct str pairs[][2] = {
        {{"ab", 2}, {"c", 1}}, {{"a", 1}, {"bc", 2}}, {{"", 0}, {"abc", 3}},
        {{"abc", 3}, {"", 0}}, {{"c", 1}, {"ab", 2}}, {{"a\0", 2}, {"", 0}},
        {{"a", 1}, {"\0", 1}}, {{"a", 1}, {"", 0}},   {{"a", 1}, {"a", 1}},
    };
    struct text_map map;
    text_map_init(&map);
    uint32_t count = sizeof pairs / sizeof *pairs;
    for (uint32_t i = 0; i < count; i++)
        assert_true(text_map_add_pair(&map, pairs[i][0], pairs[i][1], i, NULL));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = UINT32_MAX;
        assert_true(text_map_find_pair(&map, pairs[i][0], pairs[i][1], &number));
        assert_int_equal(number, i);
    }
    assert_false(text_map_find_pair(&map, STR("b"), STR("a"), NULL));
    assert_false(text_map_find(&map, STR("abc"), NULL));
    text_map_done(&map);
}

static void it_grows(void **state)
{
    (void)state;
    struct text_map map;
    text_map_init(&map);
    add_numbered(&map, "V", MANY);
    assert_int_equal(map.count, MANY);
    assert_true(map.capacity * 6 >= map.count * 10); /* at most 0.6 in use */
    assert_true(map.capacity < 4 * map.count);
    find_numbered(&map, "V", MANY);
    char text[32];
    for (uint32_t i = 0; i < MANY; i++)
        assert_false(text_map_find(&map, numbered(text, "W", i), NULL));
    text_map_done(&map);
}

static void clearing_keeps_the_memory_alone(void **state)
{
    (void)state;
    struct text_map map;
    text_map_init(&map);
    add_numbered(&map, "first", 1000);
    size_t capacity = map.capacity;
    const struct text_map_slot *slots = map.slots;
    for (int round = 0; round < 3; round++) {
        text_map_clear(&map);
        assert_int_equal(map.count, 0);
        assert_ptr_equal(map.slots, slots);
        assert_false(text_map_find(&map, STR("first-7"), NULL));
        add_numbered(&map, "second", 1000);
        find_numbered(&map, "second", 1000);
        assert_int_equal(map.capacity, capacity);
    }
    text_map_clear(&map);
    add_numbered(&map, "third", 3000); /* what was left before does not come back by growing */
    assert_int_equal(map.count, 3000);
    assert_false(text_map_find(&map, STR("second-7"), NULL));
    text_map_done(&map);
}

static void clearing_for_ever_brings_nothing_back(void **state)
{
    (void)state;
    struct text_map map;
    text_map_init(&map);
    add_numbered(&map, "old", 20);
    map.generation = UINT32_MAX; /* as after 2^32 clearings */
    assert_false(text_map_find(&map, STR("old-7"), NULL));
    map.count = 0;
    add_numbered(&map, "new", 10);
    find_numbered(&map, "new", 10);
    text_map_clear(&map);
    assert_int_equal(map.generation, 1);
    assert_false(text_map_find(&map, STR("old-7"), NULL));
    add_numbered(&map, "last", 1);
    assert_false(text_map_find(&map, STR("old-7"), NULL));
    assert_false(text_map_find(&map, STR("new-7"), NULL));
    text_map_done(&map);
}

static void a_number_can_be_changed(void **state)
{
    (void)state;
    struct text_map map;
    uint32_t number;
    text_map_init(&map);
    add_numbered(&map, "text", 100);
    text_map_set(&map, STR("text-7"), 1000);
    assert_true(text_map_find(&map, STR("text-7"), &number));
    assert_int_equal(number, 1000);
    assert_true(text_map_find(&map, STR("text-8"), &number));
    assert_int_not_equal(number, 1000);
    assert_int_equal(map.count, 100);
    text_map_done(&map);
}

/* Nobody who chooses texts can know where they lie. */
static void each_map_has_a_key_of_its_own(void **state)
{
    (void)state;
    struct text_map first, second;
    text_map_init(&first);
    text_map_init(&second);
    assert_memory_not_equal(first.key, second.key, sizeof first.key);
    text_map_done(&first);
    text_map_done(&second);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_map_has_nothing),
        cmocka_unit_test(a_text_keeps_its_first_number),
        cmocka_unit_test(the_empty_text_is_a_text),
        cmocka_unit_test(pairs_are_not_their_concatenation),
        cmocka_unit_test(it_grows),
        cmocka_unit_test(clearing_keeps_the_memory_alone),
        cmocka_unit_test(clearing_for_ever_brings_nothing_back),
        cmocka_unit_test(a_number_can_be_changed),
        cmocka_unit_test(each_map_has_a_key_of_its_own),
    };
    if (!secret_system_init()) return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
