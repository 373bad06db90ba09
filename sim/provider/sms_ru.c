/*
 * SMS.ru: a flash call from a number whose last four digits the provider chooses and tells.
 * GET /code/call?api_id=…&phone=…&ip=…
 *
 * An error has "status":"ERROR" and a sentence, no number. A behaviour names it by the number that
 * it has elsewhere in SMS.ru's API.
 */
#include "options.h"
#include "provider.h"

enum { COST_CENTS = 40 };

static const struct fault faults[] = {
    {"200", FAULT_CREDENTIALS, 200, "Неправильный api_id"},
    {"201", FAULT_BALANCE, 200, "Не хватает средств на лицевом счету"},
    {"202", FAULT_RECIPIENT, 200,
     "Неправильно указан номер телефона получателя, либо на него нет маршрута"},
    {"230", FAULT_RATE, 200, "Превышен общий лимит количества сообщений на этот номер в день"},
    {"231", FAULT_RATE, 200, "Превышен лимит одинаковых сообщений на этот номер в минуту"},
    {"220", FAULT_SERVER, 200, "Сервис временно недоступен, попробуйте чуть позже"},
    {"210", FAULT_REQUEST, 200, "Используется GET, где необходимо использовать POST"},
    {"211", FAULT_REQUEST, 200, "Метод не найден"},
};

static void write_fault(struct call *call, const struct fault *fault)
{
    call_begin_answer(call, fault->http_status);
    json_put_text(&call->json, "status", "ERROR");
    json_put_text(&call->json, "status_text", fault->text);
    call_end_answer(call);
}

static const struct fault *check_credentials(const struct call *call)
{
    const char *id = params_text(&call->request.params, "api_id");

    if (id && strcmp(id, call->options->sms_ru_id) == 0) return NULL;
    return call_fault(call, "200");
}

static const struct fault *code_call(struct call *call)
{
    if (!call_is_phone(params_text(&call->request.params, "phone"), false))
        return call_fault(call, "202");
    if (!call_charge(call, COST_CENTS)) return call_fault(call, "201");
    long long number = sends_next_number(call->sends);
    const char *id = arena_printf(call->arena, "%lld-%lld", number / 10000000, number % 10000000);
    const struct send *send = call_send(call, id, NULL, call_new_code(call, 4));
    call_begin_answer(call, 200);
    json_put_text(&call->json, "status", "OK");
    json_put_text(&call->json, "code", send->code);
    json_put_text(&call->json, "call_id", send->id);
    call_put_money(call, "cost", COST_CENTS);
    call_put_money(call, "balance", *call->balance_cents);
    call_end_answer(call);
    return NULL;
}

static const struct method methods[] = {
    {"code/call", "code/call", "GET POST", "phone", code_call},
};

const struct provider sms_ru = {
    .name = "sms_ru",
    .home = "https://sms.ru",
    .prefix = "code/",
    PROVIDER_METHODS(methods),
    PROVIDER_FAULTS(faults),
    .unknown_method = "211",
    .unreadable = "202",
    .check_credentials = check_credentials,
    .write_fault = write_fault,
};
