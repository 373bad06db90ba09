/* The handlers of the identity service and of its keys, as the dispatcher calls them. */
#include "app/setup/migrations.h"
#include "core/page.h"
#include "domain/token/token.h"
#include "kit/json/pointer.h"
#include "route_of.h"
#include "token_scene.h"

enum { ISSUE, KEY_SET, METADATA, LIST, ROTATE };
static const struct {
    const struct route_table *table;
    const char *operation_id;
} operations[] = {
    [ISSUE] = {&token_routes, "issueToken"},
    [KEY_SET] = {&token_routes, "getKeySet"},
    [METADATA] = {&token_routes, "getAuthorizationServer"},
    [LIST] = {&token_key_routes, "listSigningKeys"},
    [ROTATE] = {&token_key_routes, "rotateSigningKey"},
};

struct calling_route {
    int operation;
    struct route route;
    struct request rq;
    const char *authorization, *form;
    const char *reply;
};

static enum err run_route(struct work *work, void *arg)
{
    static const struct page_query first_page = {.limit = PAGE_LIMIT_DEFAULT};
    struct calling_route *call = arg;
    struct request *rq = &call->rq;

    call->route =
        route_of(operations[call->operation].table, operations[call->operation].operation_id);
    *rq = (struct request){.work = *work, .route = &call->route, .query = &first_page};
    request_restart(rq, work->tx);
    rq->headers[0] = str_of(call->authorization);
    rq->headers[1] = STR("application/x-www-form-urlencoded");
    rq->raw_body = str_of(call->form);
    rq->query = &(struct page_query){.limit = PAGE_LIMIT_DEFAULT};
    enum err err = call->route.handle(rq);
    call->reply = arena_str(work->arena, buf_view(&rq->reply));
    buf_done(&rq->reply);
    return err;
}

static enum err call_route(struct scene *scene, struct calling_route *call)
{
    bool is_write = call->operation == ROTATE;
    return is_write ? world_run(&scene->world, run_route, call)
                    : world_read(&scene->world, run_route, call);
}

static const char *reply_of(struct scene *scene, int operation)
{
    struct calling_route call = {.operation = operation};
    assert_ok(call_route(scene, &call));
    assert_int_equal(call.rq.status, 200);
    return call.reply;
}

static const char *text_at(struct scene *scene, const char *json, const char *pointer)
{
    struct json_value value;
    assert_true(json_find(str_of(json), pointer, scene->world.arena, &value));
    return value.type == JSON_END ? NULL : value.text.data;
}

/* --- Tokens ----------------------------------------------------------------------------------- */

static const char *form_of(struct scene *scene, int shop)
{
    struct token_request request = request_of(scene, shop);
    return arena_printf(scene->world.arena,
                        "grant_type=client_credentials&client_id=%s&client_secret=%s"
                        "&scope=erp.events.read",
                        request.client_id, request.client_secret);
}

static void a_form_gets_a_token(struct store *store)
{
    AUTO_SCENE scene;
    struct token_claims claims;
    begin_open(&scene, store);
    struct calling_route call = {.operation = ISSUE, .form = form_of(&scene, 0)};

    assert_ok(call_route(&scene, &call));
    assert_int_equal(call.rq.status, 200);
    assert_string_equal(text_at(&scene, call.reply, "/token_type"), "Bearer");
    assert_string_equal(text_at(&scene, call.reply, "/expires_in"), "600");
    assert_string_equal(text_at(&scene, call.reply, "/scope"), "erp.events.read");
    assert_ok(verify(&scene, text_at(&scene, call.reply, "/access_token"), &claims));
    assert_uuid_equal(claims.integration_id, scene.shops[0].id);
}

static void what_is_wrong_is_said(struct store *store)
{
    AUTO_SCENE scene;
    begin_open(&scene, store);
    const char *form = form_of(&scene, 0);
    const struct {
        const char *authorization, *form;
        enum err err;
    } rows[] = {
        {NULL, "", ERR_INVALID_REQUEST},
        {NULL, "grant_type=client_credentials", ERR_INVALID_CLIENT},
        {"Basic YTpi", "grant_type=client_credentials", ERR_INVALID_CLIENT},
        {"Basic YTpi", form, ERR_INVALID_REQUEST},
        {NULL, arena_printf(&store->arena, "%s+openid", form), ERR_INVALID_SCOPE},
        {NULL, arena_printf(&store->arena, "%s&scope=", form), ERR_INVALID_REQUEST},
        {NULL, arena_printf(&store->arena, "grant_type=password&%s", strchr(form, '&') + 1),
         ERR_UNSUPPORTED_GRANT_TYPE},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct calling_route call = {
            .operation = ISSUE, .authorization = rows[i].authorization, .form = rows[i].form};
        assert_err(call_route(&scene, &call), rows[i].err);
        assert_string_equal(call.reply, "");
    }
}

/* --- The identity service --------------------------------------------------------------------- */

