/* These records say how API keys look on the wire (contract, section 10.1). */
#include "domain/api_key/api_key.h"

#include <stddef.h>

#define EXAMPLE_NAME "Web shop"
#define EXAMPLE_KEY  "hk_3q2-7wECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxw"
#define ROLE_DOC                                                                             \
    "What it may do. core: codes, calls, messages and orders. viewer: reads, with personal " \
    "numbers masked. support: also cancels, retries, releases and sends by SMS as well. "    \
    "operator: "                                                                             \
    "also phones, integrations and clients, and bodies of packages. admin: everything."

/* --- Requests --- */

static const struct field input_fields[] = {
    FIELD(struct api_key_input, name, FIELD_STRING, FIELD_REQUIRED,
          "What people call it: the service or the person that has it.", .min = 1,
          .max = API_KEY_NAME_MAX, .example = EXAMPLE_NAME),
    FIELD(struct api_key_input, role, FIELD_ENUM, FIELD_REQUIRED, ROLE_DOC, .words = role_words,
          .example = "core"),
    FIELD(struct api_key_input, expires_at, FIELD_TIME, FIELD_NULLABLE,
          "When it ends by itself; never if it is left out."),
    FIELD(struct api_key_input, requests_per_minute, FIELD_INTEGER, FIELD_NULLABLE,
          "How many requests a process takes by it in a minute; any number if it is left out.",
          .min = 1, .max = API_KEY_RATE_MAX, .example = "600"),
    FIELD(struct api_key_input, test, FIELD_BOOLEAN, FIELD_DEFAULT,
          "Whether the numbers of HERALD_TEST_NUMBERS are test numbers for it.",
          .default_value = false, .example = "false"),
};

const struct record api_key_input_record = {
    .name = "APIKeyInput",
    .doc = "A key to make.",
    .size = sizeof(struct api_key_input),
    RECORD_FIELDS(input_fields),
};

static const struct field rotation_fields[] = {
    FIELD(struct api_key_rotation, overlap_seconds, FIELD_INTEGER, FIELD_DEFAULT,
          "How long the old key stays good beside the new one. 0: it ends now.", .min = 0,
          .max = API_KEY_OVERLAP_MAX_S, .default_value = 0, .example = "3600"),
};

const struct record api_key_rotation_record = {
    .name = "RotateAPIKey",
    .doc = "Asks for a new key in place of the old one.",
    .size = sizeof(struct api_key_rotation),
    RECORD_FIELDS(rotation_fields),
};

/* --- Answers --- */

#define KEY_MEMBERS                                                                                \
    FIELD(struct api_key, id, FIELD_UUID, FIELD_REQUIRED, "The id of the key."),                   \
        FIELD(struct api_key, name, FIELD_STRING, FIELD_WORDS | FIELD_REQUIRED,                    \
              "What people call it.", .example = EXAMPLE_NAME),                                    \
        FIELD(struct api_key, role, FIELD_ENUM, FIELD_REQUIRED, ROLE_DOC, .words = role_words,     \
              .example = "core"),                                                                  \
        FIELD_AS("test", struct api_key, is_test, FIELD_BOOLEAN, FIELD_REQUIRED,                   \
                 "Whether the numbers of HERALD_TEST_NUMBERS are test numbers for it.",            \
                 .example = "false"),                                                              \
        FIELD(struct api_key, requests_per_minute, FIELD_INTEGER, FIELD_REQUIRED | FIELD_NULLABLE, \
              "How many requests a process takes by it in a minute; null: any number.",            \
              .example = "600"),                                                                   \
        FIELD(struct api_key, created_at, FIELD_TIME, FIELD_REQUIRED, "When it was made."),        \
        FIELD(struct api_key, expires_at, FIELD_TIME, FIELD_REQUIRED | FIELD_NULLABLE,             \
              "When it ends by itself; null: never."),                                             \
        FIELD(struct api_key, rotated_at, FIELD_TIME, FIELD_REQUIRED | FIELD_NULLABLE,             \
              "When it was last rotated; null: never."),                                           \
        FIELD_AS("old_key_until", struct api_key, old_until, FIELD_TIME,                           \
                 FIELD_REQUIRED | FIELD_NULLABLE,                                                  \
                 "Until when the key before the last rotation is good; null if it is not."),       \
        FIELD(struct api_key, revoked_at, FIELD_TIME, FIELD_REQUIRED | FIELD_NULLABLE,             \
              "When it was revoked; null: it was not.")

static const struct field key_fields[] = {KEY_MEMBERS};

const struct record api_key_record = {
    .name = "APIKey",
    .doc = "A key for the internal operations, which nothing but its owner knows.",
    .size = sizeof(struct api_key),
    RECORD_FIELDS(key_fields),
};

static const struct field shown_fields[] = {
    KEY_MEMBERS,
    FIELD(struct api_key, key, FIELD_STRING, FIELD_REQUIRED | FIELD_SECRET,
          "The key. It is shown this once.", .example = EXAMPLE_KEY),
};

const struct record api_key_shown_record = {
    .name = "NewAPIKey",
    .doc = "A key that was just made.",
    .size = sizeof(struct api_key),
    RECORD_FIELDS(shown_fields),
};

static const struct field list_fields[] = {
    FIELD(struct api_key_list, api_keys, FIELD_RECORDS, FIELD_REQUIRED,
          "The keys in order of creation, also those that are over.", .record = &api_key_record),
    PAGE_NEXT_ROW(struct api_key_list),
};

const struct record api_key_list_record = {
    .name = "APIKeyList",
    .doc = "A page of keys.",
    .size = sizeof(struct api_key_list),
    RECORD_FIELDS(list_fields),
};

static const struct field self_fields[] = {
    FIELD(struct api_key_self, kind, FIELD_ENUM, FIELD_REQUIRED,
          "root: the key of INTERNAL_API_KEY. api_key: one of the others.",
          .words = actor_kind_words, .example = "api_key"),
    FIELD(struct api_key_self, id, FIELD_UUID, FIELD_REQUIRED | FIELD_NULLABLE,
          "The id of the key; the root key has none."),
    FIELD(struct api_key_self, name, FIELD_STRING, FIELD_WORDS | FIELD_REQUIRED,
          "What people call it.", .example = EXAMPLE_NAME),
    FIELD(struct api_key_self, role, FIELD_ENUM, FIELD_REQUIRED, ROLE_DOC, .words = role_words,
          .example = "core"),
    FIELD_AS("test", struct api_key_self, is_test, FIELD_BOOLEAN, FIELD_REQUIRED,
             "Whether the numbers of HERALD_TEST_NUMBERS are test numbers for it.",
             .example = "false"),
    FIELD(struct api_key_self, requests_per_minute, FIELD_INTEGER, FIELD_REQUIRED | FIELD_NULLABLE,
          "How many requests a process takes by it in a minute; null: any number.",
          .example = "600"),
    FIELD(struct api_key_self, created_at, FIELD_TIME, FIELD_REQUIRED | FIELD_NULLABLE,
          "When it was made; null: the root key."),
    FIELD(struct api_key_self, expires_at, FIELD_TIME, FIELD_REQUIRED | FIELD_NULLABLE,
          "When it ends by itself; null: never."),
};

const struct record api_key_self_record = {
    .name = "APIKeySelf",
    .doc = "The key that asks.",
    .size = sizeof(struct api_key_self),
    RECORD_FIELDS(self_fields),
};
