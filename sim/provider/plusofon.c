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

static void write_fault(struct deal *deal, const struct fault *fault)
{
    deal_begin_answer(deal, fault->http_status);
    json_put_bool(&deal->json, "success", false);
    json_put_text(&deal->json, "message", fault->text);
    deal_end_answer(deal);
    if (fault->kind == FAULT_RATE) deal_put_retry_after(deal);
}

static const struct fault *check_credentials(const struct deal *deal)
{
    const char *client = deal->request.client;

    if (!deal_has_secret(deal->request.authorization, "Bearer", deal->options->plusofon_token))
        return deal_fault(deal, "unauthenticated");
    if (client && strcmp(client, deal->options->plusofon_client) == 0) return NULL;
    return deal_fault(deal, "client");
}

static const struct fault *flash_call_send(struct deal *deal)
{
    const struct params *params = &deal->request.params;
    const char *phone = params_text(params, "phone");
    const char *pin = params_text(params, "pin");

    if (!deal_is_phone(phone, phone && phone[0] == '+')) return deal_fault(deal, "phone");
    if (!deal_is_code(pin, 4, 6)) return deal_fault(deal, "pin");
    const char *id = arena_printf(deal->arena, "%llx", (long long)sends_next_number(deal->sends));
    deal_send(deal, id, NULL, pin);
    deal_begin_answer(deal, 200);
    json_put_bool(&deal->json, "success", true);
    json_key(&deal->json, "data");
    json_object_begin(&deal->json);
    json_put_text(&deal->json, "key", id);
    json_put_text(&deal->json, "operator", "Simulated operator");
    json_object_end(&deal->json);
    deal_end_answer(deal);
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
