/* The operations by which operators read a catalog (contract, section 5 "Reading the catalog"). */
#pragma once

#include "core/request.h"

extern const struct record catalog_list_query; /* both fill a struct catalog_filter */
extern const struct record catalog_product_list_query;

enum err catalog_http_list_categories(struct request *rq) MUST_CHECK;
enum err catalog_http_list_definitions(struct request *rq) MUST_CHECK;
enum err catalog_http_list_products(struct request *rq) MUST_CHECK;
enum err catalog_http_read_product(struct request *rq) MUST_CHECK;
