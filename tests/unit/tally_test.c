/* kit/base/tally: nothing is counted twice or lost, whatever is kept when, and it stays small. */
#include "kit/base/tally.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { THREADS = 8, EACH = 20000, KEYS = 50 };

static struct tally rows[TALLY_MAX];

static uint64_t count_of(size_t count, const char *key)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += strcmp(rows[i].key, key) == 0 ? rows[i].count : 0;
    return sum;
}

static void forget_all(void)
{
    tally_settle(rows, tally_read(rows), true);
    assert_int_equal(tally_read(rows), 0);
}

static void counts_until_its_end(void **state)
{
    (void)state;
    tally_add("by_key", "a", "sent");
    tally_add("by_key", "a", "sent");
    tally_add("by_key", "a", "created");
    size_t count = tally_read(rows);
    assert_int_equal(count, 2);
    tally_add("by_key", "a", "sent"); /* while it is being kept */
    tally_settle(rows, count, false);
    assert_int_equal(tally_read(rows), 1); /* the other has not grown */
    assert_int_equal(rows[0].count, 3);
    forget_all();
}

static void what_came_behind_the_last_reading_counts_in_the_next_time(void **state)
{
    (void)state;
    tally_add("by_key", "a", "sent");
    size_t count = tally_read(rows);
    tally_add("by_key", "a", "sent");
    tally_add("by_key", "b", "sent");
    tally_settle(rows, count, true);
    count = tally_read(rows);
    assert_int_equal(count_of(count, "a"), 1);
    assert_int_equal(count_of(count, "b"), 1);
    forget_all();
}

static void what_was_not_kept_is_read_again(void **state)
{
    (void)state;
    tally_add("by_key", "a", "sent");
    assert_int_equal(tally_read(rows), 1);
    assert_int_equal(tally_read(rows), 1);
    forget_all();
}

static void strangers_fill_it_to_its_end_alone(void **state)
{
    char key[TALLY_KEY_MAX + 9];
    uint64_t sum = 0;

    (void)state;
    for (int i = 0; i < 3 * TALLY_MAX; i++) {
        snprintf(key, sizeof(key), "%d", i);
        tally_add("by_key", key, "sent");
    }
    size_t count = tally_read(rows);
    assert_true(count <= TALLY_MAX);
    assert_true(count_of(count, TALLY_OTHER) > 0);
    for (size_t i = 0; i < count; i++)
        sum += rows[i].count;
    assert_int_equal(sum, 3 * TALLY_MAX);
    forget_all();
}

static void long_keys_are_cut(void **state)
{
    char key[TALLY_KEY_MAX + 9];

    (void)state;
    memset(key, 'x', sizeof(key) - 1);
    key[sizeof(key) - 1] = '\0';
    tally_add("by_key", key, "sent");
    assert_int_equal(tally_read(rows), 1);
    assert_int_equal(strlen(rows[0].key), TALLY_KEY_MAX);
    forget_all();
}

static void *count_keys(void *arg)
{
    char key[8];

    (void)arg;
    for (int i = 0; i < EACH; i++) {
        snprintf(key, sizeof(key), "%d", i % KEYS);
        tally_add("by_key", key, "sent");
    }
    return NULL;
}

static void threads_lose_no_count(void **state)
{
    pthread_t threads[THREADS];
    size_t count;

    (void)state;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, count_keys, NULL), 0);
    for (int i = 0; i < 100; i++) { /* kept meanwhile, within its time */
        count = tally_read(rows);
        tally_settle(rows, count, false);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < KEYS; i++) { /* so that each has grown since it was kept */
        char key[8];
        snprintf(key, sizeof(key), "%d", i);
        tally_add("by_key", key, "sent");
    }
    count = tally_read(rows);
    assert_int_equal(count, KEYS);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(rows[i].count, THREADS * EACH / KEYS + 1);
    forget_all();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_until_its_end),
        cmocka_unit_test(what_came_behind_the_last_reading_counts_in_the_next_time),
        cmocka_unit_test(what_was_not_kept_is_read_again),
        cmocka_unit_test(strangers_fill_it_to_its_end_alone),
        cmocka_unit_test(long_keys_are_cut),
        cmocka_unit_test(threads_lose_no_count),
    };
    return cmocka_run_group_tests_name("tally", tests, NULL, NULL);
}
