/* These tables say how jobs about a person look on the wire (contract, section 10.5). */
#include "core/phone.h"
#include "domain/event_log/event_log.h"
#include "domain/inbound_call/inbound_call.h"
#include "domain/message/message.h"
#include "domain/order/order.h"
#include "domain/otp/otp.h"
#include "domain/subject/subject.h"
#include "kit/json/writer.h"

#include <stddef.h>

static const struct field input_fields[] = {
    FIELD(struct subject_input, phone, FIELD_STRING, FIELD_REQUIRED,
          "The number of the person. Spaces, dashes, dots and brackets may stand in it, and 8 for "
          "+7.",
          .min = 1, .max = PHONE_SPELLED_MAX, .format = &format_spelled_phone,
          .example = "+79161234567"),
};

const struct record subject_input_record = {
    .name = "SubjectInput",
    .doc = "Names a person by the number.",
    .size = sizeof(struct subject_input),
    RECORD_FIELDS(input_fields),
};

static const struct field export_fields[] = {
    FIELD(struct subject_export, codes, FIELD_RECORDS, FIELD_REQUIRED,
          "The codes for the number, without the codes themselves, newest first.",
          .record = &otp_record),
    FIELD(struct subject_export, calls, FIELD_RECORDS, FIELD_REQUIRED,
          "The inbound calls of the number, newest first.", .record = &challenge_record),
    FIELD(struct subject_export, messages, FIELD_RECORDS, FIELD_REQUIRED,
          "The messages to the number, newest first.", .record = &message_record),
    FIELD(struct subject_export, orders, FIELD_RECORDS, FIELD_REQUIRED,
          "The orders whose customer has the number.", .record = &order_delivery_record),
    FIELD(struct subject_export, log_entries, FIELD_RECORDS, FIELD_REQUIRED,
          "The entries of the log that name the number, masked or not, newest first.",
          .record = &log_entry_record),
    FIELD(struct subject_export, is_cut, FIELD_BOOLEAN, FIELD_REQUIRED,
          "Whether there are more of a kind: 2,000 are shown at most, and fewer where all would be "
          "too "
          "long. The lists of records have the rest.",
          .example = "false"),
};

const struct record subject_export_record = {
    .name = "SubjectExport",
    .doc = "All that is held of a number.",
    .size = sizeof(struct subject_export),
    RECORD_FIELDS(export_fields),
};

#define COUNT_ROW(member, meaning) \
    FIELD(struct subject_job, member, FIELD_INTEGER, FIELD_REQUIRED, meaning, .example = "3")

static const struct field job_fields[] = {
    FIELD(struct subject_job, id, FIELD_UUID, FIELD_REQUIRED, "The id to ask for it by."),
    FIELD(struct subject_job, kind, FIELD_ENUM, FIELD_REQUIRED, "What was asked for.",
          .words = subject_kind_words),
    FIELD(struct subject_job, state, FIELD_ENUM, FIELD_REQUIRED, "Whether it is done.",
          .words = subject_state_words, .example = "done"),
    FIELD(struct subject_job, phase, FIELD_ENUM, FIELD_REQUIRED | FIELD_NULLABLE,
          "What it is at; null when it is done.", .words = subject_phase_words, .example = "null"),
    COUNT_ROW(codes, "How many codes were erased, or found."),
    COUNT_ROW(calls, "How many inbound calls."),
    COUNT_ROW(messages, "How many messages."),
    COUNT_ROW(orders, "How many orders, with those that wait."),
    COUNT_ROW(orders_waiting,
              "How many of the orders were still to be delivered: they are erased as soon as they "
              "are."),
    COUNT_ROW(log_entries, "How many entries of the log."),
    FIELD(struct subject_job, created_at, FIELD_TIME, FIELD_REQUIRED, "When it was asked for."),
    FIELD(struct subject_job, updated_at, FIELD_TIME, FIELD_REQUIRED, "When it last went on."),
    FIELD(struct subject_job, finished_at, FIELD_TIME, FIELD_REQUIRED | FIELD_NULLABLE,
          "When it was done."),
    FIELD(struct subject_job, found, FIELD_RECORD, FIELD_REQUIRED | FIELD_NULLABLE,
          "What an export found, for 24 hours.", .record = &subject_export_record,
          .example = "null"),
};

const struct record subject_job_record = {
    .name = "SubjectJob",
    .doc = "How far the erasure or the export of what is held of a number is.",
    .size = sizeof(struct subject_job),
    RECORD_FIELDS(job_fields),
};

const char *subject_export_write(const struct subject_export *found, struct arena *arena)
{
    struct json_writer writer;
    AUTO_BUF text = {0};

    buf_init(&text, SUBJECT_EXPORT_MAX);
    json_writer_init(&writer, &text);
    record_encode(&subject_export_record, found, &writer);
    return text.is_full ? NULL : arena_str(arena, buf_view(&text));
}

struct subject_export *subject_export_read(const char *text, struct arena *arena)
{
    struct subject_export *found = ARENA_NEW(arena, struct subject_export);
    struct record_faults *faults = ARENA_NEW(arena, struct record_faults);

    record_faults_init(faults, arena);
    return record_decode_answer(&subject_export_record, str_of(text), arena, found, faults) ? NULL
                                                                                            : found;
}
