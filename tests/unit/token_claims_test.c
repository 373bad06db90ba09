/* These tests show what a token may say: a good one, and then the same with one claim changed at a
 * time (contract, section 4). */
#include "token_forge.h"

static void check_id(const struct uuid *id, const char *expected)
{
    char text[UUID_TEXT_LEN + 1];
    uuid_format(id, text);
    assert_string_equal(text, expected);
}

static void a_good_token_says_who_and_what(void **state)
{
    struct scene *scene = *state;
    const char *token = good_token(scene);
    struct token_claims claims;

    for (int i = 0; i < 2; i++) { /* once anew, once from the cache */
        memset(&claims, 0x55, sizeof(claims));
        assert_true(is_good_at(scene, token, NOW_MS, &claims));
        assert_false(scene->is_key_unknown);
        assert_string_equal(claims.client_id, CLIENT_ID);
        check_id(&claims.tenant_id, TENANT_ID);
        check_id(&claims.integration_id, INTEGRATION_ID);
        check_id(&claims.point_id, POINT_ID);
        assert_int_equal(claims.scope_set, 1 << SCOPE_EVENTS_READ | 1 << SCOPE_CATALOG_WRITE);
        assert_int_equal(claims.expires_at, (NOW_S + TOKEN_LIFE_S) * 1000);
    }
}

static void check_each(struct scene *scene, const struct claim *rows, size_t count, bool expected)
{
    for (size_t i = 0; i < count; i++) {
        const char *token = token_of(scene, claims_with(&scene->arena, &rows[i]));
        if (is_good(scene, token) != expected)
            fail_msg("%s %s is %s", rows[i].name, rows[i].value ? rows[i].value : "left out",
                     expected ? "refused" : "taken");
        assert_false(scene->is_key_unknown);
    }
}

static void what_others_may_write_is_taken(void **state)
{
    static const struct claim rows[] = {
        {"aud", "[" AUDIENCE "]"},
        {"aud", "[\"other\"," AUDIENCE "]"},
        {"scope", NULL},
        {"scope", "\"\""},
        {"scope", "\"openid erp.events.read api:all\""},
        {"jti", NULL},
        {"jti", "\"any text\""},
        {"nbf", NULL},
        {"nbf", "0"},
        {"nbf", "1795235610"}, /* 30 s ahead */
        {"iat", "1795235610"},
        {"iat", "1"},
        {"exp", "1795235581"},
        {"exp", "253402300799"},
        {"exp", "1795235580.5"},
        {"exp", "1.79523618e9"},
        {"exp", "1795236180.0"},
        {"nbf", "1795235609.9999"},
        {"iat", "1795235580.123456789"},
        {"tenant_id", "\"0192F0C2-0000-7D3E-8F00-3B2A1C0D9E8F\""},
        {"email", "null"},
        {"act", "{\"sub\":[1,{\"a\":true}]}"},
    };
    check_each(*state, rows, COUNT_OF(rows), true);
}

/* Good ones but for the client, of whom they say the same twice. */
static const char *claims_of_client(struct arena *arena, const char *id)
{
    const char *value = arena_printf(arena, "\"%s\"", id);
    const char *json = "{";

    for (size_t i = 0; i < COUNT_OF(good_claims); i++) {
        struct claim claim = good_claims[i];
        if (strcmp(claim.name, "sub") == 0 || strcmp(claim.name, "client_id") == 0)
            claim.value = value;
        put_claim(arena, &json, &claim);
    }
    return arena_printf(arena, "%s}", json);
}

/* Clients of another service have ids of its own. */
static void client_ids_are_texts(void **state)
{
    char longest[TOKEN_CLIENT_ID_MAX + 2];
    memset(longest, 'x', sizeof(longest));
    longest[TOKEN_CLIENT_ID_MAX + 1] = '\0';
    const struct {
        const char *id;
        bool is_good;
    } rows[] = {
        {"erp", true},
        {"-_9", true},
        {"ERP_of-shop-12", true},
        {longest + 1, true},
        {NIL_ID, true},
        {longest, false},
        {"", false},
        {"erp 12", false},
        {"erp.12", false},
        {"erp\\n", false},
        {"\xd0\xbb", false},
        {"erp:12", false},
        {"erp\xe2\x80\xae", false},
    };
    struct scene *scene = *state;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct token_claims claims;
        const char *token = token_of(scene, claims_of_client(&scene->arena, rows[i].id));
        if (is_good_at(scene, token, NOW_MS, &claims) != rows[i].is_good)
            fail_msg("%s", rows[i].id);
        if (!rows[i].is_good) continue;
        assert_string_equal(claims.client_id, rows[i].id);
        memset(&claims, 0x55, sizeof(claims));
        assert_true(is_good_at(scene, token, NOW_MS, &claims)); /* remembered */
        assert_string_equal(claims.client_id, rows[i].id);
    }
}

