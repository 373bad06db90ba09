/* Statements on erp_package (migration 0010). */
#pragma once

#include "domain/erp/erp.h"

/* ERR_NOT_FOUND: there is none. */
enum err erp_package_select(struct work *work, const struct uuid *integration_id,
                            const char *event_id, struct erp_package *ret_package) MUST_CHECK;
