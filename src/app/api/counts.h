/*
 * Requests are counted here by what becomes of them (contract, section 17.1). The series are those
 * of the operations that the process answers, and of the errors that it knows; so a stranger adds
 * none.
 */
#pragma once

#include "core/route.h"
#include "kit/base/metric.h"

enum { COUNTS_STATUS_MAX = 600 };

struct counts {
    const char *operations[ROUTES_MAX + 1]; /* the last one is of requests for no operation */
    const char *codes[ERR_COUNT];
    size_t code_of[ERR_COUNT]; /* several errors share a code */
    uint8_t status_of[COUNTS_STATUS_MAX];
    struct metric requests; /* by operation and status */
    struct metric seconds;  /* by operation */
    struct metric refusals; /* by code */
};
extern const struct metric counts_auth_failures; /* by enum route_auth */

/* Counts for these operations, which stay as they are. */
struct counts *counts_new(const struct route_list *routes);
void counts_free(struct counts *counts);

/* Counts an answer; `route` is one of the list, or NULL, and `err` none for a success. */
void counts_add(const struct counts *counts, const struct route_list *routes,
                const struct route *route, int status, enum err err, int64_t began_us);
/* Counts a request that HTTP itself refused. */
void counts_add_refused(const struct counts *counts, enum err err);
