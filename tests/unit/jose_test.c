/*
 * kit/jose: keys and tokens. Tokens that must be refused are signed well, so that nothing but what
 * is wrong with them can be the reason.
 */
#include "arena_fixture.h"
#include "jose_sample.h"
#include "kit/base/macros.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { BASE64URL = sodium_base64_VARIANT_URLSAFE_NO_PADDING };

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static const char rfc_jwk[] = "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"" RFC_X "\"}";

/* --- Making tokens by hand --- */

static const char *encode(struct str bytes, struct arena *arena)
{
    size_t size = sodium_base64_encoded_len(bytes.len, BASE64URL);
    char *text = arena_alloc(arena, size);
    return sodium_bin2base64(text, size, (const uint8_t *)bytes.data, bytes.len, BASE64URL);
}

static const char *sign_parts(const char *header, const char *claims, struct arena *arena)
{
    struct jose_signer signer = rfc_signer();
    uint8_t signature[JOSE_SIGNATURE_LEN];
    const char *signing = arena_printf(arena, "%s.%s", header, claims);

    crypto_sign_detached(signature, NULL, (const uint8_t *)signing, strlen(signing),
                         signer.expanded);
    struct str bytes = {(const char *)signature, sizeof(signature)};
    return arena_printf(arena, "%s.%s", signing, encode(bytes, arena));
}

static const char *sign_header(struct str header, struct arena *arena)
{
    return sign_parts(encode(header, arena), encode(STR("{\"sub\":\"a\"}"), arena), arena);
}

static bool is_parsed(struct str text, struct arena *arena)
{
    struct jose_token token;
    enum err err = jose_parse(text, arena, &token);

    assert_true(err == ERR_OK || err == ERR_UNAUTHORIZED);
    return err == ERR_OK;
}

static bool is_signed(const char *text, struct arena *arena)
{
    struct jose_signer signer = rfc_signer();
    struct jose_token token;

    return jose_parse(str_of(text), arena, &token) == ERR_OK && jose_verify(&token, &signer.key);
}

/* --- Keys --- */

static void a_key_is_the_one_of_its_seed(void **state)
{
    struct jose_signer signer = rfc_signer();
    struct str key = {(const char *)signer.key.public_key, JOSE_PUBLIC_LEN};

    assert_string_equal(encode(key, *state), RFC_X);
    assert_string_equal(signer.key.kid, RFC_KID);
    assert_memory_equal(signer.seed, rfc_seed, JOSE_SEED_LEN);
    assert_memory_equal(signer.expanded, rfc_seed, JOSE_SEED_LEN);
    assert_memory_equal(signer.expanded + JOSE_SEED_LEN, key.data, JOSE_PUBLIC_LEN);
}

static void a_new_key_is_like_no_other_and_signs(void **state)
{
    struct jose_signer one, other, again;
    struct jose_token token;

    jose_signer_new(&one);
    jose_signer_new(&other);
    assert_memory_not_equal(one.seed, other.seed, JOSE_SEED_LEN);
    assert_string_not_equal(one.key.kid, other.key.kid);
    jose_signer_from_seed(one.seed, &again);
    assert_memory_equal(&one, &again, sizeof(one));

    const char *text = jose_sign(&one, "at+jwt", STR("{}"), *state);
    assert_int_equal(jose_parse(str_of(text), *state, &token), ERR_OK);
    assert_true(jose_verify(&token, &one.key));
    assert_false(jose_verify(&token, &other.key));
}

/* --- Tokens --- */

/* Appendix A.4; the signature is the only one that this key makes of it. */
static void the_token_of_the_standard_verifies(void **state)
{
    static const char text[] =
        "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc."
        "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";
    struct jose_signer signer = rfc_signer();
    struct jose_token token;

    assert_int_equal(jose_parse(STR(text), *state, &token), ERR_OK);
    assert_true(str_is(token.claims, "Example of Ed25519 signing"));
    assert_null(token.kid);
    assert_null(token.typ);
    assert_ptr_equal(token.signing.data, text);
    assert_int_equal(token.signing.len, strrchr(text, '.') - text);
    assert_true(jose_verify(&token, &signer.key));
    assert_string_equal(sign_header(STR("{\"alg\":\"EdDSA\"}"), *state),
                        sign_parts("eyJhbGciOiJFZERTQSJ9", "eyJzdWIiOiJhIn0", *state));
}

