/* A str is a borrowed run of bytes that need not end in NUL. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct str {
    const char *data;
    size_t len;
};

#define STR(literal) ((struct str){(literal), sizeof(literal) - 1})

static inline struct str str_of(const char *text)
{
    return (struct str){text, text ? strlen(text) : 0};
}

static inline bool str_is(struct str s, const char *text)
{
    return s.len == strlen(text) && (s.len == 0 || memcmp(s.data, text, s.len) == 0);
}

/* Takes ASCII letters of either case as equal, as HTTP does in header names. */
bool str_is_nocase(struct str s, const char *text);

static inline bool str_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Returns the value of a hexadecimal digit of either case; -1 for any other character. */
static inline int str_hex_value(char c)
{
    if (str_is_digit(c)) return c - '0';
    char low = (char)(c | 0x20);
    return low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

/* Returns the text without the spaces and tabs at both ends. */
struct str str_trim(struct str s);

/* Returns the front up to the first `mark`, or all of the text. */
static inline struct str str_until(struct str s, char mark)
{
    const char *found = s.len > 0 ? (const char *)memchr(s.data, mark, s.len) : NULL;
    return (struct str){s.data, found ? (size_t)(found - s.data) : s.len};
}

/* Returns what stands behind the first `len` bytes. */
static inline struct str str_behind(struct str s, size_t len)
{
    return (struct str){s.data + len, s.len - len};
}

/* Takes the next item of a list separated by commas, trimmed; returns false at its end. A text
 * without a comma is one item, also if it is empty. */
bool str_next_item(struct str *list, struct str *ret_item);

/* Tells whether the text is not empty and has visible ASCII characters only. */
bool str_is_visible(struct str s);

/* Reads a decimal integer that fills all of `s`; returns false for anything else or beyond int64.
 */
bool str_to_int64(struct str s, long long *ret_value);

/* Returns the word that the text was probably meant to be, so that a message can name it; NULL if
 * none is near: more than a third of its characters would have to change. */
const char *str_nearest(const char *text, const char *const *words, size_t count);

/* Counts the characters (code points) of a valid UTF-8 text. */
size_t utf8_length(struct str s);
/* Returns how many units of UTF-16 the same text has: a character beyond U+FFFF is two. */
size_t utf16_length(struct str s);
/* Takes the first character off the front of a text that is not empty. Where that is no UTF-8, it
 * takes one byte as UTF8_BROKEN, so that nothing behind it is hidden. */
enum { UTF8_BROKEN = 0xFFFD };
uint32_t utf8_take(struct str *rest);
/* Returns its first `max` characters. */
struct str utf8_cut(struct str s, size_t max);
/* Returns as many of its first characters as `max` bytes can hold. */
struct str utf8_fit(struct str s, size_t max);
