/* UTF-8 is what RFC 3629 defines: no overlong forms, no surrogates, nothing beyond U+10FFFF. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UTF8_LEN_MAX = 4 };

/* Returns the length of the character at `at` (at < end). 0: it is cut off by `end` and sound so
 * far; -1: it is malformed. */
int utf8_measure(const char *at, const char *end);
bool utf8_is_valid(const char *at, const char *end);
/* Returns the first byte of the first character that is malformed or cut off; NULL: there is none.
 */
const char *utf8_find_fault(const char *at, const char *end);

/* Writes a code point that is no surrogate; gives its length. */
int utf8_encode(uint32_t point, char ret_bytes[static UTF8_LEN_MAX]);
