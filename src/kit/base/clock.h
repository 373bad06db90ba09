/*
 * Wall time is counted in milliseconds since the epoch. It is read once per request or job and
 * passed down as now_ms; durations are measured with the monotonic clock only.
 */
#pragma once

#include "kit/base/str.h"

#include <stdint.h>

enum {
    CLOCK_TEXT_LEN = 24, /* 2026-11-21T04:33:00.123Z */
    /* The clocks of processes may be so far apart; a smaller step of one does not show. */
    CLOCK_SLACK_MS = 30 * 1000,
};

int64_t clock_now_ms(void);
int64_t clock_monotonic_ms(void);
int64_t clock_monotonic_us(void);

/*
 * A wall clock may be set back. So a stored time is trusted only as far as it can be true: nothing
 * ends later than now plus its own length, and nothing has begun in the future. A time that says
 * otherwise was written under a clock that was ahead. It counts as over, so that nobody waits for
 * the length of a jump and no right lasts longer by one. Where only the end is stored, the greatest
 * length is taken. In SQL that is `until > $now AND until <= $latest`. An end that only limits an
 * effort (for a package, an order, a message) is moved to the latest end instead.
 */

/* Returns the latest end of what lasts `length_ms`; with 0 also the latest beginning of anything.
 */
static inline int64_t clock_latest(int64_t now_ms, int64_t length_ms)
{
    return now_ms + length_ms + CLOCK_SLACK_MS;
}

/* Returns how long what ends at `end_ms` still lasts, at most `length_ms`; 0 once it is over. */
static inline int64_t clock_left_ms(int64_t end_ms, int64_t length_ms, int64_t now_ms)
{
    if (end_ms <= now_ms || end_ms > clock_latest(now_ms, length_ms)) return 0;
    return end_ms - now_ms < length_ms ? end_ms - now_ms : length_ms;
}

/* Returns when what is due at `due_ms` can be done at the earliest, as it is shown to people: what
 * should have been done waits for something else, and never lies in the past. 0 stays 0: never. */
static inline int64_t clock_not_past(int64_t due_ms, int64_t now_ms)
{
    return due_ms == 0 || due_ms > now_ms ? due_ms : now_ms;
}

/* Watches the wall clock for steps while this process runs. Starts zeroed; for one thread. */
struct clock_watch {
    int64_t ahead_ms; /* how far the wall clock was ahead of the monotonic one at the last look; 0:
                         never */
};

/* Returns by how much the wall clock was set forward, or (below 0) back, since the last look; 0 for
 * a small step and at the first look. */
int64_t clock_watch_step_ms(struct clock_watch *watch);

/* Writes RFC 3339 in UTC with milliseconds and Z, NUL-terminated (contract, section 1). Years go
 * from 0 to 9999. */
void clock_format(int64_t ms, char ret_text[static CLOCK_TEXT_LEN + 1]);
