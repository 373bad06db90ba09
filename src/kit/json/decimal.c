/*
 * A decimal is read as its significant digits and the place of the point among them. Whole part and
 * fraction are one run of digits here; zeros in front of the first other digit, and behind the
 * last, never matter (contract, section 5 "Numbers").
 */
#include "kit/json/decimal.h"

enum { EXPONENT_DIGITS_MAX = 15 }; /* beyond any length of a text; one more digit changes nothing */

struct digits {
    const char *whole; /* the fraction stands behind these and the point */
    size_t whole_len, len;
};

static const char *skip_digits(const char *at, const char *end)
{
    while (at < end && str_is_digit(*at))
        at++;
    return at;
}

static char digit_at(const struct digits *digits, size_t index)
{
    return digits->whole[index < digits->whole_len ? index : index + 1];
}

/* Takes a number up to its exponent; `at` ends behind it. */
static struct digits take_digits(const char **at, const char *end)
{
    struct digits digits = {.whole = *at};

    *at = skip_digits(*at, end);
    digits.len = digits.whole_len = (size_t)(*at - digits.whole);
    if (*at == end || **at != '.') return digits;
    const char *fraction = *at + 1;
    *at = skip_digits(fraction, end);
    digits.len += (size_t)(*at - fraction);
    return digits;
}

static int64_t take_exponent(const char *at, const char *end)
{
    int64_t value = 0;

    if (at == end) return 0;
    bool is_negative = at[1] == '-';
    at += at[1] == '-' || at[1] == '+' ? 2 : 1;
    while (at < end && *at == '0')
        at++;
    for (int i = 0; at < end && i < EXPONENT_DIGITS_MAX; i++)
        value = value * 10 + (*at++ - '0');
    return is_negative ? -value : value;
}

/* Writes the digits from `first` to `last`; the point stands `whole` digits behind `first`. */
static void write_text(const struct digits *digits, size_t first, size_t last, int64_t whole,
                       char *text)
{
    int64_t count = (int64_t)(last - first);

    if (whole <= 0) *text++ = '0';
    for (int64_t i = whole < 0 ? whole : 0; i < count || i < whole; i++) {
        if (i == whole) *text++ = '.';
        *text++ = i < 0 || i >= count ? '0' : digit_at(digits, first + (size_t)i);
    }
    *text = '\0';
}

static enum decimal_verdict whole_verdict(int64_t whole, int64_t places)
{
    bool is_long = whole + (places > 0 ? places : 0) > DECIMAL_DIGITS_MAX;
    return is_long ? DECIMAL_TOO_MANY_DIGITS : DECIMAL_TOO_MANY_WHOLE;
}

enum decimal_verdict decimal_read(struct str number, char ret_text[static DECIMAL_SIZE])
{
    const char *at = number.data, *end = at + number.len;
    bool is_negative = at < end && *at == '-';

    at += is_negative;
    struct digits digits = take_digits(&at, end);
    size_t first = 0, last = digits.len;
    while (first < last && digit_at(&digits, first) == '0')
        first++;
    while (first < last && digit_at(&digits, last - 1) == '0')
        last--;
    if (first == last) {
        memcpy(ret_text, "0", 2);
        return DECIMAL_OK;
    }
    int64_t whole = (int64_t)digits.whole_len - (int64_t)first + take_exponent(at, end);
    int64_t places = (int64_t)(last - first) - whole;
    if (whole > DECIMAL_WHOLE_MAX) return whole_verdict(whole, places);
    if (places > DECIMAL_PLACES_MAX) return DECIMAL_TOO_MANY_PLACES;
    if (is_negative) *ret_text++ = '-';
    write_text(&digits, first, last, whole, ret_text);
    return DECIMAL_OK;
}