/* The signature was made by another program. */
static void a_token_has_the_header_that_all_understand(void **state)
{
    struct jose_signer signer = rfc_signer();
    struct str claims = STR("{\"iss\":\"https://id.test\",\"sub\":\"client-1\"}");
    struct jose_token token;

    const char *text = jose_sign(&signer, "at+jwt", claims, *state);
    assert_string_equal(
        text, "eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCIsImtpZCI6ImtQcktfcW14VldhWVZBOXd3QkY2SXVvM3ZW"
              "eno3VHhIQ1R3WEJ5Z3JTNGsifQ"
              ".eyJpc3MiOiJodHRwczovL2lkLnRlc3QiLCJzdWIiOiJjbGllbnQtMSJ9"
              ".eV8c_9R2dbVQVc-kmH87tyExx-1yzwXoZvi9nHi1UI8GW7x0yaCzlJ3HB2QtB-0VXZRdGYQ7YacphLAGV8E"
              "ECg");
    assert_int_equal(jose_parse(str_of(text), *state, &token), ERR_OK);
    assert_string_equal(token.typ, "at+jwt");
    assert_string_equal(token.kid, RFC_KID);
    assert_true(str_is(token.claims, claims.data));
    assert_true(jose_verify(&token, &signer.key));
}

static void every_character_of_a_token_counts(void **state)
{
    struct jose_signer signer = rfc_signer();
    struct arena *arena = *state;
    char *text = arena_text(arena, jose_sign(&signer, "JWT", STR("{\"sub\":\"a\"}"), arena));

    for (size_t i = 0; text[i]; i++) {
        char kept = text[i];
        text[i] = kept == 'A' ? 'B' : 'A';
        assert_false(is_signed(text, arena));
        text[i] = kept;
    }
    for (size_t len = 0; text[len]; len++)
        assert_false(is_parsed((struct str){text, len}, arena));
    assert_true(is_signed(text, arena));
}

static void claims_are_any_bytes(void **state)
{
    struct arena *arena = *state;
    struct jose_token token;
    uint8_t bytes[256];

    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)i;
    for (size_t len = 1; len <= sizeof(bytes); len++) {
        const char *claims = encode((struct str){(const char *)bytes, len}, arena);
        const char *text = sign_parts("eyJhbGciOiJFZERTQSJ9", claims, arena);
        assert_int_equal(jose_parse(str_of(text), arena, &token), ERR_OK);
        assert_int_equal(token.claims.len, len);
        assert_memory_equal(token.claims.data, bytes, len);
        assert_int_equal(token.claims.data[len], '\0');
    }
}

/* --- Headers --- */

static void headers_that_say_no_more_than_they_may_are_taken(void **state)
{
    static const char *const headers[] = {
        "{\"alg\":\"EdDSA\"}",
        "{\"alg\":\"Ed25519\"}",
        " {\n\t\"alg\" : \"EdDSA\" } ",
        "{\"\\u0061lg\":\"E\\u0064DSA\"}",
        "{\"alg\":\"EdDSA\",\"typ\":\"JWT\",\"kid\":\"k\"}",
        "{\"alg\":\"EdDSA\",\"cty\":\"x\",\"ext\":{\"jwk\":{\"crit\":[1,null,true]}}}",
        "{\"alg\":\"EdDSA\",\"a\":{\"alg\":\"none\"}}",
        "{\"alg\":\"EdDSA\",\"typ\":\"\"}",
        "{\"alg\":\"EdDSA\",\"note\":\"\\ud83d\\ude00 \xF0\x9F\x98\x80\"}",
        "{\"alg\":\"EdDSA\",\"ALG\":\"none\",\"Crit\":[\"x\"]}",
    };
    for (size_t i = 0; i < COUNT_OF(headers); i++)
        assert_true(is_signed(sign_header(str_of(headers[i]), *state), *state));
}

