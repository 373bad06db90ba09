/*
 * Gauges tell how all stands: the database is asked, as for the overview (contract, section 11.8
 * and 11.9), but not at each scrape.
 */
#pragma once

#include "app/metrics/exposition.h"
#include "core/service.h"

enum { GAUGES_INTEGRATIONS_MAX = 1000, GAUGES_CHANNELS_MAX = 8 };

struct gauge_channel {
    const char *word;
    bool is_configured, is_up;
    int64_t waiting;
    int64_t oldest_at; /* 0: nothing waits */
};

struct gauge_snapshot {
    char integration[UUID_TEXT_LEN + 1];
    int64_t at;
};

struct gauges {
    int64_t sims, ready_sims, silent_sims, accounts, connected_accounts;
    struct gauge_channel channels[GAUGES_CHANNELS_MAX];
    size_t channel_count;
    int64_t worker_seen_at; /* 0: never */
    int64_t orders_waiting, oldest_order_at, open_circuits;
    struct gauge_snapshot snapshots[GAUGES_INTEGRATIONS_MAX];
    size_t snapshot_count;
};

/* Asks both stores. It blocks; not for database threads. */
enum err gauges_read(struct service *service, struct gauges *ret_gauges) MUST_CHECK;
void gauges_write(struct buf *out, enum exposition_format format, const struct gauges *gauges,
                  int64_t now_ms);
/* Returns how many descriptors the process has; counting thousands takes milliseconds. */
int64_t gauges_count_files(void);
/* Writes what is known without a database: the queues in front of it, the build, the process. */
void gauges_write_process(struct buf *out, enum exposition_format format,
                          const struct service *service, int64_t open_files);
