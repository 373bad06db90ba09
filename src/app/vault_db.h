/* Which secret key sealed this database (migration 0001). */
#pragma once

#include "kit/base/secret.h"
#include "kit/db/db.h"

/* Seals a known text at the first start, and opens it at every later one. ERR_UNAUTHORIZED: the
 * database was sealed with another key. */
enum err vault_check(struct db_tx *tx, const struct vault *vault) MUST_CHECK;

/* A round trip that touches next to nothing. */
enum err vault_ping(struct db_tx *tx) MUST_CHECK;