static void no_other_algorithm_is_taken(void **state)
{
    static const char *const headers[] = {
        "{}",
        "{\"typ\":\"JWT\"}",
        "{\"alg\":\"none\"}",
        "{\"alg\":\"None\"}",
        "{\"alg\":\"\"}",
        "{\"alg\":\"HS256\"}",
        "{\"alg\":\"HS512\"}",
        "{\"alg\":\"RS256\"}",
        "{\"alg\":\"PS256\"}",
        "{\"alg\":\"ES256\"}",
        "{\"alg\":\"ES256K\"}",
        "{\"alg\":\"Ed448\"}",
        "{\"alg\":\"ECDH-ES\"}",
        "{\"alg\":\"eddsa\"}",
        "{\"alg\":\"EDDSA\"}",
        "{\"alg\":\"EdDSA \"}",
        "{\"alg\":\" EdDSA\"}",
        "{\"alg\":\"EdDS\"}",
        "{\"alg\":\"EdDSAx\"}",
        "{\"alg\":\"ed25519\"}",
        "{\"alg\":\"\\u0415dDSA\"}",
        "{\"alg\":null}",
        "{\"alg\":1}",
        "{\"alg\":true}",
        "{\"alg\":[\"EdDSA\"]}",
        "{\"alg\":{\"alg\":\"EdDSA\"}}",
        "{\"Alg\":\"EdDSA\"}",
        "{\"header\":{\"alg\":\"EdDSA\"}}",
    };
    for (size_t i = 0; i < COUNT_OF(headers); i++)
        assert_false(is_parsed(str_of(sign_header(str_of(headers[i]), *state)), *state));
}

/* A member that must be understood is refused, and one that need not be is passed over (RFC 7515,
 * section 4), whatever its value. */
static void a_header_asks_for_no_rules_of_its_own(void **state)
{
    static const struct {
        const char *name;
        bool is_taken;
    } members[] = {{"crit", false}, {"b64", false}, {"\\u0063rit", false},
                   {"jwk", true},   {"jku", true},  {"x5u", true},
                   {"x5c", true},   {"x5t", true},  {"x5t#S256", true}};
    static const char *const values[] = {
        "null", "true",      "false", "0",     "\"\"", "\"https://id.test/jwks.json\"",
        "[]",   "[\"exp\"]", "{}",    rfc_jwk,
    };
    struct arena *arena = *state;

    for (size_t i = 0; i < COUNT_OF(members) * COUNT_OF(values); i++) {
        const char *name = members[i / COUNT_OF(values)].name,
                   *value = values[i % COUNT_OF(values)];
        bool is_taken = members[i / COUNT_OF(values)].is_taken;
        const char *last = arena_printf(arena, "{\"alg\":\"EdDSA\",\"%s\":%s}", name, value);
        const char *first = arena_printf(arena, "{\"%s\":%s,\"alg\":\"EdDSA\"}", name, value);
        if (is_parsed(str_of(sign_header(str_of(last), arena)), arena) != is_taken ||
            is_parsed(str_of(sign_header(str_of(first), arena)), arena) != is_taken)
            fail_msg("%s", last);
    }
}

