/* The records of a phone's operations (contract, section 2), decoded by the same kit as in the
 * server; unknown properties are read over, as an application of last year must do. */
#include "device_api.h"

#include "kit/base/clock.h"
#include "kit/json/record.h"

#include <stdio.h>

enum { REQUEST_MAX = 4096, PATH_MAX_BYTES = 128 };

/* A property of the same name as the member that holds it. */
#define FIELD(owner, member, kind, presence, ...)                                                \
    {                                                                                            \
        .name = #member, .type = (kind), .flags = (presence), .offset = offsetof(owner, member), \
        __VA_ARGS__                                                                              \
    }
#define RECORD(title, owner, rows)                                  \
    {                                                               \
        .name = (title), .size = sizeof(owner), RECORD_FIELDS(rows) \
    }

/* Answers that only wrap a record. */
struct claim_answer {
    const struct sms_task *task;
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

static const struct field task_fields[] = {
    FIELD(struct sms_task, id, FIELD_STRING, FIELD_REQUIRED),
    FIELD(struct sms_task, lease_id, FIELD_STRING, FIELD_REQUIRED),
    FIELD(struct sms_task, gateway_number, FIELD_STRING, FIELD_REQUIRED),
    FIELD(struct sms_task, recipient, FIELD_STRING, FIELD_REQUIRED),
    FIELD(struct sms_task, text, FIELD_STRING, FIELD_REQUIRED),
    FIELD(struct sms_task, attempt, FIELD_INTEGER, FIELD_REQUIRED),
    FIELD(struct sms_task, lease_expires_at, FIELD_TIME, FIELD_REQUIRED),
};
static const struct record task_record = RECORD("SMSJob", struct sms_task, task_fields);

static const struct field claim_fields[] = {
    FIELD(struct claim_answer, task, FIELD_RECORD, FIELD_REQUIRED | FIELD_NULLABLE,
          .record = &task_record),
};
static const struct record claim_record = RECORD("ClaimAnswer", struct claim_answer, claim_fields);

static const struct field device_fields[] = {
    FIELD(struct device_state, id, FIELD_STRING, FIELD_REQUIRED),
    FIELD(struct device_state, name, FIELD_STRING, FIELD_REQUIRED),
    FIELD(struct device_state, enabled, FIELD_BOOLEAN, FIELD_REQUIRED),
};
static const struct record device_record = RECORD("Device", struct device_state, device_fields);

static const struct field ping_fields[] = {
    FIELD(struct ping_answer, ok, FIELD_BOOLEAN, FIELD_REQUIRED),
    FIELD(struct ping_answer, device, FIELD_RECORD, FIELD_REQUIRED, .record = &device_record),
};
static const struct record ping_record = RECORD("PingAnswer", struct ping_answer, ping_fields);

static const struct field call_fields[] = {
    FIELD(struct call_result, event_id, FIELD_STRING, FIELD_REQUIRED),
    FIELD(struct call_result, result, FIELD_STRING, FIELD_REQUIRED),
    FIELD(struct call_result, duplicate, FIELD_BOOLEAN, FIELD_REQUIRED),
    FIELD(struct call_result, challenge_id, FIELD_STRING, FIELD_NULLABLE),
};
static const struct record call_record = RECORD("EventResult", struct call_result, call_fields);

static const struct field error_fields[] = {
    FIELD(struct error_detail, code, FIELD_STRING, FIELD_REQUIRED),
};
static const struct record error_record = RECORD("ErrorDetail", struct error_detail, error_fields);

static const struct field error_answer_fields[] = {
    FIELD(struct error_answer, error, FIELD_RECORD, FIELD_REQUIRED, .record = &error_record),
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

bool device_claim(struct http *http, const char *number, struct arena *arena,
                  struct http_answer *answer, const struct sms_task **ret_task)
{
    AUTO_BUF body;
    struct json_writer json;
    struct claim_answer claim;

    buf_init(&body, REQUEST_MAX);
    json_writer_init(&json, &body);
    json_object_begin(&json);
    json_put_text(&json, "gateway_number", number);
    json_object_end(&json);
    http_post(http, "/device/v1/sms/claim", buf_view(&body), answer);
    if (answer->status != 200) return false;
    if (!decode(&claim_record, buf_view(&answer->body), arena, &claim)) return false;
    *ret_task = claim.task;
    return true;
}

void device_report_sms(struct http *http, const struct sms_result *result,
                       struct http_answer *answer)
{
    AUTO_BUF body;
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
    snprintf(path, sizeof path, "/device/v1/sms/%s/result", result->task_id);
    http_post(http, path, buf_view(&body), answer);
}

bool device_report_call(struct http *http, const struct call_event *event, struct arena *arena,
                        struct http_answer *answer, struct call_result *ret_result)
{
    AUTO_BUF body;
    struct json_writer json;
    char occurred_at[CLOCK_TEXT_LEN + 1];

    clock_format(event->occurred_at_ms, occurred_at);
    buf_init(&body, REQUEST_MAX);
    json_writer_init(&json, &body);
    json_object_begin(&json);
    json_put_text(&json, "event_id", event->event_id);
    json_put_text(&json, "gateway_number", event->gateway_number);
    json_put_text(&json, "caller", event->caller);
    json_put_text(&json, "occurred_at", occurred_at);
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
