/* kit/json/pointer: one value out of a text, by RFC 6901. */
#include "kit/base/macros.h"
#include "kit/json/pointer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct row {
    const char *json, *pointer;
    enum json_token type;
    const char *text; /* NULL: the value has none */
};

static void check(const struct row *row)
{
    struct arena arena;
    struct json_value value;

    arena_init(&arena);
    assert_true(json_find(str_of(row->json), row->pointer, &arena, &value));
    assert_int_equal(value.type, row->type);
    if (row->text) {
        assert_string_equal(value.text.data, row->text);
        assert_int_equal(value.text.len, strlen(row->text));
    } else {
        assert_null(value.text.data);
    }
    arena_done(&arena);
}

/* The document and the pointers that RFC 6901, section 5, gives as examples. */
static void the_examples_of_the_standard_hold(void **state)
{
    static const char document[] = "{\"foo\": [\"bar\", \"baz\"], \"\": 0, \"a/b\": 1, \"c%d\": 2,"
                                   "\"e^f\": 3, \"g|h\": 4, \"i\\\\j\": 5, \"k\\\"l\": 6,"
                                   "\" \": 7, \"m~n\": 8}";
    static const struct row rows[] = {
        {document, "", JSON_OBJECT_BEGIN, NULL},  {document, "/foo", JSON_ARRAY_BEGIN, NULL},
        {document, "/foo/0", JSON_STRING, "bar"}, {document, "/", JSON_NUMBER, "0"},
        {document, "/a~1b", JSON_NUMBER, "1"},    {document, "/c%d", JSON_NUMBER, "2"},
        {document, "/e^f", JSON_NUMBER, "3"},     {document, "/g|h", JSON_NUMBER, "4"},
        {document, "/i\\j", JSON_NUMBER, "5"},    {document, "/k\"l", JSON_NUMBER, "6"},
        {document, "/ ", JSON_NUMBER, "7"},       {document, "/m~0n", JSON_NUMBER, "8"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        check(&rows[i]);
}

static void every_type_is_told(void **state)
{
    static const struct row rows[] = {
        {"{\"a\":{\"b\":\"\\u0442\\n\"}}", "/a/b", JSON_STRING, "т\n"},
        {"{\"a\":-1.50e3}", "/a", JSON_NUMBER, "-1.50e3"},
        {"{\"a\":true}", "/a", JSON_TRUE, NULL},
        {"{\"a\":false}", "/a", JSON_FALSE, NULL},
        {"{\"a\":null}", "/a", JSON_NULL, NULL},
        {"{\"a\":{}}", "/a", JSON_OBJECT_BEGIN, NULL},
        {"{\"a\":[]}", "/a", JSON_ARRAY_BEGIN, NULL},
        {"\"x\"", "", JSON_STRING, "x"},
        {"\"\"", "", JSON_STRING, ""},
        {" 7 ", "", JSON_NUMBER, "7"},
        {"[[1,2],[3,[4,5]]]", "/1/1/0", JSON_NUMBER, "4"},
        {"[0,1,2,3,4,5,6,7,8,9,10]", "/10", JSON_NUMBER, "10"},
        {"{\"0\":{\"a\":1}}", "/0/a", JSON_NUMBER, "1"},
        {"{\"~1\":1}", "/~01", JSON_NUMBER, "1"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        check(&rows[i]);
}

/* Values beside the path, and on no path, are never taken for it. */
static void what_is_not_there_is_told(void **state)
{
    static const struct row rows[] = {
        {"{}", "/a", JSON_END, NULL},
        {"[]", "/0", JSON_END, NULL},
        {"7", "/a", JSON_END, NULL},
        {"{\"a\":1}", "/A", JSON_END, NULL},
        {"{\"ab\":1}", "/a", JSON_END, NULL},
        {"{\"a\":1}", "/ab", JSON_END, NULL},
        {"{\"a\":1}", "/a/b", JSON_END, NULL},
        {"{\"x\":{\"a\":1}}", "/a", JSON_END, NULL},
        {"{\"a\":{\"x\":{\"b\":1}}}", "/a/b", JSON_END, NULL},
        {"{\"a\":{},\"b\":1}", "/a/b", JSON_END, NULL},
        {"{\"x\":[{\"b\":1}],\"a\":[[1]]}", "/a/b", JSON_END, NULL},
        {"[1]", "/1", JSON_END, NULL},
        {"[1]", "/-", JSON_END, NULL},
        {"[1,2]", "/01", JSON_END, NULL},
        {"[1,2]", "/", JSON_END, NULL},
        {"[[7]]", "/7", JSON_END, NULL},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        check(&rows[i]);
}

static void of_a_repeated_key_the_first_counts(void **state)
{
    static const struct row rows[] = {
        {"{\"a\":1,\"a\":2}", "/a", JSON_NUMBER, "1"},
        {"{\"a\":{},\"a\":{\"b\":2}}", "/a/b", JSON_END, NULL},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        check(&rows[i]);
}

static void what_is_no_json_is_refused_wherever_the_fault_is(void **state)
{
    static const char *const texts[] = {
        "",
        " ",
        "{",
        "{\"a\":1",
        "{\"a\":1}}",
        "{\"a\":1} x",
        "<html></html>",
        "{\"a\":1,}",
        "{\"a\":1,\"b\":nul}",
        "{'a':1}",
        "\xEF\xBB\xBF{\"a\":1}",
        "{\"a\":1,\"b\":\"\xFF\"}",
    };
    struct arena arena;
    struct json_value value;

    (void)state;
    arena_init(&arena);
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        assert_false(json_find(str_of(texts[i]), "/a", &arena, &value));
    assert_false(json_find((struct str){0}, "", &arena, &value));
    arena_done(&arena);
}

static void a_pointer_has_one_form(void **state)
{
    static const char *const valid[] = {"", "/", "/a", "/a/b", "//", "/~0~1", "/ключ"};
    static const char *const invalid[] = {"a", "a/b", "#/a", "/~", "/~2", "/a~", "/a~/b"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(valid); i++)
        assert_true(json_pointer_is_valid(valid[i]));
    for (size_t i = 0; i < COUNT_OF(invalid); i++)
        assert_false(json_pointer_is_valid(invalid[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_examples_of_the_standard_hold),
        cmocka_unit_test(every_type_is_told),
        cmocka_unit_test(what_is_not_there_is_told),
        cmocka_unit_test(of_a_repeated_key_the_first_counts),
        cmocka_unit_test(what_is_no_json_is_refused_wherever_the_fault_is),
        cmocka_unit_test(a_pointer_has_one_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
