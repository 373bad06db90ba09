/* How reports look on the wire (doc A, section 2; contract, section 2). */
#include "domain/task/task.h"

#include <stddef.h>

#define EXAMPLE_ID "\"0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8f\""

static const char *const status_words[] = {"sent", "delivered", "failed", NULL};

static const struct field result_fields[] = {
    {.name = "lease_id",
     .type = FIELD_UUID,
     .offset = offsetof(struct task_result, lease_id),
     .doc = "The lease of the task; without it the phone's last lease is meant.",
     .example = EXAMPLE_ID},
    {.name = "status",
     .type = FIELD_ENUM,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct task_result, status),
     .words = status_words,
     .doc = "What became of it.",
     .example = "\"sent\""},
    {.name = "error",
     .type = FIELD_STRING,
     .flags = FIELD_NULLABLE,
     .offset = offsetof(struct task_result, error),
     .max = TASK_ERROR_MAX,
     .doc = "Why it failed, for people.",
     .example = "\"no service\""},
    {.name = "permanent",
     .type = FIELD_BOOLEAN,
     .flags = FIELD_DEFAULT,
     .offset = offsetof(struct task_result, permanent),
     .doc = "True if another send would not do better; else it is sent again.",
     .example = "false"},
};

const struct record sms_result_record = {
    .name = "SMSResult",
    .doc = "What a phone reports of an SMS.",
    .size = sizeof(struct task_result),
    RECORD_FIELDS(result_fields),
};

const struct record message_result_record = {
    .name = "MessageResult",
    .doc = "What a phone reports of a message.",
    .size = sizeof(struct task_result),
    RECORD_FIELDS(result_fields),
};
