/* These routes tell what the ERP saw and made: calls, claims, documents, figures. */
#include "sim.h"
#include "sim/common/calls.h"

/* ---- calls ---- */

/* 0, or the status of a refusal. `method` and `order` may be NULL; the filter's texts are in the
 * request's arena. */
static int fill_filter(struct control_request *request, const char *method, const char *order,
                       struct call_filter *ret_filter)
{
    *ret_filter = (struct call_filter)CALL_FILTER_ALL;
    int status = control_read_order(request, order, &ret_filter->subject);
    if (status || !method) return status;
    ret_filter->method = method_words[control_word(method_words, method)];
    if (ret_filter->method) return 0;
    return control_refuse(request, 422, "method: order, health, redirected or unknown");
}

static int list_calls(struct control_request *request)
{
    struct call_filter filter;
    int64_t limit;
    int status = fill_filter(request, control_param(request, "method"),
                             control_param(request, "order"), &filter);

    if (!status) status = calls_read_page(request, &filter, &limit);
    return status ? status : calls_list(request, &filter, limit);
}

static int list_leftover(struct control_request *request)
{
    struct sim *sim = request->sim;
    struct call_filter filter = CALL_FILTER_ALL;

    filter.method_not = method_words[METHOD_HEALTH];
    pthread_mutex_lock(&sim->server.lock);
    int64_t awaited = behaviours_left(sim->behaviours);
    pthread_mutex_unlock(&sim->server.lock);
    return calls_list_leftover(request, &filter, awaited);
}

/* ---- claims ---- */

struct claim {
    const char *method, *order;
};

static const struct field claim_fields[] = {
    {.name = "method", .type = FIELD_STRING, .offset = offsetof(struct claim, method)},
    {.name = "order", .type = FIELD_STRING, .offset = offsetof(struct claim, order)},
};

static const struct record claim_record = {
    .name = "Claim",
    .size = sizeof(struct claim),
    RECORD_FIELDS(claim_fields),
};

static int claim_call(struct control_request *request)
{
    struct claim claim;
    struct call_filter filter;
    int status = control_decode(request, &claim_record, &claim);

    if (!status) status = fill_filter(request, claim.method, claim.order, &filter);
    return status ? status : calls_claim(request, &filter);
}

/* ---- documents and figures ---- */

static int list_documents(struct control_request *request)
{
    const char *order;
    int status = control_read_order(request, control_param(request, "order"), &order);

    if (status) return status;
    pthread_mutex_lock(&request->sim->server.lock);
    json_object_begin(&request->json);
    json_put_int(&request->json, "count", documents_tally(request->sim->documents).count);
    documents_put(request->sim->documents, order, &request->json);
    json_object_end(&request->json);
    pthread_mutex_unlock(&request->sim->server.lock);
    return 200;
}

static int show_stats(struct control_request *request)
{
    struct sim *sim = request->sim;

    pthread_mutex_lock(&sim->server.lock);
    struct documents_tally tally = documents_tally(sim->documents);
    json_object_begin(&request->json);
    json_put_int(&request->json, "documents", tally.count);
    json_put_int(&request->json, "twice", tally.twice);
    json_put_int(&request->json, "changed_bodies", tally.changed_bodies);
    json_put_int(&request->json, "calls", sim->calls[METHOD_ORDER]);
    json_put_int(&request->json, "health_calls", sim->calls[METHOD_HEALTH]);
    json_put_int(&request->json, "redirected_calls", sim->calls[METHOD_REDIRECTED]);
    json_put_int(&request->json, "unknown_calls", sim->calls[METHOD_UNKNOWN]);
    json_put_int(&request->json, "in_flight", sim->in_flight);
    json_put_int(&request->json, "in_flight_max", sim->in_flight_max);
    json_put_int(&request->json, "unauthorized", sim->unauthorized);
    json_put_int(&request->json, "malformed", sim->malformed);
    json_object_end(&request->json);
    pthread_mutex_unlock(&sim->server.lock);
    return 200;
}

const struct route call_routes[] = {
    {"GET", "/_control/calls",
     "lists calls, the oldest first; ?method= &order= &claimed=true|false &had_effect=true|false "
     "&after=<id> &limit= (1000)",
     list_calls},
    {"POST", "/_control/claim",
     "{method?, order?}: takes out the oldest unclaimed call that fits; 404 if there is none",
     claim_call},
    {"GET", "/_control/leftover",
     "the unclaimed calls other than of health, and how many calls the counted behaviours still "
     "wait for",
     list_leftover},
    {"GET", "/_control/documents", "?order=: the documents that were made", list_documents},
    {"GET", "/_control/stats",
     "documents, twice (of a point's order number that had one under another uuid), changed_bodies "
     "(an order that came with other bytes), calls, health_calls, redirected_calls, unknown_calls, "
     "in_flight, in_flight_max, unauthorized, malformed (requests that were no HTTP)",
     show_stats},
    {0},
};
