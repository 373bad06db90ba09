/* app/api/refusals: of each kind ten refusals a second have an entry, and the next entry counts the
 * others (contract, section 2, rule 12). */
#include "app/api/refusals.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const int64_t t = 5000;

/* Returns how many of `count` refusals have an entry; all left out before are in `*ret_left_out`.
 */
static int add(struct refusals *refusals, enum refused client, enum err err, int count,
               int64_t now_ms, int64_t *ret_left_out)
{
    int told = 0;

    *ret_left_out = 0;
    for (int i = 0; i < count; i++) {
        int64_t left_out = 0;
        told += refusals_add(refusals, client, err, now_ms, &left_out);
        *ret_left_out += left_out;
    }
    return told;
}

static void test_ten_a_second_have_an_entry(void **state)
{
    int64_t left_out;
    (void)state;
    struct refusals *refusals = refusals_new();
    assert_int_equal(add(refusals, REFUSED_CORE, ERR_NOT_FOUND, 10, t, &left_out), 10);
    assert_int_equal(add(refusals, REFUSED_CORE, ERR_NOT_FOUND, 1, t + 999, &left_out), 0);
    assert_int_equal(add(refusals, REFUSED_CORE, ERR_NOT_FOUND, 4, t + 999, &left_out), 0);
    assert_int_equal(left_out, 0);
    assert_int_equal(add(refusals, REFUSED_CORE, ERR_NOT_FOUND, 11, t + 1000, &left_out), 10);
    assert_int_equal(left_out, 5);
    assert_int_equal(add(refusals, REFUSED_CORE, ERR_NOT_FOUND, 1, t + 2000, &left_out), 1);
    assert_int_equal(left_out, 1);
    refusals_free(refusals);
    refusals_free(NULL);
}

static void test_kinds_are_counted_apart(void **state)
{
    int64_t left_out;
    (void)state;
    struct refusals *refusals = refusals_new();
    assert_int_equal(add(refusals, REFUSED_PHONE, ERR_LEASE_LOST, 1000, t, &left_out), 10);
    assert_int_equal(add(refusals, REFUSED_PHONE, ERR_NOT_FOUND, 10, t, &left_out), 10);
    assert_int_equal(add(refusals, REFUSED_ERP, ERR_LEASE_LOST, 10, t, &left_out), 10);
    assert_int_equal(left_out, 0);
    refusals_free(refusals);
}

static void test_what_nobody_follows_is_taken_once_its_second_is_over(void **state)
{
    struct refusals_left_out rest;
    int64_t left_out;
    (void)state;
    struct refusals *refusals = refusals_new();
    assert_false(refusals_take_left_out(refusals, t, true, &rest));
    add(refusals, REFUSED_ERP, ERR_VALIDATION, 17, t, &left_out);
    assert_false(refusals_take_left_out(refusals, t + 999, false, &rest));
    assert_true(refusals_take_left_out(refusals, t + 1000, false, &rest));
    assert_int_equal(rest.client, REFUSED_ERP);
    assert_int_equal(rest.err, ERR_VALIDATION);
    assert_int_equal(rest.count, 7);
    assert_false(refusals_take_left_out(refusals, t + 1000, false, &rest));
    assert_int_equal(add(refusals, REFUSED_ERP, ERR_VALIDATION, 1, t + 1000, &left_out), 1);
    assert_int_equal(left_out, 0);
    refusals_free(refusals);
}

static void test_the_last_look_waits_for_nothing(void **state)
{
    struct refusals_left_out rest;
    int64_t left_out;
    (void)state;
    struct refusals *refusals = refusals_new();
    add(refusals, REFUSED_CORE, ERR_RATE_LIMITED, 11, t, &left_out);
    add(refusals, REFUSED_UNKNOWN, ERR_OVERLOADED, 12, t, &left_out);
    assert_true(refusals_take_left_out(refusals, t, true, &rest));
    assert_int_equal(rest.count, 1);
    assert_true(refusals_take_left_out(refusals, t, true, &rest));
    assert_int_equal(rest.count, 2);
    assert_false(refusals_take_left_out(refusals, t, true, &rest));
    refusals_free(refusals);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ten_a_second_have_an_entry),
        cmocka_unit_test(test_kinds_are_counted_apart),
        cmocka_unit_test(test_what_nobody_follows_is_taken_once_its_second_is_over),
        cmocka_unit_test(test_the_last_look_waits_for_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
