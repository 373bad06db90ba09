/*
 * Codes, challenges, messages and orders carry what the caller wants to find again on them
 * (contract, section 11.6): an object of strings that herald keeps and gives back, and never looks
 * into. It may hold anything, so the log has none of it.
 */
#pragma once

#include "kit/json/record.h"

enum {
    METADATA_KEYS_MAX = 16,
    METADATA_KEY_MAX = 40, /* characters */
    METADATA_MAX = 512,    /* bytes of all of it as JSON */
};
extern const struct field_format format_metadata_key;

/* The row of a request, and that of an answer, where it is left out if there is none. The member is
 * its JSON text, as it is stored; NULL: none. */
#define METADATA_INPUT_ROW(owner)                                                                 \
    METADATA_ROW_WITH(owner, 0,                                                                   \
                      "What you want to find on it again, such as your own ids: at most 16 "      \
                      "strings under keys of 1 to 40 letters, digits, and `_`, `-`, `.` or `:`, " \
                      "and 512 bytes as JSON. It is kept as it is, in no log, and not sent on.")
#define METADATA_ROW(owner)                                 \
    METADATA_ROW_WITH(owner, FIELD_OMIT_NULL | FIELD_WORDS, \
                      "What was given with its creation; left out if that was nothing.")
#define METADATA_ROW_WITH(owner, flags, meaning)                                      \
    FIELD(owner, metadata, FIELD_MAP, flags, meaning, .items_max = METADATA_KEYS_MAX, \
          .max = METADATA_MAX, .format = &format_metadata_key, .example = "{\"cart\":\"81f3\"}")
