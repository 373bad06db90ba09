/* Times are read and written by arithmetic, without locale or time zone database. */
#include "kit/base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int64_t read_clock_us(clockid_t clock)
{
    struct timespec t;
    if (clock_gettime(clock, &t)) abort();
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

int64_t clock_now_ms(void)
{
    return read_clock_us(CLOCK_REALTIME) / 1000;
}

int64_t clock_monotonic_ms(void)
{
    return read_clock_us(CLOCK_MONOTONIC) / 1000;
}

int64_t clock_monotonic_us(void)
{
    return read_clock_us(CLOCK_MONOTONIC);
}

int64_t clock_watch_step_ms(struct clock_watch *watch)
{
    enum { DRIFT_MS = 1000 };
    int64_t ahead_ms = clock_now_ms() - clock_monotonic_ms();
    int64_t step_ms = watch->ahead_ms == 0 ? 0 : ahead_ms - watch->ahead_ms;

    watch->ahead_ms = ahead_ms;
    return step_ms > DRIFT_MS || step_ms < -DRIFT_MS ? step_ms : 0;
}

/* Returns the days from 1970-01-01 to a date of the Gregorian calendar. Years begin in March here,
 * so that the leap day comes last. */
static int64_t days_of_date(int64_t year, int month, int day)
{
    year -= month <= 2;
    int64_t era = (year >= 0 ? year : year - 399) / 400;
    int64_t year_of_era = year - era * 400;
    int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146097 + day_of_era - 719468;
}

static void date_of_days(int64_t days, int *ret_year, int *ret_month, int *ret_day)
{
    days += 719468;
    int64_t era = (days >= 0 ? days : days - 146096) / 146097;
    int64_t day_of_era = days - era * 146097;
    int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t month_from_march = (5 * day_of_year + 2) / 153;
    *ret_day = (int)(day_of_year - (153 * month_from_march + 2) / 5 + 1);
    *ret_month = (int)(month_from_march < 10 ? month_from_march + 3 : month_from_march - 9);
    *ret_year = (int)(year_of_era + era * 400 + (*ret_month <= 2));
}

void clock_format(int64_t ms, char ret_text[static CLOCK_TEXT_LEN + 1])
{
    int64_t days = ms / 86400000;
    int64_t rest = ms % 86400000;
    if (rest < 0) {
        days--;
        rest += 86400000;
    }
    int year, month, day;
    date_of_days(days, &year, &month, &day);
    char text[96];
    snprintf(text, sizeof(text), "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", year, month, day,
             (int)(rest / 3600000), (int)(rest / 60000 % 60), (int)(rest / 1000 % 60),
             (int)(rest % 1000));
    memcpy(ret_text, text, CLOCK_TEXT_LEN);
    ret_text[CLOCK_TEXT_LEN] = '\0';
}

/* Takes `count` digits off the front of `text`. */
static bool take_digits(struct str *text, int count, int *ret_value)
{
    if (text->len < (size_t)count) return false;
    *ret_value = 0;
    for (int i = 0; i < count; i++) {
        char c = text->data[i];
        if (!str_is_digit(c)) return false;
        *ret_value = *ret_value * 10 + (c - '0');
    }
    text->data += count;
    text->len -= (size_t)count;
    return true;
}

static bool take_char(struct str *text, const char *choices)
{
    if (text->len == 0 || !text->data[0] || !strchr(choices, text->data[0])) return false;
    text->data++;
    text->len--;
    return true;
}

static bool take_date(struct str *text, int64_t *ret_days)
{
    static const int month_days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int year, month, day;

    if (!take_digits(text, 4, &year) || !take_char(text, "-")) return false;
    if (!take_digits(text, 2, &month) || !take_char(text, "-")) return false;
    if (!take_digits(text, 2, &day)) return false;
    if (month < 1 || month > 12 || day < 1) return false;
    bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    if (day > month_days[month - 1] + (month == 2 && is_leap)) return false;
    *ret_days = days_of_date(year, month, day);
    return true;
}

static bool take_time(struct str *text, int64_t *ret_ms)
{
    int hour, minute, second, ms = 0;

    if (!take_digits(text, 2, &hour) || !take_char(text, ":")) return false;
    if (!take_digits(text, 2, &minute) || !take_char(text, ":")) return false;
    if (!take_digits(text, 2, &second)) return false;
    if (hour > 23 || minute > 59 || second > 60) return false; /* 60: a leap second */
    if (take_char(text, ".")) {
        int weight = 100, digit, count = 0;
        for (; take_digits(text, 1, &digit); count++, weight /= 10)
            ms += digit * weight;
        if (count == 0) return false;
    }
    *ret_ms = ((hour * 60LL + minute) * 60 + second) * 1000 + ms;
    return true;
}

static bool take_zone(struct str *text, int64_t *ret_offset_ms)
{
    *ret_offset_ms = 0;
    if (take_char(text, "Zz")) return true;
    if (text->len == 0) return false;
    int sign = text->data[0] == '-' ? -1 : 1;
    int hours, minutes;
    if (!take_char(text, "+-")) return false;
    if (!take_digits(text, 2, &hours) || !take_char(text, ":")) return false;
    if (!take_digits(text, 2, &minutes) || hours > 23 || minutes > 59) return false;
    *ret_offset_ms = sign * (hours * 60LL + minutes) * 60000;
    return true;
}

bool clock_parse(struct str text, int64_t *ret_ms)
{
    int64_t days, time_ms, offset_ms;

    if (!take_date(&text, &days) || !take_char(&text, "Tt ")) return false;
    if (!take_time(&text, &time_ms) || !take_zone(&text, &offset_ms)) return false;
    if (text.len > 0) return false;
    *ret_ms = days * 86400000 + time_ms - offset_ms;
    return true;
}
