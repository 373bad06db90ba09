/* Finding the row of the routes table that a request means. */
#pragma once

#include "kit/route/request.h"

enum { ALLOW_MAX = 64 };

/* The row for method and path (percent-encoded, without the query), with the ids of the path.
 * ERR_NOT_FOUND: no row has this path, or an id is no uuid. ERR_METHOD_NOT_ALLOWED: `ret_allow`
 * lists the methods that the path takes. HEAD finds the row of GET. */
enum err route_match(const struct route *routes, size_t count, struct str method, struct str path,
                     const struct route **ret_route, struct uuid ret_ids[static PATH_PARAMS_MAX],
                     char ret_allow[static ALLOW_MAX]) MUST_CHECK;
