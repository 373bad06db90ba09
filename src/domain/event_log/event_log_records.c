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

enum { Q_MAX = 200, REQUEST_ID_MAX = 128 };

static const struct field filter_fields[] = {
    FIELD(struct log_filter, level, FIELD_ENUM, 0, "The least level of the entries wanted.",
          .words = log_level_words, .example = "warning"),
    FIELD(
        struct log_filter, q, FIELD_STRING, 0,
        "Only entries whose message, or a value of whose fields, contains this, in whatever case. "
        "A whole number is found, too, though the log shows it masked.",
        .min = 1, .max = Q_MAX, .example = "otp"),
    FIELD(struct log_filter, request_id, FIELD_STRING, 0,
          "Only entries of the request with this X-Request-Id.", .min = 1, .max = REQUEST_ID_MAX,
          .example = "checkout-81f3"),
    FIELD(struct log_filter, otp_id, FIELD_UUID, 0, "Only entries about the code with this id."),
    FIELD(struct log_filter, since, FIELD_TIME, FIELD_SINCE, "Only entries from this time on.",
          .example = "2026-11-21T04:33:00.123Z"),
    FIELD(struct log_filter, until, FIELD_TIME, FIELD_SINCE, "Only entries from before this time.",
          .example = "2026-11-22T04:33:00.123Z"),
    PAGE_LIMIT_ROW(struct log_filter),
    PAGE_NUMBER_CURSOR_ROW(struct log_filter),
};

const struct record log_filter_query = {.size = sizeof(struct log_filter),
                                        RECORD_FIELDS(filter_fields)};

static const struct field list_fields[] = {
    FIELD(
        struct log_entry_list, entries, FIELD_RECORDS, FIELD_REQUIRED,
        "Newest first. One request looks at 20,000 entries at most, so a page may have fewer than "
        "`limit`, or none, while `next_cursor` leads on.",
        .record = &log_entry_record),
    PAGE_NEXT_ROW(struct log_entry_list),
};

const struct record log_entry_list_record = {
    .name = "LogEntryList",
    .doc = "A page of the log.",
    .size = sizeof(struct log_entry_list),
    RECORD_FIELDS(list_fields),
};
