/*
 * The body of a request (RFC 9112, sections 6 and 7) has a length or is chunked. These functions
 * are pure: bytes go in, runs of payload come out, in pieces of any size.
 */
#pragma once

#include "kit/base/err.h"
#include "kit/base/str.h"

#include <stdint.h>

enum {
    HTTP_CHUNK_DIGITS_MAX = 16,      /* digits of a chunk size, with leading zeros */
    HTTP_CHUNK_EXTENSION_MAX = 256,  /* bytes of one chunk's extensions */
    HTTP_EXTENSIONS_MAX = 16 * 1024, /* bytes of the extensions of all chunks */
    HTTP_TRAILER_MAX = 4096,         /* bytes of the trailer section; it is checked and dropped */
};

enum http_body_state {
    HTTP_BODY_WHOLE,
    HTTP_BODY_LENGTH,
    HTTP_BODY_SIZE_START,
    HTTP_BODY_SIZE,
    HTTP_BODY_SIZE_BLANK, /* blanks after a size, which only an extension may follow */
    HTTP_BODY_EXTENSION,
    HTTP_BODY_SIZE_LF,
    HTTP_BODY_CHUNK,
    HTTP_BODY_CHUNK_CR,
    HTTP_BODY_CHUNK_LF,
    HTTP_BODY_TRAILER_START,
    HTTP_BODY_TRAILER_NAME,
    HTTP_BODY_TRAILER_VALUE,
    HTTP_BODY_TRAILER_LF,
    HTTP_BODY_END_LF,
};

struct http_body {
    enum http_body_state state;
    int64_t left;       /* bytes left of the length, or of the current chunk */
    int digits;         /* digits of the current chunk's size so far */
    int extension;      /* bytes of the current chunk's extensions */
    int extensions_all; /* bytes of all extensions */
    int trailer;        /* bytes of the trailer section */
};

/* Begins a body of `length` bytes, or a chunked one if the length is negative. */
void http_body_init(struct http_body *body, int64_t length);

/* Reads on from the front of `in`, which is advanced, up to the end of the bytes, of the body, or
 * of one run of payload. ret_payload borrows that run from `in` (empty if there was none). Call it
 * while `in` has bytes and the body is not whole. Returns ERR_BAD_REQUEST for bad framing; then the
 * rest of the connection cannot be read. */
enum err http_body_take(struct http_body *body, struct str *in, struct str *ret_payload) MUST_CHECK;

static inline bool http_body_is_whole(const struct http_body *body)
{
    return body->state == HTTP_BODY_WHOLE;
}
