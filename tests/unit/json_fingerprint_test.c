/* "Same body": what is one JSON value has one hash, what is not has another. */
#include "kit/json/number.h"
#include "kit/json/reader.h"

#include <setjmp.h>
#include <sodium.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#define KEY STR("0123456789abcdef0123456789abcdef")

static bool are_same(const char *a, const char *b)
{
    uint8_t hash_a[32], hash_b[32];
    json_fingerprint(str_of(a), KEY, hash_a);
    json_fingerprint(str_of(b), KEY, hash_b);
    return memcmp(hash_a, hash_b, sizeof(hash_a)) == 0;
}

static void test_same(void **state)
{
    static const char *const pairs[][2] = {
        {"1", "1.0"},
        {"1", "10e-1"},
        {"1", "1e0"},
        {"1", "1E+00"},
        {"1", "0.01e2"},
        {"0", "-0"},
        {"0", "-0.000e-5"},
        {"0", "0e999999999999999999999999"},
        {"-12.50", "-125e-1"},
        {"100", "1e2"},
        {"1e999999999", "10e999999998"},
        {"1e999999999999999999999999", "0.1e1000000000000000000000000"},
        {"1e-999999999999999999999999", "10e-1000000000000000000000000"},
        {"10e999999999999999999", "1e1000000000000000000"},
        {"100e-1000000000000000001", "1e-999999999999999999"},
        {"\"A\"", "\"\\u0041\""},
        {"\"\\ud83d\\ude00/\"", "\"\U0001F600\\/\""},
        {"{}", " { } "},
        {"{\"a\":1,\"b\":[1,2]}", "{ \"b\" : [ 1.0 , 2e0 ] ,\n\"\\u0061\" : 1 }"},
        {"{\"a\":{\"x\":1,\"y\":{\"p\":null,\"q\":true}},\"b\":2}",
         "{\"b\":2,\"a\":{\"y\":{\"q\":true,\"p\":null},\"x\":1}}"},
        {"[{\"a\":1,\"b\":2},{\"c\":3,\"aa\":4}]", "[{\"b\":2,\"a\":1},{\"aa\":4,\"c\":3}]"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
        if (!are_same(pairs[i][0], pairs[i][1])) fail_msg("%s, %s", pairs[i][0], pairs[i][1]);
    }
}

/* Each of these is a value of its own. */
static void test_different(void **state)
{
    static const char *const values[] = {
        "null",
        "true",
        "false",
        "0",
        "1",
        "-1",
        "10",
        "0.1",
        "12",
        "21",
        "1e999999999",
        "1e999999998",
        "1e-999999999",
        "-1e999999999",
        "1e1000000000000000000000000",
        "1e-1000000000000000000000000",
        "0.1000000000000000055511151",
        "0.1000000000000000055511152",
        "\"\"",
        "\"0\"",
        "\"1\"",
        "\"a\"",
        "\"A\"",
        "\"null\"",
        "\"s1:a\"",
        "\"é\"",
        "\"e\u0301\"",
        "[]",
        "[[]]",
        "[null]",
        "[1]",
        "[1,2]",
        "[2,1]",
        "[12]",
        "[1,1]",
        "[[1],2]",
        "[[1,2]]",
        "[\"a\",\"b\"]",
        "[\"ab\"]",
        "{}",
        "[{}]",
        "{\"a\":null}",
        "{\"a\":1}",
        "{\"a\":\"1\"}",
        "{\"a\":1,\"b\":2}",
        "{\"a\":2,\"b\":1}",
        "{\"a\":{\"b\":2}}",
        "{\"a\":{},\"b\":2}",
        "{\"ab\":2}",
        "{\"\":1}",
        "[\"a\",1]",
        "{\"a\":[1]}",
        "{\"a\":1,\"a\":1}",
        "{\"n1e0;\":1}",
    };
    size_t count = sizeof(values) / sizeof(*values);

    (void)state;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < count; j++) {
            if (are_same(values[i], values[j]) != (i == j))
                fail_msg("%s, %s", values[i], values[j]);
        }
    }
}

static void test_key_matters(void **state)
{
    uint8_t one[32], two[32], none[32];

    (void)state;
    json_fingerprint(STR("{}"), KEY, one);
    json_fingerprint(STR("{}"), STR("another key of at least sixteen bytes"), two);
    json_fingerprint(STR("{}"), (struct str){0}, none);
    assert_memory_not_equal(one, two, 32);
    assert_memory_not_equal(one, none, 32);
}

