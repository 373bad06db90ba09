/* app/api/routes: what a process of each role answers, and where the metadata stand; app/api/auth:
 * which bodies may be left out. */
#include "app/api/auth.h"
#include "app/api/routes.h"
#include "core/missing.h"
#include "kit/base/macros.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static bool answers(enum process_role role, bool has_own_tokens, const char *path)
{
    struct route_list routes;
    routes_of_role(role, has_own_tokens, &routes);
    for (size_t i = 0; i < routes.count; i++)
        if (strcmp(routes.rows[i].path, path) == 0) return true;
    return false;
}

static void each_role_answers_what_is_its_own(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        bool serve, api, idp;
        bool is_of_tokens; /* not there where another service issues them */
    } rows[] = {
        {"/health/live", true, true, true},
        {"/health/ready", true, true, true},
        {"/openapi.json", true, true, true},
        {"/", true, true, true},
        {"/docs", true, true, true},
        {"/internal/v1/settings", true, true, false},
        {"/internal/v1/otp", true, true, false},
        {"/internal/v1/logs", true, true, false},
        {"/internal/v1/logs/stream", true, true, false},
        {"/api/v1/integrations/erp/{integration_id}/events/{*event_id}", true, true, false},
        {"/v1/oauth/token", true, false, true, true},
        {"/.well-known/jwks.json", true, false, true, true},
        {"/.well-known/oauth-authorization-server", true, false, true, true},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(answers(PROCESS_SERVE, true, rows[i].path), rows[i].serve);
        assert_int_equal(answers(PROCESS_API, true, rows[i].path), rows[i].api);
        assert_int_equal(answers(PROCESS_IDP, true, rows[i].path), rows[i].idp);
        assert_true(answers(PROCESS_TOOL, true, rows[i].path));
        assert_int_equal(answers(PROCESS_SERVE, false, rows[i].path), !rows[i].is_of_tokens);
    }
}

/* RFC 8414, section 3: the path of the issuer stands behind that of its metadata. */
static void metadata_stand_at_the_path_of_the_issuer(void **state)
{
    static const struct {
        const char *issuer, *path; /* NULL: none of its own */
    } rows[] = {
        {"https://h.example", NULL},
        {"https://h.example/", NULL},
        {"https://h.example//", NULL},
        {"an-issuer/of/its-own", NULL},
        {"https://h.example/{id}", NULL},
        {"https://h.example/a?b=/c", NULL},
        {"https://h.example:8443/a", "/a"},
        {"https://h.example/a/", "/a"},
        {"https://h.example/a/b%20c", "/a/b%20c"},
    };
    struct arena arena;
    struct route route;

    (void)state;
    arena_init(&arena);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(routes_of_issuer(rows[i].issuer, &arena, &route), rows[i].path != NULL);
        if (!rows[i].path) continue;
        assert_string_equal(
            route.path,
            arena_printf(&arena, "/.well-known/oauth-authorization-server%s", rows[i].path));
        assert_string_equal(route.operation_id, "getAuthorizationServer");
    }
    arena_done(&arena);
}

/* --- Bodies that may be left out --- */

static void a_body_of_which_nothing_is_required_may_be_left_out(void **state)
{
    static const struct field optional[] = {{.name = "a"}, {.name = "b", .flags = FIELD_DEFAULT}};
    static const struct field required[] = {{.name = "a"}, {.name = "b", .flags = FIELD_REQUIRED}};
    static const struct record loose = {.name = "Loose", RECORD_FIELDS(optional)};
    static const struct record tight = {.name = "Tight", RECORD_FIELDS(required)};
    static const struct record empty = {.name = "Empty"};

    (void)state;
    const struct {
        const struct record *body;
        enum route_auth auth;
        bool is_optional;
    } rows[] = {
        {&loose, AUTH_INTERNAL_KEY, true},  {&empty, AUTH_INTERNAL_KEY, true},
        {&tight, AUTH_INTERNAL_KEY, false}, {NULL, AUTH_INTERNAL_KEY, false},
        {&loose, AUTH_DEVICE_KEY, false}, /* phones say {} */
        {&loose, AUTH_CLIENT, false},       {&loose, AUTH_SIGNATURE, false},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct route route = {.body = rows[i].body, .auth = rows[i].auth};
        assert_int_equal(auth_may_omit_body(&route), rows[i].is_optional);
    }
}

/* The dispatcher asks the row, whichever it is. */
static void each_way_of_asking_is_whole(void **state)
{
    (void)state;
    for (int i = 0; i < AUTH_COUNT; i++) {
        const struct auth_way *way = &auth_ways[i];
        bool is_open = i == AUTH_NONE;
        assert_int_equal(way->check == NULL, is_open);
        assert_int_equal(way->challenge == NULL && way->make_challenge == NULL, is_open);
        assert_int_equal(way->errors[0] == ERR_OK, is_open);
        assert_false(way->challenge && way->make_challenge);
        assert_false(way->look_up && !way->takes_turns); /* a flood of wrong keys is held back */
        assert_false(way->has_raw_body && (way->is_body_strict || way->may_omit_body));
    }
}

/* The dispatcher decodes a query value by value, and then asks for those that are required. */
static void queries_are_flat(void **state)
{
    struct route_list routes;

    (void)state;
    routes_of_role(PROCESS_TOOL, true, &routes);
    for (size_t i = 0; i < routes.count; i++) {
        const struct record *query = routes.rows[i].query;
        if (!query) continue;
        assert_null(query->check);
        assert_in_range(query->field_count, 1, 64);
        for (size_t k = 0; k < query->field_count; k++)
            assert_null(query->fields[k].record);
    }
}

/* Contract, section 1 "What is not there": a 404 names what the path's last parameter does. */
static void each_parameter_of_a_path_says_what_is_missing(void **state)
{
    struct route_list routes;

    (void)state;
    routes_of_role(PROCESS_TOOL, true, &routes);
    assert_string_equal(missing_of(ERR_NOT_FOUND, NULL).what, "path");
    assert_null(missing_of(ERR_VALIDATION, &routes.rows[0]).what);
    for (size_t i = 0; i < routes.count; i++) {
        const struct route *route = &routes.rows[i];
        if (!strchr(route->path, '{')) continue;
        if (strcmp(missing_of(ERR_NOT_FOUND, route).what, "path") == 0) fail_msg("%s", route->path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_role_answers_what_is_its_own),
        cmocka_unit_test(each_way_of_asking_is_whole),
        cmocka_unit_test(queries_are_flat),
        cmocka_unit_test(each_parameter_of_a_path_says_what_is_missing),
        cmocka_unit_test(a_body_of_which_nothing_is_required_may_be_left_out),
        cmocka_unit_test(metadata_stand_at_the_path_of_the_issuer),
    };
    return cmocka_run_group_tests_name("routes", tests, NULL, NULL);
}
