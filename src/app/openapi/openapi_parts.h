/* openapi*.c share these parts of the document. */
#pragma once

#include "core/route.h"
#include "kit/json/writer.h"

/* Writes the key (the method) and the operation object into a path's object. `routes` are all
 * operations of the document. */
void openapi_put_operation(struct json_writer *w, const struct route_list *routes,
                           const struct route *route);

/* Writes `components/responses`, the refusals that operations share, by name. */
void openapi_put_refusals(struct json_writer *w);

/* These JSON texts are the same for every table. */
extern const char openapi_error_schema[];
extern const char openapi_oauth_error_schema[];
/* The faults of bodies that are taken as they arrive. */
extern const char openapi_detail_schema[];
extern const char openapi_detail_example[];
/* An object of parameters by name. */
extern const char openapi_parameters[];
/* An object of headers by name. */
extern const char openapi_headers[];
