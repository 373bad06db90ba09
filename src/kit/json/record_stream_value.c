/*
 * Single values of streams: one function a type. Faults have the types and sentences of pydantic v2
 * (contract, section 1, exception 1).
 */
#include "kit/json/iso_time.h"
#include "kit/json/number.h"
#include "kit/json/record_stream_parts.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    SHORT_TEXT_MAX = 255,
    SHORT_TEXTS_SIZE = 2000, /* of an allocation that several share */
    CTX_MAX = 200,
    INT64_SAFE_DIGITS = 18, /* so many never overflow */
};

#ifndef HERALD_SANITIZED
/* All texts of a known text are hardly longer than itself. */
static bool make_room(struct record_stream *stream, size_t len)
{
    size_t known_len = stream->is_known ? stream->options.token_max : SHORT_TEXTS_SIZE;
    size_t size = known_len < SHORT_TEXTS_SIZE ? known_len : SHORT_TEXTS_SIZE;

    if (size <= len) size = len + 1;
    stream->short_texts = stream_take_memory(stream, size, 1);
    stream->short_texts_left = stream->short_texts ? size : 0;
    return stream->short_texts != NULL;
}
#endif

const char *stream_keep_text(struct record_stream *stream, struct str text)
{
#ifndef HERALD_SANITIZED
    if (text.len <= SHORT_TEXT_MAX) {
        if (stream->short_texts_left <= text.len && !make_room(stream, text.len)) return NULL;
        char *copy = stream->short_texts;
        memcpy(copy, text.data, text.len);
        copy[text.len] = '\0';
        stream->short_texts += text.len + 1;
        stream->short_texts_left -= text.len + 1;
        return copy;
    }
#endif
    char *copy = stream_take_memory(stream, text.len + 1, 1);
    if (copy && text.len > 0) memcpy(copy, text.data, text.len);
    return copy;
}

/* A fault whose context is one number. */
static void fault_limit(struct record_stream *stream, const char *type, const char *key,
                        int64_t limit, const char *message)
{
    char ctx[CTX_MAX];

    snprintf(ctx, sizeof(ctx), "{\"%s\":%" PRId64 "}", key, limit);
    stream_fault_value(stream, type, ctx, "%s", message);
}

static void fault_length(struct record_stream *stream, bool is_short, int64_t limit)
{
    char message[CTX_MAX];

    snprintf(message, sizeof(message), "String should have at %s %" PRId64 " character%s",
             is_short ? "least" : "most", limit, limit == 1 ? "" : "s");
    fault_limit(stream, is_short ? "string_too_short" : "string_too_long",
                is_short ? "min_length" : "max_length", limit, message);
}

static void fault_format(struct record_stream *stream, const struct field_format *format)
{
    struct json_writer writer;
    AUTO_BUF ctx = {0};

    if (!format->pattern) {
        stream_fault_value(stream, "value_error", NULL, "Value error, %s", format->message);
        return;
    }
    buf_init(&ctx, 6 * strlen(format->pattern) + CTX_MAX);
    json_writer_init(&writer, &ctx);
    json_object_begin(&writer);
    json_put_text(&writer, "pattern", format->pattern);
    json_object_end(&writer);
    buf_char(&ctx, '\0');
    stream_fault_value(stream, "string_pattern_mismatch", ctx.data,
                       "String should match pattern '%s'", format->pattern);
}

/* Limits are of characters; most texts are so short, or so long, that their bytes need no count. */
static bool check_length(struct record_stream *stream, const struct field *field, struct str text)
{
    int64_t bytes = (int64_t)text.len;
    int64_t min = field->min;
    bool has_max = field->max >= min && field->max > 0;
    bool is_long_enough = bytes >= (min > 1 ? 4 * min : min);

    if (is_long_enough && (!has_max || bytes <= field->max)) return true;
    int64_t count = (int64_t)utf8_length(text);
    bool is_short = count < min;
    if (!is_short && (!has_max || count <= field->max)) return true;
    fault_length(stream, is_short, is_short ? min : field->max);
    return false;
}

