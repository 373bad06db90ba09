/* Memory that is there, or the program ends. */
#pragma once

#include <stdlib.h>

/* Zeroed; to be given back by free. */
static inline void *memory_new(size_t size)
{
    void *memory = calloc(1, size);

    if (!memory) abort();
    return memory;
}
