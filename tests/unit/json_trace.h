/*
 * A text as the reader sees it: every token with its text, offsets and depth, one a line. Two
 * texts, or one text fed in two ways, are told apart by nothing but their traces.
 */
#pragma once

#include "kit/json/reader.h"

#include <stdlib.h>

enum { TRACE_MAX = 64 * 1024 * 1024 };

static const char *const trace_names[] = {
    [JSON_MORE] = "more",      [JSON_FAULT] = "fault",  [JSON_END] = "end",
    [JSON_OBJECT_BEGIN] = "{", [JSON_OBJECT_END] = "}", [JSON_ARRAY_BEGIN] = "[",
    [JSON_ARRAY_END] = "]",    [JSON_KEY] = "key",      [JSON_STRING] = "string",
    [JSON_NUMBER] = "number",  [JSON_TRUE] = "true",    [JSON_FALSE] = "false",
    [JSON_NULL] = "null",
};

static inline void trace_token(const struct json_reader *reader, enum json_token token,
                               struct str text, struct buf *out)
{
    buf_printf(out, "%s %llu", trace_names[token], (unsigned long long)json_offset(reader));
    if (token == JSON_FAULT) {
        buf_printf(out, " %s\n", json_fault(reader));
        return;
    }
    buf_printf(out, "-%llu depth %u", (unsigned long long)json_end_offset(reader),
               json_depth(reader));
    if (token == JSON_KEY || token == JSON_STRING || token == JSON_NUMBER) {
        buf_printf(out, " <%zu:", text.len);
        buf_str(out, text);
        buf_char(out, '>');
    }
    buf_char(out, '\n');
}

/* Feeds `text` in pieces of `piece` bytes; each lies in memory of exactly its size, which is gone
 * when the next one is fed. Gives the last token: JSON_END or JSON_FAULT. */
static inline enum json_token trace_text(struct str text, size_t piece, size_t token_max,
                                         struct buf *out)
{
    struct json_reader *reader = json_reader_new(token_max);
    enum json_token token = JSON_MORE;
    size_t fed = 0;

    while (token == JSON_MORE) {
        size_t len = text.len - fed < piece ? text.len - fed : piece;
        char *copy = malloc(len > 0 ? len : 1);
        if (!copy) abort();
        if (len > 0) memcpy(copy, text.data + fed, len);
        fed += len;
        json_feed(reader, (struct str){copy, len}, fed == text.len);
        do {
            struct str token_text = {0};
            token = json_next(reader, &token_text);
            if (token != JSON_MORE) trace_token(reader, token, token_text, out);
        } while (token > JSON_END);
        free(copy);
    }
    json_reader_free(reader);
    return token;
}
