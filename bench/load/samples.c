/* All samples are kept: no rounding, and a million of them are 4 MB. */
#include "samples.h"

#include <stdlib.h>

void samples_done(struct samples *samples)
{
    free(samples->us);
    *samples = (struct samples){0};
}

void samples_add(struct samples *samples, int64_t us)
{
    if (samples->count == samples->capacity) {
        samples->capacity = samples->capacity ? samples->capacity * 2 : 65536;
        samples->us = realloc(samples->us, samples->capacity * sizeof *samples->us);
        if (!samples->us) abort();
    }
    if (us < 0) us = 0;
    samples->us[samples->count++] = us > UINT32_MAX ? UINT32_MAX : (uint32_t)us;
}

static int compare(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;

    return (a > b) - (a < b);
}

double samples_percentile_ms(struct samples *samples, double share)
{
    if (samples->count == 0) return 0;
    qsort(samples->us, samples->count, sizeof *samples->us, compare);

    size_t rank = (size_t)(share * (double)samples->count);
    if (rank >= samples->count) rank = samples->count - 1;
    return samples->us[rank] / 1000.0;
}
