/*
 * Tokens and JWK sets. The first byte of the input says what the rest is: a token, the header of a
 * token that is then signed well, or a set. Aborts where a token that is taken has another text
 * too, where a signature verifies that the key would not make, where a header is taken that says
 * what none may say, and where a set gives keys that it does not give again once written.
 */
#include "kit/jose/jose.h"
#include "kit/json/pointer.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>

enum { INPUT_MAX = JOSE_SET_MAX + 1, BASE64URL = sodium_base64_VARIANT_URLSAFE_NO_PADDING };

static void require(bool is_so, const char *what)
{
    if (is_so) return;
    fprintf(stderr, "%s\n", what);
    abort();
}

/* The key of RFC 8037, appendix A: tokens of the corpus are signed by it. */
static struct jose_signer make_signer(void)
{
    static const uint8_t seed[JOSE_SEED_LEN] = {0x9d, 0x61, 0xb1, 0x9d, 0xef, 0xfd, 0x5a, 0x60,
                                                0xba, 0x84, 0x4a, 0xf4, 0x92, 0xec, 0x2c, 0xc4,
                                                0x44, 0x49, 0xc5, 0x69, 0x7b, 0x32, 0x69, 0x19,
                                                0x70, 0x3b, 0xac, 0x03, 0x1c, 0xae, 0x7f, 0x60};
    struct jose_signer signer;

    jose_signer_from_seed(seed, &signer);
    return signer;
}

static const char *encode(struct str bytes, struct arena *arena)
{
    size_t size = sodium_base64_encoded_len(bytes.len, BASE64URL);
    char *text = arena_alloc(arena, size);
    return sodium_bin2base64(text, size, (const uint8_t *)bytes.data, bytes.len, BASE64URL);
}

static void sign(struct str signing, uint8_t signature[static JOSE_SIGNATURE_LEN])
{
    struct jose_signer signer = make_signer();
    crypto_sign_detached(signature, NULL, (const uint8_t *)signing.data, signing.len,
                         signer.expanded);
}

static void check_token(struct str text, struct arena *arena)
{
    struct jose_signer signer = make_signer();
    struct jose_token token;
    uint8_t signature[JOSE_SIGNATURE_LEN];

    enum err err = jose_parse(text, arena, &token);
    require(err == ERR_OK || err == ERR_UNAUTHORIZED, "another error");
    if (err) return;
    struct str bytes = {(const char *)token.signature, JOSE_SIGNATURE_LEN};
    size_t header_len = (size_t)((const char *)memchr(text.data, '.', text.len) - text.data);
    const char *again = arena_printf(arena, "%.*s.%s.%s", (int)header_len, text.data,
                                     encode(token.claims, arena), encode(bytes, arena));
    require(text.len <= JOSE_TOKEN_MAX, "a token beyond the limit");
    require(str_is(text, again), "a token with another text");
    if (!jose_verify(&token, &signer.key)) return;
    sign(token.signing, signature);
    require(memcmp(signature, token.signature, sizeof(signature)) == 0, "a forged signature");
}

static bool has_member(struct str json, const char *pointer, struct arena *arena)
{
    struct json_value value;
    return json_find(json, pointer, arena, &value) && value.type != JSON_END;
}

static void check_header_taken(struct str header, const struct jose_token *token,
                               struct arena *arena)
{
    static const char *const refused[] = {"/crit", "/b64"};
    struct json_value alg = {.type = JSON_END};

    require(json_find(header, "/alg", arena, &alg) && alg.type == JSON_STRING, "no algorithm");
    require(str_is(alg.text, "EdDSA") || str_is(alg.text, "Ed25519"), "another algorithm");
    for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
        require(!has_member(header, refused[i], arena), "a member that is refused");
    require(has_member(header, "/kid", arena) == (token->kid != NULL), "a kid out of nothing");
    if (!token->kid) return;
    size_t kid_len = utf8_length(str_of(token->kid));
    require(kid_len >= 1 && kid_len <= JOSE_KID_MAX, "a kid of a wrong length");
}

static void check_header(struct str header, struct arena *arena)
{
    struct jose_signer signer = make_signer();
    struct jose_token token;
    uint8_t signature[JOSE_SIGNATURE_LEN];

    const char *signing = arena_printf(arena, "%s.e30", encode(header, arena));
    sign(str_of(signing), signature);
    struct str bytes = {(const char *)signature, sizeof(signature)};
    const char *text = arena_printf(arena, "%s.%s", signing, encode(bytes, arena));
    if (jose_parse(str_of(text), arena, &token)) return;
    require(jose_verify(&token, &signer.key), "a good signature is refused");
    check_header_taken(header, &token, arena);
}

static struct str write_set(const struct record_list *keys, struct buf *out)
{
    struct json_writer writer;
    const struct jose_key *key = keys->items;

    json_writer_init(&writer, out);
    json_object_begin(&writer);
    json_key(&writer, "keys");
    json_array_begin(&writer);
    for (size_t i = 0; i < keys->count; i++)
        jose_key_write(&key[i], &writer);
    json_array_end(&writer);
    json_object_end(&writer);
    return buf_view(out);
}

static void check_set(struct str json, struct arena *arena)
{
    AUTO_BUF out = {0};
    struct record_list keys, again;

    buf_init(&out, INPUT_MAX * 8);
    enum err err = jose_set_read(json, arena, &keys);
    require(err == ERR_OK || err == ERR_VALIDATION, "another error");
    if (err) return;
    require(keys.count <= JOSE_KEYS_MAX, "too many keys");
    const struct jose_key *key = keys.items;
    for (size_t i = 0; i < keys.count; i++)
        require(crypto_core_ed25519_is_valid_point(key[i].public_key), "a weak key");
    struct str text = write_set(&keys, &out);
    if (text.len > JOSE_SET_MAX) return; /* what it did not say before: alg and use */
    require(jose_set_read(text, arena, &again) == ERR_OK, "written, it is refused");
    require(keys.count == again.count, "written, it has other keys");
    require(keys.count == 0 || memcmp(key, again.items, keys.count * sizeof(*key)) == 0,
            "written, its keys are others");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const checks[])(struct str, struct arena *) = {check_token, check_header,
                                                                 check_set};
    struct arena arena;

    if (size == 0 || size > INPUT_MAX || sodium_init() < 0) return 0;
    arena_init(&arena);
    /* A copy of its own, so that reading past its end shows. */
    struct str rest = {arena_alloc(&arena, size - 1), size - 1};
    if (rest.len > 0) memcpy((char *)rest.data, data + 1, rest.len);
    checks[data[0] % (sizeof(checks) / sizeof(*checks))](rest, &arena);
    arena_done(&arena);
    return 0;
}
