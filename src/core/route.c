/* Tables of routes put together, and what follows from a row. */
#include "core/route.h"

void route_list_add(struct route_list *list, const struct route *rows, size_t count)
{
    assert(list->count + count <= ROUTES_MAX);
    for (size_t i = 0; i < count; i++)
        list->rows[list->count++] = &rows[i];
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
