/* What the providers saw: calls, claims, codes, figures. */
#include "control.h"
#include "kit/base/clock.h"

#include <stdlib.h>

enum { CALLS_SHOWN = 1000, CALLS_SHOWN_MAX = 100000, LEFTOVER_SHOWN = 100 };

/* ---- calls ---- */

/* `scope` keeps the texts that the filter points to. */
static int fill_filter(struct ask *ask, const char *provider, const char *method,
                       const char *recipient, struct order_scope *scope,
                       struct call_filter *ret_filter)
{
    int status = ask_scope(ask, provider, method, recipient, scope);

    if (status) return status;
    *ret_filter = (struct call_filter){.claimed = -1, .had_effect = -1};
    if (scope->provider) ret_filter->peer = scope->provider->name;
    ret_filter->method = scope->method;
    if (scope->recipient[0]) ret_filter->subject = scope->recipient;
    return 0;
}

static int read_filter(struct ask *ask, struct order_scope *scope, struct call_filter *ret_filter)
{
    int64_t after = 0;
    int status = fill_filter(ask, ask_param(ask, "provider"), ask_param(ask, "method"),
                             ask_param(ask, "recipient"), scope, ret_filter);

    if (!status) status = ask_flag(ask, "claimed", &ret_filter->claimed);
    if (!status) status = ask_flag(ask, "had_effect", &ret_filter->had_effect);
    if (!status) status = ask_count(ask, "after", INT64_MAX, &after);
    if (status) return status;
    ret_filter->contains = ask_param(ask, "contains");
    ret_filter->after = (uint64_t)after;
    return 0;
}

static int list_calls(struct ask *ask)
{
    struct order_scope scope;
    struct call_filter filter;
    int64_t limit = CALLS_SHOWN;
    int status = read_filter(ask, &scope, &filter);

    if (!status) status = ask_count(ask, "limit", CALLS_SHOWN_MAX, &limit);
    if (status) return status;
    pthread_mutex_lock(&ask->sim->lock);
    json_object_begin(&ask->json);
    json_put_int(&ask->json, "count", (int64_t)ledger_count(ask->sim->ledger, filter));
    json_put_int(&ask->json, "dropped", (int64_t)ledger_dropped(ask->sim->ledger));
    ledger_put_calls(ask->sim->ledger, filter, limit, &ask->json);
    json_object_end(&ask->json);
    pthread_mutex_unlock(&ask->sim->lock);
    return 200;
}

static void put_time(struct json_writer *json, const struct call *call)
{
    json_array_begin(json);
    json_int(json, (int64_t)call->number);
    json_text(json, call->subject);
    json_int(json, call->at_ms);
    json_array_end(json);
}

/* The records of a thousand calls are a megabyte; a measurement wants a few bytes of each. */
static int list_times(struct ask *ask)
{
    const struct call *call;
    struct order_scope scope;
    struct call_filter filter;
    int64_t limit = CALLS_SHOWN;
    int status = read_filter(ask, &scope, &filter);

    if (!status) status = ask_count(ask, "limit", CALLS_SHOWN_MAX, &limit);
    if (status) return status;
    pthread_mutex_lock(&ask->sim->lock);
    json_array_begin(&ask->json);
    while (limit-- > 0 && (call = ledger_find(ask->sim->ledger, &filter))) {
        put_time(&ask->json, call);
        filter.after = call->number;
    }
    json_array_end(&ask->json);
    pthread_mutex_unlock(&ask->sim->lock);
    return 200;
}

static int list_leftover(struct ask *ask)
{
    struct call_filter filter = {.claimed = 0, .had_effect = -1};

    pthread_mutex_lock(&ask->sim->lock);
    json_object_begin(&ask->json);
    json_put_int(&ask->json, "count", (int64_t)ledger_count(ask->sim->ledger, filter));
    json_put_int(&ask->json, "orders_left", orders_left(ask->sim->orders));
    ledger_put_calls(ask->sim->ledger, filter, LEFTOVER_SHOWN, &ask->json);
    json_object_end(&ask->json);
    pthread_mutex_unlock(&ask->sim->lock);
    return 200;
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

static int claim_call(struct ask *ask)
{
    struct claim claim;
    struct order_scope scope;
    struct call_filter filter;
    int status = ask_decode(ask, &claim_record, &claim);

    if (!status)
        status = fill_filter(ask, claim.provider, claim.method, claim.recipient, &scope, &filter);
    if (status) return status;
    filter.contains = claim.contains;
    pthread_mutex_lock(&ask->sim->lock);
    const struct call *call = ledger_claim(ask->sim->ledger, filter);
    if (call) call_write(call, &ask->answer);
    pthread_mutex_unlock(&ask->sim->lock);
    return call ? 200 : ask_refuse(ask, 404, "No unclaimed call fits");
}

/* ---- codes and figures ---- */

static int show_code(struct ask *ask)
{
    const char *phone = ask_param(ask, "phone");
    char recipient[SEND_TEXT_MAX + 1];
    struct order_scope scope;

    if (!phone) return ask_refuse(ask, 422, "phone: is missing");
    recipient_normalize(phone, recipient);
    int status = ask_scope(ask, ask_param(ask, "provider"), NULL, phone, &scope);
    if (status) return status;
    pthread_mutex_lock(&ask->sim->lock);
    const struct send *send =
        sends_find(ask->sim->sends, SEND_BY_RECIPIENT, scope.provider, recipient);
    bool has_code = send && send->is_out && send->code[0];
    if (has_code) {
        json_object_begin(&ask->json);
        json_put_text(&ask->json, "phone", send->recipient);
        json_put_text(&ask->json, "code", send->code);
        json_put_text(&ask->json, "provider", send->provider->name);
        json_put_text(&ask->json, "send_id", send->id);
        json_put_text(&ask->json, "status", fate_words[send_fate(send, clock_now_ms())]);
        json_put_int(&ask->json, "at_ms", send->made_ms);
        json_object_end(&ask->json);
    }
    pthread_mutex_unlock(&ask->sim->lock);
    return has_code ? 200 : ask_refuse(ask, 404, "No code went to %s", recipient);
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

static int show_stats(struct ask *ask)
{
    pthread_mutex_lock(&ask->sim->lock);
    json_object_begin(&ask->json);
    for (size_t i = 0; providers[i]; i++)
        put_tally(&ask->json, providers[i]->name, &ask->sim->tallies[i]);
    json_object_end(&ask->json);
    pthread_mutex_unlock(&ask->sim->lock);
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
     "the unclaimed calls, and how many calls the counted orders still wait for", list_leftover},
    {"GET", "/_control/code", "?phone= &provider=: the last code that went to a phone", show_code},
    {"GET", "/_control/stats",
     "by provider: calls, effects (somebody was messaged or called), cut_before, in_flight",
     show_stats},
    {0},
};
