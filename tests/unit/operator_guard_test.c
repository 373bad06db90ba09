/* Wrong passwords slow down the pair of an account and an address, and nobody else. */
#include "domain/operator/operator_guard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

enum { MINUTE_MS = 60 * 1000, FORGET_MS = 15 * MINUTE_MS, PAIRS = 100 * 1000 };
#define NOW INT64_C(1000000)

static struct in6_addr address_of(const char *text)
{
    struct in6_addr address;
    bool is_address = http_address_parse(str_of(text), &address);
    assert_true(is_address);
    return address;
}

static int make(void **state)
{
    *state = login_guard_new();
    return 0;
}

static int drop(void **state)
{
    login_guard_free(*state);
    return 0;
}

static void guess(struct login_guard *guard, const char *name, const struct in6_addr *address,
                  int times, int64_t now_ms)
{
    for (int i = 0; i < times; i++)
        login_guard_count(guard, name, address, false, now_ms);
}

static void the_wait_doubles_up_to_a_minute(void **state)
{
    static const int64_t waits[] = {1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000};
    const struct in6_addr address = address_of("192.0.2.1");

    guess(*state, "anna", &address, OPERATOR_FREE_TRIES - 1, NOW);
    assert_int_equal(login_guard_wait(*state, "anna", &address, NOW), 0);
    for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++) {
        guess(*state, "anna", &address, 1, NOW);
        assert_int_equal(login_guard_wait(*state, "anna", &address, NOW), waits[i]);
        assert_int_equal(login_guard_wait(*state, "anna", &address, NOW + waits[i] - 1), 1);
        assert_int_equal(login_guard_wait(*state, "anna", &address, NOW + waits[i]), 0);
    }
}

static void other_names_and_addresses_do_not_wait(void **state)
{
    const struct in6_addr address = address_of("192.0.2.1"), other = address_of("192.0.2.2");
    const struct in6_addr six = address_of("2001:db8::1"), same = address_of("2001:db8::2"),
                          next = address_of("2001:db8:0:1::1");

    guess(*state, "anna", &address, 20, NOW);
    guess(*state, "anna", &six, 20, NOW);
    assert_true(login_guard_wait(*state, "anna", &address, NOW) > 0);
    assert_int_equal(login_guard_wait(*state, "anna", &other, NOW), 0);
    assert_int_equal(login_guard_wait(*state, "boris", &address, NOW), 0);
    assert_true(login_guard_wait(*state, "anna", &same, NOW) > 0); /* the same /64 */
    assert_int_equal(login_guard_wait(*state, "anna", &next, NOW), 0);
}

static void a_right_one_and_time_end_it(void **state)
{
    const struct in6_addr address = address_of("192.0.2.1");

    guess(*state, "anna", &address, 20, NOW);
    login_guard_count(*state, "anna", &address, true, NOW);
    assert_int_equal(login_guard_wait(*state, "anna", &address, NOW), 0);
    guess(*state, "anna", &address, OPERATOR_FREE_TRIES - 1, NOW);
    assert_int_equal(login_guard_wait(*state, "anna", &address, NOW), 0);
    guess(*state, "anna", &address, 10, NOW);
    guess(*state, "anna", &address, 1, NOW + FORGET_MS);
    assert_int_equal(login_guard_wait(*state, "anna", &address, NOW + FORGET_MS), 0);
}

/* A flood of pairs is forgotten before the memory would grow. */
static void many_pairs_have_room(void **state)
{
    const struct in6_addr address = address_of("192.0.2.1");
    char name[16];

    for (int i = 0; i < PAIRS; i++) {
        snprintf(name, sizeof(name), "name%d", i);
        guess(*state, name, &address, 1, NOW + i);
    }
    guess(*state, "anna", &address, 20, NOW + PAIRS);
    assert_true(login_guard_wait(*state, "anna", &address, NOW + PAIRS) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_wait_doubles_up_to_a_minute, make, drop),
        cmocka_unit_test_setup_teardown(other_names_and_addresses_do_not_wait, make, drop),
        cmocka_unit_test_setup_teardown(a_right_one_and_time_end_it, make, drop),
        cmocka_unit_test_setup_teardown(many_pairs_have_room, make, drop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
