/* kit/base/uuid: version 7 ids that grow on all threads (contract, section 1). */
#include "kit/base/macros.h"
#include "kit/base/secret.h"
#include "kit/base/uuid.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* Far ahead of any other time in this program, since ids never go back. */
static const int64_t far_ms = 4000000000000;

static int64_t ms_of(const struct uuid *id)
{
    int64_t ms = 0;
    for (int i = 0; i < 6; i++)
        ms = ms << 8 | id->bytes[i];
    return ms;
}

static void ids_are_version_7_of_their_time(void **state)
{
    (void)state;
    for (int i = 0; i < 1000; i++) {
        struct uuid id = uuid_new(1795235580123 + i);
        assert_true(ms_of(&id) == 1795235580123 + i);
        assert_int_equal(id.bytes[6] >> 4, 7);
        assert_int_equal(id.bytes[8] >> 6, 2);
    }
}

static void the_least_id_of_a_time_lies_between_two_milliseconds(void **state)
{
    (void)state;
    struct uuid at = uuid_at(1795235590000), next = uuid_at(1795235590001);
    struct uuid id = uuid_new(1795235590000);
    assert_true(memcmp(&at, &id, sizeof(id)) < 0);
    assert_true(memcmp(&id, &next, sizeof(id)) < 0);
    struct uuid before = uuid_at(-1);
    assert_true(uuid_is_nil(&before));
}

/* More ids in a millisecond than a counter of 12 bits holds, and a clock that goes back. */
static void ids_grow_whatever_the_clock_does(void **state)
{
    (void)state;
    struct uuid last = uuid_new(far_ms);
    for (int i = 0; i < 200000; i++) {
        struct uuid id = uuid_new(i % 2 == 0 ? far_ms : far_ms - 60000);
        assert_true(memcmp(&last, &id, sizeof id) < 0);
        assert_int_equal(id.bytes[6] >> 4, 7);
        assert_int_equal(id.bytes[8] >> 6, 2);
        last = id;
    }
}

/* After a restart with the clock behind; but not for ever, if it was a year ahead. */
static void ids_continue_behind_what_is_stored(void **state)
{
    (void)state;
    enum { DAY_MS = 24 * 3600 * 1000 };
    const int64_t now_ms = far_ms + 1000;
    struct uuid stored = uuid_new(now_ms + DAY_MS + 1), other = stored;

    stored.bytes[5] -= 1; /* a day and no millisecond ahead */
    stored.bytes[7] = 0xFF;
    uuid_start_after(&stored, now_ms);
    struct uuid next = uuid_new(now_ms);
    assert_true(memcmp(&stored, &next, sizeof(next)) < 0);
    other.bytes[0]++; /* years ahead */
    uuid_start_after(&other, now_ms);
    next = uuid_new(now_ms);
    assert_true(memcmp(&other, &next, sizeof(next)) > 0);
    other.bytes[6] = 0x4F; /* a random one */
    uuid_start_after(&other, now_ms);
    next = uuid_new(now_ms);
    assert_true(memcmp(&other, &next, sizeof(next)) > 0);
}

/* --- Threads --- */

enum { THREADS = 8, IDS_EACH = 20000 };

struct sequence {
    pthread_mutex_t lock;
    struct uuid ids[THREADS * IDS_EACH];
    size_t count;
};

static void *add_ids_in_turn(void *arg)
{
    struct sequence *sequence = arg;
    for (int i = 0; i < IDS_EACH; i++) {
        pthread_mutex_lock(&sequence->lock);
        sequence->ids[sequence->count++] = uuid_new(far_ms + 1000000);
        pthread_mutex_unlock(&sequence->lock);
    }
    return NULL;
}

static void *add_ids_at_once(void *arg)
{
    struct uuid *ids = arg;
    for (int i = 0; i < IDS_EACH; i++)
        ids[i] = uuid_new(far_ms + 2000000);
    return NULL;
}

