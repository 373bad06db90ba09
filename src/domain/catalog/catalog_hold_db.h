/* Statements on the row that each catalog has (migration 0011). */
#pragma once

#include "domain/catalog/catalog.h"

struct catalog_row {
    int64_t number;       /* the upper half of the numbers of its products */
    int64_t last_product; /* the lower half that was given last */
    int64_t snapshot_receipt;
    int64_t edition; /* another number with each snapshot: products and variants may be others */
    int64_t snapshot_at, changes_at; /* when the newest of each was applied; 0: never */
};

/* Numbers of products stand in [first, end). */
static inline int64_t catalog_first_product(const struct catalog_row *catalog)
{
    return catalog->number << 32;
}
static inline int64_t catalog_end_product(const struct catalog_row *catalog)
{
    return (catalog->number + 1) << 32;
}

/* ERR_NOT_FOUND. */
enum err catalog_row_select(struct work *work, const struct uuid *integration_id,
                            struct catalog_row *ret_catalog) MUST_CHECK;
enum err catalog_row_update(struct work *work, const struct uuid *integration_id,
                            const struct catalog_row *catalog) MUST_CHECK;
