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
/* Reads how those stand whom the token names, and what its integration may send. */
enum err erp_sender_select(struct work *work, const struct token_claims *claims,
                           const struct uuid *integration_id,
                           struct erp_sender *ret_sender) MUST_CHECK;
/* Does the same, but where packages share a transaction only the first one reads. So what is stored
 * is charged to `ret_sender`, too, which lives as long as the transaction. */
enum err erp_sender_find(struct work *work, const struct token_claims *claims,
                         const struct uuid *integration_id,
                         struct erp_sender **ret_sender) MUST_CHECK;

/* --- Intake --- */

/* Charges the integration for the package, stores it as accepted, and sets its receipt: the next
 * number of the integration, whose row is held until the end of the transaction. `ret_is_new`
 * false: it was charged and not stored, since there is one with this event_id, since a bucket is
 * overdrawn, or since too much is kept that is not applied. */
enum err erp_package_insert(struct work *work, const struct uuid *integration_id,
                            struct erp_package *package, int64_t row_count,
                            const struct erp_charge *charge, bool *ret_is_new) MUST_CHECK;
/* Gives back what was charged for a package. */
enum err erp_charge_undo(struct work *work, const struct uuid *integration_id,
                         const struct erp_charge *charge) MUST_CHECK;
enum err erp_body_insert(struct work *work, const struct uuid *integration_id, int64_t receipt,
                         struct str packed) MUST_CHECK;

/* --- Reading --- */

enum err erp_package_is_stored(struct work *work, const struct uuid *integration_id,
                               const char *event_id, bool *ret_is_stored) MUST_CHECK;
/* Asks for a package, beside what else is asked in the same trip; AUTO_STMT frees the statement. */
enum err erp_package_start(struct work *work, const struct uuid *integration_id,
                           const char *event_id, struct db_stmt **ret_stmt) MUST_CHECK;
/* Reads what was asked for. ERR_NOT_FOUND: there is none. */
enum err erp_package_read(struct work *work, struct db_stmt *stmt,
                          struct erp_package *ret_package) MUST_CHECK;
/* Does both. */
enum err erp_package_select(struct work *work, const struct uuid *integration_id,
                            const char *event_id, struct erp_package *ret_package) MUST_CHECK;
/* Finds when one of the integration's packages that wait is due next; 0: none waits. */
enum err erp_package_select_next_due(struct work *work, const struct uuid *integration_id,
                                     int64_t *ret_due_at) MUST_CHECK;
/* Reads a page, newest first, with receipts below `before`, at most `limit`. */
enum err erp_package_select_page(struct work *work, const struct uuid *integration_id,
                                 const struct erp_package_filter *filter, int64_t before,
                                 int64_t limit, struct record_list *ret_packages) MUST_CHECK;
/* Reads a page of those of all integrations, newest first, behind `before`, at most `limit`, with
 * their integrations. */
enum err erp_package_select_all(struct work *work, const struct erp_package_filter *filter,
                                const struct page_place *before, int64_t limit,
                                struct record_list *ret_packages) MUST_CHECK;
/* Reads a body as it is packed, in the arena. ERR_NOT_FOUND: no such package, or its body is gone.
 * ERR_OVERLOADED: the arena, a large one, has no memory for it. */
enum err erp_body_select(struct work *work, const struct uuid *integration_id, const char *event_id,
                         struct arena *arena, struct str *ret_packed) MUST_CHECK;

/* --- Refusals --- */

enum err erp_refusal_insert(struct work *work, const struct uuid *integration_id,
                            const struct erp_refused *refused) MUST_CHECK;
/* Counts refusals with the newest one that is kept. */
enum err erp_refusal_add_more(struct work *work, const struct uuid *integration_id,
                              int64_t count) MUST_CHECK;
/* Drops all but the newest ERP_REFUSALS_KEPT. */
enum err erp_refusal_prune(struct work *work, const struct uuid *integration_id) MUST_CHECK;
/* Reads a page, newest first, with ids below `before`. */
enum err erp_refusal_select_page(struct work *work, const struct uuid *integration_id,
                                 const struct uuid *before, int64_t limit,
                                 struct record_list *ret_refusals) MUST_CHECK;

/* --- Operators --- */

/* Makes a failed package accepted, and one in retry due now. */
enum err erp_package_retry(struct work *work, const struct uuid *integration_id,
                           const char *event_id, bool *ret_is_due) MUST_CHECK;
/* Releases a package, unless it is applied. `ret_is_new` false: it is applied, or was released
 * before. */
enum err erp_package_set_released(struct work *work, const struct uuid *integration_id,
                                  const char *event_id, bool *ret_is_new) MUST_CHECK;

/* --- Sweeping --- */

struct kept_body {
    struct uuid integration_id;
    int64_t receipt, bytes;
};
/* Both select bodies of applied packages, at most `max`, in the arena: the oldest of those that
 * came before `before_ms`, by integration; or the first of one integration, in order of receipt. */
enum err erp_bodies_select_old(struct work *work, int64_t before_ms, int max,
                               struct record_list *ret_bodies) MUST_CHECK;
enum err erp_bodies_select_first(struct work *work, const struct uuid *integration_id, int max,
                                 struct record_list *ret_bodies) MUST_CHECK;
/* Drops bodies, and takes what was still there of them off what their integrations keep. */
enum err erp_bodies_delete(struct work *work, const struct kept_body *bodies,
                           size_t count) MUST_CHECK;

/* An integration that keeps more than it may. */
struct erp_kept {
    struct uuid integration_id;
    struct erp_keep keep;
};
/* Counts anew what the first integration behind `id` keeps, and has it looked at; its row is held,
 * and `id` is set to it. ERR_NOT_FOUND: there is no other. */
enum err erp_kept_recount(struct work *work, struct uuid *id) MUST_CHECK;
/* Finds the one that is looked at next, and holds its row. ERR_NOT_FOUND: there is none. */
enum err erp_kept_lock_next(struct work *work, struct erp_kept *ret_kept) MUST_CHECK;
/* Sets when it is looked at next; `trim_at` 0: it keeps no more than it may. */
enum err erp_kept_set_trim(struct work *work, const struct uuid *integration_id,
                           int64_t trim_at) MUST_CHECK;
