/* modem/manager: which of two modems with one number is used (contract, section 15.4). */
#include "modem/manager.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#define NUMBER "+79160000001"

enum { HOME = 1, SEARCHING = 2 };

struct pair {
    struct modem first, second;
    struct manager manager;
};

static struct modem modem_of(uint64_t serial, int64_t registration)
{
    struct modem modem = {.serial = serial,
                          .state = MM_STATE_REGISTERED,
                          .registration = registration,
                          .has_modem = true,
                          .has_sms = true,
                          .is_second = serial == 2};
    snprintf(modem.number, sizeof modem.number, NUMBER);
    return modem;
}

static void begin(struct pair *pair, int64_t of_first, int64_t of_second)
{
    *pair = (struct pair){.first = modem_of(1, of_first), .second = modem_of(2, of_second)};
    pair->manager.modems[0] = &pair->first;
    pair->manager.modems[1] = &pair->second;
    pair->manager.count = 2;
}

/* Tells whether the second one is used afterwards; there is always one. */
static bool is_taken(struct pair *pair)
{
    manager_prefer_ready(&pair->manager, &pair->first);
    manager_prefer_ready(&pair->manager, &pair->second);
    assert_true(pair->first.is_second != pair->second.is_second);
    const struct modem *used = manager_find_number(&pair->manager, NUMBER);
    assert_ptr_equal(used, pair->first.is_second ? &pair->second : &pair->first);
    return pair->first.is_second;
}

static void a_ready_one_takes_the_place_of_one_that_is_not(void **state)
{
    struct pair pair;

    (void)state;
    begin(&pair, SEARCHING, HOME);
    assert_true(is_taken(&pair));
    assert_true(modem_is_ready(&pair.second));
    begin(&pair, HOME, HOME);
    pair.first.state = MM_STATE_DISABLED;
    assert_true(is_taken(&pair));
}

static void the_first_stays_where_none_is_better(void **state)
{
    struct pair pair;

    (void)state;
    begin(&pair, HOME, HOME);
    assert_false(is_taken(&pair));
    begin(&pair, SEARCHING, SEARCHING);
    assert_false(is_taken(&pair));
    begin(&pair, HOME, SEARCHING);
    assert_false(is_taken(&pair));
}

/* A claim or an SMS of a number is under way at one modem alone. */
static void the_first_ends_what_it_does(void **state)
{
    struct pair pair;

    (void)state;
    begin(&pair, SEARCHING, HOME);
    pair.first.is_claiming = true;
    assert_false(is_taken(&pair));
    pair.first.is_claiming = false;
    pair.first.is_sending = true;
    assert_false(is_taken(&pair));
    pair.first.is_sending = false;
    assert_true(is_taken(&pair));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ready_one_takes_the_place_of_one_that_is_not),
        cmocka_unit_test(the_first_stays_where_none_is_better),
        cmocka_unit_test(the_first_ends_what_it_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
