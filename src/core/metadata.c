/* The keys of metadata have a form, so that other systems can take them for names. */
#include "core/metadata.h"

static bool is_key_char(char c)
{
    bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return is_letter || str_is_digit(c) || c == '_' || c == '-' || c == '.' || c == ':';
}

static bool is_key(struct str key)
{
    for (size_t i = 0; i < key.len; i++) {
        if (!is_key_char(key.data[i])) return false;
    }
    return key.len >= 1 && key.len <= METADATA_KEY_MAX;
}

const struct field_format format_metadata_key = {
    .is_valid = is_key,
    .message = "A key must have 1 to 40 letters of ASCII, digits, and _, -, . or :.",
    .pattern = "^[A-Za-z0-9_.:-]{1,40}$",
};
