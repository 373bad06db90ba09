/*
 * How packages are applied (erp.h "The worker's side").
 *
 * A package of changes is applied in the transaction that finds it, some in one: who refuses has
 * written nothing, so its refusal is recorded there too. A snapshot takes longer, so that it is
 * `processing` first, under a lease that its progress renews; it is applied in a transaction of its
 * own, and what came of it is recorded by compare-and-set on status and attempts.
 */
#pragma once

#include "domain/erp/erp_apply_db.h"
#include "domain/event_log/event_log.h"

enum {
    ERP_APPLY_PACKAGES_MAX = 32,    /* of changes, in a transaction */
    ERP_APPLY_ROWS_MAX = 10 * 1000, /* of those; the first may have more */
};

/* When a package that could not be applied is tried again, from its attempts with the last one (1,
 * 2 ...): after 5, 15, 30, 60, 120 s, then every 5 minutes (contract, section 5 "Applying"). */
int64_t erp_retry_delay_ms(int64_t attempts);
