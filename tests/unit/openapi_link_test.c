/* These tests show what the OpenAPI document says beside single operations: links to what can be
 * asked of a resource that an answer names, tags. */
#include "kit/json/pointer.h"
#include "openapi_view.h"

static const struct route *route_of(struct document *doc, const char *operation_id)
{
    for (size_t i = 0; i < doc->routes.count; i++) {
        if (strcmp(doc->routes.rows[i].operation_id, operation_id) == 0)
            return &doc->routes.rows[i];
    }
    fail_msg("no operation %s", operation_id);
    return NULL;
}

static bool has_link(struct document *doc, const char *from, const char *to, const char *param)
{
    const struct route *route = route_of(doc, from);
    return count_key(doc, arena_printf(&doc->arena, "%s|responses|%d|links|%s|parameters|%s",
                                       operation_of(doc, route), route->status, to, param)) == 1;
}

static void a_creation_links_to_what_it_created(void **state)
{
    assert_true(has_link(*state, "createOtp", "getOtp", "id"));
    assert_true(has_link(*state, "createOtp", "verifyOtp", "id"));
    assert_true(has_link(*state, "claimSms", "reportSms", "id"));
    assert_true(has_link(*state, "createClient", "rotateClientSecret", "client_id"));
    assert_true(has_link(*state, "createOrder", "listOrderAttempts", "id"));
}

/* The last id is the answer's, those before it stay as they were asked with. */
static void a_link_names_every_id_of_its_path(void **state)
{
    assert_true(has_link(*state, "sendErpChanges", "getErpEvent", "integration_id"));
    assert_true(has_link(*state, "sendErpChanges", "getErpEvent", "event_id"));
}

static void no_link_where_a_further_id_is_needed(void **state)
{
    assert_true(has_link(*state, "createIntegration", "listErpEvents", "id"));
    assert_false(has_link(*state, "createIntegration", "getErpEventDetails", "id"));
    assert_false(has_link(*state, "createIntegration", "createIntegration", "id"));
    assert_false(has_link(*state, "getOtp", "verifyOtp", "id"));
}

/* The pointer of a row finds something in its answer. */
static void each_linked_id_stands_in_the_answer(void **state)
{
    struct document *doc = *state;

    for (size_t i = 0; i < doc->routes.count; i++) {
        const struct route *route = &doc->routes.rows[i];
        assert_int_equal(route->link_path != NULL, route->link_id != NULL);
        if (!route->link_id) continue;
        struct json_value id;
        struct json_writer writer;
        AUTO_BUF example = {0};
        buf_init(&example, 65536);
        json_writer_init(&writer, &example);
        record_example(route->reply, RECORD_ANSWER, &writer);
        assert_true(json_find(buf_view(&example), route->link_id, &doc->arena, &id));
        if (id.type != JSON_STRING) fail_msg("%s: %s", route->operation_id, route->link_id);
    }
}

static void each_tag_is_described(void **state)
{
    struct document *doc = *state;

    for (size_t i = 0; i < doc->routes.count; i++) {
        const struct route_tag *tag = route_tags;
        while (tag->name && strcmp(tag->name, doc->routes.rows[i].tag) != 0)
            tag++;
        if (!tag->name) fail_msg("%s", doc->routes.rows[i].tag);
        assert_non_null(tag->description);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_creation_links_to_what_it_created),
        cmocka_unit_test(a_link_names_every_id_of_its_path),
        cmocka_unit_test(no_link_where_a_further_id_is_needed),
        cmocka_unit_test(each_linked_id_stands_in_the_answer),
        cmocka_unit_test(each_tag_is_described),
    };
    return cmocka_run_group_tests_name("openapi_link", tests, open_document, close_document);
}
