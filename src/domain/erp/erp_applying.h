/* The packages that this process applies at the moment (erp.h). */
#pragma once

#include "domain/erp/erp.h"

enum {
    ERP_APPLYING_MAX = 64, /* at once, in a process */
    ERP_ASIDE_MAX = 8,     /* integrations that are set aside; one more takes the oldest place */
    ERP_ASIDE_MS = 60 * 1000,
};

/* A snapshot under way; lives as long as it is entered. */
struct erp_applied {
    struct erp_applied *next;
    struct uuid integration_id;
    int64_t receipt;
    int64_t attempts; /* with this one */
    struct catalog_progress progress;
};

void erp_applying_enter(struct erp_applying *applying, struct erp_applied *applied);
void erp_applying_leave(struct erp_applying *applying, struct erp_applied *applied);

/* Tells how many rows of the package are done; false: this process does not apply it. Any
 * thread. */
bool erp_applying_find(struct erp_applying *applying, const struct uuid *integration_id,
                       int64_t receipt, int64_t *ret_rows_done);

/* A package under way, as it is at the moment. */
struct erp_applied_rows {
    struct uuid integration_id;
    int64_t receipt, attempts, rows_done;
};
/* Lists all of them, and returns how many. */
size_t erp_applying_list(struct erp_applying *applying,
                         struct erp_applied_rows ret_rows[static ERP_APPLYING_MAX]);

/* Has this process leave an integration alone until then (monotonic), since its packages end in an
 * error of herald's own, and those behind it must not wait. Any thread. */
void erp_applying_set_aside(struct erp_applying *applying, const struct uuid *integration_id,
                            int64_t until_ms);
/* Lists those that are left alone now, and returns how many. */
size_t erp_applying_list_aside(struct erp_applying *applying,
                               struct uuid ret_ids[static ERP_ASIDE_MAX]);
