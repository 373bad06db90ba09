/*
 * Plusofon: a flash call from a number that ends in the pin given. POST
 * /api/v1/flash-call/send with a JSON object, Authorization: Bearer and the header Client.
 *
 * Refusals come with 200 and "success":false as well as with a status of their own. The sentences
 * are ours.
 */
#include "options.h"
#include "provider.h"

static const struct fault faults[] = {
    {"unauthenticated", FAULT_CREDENTIALS, 401, "Unauthenticated."},
    {"client", FAULT_CREDENTIALS, 403, "The header Client is missing or wrong"},
    {"no_money", FAULT_BALANCE, 200, "There is not enough money on the account"},
    {"unreachable", FAULT_RECIPIENT, 200, "The number cannot be called"},
    {"phone", FAULT_REQUEST, 200, "The phone is wrong"},
    {"pin", FAULT_REQUEST, 200, "The pin is wrong"},
    {"unreadable", FAULT_REQUEST, 400, "The request cannot be read"},
    {"not_found", FAULT_REQUEST, 404, "Not found"},
    {"too_many", FAULT_RATE, 429, "Too Many Attempts."},
    {"server", FAULT_SERVER, 500, "Server Error"},
};

static void write_fault(struct call *call, const struct fault *fault)
{
    call_begin_answer(call, fault->http_status);
    json_put_bool(&call->json, "success", false);
    json_put_text(&call->json, "message", fault->text);
    call_end_answer(call);
    if (fault->kind == FAULT_RATE) call_put_retry_after(call);
}

static const struct fault *check_credentials(const struct call *call)
{
    const char *client = call->request.client;

    if (!call_has_secret(call->request.authorization, "Bearer", call->options->plusofon_token))
        return call_fault(call, "unauthenticated");
    if (client && strcmp(client, call->options->plusofon_client) == 0) return NULL;
    return call_fault(call, "client");
}

static const struct fault *flash_call_send(struct call *call)
{
    const struct params *params = &call->request.params;
    const char *phone = params_text(params, "phone");
    const char *pin = params_text(params, "pin");

    if (!call_is_phone(phone, phone && phone[0] == '+')) return call_fault(call, "phone");
    if (!call_is_code(pin, 4, 6)) return call_fault(call, "pin");
    const char *id = arena_printf(call->arena, "%llx", (long long)sends_next_number(call->sends));
    call_send(call, id, NULL, pin);
    call_begin_answer(call, 200);
    json_put_bool(&call->json, "success", true);
    json_key(&call->json, "data");
    json_object_begin(&call->json);
    json_put_text(&call->json, "key", id);
    json_put_text(&call->json, "operator", "Simulated operator");
    json_object_end(&call->json);
    call_end_answer(call);
    return NULL;
}

static const struct method methods[] = {
    {"flash-call/send", "api/v1/flash-call/send", "POST", "phone", flash_call_send},
};

const struct provider plusofon = {
    .name = "plusofon",
    .home = "https://restapi.plusofon.ru",
    .prefix = "api/v1/",
    PROVIDER_METHODS(methods),
    PROVIDER_FAULTS(faults),
    .unknown_method = "not_found",
    .unreadable = "unreadable",
    .check_credentials = check_credentials,
    .write_fault = write_fault,
};
