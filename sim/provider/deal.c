/* What the providers' files share: checking a request and writing an answer. */
#include "kit/base/secret.h"
#include "options.h"
#include "provider.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

enum { RETRY_AFTER_S = 5 };

const struct fault *deal_fault(const struct deal *deal, const char *name)
{
    const struct fault *fault = provider_fault(deal->provider, name);

    assert(fault);
    return fault;
}

/* ---- checking ---- */

bool deal_has_secret(const char *header, const char *scheme, const char *secret)
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

bool deal_is_phone(const char *text, bool has_plus)
{
    if (!text || (text[0] == '+') != has_plus) return false;
    return has_only_digits(text + has_plus, 7, 15);
}

bool deal_is_code(const char *text, size_t digits_min, size_t digits_max)
{
    return text && has_only_digits(text, digits_min, digits_max);
}

const char *deal_new_code(struct deal *deal, int digits)
{
    char *code = arena_alloc(deal->arena, (size_t)digits + 1);

    for (int i = 0; i < digits; i++)
        code[i] = (char)('0' + random_below(10));
    return code;
}

/* ---- answering ---- */

void deal_begin_answer(struct deal *deal, int http_status)
{
    buf_clear(&deal->answer.body);
    deal->answer.header_count = 0;
    deal->answer.status = http_status;
    deal->answer.content_type = "application/json";
    json_writer_init(&deal->json, &deal->answer.body);
    json_object_begin(&deal->json);
}

void deal_end_answer(struct deal *deal)
{
    json_object_end(&deal->json);
}

int64_t deal_retry_after_s(const struct deal *deal)
{
    return deal->order.retry_after_s > 0 ? deal->order.retry_after_s : RETRY_AFTER_S;
}

void deal_put_retry_after(struct deal *deal)
{
    size_t at = deal->answer.header_count++;

    assert(at < ANSWER_HEADERS_MAX);
    deal->answer.headers[at].name = "Retry-After";
    deal->answer.headers[at].value =
        arena_printf(deal->arena, "%lld", (long long)deal_retry_after_s(deal));
}

void deal_put_money(struct deal *deal, const char *key, int64_t cents)
{
    char digits[32];
    int len = snprintf(digits, sizeof(digits), "%lld.%02lld", (long long)(cents / 100),
                       (long long)(cents % 100));

    json_key(&deal->json, key);
    json_raw(&deal->json, (struct str){digits, (size_t)len});
}

/* ---- sending ---- */

bool deal_charge(struct deal *deal, int64_t cents)
{
    if (*deal->balance_cents < cents) return false;
    *deal->balance_cents -= cents;
    return true;
}

/* The fate that an order names for the call itself goes before the outcomes that are set. */
static bool find_ordered_fate(enum deed deed, enum fate *ret_fate)
{
    static const struct {
        enum deed deed;
        enum fate fate;
    } rows[] = {
        {DEED_PENDING, FATE_PENDING},
        {DEED_DELIVERED, FATE_DELIVERED},
        {DEED_READ, FATE_READ},
        {DEED_UNDELIVERED, FATE_UNDELIVERED},
        {DEED_UNREACHABLE, FATE_UNDELIVERED},
        {DEED_SILENT, FATE_SILENT},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].deed != deed) continue;
        *ret_fate = rows[i].fate;
        return true;
    }
    return false;
}

struct send *deal_send(struct deal *deal, const char *id, const char *unique, const char *code)
{
    struct send *send = sends_add(deal->sends, deal->provider, id, deal->recipient, unique);
    struct destiny destiny = outcomes_find(deal->outcomes, deal->provider, deal->recipient);
    enum fate ordered;

    if (find_ordered_fate(deal->order.deed, &ordered))
        destiny = (struct destiny){.fate = ordered, .is_reported = true};
    send->fate = destiny.fate;
    send->changed_ms = deal->now_ms + destiny.after_ms;
    send->is_reported = destiny.is_reported;
    send->made_ms = deal->now_ms;
    send->is_out = true;
    snprintf(send->code, sizeof(send->code), "%s", code ? code : "");
    deal->send = send;
    deal->had_effect = true;
    return send;
}
