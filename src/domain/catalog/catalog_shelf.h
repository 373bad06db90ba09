/*
 * Categories and definitions in a snapshot: each has an id and a content, and is added, changed,
 * left as it is, or archived.
 */
#pragma once

#include "domain/catalog/catalog_body.h"
#include "domain/catalog/catalog_hold_db.h"
#include "domain/catalog/catalog_shelf_db.h"
#include "kit/base/text_map.h"

struct shelf_entry {
    const char *id;
    struct catalog_hash content_hash;
    bool is_seen;
};

struct shelf {
    enum shelf_kind kind;
    struct work *work;
    const struct catalog_row *catalog;
    struct arena arena;        /* of the entries */
    struct shelf_entry *items; /* those that are not archived */
    size_t count, capacity;
    struct text_map by_id;
    struct shelf_rows changed, unknown; /* not written yet */
    struct arena waiting;               /* of their texts */
    struct catalog_content_tally tally;
};

void shelf_init(struct shelf *shelf, enum shelf_kind kind);
void shelf_done(struct shelf *shelf);
/* What there is, to begin with. The catalog outlives the shelf. */
enum err shelf_load(struct shelf *shelf, struct work *work,
                    const struct catalog_row *catalog) MUST_CHECK;
/* An entry of the snapshot; its texts are copied. */
enum err shelf_put(struct shelf *shelf, const char *id, struct str content) MUST_CHECK;
/* The snapshot is over: archives what it does not have, and writes what waits. */
enum err shelf_finish(struct shelf *shelf) MUST_CHECK;
