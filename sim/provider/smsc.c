/*
 * SMSC: a flash call from a number whose last digits the provider chooses: six are told, the last
 * four count. /sys/send.php with login, psw, phones, mes=code, call=1, fmt=3, in a query or a form.
 */
#include "options.h"
#include "provider.h"

#include <stdlib.h>

static const struct fault faults[] = {
    {"2", FAULT_CREDENTIALS, 200, "authorise error"},
    {"3", FAULT_BALANCE, 200, "no money"},
    {"8", FAULT_RECIPIENT, 200, "the message cannot be delivered"},
    {"7", FAULT_RECIPIENT, 200, "invalid number"},
    {"9", FAULT_RATE, 200, "duplicate request, wait a minute"},
    {"4", FAULT_CREDENTIALS, 200, "IP is temporarily blocked"},
    {"1", FAULT_REQUEST, 200, "parameters error"},
    {"5", FAULT_REQUEST, 200, "wrong date"},
    {"6", FAULT_REQUEST, 200, "message is denied"},
    {"500", FAULT_SERVER, 500, "internal error"},
};

static void write_fault(struct deal *deal, const struct fault *fault)
{
    deal_begin_answer(deal, fault->http_status);
    json_put_text(&deal->json, "error", fault->text);
    json_put_int(&deal->json, "error_code", strtol(fault->name, NULL, 10));
    deal_end_answer(deal);
}

static bool is(const struct deal *deal, const char *name, const char *wanted)
{
    const char *text = params_text(&deal->request.params, name);

    return text && strcmp(text, wanted) == 0;
}

static const struct fault *check_credentials(const struct deal *deal)
{
    bool is_known = is(deal, "login", deal->options->smsc_login) &&
                    is(deal, "psw", deal->options->smsc_password);

    return is_known ? NULL : deal_fault(deal, "2");
}

static const struct fault *send_php(struct deal *deal)
{
    const char *phone = params_text(&deal->request.params, "phones");

    if (!is(deal, "mes", "code") || !is(deal, "call", "1") || !is(deal, "fmt", "3"))
        return deal_fault(deal, "1");
    if (!deal_is_phone(phone, phone && phone[0] == '+')) return deal_fault(deal, "7");
    int64_t id = sends_next_number(deal->sends);
    const char *digits = deal_new_code(deal, 6);
    deal_send(deal, arena_printf(deal->arena, "%lld", (long long)id), NULL, digits + 2);
    deal_begin_answer(deal, 200);
    json_put_int(&deal->json, "id", id);
    json_put_int(&deal->json, "cnt", 1);
    json_put_text(&deal->json, "code", digits);
    deal_end_answer(deal);
    return NULL;
}

static const struct method methods[] = {
    {"send", "sys/send.php", "GET POST", "phones", send_php},
};

const struct provider smsc = {
    .name = "smsc",
    .home = "https://smsc.ru",
    .prefix = "sys/",
    PROVIDER_METHODS(methods),
    PROVIDER_FAULTS(faults),
    .unknown_method = "1",
    .unreadable = "1",
    .check_credentials = check_credentials,
    .write_fault = write_fault,
};
