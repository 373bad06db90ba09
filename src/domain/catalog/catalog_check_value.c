/* Values of attributes by the types of their definitions (doc B, section 2; contract, section 5
 * "References" and "Numbers"). */
#include "domain/catalog/catalog_check_parts.h"
#include "kit/json/decimal.h"
#include "kit/json/iso_time.h"
#include "kit/json/number.h"

#include <stdio.h>
#include <string.h>

enum { REASON_MAX = 200 };

static const struct flaw not_string = {.type = "string_type",
                                       .message = "Input should be a valid string"};
static const struct flaw not_number = {.type = "float_type",
                                       .message = "Input should be a valid number"};
static const struct flaw not_integer = {.type = "int_type",
                                        .message = "Input should be a valid integer"};
static const struct flaw not_boolean = {.type = "bool_type",
                                        .message = "Input should be a valid boolean"};
static const struct flaw not_date = {.type = "date_type",
                                     .message = "Input should be a valid date"};
static const struct flaw too_many_digits = {
    .type = "decimal_max_digits",
    .message = "Decimal input should have no more than 21 digits in total",
    .ctx = "{\"max_digits\":21}",
};
static const struct flaw too_many_whole = {
    .type = "decimal_whole_digits",
    .message = "Decimal input should have no more than 15 digits before the decimal point",
    .ctx = "{\"whole_digits\":15}",
};
static const struct flaw too_many_places = {
    .type = "decimal_max_places",
    .message = "Decimal input should have no more than 6 decimal places",
    .ctx = "{\"decimal_places\":6}",
};
static const struct flaw not_whole = {
    .type = "int_from_float",
    .message = "Input should be a valid integer, got a number with a fractional part",
};
static const struct flaw too_large = {
    .type = "int_parsing_size",
    .message = "Unable to parse input string as an integer, exceeded maximum size",
};
static_assert(DECIMAL_WHOLE_MAX == 15 && DECIMAL_PLACES_MAX == 6, "as the messages say");

static const struct flaw *judge_decimal(const struct scalar *value)
{
    char decimal[DECIMAL_SIZE];

    if (value->kind != SCALAR_NUMBER) return &not_number;
    switch (decimal_read(str_of(value->text), decimal)) {
    case DECIMAL_TOO_MANY_DIGITS:
        return &too_many_digits;
    case DECIMAL_TOO_MANY_WHOLE:
        return &too_many_whole;
    case DECIMAL_TOO_MANY_PLACES:
        return &too_many_places;
    case DECIMAL_OK:
        break;
    }
    return NULL;
}

static bool has_fraction(struct str number)
{
    AUTO_BUF normal;

    buf_init(&normal, number.len + NUMBER_GROWTH);
    number_normalize(number, &normal);
    const char *exponent = memchr(normal.data, 'e', normal.len);
    return exponent && exponent[1] == '-';
}

/* By value: 1e2 is an integer. */
static const struct flaw *judge_integer(const struct scalar *value)
{
    int64_t integer;

    if (value->kind != SCALAR_NUMBER) return &not_integer;
    if (number_to_int64(str_of(value->text), &integer)) return NULL;
    return has_fraction(str_of(value->text)) ? &not_whole : &too_large;
}

static const struct flaw *judge(enum catalog_value_type type, const struct scalar *value)
{
    bool is_string = value->kind == SCALAR_STRING;

    switch (type) {
    case VALUE_STRING:
        return is_string ? NULL : &not_string;
    case VALUE_DECIMAL:
        return judge_decimal(value);
    case VALUE_INTEGER:
        return judge_integer(value);
    case VALUE_BOOLEAN:
        return value->kind == SCALAR_BOOLEAN ? NULL : &not_boolean;
    case VALUE_DATE:
        return is_string ? NULL : &not_date;
    case VALUE_ENUM:
        break;
    }
    return NULL;
}

/* YYYY-MM-DD, of a day that there is. */
static void check_date(struct record_stream *stream, const struct place *place,
                       const struct scalar *value)
{
    char message[REASON_MAX], ctx[REASON_MAX];
    const char *reason;

    if (iso_date_is_valid(str_of(value->text), &reason)) return;
    snprintf(message, sizeof(message), "Input should be a valid date in the format YYYY-MM-DD, %s",
             reason);
    snprintf(ctx, sizeof(ctx), "{\"error\":\"%s\"}", reason); /* of ours, without quotes */
    check_fault(
        stream, place, "value",
        &(struct flaw){.type = "date_parsing", .message = message, .ctx = ctx, .scalar = value});
}

void check_value(struct record_stream *stream, const struct place *place,
                 enum catalog_value_type type, const struct scalar *value)
{
    const struct flaw *found = judge(type, value);

    if (found) {
        struct flaw flaw = *found;
        flaw.scalar = value;
        check_fault(stream, place, "value", &flaw);
    } else if (type == VALUE_DATE) {
        check_date(stream, place, value);
    }
}
