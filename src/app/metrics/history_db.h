/* The statements on metric_minute and metric_hour have one function each. */
#pragma once

#include "core/work.h"

enum {
    HISTORY_MINUTES_KEPT_MS = 48 * 60 * 60 * 1000,
};
static const int64_t HISTORY_HOURS_KEPT_MS = 400LL * 24 * 60 * 60 * 1000;

struct history_row {
    int64_t at;
    struct uuid process;
    const char *name;
    const char *labels;
    int64_t value;
};

/* Write the rows, in place of those with the same key. */
enum err history_write_minutes(struct work *work, const struct history_row *rows,
                               size_t count) MUST_CHECK;
enum err history_write_hours(struct work *work, const struct history_row *rows,
                             size_t count) MUST_CHECK;
/* Forget `max` of the oldest rows from before `before`; `ret_forgotten` counts them. */
enum err history_forget_minutes(struct work *work, int64_t before, int max,
                                int64_t *ret_forgotten) MUST_CHECK;
enum err history_forget_hours(struct work *work, int64_t before, int max,
                              int64_t *ret_forgotten) MUST_CHECK;
