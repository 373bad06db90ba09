/*
 * Operators read the content as the newest snapshot has it, with prices and stock as they are now
 * (contract, section 5 "Reading the catalog").
 */
#include "domain/catalog/catalog.h"
#include "domain/catalog/catalog_body.h"
#include "domain/catalog/catalog_hold_db.h"
#include "domain/catalog/catalog_read_db.h"
#include "kit/base/fold.h"

#include <stdlib.h>

enum {
    /* Definitions and variants may add so much to the stored products of a page; with more, it is
     * cut. Each variant counts for VARIANT_EXTRA. */
    PAGE_EXTRA_MAX = 8 * 1024 * 1024,
    VARIANT_EXTRA = 256,
};

/* `ret_is_there` false: nothing was ever applied. ERR_NOT_FOUND: no such integration. */
static enum err find_catalog(struct work *work, const struct uuid *integration_id,
                             struct catalog_row *ret_catalog, bool *ret_is_there)
{
    struct integration integration;
    enum err err = catalog_row_select(work, integration_id, ret_catalog);

    *ret_is_there = !err;
    return err == ERR_NOT_FOUND ? integration_read(work, integration_id, &integration) : err;
}

/* --- Categories and definitions --------------------------------------------------------------- */

/* Lists rows in order of their ids; `select` knows the table. */
static enum err list_by_id(struct work *work, const struct uuid *integration_id,
                           const struct catalog_filter *filter, struct catalog_page *ret_page,
                           enum err (*select)(struct work *work, const struct catalog_row *catalog,
                                              const struct catalog_id_query *query,
                                              struct catalog_page *ret_page))
{
    struct catalog_id_query query = {
        .after = filter->cursor ? filter->cursor : "",
        .limit = filter->limit,
        .is_archived = filter->is_archived,
    };
    struct catalog_page page = {0};
    struct catalog_row catalog;
    bool is_there;

    enum err err = find_catalog(work, integration_id, &catalog, &is_there);
    if (!err && is_there) err = select(work, &catalog, &query, &page);
    if (err) return err;
    *ret_page = page;
    return ERR_OK;
}

enum err catalog_list_categories(struct work *work, const struct uuid *integration_id,
                                 const struct catalog_filter *filter, struct catalog_page *ret_page)
{
    return list_by_id(work, integration_id, filter, ret_page, catalog_category_select_page);
}

enum err catalog_list_definitions(struct work *work, const struct uuid *integration_id,
                                  const struct catalog_filter *filter,
                                  struct catalog_page *ret_page)
{
    return list_by_id(work, integration_id, filter, ret_page, catalog_definition_select_page);
}

/* --- What products take from their definitions ------------------------------------------------ */

struct definitions {
    struct catalog_definition *items; /* in order of id; their values too */
    size_t count;
};

/* The ids that attributes of the products name, each once, in order. */
static const char **list_ids(struct work *work, const struct catalog_product *products,
                             size_t product_count, size_t *ret_count)
{
    size_t count = 0, distinct = 0;

    for (size_t i = 0; i < product_count; i++)
        count += products[i].attributes.count;
    const char **ids = arena_array(work->arena, count + 1, sizeof(*ids));
    count = 0;
    for (size_t i = 0; i < product_count; i++) {
        const struct catalog_attribute *attributes = products[i].attributes.items;
        for (size_t j = 0; j < products[i].attributes.count; j++)
            ids[count++] = attributes[j].attribute_id;
    }
    qsort(ids, count, sizeof(*ids), catalog_compare_ids);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || strcmp(ids[i], ids[i - 1]) != 0) ids[distinct++] = ids[i];
    }
    *ret_count = distinct;
    return ids;
}

static enum err load_definitions(struct work *work, const struct catalog_row *catalog,
                                 const char *const *ids, size_t id_count,
                                 struct definitions *ret_definitions)
{
    struct definitions all = {
        .items = arena_array(work->arena, id_count + 1, sizeof(*all.items)),
    };

    for (size_t i = 0; i < id_count; i += CATALOG_DEFINITION_BATCH) {
        size_t left = id_count - i, count;
        enum err err = catalog_definition_select(
            work, catalog, ids + i,
            left < CATALOG_DEFINITION_BATCH ? left : CATALOG_DEFINITION_BATCH,
            all.items + all.count, &count);
        if (err) return err;
        all.count += count;
    }
    qsort(all.items, all.count, sizeof(*all.items), catalog_compare_ids);
    for (size_t i = 0; i < all.count; i++) {
        struct record_list *values = &all.items[i].values;
        if (values->count > 1)
            qsort(values->items, values->count, sizeof(struct catalog_value), catalog_compare_ids);
    }
    *ret_definitions = all;
    return ERR_OK;
}

