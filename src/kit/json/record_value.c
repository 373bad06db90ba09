/* A function for each type checks its values and gives the verdict. */
#include "kit/json/record_value.h"

#include "kit/base/clock.h"
#include "kit/json/decimal.h"
#include "kit/json/iso_time.h"
#include "kit/json/number.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    SHORT_TEXT_MAX = 255,
    DIGITS_SIZE = 24,       /* of an int64, with the NUL */
    INT64_SAFE_DIGITS = 18, /* so many never overflow */
};

struct limits field_limits(const struct field *field)
{
    bool has_any = field->min != 0 || field->max != 0;
    return (struct limits){.has_min = has_any,
                           .has_max = has_any && field->max >= field->min,
                           .min = field->min,
                           .max = field->max};
}

struct limits field_item_limits(const struct field *field)
{
    return (struct limits){.has_min = field->items_min > 0,
                           .has_max = field->items_max > 0,
                           .min = field->items_min,
                           .max = field->items_max};
}

/* --- Texts --- */

#ifndef HERALD_SANITIZED
static bool make_room(struct field_source *source, size_t len)
{
    size_t size = source->chunk_size > len ? source->chunk_size : len + 1;

    source->chunk = field_take_memory(source, size, 1);
    source->chunk_left = source->chunk ? size : 0;
    return source->chunk != NULL;
}
#endif

const char *field_keep_text(struct field_source *source, struct str text)
{
#ifndef HERALD_SANITIZED
    if (text.len <= SHORT_TEXT_MAX) {
        if (source->chunk_left <= text.len && !make_room(source, text.len)) return NULL;
        char *copy = source->chunk;
        memcpy(copy, text.data, text.len);
        copy[text.len] = '\0';
        source->chunk += text.len + 1;
        source->chunk_left -= text.len + 1;
        return copy;
    }
#endif
    char *copy = field_take_memory(source, text.len + 1, 1);
    if (copy && text.len > 0) memcpy(copy, text.data, text.len);
    return copy;
}

/* --- Verdicts --- */

static bool refuse(struct field_source *source, struct verdict verdict)
{
    source->verdict = verdict;
    return false;
}

static bool refuse_as(struct field_source *source, enum record_flaw flaw)
{
    return refuse(source, (struct verdict){flaw});
}

/* Limits are of characters; most texts are so short, or so long, that their bytes need no count. */
static bool check_length(struct field_source *source, const struct field *field)
{
    int64_t bytes = (int64_t)source->text.len;
    int64_t min = field->min;
    bool has_max = field->max >= min && field->max > 0;
    bool is_long_enough = bytes >= (min > 1 ? 4 * min : min);

    if (is_long_enough && (!has_max || bytes <= field->max)) return true;
    size_t count = utf8_length(source->text);
    if ((int64_t)count < min)
        return refuse(source, (struct verdict){FLAW_TOO_SHORT, .limit = min, .count = count});
    if (has_max && (int64_t)count > field->max)
        return refuse(source, (struct verdict){FLAW_TOO_LONG, .limit = field->max, .count = count});
    return true;
}

static bool take_string(struct field_source *source, const struct field *field, const char **slot)
{
    if (!check_length(source, field)) return false;
    const struct field_format *format = field->format;
    if (format && !format->is_valid(source->text)) {
        bool explains = format->explain != NULL;
        const char *reason = explains ? format->explain(source->text, source->arena) : NULL;
        return refuse(source, (struct verdict){FLAW_FORMAT, .reason = reason});
    }
    *slot = field_keep_text(source, source->text);
    return true;
}

/* Nearly all integers are sent as plain digits. */
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

/* An integer is one by its value: 1e2 and 100.0 are 100. */
static enum record_flaw read_integer(struct str text, int64_t *ret_value)
{
    if (read_plain_integer(text, ret_value)) return FLAW_NONE;
    if (number_to_int64(text, ret_value)) return FLAW_NONE;
    return number_has_fraction(text) ? FLAW_FRACTION : FLAW_NO_INT64;
}

