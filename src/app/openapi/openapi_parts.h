/* The parts of the document, for openapi*.c. */
#pragma once

#include "core/route.h"
#include "kit/json/writer.h"

/* The key (the method) and the operation object, into a path's object. `routes` are all that the
 * document tells of. */
void openapi_put_operation(struct json_writer *w, const struct route_list *routes,
                           const struct route *route);

/* `components/responses`, the refusals that operations share: each response by its name. */
void openapi_put_refusals(struct json_writer *w);

/* What is the same for every table: JSON texts. */
extern const char openapi_error_schema[];
extern const char openapi_oauth_error_schema[];
/* Faults of bodies that are taken as they arrive. */
extern const char openapi_detail_schema[];
extern const char openapi_detail_example[];
/* An object of parameters by name. */
extern const char openapi_parameters[];
/* An object of headers by name. */
extern const char openapi_headers[];
