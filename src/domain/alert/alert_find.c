/* Troubles are found here and nowhere else (contract, section 11.9). */
#include "domain/alert/alert.h"
#include "domain/alert/alert_db.h"
#include "domain/overview/overview.h"
#include "domain/process/process.h"

#include <sys/statvfs.h>

/* A process that began on the same machine, for the same, after the last sign of life of this one.
 */
static bool is_replaced(const struct process *lost, const struct record_list *processes)
{
    const struct process *rows = processes->items;

    for (size_t i = 0; i < processes->count; i++) {
        if (rows[i].state == PROCESS_LIVING && rows[i].verb == lost->verb &&
            rows[i].started_at > lost->last_beat_at && strcmp(rows[i].host, lost->host) == 0)
            return true;
    }
    return false;
}

static enum err find_processes(struct work *work, struct trouble_list *troubles)
{
    struct process_list list;
    enum err err = process_list(work, &list);
    const struct process *rows = err ? NULL : list.processes.items;

    for (size_t i = 0; !err && i < list.processes.count; i++) {
        bool is_gone = rows[i].state == PROCESS_LOST && !rows[i].answering;
        if (!is_gone || is_replaced(&rows[i], &list.processes)) continue;
        const char *id = uuid_text(&rows[i].id, work->arena);
        const struct trouble trouble = {
            .kind = TROUBLE_PROCESS_GONE,
            .subject = id,
            .record_id = id,
            .name = arena_printf(work->arena, "herald %s on %s", process_verb_words[rows[i].verb],
                                 rows[i].host),
            .since = rows[i].last_beat_at,
        };
        trouble_add(troubles, &trouble);
    }
    return err;
}

static void find_fleet(const struct fleet_overview *fleet, struct trouble_list *troubles)
{
    const struct trouble trouble = {.kind = TROUBLE_NO_READY_SIM, .subject = "", .name = ""};

    if (fleet->sims > 0 && fleet->enabled_phones > 0 && fleet->ready_sims == 0)
        trouble_add(troubles, &trouble);
}

static void find_channels(const struct record_list *channels, struct trouble_list *troubles)
{
    const struct channel_status *rows = channels->items;

    for (size_t i = 0; i < channels->count; i++) {
        const char *word = timeline_channel_words[rows[i].channel];
        const struct lane_circuit *circuit = rows[i].circuit;
        if (!circuit || circuit->state == LANE_CLOSED) continue;
        const struct trouble trouble = {
            .kind = TROUBLE_CHANNEL_CLOSED,
            .subject = word,
            .record_id = word,
            .name = word,
            .reason = circuit->last_error,
            .since = circuit->since,
        };
        trouble_add(troubles, &trouble);
    }
}

enum err alert_find_in_exchange(struct work *work, struct trouble_list *troubles)
{
    return trouble_select(work, STORE_EXCHANGE, troubles);
}

enum err alert_find_in_verification(struct work *work, struct trouble_list *troubles)
{
    struct overview overview;

    enum err err = trouble_select(work, STORE_VERIFICATION, troubles);
    if (!err) err = find_processes(work, troubles);
    if (!err) err = overview_read(work, &overview);
    if (err) return err;
    find_fleet(overview.fleet, troubles);
    find_channels(&overview.channels, troubles);
    return ERR_OK;
}

void alert_find_on_disk(const char *folder, struct trouble_list *troubles)
{
    const struct trouble trouble = {.kind = TROUBLE_DISK_LOW, .subject = "", .name = folder};
    struct statvfs room;

    if (!folder || statvfs(folder, &room)) return;
    if (room.f_bavail * (uint64_t)room.f_frsize / (1024 * 1024) < TROUBLE_DISK_LOW_MIB)
        trouble_add(troubles, &trouble);
}