static bool take_integer(struct field_source *source, const struct field *field, int64_t *slot)
{
    struct limits limits = field_limits(field);
    int64_t value;

    enum record_flaw flaw = read_integer(source->text, &value);
    if (flaw) return refuse_as(source, flaw);
    if (limits.has_min && value < limits.min)
        return refuse(source, (struct verdict){FLAW_TOO_SMALL, .limit = limits.min});
    if (limits.has_max && value > limits.max)
        return refuse(source, (struct verdict){FLAW_TOO_LARGE, .limit = limits.max});
    *slot = value;
    return true;
}

/* Writes the integer as plain digits. */
static enum record_flaw read_digits(struct str text, char ret_digits[static DIGITS_SIZE])
{
    int64_t value;

    enum record_flaw flaw = read_integer(text, &value);
    if (!flaw) snprintf(ret_digits, DIGITS_SIZE, "%" PRId64, value);
    return flaw;
}

/* The limits of a FIELD_STRING_OR_INTEGER are those of the string. */
static bool take_string_or_integer(struct field_source *source, const struct field *field,
                                   struct string_or_integer *slot)
{
    char digits[DIGITS_SIZE];

    if (source->token == JSON_STRING) return take_string(source, field, &slot->text);
    enum record_flaw flaw = read_digits(source->text, digits);
    if (flaw) return refuse_as(source, flaw);
    slot->text = field_keep_text(source, str_of(digits));
    slot->is_integer = true;
    return true;
}

static enum record_flaw read_decimal(struct str text, char ret_decimal[static DECIMAL_SIZE])
{
    static const enum record_flaw flaws[] = {[DECIMAL_OK] = FLAW_NONE,
                                             [DECIMAL_TOO_MANY_DIGITS] = FLAW_DIGITS,
                                             [DECIMAL_TOO_MANY_WHOLE] = FLAW_WHOLE_DIGITS,
                                             [DECIMAL_TOO_MANY_PLACES] = FLAW_PLACES};
    return flaws[decimal_read(text, ret_decimal)];
}

static bool take_decimal(struct field_source *source, const struct field *field, const char **slot)
{
    char decimal[DECIMAL_SIZE];

    enum record_flaw flaw = read_decimal(source->text, decimal);
    if (flaw) return refuse_as(source, flaw);
    bool is_negative = decimal_is_negative(decimal);
    if ((field->flags & FIELD_POSITIVE) && (is_negative || decimal_is_zero(decimal)))
        return refuse_as(source, FLAW_NOT_MORE);
    if ((field->flags & FIELD_NOT_NEGATIVE) && is_negative)
        return refuse_as(source, FLAW_TOO_SMALL);
    if ((field->flags & FIELD_SHARE) && !decimal_is_share(decimal))
        return refuse_as(source, FLAW_NO_SHARE);
    *slot = field_keep_text(source, str_of(decimal));
    return true;
}

/* The value that stands for an absent one cannot be given then: it would be lost without a word. */
static bool refuses_null(const struct field_source *source, const struct field *field)
{
    if ((field->flags & FIELD_SINCE) || (source->rules & DECODE_PYDANTIC)) return false;
    return (field->flags & FIELD_NULLABLE) || !(field->flags & FIELD_REQUIRED);
}

/* All requests have one reader of times (contract, section 1 "Times"). */
static bool take_time(struct field_source *source, const struct field *field, int64_t *slot)
{
    struct verdict verdict = {FLAW_TIME};

    switch (iso_time_read(source->text, slot, &verdict.reason)) {
    case ISO_TIME_OK:
        break;
    case ISO_TIME_WITHOUT_ZONE:
        return refuse_as(source, FLAW_TIME_WITHOUT_ZONE);
    case ISO_TIME_BAD:
        return refuse(source, verdict);
    }
    bool is_null = *slot == 0 && refuses_null(source, field);
    if (!(field->flags & FIELD_WALL)) *slot = clock_from_wall(*slot);
    return is_null ? refuse_as(source, FLAW_NULL_TIME) : true;
}

