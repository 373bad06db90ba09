/*
 * A time is read field by field from the left, each with its range and the sentence that says what
 * is wrong with it. A reading stops at its first fault; what follows then finds it and does
 * nothing.
 */
#include "kit/json/iso_time.h"

#include <time.h>

struct reading {
    const char *at, *end;
    const char *fault; /* NULL: none so far */
};

/* Times after 9999-12-31T23:59:59.999Z cannot be written (contract, section 1). */
enum { YEAR_MIN = 1, YEAR_MAX = 9999 };
/* Some phones send the leap second; it is the first of the next minute. */
enum { SECOND_MAX = 60 };
static const int64_t ms_min = -62135596800000, ms_max = 253402300799999;

static int fail(struct reading *reading, const char *fault)
{
    if (!reading->fault) reading->fault = fault;
    return 0;
}

static bool is_at(const struct reading *reading, const char *chars)
{
    return !reading->fault && reading->at < reading->end && *reading->at &&
           strchr(chars, *reading->at);
}

/* Passes one of these characters if it is there. */
static bool take(struct reading *reading, const char *chars)
{
    bool is_there = is_at(reading, chars);
    reading->at += is_there;
    return is_there;
}

static void need(struct reading *reading, const char *chars, const char *fault)
{
    if (reading->at == reading->end) fail(reading, "input is too short");
    if (!take(reading, chars)) fail(reading, fault);
}

static int take_number(struct reading *reading, int len, const char *fault)
{
    int value = 0;

    if (reading->fault) return 0;
    for (int i = 0; i < len; i++) {
        if (reading->at == reading->end) return fail(reading, "input is too short");
        if (!str_is_digit(*reading->at)) return fail(reading, fault);
        value = value * 10 + (*reading->at++ - '0');
    }
    return value;
}

/* Takes two digits up to `max`. */
static int take_field(struct reading *reading, int max, const char *char_fault,
                      const char *range_fault)
{
    int value = take_number(reading, 2, char_fault);
    return value > max ? fail(reading, range_fault) : value;
}

static int days_in_month(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month == 2 && is_leap ? 29 : days[month - 1];
}

static void take_date(struct reading *reading, struct tm *tm)
{
    int year = take_number(reading, 4, "invalid character in year");
    need(reading, "-", "invalid date separator, expected `-`");
    int month = take_number(reading, 2, "invalid character in month");
    need(reading, "-", "invalid date separator, expected `-`");
    int day = take_number(reading, 2, "invalid character in day");

    if (year < YEAR_MIN) fail(reading, "year 0 is out of range");
    if (month < 1 || month > 12) fail(reading, "month value is outside expected range of 1-12");
    if (reading->fault) return;
    if (day < 1 || day > days_in_month(year, month))
        fail(reading, "day value is outside expected range");
    *tm = (struct tm){.tm_year = year - 1900, .tm_mon = month - 1, .tm_mday = day};
}

/* Takes the digits behind the point, of which the first three count. */
static int take_fraction(struct reading *reading)
{
    int ms = 0, weight = 100;

    if (reading->at == reading->end || !str_is_digit(*reading->at))
        return fail(reading, "second fraction value is empty");
    for (; reading->at < reading->end && str_is_digit(*reading->at); reading->at++) {
        ms += (*reading->at - '0') * weight;
        weight /= 10;
    }
    return ms;
}

static int take_time(struct reading *reading, struct tm *tm)
{
    tm->tm_hour = take_field(reading, 23, "invalid character in hour",
                             "hour value is outside expected range of 0-23");
    need(reading, ":", "invalid time separator, expected `:`");
    tm->tm_min = take_field(reading, 59, "invalid character in minute",
                            "minute value is outside expected range of 0-59");
    if (!take(reading, ":")) return 0;
    tm->tm_sec = take_field(reading, SECOND_MAX, "invalid character in second",
                            "second value is outside expected range of 0-59");
    return take(reading, ".,") ? take_fraction(reading) : 0;
}

/* Takes the zone's seconds ahead of UTC. False: there is no zone. */
static bool take_zone(struct reading *reading, int *ret_offset_s)
{
    *ret_offset_s = 0;
    if (reading->fault || take(reading, "Zz")) return true;
    if (reading->at == reading->end) return false;
    if (!is_at(reading, "+-")) {
        fail(reading, "unexpected extra characters at the end of the input");
        return true;
    }
    int sign = *reading->at++ == '-' ? -1 : 1;
    int hours = take_field(reading, 23, "invalid character in timezone hour",
                           "timezone offset must be less than 24 hours");
    bool has_minutes = take(reading, ":") || is_at(reading, "0123456789");
    int minutes = has_minutes
                      ? take_field(reading, 59, "invalid character in timezone minute",
                                   "timezone minute value is outside expected range of 0-59")
                      : 0;
    *ret_offset_s = sign * (hours * 3600 + minutes * 60);
    return true;
}

enum iso_time_verdict iso_time_read(struct str text, int64_t *ret_ms, const char **ret_reason)
{
    struct reading reading = {.at = text.data, .end = text.data + text.len};
    struct tm tm = {0};
    int offset_s;

    take_date(&reading, &tm);
    need(&reading, "Tt ", "invalid datetime separator, expected `T`, `t` or space");
    int ms = take_time(&reading, &tm);
    bool has_zone = take_zone(&reading, &offset_s);
    if (reading.at < reading.end)
        fail(&reading, "unexpected extra characters at the end of the input");
    if (!reading.fault && !has_zone) return ISO_TIME_WITHOUT_ZONE;
    int64_t value = reading.fault ? 0 : ((int64_t)timegm(&tm) - offset_s) * 1000 + ms;
    if (value < ms_min || value > ms_max) fail(&reading, "year is out of range");
    if (reading.fault) {
        *ret_reason = reading.fault;
        return ISO_TIME_BAD;
    }
    *ret_ms = value;
    return ISO_TIME_OK;
}

bool iso_date_is_valid(struct str text, const char **ret_reason)
{
    struct reading reading = {.at = text.data, .end = text.data + text.len};
    struct tm tm;

    take_date(&reading, &tm);
    if (reading.at < reading.end)
        fail(&reading, "unexpected extra characters at the end of the input");
    if (reading.fault) *ret_reason = reading.fault;
    return !reading.fault;
}