static void test_normal_forms(void **state)
{
    static const char *const rows[][2] = {
        {"0", "0"},
        {"-0.0e7", "0"},
        {"5", "5e0"},
        {"1200", "12e2"},
        {"0.00500", "5e-3"},
        {"-10.010", "-1001e-2"},
        {"1e-0", "1e0"},
        {"10.0e0000000000000000000000000000000001", "1e2"},
        {"1e999999999999999999", "1e999999999999999999"},
        {"100e999999999999999999", "1e1000000000000000001"},
        {"0.01e1000000000000000001", "1e999999999999999999"},
        {"0.01e-1000000000000000001", "1e-1000000000000000003"},
        {"100e-1000000000000000000", "1e-999999999999999998"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        AUTO_BUF out = {0};
        struct str text = str_of(rows[i][0]);
        buf_init(&out, text.len + NUMBER_GROWTH);
        number_normalize(text, &out);
        assert_false(out.is_full);
        buf_char(&out, '\0');
        assert_string_equal(out.data, rows[i][1]);
    }
}

static void test_integers(void **state)
{
    static const struct {
        const char *text;
        bool is_integer;
        int64_t value;
    } rows[] = {
        {"0", true, 0},
        {"-0", true, 0},
        {"100.0", true, 100},
        {"1e2", true, 100},
        {"15e-1", false, 0},
        {"150e-1", true, 15},
        {"1.5", false, 0},
        {"9223372036854775807", true, INT64_MAX},
        {"9223372036854775808", false, 0},
        {"-9223372036854775808", true, INT64_MIN},
        {"-9223372036854775809", false, 0},
        {"922337203685477580.7e1", true, INT64_MAX},
        {"1e18", true, 1000000000000000000},
        {"1e19", false, 0},
        {"1e999999999", false, 0},
        {"1e-999999999", false, 0},
        {"1e99999999999999999999999", false, 0},
        {"0e99999999999999999999999", true, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        int64_t value = 0;
        if (number_to_int64(str_of(rows[i].text), &value) != rows[i].is_integer)
            fail_msg("%s", rows[i].text);
        assert_int_equal(value, rows[i].value);
    }
}

static void test_units(void **state)
{
    static const struct {
        const char *text;
        bool is_good;
        int64_t down, up; /* thousandths */
    } rows[] = {
        {"0", true, 0, 0},
        {"-0.0", true, 0, 0},
        {"1795236180", true, 1795236180000, 1795236180000},
        {"1795236180.5", true, 1795236180500, 1795236180500},
        {"1795236180.0004", true, 1795236180000, 1795236180001},
        {"1795236180.9999", true, 1795236180999, 1795236181000},
        {"1.7952361805e9", true, 1795236180500, 1795236180500},
        {"17952361805e-1", true, 1795236180500, 1795236180500},
        {"0.0005", true, 0, 1},
        {"0.001", true, 1, 1},
        {"1e-400", true, 0, 1},
        {"9223372036854775.807", true, INT64_MAX, INT64_MAX},
        {"9223372036854775.808", false, 0, 0},
        {"9223372036854775807", false, 0, 0},
        {"1e17", false, 0, 0},
        {"1e400", false, 0, 0},
        {"1e99999999999999999999", false, 0, 0},
        {"1e-99999999999999999999", false, 0, 0},
        {"-1", false, 0, 0},
        {"-0.0001", false, 0, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        int64_t down = 0, up = 0;
        if (number_to_units(str_of(rows[i].text), 3, false, &down) != rows[i].is_good ||
            number_to_units(str_of(rows[i].text), 3, true, &up) != rows[i].is_good)
            fail_msg("%s", rows[i].text);
        assert_int_equal(down, rows[i].down);
        assert_int_equal(up, rows[i].up);
    }
    int64_t up = 0;
    assert_false(number_to_units(STR("9223372036854775.8071"), 3, true, &up));
}

/* The deepest nesting, wide objects: no more than a moment's work. */
static void test_work_is_bounded(void **state)
{
    AUTO_BUF text = {0};
    uint8_t hash[32];

    (void)state;
    buf_init(&text, 1 << 20);
    for (int i = 0; i < JSON_DEPTH_MAX; i++) {
        for (int j = 0; j < 100; j++)
            buf_printf(&text, "%s\"k%d\":1e%d", j == 0 ? "{" : ",", j, 999999999 - j);
        buf_text(&text, i < JSON_DEPTH_MAX - 1 ? ",\"k\":" : "");
    }
    for (int i = 0; i < JSON_DEPTH_MAX; i++)
        buf_char(&text, '}');
    assert_false(text.is_full);
    clock_t before = clock();
    json_fingerprint(buf_view(&text), KEY, hash);
    assert_true(clock() - before < CLOCKS_PER_SEC);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same),        cmocka_unit_test(test_different),
        cmocka_unit_test(test_key_matters), cmocka_unit_test(test_normal_forms),
        cmocka_unit_test(test_integers),    cmocka_unit_test(test_work_is_bounded),
        cmocka_unit_test(test_units),
    };
    if (sodium_init() < 0) return 1;
    return cmocka_run_group_tests_name("json_fingerprint", tests, NULL, NULL);
}