static bool take_uuid(struct field_source *source, const struct field *field, struct uuid *slot)
{
    if (!uuid_parse(source->text, slot)) return refuse_as(source, FLAW_UUID);
    bool is_null = uuid_is_nil(slot) && refuses_null(source, field);
    return is_null ? refuse_as(source, FLAW_NULL_UUID) : true;
}

static int find_word(const struct field_source *source, const struct field *field)
{
    const char *const *words = field_words(source, field);
    struct str text = source->text;
    char digits[DIGITS_SIZE];

    if (source->token == JSON_NUMBER) {
        if (read_digits(text, digits)) return -1;
        text = str_of(digits);
    }
    for (int i = 0; words[i]; i++) {
        if (str_is(text, words[i])) return i;
    }
    return -1;
}

static bool take_enum(struct field_source *source, const struct field *field, int *slot)
{
    int word = find_word(source, field);

    if (word < 0) return refuse_as(source, FLAW_KIND);
    *slot = word;
    return true;
}

static bool take_word(struct field_source *source, const struct field *field, const char **slot)
{
    int word = find_word(source, field);

    bool takes_any = source->rules & (DECODE_KNOWN | DECODE_ANY_WORD);

    if (word < 0 && !takes_any) return refuse_as(source, FLAW_KIND);
    *slot = word < 0 ? field_keep_text(source, source->text) : field_words(source, field)[word];
    return true;
}

static bool take_scalar(struct field_source *source, struct scalar *slot)
{
    if (source->token == JSON_TRUE || source->token == JSON_FALSE) {
        *slot = (struct scalar){SCALAR_BOOLEAN, source->token == JSON_TRUE ? "true" : "false"};
        return true;
    }
    slot->kind = source->token == JSON_STRING ? SCALAR_STRING : SCALAR_NUMBER;
    slot->text = field_keep_text(source, source->text);
    return true;
}

enum {
    STRING = 1 << JSON_STRING,
    NUMBER = 1 << JSON_NUMBER,
    BOOLEAN = 1 << JSON_TRUE | 1 << JSON_FALSE,
};

/* Each type takes these tokens; a list has those of its items. */
static const unsigned tokens_of[] = {
    [FIELD_STRING] = STRING,
    [FIELD_INTEGER] = NUMBER,
    [FIELD_BOOLEAN] = BOOLEAN,
    [FIELD_TIME] = STRING,
    [FIELD_UUID] = STRING,
    [FIELD_ENUM] = STRING,
    [FIELD_WORD] = STRING,
    [FIELD_RECORD] = 0,
    [FIELD_RECORDS] = 0,
    [FIELD_STRINGS] = STRING,
    [FIELD_OBJECT] = 0,
    [FIELD_MAP] = 0,
    [FIELD_STRING_OR_INTEGER] = STRING | NUMBER,
    [FIELD_TRISTATE] = BOOLEAN,
    [FIELD_DECIMAL] = NUMBER,
    [FIELD_SCALAR] = STRING | NUMBER | BOOLEAN,
};

static bool is_of_kind(const struct field_source *source, const struct field *field, bool is_item)
{
    unsigned tokens = tokens_of[field->type];

    if (field->flags & FIELD_NUMBER_WORDS) tokens |= NUMBER;
    return (tokens >> source->token & 1) && (is_item || field->type != FIELD_STRINGS);
}

