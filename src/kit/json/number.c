/*
 * A number stays text here; its value is digits × 10^exponent. An exponent may have any number of
 * digits, so it is added to as decimal text where it does not fit an integer.
 */
#include "kit/json/number.h"

#include <assert.h>
#include <inttypes.h>

enum {
    EXPONENT_INT_DIGITS = 18, /* so many always fit an int64, also after adding a length */
    INT64_DIGITS = 19,
};

struct parts {
    bool is_negative;
    struct str whole, fraction; /* digits */
    bool is_exponent_negative;
    struct str exponent; /* digits without leading zeros */
};

static struct str take_digits(struct str *text)
{
    struct str digits = {text->data, 0};
    while (digits.len < text->len && str_is_digit(text->data[digits.len]))
        digits.len++;
    text->data += digits.len;
    text->len -= digits.len;
    return digits;
}

static bool take_char(struct str *text, char lower, char upper)
{
    if (text->len == 0 || (text->data[0] != lower && text->data[0] != upper)) return false;
    text->data++;
    text->len--;
    return true;
}

static struct str skip_zeros(struct str digits)
{
    while (digits.len > 0 && digits.data[0] == '0') {
        digits.data++;
        digits.len--;
    }
    return digits;
}

static struct parts split(struct str text)
{
    struct parts parts = {.is_negative = take_char(&text, '-', '-')};

    parts.whole = take_digits(&text);
    if (take_char(&text, '.', '.')) parts.fraction = take_digits(&text);
    if (take_char(&text, 'e', 'E')) {
        parts.is_exponent_negative = take_char(&text, '-', '-');
        if (!parts.is_exponent_negative) take_char(&text, '+', '+');
        parts.exponent = skip_zeros(take_digits(&text));
    }
    assert(text.len == 0);
    return parts;
}

/* Adds to digits that stand for more than |delta|; they keep their length. */
static void add_to_digits(char *digits, size_t len, int64_t delta)
{
    for (size_t i = len; i-- > 0 && delta != 0;) {
        int64_t sum = digits[i] - '0' + delta;
        int64_t digit = (sum % 10 + 10) % 10;
        digits[i] = (char)('0' + digit);
        delta = (sum - digit) / 10;
    }
}

/* Appends the exponent + shift. */
static void write_exponent(struct buf *out, const struct parts *parts, int64_t shift)
{
    int64_t value = 0;

    if (parts->exponent.len > EXPONENT_INT_DIGITS) {
        if (parts->is_exponent_negative) buf_char(out, '-');
        size_t from = out->len;
        buf_char(out, '0'); /* room for a carry */
        buf_str(out, parts->exponent);
        assert(!out->is_full);
        add_to_digits(out->data + from, out->len - from,
                      parts->is_exponent_negative ? -shift : shift);
        struct str sum = skip_zeros((struct str){out->data + from, out->len - from});
        memmove(out->data + from, sum.data, sum.len);
        out->len = from + sum.len;
        return;
    }
    for (size_t i = 0; i < parts->exponent.len; i++)
        value = value * 10 + (parts->exponent.data[i] - '0');
    buf_printf(out, "%" PRId64, (parts->is_exponent_negative ? -value : value) + shift);
}

void number_normalize(struct str text, struct buf *out)
{
    struct parts parts = split(text);
    size_t start = out->len;

    if (parts.is_negative) buf_char(out, '-');
    size_t from = out->len;
    parts.whole = skip_zeros(parts.whole);
    buf_str(out, parts.whole);
    buf_str(out, parts.whole.len > 0 ? parts.fraction : skip_zeros(parts.fraction));
    if (out->len == from) {
        out->len = start;
        buf_char(out, '0'); /* also of -0 and 0e9 */
        return;
    }
    int64_t shift = -(int64_t)parts.fraction.len;
    while (out->data[out->len - 1] == '0') {
        out->len--;
        shift++;
    }
    buf_char(out, 'e');
    write_exponent(out, &parts, shift);
}

/* Expands a normal form with an exponent that is known to be small. */
static bool expand(struct str normal, int64_t *ret_value)
{
    bool is_negative = take_char(&normal, '-', '-');
    struct str digits = take_digits(&normal);
    int64_t value = 0;
    long long exponent = 0;

    if (digits.len > INT64_DIGITS) return false;
    if (take_char(&normal, 'e', 'e') && !str_to_int64(normal, &exponent)) return false;
    if (exponent < 0 || exponent > INT64_DIGITS) return false;
    for (size_t i = 0; i < digits.len + (size_t)exponent; i++) {
        int digit = i < digits.len ? digits.data[i] - '0' : 0;
        if (__builtin_mul_overflow(value, 10, &value)) return false;
        /* The sign is heeded at once, since int64's least value has no positive twin. */
        if (__builtin_add_overflow(value, is_negative ? -digit : digit, &value)) return false;
    }
    *ret_value = value;
    return true;
}

bool number_to_int64(struct str text, int64_t *ret_value)
{
    AUTO_BUF normal = {0};

    buf_init(&normal, text.len + NUMBER_GROWTH);
    number_normalize(text, &normal);
    return expand(buf_view(&normal), ret_value);
}

bool number_has_fraction(struct str text)
{
    AUTO_BUF normal = {0};

    buf_init(&normal, text.len + NUMBER_GROWTH);
    number_normalize(text, &normal);
    const char *exponent = memchr(normal.data, 'e', normal.len);
    return exponent && exponent[1] == '-';
}

/* A number ends in a digit. */
struct str number_cut(struct str text, size_t max)
{
    if (text.len <= max) return text;
    while (max > 0 && !str_is_digit(text.data[max - 1]))
        max--;
    return (struct str){text.data, max};
}

/* Takes the digits in front of the point, which stands `shift` digits behind their end. What is
 * behind the point is never only zeros in a normal form, so it counts as one when rounding up. */
static bool round_digits(struct str digits, long long shift, bool is_up, int64_t *ret_units)
{
    int64_t value = 0;
    long long count = (long long)digits.len + shift;

    if (count > INT64_DIGITS) return false;
    for (long long i = 0; i < count; i++) {
        int digit = i < (long long)digits.len ? digits.data[i] - '0' : 0;
        if (__builtin_mul_overflow(value, 10, &value)) return false;
        if (__builtin_add_overflow(value, digit, &value)) return false;
    }
    bool has_rest = shift < 0;
    if (has_rest && is_up && __builtin_add_overflow(value, 1, &value)) return false;
    *ret_units = value;
    return true;
}

bool number_to_units(struct str text, unsigned places, bool is_up, int64_t *ret_units)
{
    AUTO_BUF normal = {0};
    long long exponent = 0;

    buf_init(&normal, text.len + NUMBER_GROWTH);
    number_normalize(text, &normal);
    struct str rest = buf_view(&normal);
    if (take_char(&rest, '-', '-')) return false;
    struct str digits = skip_zeros(take_digits(&rest));
    if (take_char(&rest, 'e', 'e') && !str_to_int64(rest, &exponent)) return false;
    if (exponent > INT64_DIGITS || exponent < -(1LL << 40)) return false;
    return round_digits(digits, exponent + places, is_up, ret_units);
}
