/* Each test gets an arena that ends with it. For cmocka_unit_test_setup_teardown. */
#pragma once

#include "kit/base/arena.h"

#include <stdlib.h>

static inline int arena_begin(void **state)
{
    struct arena *arena = malloc(sizeof(*arena));

    if (!arena) return -1;
    arena_init(arena);
    *state = arena;
    return 0;
}

static inline int arena_end(void **state)
{
    arena_done(*state);
    free(*state);
    return 0;
}
