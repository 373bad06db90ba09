/* Statements on erp_package and erp_package_body that applying needs (migration 0010). */
#pragma once

#include "domain/erp/erp.h"

enum { ERP_SKIPS_MAX = 16 };

/* Integrations that are not asked for; nil where there is none. */
struct due_skips {
    struct uuid ids[ERP_SKIPS_MAX];
    size_t count;
};

/* A package that is to be tried. */
struct due_package {
    const char *event_id;
    int64_t receipt;
    int type, status; /* enum erp_package_type, enum erp_package_status */
    int64_t attempts;
    int64_t received_at, give_up_at;
    bool is_released;
    const char *last_error;
    int64_t row_count, body_length;
};
struct due_list {
    struct due_package *items;
    size_t count;
};

/* Finds the integration of the package that is due for longest, without those of which a package is
 * being processed. ERR_NOT_FOUND: none is due. */
enum err erp_due_select_integration(struct work *work, const struct due_skips *skips,
                                    struct uuid *ret_integration_id) MUST_CHECK;
/* Selects what is due of it, in order of receipt (of those that were tried before, the ones due for
 * longest); nothing while a package of it is being processed. A package that was never tried is due
 * whatever the clocks of other machines said: order goes before time. */
enum err erp_due_select(struct work *work, const struct uuid *integration_id, int max,
                        struct due_list *ret_list) MUST_CHECK;
/* Reads a body as it is packed, in the arena. ERR_NOT_FOUND: it is gone. ERR_OVERLOADED: the arena,
 * a large one, has no memory for it. */
enum err erp_due_select_body(struct work *work, const struct uuid *integration_id, int64_t receipt,
                             struct arena *arena, struct str *ret_packed) MUST_CHECK;

/* The end of an attempt. */
struct apply_end {
    int status; /* enum erp_package_status; not processing */
    int64_t attempts;
    int64_t ended_at;             /* the attempt; a snapshot takes its time */
    int64_t due_at;               /* 0: never again by itself */
    const char *last_error;       /* NULL: none */
    struct catalog_result result; /* of an applied one */
    struct record_list errors;    /* of struct catalog_row_fault */
    int64_t rows_done;
};

/* Both work by compare-and-set on the status and the attempts that `due` has. */
enum err erp_package_begin(struct work *work, const struct uuid *integration_id,
                           const struct due_package *due, int64_t lease_end,
                           bool *ret_is_begun) MUST_CHECK;
enum err erp_package_end(struct work *work, const struct uuid *integration_id,
                         const struct due_package *due, const struct apply_end *end,
                         bool *ret_is_ended) MUST_CHECK;
/* Tells whether the package still has that status and those attempts. */
enum err erp_package_is_ours(struct work *work, const struct uuid *integration_id,
                             const struct due_package *due, bool *ret_is_ours) MUST_CHECK;
/* Tells whether an operator has released it by now; the row is held until the end of the
 * transaction. */
enum err erp_package_is_released(struct work *work, const struct uuid *integration_id,
                                 const struct due_package *due, bool *ret_is_released) MUST_CHECK;
/* Makes all that wait to be tried again due, whatever clocks say, and each for as long as the first
 * of them, so that they are found in order of receipt. */
enum err erp_packages_wake(struct work *work, const struct uuid *integration_id) MUST_CHECK;

/* Writes how far a package is that is being processed, and renews its lease. */
enum err erp_package_set_progress(struct work *work, const struct uuid *integration_id,
                                  int64_t receipt, int64_t attempts, int64_t rows_done,
                                  int64_t lease_end) MUST_CHECK;
