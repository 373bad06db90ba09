/* A challenge tells its timeline (contract, section 11.7). */
#include "domain/inbound_call/inbound_call_db.h"

/* One that an earlier version of herald confirmed has no line, but its time. */
static bool tells_confirmation(const struct timeline *timeline)
{
    for (size_t i = 0; i < timeline->steps.count; i++) {
        if (timeline_at(timeline, i)->word == TIMELINE_CONFIRMED) return true;
    }
    return false;
}

enum err inbound_call_read_timeline(struct work *work, const struct uuid *id,
                                    struct timeline *ret_timeline)
{
    struct call_challenge challenge;
    const char *steps;

    timeline_init(ret_timeline, work->arena);
    enum err err = inbound_call_read(work, id, &challenge);
    if (!err) err = inbound_call_select_steps(work, id, &steps);
    if (err) return err;
    struct timeline_step step = timeline_step_of(TIMELINE_CREATED, challenge.created_at);
    step.gateway_number = challenge.gateway_number;
    timeline_add(ret_timeline, &step);
    timeline_add_lines(ret_timeline, steps, &step);
    step.word = TIMELINE_CONFIRMED;
    step.at = challenge.confirmed_at;
    if (step.at && !tells_confirmation(ret_timeline)) timeline_add(ret_timeline, &step);
    step.word = TIMELINE_EXPIRED;
    step.at = challenge.expires_at;
    if (challenge.state == INBOUND_CALL_EXPIRED) timeline_add(ret_timeline, &step);
    timeline_sort(ret_timeline);
    return fleet_name_steps(work, ret_timeline);
}