static void a_header_is_one_object_of_sound_json(void **state)
{
    static const char *const headers[] = {
        "{\"alg\":\"EdDSA\",\"alg\":\"none\"}",
        "{\"alg\":\"none\",\"alg\":\"EdDSA\"}",
        "{\"alg\":\"EdDSA\",\"\\u0061lg\":\"EdDSA\"}",
        "{\"alg\":\"EdDSA\",\"kid\":\"a\",\"kid\":\"b\"}",
        "{\"alg\":\"EdDSA\",\"x\":1,\"x\":1}",
        "{\"alg\":\"EdDSA\",\"x\":{\"y\":1,\"y\":1}}",
        "[{\"alg\":\"EdDSA\"}]",
        "\"EdDSA\"",
        "null",
        " ",
        "{\"alg\":\"EdDSA\"",
        "{\"alg\":\"EdDSA\"}}",
        "{\"alg\":\"EdDSA\"}{}",
        "{\"alg\":\"EdDSA\"} x",
        "{\"alg\":\"EdDSA\",}",
        "{'alg':'EdDSA'}",
        "{alg:\"EdDSA\"}",
        "{\"alg\":\"EdDSA\"/**/}",
        "\xEF\xBB\xBF{\"alg\":\"EdDSA\"}",
        "{\"alg\":\"EdDSA\",\"x\":\"\xFF\"}",
        "{\"alg\":\"EdDSA\",\"x\":\"\xC0\x80\"}",
        "{\"alg\":\"EdDSA\",\"x\":\"\xED\xA0\x80\"}",
        "{\"alg\":\"EdDSA\",\"x\":\"\\ud800\"}",
        "{\"alg\":\"EdDSA\",\"x\":\"\\u0000\"}",
        "{\"alg\":\"EdDSA\",\"x\":\"\n\"}",
        "{\"alg\":\"EdDSA\",\"typ\":1}",
        "{\"alg\":\"EdDSA\",\"typ\":null}",
    };
    static const struct str with_nul[] = {{"{\"alg\":\"EdDSA\"}\0", 16},
                                          {"\0{\"alg\":\"EdDSA\"}", 16},
                                          {"{\"alg\":\"EdDSA\0\"}", 16}};

    for (size_t i = 0; i < COUNT_OF(headers); i++)
        assert_false(is_parsed(str_of(sign_header(str_of(headers[i]), *state)), *state));
    for (size_t i = 0; i < COUNT_OF(with_nul); i++)
        assert_false(is_parsed(str_of(sign_header(with_nul[i], *state)), *state));
}

/* --- Key ids --- */

static const char *repeat(const char *text, size_t count, struct arena *arena)
{
    AUTO_BUF all = {0};

    buf_init(&all, JOSE_SET_MAX);
    for (size_t i = 0; i < count; i++)
        buf_text(&all, text);
    return arena_str(arena, buf_view(&all));
}

static const char *sign_kid(const char *json, struct arena *arena)
{
    const char *header = arena_printf(arena, "{\"alg\":\"EdDSA\",\"kid\":%s}", json);
    return sign_header(str_of(header), arena);
}

