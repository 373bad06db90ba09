/*
 * The bodies of packages as the catalog reads them: item by item, each by its record. They were
 * checked at their receipt, so that what does not fit its record here is damage.
 */
#pragma once

#include "domain/catalog/catalog.h"

enum catalog_list {
    CATALOG_DEFINITIONS,
    CATALOG_CATEGORIES,
    CATALOG_PRODUCTS,
    CATALOG_STOCKS,
    CATALOG_PRICES,
    CATALOG_LIST_COUNT
};
extern const char *const catalog_list_words[CATALOG_LIST_COUNT];

struct catalog_item {
    enum catalog_list list;
    size_t index;    /* in its list */
    struct str text; /* its bytes in the body */
};

/* Calls `on_item` for each item of the lists above, in the order of the body; ends at the first
 * error. ERR_PACKAGE_REFUSED: the body is damaged. */
enum err catalog_each_item(struct str body,
                           enum err (*on_item)(void *arg, const struct catalog_item *item),
                           void *arg) MUST_CHECK;

/* Decodes one item into the arena. ERR_PACKAGE_REFUSED as above. ERR_OVERLOADED: the arena, a large
 * one, has no memory for it. */
enum err catalog_decode_category(struct str text, struct arena *arena,
                                 struct catalog_category *ret_category) MUST_CHECK;
enum err catalog_decode_definition(struct str text, struct arena *arena,
                                   struct catalog_definition *ret_definition) MUST_CHECK;
/* `ret_seen` gets the fields that are there, null or not, for catalog_is_there. */
enum err catalog_decode_product(struct str text, struct arena *arena,
                                struct catalog_product *ret_product, uint64_t *ret_seen) MUST_CHECK;
/* Returns whether the field at this place in struct catalog_product is among `seen`. */
bool catalog_is_there(uint64_t seen, size_t offset);
enum err catalog_decode_stock(struct str text, struct arena *arena,
                              struct catalog_stock *ret_stock) MUST_CHECK;
enum err catalog_decode_price(struct str text, struct arena *arena,
                              struct catalog_price *ret_price) MUST_CHECK;

/* Writes the one text that a content has, however its ERP wrote it. It is stored, and compared by
 * its hash. */
void catalog_encode(const struct record *record, const void *content, struct buf *out);

enum { CATALOG_HASH_SIZE = 16 };
struct catalog_hash {
    unsigned char bytes[CATALOG_HASH_SIZE];
};
struct catalog_hash catalog_hash(struct str text);
