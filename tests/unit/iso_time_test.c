/* Times and dates as accounting systems write them, and what is said of those that are wrong
 * (contract, section 1 "Times", section 5 "References"). */
#include "kit/base/macros.h"
#include "kit/json/iso_time.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

/* The milliseconds, or "no zone", or the reason. */
static const char *told(const char *text, char out[static 100])
{
    const char *reason = "none";
    int64_t ms = 4711;

    switch (iso_time_read(str_of(text), &ms, &reason)) {
    case ISO_TIME_OK:
        snprintf(out, 100, "%" PRId64, ms);
        break;
    case ISO_TIME_WITHOUT_ZONE:
        snprintf(out, 100, "no zone");
        break;
    case ISO_TIME_BAD:
        snprintf(out, 100, "%s", reason);
        assert_int_equal(ms, 4711);
        break;
    }
    return out;
}

struct row {
    const char *text, *expected;
};

static void assert_rows(const struct row *rows, size_t count)
{
    char out[100];

    for (size_t i = 0; i < count; i++) {
        if (strcmp(told(rows[i].text, out), rows[i].expected) != 0)
            fail_msg("%s: %s, not %s", rows[i].text, out, rows[i].expected);
    }
}

static void moments_are_read_in_every_spelling(void **state)
{
    static const struct row rows[] = {
        {"1970-01-01T00:00:00Z", "0"},
        {"1970-01-01t00:00:00z", "0"},
        {"1970-01-01 00:00:00Z", "0"},
        {"1970-01-01T00:00Z", "0"},
        {"1970-01-01T03:00:00+03:00", "0"},
        {"1970-01-01T03:00:00+0300", "0"},
        {"1970-01-01T03:00:00+03", "0"},
        {"1969-12-31T18:30:00-05:30", "0"},
        {"1970-01-01T23:59:00+23:59", "0"},
        {"1970-01-01T00:00:00-00:00", "0"},
        {"2026-11-21T04:33:00.123Z", "1795235580123"},
        {"2026-11-21T04:33:00,123Z", "1795235580123"},
        {"2026-11-21T04:33:00.1Z", "1795235580100"},
        {"2026-11-21T04:33:00.1239999999999999Z", "1795235580123"},
        {"1969-12-31T23:59:59.999Z", "-1"},
        {"2024-02-29T00:00:00Z", "1709164800000"},
        {"2000-02-29T00:00:00Z", "951782400000"},
        {"0001-01-01T00:00:00Z", "-62135596800000"},
        {"9999-12-31T23:59:59.999Z", "253402300799999"},
        {"9999-12-31T23:59:59.9999Z", "253402300799999"},
        {"2016-12-31T23:59:60Z", "1483228800000"}, /* a leap second, as some phones send it */
        {"2026-11-21T04:33:00.1234567891Z", "1795235580123"},
    };
    (void)state;
    assert_rows(rows, COUNT_OF(rows));
}

static void a_moment_needs_a_zone(void **state)
{
    static const struct row rows[] = {
        {"2026-11-21T04:33:00", "no zone"},
        {"2026-11-21T04:33", "no zone"},
        {"2026-11-21 04:33:00.5", "no zone"},
    };
    (void)state;
    assert_rows(rows, COUNT_OF(rows));
}

