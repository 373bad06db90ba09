/* The row of an operation as the dispatcher has it, for tests that call its handler themselves. */
#pragma once

#include "core/request.h"

static inline struct route route_of(const struct route_table *table, const char *operation_id)
{
    struct route_list list = {.count = 0};
    size_t i = 0;

    route_list_add(&list, table);
    while (strcmp(list.rows[i].operation_id, operation_id) != 0) {
        i++;
        assert(i < list.count);
    }
    return list.rows[i];
}