static void a_wrong_issuer_or_audience_is_refused(void **state)
{
    static const struct claim rows[] = {
        {"iss", NULL},
        {"iss", "null"},
        {"iss", "7"},
        {"iss", "\"\""},
        {"iss", "\"" ISSUER "/\""},
        {"iss", "\"https://id.exampl\""},
        {"iss", "\"HTTPS://id.example\""},
        {"iss", "[\"" ISSUER "\"]"},
        {"aud", NULL},
        {"aud", "null"},
        {"aud", "\"\""},
        {"aud", "\"other\""},
        {"aud", "\"" TOKEN_AUDIENCE " \""},
        {"aud", "\"SVC-integration-erp-service\""},
        {"aud", "[]"},
        {"aud", "[\"other\"]"},
        {"aud", "[" AUDIENCE ",7]"},
        {"aud", "[[" AUDIENCE "]]"},
        {"aud", "{\"0\":" AUDIENCE "}"},
        {"aud", "true"},
    };
    check_each(*state, rows, COUNT_OF(rows), false);
}

static void a_wrong_id_is_refused(void **state)
{
    static const struct claim rows[] = {
        {"sub", NULL},
        {"sub", "null"},
        {"sub", "\"" OTHER_ID "\""},
        {"sub", "\"somebody\""},
        {"client_id", NULL},
        {"client_id", "null"},
        {"client_id", "\"" OTHER_ID "\""},
        {"client_id", "\"\""},
        {"tenant_id", NULL},
        {"tenant_id", "null"},
        {"tenant_id", "7"},
        {"tenant_id", "\"shop\""},
        {"tenant_id", "\"" NIL_ID "\""},
        {"tenant_id", "[\"" TENANT_ID "\"]"},
        {"integration_id", NULL},
        {"integration_id", "null"},
        {"integration_id", "\"shop\""},
        {"integration_id", "\"" INTEGRATION_ID " \""},
        {"integration_id", "\"" NIL_ID "\""},
        {"point_id", NULL},
        {"point_id", "null"},
        {"point_id", "\"shop\""},
        {"point_id", "\"" NIL_ID "\""},
        {"jti", "7"},
    };
    check_each(*state, rows, COUNT_OF(rows), false);
}

static void a_wrong_time_is_refused(void **state)
{
    static const struct claim rows[] = {
        {"exp", NULL},
        {"exp", "null"},
        {"exp", "0"},
        {"exp", "-1795236180"},
        {"exp", "1795235580"}, /* now */
        {"exp", "1795235579"},
        {"exp", "\"1795236180\""},
        {"exp", "253402300800"},
        {"exp", "9223372036854775807"},
        {"exp", "1795235580.0"},
        {"exp", "1795235580.0009"}, /* dead at .000 */
        {"exp", "-1795236180.5"},
        {"exp", "1e400"},
        {"exp", "true"},
        {"nbf", "1795235611"}, /* 31 s ahead */
        {"nbf", "1795235610.0001"},
        {"nbf", "\"1795235580\""},
        {"nbf", "-1"},
        {"nbf", "9223372036854775807"},
        {"iat", NULL},
        {"iat", "1795235611"},
        {"iat", "1795235610.5"},
        {"iat", "\"1795235580\""},
        {"iat", "null"},
    };
    check_each(*state, rows, COUNT_OF(rows), false);
}

static void a_wrong_list_of_scopes_is_refused(void **state)
{
    static const struct claim rows[] = {
        {"scope", "7"},
        {"scope", "[\"erp.events.read\"]"},
        {"scope", "\" \""},
        {"scope", "\"erp.events.read \""},
        {"scope", "\"erp.events.read  erp.catalog.write\""},
        {"scope", "\"erp.events.read\\terp.catalog.write\""},
    };
    check_each(*state, rows, COUNT_OF(rows), false);
}

static void scopes_are_what_they_are(void **state)
{
    static const struct {
        const char *text;
        unsigned scopes;
    } rows[] = {
        {"\"\"", 0},
        {"\"openid\"", 0},
        {"\"ERP.events.read\"", 0},
        {"\"erp.events.readonly\"", 0},
        {"\"erp.changes.write openid\"", 1 << SCOPE_CHANGES_WRITE},
        {"\"erp.changes.write erp.changes.write\"", 1 << SCOPE_CHANGES_WRITE},
        {"\"erp.events.read erp.changes.write erp.catalog.write\"", SCOPES_ALL},
    };
    struct scene *scene = *state;
    struct token_claims claims;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct claim scope = {"scope", rows[i].text};
        const char *token = token_of(scene, claims_with(&scene->arena, &scope));
        assert_true(is_good_at(scene, token, NOW_MS, &claims));
        assert_int_equal(claims.scope_set, rows[i].scopes);
    }
}

