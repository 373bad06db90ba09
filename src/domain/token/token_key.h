/* Signing keys, for the keyring. */
#pragma once

#include "domain/token/token.h"

enum {
    /* How long a key is published beyond the last token that it should have signed: a process may
     * sign with it a little longer, where it has not heard of the next one or its clock is behind.
     */
    KEY_MARGIN_S = 60,
    /* Once it is published no more: clocks that run ahead take no key away from the others. */
    KEY_KEPT_S = 24 * 3600,
};

/* When a key leaves the key set; INT64_MAX while no later one is there. */
int64_t token_key_published_until(const struct signing_key *key);
/* The pair of a key, unsealed: wipe it. ERR_INTERNAL: the row is damaged, or sealed under another
 * secret key; `ret_fault` says which, in a sentence. */
enum err token_key_open(struct work *work, const struct signing_key *key,
                        struct jose_signer *ret_signer, const char **ret_fault) MUST_CHECK;
