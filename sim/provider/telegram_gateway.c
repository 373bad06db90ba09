/*
 * Telegram Gateway: codes to Telegram users. POST /<method> with a JSON body, a form or a query;
 * every answer is 200 with {"ok":true,"result":…} or {"ok":false,"error":"NAME"}.
 *
 * It has no idempotency field: two equal requests are two messages. Only a request_id of
 * checkSendAbility sends once, and free of charge.
 *
 * The names of errors in the documentation and in client libraries are ACCESS_TOKEN_INVALID,
 * BALANCE_NOT_ENOUGH, PHONE_NUMBER_*, FLOOD_WAIT_* and MESSAGE_ALREADY_SENT. Those for single
 * parameters (…_INVALID) and UNKNOWN_METHOD follow their pattern and are a guess.
 */
#include "options.h"
#include "report.h"

#include <stdio.h>
#include <stdlib.h>

enum { COST_CENTS = 1, TTL_MIN_S = 30, TTL_MAX_S = 3600, PAYLOAD_MAX = 128 };
enum { CODE_MIN = 4, CODE_MAX = 8 };

static const struct fault faults[] = {
    {"ACCESS_TOKEN_INVALID", FAULT_CREDENTIALS, 200, NULL},
    {"BALANCE_NOT_ENOUGH", FAULT_BALANCE, 200, NULL},
    {"PHONE_NUMBER_NOT_AVAILABLE", FAULT_RECIPIENT, 200, NULL},
    {"PHONE_NUMBER_NOT_FOUND", FAULT_RECIPIENT, 200, NULL},
    {"PHONE_NUMBER_INVALID", FAULT_RECIPIENT, 200, NULL},
    {"FLOOD_WAIT", FAULT_RATE, 200, NULL},
    {"MESSAGE_ALREADY_SENT", FAULT_REPEAT, 200, NULL},
    {"REQUEST_ID_INVALID", FAULT_REQUEST, 200, NULL},
    {"CODE_INVALID", FAULT_REQUEST, 200, NULL},
    {"CODE_LENGTH_INVALID", FAULT_REQUEST, 200, NULL},
    {"TTL_INVALID", FAULT_REQUEST, 200, NULL},
    {"CALLBACK_URL_INVALID", FAULT_REQUEST, 200, NULL},
    {"PAYLOAD_INVALID", FAULT_REQUEST, 200, NULL},
    {"SENDER_USERNAME_INVALID", FAULT_REQUEST, 200, NULL},
    {"REQUEST_INVALID", FAULT_REQUEST, 200, NULL},
    {"UNKNOWN_METHOD", FAULT_REQUEST, 200, NULL},
    {"INTERNAL_SERVER_ERROR", FAULT_SERVER, 500, NULL},
};

static const char *const status_words[FATE_COUNT] = {
    [FATE_PENDING] = "sent",        [FATE_DELIVERED] = "delivered", [FATE_READ] = "read",
    [FATE_UNDELIVERED] = "expired", [FATE_REVOKED] = "revoked",
};

/* ---- answers ---- */

static void write_fault(struct deal *deal, const struct fault *fault)
{
    const char *name = fault->name;

    if (fault->kind == FAULT_RATE)
        name = arena_printf(deal->arena, "FLOOD_WAIT_%lld", (long long)deal_retry_after_s(deal));
    deal_begin_answer(deal, fault->http_status);
    json_put_bool(&deal->json, "ok", false);
    json_put_text(&deal->json, "error", name);
    deal_end_answer(deal);
}

static void write_status(struct json_writer *json, const char *key, const char *word, int64_t at_ms)
{
    json_key(json, key);
    json_object_begin(json);
    json_put_text(json, "status", word);
    json_put_int(json, "updated_at", at_ms / 1000);
}

static void write_delivery(struct json_writer *json, const struct send *send, enum fate fate)
{
    if (!send->is_out || fate == FATE_SILENT) return;
    int64_t since_ms = fate == FATE_PENDING ? send->made_ms : send->changed_ms;
    write_status(json, "delivery_status", status_words[fate], since_ms);
    json_object_end(json);
}

static void write_verification(struct json_writer *json, const struct send *send)
{
    if (!send->guess[0]) return;
    bool is_right = strcmp(send->guess, send->code) == 0;
    write_status(json, "verification_status", is_right ? "code_valid" : "code_invalid",
                 send->guessed_ms);
    json_put_text(json, "code_entered", send->guess);
    json_object_end(json);
}

static void write_request_status(struct json_writer *json, const struct send *send, enum fate fate)
{
    json_put_text(json, "request_id", send->id);
    json_put_text(json, "phone_number", send->recipient);
    json_key(json, "request_cost");
    json_raw(json, STR("0.01"));
    if (fate == FATE_UNDELIVERED) json_put_bool(json, "is_refunded", true);
    write_delivery(json, send, fate);
    write_verification(json, send);
    if (send->payload) json_put_text(json, "payload", send->payload);
}

