/*
 * kit/jose: which keys and signatures count. Vectors of RFC 8032, and forgeries that pass where a
 * verifier leaves a check out: each is made so that the equation of Ed25519 holds for it, or would
 * hold for a laxer reading of the bytes.
 */
#include "jose_sample.h"
#include "kit/base/macros.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

enum { MESSAGE_MAX = 1023, HALF = 32, JSON_MAX = 200 };

struct signed_text {
    struct jose_key key;
    uint8_t message[MESSAGE_MAX];
    struct jose_token token; /* its `signing` is the message */
};

static size_t read_hex(const char *hex, uint8_t *bytes, size_t max)
{
    size_t len = 0;
    assert_int_equal(sodium_hex2bin(bytes, max, hex, strlen(hex), NULL, &len, NULL), 0);
    return len;
}

static void make_signed(struct signed_text *made, const uint8_t *message, size_t len)
{
    *made = (struct signed_text){0};
    assert_in_range(len, 0, MESSAGE_MAX);
    memcpy(made->message, message, len);
    made->token.signing = (struct str){(const char *)made->message, len};
}

static bool is_good(const struct signed_text *text)
{
    return jose_verify(&text->token, &text->key);
}

/* --- RFC 8032 section 7.1 --- */

struct vector {
    const char *seed, *public_key, *message, *signature;
};

static const struct vector vectors[] = {
    {"9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
     "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
     "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b"
     "46bd25bf5f0595bbe24655141438e7a100b"},
    {"4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
     "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
     "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11"
     "d8c387b2eaeb4302aeeb00d291612bb0c00"},
    {"c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
     "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
     "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc"
     "6594a7c15e9716ed28dc027beceea1ec40a"},
    {"f5e5767cf153319517630f226876b86c8160cc583bc013744c6bf255f5cc0ee5",
     "278117fc144c72340f67d0f2316e8386ceffbf2b2428c9c51fef7c597f1d426e",
     "08b8b2b733424243760fe426a4b54908632110a66c2f6591eabd3345e3e4eb98fa6e264bf09efe12ee50f8f54e9f7"
     "7b1e355f6c50544e23fb1433ddf73be84d879de7c0046dc4996d9e773f4bc9efe5738829adb26c81b37c93a1b270b"
     "20329d658675fc6ea534e0810a4432826bf58c941efb65d57a338bbd2e26640f89ffbc1a858efcb8550ee3a5e1998"
     "bd177e93a7363c344fe6b199ee5d02e82d522c4feba15452f80288a821a579116ec6dad2b3b310da903401aa62100"
     "ab5d1a36553e06203b33890cc9b832f79ef80560ccb9a39ce767967ed628c6ad573cb116dbefefd75499da96bd68a"
     "8a97b928a8bbc103b6621fcde2beca1231d206be6cd9ec7aff6f6c94fcd7204ed3455c68c83f4a41da4af2b74ef5c"
     "53f1d8ac70bdcb7ed185ce81bd84359d44254d95629e9855a94a7c1958d1f8ada5d0532ed8a5aa3fb2d17ba70eb62"
     "48e594e1a2297acbbb39d502f1a8c6eb6f1ce22b3de1a1f40cc24554119a831a9aad6079cad88425de6bde1a9187e"
     "bb6092cf67bf2b13fd65f27088d78b7e883c8759d2c4f5c65adb7553878ad575f9fad878e80a0c9ba63bcbcc2732e"
     "69485bbc9c90bfbd62481d9089beccf80cfe2df16a2cf65bd92dd597b0707e0917af48bbb75fed413d238f5555a7a"
     "569d80c3414a8d0859dc65a46128bab27af87a71314f318c782b23ebfe808b82b0ce26401d2e22f04d83d1255dc51"
     "addd3b75a2b1ae0784504df543af8969be3ea7082ff7fc9888c144da2af58429ec96031dbcad3dad9af0dcbaaaf26"
     "8cb8fcffead94f3c7ca495e056a9b47acdb751fb73e666c6c655ade8297297d07ad1ba5e43f1bca32301651339e22"
     "904cc8c42f58c30c04aafdb038dda0847dd988dcda6f3bfd15c4b4c4525004aa06eeff8ca61783aacec57fb3d1f92"
     "b0fe2fd1a85f6724517b65e614ad6808d6f6ee34dff7310fdc82aebfd904b01e1dc54b2927094b2db68d6f903b684"
     "01adebf5a7e08d78ff4ef5d63653a65040cf9bfd4aca7984a74d37145986780fc0b16ac451649de6188a7dbdf191f"
     "64b5fc5e2ab47b57f7f7276cd419c17a3ca8e1b939ae49e488acba6b965610b5480109c8b17b80e1b7b750dfc7598"
     "d5d5011fd2dcc5600a32ef5b52a1ecc820e308aa342721aac0943bf6686b64b2579376504ccc493d97e6aed3fb0f9"
     "cd71a43dd497f01f17c0e2cb3797aa2a2f256656168e6c496afc5fb93246f6b1116398a346f1a641f3b041e989f79"
     "14f90cc2c7fff357876e506b50d334ba77c225bc307ba537152f3f1610e4eafe595f6d9d90d11faa933a15ef13695"
     "46868a7f3a45a96768d40fd9d03412c091c6315cf4fde7cb68606937380db2eaaa707b4c4185c32eddcdd306705e4"
     "dc1ffc872eeee475a64dfac86aba41c0618983f8741c5ef68d3a101e8a3b8cac60c905c15fc910840b94c00a0b9d"
     "0",
     "0aab4c900501b3e24d7cdf4663326a3a87df5e4843b2cbdb67cbf6e460fec350aa5371b1508f9f4528ecea23c436d"
     "94b5e8fcd4f681e30a6ac00a9704a188a03"},
    {"833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
     "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
     "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3fee"
     "bbd454d4423643ce80e2a9ac94fa54ca49f",
     "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e"
     "0303dca179c138ac17ad9bef1177331a704"},
};

