/* What comes of applying a package: the words of it, alike for both kinds. */
#pragma once

#include "domain/catalog/catalog.h"

#define CATALOG_DAMAGED "The stored body is damaged: it cannot be read any more."
/* A word of the contract (section 5 "Safety brake"). */
#define CATALOG_ARCHIVE_LIMIT "archive_limit"

/* All counts at 0. */
struct catalog_result catalog_result_new(struct arena *arena);
/* ERR_PACKAGE_REFUSED, for ever. */
enum err catalog_refuse(struct catalog_outcome *outcome, const char *problem) MUST_CHECK;
