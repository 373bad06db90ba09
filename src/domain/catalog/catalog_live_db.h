/* What a snapshot reads of the products that there are (migration 0011). */
#pragma once

#include "domain/catalog/catalog_body.h"
#include "domain/catalog/catalog_hold_db.h"

enum { CATALOG_LIVE_PART = 8192 };

struct live_row {
    int64_t product;
    struct catalog_hash text_hash;
    int32_t variant_count;
    int64_t kept;
};

/* Products between the two numbers that are not archived, in order, CATALOG_LIVE_PART at most. */
enum err catalog_live_select(struct work *work, int64_t after, int64_t end,
                             void (*on_row)(void *arg, const struct live_row *row),
                             void *arg) MUST_CHECK;
/* Products of which a price was set since the newest snapshot. */
enum err catalog_live_select_touched(struct work *work, const struct catalog_row *catalog,
                                     void (*on_row)(void *arg, int64_t product),
                                     void *arg) MUST_CHECK;
