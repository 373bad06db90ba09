/*
 * A strict JSON pull reader (RFC 8259) that keeps the digits of numbers and can be fed piece by
 * piece: json_next answers JSON_MORE when the bytes given so far end inside the next token.
 *
 * Refused: anything RFC 8259 does not allow, invalid UTF-8, lone surrogates, NUL in a string
 * (\u0000), nesting deeper than JSON_DEPTH_MAX, a byte order mark, trailing bytes. Duplicate keys
 * are the record decoder's business (record.h), since it alone knows the keys of an object.
 * Memory is bounded by the longest token, which has a maximum of its own.
 */
#pragma once

#include "kit/base/buf.h"

#include <stdint.h>

enum { JSON_DEPTH_MAX = 64 };

enum json_token {
    JSON_MORE,  /* feed more bytes and call again */
    JSON_FAULT, /* no JSON: json_fault() says why, json_offset() where; final */
    JSON_END,   /* the value is complete and nothing but white space followed; final */
    JSON_OBJECT_BEGIN,
    JSON_OBJECT_END,
    JSON_ARRAY_BEGIN,
    JSON_ARRAY_END,
    JSON_KEY,    /* text: the key, unescaped */
    JSON_STRING, /* text: the value, unescaped */
    JSON_NUMBER, /* text: the digits as they were sent */
    JSON_TRUE,
    JSON_FALSE,
    JSON_NULL,
};

struct json_reader;

/* One string or number may have `token_max` bytes; a longer one is a fault. */
struct json_reader *json_reader_new(size_t token_max);
/* This one is for a text whose tokens may be as long as an outside body: where there is no memory
 * for one, that is a fault, and json_lacks_memory. */
struct json_reader *json_reader_new_large(size_t token_max);
void json_reader_free(struct json_reader *reader);

/* Passes a byte order mark (UTF-8) at the very beginning, instead of refusing it; offsets count it.
 * To be called before the first bytes. */
void json_skip_mark(struct json_reader *reader);

/* Gives the next bytes. They must stay valid until json_next has answered JSON_MORE, JSON_END or
 * JSON_FAULT; only then may more be fed. `is_last`: nothing follows these. */
void json_feed(struct json_reader *reader, struct str bytes, bool is_last);

/* Returns the next token. `ret_text` (may be NULL) is set for KEY, STRING and NUMBER and is valid
 * until the next call. */
enum json_token json_next(struct json_reader *reader, struct str *ret_text);

/* Returns, after JSON_FAULT, a sentence for people; a static text. */
const char *json_fault(const struct json_reader *reader);
bool json_lacks_memory(const struct json_reader *reader);
/* Returns the offset of the first byte of the last token, or of the fault, counted from the first
 * byte fed. */
uint64_t json_offset(const struct json_reader *reader);
/* Returns the offset just behind the last token. */
uint64_t json_end_offset(const struct json_reader *reader);
/* Returns how many objects and arrays are open. */
unsigned json_depth(const struct json_reader *reader);

/* Makes a hash that two texts share exactly when they are the same JSON value ("same body",
 * contract, section 1). Key order and white space do not matter; 1, 1.0 and 10e-1 are one number.
 * `text` must have passed a reader. `key` keys the hash, so that short bodies cannot be guessed. */
void json_fingerprint(struct str text, struct str key, uint8_t ret_hash[static 32]);
