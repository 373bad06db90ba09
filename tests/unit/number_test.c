/* Numbers by their value: one form of all spellings, integers, what is shown of long ones
 * (contract, section 5 "Numbers"). */
#include "kit/base/macros.h"
#include "kit/json/number.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void all_spellings_have_one_form(void **state)
{
    static const struct {
        const char *text, *normal;
    } rows[] = {
        {"0", "0"},
        {"-0", "0"},
        {"0.00", "0"},
        {"0e99", "0"},
        {"1", "1e0"},
        {"1.0", "1e0"},
        {"10e-1", "1e0"},
        {"100", "1e2"},
        {"1E+2", "1e2"},
        {"-12.50", "-125e-1"},
        {"0.0012", "12e-4"},
        {"1e002", "1e2"},
        {"1e99999999999999999999", "1e99999999999999999999"},
        {"10e99999999999999999999", "1e100000000000000000000"},
        {"0.1e-99999999999999999999", "1e-100000000000000000000"},
    };
    (void)state;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        AUTO_BUF out = {0};
        buf_init(&out, 100);
        number_normalize(str_of(rows[i].text), &out);
        if (!str_is(buf_view(&out), rows[i].normal))
            fail_msg("%s is %.*s", rows[i].text, (int)out.len, out.data);
    }
}

static void integers_are_read_by_their_value(void **state)
{
    static const struct {
        const char *text;
        bool is_integer, has_fraction;
        int64_t value;
    } rows[] = {
        {"0", true, false, 0},
        {"-0.0", true, false, 0},
        {"1e2", true, false, 100},
        {"100.0", true, false, 100},
        {"1200e-2", true, false, 12},
        {"9223372036854775807", true, false, INT64_MAX},
        {"-9223372036854775808", true, false, INT64_MIN},
        {"9223372036854775808", false, false, 0},
        {"-9223372036854775809", false, false, 0},
        {"1e19", false, false, 0},
        {"1e99999999999999999999", false, false, 0},
        {"0.5", false, true, 0},
        {"100.01", false, true, 0},
        {"1e-1", false, true, 0},
        {"12345678901234567890.5", false, true, 0},
        {"1e-99999999999999999999", false, true, 0},
    };
    (void)state;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        int64_t value = 4711;
        struct str text = str_of(rows[i].text);
        assert_int_equal(number_to_int64(text, &value), rows[i].is_integer);
        assert_true(value == (rows[i].is_integer ? rows[i].value : 4711));
        assert_int_equal(number_has_fraction(text), rows[i].has_fraction);
    }
}

static void units_are_rounded(void **state)
{
    static const struct {
        const char *text;
        unsigned places;
        bool is_up, is_taken;
        int64_t units;
    } rows[] = {
        {"0.5", 3, false, true, 500},
        {"1", 0, true, true, 1},
        {"0.0001", 3, false, true, 0},
        {"0.0001", 3, true, true, 1},
        {"1.9999", 3, false, true, 1999},
        {"1.9999", 3, true, true, 2000},
        {"0", 6, true, true, 0},
        {"-0.1", 3, false, false, 0},
        {"9223372036854775.807", 3, true, true, INT64_MAX},
        {"9223372036854775.8071", 3, true, false, 0},
        {"1e99999999999999999999", 3, false, false, 0},
    };
    (void)state;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        int64_t units = 4711;
        assert_int_equal(
            number_to_units(str_of(rows[i].text), rows[i].places, rows[i].is_up, &units),
            rows[i].is_taken);
        assert_true(units == (rows[i].is_taken ? rows[i].units : 4711));
    }
}

static void a_number_that_is_cut_is_one_still(void **state)
{
    static const struct {
        const char *text;
        size_t max;
        const char *front;
    } rows[] = {
        {"12345", 5, "12345"},   {"12345", 4, "1234"}, {"12.345", 3, "12"},
        {"12.345", 4, "12.3"},   {"12e345", 3, "12"},  {"12e+345", 4, "12"},
        {"12e-345", 5, "12e-3"}, {"-12", 2, "-1"},     {"1.5e+9", 5, "1.5"},
    };
    (void)state;

    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_true(str_is(number_cut(str_of(rows[i].text), rows[i].max), rows[i].front));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_spellings_have_one_form),
        cmocka_unit_test(integers_are_read_by_their_value),
        cmocka_unit_test(units_are_rounded),
        cmocka_unit_test(a_number_that_is_cut_is_one_still),
    };
    return cmocka_run_group_tests_name("number", tests, NULL, NULL);
}
