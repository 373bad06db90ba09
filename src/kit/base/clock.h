/*
 * Time. Wall time is milliseconds since the epoch, read once per request or job and passed down as
 * now_ms; durations are measured with the monotonic clock only.
 */
#pragma once

#include "kit/base/str.h"

#include <stdint.h>

enum {
    CLOCK_TEXT_LEN = 24, /* 2026-11-21T04:33:00.123Z */
    /* How far the clocks of processes may be apart; a lesser step of one does not show. */
    CLOCK_SLACK_MS = 30 * 1000,
};

int64_t clock_now_ms(void);
int64_t clock_monotonic_ms(void);
int64_t clock_monotonic_us(void);

/*
 * A wall clock may be set back. So a stored time is trusted only as far as it can be: nothing ends
 * later than now plus its own length, and nothing has begun in the future. What says otherwise was
 * written under a clock that was ahead, and is over: nobody waits for the length of a jump, and no
 * right outlives its time by one. Where only the end is stored, the greatest length is taken. In
 * SQL: `until > $now AND until <= $latest`. Where an end only limits an effort (of a package, an
 * order, a message), it is moved to the latest instead.
 */

/* The latest end of what lasts `length_ms`; with 0 also the latest beginning of anything. */
static inline int64_t clock_latest(int64_t now_ms, int64_t length_ms)
{
    return now_ms + length_ms + CLOCK_SLACK_MS;
}

/* How long what ends at `end_ms` still lasts, at most `length_ms`; 0: it is over. */
static inline int64_t clock_left_ms(int64_t end_ms, int64_t length_ms, int64_t now_ms)
{
    if (end_ms <= now_ms || end_ms > clock_latest(now_ms, length_ms)) return 0;
    return end_ms - now_ms < length_ms ? end_ms - now_ms : length_ms;
}

/* How the wall clock is stepped while this process runs; zeroed at first. For one thread. */
struct clock_watch {
    int64_t ahead_ms; /* of the monotonic clock, when it was last looked at; 0: never */
};

/* By how much the wall clock was set forward, or (below 0) back, since the last look; 0: hardly, or
 * this is the first. */
int64_t clock_watch_step_ms(struct clock_watch *watch);

/* RFC 3339 in UTC with milliseconds and Z, NUL-terminated (contract, section 1). Years 0-9999. */
void clock_format(int64_t ms, char ret_text[static CLOCK_TEXT_LEN + 1]);

/* Reads an RFC 3339 date-time with a time zone (Z or an offset); fractions beyond ms are cut.
 * False for anything else, also for dates that do not exist. */
bool clock_parse(struct str text, int64_t *ret_ms);
