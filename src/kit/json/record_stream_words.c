/* The words of pydantic v2 (contract, section 1, exception 1). */
#include "kit/json/record_stream_words.h"

#include "kit/json/number.h"

const struct stream_words *stream_kind_words(enum field_type type)
{
    static const struct stream_words rows[] = {
        [FIELD_STRING] = {"string_type", "Input should be a valid string"},
        [FIELD_INTEGER] = {"int_type", "Input should be a valid integer"},
        [FIELD_BOOLEAN] = {"bool_type", "Input should be a valid boolean"},
        [FIELD_TIME] = {"datetime_type", "Input should be a valid datetime"},
        [FIELD_UUID] = {"uuid_type", "UUID input should be a string"},
        [FIELD_RECORD] = {"dict_type", "Input should be a valid dictionary"},
        [FIELD_RECORDS] = {"list_type", "Input should be a valid list"},
        [FIELD_STRINGS] = {"list_type", "Input should be a valid list"},
        [FIELD_OBJECT] = {"dict_type", "Input should be a valid dictionary"},
        [FIELD_STRING_OR_INTEGER] = {"string_type", "Input should be a valid string"},
        [FIELD_TRISTATE] = {"bool_type", "Input should be a valid boolean"},
        [FIELD_DECIMAL] = {"float_type", "Input should be a valid number"},
        [FIELD_SCALAR] = {"string_type", "Input should be a valid string"},
    };
    assert(type != FIELD_ENUM && type != FIELD_WORD);
    return &rows[type];
}

const struct stream_words *stream_decimal_words(enum decimal_verdict verdict)
{
    static_assert(DECIMAL_WHOLE_MAX == 15 && DECIMAL_PLACES_MAX == 6, "as the sentences say");
    static const struct stream_words rows[] = {
        [DECIMAL_TOO_MANY_DIGITS] = {"decimal_max_digits",
                                     "Decimal input should have no more than 21 digits in total",
                                     "{\"max_digits\":21}"},
        [DECIMAL_TOO_MANY_WHOLE] =
            {"decimal_whole_digits",
             "Decimal input should have no more than 15 digits before the decimal point",
             "{\"whole_digits\":15}"},
        [DECIMAL_TOO_MANY_PLACES] = {"decimal_max_places",
                                     "Decimal input should have no more than 6 decimal places",
                                     "{\"decimal_places\":6}"},
    };
    return verdict == DECIMAL_OK ? NULL : &rows[verdict];
}

const struct stream_words *stream_integer_words(struct str number)
{
    static const struct stream_words not_whole = {
        "int_from_float", "Input should be a valid integer, got a number with a fractional part"};
    static const struct stream_words too_large = {
        "int_parsing_size", "Unable to parse input string as an integer, exceeded maximum size"};
    return number_has_fraction(number) ? &not_whole : &too_large;
}
