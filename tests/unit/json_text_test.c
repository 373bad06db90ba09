/* kit/json/record: values that come as mere text, held against the same rows as those of a body. */
#include "kit/json/record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct words {
    int64_t count, since;
    int choice, is_on;
    const char *name;
    struct uuid id;
};

static void text_is_taken_by_the_row(void **state)
{
    static const char *const choices[] = {"one", "two", NULL};
    static const struct field fields[] = {
        FIELD(struct words, count, FIELD_INTEGER, FIELD_DEFAULT, "", .min = 1, .max = 200,
              .default_value = 50),
        FIELD(struct words, since, FIELD_TIME, FIELD_SINCE, ""),
        FIELD(struct words, choice, FIELD_ENUM, 0, "", .words = choices),
        FIELD(struct words, is_on, FIELD_TRISTATE, 0, ""),
        FIELD(struct words, name, FIELD_STRING, 0, "", .min = 1, .max = 3),
        FIELD(struct words, id, FIELD_UUID, 0, ""),
    };
    static const struct record record = {.size = sizeof(struct words), RECORD_FIELDS(fields)};
    static const struct {
        const char *name, *good, *bad[6];
    } rows[] = {
        {"count", "200", {"0", "201", "", "1e2", "x", " 1"}},
        {"since", "1970-01-01T00:00:00Z", {"", "1", "2026-11-21", "2026-11-21T04:33:00"}},
        {"choice", "two", {"", "three", "TWO", "0"}},
        {"is_on", "false", {"", "1", "False", "null"}},
        {"name", "ЖЖЖ", {"", "four"}},
        {"id",
         "0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8f",
         {"", "x", "00000000-0000-0000-0000-000000000000"}},
    };
    struct words value;
    struct arena arena;

    (void)state;
    arena_init(&arena);
    record_clear(&record, &value);
    assert_int_equal(value.count, 50);
    assert_int_equal(value.choice, -1);
    assert_int_equal(value.is_on, -1);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct field *field = record_find(&record, str_of(rows[i].name));
        assert_ptr_equal(field, &fields[i]);
        for (size_t k = 0; k < 6 && rows[i].bad[k]; k++)
            assert_non_null(record_take_text(field, str_of(rows[i].bad[k]), &arena, &value));
        assert_null(record_take_text(field, str_of(rows[i].good), &arena, &value));
    }
    assert_int_equal(value.count, 200);
    assert_int_equal(value.since, 0);
    assert_int_equal(value.choice, 1);
    assert_int_equal(value.is_on, 0);
    assert_string_equal(value.name, "ЖЖЖ");
    assert_false(uuid_is_nil(&value.id));
    assert_null(record_find(&record, STR("coun")));
    assert_null(record_find(&record, STR("counts")));
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(text_is_taken_by_the_row)};
    return cmocka_run_group_tests_name("json_text", tests, NULL, NULL);
}
