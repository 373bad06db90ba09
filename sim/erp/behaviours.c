/* The words of behaviours, and which of them a call meets: by a rule, or by chance. */
#include "behaviours.h"

#include "sim/common/memory.h"

enum {
    LATE_MS = 15000,
    SLOW_MS = 10000,
    TRICKLE_MS = 100,
    PPM = 1000000,
    PURPOSE_MISBEHAVIOUR = 77
};

const char *const method_words[METHOD_COUNT + 1] = {"order", "health", "redirected", "unknown"};

const char *const behaviour_words[BEHAVIOUR_COUNT + 1] = {
    [BEHAVIOUR_OK] = "ok",
    [BEHAVIOUR_SLOW] = "slow",
    [BEHAVIOUR_LATE] = "late",
    [BEHAVIOUR_CUT_BEFORE] = "cut_before",
    [BEHAVIOUR_CUT_AFTER] = "cut_after",
    [BEHAVIOUR_CUT_WITHIN] = "cut_within",
    [BEHAVIOUR_SERVER_ERROR] = "server_error",
    [BEHAVIOUR_STATUS] = "status",
    [BEHAVIOUR_RATE_LIMIT] = "rate_limit",
    [BEHAVIOUR_NO_ORDER_ID] = "no_order_id",
    [BEHAVIOUR_REJECTED] = "rejected",
    [BEHAVIOUR_NONSENSE] = "nonsense",
    [BEHAVIOUR_HUGE] = "huge",
    [BEHAVIOUR_REDIRECT] = "redirect",
    [BEHAVIOUR_WRONG_TOKEN] = "wrong_token",
    [BEHAVIOUR_ANSWER] = "answer",
    [BEHAVIOUR_TRICKLE] = "trickle",
};

const struct behaviour_row behaviour_rows[BEHAVIOUR_COUNT] = {
    [BEHAVIOUR_OK] = {.makes_document = true, .doc = "as if nothing had been told"},
    [BEHAVIOUR_SLOW] = {.makes_document = true,
                        .wait_ms = SLOW_MS,
                        .doc = "after wait_ms (10000 where not given) as usual"},
    [BEHAVIOUR_LATE] = {.makes_document = true,
                        .is_misbehaviour = true,
                        .wait_ms = LATE_MS,
                        .doc =
                            "the document is made at once, the answer comes after wait_ms (15000)"},
    [BEHAVIOUR_CUT_BEFORE] = {.is_misbehaviour = true,
                              .doc =
                                  "reads the request, then cuts the connection before anything is "
                                  "done"},
    [BEHAVIOUR_CUT_AFTER] = {.makes_document = true,
                             .is_misbehaviour = true,
                             .doc =
                                 "makes the document, then cuts the connection without a byte of "
                                 "answer"},
    [BEHAVIOUR_CUT_WITHIN] = {.makes_document = true,
                              .is_misbehaviour = true,
                              .doc =
                                  "makes the document, then cuts the connection within the answer"},
    [BEHAVIOUR_SERVER_ERROR] = {.is_misbehaviour = true,
                                .http_status = 502,
                                .doc = "502 with an HTML page; no document unless \"taken\""},
    [BEHAVIOUR_STATUS] = {.http_status = 500,
                          .doc = "http_status (500) with `body`; no document unless \"taken\""},
    [BEHAVIOUR_RATE_LIMIT] = {.is_misbehaviour = true,
                              .http_status = 429,
                              .doc = "429 with Retry-After: retry_after (1)"},
    [BEHAVIOUR_NO_ORDER_ID] = {.makes_document = true,
                               .is_of_orders = true,
                               .is_misbehaviour = true,
                               .doc = "accepted without order_id, though the document is made"},
    [BEHAVIOUR_REJECTED] = {.is_of_orders = true,
                            .doc =
                                "200, accepted false, with `body` as the message of the error; no "
                                "document"},
    [BEHAVIOUR_NONSENSE] = {.makes_document = true,
                            .is_misbehaviour = true,
                            .http_status = 200,
                            .doc = "200 with a body of the shape html, truncated, huge, empty or "
                                   "other_json; the document is made"},
    [BEHAVIOUR_HUGE] = {.makes_document = true,
                        .is_misbehaviour = true,
                        .doc = "the usual answer within 1 MiB of blanks"},
    [BEHAVIOUR_REDIRECT] = {.is_misbehaviour = true,
                            .http_status = 302,
                            .doc =
                                "302 (or http_status) to another path of this port; who follows is "
                                "recorded with method redirected, and makes no document"},
    [BEHAVIOUR_WRONG_TOKEN] = {.is_misbehaviour = true,
                               .http_status = 401,
                               .doc = "401 as for a wrong token"},
    [BEHAVIOUR_ANSWER] = {.http_status = 200,
                          .doc = "http_status (200), exactly `body` and the extra `headers`; no "
                                 "document unless \"taken\""},
    [BEHAVIOUR_TRICKLE] = {.makes_document = true,
                           .wait_ms = TRICKLE_MS,
                           .doc = "the usual answer, a byte each wait_ms (100)"},
};

