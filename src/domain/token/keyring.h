/* The keyring serves those who issue and verify. */
#pragma once

#include "domain/token/token.h"

/* Makes a token with these claims, signed by the key whose time it is. NULL: that key cannot be
 * used here, or the keyring is silent. */
const char *keyring_sign(const struct keyring *keyring, struct str claims, int64_t now_ms,
                         struct arena *arena);
/* Tells whether the key whose time it is could sign. */
bool keyring_has_signer(const struct keyring *keyring, int64_t now_ms);
/* A silent keyring signs nothing, since its keys may have been replaced unseen. A new one is not
 * silent. */
void keyring_set_silent(struct keyring *keyring, bool is_silent);

/* A key that cannot be used any more, or can be again. */
struct keyring_news {
    char kid[sizeof(((struct jose_key *)0)->kid)];
    const char *fault; /* NULL: none any more */
};
/* Tells of one key that has changed since it was last told of. False: none has. */
bool keyring_next_news(struct keyring *keyring, struct keyring_news *ret_news);

/* The revision changes whenever a key comes, goes or becomes another; a token that was verified
 * under the same revision is verified. It is never 0. Read it before keyring_find, so that it is
 * not newer than the key. */
uint64_t keyring_revision(const struct keyring *keyring);
