/*
 * Products of a snapshot that have to be looked at: those whose text is not that of the snapshot
 * before, or of which a package of changes has set a price since. They are taken some at a time,
 * compared with what there is, and what differs is written.
 */
#pragma once

#include "domain/catalog/catalog_keep.h"
#include "domain/catalog/catalog_live.h"
#include "domain/catalog/catalog_snapshot_db.h"

enum {
    CATALOG_BLOCK_PRODUCTS_MAX = 512,
    CATALOG_BLOCK_BYTES_MAX = 1024 * 1024, /* of texts, when it is written */
    CATALOG_DOC_MAX = 128 * 1024 * 1024,   /* of one product or definition */
    /* The products may hold so much, with all the variants that they ever had. */
    CATALOG_BLOCK_MEMORY_MAX = 256 * 1024 * 1024,
};

struct block_variant {
    struct block_variant *next; /* of the same product */
    struct known_variant row;
    bool is_listed; /* in the snapshot */
};

struct block_product {
    size_t index;                   /* in its list of the package */
    struct catalog_product content; /* without prices */
    const char **prices;            /* of its variants */
    struct catalog_hash text_hash, doc_hash;
    struct str doc;
    uint64_t seen;              /* fields that its text has */
    int64_t kept;               /* fields that it has from what is stored */
    bool is_filled;             /* by what is stored, or lacks nothing that would be kept */
    struct known_product known; /* number 0: the catalog has no such product */
    struct block_variant *variants;
};

/* The target says what the products are applied to, and how. */
struct block_target {
    struct work *work;
    struct catalog_row *catalog;
    struct catalog_live *live;
    struct catalog_result *result;
    struct catalog_keep *keep; /* NULL: what is not there is removed */
    int64_t receipt;           /* of the snapshot */
};

struct catalog_block {
    struct block_target target;
    struct block_product *items;
    size_t count, bytes;
    struct arena arena; /* of what the items hold ... */
    struct arena kept;  /* ... and of those at hand, what they keep */
    struct buf doc;
    struct text_map by_variant; /* variants that are known of the product at hand, by id */
    struct text_map by_value;   /* values of its axes */
    struct snapshot_rows rows;
    struct record_list faults; /* of struct catalog_row_fault, in the arena of the work */
    size_t fault_count;        /* variants at fault, also those that are not told */
};

void catalog_block_init(struct catalog_block *block);
void catalog_block_done(struct catalog_block *block);
/* Comes before the first product. What the target points at outlives the block. */
void catalog_block_begin(struct catalog_block *block, const struct block_target *target);
/* Takes a product of the snapshot and the hash of its bytes. ERR_PACKAGE_REFUSED: they are damaged.
 * ERR_OVERLOADED, here and below: there is no memory for them now. */
enum err catalog_block_add(struct catalog_block *block, const struct catalog_item *item,
                           const struct catalog_hash *text_hash) MUST_CHECK;
/* Writes the products that wait. Once a variant was at fault, it only looks for more of those and
 * writes nothing any more. */
enum err catalog_block_write(struct catalog_block *block) MUST_CHECK;
