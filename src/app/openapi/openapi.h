/* The OpenAPI document is printed from the tables of routes and their records: as OpenAPI 3.1, or
 * as 3.0.3 for tools that know no other. */
#pragma once

#include "core/route.h"

struct openapi_info {
    const char *version;
    const char *server_url; /* URL of the service; NULL: that of the document */
    const char *token_url;  /* URL of the token endpoint; NULL: another service issues tokens */
    enum schema_dialect dialect;
};

/* Prints the document; or, for people, a page of HTML. */
void openapi_print(const struct route_list *routes, const struct openapi_info *info,
                   struct buf *out);
void docs_page_print(const struct route_list *routes, const struct openapi_info *info,
                     struct buf *out);
