/* Lists are read in pages: the parameters for it (contract, section 1). */
#pragma once

#include "kit/base/uuid.h"
#include "kit/json/record.h"

enum { PAGE_LIMIT_MAX = 200, PAGE_LIMIT_DEFAULT = 50 };

/* Rows for route->params. */
#define PAGE_LIMIT_PARAM                                                                        \
    {                                                                                           \
        .name = "limit", .type = FIELD_INTEGER, .min = 1, .max = PAGE_LIMIT_MAX,                \
        .doc = "How many items to answer with at most; 50 if it is left out.", .example = "50", \
    }
#define PAGE_UUID_CURSOR_PARAM                                                            \
    {                                                                                     \
        .name = "cursor", .type = FIELD_UUID, .doc = "`next_cursor` of the page before.", \
        .example = "\"0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8f\"",                            \
    }
#define PAGE_NUMBER_CURSOR_PARAM                                         \
    {                                                                    \
        .name = "cursor", .type = FIELD_STRING, .min = 1, .max = 20,     \
        .doc = "`next_cursor` of the page before.", .example = "\"42\"", \
    }

/* Their values, from the request's params, which are checked already, or NULL: PAGE_LIMIT_DEFAULT
 * items, from the first. */
int page_limit(const char *param);
struct uuid page_uuid_cursor(const char *param);
