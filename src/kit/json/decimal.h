/* Decimal numbers of a bounded size are read by their exact value, never by way of a double. */
#pragma once

#include "kit/json/record.h"

enum { DECIMAL_DIGITS_MAX = DECIMAL_WHOLE_MAX + DECIMAL_PLACES_MAX };

enum decimal_verdict {
    DECIMAL_OK,
    DECIMAL_TOO_MANY_DIGITS, /* more than DECIMAL_DIGITS_MAX in all */
    DECIMAL_TOO_MANY_WHOLE,  /* more than DECIMAL_WHOLE_MAX before the point */
    DECIMAL_TOO_MANY_PLACES, /* more than DECIMAL_PLACES_MAX behind it */
};

/* Reads a number as the reader gives it. `ret_text` is the one text that all spellings of a value
 * share, without an exponent, zeros in front or at the end, or -0; it is set with DECIMAL_OK only.
 * The work is bounded by the length of `number`, whatever its exponent. */
enum decimal_verdict decimal_read(struct str number, char ret_text[static DECIMAL_SIZE]);

/* These take such a text. */
static inline bool decimal_is_negative(const char *text)
{
    return text[0] == '-';
}

static inline bool decimal_is_share(const char *text)
{
    return text[0] == '0' || (text[0] == '1' && text[1] == '\0');
}

static inline bool decimal_is_zero(const char *text)
{
    return text[0] == '0' && text[1] == '\0';
}
