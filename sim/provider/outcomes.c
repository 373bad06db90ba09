/* A short list, searched from its end. */
#include "outcomes.h"

#include "sim/common/memory.h"

enum { OUTCOMES_MAX = 1000 };

struct outcome_row {
    struct behaviour_scope scope;
    struct outcome outcome;
};

struct outcomes {
    struct outcome_row rows[OUTCOMES_MAX];
    size_t count;
    struct outcome usual;
};

struct outcomes *outcomes_new(struct outcome usual)
{
    struct outcomes *outcomes = memory_new(sizeof(*outcomes));

    outcomes->usual = usual;
    return outcomes;
}

void outcomes_free(struct outcomes *outcomes)
{
    free(outcomes);
}

void outcomes_clear(struct outcomes *outcomes)
{
    outcomes->count = 0;
}

bool outcomes_set(struct outcomes *outcomes, const struct behaviour_scope *scope,
                  struct outcome outcome)
{
    if (outcomes->count == OUTCOMES_MAX) return false;
    outcomes->rows[outcomes->count++] = (struct outcome_row){*scope, outcome};
    return true;
}

/* One that names the recipient goes before one that does not; among equals, the latest. */
struct outcome outcomes_find(const struct outcomes *outcomes, const struct provider *provider,
                             const char *recipient)
{
    struct behaviour_scope call = {.provider = provider};
    const struct outcome_row *general = NULL;

    recipient_normalize(recipient, call.recipient);
    for (size_t i = outcomes->count; i > 0; i--) {
        const struct outcome_row *row = &outcomes->rows[i - 1];
        if (!behaviour_scope_holds(&row->scope, &call)) continue;
        if (row->scope.recipient[0]) return row->outcome;
        if (!general) general = row;
    }
    return general ? general->outcome : outcomes->usual;
}
