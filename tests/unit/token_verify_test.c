/* Checking tokens: header, signature, size, and what is remembered of them (contract, section 4).
 * What a token may say: token_claims_test. */
#include "token_forge.h"

/* --- Headers ---------------------------------------------------------------------------------- */

static bool is_good_under(struct scene *scene, const char *header)
{
    const char *claims = claims_with(&scene->arena, NULL);
    return is_good(scene, forge_token(&scene->arena, &scene->signer, header, claims));
}

static bool is_good_typ(struct scene *scene, const char *typ)
{
    return is_good_under(scene, arena_printf(&scene->arena,
                                             "{\"alg\":\"EdDSA\",\"typ\":%s,\"kid\":\"%s\"}", typ,
                                             scene->signer.key.kid));
}

static void the_type_is_that_of_access_tokens(void **state)
{
    static const char *const good[] = {"\"at+jwt\"", "\"AT+JWT\"", "\"application/at+jwt\"",
                                       "\"Application/At+Jwt\""};
    static const char *const bad[] = {"\"JWT\"",
                                      "\"jwt\"",
                                      "\"at+jw\"",
                                      "\"at+jwt2\"",
                                      "\" at+jwt\"",
                                      "\"dpop+jwt\"",
                                      "\"\"",
                                      "7",
                                      "null",
                                      "[\"at+jwt\"]",
                                      "\"text/at+jwt\"",
                                      "\"application/application/at+jwt\""};

    for (size_t i = 0; i < COUNT_OF(good); i++)
        assert_true(is_good_typ(*state, good[i]));
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        if (is_good_typ(*state, bad[i])) fail_msg("typ %s is taken", bad[i]);
    }
}

/* Contract, section 4, rule 1. */
static void an_outside_service_may_write_the_plain_type(void **state)
{
    static const char *const plain[] = {"\"JWT\"", "\"jwt\"", "\"application/jwt\""};
    static const char *const bad[] = {"\"JWTs\"", "\"dpop+jwt\"", "\"\"", "null"};
    struct scene *scene = *state;

    scene->verifier.takes_plain_jwt = true;
    for (size_t i = 0; i < COUNT_OF(plain); i++)
        assert_true(is_good_typ(scene, plain[i]));
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        assert_false(is_good_typ(scene, bad[i]));
    assert_true(is_good_typ(scene, "\"at+jwt\""));
}

static void any_wrong_header_is_refused(void **state)
{
    static const char *const rows[] = {
        /* %s is the kid */
        "{\"alg\":\"EdDSA\",\"kid\":\"%s\"}",
        "{\"typ\":\"at+jwt\",\"kid\":\"%s\"}",
        "{\"alg\":\"none\",\"typ\":\"at+jwt\",\"kid\":\"%s\"}",
        "{\"alg\":\"HS256\",\"typ\":\"at+jwt\",\"kid\":\"%s\"}",
        "{\"alg\":\"ES256\",\"typ\":\"at+jwt\",\"kid\":\"%s\"}",
        "{\"alg\":\"eddsa\",\"typ\":\"at+jwt\",\"kid\":\"%s\"}",
        "{\"alg\":\"EdDSA\",\"typ\":\"at+jwt\",\"kid\":\"%s\",\"crit\":[\"exp\"]}",
        "{\"alg\":\"EdDSA\",\"typ\":\"at+jwt\",\"kid\":\"%s\",\"b64\":true}",
        "{\"alg\":\"EdDSA\",\"typ\":\"at+jwt\",\"kid\":\"%s\",\"kid\":\"a\"}",
        "[\"%s\"]"};
    struct scene *scene = *state;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *half = strstr(rows[i], "%s");
        const char *header = arena_printf(&scene->arena, "%.*s%s%s", (int)(half - rows[i]), rows[i],
                                          scene->signer.key.kid, half + 2);
        if (is_good_under(scene, header)) fail_msg("%s is taken", header);
        assert_false(scene->is_key_unknown);
    }
    assert_true(is_good_under(scene, arena_printf(&scene->arena,
                                                  "{\"alg\":\"Ed25519\",\"typ\":\"at+jwt\","
                                                  "\"kid\":\"%s\",\"cty\":\"x\",\"x5t\":\"a\"}",
                                                  scene->signer.key.kid)));
}

static void only_a_kid_that_is_not_known_asks_for_a_fresh_key_set(void **state)
{
    struct scene *scene = *state;

    assert_false(is_good_under(scene, "{\"alg\":\"EdDSA\",\"typ\":\"at+jwt\",\"kid\":\"other\"}"));
    assert_true(scene->is_key_unknown);
    assert_false(is_good_under(scene, "{\"alg\":\"EdDSA\",\"typ\":\"at+jwt\"}"));
    assert_false(scene->is_key_unknown);
    assert_false(is_good_under(scene, "{\"alg\":\"EdDSA\",\"typ\":\"JWT\",\"kid\":\"other\"}"));
    assert_false(scene->is_key_unknown);
    assert_false(is_good(scene, "a.b.c"));
    assert_false(scene->is_key_unknown);
}

