/* tools/embed_migrations makes this table of the schema from migrations/. */
#pragma once

#include "kit/db/db.h"

extern const struct db_migration herald_migrations[];
extern const size_t herald_migration_count;
