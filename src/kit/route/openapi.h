/* The OpenAPI 3.1 document, printed from the routes table and its records. */
#pragma once

#include "kit/route/request.h"

void openapi_print(const struct route *routes, size_t count, const char *version, struct buf *out);