static void a_kid_has_1_to_128_characters(void **state)
{
    static const char *const characters[] = {"k", "\xD1\x8F", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"};
    struct arena *arena = *state;
    struct jose_token token;

    for (size_t i = 0; i < COUNT_OF(characters); i++) {
        const char *kid = repeat(characters[i], JOSE_KID_MAX, arena);
        const char *good = sign_kid(arena_printf(arena, "\"%s\"", kid), arena);
        const char *bad = sign_kid(arena_printf(arena, "\"%s%s\"", kid, characters[i]), arena);
        assert_int_equal(jose_parse(str_of(good), arena, &token), ERR_OK);
        assert_string_equal(token.kid, kid);
        assert_false(is_parsed(str_of(bad), arena));
    }
}

static void a_kid_is_a_string_and_no_more(void **state)
{
    static const char *const refused[] = {"\"\"",    "null", "7",           "true",
                                          "[\"k\"]", "{}",   "\"\\u0000\"", "\"a\\u0000b\""};
    static const char *const taken[][2] = {
        {"\"../../etc/passwd\"", "../../etc/passwd"},
        {"\"' OR 1=1 --\"", "' OR 1=1 --"},
        {"\"\\u0442\\n\"", "\xD1\x82\n"},
        {"\" k \"", " k "},
    };
    struct jose_token token;

    for (size_t i = 0; i < COUNT_OF(refused); i++)
        assert_false(is_parsed(str_of(sign_kid(refused[i], *state)), *state));
    for (size_t i = 0; i < COUNT_OF(taken); i++) {
        const char *text = sign_kid(taken[i][0], *state);
        assert_int_equal(jose_parse(str_of(text), *state, &token), ERR_OK);
        assert_string_equal(token.kid, taken[i][1]);
    }
}

/* --- The three parts --- */

/* The pattern with the parts of a good token in place of H, C and S. */
static const char *fill(const char *pattern, const char *const parts[static 3], struct arena *arena)
{
    const char *text = "";

    for (const char *at = pattern; *at; at++) {
        const char *names = "HCS", *found = strchr(names, *at);
        text = found ? arena_printf(arena, "%s%s", text, parts[found - names])
                     : arena_printf(arena, "%s%c", text, *at);
    }
    return text;
}

static void a_token_has_three_parts_and_nothing_else(void **state)
{
    static const char *const patterns[] = {
        "",
        ".",
        "..",
        "...",
        "H",
        "HCS",
        "H.C",
        "H.C.",
        "H..S",
        ".C.S",
        "H..",
        ".C.",
        "..S",
        "H.C.S.",
        "H.C.S.S",
        "H.C..S",
        "H..C.S",
        ".H.C.S",
        "H.C.S.H.C",
        "H.C.S.a.b.c",
        "C.H.S",
        "S.C.H",
        "H,C,S",
        "H.C,S",
        "H.C.S=",
        "H.C.S==",
        "H=.C.S",
        "H.C=.S",
        "H.C==.S",
        " H.C.S",
        "H.C.S ",
        "H .C.S",
        "H. C.S",
        "H.C. S",
        "H.C.S\n",
        "H.C.S\r\n",
        "\nH.C.S",
        "H\n.C.S",
        "H.C\t.S",
        "H.C.S,",
        "\"H.C.S\"",
        "H.C.S%3D",
        "H%2EC.S",
        "x H.C.S",
        "H.C.SA",
        "H.C.AS",
        "H.C.S, H.C.S",
        "AH.C.S",
        "{\"payload\":\"C\",\"protected\":\"H\",\"signature\":\"S\"}",
        "{\"payload\":\"C\",\"signatures\":[{\"protected\":\"H\",\"signature\":\"S\"}]}",
        "\xEF\xBB\xBFH.C.S",
    };
    struct arena *arena = *state;
    char *good = arena_text(arena, sign_header(STR("{\"alg\":\"EdDSA\"}"), arena));
    const char *parts[3] = {strtok(good, "."), strtok(NULL, "."), strtok(NULL, ".")};

    assert_true(is_signed(fill("H.C.S", parts, arena), arena));
    for (size_t i = 0; i < COUNT_OF(patterns); i++)
        assert_false(is_parsed(str_of(fill(patterns[i], parts, arena)), arena));
    assert_false(is_parsed((struct str){0}, arena));
    const char *text = fill("H.C.S", parts, arena);
    assert_false(is_parsed((struct str){text, strlen(text) + 1}, arena));
}

/* Each byte in a place where every character of the alphabet is sound. */
static void base64url_has_64_characters(void **state)
{
    struct arena *arena = *state;
    char claims[] = "AAAA";

    for (int c = 1; c < 256; c++) {
        claims[1] = (char)c;
        const char *text = sign_parts("eyJhbGciOiJFZERTQSJ9", claims, arena);
        assert_int_equal(is_signed(text, arena), strchr(alphabet, c) != NULL);
    }
    char *text = arena_text(arena, sign_parts("eyJhbGciOiJFZERTQSJ9", "AAAA", arena));
    text[22] = '\0';
    assert_false(is_parsed((struct str){text, 20 + 1 + 4 + 1 + 86}, arena));
}

/* Bits that are no part of a byte are zero, so a text of bytes has one form. */
static void unused_bits_are_zero(void **state)
{
    struct arena *arena = *state;
    char one[] = "AA", two[] = "AAA";
    size_t ones = 0, twos = 0, signatures = 0;
    char *text = arena_text(arena, sign_header(STR("{\"alg\":\"EdDSA\"}"), arena));
    char *last = text + strlen(text) - 1;

    for (const char *c = alphabet; *c; c++) {
        one[1] = two[2] = *last = *c;
        ones += is_parsed(str_of(sign_parts("eyJhbGciOiJFZERTQSJ9", one, arena)), arena);
        twos += is_parsed(str_of(sign_parts("eyJhbGciOiJFZERTQSJ9", two, arena)), arena);
        signatures += is_parsed(str_of(text), arena);
    }
    assert_int_equal(ones, 4);
    assert_int_equal(twos, 16);
    assert_int_equal(signatures, 4);
    assert_false(is_parsed(str_of(sign_parts("eyJhbGciOiJFZERTQSJ9", "A", arena)), arena));
    assert_false(is_parsed(str_of(sign_parts("eyJhbGciOiJFZERTQSJ9", "AAAAA", arena)), arena));
}

static void a_signature_has_64_bytes(void **state)
{
    static const size_t lens[] = {1, 32, 63, 64, 65, 66, 96, 128};
    struct arena *arena = *state;
    const char zeros[128] = {0};

    for (size_t i = 0; i < COUNT_OF(lens); i++) {
        const char *signature = encode((struct str){zeros, lens[i]}, arena);
        const char *text = arena_printf(arena, "eyJhbGciOiJFZERTQSJ9.AAAA.%s", signature);
        assert_int_equal(is_parsed(str_of(text), arena), lens[i] == JOSE_SIGNATURE_LEN);
    }
}

/* Spaces in the header make up for the lengths that no claims have. */
static const char *sign_of_length(size_t len, struct arena *arena)
{
    for (int spaces = 0; spaces < 4; spaces++) {
        const char *header = arena_printf(arena, "{\"alg\":\"EdDSA\"%*s}", spaces, "");
        const char *part = encode(str_of(header), arena);
        size_t claims_len = len - strlen(part) - 1 - 1 - 86;
        if (claims_len % 4 != 1) return sign_parts(part, repeat("A", claims_len, arena), arena);
    }
    return NULL;
}

static void a_token_has_a_longest_length(void **state)
{
    const char *longest = sign_of_length(JOSE_TOKEN_MAX, *state);
    const char *longer = sign_of_length(JOSE_TOKEN_MAX + 1, *state);

    assert_int_equal(strlen(longest), JOSE_TOKEN_MAX);
    assert_int_equal(strlen(longer), JOSE_TOKEN_MAX + 1);
    assert_true(is_signed(longest, *state));
    assert_false(is_parsed(str_of(longer), *state));
}

static void deep_and_crowded_headers_are_refused_or_read_in_bounds(void **state)
{
    struct arena *arena = *state;
    const char *brackets = repeat("[", 64, arena), *ends = repeat("]", 64, arena);
    const char *deep = arena_printf(arena, "{\"alg\":\"EdDSA\",\"x\":%s%s}", brackets, ends);
    const char *less =
        arena_printf(arena, "{\"alg\":\"EdDSA\",\"x\":%s%s}", brackets + 1, ends + 1);
    const char *doubles = repeat("\"a\":0,", 900, arena);
    const char *crowd = arena_printf(arena, "{%s\"alg\":\"EdDSA\"}", doubles);

    assert_false(is_parsed(str_of(sign_header(str_of(deep), arena)), arena));
    assert_true(is_parsed(str_of(sign_header(str_of(less), arena)), arena));
    assert_false(is_parsed(str_of(sign_header(str_of(crowd), arena)), arena));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, arena_begin, arena_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_key_is_the_one_of_its_seed),
        TEST(a_new_key_is_like_no_other_and_signs),
        TEST(the_token_of_the_standard_verifies),
        TEST(a_token_has_the_header_that_all_understand),
        TEST(every_character_of_a_token_counts),
        TEST(claims_are_any_bytes),
        TEST(headers_that_say_no_more_than_they_may_are_taken),
        TEST(no_other_algorithm_is_taken),
        TEST(a_header_asks_for_no_rules_of_its_own),
        TEST(a_header_is_one_object_of_sound_json),
        TEST(a_kid_has_1_to_128_characters),
        TEST(a_kid_is_a_string_and_no_more),
        TEST(a_token_has_three_parts_and_nothing_else),
        TEST(base64url_has_64_characters),
        TEST(unused_bits_are_zero),
        TEST(a_signature_has_64_bytes),
        TEST(a_token_has_a_longest_length),
        TEST(deep_and_crowded_headers_are_refused_or_read_in_bounds),
    };
    return cmocka_run_group_tests(tests, start_sodium, NULL);
}
