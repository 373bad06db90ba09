/* Statements on products, variants and offers that a snapshot needs (migration 0011). */
#pragma once

#include "domain/catalog/catalog_body.h"
#include "domain/catalog/catalog_hold_db.h"
#include "kit/db/rows.h"

/* --- What there is ---------------------------------------------------------------------------- */

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
/* Products with a price that was set since the newest snapshot. */
enum err catalog_live_select_touched(struct work *work, const struct catalog_row *catalog,
                                     void (*on_row)(void *arg, int64_t product),
                                     void *arg) MUST_CHECK;

/* A product that the catalog has; `place` is that of its key in the question. */
struct known_product {
    size_t place;
    int64_t product;
    int64_t last_variant;
    struct catalog_hash text_hash, doc_hash;
    bool is_archived;
    int64_t kept;
};

/* These words say whether a variant is there. An archived product takes its variants along, and
 * they come back with it; so whoever looks for a pair need not look at the product. */
enum variant_archived { VARIANT_LIVE, VARIANT_LEFT, VARIANT_WITH_PRODUCT };

/* A variant with its offer. */
struct known_variant {
    size_t place; /* of its product in the question */
    const char *id;
    int64_t variant;
    int archived; /* enum variant_archived */
    const char *price;
    int64_t price_receipt;
};

/* Keys of products that are asked for together. */
struct product_keys {
    const char *const *ids;  /* of the ERP */
    const int64_t *products; /* their numbers */
    size_t count;
};

/* Finds products by their ids. */
enum err catalog_product_select_known(struct work *work, int64_t catalog,
                                      const struct product_keys *keys,
                                      void (*on_row)(void *arg, const struct known_product *row),
                                      void *arg) MUST_CHECK;
enum { CATALOG_DOCS_BYTES = 4 * 1024 * 1024 };
/* Reads what is stored of products, by their numbers: of the first of them, until that is
 * CATALOG_DOCS_BYTES in all, and of one at least. Texts are in the arena; ERR_OVERLOADED, here and
 * below: it has no memory for them. */
enum err catalog_doc_select_known(struct work *work, const struct product_keys *keys,
                                  struct arena *arena,
                                  void (*on_row)(void *arg, size_t place,
                                                 const struct catalog_product *stored),
                                  void *arg) MUST_CHECK;
/* Reads all variants of products, by the products' numbers. Texts of rows are in the arena. */
enum err catalog_variant_select_known(struct work *work, const struct product_keys *keys,
                                      struct arena *arena,
                                      void (*on_row)(void *arg, const struct known_variant *row),
                                      void *arg) MUST_CHECK;

/* --- What is written: gathered, and run with catalog_snapshot_rows_run at the latest -----------
 */

enum snapshot_statement {
    PRODUCT_INSERT,
    PRODUCT_UPDATE,
    PRODUCT_TEXT_UPDATE,
    PRODUCT_ARCHIVE,
    PRODUCT_ARCHIVE_VARIANTS,
    DOC_INSERT,
    DOC_UPDATE,
    NAME_INSERT,
    NAME_UPDATE,
    VARIANT_INSERT,
    VARIANT_ARCHIVE,
    OFFER_INSERT,
    OFFER_PRICE_UPDATE,
    SNAPSHOT_STATEMENT_COUNT
};

/* A snapshot may write a hundred thousand rows. */
struct snapshot_rows {
    struct db_rows of[SNAPSHOT_STATEMENT_COUNT];
    int64_t now_ms;
};

struct product_row {
    int64_t product;
    const char *category_id;
    const struct catalog_hash *text_hash, *doc_hash;
    int64_t last_variant, variant_count;
    int64_t kept; /* of its fields, from a snapshot before */
};

/* The memory of the rows is that of the work. Texts and blobs are borrowed until they run. */
void catalog_snapshot_rows_init(struct snapshot_rows *rows, struct work *work);
enum err catalog_snapshot_rows_run(struct snapshot_rows *rows) MUST_CHECK;

enum err catalog_product_insert(struct snapshot_rows *rows, int64_t catalog, const char *id,
                                const struct product_row *row) MUST_CHECK;
/* Updates a product, which is not archived from now on. */
enum err catalog_product_update(struct snapshot_rows *rows,
                                const struct product_row *row) MUST_CHECK;
enum err catalog_product_update_text(struct snapshot_rows *rows, int64_t product,
                                     const struct catalog_hash *text_hash, int64_t kept) MUST_CHECK;
/* Archives a product with its variants. */
enum err catalog_product_archive(struct snapshot_rows *rows, int64_t product) MUST_CHECK;
/* These two write what only readings and the search need. */
enum err catalog_product_insert_doc(struct snapshot_rows *rows, int64_t product, struct str doc,
                                    const char *folded_name) MUST_CHECK;
enum err catalog_product_update_doc(struct snapshot_rows *rows, int64_t product, struct str doc,
                                    const char *folded_name) MUST_CHECK;
enum err catalog_variant_insert(struct snapshot_rows *rows, int64_t product, int64_t variant,
                                const char *id) MUST_CHECK;
enum err catalog_variant_set_archived(struct snapshot_rows *rows, int64_t product, const char *id,
                                      enum variant_archived archived) MUST_CHECK;
enum err catalog_offer_insert(struct snapshot_rows *rows, int64_t product, int64_t variant,
                              const char *price, int64_t receipt) MUST_CHECK;
enum err catalog_offer_set_price(struct snapshot_rows *rows, int64_t product, int64_t variant,
                                 const char *price, int64_t receipt) MUST_CHECK;