static void read_vector(const struct vector *vector, struct jose_signer *signer,
                        struct signed_text *text)
{
    uint8_t seed[JOSE_SEED_LEN], message[MESSAGE_MAX];

    assert_int_equal(read_hex(vector->seed, seed, sizeof(seed)), sizeof(seed));
    jose_signer_from_seed(seed, signer);
    make_signed(text, message, read_hex(vector->message, message, sizeof(message)));
    text->key = signer->key;
    size_t len = read_hex(vector->signature, text->token.signature, JOSE_SIGNATURE_LEN);
    assert_int_equal(len, JOSE_SIGNATURE_LEN);
}

static void the_vectors_of_the_standard_hold(void **state)
{
    struct jose_signer signer;
    struct signed_text text;
    uint8_t public_key[JOSE_PUBLIC_LEN], signature[JOSE_SIGNATURE_LEN];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(vectors); i++) {
        read_vector(&vectors[i], &signer, &text);
        read_hex(vectors[i].public_key, public_key, sizeof(public_key));
        assert_memory_equal(signer.key.public_key, public_key, sizeof(public_key));
        assert_true(is_good(&text));
        crypto_sign_detached(signature, NULL, text.message, text.token.signing.len,
                             signer.expanded);
        assert_memory_equal(signature, text.token.signature, sizeof(signature));
    }
}

static void flip(uint8_t *bytes, size_t bit)
{
    bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
}

static void no_bit_may_differ(void **state)
{
    struct jose_signer signer;
    struct signed_text text;

    (void)state;
    read_vector(&vectors[2], &signer, &text);
    for (size_t bit = 0; bit < 8 * JOSE_SIGNATURE_LEN; bit++) {
        flip(text.token.signature, bit);
        assert_false(is_good(&text));
        flip(text.token.signature, bit);
    }
    for (size_t bit = 0; bit < 8 * JOSE_PUBLIC_LEN; bit++) {
        flip(text.key.public_key, bit);
        assert_false(is_good(&text));
        flip(text.key.public_key, bit);
    }
    for (size_t bit = 0; bit < 8 * text.token.signing.len; bit++) {
        flip(text.message, bit);
        assert_false(is_good(&text));
        flip(text.message, bit);
    }
    assert_true(is_good(&text));
}

static void neither_length_nor_another_key_will_do(void **state)
{
    struct jose_signer signer;
    struct signed_text text, other;

    (void)state;
    read_vector(&vectors[2], &signer, &text);
    read_vector(&vectors[1], &signer, &other);
    for (size_t len = 0; len < 5; len++) {
        text.token.signing.len = len;
        assert_int_equal(is_good(&text), len == 2);
    }
    text.token.signing.len = 2;
    text.key = other.key;
    assert_false(is_good(&text));
}

