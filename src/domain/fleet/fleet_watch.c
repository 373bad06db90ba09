/* The worker looks who is silent, and edges are told (contract, section 11). */
#include "domain/fleet/fleet_watch.h"

#include "core/event.h"
#include "domain/fleet/fleet_account.h"
#include "domain/fleet/fleet_db.h"
#include "domain/fleet/fleet_watch_db.h"
#include "kit/base/log_names.h"
#include "kit/base/must.h"

#include <stdlib.h>

enum {
    ACCOUNT_DIGITS_SHOWN_MAX = 6, /* more digits could be a phone number */
    WATCH_GAP_MS = 10 * 1000,     /* looks that are further apart have a gap between them */
    /* After it a phone has two polls to be heard of, and an account as long as a declaration holds;
     * or half of the time after which they are silent. */
    SIM_GRACE_MS = 10 * 1000,
    ACCOUNT_GRACE_MS = ACCOUNT_VALID_MS,
};

/* --- Telling ---------------------------------------------------------------------------------- */

static const struct {
    enum log_level level;
    const char *message;
    const char *sender_name;
    enum event_type event;
} edges[FLEET_EDGE_COUNT] = {
    [FLEET_SIM_SILENT] = {LOG_WARNING, "SIM silent: its phone has not claimed", "gateway_number",
                          EVENT_SIM_SILENT},
    [FLEET_SIM_BACK] = {LOG_INFO, "SIM back", "gateway_number", EVENT_SIM_READY},
    [FLEET_ACCOUNT_GONE] = {LOG_WARNING, "messenger account gone", "account_id",
                            EVENT_ACCOUNT_GONE},
    [FLEET_ACCOUNT_BACK] = {LOG_INFO, "messenger account back", "account_id", EVENT_ACCOUNT_BACK},
};

struct log_field fleet_log_sender(const char *name, const char *sender)
{
    int digits = 0;
    for (const char *c = sender; c && *c; c++)
        digits += *c >= '0' && *c <= '9';
    return digits > ACCOUNT_DIGITS_SHOWN_MAX ? log_phone(name, sender) : log_id(name, sender);
}

void fleet_tell_edge(struct work *work, enum fleet_edge edge, const struct uuid *device_id,
                     const char *sender, int64_t since)
{
    int64_t silent_ms = work->now_ms > since ? work->now_ms - since : 0;
    work_note(work, edges[edge].level, edges[edge].message,
              LOG_FIELDS(log_device(device_id), fleet_log_sender(edges[edge].sender_name, sender),
                         log_int("seconds", silent_ms / 1000)));
    work_event(work, edges[edge].event, sender);
}

/* --- Looking ---------------------------------------------------------------------------------- */

/* Only the thread of the worker reads and writes it. */
struct fleet_watch {
    int64_t looked_at; /* the last look that went well; 0: there was none */
    int64_t since;     /* looks have gone on without a gap since then */
};

struct fleet_watch *fleet_watch_new(void)
{
    return must_calloc(1, sizeof(struct fleet_watch));
}

void fleet_watch_free(struct fleet_watch *watch)
{
    free(watch);
}

static const struct kind {
    enum fleet_edge edge;
    int64_t grace_ms;
    enum err (*select)(struct work *work, int max, struct watched *watched, size_t *ret_count);
    enum err (*set)(struct work *work, const char *sender, int64_t watch_at, int64_t since);
} kinds[] = {
    {FLEET_SIM_SILENT, SIM_GRACE_MS, device_number_select_watched, device_number_set_watch},
    {FLEET_ACCOUNT_GONE, ACCOUNT_GRACE_MS, device_account_select_watched, device_account_set_watch},
};

/* The entry shall name the phone, which this process need not have met. */
static enum err learn_name(struct work *work, const struct uuid *device_id)
{
    const char *name;
    if (log_name_is_fresh(device_id)) return ERR_OK;
    enum err err = device_select_name(work, device_id, &name);
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

/* A disabled phone may not claim, so it is not silent. */
static enum err look_at(struct work *work, const struct kind *kind, const struct watched *row)
{
    int64_t silent_ms = work->service->fleet->silent_ms;
    int64_t silent_at = (row->is_enabled ? row->heard_at : work->now_ms) + silent_ms;

    if (silent_at > work->now_ms) return kind->set(work, row->sender, silent_at, 0);
    enum err err = learn_name(work, &row->device_id);
    if (err) return err;
    fleet_tell_edge(work, kind->edge, &row->device_id, row->sender, row->heard_at);
    return kind->set(work, row->sender, 0, row->heard_at > 0 ? row->heard_at : 1);
}

static enum err look(struct work *work, const struct kind *kind, int max, size_t *ret_count)
{
    struct watched *rows = arena_array(work->arena, (size_t)max, sizeof(*rows));
    enum err err = kind->select(work, max, rows, ret_count);
    for (size_t i = 0; !err && i < *ret_count; i++)
        err = look_at(work, kind, &rows[i]);
    return err;
}

/* Tells whether those who are there have had time to be heard of. */
static bool is_in_time(const struct work *work, const struct kind *kind)
{
    const struct fleet_setup *setup = work->service->fleet;
    int64_t half_ms = setup->silent_ms / 2;
    int64_t grace_ms = half_ms < kind->grace_ms ? half_ms : kind->grace_ms;

    return work->now_ms - setup->watch->since >= grace_ms;
}

enum err fleet_watch_sweep(struct work *work, int max, int64_t *ret_looked)
{
    struct fleet_watch *watch = work->service->fleet->watch;
    int64_t apart_ms = work->now_ms - watch->looked_at;
    bool has_gap = watch->looked_at == 0 || apart_ms > WATCH_GAP_MS;
    size_t counts[COUNT_OF(kinds)] = {0};
    enum err err = ERR_OK;

    if (has_gap) watch->since = work->now_ms;
    for (size_t i = 0; !err && i < COUNT_OF(kinds); i++) {
        if (is_in_time(work, &kinds[i])) err = look(work, &kinds[i], max, &counts[i]);
    }
    *ret_looked = (int64_t)(counts[0] > counts[1] ? counts[0] : counts[1]);
    if (!err) watch->looked_at = work->now_ms;
    return err;
}
