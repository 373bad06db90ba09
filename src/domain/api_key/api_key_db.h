/* The statements on API keys. */
#pragma once

#include "domain/api_key/api_key.h"

/* Counts a change, and holds off others that change keys until the end of the transaction. */
enum err api_key_count_change(struct work *work) MUST_CHECK;
enum err api_key_read_change(struct work *work, int64_t *ret_number) MUST_CHECK;

enum err api_key_insert(struct work *work, const struct api_key *key) MUST_CHECK;
/* Counts the keys that are not revoked, up to API_KEYS_MAX. */
enum err api_key_count(struct work *work, int64_t *ret_count) MUST_CHECK;
/* ERR_NOT_FOUND. */
enum err api_key_select(struct work *work, const struct uuid *id,
                        struct api_key *ret_key) MUST_CHECK;
/* Reads keys in order of id: the first `limit` after `after`. */
enum err api_key_select_page(struct work *work, const struct uuid *after, int64_t limit,
                             struct record_list *ret_keys) MUST_CHECK;
/* Reads the keys that are not revoked. */
enum err api_key_select_live(struct work *work, struct record_list *ret_keys) MUST_CHECK;
/* Stores the hashes and times of a rotation. */
enum err api_key_update_hashes(struct work *work, const struct api_key *key) MUST_CHECK;
/* ERR_NOT_FOUND; one that is revoked already stays as it is. */
enum err api_key_update_revoked(struct work *work, const struct uuid *id) MUST_CHECK;
