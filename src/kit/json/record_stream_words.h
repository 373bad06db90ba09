/* What pydantic v2 says of values that do not fit their kind: the part of a fault that is the same
 * wherever the value stands. */
#pragma once

#include "kit/json/decimal.h"
#include "kit/json/record.h"

struct stream_words {
    const char *type, *message;
    const char *ctx; /* a JSON object, or NULL */
};

/* That it is of another kind than the field's; not for FIELD_ENUM and FIELD_WORD, whose words
 * are the field's. */
const struct stream_words *stream_kind_words(enum field_type type);
/* Of a number that is no decimal; NULL for DECIMAL_OK. */
const struct stream_words *stream_decimal_words(enum decimal_verdict verdict);
/* Of a number that number_to_int64 does not take. */
const struct stream_words *stream_integer_words(struct str number);