/* The second one would count for some readers, the first one for others. */
static void a_repeated_claim_is_refused(void **state)
{
    struct scene *scene = *state;
    const char *good = claims_with(&scene->arena, &(struct claim){"extra", "1"});

    for (size_t i = 0; i <= COUNT_OF(good_claims); i++) {
        struct claim claim = {"extra", "1"};
        if (i < COUNT_OF(good_claims)) claim = good_claims[i];
        const char *twice = arena_printf(&scene->arena, "%.*s,\"%s\":%s}", (int)strlen(good) - 1,
                                         good, claim.name, claim.value);
        if (is_good(scene, token_of(scene, twice))) fail_msg("two %s", claim.name);
    }
    assert_true(is_good(scene, token_of(scene, good)));
}

static void claims_are_one_object(void **state)
{
    struct scene *scene = *state;
    const char *good = claims_with(&scene->arena, NULL);
    const char *const rows[] = {
        "null",
        "7",
        "\"text\"",
        "[]",
        "{}",
        "{",
        arena_printf(&scene->arena, "[%s]", good),
        arena_printf(&scene->arena, "%s%s", good, good),
        arena_printf(&scene->arena, "%s,", good),
        arena_printf(&scene->arena, "\xEF\xBB\xBF%s", good),
        arena_printf(&scene->arena, "%.*s,\"a\":\"\xFF\"}", (int)strlen(good) - 1, good),
        arena_printf(&scene->arena, "%.*s,\"a\":\"\\u0000\"}", (int)strlen(good) - 1, good),
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (is_good(scene, token_of(scene, rows[i]))) fail_msg("taken: %s", rows[i]);
    }
}

static void a_token_is_dead_at_exp(void **state)
{
    struct scene *scene = *state;
    const char *token = good_token(scene);
    int64_t exp_ms = (NOW_S + TOKEN_LIFE_S) * 1000;
    struct token_claims claims;

    assert_false(is_good_at(scene, token, exp_ms, &claims));
    assert_true(is_good_at(scene, token, exp_ms - 1, &claims)); /* and is remembered */
    assert_true(is_good_at(scene, token, exp_ms - 1, &claims));
    assert_false(is_good_at(scene, token, exp_ms, &claims));
    assert_false(is_good_at(scene, token, exp_ms + 1, &claims));
}

/* Never longer than it says, and not a millisecond less. */
static void fractions_count_to_the_millisecond(void **state)
{
    static const struct {
        const char *exp;
        int64_t ms;
    } rows[] = {
        {"1795235580.5", 500},
        {"1795235580.2507", 250},
        {"1795235580.001", 1},
        {"1795235580.9999999999", 999},
    };
    struct scene *scene = *state;
    struct token_claims claims;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct claim exp = {"exp", rows[i].exp};
        const char *token = token_of(scene, claims_with(&scene->arena, &exp));
        assert_true(is_good_at(scene, token, NOW_MS + rows[i].ms - 1, &claims));
        assert_int_equal(claims.expires_at, NOW_MS + rows[i].ms);
        assert_false(is_good_at(scene, token, NOW_MS + rows[i].ms, &claims));
    }
}

static void a_token_is_good_from_30_s_before_its_time(void **state)
{
    struct scene *scene = *state;
    const char *token = good_token(scene);
    struct token_claims claims;

    assert_false(is_good_at(scene, token, NOW_MS - 30001, &claims));
    assert_true(is_good_at(scene, token, NOW_MS - 30000, &claims));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(a_good_token_says_who_and_what),
        TEST(what_others_may_write_is_taken),
        TEST(a_wrong_issuer_or_audience_is_refused),
        TEST(a_wrong_id_is_refused),
        TEST(a_wrong_time_is_refused),
        TEST(a_wrong_list_of_scopes_is_refused),
        TEST(scopes_are_what_they_are),
        TEST(a_repeated_claim_is_refused),
        TEST(claims_are_one_object),
        TEST(a_token_is_dead_at_exp),
        TEST(fractions_count_to_the_millisecond),
        TEST(client_ids_are_texts),
        TEST(a_token_is_good_from_30_s_before_its_time),
    };
    if (!secret_system_init()) return 1;
    return cmocka_run_group_tests_name("token_claims", tests, NULL, NULL);
}
