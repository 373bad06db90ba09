/* Reading statements on a catalog (migration 0011). */
#pragma once

#include "domain/catalog/catalog.h"
#include "domain/catalog/catalog_hold_db.h"

/* Asks for the products behind `after`, in order of their numbers, at most `limit`. */
struct catalog_product_query {
    int64_t after;
    int64_t limit;
    const char *category_id;  /* NULL: any */
    const char *folded;       /* part of a folded name; NULL: any */
    int is_archived;          /* -1: either */
    int64_t updated_since_ms; /* 0: any */
};

/* Products as they are stored, without what is shown of definitions and what is computed. */
struct catalog_product_rows {
    struct catalog_product *products;
    int64_t *numbers; /* of each */
    size_t count;
    bool has_more; /* there are others behind them */
};

/* Reads a page by one statement, so that prices and stock fit the content. It has fewer products
 * than asked for where their text is long, but at least one if there is any. */
enum err catalog_product_select_page(struct work *work, const struct catalog_row *catalog,
                                     const struct catalog_product_query *query,
                                     struct catalog_product_rows *ret_rows) MUST_CHECK;
/* `ret_number`: the number of the product. ERR_NOT_FOUND. */
enum err catalog_product_select(struct work *work, const struct catalog_row *catalog,
                                const char *product_id, struct catalog_product *ret_product,
                                int64_t *ret_number) MUST_CHECK;
/* Fills the origins of the variants of the product with this number; their memory is the arena's.
 */
enum err catalog_origins_select(struct work *work, const struct uuid *integration_id,
                                int64_t number, struct catalog_product *product) MUST_CHECK;

enum { CATALOG_DEFINITION_BATCH = 32 };
/* Reads those of `ids`, at most CATALOG_DEFINITION_BATCH, that there are, in any order. */
enum err catalog_definition_select(struct work *work, const struct catalog_row *catalog,
                                   const char *const *ids, size_t id_count,
                                   struct catalog_definition *ret_definitions,
                                   size_t *ret_count) MUST_CHECK;

/* Categories and definitions by their ids, from behind `after` on ("": from the first). */
struct catalog_id_query {
    const char *after;
    int64_t limit;
    int is_archived; /* -1: either */
};

/* Reads a page of struct catalog_category_view. */
enum err catalog_category_select_page(struct work *work, const struct catalog_row *catalog,
                                      const struct catalog_id_query *query,
                                      struct catalog_page *ret_page) MUST_CHECK;
/* Reads a page of struct catalog_definition_view: fewer than asked for where their text is long. */
enum err catalog_definition_select_page(struct work *work, const struct catalog_row *catalog,
                                        const struct catalog_id_query *query,
                                        struct catalog_page *ret_page) MUST_CHECK;

/* Compares texts, and structs that begin with their id, for qsort and bsearch. */
int catalog_compare_ids(const void *left, const void *right);
