/* Tables of routes put together, and what follows from a row. */
#include "core/route.h"

void route_list_add(struct route_list *list, const struct route_table *table)
{
    assert(list->count + table->count <= ROUTES_MAX);
    for (size_t i = 0; i < table->count; i++) {
        struct route *route = &list->rows[list->count++];
        *route = table->rows[i];
        bool is_get = strcmp(route->method, "GET") == 0;
        route->store = table->store;
        if (route->access == ACCESS_BY_METHOD) route->access = is_get ? ACCESS_READ : ACCESS_WRITE;
        if (route->status == 0) route->status = is_get || route->reply ? 200 : 204;
    }
}

bool route_is_strict(const struct route *route)
{
    return route->auth == AUTH_INTERNAL_KEY;
}

bool route_query_is_strict(const struct route *route)
{
    return route->auth == AUTH_INTERNAL_KEY || route->auth == AUTH_BEARER;
}

bool route_body_is_optional(const struct route *route)
{
    const struct record *record = route->body;

    if (!record || route->taker || route->auth != AUTH_INTERNAL_KEY) return false;
    for (size_t i = 0; i < record->field_count; i++) {
        if (record->fields[i].flags & FIELD_REQUIRED) return false;
    }
    return true;
}
