/* What operators read of a catalog (contract, section 5 "Reading the catalog"). */
#pragma once

#include "core/request.h"

extern const struct field catalog_list_params[];    /* archived, limit, cursor */
extern const struct field catalog_product_params[]; /* category_id, q, archived, updated_since,
                                                       limit, cursor */

enum err catalog_http_list_categories(struct request *rq) MUST_CHECK;
enum err catalog_http_list_definitions(struct request *rq) MUST_CHECK;
enum err catalog_http_list_products(struct request *rq) MUST_CHECK;
enum err catalog_http_read_product(struct request *rq) MUST_CHECK;
