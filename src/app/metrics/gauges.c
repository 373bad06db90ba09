/* A figure that the overview bounds is bounded here, too. */
#include "app/metrics/gauges.h"

#include "app/jobs/worker_db.h"
#include "domain/overview/overview.h"
#include "kit/base/clock.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* --- Reading ---------------------------------------------------------------------------------- */

struct reading {
    struct work work;
    struct gauges *gauges;
};

/* A channel of phones is up while one of them can send. */
static struct gauge_channel channel_of(const struct channel_status *status)
{
    bool has_phones = status->ready_sims >= 0 || status->connected_accounts >= 0;
    bool is_up = has_phones ? status->ready_sims > 0 || status->connected_accounts > 0
                            : status->circuit && status->circuit->state != LANE_OPEN;

    return (struct gauge_channel){
        .word = timeline_channel_words[status->channel],
        .is_configured = status->configured,
        .is_up = is_up,
        .waiting = status->waiting,
        .oldest_at = status->oldest_waiting_at,
    };
}

static enum err read_verification(struct work *work)
{
    struct gauges *gauges = CONTAINER_OF(work, struct reading, work)->gauges;
    struct overview overview;

    enum err err = overview_read(work, &overview);
    if (!err) err = worker_last_seen(work->tx, &gauges->worker_seen_at);
    if (err) return err;
    const struct channel_status *rows = overview.channels.items;
    gauges->sims = overview.fleet->sims;
    gauges->ready_sims = overview.fleet->ready_sims;
    gauges->silent_sims = overview.fleet->silent_sims;
    gauges->accounts = overview.fleet->accounts;
    gauges->connected_accounts = overview.fleet->connected_accounts;
    gauges->channel_count = 0;
    for (size_t i = 0; i < overview.channels.count; i++) {
        assert(gauges->channel_count < GAUGES_CHANNELS_MAX);
        gauges->channels[gauges->channel_count++] = channel_of(&rows[i]);
    }
    return ERR_OK;
}

static enum err read_exchange(struct work *work)
{
    struct gauges *gauges = CONTAINER_OF(work, struct reading, work)->gauges;
    struct exchange_overview overview;
    struct record_list list;

    enum err err = exchange_overview_select(work, &overview);
    if (!err) err = snapshot_age_select(work, GAUGES_INTEGRATIONS_MAX, &list);
    if (err) return err;
    const struct snapshot_age *rows = list.items;
    gauges->orders_waiting = overview.orders_waiting;
    gauges->oldest_order_at = overview.oldest_order_at;
    gauges->open_circuits = overview.open_circuits;
    gauges->snapshot_count = list.count;
    for (size_t i = 0; i < list.count; i++) {
        uuid_format(&rows[i].integration_id, gauges->snapshots[i].integration);
        gauges->snapshots[i].at = rows[i].at;
    }
    return ERR_OK;
}

static enum err read_store(struct service *service, struct db *db, enum err (*run)(struct work *),
                           struct gauges *gauges)
{
    struct reading reading = {.gauges = gauges};
    struct arena arena;

    arena_init(&arena);
    work_init(&reading.work, service, &arena, clock_now_ms(), NULL);
    reading.work.task.is_read = true;
    enum err err = work_run(&reading.work, db, run);
    arena_done(&arena);
    return err;
}

enum err gauges_read(struct service *service, struct gauges *ret_gauges)
{
    enum err err = read_store(service, service->verification, read_verification, ret_gauges);
    return err ? err : read_store(service, service->exchange, read_exchange, ret_gauges);
}

/* --- Writing ---------------------------------------------------------------------------------- */

static void gauge(struct buf *out, enum exposition_format format, const char *name,
                  const char *help, int64_t value)
{
    exposition_family(out, format, name, EXPOSITION_GAUGE, help);
    exposition_value(out, name, NULL, NULL, value);
}

static int64_t age_ms(int64_t since, int64_t now_ms)
{
    return since > 0 && since < now_ms ? now_ms - since : 0;
}

static void write_channels(struct buf *out, enum exposition_format format,
                           const struct gauges *gauges, int64_t now_ms)
{
    static const char waiting[] = "herald_tasks_waiting",
                      oldest[] = "herald_task_oldest_age_seconds", up[] = "herald_channel_up";
    const struct gauge_channel *end = gauges->channels + gauges->channel_count;

    exposition_family(out, format, waiting, EXPOSITION_GAUGE,
                      "Codes and messages that wait for a phone or a provider, 1000 at most.");
    for (const struct gauge_channel *row = gauges->channels; row < end; row++)
        exposition_value(out, waiting, "kind", row->word, row->waiting);
    exposition_family(out, format, oldest, EXPOSITION_GAUGE,
                      "How long the oldest of them has waited; 0 if none does.");
    for (const struct gauge_channel *row = gauges->channels; row < end; row++)
        exposition_ms(out, oldest, "kind", row->word, age_ms(row->oldest_at, now_ms));
    exposition_family(out, format, up, EXPOSITION_GAUGE,
                      "1 if a channel that is configured can send: its provider serves, or a phone "
                      "is ready.");
    for (const struct gauge_channel *row = gauges->channels; row < end; row++)
        if (row->is_configured) exposition_value(out, up, "channel", row->word, row->is_up);
}

static void write_snapshots(struct buf *out, enum exposition_format format,
                            const struct gauges *gauges)
{
    static const char name[] = "herald_integration_last_snapshot_timestamp_seconds";

    exposition_family(out, format, name, EXPOSITION_GAUGE,
                      "When the newest snapshot of an integration that is enabled came; of 1000 "
                      "integrations at most.");
    for (size_t i = 0; i < gauges->snapshot_count; i++)
        exposition_ms(out, name, "integration", gauges->snapshots[i].integration,
                      clock_to_wall(gauges->snapshots[i].at));
}

