/* One product of the simulated shop, made from the seed and its place in the catalog. */
#pragma once

#include "catalog.h"

/* Each thing that is made from a seed has chances of its own (chance.h). */
enum purpose {
    PURPOSE_CATEGORY,
    PURPOSE_DEFINITION,
    PURPOSE_DEFINITION_VALUE,
    PURPOSE_PRODUCT,
    PURPOSE_PRODUCT_ID,
    PURPOSE_PRICE,
    PURPOSE_CHANGE,
    PURPOSE_CHANGED_PRICE,
    PURPOSE_ROWS,
    PURPOSE_ORDER,
};

/* The definitions of every catalog, in this order. */
enum definition_index {
    DEFINITION_BRAND,
    DEFINITION_COLOR,
    DEFINITION_SIZE,
    DEFINITION_COUNTRY,
    DEFINITION_WEIGHT,
    DEFINITION_ENERGY,
    DEFINITION_SHELF_LIFE,
    DEFINITION_VEGAN,
    DEFINITION_HARVEST,
    DEFINITION_COUNT,
};

/* A day did one of these to a product. */
enum product_change { CHANGE_NONE, CHANGE_PRICE, CHANGE_NAME, CHANGE_TEXT };

/* An id in the arena. */
const char *shop_guid(struct arena *arena, uint64_t seed, enum purpose purpose, uint64_t index);

/* The id of the product at `index`, also of one that the catalog does not hold. */
const char *product_id(const struct catalog *catalog, int64_t index, struct arena *arena);
/* Everything in the arena. */
void product_make(const struct catalog *catalog, int64_t index, enum product_change change,
                  struct arena *arena, struct product *ret_product);
