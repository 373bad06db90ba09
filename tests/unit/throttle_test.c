/* app/api/throttle: after 20 failed authentications in a minute an address waits for the rest of it
 * (contract, section 1, Keys). */
#include "app/api/throttle.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static const int64_t t = 1795235580000;

static struct in6_addr address_of(const char *text)
{
    struct in6_addr address;

    assert_true(http_address_parse(str_of(text), &address));
    return address;
}

static int64_t fail_often(struct throttle *throttle, const char *text, int count, int64_t now_ms)
{
    struct in6_addr address = address_of(text);
    struct throttle_failure failure = {.wait_ms = -1};

    for (int i = 0; i < count; i++)
        failure = throttle_add_failure(throttle, &address, now_ms);
    return failure.wait_ms;
}

static bool is_in_turns(struct throttle *throttle, const char *text, int64_t now_ms)
{
    struct in6_addr address = address_of(text);

    return throttle_is_in_turns(throttle, &address, now_ms);
}

static void test_addresses_are_counted_apart(void **state)
{
    (void)state;
    struct throttle *throttle = throttle_new();
    assert_true(fail_often(throttle, "192.0.2.1", 100, t) > 0);
    assert_true(is_in_turns(throttle, "192.0.2.1", t));
    assert_false(is_in_turns(throttle, "192.0.2.2", t));
    assert_int_equal(fail_often(throttle, "192.0.2.2", 20, t), 0);
    assert_int_equal(fail_often(throttle, "192.0.2.10", 1, t), 0);
    assert_int_equal(fail_often(throttle, "2001:db8::1", 1, t), 0);
    throttle_free(throttle);
    throttle_free(NULL);
}

static void test_each_failure_tells_how_many_are_left(void **state)
{
    struct in6_addr address = address_of("192.0.2.1");
    (void)state;
    struct throttle *throttle = throttle_new();
    for (int left = THROTTLE_FAILURES_MAX - 1; left >= -3; left--) {
        struct throttle_failure failure = throttle_add_failure(throttle, &address, t + 1000);
        assert_int_equal(failure.left, left > 0 ? left : 0);
        assert_int_equal(failure.left_ms, THROTTLE_WINDOW_MS);
    }
    assert_int_equal(throttle_add_failure(throttle, &address, t + 21000).left_ms, 40000);
    assert_int_equal(throttle_add_failure(throttle, &address, t + 61000).left,
                     THROTTLE_FAILURES_MAX - 1);
    throttle_free(throttle);
}

/* One caller has a whole /64, and more spellings of each address than there are failures. */
static void test_one_caller_is_one(void **state)
{
    char text[64];
    (void)state;
    struct throttle *throttle = throttle_new();
    for (int i = 0; i < 20; i++) {
        snprintf(text, sizeof(text), "2001:db8:0:1::%x", i);
        assert_int_equal(fail_often(throttle, text, 1, t), 0);
    }
    assert_true(fail_often(throttle, "2001:db8:0:1:ffff::1", 1, t) > 0);
    assert_int_equal(fail_often(throttle, "2001:db8:0:2::1", 1, t), 0);
    assert_int_equal(fail_often(throttle, "192.0.2.1", 20, t), 0);
    assert_true(fail_often(throttle, "::ffff:192.0.2.1", 1, t) > 0);
    throttle_free(throttle);
}

static void test_limit(void **state)
{
    (void)state;
    struct throttle *throttle = throttle_new();
    assert_int_equal(fail_often(throttle, "192.0.2.1", 19, t), 0);
    assert_false(is_in_turns(throttle, "192.0.2.1", t));
    assert_int_equal(fail_often(throttle, "192.0.2.1", 1, t + 1000), 0);
    assert_true(is_in_turns(throttle, "192.0.2.1", t + 1000));
    assert_int_equal(fail_often(throttle, "192.0.2.1", 1, t + 1000), 59000);
    throttle_free(throttle);
}

static void test_the_minute_ends(void **state)
{
    (void)state;
    struct throttle *throttle = throttle_new();
    assert_int_equal(fail_often(throttle, "192.0.2.1", 21, t), 60000);
    assert_int_equal(fail_often(throttle, "192.0.2.1", 1, t + 59999), 1);
    assert_true(is_in_turns(throttle, "192.0.2.1", t + 59999));
    assert_false(is_in_turns(throttle, "192.0.2.1", t + 60000));
    /* and a new one begins with the next failure */
    assert_int_equal(fail_often(throttle, "192.0.2.1", 20, t + 60000), 0);
    assert_int_equal(fail_often(throttle, "192.0.2.1", 1, t + 60001), 59999);
    throttle_free(throttle);
}

static void test_failures_of_old_minutes_do_not_add_up(void **state)
{
    (void)state;
    struct throttle *throttle = throttle_new();
    for (int minute = 0; minute < 10; minute++)
        assert_int_equal(fail_often(throttle, "192.0.2.1", 20, t + minute * 60000), 0);
    throttle_free(throttle);
}

