/* These tables say how tokens and keys look on the wire (doc B, section 4 "Token"; RFC 6749, 7517
 * and 8414). */
#include "domain/token/token_records.h"

#include "kit/json/writer.h"

#include <stddef.h>

#define SCOPES "erp.catalog.write erp.changes.write erp.events.read"

/* --- The token endpoint --- */

static const struct field form_fields[] = {
    FIELD(struct token_request, grant_type, FIELD_STRING, FIELD_REQUIRED, "client_credentials.",
          .example = "client_credentials"),
    FIELD(struct token_request, client_id, FIELD_STRING, 0,
          "The client, unless the Authorization header names it.",
          .example = "0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8f"),
    FIELD(struct token_request, client_secret, FIELD_STRING, FIELD_SECRET,
          "Its secret, unless the Authorization header has it. Never both at once.",
          .example = "hs_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"),
    FIELD(struct token_request, scope, FIELD_STRING, 0,
          "Scopes of the client, separated by single spaces; left out, all that it has.",
          .example = SCOPES),
};

const struct record token_form_record = {
    .name = "TokenRequest",
    .doc = "Asks for an access token (RFC 6749, section 4.4.2). A parameter without a value counts "
           "as left out, one that comes twice is an error, and others are ignored.",
    .size = sizeof(struct token_request),
    RECORD_FIELDS(form_fields),
};

static const struct field answer_fields[] = {
    FIELD(struct token_answer, access_token, FIELD_STRING, FIELD_REQUIRED,
          "A JWT, signed by Ed25519. Goes into `Authorization: Bearer`; never into a URL or log.",
          .example = "eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCJ9.e30.AAAA"),
    FIELD(struct token_answer, token_type, FIELD_STRING, FIELD_REQUIRED, "Bearer.",
          .example = "Bearer"),
    FIELD(struct token_answer, expires_in, FIELD_INTEGER, FIELD_REQUIRED,
          "For how many seconds it is good. There is no refresh token: ask again.",
          .example = "600"),
    FIELD(struct token_answer, scope, FIELD_STRING, FIELD_REQUIRED, "What was granted.",
          .example = SCOPES),
};

const struct record token_answer_record = {
    .name = "TokenResponse",
    .doc = "An access token.",
    .size = sizeof(struct token_answer),
    RECORD_FIELDS(answer_fields),
};

/* --- Signing keys --- */

