/* What came of a package, as it is stored: JSON objects in the arena. */
#pragma once

#include "domain/erp/erp.h"

const char *erp_encode_result(struct arena *arena, const struct catalog_result *result);
/* NULL for no rows. */
const char *erp_encode_errors(struct arena *arena, const struct record_list *faults);
