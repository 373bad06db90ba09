/* Steps of a timeline name the phones that did them (contract, section 11.7). */
#include "domain/fleet/fleet.h"
#include "domain/fleet/fleet_db.h"

enum { NAMES_MAX = 64 }; /* of different phones, that are looked up for one timeline */

/* Returns the first step of the same phone. */
static const struct timeline_step *first_of(const struct timeline *timeline, size_t index)
{
    const struct timeline_step *steps = timeline->steps.items;
    size_t i = 0;
    while (!uuid_equal(&steps[i].device_id, &steps[index].device_id))
        i++;
    return &steps[i];
}

enum err fleet_name_steps(struct work *work, struct timeline *timeline)
{
    size_t count = 0;

    for (size_t i = 0; i < timeline->steps.count; i++) {
        struct timeline_step *step = timeline_at(timeline, i);
        if (uuid_is_nil(&step->device_id)) continue;
        const struct timeline_step *first = first_of(timeline, i);
        step->device_name = first->device_name;
        if (first != step || count++ == NAMES_MAX) continue;
        enum err err = device_select_name(work, &step->device_id, &step->device_name);
        if (err && err != ERR_NOT_FOUND) return err;
    }
    return ERR_OK;
}
