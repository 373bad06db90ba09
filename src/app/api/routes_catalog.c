/* Operators read the catalogs of sales points by these operations (contract, section 5). */
#include "app/api/routes.h"
#include "domain/catalog/catalog.h"
#include "domain/catalog/catalog_http.h"

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
        .query = &catalog_list_query,
        .handle = catalog_http_list_categories,
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
        .query = &catalog_product_list_query,
        .handle = catalog_http_list_products,
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
        .handle = catalog_http_read_product,
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
        .query = &catalog_list_query,
        .handle = catalog_http_list_definitions,
    },
};

const struct route_table routes_catalog = {
    .store = STORE_EXCHANGE,
    ROUTE_ROWS(rows),
};
