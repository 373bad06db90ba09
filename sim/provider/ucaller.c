/*
 * uCaller: a flash call from a number that ends in four digits, which the caller may choose.
 * POST with a JSON object (or GET with a query) to /v1.0/<method>.
 *
 * A refusal is the presence of "error", with its number in "code". An unreachable subscriber gives
 * status false with an id and no error. A repeat with the same `unique` gets the first call's
 * answer with "exists" and places no second call.
 *
 * Which HTTP status goes with an error is not documented: 401, 429 and 500 go with themselves, the
 * others with 200. The sentences are ours.
 */
#include "options.h"
#include "provider.h"

#include <stdio.h>
#include <stdlib.h>

enum { CLIENT_MAX = 64 };
#define PHONE_LEAST 1000000LL
#define PHONE_MOST  999999999999999LL

static const struct fault faults[] = {
    {"401", FAULT_CREDENTIALS, 401, "The key or the service id is wrong"},
    {"1002", FAULT_BALANCE, 200, "There is not enough money on the account"},
    {"20", FAULT_RECIPIENT, 200, "This number cannot be called"},
    {"3", FAULT_RECIPIENT, 200, "The phone number is wrong"},
    {"9", FAULT_RECIPIENT, 200, "Calls to this country or operator are not possible"},
    {"429", FAULT_RATE, 429, "Too many requests"},
    {"18", FAULT_RATE, 200, "The limit of calls to this number is used up"},
    {"19", FAULT_RATE, 200, "This number was called a moment ago; wait"},
    {"500", FAULT_SERVER, 500, "Internal error"},
    {"0", FAULT_CREDENTIALS, 200, "This address is blocked"},
    {"1", FAULT_REQUEST, 200, "A required parameter is missing"},
    {"2", FAULT_REQUEST, 200, "A parameter has a wrong value"},
    {"4", FAULT_REQUEST, 200, "There is no such method or call"},
    {"1001", FAULT_CREDENTIALS, 200, "The account is blocked"},
    {"1003", FAULT_CREDENTIALS, 200, "The service is switched off"},
    {"1004", FAULT_CREDENTIALS, 200, "The service does not exist"},
    {"1005", FAULT_CREDENTIALS, 200, "This address is not allowed for the service"},
};

static void write_fault(struct call *call, const struct fault *fault)
{
    call_begin_answer(call, fault->http_status);
    json_put_bool(&call->json, "status", false);
    json_put_text(&call->json, "error", fault->text);
    json_put_int(&call->json, "code", strtol(fault->name, NULL, 10));
    call_end_answer(call);
    if (fault->http_status == 429) call_put_retry_after(call);
}

static bool is_pair(const char *key, const char *service, const struct options *options)
{
    return key && service && strcmp(key, options->ucaller_key) == 0 &&
           strcmp(service, options->ucaller_service) == 0;
}

static const struct fault *check_credentials(const struct call *call)
{
    const struct options *options = call->options;
    const struct params *params = &call->request.params;
    const char *secret =
        arena_printf(call->arena, "%s.%s", options->ucaller_key, options->ucaller_service);

    if (call_has_secret(call->request.authorization, "Bearer", secret)) return NULL;
    if (is_pair(params_text(params, "key"), params_find(params, "service_id")->text, options))
        return NULL;
    return call_fault(call, "401");
}

/* ---- initCall ---- */

/* Four digits as text, or as a number that has four. 0000 is not given out. */
static const char *code_of(const struct call *call)
{
    const struct param *code = params_find(&call->request.params, "code");
    bool is_code = (code->type == PARAM_TEXT || code->type == PARAM_NUMBER) &&
                   call_is_code(code->text, 4, 4) && strcmp(code->text, "0000") != 0;

    return is_code ? code->text : NULL;
}

static bool is_optional_text(const struct params *params, const char *name, size_t max)
{
    const struct param *param = params_find(params, name);

    if (param->type == PARAM_ABSENT) return true;
    return param->type == PARAM_TEXT && utf8_length(str_of(param->text)) <= max;
}

