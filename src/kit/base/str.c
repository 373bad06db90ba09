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
    struct str item = str_until(*list, ',');

    *ret_item = str_trim(item);
    *list = item.len < list->len ? str_behind(*list, item.len + 1) : (struct str){NULL, 0};
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

size_t utf16_length(struct str s)
{
    size_t count = utf8_length(s);

    for (size_t i = 0; i < s.len; i++)
        count += (unsigned char)s.data[i] >= 0xF0; /* it leads four bytes */
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

enum { WORD_MAX = 63 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Counts the characters that were added, left out, mistaken or swapped with their neighbour. */
static size_t count_slips(const char *text, size_t text_len, const char *word, size_t word_len)
{
    size_t rows[3]
               [WORD_MAX + 1]; /* of this character of the text, the one before, and before that */

    for (size_t k = 0; k <= word_len; k++)
        rows[0][k] = k;
    for (size_t i = 1; i <= text_len; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *higher = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t k = 1; k <= word_len; k++) {
            row[k] =
                least(above[k - 1] + (text[i - 1] != word[k - 1]), least(above[k], row[k - 1]) + 1);
            bool is_swap =
                i > 1 && k > 1 && text[i - 1] == word[k - 2] && text[i - 2] == word[k - 1];
            if (is_swap) row[k] = least(row[k], higher[k - 2] + 1);
        }
    }
    return rows[text_len % 3][word_len];
}

const char *str_nearest(const char *text, const char *const *words, size_t count)
{
    size_t len = strlen(text), fewest = SIZE_MAX;
    const char *nearest = NULL;

    for (size_t i = 0; i < count && len <= WORD_MAX; i++) {
        size_t word_len = strlen(words[i]);
        if (word_len > WORD_MAX) continue;
        size_t slips = count_slips(text, len, words[i], word_len);
        size_t allowed = (word_len > len ? word_len : len) / 3;
        if (slips > (allowed > 0 ? allowed : 1) || slips >= fewest || slips >= word_len) continue;
        fewest = slips;
        nearest = words[i];
    }
    return nearest;
}
