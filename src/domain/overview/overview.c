/* All at a glance (contract, section 11.9). */
#include "domain/overview/overview.h"

#include "domain/overview/overview_db.h"
#include "domain/process/process.h"
#include "domain/test_number/test_number.h"

static enum err count_processes(struct work *work, struct process_overview *ret_processes)
{
    struct process_list list;
    enum err err = process_list(work, &list);
    if (err) return err;

    const struct process *rows = list.processes.items;
    *ret_processes = (struct process_overview){0};
    for (size_t i = 0; i < list.processes.count; i++) {
        bool is_worker = rows[i].verb == VERB_WORKER || rows[i].verb == VERB_SERVE;
        bool is_living = rows[i].state == PROCESS_LIVING || rows[i].answering;
        ret_processes->living += rows[i].state == PROCESS_LIVING;
        ret_processes->lost += rows[i].state == PROCESS_LOST;
        ret_processes->workers += is_worker && is_living;
        if (is_worker && rows[i].last_beat_at > ret_processes->worker_beaten_at)
            ret_processes->worker_beaten_at = rows[i].last_beat_at;
    }
    return ERR_OK;
}

/* Contract, section 4 "Outside identity services". */
static const char *tell_degraded(const struct service *service)
{
    if (!atomic_load(&service->is_degraded)) return NULL;
    return "The key set of the identity service is too old, so its tokens are refused with 503. "
           "See that HERALD_JWKS_URL can be fetched.";
}

enum err overview_read(struct work *work, struct overview *ret_overview)
{
    bool is_test = work->service->test_numbers->is_test_environment;

    *ret_overview = (struct overview){
        .version = HERALD_VERSION,
        .environment = is_test ? ENVIRONMENT_TEST : ENVIRONMENT_PRODUCTION,
        .degraded = tell_degraded(work->service),
        .fleet = ARENA_NEW(work->arena, struct fleet_overview),
        .processes = ARENA_NEW(work->arena, struct process_overview),
    };
    enum err err = fleet_overview_select(work, ret_overview->fleet);
    if (!err) err = overview_list_for(work, ret_overview->fleet, &ret_overview->channels);
    return err ? err : count_processes(work, ret_overview->processes);
}

/* --- What is wrong ---------------------------------------------------------------------------- */

/* No worker can find that there is none, and each process knows alone that it is degraded. */
static void add_own(struct work *work, const struct overview *overview,
                    struct record_list *troubles)
{
    struct trouble *rows = arena_array(work->arena, troubles->count + 2, sizeof(*rows));

    if (troubles->count > 0) memcpy(rows, troubles->items, troubles->count * sizeof(*rows));
    troubles->items = rows;
    if (overview->processes->workers == 0)
        rows[troubles->count++] = (struct trouble){.kind = TROUBLE_NO_WORKER,
                                                   .subject = "",
                                                   .name = "",
                                                   .since = overview->processes->worker_beaten_at};
    if (overview->degraded)
        rows[troubles->count++] =
            (struct trouble){.kind = TROUBLE_DEGRADED, .subject = "", .name = ""};
}

enum err overview_read_troubles(struct work *work, struct overview *overview)
{
    struct trouble_watch watch;

    enum err err = trouble_read(work, &watch);
    if (err) return err;
    add_own(work, overview, &watch.troubles);
    overview->trouble_count = trouble_show(work, &watch.troubles);
    overview->troubles = watch.troubles;
    bool is_well = overview->trouble_count == 0 && watch.well_since > 0;
    if (is_well)
        overview->well_since = watch.well_since < work->now_ms ? watch.well_since : work->now_ms;
    return ERR_OK;
}
