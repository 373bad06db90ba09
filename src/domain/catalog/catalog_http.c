/* Operators read the catalogs of sales points by these operations (contract, section 5 "Reading the
 * catalog"). */
#include "core/request.h"
#include "domain/catalog/catalog.h"

/* One product may fill a package by itself, and is longer when it is written out: a variant or an
 * option that was sent with the least becomes ten times as long. */
enum { PRODUCT_REPLY_MAX = 320 * 1024 * 1024, QUERY_MAX = 100 };

/* --- Queries --- */

#define ARCHIVED_ROW                                                                \
    FIELD_AS("archived", struct catalog_filter, is_archived, FIELD_TRISTATE, 0,     \
             "Only what is archived, or only what is not; both if it is left out.", \
             .example = "false")
#define PAGE_ROWS                          \
    PAGE_LIMIT_ROW(struct catalog_filter), \
        PAGE_CURSOR_ROW(struct catalog_filter, .min = 1, .max = CATALOG_ID_MAX)

static const struct field list_fields[] = {ARCHIVED_ROW, PAGE_ROWS};
static const struct record list_query = {.size = sizeof(struct catalog_filter),
                                         RECORD_FIELDS(list_fields)};

static const struct field product_fields[] = {
    FIELD(struct catalog_filter, category_id, FIELD_STRING, 0,
          "Only products of this category, by the ERP's id.", .min = 1, .max = CATALOG_ID_MAX,
          .example = "c-17"),
    FIELD_AS("q", struct catalog_filter, query, FIELD_STRING, 0,
             "Only products whose name has this in it, in upper or lower case.", .min = 1,
             .max = QUERY_MAX, .example = "milk"),
    ARCHIVED_ROW,
    FIELD_AS("updated_since", struct catalog_filter, updated_since_ms, FIELD_TIME, FIELD_SINCE,
             "Only products whose content, prices or stock changed then or later. The time of a "
             "change is when its package began to be applied, so whoever follows the catalog asks "
             "from a minute before the last time on.",
             .example = "2026-11-21T04:33:00.123Z"),
    PAGE_ROWS,
};
static const struct record product_query = {.size = sizeof(struct catalog_filter),
                                            RECORD_FIELDS(product_fields)};

/* --- Handlers --- */

static enum err handle_list_categories(struct request *rq)
{
    struct catalog_page page;
    enum err err = catalog_list_categories(&rq->work, &rq->path_ids[0], rq->query, &page);
    return reply_page(rq, err, &page);
}

static enum err handle_list_definitions(struct request *rq)
{
    struct catalog_page page;
    enum err err = catalog_list_definitions(&rq->work, &rq->path_ids[0], rq->query, &page);
    return reply_page(rq, err, &page);
}

static enum err handle_list_products(struct request *rq)
{
    struct catalog_page page;
    enum err err = catalog_list_products(&rq->work, &rq->path_ids[0], rq->query, &page);
    return reply_page(rq, err, &page);
}

static enum err handle_read_product(struct request *rq)
{
    struct catalog_product product;
    enum err err = catalog_read_product(&rq->work, &rq->path_ids[0], rq->path_texts[0], &product);
    if (err) return err;
    rq->reply.max = PRODUCT_REPLY_MAX;
    reply_record(rq, &product);
    return ERR_OK;
}

/* --- Routes ----------------------------------------------------------------------------------- */

#define CATALOG_PATH "/internal/v1/integrations/{id}"

static const struct route rows[] = {
    {
        .method = "GET",
        .path = CATALOG_PATH "/categories",
        .operation_id = "listCatalogCategories",
        .role = ROLE_VIEWER,
        .tag = "Catalog",
        .summary = "List the categories of a catalog",
        .description = "A page of the categories that the ERP sent, in order of their ids, "
                       "archived ones too unless `archived` says otherwise.",
        .reply_doc = "The categories; none before the first snapshot.",
        .reply = &catalog_category_list_record,
        .query = &list_query,
        .handle = handle_list_categories,
    },
    {
        .method = "GET",
        .path = CATALOG_PATH "/products",
        .operation_id = "listCatalogProducts",
        .role = ROLE_VIEWER,
        .tag = "Catalog",
        .summary = "List and search the products of a catalog",
        .description = "A page of products, whole, with their current prices and stock, in the "
                       "order in which they came into the catalog. All filters hold at once. A "
                       "page has fewer products than `limit` where they are long: go on by "
                       "`next_cursor` until it is null. Whoever reads all of a catalog while it "
                       "changes finds each product that is there all the time exactly once.",
        .reply_doc = "The products; none before the first snapshot.",
        .reply = &catalog_product_list_record,
        .query = &product_query,
        .handle = handle_list_products,
    },
    {
        .method = "GET",
        .path = CATALOG_PATH "/products/{*product_id}",
        .operation_id = "getCatalogProduct",
        .role = ROLE_VIEWER,
        .tag = "Catalog",
        .summary = "Read a product of a catalog",
        .description = "The product by the ERP's id, percent-encoded, with current prices and "
                       "stock; archived or not.",
        .reply_doc = "The product.",
        .reply = &catalog_product_view_record,
        .handle = handle_read_product,
    },
    {
        .method = "GET",
        .path = CATALOG_PATH "/attribute-definitions",
        .operation_id = "listCatalogAttributeDefinitions",
        .role = ROLE_VIEWER,
        .tag = "Catalog",
        .summary = "List the attribute definitions of a catalog",
        .description = "A page of what products say of themselves by attributes, in order of the "
                       "ERP's ids, archived ones too unless `archived` says otherwise.",
        .reply_doc = "The definitions; none before the first snapshot.",
        .reply = &catalog_definition_list_record,
        .query = &list_query,
        .handle = handle_list_definitions,
    },
};

const struct route_table catalog_routes = {.store = STORE_EXCHANGE, ROUTE_ROWS(rows)};
