/* Single values of records: one function a type, each with the sentence that says what to send. */
#include "kit/json/record_value.h"

#include "kit/base/clock.h"
#include "kit/json/decimal.h"
#include "kit/json/number.h"

#include <inttypes.h>

enum { MESSAGE_MAX = 2000 };

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

const char *limits_check(const struct limits *limits, const char *noun, size_t count,
                         struct arena *arena)
{
    bool is_low = limits->has_min && (int64_t)count < limits->min;
    bool is_high = limits->has_max && (int64_t)count > limits->max;
    if (!is_low && !is_high) return NULL;

    bool is_exact = limits->has_min && limits->has_max && limits->min == limits->max;
    int64_t bound = is_low ? limits->min : limits->max;
    return arena_printf(arena, "Must have %s %" PRId64 " %s%s; this has %zu.",
                        is_exact ? "exactly"
                        : is_low ? "at least"
                                 : "at most",
                        bound, noun, bound == 1 ? "" : "s", count);
}

static const char *integer_message(const struct field *field, struct arena *arena)
{
    struct limits limits = field_limits(field);

    if (limits.has_max)
        return arena_printf(arena, "Must be an integer between %" PRId64 " and %" PRId64 ".",
                            limits.min, limits.max);
    if (limits.has_min)
        return arena_printf(arena, "Must be an integer of at least %" PRId64 ".", limits.min);
    return "Must be an integer.";
}

static const char *enum_message(const struct field *field, struct arena *arena)
{
    AUTO_BUF message = {0};

    buf_init(&message, MESSAGE_MAX);
    buf_text(&message, "Must be one of: ");
    for (size_t i = 0; field->words[i]; i++)
        buf_printf(&message, "%s%s", i > 0 ? ", " : "", field->words[i]);
    buf_char(&message, '.');
    return arena_str(arena, buf_view(&message));
}

static const char *decimal_message(const struct field *field)
{
    if (field->flags & FIELD_SHARE)
        return "Must be a number from 0 to 1 with at most 6 digits after the point.";
    if (field->flags & FIELD_POSITIVE)
        return "Must be a number above 0 with at most 15 digits before the point and 6 after it.";
    if (field->flags & FIELD_NOT_NEGATIVE)
        return "Must be a number of at least 0 with at most 15 digits before the point and 6 after "
               "it.";
    return "Must be a number with at most 15 digits before the point and 6 after it.";
}

const char *field_type_message(const struct field *field, bool is_item, struct arena *arena)
{
    switch (field->type) {
    case FIELD_STRING:
        return "Must be a string.";
    case FIELD_STRINGS:
        return is_item ? "Must be a string." : "Must be a list of strings.";
    case FIELD_RECORDS:
        return is_item ? "Must be an object." : "Must be a list of objects.";
    case FIELD_RECORD:
    case FIELD_OBJECT:
        return "Must be an object.";
    case FIELD_INTEGER:
        return integer_message(field, arena);
    case FIELD_BOOLEAN:
    case FIELD_TRISTATE:
        return "Must be true or false.";
    case FIELD_TIME:
        return "Must be a time with a time zone (RFC 3339), such as 2026-11-21T04:33:00.123Z.";
    case FIELD_UUID:
        return "Must be a UUID.";
    case FIELD_ENUM:
    case FIELD_WORD:
        return enum_message(field, arena);
    case FIELD_STRING_OR_INTEGER:
        return "Must be a string or an integer.";
    case FIELD_DECIMAL:
        return decimal_message(field);
    case FIELD_SCALAR:
        return "Must be a string, a number, true or false.";
    }
    assert(false && "a field type without a message");
    return "";
}

static const char *take_string(const struct field *field, struct str text, struct arena *arena,
                               const char **slot)
{
    struct limits limits = field_limits(field);
    const char *message = limits_check(&limits, "character", utf8_length(text), arena);

    if (message) return message;
    if (field->format && !field->format->is_valid(text)) return field->format->message;
    *slot = arena_str(arena, text);
    return NULL;
}

static bool take_integer(const struct field *field, struct str text, int64_t *slot)
{
    struct limits limits = field_limits(field);
    int64_t value;

    if (!number_to_int64(text, &value)) return false;
    if (limits.has_min && value < limits.min) return false;
    if (limits.has_max && value > limits.max) return false;
    *slot = value;
    return true;
}

/* Limits of a FIELD_STRING_OR_INTEGER are those of the string. */
static bool take_integer_digits(struct str text, struct arena *arena,
                                struct string_or_integer *slot)
{
    int64_t value;

    if (!number_to_int64(text, &value)) return false;
    slot->text = arena_printf(arena, "%" PRId64, value);
    slot->is_integer = true;
    return true;
}

