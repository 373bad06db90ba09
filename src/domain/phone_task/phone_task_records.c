/* These tables say how claimed tasks and reports look on the wire (doc A, section 2; contract,
 * section 2). */
#include "domain/phone_task/phone_task.h"

#include <stddef.h>

#define EXAMPLE_ID   "0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8f"
#define EXAMPLE_TIME "2026-11-21T04:33:00.123Z"

/* --- Claimed tasks ---------------------------------------------------------------------------- */

/* SMSJob and MessageJob have these rows, and differ in their sender. */
#define JOB_FIELDS(sender_name, sender_format, sender_doc, sender_example, text_example) \
    {.name = "id",                                                                       \
     .type = FIELD_UUID,                                                                 \
     .flags = FIELD_REQUIRED,                                                            \
     .offset = offsetof(struct claimed_task, id),                                        \
     .doc = "The id of the task: the same id is the same text, to be sent once.",        \
     .example = EXAMPLE_ID},                                                             \
        {.name = "lease_id",                                                             \
         .type = FIELD_UUID,                                                             \
         .flags = FIELD_REQUIRED,                                                        \
         .offset = offsetof(struct claimed_task, lease_id),                              \
         .doc = "The lease under which the phone holds the task.",                       \
         .example = EXAMPLE_ID},                                                         \
        {.name = (sender_name),                                                          \
         .type = FIELD_STRING,                                                           \
         .flags = FIELD_REQUIRED,                                                        \
         .offset = offsetof(struct claimed_task, sender),                                \
         .format = (sender_format),                                                      \
         .doc = (sender_doc),                                                            \
         .example = (sender_example)},                                                   \
        {.name = "recipient",                                                            \
         .type = FIELD_STRING,                                                           \
         .flags = FIELD_REQUIRED,                                                        \
         .offset = offsetof(struct claimed_task, recipient),                             \
         .format = &format_e164,                                                         \
         .doc = "The number to send to.",                                                \
         .example = "+79161234567"},                                                     \
        {.name = "text",                                                                 \
         .type = FIELD_STRING,                                                           \
         .flags = FIELD_REQUIRED | FIELD_SECRET,                                         \
         .offset = offsetof(struct claimed_task, text),                                  \
         .doc = "What to send, to the letter.",                                          \
         .example = (text_example)},                                                     \
        {.name = "attempt",                                                              \
         .type = FIELD_INTEGER,                                                          \
         .flags = FIELD_REQUIRED,                                                        \
         .offset = offsetof(struct claimed_task, attempt),                               \
         .min = 1,                                                                       \
         .max = PHONE_TASK_SENDS_MAX,                                                    \
         .doc = "Which send of it this is.",                                             \
         .example = "1"},                                                                \
        {.name = "lease_expires_at",                                                     \
         .type = FIELD_TIME,                                                             \
         .flags = FIELD_REQUIRED,                                                        \
         .offset = offsetof(struct claimed_task, lease_expires_at),                      \
         .doc = "Until when the phone should have answered.",                            \
         .example = EXAMPLE_TIME},

static const struct field sms_job_fields[] = {JOB_FIELDS(
    "gateway_number", &format_phone, "The SIM to send from.", "+79160000001", "Код: 493021")};

static const struct field message_job_fields[] = {
    JOB_FIELDS("account_id", NULL, "The account to send from.", "shop-12", "Your order is ready.")};

static const struct record sms_job_record = {
    .name = "SMSJob",
    .doc = "An SMS for a phone to send.",
    .size = sizeof(struct claimed_task),
    RECORD_FIELDS(sms_job_fields),
};

static const struct record message_job_record = {
    .name = "MessageJob",
    .doc = "A message for a phone to send.",
    .size = sizeof(struct claimed_task),
    RECORD_FIELDS(message_job_fields),
};

static const struct field sms_claim_result_fields[] = {
    FIELD(struct phone_task_claim_result, task, FIELD_RECORD, FIELD_REQUIRED | FIELD_NULLABLE,
          "The SMS to send; null when there is none.", .record = &sms_job_record),
};

static const struct field message_claim_result_fields[] = {
    FIELD(struct phone_task_claim_result, task, FIELD_RECORD, FIELD_REQUIRED | FIELD_NULLABLE,
          "The message to send; null when there is none.", .record = &message_job_record),
};

const struct record claim_result_record = {
    .name = "ClaimResult",
    .doc = "The answer to a claim.",
    .size = sizeof(struct phone_task_claim_result),
    RECORD_FIELDS(sms_claim_result_fields),
};

const struct record message_claim_result_record = {
    .name = "ClaimMessageResult",
    .doc = "The answer to a claim.",
    .size = sizeof(struct phone_task_claim_result),
    RECORD_FIELDS(message_claim_result_fields),
};

/* --- Reports ---------------------------------------------------------------------------------- */

/* In the order of enum phone_task_status. */
const char *const phone_task_message_status_words[] = {"sent", "delivered", "failed", NULL};
const char *const phone_task_sms_status_words[] = {"sent", "delivered", "failed", "unknown", NULL};

/* SMSResult and MessageResult have these rows, and differ in their words. */
#define RESULT_FIELDS(status_words, status_doc)                                                    \
    FIELD(struct phone_task_result, lease_id, FIELD_UUID, 0,                                       \
          "The lease of the task; without it the phone's last lease is meant."),                   \
        FIELD(struct phone_task_result, status, FIELD_ENUM, FIELD_REQUIRED, status_doc,            \
              .words = (status_words)),                                                            \
        FIELD(struct phone_task_result, error, FIELD_STRING, FIELD_NULLABLE,                       \
              "Why it failed, for people.", .max = PHONE_TASK_ERROR_MAX, .example = "no service"), \
        FIELD(struct phone_task_result, permanent, FIELD_BOOLEAN, FIELD_DEFAULT,                   \
              "True if another send would not do better; else it is sent again.",                  \
              .example = "false"),

static const struct field sms_result_fields[] = {RESULT_FIELDS(
    phone_task_sms_status_words,
    "What became of it; unknown if it was handed over and nobody knows: it is not sent again.")};
static const struct field message_result_fields[] = {
    RESULT_FIELDS(phone_task_message_status_words, "What became of it.")};

const struct record sms_result_record = {
    .name = "SMSResult",
    .doc = "What a phone reports of an SMS.",
    .size = sizeof(struct phone_task_result),
    RECORD_FIELDS(sms_result_fields),
};

const struct record message_result_record = {
    .name = "MessageResult",
    .doc = "What a phone reports of a message.",
    .size = sizeof(struct phone_task_result),
    RECORD_FIELDS(message_result_fields),
};