/* The minute begins with the first failure, whatever comes later in it. */
static void test_the_minute_is_that_of_the_first_failure(void **state)
{
    (void)state;
    struct throttle *throttle = throttle_new();
    for (int i = 0; i < 20; i++)
        assert_int_equal(fail_often(throttle, "192.0.2.1", 1, t + i * 1000), 0);
    assert_int_equal(fail_often(throttle, "192.0.2.1", 1, t + 59500), 500);
    assert_int_equal(fail_often(throttle, "192.0.2.1", 1, t + 60000), 0);
    throttle_free(throttle);
}

/* Of requests at the same moment, one that began before the first failure may be told after it. */
static void test_failures_out_of_order(void **state)
{
    (void)state;
    struct throttle *throttle = throttle_new();
    assert_int_equal(fail_often(throttle, "192.0.2.1", 10, t + 5000), 0);
    assert_int_equal(fail_often(throttle, "192.0.2.1", 10, t), 0);
    assert_int_equal(fail_often(throttle, "192.0.2.1", 1, t + 1), 60000);
    throttle_free(throttle);
}

/* Memory is fixed: a flood from many addresses forgets some, and never refuses a stranger. */
static void test_flood_of_addresses(void **state)
{
    char text[32];
    (void)state;
    struct throttle *throttle = throttle_new();
    for (int i = 0; i < 200000; i++) {
        snprintf(text, sizeof(text), "10.%d.%d.%d", i >> 16, i >> 8 & 255, i & 255);
        assert_int_equal(fail_often(throttle, text, 1, t + i / 10000), 0);
    }
    assert_int_equal(fail_often(throttle, "192.0.2.1", 21, t + 100), 60000);
    /* together they are too many: all lookups take turns, nobody is refused for it */
    assert_true(is_in_turns(throttle, "198.51.100.1", t + 100));
    throttle_free(throttle);
}

/* Nobody can drive an address out of memory on purpose: a few thousand others do not. */
static void test_failures_are_remembered_among_others(void **state)
{
    char text[32];
    (void)state;
    struct throttle *throttle = throttle_new();
    assert_int_equal(fail_often(throttle, "192.0.2.1", 20, t), 0);
    for (int i = 0; i < 1000; i++) {
        snprintf(text, sizeof(text), "10.0.%d.%d", i >> 8, i & 255);
        assert_int_equal(fail_often(throttle, text, 1, t + 1 + i), 0);
    }
    assert_true(fail_often(throttle, "192.0.2.1", 1, t + 2000) > 0);
    throttle_free(throttle);
}

/* --- What the log is told --------------------------------------------------------------------- */

static int count_told(struct throttle *throttle, const char *text, int count, int64_t now_ms)
{
    struct in6_addr address = address_of(text);
    int told = 0;

    for (int i = 0; i < count; i++)
        told += throttle_add_failure(throttle, &address, now_ms).is_told;
    return told;
}

static void test_first_failures_are_told_one_by_one(void **state)
{
    struct throttle_flood flood;
    (void)state;
    struct throttle *throttle = throttle_new();
    assert_false(throttle_take_flood(throttle, t, true, &flood));
    assert_int_equal(count_told(throttle, "192.0.2.1", THROTTLE_TOLD_OF_ONE, t),
                     THROTTLE_TOLD_OF_ONE);
    assert_false(throttle_take_flood(throttle, t + 60000, false, &flood));
    assert_int_equal(count_told(throttle, "192.0.2.2", THROTTLE_TOLD_OF_ONE + 1, t),
                     THROTTLE_TOLD_OF_ONE);
    assert_true(throttle_take_flood(throttle, t + 60000, false, &flood));
    assert_int_equal(flood.failures, 1);
    throttle_free(throttle);
}

static void test_flood_is_told_once_a_minute(void **state)
{
    struct in6_addr worst = address_of("192.0.2.1");
    struct throttle_flood flood;
    (void)state;
    struct throttle *throttle = throttle_new();
    assert_int_equal(count_told(throttle, "192.0.2.1", 10000, t), THROTTLE_TOLD_OF_ONE);
    assert_int_equal(count_told(throttle, "192.0.2.2", 100, t + 1), THROTTLE_TOLD_OF_ONE);
    assert_false(throttle_take_flood(throttle, t + 59999, false, &flood));
    assert_true(throttle_take_flood(throttle, t + 60000, false, &flood));
    assert_int_equal(flood.failures, 10100 - 2 * THROTTLE_TOLD_OF_ONE);
    assert_memory_equal(&flood.address, &worst, sizeof(worst));
    assert_int_equal(flood.address_failures, 10000);
    assert_false(throttle_take_flood(throttle, t + 60000, true, &flood));
    /* it goes on: the next entry comes a minute later, or when the process ends */
    assert_int_equal(count_told(throttle, "192.0.2.1", 50, t + 60000), THROTTLE_TOLD_OF_ONE);
    assert_false(throttle_take_flood(throttle, t + 60250, false, &flood));
    assert_true(throttle_take_flood(throttle, t + 60250, true, &flood));
    assert_int_equal(flood.failures, 50 - THROTTLE_TOLD_OF_ONE);
    throttle_free(throttle);
}

