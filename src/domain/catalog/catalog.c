/* Holding a catalog: whoever applies a package to it is alone. And what comes of it. */
#include "domain/catalog/catalog.h"

#include "domain/catalog/catalog_hold_db.h"
#include "domain/catalog/catalog_outcome.h"

enum err catalog_try_hold(struct work *work, const struct uuid *integration_id, bool *ret_is_held)
{
    bool is_held = true;
    enum err err = catalog_row_lock(work, integration_id);
    if (err == ERR_NOT_FOUND) err = catalog_row_insert(work, integration_id, &is_held);
    if (err) return err;
    *ret_is_held = is_held;
    return ERR_OK;
}

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
