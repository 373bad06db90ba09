/* The keyring, for those who issue and verify. */
#pragma once

#include "domain/token/token.h"

/* A token with these claims, signed by the key whose time it is. In the arena; NULL: there is no
 * key that could sign. */
const char *keyring_sign(const struct keyring *keyring, struct str claims, int64_t now_ms,
                         struct arena *arena);
/* Changes whenever a key comes, goes or becomes another; what was verified under the same revision
 * is verified. Never 0. Read it before keyring_find, so that it is not newer than the key. */
uint64_t keyring_revision(const struct keyring *keyring);
