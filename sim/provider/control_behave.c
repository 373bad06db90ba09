/* Telling the providers how to behave, and what becomes of what they send. */
#include "control.h"
#include "sim/common/behave.h"

enum { SLOW_MS = 10000, AFTER_MS_MAX = 24 * 3600 * 1000, RETRY_AFTER_S_MAX = 1000000 };

/* ---- whom it is about ---- */

int control_read_scope(struct control_request *request, const char *provider, const char *method,
                       const char *recipient, struct behaviour_scope *ret_scope)
{
    *ret_scope = (struct behaviour_scope){0};
    if (recipient) recipient_normalize(recipient, ret_scope->recipient);
    if (method && !provider) return control_refuse(request, 422, "method: needs a provider");
    if (!provider) return 0;
    ret_scope->provider = provider_by_name(provider);
    if (!ret_scope->provider)
        return control_refuse(request, 422, "provider: there is no %s", provider);
    if (!method) return 0;
    const struct method *found = provider_method(ret_scope->provider, method);
    if (!found) return control_refuse(request, 422, "method: %s has no %s", provider, method);
    ret_scope->method = found->name;
    return 0;
}

/* ---- behave ---- */

struct behave {
    struct behave_input common; /* the first: BEHAVE_FIELDS */
    const char *provider, *recipient;
    int64_t retry_after_s;
};

static const struct field behave_fields[] = {
    BEHAVE_FIELDS,
    {.name = "provider", .type = FIELD_STRING, .offset = offsetof(struct behave, provider)},
    {.name = "recipient", .type = FIELD_STRING, .offset = offsetof(struct behave, recipient)},
    {.name = "retry_after_s",
     .type = FIELD_INTEGER,
     .min = 0,
     .max = RETRY_AFTER_S_MAX,
     .offset = offsetof(struct behave, retry_after_s)},
};

static const struct record behave_record = {
    .name = "Behave",
    .size = sizeof(struct behave),
    RECORD_FIELDS(behave_fields),
};

static bool has_fault(const struct provider *provider, enum fault_kind kind)
{
    return kind == FAULT_NONE || provider_fault_of_kind(provider, kind);
}

/* A word of our own, or a fault of the provider. */
static int read_kind(struct control_request *request, const char *what,
                     const struct provider *provider, struct behaviour *behaviour)
{
    behaviour->kind = (enum behaviour_kind)control_word(behaviour_words, what);
    if (behaviour->kind < BEHAVIOUR_FAULT) {
        if (!provider || has_fault(provider, behaviour_rows[behaviour->kind].fault_kind)) return 0;
        return control_refuse(request, 422, "what: %s has no %s", provider->name, what);
    }
    if (!provider) return control_refuse(request, 422, "what: %s needs a provider", what);
    behaviour->kind = BEHAVIOUR_FAULT;
    behaviour->fault = provider_fault(provider, what);
    if (behaviour->fault) return 0;
    return control_refuse(request, 422, "what: no such word, and %s has no such error",
                          provider->name);
}

static int read_behaviour(struct control_request *request, const struct behave *behave,
                          const struct behaviour_scope *scope, struct behaviour *behaviour)
{
    const struct behave_input *common = &behave->common;
    int status = read_kind(request, common->what, scope->provider, behaviour);

    if (!status) status = behave_check(request, common, &behaviour->shape);
    if (status) return status;
    if (behaviour->kind == BEHAVIOUR_CUT_BEFORE && scope->recipient[0])
        return control_refuse(request, 422, "recipient: is not known yet where cut_before cuts");
    behaviour->is_taken = !behaviour_rows[behaviour->kind].is_refusal;
    behaviour->wait_ms = behaviour->kind == BEHAVIOUR_SLOW ? SLOW_MS : 0;
    if (common->taken >= 0) behaviour->is_taken = common->taken;
    if (common->wait_ms >= 0) behaviour->wait_ms = common->wait_ms;
    behaviour->retry_after_s = behave->retry_after_s;
    behaviour->http_status = (int)common->http_status;
    return 0;
}

static int behave(struct control_request *request)
{
    struct sim *sim = request->sim;
    struct behave behave;
    struct behaviour_scope scope;
    struct behaviour behaviour = {0};
    int status = control_decode(request, &behave_record, &behave);

    if (!status)
        status = control_read_scope(request, behave.provider, behave.common.method,
                                    behave.recipient, &scope);
    if (!status) status = read_behaviour(request, &behave, &scope, &behaviour);
    if (status) return status;
    pthread_mutex_lock(&sim->server.lock);
    bool is_added = behaviours_add(sim->rules, &scope, &behaviour, behave.common.count);
    pthread_mutex_unlock(&sim->server.lock);
    return is_added ? 204
                    : control_refuse(request, 409, "There are too many behaviours: reset first");
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

static int set_outcome(struct control_request *request)
{
    struct sim *sim = request->sim;
    struct outcome_input input;
    struct behaviour_scope scope;
    int status = control_decode(request, &outcome_record, &input);

    if (!status)
        status = control_read_scope(request, input.provider, NULL, input.recipient, &scope);
    if (status) return status;
    struct outcome outcome = {(enum send_status)control_word(send_status_words, input.status),
                              input.after_ms, input.report};
    if (outcome.status == STATUS_COUNT) return control_refuse(request, 422, "status: no such word");
    pthread_mutex_lock(&request->sim->server.lock);
    bool is_set = outcomes_set(sim->outcomes, &scope, outcome);
    pthread_mutex_unlock(&request->sim->server.lock);
    return is_set ? 204 : control_refuse(request, 409, "There are too many outcomes: reset first");
}

const struct route behave_routes[] = {
    {"POST", "/_control/behave",
     "{what, provider?, method?, recipient?, count?, wait_ms?, retry_after_s?, http_status?, "
     "shape?, taken?}: the next count calls (without it: all until reset) behave so",
     behave},
    {"POST", "/_control/outcome",
     "{status, provider?, recipient?, after_ms?, report?}: what becomes of messages and calls "
     "from now on: pending, delivered, read, undelivered, revoked or silent; report false: no "
     "report is sent by itself",
     set_outcome},
    {0},
};
