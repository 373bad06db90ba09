/*
 * Zvonok: a flash call whose pincode is phone_suffix where that is given, else the provider's.
 * A form to /manager/cabapi_external/api/v1/phones/flashcall/. Errors and their sentences are a
 * guess: "status":"error" and a text in "data".
 */
#include "options.h"
#include "provider.h"

static const struct fault faults[] = {
    {"public_key", FAULT_CREDENTIALS, 403, "Invalid public_key"},
    {"campaign", FAULT_CREDENTIALS, 400, "Campaign does not exist"},
    {"balance", FAULT_BALANCE, 400, "Not enough money"},
    {"phone", FAULT_RECIPIENT, 400, "Invalid phone number"},
    {"too_many", FAULT_RATE, 429, "Too many requests"},
    {"suffix", FAULT_REQUEST, 400, "Invalid phone_suffix"},
    {"form", FAULT_REQUEST, 400, "Form data is invalid"},
    {"not_found", FAULT_REQUEST, 404, "Not found"},
    {"server", FAULT_SERVER, 500, "Server error"},
};

static void write_fault(struct deal *deal, const struct fault *fault)
{
    deal_begin_answer(deal, fault->http_status);
    json_put_text(&deal->json, "status", "error");
    json_put_text(&deal->json, "data", fault->text);
    deal_end_answer(deal);
    if (fault->kind == FAULT_RATE) deal_put_retry_after(deal);
}

static const struct fault *check_credentials(const struct deal *deal)
{
    const char *key = params_text(&deal->request.params, "public_key");
    const char *campaign = params_text(&deal->request.params, "campaign_id");

    if (!key || strcmp(key, deal->options->zvonok_key) != 0) return deal_fault(deal, "public_key");
    if (campaign && strcmp(campaign, deal->options->zvonok_campaign) == 0) return NULL;
    return deal_fault(deal, "campaign");
}

static const struct fault *flashcall(struct deal *deal)
{
    const struct params *params = &deal->request.params;
    const char *phone = params_text(params, "phone");
    const char *suffix = params_text(params, "phone_suffix");

    if (!deal_is_phone(phone, phone && phone[0] == '+')) return deal_fault(deal, "phone");
    if (params_has(params, "phone_suffix") && !deal_is_code(suffix, 4, 4))
        return deal_fault(deal, "suffix");
    int64_t id = sends_next_number(deal->sends);
    const char *code = suffix ? suffix : deal_new_code(deal, 4);
    deal_send(deal, arena_printf(deal->arena, "%lld", (long long)id), NULL, code);
    deal_begin_answer(deal, 200);
    json_put_text(&deal->json, "status", "ok");
    json_key(&deal->json, "data");
    json_object_begin(&deal->json);
    json_put_int(&deal->json, "call_id", id);
    json_put_text(&deal->json, "pincode", code);
    json_object_end(&deal->json);
    deal_end_answer(deal);
    return NULL;
}

static const struct method methods[] = {
    {"phones/flashcall", "manager/cabapi_external/api/v1/phones/flashcall/", "POST", "phone",
     flashcall},
};

const struct provider zvonok = {
    .name = "zvonok",
    .home = "https://zvonok.com",
    .prefix = "manager/",
    PROVIDER_METHODS(methods),
    PROVIDER_FAULTS(faults),
    .unknown_method = "not_found",
    .unreadable = "form",
    .check_credentials = check_credentials,
    .write_fault = write_fault,
};
