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
