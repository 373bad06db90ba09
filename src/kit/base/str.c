/* Runs of bytes are read here; nothing is copied. */
#include "kit/base/str.h"

#include <limits.h>

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

bool str_is_nocase(struct str s, const char *text)
{
    if (s.len != strlen(text)) return false;
    for (size_t i = 0; i < s.len; i++) {
        if (lower(s.data[i]) != lower(text[i])) return false;
    }
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

struct str str_trim(struct str s)
{
    while (s.len > 0 && is_blank(s.data[0])) {
        s.data++;
        s.len--;
    }
    while (s.len > 0 && is_blank(s.data[s.len - 1]))
        s.len--;
    return s;
}

bool str_next_item(struct str *list, struct str *ret_item)
{
    if (!list->data) return false;
    const char *comma = list->len > 0 ? memchr(list->data, ',', list->len) : NULL;
    size_t len = comma ? (size_t)(comma - list->data) : list->len;

    *ret_item = str_trim((struct str){list->data, len});
    *list = comma ? (struct str){comma + 1, list->len - len - 1} : (struct str){NULL, 0};
    return true;
}

bool str_is_visible(struct str s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (s.data[i] <= ' ' || s.data[i] > '~') return false;
    }
    return s.len > 0;
}

bool str_to_int64(struct str s, long long *ret_value)
{
    bool is_negative = s.len > 0 && s.data[0] == '-';
    long long value = 0; /* kept negative: its range is the wider one */
    size_t i = is_negative ? 1 : 0;

    if (i == s.len) return false;
    for (; i < s.len; i++) {
        char c = s.data[i];
        if (c < '0' || c > '9') return false;
        if (__builtin_mul_overflow(value, 10, &value)) return false;
        if (__builtin_sub_overflow(value, c - '0', &value)) return false;
    }
    if (!is_negative && value == LLONG_MIN) return false;
    *ret_value = is_negative ? value : -value;
    return true;
}

static bool is_first_byte(char c)
{
    return ((unsigned char)c & 0xC0) != 0x80;
}

size_t utf8_length(struct str s)
{
    size_t count = 0;
    for (size_t i = 0; i < s.len; i++) {
        if (is_first_byte(s.data[i])) count++;
    }
    return count;
}

uint32_t utf8_take(struct str *rest)
{
    const unsigned char *bytes = (const unsigned char *)rest->data;
    size_t len = bytes[0] < 0x80 ? 1 : bytes[0] < 0xE0 ? 2 : bytes[0] < 0xF0 ? 3 : 4;
    uint32_t point = len == 1 ? bytes[0] : bytes[0] & (0x7FU >> len);
    bool is_whole = len <= rest->len && (len == 1 || is_first_byte(rest->data[0]));

    for (size_t i = 1; i < len && is_whole; i++) {
        point = point << 6 | (bytes[i] & 0x3FU);
        is_whole = !is_first_byte(rest->data[i]);
    }
    rest->data += is_whole ? len : 1;
    rest->len -= is_whole ? len : 1;
    return is_whole ? point : UTF8_BROKEN;
}

struct str utf8_cut(struct str s, size_t max)
{
    size_t len = 0;
    while (len < s.len && (!is_first_byte(s.data[len]) || max-- > 0))
        len++;
    return (struct str){s.data, len};
}

struct str utf8_fit(struct str s, size_t max)
{
    if (s.len <= max) return s;
    while (max > 0 && !is_first_byte(s.data[max]))
        max--;
    return (struct str){s.data, max};
}
