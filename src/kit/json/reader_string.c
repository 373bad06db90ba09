/*
 * Most of a large document is text that stands for itself, so this is the loop that sets the
 * reader's speed: it takes eight ASCII bytes at a time, and the two bytes of each Cyrillic letter
 * in a tight loop.
 */
#include "kit/json/reader_string.h"

#include <endian.h>
#include <stdbool.h>

#define EACH_BYTE(byte) (0x0101010101010101ULL * (byte))

/* Sets the high bit of each byte that is not plain ASCII text. The lowest bit set is exact; those
 * above it may be carries. */
static uint64_t find_special(uint64_t word)
{
    uint64_t control = word - EACH_BYTE(0x20);
    uint64_t quote = (word ^ EACH_BYTE('"')) - EACH_BYTE(1);
    uint64_t backslash = (word ^ EACH_BYTE('\\')) - EACH_BYTE(1);
    return (word | control | quote | backslash) & EACH_BYTE(0x80);
}

static bool is_plain_ascii(char c)
{
    return (unsigned char)c >= 0x20 && (unsigned char)c < 0x80 && c != '"' && c != '\\';
}

static const char *skip_ascii(const char *at, const char *end)
{
    while (end - at >= 8) {
        uint64_t word;
        memcpy(&word, at, sizeof(word));
        uint64_t special = find_special(le64toh(word));
        if (special) return at + __builtin_ctzll(special) / 8;
        at += 8;
    }
    while (at < end && is_plain_ascii(*at))
        at++;
    return at;
}

static const char *skip_two_byte_letters(const char *at, const char *end)
{
    while (end - at >= 2 && (unsigned char)at[0] >= 0xC2 && (unsigned char)at[0] <= 0xDF &&
           ((unsigned char)at[1] & 0xC0) == 0x80)
        at += 2;
    return at;
}

const char *string_skip_plain(const char *at, const char *end)
{
    for (;;) {
        at = skip_ascii(at, end);
        if (at == end || (unsigned char)*at < 0x80) return at;
        const char *after = skip_two_byte_letters(at, end);
        if (after == at) {
            int len = utf8_measure(at, end);
            if (len <= 0) return at;
            after = at + len;
        }
        at = after;
    }
}

static enum unit_verdict bad_unit(struct unit *ret_unit, const char *fault)
{
    ret_unit->fault = fault;
    return UNIT_BAD;
}

static enum unit_verdict write_unit(struct unit *ret_unit, uint32_t point, size_t source_len)
{
    ret_unit->len = utf8_encode(point, ret_unit->bytes);
    ret_unit->source_len = source_len;
    return UNIT_OK;
}

/* Reads four digits, at source[from]. */
static enum unit_verdict read_hex(struct str source, size_t from, uint32_t *ret_value)
{
    uint32_t value = 0;

    for (size_t i = from; i < from + 4; i++) {
        if (i >= source.len) return UNIT_MORE;
        int digit = str_hex_value(source.data[i]);
        if (digit < 0) return UNIT_BAD;
        value = value << 4 | (uint32_t)digit;
    }
    *ret_value = value;
    return UNIT_OK;
}

/* Reads the second half of a pair, at source[6]. */
static enum unit_verdict read_low_surrogate(struct str source, uint32_t high, struct unit *ret_unit)
{
    static const char lone[] = "A \\u surrogate has no other half.";
    uint32_t low = 0;

    if (source.len < 7) return UNIT_MORE;
    if (source.data[6] != '\\') return bad_unit(ret_unit, lone);
    if (source.len < 8) return UNIT_MORE;
    if (source.data[7] != 'u') return bad_unit(ret_unit, lone);
    enum unit_verdict verdict = read_hex(source, 8, &low);
    if (verdict == UNIT_MORE) return UNIT_MORE;
    if (verdict == UNIT_BAD || low < 0xDC00 || low > 0xDFFF) return bad_unit(ret_unit, lone);
    return write_unit(ret_unit, 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00), UNIT_LEN_MAX);
}

static enum unit_verdict read_unicode_escape(struct str source, struct unit *ret_unit)
{
    uint32_t point;
    enum unit_verdict verdict = read_hex(source, 2, &point);

    if (verdict == UNIT_MORE) return UNIT_MORE;
    if (verdict == UNIT_BAD) return bad_unit(ret_unit, "\\u needs four hexadecimal digits.");
    if (point == 0) return bad_unit(ret_unit, "\\u0000 is not allowed in strings.");
    if (point >= 0xD800 && point <= 0xDBFF) return read_low_surrogate(source, point, ret_unit);
    if (point >= 0xDC00 && point <= 0xDFFF)
        return bad_unit(ret_unit, "A \\u surrogate has no other half.");
    return write_unit(ret_unit, point, 6);
}

static enum unit_verdict read_escape(struct str source, struct unit *ret_unit)
{
    static const char names[] = "\"\\/bfnrt";
    static const char values[] = "\"\\/\b\f\n\r\t";

    if (source.len < 2) return UNIT_MORE;
    if (source.data[1] == 'u') return read_unicode_escape(source, ret_unit);
    const char *name = memchr(names, source.data[1], sizeof(names) - 1);
    if (!name)
        return bad_unit(ret_unit, "After a backslash only \" \\ / b f n r t and u are allowed.");
    return write_unit(ret_unit, (unsigned char)values[name - names], 2);
}

enum unit_verdict string_read_unit(struct str source, struct unit *ret_unit)
{
    if (source.data[0] == '\\') return read_escape(source, ret_unit);
    if ((unsigned char)source.data[0] < 0x20)
        return bad_unit(ret_unit, "A control character in a string must be escaped.");
    int len = utf8_measure(source.data, source.data + source.len);
    if (len < 0) return bad_unit(ret_unit, "The bytes are not valid UTF-8.");
    if (len == 0) return UNIT_MORE;
    memcpy(ret_unit->bytes, source.data, (size_t)len);
    ret_unit->len = len;
    ret_unit->source_len = (size_t)len;
    return UNIT_OK;
}
