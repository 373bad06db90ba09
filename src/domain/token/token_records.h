/* Wire records of tokens and keys beside those of token.h. */
#pragma once

#include "domain/token/token.h"

/* What a client has to know of the identity service (RFC 8414). */
struct authorization_server {
    const char *issuer, *token_endpoint, *jwks_uri;
    struct record_list scopes_supported;         /* of const char * */
    struct record_list response_types_supported; /* none: there is no authorization endpoint */
    struct record_list grant_types_supported;
    struct record_list token_endpoint_auth_methods_supported;
};

extern const struct record authorization_server_record;
/* Documents key_set_text. */
extern const struct record key_set_record;
/* Documents the form that token_form_read reads. */
extern const struct record token_form_record;

/* A JWK set of these keys (RFC 7517). In the arena. */
const char *key_set_text(const struct jose_key *keys, size_t count, struct arena *arena);