struct behaviour behaviour_standard(enum behaviour_kind kind)
{
    const struct behaviour_row *row = &behaviour_rows[kind];

    return (struct behaviour){
        .kind = kind,
        .wait_ms = row->wait_ms,
        .http_status = row->http_status,
        .is_taken = row->makes_document,
        .accepted = -1,
    };
}

/* ---- what was told ---- */

struct behaviour_rule {
    struct rule rule;
    enum method method;
    char order[ORDER_TEXT_LEN + 1]; /* "": any */
    struct behaviour behaviour;
};

struct behaviours {
    struct rules *rules;
    struct misbehaviour misbehaviour;
    struct chance chance;
};

struct behaviours *behaviours_new(const struct misbehaviour *misbehaviour)
{
    struct behaviours *behaviours = memory_new(sizeof(*behaviours));

    behaviours->rules = rules_new();
    behaviours->misbehaviour = *misbehaviour;
    behaviours->chance = chance_of((uint64_t)misbehaviour->seed, PURPOSE_MISBEHAVIOUR, 0);
    return behaviours;
}

void behaviours_free(struct behaviours *behaviours)
{
    if (!behaviours) return;
    rules_free(behaviours->rules);
    free(behaviours);
}

void behaviours_clear(struct behaviours *behaviours)
{
    rules_clear(behaviours->rules);
}

static struct behaviour copy(const struct behaviour *behaviour, struct arena *arena)
{
    struct behaviour copied = *behaviour;

    copied.order_id = arena_text(arena, behaviour->order_id);
    copied.retry_after = arena_text(arena, behaviour->retry_after);
    copied.body = arena_text(arena, behaviour->body);
    copied.headers = arena_text(arena, behaviour->headers);
    return copied;
}

bool behaviours_add(struct behaviours *behaviours, const struct behaviour_scope *scope,
                    const struct behaviour *behaviour, int64_t count)
{
    struct behaviour_rule *rule = rules_add(behaviours->rules, sizeof(*rule), count);

    if (!rule) return false;
    rule->method = scope->method;
    if (scope->order) memcpy(rule->order, scope->order, ORDER_TEXT_LEN);
    rule->behaviour = copy(behaviour, &rule->rule.arena);
    return true;
}

/* ---- what a call meets ---- */

static bool applies(const struct rule *rule, const void *arg)
{
    const struct behaviour_rule *told = (const void *)rule;
    const struct behaviour_scope *call = arg;

    if (told->method != call->method) return false;
    return !told->order[0] || (call->order && strcmp(told->order, call->order) == 0);
}

static struct behaviour draw_misbehaviour(struct behaviours *behaviours)
{
    struct chance *chance = &behaviours->chance;
    enum behaviour_kind kinds[BEHAVIOUR_COUNT];
    uint32_t count = 0;

    for (enum behaviour_kind kind = BEHAVIOUR_OK; kind < BEHAVIOUR_COUNT; kind++)
        if (behaviour_rows[kind].is_misbehaviour) kinds[count++] = kind;
    struct behaviour drawn = behaviour_standard(kinds[chance_below(chance, count)]);
    drawn.shape = (enum shape)chance_below(chance, SHAPE_COUNT);
    if (drawn.kind == BEHAVIOUR_LATE) drawn.wait_ms = behaviours->misbehaviour.late_ms;
    return drawn;
}

struct behaviour behaviours_take(struct behaviours *behaviours, const struct behaviour_scope *call,
                                 struct arena *arena)
{
    struct behaviour_rule *rule = rules_find(behaviours->rules, applies, call);

    if (rule) {
        struct behaviour taken = copy(&rule->behaviour, arena);
        rules_use(behaviours->rules, &rule->rule);
        return taken;
    }
    bool may_draw = call->method == METHOD_ORDER && behaviours->misbehaviour.ppm > 0;
    if (may_draw && chance_below(&behaviours->chance, PPM) < behaviours->misbehaviour.ppm)
        return draw_misbehaviour(behaviours);
    return behaviour_standard(BEHAVIOUR_OK);
}

int64_t behaviours_left(const struct behaviours *behaviours)
{
    return rules_left(behaviours->rules);
}
