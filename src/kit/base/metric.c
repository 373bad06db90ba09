/* Cells are added to atomically and without order: nothing else is told by them. */
#include "kit/base/metric.h"

#include "kit/base/clock.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MS = 1000, S = 1000 * MS };

static const int64_t request_us[] = {5 * MS,    10 * MS,  25 * MS,   50 * MS,  75 * MS,
                                     100 * MS,  250 * MS, 500 * MS,  750 * MS, 1 * S,
                                     2500 * MS, 5 * S,    7500 * MS, 10 * S};
static const int64_t commit_us[] = {100,     250,       500,     1 * MS,   2500,     5 * MS,
                                    10 * MS, 25 * MS,   50 * MS, 100 * MS, 250 * MS, 500 * MS,
                                    1 * S,   2500 * MS, 5 * S,   10 * S};
static const int64_t delivery_us[] = {1 * S,  2 * S,  5 * S,  10 * S,  15 * S,  20 * S, 30 * S,
                                      45 * S, 60 * S, 90 * S, 120 * S, 180 * S, 300 * S};
static const int64_t apply_us[] = {10 * MS, 50 * MS,   100 * MS, 250 * MS, 500 * MS,
                                   1 * S,   2500 * MS, 5 * S,    10 * S,   30 * S,
                                   60 * S,  120 * S,   300 * S};
static_assert(COUNT_OF(commit_us) <= METRIC_BUCKETS_MAX, "each bound has its bucket");

const struct metric_bounds metric_bounds_request = {request_us, COUNT_OF(request_us)};
const struct metric_bounds metric_bounds_commit = {commit_us, COUNT_OF(commit_us)};
const struct metric_bounds metric_bounds_delivery = {delivery_us, COUNT_OF(delivery_us)};
const struct metric_bounds metric_bounds_apply = {apply_us, COUNT_OF(apply_us)};

static size_t cells_of(const struct metric *metric)
{
    return metric->type == METRIC_HISTOGRAM ? METRIC_HISTOGRAM_CELLS : 1;
}

size_t metric_series_count(const struct metric *metric)
{
    return metric->word_counts[0] * metric->word_counts[1];
}

void metric_alloc(struct metric *metric)
{
    size_t line = METRIC_LINE_CELLS * sizeof(metric_cell);

    metric->stride = METRIC_STRIDE(metric_series_count(metric) * cells_of(metric));
    size_t size = METRIC_SHARDS * metric->stride * sizeof(metric_cell);
    metric->cells = aligned_alloc(line, size);
    if (!metric->cells) abort();
    memset(metric->cells, 0, size);
}

void metric_free(struct metric *metric)
{
    free(metric->cells);
    metric->cells = NULL;
}

/* A thread keeps its shard, and takes the next one when it first counts. */
static size_t own_shard(void)
{
    static atomic_uint next;
    static _Thread_local unsigned own; /* 0: none yet */

    if (own == 0)
        own = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed) % METRIC_SHARDS + 1;
    return own - 1;
}

static metric_cell *cell_of(const struct metric *metric, size_t series)
{
    assert(series < metric_series_count(metric));
    return metric->cells + own_shard() * metric->stride + series * cells_of(metric);
}

static void add(metric_cell *cell, uint64_t count)
{
    atomic_fetch_add_explicit(cell, count, memory_order_relaxed);
}

void metric_add(const struct metric *metric, size_t series, uint64_t count)
{
    add(cell_of(metric, series), count);
}

void metric_observe(const struct metric *metric, size_t series, int64_t us)
{
    const struct metric_bounds *bounds = metric->bounds;
    metric_cell *cells = cell_of(metric, series);
    size_t bucket = 0;

    while (bucket < bounds->count && us > bounds->us[bucket])
        bucket++;
    add(&cells[bucket], 1);
    add(&cells[METRIC_HISTOGRAM_CELLS - 1], us > 0 ? (uint64_t)us : 0);
}

void metric_observe_since(const struct metric *metric, size_t series, int64_t began_us)
{
    metric_observe(metric, series, clock_monotonic_us() - began_us);
}

static uint64_t sum_of(const struct metric *metric, size_t at)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < METRIC_SHARDS; i++)
        sum += atomic_load_explicit(&metric->cells[i * metric->stride + at], memory_order_relaxed);
    return sum;
}

void metric_read(const struct metric *metric, size_t series, struct metric_value *ret_value)
{
    size_t at = series * cells_of(metric);

    *ret_value = (struct metric_value){0};
    if (metric->type == METRIC_COUNTER) {
        ret_value->count = sum_of(metric, at);
        return;
    }
    for (size_t i = 0; i <= metric->bounds->count; i++) {
        ret_value->buckets[i] = sum_of(metric, at + i);
        ret_value->count += ret_value->buckets[i];
    }
    ret_value->sum_us = sum_of(metric, at + METRIC_HISTOGRAM_CELLS - 1);
}
