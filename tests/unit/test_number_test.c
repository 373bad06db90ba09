/* domain/test_number: the ranges of HERALD_TEST_NUMBERS, and who may use them. */
#include "domain/test_number/test_number.h"
#include "kit/base/macros.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define RANGE "+79990000000-+79990000099"
#define EIGHT RANGE "," RANGE "," RANGE "," RANGE "," RANGE "," RANGE "," RANGE "," RANGE

static void ranges_have_their_form(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_list;
        size_t count;
    } rows[] = {
        {"", true, 0},
        {RANGE, true, 1},
        {" +79990000000 - +79990000099 , " RANGE, true, 2},
        {"+79990000000-+79990000000", true, 1},
        {"+79990000000-+79990999999", true, 1},
        {"+79990000000-+79991000000", false, 0}, /* a million and one */
        {"+79990000099-+79990000000", false, 0},
        {"+79990000000", false, 0},
        {"+79990000000-", false, 0},
        {"-+79990000000", false, 0},
        {"+79990000000-99", false, 0},
        {"+79990000000-+79990000099-+79990000100", false, 0},
        {"+7999000000-+7999000009", false, 0}, /* a digit is missing */
        {"+44999999-+449999999", false, 0},    /* of two lengths */
        {"79990000000-79990000099", false, 0},
        {RANGE ",", false, 0},
        {"," RANGE, false, 0},
        {EIGHT "," EIGHT "," EIGHT "," EIGHT, true, TEST_RANGES_MAX},
        {EIGHT "," EIGHT "," EIGHT "," EIGHT "," RANGE, false, 0},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct test_numbers numbers;
        bool is_list = test_numbers_read(str_of(rows[i].text), &numbers);
        assert_int_equal(is_list, rows[i].is_list);
        if (is_list) assert_int_equal(numbers.count, rows[i].count);
    }
}

static void the_root_key_has_test_numbers_in_a_test_environment_alone(void **state)
{
    (void)state;
    struct test_number_setup setup = {.is_test_environment = true};
    struct service service = {.test_numbers = &setup};
    struct work work = {.service = &service, .actor = &actor_root};
    const char *ranges = "+79990000000-+79990000099,+449990000000-+449990000001";

    assert_true(test_numbers_read(str_of(ranges), &setup.numbers));
    assert_true(test_number_applies(&work, "+79990000000"));
    assert_true(test_number_applies(&work, "+79990000099"));
    assert_true(test_number_applies(&work, "+449990000001"));
    assert_false(test_number_applies(&work, "+79989999999"));
    assert_false(test_number_applies(&work, "+79990000100"));
    assert_false(test_number_applies(&work, "+449990000002"));
    assert_false(test_number_applies(&work, NULL)); /* a message to the bot has none */

    setup.is_test_environment = false;
    assert_false(test_number_applies(&work, "+79990000000"));
    service.test_numbers = NULL;
    assert_false(test_number_applies(&work, "+79990000000"));
}

static void a_key_says_whether_it_has_test_numbers(void **state)
{
    (void)state;
    const struct actor tester = {.kind = ACTOR_API_KEY, .is_test = true};
    const struct actor shop = {.kind = ACTOR_API_KEY, .role = ROLE_ADMIN};
    struct test_number_setup setup = {.is_test_environment = false};
    struct service service = {.test_numbers = &setup};
    struct work work = {.service = &service};

    assert_true(test_numbers_read(STR("+79990000000-+79990000099"), &setup.numbers));
    for (int i = 0; i < 2; i++, setup.is_test_environment = true) {
        work.actor = &tester;
        assert_true(test_number_applies(&work, "+79990000000"));
        work.actor = &shop;
        assert_false(test_number_applies(&work, "+79990000000"));
        work.actor = NULL; /* herald itself creates nothing */
        assert_false(test_number_applies(&work, "+79990000000"));
    }
}

static void a_creation_is_refused_by_its_scenario(void **state)
{
    (void)state;
    int64_t retry_after_ms = 0;

    assert_int_equal(test_number_refuse("+79990000004", TEST_OF_OTP, &retry_after_ms),
                     ERR_RATE_LIMITED);
    assert_int_equal(retry_after_ms, 10 * 60 * 1000);
    assert_int_equal(test_number_refuse("+79990000005", TEST_OF_MESSAGE, &retry_after_ms),
                     ERR_CIRCUIT_OPEN);
    assert_int_equal(retry_after_ms, 30 * 1000);
    assert_int_equal(test_number_refuse("+79990000004", TEST_OF_CALL, &retry_after_ms), ERR_OK);
    assert_int_equal(test_number_refuse("+79990000005", TEST_OF_CALL, &retry_after_ms),
                     ERR_NO_ENABLED_NUMBER);
    assert_int_equal(test_number_refuse("+79990000105", TEST_OF_OTP, &retry_after_ms),
                     ERR_CIRCUIT_OPEN);
    assert_int_equal(test_number_refuse("+79990000015", TEST_OF_OTP, &retry_after_ms), ERR_OK);
    assert_int_equal(test_number_attempts("+79990000006", 5), 1);
    assert_int_equal(test_number_attempts("+79990000016", 5), 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_have_their_form),
        cmocka_unit_test(the_root_key_has_test_numbers_in_a_test_environment_alone),
        cmocka_unit_test(a_key_says_whether_it_has_test_numbers),
        cmocka_unit_test(a_creation_is_refused_by_its_scenario),
    };
    return cmocka_run_group_tests_name("test_number", tests, NULL, NULL);
}
