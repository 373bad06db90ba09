/*
 * Categories and definitions in a snapshot, which its products refer to: each has an id and a
 * content, and is added, changed, left as it is, or archived.
 */
#pragma once

#include "domain/catalog/catalog_body.h"
#include "domain/catalog/catalog_hold_db.h"
#include "domain/catalog/catalog_reference_db.h"
#include "kit/base/text_map.h"

enum { REFERENCE_MEMORY_MAX = 128 * 1024 * 1024 }; /* of ids, and of texts that wait */

struct reference_entry {
    const char *id;
    struct catalog_hash content_hash;
    bool is_seen;
};

struct reference_list {
    enum reference_kind kind;
    struct work *work;
    const struct catalog_row *catalog;
    struct arena arena;            /* of the entries */
    struct reference_entry *items; /* those that are not archived */
    size_t count, capacity;
    bool lacks_memory; /* for one of them */
    struct text_map by_id;
    struct reference_rows changed, unknown; /* not written yet */
    struct arena waiting;                   /* of their texts */
    struct catalog_content_tally tally;
};

void catalog_reference_init(struct reference_list *list, enum reference_kind kind);
void catalog_reference_done(struct reference_list *list);
/* Loads what there is at the beginning. The catalog outlives the list. ERR_OVERLOADED, here and
 * below: there is no memory for it. */
enum err catalog_reference_load(struct reference_list *list, struct work *work,
                                const struct catalog_row *catalog) MUST_CHECK;
/* Takes an entry of the snapshot; its texts are copied. */
enum err catalog_reference_put(struct reference_list *list, const char *id,
                               struct str content) MUST_CHECK;
/* Returns whether the snapshot lacks or changes something that there was. It comes once all of it
 * was put. */
bool catalog_reference_has_lost(const struct reference_list *list);
/* The snapshot is over: archives what it does not have, and writes what waits. */
enum err catalog_reference_finish(struct reference_list *list) MUST_CHECK;
