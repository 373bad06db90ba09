/* Borrowed byte runs. */
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

size_t utf8_length(struct str s)
{
    size_t count = 0;
    for (size_t i = 0; i < s.len; i++) {
        if (((unsigned char)s.data[i] & 0xC0) != 0x80) count++;
    }
    return count;
}
