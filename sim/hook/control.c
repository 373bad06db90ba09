/* Telling the receiver its secrets and how to behave, and reading what it got. */
#include "sim.h"
#include "sim/common/behave.h"
#include "sim/common/calls.h"
#include "sim/common/port.h"

#include <stdio.h>

/* ---- deliveries ---- */

static int list_calls(struct control_request *request)
{
    struct call_filter filter = CALL_FILTER_ALL;
    const char *verdict = control_param(request, "verdict");
    int64_t limit;

    if (verdict) {
        filter.method = verdict_words[control_word(verdict_words, verdict)];
        if (!filter.method) return control_refuse(request, 422, "verdict: no such word");
    }
    filter.subject = control_param(request, "webhook_id");
    filter.contains = control_param(request, "contains");
    int status = calls_read_page(request, &filter, &limit);
    return status ? status : calls_list(request, &filter, limit);
}

/* ---- secrets ---- */

struct secrets {
    struct record_list secrets; /* of const char * */
};

static const struct field secrets_fields[] = {
    {.name = "secrets",
     .type = FIELD_STRINGS,
     .flags = FIELD_REQUIRED,
     .offset = offsetof(struct secrets, secrets),
     .min = 1,
     .max = SECRET_LEN_MAX,
     .items_max = SECRETS_MAX},
};

static const struct record secrets_record = {
    .name = "Secrets",
    .size = sizeof(struct secrets),
    RECORD_FIELDS(secrets_fields),
};

static int set_secrets(struct control_request *request)
{
    struct sim *sim = request->sim;
    struct secrets secrets;
    int status = control_decode(request, &secrets_record, &secrets);
    const char *const *texts = secrets.secrets.items;

    if (status) return status;
    pthread_mutex_lock(&sim->server.lock);
    sim->secret_count = secrets.secrets.count;
    for (size_t i = 0; i < sim->secret_count; i++)
        snprintf(sim->secrets[i], sizeof sim->secrets[i], "%s", texts[i]);
    pthread_mutex_unlock(&sim->server.lock);
    return 204;
}

/* ---- behaviours ---- */

static const struct field behave_fields[] = {BEHAVE_FIELDS};

static const struct record behave_record = {
    .name = "Behave",
    .size = sizeof(struct behave_input),
    RECORD_FIELDS(behave_fields),
};

static int behave(struct control_request *request)
{
    struct sim *sim = request->sim;
    struct behave_input input;
    enum shape shape;
    int status = control_decode(request, &behave_record, &input);

    if (!status) status = behave_check(request, &input, &shape);
    if (status) return status;
    enum behaviour_kind kind = (enum behaviour_kind)control_word(behaviour_words, input.what);
    if (kind == BEHAVIOUR_COUNT) return control_refuse(request, 422, "what: no such word");
    struct behaviour behaviour = behaviour_standard(kind);
    if (input.http_status > 0) behaviour.http_status = (int)input.http_status;
    if (input.wait_ms >= 0) behaviour.wait_ms = input.wait_ms;
    pthread_mutex_lock(&sim->server.lock);
    bool is_added = behaviours_add(sim, &behaviour, input.count);
    pthread_mutex_unlock(&sim->server.lock);
    return is_added ? 204
                    : control_refuse(request, 409, "There are too many behaviours: reset first");
}

/* ---- from the beginning ---- */

static int reset(struct control_request *request)
{
    struct sim *sim = request->sim;

    pthread_mutex_lock(&sim->server.lock);
    sim->server.generation++;
    ledger_clear(sim->server.ledger);
    rules_clear(sim->rules);
    pthread_mutex_unlock(&sim->server.lock);
    front_flush(sim);
    return port_go_up(request);
}

static const struct route hook_routes[] = {
    {"GET", "/_control/calls",
     "lists deliveries, the oldest first; ?verdict= &webhook_id= &contains= &after=<id> &limit= "
     "(1000)",
     list_calls},
    {"POST", "/_control/secrets", "{secrets}: a signature by any of them is right", set_secrets},
    {"POST", "/_control/behave",
     "{what, count?, wait_ms?, http_status?}: the next count deliveries (without it: all until "
     "reset) meet this behaviour",
     behave},
    {"POST", "/_control/reset",
     "forgets deliveries and behaviours; gives slow answers now; comes up again", reset},
    {0},
};

const struct route *const control_routes[] = {hook_routes, port_routes, NULL};
