/* These routes tell what the providers saw: calls, claims, codes, figures. */
#include "control.h"
#include "kit/base/clock.h"
#include "sim/common/calls.h"

/* ---- calls ---- */

/* `scope` keeps the texts that the filter points to. */
static int fill_filter(struct control_request *request, const char *provider, const char *method,
                       const char *recipient, struct behaviour_scope *scope,
                       struct call_filter *ret_filter)
{
    int status = control_read_scope(request, provider, method, recipient, scope);

    if (status) return status;
    *ret_filter = (struct call_filter)CALL_FILTER_ALL;
    if (scope->provider) ret_filter->peer = scope->provider->name;
    ret_filter->method = scope->method;
    if (scope->recipient[0]) ret_filter->subject = scope->recipient;
    return 0;
}

static int read_page(struct control_request *request, struct behaviour_scope *scope,
                     struct call_filter *ret_filter, int64_t *ret_limit)
{
    int status =
        fill_filter(request, control_param(request, "provider"), control_param(request, "method"),
                    control_param(request, "recipient"), scope, ret_filter);

    if (status) return status;
    ret_filter->contains = control_param(request, "contains");
    return calls_read_page(request, ret_filter, ret_limit);
}

static int list_calls(struct control_request *request)
{
    struct behaviour_scope scope;
    struct call_filter filter;
    int64_t limit;
    int status = read_page(request, &scope, &filter, &limit);

    return status ? status : calls_list(request, &filter, limit);
}

static void put_time(struct json_writer *json, const struct call_record *call)
{
    json_array_begin(json);
    json_int(json, (int64_t)call->number);
    json_text(json, call->subject);
    json_int(json, call->at_ms);
    json_array_end(json);
}

/* The records of a thousand calls are a megabyte; a measurement wants a few bytes of each. */
static int list_times(struct control_request *request)
{
    const struct call_record *call;
    struct behaviour_scope scope;
    struct call_filter filter;
    int64_t limit;
    int status = read_page(request, &scope, &filter, &limit);

    if (status) return status;
    pthread_mutex_lock(&request->sim->server.lock);
    json_array_begin(&request->json);
    while (limit-- > 0 && (call = ledger_find(request->sim->server.ledger, &filter))) {
        put_time(&request->json, call);
        filter.after = call->number;
    }
    json_array_end(&request->json);
    pthread_mutex_unlock(&request->sim->server.lock);
    return 200;
}

static int list_leftover(struct control_request *request)
{
    struct sim *sim = request->sim;
    const struct call_filter filter = CALL_FILTER_ALL;

    pthread_mutex_lock(&sim->server.lock);
    int64_t awaited = rules_left(sim->rules);
    pthread_mutex_unlock(&sim->server.lock);
    return calls_list_leftover(request, &filter, awaited);
}

/* ---- claims ---- */

struct claim {
    const char *provider, *method, *recipient, *contains;
};

static const struct field claim_fields[] = {
    {.name = "provider", .type = FIELD_STRING, .offset = offsetof(struct claim, provider)},
    {.name = "method", .type = FIELD_STRING, .offset = offsetof(struct claim, method)},
    {.name = "recipient", .type = FIELD_STRING, .offset = offsetof(struct claim, recipient)},
    {.name = "contains", .type = FIELD_STRING, .offset = offsetof(struct claim, contains)},
};

static const struct record claim_record = {
    .name = "Claim",
    .size = sizeof(struct claim),
    RECORD_FIELDS(claim_fields),
};

static int claim_call(struct control_request *request)
{
    struct claim claim;
    struct behaviour_scope scope;
    struct call_filter filter;
    int status = control_decode(request, &claim_record, &claim);

    if (!status)
        status =
            fill_filter(request, claim.provider, claim.method, claim.recipient, &scope, &filter);
    if (status) return status;
    filter.contains = claim.contains;
    return calls_claim(request, &filter);
}

/* ---- codes and figures ---- */

static int show_code(struct control_request *request)
{
    const char *phone = control_param(request, "phone");
    char recipient[SEND_TEXT_MAX + 1];
    struct behaviour_scope scope;

    if (!phone) return control_refuse(request, 422, "phone: is missing");
    recipient_normalize(phone, recipient);
    int status =
        control_read_scope(request, control_param(request, "provider"), NULL, phone, &scope);
    if (status) return status;
    pthread_mutex_lock(&request->sim->server.lock);
    const struct send *send =
        sends_find(request->sim->sends, SEND_BY_RECIPIENT, scope.provider, recipient);
    bool has_code = send && send->is_out && send->code[0];
    if (has_code) {
        json_object_begin(&request->json);
        json_put_text(&request->json, "phone", send->recipient);
        json_put_text(&request->json, "code", send->code);
        json_put_text(&request->json, "provider", send->provider->name);
        json_put_text(&request->json, "send_id", send->id);
        json_put_text(&request->json, "status",
                      send_status_words[send_status(send, clock_now_ms())]);
        json_put_int(&request->json, "at_ms", send->made_ms);
        json_object_end(&request->json);
    }
    pthread_mutex_unlock(&request->sim->server.lock);
    return has_code ? 200 : control_refuse(request, 404, "No code went to %s", recipient);
}

static void put_tally(struct json_writer *json, const char *name, const struct tally *tally)
{
    json_key(json, name);
    json_object_begin(json);
    json_put_int(json, "calls", (int64_t)tally->calls);
    json_put_int(json, "effects", (int64_t)tally->effects);
    json_put_int(json, "cut_before", (int64_t)tally->cut_before);
    json_put_int(json, "in_flight", tally->in_flight);
    json_put_int(json, "in_flight_max", tally->in_flight_max);
    json_object_end(json);
}

static int show_stats(struct control_request *request)
{
    pthread_mutex_lock(&request->sim->server.lock);
    json_object_begin(&request->json);
    for (size_t i = 0; providers[i]; i++)
        put_tally(&request->json, providers[i]->name, &request->sim->tallies[i]);
    json_object_end(&request->json);
    pthread_mutex_unlock(&request->sim->server.lock);
    return 200;
}

const struct route call_routes[] = {
    {"GET", "/_control/calls",
     "lists calls; ?provider= &method= &recipient= &contains= &claimed=true|false "
     "&had_effect=true|false &after=<id> &limit=",
     list_calls},
    {"GET", "/_control/times", "the same calls, of each only [id, recipient, at_ms]", list_times},
    {"POST", "/_control/claim",
     "{provider?, method?, recipient?, contains?}: takes out the oldest unclaimed call that fits; "
     "404 if there is none",
     claim_call},
    {"GET", "/_control/leftover",
     "the unclaimed calls, and how many calls the counted behaviours still wait for",
     list_leftover},
    {"GET", "/_control/code", "?phone= &provider=: the last code that went to a phone", show_code},
    {"GET", "/_control/stats",
     "by provider: calls, effects (somebody was messaged or called), cut_before, in_flight",
     show_stats},
    {0},
};
