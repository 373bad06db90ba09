/* Claims are what a token says, as JSON (RFC 9068; contract, section 4). */
#pragma once

#include "domain/token/token.h"

/* Writes the claims of a token that is made at `now_ms`. */
struct str token_claims_write(const char *issuer, const struct client_identity *client,
                              unsigned scopes, int64_t now_ms, struct arena *arena);
/* Reads the claims of a token whose signature is good. ERR_UNAUTHORIZED: they are faulty, of
 * another issuer, for another audience, or not good at `now_ms`; `ret_refusal` is written then.
 * Scopes that are none of ours are left out: an outside identity service may have more. */
enum err token_claims_read(struct str json, const char *issuer, int64_t now_ms, struct arena *arena,
                           struct token_claims *ret_claims,
                           struct token_refusal *ret_refusal) MUST_CHECK;
/* Tells whether claims are good at another time too: later, or earlier where the clock was set
 * back. */
bool token_claims_hold(const struct token_claims *claims, int64_t now_ms);
