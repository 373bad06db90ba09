/* A series is remembered as it was at the beginning of the minute and of the hour; the difference
 * is what the row holds. */
#include "app/metrics/history.h"

#include "app/metrics/history_db.h"
#include "domain/process/process.h"
#include "kit/base/must.h"
#include "kit/base/tally.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t MINUTE_MS = 60 * 1000;
static const int64_t HOUR_MS = 60 * 60 * 1000;

enum { LABELS_MAX = 160 };

/* Of a histogram the sum is kept beside the count. */
struct point {
    uint64_t count, sum_us;
};

struct series {
    const struct metric *metric;
    size_t number;
    struct point minute, hour; /* at their beginning */
    struct point now;          /* as it is being written */
};

struct history {
    struct service *service;
    struct uuid process;
    int64_t minute_at, hour_at;
    struct series *series;
    size_t count;
    struct tally *tallies; /* as they were read, TALLY_MAX at most */
    size_t tally_count;
    enum err err; /* of the last write, so that trouble is told once */
};

static int64_t floor_of(int64_t now_ms, int64_t length_ms)
{
    return now_ms - now_ms % length_ms;
}

struct history *history_new(struct service *service, const struct metric *const *metrics,
                            size_t count, int64_t now_ms)
{
    struct history *history = must_calloc(1, sizeof(*history));
    size_t series = 0;

    for (size_t i = 0; i < count; i++)
        series += metric_series_count(metrics[i]);
    history->service = service;
    history->process = service->process->id;
    history->minute_at = floor_of(now_ms, MINUTE_MS);
    history->hour_at = floor_of(now_ms, HOUR_MS);
    history->series = must_calloc(series, sizeof(*history->series));
    history->tallies = must_calloc(TALLY_MAX, sizeof(*history->tallies));
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < metric_series_count(metrics[i]); k++)
            history->series[history->count++] = (struct series){.metric = metrics[i], .number = k};
    }
    return history;
}

void history_free(struct history *history)
{
    if (!history) return;
    free(history->series);
    free(history->tallies);
    free(history);
}

/* --- Rows ------------------------------------------------------------------------------------- */

struct batch {
    struct history *history;
    struct arena arena;
    struct work work;
    struct history_row *minutes, *hours;
    size_t minute_count, hour_count;
};

static const char *labels_of(const struct series *series, struct arena *arena)
{
    const struct metric *metric = series->metric;
    size_t places[METRIC_LABELS_MAX] = {series->number / metric->word_counts[1],
                                        series->number % metric->word_counts[1]};
    char text[LABELS_MAX] = "";
    size_t len = 0;

    for (int i = 0; i < METRIC_LABELS_MAX && metric->labels[i]; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s=%s", i > 0 ? "," : "",
                                metric->labels[i], metric->words[i][places[i]]);
    assert(len < sizeof(text));
    return arena_text(arena, text);
}

static void add_rows(struct batch *batch, const struct series *series, const char *labels,
                     const struct point *from, int64_t at, struct history_row *rows, size_t *count)
{
    bool is_histogram = series->metric->type == METRIC_HISTOGRAM;
    const char *name = series->metric->name;
    struct arena *arena = &batch->arena;

    rows[(*count)++] = (struct history_row){
        at, batch->history->process, is_histogram ? arena_printf(arena, "%s_count", name) : name,
        labels, (int64_t)(series->now.count - from->count)};
    if (is_histogram)
        rows[(*count)++] = (struct history_row){at, batch->history->process,
                                                arena_printf(arena, "%s_sum_us", name), labels,
                                                (int64_t)(series->now.sum_us - from->sum_us)};
}

/* Tallies are kept by the hour alone. */
static void add_tallies(struct batch *batch)
{
    struct history *history = batch->history;

    for (size_t i = 0; i < history->tally_count; i++) {
        const struct tally *tally = &history->tallies[i];
        const char *labels =
            arena_printf(&batch->arena, "key=%s,outcome=%s", tally->key, tally->outcome);
        batch->hours[batch->hour_count++] = (struct history_row){
            history->hour_at, history->process, tally->name, labels, (int64_t)tally->count};
    }
}

/* Reads all series, and makes rows of those that have grown since the last minute that was kept. */
static void collect(struct batch *batch)
{
    struct history *history = batch->history;
    struct metric_value value;

    history->tally_count = tally_read(history->tallies);
    batch->minutes = arena_array(&batch->arena, 2 * history->count, sizeof(*batch->minutes));
    batch->hours = arena_array(&batch->arena, 2 * history->count + history->tally_count,
                               sizeof(*batch->hours));
    add_tallies(batch);
    for (size_t i = 0; i < history->count; i++) {
        struct series *series = &history->series[i];
        metric_read(series->metric, series->number, &value);
        series->now = (struct point){value.count, value.sum_us};
        if (series->now.count == series->minute.count) continue;
        const char *labels = labels_of(series, &batch->arena);
        add_rows(batch, series, labels, &series->minute, history->minute_at, batch->minutes,
                 &batch->minute_count);
        add_rows(batch, series, labels, &series->hour, history->hour_at, batch->hours,
                 &batch->hour_count);
    }
}

static enum err write_batch(struct work *work)
{
    struct batch *batch = CONTAINER_OF(work, struct batch, work);
    enum err err = history_write_minutes(work, batch->minutes, batch->minute_count);
    return err ? err : history_write_hours(work, batch->hours, batch->hour_count);
}

/* --- Time ------------------------------------------------------------------------------------- */

/* The next minute, and perhaps the next hour, begins with what was written. */
static void move_on(struct history *history, int64_t now_ms)
{
    int64_t hour_at = floor_of(now_ms, HOUR_MS);

    for (size_t i = 0; i < history->count; i++) {
        struct series *series = &history->series[i];
        series->minute = series->now;
        if (hour_at != history->hour_at) series->hour = series->now;
    }
    tally_settle(history->tallies, history->tally_count, hour_at != history->hour_at);
    history->minute_at = floor_of(now_ms, MINUTE_MS);
    history->hour_at = hour_at;
}

static void tell(struct history *history, enum err err)
{
    if (err && err != history->err)
        log_write(LOG_WARNING, "what was counted could not be kept, and is tried again",
                  LOG_FIELDS(log_plain("error", err_info(err)->code)));
    history->err = err;
}

static void keep(struct history *history, int64_t now_ms)
{
    struct batch batch = {.history = history};

    arena_init(&batch.arena);
    work_init(&batch.work, history->service, &batch.arena, now_ms, NULL);
    collect(&batch);
    enum err err = batch.minute_count + batch.hour_count == 0
                       ? ERR_OK
                       : work_run(&batch.work, history->service->verification, write_batch);
    arena_done(&batch.arena);
    tell(history, err);
    if (!err) move_on(history, now_ms);
}

void history_tick(struct history *history, int64_t now_ms)
{
    if (floor_of(now_ms, MINUTE_MS) > history->minute_at) keep(history, now_ms);
}

void history_end(struct history *history, int64_t now_ms)
{
    keep(history, now_ms);
}
