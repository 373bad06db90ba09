/* Metrics are written as Prometheus reads them: its text format 0.0.4, or OpenMetrics 1.0. */
#pragma once

#include "kit/base/buf.h"
#include "kit/base/metric.h"

enum exposition_format { EXPOSITION_TEXT, EXPOSITION_OPENMETRICS, EXPOSITION_FORMATS };
extern const char *const exposition_media_types[EXPOSITION_FORMATS];

/* Returns the format that a client prefers by its header Accept (data NULL: it has none). */
enum exposition_format exposition_choose(struct str accept);

/* Writes all series of a metric; of one with many, those that have counted. */
void exposition_metric(struct buf *out, enum exposition_format format, const struct metric *metric);

/* Begins a family whose values follow. A counter's name ends with _total. */
enum exposition_type {
    EXPOSITION_GAUGE,
    EXPOSITION_COUNTER,
    EXPOSITION_HISTOGRAM,
    EXPOSITION_INFO
};
void exposition_family(struct buf *out, enum exposition_format format, const char *name,
                       enum exposition_type type, const char *help);
/* Writes a value of the family; `label` may be NULL. The word is of visible ASCII without quotes
 * and backslashes. Times are in milliseconds, and written in seconds. */
void exposition_value(struct buf *out, const char *name, const char *label, const char *word,
                      int64_t value);
void exposition_ms(struct buf *out, const char *name, const char *label, const char *word,
                   int64_t ms);
/* Ends the answer. */
void exposition_end(struct buf *out, enum exposition_format format);