static void signatures_of_nothing_are_refused(void **state)
{
    struct jose_signer signer;
    struct signed_text text;

    (void)state;
    read_vector(&vectors[2], &signer, &text);
    uint8_t *r = text.token.signature, *s = r + HALF;
    memset(s, 0, HALF);
    assert_false(is_good(&text));
    memset(r, 0, HALF);
    assert_false(is_good(&text));
    r[0] = 1; /* the neutral point */
    assert_false(is_good(&text));
    memcpy(r, text.key.public_key, HALF);
    s[0] = 1;
    assert_false(is_good(&text));
    memset(r, 0xFF, JOSE_SIGNATURE_LEN);
    assert_false(is_good(&text));
}

/* --- Forgeries --- */

static const uint8_t group_order[HALF] = {
    0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14,
    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0x10};

/* S and S + nL are the same number to the curve: one signature must not have many forms. */
static void s_has_one_form(void **state)
{
    enum { MULTIPLES = 14 }; /* beyond them it may not fit in 256 bits */
    struct jose_signer signer;
    struct signed_text text;

    (void)state;
    read_vector(&vectors[2], &signer, &text);
    for (int i = 0; i < MULTIPLES; i++) {
        sodium_add(text.token.signature + HALF, group_order, HALF);
        assert_false(is_good(&text));
    }
    for (int i = 0; i < MULTIPLES; i++)
        sodium_sub(text.token.signature + HALF, group_order, HALF);
    assert_true(is_good(&text));
}

/* Every encoding of the eight points of small order, also those with y beyond the field. */
static const char *const small_points[] = {
    "0100000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000080",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
};

/* Computes what the equation multiplies the key with. */
static void hash_to_scalar(const struct signed_text *text, uint8_t scalar[static HALF])
{
    uint8_t hash[crypto_hash_sha512_BYTES];
    crypto_hash_sha512_state sha;

    crypto_hash_sha512_init(&sha);
    crypto_hash_sha512_update(&sha, text->token.signature, HALF);
    crypto_hash_sha512_update(&sha, text->key.public_key, JOSE_PUBLIC_LEN);
    crypto_hash_sha512_update(&sha, text->message, text->token.signing.len);
    crypto_hash_sha512_final(&sha, hash);
    crypto_core_ed25519_scalar_reduce(scalar, hash);
}

/* If 8 divides the hash, a key of small order drops out of the equation: R = sB is all that is left
 * of it, and anybody can make that. */
static void keys_of_small_order_sign_nothing(void **state)
{
    struct signed_text text;
    uint8_t hash[HALF], counter = 0;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(small_points); i++) {
        make_signed(&text, &counter, 1);
        read_hex(small_points[i], text.key.public_key, JOSE_PUBLIC_LEN);
        uint8_t *s = text.token.signature + HALF;
        crypto_core_ed25519_scalar_random(s);
        assert_int_equal(crypto_scalarmult_ed25519_base_noclamp(text.token.signature, s), 0);
        do {
            assert_int_not_equal(++text.message[0], 0); /* 255 tries of which one in 8 will do */
            hash_to_scalar(&text, hash);
        } while (hash[0] % 8 != 0);
        assert_false(is_good(&text));
    }
}

/* The number that the key is made of. */
static void read_secret(const struct jose_signer *signer, uint8_t secret[static HALF])
{
    uint8_t hash[crypto_hash_sha512_BYTES];

    crypto_hash_sha512(hash, signer->seed, JOSE_SEED_LEN);
    memcpy(secret, hash, HALF);
    secret[0] &= 0xF8;
    secret[HALF - 1] &= 0x7F;
    secret[HALF - 1] |= 0x40;
}

/* S = ha is right for the neutral point as R, and with the cofactor for each of the others. */
static void points_of_small_order_are_no_r(void **state)
{
    struct jose_signer signer;
    struct signed_text text;
    uint8_t secret[HALF], hash[HALF];

    (void)state;
    read_vector(&vectors[2], &signer, &text);
    read_secret(&signer, secret);
    for (size_t i = 0; i < COUNT_OF(small_points); i++) {
        read_hex(small_points[i], text.token.signature, HALF);
        hash_to_scalar(&text, hash);
        crypto_core_ed25519_scalar_mul(text.token.signature + HALF, hash, secret);
        assert_false(is_good(&text));
    }
}

