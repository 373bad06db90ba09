/* The writer knows from one bit a level whether a comma is due, and writes strings in runs that
 * need no escape. */
#include "kit/json/writer.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

enum { WRITER_DEPTH_MAX = 64 };

void json_writer_init(struct json_writer *writer, struct buf *out)
{
    *writer = (struct json_writer){.out = out};
}

/* Writes what is due before a value: nothing behind a key, a comma behind an earlier item. */
static void begin_item(struct json_writer *writer)
{
    if (writer->is_after_key) {
        writer->is_after_key = false;
        return;
    }
    if (writer->depth == 0) return;
    uint64_t bit = 1ULL << (writer->depth - 1);
    if (writer->has_items & bit) buf_char(writer->out, ',');
    writer->has_items |= bit;
}

static void begin_level(struct json_writer *writer, char bracket)
{
    assert(writer->depth < WRITER_DEPTH_MAX);
    begin_item(writer);
    buf_char(writer->out, bracket);
    writer->has_items &= ~(1ULL << writer->depth++);
}

static void end_level(struct json_writer *writer, char bracket)
{
    assert(writer->depth > 0 && !writer->is_after_key);
    writer->depth--;
    buf_char(writer->out, bracket);
}

void json_object_begin(struct json_writer *writer)
{
    begin_level(writer, '{');
}

void json_object_end(struct json_writer *writer)
{
    end_level(writer, '}');
}

void json_array_begin(struct json_writer *writer)
{
    begin_level(writer, '[');
}

void json_array_end(struct json_writer *writer)
{
    end_level(writer, ']');
}

/* Returns the length of the character at the front of `rest` if it must be escaped, else 0. */
static size_t measure_special(struct str rest)
{
    unsigned char first = (unsigned char)rest.data[0];

    if (first < 0x20 || first == '"' || first == '\\' || first == 0x7F) return 1;
    if (first == 0xC2 && rest.len >= 2 && (unsigned char)rest.data[1] < 0xA0) return 2;
    if (first != 0xE2 || rest.len < 3) return 0;
    if (memcmp(rest.data, "\u2028", 3) == 0 || memcmp(rest.data, "\u2029", 3) == 0) return 3;
    return 0;
}

static void write_special(struct buf *out, struct str special)
{
    static const char plain[] = "\"\\\b\f\n\r\t";
    static const char names[] = "\"\\bfnrt";
    unsigned char first = (unsigned char)special.data[0];

    if (special.len == 3) {
        buf_text(out, special.data[2] == '\xA8' ? "\\u2028" : "\\u2029");
        return;
    }
    if (special.len == 2) {
        buf_printf(out, "\\u%04x", (unsigned)(unsigned char)special.data[1]);
        return;
    }
    const char *found = memchr(plain, first, sizeof(plain) - 1);
    if (!found) {
        buf_printf(out, "\\u%04x", (unsigned)first);
        return;
    }
    buf_char(out, '\\');
    buf_char(out, names[found - plain]);
}

static void write_quoted(struct buf *out, struct str value)
{
    size_t from = 0;

    buf_char(out, '"');
    for (size_t i = 0; i < value.len;) {
        size_t len = measure_special((struct str){value.data + i, value.len - i});
        if (len == 0) {
            i++;
            continue;
        }
        buf_append(out, value.data + from, i - from);
        write_special(out, (struct str){value.data + i, len});
        i += len;
        from = i;
    }
    if (value.len > from) buf_append(out, value.data + from, value.len - from);
    buf_char(out, '"');
}

void json_key(struct json_writer *writer, const char *key)
{
    assert(writer->depth > 0 && !writer->is_after_key);
    begin_item(writer);
    write_quoted(writer->out, str_of(key));
    buf_char(writer->out, ':');
    writer->is_after_key = true;
}

void json_str(struct json_writer *writer, struct str value)
{
    if (!value.data) {
        json_null(writer);
        return;
    }
    begin_item(writer);
    write_quoted(writer->out, value);
}

void json_text(struct json_writer *writer, const char *value)
{
    json_str(writer, str_of(value));
}

void json_raw(struct json_writer *writer, struct str json)
{
    begin_item(writer);
    buf_str(writer->out, json);
}

void json_int(struct json_writer *writer, int64_t value)
{
    char digits[24];
    int len = snprintf(digits, sizeof(digits), "%" PRId64, value);
    json_raw(writer, (struct str){digits, (size_t)len});
}

void json_bool(struct json_writer *writer, bool value)
{
    json_raw(writer, value ? STR("true") : STR("false"));
}

void json_null(struct json_writer *writer)
{
    json_raw(writer, STR("null"));
}

void json_put_text(struct json_writer *writer, const char *key, const char *value)
{
    json_key(writer, key);
    json_text(writer, value);
}

void json_put_int(struct json_writer *writer, const char *key, int64_t value)
{
    json_key(writer, key);
    json_int(writer, value);
}

void json_put_bool(struct json_writer *writer, const char *key, bool value)
{
    json_key(writer, key);
    json_bool(writer, value);
}
