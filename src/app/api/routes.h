/* The tables of operations, and which of them a process answers. */
#pragma once

#include "app/setup/config.h"
#include "core/route.h"

extern const struct route_table routes_verification; /* doc A */
extern const struct route_table routes_exchange;     /* integrations and clients: doc B */
extern const struct route_table routes_catalog;      /* catalogs of sales points */
extern const struct route_table routes_erp;          /* packages of ERPs: doc B, section 4 */
extern const struct route_table routes_orders;       /* orders for ERPs: doc B */
extern const struct route_table routes_health;       /* health, and the document */
extern const struct route_table routes_identity;     /* tokens and keys: doc B, section 4 "Token" */

/* What a process of this role answers; ROLE_TOOL: everything, for the OpenAPI document.
 * `has_own_tokens`: false where another identity service issues them (HERALD_JWKS_URL). */
void routes_of_role(enum role role, bool has_own_tokens, struct route_list *ret_list);

/* The row of an operation, as its table has it; NULL: there is none. */
const struct route *routes_find(const char *operation_id);

/* What the operations of one tag are about. */
struct route_tag {
    const char *name;
    const char *description;
};
/* All tags of all rows; ends with a row without a name. */
extern const struct route_tag route_tags[];

/* The row by which the metadata of an issuer with a path are found: the path stands behind that of
 * the metadata (RFC 8414, section 3). False: the issuer has none. Texts in the arena. */
bool routes_of_issuer(const char *issuer, struct arena *arena, struct route *ret_route);