/* --- Signatures ------------------------------------------------------------------------------- */

static void a_token_of_another_key_is_refused(void **state)
{
    struct scene *scene = *state;
    struct jose_signer thief;
    const char *claims = claims_with(&scene->arena, NULL);

    jose_signer_new(&thief);
    const char *header = forge_header(&scene->arena, &scene->signer); /* our kid, its key */
    assert_false(is_good(scene, forge_token(&scene->arena, &thief, header, claims)));
    assert_false(scene->is_key_unknown);
}

/* Every character, one at a time, by its neighbour. */
static void a_changed_token_is_refused(void **state)
{
    struct scene *scene = *state;
    const char *good = good_token(scene);

    assert_true(is_good(scene, good));
    for (size_t i = 0; i < strlen(good); i++) {
        char *changed = arena_text(&scene->arena, good);
        changed[i] = changed[i] == 'A' ? 'B' : 'A';
        if (is_good(scene, changed)) fail_msg("changed at %zu", i);
    }
    for (size_t len = 0; len < strlen(good); len += 7)
        assert_false(is_good(scene, arena_str(&scene->arena, (struct str){good, len})));
    assert_false(is_good(scene, arena_printf(&scene->arena, "%s ", good)));
    assert_false(is_good(scene, arena_printf(&scene->arena, "%s=", good)));
    assert_false(is_good(scene, arena_printf(&scene->arena, "%s.", good)));
}

static void a_longer_token_is_refused(void **state)
{
    struct scene *scene = *state;
    size_t longest = 0;

    for (int pad = 5000; pad < 6200; pad++) {
        const char *value = arena_printf(&scene->arena, "\"%0*d\"", pad, 0);
        const char *token =
            token_of(scene, claims_with(&scene->arena, &(struct claim){"pad", value}));
        size_t len = strlen(token);
        assert_int_equal(is_good(scene, token), len <= JOSE_TOKEN_MAX);
        if (len > JOSE_TOKEN_MAX) break;
        longest = len;
    }
    assert_true(longest >= JOSE_TOKEN_MAX - 1); /* not every length exists in base64 */
}

static void no_text_is_no_token(void **state)
{
    struct scene *scene = *state;
    struct token_claims claims;

    assert_int_equal(token_verify(&scene->verifier, (struct str){0}, NOW_MS, &scene->arena, &claims,
                                  &scene->refusal),
                     ERR_UNAUTHORIZED);
    assert_false(is_good(scene, ""));
    assert_false(is_good(scene, ".."));
}

/* --- Why it is refused ------------------------------------------------------------------------ */

static void check_fault(struct scene *scene, const char *token, enum token_fault fault,
                        const char *client_id)
{
    assert_false(is_good(scene, token));
    assert_string_equal(token_fault_words[scene->refusal.fault], token_fault_words[fault]);
    if (client_id)
        assert_string_equal(scene->refusal.client_id, client_id);
    else
        assert_null(scene->refusal.client_id);
}

static const char *with_header(struct scene *scene, const char *header)
{
    const char *claims = claims_with(&scene->arena, NULL);
    return forge_token(&scene->arena, &scene->signer, header, claims);
}

/* A token that is not signed well names nobody. */
static void a_refusal_has_a_cause(void **state)
{
    struct scene *scene = *state;
    struct jose_signer thief;

    jose_signer_new(&thief);
    const char *stolen =
        forge_token(&scene->arena, &thief, forge_header(&scene->arena, &scene->signer),
                    claims_with(&scene->arena, NULL));
    check_fault(scene, "", TOKEN_MALFORMED, NULL);
    check_fault(scene, "a.b.c", TOKEN_MALFORMED, NULL);
    check_fault(scene, with_header(scene, "{\"alg\":\"none\",\"typ\":\"at+jwt\",\"kid\":\"k\"}"),
                TOKEN_MALFORMED, NULL);
    check_fault(scene, with_header(scene, "{\"alg\":\"EdDSA\",\"typ\":\"at+jwt\"}"),
                TOKEN_MALFORMED, NULL);
    check_fault(scene, with_header(scene, "{\"alg\":\"EdDSA\",\"typ\":\"JWT\",\"kid\":\"k\"}"),
                TOKEN_WRONG_TYPE, NULL);
    check_fault(scene, with_header(scene, "{\"alg\":\"EdDSA\",\"typ\":\"at+jwt\",\"kid\":\"k\"}"),
                TOKEN_UNKNOWN_KEY, NULL);
    check_fault(scene, stolen, TOKEN_BAD_SIGNATURE, NULL);
}

