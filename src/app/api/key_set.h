/*
 * A process has the keys of access tokens in memory (contract, section 4): its own ones, read from
 * the exchange store, and those of an outside identity service where there is one
 * (HERALD_JWKS_URL). They are kept fresh; a token with an unknown key makes them be read or fetched
 * anew.
 *
 * Own keys are read every 5 s, when one is made, and for an unknown key once a second. A key that
 * cannot be read keeps no other one out. A process that could read none for KEY_LEAD_S signs
 * nothing any more, since a key that was made meanwhile may have taken over. One of several that
 * has read none for 10 s does so before it takes a token, since a key may have been withdrawn.
 *
 * The outside set is fetched every 300 s, and for an unknown key at most once in 30 s. While it
 * cannot be fetched, the last good set stays in use, and herald tries again after 5, 10, 20, and
 * then every 30 s. The log says once that fetching fails, and once that it works again. After
 * HERALD_JWKS_MAX_STALE_S without a good fetch the set is too old, since a key in it may have been
 * withdrawn (contract, section 4). Codes do not need it, so herald is degraded but ready.
 */
#pragma once

#include "app/api/refresh.h"
#include "domain/token/token.h"

struct event_log;
struct config;
struct key_set;

struct key_set *key_set_new(struct service *service, const struct config *config);
/* Reads the own keys; an issuer also makes the first one, and takes their secret parts. Then it
 * begins to fetch the outside set. Call it once, before the others; `why` says what is wrong. */
enum err key_set_start(struct key_set *set, bool is_issuer, struct event_log *event_log,
                       struct buf *why) MUST_CHECK;
/* Begins fetches that are due, and ends waits that took too long. Call it a few times a second. */
void key_set_tick(struct key_set *set);
/* Ends all fetches and waits. Call it before db_close; takes NULL. */
void key_set_stop(struct key_set *set);
/* Call it after db_close; takes NULL. */
void key_set_free(struct key_set *set);

/* Returns NULL if tokens can be signed and checked, else a sentence that says why not. */
const char *key_set_trouble(const struct key_set *set);
/* Returns the verifier of tokens. */
const struct token_verifier *key_set_verifier(const struct key_set *set);
/* Tells whether the keys are too old to check tokens; then every token is answered
 * ERR_KEY_SET_UNAVAILABLE. Any thread may ask. */
bool key_set_is_stale(const struct key_set *set);
/* Tells whether the own keys are to be read before a token is taken. Any thread may ask. */
bool key_set_is_unsure(const struct key_set *set);
/* Waits by refresh_wait for the keys that tokens are checked by, since a token names an unknown
 * one. */
enum err key_set_wait(struct key_set *set, struct refresh_waiter *waiter) MUST_CHECK;
