/* Operations stand in tables, of which each role answers some. */
#pragma once

#include "app/setup/config.h"
#include "core/route.h"

/* Rooms have their rows in their own files (x_routes of x.h). Those of app/api itself are: */
extern const struct route_table about_routes;      /* the service and its documents */
extern const struct route_table settings_routes;   /* its settings and metrics */
extern const struct route_table secret_key_routes; /* the key that seals */
extern const struct route_table health_routes;     /* health */

/* Lists the operations that a process of this role answers; PROCESS_TOOL gives all, for the OpenAPI
 * document. `has_own_tokens` is false where another identity service issues them (HERALD_JWKS_URL).
 */
void routes_of_role(enum process_role role, bool has_own_tokens, struct route_list *ret_list);

/* Returns the row of an operation, as its table has it, or NULL. */
const struct route *routes_find(const char *operation_id);

/* Describes the operations of one tag. */
struct route_tag {
    const char *name;
    const char *description;
};
/* The tags of all rows; ends with a row without a name. */
extern const struct route_tag route_tags[];

/* Makes the row for the metadata of an issuer with a path, which stands behind the path of the
 * metadata (RFC 8414, section 3); its texts are in the arena. Returns false if the issuer has no
 * path. */
bool routes_of_issuer(const char *issuer, struct arena *arena, struct route *ret_route);
