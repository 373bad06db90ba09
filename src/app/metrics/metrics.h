/*
 * One set of counters tells what the process does, and gauges tell how all stands (contract,
 * section 17.1). They are written for whoever scrapes, and what was counted is kept in the
 * verification store by the minute and by the hour.
 */
#pragma once

#include "app/metrics/exposition.h"
#include "core/service.h"

struct metrics;
struct tls;

enum { METRICS_MAX = 24 };
struct metrics_setup {
    struct service *service;
    const char *listen; /* where /metrics is answered without a key; NULL: nowhere */
    struct tls *tls;    /* its certificate, which lives longer; NULL: there is none */
    /* Metrics of the process's own beside those of the rooms, such as of its requests. */
    const struct metric *own[METRICS_MAX];
    size_t own_count;
};

/* Starts the thread that asks the databases and keeps what was counted, and the listener. `why`
 * says what is wrong. */
enum err metrics_start(const struct metrics_setup *setup, struct metrics **ret_metrics,
                       struct buf *why) MUST_CHECK;
/* Writes where it listens ("https://127.0.0.1:9465"), or nothing. */
void metrics_addresses(const struct metrics *metrics, struct buf *out);
/* Ends the listener. */
void metrics_stop_listening(struct metrics *metrics);
/* Keeps what was counted until now, and ends the thread. Call it before db_close, once nothing
 * counts any more. */
void metrics_stop(struct metrics *metrics);
void metrics_free(struct metrics *metrics);

/* Writes all of them. Any thread may call; it waits for no database. */
void metrics_write(struct metrics *metrics, enum exposition_format format, struct buf *out);

/* Forgets what was kept for longer than its time, a batch at a time. */
enum err metrics_sweep(struct work *work, bool *ret_goes_on) MUST_CHECK;
