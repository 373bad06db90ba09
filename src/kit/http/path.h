/*
 * A request target has segments of a path and pairs of a query, percent-encoded. These functions
 * are pure. Split first and decode after: an encoded '/' or '&' is content and divides nothing.
 */
#pragma once

#include "kit/base/str.h"

/* Takes the next segment off an absolute path: "/a/b" gives "a" and "b", "/a/" gives "a" and "",
 * "/" gives "". The segment is as sent. Returns false at the end, and for a text without a '/'
 * first. */
bool http_path_next(struct str *rest, struct str *ret_segment);

/* Takes the next `name=value` off a query, both as sent; a name alone has an empty value, empty
 * pairs ("a&&b") are left out. Returns false at the end. */
bool http_query_next(struct str *rest, struct str *ret_name, struct str *ret_value);

enum http_decoding {
    HTTP_DECODE_PATH,  /* '+' is itself */
    HTTP_DECODE_QUERY, /* '+' is a space, as forms and queries have it */
};

/* Decodes percent-encoding into `out`, which has room for text.len + 1 and may be text.data
 * itself; the result is NUL-terminated. Returns false, with `out` undefined, for a '%' without two
 * hex digits and for an encoded or plain NUL. The result need not be UTF-8, so check it where that
 * matters. */
bool http_percent_decode(struct str text, enum http_decoding decoding, char *out, size_t *ret_len);
