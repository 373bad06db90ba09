/* The providers' files share this: checking a request and writing an answer. */
#include "kit/base/secret.h"
#include "options.h"
#include "provider.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

enum { RETRY_AFTER_S = 5 };

const struct fault *call_fault(const struct call *call, const char *name)
{
    const struct fault *fault = provider_fault(call->provider, name);

    assert(fault);
    return fault;
}

/* ---- checking ---- */

bool call_has_secret(const char *header, const char *scheme, const char *secret)
{
    size_t len = strlen(scheme);

    if (!header || strncasecmp(header, scheme, len) != 0 || header[len] != ' ') return false;
    return strcmp(header + len + 1, secret) == 0;
}

static bool has_only_digits(const char *text, size_t min, size_t max)
{
    size_t len = strlen(text);

    return len >= min && len <= max && strspn(text, "0123456789") == len;
}

bool call_is_phone(const char *text, bool has_plus)
{
    if (!text || (text[0] == '+') != has_plus) return false;
    return has_only_digits(text + has_plus, 7, 15);
}

bool call_is_code(const char *text, size_t digits_min, size_t digits_max)
{
    return text && has_only_digits(text, digits_min, digits_max);
}

const char *call_new_code(struct call *call, int digits)
{
    char *code = arena_alloc(call->arena, (size_t)digits + 1);

    for (int i = 0; i < digits; i++)
        code[i] = (char)('0' + random_below(10));
    return code;
}

/* ---- answering ---- */

void call_begin_answer(struct call *call, int http_status)
{
    call->json = answer_begin(&call->answer, http_status);
}

void call_end_answer(struct call *call)
{
    json_object_end(&call->json);
}

int64_t call_retry_after_s(const struct call *call)
{
    return call->behaviour.retry_after_s > 0 ? call->behaviour.retry_after_s : RETRY_AFTER_S;
}

void call_put_retry_after(struct call *call)
{
    answer_add_header(&call->answer, "Retry-After",
                      arena_printf(call->arena, "%lld", (long long)call_retry_after_s(call)));
}

void call_put_money(struct call *call, const char *key, int64_t cents)
{
    char digits[32];
    int len = snprintf(digits, sizeof(digits), "%lld.%02lld", (long long)(cents / 100),
                       (long long)(cents % 100));

    json_key(&call->json, key);
    json_raw(&call->json, (struct str){digits, (size_t)len});
}

/* ---- sending ---- */

bool call_charge(struct call *call, int64_t cents)
{
    if (*call->balance_cents < cents) return false;
    *call->balance_cents -= cents;
    return true;
}

/* A status that the behaviour names for the call itself goes before the outcomes that are set. */
struct send *call_send(struct call *call, const char *id, const char *unique, const char *code)
{
    struct send *send = sends_add(call->sends, call->provider, id, call->recipient, unique);
    struct outcome outcome = outcomes_find(call->outcomes, call->provider, call->recipient);
    const struct behaviour_row *told = &behaviour_rows[call->behaviour.kind];

    if (told->has_status) outcome = (struct outcome){.status = told->status, .is_reported = true};
    send->status = outcome.status;
    send->changed_ms = call->now_ms + outcome.after_ms;
    send->is_reported = outcome.is_reported;
    send->made_ms = call->now_ms;
    send->is_out = true;
    snprintf(send->code, sizeof(send->code), "%s", code ? code : "");
    call->send = send;
    call->had_effect = true;
    return send;
}
