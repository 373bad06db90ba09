/* Times are read and written by arithmetic, without locale or time zone database. */
#include "kit/base/clock.h"

#include "kit/base/macros.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

static int64_t read_clock_us(clockid_t clock)
{
    struct timespec t;
    if (clock_gettime(clock, &t)) abort();
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static atomic_bool is_set;
static atomic_int_least64_t ahead_of_boot_ms, ahead_of_wall_ms;

/* The time since the machine was started, asleep or awake. */
static int64_t read_boot_ms(void)
{
    return read_clock_us(CLOCK_BOOTTIME) / 1000;
}

int64_t clock_now_ms(void)
{
    return atomic_load(&is_set) ? read_boot_ms() + atomic_load(&ahead_of_boot_ms) : clock_wall_ms();
}

int64_t clock_wall_ms(void)
{
    return read_clock_us(CLOCK_REALTIME) / 1000;
}

void clock_set(int64_t now_ms, int64_t ahead_ms)
{
    atomic_store(&ahead_of_wall_ms, ahead_ms);
    atomic_store(&ahead_of_boot_ms, now_ms - read_boot_ms());
    atomic_store(&is_set, true);
}

int64_t clock_to_wall(int64_t store_ms)
{
    return store_ms == 0 ? 0 : store_ms - atomic_load(&ahead_of_wall_ms);
}

int64_t clock_from_wall(int64_t wall_ms)
{
    return wall_ms == 0 ? 0 : wall_ms + atomic_load(&ahead_of_wall_ms);
}

int64_t clock_offset_ms(void)
{
    return atomic_load(&ahead_of_wall_ms);
}

int64_t clock_monotonic_ms(void)
{
    return read_clock_us(CLOCK_MONOTONIC) / 1000;
}

int64_t clock_monotonic_us(void)
{
    return read_clock_us(CLOCK_MONOTONIC);
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

/* Returns the place behind the digits. */
static char *put_digits(char *at, int64_t value, int count)
{
    for (int i = count - 1; i >= 0; i--, value /= 10)
        at[i] = (char)('0' + value % 10);
    return at + count;
}

/* Without snprintf, since each entry of the log and most answers have times. */
void clock_format(int64_t ms, char ret_text[static CLOCK_TEXT_LEN + 1])
{
    static const int64_t last_ms = INT64_C(253402300799999); /* of the year 9999 */
    if (ms > last_ms) ms = last_ms;
    int64_t days = ms / 86400000;
    int64_t rest = ms % 86400000;
    if (rest < 0) {
        days--;
        rest += 86400000;
    }
    int year, month, day;
    date_of_days(days, &year, &month, &day);
    const int64_t values[] = {
        year, month, day, rest / 3600000, rest / 60000 % 60, rest / 1000 % 60, rest % 1000};
    static const int counts[] = {4, 2, 2, 2, 2, 2, 3};
    static const char behind[] = "--T::.Z";
    char *at = ret_text;
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        at = put_digits(at, values[i], counts[i]);
        *at++ = behind[i];
    }
    *at = '\0';
}