static void take_string(struct record_stream *stream, const struct field *field, const char **slot)
{
    if (!check_length(stream, field, stream->text)) return;
    if (field->format && !field->format->is_valid(stream->text)) {
        fault_format(stream, field->format);
        return;
    }
    *slot = stream_keep_text(stream, stream->text);
}

/* Plain digits, as nearly all integers are sent. */
static bool read_plain_integer(struct str text, int64_t *ret_value)
{
    bool is_negative = text.data[0] == '-';
    int64_t value = 0;

    if (text.len > INT64_SAFE_DIGITS) return false;
    for (size_t i = is_negative; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9') return false;
        value = value * 10 + (text.data[i] - '0');
    }
    *ret_value = is_negative ? -value : value;
    return true;
}

/* By value: 1e2 and 100.0 are 100. */
static bool read_integer(struct record_stream *stream, int64_t *ret_value)
{
    if (read_plain_integer(stream->text, ret_value)) return true;
    if (number_to_int64(stream->text, ret_value)) return true;
    stream_fault_words(stream, stream_integer_words(stream->text));
    return false;
}

static void take_integer(struct record_stream *stream, const struct field *field, int64_t *slot)
{
    struct limits limits = field_limits(field);
    char message[CTX_MAX];
    int64_t value;

    if (!read_integer(stream, &value)) return;
    bool is_low = limits.has_min && value < limits.min;
    bool is_high = limits.has_max && value > limits.max;
    if (!is_low && !is_high) {
        *slot = value;
        return;
    }
    int64_t limit = is_low ? limits.min : limits.max;
    snprintf(message, sizeof(message), "Input should be %s than or equal to %" PRId64,
             is_low ? "greater" : "less", limit);
    fault_limit(stream, is_low ? "greater_than_equal" : "less_than_equal", is_low ? "ge" : "le",
                limit, message);
}

static void take_decimal(struct record_stream *stream, const struct field *field, const char **slot)
{
    char decimal[DECIMAL_SIZE];
    unsigned flags = field->flags;

    const struct stream_words *words = stream_decimal_words(decimal_read(stream->text, decimal));
    if (words) {
        stream_fault_words(stream, words);
        return;
    }
    bool is_negative = decimal_is_negative(decimal);
    if ((flags & FIELD_POSITIVE) && (is_negative || decimal_is_zero(decimal)))
        fault_limit(stream, "greater_than", "gt", 0, "Input should be greater than 0");
    else if ((flags & FIELD_NOT_NEGATIVE) && is_negative)
        fault_limit(stream, "greater_than_equal", "ge", 0,
                    "Input should be greater than or equal to 0");
    else
        *slot = stream_keep_text(stream, str_of(decimal));
}

static void take_time(struct record_stream *stream, int64_t *slot)
{
    const char *reason = "";
    char ctx[CTX_MAX];

    switch (iso_time_read(stream->text, slot, &reason)) {
    case ISO_TIME_OK:
        return;
    case ISO_TIME_WITHOUT_ZONE:
        stream_fault_value(stream, "timezone_aware", NULL, "Input should have timezone info");
        return;
    case ISO_TIME_BAD:
        break;
    }
    snprintf(ctx, sizeof(ctx), "{\"error\":\"%s\"}", reason); /* of ours, without quotes */
    stream_fault_value(stream, "datetime_parsing", ctx, "Input should be a valid datetime, %s",
                       reason);
}

static void take_uuid(struct record_stream *stream, struct uuid *slot)
{
    if (uuid_parse(stream->text, slot)) return;
    stream_fault_value(stream, "uuid_parsing", NULL, "Input should be a valid UUID");
}

