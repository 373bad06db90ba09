/* The words of behaviours, and which of them a call meets. */
#include "behaviours.h"

const char *const behaviour_words[BEHAVIOUR_COUNT + 1] = {
    [BEHAVIOUR_OK] = "ok",
    [BEHAVIOUR_SLOW] = "slow",
    [BEHAVIOUR_CUT_BEFORE] = "cut_before",
    [BEHAVIOUR_CUT_AFTER] = "cut_after",
    [BEHAVIOUR_CUT_WITHIN] = "cut_within",
    [BEHAVIOUR_SERVER_ERROR] = "server_error",
    [BEHAVIOUR_NONSENSE] = "nonsense",
    [BEHAVIOUR_RATE_LIMIT] = "rate_limit",
    [BEHAVIOUR_WRONG_CREDENTIALS] = "wrong_credentials",
    [BEHAVIOUR_NO_BALANCE] = "no_balance",
    [BEHAVIOUR_UNREACHABLE] = "unreachable_recipient",
    [BEHAVIOUR_PENDING] = "pending",
    [BEHAVIOUR_DELIVERED] = "delivered",
    [BEHAVIOUR_READ] = "read",
    [BEHAVIOUR_UNDELIVERED] = "undelivered",
    [BEHAVIOUR_SILENT] = "silent",
    [BEHAVIOUR_FAULT] = "<fault>",
};

const struct behaviour_row behaviour_rows[BEHAVIOUR_COUNT] = {
    [BEHAVIOUR_OK] = {.doc = "as if nothing had been told"},
    [BEHAVIOUR_SLOW] = {.doc = "answers after wait_ms (10000 where not given)"},
    [BEHAVIOUR_CUT_BEFORE] =
        {.doc = "cuts the connection before it takes the request; such a call is not listed"},
    [BEHAVIOUR_CUT_AFTER] =
        {.doc = "does what is asked, then cuts the connection without a byte of answer"},
    [BEHAVIOUR_CUT_WITHIN] = {.doc =
                                  "does what is asked, then cuts the connection within the answer"},
    [BEHAVIOUR_SERVER_ERROR] =
        {.doc = "502 (or http_status) with an HTML page; nothing is done unless \"taken\"",
         .is_refusal = true},
    [BEHAVIOUR_NONSENSE] =
        {.doc = "200 with a body of the shape html, truncated, huge, empty or other_json"},
    [BEHAVIOUR_RATE_LIMIT] =
        {.doc = "the provider's own refusal of too many calls, with retry_after_s (5)",
         .is_refusal = true,
         .fault_kind = FAULT_RATE},
    [BEHAVIOUR_WRONG_CREDENTIALS] = {.doc = "the provider's own refusal of the key",
                                     .is_refusal = true,
                                     .fault_kind = FAULT_CREDENTIALS},
    [BEHAVIOUR_NO_BALANCE] = {.doc = "the provider's own refusal for want of money",
                              .is_refusal = true,
                              .fault_kind = FAULT_BALANCE},
    [BEHAVIOUR_UNREACHABLE] =
        {.doc = "the provider's own way to say that this recipient cannot be reached",
         .is_refusal = true,
         .fault_kind = FAULT_RECIPIENT,
         .has_status = true,
         .status = STATUS_UNDELIVERED},
    [BEHAVIOUR_PENDING] = {.doc = "taken; nothing becomes known of it",
                           .has_status = true,
                           .status = STATUS_PENDING},
    [BEHAVIOUR_DELIVERED] = {.doc = "taken; delivered, or the call placed, at once",
                             .has_status = true,
                             .status = STATUS_DELIVERED},
    [BEHAVIOUR_READ] = {.doc = "taken; read at once", .has_status = true, .status = STATUS_READ},
    [BEHAVIOUR_UNDELIVERED] = {.doc = "taken; expired, or not connected, at once",
                               .has_status = true,
                               .status = STATUS_UNDELIVERED},
    [BEHAVIOUR_SILENT] = {.doc = "taken; the provider's status answers leave the status out",
                          .has_status = true,
                          .status = STATUS_SILENT},
    [BEHAVIOUR_FAULT] = {.doc = "any name or number of the provider's table of errors",
                         .is_refusal = true},
};

struct behaviour_rule {
    struct rule rule;
    struct behaviour_scope scope;
    struct behaviour behaviour;
};

bool behaviour_scope_holds(const struct behaviour_scope *scope, const struct behaviour_scope *call)
{
    if (scope->provider && scope->provider != call->provider) return false;
    if (scope->method && (!call->method || strcmp(scope->method, call->method) != 0)) return false;
    return !scope->recipient[0] || strcmp(scope->recipient, call->recipient) == 0;
}

bool behaviours_add(struct rules *rules, const struct behaviour_scope *scope,
                    const struct behaviour *behaviour, int64_t count)
{
    struct behaviour_rule *rule = rules_add(rules, sizeof(*rule), count);

    if (!rule) return false;
    rule->scope = *scope;
    rule->behaviour = *behaviour;
    return true;
}

static bool applies_to_head(const struct rule *rule, const void *call)
{
    return behaviour_scope_holds(&((const struct behaviour_rule *)(const void *)rule)->scope, call);
}

/* A cut before the request is taken happens at its head, or not at all. */
static bool applies(const struct rule *rule, const void *call)
{
    const struct behaviour_rule *told = (const void *)rule;

    return told->behaviour.kind != BEHAVIOUR_CUT_BEFORE && applies_to_head(rule, call);
}

struct behaviour behaviours_take(struct rules *rules, const struct behaviour_scope *call)
{
    struct behaviour_rule *rule = rules_find(rules, applies, call);

    if (!rule) return (struct behaviour){.kind = BEHAVIOUR_OK, .is_taken = true};
    struct behaviour behaviour = rule->behaviour;
    rules_use(rules, &rule->rule);
    return behaviour;
}

bool behaviours_take_cut_before(struct rules *rules, const struct behaviour_scope *call)
{
    struct behaviour_rule *rule = rules_find(rules, applies_to_head, call);

    if (!rule || rule->behaviour.kind != BEHAVIOUR_CUT_BEFORE) return false;
    rules_use(rules, &rule->rule);
    return true;
}
