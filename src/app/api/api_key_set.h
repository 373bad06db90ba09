/*
 * A process has all API keys, and the sessions of operators (contract, section 18.2), in memory
 * (contract, section 10.1), so that a request by one costs no
 * statement. They are read every 2 s, when one changes, and for an unknown key at most once a
 * second; a request with an unknown key waits for that reading. So a flood of unknown keys costs
 * one small reading a second, whatever its size.
 *
 * What was read is used for API_KEYS_AGE_MAX_MS and no longer. So a key that was revoked is dead
 * everywhere within that time, also where the database cannot be asked: then every API key is
 * answered 503. The root key needs none of this.
 */
#pragma once

#include "app/api/refresh.h"
#include "core/actor.h"
#include "core/rate_limit.h"
#include "kit/base/secret.h"

struct api_key_set;
struct service;

enum { API_KEYS_AGE_MAX_MS = 8 * 1000 };

/* At most `waiting_max` requests wait for a reading at once. */
struct api_key_set *api_key_set_new(struct service *service, int waiting_max);
/* Reads the keys for the first time. Call it once, before the others. */
enum err api_key_set_start(struct api_key_set *set, struct buf *why) MUST_CHECK;
/* Begins a reading that is due, and ends waits that took too long. Call it a few times a second. */
void api_key_set_tick(struct api_key_set *set);
/* Call it after db_close; takes NULL. */
void api_key_set_free(struct api_key_set *set);

/* Finds the actor of a key by its hash; its name is in the arena. Any thread may call.
 * ERR_UNAUTHORIZED: there is no such key, as far as is known. ERR_STORAGE_UNAVAILABLE: what is
 * known is too old. */
enum err api_key_set_find(struct api_key_set *set, const uint8_t hash[static SECRET_HASH_LEN],
                          int64_t now_ms, struct arena *arena, struct actor *ret_actor) MUST_CHECK;
/* Finds the role that a key or session has now, which an operator may have been given since. The
 * errors are those of api_key_set_find; it does not count as a use. */
enum err api_key_set_find_role(struct api_key_set *set, const uint8_t hash[static SECRET_HASH_LEN],
                               int64_t now_ms, enum role *ret_role) MUST_CHECK;
/* Counts a request by the key. Where it has a limit, `ret_limit` tells of it, else it has no name.
 * ERR_RATE_LIMITED: the limit is reached. */
enum err api_key_set_count(struct api_key_set *set, const struct uuid *id,
                           struct rate_limit *ret_limit) MUST_CHECK;
/* Waits by refresh_wait for a reading, since a key is unknown. */
enum err api_key_set_wait(struct api_key_set *set, struct refresh_waiter *waiter) MUST_CHECK;
