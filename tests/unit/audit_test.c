/* core/audit: which operations leave a record, what it tells, and its hash (contract, section
 * 10.3). */
#include "app/api/routes.h"
#include "arena_fixture.h"
#include "core/audit.h"
#include "domain/integration/integration.h"
#include "domain/webhook/webhook.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define ZEROS "0000000000000000000000000000000000000000000000000000000000000000"

/* These are the daily traffic: they leave no record, and pay nothing. */
static const char *const daily[] = {
    "createChallenge", "createOtp", "verifyOtp", "createMessage", "createOrder",
};

static bool is_daily(const char *operation)
{
    for (size_t i = 0; i < COUNT_OF(daily); i++) {
        if (strcmp(daily[i], operation) == 0) return true;
    }
    return false;
}

static void each_operation_has_an_action_or_is_daily(void **state)
{
    static struct route_list routes;
    size_t count = 0;
    (void)state;

    routes_of_role(PROCESS_TOOL, true, &routes);
    for (size_t i = 0; i < routes.count; i++) {
        const struct route *route = &routes.rows[i];
        bool changes = strcmp(route->method, "GET") != 0 && route->auth == AUTH_INTERNAL_KEY;
        if (!changes) continue;
        count += is_daily(route->operation_id);
        if (!route->action == !is_daily(route->operation_id))
            fail_msg("%s: an action, or daily traffic", route->operation_id);
    }
    assert_int_equal(count, COUNT_OF(daily));
}

static void a_hash_covers_the_one_before_and_every_field(void **state)
{
    struct audit_actor actor = {.kind = ACTOR_ROOT, .name = "root"};
    struct audit_target target = {"device", "7"};
    struct audit_change change = {"name", NULL, "Shop"};
    struct audit_record record = {.seq = 1,
                                  .at = 1795235580123,
                                  .actor = &actor,
                                  .action = "device.change",
                                  .target = &target,
                                  .changes = {&change, 1}};
    char first[AUDIT_HASH_TEXT_LEN + 1], other[AUDIT_HASH_TEXT_LEN + 1];
    (void)state;

    assert_true(audit_compute_hash(&record, ZEROS, first));
    assert_true(audit_compute_hash(&record, first, other));
    assert_string_not_equal(first, other);
    change.to = "Shop 2";
    assert_true(audit_compute_hash(&record, ZEROS, other));
    assert_string_not_equal(first, other);
    change.to = "Shop";
    record.hash = "it is not covered";
    assert_true(audit_compute_hash(&record, ZEROS, other));
    assert_string_equal(first, other);
    assert_false(audit_compute_hash(&record, "", other));
    assert_false(audit_compute_hash(&record, "x" ZEROS, other));
}

/* A value that is no number to the guard of texts is masked as well; a public channel is
 * nobody's. */
static void what_was_revealed_is_masked(void **state)
{
    static const char *const hidden[] = {"+79161234567", "8 (916) 123-45-67", "4242", "12-34-56"};
    struct audit_changes changes = {.arena = *state};

    for (size_t i = 0; i < COUNT_OF(hidden); i++) {
        audit_change_reveal(&changes, "phone", hidden[i]);
        const char *told = audit_guard_text(*state, changes.rows[i].to);
        assert_null(changes.rows[i].from);
        assert_null(strstr(told, hidden[i]));
        assert_non_null(strstr(told, "***"));
    }
    audit_change_reveal(&changes, "chat_id", "@channel");
    assert_string_equal(changes.rows[COUNT_OF(hidden)].to, "@channel");
    audit_change_reveal(&changes, "recipient", NULL);
    assert_int_equal(changes.count, COUNT_OF(hidden) + 1);
}

static void changes_are_the_fields_that_differ(void **state)
{
    struct arena *arena = *state;
    static const char *const skipped[] = {"id", NULL};
    struct erp before_erp = {"https://a.example", "/o", 10},
               after_erp = {"https://a.example", "/p", 10};
    struct integration before = {.id = {{1}}, .name = "A", .enabled = true, .erp = &before_erp};
    struct integration after = {.id = {{2}}, .name = "B", .enabled = false, .erp = &after_erp};
    struct audit_changes changes = {.arena = arena};

    audit_change_record(&changes, &integration_record, &before, &after, skipped);
    assert_int_equal(changes.count, 3);
    assert_string_equal(changes.rows[0].field, "name");
    assert_string_equal(changes.rows[0].from, "A");
    assert_string_equal(changes.rows[0].to, "B");
    assert_string_equal(changes.rows[1].field, "enabled");
    assert_string_equal(changes.rows[1].from, "true");
    assert_string_equal(changes.rows[2].field, "erp.order_path");
    assert_string_equal(changes.rows[2].to, "/p");
}

static void a_list_of_words_is_one_text(void **state)
{
    const char *two[] = {"otp.*", "order.failed"}, *all[] = {"*"};
    static const char *const none[] = {NULL};
    struct webhook_endpoint before = {.types = {two, 2}}, after = {.types = {all, 1}};
    struct audit_changes changes = {.arena = *state};

    audit_change_record(&changes, &webhook_endpoint_record, &before, &before, none);
    assert_int_equal(changes.count, 0);
    audit_change_record(&changes, &webhook_endpoint_record, &before, &after, none);
    assert_int_equal(changes.count, 1);
    assert_string_equal(changes.rows[0].field, "types");
    assert_string_equal(changes.rows[0].from, "otp.*, order.failed");
    assert_string_equal(changes.rows[0].to, "*");
}

static void texts_are_masked_and_end(void **state)
{
    struct arena *arena = *state;
    char longest[AUDIT_TEXT_MAX + 2];

    memset(longest, 'a', sizeof(longest));
    for (size_t i = 0; i < sizeof(longest); i += 2)
        longest[i] = ' ';
    longest[sizeof(longest) - 1] = '\0';
    assert_null(audit_guard_text(arena, NULL));
    assert_string_equal(audit_guard_text(arena, "Shop 12"), "Shop 12");
    assert_string_equal(audit_guard_text(arena, "call-79161234567"), "call-79161234567");
    assert_string_equal(audit_guard_text(arena, "+79161234567"), "+7916***4567");
    assert_string_equal(audit_guard_text(arena, "tg:1, +79161234567,89161234568"),
                        "tg:1, +7916***4567, +7916***4568");
    assert_int_equal(strlen(audit_guard_text(arena, longest)), AUDIT_TEXT_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_operation_has_an_action_or_is_daily),
        cmocka_unit_test(a_hash_covers_the_one_before_and_every_field),
        cmocka_unit_test_setup_teardown(changes_are_the_fields_that_differ, arena_begin, arena_end),
        cmocka_unit_test_setup_teardown(a_list_of_words_is_one_text, arena_begin, arena_end),
        cmocka_unit_test_setup_teardown(what_was_revealed_is_masked, arena_begin, arena_end),
        cmocka_unit_test_setup_teardown(texts_are_masked_and_end, arena_begin, arena_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
