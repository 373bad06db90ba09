/*
 * Ed25519 keys and signatures as JSON: JWK and JWK sets (RFC 7517, RFC 8037), signed tokens in the
 * compact form (RFC 7515, RFC 7519). One algorithm and nothing else: `alg` is EdDSA, or Ed25519 as
 * RFC 9864 names it. Knows claims only as bytes.
 */
#pragma once

#include "kit/base/arena.h"
#include "kit/base/err.h"
#include "kit/json/record.h"

#include <stdint.h>

enum {
    JOSE_PUBLIC_LEN = 32,
    JOSE_SEED_LEN = 32,
    JOSE_SIGNATURE_LEN = 64,
    JOSE_KID_MAX = 128,        /* characters of a key id */
    JOSE_TOKEN_MAX = 8 * 1024, /* bytes of a token: longer ones are refused unread */
    JOSE_KEYS_MAX = 100,       /* of a set */
    JOSE_SET_MAX = 64 * 1024,  /* bytes of a set */
};

/* A key that verifies. */
struct jose_key {
    char kid[4 * JOSE_KID_MAX + 1]; /* UTF-8; "": it has none */
    uint8_t public_key[JOSE_PUBLIC_LEN];
};

/* A key that signs; the seed is secret: wipe it (secret_wipe) when it is not needed any more. */
struct jose_signer {
    struct jose_key key;
    uint8_t seed[JOSE_SEED_LEN];
    uint8_t expanded[64]; /* seed and public key, as libsodium signs with it */
};

/* A new pair from the system's randomness. The kid is the key's thumbprint (RFC 7638, RFC 8037
 * appendix A.3): the same key has the same id everywhere. */
void jose_signer_new(struct jose_signer *ret_signer);
/* The pair of a stored seed. */
void jose_signer_from_seed(const uint8_t seed[static JOSE_SEED_LEN],
                           struct jose_signer *ret_signer);
/* Whether the kid is the key's thumbprint: then it is the very key that was made under that id. */
bool jose_key_is_named(const struct jose_key *key);

/* header.claims.signature with {"alg":"EdDSA","typ":typ,"kid":...}; `claims` is a JSON object. In
 * the arena. It must fit in JOSE_TOKEN_MAX (asserted), or else nobody here would read it. */
const char *jose_sign(const struct jose_signer *signer, const char *typ, struct str claims,
                      struct arena *arena);

/* A token taken apart; nothing is verified yet. */
struct jose_token {
    const char *kid;    /* NULL: none was given */
    const char *typ;    /* NULL: none was given */
    struct str claims;  /* the decoded payload: some bytes, not yet known to be JSON */
    struct str signing; /* what is signed, within the token's own text */
    uint8_t signature[JOSE_SIGNATURE_LEN];
};

/* ERR_UNAUTHORIZED for everything that is no well-formed compact token with three parts of strict
 * unpadded base64url, none empty, whose header is one JSON object with unique members and `alg`
 * EdDSA or Ed25519. Refused too: a header with `jwk`, `jku`, `x5u`, `x5c`, `x5t`, `x5t#S256`,
 * `crit` or `b64`, or with a kid that is no string of 1 to JOSE_KID_MAX characters. */
enum err jose_parse(struct str token, struct arena *arena, struct jose_token *ret_token) MUST_CHECK;
/* Whether this key signed it. Refuses keys of small order and signatures that are not canonical. */
bool jose_verify(const struct jose_token *token, const struct jose_key *key);

/* The public JWK as an object: kty, crv, alg, use, kid, x. */
void jose_key_write(const struct jose_key *key, struct json_writer *writer);
/* The Ed25519 signing keys of a JWK set: struct jose_key, at most JOSE_KEYS_MAX. What else is in
 * the list is passed over, as RFC 7517 section 5 wants: keys of other kinds or uses, such as are
 * faulty, weak or say something twice, and what is no key at all. Of two different keys under one
 * kid neither is taken: a token that names it is then one of an unknown key, which is refused, and
 * no signature is ever checked by a key that it may not mean. The same key twice is one key.
 * ERR_VALIDATION: no JWK set, or too large. */
enum err jose_set_read(struct str json, struct arena *arena,
                       struct record_list *ret_keys) MUST_CHECK;
