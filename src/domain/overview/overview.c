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
        ret_processes->living += rows[i].state == PROCESS_LIVING;
        ret_processes->lost += rows[i].state == PROCESS_LOST;
    }
    return ERR_OK;
}

/* Contract, section 9.7. */
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
