/*
 * A JSON Pointer (RFC 6901) names one value of a JSON text. It is for answers of foreign servers,
 * of which a few values matter.
 */
#pragma once

#include "kit/base/arena.h"
#include "kit/json/reader.h"

struct json_value {
    enum json_token type; /* JSON_STRING, JSON_NUMBER, JSON_TRUE, JSON_FALSE, JSON_NULL,
                             JSON_OBJECT_BEGIN, JSON_ARRAY_BEGIN; JSON_END: there is none */
    struct str text;      /* of a string (unescaped) or a number (its digits), in the arena and
                             NUL-terminated */
};

/* Returns whether it is "", or segments that each begin with a slash, and in which only 0 or 1
 * follows a ~. */
bool json_pointer_is_valid(const char *pointer);

/* True if `text` is JSON throughout; then `ret_value` is the value at `pointer` ("" is the whole,
 * "/result/request_id" a member) or has the type JSON_END if there is none. Of a repeated key
 * the first one counts. `pointer` is valid (asserted). */
bool json_find(struct str text, const char *pointer, struct arena *arena,
               struct json_value *ret_value);
