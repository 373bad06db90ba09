/* Links of the OpenAPI document: what may be asked of the resource that an answer names. */
#pragma once

#include "core/route.h"

/* The member `links` of a response of `route`; nothing for a row without link_path. */
void openapi_put_links(struct json_writer *w, const struct route_list *routes,
                       const struct route *route);
