/* An operator says which SIM of a phone each of its numbers is (contract, section 15.2). */
#include "core/audit.h"
#include "domain/fleet/fleet_db.h"

/* Returns the slot of a number, from 1 on; 0: it has none. */
static int slot_of(const struct record_list *slots, const char *number)
{
    const char *const *items = slots->items;
    for (size_t i = 0; i < slots->count; i++) {
        if (strcmp(items[i], number) == 0) return (int)i + 1;
    }
    return 0;
}

static const char *find_foreign(const struct device *device, const struct record_list *slots)
{
    const struct device_number *own = device->numbers.items;
    const char *const *items = slots->items;

    for (size_t i = 0; i < slots->count; i++) {
        size_t k = 0;
        while (k < device->numbers.count && strcmp(own[k].number, items[i]) != 0)
            k++;
        if (k == device->numbers.count && strcmp(items[i], DEVICE_SLOT_EMPTY) != 0) return items[i];
    }
    return NULL;
}

/* Writes "+79160000001 in slot 2, +79160000002 in slot 1". */
static const char *write_slots(struct work *work, const struct device_number *numbers, size_t count)
{
    const char *text = NULL;

    for (size_t i = 0; i < count; i++)
        text =
            arena_printf(work->arena, "%s%s%s in slot %d", text ? text : "", text ? ", " : "",
                         mask_text(mask_id, numbers[i].number, work->arena), (int)numbers[i].slot);
    return text;
}

enum err fleet_set_slots(struct work *work, const struct uuid *id,
                         const struct device_slots_input *input, struct device *ret_device,
                         const char **ret_foreign)
{
    struct audit_changes changes = {.arena = work->arena};
    struct device before;

    enum err err = device_hold(work, id);
    if (!err) err = fleet_read(work, id, &before);
    if (err) return err;
    *ret_foreign = find_foreign(&before, &input->slots);
    if (*ret_foreign) return ERR_NUMBER_NOT_OWNED;
    const struct device_number *own = before.numbers.items;
    for (size_t i = 0; !err && i < before.numbers.count; i++)
        err = device_number_set_slot(work, own[i].number, slot_of(&input->slots, own[i].number));
    if (!err) err = fleet_read(work, id, ret_device);
    if (err) return err;
    audit_change_text(&changes, "slots",
                      write_slots(work, before.numbers.items, before.numbers.count),
                      write_slots(work, ret_device->numbers.items, ret_device->numbers.count));
    work_audit_id(work, "device.set_slots", "device", id, &changes);
    return ERR_OK;
}
