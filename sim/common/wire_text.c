/* Bytes that nobody vouches for, in the records that a test reads. */
#include "wire_text.h"

#include "kit/json/utf8.h"

void wire_text(struct json_writer *json, struct str bytes, struct arena *arena)
{
    char *text = arena_alloc(arena, bytes.len + 1);
    const char *end = text + bytes.len;

    if (bytes.len > 0) memcpy(text, bytes.data, bytes.len);
    for (char *at = text; at < end;) {
        int len = utf8_measure(at, end);
        if (len <= 0) *at = '?';
        at += len > 0 ? len : 1;
    }
    json_str(json, (struct str){text, bytes.len});
}

void wire_text_put(struct json_writer *json, const char *key, struct str bytes, struct arena *arena)
{
    json_key(json, key);
    wire_text(json, bytes, arena);
}
