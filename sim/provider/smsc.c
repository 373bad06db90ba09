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

static void write_fault(struct call *call, const struct fault *fault)
{
    call_begin_answer(call, fault->http_status);
    json_put_text(&call->json, "error", fault->text);
    json_put_int(&call->json, "error_code", strtol(fault->name, NULL, 10));
    call_end_answer(call);
}

static bool is(const struct call *call, const char *name, const char *wanted)
{
    const char *text = params_text(&call->request.params, name);

    return text && strcmp(text, wanted) == 0;
}

static const struct fault *check_credentials(const struct call *call)
{
    bool is_known = is(call, "login", call->options->smsc_login) &&
                    is(call, "psw", call->options->smsc_password);

    return is_known ? NULL : call_fault(call, "2");
}

static const struct fault *send_php(struct call *call)
{
    const char *phone = params_text(&call->request.params, "phones");

    if (!is(call, "mes", "code") || !is(call, "call", "1") || !is(call, "fmt", "3"))
        return call_fault(call, "1");
    if (!call_is_phone(phone, phone && phone[0] == '+')) return call_fault(call, "7");
    int64_t id = sends_next_number(call->sends);
    const char *digits = call_new_code(call, 6);
    call_send(call, arena_printf(call->arena, "%lld", (long long)id), NULL, digits + 2);
    call_begin_answer(call, 200);
    json_put_int(&call->json, "id", id);
    json_put_int(&call->json, "cnt", 1);
    json_put_text(&call->json, "code", digits);
    call_end_answer(call);
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
