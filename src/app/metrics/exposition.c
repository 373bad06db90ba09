/* OpenMetrics leaves _total out of the name of a family, knows a type for facts, and ends with a
 * line of its own; all else is alike. */
#include "app/metrics/exposition.h"

#include "kit/http/media.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    DENSE_SERIES_MAX = 100, /* a counter with more shows only those that have counted */
    DENSE_HISTOGRAMS_MAX = 8,
    US_PER_S = 1000 * 1000,
    BOUND_LEN = 32,
    WEIGHT_MAX = 1000,
};

const char *const exposition_media_types[EXPOSITION_FORMATS] = {
    [EXPOSITION_TEXT] = "text/plain; version=0.0.4; charset=utf-8",
    [EXPOSITION_OPENMETRICS] = "application/openmetrics-text; version=1.0.0; charset=utf-8",
};

/* --- The choice ------------------------------------------------------------------------------- */

/* Returns the weight of an item of Accept in thousandths: 1000 without one, 0 if it is none. */
static int weight_of(struct str item)
{
    struct str q = http_media_param(item, "q");
    int weight = 0, unit = WEIGHT_MAX;

    if (!q.data) return WEIGHT_MAX;
    for (size_t i = 0; i < q.len && unit > 0; i++) {
        bool is_point = i == 1 && q.data[i] == '.', is_digit = i != 1 && str_is_digit(q.data[i]);
        if (!is_point && !is_digit) return 0;
        if (is_point) continue;
        weight += (q.data[i] - '0') * unit;
        unit /= 10;
    }
    return weight < WEIGHT_MAX ? weight : WEIGHT_MAX;
}

/* A version that is not ours would be read by other rules. */
static bool is_our_openmetrics(struct str item)
{
    struct str version = http_media_param(item, "version");
    bool is_ours = !version.data || (version.len > 2 && memcmp(version.data, "1.", 2) == 0);
    return is_ours && http_media_is(item, "application/openmetrics-text");
}

enum exposition_format exposition_choose(struct str accept)
{
    int open = 0, text = 0;
    struct str item;

    while (accept.data && accept.len > 0 && str_next_item(&accept, &item)) {
        int weight = weight_of(item);
        if (is_our_openmetrics(item) && weight > open) open = weight;
        if (http_media_is(item, "text/plain") && weight > text) text = weight;
    }
    return open > 0 && open >= text ? EXPOSITION_OPENMETRICS : EXPOSITION_TEXT;
}

/* --- Families --------------------------------------------------------------------------------- */

void exposition_family(struct buf *out, enum exposition_format format, const char *name,
                       enum exposition_type type, const char *help)
{
    static const char *const types[EXPOSITION_FORMATS][EXPOSITION_INFO + 1] = {
        {"gauge", "counter", "histogram", "gauge"}, {"gauge", "counter", "histogram", "info"}};
    static const char *const suffixes[] = {"", "_total", "", "_info"};
    int len = (int)strlen(name);

    if (format == EXPOSITION_OPENMETRICS) len -= (int)strlen(suffixes[type]);
    buf_printf(out, "# HELP %.*s %s\n# TYPE %.*s %s\n", len, name, help, len, name,
               types[format][type]);
}

static void put_name(struct buf *out, const char *name, const char *label, const char *word)
{
    buf_text(out, name);
    if (label) buf_printf(out, "{%s=\"%s\"}", label, word);
}

void exposition_value(struct buf *out, const char *name, const char *label, const char *word,
                      int64_t value)
{
    put_name(out, name, label, word);
    buf_printf(out, " %" PRId64 "\n", value);
}

void exposition_ms(struct buf *out, const char *name, const char *label, const char *word,
                   int64_t ms)
{
    put_name(out, name, label, word);
    buf_printf(out, " %" PRId64 ".%03" PRId64 "\n", ms / 1000, ms % 1000);
}

void exposition_end(struct buf *out, enum exposition_format format)
{
    if (format == EXPOSITION_OPENMETRICS) buf_text(out, "# EOF\n");
}

/* --- Metrics ---------------------------------------------------------------------------------- */

/* Writes `name_suffix{labels,le="bound"}`; `bound` may be NULL. */
static void put_series(struct buf *out, const struct metric *metric, size_t series,
                       const char *suffix, const char *bound)
{
    size_t places[METRIC_LABELS_MAX] = {series / metric->word_counts[1],
                                        series % metric->word_counts[1]};
    const char *before = "{";

    buf_text(out, metric->name);
    buf_text(out, suffix);
    for (int i = 0; i < METRIC_LABELS_MAX && metric->labels[i]; i++) {
        buf_printf(out, "%s%s=\"%s\"", before, metric->labels[i], metric->words[i][places[i]]);
        before = ",";
    }
    if (bound) {
        buf_printf(out, "%sle=\"%s\"", before, bound);
        before = ",";
    }
    buf_text(out, before[0] == ',' ? "} " : " ");
}

/* A bound is a number of seconds with a point, as both formats have it. */
static void format_bound(int64_t us, char ret_text[static BOUND_LEN])
{
    int len = snprintf(ret_text, BOUND_LEN, "%" PRId64 ".%06" PRId64, us / US_PER_S, us % US_PER_S);
    while (ret_text[len - 1] == '0' && ret_text[len - 2] != '.')
        ret_text[--len] = '\0';
}

static void put_histogram(struct buf *out, const struct metric *metric, size_t series,
                          const struct metric_value *value)
{
    uint64_t count = 0;
    char bound[BOUND_LEN];

    for (size_t i = 0; i < metric->bounds->count; i++) {
        count += value->buckets[i];
        format_bound(metric->bounds->us[i], bound);
        put_series(out, metric, series, "_bucket", bound);
        buf_printf(out, "%" PRIu64 "\n", count);
    }
    put_series(out, metric, series, "_bucket", "+Inf");
    buf_printf(out, "%" PRIu64 "\n", value->count);
    put_series(out, metric, series, "_sum", NULL);
    buf_printf(out, "%" PRIu64 ".%06" PRIu64 "\n", value->sum_us / US_PER_S,
               value->sum_us % US_PER_S);
    put_series(out, metric, series, "_count", NULL);
    buf_printf(out, "%" PRIu64 "\n", value->count);
}

void exposition_metric(struct buf *out, enum exposition_format format, const struct metric *metric)
{
    bool is_histogram = metric->type == METRIC_HISTOGRAM;
    size_t count = metric_series_count(metric);
    bool is_dense = count <= (size_t)(is_histogram ? DENSE_HISTOGRAMS_MAX : DENSE_SERIES_MAX);
    struct metric_value value;

    exposition_family(out, format, metric->name,
                      is_histogram ? EXPOSITION_HISTOGRAM : EXPOSITION_COUNTER, metric->help);
    for (size_t series = 0; series < count; series++) {
        metric_read(metric, series, &value);
        if (value.count == 0 && !is_dense) continue;
        if (is_histogram) {
            put_histogram(out, metric, series, &value);
            continue;
        }
        put_series(out, metric, series, "", NULL);
        buf_printf(out, "%" PRIu64 "\n", value.count);
    }
}
