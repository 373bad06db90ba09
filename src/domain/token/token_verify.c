/*
 * A token is checked (contract, section 4) for its form, its key, its signature, and only then for
 * what it says; last, whether it may do what it is used for.
 */
#include "domain/token/keyring.h"
#include "domain/token/token_cache.h"
#include "domain/token/token_claims.h"

const char *const token_fault_words[] = {
    [TOKEN_MALFORMED] = "malformed",           [TOKEN_WRONG_TYPE] = "wrong_type",
    [TOKEN_UNKNOWN_KEY] = "unknown_key",       [TOKEN_BAD_SIGNATURE] = "bad_signature",
    [TOKEN_BAD_CLAIMS] = "bad_claims",         [TOKEN_WRONG_ISSUER] = "wrong_issuer",
    [TOKEN_WRONG_AUDIENCE] = "wrong_audience", [TOKEN_EXPIRED] = "expired",
    [TOKEN_NOT_YET_VALID] = "not_yet_valid",
};

/* The type of RFC 9068 is a media type, in upper or lower case, which may have its "application/"
 * in front. Many identity services write the plain type of RFC 7519 (contract, section 4); the
 * claims of such a token say, like those of any other, whom it is for and what it may do. */
static bool is_access_token(const struct token_verifier *verifier, const char *typ)
{
    struct str text = str_of(typ);
    bool is_plain = str_is_nocase(text, "JWT") || str_is_nocase(text, "application/jwt");

    if (is_plain) return verifier->takes_plain_jwt;
    return str_is_nocase(text, TOKEN_TYPE) || str_is_nocase(text, "application/" TOKEN_TYPE);
}

static enum err refuse(enum token_fault fault, struct token_refusal *ret_refusal)
{
    *ret_refusal = (struct token_refusal){.fault = fault};
    return ERR_UNAUTHORIZED;
}

static enum err verify_anew(const struct token_verifier *verifier, struct str text, int64_t now_ms,
                            struct arena *arena, struct token_claims *ret_claims,
                            struct token_refusal *ret_refusal)
{
    struct jose_token token;
    struct jose_key key;

    enum err err = jose_parse(text, arena, &token);
    if (err || !token.kid) return refuse(TOKEN_MALFORMED, ret_refusal);
    if (!is_access_token(verifier, token.typ)) return refuse(TOKEN_WRONG_TYPE, ret_refusal);
    if (!keyring_find(verifier->keyring, token.kid, &key))
        return refuse(TOKEN_UNKNOWN_KEY, ret_refusal);
    if (!jose_verify(&token, &key)) return refuse(TOKEN_BAD_SIGNATURE, ret_refusal);
    return token_claims_read(token.claims, verifier->issuer, now_ms, arena, ret_claims,
                             ret_refusal);
}

enum err token_verify(const struct token_verifier *verifier, struct str token, int64_t now_ms,
                      struct arena *arena, struct token_claims *ret_claims,
                      struct token_refusal *ret_refusal)
{
    struct token_hash hash;
    uint64_t revision = keyring_revision(verifier->keyring);

    if (token.len > JOSE_TOKEN_MAX) return refuse(TOKEN_MALFORMED, ret_refusal);
    token_cache_hash(verifier->cache, token, &hash);
    if (token_cache_find(verifier->cache, &hash, revision, now_ms, ret_claims)) return ERR_OK;

    enum err err = verify_anew(verifier, token, now_ms, arena, ret_claims, ret_refusal);
    if (err) return err;
    ret_claims->revision = revision;
    token_cache_put(verifier->cache, &hash, now_ms, ret_claims);
    return ERR_OK;
}

bool token_holds_still(const struct token_verifier *verifier, const struct token_claims *claims,
                       int64_t now_ms)
{
    return token_claims_hold(claims, now_ms) &&
           claims->revision == keyring_revision(verifier->keyring);
}

enum err token_authorize(const struct token_claims *claims, const struct uuid *integration_id,
                         const struct token_standing *standing)
{
    bool is_of = standing->is_there && uuid_equal(&claims->integration_id, integration_id) &&
                 uuid_equal(&claims->tenant_id, &standing->tenant_id) &&
                 uuid_equal(&claims->point_id, &standing->point_id);

    if (!is_of) return ERR_INTEGRATION_MISMATCH;
    return standing->is_enabled ? ERR_OK : ERR_UNAUTHORIZED;
}
