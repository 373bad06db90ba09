/* The outcome of a package that is applied, alike for both kinds. */
#pragma once

#include "domain/catalog/catalog.h"

/* All counts at 0. */
struct catalog_result catalog_result_new(struct arena *arena);
/* Says why the package can never be applied: ERR_PACKAGE_REFUSED. */
enum err catalog_refuse(struct catalog_outcome *outcome, const char *problem) MUST_CHECK;
/* Adds a row at fault to the list, in the arena, which takes CATALOG_FAULTS_MAX at most. */
void catalog_add_fault(struct arena *arena, struct record_list *faults,
                       const struct catalog_row_fault *fault);