static void test_many_addresses_are_a_flood_too(void **state)
{
    struct throttle_flood flood;
    char text[32];
    int told = 0;
    (void)state;
    struct throttle *throttle = throttle_new();
    for (int i = 0; i < 5000; i++) {
        snprintf(text, sizeof(text), "10.0.%d.%d", i >> 8, i & 255);
        told += count_told(throttle, text, 1, t);
    }
    assert_int_equal(told, THROTTLE_TOLD_OF_ALL);
    assert_true(throttle_take_flood(throttle, t + 60000, false, &flood));
    assert_int_equal(flood.failures, 5000 - THROTTLE_TOLD_OF_ALL);
    throttle_free(throttle);
}

/* --- Turns ------------------------------------------------------------------------------------ */

struct lookup {
    struct throttle_turn turn; /* first */
    bool is_vain;
    atomic_bool has_begun;
};

static bool begin(struct throttle_turn *turn)
{
    struct lookup *lookup = (struct lookup *)turn;

    bool is_vain = lookup->is_vain;
    atomic_store(&lookup->has_begun, true); /* from here on it may be gone */
    return !is_vain;
}

static void test_one_lookup_at_a_time(void **state)
{
    enum { COUNT = 5 };
    struct lookup lookups[COUNT];
    (void)state;
    struct throttle *throttle = throttle_new();
    for (int i = 0; i < COUNT; i++) {
        lookups[i] = (struct lookup){.turn.begin = begin, .is_vain = i == 2};
        throttle_await_turn(throttle, &lookups[i].turn);
        assert_int_equal(atomic_load(&lookups[i].has_begun), i == 0);
    }
    throttle_begin_next(throttle);
    assert_true(lookups[1].has_begun && !lookups[2].has_begun);
    throttle_begin_next(throttle); /* what is in vain gives its turn on */
    assert_true(lookups[2].has_begun && lookups[3].has_begun && !lookups[4].has_begun);
    throttle_begin_next(throttle);
    assert_true(lookups[4].has_begun);
    throttle_begin_next(throttle);
    lookups[0] = (struct lookup){.turn.begin = begin, .is_vain = true};
    throttle_await_turn(throttle, &lookups[0].turn);
    assert_true(lookups[0].has_begun);
    throttle_free(throttle); /* asserts that nobody waits */
}

enum { LOOKUPS_PER_THREAD = 2000, THREADS = 4 };

static void *look_up_often(void *arg)
{
    struct throttle *throttle = arg;

    for (int i = 0; i < LOOKUPS_PER_THREAD; i++) {
        struct lookup lookup = {.turn.begin = begin, .is_vain = true};
        struct in6_addr address = address_of("192.0.2.1");
        (void)throttle_add_failure(throttle, &address, t);
        throttle_await_turn(throttle, &lookup.turn);
        while (!atomic_load(&lookup.has_begun))
            continue;
    }
    return NULL;
}

static void test_many_threads_at_once(void **state)
{
    pthread_t threads[THREADS];
    (void)state;
    struct throttle *throttle = throttle_new();
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, look_up_often, throttle), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    struct in6_addr address = address_of("192.0.2.1");
    (void)throttle_add_failure(throttle, &address, t);
    struct throttle_flood flood;
    assert_true(throttle_take_flood(throttle, t, true, &flood));
    assert_int_equal(flood.address_failures, THREADS * LOOKUPS_PER_THREAD + 1);
    throttle_free(throttle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_addresses_are_counted_apart),
        cmocka_unit_test(test_each_failure_tells_how_many_are_left),
        cmocka_unit_test(test_one_caller_is_one),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_the_minute_ends),
        cmocka_unit_test(test_failures_of_old_minutes_do_not_add_up),
        cmocka_unit_test(test_the_minute_is_that_of_the_first_failure),
        cmocka_unit_test(test_failures_out_of_order),
        cmocka_unit_test(test_flood_of_addresses),
        cmocka_unit_test(test_failures_are_remembered_among_others),
        cmocka_unit_test(test_first_failures_are_told_one_by_one),
        cmocka_unit_test(test_flood_is_told_once_a_minute),
        cmocka_unit_test(test_many_addresses_are_a_flood_too),
        cmocka_unit_test(test_one_lookup_at_a_time),
        cmocka_unit_test(test_many_threads_at_once),
    };
    return cmocka_run_group_tests_name("throttle", tests, NULL, NULL);
}
