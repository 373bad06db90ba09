/* The words of behaviours, and which of them a delivery meets: by a rule, or by chance. */
#include "sim.h"
#include "sim/common/print.h"

#include <stdio.h>

enum { PERCENT = 100, COLUMN = 16 };

const char *const behaviour_words[BEHAVIOUR_COUNT + 1] = {
    "ok", "slow", "cut", "cut_within", "wrong", "busy", "redirect", "huge", "gone", "flapping",
};

static const struct behaviour_row {
    const char *doc;
    bool is_misbehaviour; /* chance may draw it */
    int http_status;
    int64_t wait_ms;
} rows[BEHAVIOUR_COUNT] = {
    [BEHAVIOUR_OK] = {"as if nothing had been told", false, 200, 0},
    [BEHAVIOUR_SLOW] = {"the usual answer after wait_ms (20000)", true, 200, 20000},
    [BEHAVIOUR_CUT] = {"cuts the connection without a byte of answer", true, 200, 0},
    [BEHAVIOUR_CUT_WITHIN] = {"cuts the connection within the answer", true, 200, 0},
    [BEHAVIOUR_WRONG] = {"http_status (500) with an HTML page", true, 500, 0},
    [BEHAVIOUR_BUSY] = {"http_status (503) with Retry-After: 1", true, 503, 0},
    [BEHAVIOUR_REDIRECT] = {"http_status (302) to another path of this port", true, 302, 0},
    [BEHAVIOUR_HUGE] = {"the usual answer behind 1 MiB of blanks", true, 200, 0},
    [BEHAVIOUR_GONE] = {"410: it wants no more", false, 410, 0},
    [BEHAVIOUR_FLAPPING] = {"serves for wait_ms (1000), answers 503 for as long, and so on", false,
                            200, 1000},
};

struct behaviour_rule {
    struct rule rule;
    struct behaviour behaviour;
};

struct behaviour behaviour_standard(enum behaviour_kind kind)
{
    return (struct behaviour){kind, rows[kind].http_status, rows[kind].wait_ms};
}

bool behaviours_add(struct sim *sim, const struct behaviour *behaviour, int64_t count)
{
    struct behaviour_rule *rule = rules_add(sim->rules, sizeof(*rule), count);

    if (rule) rule->behaviour = *behaviour;
    return rule;
}

static bool applies(const struct rule *rule, const void *call)
{
    (void)rule, (void)call;
    return true;
}

static struct behaviour draw(struct chance *chance)
{
    enum behaviour_kind kinds[BEHAVIOUR_COUNT];
    uint32_t count = 0;

    for (enum behaviour_kind kind = BEHAVIOUR_OK; kind < BEHAVIOUR_COUNT; kind++)
        if (rows[kind].is_misbehaviour) kinds[count++] = kind;
    return behaviour_standard(kinds[chance_below(chance, count)]);
}

/* Its serving depends on the clock alone, so all deliveries of a moment meet the same. */
static struct behaviour flap(struct behaviour behaviour, int64_t now_ms)
{
    bool is_up = behaviour.wait_ms == 0 || now_ms / behaviour.wait_ms % 2 == 0;
    return behaviour_standard(is_up ? BEHAVIOUR_OK : BEHAVIOUR_BUSY);
}

struct behaviour behaviours_take(struct sim *sim, int64_t now_ms)
{
    struct behaviour_rule *rule = rules_find(sim->rules, applies, NULL);
    struct behaviour behaviour = behaviour_standard(BEHAVIOUR_OK);

    if (rule) {
        behaviour = rule->behaviour;
        rules_use(sim->rules, &rule->rule);
    } else if (chance_below(&sim->chance, PERCENT) < sim->options->misbehave_percent) {
        behaviour = draw(&sim->chance);
    }
    return behaviour.kind == BEHAVIOUR_FLAPPING ? flap(behaviour, now_ms) : behaviour;
}

void behaviours_print(void)
{
    puts("Behaviours");
    for (size_t i = 0; i < BEHAVIOUR_COUNT; i++) {
        char left[64];
        snprintf(left, sizeof left, "%s", behaviour_words[i]);
        print_row(left, COLUMN, rows[i].doc);
    }
    puts("");
}
