/*
 * Tokens are issued by the client-credentials grant (RFC 6749, section 4.4; contract, section 4).
 * The client is authenticated before it is asked what it wants. Nothing is written, not even a
 * note, since that would be written too.
 */
#include "domain/token/keyring.h"
#include "domain/token/token_claims.h"

#define GRANT_TYPE "client_credentials"

static enum err authenticate(struct work *work, const struct token_request *request,
                             struct client_identity *ret_client)
{
    if (!request->client_id || !request->client_secret) return ERR_INVALID_CLIENT;
    enum err err = client_authenticate(work, str_of(request->client_id),
                                       str_of(request->client_secret), ret_client);
    return err == ERR_UNAUTHORIZED ? ERR_INVALID_CLIENT : err;
}

/* Grants the scopes that were asked for, all of which the client must have; or all that it has. */
static enum err grant_scopes(const char *wanted, unsigned owned, unsigned *ret_scopes)
{
    unsigned scopes = owned;
    bool has_unknown = false;

    if (wanted && !scopes_read(str_of(wanted), &scopes, &has_unknown)) return ERR_INVALID_SCOPE;
    if (has_unknown || (scopes & ~owned)) return ERR_INVALID_SCOPE;
    *ret_scopes = scopes;
    return ERR_OK;
}

enum err token_issue(struct work *work, const struct token_request *request,
                     struct token_answer *ret_answer)
{
    struct client_identity client;
    unsigned scopes;

    if (!request->grant_type) return ERR_INVALID_REQUEST;
    enum err err = authenticate(work, request, &client);
    if (err) return err;
    if (strcmp(request->grant_type, GRANT_TYPE) != 0) return ERR_UNSUPPORTED_GRANT_TYPE;
    err = grant_scopes(request->scope, client.scope_set, &scopes);
    if (err) return err;

    const struct service *service = work->service;
    struct str claims =
        token_claims_write(service->tokens->issuer, &client, scopes, work->now_ms, work->arena);
    const char *token = keyring_sign(service->tokens->keyring, claims, work->now_ms, work->arena);
    if (!token) return ERR_SIGNING_KEY_UNAVAILABLE;
    *ret_answer = (struct token_answer){
        .access_token = token,
        .token_type = "Bearer",
        .expires_in = TOKEN_LIFE_S,
        .scope = scopes_text(work->arena, scopes),
    };
    return ERR_OK;
}
