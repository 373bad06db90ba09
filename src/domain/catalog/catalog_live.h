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
    int8_t kept;           /* of its fields: from a snapshot before */
    bool is_touched;       /* a price of it was set since the snapshot before */
    bool is_seen;          /* the snapshot at hand has it */
};

struct catalog_live {
    struct live_product *items; /* in order of number */
    size_t count, capacity;
    bool lacks_memory; /* for one of them */
    size_t seen_count;
    struct text_map by_text; /* their places by the hashes of their texts */
};

void catalog_live_init(struct catalog_live *live);
void catalog_live_done(struct catalog_live *live);
/* ERR_OVERLOADED: there is no memory for all of them. */
enum err catalog_live_load(struct catalog_live *live, struct work *work,
                           const struct catalog_row *catalog) MUST_CHECK;

/* Finds the one whose text had this hash in the snapshot before; NULL: there is none. */
struct live_product *catalog_live_by_text(struct catalog_live *live,
                                          const struct catalog_hash *hash);
/* Finds it by its number. NULL: it is archived, or new. */
struct live_product *catalog_live_by_number(struct catalog_live *live, int64_t product);
void catalog_live_see(struct catalog_live *live, struct live_product *product);
