/* Statements on signing_key. */
#pragma once

#include "domain/token/token.h"

/* `ret_is_added` is false if the number is taken, also by a transaction that ended meanwhile. */
enum err signing_key_insert(struct work *work, const struct signing_key *key,
                            bool *ret_is_added) MUST_CHECK;
/* ERR_NOT_FOUND: there is none. */
enum err signing_key_select_newest(struct work *work, struct signing_key *ret_key) MUST_CHECK;
/* Oldest first: the last one that signed at `since_ms`, or else the first of all, and those after
 * it. Without signs_until and state. */
enum err signing_key_select_since(struct work *work, int64_t since_ms,
                                  struct record_list *ret_keys) MUST_CHECK;
/* Unless another has taken its place meanwhile. */
enum err signing_key_delete(struct work *work, const struct signing_key *key) MUST_CHECK;
/* Deletes those that signed no more at `before_ms`. */
enum err signing_key_delete_before(struct work *work, int64_t before_ms) MUST_CHECK;
