/* Results are put side by side, as many of each kind as the answer shows. */
#include "domain/find/find_list.h"

static bool has_place(const struct record_list *results, int type)
{
    const struct find_result *rows = results->items;
    size_t of_kind = 0;

    for (size_t i = 0; i < results->count; i++)
        of_kind += rows[i].type == type;
    return of_kind < FIND_OF_KIND_MAX && results->count < FIND_RESULTS_MAX;
}

void find_add(struct work *work, struct find_list *list, struct find_result result)
{
    struct find_result *rows = list->results.items;

    if (!rows) {
        rows = arena_array(work->arena, FIND_RESULTS_MAX, sizeof(*rows));
        list->results.items = rows;
    }
    if (has_place(&list->results, result.type)) rows[list->results.count++] = result;
}
