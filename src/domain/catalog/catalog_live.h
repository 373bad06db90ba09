/*
 * The products that a catalog has at the beginning of a snapshot, without those that are archived:
 * just enough of each to see that its text is the same, and that it is gone.
 */
#pragma once

#include "domain/catalog/catalog_body.h"
#include "domain/catalog/catalog_hold_db.h"
#include "kit/base/text_map.h"

struct live_product {
    int64_t product;
    int32_t variant_count; /* of those that are not archived */
    bool is_touched;       /* a price of it was set since the snapshot before */
    bool is_seen;          /* the snapshot at hand has it */
};

struct live_products {
    struct live_product *items; /* in order of number */
    size_t count, capacity;
    size_t seen_count;
    struct text_map by_text; /* their places by the hashes of their texts */
};

void live_products_init(struct live_products *live);
void live_products_done(struct live_products *live);
enum err live_products_load(struct live_products *live, struct work *work,
                            const struct catalog_row *catalog) MUST_CHECK;

/* The one whose text had this hash in the snapshot before; NULL: there is none. */
struct live_product *live_product_by_text(struct live_products *live,
                                          const struct catalog_hash *hash);
/* NULL: it is archived, or new. */
struct live_product *live_product_by_number(struct live_products *live, int64_t product);
void live_product_see(struct live_products *live, struct live_product *product);
