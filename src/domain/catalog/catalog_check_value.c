/* Values of attributes by the types of their definitions (doc B, section 2; contract, section 5
 * "References" and "Numbers"). */
#include "domain/catalog/catalog_check_parts.h"
#include "kit/json/iso_time.h"
#include "kit/json/number.h"
#include "kit/json/record_stream_words.h"

#include <stdio.h>

enum { REASON_MAX = 200 };

static const struct stream_words *judge_decimal(const struct scalar *value)
{
    char decimal[DECIMAL_SIZE];

    if (value->kind != SCALAR_NUMBER) return stream_kind_words(FIELD_DECIMAL);
    return stream_decimal_words(decimal_read(str_of(value->text), decimal));
}

/* By value: 1e2 is an integer. */
static const struct stream_words *judge_integer(const struct scalar *value)
{
    int64_t integer;

    if (value->kind != SCALAR_NUMBER) return stream_kind_words(FIELD_INTEGER);
    if (number_to_int64(str_of(value->text), &integer)) return NULL;
    return stream_integer_words(str_of(value->text));
}

static const struct stream_words *judge(enum catalog_value_type type, const struct scalar *value)
{
    static const struct stream_words not_date = {"date_type", "Input should be a valid date"};
    bool is_string = value->kind == SCALAR_STRING;

    switch (type) {
    case VALUE_STRING:
        return is_string ? NULL : stream_kind_words(FIELD_STRING);
    case VALUE_DECIMAL:
        return judge_decimal(value);
    case VALUE_INTEGER:
        return judge_integer(value);
    case VALUE_BOOLEAN:
        return value->kind == SCALAR_BOOLEAN ? NULL : stream_kind_words(FIELD_BOOLEAN);
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
    catalog_check_fault(
        stream, place, "value",
        &(struct flaw){.type = "date_parsing", .message = message, .ctx = ctx, .scalar = value});
}

void catalog_check_value(struct record_stream *stream, const struct place *place,
                         enum catalog_value_type type, const struct scalar *value)
{
    const struct stream_words *words = judge(type, value);

    if (words)
        catalog_check_fault(stream, place, "value",
                            &(struct flaw){.type = words->type,
                                           .message = words->message,
                                           .ctx = words->ctx,
                                           .scalar = value});
    else if (type == VALUE_DATE)
        check_date(stream, place, value);
}
