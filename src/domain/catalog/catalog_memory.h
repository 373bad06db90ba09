/*
 * Remembers which numbers products and variants have, so that a package of changes about what an
 * earlier one was about need not look them up. What is remembered holds as long as the edition of
 * its catalog, a random number that each snapshot makes anew in its own transaction: so nothing has
 * to be forgotten, also where another process applies the snapshot, or the transaction is lost.
 */
#pragma once

#include "domain/catalog/catalog_hold_db.h"

/* A variant of a product: the ERP's ids, and ours. */
struct catalog_pair {
    const char *product_id, *variant_id;
    int64_t product, variant; /* 0: there is none, or it is archived */
};

/* Fills the numbers of a pair; false: they have to be looked up. */
bool catalog_memory_recall(struct catalog_memory *memory, const struct catalog_row *catalog,
                           struct catalog_pair *pair);
/* Remembers a pair, which may take the place of another one. */
void catalog_memory_keep(struct catalog_memory *memory, const struct catalog_row *catalog,
                         const struct catalog_pair *pair);
