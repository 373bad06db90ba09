/*
 * The whole service: some tables, one row an operation. The dispatcher, its checks and the OpenAPI
 * document are made from these rows, of which each role answers some.
 */
#include "app/api/routes.h"

#include "app/api/health.h"

const struct route_tag route_tags[] = {
    {"Fleet", "Phones, their numbers and their keys."},
    {"Phones", "What the application on a phone calls."},
    {"Inbound calls", "A number is confirmed by a call that it makes."},
    {"One-time codes", "A number is confirmed by a code that it gets."},
    {"Messages", "Texts to messenger chats."},
    {"Providers", "What providers of channels call."},
    {"Integrations", "Sales points with an ERP, and the clients of their ERPs."},
    {"Tokens", "Access tokens, and the keys that sign them."},
    {"ERP exchange", "Packages of catalogs, prices and stock that ERPs send."},
    {"Catalog", "What the packages made of a sales point's catalog."},
    {"Orders", "Orders on their way to an ERP."},
    {"Log and health", "What the service does, how it is, and this document."},
    {NULL, NULL},
};

static const struct route health_rows[] = {
    {
        .method = "GET",
        .path = "/health/live",
        .operation_id = "getLiveness",
        .tag = "Log and health",
        .summary = "Is the process alive?",
        .description = "Says nothing about the database.",
        .auth = AUTH_NONE,
        .access = ACCESS_NONE,
        .reply_doc = "It is alive.",
        .reply = &health_record,
        .handle = health_http_live,
    },
    {
        .method = "GET",
        .path = "/health/ready",
        .operation_id = "getReadiness",
        .tag = "Log and health",
        .summary = "Can the service do its work?",
        .description = "The database answers within a second and a worker was alive within the "
                       "last 30 seconds. Otherwise 503 with the same record, ok false and error.",
        .auth = AUTH_NONE,
        .access = ACCESS_NONE,
        .reply_doc = "It is ready.",
        .unavailable_doc = "Not ready: `error` says why.",
        .reply = &health_record,
        .handle = health_http_ready,
    },
    {
        .method = "GET",
        .path = "/openapi.json",
        .operation_id = "getOpenApi",
        .tag = "Log and health",
        .summary = "This document",
        .description = "The OpenAPI 3.1 document of the service.",
        .auth = AUTH_NONE,
        .access = ACCESS_NONE,
        .reply_doc = "The document.",
        .handle = health_http_openapi,
    },
};

static const struct route_table routes_health = {ROUTE_ROWS(health_rows)};

static bool has_operators(enum role role)
{
    return role == ROLE_SERVE || role == ROLE_API || role == ROLE_TOOL;
}

static bool has_identity(enum role role)
{
    return role == ROLE_SERVE || role == ROLE_IDP || role == ROLE_TOOL;
}

void routes_of_role(enum role role, bool has_own_tokens, struct route_list *ret_list)
{
    ret_list->count = 0;
    if (has_operators(role)) {
        route_list_add(ret_list, &routes_verification);
        route_list_add(ret_list, &routes_exchange);
        route_list_add(ret_list, &routes_erp);
        route_list_add(ret_list, &routes_catalog);
        route_list_add(ret_list, &routes_orders);
    }
    if (has_identity(role) && has_own_tokens) route_list_add(ret_list, &routes_identity);
    route_list_add(ret_list, &routes_health);
}

const struct route *routes_find(const char *operation_id)
{
    static const struct route_table *const tables[] = {
        &routes_verification, &routes_exchange, &routes_erp,   &routes_catalog,
        &routes_orders,       &routes_identity, &routes_health};

    for (size_t i = 0; i < COUNT_OF(tables); i++) {
        for (size_t k = 0; k < tables[i]->count; k++) {
            const struct route *route = &tables[i]->rows[k];
            if (strcmp(route->operation_id, operation_id) == 0) return route;
        }
    }
    return NULL;
}