bool field_take(struct field_source *source, const struct field *field, bool is_item, void *slot)
{
    if (!is_of_kind(source, field, is_item)) return refuse_as(source, FLAW_KIND);
    switch (field->type) {
    case FIELD_STRING:
    case FIELD_STRINGS:
        return take_string(source, field, slot);
    case FIELD_DECIMAL:
        return take_decimal(source, field, slot);
    case FIELD_INTEGER:
        return take_integer(source, field, slot);
    case FIELD_BOOLEAN:
        *(bool *)slot = source->token == JSON_TRUE;
        return true;
    case FIELD_TRISTATE:
        *(int *)slot = source->token == JSON_TRUE;
        return true;
    case FIELD_TIME:
        return take_time(source, field, slot);
    case FIELD_UUID:
        return take_uuid(source, field, slot);
    case FIELD_ENUM:
        return take_enum(source, field, slot);
    case FIELD_WORD:
        return take_word(source, field, slot);
    case FIELD_STRING_OR_INTEGER:
        return take_string_or_integer(source, field, slot);
    case FIELD_SCALAR:
        return take_scalar(source, slot);
    case FIELD_RECORD:
    case FIELD_RECORDS:
    case FIELD_OBJECT:
    case FIELD_MAP:
        break;
    }
    return refuse_as(source, FLAW_KIND);
}

enum record_flaw field_judge(enum field_type type, enum json_token token, struct str text)
{
    char decimal[DECIMAL_SIZE];
    int64_t integer;

    if (!(tokens_of[type] >> token & 1)) return FLAW_KIND;
    if (type == FIELD_INTEGER) return read_integer(text, &integer);
    return type == FIELD_DECIMAL ? read_decimal(text, decimal) : FLAW_NONE;
}

/* --- What is absent --- */

void field_take_null(const struct field *field, void *slot)
{
    /* The others are absent already. */
    if (field->type == FIELD_ENUM || field->type == FIELD_TRISTATE) *(int *)slot = -1;
    if (field->type == FIELD_INTEGER) *(int64_t *)slot = -1;
    if (field->flags & FIELD_NULL_EMPTY) *(const char **)slot = "";
}

static void clear_field(const struct field *field, void *slot)
{
    bool has_default = field->flags & FIELD_DEFAULT;
    bool has_null = field->flags & FIELD_NULLABLE;

    assert(!has_default || field->type == FIELD_INTEGER || field->type == FIELD_BOOLEAN ||
           field->type == FIELD_ENUM);
    if (field->type == FIELD_ENUM) *(int *)slot = has_default ? (int)field->default_value : -1;
    if (field->type == FIELD_TRISTATE) *(int *)slot = -1;
    if (field->type == FIELD_INTEGER && has_null) *(int64_t *)slot = -1;
    if (field->type == FIELD_INTEGER && has_default) *(int64_t *)slot = field->default_value;
    if (field->type == FIELD_BOOLEAN && has_default) *(bool *)slot = field->default_value != 0;
}

void record_clear(const struct record *record, void *value)
{
    memset(value, 0, record->size);
    for (size_t i = 0; i < record->field_count; i++)
        clear_field(&record->fields[i], field_slot(&record->fields[i], value));
}

bool field_is_absent(const struct field *field, const void *slot)
{
    switch (field->type) {
    case FIELD_STRING:
    case FIELD_DECIMAL:
    case FIELD_WORD:
    case FIELD_MAP:
        return *(const char *const *)slot == NULL;
    case FIELD_SCALAR:
        return ((const struct scalar *)slot)->kind == SCALAR_NONE;
    case FIELD_STRING_OR_INTEGER:
        return ((const struct string_or_integer *)slot)->text == NULL;
    case FIELD_RECORD:
        return *(const void *const *)slot == NULL;
    case FIELD_RECORDS:
    case FIELD_STRINGS:
        return ((const struct record_list *)slot)->items == NULL;
    case FIELD_OBJECT:
        return ((const struct str *)slot)->data == NULL;
    case FIELD_TIME:
        return *(const int64_t *)slot == 0;
    case FIELD_UUID:
        return uuid_is_nil(slot);
    case FIELD_ENUM:
    case FIELD_TRISTATE:
        return *(const int *)slot < 0;
    case FIELD_INTEGER:
        return (field->flags & FIELD_NULLABLE) && *(const int64_t *)slot == -1;
    case FIELD_BOOLEAN:
        return false;
    }
    return false;
}
