/* A borrowed run of bytes that need not end in NUL. */
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

/* The same for ASCII letters of either case, as HTTP compares header names. */
bool str_is_nocase(struct str s, const char *text);

/* Without the spaces and tabs at both ends. */
struct str str_trim(struct str s);

/* Reads a decimal integer that fills `s` wholly; false for anything else or beyond int64. */
bool str_to_int64(struct str s, long long *ret_value);

/* How many characters (code points) a valid UTF-8 text has. */
size_t utf8_length(struct str s);
/* Takes the first character off the front of one that is not empty; of what is no UTF-8 one byte,
 * as UTF8_BROKEN, so that it hides nothing that stands behind it. */
enum { UTF8_BROKEN = 0xFFFD };
uint32_t utf8_take(struct str *rest);
/* Its first `max` characters. */
struct str utf8_cut(struct str s, size_t max);
/* As many of its first characters as `max` bytes can hold. */
struct str utf8_fit(struct str s, size_t max);
