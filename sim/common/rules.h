/*
 * Rules say how calls are to be answered, as the control API has told: each for its next so many
 * calls or for all. What a rule says, and of which calls, is the simulator's own. Not locked; their
 * owner is.
 */
#pragma once

#include "kit/base/arena.h"

#include <stdint.h>

enum { RULES_MAX = 256 };

/* The simulator's rules begin with it. */
struct rule {
    struct arena arena; /* of its texts */
    int64_t left;       /* calls that it waits for; below 0: without end */
};

struct rules;

struct rules *rules_new(void);
/* Takes NULL. */
void rules_free(struct rules *rules);
void rules_clear(struct rules *rules);

/* A new rule of `size` bytes, zeroed behind its head, for the next `count` calls that it applies
 * to; below 0: for all. NULL: there are RULES_MAX already. */
void *rules_add(struct rules *rules, size_t size, int64_t count);
/* The rule of a call; NULL: none. Those with a count come first, in the order in which they were
 * given; then the others, the latest first. */
void *rules_find(const struct rules *rules,
                 bool (*applies)(const struct rule *rule, const void *call), const void *call);
/* Uses it up by one. It may be gone then, with its texts. */
void rules_use(struct rules *rules, struct rule *rule);
/* Returns how many calls those with a count still wait for. */
int64_t rules_left(const struct rules *rules);
