/* The OpenAPI 3.1 document, printed from the routes tables and their records. */
#pragma once

#include "core/route.h"

struct openapi_info {
    const char *version;
    const char *server_url; /* where the service is reached; NULL: where the document was found */
    const char *token_url;  /* where access tokens are issued; NULL: by another service */
};

void openapi_print(const struct route_list *routes, const struct openapi_info *info,
                   struct buf *out);