static const struct field key_fields[] = {
    FIELD(struct signing_key, kid, FIELD_STRING, FIELD_REQUIRED,
          "The id of the key: its thumbprint (RFC 7638).",
          .example = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"),
    FIELD(struct signing_key, state, FIELD_ENUM, FIELD_REQUIRED,
          "Where it stands now: next (published, signs from `signs_from`), signing, or retired "
          "(published until the last token that it signed has expired).",
          .words = key_state_words, .example = "signing"),
    FIELD(struct signing_key, created_at, FIELD_TIME, FIELD_REQUIRED,
          "When it was made and published."),
    FIELD(struct signing_key, signs_from, FIELD_TIME, FIELD_REQUIRED, "From when on it signs."),
    FIELD(struct signing_key, signs_until, FIELD_TIME, FIELD_REQUIRED | FIELD_NULLABLE,
          "When the next key takes over, if there is one."),
};

const struct record signing_key_record = {
    .name = "SigningKey",
    .doc = "A key that signs access tokens, without its secret part.",
    .size = sizeof(struct signing_key),
    RECORD_FIELDS(key_fields),
};

static const struct field key_list_fields[] = {
    FIELD(struct signing_key_list, keys, FIELD_RECORDS, FIELD_REQUIRED,
          "Those of the key set, oldest first.", .record = &signing_key_record),
    PAGE_NEXT_ROW(struct signing_key_list),
};

const struct record signing_key_list_record = {
    .name = "SigningKeyList",
    .doc = "A page of the keys that are published now.",
    .size = sizeof(struct signing_key_list),
    RECORD_FIELDS(key_list_fields),
};

/* --- The key set --- */

/* jose_key_write writes these members. */
struct jwk {
    const char *kty, *crv, *alg, *use, *kid, *x;
};

#define JWK_FIELD(member, text, value)                                             \
    {                                                                              \
        .name = #member, .type = FIELD_STRING, .flags = FIELD_REQUIRED,            \
        .offset = offsetof(struct jwk, member), .doc = (text), .example = (value), \
    }

static const struct field jwk_fields[] = {
    JWK_FIELD(kty, "The kind of key (RFC 8037).", "OKP"),
    JWK_FIELD(crv, "The curve.", "Ed25519"),
    JWK_FIELD(alg, "The only algorithm that the key is for.", "EdDSA"),
    JWK_FIELD(use, "It signs.", "sig"),
    JWK_FIELD(kid, "Which key: tokens name it in their header.",
              "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"),
    JWK_FIELD(x, "The public key in base64url.", "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"),
};

static const struct record jwk_record = {
    .name = "JWK",
    .doc = "A public key (RFC 7517, RFC 8037).",
    .size = sizeof(struct jwk),
    RECORD_FIELDS(jwk_fields),
};

struct key_set {
    struct record_list keys; /* of struct jwk */
};

static const struct field key_set_fields[] = {
    FIELD(struct key_set, keys, FIELD_RECORDS, FIELD_REQUIRED,
          "A key is here from 315 seconds before it signs until the last token that it signed "
          "has expired.",
          .record = &jwk_record),
};

const struct record key_set_record = {
    .name = "JWKSet",
    .doc = "The public keys that access tokens are signed with (RFC 7517).",
    .size = sizeof(struct key_set),
    RECORD_FIELDS(key_set_fields),
};

const char *key_set_text(const struct jose_key *keys, size_t count, struct arena *arena)
{
    AUTO_BUF json = {0};
    struct json_writer writer;

    buf_init(&json, JOSE_SET_MAX + count * sizeof(*keys));
    json_writer_init(&writer, &json);
    json_object_begin(&writer);
    json_key(&writer, "keys");
    json_array_begin(&writer);
    for (size_t i = 0; i < count; i++)
        jose_key_write(&keys[i], &writer);
    json_array_end(&writer);
    json_object_end(&writer);
    assert(!json.is_full);
    return arena_str(arena, buf_view(&json));
}

/* --- The identity service --- */

#define SERVER_FIELD(member, kind, text, value)                                 \
    {                                                                           \
        .name = #member, .type = (kind), .flags = FIELD_REQUIRED,               \
        .offset = offsetof(struct authorization_server, member), .doc = (text), \
        .example = (value),                                                     \
    }

static const struct field server_fields[] = {
    SERVER_FIELD(issuer, FIELD_STRING, "The `iss` of its tokens.", "https://herald.example"),
    SERVER_FIELD(token_endpoint, FIELD_STRING, "Where clients fetch tokens.",
                 "https://herald.example/v1/oauth/token"),
    SERVER_FIELD(jwks_uri, FIELD_STRING, "Where its public keys are.",
                 "https://herald.example/.well-known/jwks.json"),
    SERVER_FIELD(scopes_supported, FIELD_STRINGS, "What tokens may be used for.",
                 "[\"erp.catalog.write\",\"erp.changes.write\",\"erp.events.read\"]"),
    SERVER_FIELD(response_types_supported, FIELD_STRINGS,
                 "None: there is no authorization endpoint.", "[]"),
    SERVER_FIELD(grant_types_supported, FIELD_STRINGS, "How tokens are asked for.",
                 "[\"client_credentials\"]"),
    SERVER_FIELD(token_endpoint_auth_methods_supported, FIELD_STRINGS,
                 "How a client says who it is.",
                 "[\"client_secret_basic\",\"client_secret_post\"]"),
};

const struct record authorization_server_record = {
    .name = "AuthorizationServer",
    .doc = "The identity service (RFC 8414).",
    .size = sizeof(struct authorization_server),
    RECORD_FIELDS(server_fields),
};
