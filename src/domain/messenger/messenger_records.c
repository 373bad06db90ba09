/* How claims of messages look on the wire (contract, section 2, rule 9). */
#include "domain/messenger/messenger.h"

#include <stddef.h>

#define EXAMPLE_ID   "\"0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8f\""
#define EXAMPLE_TIME "\"2026-11-21T04:33:00.123Z\""

static const struct field claim_fields[] = {
    {.name = "account_id",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct message_claim_input, account_id),
     .min = 1,
     .max = ACCOUNT_ID_MAX,
     .doc = "The phone's account to claim for.",
     .example = "\"shop-12\""},
};

const struct record message_claim_record = {
    .name = "ClaimMessage",
    .doc = "A phone asks for the next message of one of its accounts.",
    .size = sizeof(struct message_claim_input),
    RECORD_FIELDS(claim_fields),
};

static const struct field job_fields[] = {
    {.name = "id",
     .type = FIELD_UUID,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct message_job, id),
     .doc = "The id of the task: the same id is the same message, to be sent once.",
     .example = EXAMPLE_ID},
    {.name = "lease_id",
     .type = FIELD_UUID,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct message_job, lease_id),
     .doc = "The lease under which the phone holds the task.",
     .example = EXAMPLE_ID},
    {.name = "account_id",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct message_job, account_id),
     .doc = "The account to send from.",
     .example = "\"shop-12\""},
    {.name = "recipient",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct message_job, recipient),
     .format = &format_phone,
     .doc = "The number to send to.",
     .example = "\"+79161234567\""},
    {.name = "text",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED | FIELD_SECRET,
     .offset = offsetof(struct message_job, text),
     .doc = "What to send, to the letter.",
     .example = "\"Your order is ready.\""},
    {.name = "attempt",
     .type = FIELD_INTEGER,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct message_job, attempt),
     .min = 1,
     .max = TASK_SENDS_MAX,
     .doc = "Which send this is.",
     .example = "1"},
    {.name = "lease_expires_at",
     .type = FIELD_TIME,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct message_job, lease_expires_at),
     .doc = "Until when the phone should have answered.",
     .example = EXAMPLE_TIME},
};

static const struct record message_job_record = {
    .name = "MessageJob",
    .doc = "A message for a phone to send.",
    .size = sizeof(struct message_job),
    RECORD_FIELDS(job_fields),
};

static const struct field claim_result_fields[] = {
    {.name = "task",
     .type = FIELD_RECORD,
     .flags = FIELD_REQUIRED | FIELD_NULLABLE,
     .offset = offsetof(struct message_claim_result, task),
     .record = &message_job_record,
     .doc = "The message to send; null when there is none."},
};

const struct record message_claim_result_record = {
    .name = "ClaimMessageResult",
    .doc = "The answer to a claim.",
    .size = sizeof(struct message_claim_result),
    RECORD_FIELDS(claim_result_fields),
};
