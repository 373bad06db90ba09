/* kit/base/metric: no count is lost, whichever threads count. */
#include "kit/base/metric.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { WORDS = 3, THREADS = 8, MANY = 3 * METRIC_SHARDS, EACH = 100000 };

static const char *const letters[] = {"a", "b", "c"};
static const char *const digits[] = {"1", "2"};

METRIC(counted, WORDS * 2, 1, .name = "counted_total", .help = "", .labels = {"letter", "digit"},
       .words = {letters, digits}, .word_counts = {WORDS, 2});
METRIC(measured, WORDS, METRIC_HISTOGRAM_CELLS, .name = "measured_seconds", .help = "",
       .type = METRIC_HISTOGRAM, .labels = {"letter"}, .words = {letters},
       .word_counts = {WORDS, 1}, .bounds = &metric_bounds_request);

static uint64_t count_of(const struct metric *metric, size_t series)
{
    struct metric_value value;
    metric_read(metric, series, &value);
    return value.count;
}

static void *count(void *arg)
{
    for (int i = 0; i < EACH; i++)
        metric_add(&counted, (size_t)(i % (WORDS * 2)), 1);
    metric_add(&counted, 0, *(uint64_t *)arg);
    return NULL;
}

static void count_at_once(int threads)
{
    pthread_t running[MANY];
    uint64_t before = 0, after = 0, more = 7;

    for (size_t i = 0; i < metric_series_count(&counted); i++)
        before += count_of(&counted, i);
    for (int i = 0; i < threads; i++)
        assert_int_equal(pthread_create(&running[i], NULL, count, &more), 0);
    for (int i = 0; i < threads; i++)
        pthread_join(running[i], NULL);
    for (size_t i = 0; i < metric_series_count(&counted); i++)
        after += count_of(&counted, i);
    assert_int_equal(after - before, (uint64_t)threads * (EACH + more));
}

static void eight_threads_count_exactly(void **state)
{
    (void)state;
    count_at_once(THREADS);
    assert_int_equal(count_of(&counted, 1), (uint64_t)THREADS * 16667);
}

/* There are more of them than shards. */
static void many_threads_count_exactly(void **state)
{
    (void)state;
    count_at_once(MANY);
}

static void series_are_apart(void **state)
{
    (void)state;
    uint64_t before = count_of(&counted, metric_series(&counted, 2, 0));
    metric_add(&counted, metric_series(&counted, 2, 1), 5);
    assert_int_equal(metric_series(&counted, 2, 1), 5);
    assert_int_equal(metric_series(&measured, 2, 0), 2);
    assert_int_equal(count_of(&counted, metric_series(&counted, 2, 0)), before);
    assert_int_equal(metric_series_count(&counted), 6);
    assert_int_equal(metric_series_count(&measured), 3);
}

/* A bound belongs to its bucket. */
static void buckets_end_at_their_bounds(void **state)
{
    struct metric_value value;
    const struct metric_bounds *bounds = &metric_bounds_request;
    uint64_t sum = 0;
    (void)state;

    for (size_t i = 0; i < bounds->count; i++) {
        metric_observe(&measured, 1, bounds->us[i]);
        metric_observe(&measured, 1, bounds->us[i] + 1);
        sum += 2 * (uint64_t)bounds->us[i] + 1;
    }
    metric_observe(&measured, 1, -3); /* a clock that was set back */
    metric_read(&measured, 1, &value);
    assert_int_equal(value.buckets[0], 2);
    for (size_t i = 1; i <= bounds->count; i++)
        assert_int_equal(value.buckets[i], i < bounds->count ? 2 : 1);
    assert_int_equal(value.count, 2 * bounds->count + 1);
    assert_int_equal(value.sum_us, sum);
    metric_read(&measured, 0, &value);
    assert_int_equal(value.count, 0);
}

static void bounds_rise(void **state)
{
    static const struct metric_bounds *const all[] = {&metric_bounds_request, &metric_bounds_commit,
                                                      &metric_bounds_delivery,
                                                      &metric_bounds_apply};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        assert_true(all[i]->count <= METRIC_BUCKETS_MAX);
        for (size_t k = 1; k < all[i]->count; k++)
            assert_true(all[i]->us[k] > all[i]->us[k - 1]);
    }
}

static void cells_of_a_shard_share_no_line_with_others(void **state)
{
    struct metric made = {.word_counts = {WORDS, 1}, .type = METRIC_COUNTER};
    (void)state;
    metric_alloc(&made);
    assert_int_equal((uintptr_t)made.cells % 64, 0);
    assert_int_equal((uintptr_t)counted.cells % 64, 0);
    assert_int_equal(made.stride * sizeof(metric_cell) % 64, 0);
    metric_add(&made, 2, 9);
    assert_int_equal(count_of(&made, 2), 9);
    metric_free(&made);
    assert_null(made.cells);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eight_threads_count_exactly),
        cmocka_unit_test(many_threads_count_exactly),
        cmocka_unit_test(series_are_apart),
        cmocka_unit_test(buckets_end_at_their_bounds),
        cmocka_unit_test(bounds_rise),
        cmocka_unit_test(cells_of_a_shard_share_no_line_with_others),
    };
    return cmocka_run_group_tests_name("metric", tests, NULL, NULL);
}
