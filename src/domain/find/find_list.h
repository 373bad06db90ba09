/* Results are put side by side. */
#pragma once

#include "domain/find/find.h"

/* Adds a result; those above FIND_OF_KIND_MAX of its type, or FIND_RESULTS_MAX, are left out. */
void find_add(struct work *work, struct find_list *list, struct find_result result);
