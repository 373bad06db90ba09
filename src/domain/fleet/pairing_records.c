/* These tables say how pairing looks on the wire (contract, section 15.1). */
#include "domain/fleet/pairing.h"

#include <stddef.h>

#define EXAMPLE_CODE "40718265"

static bool is_code(struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (!str_is_digit(text.data[i])) return false;
    }
    return text.len == PAIRING_CODE_LEN;
}

static const struct field_format format_code = {
    .is_valid = is_code,
    .message = "Must be the 8 digits of a pairing code.",
    .pattern = "^[0-9]{8}$",
};

static const struct field pairing_fields[] = {
    FIELD(struct pairing, code, FIELD_STRING, FIELD_REQUIRED | FIELD_SECRET,
          "The code to enter on the phone. It is good once.", .format = &format_code,
          .example = EXAMPLE_CODE),
    FIELD(struct pairing, expires_at, FIELD_TIME, FIELD_REQUIRED, "Until when it is good."),
    FIELD(struct pairing, url, FIELD_STRING, FIELD_REQUIRED | FIELD_SECRET,
          "A page that says what to enter on the phone.",
          .example = "https://herald.example/pair?code=" EXAMPLE_CODE),
    FIELD(struct pairing, qr_svg, FIELD_STRING, FIELD_REQUIRED | FIELD_SECRET,
          "The link as a QR code, an SVG image.",
          .example = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 41 41\"></svg>"),
};

const struct record pairing_record = {
    .name = "Pairing",
    .doc = "A code by which a phone gets its key.",
    .size = sizeof(struct pairing),
    RECORD_FIELDS(pairing_fields),
};

static const struct field input_fields[] = {
    FIELD(struct pairing_input, code, FIELD_STRING, FIELD_REQUIRED | FIELD_SECRET,
          "The code that the operator was shown.", .format = &format_code, .example = EXAMPLE_CODE),
};

const struct record pairing_input_record = {
    .name = "PairingInput",
    .doc = "A phone is paired.",
    .size = sizeof(struct pairing_input),
    RECORD_FIELDS(input_fields),
};

static const struct field page_fields[] = {
    FIELD(struct pairing_input, code, FIELD_STRING, FIELD_SECRET,
          "The code to show; it is not looked at.", .format = &format_code, .min = PAIRING_CODE_LEN,
          .max = PAIRING_CODE_LEN, .example = EXAMPLE_CODE),
};

const struct record pairing_page_query = {.size = sizeof(struct pairing_input),
                                          RECORD_FIELDS(page_fields)};