static void a_refusal_of_a_good_signature_names_the_client(void **state)
{
    static const struct {
        struct claim change;
        enum token_fault fault;
    } rows[] = {
        {{"iss", "\"https://other.example\""}, TOKEN_WRONG_ISSUER},
        {{"aud", "\"other\""}, TOKEN_WRONG_AUDIENCE},
        {{"aud", NULL}, TOKEN_WRONG_AUDIENCE},
        {{"exp", "1795235580"}, TOKEN_EXPIRED},
        {{"nbf", "1795235611"}, TOKEN_NOT_YET_VALID},
        {{"iat", "1795235611"}, TOKEN_NOT_YET_VALID},
        {{"sub", "\"" OTHER_ID "\""}, TOKEN_BAD_CLAIMS},
        {{"scope", "\"  \""}, TOKEN_BAD_CLAIMS},
        {{"exp", NULL}, TOKEN_BAD_CLAIMS},
    };
    struct scene *scene = *state;

    for (size_t i = 0; i < COUNT_OF(rows); i++)
        check_fault(scene, token_of(scene, claims_with(&scene->arena, &rows[i].change)),
                    rows[i].fault, CLIENT_ID);
    check_fault(scene,
                token_of(scene, claims_with(&scene->arena, &(struct claim){"tenant_id", "7"})),
                TOKEN_BAD_CLAIMS, NULL);
    check_fault(scene, token_of(scene, "[]"), TOKEN_BAD_CLAIMS, NULL);
}

/* --- The cache and the keys ------------------------------------------------------------------- */

/* A verifier that expects another issuer shows whether the last check came from the cache. */
static bool is_remembered(struct scene *scene, const char *token)
{
    scene->verifier.issuer = "https://other.example";
    bool is_it = is_good(scene, token);
    scene->verifier.issuer = ISSUER;
    return is_it;
}

static void a_good_token_is_remembered_and_a_bad_one_is_not(void **state)
{
    struct scene *scene = *state;
    const char *token = good_token(scene);

    assert_false(is_remembered(scene, token));
    assert_false(is_remembered(scene, token));
    assert_true(is_good(scene, token));
    assert_true(is_remembered(scene, token));
}

static void a_token_of_a_key_that_is_gone_is_refused(void **state)
{
    struct scene *scene = *state;
    const char *token = good_token(scene);
    struct jose_signer other;

    assert_true(is_good(scene, token));
    jose_signer_new(&other);
    trust(scene, &other.key, 1);
    assert_false(is_good(scene, token));
    assert_true(scene->is_key_unknown);
    trust(scene, NULL, 0);
    assert_false(is_good(scene, token));
    assert_true(scene->is_key_unknown);
}

static void a_token_of_a_key_that_became_another_is_refused(void **state)
{
    struct scene *scene = *state;
    const char *token = good_token(scene);
    struct jose_signer other;

    assert_true(is_good(scene, token));
    jose_signer_new(&other);
    memcpy(other.key.kid, scene->signer.key.kid, sizeof(other.key.kid));
    trust(scene, &other.key, 1);
    assert_false(is_good(scene, token));
    assert_false(scene->is_key_unknown);
}

static void a_token_outlives_changes_that_are_not_of_its_key(void **state)
{
    struct scene *scene = *state;
    const char *token = good_token(scene);
    struct jose_signer other;

    jose_signer_new(&other);
    assert_true(is_good(scene, token));
    trust(scene, &scene->signer.key, 1);
    assert_true(is_remembered(scene, token)); /* the same keys once more */
    trust(scene, (struct jose_key[]){other.key, scene->signer.key}, 2);
    assert_false(is_remembered(scene, token)); /* is checked anew */
    assert_true(is_good(scene, token));
    assert_true(is_remembered(scene, token));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(the_type_is_that_of_access_tokens),
        TEST(an_outside_service_may_write_the_plain_type),
        TEST(any_wrong_header_is_refused),
        TEST(only_a_kid_that_is_not_known_asks_for_a_fresh_key_set),
        TEST(a_token_of_another_key_is_refused),
        TEST(a_changed_token_is_refused),
        TEST(a_longer_token_is_refused),
        TEST(no_text_is_no_token),
        TEST(a_refusal_has_a_cause),
        TEST(a_refusal_of_a_good_signature_names_the_client),
        TEST(a_good_token_is_remembered_and_a_bad_one_is_not),
        TEST(a_token_of_a_key_that_is_gone_is_refused),
        TEST(a_token_of_a_key_that_became_another_is_refused),
        TEST(a_token_outlives_changes_that_are_not_of_its_key),
    };
    if (!secret_system_init()) return 1;
    return cmocka_run_group_tests_name("token_verify", tests, NULL, NULL);
}
