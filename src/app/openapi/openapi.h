/* The OpenAPI 3.1 document is printed from the tables of routes and their records. */
#pragma once

#include "core/route.h"

struct openapi_info {
    const char *version;
    const char *server_url; /* URL of the service; NULL: that of the document */
    const char *token_url;  /* URL of the token endpoint; NULL: another service issues tokens */
};

void openapi_print(const struct route_list *routes, const struct openapi_info *info,
                   struct buf *out);
