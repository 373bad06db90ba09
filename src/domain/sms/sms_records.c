/* How claims of SMS look on the wire (doc A, section 2; contract, section 2). */
#include "domain/sms/sms.h"

#include <stddef.h>

#define EXAMPLE_ID   "\"0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8f\""
#define EXAMPLE_TIME "\"2026-11-21T04:33:00.123Z\""

static const struct field claim_fields[] = {
    {.name = "gateway_number",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct sms_claim_input, gateway_number),
     .format = &format_phone,
     .doc = "The phone's number to claim for.",
     .example = "\"+79160000001\""},
    {.name = "sim_ready",
     .type = FIELD_BOOLEAN,
     .flags = FIELD_DEFAULT,
     .offset = offsetof(struct sms_claim_input, sim_ready),
     .default_value = 1,
     .doc = "Whether its SIM can send; good for 60 seconds. False withdraws it and gets no task.",
     .example = "true"},
};

const struct record claim_sms_record = {
    .name = "ClaimSMS",
    .doc = "A phone asks for its next SMS.",
    .size = sizeof(struct sms_claim_input),
    RECORD_FIELDS(claim_fields),
};

static const struct field job_fields[] = {
    {.name = "id",
     .type = FIELD_UUID,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct sms_job, id),
     .doc = "The id of the task: the same id is the same SMS, to be sent once.",
     .example = EXAMPLE_ID},
    {.name = "lease_id",
     .type = FIELD_UUID,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct sms_job, lease_id),
     .doc = "The lease under which the phone holds the task.",
     .example = EXAMPLE_ID},
    {.name = "gateway_number",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct sms_job, gateway_number),
     .format = &format_phone,
     .doc = "The SIM to send from.",
     .example = "\"+79160000001\""},
    {.name = "recipient",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct sms_job, recipient),
     .format = &format_phone,
     .doc = "The number to send to.",
     .example = "\"+79161234567\""},
    {.name = "text",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED | FIELD_SECRET,
     .offset = offsetof(struct sms_job, text),
     .doc = "What to send, to the letter.",
     .example = "\"Код: 493021\""},
    {.name = "attempt",
     .type = FIELD_INTEGER,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct sms_job, attempt),
     .min = 1,
     .max = TASK_SENDS_MAX,
     .doc = "Which send of the code this is.",
     .example = "1"},
    {.name = "lease_expires_at",
     .type = FIELD_TIME,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct sms_job, lease_expires_at),
     .doc = "Until when the phone should have answered.",
     .example = EXAMPLE_TIME},
};

static const struct record sms_job_record = {
    .name = "SMSJob",
    .doc = "An SMS for a phone to send.",
    .size = sizeof(struct sms_job),
    RECORD_FIELDS(job_fields),
};

static const struct field claim_result_fields[] = {
    {.name = "task",
     .type = FIELD_RECORD,
     .flags = FIELD_REQUIRED | FIELD_NULLABLE,
     .offset = offsetof(struct sms_claim_result, task),
     .record = &sms_job_record,
     .doc = "The SMS to send; null when there is none."},
};

const struct record claim_result_record = {
    .name = "ClaimResult",
    .doc = "The answer to a claim.",
    .size = sizeof(struct sms_claim_result),
    RECORD_FIELDS(claim_result_fields),
};
