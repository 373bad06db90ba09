/* The schema of herald: migrations/ as a table, made by tools/embed_migrations. */
#pragma once

#include "kit/db/db.h"

extern const struct db_migration herald_migrations[];
extern const size_t herald_migration_count;
