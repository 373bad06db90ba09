/* These tests show what the OpenAPI document says that operations may answer beside what their rows
 * say: bodies where none is wanted, HTTP's own refusals, and the headers of refusals. */
#include "openapi_view.h"

#include <stdio.h>

static bool has_response(struct document *doc, const struct route *route, const char *rest)
{
    return count_key(doc, response_key(doc, operation_of(doc, route), rest)) == 1;
}

static bool leads_to(struct document *doc, const struct route *route, const char *status,
                     const char *name)
{
    const char *key =
        arena_printf(&doc->arena, "%s|responses|%s", operation_of(doc, route), status);
    const char *ref = arena_printf(&doc->arena, "#/components/responses/%s", name);

    for (size_t i = 0; i < doc->ref_count; i++) {
        if (strcmp(doc->ref_keys[i], key) == 0) return strcmp(doc->refs[i], ref) == 0;
    }
    return false;
}

/* A default for each, which is no status of its own; whose description names every status. */
static void what_any_operation_may_answer_is_shared(void **state)
{
    static const char *const statuses[] = {"400 `", "405 `", "408 `", "414 `", "417 `",
                                           "431 `", "500 `", "501 `", "503 `", "505 `"};
    struct document *doc = *state;

    for (size_t i = 0; i < doc->routes.count; i++) {
        bool is_oauth = doc->routes.rows[i].error_style == ERRORS_OAUTH;
        const char *name = is_oauth ? "OAuthRefusal" : "Refusal";
        if (!leads_to(doc, &doc->routes.rows[i], "default", name))
            fail_msg("%s", doc->routes.rows[i].operation_id);
    }
    const char *begin = memmem(doc->text.data, doc->text.len, "\"Refusal\":{", 11);
    assert_non_null(begin);
    struct str rest = {begin, doc->text.len - (size_t)(begin - doc->text.data)};
    for (size_t i = 0; i < COUNT_OF(statuses); i++)
        assert_non_null(memmem(rest.data, rest.len, statuses[i], strlen(statuses[i])));
    assert_int_equal(count_key(doc, "components|responses|Refusal|headers|Allow"), 1);
}

/* The dispatcher holds every body to a size and to no coding. */
static void each_operation_may_refuse_a_body(void **state)
{
    struct document *doc = *state;

    for (size_t i = 0; i < doc->routes.count; i++) {
        const struct route *route = &doc->routes.rows[i];
        bool has_own_word = route->error_style == ERRORS_OAUTH;
        if (!has_response(doc, route, "413")) fail_msg("%s: 413", route->operation_id);
        if (has_response(doc, route, "415") == has_own_word)
            fail_msg("%s: 415", route->operation_id);
        if (leads_to(doc, route, "413", "UnwantedBodyTooLarge") == (route->body != NULL))
            fail_msg("%s: another 413", route->operation_id);
    }
}

/* An ERP's queue has a rule for each status: 408 is told where packages are sent. */
static void slow_packages_are_told_of(void **state)
{
    struct document *doc = *state;
    int count = 0;

    for (size_t i = 0; i < doc->routes.count; i++) {
        const struct route *route = &doc->routes.rows[i];
        assert_int_equal(has_response(doc, route, "408"), route->taker != NULL);
        if (!route->taker) continue;
        assert_non_null(strstr(route->description, "408"));
        count++;
    }
    assert_int_equal(count, 2);
}

/* The scope that is wanted is told with 403; and only where there are scopes. */
static void refusals_have_their_headers(void **state)
{
    struct document *doc = *state;

    for (size_t i = 0; i < doc->routes.count; i++) {
        const struct route *route = &doc->routes.rows[i];
        bool has_scope = route->auth == AUTH_BEARER;
        assert_int_equal(has_response(doc, route, "403|headers|WWW-Authenticate"), has_scope);
        assert_int_equal(has_response(doc, route, "401|headers|WWW-Authenticate"),
                         has_response(doc, route, "401"));
        assert_int_equal(has_response(doc, route, "429|headers|Retry-After"),
                         has_response(doc, route, "429"));
        char *own = arena_printf(&doc->arena, "%d|headers|Cache-Control", route->status);
        assert_true(has_response(doc, route, own));
    }
}

/* Operations with the same errors share the answer. Only readiness has a refusal of its own, since
 * that has the record of a success. */
static void refusals_are_shared(void **state)
{
    struct document *doc = *state;

    for (size_t i = 0; i < doc->key_count; i++) {
        const char *status = strstr(doc->keys[i], "|responses|");
        bool is_of_operation = status && strncmp(doc->keys[i], "paths|", 6) == 0;
        if (!is_of_operation || !strstr(status, "|content")) continue;
        bool is_ready = strncmp(doc->keys[i], "paths|/health/ready|", 20) == 0;
        if (status[11] != '2' && !is_ready) fail_msg("%s", doc->keys[i]);
    }
}

/* Answers are named after what they hold, those of many errors after their operation. */
static void shared_refusals_have_plain_names(void **state)
{
    static const struct {
        const char *operation_id, *status, *name;
    } rows[] = {
        {"getOtp", "404", "NotFound"},
        {"getOtp", "503", "StorageUnavailableOrOverloaded"},
        {"verifyOtp", "422", "ValidationOrCodeMismatch"},
        {"verifyOtp", "409", "VerifyOtp409"},
        {"issueToken", "429", "OAuthRateLimited"},
        {"sendErpChanges", "422", "BodyFaultsOrKeyNotEventId"},
    };
    struct document *doc = *state;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        size_t k = 0;
        while (k < doc->routes.count &&
               strcmp(doc->routes.rows[k].operation_id, rows[i].operation_id) != 0)
            k++;
        if (k == doc->routes.count ||
            !leads_to(doc, &doc->routes.rows[k], rows[i].status, rows[i].name))
            fail_msg("%s %s", rows[i].operation_id, rows[i].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_any_operation_may_answer_is_shared),
        cmocka_unit_test(each_operation_may_refuse_a_body),
        cmocka_unit_test(slow_packages_are_told_of),
        cmocka_unit_test(refusals_have_their_headers),
        cmocka_unit_test(refusals_are_shared),
        cmocka_unit_test(shared_refusals_have_plain_names),
    };
    return cmocka_run_group_tests_name("openapi_refusal", tests, open_document, close_document);
}
