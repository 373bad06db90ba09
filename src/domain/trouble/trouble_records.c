/* These records show troubles. */
#include "domain/trouble/trouble.h"

const char *const trouble_record_type_words[] = {
    "service", "fleet",       "process",          "disk", "channel",
    "device",  "integration", "webhook_endpoint", NULL};
static_assert(COUNT_OF(trouble_record_type_words) == TROUBLE_RECORD_TYPE_COUNT + 1,
              "each type has its word");

#define ID "0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8f"

static const struct field of_fields[] = {
    FIELD(struct trouble_record, type, FIELD_ENUM, FIELD_REQUIRED,
          "What kind of thing it is. service is herald itself, fleet all phones together, disk the "
          "one with the databases.",
          .words = trouble_record_type_words, .example = "device"),
    FIELD(struct trouble_record, id, FIELD_STRING, FIELD_REQUIRED | FIELD_NULLABLE,
          "Its id, of a channel its word; null: there is one alone.", .example = ID),
    FIELD(struct trouble_record, name, FIELD_STRING, FIELD_WORDS | FIELD_REQUIRED | FIELD_NULLABLE,
          "How people call it; null: there is one alone.", .example = "+79160000001 (Shop 12)"),
    FIELD(struct trouble_record, path, FIELD_STRING, FIELD_REQUIRED | FIELD_NULLABLE,
          "The GET that shows more; null: none does.", .example = "/internal/v1/devices/" ID),
    FIELD(struct trouble_record, command, FIELD_STRING, FIELD_REQUIRED,
          "The command that shows more.", .example = "herald admin devices show " ID),
};
static const struct record of_record = {
    .name = "TroubleRecord",
    .doc = "What a trouble concerns, and where to see more of it.",
    .size = sizeof(struct trouble_record),
    RECORD_FIELDS(of_fields),
};

static const struct field trouble_fields[] = {
    FIELD(struct trouble, kind, FIELD_ENUM, FIELD_REQUIRED, "What is wrong, as a word.",
          .words = trouble_kind_words, .example = "sim_silent"),
    FIELD(struct trouble, what, FIELD_STRING, FIELD_WORDS | FIELD_REQUIRED,
          "The same as a sentence.",
          .example = "SIM +79160000001 (Shop 12) is silent: its phone has not been heard of."),
    FIELD(struct trouble, record, FIELD_RECORD, FIELD_REQUIRED, "What it concerns.",
          .record = &of_record),
    FIELD(
        struct trouble, reason, FIELD_STRING, FIELD_REQUIRED | FIELD_NULLABLE,
        "Why, as far as it is known: of a channel or an ERP how a fetch failed last, of a refused "
        "package the code of the answer.",
        .example = "null"),
    FIELD(struct trouble, remedy, FIELD_STRING, FIELD_REQUIRED, "What to do.",
          .example = "See that the phone is on, is charged and has a network."),
    FIELD(struct trouble, since, FIELD_TIME, FIELD_REQUIRED,
          "Since when; where that is not known, since it was found.",
          .example = "2026-11-21T04:33:00.123Z"),
};
const struct record trouble_shown_record = {
    .name = "Trouble",
    .doc = "One thing that is wrong now, and what to do.",
    .size = sizeof(struct trouble),
    RECORD_FIELDS(trouble_fields),
};
