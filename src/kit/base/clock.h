/*
 * Time. Wall time is milliseconds since the epoch, read once per request or job and passed down as
 * now_ms; durations are measured with the monotonic clock only.
 */
#pragma once

#include "kit/base/str.h"

#include <stdint.h>

enum { CLOCK_TEXT_LEN = 24 }; /* 2026-11-21T04:33:00.123Z */

int64_t clock_now_ms(void);
int64_t clock_monotonic_ms(void);
int64_t clock_monotonic_us(void);

/* RFC 3339 in UTC with milliseconds and Z, NUL-terminated (contract, section 1). Years 0-9999. */
void clock_format(int64_t ms, char ret_text[static CLOCK_TEXT_LEN + 1]);

/* Reads an RFC 3339 date-time with a time zone (Z or an offset); fractions beyond ms are cut.
 * False for anything else, also for dates that do not exist. */
bool clock_parse(struct str text, int64_t *ret_ms);