static const struct fault *check_call(const struct call *call)
{
    const struct params *params = &call->request.params;
    int64_t phone;

    if (!params_has(params, "phone")) return call_fault(call, "1");
    if (!params_integer(params, "phone", PHONE_LEAST, PHONE_MOST, &phone))
        return call_fault(call, "3");
    if (params_has(params, "code") && !code_of(call)) return call_fault(call, "2");
    if (!is_optional_text(params, "client", CLIENT_MAX)) return call_fault(call, "2");
    if (!is_optional_text(params, "unique", SEND_UNIQUE_MAX)) return call_fault(call, "2");
    return NULL;
}

static int64_t phone_number(const struct send *send)
{
    return strtoll(send->recipient + (send->recipient[0] == '+'), NULL, 10);
}

static void put_call(struct json_writer *json, const struct send *send)
{
    json_put_int(json, "ucaller_id", strtoll(send->id, NULL, 10));
    json_put_int(json, "phone", phone_number(send));
    json_put_text(json, "code", send->code);
    if (send->payload) json_put_text(json, "client", send->payload);
    if (send->unique[0]) json_put_text(json, "unique_request_id", send->unique);
}

static void answer_call(struct call *call, const struct send *send, bool is_repeat)
{
    call_begin_answer(call, 200);
    json_put_bool(&call->json, "status", !send->is_unreachable);
    put_call(&call->json, send);
    if (is_repeat) json_put_bool(&call->json, "exists", true);
    call_end_answer(call);
}

static const struct fault *init_call(struct call *call)
{
    const struct params *params = &call->request.params;
    const struct fault *fault = check_call(call);

    if (fault) return fault;
    const char *unique = params_text(params, "unique");
    const struct send *first =
        unique ? sends_find(call->sends, SEND_BY_UNIQUE, call->provider, unique) : NULL;
    if (first) {
        call->send = first;
        answer_call(call, first, true);
        return NULL;
    }
    const char *id = arena_printf(call->arena, "%lld", (long long)sends_next_number(call->sends));
    const char *code = code_of(call);
    struct send *send = call_send(call, id, unique, code ? code : call_new_code(call, 4));
    const char *client = params_text(params, "client");
    send->payload = client ? strdup(client) : NULL;
    send->is_unreachable = call->behaviour.kind == BEHAVIOUR_UNREACHABLE;
    call->had_effect = !send->is_unreachable;
    answer_call(call, send, false);
    return NULL;
}

/* ---- getInfo ---- */

static void put_call_status(struct json_writer *json, enum send_status status)
{
    if (status == STATUS_SILENT) return;
    int known = status == STATUS_PENDING ? -1 : status != STATUS_UNDELIVERED;
    json_put_int(json, "call_status", known);
}

static const struct fault *get_info(struct call *call)
{
    int64_t uid;

    if (!params_has(&call->request.params, "uid")) return call_fault(call, "1");
    if (!params_integer(&call->request.params, "uid", 0, INT64_MAX, &uid))
        return call_fault(call, "2");
    const char *id = arena_printf(call->arena, "%lld", (long long)uid);
    const struct send *send = sends_find(call->sends, SEND_BY_ID, call->provider, id);
    if (!send) return call_fault(call, "4");
    call->send = send;
    call_begin_answer(call, 200);
    json_put_bool(&call->json, "status", true);
    put_call(&call->json, send);
    json_put_int(&call->json, "init_time", send->made_ms / 1000);
    put_call_status(&call->json, send_status(send, call->now_ms));
    call_end_answer(call);
    return NULL;
}

static const struct method methods[] = {
    {"initCall", "v1.0/initCall", "GET POST", "phone", init_call},
    {"getInfo", "v1.0/getInfo", "GET POST", NULL, get_info},
};

const struct provider ucaller = {
    .name = "ucaller",
    .home = "https://api.ucaller.ru",
    .prefix = "v1.0/",
    PROVIDER_METHODS(methods),
    PROVIDER_FAULTS(faults),
    .unknown_method = "4",
    .unreadable = "1",
    .tells_unreachable = true,
    .check_credentials = check_credentials,
    .write_fault = write_fault,
};