/* What was checked before may be a word that is none any more. */
static bool take_text_word(struct record_stream *stream, const struct field *field,
                           const char **slot)
{
    const char *const *words = stream_words_of(stream, field);

    for (size_t i = 0; words[i]; i++) {
        if (!str_is(stream->text, words[i])) continue;
        *slot = words[i];
        return true;
    }
    if (stream->is_known) *slot = stream_keep_text(stream, stream->text);
    return stream->is_known;
}

static void take_number_or_string(struct record_stream *stream, const struct field *field,
                                  struct string_or_integer *slot)
{
    int64_t value;
    char digits[24];

    if (stream->token == JSON_STRING) {
        take_string(stream, field, &slot->text);
        return;
    }
    if (!read_integer(stream, &value)) return;
    snprintf(digits, sizeof(digits), "%" PRId64, value);
    slot->text = stream_keep_text(stream, str_of(digits));
    slot->is_integer = true;
}

static void take_any(struct record_stream *stream, struct scalar *slot)
{
    if (stream->token == JSON_TRUE || stream->token == JSON_FALSE) {
        *slot = (struct scalar){SCALAR_BOOLEAN, stream->token == JSON_TRUE ? "true" : "false"};
        return;
    }
    slot->kind = stream->token == JSON_STRING ? SCALAR_STRING : SCALAR_NUMBER;
    slot->text = stream_keep_text(stream, stream->text);
}

/* Whether the token at hand is one that the field takes. */
static bool is_of_kind(const struct record_stream *stream, const struct field *field, bool is_item)
{
    enum json_token token = stream->token;
    bool is_boolean = token == JSON_TRUE || token == JSON_FALSE;

    switch (field->type) {
    case FIELD_STRINGS:
        return is_item && token == JSON_STRING;
    case FIELD_STRING:
    case FIELD_TIME:
    case FIELD_UUID:
    case FIELD_ENUM:
        return token == JSON_STRING;
    case FIELD_INTEGER:
    case FIELD_DECIMAL:
        return token == JSON_NUMBER;
    case FIELD_STRING_OR_INTEGER:
        return token == JSON_STRING || token == JSON_NUMBER;
    case FIELD_BOOLEAN:
    case FIELD_TRISTATE:
        return is_boolean;
    case FIELD_WORD:
        return token == JSON_STRING ||
               (token == JSON_NUMBER && (field->flags & FIELD_NUMBER_WORDS));
    case FIELD_SCALAR:
        return token == JSON_STRING || token == JSON_NUMBER || is_boolean;
    case FIELD_RECORD:
    case FIELD_RECORDS:
    case FIELD_OBJECT:
        break;
    }
    return false;
}

void stream_take_scalar(struct record_stream *stream, const struct field *field, bool is_item,
                        void *slot)
{
    if (!is_of_kind(stream, field, is_item)) {
        stream_fault_kind(stream, field, is_item);
        return;
    }
    switch (field->type) {
    case FIELD_STRING:
    case FIELD_STRINGS:
        take_string(stream, field, slot);
        break;
    case FIELD_DECIMAL:
        take_decimal(stream, field, slot);
        break;
    case FIELD_INTEGER:
        take_integer(stream, field, slot);
        break;
    case FIELD_BOOLEAN:
        *(bool *)slot = stream->token == JSON_TRUE;
        break;
    case FIELD_TRISTATE:
        *(int *)slot = stream->token == JSON_TRUE;
        break;
    case FIELD_ENUM:
        if (!field_take_word(field, stream->text, slot)) stream_fault_kind(stream, field, is_item);
        break;
    case FIELD_WORD:
        if (!take_text_word(stream, field, slot)) stream_fault_kind(stream, field, is_item);
        break;
    case FIELD_TIME:
        take_time(stream, slot);
        break;
    case FIELD_UUID:
        take_uuid(stream, slot);
        break;
    case FIELD_STRING_OR_INTEGER:
        take_number_or_string(stream, field, slot);
        break;
    case FIELD_SCALAR:
        take_any(stream, slot);
        break;
    case FIELD_RECORD:
    case FIELD_RECORDS:
    case FIELD_OBJECT:
        break;
    }
}
