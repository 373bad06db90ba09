/* Tokens and keys have these records beside those of token.h. */
#pragma once

#include "domain/token/token.h"

/* A client has to know this of the identity service (RFC 8414). */
struct authorization_server {
    const char *issuer, *token_endpoint, *jwks_uri;
    struct record_list scopes_supported;         /* of const char * */
    struct record_list response_types_supported; /* none: there is no authorization endpoint */
    struct record_list grant_types_supported;
    struct record_list token_endpoint_auth_methods_supported;
};

extern const struct record authorization_server_record;
/* This record documents what key_set_text makes. */
extern const struct record key_set_record;
/* This record documents the form that token_form_read reads. */
extern const struct record token_form_record;

/* Makes a JWK set of these keys (RFC 7517). */
const char *key_set_text(const struct jose_key *keys, size_t count, struct arena *arena);
