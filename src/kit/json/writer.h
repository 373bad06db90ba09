/*
 * Writes JSON into a buf. Commas are placed by the writer; what comes out is always well-formed if
 * begin and end are paired (asserted). Strings must be valid UTF-8; control characters
 * (also U+007F to U+009F), U+2028 and U+2029 are escaped so that no text breaks a line, a frame or
 * a terminal.
 */
#pragma once

#include "kit/base/mask.h"

#include <stdint.h>

/* These write what is personal and the words of people and others; NULL: as they are. */
struct json_masks {
    mask_fn personal, words;
};

struct json_writer {
    struct buf *out;
    uint64_t has_items; /* one bit a level: a comma is due */
    unsigned depth;
    bool is_after_key;
    struct json_masks masks;
};

void json_writer_init(struct json_writer *writer, struct buf *out);

void json_object_begin(struct json_writer *writer);
void json_object_end(struct json_writer *writer);
void json_array_begin(struct json_writer *writer);
void json_array_end(struct json_writer *writer);
void json_key(struct json_writer *writer, const char *key);
/* Writes a string; null where it has no data. */
void json_str(struct json_writer *writer, struct str value);
void json_text(struct json_writer *writer, const char *value);
void json_int(struct json_writer *writer, int64_t value);
void json_bool(struct json_writer *writer, bool value);
void json_null(struct json_writer *writer);
/* Writes a value that is JSON already, or the digits of a number. */
void json_raw(struct json_writer *writer, struct str json);

/* These write key and value in one call. */
void json_put_text(struct json_writer *writer, const char *key, const char *value);
void json_put_int(struct json_writer *writer, const char *key, int64_t value);
void json_put_bool(struct json_writer *writer, const char *key, bool value);
