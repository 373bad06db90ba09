/* Issuing: who gets a token, for which scopes, and what stands in it (contract, section 4). */
#include "app/setup/migrations.h"
#include "kit/json/pointer.h"
#include "token_scene.h"

#include <stdio.h>

#define ALL_SCOPES "erp.catalog.write erp.changes.write erp.events.read"

static struct token_answer must_issue(struct scene *scene, const struct token_request *request)
{
    struct token_answer answer = {0};
    assert_ok(issue(scene, request, &answer));
    return answer;
}

static void assert_refused(struct scene *scene, const struct token_request *request, enum err err)
{
    struct token_answer answer;
    assert_err(issue(scene, request, &answer), err);
}

/* --- What stands in a token ------------------------------------------------------------------- */

static void check_claim(struct scene *scene, struct str claims, const char *name,
                        const char *expected)
{
    struct json_value value;
    assert_true(json_find(claims, arena_printf(scene->world.arena, "/%s", name), scene->world.arena,
                          &value));
    if (!str_is(value.text, expected))
        fail_msg("%s is %.*s instead of %s", name, (int)value.text.len, value.text.data, expected);
}

static void check_id(struct scene *scene, struct str claims, const char *name,
                     const struct uuid *id)
{
    char text[UUID_TEXT_LEN + 1];
    uuid_format(id, text);
    check_claim(scene, claims, name, text);
}

static void a_token_says_who_may_do_what_until_when(struct store *store)
{
    AUTO_SCENE scene;
    begin_open(&scene, store);
    scene.world.now_ms = WORLD_START_MS + 999; /* within the second */
    struct token_request request = request_of(&scene, 1);
    struct token_answer answer = must_issue(&scene, &request);
    assert_string_equal(answer.token_type, "Bearer");
    assert_int_equal(answer.expires_in, 600);
    assert_string_equal(answer.scope, ALL_SCOPES);

    struct jose_token token;
    assert_ok(jose_parse(str_of(answer.access_token), &store->arena, &token));
    assert_string_equal(token.typ, "at+jwt");
    const struct integration *shop = &scene.shops[1];
    check_claim(&scene, token.claims, "iss", ISSUER);
    check_id(&scene, token.claims, "sub", &scene.clients[1].client_id);
    check_id(&scene, token.claims, "client_id", &scene.clients[1].client_id);
    check_claim(&scene, token.claims, "aud", "svc-integration-erp-service");
    check_claim(&scene, token.claims, "scope", ALL_SCOPES);
    check_id(&scene, token.claims, "tenant_id", &shop->tenant_id);
    check_id(&scene, token.claims, "integration_id", &shop->id);
    check_id(&scene, token.claims, "point_id", &shop->point_id);
    check_claim(&scene, token.claims, "iat", "1795235580");
    check_claim(&scene, token.claims, "nbf", "1795235580");
    check_claim(&scene, token.claims, "exp", "1795236180");
}

static void each_token_has_an_id_of_its_own(struct store *store)
{
    AUTO_SCENE scene;
    struct jose_token tokens[2];
    struct json_value ids[2];
    struct uuid id;
    begin_open(&scene, store);

    for (int i = 0; i < 2; i++) {
        assert_ok(jose_parse(str_of(token_of(&scene, 0)), &store->arena, &tokens[i]));
        assert_true(json_find(tokens[i].claims, "/jti", &store->arena, &ids[i]));
        assert_true(uuid_parse(ids[i].text, &id));
    }
    assert_string_not_equal(ids[0].text.data, ids[1].text.data);
}

static void a_token_that_is_issued_verifies(struct store *store)
{
    AUTO_SCENE scene;
    struct token_claims claims;
    begin_open(&scene, store);
    const char *token = token_of(&scene, 2);

    assert_ok(verify(&scene, token, &claims));
    assert_string_equal(claims.client_id, request_of(&scene, 2).client_id);
    assert_uuid_equal(claims.integration_id, scene.shops[2].id);
    assert_uuid_equal(claims.tenant_id, scene.shops[2].tenant_id);
    assert_uuid_equal(claims.point_id, scene.shops[2].point_id);
    assert_int_equal(claims.scope_set, SCOPES_ALL);
    assert_int_equal(claims.expires_at, WORLD_START_MS + 600 * SECOND_MS);
    scene.verifier.issuer = TOKEN_URL; /* another issuer does not know it */
    token_cache_free(scene.verifier.cache);
    scene.verifier.cache = token_cache_new();
    assert_err(verify(&scene, token, &claims), ERR_UNAUTHORIZED);
}

/* --- Scopes ----------------------------------------------------------------------------------- */

struct scope_row {
    const char *wanted;
    const char *granted; /* NULL: ERR_INVALID_SCOPE */
};

static void check_scopes(struct scene *scene, struct token_request request,
                         const struct scope_row *rows, size_t count)
{
    struct token_claims claims;

    for (size_t i = 0; i < count; i++) {
        request.scope = rows[i].wanted;
        if (!rows[i].granted) {
            assert_refused(scene, &request, ERR_INVALID_SCOPE);
            continue;
        }
        struct token_answer answer = must_issue(scene, &request);
        assert_string_equal(answer.scope, rows[i].granted);
        assert_ok(verify(scene, answer.access_token, &claims));
        assert_string_equal(scopes_text(scene->world.arena, claims.scope_set), rows[i].granted);
    }
}

