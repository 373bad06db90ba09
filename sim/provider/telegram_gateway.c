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

static const char *const status_words[STATUS_COUNT] = {
    [STATUS_PENDING] = "sent",        [STATUS_DELIVERED] = "delivered", [STATUS_READ] = "read",
    [STATUS_UNDELIVERED] = "expired", [STATUS_REVOKED] = "revoked",
};

/* ---- answers ---- */

static void write_fault(struct call *call, const struct fault *fault)
{
    const char *name = fault->name;

    if (fault->kind == FAULT_RATE)
        name = arena_printf(call->arena, "FLOOD_WAIT_%lld", (long long)call_retry_after_s(call));
    call_begin_answer(call, fault->http_status);
    json_put_bool(&call->json, "ok", false);
    json_put_text(&call->json, "error", name);
    call_end_answer(call);
}

static void write_status(struct json_writer *json, const char *key, const char *word, int64_t at_ms)
{
    json_key(json, key);
    json_object_begin(json);
    json_put_text(json, "status", word);
    json_put_int(json, "updated_at", at_ms / 1000);
}

static void write_delivery(struct json_writer *json, const struct send *send,
                           enum send_status status)
{
    if (!send->is_out || status == STATUS_SILENT) return;
    int64_t since_ms = status == STATUS_PENDING ? send->made_ms : send->changed_ms;
    write_status(json, "delivery_status", status_words[status], since_ms);
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

static void write_request_status(struct json_writer *json, const struct send *send,
                                 enum send_status status)
{
    json_put_text(json, "request_id", send->id);
    json_put_text(json, "phone_number", send->recipient);
    json_key(json, "request_cost");
    json_raw(json, STR("0.01"));
    if (status == STATUS_UNDELIVERED) json_put_bool(json, "is_refunded", true);
    write_delivery(json, send, status);
    write_verification(json, send);
    if (send->payload) json_put_text(json, "payload", send->payload);
}

const char *telegram_gateway_word(enum send_status status)
{
    return status_words[status];
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
static void answer_status(struct call *call, const struct send *send, int64_t cents)
{
    call_begin_answer(call, 200);
    json_put_bool(&call->json, "ok", true);
    json_key(&call->json, "result");
    json_object_begin(&call->json);
    write_request_status(&call->json, send, send_status(send, call->now_ms));
    if (cents > 0) call_put_money(call, "remaining_balance", *call->balance_cents);
    json_object_end(&call->json);
    call_end_answer(call);
}

/* ---- requests ---- */

static const struct fault *check_credentials(const struct call *call)
{
    const char *token = params_text(&call->request.params, "access_token");
    const char *wanted = call->options->gateway_token;

    if (call_has_secret(call->request.authorization, "Bearer", wanted)) return NULL;
    if (token && strcmp(token, wanted) == 0) return NULL;
    return call_fault(call, "ACCESS_TOKEN_INVALID");
}

/* A text parameter that may be left out; false if it is there and no text of up to `max` bytes. */
static bool is_optional_text(const struct call *call, const char *name, size_t max)
{
    const struct param *param = params_find(&call->request.params, name);

    if (param->type == PARAM_ABSENT) return true;
    return param->type == PARAM_TEXT && strlen(param->text) <= max;
}

static bool is_callback_url(const struct call *call)
{
    const char *url = params_text(&call->request.params, "callback_url");

    if (!is_optional_text(call, "callback_url", CALLBACK_URL_MAX)) return false;
    if (!url || strncmp(url, "https://", 8) == 0) return true;
    return call->options->takes_http_callbacks && strncmp(url, "http://", 7) == 0;
}

static const struct fault *check_code(const struct call *call)
{
    const struct params *params = &call->request.params;
    int64_t length;

    if (params_has(params, "code")) {
        bool is_code = call_is_code(params_text(params, "code"), CODE_MIN, CODE_MAX);
        return is_code ? NULL : call_fault(call, "CODE_INVALID");
    }
    if (params_integer(params, "code_length", CODE_MIN, CODE_MAX, &length)) return NULL;
    return call_fault(call, "CODE_LENGTH_INVALID");
}

static const struct fault *check_message(const struct call *call)
{
    const struct params *params = &call->request.params;
    int64_t ttl;

    if (!call_is_phone(params_text(params, "phone_number"), true))
        return call_fault(call, "PHONE_NUMBER_INVALID");
    if (params_has(params, "ttl") && !params_integer(params, "ttl", TTL_MIN_S, TTL_MAX_S, &ttl))
        return call_fault(call, "TTL_INVALID");
    if (!is_optional_text(call, "request_id", SEND_TEXT_MAX))
        return call_fault(call, "REQUEST_ID_INVALID");
    if (!is_optional_text(call, "sender_username", SEND_TEXT_MAX))
        return call_fault(call, "SENDER_USERNAME_INVALID");
    if (!is_callback_url(call)) return call_fault(call, "CALLBACK_URL_INVALID");
    if (!is_optional_text(call, "payload", PAYLOAD_MAX)) return call_fault(call, "PAYLOAD_INVALID");
    return check_code(call);
}

/* The request that checkSendAbility paid for, if the caller names one. */
static const struct fault *take_paid(struct call *call, const struct send **ret_paid)
{
    const char *id = params_text(&call->request.params, "request_id");

    *ret_paid = NULL;
    if (!id) return NULL;
    struct send *paid = sends_find(call->sends, SEND_BY_ID, call->provider, id);
    if (!paid || strcmp(paid->recipient, call->recipient) != 0)
        return call_fault(call, "REQUEST_ID_INVALID");
    if (paid->is_out) return call_fault(call, "MESSAGE_ALREADY_SENT");
    paid->is_out = true;
    *ret_paid = paid;
    return NULL;
}

static char *copy(const char *text)
{
    return text ? strdup(text) : NULL;
}

static const char *code_of(struct call *call)
{
    const char *code = params_text(&call->request.params, "code");
    int64_t length = CODE_MAX;

    if (code) return code;
    bool is_set = params_integer(&call->request.params, "code_length", CODE_MIN, CODE_MAX, &length);
    return call_new_code(call, is_set ? (int)length : CODE_MAX);
}

static const char *new_id(struct call *call)
{
    return arena_printf(call->arena, "%lld", (long long)sends_next_number(call->sends));
}

static const struct fault *send_verification_message(struct call *call)
{
    const struct params *params = &call->request.params;
    const struct fault *fault = check_message(call);
    const struct send *paid = NULL;

    if (!fault) fault = take_paid(call, &paid);
    if (fault) return fault;
    if (!paid && !call_charge(call, COST_CENTS)) return call_fault(call, "BALANCE_NOT_ENOUGH");
    const char *id = paid ? paid->id : new_id(call);
    struct send *send = call_send(call, arena_text(call->arena, id), NULL, code_of(call));
    send->callback_url = copy(params_text(params, "callback_url"));
    send->payload = copy(params_text(params, "payload"));
    call->wants_report = send->callback_url && send->is_reported &&
                         send->status != STATUS_PENDING && send->status != STATUS_SILENT;
    answer_status(call, send, paid ? 0 : COST_CENTS);
    return NULL;
}

static const struct fault *check_send_ability(struct call *call)
{
    if (!call_is_phone(params_text(&call->request.params, "phone_number"), true))
        return call_fault(call, "PHONE_NUMBER_INVALID");
    if (!call_charge(call, COST_CENTS)) return call_fault(call, "BALANCE_NOT_ENOUGH");
    struct send *send = sends_add(call->sends, call->provider, new_id(call), call->recipient, NULL);
    send->made_ms = call->now_ms;
    call->send = send;
    answer_status(call, send, COST_CENTS);
    return NULL;
}

static struct send *find_request(const struct call *call)
{
    const char *id = params_text(&call->request.params, "request_id");

    return id ? sends_find(call->sends, SEND_BY_ID, call->provider, id) : NULL;
}

static const struct fault *check_verification_status(struct call *call)
{
    const char *code = params_text(&call->request.params, "code");
    struct send *send = find_request(call);

    if (!send) return call_fault(call, "REQUEST_ID_INVALID");
    if (params_has(&call->request.params, "code")) {
        if (!call_is_code(code, CODE_MIN, CODE_MAX)) return call_fault(call, "CODE_INVALID");
        snprintf(send->guess, sizeof(send->guess), "%s", code);
        send->guessed_ms = call->now_ms;
    }
    call->send = send;
    answer_status(call, send, -1);
    return NULL;
}

/* True is no promise: what was delivered stays delivered. */
static const struct fault *revoke_verification_message(struct call *call)
{
    struct send *send = find_request(call);

    if (!send) return call_fault(call, "REQUEST_ID_INVALID");
    if (send_status(send, call->now_ms) == STATUS_PENDING && send->is_out) {
        send->status = STATUS_REVOKED;
        send->changed_ms = call->now_ms;
        call->wants_report = send->callback_url && send->is_reported;
    }
    call->send = send;
    call_begin_answer(call, 200);
    json_put_bool(&call->json, "ok", true);
    json_put_bool(&call->json, "result", true);
    call_end_answer(call);
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
