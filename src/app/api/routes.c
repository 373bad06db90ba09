/*
 * The whole service is some tables with a row for each operation. The dispatcher and its checks
 * follow these rows, and the OpenAPI document is printed from them; each role answers some.
 */
#include "app/api/routes.h"

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
    {"Events", "What happened, told to the core system."},
    {"Keys", "Keys for these operations, each with a role."},
    {"Operators", "People who use the console."},
    {"Audit", "Who changed what."},
    {"Personal data", "What is held of a person."},
    {"Log and health", "What the service does, how it is, and this document."},
    {NULL, NULL},
};

void routes_of_role(enum process_role role, bool has_own_tokens, struct route_list *ret_list)
{
    bool has_operators = role == PROCESS_SERVE || role == PROCESS_API || role == PROCESS_TOOL;
    bool has_identity = role == PROCESS_SERVE || role == PROCESS_IDP || role == PROCESS_TOOL;

    ret_list->count = 0;
    if (has_operators) {
        route_list_add(ret_list, &routes_verification);
        route_list_add(ret_list, &routes_phones);
        route_list_add(ret_list, &routes_call_reports);
        route_list_add(ret_list, &routes_exchange);
        route_list_add(ret_list, &routes_erp);
        route_list_add(ret_list, &routes_catalog);
        route_list_add(ret_list, &routes_orders);
        route_list_add(ret_list, &routes_keys);
        route_list_add(ret_list, &routes_operators);
        route_list_add(ret_list, &routes_figures);
        route_list_add(ret_list, &routes_search);
        route_list_add(ret_list, &routes_audit);
        route_list_add(ret_list, &routes_settings);
        route_list_add(ret_list, &routes_secret_key);
        route_list_add(ret_list, &routes_subjects);
        route_list_add(ret_list, &routes_events);
    }
    if (has_identity && has_own_tokens) route_list_add(ret_list, &routes_identity);
    route_list_add(ret_list, &routes_about);
    route_list_add(ret_list, &routes_health);
}

const struct route *routes_find(const char *operation_id)
{
    static const struct route_table *const tables[] = {
        &routes_verification, &routes_phones,       &routes_exchange, &routes_erp,
        &routes_catalog,      &routes_orders,       &routes_identity, &routes_keys,
        &routes_audit,        &routes_settings,     &routes_about,    &routes_health,
        &routes_secret_key,   &routes_subjects,     &routes_events,   &routes_operators,
        &routes_search,       &routes_call_reports, &routes_figures};

    for (size_t i = 0; i < COUNT_OF(tables); i++) {
        for (size_t k = 0; k < tables[i]->count; k++) {
            const struct route *route = &tables[i]->rows[k];
            if (strcmp(route->operation_id, operation_id) == 0) return route;
        }
    }
    return NULL;
}
