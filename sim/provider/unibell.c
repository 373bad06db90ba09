/*
 * Unibell: a flash call from a number that ends in the four digits given, an integer.
 * POST /apps/flash/calls/flash with a JSON object.
 *
 * In its documentation errorCode is a number of its own, and the HTTP status tells the class: 401,
 * 403 for funds, 429. Some sources give those three as errorCode itself: so both are here.
 */
#include "options.h"
#include "provider.h"

#include <stdio.h>
#include <stdlib.h>

enum { TIMEOUT_MAX_MS = 120 * 1000, CODE_LEAST = 1000, CODE_MOST = 9999 };

static const struct fault faults[] = {
    {"1", FAULT_CREDENTIALS, 401, "Authentication required"},
    {"5", FAULT_CREDENTIALS, 401, "Inactive token"},
    {"2", FAULT_CREDENTIALS, 400, "Inactive account"},
    {"6", FAULT_BALANCE, 403, "Insufficient funds"},
    {"4", FAULT_RATE, 429, "Too many requests"},
    {"11", FAULT_RECIPIENT, 400, "Invalid number"},
    {"10", FAULT_REQUEST, 400, "Invalid request"},
    {"500", FAULT_SERVER, 500, "Internal error"},
    /* Told of by others than its documentation; only behaviours bring them up. */
    {"401", FAULT_CREDENTIALS, 401, "Authentication required"},
    {"403", FAULT_BALANCE, 403, "Insufficient funds"},
    {"429", FAULT_RATE, 429, "Too many requests"},
};

static void write_fault(struct call *call, const struct fault *fault)
{
    call_begin_answer(call, fault->http_status);
    json_put_int(&call->json, "errorCode", strtol(fault->name, NULL, 10));
    json_put_text(&call->json, "errorReason", fault->text);
    call_end_answer(call);
    if (fault->kind == FAULT_RATE) call_put_retry_after(call);
}

static const struct fault *check_credentials(const struct call *call)
{
    const char *key = call->options->unibell_key;

    if (call_has_secret(call->request.x_authorization, "AccessKey", key)) return NULL;
    const char *param = params_text(&call->request.params, "X-Authorization");
    return call_has_secret(param, "AccessKey", key) ? NULL : call_fault(call, "1");
}

static const struct fault *flash(struct call *call)
{
    const struct params *params = &call->request.params;
    const char *number = params_text(params, "number");
    int64_t code, timeout_ms;

    if (!params_integer(params, "code", CODE_LEAST, CODE_MOST, &code))
        return call_fault(call, "10");
    if (!params_integer(params, "timeout", 1, TIMEOUT_MAX_MS, &timeout_ms))
        return call_fault(call, "10");
    if (!call_is_phone(number, number && number[0] == '+')) return call_fault(call, "11");
    int64_t id = sends_next_number(call->sends);
    const struct send *send = call_send(call, arena_printf(call->arena, "%lld", (long long)id),
                                        NULL, arena_printf(call->arena, "%lld", (long long)code));
    call_begin_answer(call, 200);
    json_put_int(&call->json, "requestId", id);
    json_put_text(&call->json, "from", arena_printf(call->arena, "7495000%s", send->code));
    call_end_answer(call);
    return NULL;
}

static const struct method methods[] = {
    {"apps/flash/calls/flash", "apps/flash/calls/flash", "POST", "number", flash},
};

const struct provider unibell = {
    .name = "unibell",
    .home = "https://api.unibell.ru",
    .prefix = "apps/",
    PROVIDER_METHODS(methods),
    PROVIDER_FAULTS(faults),
    .unknown_method = "10",
    .unreadable = "10",
    .check_credentials = check_credentials,
    .write_fault = write_fault,
};
