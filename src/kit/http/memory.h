/* Memory that is not a buffer: it is small, and must be there. */
#pragma once

#include "kit/base/must.h"

#include <stdlib.h>

/* Zeroed. */
static inline __attribute__((returns_nonnull)) void *http_alloc(size_t size)
{
    return must_calloc(1, size);
}
