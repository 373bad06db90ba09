/* Telling the providers how to behave, and sending reports. */
#include "control.h"
#include "report.h"

#include <stdlib.h>

enum { SLOW_MS = 10000, AFTER_MS_MAX = 24 * 3600 * 1000, RETRY_AFTER_S_MAX = 1000000 };

/* ---- whom it is about ---- */

int ask_scope(struct ask *ask, const char *provider, const char *method, const char *recipient,
              struct order_scope *ret_scope)
{
    *ret_scope = (struct order_scope){0};
    if (recipient) recipient_normalize(recipient, ret_scope->recipient);
    if (method && !provider) return ask_refuse(ask, 422, "method: needs a provider");
    if (!provider) return 0;
    ret_scope->provider = provider_by_name(provider);
    if (!ret_scope->provider) return ask_refuse(ask, 422, "provider: there is no %s", provider);
    if (!method) return 0;
    const struct method *found = provider_method(ret_scope->provider, method);
    if (!found) return ask_refuse(ask, 422, "method: %s has no %s", provider, method);
    ret_scope->method = found->name;
    return 0;
}

/* ---- behave ---- */

struct behave {
    const char *provider, *method, *recipient, *what, *shape;
    int64_t count, wait_ms, retry_after_s, http_status;
    bool taken;
};

static const struct field behave_fields[] = {
    {.name = "provider", .type = FIELD_STRING, .offset = offsetof(struct behave, provider)},
    {.name = "method", .type = FIELD_STRING, .offset = offsetof(struct behave, method)},
    {.name = "recipient", .type = FIELD_STRING, .offset = offsetof(struct behave, recipient)},
    {.name = "what",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct behave, what)},
    {.name = "shape", .type = FIELD_STRING, .offset = offsetof(struct behave, shape)},
    {.name = "count",
     .type = FIELD_INTEGER,
     .flags = FIELD_DEFAULT,
     .default_value = -1,
     .min = -1,
     .max = CALLS_MAX,
     .offset = offsetof(struct behave, count)},
    {.name = "wait_ms",
     .type = FIELD_INTEGER,
     .flags = FIELD_DEFAULT,
     .default_value = -1,
     .min = -1,
     .max = WAIT_MS_MAX,
     .offset = offsetof(struct behave, wait_ms)},
    {.name = "retry_after_s",
     .type = FIELD_INTEGER,
     .min = 0,
     .max = RETRY_AFTER_S_MAX,
     .offset = offsetof(struct behave, retry_after_s)},
    {.name = "http_status",
     .type = FIELD_INTEGER,
     .flags = FIELD_DEFAULT,
     .min = 0,
     .max = 599,
     .offset = offsetof(struct behave, http_status)},
    {.name = "taken", .type = FIELD_BOOLEAN, .offset = offsetof(struct behave, taken)},
};

static const struct record behave_record = {
    .name = "Behave",
    .size = sizeof(struct behave),
    RECORD_FIELDS(behave_fields),
};

static int word_at(const char *const *words, const char *word)
{
    int i = 0;

    while (words[i] && strcmp(words[i], word) != 0)
        i++;
    return i;
}

/* What happens to a call that is answered with an error: as a rule, nothing. */
static bool is_taken_by_itself(enum deed deed)
{
    switch (deed) {
    case DEED_SERVER_ERROR:
    case DEED_RATE_LIMIT:
    case DEED_WRONG_CREDENTIALS:
    case DEED_NO_BALANCE:
    case DEED_UNREACHABLE:
    case DEED_FAULT:
        return false;
    case DEED_OK:
    case DEED_SLOW:
    case DEED_CUT_BEFORE:
    case DEED_CUT_AFTER:
    case DEED_CUT_WITHIN:
    case DEED_NONSENSE:
    case DEED_PENDING:
    case DEED_DELIVERED:
    case DEED_READ:
    case DEED_UNDELIVERED:
    case DEED_SILENT:
    case DEED_COUNT:
        break;
    }
    return true;
}

static bool has_kind(const struct provider *provider, enum deed deed)
{
    static const struct {
        enum deed deed;
        enum fault_kind kind;
    } rows[] = {
        {DEED_RATE_LIMIT, FAULT_RATE},
        {DEED_WRONG_CREDENTIALS, FAULT_CREDENTIALS},
        {DEED_NO_BALANCE, FAULT_BALANCE},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].deed == deed) return provider_fault_of_kind(provider, rows[i].kind) != NULL;
    }
    return true;
}

static int read_what(struct ask *ask, const char *what, const struct provider *provider,
                     struct order *order)
{
    order->deed = (enum deed)word_at(deed_words, what);
    if (order->deed < DEED_FAULT) {
        if (!provider || has_kind(provider, order->deed)) return 0;
        return ask_refuse(ask, 422, "what: %s has no %s", provider->name, what);
    }
    if (!provider) return ask_refuse(ask, 422, "what: %s needs a provider", what);
    order->deed = DEED_FAULT;
    order->fault = provider_fault(provider, what);
    if (order->fault) return 0;
    return ask_refuse(ask, 422, "what: no such word, and %s has no such error", provider->name);
}

static int read_order(struct ask *ask, const struct behave *behave, const struct order_scope *scope,
                      struct order *order)
{
    struct params *given = ARENA_NEW(&ask->arena, struct params);
    int status = read_what(ask, behave->what, scope->provider, order);

