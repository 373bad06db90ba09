/* Decode, call, reply. */
#include "domain/catalog/catalog_http.h"

#include "core/page.h"
#include "domain/catalog/catalog.h"
#include "kit/base/clock.h"

/* A product that fills a package by itself, written out: the least that a variant or an option is
 * sent with becomes ten times as long. */
enum { PRODUCT_REPLY_MAX = 320 * 1024 * 1024, QUERY_MAX = 100 };

/* --- Parameters --- */

#define PARAM_ARCHIVED                                                                \
    {                                                                                 \
        .name = "archived", .type = FIELD_BOOLEAN,                                    \
        .doc = "Only what is archived, or only what is not; both if it is left out.", \
        .example = "false",                                                           \
    }
#define PARAM_CURSOR                                                             \
    {                                                                            \
        .name = "cursor", .type = FIELD_STRING, .min = 1, .max = CATALOG_ID_MAX, \
        .doc = "`next_cursor` of the page before.",                              \
    }

enum { LIST_ARCHIVED, LIST_LIMIT, LIST_CURSOR };
const struct field catalog_list_params[] = {
    [LIST_ARCHIVED] = PARAM_ARCHIVED,
    [LIST_LIMIT] = PAGE_LIMIT_PARAM,
    [LIST_CURSOR] = PARAM_CURSOR,
    {0},
};

enum {
    PRODUCT_CATEGORY,
    PRODUCT_QUERY,
    PRODUCT_ARCHIVED,
    PRODUCT_SINCE,
    PRODUCT_LIMIT,
    PRODUCT_CURSOR,
};
const struct field catalog_product_params[] = {
    [PRODUCT_CATEGORY] = {.name = "category_id",
                          .type = FIELD_STRING,
                          .min = 1,
                          .max = CATALOG_ID_MAX,
                          .doc = "Only products of this category, by the ERP's id.",
                          .example = "\"c-17\""},
    [PRODUCT_QUERY] = {.name = "q",
                       .type = FIELD_STRING,
                       .min = 1,
                       .max = QUERY_MAX,
                       .doc = "Only products whose name has this in it, in upper or lower case.",
                       .example = "\"milk\""},
    [PRODUCT_ARCHIVED] = PARAM_ARCHIVED,
    [PRODUCT_SINCE] = {.name = "updated_since",
                       .type = FIELD_TIME,
                       .doc = "Only products whose content, prices or stock changed then or later. "
                              "The time of a change is when its package began to be applied, so "
                              "whoever follows the catalog asks from a minute before the last "
                              "time on.",
                       .example = "\"2026-11-21T04:33:00.123Z\""},
    [PRODUCT_LIMIT] = PAGE_LIMIT_PARAM,
    [PRODUCT_CURSOR] = PARAM_CURSOR,
    {0},
};

/* The tables have checked them. */
static int read_archived(const char *param)
{
    return param ? strcmp(param, "true") == 0 : -1;
}

static struct catalog_filter list_filter(const struct request *rq)
{
    return (struct catalog_filter){
        .is_archived = read_archived(rq->params[LIST_ARCHIVED]),
        .limit = page_limit(rq->params[LIST_LIMIT]),
        .cursor = rq->params[LIST_CURSOR],
    };
}

static struct catalog_filter product_filter(const struct request *rq)
{
    struct catalog_filter filter = {
        .category_id = rq->params[PRODUCT_CATEGORY],
        .query = rq->params[PRODUCT_QUERY],
        .is_archived = read_archived(rq->params[PRODUCT_ARCHIVED]),
        .limit = page_limit(rq->params[PRODUCT_LIMIT]),
        .cursor = rq->params[PRODUCT_CURSOR],
    };
    const char *since = rq->params[PRODUCT_SINCE];
    bool is_time = !since || clock_parse(str_of(since), &filter.updated_since_ms);

    assert(is_time);
    return filter;
}

/* --- Handlers --- */

static enum err answer_page(struct request *rq, enum err err, const struct catalog_page *page)
{
    if (err == ERR_VALIDATION)
        return error_fault(rq, "cursor", "Must be the next_cursor of an earlier page.");
    if (err) return err;
    reply_record(rq, page);
    return ERR_OK;
}

enum err catalog_http_list_categories(struct request *rq)
{
    struct catalog_filter filter = list_filter(rq);
    struct catalog_page page;
    enum err err = catalog_list_categories(&rq->work, &rq->path_ids[0], &filter, &page);
    return answer_page(rq, err, &page);
}

enum err catalog_http_list_definitions(struct request *rq)
{
    struct catalog_filter filter = list_filter(rq);
    struct catalog_page page;
    enum err err = catalog_list_definitions(&rq->work, &rq->path_ids[0], &filter, &page);
    return answer_page(rq, err, &page);
}

enum err catalog_http_list_products(struct request *rq)
{
    struct catalog_filter filter = product_filter(rq);
    struct catalog_page page;
    enum err err = catalog_list_products(&rq->work, &rq->path_ids[0], &filter, &page);
    return answer_page(rq, err, &page);
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