static void the_key_set_is_that_of_the_keyring(struct store *store)
{
    AUTO_SCENE scene;
    begin_open(&scene, store);
    struct signing_key_list list = list_keys(&scene);
    const struct signing_key *key = list.keys.items;
    const char *json = reply_of(&scene, KEY_SET);

    assert_string_equal(text_at(&scene, json, "/keys/0/kid"), key->kid);
    assert_string_equal(text_at(&scene, json, "/keys/0/kty"), "OKP");
    assert_string_equal(text_at(&scene, json, "/keys/0/crv"), "Ed25519");
    assert_string_equal(text_at(&scene, json, "/keys/0/alg"), "EdDSA");
    assert_string_equal(text_at(&scene, json, "/keys/0/use"), "sig");
    assert_int_equal(strlen(text_at(&scene, json, "/keys/0/x")), 43);
    assert_null(text_at(&scene, json, "/keys/0/d"));
    assert_null(text_at(&scene, json, "/keys/1/kid"));
}

static void the_metadata_lead_to_tokens_and_keys(struct store *store)
{
    AUTO_SCENE scene;
    begin(&scene, store);
    static const char expected[] =
        "{\"issuer\":\"" ISSUER "\",\"token_endpoint\":\"" TOKEN_URL "\","
        "\"jwks_uri\":\"" ISSUER "/.well-known/jwks.json\","
        "\"scopes_supported\":[\"erp.catalog.write\",\"erp.changes.write\",\"erp.events.read\"],"
        "\"response_types_supported\":[],\"grant_types_supported\":[\"client_credentials\"],"
        "\"token_endpoint_auth_methods_supported\":"
        "[\"client_secret_basic\",\"client_secret_post\"]}";

    assert_string_equal(reply_of(&scene, METADATA), expected);
}

/* An issuer is a name, and may be another than the address. */
static void the_keys_are_where_herald_is(struct store *store)
{
    AUTO_SCENE scene;
    begin(&scene, store);
    scene.world.tokens.issuer = "https://id.example/tenant";
    scene.world.tokens.own_url = "https://own.example/herald";
    const char *json = reply_of(&scene, METADATA);
    assert_string_equal(text_at(&scene, json, "/issuer"), "https://id.example/tenant");
    assert_string_equal(text_at(&scene, json, "/token_endpoint"), TOKEN_URL);
    assert_string_equal(text_at(&scene, json, "/jwks_uri"),
                        "https://own.example/herald/.well-known/jwks.json");
}

/* --- Keys ------------------------------------------------------------------------------------- */

static void keys_are_listed_without_their_secret(struct store *store)
{
    AUTO_SCENE scene;
    begin_open(&scene, store);
    struct signing_key_list list = list_keys(&scene);
    const struct signing_key *key = list.keys.items;
    const char *expected =
        arena_printf(&store->arena,
                     "{\"keys\":[{\"kid\":\"%s\",\"state\":\"signing\","
                     "\"created_at\":\"2026-11-21T04:33:00.000Z\","
                     "\"signs_from\":\"2026-11-21T04:33:00.000Z\",\"signs_until\":null}],"
                     "\"next_cursor\":null}",
                     key->kid);
    assert_string_equal(reply_of(&scene, LIST), expected);
}

static void rotating_answers_with_the_next_key(struct store *store)
{
    AUTO_SCENE scene;
    begin_open(&scene, store);
    const char *json = reply_of(&scene, ROTATE);
    assert_string_equal(text_at(&scene, json, "/state"), "next");
    assert_string_equal(text_at(&scene, json, "/signs_from"), "2026-11-21T04:38:15.000Z");
    assert_string_equal(reply_of(&scene, ROTATE), json);

    json = reply_of(&scene, LIST);
    assert_string_equal(text_at(&scene, json, "/keys/0/signs_until"), "2026-11-21T04:38:15.000Z");
    assert_string_equal(text_at(&scene, json, "/keys/1/state"), "next");
}

static void no_key_is_made_where_another_service_issues(struct store *store)
{
    AUTO_SCENE scene;
    begin_open(&scene, store);
    scene.world.integrations.has_own_tokens = false;
    struct calling_route call = {.operation = ROTATE};
    assert_err(call_route(&scene, &call), ERR_TOKENS_ELSEWHERE);
    assert_int_equal(list_keys(&scene).keys.count, 1);
}

int main(void)
{
#define TEST(name)     \
    {                  \
#name, name, 0 \
    }
    static const struct store_case cases[] = {
        TEST(a_form_gets_a_token),
        TEST(what_is_wrong_is_said),
        TEST(the_key_set_is_that_of_the_keyring),
        TEST(the_metadata_lead_to_tokens_and_keys),
        TEST(the_keys_are_where_herald_is),
        TEST(no_key_is_made_where_another_service_issues),
        TEST(keys_are_listed_without_their_secret),
        TEST(rotating_answers_with_the_next_key),
    };
    return store_run_cases("token_http", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
