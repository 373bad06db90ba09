/*
 * Two clocks tell times, in milliseconds since the epoch.
 *
 * Store time never steps, and all processes of a store agree on it (core/store_clock.h). It is the
 * wall clock's time until that one is set back or forward; from then on both stand apart. Whatever
 * is stored or compared is store time: it is read once per request or job and passed down as
 * now_ms. What people are shown and what they give is wall time, converted where it is written and
 * read (contract, section 7 "Clocks").
 *
 * Wall time is for what others judge by their own clocks: tokens, certificates, signatures and
 * requests to others.
 *
 * Durations are measured with the monotonic clock.
 */
#pragma once

#include "kit/base/str.h"

#include <stdint.h>

enum { CLOCK_TEXT_LEN = 24 }; /* 2026-11-21T04:33:00.123Z */

/* Returns store time; before clock_set, and in a program without a store, wall time. */
int64_t clock_now_ms(void);
int64_t clock_wall_ms(void);
int64_t clock_monotonic_ms(void);
int64_t clock_monotonic_us(void);

/* Store time is `now_ms` at this moment, and `ahead_ms` ahead of the wall clock. Any thread. */
void clock_set(int64_t now_ms, int64_t ahead_ms);

/* Returns the wall time of a store time, and the reverse, by the clock of the store's machine. 0 is
 * no time, and stays 0. */
int64_t clock_to_wall(int64_t store_ms);
int64_t clock_from_wall(int64_t wall_ms);
/* Returns how far store time is ahead of that clock. */
int64_t clock_offset_ms(void);

/* Returns the wall time of a store time by this machine's clock, for what others judge by theirs.
 */
static inline int64_t clock_to_own_wall(int64_t store_ms)
{
    return store_ms + clock_wall_ms() - clock_now_ms();
}

/* Returns how long what ends at `end_ms` still lasts; 0 once it is over. */
static inline int64_t clock_left_ms(int64_t end_ms, int64_t now_ms)
{
    return end_ms > now_ms ? end_ms - now_ms : 0;
}

/* Returns when what is due at `due_ms` can be done at the earliest, as it is shown to people: what
 * should have been done waits for something else, and never lies in the past. 0 stays 0: never. */
static inline int64_t clock_not_past(int64_t due_ms, int64_t now_ms)
{
    return due_ms == 0 || due_ms > now_ms ? due_ms : now_ms;
}

/* Writes RFC 3339 in UTC with milliseconds and Z, NUL-terminated (contract, section 1). Years go
 * from 0 to 9999. */
void clock_format(int64_t ms, char ret_text[static CLOCK_TEXT_LEN + 1]);
