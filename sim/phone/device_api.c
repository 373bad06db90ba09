/* The records of a phone's operations (contract, section 2), decoded by the same kit as in the
 * server; unknown properties are read over, as an application of last year must do. */
#include "device_api.h"

#include "kit/base/clock.h"
#include "kit/json/record.h"

#include <stdio.h>

enum { REQUEST_MAX = 65536, PATH_MAX_BYTES = 128 };

#define RECORD(title, owner, rows)                                  \
    {                                                               \
        .name = (title), .size = sizeof(owner), RECORD_FIELDS(rows) \
    }

/* Answers that only wrap a record. */
struct claim_answer {
    const struct task *task;
};
struct ping_answer {
    bool ok;
    const struct device_state *device;
};
struct error_detail {
    const char *code;
};
struct error_answer {
    const struct error_detail *error;
};

/* SMSJob and MessageJob name their sender differently; all else is the same. */
#define TASK_FIELDS(sender_name)                                           \
    {.name = (sender_name),                                                \
     .type = FIELD_STRING,                                                 \
     .flags = FIELD_REQUIRED,                                              \
     .offset = offsetof(struct task, sender)},                             \
        FIELD(struct task, id, FIELD_STRING, FIELD_REQUIRED, NULL),        \
        FIELD(struct task, lease_id, FIELD_STRING, FIELD_REQUIRED, NULL),  \
        FIELD(struct task, recipient, FIELD_STRING, FIELD_REQUIRED, NULL), \
        FIELD(struct task, text, FIELD_STRING, FIELD_REQUIRED, NULL),      \
        FIELD(struct task, attempt, FIELD_INTEGER, FIELD_REQUIRED, NULL),  \
        FIELD(struct task, lease_expires_at, FIELD_TIME, FIELD_REQUIRED, NULL)

static const struct field sms_fields[] = {TASK_FIELDS("gateway_number")};
static const struct field message_fields[] = {TASK_FIELDS("account_id")};
static const struct record sms_record = RECORD("SMSJob", struct task, sms_fields);
static const struct record message_record = RECORD("MessageJob", struct task, message_fields);

static const struct field claim_sms_fields[] = {
    FIELD(struct claim_answer, task, FIELD_RECORD, FIELD_REQUIRED | FIELD_NULLABLE, NULL,
          .record = &sms_record),
};
static const struct field claim_message_fields[] = {
    FIELD(struct claim_answer, task, FIELD_RECORD, FIELD_REQUIRED | FIELD_NULLABLE, NULL,
          .record = &message_record),
};

/* A row says how the tasks of a kind of sender travel. */
static const struct line {
    const char *sender_name;
    const char *path;
    struct record claim;
} lines[] = {
    [SENDER_SIM] = {"gateway_number", "/device/v1/sms",
                    RECORD("ClaimAnswer", struct claim_answer, claim_sms_fields)},
    [SENDER_ACCOUNT] = {"account_id", "/device/v1/messages",
                        RECORD("ClaimAnswer", struct claim_answer, claim_message_fields)},
};

static const struct field device_fields[] = {
    FIELD(struct device_state, id, FIELD_STRING, FIELD_REQUIRED, NULL),
    FIELD(struct device_state, name, FIELD_STRING, FIELD_REQUIRED, NULL),
    FIELD(struct device_state, enabled, FIELD_BOOLEAN, FIELD_REQUIRED, NULL),
};
static const struct record device_record = RECORD("Device", struct device_state, device_fields);

static const struct field ping_fields[] = {
    FIELD(struct ping_answer, ok, FIELD_BOOLEAN, FIELD_REQUIRED, NULL),
    FIELD(struct ping_answer, device, FIELD_RECORD, FIELD_REQUIRED, NULL, .record = &device_record),
};
static const struct record ping_record = RECORD("PingAnswer", struct ping_answer, ping_fields);

static const struct field call_fields[] = {
    FIELD(struct call_result, event_id, FIELD_STRING, FIELD_REQUIRED, NULL),
    FIELD(struct call_result, result, FIELD_STRING, FIELD_REQUIRED, NULL),
    FIELD(struct call_result, duplicate, FIELD_BOOLEAN, FIELD_REQUIRED, NULL),
    FIELD(struct call_result, challenge_id, FIELD_STRING, FIELD_NULLABLE, NULL),
};
static const struct record call_record = RECORD("EventResult", struct call_result, call_fields);

static const struct field error_fields[] = {
    FIELD(struct error_detail, code, FIELD_STRING, FIELD_REQUIRED, NULL),
};
static const struct record error_record = RECORD("ErrorDetail", struct error_detail, error_fields);

