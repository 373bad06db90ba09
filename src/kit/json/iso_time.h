/* Times of all requests are read here, as RFC 3339 and accounting systems write them. */
#pragma once

#include "kit/base/str.h"

#include <stdint.h>

enum iso_time_verdict {
    ISO_TIME_OK,
    ISO_TIME_BAD,
    ISO_TIME_WITHOUT_ZONE, /* sound, but which moment it means is open */
};

/* Reads an ISO 8601 date and time with a time zone: T or a space between them, seconds and their
 * fraction optional, the zone as Z, +hh:mm, +hhmm or +hh. What is finer than a millisecond is cut.
 * ISO_TIME_BAD: `ret_reason` says why, in the words of pydantic; a static text. */
enum iso_time_verdict iso_time_read(struct str text, int64_t *ret_ms, const char **ret_reason);

/* Returns whether it is YYYY-MM-DD, of a day that there is; if not, `ret_reason` as above. */
bool iso_date_is_valid(struct str text, const char **ret_reason);
