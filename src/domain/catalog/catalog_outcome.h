/* What comes of applying a package, alike for both kinds. */
#pragma once

#include "domain/catalog/catalog.h"

/* All counts at 0. */
struct catalog_result catalog_result_new(struct arena *arena);
/* ERR_PACKAGE_REFUSED, for ever. */
enum err catalog_refuse(struct catalog_outcome *outcome, const char *problem) MUST_CHECK;
/* Takes a row at fault into the list, in the arena; of CATALOG_FAULTS_MAX at most. */
void catalog_add_fault(struct arena *arena, struct record_list *faults,
                       const struct catalog_row_fault *fault);
