/* A short list, searched from one end to the other. */
#include "rules.h"

#include "memory.h"

struct rules {
    struct rule *rows[RULES_MAX];
    size_t count;
};

struct rules *rules_new(void)
{
    return memory_new(sizeof(struct rules));
}

void rules_free(struct rules *rules)
{
    if (!rules) return;
    rules_clear(rules);
    free(rules);
}

static void free_rule(struct rule *rule)
{
    arena_done(&rule->arena);
    free(rule);
}

void rules_clear(struct rules *rules)
{
    for (size_t i = 0; i < rules->count; i++)
        free_rule(rules->rows[i]);
    rules->count = 0;
}

void *rules_add(struct rules *rules, size_t size, int64_t count)
{
    if (rules->count == RULES_MAX) return NULL;
    struct rule *rule = memory_new(size);
    arena_init(&rule->arena);
    rule->left = count;
    rules->rows[rules->count++] = rule;
    return rule;
}

void *rules_find(const struct rules *rules,
                 bool (*applies)(const struct rule *rule, const void *call), const void *call)
{
    struct rule *endless = NULL;

    for (size_t i = 0; i < rules->count; i++) {
        struct rule *rule = rules->rows[i];
        if (!applies(rule, call)) continue;
        if (rule->left > 0) return rule;
        endless = rule;
    }
    return endless;
}

void rules_use(struct rules *rules, struct rule *rule)
{
    size_t at = 0;

    if (rule->left < 0 || --rule->left > 0) return;
    while (rules->rows[at] != rule)
        at++;
    rules->count--;
    memmove(&rules->rows[at], &rules->rows[at + 1], (rules->count - at) * sizeof(rule));
    free_rule(rule);
}

int64_t rules_left(const struct rules *rules)
{
    int64_t left = 0;

    for (size_t i = 0; i < rules->count; i++) {
        if (rules->rows[i]->left > 0) left += rules->rows[i]->left;
    }
    return left;
}