static void scopes_may_be_fewer_but_not_more(struct store *store)
{
    static const struct scope_row rows[] = {
        {NULL, ALL_SCOPES},
        {ALL_SCOPES, ALL_SCOPES},
        {"erp.events.read", "erp.events.read"},
        {"erp.events.read erp.catalog.write", "erp.catalog.write erp.events.read"},
        {"erp.events.read erp.events.read", "erp.events.read"},
        {"", NULL},
        {" ", NULL},
        {" erp.events.read", NULL},
        {"erp.events.read ", NULL},
        {"erp.events.read  erp.catalog.write", NULL},
        {"erp.events.read\terp.catalog.write", NULL},
        {"erp.events.read,erp.catalog.write", NULL},
        {"\"erp.events.read\"", NULL},
        {"erp.events", NULL},
        {"erp.events.readx", NULL},
        {"ERP.EVENTS.READ", NULL},
        {"erp.events.read openid", NULL},
        {"erp.events.read \xD0\xB0", NULL},
        {"*", NULL},
    };
    AUTO_SCENE scene;
    begin_open(&scene, store);
    check_scopes(&scene, request_of(&scene, 0), rows, COUNT_OF(rows));
}

static enum err run_create_reader(struct work *work, void *arg)
{
    struct scene *scene = arg;
    static const char *const scopes[] = {"erp.events.read", "erp.changes.write"};
    struct client_input input = {.scopes = {(void *)scopes, COUNT_OF(scopes)}};
    return client_create(work, &scene->shops[0].id, &input, &scene->clients[0]);
}

static void scopes_are_those_of_the_client(struct store *store)
{
    static const struct scope_row rows[] = {
        {NULL, "erp.changes.write erp.events.read"},
        {"erp.events.read", "erp.events.read"},
        {"erp.events.read erp.changes.write", "erp.changes.write erp.events.read"},
        {"erp.catalog.write", NULL},
        {ALL_SCOPES, NULL},
    };
    AUTO_SCENE scene;
    begin_open(&scene, store);
    assert_ok(world_run(&scene.world, run_create_reader, &scene));
    check_scopes(&scene, request_of(&scene, 0), rows, COUNT_OF(rows));
}

/* --- Refusals --------------------------------------------------------------------------------- */

static void who_is_not_known_gets_nothing(struct store *store)
{
    AUTO_SCENE scene;
    begin_open(&scene, store);
    const struct token_request good = request_of(&scene, 0), other = request_of(&scene, 1);
    struct token_request request = good;

    request.client_id = NULL;
    assert_refused(&scene, &request, ERR_INVALID_CLIENT);
    request.client_id = "somebody";
    assert_refused(&scene, &request, ERR_INVALID_CLIENT);
    request.client_id = "0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8f";
    assert_refused(&scene, &request, ERR_INVALID_CLIENT);
    request.client_id = other.client_id; /* with the secret of the first */
    assert_refused(&scene, &request, ERR_INVALID_CLIENT);
    request = good;
    request.client_secret = NULL;
    assert_refused(&scene, &request, ERR_INVALID_CLIENT);
    request.client_secret = "";
    assert_refused(&scene, &request, ERR_INVALID_CLIENT);
    request.client_secret = arena_printf(&store->arena, "%s ", good.client_secret);
    assert_refused(&scene, &request, ERR_INVALID_CLIENT);
    must_issue(&scene, &good);
}

static void there_is_one_grant_type(struct store *store)
{
    static const char *const types[] = {"password", "authorization_code", "refresh_token",
                                        "CLIENT_CREDENTIALS", "client_credentials "};
    AUTO_SCENE scene;
    begin_open(&scene, store);
    struct token_request request = request_of(&scene, 0);

    request.grant_type = NULL;
    assert_refused(&scene, &request, ERR_INVALID_REQUEST);
    for (size_t i = 0; i < COUNT_OF(types); i++) {
        request.grant_type = types[i];
        assert_refused(&scene, &request, ERR_UNSUPPORTED_GRANT_TYPE);
    }
    request.client_secret = "wrong"; /* who asks comes first */
    assert_refused(&scene, &request, ERR_INVALID_CLIENT);
}

static void a_disabled_shop_gets_no_token(struct store *store)
{
    AUTO_SCENE scene;
    begin_open(&scene, store);
    struct token_request request = request_of(&scene, 0), other = request_of(&scene, 1);

    must_issue(&scene, &request);
    disable_shop(&scene, 0);
    assert_refused(&scene, &request, ERR_INVALID_CLIENT);
    must_issue(&scene, &other);
}

static void nothing_is_written_or_noted(struct store *store)
{
    AUTO_SCENE scene;
    begin_open(&scene, store);
    token_of(&scene, 0); /* in a transaction that may only read */
    assert_null(scene.world.said);
}

int main(void)
{
#define TEST(name)     \
    {                  \
#name, name, 0 \
    }
    static const struct store_case cases[] = {
        TEST(a_token_says_who_may_do_what_until_when),
        TEST(each_token_has_an_id_of_its_own),
        TEST(a_token_that_is_issued_verifies),
        TEST(scopes_may_be_fewer_but_not_more),
        TEST(scopes_are_those_of_the_client),
        TEST(who_is_not_known_gets_nothing),
        TEST(there_is_one_grant_type),
        TEST(a_disabled_shop_gets_no_token),
        TEST(nothing_is_written_or_noted),
    };
    return store_run_cases("token_issue", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