static const struct field error_answer_fields[] = {
    FIELD(struct error_answer, error, FIELD_RECORD, FIELD_REQUIRED, NULL, .record = &error_record),
};
static const struct record error_answer_record =
    RECORD("Error", struct error_answer, error_answer_fields);

static bool decode(const struct record *record, struct str body, struct arena *arena,
                   void *ret_value)
{
    struct record_faults faults;

    record_faults_init(&faults, arena);
    return record_decode(record, body, false, arena, ret_value, &faults) == ERR_OK;
}

bool device_ping(struct http *http, struct arena *arena, struct http_answer *answer,
                 struct device_state *ret_device)
{
    struct ping_answer ping;

    http_post(http, "/api/device/ping", STR("{\"application\":\"simulated phone\"}"), answer);
    if (answer->status != 200) return false;
    if (!decode(&ping_record, buf_view(&answer->body), arena, &ping) || !ping.ok) return false;
    *ret_device = *ping.device;
    return true;
}

bool device_claim(struct http *http, struct sender sender, struct arena *arena,
                  struct http_answer *answer, const struct task **ret_task)
{
    const struct line *line = &lines[sender.kind];
    char path[PATH_MAX_BYTES];
    AUTO_BUF body = {0};
    struct json_writer json;
    struct claim_answer claim;

    buf_init(&body, REQUEST_MAX);
    json_writer_init(&json, &body);
    json_object_begin(&json);
    json_put_text(&json, line->sender_name, sender.name);
    json_object_end(&json);
    snprintf(path, sizeof path, "%s/claim", line->path);
    http_post(http, path, buf_view(&body), answer);
    if (answer->status != 200) return false;
    if (!decode(&line->claim, buf_view(&answer->body), arena, &claim)) return false;
    *ret_task = claim.task;
    return true;
}

void device_report(struct http *http, struct sender sender, const struct task_result *result,
                   struct http_answer *answer)
{
    AUTO_BUF body = {0};
    struct json_writer json;
    char path[PATH_MAX_BYTES];

    buf_init(&body, REQUEST_MAX);
    json_writer_init(&json, &body);
    json_object_begin(&json);
    json_put_text(&json, "lease_id", result->lease_id);
    json_put_text(&json, "status", result->status);
    if (result->error) json_put_text(&json, "error", result->error);
    if (result->permanent) json_put_bool(&json, "permanent", true);
    json_object_end(&json);
    snprintf(path, sizeof path, "%s/%s/result", lines[sender.kind].path, result->task_id);
    http_post(http, path, buf_view(&body), answer);
}

void device_declare(struct http *http, const struct option_account *accounts, size_t count,
                    struct http_answer *answer)
{
    AUTO_BUF body = {0};
    struct json_writer json;

    buf_init(&body, REQUEST_MAX);
    json_writer_init(&json, &body);
    json_object_begin(&json);
    json_key(&json, "accounts");
    json_array_begin(&json);
    for (size_t i = 0; i < count; i++) {
        json_object_begin(&json);
        json_put_text(&json, "account_id", accounts[i].id);
        json_put_text(&json, "messenger", accounts[i].messenger);
        json_put_text(&json, "state", "connected");
        json_object_end(&json);
    }
    json_array_end(&json);
    json_object_end(&json);
    http_post(http, "/device/v1/accounts", buf_view(&body), answer);
}

bool device_report_call(struct http *http, const struct call_event *event, struct arena *arena,
                        struct http_answer *answer, struct call_result *ret_result)
{
    AUTO_BUF body = {0};
    struct json_writer json;
    char occurred_at[CLOCK_TEXT_LEN + 1], sent_at[CLOCK_TEXT_LEN + 1];

    clock_format(event->occurred_at_ms, occurred_at);
    clock_format(clock_now_ms(), sent_at);
    buf_init(&body, REQUEST_MAX);
    json_writer_init(&json, &body);
    json_object_begin(&json);
    json_put_text(&json, "event_id", event->event_id);
    json_put_text(&json, "gateway_number", event->gateway_number);
    json_put_text(&json, "caller", event->caller);
    json_put_text(&json, "occurred_at", occurred_at);
    json_put_text(&json, "sent_at", sent_at);
    json_object_end(&json);
    http_post(http, "/api/events", buf_view(&body), answer);
    if (answer->status != 200) return false;
    return decode(&call_record, buf_view(&answer->body), arena, ret_result);
}

const char *device_error_code(struct str body, struct arena *arena)
{
    struct error_answer answer;

    if (!decode(&error_answer_record, body, arena, &answer)) return "";
    return answer.error->code;
}
