/* Which secret key sealed this database (migration 0005). */
#pragma once

#include "kit/base/secret.h"
#include "kit/db/db.h"

/* Seals a known text at the first start, and opens it at every later one. ERR_UNAUTHORIZED: the
 * database was sealed with another key. */
enum err vault_check(struct db_tx *tx, const struct vault *vault) MUST_CHECK;
