/* This table says how an entry of the log looks on the wire (doc A, section 2). */
#include "domain/event_log/event_log.h"

#include <stddef.h>

static const struct field entry_fields[] = {
    FIELD(struct log_entry, id, FIELD_INTEGER, FIELD_REQUIRED,
          "The number of the entry; the event's id line has the same.", .example = "4711"),
    FIELD(struct log_entry, level, FIELD_ENUM, FIELD_REQUIRED, "How much it matters.",
          .words = log_level_words, .example = "info"),
    FIELD(struct log_entry, message, FIELD_STRING, FIELD_REQUIRED, "What happened.",
          .example = "otp created"),
    FIELD(struct log_entry, fields, FIELD_OBJECT, FIELD_REQUIRED,
          "Details: always `at`, and `request_id` where a request caused it. Numbers are masked, "
          "also within texts, with a mark by which two of them differ, and codes and keys left "
          "out, unless LOG_SENSITIVE is true.",
          .example = "{\"at\":\"2026-11-21T04:33:00.123Z\",\"recipient\":\"+7916***4567 #k3v9\"}"),
};

const struct record log_entry_record = {
    .name = "LogEntry",
    .doc = "An entry of the log.",
    .size = sizeof(struct log_entry),
    RECORD_FIELDS(entry_fields),
};
