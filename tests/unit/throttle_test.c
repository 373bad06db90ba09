/* app/throttle: after 20 failed authentications in a minute an address waits for the rest of it
 * (contract, section 1, Keys). */
#include "app/throttle.h"
#include "kit/base/secret.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static const int64_t t = 1795235580000;

static void add_failures(struct throttle *throttle, const char *address, int count, int64_t now_ms)
{
    for (int i = 0; i < count; i++)
        throttle_add_failure(throttle, address, now_ms);
}

static void an_address_that_never_failed_waits_for_nothing(void **state)
{
    (void)state;
    struct throttle *throttle = throttle_new();
    assert_int_equal(throttle_wait_ms(throttle, "192.0.2.1", t), 0);
    add_failures(throttle, "192.0.2.1", 100, t);
    assert_int_equal(throttle_wait_ms(throttle, "192.0.2.2", t), 0);
    assert_int_equal(throttle_wait_ms(throttle, "192.0.2.10", t), 0);
    assert_int_equal(throttle_wait_ms(throttle, "2001:db8::1", t), 0);
    throttle_free(throttle);
    throttle_free(NULL);
}

static void the_twentieth_failure_is_the_last(void **state)
{
    (void)state;
    struct throttle *throttle = throttle_new();
    add_failures(throttle, "192.0.2.1", 19, t);
    assert_int_equal(throttle_wait_ms(throttle, "192.0.2.1", t), 0);
    add_failures(throttle, "192.0.2.1", 1, t + 1000);
    assert_int_equal(throttle_wait_ms(throttle, "192.0.2.1", t + 1000), 59000);
    throttle_free(throttle);
}

/* The minute begins with the first failure and ends to the millisecond. */
static void the_wait_is_the_rest_of_the_minute(void **state)
{
    (void)state;
    struct throttle *throttle = throttle_new();
    add_failures(throttle, "192.0.2.1", 20, t);
    assert_int_equal(throttle_wait_ms(throttle, "192.0.2.1", t), 60000);
    assert_int_equal(throttle_wait_ms(throttle, "192.0.2.1", t + 59999), 1);
    assert_int_equal(throttle_wait_ms(throttle, "192.0.2.1", t + 60000), 0);
    /* And then it counts from the start. */
    add_failures(throttle, "192.0.2.1", 19, t + 60000);
    assert_int_equal(throttle_wait_ms(throttle, "192.0.2.1", t + 60000), 0);
    add_failures(throttle, "192.0.2.1", 1, t + 60000);
    assert_int_equal(throttle_wait_ms(throttle, "192.0.2.1", t + 60001), 59999);
    throttle_free(throttle);
}

static void failures_of_two_minutes_do_not_add_up(void **state)
{
    (void)state;
    struct throttle *throttle = throttle_new();
    for (int minute = 0; minute < 5; minute++) {
        add_failures(throttle, "192.0.2.1", 19, t + minute * 60000);
        assert_int_equal(throttle_wait_ms(throttle, "192.0.2.1", t + minute * 60000), 0);
    }
    throttle_free(throttle);
}

/* Failures while it is refused do not make the wait longer. */
static void the_wait_does_not_grow(void **state)
{
    (void)state;
    struct throttle *throttle = throttle_new();
    for (int i = 0; i < 60; i++)
        add_failures(throttle, "192.0.2.1", 1, t + i * 1000);
    assert_int_equal(throttle_wait_ms(throttle, "192.0.2.1", t + 59500), 500);
    assert_int_equal(throttle_wait_ms(throttle, "192.0.2.1", t + 60000), 0);
    throttle_free(throttle);
}

/* Memory is fixed: many addresses push out the oldest, and the latest still count. */
static void many_addresses_are_counted(void **state)
{
    (void)state;
    struct throttle *throttle = throttle_new();
    char address[32];
    for (int i = 0; i < 100000; i++) {
        snprintf(address, sizeof address, "10.%d.%d.%d", i >> 16, i >> 8 & 255, i & 255);
        add_failures(throttle, address, 1, t + i / 10000);
    }
    add_failures(throttle, "192.0.2.1", 20, t + 100);
    assert_int_equal(throttle_wait_ms(throttle, "192.0.2.1", t + 100), 60000);
    throttle_free(throttle);
}

/* An address that goes on failing is not lost among a thousand others. */
static void a_busy_offender_is_kept_among_others(void **state)
{
    (void)state;
    struct throttle *throttle = throttle_new();
    char address[32];
    add_failures(throttle, "192.0.2.1", 20, t);
    for (int i = 0; i < 1000; i++) {
        snprintf(address, sizeof address, "10.0.%d.%d", i >> 8, i & 255);
        add_failures(throttle, address, 1, t + 1 + i);
    }
    assert_true(throttle_wait_ms(throttle, "192.0.2.1", t + 2000) > 0);
    throttle_free(throttle);
}

enum { THREADS = 4 };

static void *fail_often(void *arg)
{
    add_failures(arg, "192.0.2.1", 5, t);
    throttle_wait_ms(arg, "192.0.2.1", t);
    return NULL;
}

static void failures_of_several_threads_add_up(void **state)
{
    (void)state;
    for (int round = 0; round < 50; round++) {
        struct throttle *throttle = throttle_new();
        pthread_t threads[THREADS];
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, fail_often, throttle), 0);
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
        assert_int_equal(throttle_wait_ms(throttle, "192.0.2.1", t), 60000);
        throttle_free(throttle);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_that_never_failed_waits_for_nothing),
        cmocka_unit_test(the_twentieth_failure_is_the_last),
        cmocka_unit_test(the_wait_is_the_rest_of_the_minute),
        cmocka_unit_test(failures_of_two_minutes_do_not_add_up),
        cmocka_unit_test(the_wait_does_not_grow),
        cmocka_unit_test(many_addresses_are_counted),
        cmocka_unit_test(a_busy_offender_is_kept_among_others),
        cmocka_unit_test(failures_of_several_threads_add_up),
    };
    if (!secret_system_init()) return 1;
    return cmocka_run_group_tests_name("throttle", tests, NULL, NULL);
}
