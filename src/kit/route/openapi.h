/* The OpenAPI 3.1 document, printed from the routes table and its records. */
#pragma once

#include "kit/route/request.h"

/* `server_url`: where the service is reached; NULL: where the document was found. */
void openapi_print(const struct route *routes, size_t count, const char *version,
                   const char *server_url, struct buf *out);
