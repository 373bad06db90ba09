/*
 * Packages are applied like this (erp.h "The worker's side").
 *
 * Packages of changes are applied in the transaction that finds them, some in one. One that is
 * refused has written nothing, so its refusal is recorded there, too. A snapshot takes longer, so
 * it is `processing` first, under a lease that its progress renews. It is applied in a transaction
 * of its own, and what came of it is recorded by compare-and-set on status and attempts.
 */
#pragma once

#include "domain/erp/erp_apply_db.h"
#include "domain/event_log/event_log.h"

enum {
    ERP_APPLY_PACKAGES_MAX = 32,    /* of changes, in a transaction */
    ERP_APPLY_ROWS_MAX = 10 * 1000, /* of those; the first may have more */
};

/* Counts a package that came to a status, once the transaction is durable. */
void erp_count(struct work *work, int type, int status);

/* Returns how long a package waits that could not be applied, by its attempts so far (1, 2 ...): 5,
 * 15, 30, 60, 120 s, then 5 minutes each time (contract, section 5 "Applying"). */
int64_t erp_retry_delay_ms(int64_t attempts);
