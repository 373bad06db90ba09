/*
 * A good token of an outside identity service, whose key the test has; and the same with one thing
 * changed. Signed well, so that nothing but what is wrong with it can be the reason of a refusal.
 */
#pragma once

#include "domain/token/token.h"
#include "kit/base/macros.h"

#include <setjmp.h>
#include <sodium.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define ISSUER "https://id.example"
#define NOW_S  INT64_C(1795235580)
#define NOW_MS (NOW_S * 1000)

#define CLIENT_ID      "0192f0c1-0000-7d3e-8f00-3b2a1c0d9e8f"
#define TENANT_ID      "0192f0c2-0000-7d3e-8f00-3b2a1c0d9e8f"
#define INTEGRATION_ID "0192f0c3-0000-7d3e-8f00-3b2a1c0d9e8f"
#define POINT_ID       "0192f0c4-0000-7d3e-8f00-3b2a1c0d9e8f"
#define OTHER_ID       "0192f0c5-0000-7d3e-8f00-3b2a1c0d9e8f"
#define NIL_ID         "00000000-0000-0000-0000-000000000000"
#define AUDIENCE       "\"" TOKEN_AUDIENCE "\""

struct scene {
    struct arena arena;
    struct jose_signer signer;
    struct token_verifier verifier;
    struct token_refusal refusal; /* of the last check, if it was one */
    bool is_key_unknown;
};

static inline void trust(struct scene *scene, const struct jose_key *key, size_t count)
{
    keyring_set_foreign(scene->verifier.keyring, &(struct record_list){(void *)key, count});
}

static inline int begin(void **state)
{
    struct scene *scene = calloc(1, sizeof(*scene));
    if (!scene) return -1;
    arena_init(&scene->arena);
    jose_signer_new(&scene->signer);
    scene->verifier = (struct token_verifier){
        .keyring = keyring_new(), .cache = token_cache_new(), .issuer = ISSUER};
    trust(scene, &scene->signer.key, 1);
    *state = scene;
    return 0;
}

static inline int end(void **state)
{
    struct scene *scene = *state;
    keyring_free(scene->verifier.keyring);
    token_cache_free(scene->verifier.cache);
    arena_done(&scene->arena);
    free(scene);
    return 0;
}

/* --- Making tokens ---------------------------------------------------------------------------- */

static inline const char *forge_encode(struct arena *arena, struct str bytes)
{
    enum { BASE64URL = sodium_base64_VARIANT_URLSAFE_NO_PADDING };
    size_t size = sodium_base64_encoded_len(bytes.len, BASE64URL);
    char *text = arena_alloc(arena, size);
    return sodium_bin2base64(text, size, (const uint8_t *)bytes.data, bytes.len, BASE64URL);
}

/* Any header, any claims; signed by `signer` whatever they say. */
static inline const char *forge_token(struct arena *arena, const struct jose_signer *signer,
                                      const char *header, const char *claims)
{
    uint8_t signature[JOSE_SIGNATURE_LEN];
    const char *signing = arena_printf(arena, "%s.%s", forge_encode(arena, str_of(header)),
                                       forge_encode(arena, str_of(claims)));
    crypto_sign_detached(signature, NULL, (const uint8_t *)signing, strlen(signing),
                         signer->expanded);
    struct str bytes = {(const char *)signature, sizeof(signature)};
    return arena_printf(arena, "%s.%s", signing, forge_encode(arena, bytes));
}

/* The header of a good token. */
static inline const char *forge_header(struct arena *arena, const struct jose_signer *signer)
{
    return arena_printf(arena, "{\"alg\":\"EdDSA\",\"typ\":\"at+jwt\",\"kid\":\"%s\"}",
                        signer->key.kid);
}

struct claim {
    const char *name, *value; /* JSON; NULL: left out */
};

static const struct claim good_claims[] = {
    {"iss", "\"" ISSUER "\""},
    {"sub", "\"" CLIENT_ID "\""},
    {"client_id", "\"" CLIENT_ID "\""},
    {"aud", AUDIENCE},
    {"scope", "\"erp.events.read erp.catalog.write\""},
    {"tenant_id", "\"" TENANT_ID "\""},
    {"integration_id", "\"" INTEGRATION_ID "\""},
    {"point_id", "\"" POINT_ID "\""},
    {"iat", "1795235580"},
    {"nbf", "1795235580"},
    {"exp", "1795236180"},
    {"jti", "\"0192f0c6-0000-7d3e-8f00-3b2a1c0d9e8f\""},
};

static inline void put_claim(struct arena *arena, const char **json, const struct claim *claim)
{
    const char *comma = (*json)[1] ? "," : "";
    if (claim->value)
        *json = arena_printf(arena, "%s%s\"%s\":%s", *json, comma, claim->name, claim->value);
}

/* Good ones, but for `change`, which replaces its like or comes as one more; NULL: all good. */
static inline const char *claims_with(struct arena *arena, const struct claim *change)
{
    const char *json = "{";
    bool is_put = !change;

    for (size_t i = 0; i < COUNT_OF(good_claims); i++) {
        bool is_it = change && strcmp(change->name, good_claims[i].name) == 0;
        put_claim(arena, &json, is_it ? change : &good_claims[i]);
        is_put |= is_it;
    }
    if (!is_put) put_claim(arena, &json, change);
    return arena_printf(arena, "%s}", json);
}

static inline const char *token_of(struct scene *scene, const char *claims)
{
    return forge_token(&scene->arena, &scene->signer, forge_header(&scene->arena, &scene->signer),
                       claims);
}

static inline const char *good_token(struct scene *scene)
{
    return token_of(scene, claims_with(&scene->arena, NULL));
}

static inline bool is_good_at(struct scene *scene, const char *token, int64_t now_ms,
                              struct token_claims *ret_claims)
{
    scene->refusal = (struct token_refusal){0};
    enum err err = token_verify(&scene->verifier, str_of(token), now_ms, &scene->arena, ret_claims,
                                &scene->refusal);
    assert_true(err == ERR_OK || err == ERR_UNAUTHORIZED);
    scene->is_key_unknown = err && scene->refusal.fault == TOKEN_UNKNOWN_KEY;
    return err == ERR_OK;
}

static inline bool is_good(struct scene *scene, const char *token)
{
    struct token_claims claims;
    return is_good_at(scene, token, NOW_MS, &claims);
}
