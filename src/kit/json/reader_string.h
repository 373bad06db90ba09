/* reader.c finds here what JSON strings consist of: runs that stand for themselves, and escapes. */
#pragma once

#include "kit/base/str.h"
#include "kit/json/utf8.h"

enum { UNIT_LEN_MAX = 12 }; /* \uD83D\uDE00 */

/* Returns the first byte in [at, end) that does not stand for itself: a quote, a backslash, a
 * control character, or a character that is malformed or cut off; `end` if there is none. */
const char *string_skip_plain(const char *at, const char *end);

enum unit_verdict { UNIT_OK, UNIT_MORE, UNIT_BAD };

/* A unit is one character of a string that does not stand for itself, or came in pieces. */
struct unit {
    size_t source_len; /* bytes it takes in the JSON text */
    char bytes[UTF8_LEN_MAX];
    int len;
    const char *fault; /* with UNIT_BAD */
};

/* Reads the unit at the front of `source`, which is not empty. UNIT_MORE: `source` ends inside it.
 * The verdict on a longer `source` is never another, once it is not UNIT_MORE. */
enum unit_verdict string_read_unit(struct str source, struct unit *ret_unit);
