/* What the ERP saw and made: calls, claims, documents, figures. */
#include "sim.h"

#include <stdlib.h>

enum { CALLS_SHOWN = 1000, CALLS_SHOWN_MAX = 100000, LEFTOVER_SHOWN = 100 };

/* ---- calls ---- */

/* 0, or the status of a refusal. `method` and `order` may be NULL; the filter's texts are in the
 * ask's arena. */
static int fill_filter(struct ask *ask, const char *method, const char *order,
                       struct call_filter *ret_filter)
{
    *ret_filter = (struct call_filter){.claimed = -1, .had_effect = -1};
    int status = ask_order(ask, order, &ret_filter->subject);
    if (status || !method) return status;
    for (size_t i = 0; method_words[i]; i++) {
        if (strcmp(method_words[i], method) == 0) ret_filter->method = method_words[i];
    }
    if (ret_filter->method) return 0;
    return ask_refuse(ask, 422, "method: order, health, redirected or unknown");
}

static int read_filter(struct ask *ask, struct call_filter *ret_filter)
{
    int64_t after = 0;
    int status = fill_filter(ask, ask_param(ask, "method"), ask_param(ask, "order"), ret_filter);

    if (!status) status = ask_flag(ask, "claimed", &ret_filter->claimed);
    if (!status) status = ask_flag(ask, "had_effect", &ret_filter->had_effect);
    if (!status) status = ask_count(ask, "after", INT64_MAX, &after);
    ret_filter->after = (uint64_t)after;
    return status;
}

static int list_calls(struct ask *ask)
{
    struct ledger *ledger = ask->sim->ledger;
    struct call_filter filter;
    int64_t limit = CALLS_SHOWN;
    int status = read_filter(ask, &filter);

    if (!status) status = ask_count(ask, "limit", CALLS_SHOWN_MAX, &limit);
    if (status) return status;
    pthread_mutex_lock(&ask->sim->lock);
    json_object_begin(&ask->json);
    json_put_int(&ask->json, "count", (int64_t)ledger_count(ledger, filter));
    json_put_int(&ask->json, "dropped", (int64_t)ledger_dropped(ledger));
    ledger_put_calls(ledger, filter, limit, &ask->json);
    json_object_end(&ask->json);
    pthread_mutex_unlock(&ask->sim->lock);
    return 200;
}

static int list_leftover(struct ask *ask)
{
    struct sim *sim = ask->sim;
    struct call_filter filter = {
        .claimed = 0, .had_effect = -1, .method_not = method_words[METHOD_HEALTH]};

    pthread_mutex_lock(&sim->lock);
    json_object_begin(&ask->json);
    json_put_int(&ask->json, "count", (int64_t)ledger_count(sim->ledger, filter));
    json_put_int(&ask->json, "orders_left", behaviours_left(sim->behaviours));
    ledger_put_calls(sim->ledger, filter, LEFTOVER_SHOWN, &ask->json);
    json_object_end(&ask->json);
    pthread_mutex_unlock(&sim->lock);
    return 200;
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

static int claim_call(struct ask *ask)
{
    struct claim claim;
    struct call_filter filter;
    int status = ask_decode(ask, &claim_record, &claim);

    if (!status) status = fill_filter(ask, claim.method, claim.order, &filter);
    if (status) return status;
    pthread_mutex_lock(&ask->sim->lock);
    const struct call *call = ledger_claim(ask->sim->ledger, filter);
    if (call) call_write(call, &ask->answer);
    pthread_mutex_unlock(&ask->sim->lock);
    return call ? 200 : ask_refuse(ask, 404, "No unclaimed call fits");
}

/* ---- documents and figures ---- */

static int list_documents(struct ask *ask)
{
    const char *order;
    int status = ask_order(ask, ask_param(ask, "order"), &order);

    if (status) return status;
    pthread_mutex_lock(&ask->sim->lock);
    json_object_begin(&ask->json);
    json_put_int(&ask->json, "count", documents_tally(ask->sim->documents).count);
    documents_put(ask->sim->documents, order, &ask->json);
    json_object_end(&ask->json);
    pthread_mutex_unlock(&ask->sim->lock);
    return 200;
}

static int show_stats(struct ask *ask)
{
    struct sim *sim = ask->sim;

    pthread_mutex_lock(&sim->lock);
    struct documents_tally tally = documents_tally(sim->documents);
    json_object_begin(&ask->json);
    json_put_int(&ask->json, "documents", tally.count);
    json_put_int(&ask->json, "twice", tally.twice);
    json_put_int(&ask->json, "changed_bodies", tally.changed_bodies);
    json_put_int(&ask->json, "calls", sim->calls[METHOD_ORDER]);
    json_put_int(&ask->json, "health_calls", sim->calls[METHOD_HEALTH]);
    json_put_int(&ask->json, "redirected_calls", sim->calls[METHOD_REDIRECTED]);
    json_put_int(&ask->json, "unknown_calls", sim->calls[METHOD_UNKNOWN]);
    json_put_int(&ask->json, "in_flight", sim->in_flight);
    json_put_int(&ask->json, "in_flight_max", sim->in_flight_max);
    json_put_int(&ask->json, "unauthorized", sim->unauthorized);
    json_put_int(&ask->json, "malformed", sim->malformed);
    json_object_end(&ask->json);
    pthread_mutex_unlock(&sim->lock);
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
     "in_flight, "
     "in_flight_max, unauthorized, malformed (requests that were no HTTP)",
     show_stats},
    {0},
};