/* Fills what an attribute takes from its definition, and returns how many bytes that adds. */
static size_t name_attribute(const struct definitions *definitions,
                             struct catalog_attribute *attribute)
{
    const struct catalog_definition *definition =
        bsearch(&attribute->attribute_id, definitions->items, definitions->count,
                sizeof(*definition), catalog_compare_ids);
    const struct catalog_value *value = NULL;
    const char *const *value_id = &attribute->value_id;

    if (!definition) return 0;
    if (*value_id && definition->values.count > 0)
        value = bsearch(value_id, definition->values.items, definition->values.count,
                        sizeof(*value), catalog_compare_ids);
    attribute->canonical_code = definition->canonical_code;
    attribute->name = definition->name;
    attribute->value_name = value ? value->name : NULL;
    if (!attribute->unit) attribute->unit = definition->unit;
    return str_of(attribute->canonical_code).len + str_of(attribute->name).len +
           str_of(attribute->value_name).len + str_of(attribute->unit).len;
}

/* --- What is computed ------------------------------------------------------------------------- */

/* Fills what is computed of a product, and returns about how many bytes that adds. */
static size_t complete(const struct definitions *definitions, struct catalog_product *product)
{
    struct catalog_attribute *attributes = product->attributes.items;
    struct catalog_variant *variants = product->variants.items;
    size_t extra = product->variants.count * VARIANT_EXTRA;

    for (size_t i = 0; i < product->attributes.count; i++)
        extra += name_attribute(definitions, &attributes[i]);
    for (size_t i = 0; i < product->variants.count; i++)
        variants[i].is_available =
            product->is_available && !product->is_archived && variants[i].stock != 0;
    return extra;
}

/* `ret_count`: how many of them make a page, at least one. */
static enum err complete_page(struct work *work, const struct catalog_row *catalog,
                              struct catalog_product *products, size_t count, size_t *ret_count)
{
    struct definitions definitions = {0};
    size_t id_count, extra = 0, done = 0;

    const char **ids = list_ids(work, products, count, &id_count);
    enum err err = load_definitions(work, catalog, ids, id_count, &definitions);
    if (err) return err;
    for (; done < count && (done == 0 || extra <= PAGE_EXTRA_MAX); done++)
        extra += complete(&definitions, &products[done]);
    *ret_count = done;
    return ERR_OK;
}

/* --- Products --------------------------------------------------------------------------------- */

static enum err list_products(struct work *work, const struct catalog_row *catalog,
                              const struct catalog_filter *filter, struct catalog_page *page)
{
    /* The cursor is the counter of a product, the lower half of its number. */
    static const struct page_key by_counter = {.has_number = true};
    int64_t first = catalog_first_product(catalog);
    struct page_place place = {0};
    struct catalog_product_rows rows = {0};
    struct catalog_product_query query = {
        .limit = filter->limit,
        .category_id = filter->category_id,
        .folded = filter->query ? fold_text(work->arena, filter->query) : NULL,
        .is_archived = filter->is_archived,
        .updated_since_ms = filter->updated_since_ms,
    };
    size_t count;

    enum err err = page_begin(filter->cursor, &by_counter, &place);
    if (!err && place.number > UINT32_MAX) err = ERR_VALIDATION;
    query.after = first + place.number;
    if (!err) err = catalog_product_select_page(work, catalog, &query, &rows);
    if (!err) err = complete_page(work, catalog, rows.products, rows.count, &count);
    if (err) return err;
    page->items = (struct record_list){rows.products, count};
    if (!rows.has_more && count == rows.count) return ERR_OK;
    place.number = rows.numbers[count - 1] - first;
    page->next_cursor = page_cursor(&place, &by_counter, work->arena);
    return ERR_OK;
}

enum err catalog_list_products(struct work *work, const struct uuid *integration_id,
                               const struct catalog_filter *filter, struct catalog_page *ret_page)
{
    struct catalog_page page = {0};
    struct catalog_row catalog;
    bool is_there;

    enum err err = find_catalog(work, integration_id, &catalog, &is_there);
    if (!err && is_there) err = list_products(work, &catalog, filter, &page);
    if (err) return err;
    *ret_page = page;
    return ERR_OK;
}

enum err catalog_read_product(struct work *work, const struct uuid *integration_id,
                              const char *product_id, struct catalog_product *ret_product)
{
    struct catalog_row catalog;
    int64_t number;
    size_t count;

    enum err err = catalog_row_select(work, integration_id, &catalog);
    if (!err) err = catalog_product_select(work, &catalog, product_id, ret_product, &number);
    if (!err) err = catalog_origins_select(work, integration_id, number, ret_product);
    return err ? err : complete_page(work, &catalog, ret_product, 1, &count);
}
