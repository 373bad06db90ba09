/* Signing keys, as the keyring takes them, and the statements on them. */
#pragma once

#include "domain/token/token.h"

enum {
    /* A key is published for this long beyond the last token that it should have signed: a process
     * may sign with it a little longer, where it has not heard of the next key or its clock is
     * behind. */
    KEY_MARGIN_S = 60,
    /* It is kept longer than it is published: a clock that is ahead takes it from no other. */
    KEY_KEPT_S = 24 * 3600,
    /* A key is published until its successor has signed for this long. */
    KEY_PUBLISHED_AFTER_MS = (TOKEN_LIFE_S + KEY_MARGIN_S) * 1000,
};

/* Tells when a key leaves the key set; INT64_MAX while no later one is there. */
int64_t token_key_published_until(const struct signing_key *key);
/* Unseals the pair of a key, which has to be wiped. ERR_INTERNAL: the row is damaged, or sealed
 * under another secret key; `ret_fault` says which, in a sentence. */
enum err token_key_open(struct work *work, const struct signing_key *key,
                        struct jose_signer *ret_signer, const char **ret_fault) MUST_CHECK;

/* --- token_key_db.c --- */

/* `ret_is_added` is false if the number is taken, also by a transaction that ended meanwhile. */
enum err signing_key_insert(struct work *work, const struct signing_key *key,
                            bool *ret_is_added) MUST_CHECK;
/* ERR_NOT_FOUND: there is no key. */
enum err signing_key_select_newest(struct work *work, struct signing_key *ret_key) MUST_CHECK;
/* Reads keys, oldest first: the last one that signed at `since_ms`, or else the first of all, and
 * those after it. It fills neither signs_until nor state. */
enum err signing_key_select_since(struct work *work, int64_t since_ms,
                                  struct record_list *ret_keys) MUST_CHECK;
/* Deletes a key, unless another has taken its place meanwhile. */
enum err signing_key_delete(struct work *work, const struct signing_key *key) MUST_CHECK;
/* Deletes a key and tells when it began to sign, by the row as it was then. ERR_NOT_FOUND: it is
 * gone already. */
enum err signing_key_take(struct work *work, const struct signing_key *key,
                          int64_t *ret_signs_from) MUST_CHECK;
/* Lets a key that waits sign from now on. `ret_is_done` is false if it is gone. */
enum err signing_key_advance(struct work *work, const struct signing_key *key,
                             bool *ret_is_done) MUST_CHECK;