static void later_ids_are_greater_on_all_threads(void **state)
{
    (void)state;
    static struct sequence sequence = {.lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, add_ids_in_turn, &sequence), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(sequence.count, COUNT_OF(sequence.ids));
    for (size_t i = 1; i < sequence.count; i++)
        assert_true(memcmp(&sequence.ids[i - 1], &sequence.ids[i], sizeof(struct uuid)) < 0);
}

static int compare_ids(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct uuid));
}

static void ids_made_at_once_are_distinct_and_grow_on_each_thread(void **state)
{
    (void)state;
    static struct uuid ids[THREADS][IDS_EACH];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, add_ids_at_once, ids[i]), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        for (int k = 1; k < IDS_EACH; k++)
            assert_true(memcmp(&ids[i][k - 1], &ids[i][k], sizeof(struct uuid)) < 0);
    /* Equal but for the random bits would be no order: compare what comes before them. */
    qsort(ids, THREADS * IDS_EACH, sizeof(struct uuid), compare_ids);
    const struct uuid *all = &ids[0][0];
    for (size_t i = 1; i < THREADS * IDS_EACH; i++)
        assert_true(memcmp(&all[i - 1], &all[i], 8) <= 0 && !uuid_equal(&all[i - 1], &all[i]));
}

/* --- Text --- */

static void ids_go_to_text_and_back(void **state)
{
    (void)state;
    char text[UUID_TEXT_LEN + 1];
    struct uuid id, back;
    assert_true(uuid_parse(STR("0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8f"), &id));
    assert_int_equal(id.bytes[0], 0x01);
    assert_int_equal(id.bytes[15], 0x8f);
    uuid_format(&id, text);
    assert_string_equal(text, "0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8f");
    assert_true(uuid_parse(STR("0192F0C1-7C2A-7D3E-8F00-3B2A1C0D9E8F"), &back));
    assert_true(uuid_equal(&id, &back));
    assert_false(uuid_is_nil(&id));
    assert_true(uuid_parse(STR("00000000-0000-0000-0000-000000000000"), &back));
    assert_true(uuid_is_nil(&back));
    assert_false(uuid_equal(&id, &back));
    for (int i = 0; i < 1000; i++) {
        random_bytes(&id, sizeof id);
        uuid_format(&id, text);
        assert_true(uuid_parse(str_of(text), &back) && uuid_equal(&id, &back));
    }
}

static void what_is_no_uuid_is_refused(void **state)
{
    (void)state;
    static const struct str rows[] = {
        {"", 0},
        {"0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8", 35},
        {"0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8f0", 37},
        {"0192f0c17c2a7d3e8f003b2a1c0d9e8f", 32},
        {"{192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8}", 36},
        {"0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8g", 36},
        {"0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8\0", 36},
        {"0192f0c17-c2a-7d3e-8f00-3b2a1c0d9e8f", 36},
        {"0192f0c1_7c2a-7d3e-8f00-3b2a1c0d9e8f", 36},
        {" 192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8f", 36},
        {"0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8 ", 36},
        {"------------------------------------", 36},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct uuid id = {.bytes = {47}};
        assert_false(uuid_parse(rows[i], &id));
        assert_int_equal(id.bytes[0], 47);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_are_version_7_of_their_time),
        cmocka_unit_test(the_least_id_of_a_time_lies_between_two_milliseconds),
        cmocka_unit_test(ids_grow_whatever_the_clock_does),
        cmocka_unit_test(ids_continue_behind_what_is_stored),
        cmocka_unit_test(later_ids_are_greater_on_all_threads),
        cmocka_unit_test(ids_made_at_once_are_distinct_and_grow_on_each_thread),
        cmocka_unit_test(ids_go_to_text_and_back),
        cmocka_unit_test(what_is_no_uuid_is_refused),
    };
    if (!secret_system_init()) return 1;
    return cmocka_run_group_tests_name("uuid", tests, NULL, NULL);
}
