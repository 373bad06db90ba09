/* Durations in microseconds, and what is said of them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct samples {
    uint32_t *us;
    size_t count;
    size_t capacity;
};

void samples_done(struct samples *samples);
/* Negative durations count as 0, very long ones as 2^32 - 1. */
void samples_add(struct samples *samples, int64_t us);
/* The value that `share` (0 to 1) of all samples do not exceed, in ms; 0 without samples. Sorts. */
double samples_percentile_ms(struct samples *samples, double share);
