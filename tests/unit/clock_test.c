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

/* Nothing ends later than now plus its own length, and what clocks may be apart. */
static void what_ends_too_late_is_over(void **state)
{
    (void)state;
    enum { NOW = 1000000, LENGTH = 60000 };
    static const struct {
        int64_t end_ms, left_ms;
    } rows[] = {
        {0, 0},
        {NOW, 0},
        {NOW + 1, 1},
        {NOW + LENGTH, LENGTH},
        {NOW + LENGTH + 1, LENGTH},
        {NOW + LENGTH + CLOCK_SLACK_MS, LENGTH},
        {NOW + LENGTH + CLOCK_SLACK_MS + 1, 0},
        {INT64_MAX, 0},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(clock_left_ms(rows[i].end_ms, LENGTH, NOW), rows[i].left_ms);
    assert_int_equal(clock_latest(NOW, LENGTH), NOW + LENGTH + CLOCK_SLACK_MS);
}

static void a_clock_that_runs_on_takes_no_step(void **state)
{
    (void)state;
    struct clock_watch watch = {0};
    for (int i = 0; i < 3; i++)
        assert_int_equal(clock_watch_step_ms(&watch), 0);
    watch.ahead_ms += 3600000; /* as if it had been set back since */
    int64_t step_ms = clock_watch_step_ms(&watch);
    assert_true(step_ms < -3599000 && step_ms > -3601000);
    assert_int_equal(clock_watch_step_ms(&watch), 0);
    watch.ahead_ms -= 3600000;
    assert_true(clock_watch_step_ms(&watch) > 3599000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_times_go_both_ways),
        cmocka_unit_test(every_day_goes_both_ways),
        cmocka_unit_test(clocks_run_forward),
        cmocka_unit_test(what_ends_too_late_is_over),
        cmocka_unit_test(a_clock_that_runs_on_takes_no_step),
    };
    return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
