/* Memory that is not a buffer: out of memory aborts, limits keep us away from it. */
#pragma once

#include <stdlib.h>

/* Zeroed. */
static inline __attribute__((returns_nonnull)) void *http_alloc(size_t size)
{
    void *memory = calloc(1, size);
    if (!memory) abort();
    return memory;
}
