/* Statements on erp_receipt, erp_package and erp_package_body (migration 0010). */
#pragma once

#include "domain/erp/erp.h"
#include "domain/erp/erp_intake.h"

/* --- Who sends --- */

/* What became of those whom the token names: its integration, its client. One row of each. */
enum err erp_standing_select(struct work *work, const struct token_claims *claims,
                             const struct uuid *integration_id,
                             struct token_standing *ret_standing) MUST_CHECK;

/* --- Intake --- */

/* Stores it as accepted, and sets its receipt: the next number of the integration, which is held
 * until the end of the transaction. `ret_is_new` false: there is one with this event_id, and all
 * that changed is that number. */
enum err erp_package_insert(struct work *work, const struct uuid *integration_id,
                            struct erp_package *package, int64_t row_count,
                            bool *ret_is_new) MUST_CHECK;
enum err erp_body_insert(struct work *work, const struct uuid *integration_id, int64_t receipt,
                         struct str packed) MUST_CHECK;

/* --- Reading --- */

enum err erp_package_is_stored(struct work *work, const struct uuid *integration_id,
                               const char *event_id, bool *ret_is_stored) MUST_CHECK;
/* ERR_NOT_FOUND: there is none. */
enum err erp_package_select(struct work *work, const struct uuid *integration_id,
                            const char *event_id, struct erp_package *ret_package) MUST_CHECK;
/* Newest first, with a receipt below `before`, at most `limit`. */
enum err erp_package_select_page(struct work *work, const struct uuid *integration_id,
                                 const struct erp_package_filter *filter, int64_t before, int limit,
                                 struct record_list *ret_packages) MUST_CHECK;
/* As it is packed, in the arena. ERR_NOT_FOUND: no such package, or its body is gone. */
enum err erp_body_select(struct work *work, const struct uuid *integration_id, const char *event_id,
                         struct str *ret_packed) MUST_CHECK;

/* --- Operators --- */

/* A failed one becomes accepted, one in retry is due now. */
enum err erp_package_retry(struct work *work, const struct uuid *integration_id,
                           const char *event_id, bool *ret_is_due) MUST_CHECK;
/* Unless it is applied. `ret_is_new` false: it is so, or was before. */
enum err erp_package_set_released(struct work *work, const struct uuid *integration_id,
                                  const char *event_id, bool *ret_is_new) MUST_CHECK;

/* --- Sweeping --- */

/* Of applied packages that came before `before_ms`, the oldest ones first. */
enum err erp_body_delete_old(struct work *work, int64_t before_ms, int max,
                             int64_t *ret_deleted) MUST_CHECK;
