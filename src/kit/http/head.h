/*
 * The head of a request (RFC 9112, sections 2, 3 and 5) is found and read here.
 *
 * These functions are pure: no I/O, no clock, no memory of their own. A head is refused rather than
 * repaired: where two parsers read it in two ways, one request can hide in another.
 */
#pragma once

#include "kit/base/err.h"
#include "kit/base/str.h"

#include <stdint.h>

enum {
    HTTP_HEAD_BYTES_MAX = UINT16_MAX, /* http_span addresses no more; limits stay below it */
    HTTP_TARGET_MAX = 8192,
    HTTP_METHOD_MAX = 32,
    HTTP_EMPTY_LINES_MAX = 4, /* before a request line; RFC 9112, section 2.2 */
};

/* A part of a head, by its place in it. */
struct http_span {
    uint16_t at;
    uint16_t len;
};

struct http_field {
    struct http_span name;
    struct http_span value;
};

struct http_head {
    const char *bytes;
    const struct http_field *fields; /* in the order in which they came */
    int field_count;
    struct http_span method;
    struct http_span path;  /* as sent, without the query, also of an absolute-form target */
    struct http_span query; /* as sent, without the '?' */
    int minor_version;      /* HTTP/1.0 or HTTP/1.1 */
    bool is_chunked;
    bool is_keep_alive;
    bool expects_continue;
    int64_t content_length; /* 0 where there is none */
};

static inline struct str http_head_view(const struct http_head *head, struct http_span span)
{
    return (struct str){head->bytes + span.at, span.len};
}

/* Each part of a request head may hold only bytes of its kind (RFC 9110 and 9112, RFC 3986). */
enum http_char {
    HTTP_CHAR_TOKEN = 1,  /* tchar: methods and header names */
    HTTP_CHAR_VALUE = 2,  /* header values: visible, space, tab, and bytes from 0x80 on */
    HTTP_CHAR_TARGET = 4, /* visible but '#': browsers send more than RFC 3986 grants to queries */
    HTTP_CHAR_HOST = 8,   /* registered names and IPv4; no comma, which would make a list */
    HTTP_CHAR_HEX = 16,
};

extern const uint8_t http_chars[256];

static inline bool http_char_is(char c, enum http_char kind)
{
    return (http_chars[(unsigned char)c] & kind) != 0;
}

/* Takes empty lines off the front of `in` and counts them in `count` over all calls for one
 * request. Returns ERR_BAD_REQUEST beyond HTTP_EMPTY_LINES_MAX. */
enum err http_head_skip_empty_lines(struct str *in, int *count) MUST_CHECK;

/* Says how far the search for the end has come; it is zeroed at the start of each head. */
struct http_head_scan {
    size_t seen;         /* bytes looked at */
    size_t line;         /* start of the current line */
    size_t request_line; /* length of the first line, 0 until it is whole */
};

/* Looks for the empty line at the end of the head that `in` starts with. `ret_len` is the head's
 * length with that line, or 0 if it has not come: then call again with the same bytes and more.
 * Returns ERR_BAD_REQUEST, ERR_URI_TOO_LONG or ERR_HEADERS_TOO_LARGE as soon as it is certain. */
enum err http_head_find_end(struct http_head_scan *scan, struct str in, size_t head_max,
                            size_t *ret_len) MUST_CHECK;

/* Reads a whole head. `fields` has room for `fields_max`; ret_head borrows it and `bytes`. The
 * errors have answers in HTTP: BAD_REQUEST, URI_TOO_LONG, EXPECTATION_FAILED, HEADERS_TOO_LARGE,
 * NOT_IMPLEMENTED, HTTP_VERSION. */
enum err http_head_parse(struct str bytes, struct http_field *fields, int fields_max,
                         struct http_head *ret_head) MUST_CHECK;

/* Reads the fields about framing for http_head_parse: Host, Content-Length, Transfer-Encoding,
 * Connection, Expect (framing.c). */
enum err http_head_read_framing(struct http_head *head) MUST_CHECK;

/* Tells whether `host` is a host with an optional port, not empty (RFC 9110, section 4.2.1). */
bool http_host_is_valid(struct str host);
