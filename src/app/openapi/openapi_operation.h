/* One operation of the OpenAPI document. */
#pragma once

#include "core/route.h"

/* The key (the method) and the operation object, into a path's object. `routes` are all that the
 * document tells of. */
void openapi_put_operation(struct json_writer *w, const struct route_list *routes,
                           const struct route *route);
