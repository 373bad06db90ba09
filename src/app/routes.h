/* The tables of operations, and which of them a process answers. */
#pragma once

#include "app/config.h"
#include "kit/route/request.h"

struct route_table {
    const struct route *rows;
    size_t count;
};
#define ROUTE_TABLE(array)                                           \
    {                                                                \
        .rows = (array), .count = sizeof(array) / sizeof((array)[0]) \
    }

extern const struct route_table routes_verification; /* doc A */
extern const struct route_table routes_exchange;     /* integrations, and what ERPs call: doc B */
extern const struct route_table routes_identity;     /* tokens and keys: doc B, section 4 "Token" */

/* What a process of this role answers; ROLE_TOOL: everything, for the OpenAPI document. */
void routes_of_role(enum role role, struct route_list *ret_list);