const char *telegram_gateway_word(enum fate fate)
{
    return status_words[fate];
}

/* Any word may be told of any request, known here or not: that is what tests of a receiver need. */
void telegram_gateway_write_report(struct json_writer *json, const struct send *send,
                                   const char *request_id, const char *status, int64_t at_ms)
{
    json_put_text(json, "request_id", request_id);
    json_put_text(json, "phone_number", send ? send->recipient : "+70000000000");
    json_key(json, "request_cost");
    json_raw(json, STR("0.01"));
    json_put_bool(json, "is_refunded", strcmp(status, "expired") == 0);
    write_status(json, "delivery_status", status, at_ms);
    json_object_end(json);
    if (!send) return;
    write_verification(json, send);
    if (send->payload) json_put_text(json, "payload", send->payload);
}

/* `cents` was paid for the request; below 0: it is no request that can cost anything. */
static void answer_status(struct deal *deal, const struct send *send, int64_t cents)
{
    deal_begin_answer(deal, 200);
    json_put_bool(&deal->json, "ok", true);
    json_key(&deal->json, "result");
    json_object_begin(&deal->json);
    write_request_status(&deal->json, send, send_fate(send, deal->now_ms));
    if (cents > 0) deal_put_money(deal, "remaining_balance", *deal->balance_cents);
    json_object_end(&deal->json);
    deal_end_answer(deal);
}

/* ---- requests ---- */

static const struct fault *check_credentials(const struct deal *deal)
{
    const char *token = params_text(&deal->request.params, "access_token");
    const char *wanted = deal->options->gateway_token;

    if (deal_has_secret(deal->request.authorization, "Bearer", wanted)) return NULL;
    if (token && strcmp(token, wanted) == 0) return NULL;
    return deal_fault(deal, "ACCESS_TOKEN_INVALID");
}

/* A text parameter that may be left out; false if it is there and no text of up to `max` bytes. */
static bool is_optional_text(const struct deal *deal, const char *name, size_t max)
{
    const struct param *param = params_find(&deal->request.params, name);

    if (param->type == PARAM_ABSENT) return true;
    return param->type == PARAM_TEXT && strlen(param->text) <= max;
}

static bool is_callback_url(const struct deal *deal)
{
    const char *url = params_text(&deal->request.params, "callback_url");

    if (!is_optional_text(deal, "callback_url", CALLBACK_URL_MAX)) return false;
    if (!url || strncmp(url, "https://", 8) == 0) return true;
    return deal->options->takes_http_callbacks && strncmp(url, "http://", 7) == 0;
}

static const struct fault *check_code(const struct deal *deal)
{
    const struct params *params = &deal->request.params;
    int64_t length;

    if (params_has(params, "code")) {
        bool is_code = deal_is_code(params_text(params, "code"), CODE_MIN, CODE_MAX);
        return is_code ? NULL : deal_fault(deal, "CODE_INVALID");
    }
    if (params_integer(params, "code_length", CODE_MIN, CODE_MAX, &length)) return NULL;
    return deal_fault(deal, "CODE_LENGTH_INVALID");
}

static const struct fault *check_message(const struct deal *deal)
{
    const struct params *params = &deal->request.params;
    int64_t ttl;

    if (!deal_is_phone(params_text(params, "phone_number"), true))
        return deal_fault(deal, "PHONE_NUMBER_INVALID");
    if (params_has(params, "ttl") && !params_integer(params, "ttl", TTL_MIN_S, TTL_MAX_S, &ttl))
        return deal_fault(deal, "TTL_INVALID");
    if (!is_optional_text(deal, "request_id", SEND_TEXT_MAX))
        return deal_fault(deal, "REQUEST_ID_INVALID");
    if (!is_optional_text(deal, "sender_username", SEND_TEXT_MAX))
        return deal_fault(deal, "SENDER_USERNAME_INVALID");
    if (!is_callback_url(deal)) return deal_fault(deal, "CALLBACK_URL_INVALID");
    if (!is_optional_text(deal, "payload", PAYLOAD_MAX)) return deal_fault(deal, "PAYLOAD_INVALID");
    return check_code(deal);
}

/* The request that checkSendAbility paid for, if the caller names one. */
static const struct fault *take_paid(struct deal *deal, const struct send **ret_paid)
{
    const char *id = params_text(&deal->request.params, "request_id");

    *ret_paid = NULL;
    if (!id) return NULL;
    struct send *paid = sends_find(deal->sends, SEND_BY_ID, deal->provider, id);
    if (!paid || strcmp(paid->recipient, deal->recipient) != 0)
        return deal_fault(deal, "REQUEST_ID_INVALID");
    if (paid->is_out) return deal_fault(deal, "MESSAGE_ALREADY_SENT");
    paid->is_out = true;
    *ret_paid = paid;
    return NULL;
}

