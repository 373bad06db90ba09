/*
 * Metrics count what the process does. A metric has a series for each combination of its labels,
 * whose values are words that are known beforehand, so that none grows without bound. A series of a
 * counter is one number; one of a histogram has a number for each bucket, and the sum.
 *
 * Each thread counts into cells of its own, so that counting takes no lock and no cache line from
 * another thread; whoever reads adds them up. Counts never go back while the process lives. They
 * are the one state of the process that no struct of the app holds: the lowest rooms count, too.
 */
#pragma once

#include "kit/base/macros.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    METRIC_SHARDS = 16, /* threads beyond that share cells, and lose no count either */
    METRIC_LABELS_MAX = 2,
    METRIC_BUCKETS_MAX = 16,
    METRIC_HISTOGRAM_CELLS = METRIC_BUCKETS_MAX + 2, /* and those above all bounds, and the sum */
    METRIC_LINE_CELLS = 8,                           /* of a cache line */
};

enum metric_type { METRIC_COUNTER, METRIC_HISTOGRAM };

typedef atomic_uint_least64_t metric_cell;

/* The upper ends of buckets, in microseconds, rising. */
struct metric_bounds {
    const int64_t *us;
    size_t count; /* METRIC_BUCKETS_MAX at most */
};
extern const struct metric_bounds metric_bounds_request;  /* 5 ms to 10 s */
extern const struct metric_bounds metric_bounds_commit;   /* 100 us to 10 s */
extern const struct metric_bounds metric_bounds_delivery; /* 1 s to 5 min */
extern const struct metric_bounds metric_bounds_apply;    /* 10 ms to 5 min */

struct metric {
    const char *name; /* "herald_otp_total" */
    const char *help; /* a sentence for people */
    enum metric_type type;
    const char *labels[METRIC_LABELS_MAX];       /* their names; NULL: there are fewer */
    const char *const *words[METRIC_LABELS_MAX]; /* their values, in the order of the series */
    size_t word_counts[METRIC_LABELS_MAX];       /* 1 of a label that is not there */
    const struct metric_bounds *bounds;          /* of a histogram */
    size_t stride;                               /* cells of a shard */
    metric_cell *cells;
};

/* Defines a metric with its cells: METRIC(name, series, cells of a series, members...). */
#define METRIC_STRIDE(cells) \
    (((cells) + METRIC_LINE_CELLS - 1) / METRIC_LINE_CELLS * METRIC_LINE_CELLS)
#define METRIC(id, series, each, ...)                                             \
    static _Alignas(METRIC_LINE_CELLS * sizeof(metric_cell))                      \
        metric_cell id##_cells[METRIC_SHARDS * METRIC_STRIDE((series) * (each))]; \
    const struct metric id = {                                                    \
        .stride = METRIC_STRIDE((series) * (each)), .cells = id##_cells, __VA_ARGS__}

/* Makes cells for a metric whose words are known only at the start; metric_free frees them. */
void metric_alloc(struct metric *metric);
void metric_free(struct metric *metric);

/* Returns the series of the two words, by their places; 0 for a label that is not there. */
static inline size_t metric_series(const struct metric *metric, size_t first, size_t second)
{
    return first * metric->word_counts[1] + second;
}
size_t metric_series_count(const struct metric *metric);

/* Count; any thread may call. */
void metric_add(const struct metric *metric, size_t series, uint64_t count);
void metric_observe(const struct metric *metric, size_t series, int64_t us);
/* Counts what took from `began_us` (clock_monotonic_us) until now. */
void metric_observe_since(const struct metric *metric, size_t series, int64_t began_us);

/* A value says what a series has come to. Of a histogram each bucket has its own count, and the
 * last one those above all bounds. */
struct metric_value {
    uint64_t buckets[METRIC_BUCKETS_MAX + 1];
    uint64_t count;
    uint64_t sum_us;
};
void metric_read(const struct metric *metric, size_t series, struct metric_value *ret_value);
