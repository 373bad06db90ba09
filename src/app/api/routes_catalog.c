/* Catalogs of sales points, as operators read them (contract, section 5). */
#include "app/api/routes.h"
#include "domain/catalog/catalog.h"
#include "domain/catalog/catalog_http.h"

#define CATALOG_PATH "/internal/v1/integrations/{id}"

#define EXAMPLE_CATEGORY                                     \
    "{\"id\":\"c-17\",\"name\":\"Milk\",\"archived\":false," \
    "\"updated_at\":\"2026-11-21T04:33:00.123Z\"}"
#define EXAMPLE_DEFINITION                                                         \
    "{\"id\":\"a-3\",\"code\":\"000000003\",\"name\":\"Brand\",\"type\":\"enum\"," \
    "\"unit\":null,\"canonical_code\":\"brand\","                                  \
    "\"values\":[{\"id\":\"brand-9\",\"code\":null,\"name\":\"Green Meadow\"}],"   \
    "\"archived\":false,\"updated_at\":\"2026-11-21T04:33:00.123Z\"}"
#define EXAMPLE_ATTRIBUTES                                                        \
    "[{\"attribute_id\":\"a-3\",\"canonical_code\":\"brand\",\"name\":\"Brand\"," \
    "\"value\":null,\"value_id\":\"brand-9\",\"value_name\":\"Green Meadow\","    \
    "\"unit\":null},{\"attribute_id\":\"a-5\",\"canonical_code\":null,"           \
    "\"name\":\"Fat\",\"value\":3.2,\"value_id\":null,\"value_name\":null,"       \
    "\"unit\":\"%\"}]"
#define EXAMPLE_AXES                                                     \
    "[{\"id\":\"volume\",\"code\":null,\"name\":\"Volume\",\"values\":[" \
    "{\"id\":\"900\",\"code\":null,\"name\":\"0.9 l\"}]}]"
#define EXAMPLE_VARIANT                                                        \
    "{\"id\":\"v-1\",\"name\":\"0.9 l\",\"price\":89.9,\"stock\":14,"          \
    "\"available\":true,\"sku\":\"ML-0001\",\"barcodes\":[\"4607004890017\"]," \
    "\"default\":true,\"measure_unit\":\"liter\",\"measure_value\":0.9,"       \
    "\"option_values\":[{\"axis_id\":\"volume\",\"value_id\":\"900\"}],"       \
    "\"option_groups\":[{\"id\":\"bag\",\"name\":\"Bag\",\"required\":false,"  \
    "\"min_select\":0,\"max_select\":1,\"options\":[{\"id\":\"bag-1\","        \
    "\"name\":\"Paper bag\",\"price_delta\":12.5,\"available\":true,\"sku\":null}]}]}"
#define EXAMPLE_PRODUCT                                                               \
    "{\"id\":\"p-100\",\"name\":\"Milk 3.2 %\","                                      \
    "\"description\":\"Pasteurised milk\",\"composition\":\"Whole milk\","            \
    "\"category_id\":\"c-17\",\"available\":true,\"archived\":false,"                 \
    "\"updated_at\":\"2026-11-21T04:33:00.123Z\","                                    \
    "\"tax\":{\"vat_rate\":\"10\",\"vat_included\":true,\"tax_category\":\"goods\"}," \
    "\"marking\":{\"required\":true,\"group\":\"milk\",\"traceable\":false},"         \
    "\"attributes\":" EXAMPLE_ATTRIBUTES ",\"option_axes\":" EXAMPLE_AXES ","         \
    "\"variants\":[" EXAMPLE_VARIANT "],\"allergens\":[\"milk\"],\"tags\":[]}"

static const struct route rows[] = {
    {
        .method = "GET",
        .path = CATALOG_PATH "/categories",
        .operation_id = "listCatalogCategories",
        .tag = "Catalog",
        .summary = "List the categories of a catalog",
        .description = "A page of the categories that the ERP sent, in order of their ids, "
                       "archived ones too unless `archived` says otherwise.",
        .auth = AUTH_INTERNAL_KEY,
        .access = ACCESS_READ,
        .store = STORE_EXCHANGE,
        .status = 200,
        .reply_doc = "The categories; none before the first snapshot.",
        .reply = &catalog_category_list_record,
        .reply_example = "{\"categories\":[" EXAMPLE_CATEGORY "],\"next_cursor\":null}",
        .params = catalog_list_params,
        .handle = catalog_http_list_categories,
    },
    {
        .method = "GET",
        .path = CATALOG_PATH "/products",
        .operation_id = "listCatalogProducts",
        .tag = "Catalog",
        .summary = "List and search the products of a catalog",
        .description = "A page of products, whole, with their current prices and stock, in the "
                       "order in which they came into the catalog. All filters hold at once. A "
                       "page has fewer products than `limit` where they are long: go on by "
                       "`next_cursor` until it is null. Whoever reads all of a catalog while it "
                       "changes finds each product that is there all the time exactly once.",
        .auth = AUTH_INTERNAL_KEY,
        .access = ACCESS_READ,
        .store = STORE_EXCHANGE,
        .status = 200,
        .reply_doc = "The products; none before the first snapshot.",
        .reply = &catalog_product_list_record,
        .reply_example = "{\"products\":[" EXAMPLE_PRODUCT "],\"next_cursor\":null}",
        .params = catalog_product_params,
        .handle = catalog_http_list_products,
    },
    {
        .method = "GET",
        .path = CATALOG_PATH "/products/{*product_id}",
        .operation_id = "getCatalogProduct",
        .tag = "Catalog",
        .summary = "Read a product of a catalog",
        .description = "The product by the ERP's id, percent-encoded, with current prices and "
                       "stock; archived or not.",
        .auth = AUTH_INTERNAL_KEY,
        .access = ACCESS_READ,
        .store = STORE_EXCHANGE,
        .status = 200,
        .reply_doc = "The product.",
        .reply = &catalog_product_view_record,
        .reply_example = EXAMPLE_PRODUCT,
        .handle = catalog_http_read_product,
    },
    {
        .method = "GET",
        .path = CATALOG_PATH "/attribute-definitions",
        .operation_id = "listCatalogAttributeDefinitions",
        .tag = "Catalog",
        .summary = "List the attribute definitions of a catalog",
        .description = "A page of what products say of themselves by attributes, in order of the "
                       "ERP's ids, archived ones too unless `archived` says otherwise.",
        .auth = AUTH_INTERNAL_KEY,
        .access = ACCESS_READ,
        .store = STORE_EXCHANGE,
        .status = 200,
        .reply_doc = "The definitions; none before the first snapshot.",
        .reply = &catalog_definition_list_record,
        .reply_example = "{\"attribute_definitions\":[" EXAMPLE_DEFINITION "],"
                         "\"next_cursor\":null}",
        .params = catalog_list_params,
        .handle = catalog_http_list_definitions,
    },
};

const struct route_table routes_catalog = ROUTE_TABLE(rows);
