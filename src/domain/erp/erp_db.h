/* Statements on erp_receipt, erp_package and erp_package_body (migration 0010). */
#pragma once

#include "domain/erp/erp.h"
#include "domain/erp/erp_intake.h"
#include "domain/erp/erp_quota.h"

/* --- Who sends --- */

struct erp_sender {
    struct token_standing standing;
    struct erp_buckets buckets; /* of its integration, as is what is kept */
    struct erp_keep keep;
    bool keeps_absent; /* the integration says `absent: keep` */
    bool is_test;      /* it is for trying out */
};
/* What became of those whom the token names, and what its integration may send: one row of each. */
enum err erp_sender_select(struct work *work, const struct token_claims *claims,
                           const struct uuid *integration_id,
                           struct erp_sender *ret_sender) MUST_CHECK;

/* --- Intake --- */

/* Charges the integration for the package, stores it as accepted, and sets its receipt: the next
 * number of the integration, whose row is held until the end of the transaction. `ret_is_new`
 * false: it was charged and not stored, since there is one with this event_id, since a bucket is
 * overdrawn, or since too much is kept that is not applied. */
enum err erp_package_insert(struct work *work, const struct uuid *integration_id,
                            struct erp_package *package, int64_t row_count,
                            const struct erp_charge *charge, bool *ret_is_new) MUST_CHECK;
/* Gives back what was charged. */
enum err erp_charge_undo(struct work *work, const struct uuid *integration_id,
                         const struct erp_charge *charge) MUST_CHECK;
enum err erp_body_insert(struct work *work, const struct uuid *integration_id, int64_t receipt,
                         struct str packed) MUST_CHECK;

/* --- Reading --- */

enum err erp_package_is_stored(struct work *work, const struct uuid *integration_id,
                               const char *event_id, bool *ret_is_stored) MUST_CHECK;
/* ERR_NOT_FOUND: there is none. */
enum err erp_package_select(struct work *work, const struct uuid *integration_id,
                            const char *event_id, struct erp_package *ret_package) MUST_CHECK;
/* When one of the integration that waits is due next; 0: none waits. */
enum err erp_package_select_next_due(struct work *work, const struct uuid *integration_id,
                                     int64_t *ret_due_at) MUST_CHECK;
/* Newest first, with a receipt below `before`, at most `limit`. */
enum err erp_package_select_page(struct work *work, const struct uuid *integration_id,
                                 const struct erp_package_filter *filter, int64_t before,
                                 int64_t limit, struct record_list *ret_packages) MUST_CHECK;
/* As it is packed, in the arena. ERR_NOT_FOUND: no such package, or its body is gone.
 * ERR_OVERLOADED: the arena, a large one, has no memory for it. */
enum err erp_body_select(struct work *work, const struct uuid *integration_id, const char *event_id,
                         struct arena *arena, struct str *ret_packed) MUST_CHECK;

/* --- Operators --- */

/* A failed one becomes accepted, one in retry is due now. */
enum err erp_package_retry(struct work *work, const struct uuid *integration_id,
                           const char *event_id, bool *ret_is_due) MUST_CHECK;
/* Unless it is applied. `ret_is_new` false: it is so, or was before. */
enum err erp_package_set_released(struct work *work, const struct uuid *integration_id,
                                  const char *event_id, bool *ret_is_new) MUST_CHECK;

/* --- Sweeping --- */

struct kept_body {
    struct uuid integration_id;
    int64_t receipt, bytes;
};
/* Bodies of applied packages, at most `max`: those that came before `before_ms`, the oldest ones;
 * or of one integration, in the order of receipt. In the arena, by integration. */
enum err erp_bodies_select_old(struct work *work, int64_t before_ms, int max,
                               struct record_list *ret_bodies) MUST_CHECK;
enum err erp_bodies_select_first(struct work *work, const struct uuid *integration_id, int max,
                                 struct record_list *ret_bodies) MUST_CHECK;
/* Drops them; what is still there of them is taken off what their integrations keep. */
enum err erp_bodies_delete(struct work *work, const struct kept_body *bodies,
                           size_t count) MUST_CHECK;

/* The integration that keeps more than it may and is looked at next, and holds its row. */
struct erp_hoard {
    struct uuid integration_id;
    int64_t kept_bytes;
    int64_t trim_at;
};
/* Counts anew what one integration keeps, whose row is held, and has it looked at: the first behind
 * `id`, which it sets. ERR_NOT_FOUND: there is no other. */
enum err erp_hoard_recount(struct work *work, struct uuid *id) MUST_CHECK;
/* ERR_NOT_FOUND: there is none. */
enum err erp_hoard_lock_next(struct work *work, struct erp_hoard *ret_hoard) MUST_CHECK;
/* `trim_at` 0: it keeps no more than it may. */
enum err erp_hoard_set(struct work *work, const struct uuid *integration_id,
                       int64_t trim_at) MUST_CHECK;
