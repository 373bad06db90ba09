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

static void write_fault(struct call *call, const struct fault *fault)
{
    call_begin_answer(call, fault->http_status);
    json_put_text(&call->json, "status", "error");
    json_put_text(&call->json, "data", fault->text);
    call_end_answer(call);
    if (fault->kind == FAULT_RATE) call_put_retry_after(call);
}

static const struct fault *check_credentials(const struct call *call)
{
    const char *key = params_text(&call->request.params, "public_key");
    const char *campaign = params_text(&call->request.params, "campaign_id");

    if (!key || strcmp(key, call->options->zvonok_key) != 0) return call_fault(call, "public_key");
    if (campaign && strcmp(campaign, call->options->zvonok_campaign) == 0) return NULL;
    return call_fault(call, "campaign");
}

static const struct fault *flashcall(struct call *call)
{
    const struct params *params = &call->request.params;
    const char *phone = params_text(params, "phone");
    const char *suffix = params_text(params, "phone_suffix");

    if (!call_is_phone(phone, phone && phone[0] == '+')) return call_fault(call, "phone");
    if (params_has(params, "phone_suffix") && !call_is_code(suffix, 4, 4))
        return call_fault(call, "suffix");
    int64_t id = sends_next_number(call->sends);
    const char *code = suffix ? suffix : call_new_code(call, 4);
    call_send(call, arena_printf(call->arena, "%lld", (long long)id), NULL, code);
    call_begin_answer(call, 200);
    json_put_text(&call->json, "status", "ok");
    json_key(&call->json, "data");
    json_object_begin(&call->json);
    json_put_int(&call->json, "call_id", id);
    json_put_text(&call->json, "pincode", code);
    json_object_end(&call->json);
    call_end_answer(call);
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
