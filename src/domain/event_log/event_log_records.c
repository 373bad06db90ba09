/* How an entry of the log looks on the wire (doc A, section 2). */
#include "domain/event_log/event_log.h"

#include <stddef.h>

static const struct field entry_fields[] = {
    {.name = "id",
     .type = FIELD_INTEGER,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct log_entry, id),
     .doc = "The number of the entry; the event's id line has the same.",
     .example = "4711"},
    {.name = "level",
     .type = FIELD_ENUM,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct log_entry, level),
     .words = log_level_words,
     .doc = "How much it matters.",
     .example = "\"info\""},
    {.name = "message",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct log_entry, message),
     .doc = "What happened.",
     .example = "\"otp created\""},
    {.name = "fields",
     .type = FIELD_OBJECT,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct log_entry, fields),
     .doc = "Details: always `at`, and `request_id` where a request caused it. Numbers are masked, "
            "also within texts, with a mark by which two of them differ, and codes and keys left "
            "out, unless LOG_SENSITIVE is true.",
     .example = "{\"at\":\"2026-11-21T04:33:00.123Z\",\"recipient\":\"+7916***4567 #k3v9\"}"},
};

const struct record log_entry_record = {
    .name = "LogEntry",
    .doc = "An entry of the log.",
    .size = sizeof(struct log_entry),
    RECORD_FIELDS(entry_fields),
};
