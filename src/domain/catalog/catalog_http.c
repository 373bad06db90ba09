/* The handlers of the operations that read a catalog. */
#include "domain/catalog/catalog_http.h"

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
const struct record catalog_list_query = {.size = sizeof(struct catalog_filter),
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
const struct record catalog_product_list_query = {.size = sizeof(struct catalog_filter),
                                                  RECORD_FIELDS(product_fields)};

/* --- Handlers --- */

enum err catalog_http_list_categories(struct request *rq)
{
    struct catalog_page page;
    enum err err = catalog_list_categories(&rq->work, &rq->path_ids[0], rq->query, &page);
    return reply_page(rq, err, &page);
}

enum err catalog_http_list_definitions(struct request *rq)
{
    struct catalog_page page;
    enum err err = catalog_list_definitions(&rq->work, &rq->path_ids[0], rq->query, &page);
    return reply_page(rq, err, &page);
}

enum err catalog_http_list_products(struct request *rq)
{
    struct catalog_page page;
    enum err err = catalog_list_products(&rq->work, &rq->path_ids[0], rq->query, &page);
    return reply_page(rq, err, &page);
}

enum err catalog_http_read_product(struct request *rq)
{
    struct catalog_product product;
    enum err err = catalog_read_product(&rq->work, &rq->path_ids[0], rq->path_texts[0], &product);
    if (err) return err;
    rq->reply.max = PRODUCT_REPLY_MAX;
    reply_record(rq, &product);
    return ERR_OK;
}