static bool take_decimal(const struct field *field, struct str text, struct arena *arena,
                         const char **slot)
{
    char decimal[DECIMAL_SIZE];

    if (decimal_read(text, decimal) != DECIMAL_OK) return false;
    bool is_refused_zero = (field->flags & FIELD_POSITIVE) && decimal_is_zero(decimal);
    bool has_sign = field->flags & (FIELD_POSITIVE | FIELD_NOT_NEGATIVE);
    if (is_refused_zero || (has_sign && decimal_is_negative(decimal))) return false;
    if ((field->flags & FIELD_SHARE) && !decimal_is_share(decimal)) return false;
    *slot = arena_text(arena, decimal);
    return true;
}

static bool take_scalar(enum json_token token, struct str text, struct arena *arena,
                        struct scalar *slot)
{
    if (token == JSON_NULL) return false;
    slot->kind = token == JSON_STRING   ? SCALAR_STRING
                 : token == JSON_NUMBER ? SCALAR_NUMBER
                                        : SCALAR_BOOLEAN;
    if (slot->kind == SCALAR_BOOLEAN)
        slot->text = token == JSON_TRUE ? "true" : "false";
    else
        slot->text = arena_str(arena, text);
    return true;
}

bool field_take_word(const struct field *field, struct str text, int *slot)
{
    for (int i = 0; field->words[i]; i++) {
        if (!str_is(text, field->words[i])) continue;
        *slot = i;
        return true;
    }
    return false;
}

/* What stands for an absent value cannot be given then: it would be lost without a word. */
static bool may_be_absent(const struct field *field)
{
    if (field->flags & FIELD_SINCE) return false;
    return (field->flags & FIELD_NULLABLE) || !(field->flags & FIELD_REQUIRED);
}

const char *field_take_scalar(const struct field *field, bool is_item, enum json_token token,
                              struct str text, struct arena *arena, void *slot)
{
    bool is_string = token == JSON_STRING, is_number = token == JSON_NUMBER;
    bool is_taken = false;
    int index;

    switch (field->type) {
    case FIELD_STRINGS:
        if (is_item && is_string) return take_string(field, text, arena, slot);
        break;
    case FIELD_STRING:
        if (is_string) return take_string(field, text, arena, slot);
        break;
    case FIELD_STRING_OR_INTEGER:
        if (is_string)
            return take_string(field, text, arena, &((struct string_or_integer *)slot)->text);
        is_taken = is_number && take_integer_digits(text, arena, slot);
        break;
    case FIELD_INTEGER:
        is_taken = is_number && take_integer(field, text, slot);
        break;
    case FIELD_BOOLEAN:
        is_taken = token == JSON_TRUE || token == JSON_FALSE;
        if (is_taken) *(bool *)slot = token == JSON_TRUE;
        break;
    case FIELD_TRISTATE:
        is_taken = token == JSON_TRUE || token == JSON_FALSE;
        if (is_taken) *(int *)slot = token == JSON_TRUE;
        break;
    case FIELD_TIME:
        is_taken = is_string && clock_parse(text, slot);
        if (is_taken && may_be_absent(field) && field_is_absent(field, slot))
            return "Must be another moment than 1970-01-01T00:00:00Z.";
        break;
    case FIELD_UUID:
        is_taken = is_string && uuid_parse(text, slot);
        if (is_taken && may_be_absent(field) && field_is_absent(field, slot))
            return "Must be a UUID that is not all zeros.";
        break;
    case FIELD_ENUM:
        is_taken = is_string && field_take_word(field, text, slot);
        break;
    case FIELD_WORD:
        is_taken = is_string && field_take_word(field, text, &index);
        if (is_taken) *(const char **)slot = field->words[index];
        break;
    case FIELD_DECIMAL:
        is_taken = is_number && take_decimal(field, text, arena, slot);
        break;
    case FIELD_SCALAR:
        is_taken = take_scalar(token, text, arena, slot);
        break;
    case FIELD_RECORD:
    case FIELD_RECORDS:
    case FIELD_OBJECT:
        break;
    }
    return is_taken ? NULL : field_type_message(field, is_item, arena);
}

const char *record_take_text(const struct field *field, struct str text, struct arena *arena,
                             void *value)
{
    bool is_boolean = field->type == FIELD_BOOLEAN || field->type == FIELD_TRISTATE;
    enum json_token token = JSON_STRING;
    long long number;

    if (is_boolean && str_is(text, "true")) token = JSON_TRUE;
    if (is_boolean && str_is(text, "false")) token = JSON_FALSE;
    if (field->type == FIELD_INTEGER && str_to_int64(text, &number)) token = JSON_NUMBER;
    return field_take_scalar(field, false, token, text, arena, field_slot(field, value));
}

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
