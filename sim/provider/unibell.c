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
    /* Told of by others than its documentation; only orders bring them up. */
    {"401", FAULT_CREDENTIALS, 401, "Authentication required"},
    {"403", FAULT_BALANCE, 403, "Insufficient funds"},
    {"429", FAULT_RATE, 429, "Too many requests"},
};

static void write_fault(struct deal *deal, const struct fault *fault)
{
    deal_begin_answer(deal, fault->http_status);
    json_put_int(&deal->json, "errorCode", strtol(fault->name, NULL, 10));
    json_put_text(&deal->json, "errorReason", fault->text);
    deal_end_answer(deal);
    if (fault->kind == FAULT_RATE) deal_put_retry_after(deal);
}

static const struct fault *check_credentials(const struct deal *deal)
{
    const char *key = deal->options->unibell_key;

    if (deal_has_secret(deal->request.x_authorization, "AccessKey", key)) return NULL;
    const char *param = params_text(&deal->request.params, "X-Authorization");
    return deal_has_secret(param, "AccessKey", key) ? NULL : deal_fault(deal, "1");
}

static const struct fault *flash(struct deal *deal)
{
    const struct params *params = &deal->request.params;
    const char *number = params_text(params, "number");
    int64_t code, timeout_ms;

    if (!params_integer(params, "code", CODE_LEAST, CODE_MOST, &code))
        return deal_fault(deal, "10");
    if (!params_integer(params, "timeout", 1, TIMEOUT_MAX_MS, &timeout_ms))
        return deal_fault(deal, "10");
    if (!deal_is_phone(number, number && number[0] == '+')) return deal_fault(deal, "11");
    int64_t id = sends_next_number(deal->sends);
    const struct send *send = deal_send(deal, arena_printf(deal->arena, "%lld", (long long)id),
                                        NULL, arena_printf(deal->arena, "%lld", (long long)code));
    deal_begin_answer(deal, 200);
    json_put_int(&deal->json, "requestId", id);
    json_put_text(&deal->json, "from", arena_printf(deal->arena, "7495000%s", send->code));
    deal_end_answer(deal);
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