    if (status) return status;
    params_add_json(given, buf_view(&ask->body), &ask->arena);
    order->is_taken = params_has(given, "taken") ? behave->taken : is_taken_by_itself(order->deed);
    order->wait_ms = behave->wait_ms >= 0 ? behave->wait_ms : 0;
    if (behave->wait_ms < 0 && order->deed == DEED_SLOW) order->wait_ms = SLOW_MS;
    order->retry_after_s = behave->retry_after_s;
    order->http_status = (int)behave->http_status;
    if (behave->http_status > 0 && behave->http_status < 200)
        return ask_refuse(ask, 422, "http_status: from 200 to 599");
    order->shape = (enum shape)word_at(shape_words, behave->shape ? behave->shape : "html");
    if (order->shape == SHAPE_COUNT) return ask_refuse(ask, 422, "shape: no such word");
    return 0;
}

static int behave(struct ask *ask)
{
    struct behave behave;
    struct order_scope scope;
    struct order order = {0};
    int status = ask_decode(ask, &behave_record, &behave);

    if (!status) status = ask_scope(ask, behave.provider, behave.method, behave.recipient, &scope);
    if (!status) status = read_order(ask, &behave, &scope, &order);
    if (status) return status;
    if (order.deed == DEED_CUT_BEFORE && scope.recipient[0])
        return ask_refuse(ask, 422, "recipient: is not known yet where cut_before cuts");
    if (behave.count == 0) return ask_refuse(ask, 422, "count: from 1 on; leave it out for all");
    pthread_mutex_lock(&ask->sim->lock);
    bool is_added = orders_add(ask->sim->orders, &scope, &order, behave.count);
    pthread_mutex_unlock(&ask->sim->lock);
    return is_added ? 204 : ask_refuse(ask, 409, "There are too many orders: reset first");
}

/* ---- outcome ---- */

struct outcome_input {
    const char *provider, *recipient, *status;
    int64_t after_ms;
    bool report;
};

static const struct field outcome_fields[] = {
    {.name = "provider", .type = FIELD_STRING, .offset = offsetof(struct outcome_input, provider)},
    {.name = "recipient",
     .type = FIELD_STRING,
     .offset = offsetof(struct outcome_input, recipient)},
    {.name = "status",
     .type = FIELD_STRING,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct outcome_input, status)},
    {.name = "after_ms",
     .type = FIELD_INTEGER,
     .min = 0,
     .max = AFTER_MS_MAX,
     .offset = offsetof(struct outcome_input, after_ms)},
    {.name = "report",
     .type = FIELD_BOOLEAN,
     .flags = FIELD_DEFAULT,
     .default_value = 1,
     .offset = offsetof(struct outcome_input, report)},
};

static const struct record outcome_record = {
    .name = "Outcome",
    .size = sizeof(struct outcome_input),
    RECORD_FIELDS(outcome_fields),
};

static int set_outcome(struct ask *ask)
{
    struct outcome_input input;
    struct order_scope scope;
    int status = ask_decode(ask, &outcome_record, &input);

    if (!status) status = ask_scope(ask, input.provider, NULL, input.recipient, &scope);
    if (status) return status;
    struct destiny destiny = {fate_by_word(input.status), input.after_ms, input.report};
    if (destiny.fate == FATE_COUNT) return ask_refuse(ask, 422, "status: no such word");
    pthread_mutex_lock(&ask->sim->lock);
    bool is_set = outcomes_set(ask->sim->outcomes, &scope, destiny);
    pthread_mutex_unlock(&ask->sim->lock);
    return is_set ? 204 : ask_refuse(ask, 409, "There are too many outcomes: reset first");
}

/* ---- reports ---- */

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
     .min = -AFTER_MS_MAX,
     .max = AFTER_MS_MAX,
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

/* On the thread of errands. */
static void on_told(void *context, struct buf *take_json)
{
    ask_finish(context, 200, take_json);
}

static int send_report(struct ask *ask)
{
    struct report_input input;
    int status = ask_decode(ask, &report_record, &input);

    if (status) return status;
    struct report_order order = {
        .request_id = input.request_id,
        .status = input.status ? input.status : "delivered",
        .url = input.url,
        .body = input.body,
        .seal = (enum seal)word_at(seal_words, input.signature ? input.signature : "good"),
        .age_s = input.age_s,
        .times = input.times,
        .told = on_told,
        .context = ask,
    };
    if (order.seal == SEAL_COUNT) return ask_refuse(ask, 422, "signature: no such word");
    http_hold(ask->x);
    if (report_send(ask->sim, &order)) return ANSWER_LATER;
    http_release(ask->x);
    return ask_refuse(ask, 404, "No callback URL is known for that request: give a url");
}

static int list_reports(struct ask *ask)
{
    pthread_mutex_lock(&ask->sim->lock);
    json_object_begin(&ask->json);
    json_key(&ask->json, "reports");
    report_log_write(ask->sim->reports, ask_param(ask, "request_id"), &ask->json);
    json_object_end(&ask->json);
    pthread_mutex_unlock(&ask->sim->lock);
    return 200;
}

const struct route order_routes[] = {
    {"POST", "/_control/behave",
     "{what, provider?, method?, recipient?, count?, wait_ms?, retry_after_s?, http_status?, "
     "shape?, taken?}: the next count calls (without it: all until reset) behave so",
     behave},
    {"POST", "/_control/outcome",
     "{status, provider?, recipient?, after_ms?, report?}: what becomes of messages and calls "
     "from now on: pending, delivered, read, undelivered, revoked or silent; report false: no "
     "report is sent by itself",
     set_outcome},
    {"POST", "/_control/report",
     "{request_id, status?, url?, body?, signature?, age_s?, times?}: sends a delivery report of "
     "Telegram Gateway now and answers what it was answered; signature: good, wrong or missing; "
     "times: the same bytes again",
     send_report},
    {"GET", "/_control/reports", "?request_id=: each attempt to deliver a report", list_reports},
    {0},
};
