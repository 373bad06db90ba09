/* These records show processes. */
#include "domain/process/process.h"

static const struct field process_fields[] = {
    FIELD(struct process, id, FIELD_UUID, FIELD_REQUIRED, "Its id, a new one at each start."),
    FIELD(struct process, host, FIELD_STRING, FIELD_REQUIRED, "The name of its machine.",
          .example = "herald-1"),
    FIELD(struct process, pid, FIELD_INTEGER, FIELD_REQUIRED, "Its number on that machine.",
          .example = "4711"),
    FIELD(struct process, verb, FIELD_ENUM, FIELD_REQUIRED, "What it was started as.",
          .words = process_verb_words, .example = "api"),
    FIELD(struct process, version, FIELD_STRING, FIELD_REQUIRED, "Its version of herald.",
          .example = "" HERALD_VERSION ""),
    FIELD(struct process, build, FIELD_STRING, FIELD_REQUIRED,
          "Its version and, where the build knew it, the commit; -dirty behind it tells of changes "
          "that were not committed.",
          .example = HERALD_VERSION "+0123456789ab"),
    FIELD(struct process, started_at, FIELD_TIME, FIELD_REQUIRED, "When it was started.",
          .example = "2026-11-21T04:33:00.123Z"),
    FIELD(struct process, last_beat_at, FIELD_TIME, FIELD_REQUIRED,
          "Its last sign of life; one is due every 5 seconds.",
          .example = "2026-11-21T04:35:00.123Z"),
    FIELD(struct process, state, FIELD_ENUM, FIELD_REQUIRED,
          "living: it showed a sign of life within the last 15 seconds. lost: it did not, and it "
          "did not stop in order either.",
          .words = process_state_words, .example = "living"),
    FIELD(struct process, answering, FIELD_BOOLEAN, FIELD_REQUIRED,
          "Whether it is the process that answers."),
};
static const struct record process_record = {
    .name = "Process",
    .doc = "A process of the service.",
    .size = sizeof(struct process),
    RECORD_FIELDS(process_fields),
};

static const struct field process_list_fields[] = {
    FIELD(struct process_list, processes, FIELD_RECORDS, FIELD_REQUIRED,
          "The processes, those that were started first in front.", .record = &process_record),
};
const struct record process_list_record = {
    .name = "ProcessList",
    .doc = "The processes of the service.",
    .size = sizeof(struct process_list),
    RECORD_FIELDS(process_list_fields),
};
