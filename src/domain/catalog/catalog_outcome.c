/* The outcome of a package: what it did, or why it was refused. */
#include "domain/catalog/catalog_outcome.h"

struct catalog_result catalog_result_new(struct arena *arena)
{
    return (struct catalog_result){
        .products = ARENA_NEW(arena, struct catalog_content_tally),
        .categories = ARENA_NEW(arena, struct catalog_content_tally),
        .prices = ARENA_NEW(arena, struct catalog_offer_tally),
        .stocks = ARENA_NEW(arena, struct catalog_offer_tally),
        .kept = -1,
    };
}

enum err catalog_refuse(struct catalog_outcome *outcome, const char *problem)
{
    *outcome = (struct catalog_outcome){.problem = problem, .is_final = true};
    return ERR_PACKAGE_REFUSED;
}

void catalog_add_fault(struct arena *arena, struct record_list *faults,
                       const struct catalog_row_fault *fault)
{
    assert(faults->count < CATALOG_FAULTS_MAX);
    if (!faults->items) faults->items = arena_array(arena, CATALOG_FAULTS_MAX, sizeof(*fault));
    ((struct catalog_row_fault *)faults->items)[faults->count++] = *fault;
}
