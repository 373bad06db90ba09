/* A thread asks the databases while somebody scrapes, and keeps what was counted. */
#include "app/metrics/metrics.h"

#include "app/metrics/gauges.h"
#include "app/metrics/history.h"
#include "app/metrics/history_db.h"
#include "app/metrics/listener.h"
#include "app/setup/stores.h"
#include "domain/channel/channel_job.h"
#include "domain/erp/erp.h"
#include "domain/event_log/event_log.h"
#include "domain/otp/otp.h"
#include "domain/token/token.h"
#include "domain/webhook/webhook.h"
#include "kit/base/clock.h"
#include "kit/base/must.h"
#include "kit/base/thread.h"

#include <stdlib.h>

enum {
    TICK_MS = 1000,
    GAUGES_EVERY_MS = 5 * 1000,
    GAUGES_GOOD_MS = 30 * 1000, /* older ones are left out: they may be wrong by now */
    SWEEP_BATCH = 500,
    WANTED_FOR_MS = 150 * 1000, /* behind a scrape; few scrape less often */
};

static const struct metric *const room_metrics[] = {
    &otp_outcomes,         &otp_delivery_seconds, &channel_fetch_seconds,
    &erp_package_outcomes, &erp_apply_seconds,    &webhook_deliveries,
    &token_issued,         &store_commit_seconds, &event_log_lost,
};

struct metrics {
    struct metrics_setup setup;
    const struct metric *all[METRICS_MAX + COUNT_OF(room_metrics)];
    size_t count;
    struct listener *listener; /* NULL: none */
    struct history *history;   /* the thread's own */
    bool is_started;
    pthread_t thread;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t has_news;
    bool is_stopping;
    int64_t wanted_at_ms; /* monotonic: somebody scraped */
    int64_t read_at_ms;   /* monotonic: the gauges are of then; long ago: there are none */
    int64_t open_files;
    struct gauges gauges;
};

static const int64_t LONG_AGO_MS = INT64_MIN / 2;

/* --- Scrapes ---------------------------------------------------------------------------------- */

void metrics_write(struct metrics *metrics, enum exposition_format format, struct buf *out)
{
    int64_t now_ms = clock_monotonic_ms();

    for (size_t i = 0; i < metrics->count; i++)
        exposition_metric(out, format, metrics->all[i]);
    pthread_mutex_lock(&metrics->lock);
    bool is_first = now_ms - metrics->wanted_at_ms > WANTED_FOR_MS;
    metrics->wanted_at_ms = now_ms;
    if (is_first) pthread_cond_broadcast(&metrics->has_news);
    if (now_ms - metrics->read_at_ms <= GAUGES_GOOD_MS)
        gauges_write(out, format, &metrics->gauges, clock_now_ms());
    int64_t open_files = metrics->open_files;
    pthread_mutex_unlock(&metrics->lock);
    gauges_write_process(out, format, metrics->setup.service, open_files);
    exposition_end(out, format);
}

static void write_answer(void *arg, enum exposition_format format, struct buf *out)
{
    metrics_write(arg, format, out);
}

/* --- The thread ------------------------------------------------------------------------------- */

static bool are_gauges_due(struct metrics *metrics, int64_t now_ms)
{
    pthread_mutex_lock(&metrics->lock);
    bool is_due = now_ms - metrics->wanted_at_ms <= WANTED_FOR_MS &&
                  now_ms - metrics->read_at_ms >= GAUGES_EVERY_MS;
    pthread_mutex_unlock(&metrics->lock);
    return is_due;
}

static void read_gauges(struct metrics *metrics)
{
    struct gauges *gauges = must_calloc(1, sizeof(*gauges));
    int64_t open_files = gauges_count_files();

    enum err err = gauges_read(metrics->setup.service, gauges);
    pthread_mutex_lock(&metrics->lock);
    metrics->open_files = open_files;
    if (!err) {
        metrics->gauges = *gauges;
        metrics->read_at_ms = clock_monotonic_ms();
    }
    pthread_mutex_unlock(&metrics->lock);
    free(gauges);
}

static bool wait_for_tick(struct metrics *metrics)
{
    struct timespec until = thread_deadline(TICK_MS);

    pthread_mutex_lock(&metrics->lock);
    if (!metrics->is_stopping) pthread_cond_timedwait(&metrics->has_news, &metrics->lock, &until);
    bool goes_on = !metrics->is_stopping;
    pthread_mutex_unlock(&metrics->lock);
    return goes_on;
}

static void *tick(void *arg)
{
    struct metrics *metrics = arg;

    do {
        if (are_gauges_due(metrics, clock_monotonic_ms())) read_gauges(metrics);
        history_tick(metrics->history, clock_now_ms());
    } while (wait_for_tick(metrics));
    history_end(metrics->history, clock_now_ms());
    return NULL;
}

/* --- Start and stop --------------------------------------------------------------------------- */

static void collect(struct metrics *metrics)
{
    for (size_t i = 0; i < metrics->setup.own_count; i++)
        metrics->all[metrics->count++] = metrics->setup.own[i];
    for (size_t i = 0; i < COUNT_OF(room_metrics); i++)
        metrics->all[metrics->count++] = room_metrics[i];
}

enum err metrics_start(const struct metrics_setup *setup, struct metrics **ret_metrics,
                       struct buf *why)
{
    struct metrics *metrics = must_calloc(1, sizeof(*metrics));

    *ret_metrics = metrics;
    metrics->setup = *setup;
    metrics->wanted_at_ms = metrics->read_at_ms = LONG_AGO_MS;
    metrics->open_files = gauges_count_files();
    pthread_mutex_init(&metrics->lock, NULL);
    thread_cond_init(&metrics->has_news);
    collect(metrics);
    metrics->history = history_new(setup->service, metrics->all, metrics->count, clock_now_ms());
    if (setup->listen) {
        enum err err = listener_start(setup->listen, setup->tls, write_answer, metrics,
                                      &metrics->listener, why);
        if (err) return err;
    }
    thread_start(&metrics->thread, "metrics", tick, metrics);
    metrics->is_started = true;
    return ERR_OK;
}

void metrics_addresses(const struct metrics *metrics, struct buf *out)
{
    if (metrics->listener) listener_addresses(metrics->listener, out);
}

void metrics_stop_listening(struct metrics *metrics)
{
    if (!metrics) return;
    listener_stop(metrics->listener);
    metrics->listener = NULL;
}

void metrics_stop(struct metrics *metrics)
{
    if (!metrics || !metrics->is_started) return;
    pthread_mutex_lock(&metrics->lock);
    metrics->is_stopping = true;
    pthread_cond_broadcast(&metrics->has_news);
    pthread_mutex_unlock(&metrics->lock);
    pthread_join(metrics->thread, NULL);
}

void metrics_free(struct metrics *metrics)
{
    if (!metrics) return;
    history_free(metrics->history);
    pthread_cond_destroy(&metrics->has_news);
    pthread_mutex_destroy(&metrics->lock);
    free(metrics);
}

enum err metrics_sweep(struct work *work, bool *ret_goes_on)
{
    int64_t minutes = 0, hours = 0;
    enum err err =
        history_forget_minutes(work, work->now_ms - HISTORY_MINUTES_KEPT_MS, SWEEP_BATCH, &minutes);
    if (!err)
        err = history_forget_hours(work, work->now_ms - HISTORY_HOURS_KEPT_MS, SWEEP_BATCH, &hours);
    *ret_goes_on = minutes == SWEEP_BATCH || hours == SWEEP_BATCH;
    return err;
}
