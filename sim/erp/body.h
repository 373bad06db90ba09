/* The bodies that an ERP sends (doc B, section 2 "Snapshot", "Changes package"). */
#pragma once

#include "catalog.h"
#include "kit/base/buf.h"

enum {
    BODY_MAX = 64 * 1024 * 1024, /* more than the service takes, so that too much can be sent */
    BODY_EVENT_ID_MAX = 128,
    BODY_ROWS_MAX = 10000, /* of prices, and of stocks: likewise */
};

enum package_type { PACKAGE_SNAPSHOT, PACKAGE_CHANGES, PACKAGE_TYPES };

struct body_head {
    const char *event_id;     /* NULL: left out */
    const char *generated_at; /* NULL: left out */
};

/* A row of a package of changes. */
struct row {
    bool is_price; /* else stock */
    const char *product_id, *variant_id;
    const char *amount; /* the price or the quantity, in JSON */
};

/* It says which rows a package of changes has. */
struct changes_plan {
    uint64_t number; /* the same number gives the same rows */
    int64_t price_count, stock_count;
};

struct fault;

/* Both append to `body`, and spoil it by `fault` unless that is NULL. */

/* False: the fault finds nothing to spoil. */
bool body_write_snapshot(const struct catalog *catalog, struct body_head head,
                         const struct fault *fault, struct buf *body);
/* No pair stands in a list twice. False: the catalog has not so many, or as above. */
bool body_write_changes(const struct catalog *catalog, struct body_head head,
                        const struct changes_plan *changes, const struct fault *fault,
                        struct buf *body);

/* Lengthens the descriptions until a snapshot of the plan, without its changes, is `bytes` long (a
 * few less, by the length of its event id). False: it is longer already. */
bool body_fit(struct catalog_plan *plan, int64_t bytes);
