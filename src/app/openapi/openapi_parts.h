/* openapi*.c share these parts of the document. */
#pragma once

#include "core/route.h"
#include "kit/json/writer.h"

/* These are the sets of words that have a name; the last row has none. */
extern const struct named_words openapi_words[];

/* Writes the key (the method) and the operation object into a path's object. `routes` are all
 * operations of the document. */
void openapi_put_operation(struct json_writer *w, const struct route_list *routes,
                           const struct route *route, const struct schema_style *style);

/* Writes {"$ref": "#/components/KIND/NAME"}. */
void openapi_put_ref(struct json_writer *w, const char *kind, const char *name);
/* Writes a header that operations share, by its name in `components`. */
void openapi_put_header(struct json_writer *w, const char *name, const char *shared);
/* Writes the headers that every answer of the operation has. */
void openapi_put_common_headers(struct json_writer *w, const struct route *route);
/* Writes the headers that tell what is left of a limit. */
void openapi_put_limit_headers(struct json_writer *w);

/* Writes the errors of the operation into its `responses`: a reference for each status. */
void openapi_put_error_refs(struct json_writer *w, const struct route *route);
/* These write into `components/responses` what such references lead to, and the refusals that are
 * no operation's own. */
void openapi_put_errors(struct json_writer *w, const struct route_list *routes);
void openapi_put_refusals(struct json_writer *w);

/* Writes the schema of `reason` in an error, which is a set of words too. */
void openapi_put_reasons(struct json_writer *w);

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
