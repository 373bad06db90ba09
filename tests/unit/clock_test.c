/* kit/base/clock: RFC 3339 both ways (contract, section 1). */
#include "kit/base/clock.h"
#include "kit/base/macros.h"
#include "kit/json/iso_time.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

enum { DAY_MS = 24 * 60 * 60 * 1000 };

/* Times whose figures come from the calendar, not from the code under test. */
static const struct {
    int64_t ms;
    const char *text;
} known_times[] = {
    {0, "1970-01-01T00:00:00.000Z"},
    {-1, "1969-12-31T23:59:59.999Z"},
    {951782400000, "2000-02-29T00:00:00.000Z"},
    {951868800000, "2000-03-01T00:00:00.000Z"},
    {1709164800000, "2024-02-29T00:00:00.000Z"},
    {1735689599999, "2024-12-31T23:59:59.999Z"},
    {1795235580123, "2026-11-21T04:33:00.123Z"},
    {2147483647000, "2038-01-19T03:14:07.000Z"},
    {4107542400000, "2100-03-01T00:00:00.000Z"},
    {253402300799999, "9999-12-31T23:59:59.999Z"},
    {-62135596800000, "0001-01-01T00:00:00.000Z"},
    {-2203891200001, "1900-02-28T23:59:59.999Z"},
    {-2203891200000, "1900-03-01T00:00:00.000Z"},
};

static bool read_time(const char *text, int64_t *ret_ms)
{
    const char *reason;
    return iso_time_read(str_of(text), ret_ms, &reason) == ISO_TIME_OK;
}

static void known_times_go_both_ways(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(known_times); i++) {
        char text[CLOCK_TEXT_LEN + 1];
        int64_t ms;
        clock_format(known_times[i].ms, text);
        assert_string_equal(text, known_times[i].text);
        assert_true(read_time(known_times[i].text, &ms));
        assert_true(ms == known_times[i].ms);
    }
}

/* Each day of 800 years follows the one before, as a calendar kept by hand says. */
static void every_day_goes_both_ways(void **state)
{
    (void)state;
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int64_t ms = -11676096000000; /* 1600-01-01 */
    for (int year = 1600; year < 2400; year++) {
        bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        for (int month = 1; month <= 12; month++) {
            int days = lengths[month - 1] + (month == 2 && is_leap);
            for (int day = 1; day <= days; day++, ms += DAY_MS) {
                char expected[64], text[CLOCK_TEXT_LEN + 1];
                int64_t parsed;
                snprintf(expected, sizeof expected, "%04d-%02d-%02dT00:00:00.000Z", year, month,
                         day);
                clock_format(ms, text);
                assert_string_equal(text, expected);
                assert_true(read_time(text, &parsed));
                assert_true(parsed == ms);
            }
        }
    }
}

static void clocks_run_forward(void **state)
{
    (void)state;
    int64_t ms = clock_monotonic_ms(), us = clock_monotonic_us();
    for (int i = 0; i < 1000; i++) {
        int64_t next = clock_monotonic_us();
        assert_true(next >= us);
        us = next;
    }
    assert_true(clock_monotonic_ms() >= ms);
    assert_true(clock_now_ms() > 1700000000000); /* it counts from 1970, in ms */
}

static void what_is_over_has_no_time_left(void **state)
{
    (void)state;
    enum { NOW = 1000000 };
    assert_int_equal(clock_left_ms(0, NOW), 0);
    assert_int_equal(clock_left_ms(NOW, NOW), 0);
    assert_int_equal(clock_left_ms(NOW + 1, NOW), 1);
}

/* An hour ahead of the wall clock. */
static void store_time_stands_apart_from_the_wall_clock(void **state)
{
    (void)state;
    enum { HOUR_MS = 3600 * 1000 };
    int64_t wall_ms = clock_wall_ms();

    assert_true(clock_now_ms() - wall_ms < HOUR_MS);
    assert_int_equal(clock_to_wall(wall_ms), wall_ms);
    clock_set(wall_ms + HOUR_MS, HOUR_MS);
    assert_true(clock_now_ms() >= wall_ms + HOUR_MS);
    assert_true(clock_now_ms() - clock_wall_ms() <= HOUR_MS);
    assert_int_equal(clock_to_wall(wall_ms + HOUR_MS), wall_ms);
    assert_int_equal(clock_from_wall(wall_ms), wall_ms + HOUR_MS);
    assert_int_equal(clock_to_wall(0), 0);
    assert_int_equal(clock_from_wall(0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_times_go_both_ways),
        cmocka_unit_test(every_day_goes_both_ways),
        cmocka_unit_test(clocks_run_forward),
        cmocka_unit_test(what_is_over_has_no_time_left),
        cmocka_unit_test(store_time_stands_apart_from_the_wall_clock),
    };
    return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