/* Signs as the standard says, but with `shift` (a point, or NULL) added to R. */
static void sign_shifted(const struct jose_signer *signer, const uint8_t *shift,
                         struct signed_text *text)
{
    uint8_t secret[HALF], nonce[HALF], hash[HALF], product[HALF];
    uint8_t *r = text->token.signature, *s = r + HALF;

    read_secret(signer, secret);
    crypto_core_ed25519_scalar_random(nonce);
    assert_int_equal(crypto_scalarmult_ed25519_base_noclamp(r, nonce), 0);
    if (shift) assert_int_equal(crypto_core_ed25519_add(r, r, shift), 0);
    hash_to_scalar(text, hash);
    crypto_core_ed25519_scalar_mul(product, hash, secret);
    crypto_core_ed25519_scalar_add(s, product, nonce);
}

/* With the cofactor in the equation such a signature would pass: then one signer makes several
 * that differ in what they are, and verifiers disagree. */
static void r_is_compared_as_it_stands(void **state)
{
    struct jose_signer signer;
    struct signed_text text;
    uint8_t shift[HALF];

    (void)state;
    read_vector(&vectors[2], &signer, &text);
    sign_shifted(&signer, NULL, &text);
    assert_true(is_good(&text));
    read_hex(small_points[10], shift, sizeof(shift));
    sign_shifted(&signer, shift, &text);
    assert_false(is_good(&text));
}

/* --- Keys that a set does not give --- */

static size_t keys_read(const uint8_t public_key[static JOSE_PUBLIC_LEN])
{
    char x[64], json[JSON_MAX];
    struct arena arena;
    struct record_list keys;

    sodium_bin2base64(x, sizeof(x), public_key, JOSE_PUBLIC_LEN,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    snprintf(json, sizeof(json),
             "{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"kid\":\"k\",\"x\":\"%s\"}]}", x);
    arena_init(&arena);
    assert_int_equal(jose_set_read(str_of(json), &arena, &keys), ERR_OK);
    arena_done(&arena);
    return keys.count;
}

static void weak_keys_are_passed_over(void **state)
{
    uint8_t key[JOSE_PUBLIC_LEN], small[JOSE_PUBLIC_LEN], mixed[JOSE_PUBLIC_LEN];

    (void)state;
    read_hex(vectors[2].public_key, key, sizeof(key));
    assert_int_equal(keys_read(key), 1);
    for (size_t i = 0; i < COUNT_OF(small_points); i++) {
        read_hex(small_points[i], small, sizeof(small));
        assert_int_equal(keys_read(small), 0);
    }
    read_hex(small_points[10], small, sizeof(small));
    assert_int_equal(crypto_core_ed25519_add(mixed, key, small), 0);
    assert_int_equal(keys_read(mixed), 0);
}

/* No point has y = 2, 7, 8 or 11; y = p + 3 is y = 3 in other bytes. */
static void keys_that_are_no_points_are_passed_over(void **state)
{
    static const uint8_t off_curve[] = {2, 7, 8, 11};
    uint8_t key[JOSE_PUBLIC_LEN];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(off_curve); i++) {
        memset(key, 0, sizeof(key));
        key[0] = off_curve[i];
        assert_int_equal(keys_read(key), 0);
    }
    for (int i = 0; i < 19; i++) {
        memset(key, 0xFF, sizeof(key));
        key[0] = (uint8_t)(0xED + i);
        key[31] = 0x7F;
        assert_int_equal(keys_read(key), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_vectors_of_the_standard_hold),
        cmocka_unit_test(no_bit_may_differ),
        cmocka_unit_test(neither_length_nor_another_key_will_do),
        cmocka_unit_test(signatures_of_nothing_are_refused),
        cmocka_unit_test(s_has_one_form),
        cmocka_unit_test(keys_of_small_order_sign_nothing),
        cmocka_unit_test(points_of_small_order_are_no_r),
        cmocka_unit_test(r_is_compared_as_it_stands),
        cmocka_unit_test(weak_keys_are_passed_over),
        cmocka_unit_test(keys_that_are_no_points_are_passed_over),
    };
    return cmocka_run_group_tests(tests, start_sodium, NULL);
}
