/*
 * Ed25519 keys are read and written as JWK and JWK sets (RFC 7517, RFC 8037), and signed tokens in
 * the compact form (RFC 7515, RFC 7519). There is one algorithm: `alg` is EdDSA, or Ed25519 as RFC
 * 9864 names it. Claims are only bytes here.
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
    JOSE_TOKEN_MAX = 8 * 1024, /* bytes of a token; a longer one is refused unread */
    JOSE_KEYS_MAX = 100,       /* keys of a set */
    JOSE_SET_MAX = 64 * 1024,  /* bytes of a set */
};

/* A key that verifies. */
struct jose_key {
    char kid[4 * JOSE_KID_MAX + 1]; /* UTF-8; "": it has none */
    uint8_t public_key[JOSE_PUBLIC_LEN];
};

/* A key that signs. Its seed is secret: wipe it (secret_wipe) when it is not needed any more. */
struct jose_signer {
    struct jose_key key;
    uint8_t seed[JOSE_SEED_LEN];
    uint8_t expanded[64]; /* seed and public key, as libsodium signs with it */
};

/* Makes a new pair from the system's randomness. The kid is the key's thumbprint (RFC 7638, RFC
 * 8037 appendix A.3), so the same key has the same id everywhere. */
void jose_signer_new(struct jose_signer *ret_signer);
/* Makes the pair of a stored seed. */
void jose_signer_from_seed(const uint8_t seed[static JOSE_SEED_LEN],
                           struct jose_signer *ret_signer);
/* Tells whether the kid is the key's thumbprint; then it is the key that was made under that id. */
bool jose_key_is_named(const struct jose_key *key);

/* Returns header.claims.signature with {"alg":"EdDSA","typ":typ,"kid":...}, in the arena; `claims`
 * is a JSON object. The token must fit in JOSE_TOKEN_MAX (asserted), or jose_parse would refuse it.
 */
const char *jose_sign(const struct jose_signer *signer, const char *typ, struct str claims,
                      struct arena *arena);

/* A token taken apart; nothing is verified yet. */
struct jose_token {
    const char *kid;    /* NULL: it has none */
    const char *typ;    /* NULL: it has none */
    struct str claims;  /* the decoded payload, not yet known to be JSON */
    struct str signing; /* the part of the token's own text that is signed */
    uint8_t signature[JOSE_SIGNATURE_LEN];
};

/* Takes a compact token with three parts of strict unpadded base64url, none empty, whose header is
 * one JSON object with unique members and `alg` EdDSA or Ed25519. Returns ERR_UNAUTHORIZED for
 * anything else, and for a header with `crit` or `b64`, or with a kid that is no string of 1 to
 * JOSE_KID_MAX characters. */
enum err jose_parse(struct str token, struct arena *arena, struct jose_token *ret_token) MUST_CHECK;
/* Tells whether this key signed it. Keys of small order and signatures that are not canonical are
 * refused. */
bool jose_verify(const struct jose_token *token, const struct jose_key *key);

/* Writes the public JWK as an object: kty, crv, alg, use, kid, x. */
void jose_key_write(const struct jose_key *key, struct json_writer *writer);
/* Gives the Ed25519 signing keys of a JWK set as struct jose_key, at most JOSE_KEYS_MAX. It passes
 * over all else in the list, as RFC 7517, section 5, wants: keys of other kinds or uses, keys that
 * are faulty, weak or have a member twice, and members that are no keys. Of two different keys
 * under one kid neither is taken: a token that names it has an unknown key then and is refused, so
 * no signature is ever checked by a key that it may not mean. The same key twice is one key.
 * Returns ERR_VALIDATION for what is no JWK set, or too large. */
enum err jose_set_read(struct str json, struct arena *arena,
                       struct record_list *ret_keys) MUST_CHECK;
