/*
 * The keys of access tokens in the memory of a process (contract, section 4): the own ones, read
 * from the exchange store, and those of an outside identity service where there is one
 * (HERALD_JWKS_URL). Kept fresh; a token with an unknown key fetches them anew.
 *
 * Own keys are read every 5 s, when one is made, and for an unknown key once a second. One that
 * cannot be read keeps none of the others out. Who could read none for KEY_LEAD_S signs nothing any
 * more: a key that was made meanwhile may have taken over. Checking goes on; tokens die by
 * themselves.
 *
 * The outside set is fetched every 300 s and for an unknown key at most once in 30 s; while it
 * cannot be fetched, the last good one stays in use, and it is tried again after 5, 10, 20, and
 * then every 30 s. What fails is logged once when it begins to, and once when it works again. After
 * HERALD_JWKS_MAX_STALE_S without a good fetch it is too old to go by: a key of it may have been
 * withdrawn (contract, section 9.7). Codes do not need it, so herald is degraded, and ready.
 */
#pragma once

#include "app/api/refresh.h"
#include "domain/token/token.h"

struct event_log;
struct config;
struct key_set;

struct key_set *key_set_new(struct service *service, const struct config *config);
/* Reads the own keys; `is_issuer`: makes the first one, and takes their secret parts too. Then
 * begins to fetch the outside set. Once, before the others; `why` says what is wrong. */
enum err key_set_start(struct key_set *set, bool is_issuer, struct event_log *event_log,
                       struct buf *why) MUST_CHECK;
/* Begins what is due, and lets those go who waited too long; a few times a second. */
void key_set_tick(struct key_set *set);
/* Ends the fetching; whoever waits is told. Before db_close; NULL is fine. */
void key_set_stop(struct key_set *set);
/* After db_close; NULL is fine. */
void key_set_free(struct key_set *set);

/* NULL if tokens can be signed and checked, else a sentence that says why not. */
const char *key_set_trouble(const struct key_set *set);
/* By what tokens are checked. */
const struct token_verifier *key_set_verifier(const struct key_set *set);
/* Whether the keys that tokens are checked by are too old for that: ERR_KEY_SET_UNAVAILABLE then
 * answers every token. Any thread. */
bool key_set_is_stale(const struct key_set *set);
/* A token names an unknown key: refresh_wait on the set that tokens are checked by. */
enum err key_set_wait(struct key_set *set, struct refresh_waiter *waiter) MUST_CHECK;
