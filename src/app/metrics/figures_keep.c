/* The worker looks twice a minute, so that no minute is left out. */
#include "app/metrics/figures.h"
#include "app/metrics/figures_db.h"
#include "domain/fleet/fleet_watch.h"
#include "domain/overview/overview.h"
#include "kit/base/clock.h"

enum {
    MINUTE_MS = 60 * 1000,
    CELL_MS = FIGURES_CELL_MINUTES * MINUTE_MS,
    HOUR_MS = 60 * MINUTE_MS,
    BATCH = 250, /* SIMs of a transaction, so that codes do not wait for it */
};
static_assert(FIGURES_SIMS_MAX % BATCH == 0, "they come in whole batches");

struct looking {
    struct work work;
    const char *after;        /* the last number of the batches before */
    struct record_list batch; /* struct sim_standing */
    int64_t batch_ready;      /* of them */
    int64_t sims, ready;      /* of all batches */
    int64_t channels, points, orders;
};

static enum figures_standing standing_of(const struct sim_standing *sim, int64_t now_ms)
{
    if (!sim->is_enabled) return FIGURES_DISABLED;
    return fleet_is_ready(sim->ready_until, now_ms) ? FIGURES_READY : FIGURES_SILENT;
}

static enum err keep_batch(struct work *work)
{
    struct looking *looking = CONTAINER_OF(work, struct looking, work);
    int64_t at = work->now_ms - work->now_ms % CELL_MS;
    int minute = (int)((work->now_ms - at) / MINUTE_MS);

    enum err err = fleet_list_standings(work, looking->after, BATCH, &looking->batch);
    if (err) return err;
    const struct sim_standing *sims = looking->batch.items;
    size_t count = looking->batch.count;
    struct kept_value *cells = arena_array(work->arena, count, sizeof(*cells));
    looking->batch_ready = 0;
    for (size_t i = 0; i < count; i++) {
        int standing = (int)standing_of(&sims[i], work->now_ms);
        looking->batch_ready += standing == FIGURES_READY;
        cells[i] = (struct kept_value){
            at, arena_printf(work->arena, FIGURES_SIM_LABEL "%s", sims[i].number),
            (int64_t)1 << (standing * FIGURES_CELL_MINUTES + minute)};
    }
    return kept_cell_add(work, cells, count);
}

static enum err keep_sims(struct looking *looking, struct db *db)
{
    enum err err = ERR_OK;

    do {
        err = work_run(&looking->work, db, keep_batch);
        if (err || looking->batch.count == 0) return err;
        const struct sim_standing *sims = looking->batch.items;
        looking->after = sims[looking->batch.count - 1].number;
        looking->sims += (int64_t)looking->batch.count;
        looking->ready += looking->batch_ready;
    } while (looking->batch.count == BATCH && looking->sims < FIGURES_SIMS_MAX);
    return ERR_OK;
}

static enum err read_exchange(struct work *work)
{
    struct looking *looking = CONTAINER_OF(work, struct looking, work);
    struct exchange_overview overview;

    enum err err = exchange_overview_select(work, &overview);
    if (err) return err;
    looking->points = overview.packages_failed + overview.open_circuits + overview.old_catalogs;
    looking->orders = overview.orders_waiting;
    return ERR_OK;
}

static bool serves(const struct channel_status *channel)
{
    return channel->configured && (!channel->circuit || channel->circuit->state == LANE_CLOSED);
}

static enum err read_channels(struct work *work)
{
    struct looking *looking = CONTAINER_OF(work, struct looking, work);
    struct record_list list;
    enum err err = overview_list_channels(work, &list);
    if (err) return err;
    const struct channel_status *rows = list.items;

    looking->channels = 0;
    for (size_t i = 0; i < list.count; i++)
        looking->channels += serves(&rows[i]);
    return ERR_OK;
}

static enum err keep_hour(struct work *work)
{
    const struct looking *looking = CONTAINER_OF(work, struct looking, work);
    int64_t at = work->now_ms - work->now_ms % HOUR_MS;

    enum err err = read_channels(work);
    const struct {
        const char *name;
        int64_t value;
    } rows[] = {
        {FIGURES_SIMS_READY, looking->ready},
        {FIGURES_CHANNELS_SERVING, looking->channels},
        {FIGURES_POINT_TROUBLES, looking->points},
        {FIGURES_ORDERS_WAITING, looking->orders},
    };
    for (size_t i = 0; !err && i < COUNT_OF(rows); i++)
        err = kept_hour_set(work, rows[i].name, at, rows[i].value);
    return err;
}

enum err figures_keep(struct service *service, int64_t now_ms, bool *ret_goes_on)
{
    struct looking looking = {.after = ""};
    struct arena arena;

    *ret_goes_on = false;
    arena_init(&arena);
    work_init(&looking.work, service, &arena, now_ms, NULL);
    enum err err = keep_sims(&looking, service->verification);
    if (!err) err = work_run(&looking.work, service->exchange, read_exchange);
    if (!err) err = work_run(&looking.work, service->verification, keep_hour);
    arena_done(&arena);
    return err;
}