static char *copy(const char *text)
{
    return text ? strdup(text) : NULL;
}

static const char *code_of(struct deal *deal)
{
    const char *code = params_text(&deal->request.params, "code");
    int64_t length = CODE_MAX;

    if (code) return code;
    bool is_set = params_integer(&deal->request.params, "code_length", CODE_MIN, CODE_MAX, &length);
    return deal_new_code(deal, is_set ? (int)length : CODE_MAX);
}

static const char *new_id(struct deal *deal)
{
    return arena_printf(deal->arena, "%lld", (long long)sends_next_number(deal->sends));
}

static const struct fault *send_verification_message(struct deal *deal)
{
    const struct params *params = &deal->request.params;
    const struct fault *fault = check_message(deal);
    const struct send *paid = NULL;

    if (!fault) fault = take_paid(deal, &paid);
    if (fault) return fault;
    if (!paid && !deal_charge(deal, COST_CENTS)) return deal_fault(deal, "BALANCE_NOT_ENOUGH");
    const char *id = paid ? paid->id : new_id(deal);
    struct send *send = deal_send(deal, arena_text(deal->arena, id), NULL, code_of(deal));
    send->callback_url = copy(params_text(params, "callback_url"));
    send->payload = copy(params_text(params, "payload"));
    deal->wants_report = send->callback_url && send->is_reported && send->fate != FATE_PENDING &&
                         send->fate != FATE_SILENT;
    answer_status(deal, send, paid ? 0 : COST_CENTS);
    return NULL;
}

static const struct fault *check_send_ability(struct deal *deal)
{
    if (!deal_is_phone(params_text(&deal->request.params, "phone_number"), true))
        return deal_fault(deal, "PHONE_NUMBER_INVALID");
    if (!deal_charge(deal, COST_CENTS)) return deal_fault(deal, "BALANCE_NOT_ENOUGH");
    struct send *send = sends_add(deal->sends, deal->provider, new_id(deal), deal->recipient, NULL);
    send->made_ms = deal->now_ms;
    deal->send = send;
    answer_status(deal, send, COST_CENTS);
    return NULL;
}

static struct send *find_request(const struct deal *deal)
{
    const char *id = params_text(&deal->request.params, "request_id");

    return id ? sends_find(deal->sends, SEND_BY_ID, deal->provider, id) : NULL;
}

static const struct fault *check_verification_status(struct deal *deal)
{
    const char *code = params_text(&deal->request.params, "code");
    struct send *send = find_request(deal);

    if (!send) return deal_fault(deal, "REQUEST_ID_INVALID");
    if (params_has(&deal->request.params, "code")) {
        if (!deal_is_code(code, CODE_MIN, CODE_MAX)) return deal_fault(deal, "CODE_INVALID");
        snprintf(send->guess, sizeof(send->guess), "%s", code);
        send->guessed_ms = deal->now_ms;
    }
    deal->send = send;
    answer_status(deal, send, -1);
    return NULL;
}

/* True is no promise: what was delivered stays delivered. */
static const struct fault *revoke_verification_message(struct deal *deal)
{
    struct send *send = find_request(deal);

    if (!send) return deal_fault(deal, "REQUEST_ID_INVALID");
    if (send_fate(send, deal->now_ms) == FATE_PENDING && send->is_out) {
        send->fate = FATE_REVOKED;
        send->changed_ms = deal->now_ms;
        deal->wants_report = send->callback_url && send->is_reported;
    }
    deal->send = send;
    deal_begin_answer(deal, 200);
    json_put_bool(&deal->json, "ok", true);
    json_put_bool(&deal->json, "result", true);
    deal_end_answer(deal);
    return NULL;
}

static const struct method methods[] = {
    {"sendVerificationMessage", "sendVerificationMessage", "GET POST", "phone_number",
     send_verification_message},
    {"checkSendAbility", "checkSendAbility", "GET POST", "phone_number", check_send_ability},
    {"checkVerificationStatus", "checkVerificationStatus", "GET POST", NULL,
     check_verification_status},
    {"revokeVerificationMessage", "revokeVerificationMessage", "GET POST", NULL,
     revoke_verification_message},
};

const struct provider telegram_gateway = {
    .name = "telegram_gateway",
    .home = "https://gatewayapi.telegram.org",
    .prefix = "",
    .is_path_nocase = true,
    PROVIDER_METHODS(methods),
    PROVIDER_FAULTS(faults),
    .unknown_method = "UNKNOWN_METHOD",
    .unreadable = "REQUEST_INVALID",
    .check_credentials = check_credentials,
    .write_fault = write_fault,
};