void gauges_write(struct buf *out, enum exposition_format format, const struct gauges *gauges,
                  int64_t now_ms)
{
    static const char beat[] = "herald_worker_last_beat_timestamp_seconds",
                      order[] = "herald_order_oldest_age_seconds";

    gauge(out, format, "herald_sims", "SIMs of the fleet.", gauges->sims);
    gauge(out, format, "herald_sims_ready", "SIMs that are ready to send.", gauges->ready_sims);
    gauge(out, format, "herald_sims_silent", "SIMs that were ready and have fallen silent.",
          gauges->silent_sims);
    gauge(out, format, "herald_accounts", "Messenger accounts of the fleet.", gauges->accounts);
    gauge(out, format, "herald_accounts_connected", "Messenger accounts that are connected.",
          gauges->connected_accounts);
    write_channels(out, format, gauges, now_ms);
    exposition_family(out, format, beat, EXPOSITION_GAUGE,
                      "When a worker last showed that it lives; 0: never.");
    exposition_ms(out, beat, NULL, NULL, clock_to_wall(gauges->worker_seen_at));
    write_snapshots(out, format, gauges);
    gauge(out, format, "herald_orders_waiting",
          "Orders that are not yet delivered to their ERP, 1000 at most.", gauges->orders_waiting);
    exposition_family(out, format, order, EXPOSITION_GAUGE,
                      "How long the oldest of them has waited; 0 if none does.");
    exposition_ms(out, order, NULL, NULL, age_ms(gauges->oldest_order_at, now_ms));
    gauge(out, format, "herald_erp_circuits_open",
          "ERPs that did not serve, and get no order until they do.", gauges->open_circuits);
}

/* --- The process ------------------------------------------------------------------------------ */

/* Fields of /proc/self/stat, by their numbers in proc(5). */
enum { STAT_PARENT = 4, STAT_USER = 14, STAT_SYSTEM = 15, STAT_START = 22, STAT_PAGES = 24 };
enum { STAT_FIELDS = STAT_PAGES + 1 };

/* The fields begin behind the name, which may hold anything; the one behind it is a letter. */
static bool read_stat(long long ret_fields[static STAT_FIELDS])
{
    char line[1024] = "";
    FILE *file = fopen("/proc/self/stat", "re");

    bool is_read = file && fgets(line, sizeof(line), file);
    if (file) fclose(file);
    char *rest = is_read ? strrchr(line, ')') : NULL;
    if (!rest || strlen(rest) < sizeof(") R ")) return false;
    rest += strlen(") R ");
    for (int i = STAT_PARENT; i < STAT_FIELDS; i++)
        ret_fields[i] = strtoll(rest, &rest, 10);
    return true;
}

int64_t gauges_count_files(void)
{
    int64_t count = -3; /* itself, and the two names that every folder has */
    DIR *folder = opendir("/proc/self/fd");

    if (!folder) return 0;
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

static void write_files(struct buf *out, enum exposition_format format, int64_t open_files)
{
    struct rlimit files = {0};

    gauge(out, format, "process_open_fds", "File descriptors that are open.", open_files);
    if (getrlimit(RLIMIT_NOFILE, &files)) return;
    gauge(out, format, "process_max_fds", "File descriptors that may be open.",
          (int64_t)files.rlim_cur);
}

static void write_stat(struct buf *out, enum exposition_format format)
{
    static const char cpu[] = "process_cpu_seconds_total", start[] = "process_start_time_seconds";
    const int64_t ticks_per_s = sysconf(_SC_CLK_TCK);
    long long fields[STAT_FIELDS];
    struct timespec up;

    if (!read_stat(fields) || clock_gettime(CLOCK_BOOTTIME, &up)) return;
    int64_t up_ms = (int64_t)up.tv_sec * 1000 + up.tv_nsec / (1000 * 1000);
    int64_t began_ms = fields[STAT_START] * 1000 / ticks_per_s;
    exposition_family(out, format, cpu, EXPOSITION_COUNTER, "Time that all CPUs spent on it.");
    exposition_ms(out, cpu, NULL, NULL,
                  (fields[STAT_USER] + fields[STAT_SYSTEM]) * 1000 / ticks_per_s);
    exposition_family(out, format, start, EXPOSITION_GAUGE, "When it was started.");
    exposition_ms(out, start, NULL, NULL, clock_wall_ms() - up_ms + began_ms);
    gauge(out, format, "process_resident_memory_bytes", "Memory that it holds.",
          fields[STAT_PAGES] * sysconf(_SC_PAGESIZE));
}

void gauges_write_process(struct buf *out, enum exposition_format format,
                          const struct service *service, int64_t open_files)
{
    static const char queue[] = "herald_db_queue_length", build[] = "herald_build_info";
    bool is_sqlite = db_engine_of(service->verification) == DB_SQLITE;

    exposition_family(out, format, queue, EXPOSITION_GAUGE,
                      "Tasks that wait for a thread of the database.");
    exposition_value(out, queue, "store", "verification",
                     (int64_t)db_queue_length(service->verification));
    exposition_value(out, queue, "store", "exchange", (int64_t)db_queue_length(service->exchange));
    exposition_family(out, format, build, EXPOSITION_INFO, "What runs.");
    buf_printf(out, "%s{version=\"" HERALD_VERSION "\",engine=\"%s\"} 1\n", build,
               is_sqlite ? "sqlite" : "postgres");
    gauge(
        out, format, "herald_degraded",
        "1 while tokens of an outside identity service are refused, since its key set is too old.",
        atomic_load(&service->is_degraded));
    write_files(out, format, open_files);
    write_stat(out, format);
}
