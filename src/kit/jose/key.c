/* Keys are made, taken from a seed, and written as a JWK (RFC 8037). */
#include "kit/base/secret.h"
#include "kit/jose/base64url.h"
#include "kit/jose/jose.h"

#include <sodium.h>
#include <stdio.h>

static_assert(JOSE_SEED_LEN == crypto_sign_SEEDBYTES, "seed");
static_assert(JOSE_PUBLIC_LEN == crypto_sign_PUBLICKEYBYTES, "public key");
static_assert(sizeof(((struct jose_signer *)0)->expanded) == crypto_sign_SECRETKEYBYTES,
              "seed and public key");

const char *const jose_algorithms[] = {"EdDSA", "Ed25519", NULL};

enum { X_LEN = 43 /* characters of a public key */ };

/* Writes the coordinate that a JWK calls x, which is all of the public key. */
static void write_x(const struct jose_key *key, char ret_text[static X_LEN + 1])
{
    base64url_encode((struct str){(const char *)key->public_key, JOSE_PUBLIC_LEN}, ret_text);
}

/* Writes the hash of the members that make the key what it is, in this order and form (RFC 7638).
 */
static void write_thumbprint(const struct jose_key *key, char *ret_text)
{
    char x[X_LEN + 1], json[128];
    uint8_t hash[crypto_hash_sha256_BYTES];

    write_x(key, x);
    int len = snprintf(json, sizeof(json), "{\"crv\":\"Ed25519\",\"kty\":\"OKP\",\"x\":\"%s\"}", x);
    assert(len > 0 && (size_t)len < sizeof(json));
    crypto_hash_sha256(hash, (const uint8_t *)json, (size_t)len);
    base64url_encode((struct str){(const char *)hash, sizeof(hash)}, ret_text);
}

void jose_signer_new(struct jose_signer *ret_signer)
{
    uint8_t seed[JOSE_SEED_LEN];

    random_bytes(seed, sizeof(seed));
    jose_signer_from_seed(seed, ret_signer);
    secret_wipe(seed, sizeof(seed));
}

void jose_signer_from_seed(const uint8_t seed[static JOSE_SEED_LEN], struct jose_signer *ret_signer)
{
    struct jose_key *key = &ret_signer->key;

    *ret_signer = (struct jose_signer){0};
    memcpy(ret_signer->seed, seed, JOSE_SEED_LEN);
    crypto_sign_seed_keypair(key->public_key, ret_signer->expanded, seed);
    write_thumbprint(key, key->kid);
}

bool jose_key_is_named(const struct jose_key *key)
{
    char thumbprint[sizeof(key->kid)];

    write_thumbprint(key, thumbprint);
    return strcmp(key->kid, thumbprint) == 0;
}

void jose_key_write(const struct jose_key *key, struct json_writer *writer)
{
    char x[X_LEN + 1];

    write_x(key, x);
    json_object_begin(writer);
    json_put_text(writer, "kty", "OKP");
    json_put_text(writer, "crv", "Ed25519");
    json_put_text(writer, "alg", jose_algorithms[0]);
    json_put_text(writer, "use", "sig");
    if (key->kid[0]) json_put_text(writer, "kid", key->kid);
    json_put_text(writer, "x", x);
    json_object_end(writer);
}
