/* These tables say how the feed looks (contract, section 13.2). */
#include "domain/event/event.h"

const char *const event_from_words[] = {"oldest", "now", NULL};

static const struct field query_fields[] = {
    FIELD(struct event_query, after, FIELD_INTEGER, FIELD_NULLABLE,
          "The number of the last event that was read, `last_seq` of the answer before.", .min = 0,
          .max = INT64_MAX, .example = "4711"),
    FIELD(
        struct event_query, from, FIELD_ENUM, FIELD_DEFAULT,
        "Where to begin without `after`: at the oldest event that is kept, or with what comes from "
        "now on; then the answer has no event and comes at once, and its `last_seq` is where to "
        "go on.",
        .words = event_from_words, .default_value = EVENTS_FROM_OLDEST, .example = "oldest"),
    FIELD(struct event_query, types, FIELD_STRING, 0,
          "Only events of these types, separated by commas; `otp.*` means all of a subject.",
          .min = 1, .max = EVENT_TYPES_LEN_MAX, .example = "otp.confirmed,challenge.*"),
    FIELD(struct event_query, limit, FIELD_INTEGER, FIELD_DEFAULT,
          "How many events to answer with at most; 100 if it is left out.", .min = 1,
          .max = EVENT_LIMIT_MAX, .default_value = EVENT_LIMIT_DEFAULT, .example = "100"),
    FIELD(struct event_query, wait_seconds, FIELD_INTEGER, FIELD_DEFAULT,
          "How long to wait for an event where there is none yet.", .min = 0,
          .max = EVENT_WAIT_MAX_S, .default_value = 0, .example = "20"),
};
const struct record event_query_record = {.size = sizeof(struct event_query),
                                          RECORD_FIELDS(query_fields)};

static const struct field subject_fields[] = {
    FIELD(struct event_subject_ref, type, FIELD_ENUM, FIELD_REQUIRED, "What it is about.",
          .words = event_subject_words, .example = "otp"),
    FIELD(struct event_subject_ref, id, FIELD_STRING, FIELD_REQUIRED,
          "Its id: of a SIM its number, of an account its account_id, of a channel its word, of a "
          "package the id of its integration, a slash and its event_id.",
          .example = "0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8f"),
    FIELD(struct event_subject_ref, sequence, FIELD_INTEGER, FIELD_REQUIRED,
          "It grows by one with each change of the subject that is an event, also while nobody "
          "listens. What has a lower one than an event before is older.",
          .min = 0, .example = "3"),
};
static const struct record subject_record = {
    .name = "EventSubject",
    .doc = "What an event is about.",
    .size = sizeof(struct event_subject_ref),
    RECORD_FIELDS(subject_fields),
};

static const struct field event_fields[] = {
    FIELD(struct event, id, FIELD_UUID, FIELD_REQUIRED,
          "The id of the event, the same wherever it is told."),
    FIELD(struct event, seq, FIELD_INTEGER, FIELD_REQUIRED, "Its number in the feed.", .min = 1,
          .example = "4712"),
    FIELD(struct event, type, FIELD_STRING, FIELD_REQUIRED, "What happened.",
          .example = "otp.confirmed"),
    FIELD(struct event, timestamp, FIELD_TIME, FIELD_WALL | FIELD_REQUIRED, "When it happened."),
    FIELD(struct event, subject, FIELD_RECORD, FIELD_REQUIRED, "What it is about.",
          .record = &subject_record),
    FIELD(
        struct event, data, FIELD_OBJECT, FIELD_REQUIRED | FIELD_NULLABLE,
        "The subject as its GET showed it right after the change: a code, a challenge, a message, "
        "an order, a package without its errors, a channel, an integration; of a SIM and of an "
        "account the phone. Numbers of customers are masked for roles that may not see them. "
        "null: its personal data was erased, or it has more than 18 KiB.",
        .example = "{}"),
};
const struct record event_record = {
    .name = "Event",
    .doc = "A change that was committed.",
    .size = sizeof(struct event),
    RECORD_FIELDS(event_fields),
};

static const struct field list_fields[] = {
    FIELD(struct event_list, events, FIELD_RECORDS, FIELD_REQUIRED, "The events, in order.",
          .record = &event_record),
    FIELD(struct event_list, last_seq, FIELD_INTEGER, FIELD_REQUIRED,
          "`after` of the next request, whether or not there were events of the types.", .min = 0,
          .example = "4712"),
};
const struct record event_list_record = {
    .name = "EventList",
    .doc = "A part of the feed.",
    .size = sizeof(struct event_list),
    RECORD_FIELDS(list_fields),
};
