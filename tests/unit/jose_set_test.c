/* kit/jose: keys as JSON, by themselves and in sets of other people's making. */
#include "arena_fixture.h"
#include "jose_sample.h"
#include "kit/base/macros.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* The key of RFC 8037, appendix A. */
#define X   RFC_X
#define KEY "\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"" X "\""

static struct record_list read_set(const char *json, struct arena *arena)
{
    struct record_list keys;
    assert_int_equal(jose_set_read(str_of(json), arena, &keys), ERR_OK);
    return keys;
}

/* Returns how many keys a set of this one gives; the ones it gives are sound. */
static size_t count_taken(const char *jwk, struct arena *arena)
{
    struct record_list keys = read_set(arena_printf(arena, "{\"keys\":[%s]}", jwk), arena);
    const struct jose_key *key = keys.items;
    uint8_t expected[JOSE_PUBLIC_LEN];

    sodium_base642bin(expected, sizeof(expected), X, sizeof(X) - 1, NULL, NULL, NULL,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    for (size_t i = 0; i < keys.count; i++)
        assert_memory_equal(key[i].public_key, expected, sizeof(expected));
    return keys.count;
}

static void is_refused(struct str json, struct arena *arena)
{
    struct record_list keys;
    assert_int_equal(jose_set_read(json, arena, &keys), ERR_VALIDATION);
}

/* --- Keys that are shown --- */

static const char *write_keys(const struct jose_key *keys, size_t count, struct arena *arena)
{
    AUTO_BUF out = {0};
    struct json_writer writer;

    buf_init(&out, JOSE_SET_MAX);
    json_writer_init(&writer, &out);
    json_object_begin(&writer);
    json_key(&writer, "keys");
    json_array_begin(&writer);
    for (size_t i = 0; i < count; i++)
        jose_key_write(&keys[i], &writer);
    json_array_end(&writer);
    json_object_end(&writer);
    return arena_str(arena, buf_view(&out));
}

static void a_key_is_shown_without_its_secret(void **state)
{
    struct jose_signer signer = rfc_signer();

    assert_string_equal(write_keys(&signer.key, 1, *state),
                        "{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"alg\":\"EdDSA\","
                        "\"use\":\"sig\",\"kid\":\"" RFC_KID "\",\"x\":\"" X "\"}]}");
    signer.key.kid[0] = '\0';
    assert_string_equal(write_keys(&signer.key, 1, *state),
                        "{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"alg\":\"EdDSA\","
                        "\"use\":\"sig\",\"x\":\"" X "\"}]}");
}

static void keys_that_are_shown_are_read_again(void **state)
{
    enum { COUNT = 5 };
    struct jose_key shown[COUNT];

    for (size_t i = 0; i < COUNT; i++) {
        struct jose_signer signer;
        jose_signer_new(&signer);
        shown[i] = signer.key;
    }
    struct record_list keys = read_set(write_keys(shown, COUNT, *state), *state);
    assert_int_equal(keys.count, COUNT);
    assert_memory_equal(keys.items, shown, sizeof(shown));
}

/* --- One key of a set --- */

static void keys_that_verify_are_taken(void **state)
{
    static const char *const rows[] = {
        "{" KEY "}",
        "{" KEY ",\"kid\":\"k\"}",
        "{" KEY ",\"use\":\"sig\"}",
        "{" KEY ",\"alg\":\"EdDSA\"}",
        "{" KEY ",\"alg\":\"Ed25519\"}",
        "{" KEY ",\"key_ops\":[\"verify\"]}",
        "{" KEY ",\"key_ops\":[\"sign\",\"verify\"]}",
        "{" KEY ",\"x5c\":[\"MIIB\"],\"exp\":1800000000,\"note\":{\"kty\":\"RSA\"}}",
        " { \"x\" : \"" X "\" , \"crv\" : \"Ed25519\" , \"kty\" : \"OKP\" } ",
        "{\"\\u006bty\":\"OKP\",\"crv\":\"Ed2551\\u0039\",\"x\":\"" X "\"}",
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_int_equal(count_taken(rows[i], *state), 1);
}

static void keys_of_other_kinds_and_uses_are_passed_over(void **state)
{
    static const char *const rows[] = {
        "{}",
        "{\"kty\":\"oct\",\"k\":\"AAAA\",\"alg\":\"HS256\"}",
        "{\"kty\":\"RSA\",\"n\":\"AQAB\",\"e\":\"AQAB\",\"kid\":7}",
        "{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"" X "\",\"y\":\"" X "\"}",
        "{\"kty\":\"okp\",\"crv\":\"Ed25519\",\"x\":\"" X "\"}",
        "{\"kty\":\"OKP\",\"crv\":\"X25519\",\"x\":\"" X "\"}",
        "{\"kty\":\"OKP\",\"crv\":\"Ed448\",\"x\":\"" X "\"}",
        "{\"kty\":\"OKP\",\"x\":\"" X "\"}",
        "{\"crv\":\"Ed25519\",\"x\":\"" X "\"}",
        "{\"kty\":[\"OKP\"],\"crv\":\"Ed25519\",\"x\":\"" X "\"}",
        "{" KEY ",\"use\":\"enc\"}",
        "{" KEY ",\"use\":null}",
        "{" KEY ",\"alg\":\"HS256\"}",
        "{" KEY ",\"alg\":\"none\"}",
        "{" KEY ",\"alg\":\"eddsa\"}",
        "{" KEY ",\"key_ops\":[]}",
        "{" KEY ",\"key_ops\":[\"sign\"]}",
        "{" KEY ",\"key_ops\":\"verify\"}",
        "{" KEY ",\"key_ops\":[7]}",
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_int_equal(count_taken(rows[i], *state), 0);
}

static void faulty_keys_are_passed_over(void **state)
{
    static const char *const x[] = {
        "",
        X "=",
        X "A",
        X "AA",
        X " ",
        X "\\n",
        " " X,
        "\\u0000",
        X "\\u0130",
        "\xD1\x8F",
        "7",
        "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo",
        "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURp", /* an unused bit */
        "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHUR",  /* 31 bytes */
    };
    static const char *const rows[] = {
        "{\"kty\":\"OKP\",\"crv\":\"Ed25519\"}",
        "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":null}",
        "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":7}",
        "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":[\"" X "\"]}",
        "{" KEY ",\"kid\":\"\"}",
        "{" KEY ",\"kid\":7}",
        "{" KEY ",\"kid\":null}",
        "{" KEY ",\"kid\":[\"k\"]}",
    };
    struct record_list keys;

    for (size_t i = 0; i < COUNT_OF(x); i++) {
        const char *json = arena_printf(
            *state, "{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"%s\"}]}", x[i]);
        enum err err = jose_set_read(str_of(json), *state, &keys);
        /* \u0000 is no JSON to us, and takes the set with it. */
        assert_int_equal(err, strcmp(x[i], "\\u0000") == 0 ? ERR_VALIDATION : ERR_OK);
        if (!err) assert_int_equal(keys.count, 0);
    }
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_int_equal(count_taken(rows[i], *state), 0);
}

static void a_kid_has_1_to_128_characters(void **state)
{
    static const char *const characters[] = {"k", "\xD1\x8F", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"};
    struct arena *arena = *state;

    for (size_t i = 0; i < COUNT_OF(characters); i++) {
        const char *kid = "";
        for (size_t n = 0; n < JOSE_KID_MAX; n++)
            kid = arena_printf(arena, "%s%s", kid, characters[i]);
        const char *good = arena_printf(arena, "{\"keys\":[{" KEY ",\"kid\":\"%s\"}]}", kid);
        const char *bad =
            arena_printf(arena, "{\"keys\":[{" KEY ",\"kid\":\"%s%s\"}]}", kid, characters[i]);
        struct record_list keys = read_set(good, arena);
        assert_int_equal(keys.count, 1);
        assert_string_equal(((struct jose_key *)keys.items)->kid, kid);
        assert_int_equal(read_set(bad, arena).count, 0);
    }
}

/* --- Sets --- */

static void a_set_may_be_empty_or_say_more(void **state)
{
    static const struct row {
        const char *json;
        size_t count;
    } rows[] = {
        {"{\"keys\":[]}", 0},
        {" {\t\"keys\" : [\n] } ", 0},
        {"{\"a\":[{\"keys\":[1]}],\"keys\":[{" KEY "}],\"z\":{\"keys\":7}}", 1},
        {"{\"a\":\"keys\",\"keys\":[{" KEY "}]}", 1},
        {"{\"\\u006beys\":[{" KEY "}]}", 1},
        {"{\"keys\":[{\"kty\":\"RSA\",\"kid\":\"k\"},{" KEY ",\"kid\":\"k\"}]}", 1},
        {"{\"keys\":[{" KEY ",\"kid\":\"a\"},{" KEY ",\"kid\":\"b\"}]}", 2},
        {"{\"keys\":[{" KEY ",\"kid\":\"a\"},{" KEY ",\"kid\":\"A\"}]}", 2},
        {"{\"keys\":[{" KEY "},{" KEY "}]}", 2}, /* of no kid */
        {"{\"keys\":[{" KEY ",\"a\":[[{}],{\"b\":[{}]}]},{" KEY "}]}", 2},
        {"{\"keys\":[],\"x\":{\"keys\":[{" KEY "}]}}", 0},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_int_equal(read_set(rows[i].json, *state).count, rows[i].count);
}

static void what_is_no_set_is_refused(void **state)
{
    static const char *const rows[] = {
        "",
        " ",
        "null",
        "[]",
        "\"keys\"",
        "{}",
        "[{" KEY "}]",
        "{" KEY "}",
        "{\"Keys\":[]}",
        "{\"jwks\":{\"keys\":[]}}",
        "{\"keys\":null}",
        "{\"keys\":{}}",
        "{\"keys\":{\"keys\":[]}}",
        "{\"keys\":\"[]\"}",
        "{\"keys\":7}",
        "{\"keys\":[{" KEY "}]",
        "{\"keys\":[{" KEY "}]}}",
        "{\"keys\":[{" KEY "}]} x",
        "{\"keys\":[{" KEY "},]}",
        "{\"keys\":[{" KEY ",}]}",
        "{\"keys\":[{" KEY "}],\"x\":[}",
        "{\"keys\":[{" KEY "}],\"x\":1",
        "\xEF\xBB\xBF{\"keys\":[]}",
        "{\"keys\":[],\"x\":\"\xFF\"}",
        "{\"keys\":[{" KEY ",\"kid\":\"\xED\xA0\x80\"}]}",
        "<html></html>",
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        is_refused(str_of(rows[i]), *state);
    is_refused((struct str){0}, *state);
}

static void a_list_that_is_said_twice_is_refused(void **state)
{
    is_refused(str_of("{\"keys\":[],\"keys\":[]}"), *state);
    is_refused(str_of("{\"keys\":[{" KEY "}],\"\\u006beys\":[]}"), *state);
}

/* RFC 7517, section 5: whatever stands in the list beside it, a good key is taken. */
static void what_is_bad_takes_no_other_key_with_it(void **state)
{
    static const char *const bad[] = {
        "7",
        "null",
        "\"x\"",
        "[]",
        "[{" KEY "}]",
        "{}",
        "{\"kty\":\"RSA\",\"n\":\"A\",\"n\":\"B\"}",
        "{" KEY ",\"kty\":\"RSA\"}",
        "{" KEY ",\"kid\":\"a\",\"kid\":\"b\"}",
        "{" KEY ",\"more\":{\"a\":1,\"a\":2}}",
        "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"kid\":\"b\",\"x\":\"AAAA\"}",
    };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        const char *json =
            arena_printf(*state, "{\"keys\":[%s,{" KEY ",\"kid\":\"good\"},%s]}", bad[i], bad[i]);
        struct record_list keys = read_set(json, *state);
        assert_int_equal(keys.count, 1);
        assert_string_equal(((struct jose_key *)keys.items)->kid, "good");
    }
}

/* --- Several keys of one kid --- */

/* `x` NULL: that of the RFC. */
static const char *member(const char *kid, const char *x, struct arena *arena)
{
    return arena_printf(arena, "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"kid\":\"%s\",\"x\":\"%s\"}",
                        kid, x ? x : X);
}

static const char *fresh_x(struct arena *arena)
{
    struct jose_signer signer;
    char x[44];

    jose_signer_new(&signer);
    sodium_bin2base64(x, sizeof(x), signer.key.public_key, JOSE_PUBLIC_LEN,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    return arena_text(arena, x);
}

static void of_two_keys_under_one_kid_none_is_taken(void **state)
{
    struct arena *arena = *state;
    const char *json =
        arena_printf(arena, "{\"keys\":[%s,%s,%s,%s,%s]}", member("a", NULL, arena),
                     member("b", fresh_x(arena), arena), member("\\u0061", fresh_x(arena), arena),
                     member("c", fresh_x(arena), arena), member("a", NULL, arena));
    struct record_list keys = read_set(json, arena);
    const struct jose_key *key = keys.items;

    assert_int_equal(keys.count, 2);
    assert_string_equal(key[0].kid, "b");
    assert_string_equal(key[1].kid, "c");
}

static void the_same_key_twice_is_one(void **state)
{
    struct arena *arena = *state;
    const char *json = arena_printf(arena, "{\"keys\":[%s,%s,%s]}", member("a", NULL, arena),
                                    member("b", NULL, arena), member("a", NULL, arena));
    struct record_list keys = read_set(json, arena);
    const struct jose_key *key = keys.items;

    assert_int_equal(keys.count, 2); /* one key may go by two names */
    assert_string_equal(key[0].kid, "a");
    assert_string_equal(key[1].kid, "b");
}

static const char *set_of(int count, struct arena *arena)
{
    const char *json = "{\"keys\":[";

    for (int i = 0; i < count; i++)
        json = arena_printf(arena, "%s%s{" KEY ",\"kid\":\"k%d\"}", json, i > 0 ? "," : "", i);
    return arena_printf(arena, "%s]}", json);
}

static void a_set_has_at_most_100_keys(void **state)
{
    struct record_list keys = read_set(set_of(JOSE_KEYS_MAX, *state), *state);

    assert_int_equal(keys.count, JOSE_KEYS_MAX);
    assert_string_equal(((struct jose_key *)keys.items)[JOSE_KEYS_MAX - 1].kid, "k99");
    is_refused(str_of(set_of(JOSE_KEYS_MAX + 1, *state)), *state);
}

static void a_set_has_a_largest_size(void **state)
{
    const char *key = "{\"keys\":[{" KEY "}]}";
    const char *largest = arena_printf(*state, "%-*s", JOSE_SET_MAX, key);

    assert_int_equal(strlen(largest), JOSE_SET_MAX);
    assert_int_equal(read_set(largest, *state).count, 1);
    is_refused(str_of(arena_printf(*state, "%s ", largest)), *state);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, arena_begin, arena_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_key_is_shown_without_its_secret),
        TEST(keys_that_are_shown_are_read_again),
        TEST(keys_that_verify_are_taken),
        TEST(keys_of_other_kinds_and_uses_are_passed_over),
        TEST(faulty_keys_are_passed_over),
        TEST(a_kid_has_1_to_128_characters),
        TEST(a_set_may_be_empty_or_say_more),
        TEST(what_is_no_set_is_refused),
        TEST(a_list_that_is_said_twice_is_refused),
        TEST(what_is_bad_takes_no_other_key_with_it),
        TEST(of_two_keys_under_one_kid_none_is_taken),
        TEST(the_same_key_twice_is_one),
        TEST(a_set_has_at_most_100_keys),
        TEST(a_set_has_a_largest_size),
    };
    return cmocka_run_group_tests(tests, start_sodium, NULL);
}
