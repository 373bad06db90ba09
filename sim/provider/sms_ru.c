/*
 * SMS.ru: a flash call from a number whose last four digits the provider chooses and tells.
 * GET /code/call?api_id=…&phone=…&ip=…
 *
 * An error has "status":"ERROR" and a sentence, no number. An order names it by the number that it
 * has elsewhere in SMS.ru's API.
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

static void write_fault(struct deal *deal, const struct fault *fault)
{
    deal_begin_answer(deal, fault->http_status);
    json_put_text(&deal->json, "status", "ERROR");
    json_put_text(&deal->json, "status_text", fault->text);
    deal_end_answer(deal);
}

static const struct fault *check_credentials(const struct deal *deal)
{
    const char *id = params_text(&deal->request.params, "api_id");

    if (id && strcmp(id, deal->options->sms_ru_id) == 0) return NULL;
    return deal_fault(deal, "200");
}

static const struct fault *code_call(struct deal *deal)
{
    if (!deal_is_phone(params_text(&deal->request.params, "phone"), false))
        return deal_fault(deal, "202");
    if (!deal_charge(deal, COST_CENTS)) return deal_fault(deal, "201");
    long long number = sends_next_number(deal->sends);
    const char *id = arena_printf(deal->arena, "%lld-%lld", number / 10000000, number % 10000000);
    const struct send *send = deal_send(deal, id, NULL, deal_new_code(deal, 4));
    deal_begin_answer(deal, 200);
    json_put_text(&deal->json, "status", "OK");
    json_put_text(&deal->json, "code", send->code);
    json_put_text(&deal->json, "call_id", send->id);
    deal_put_money(deal, "cost", COST_CENTS);
    deal_put_money(deal, "balance", *deal->balance_cents);
    deal_end_answer(deal);
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