static void the_first_fault_is_told(void **state)
{
    static const struct row rows[] = {
        {"", "input is too short"},
        {"2026", "input is too short"},
        {"2026-11-21", "input is too short"},
        {"2026-11-21T", "input is too short"},
        {"2026-11-21T04", "input is too short"},
        {"2026-11-21T04:3", "input is too short"},
        {"x026-11-21T04:33:00Z", "invalid character in year"},
        {"-026-11-21T04:33:00Z", "invalid character in year"},
        {"2026/11-21T04:33:00Z", "invalid date separator, expected `-`"},
        {"2026-1-021T04:33:00Z", "invalid character in month"},
        {"2026-11/21T04:33:00Z", "invalid date separator, expected `-`"},
        {"2026-11-2xT04:33:00Z", "invalid character in day"},
        {"0000-11-21T04:33:00Z", "year 0 is out of range"},
        {"2026-00-21T04:33:00Z", "month value is outside expected range of 1-12"},
        {"2026-13-21T04:33:00Z", "month value is outside expected range of 1-12"},
        {"2026-11-00T04:33:00Z", "day value is outside expected range"},
        {"2026-11-31T04:33:00Z", "day value is outside expected range"},
        {"2025-02-29T04:33:00Z", "day value is outside expected range"},
        {"1900-02-29T04:33:00Z", "day value is outside expected range"},
        {"2026-11-21x04:33:00Z", "invalid datetime separator, expected `T`, `t` or space"},
        {"2026-11-21Tx4:33:00Z", "invalid character in hour"},
        {"2026-11-21T24:33:00Z", "hour value is outside expected range of 0-23"},
        {"2026-11-21T04.33:00Z", "invalid time separator, expected `:`"},
        {"2026-11-21T04:x3:00Z", "invalid character in minute"},
        {"2026-11-21T04:60:00Z", "minute value is outside expected range of 0-59"},
        {"2026-11-21T04:33:x0Z", "invalid character in second"},
        {"2026-11-21T04:33:61Z", "second value is outside expected range of 0-59"},
        {"2026-11-21T04:33:00.Z", "second fraction value is empty"},
        {"2026-11-21T04:33:00.", "second fraction value is empty"},
        {"2026-11-21T04:33:00x", "unexpected extra characters at the end of the input"},
        {"2026-11-21T04:33:00Zx", "unexpected extra characters at the end of the input"},
        {"2026-11-21T04:33:00+03:00x", "unexpected extra characters at the end of the input"},
        {"2026-11-21T04:33:00+x3:00", "invalid character in timezone hour"},
        {"2026-11-21T04:33:00+24:00", "timezone offset must be less than 24 hours"},
        {"2026-11-21T04:33:00+03:x0", "invalid character in timezone minute"},
        {"2026-11-21T04:33:00+03:60", "timezone minute value is outside expected range of 0-59"},
        {"2026-11-21T04:33:00+", "input is too short"},
        {"0001-01-01T00:00:00+00:01", "year is out of range"},
        {"9999-12-31T23:59:59-00:01", "year is out of range"},
        {"10000-01-01T00:00:00Z", "invalid date separator, expected `-`"},
    };
    (void)state;
    assert_rows(rows, COUNT_OF(rows));
}

/* A reader of JSON lets it through: "\u0000". */
static void a_nul_ends_nothing(void **state)
{
    const char *reason = NULL;
    int64_t ms;
    (void)state;

    assert_int_equal(iso_time_read(STR("2026-11-21\00004:33:00Z"), &ms, &reason), ISO_TIME_BAD);
    assert_string_equal(reason, "invalid datetime separator, expected `T`, `t` or space");
    assert_int_equal(iso_time_read(STR("2026-11-21T04:33:00Z\000"), &ms, &reason), ISO_TIME_BAD);
    assert_string_equal(reason, "unexpected extra characters at the end of the input");
}

static void dates_are_days_that_there_are(void **state)
{
    static const struct row rows[] = {
        {"2026-11-21", NULL},
        {"2024-02-29", NULL},
        {"0001-01-01", NULL},
        {"9999-12-31", NULL},
        {"", "input is too short"},
        {"2026-11-2", "input is too short"},
        {"0000-01-01", "year 0 is out of range"},
        {"2026-13-01", "month value is outside expected range of 1-12"},
        {"2025-02-29", "day value is outside expected range"},
        {"2026-11-21 ", "unexpected extra characters at the end of the input"},
        {"2026-11-21T00:00:00Z", "unexpected extra characters at the end of the input"},
    };
    (void)state;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *reason = NULL;
        bool is_valid = iso_date_is_valid(str_of(rows[i].text), &reason);
        assert_int_equal(is_valid, rows[i].expected == NULL);
        if (!is_valid) assert_string_equal(reason, rows[i].expected);
        if (is_valid) assert_null(reason);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_are_read_in_every_spelling),
        cmocka_unit_test(a_moment_needs_a_zone),
        cmocka_unit_test(the_first_fault_is_told),
        cmocka_unit_test(a_nul_ends_nothing),
        cmocka_unit_test(dates_are_days_that_there_are),
    };
    return cmocka_run_group_tests_name("iso_time", tests, NULL, NULL);
}
