/* Sending delivery reports, and what became of those that were sent. */
#include "control.h"
#include "report.h"

enum { AGE_S_MAX = 24 * 3600 * 1000 };

struct report_input {
    const char *request_id, *status, *url, *body, *signature;
    int64_t age_s, times;
};

static const struct field report_fields[] = {
    {.name = "request_id",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .min = 1,
     .max = SEND_TEXT_MAX,
     .offset = offsetof(struct report_input, request_id)},
    {.name = "status",
     .type = FIELD_STRING,
     .min = 1,
     .max = 15,
     .offset = offsetof(struct report_input, status)},
    {.name = "url",
     .type = FIELD_STRING,
     .min = 1,
     .max = CALLBACK_URL_MAX,
     .offset = offsetof(struct report_input, url)},
    {.name = "body", .type = FIELD_STRING, .offset = offsetof(struct report_input, body)},
    {.name = "signature", .type = FIELD_STRING, .offset = offsetof(struct report_input, signature)},
    {.name = "age_s",
     .type = FIELD_INTEGER,
     .flags = FIELD_DEFAULT,
     .min = -AGE_S_MAX,
     .max = AGE_S_MAX,
     .offset = offsetof(struct report_input, age_s)},
    {.name = "times",
     .type = FIELD_INTEGER,
     .flags = FIELD_DEFAULT,
     .default_value = 1,
     .min = 1,
     .max = REPORT_TIMES_MAX,
     .offset = offsetof(struct report_input, times)},
};

static const struct record report_record = {
    .name = "Report",
    .size = sizeof(struct report_input),
    RECORD_FIELDS(report_fields),
};

/* On the worker's thread. */
static void on_told(void *context, struct buf *take_json)
{
    control_finish(context, 200, take_json);
}

static int send_report(struct control_request *request)
{
    struct report_input input;
    int status = control_decode(request, &report_record, &input);

    if (status) return status;
    struct report_order order = {
        .request_id = input.request_id,
        .status = input.status ? input.status : "delivered",
        .url = input.url,
        .body = input.body,
        .signature = (enum signature_kind)control_word(signature_words,
                                                       input.signature ? input.signature : "good"),
        .age_s = input.age_s,
        .times = input.times,
        .told = on_told,
        .context = request,
    };
    if (order.signature == SIGNATURE_COUNT)
        return control_refuse(request, 422, "signature: no such word");
    http_hold(request->x);
    if (report_send(request->sim, &order)) return ANSWER_LATER;
    http_release(request->x);
    return control_refuse(request, 404, "No callback URL is known for that request: give a url");
}

static int list_reports(struct control_request *request)
{
    pthread_mutex_lock(&request->sim->server.lock);
    json_object_begin(&request->json);
    json_key(&request->json, "reports");
    report_log_write(request->sim->reports, control_param(request, "request_id"), &request->json);
    json_object_end(&request->json);
    pthread_mutex_unlock(&request->sim->server.lock);
    return 200;
}

const struct route report_routes[] = {
    {"POST", "/_control/report",
     "{request_id, status?, url?, body?, signature?, age_s?, times?}: sends a delivery report of "
     "Telegram Gateway now and answers what it was answered; signature: good, wrong or missing; "
     "times: the same bytes again",
     send_report},
    {"GET", "/_control/reports", "?request_id=: each attempt to deliver a report", list_reports},
    {0},
};
