/* Personal data of orders goes: at once of those that have ended, and of the others once they have,
 * since their customers wait for them (contract, section 10.5). */
#include "core/event.h"
#include "core/personal.h"
#include "domain/order/order_db.h"

enum err order_sweep_erased(struct work *work, int max, int64_t *ret_swept)
{
    struct uuid *ids = arena_array(work->arena, (size_t)max, sizeof(*ids));
    size_t count;

    enum err err = orders_select_erasing(work, max, ids, &count);
    if (!err) err = orders_erase(work, ids, count);
    for (size_t i = 0; !err && i < count; i++)
        work_event_erase(work, EVENT_OF_ORDER, &ids[i]);
    if (!err) *ret_swept = (int64_t)count;
    return err;
}

enum err order_erase_of(struct work *work, const uint8_t customer[static SECRET_HASH_LEN], int max,
                        int64_t *ret_erased, int64_t *ret_waiting)
{
    struct uuid *ended = arena_array(work->arena, (size_t)max, sizeof(*ended));
    size_t count;

    enum err err = orders_mark_of(work, customer, max, ret_erased, ended, &count);
    if (err) return err;
    *ret_waiting = *ret_erased - (int64_t)count;
    return orders_erase(work, ended, count);
}

enum err order_sweep_personal(struct work *work, int max, int64_t *ret_swept)
{
    int64_t cutoff_ms = personal_cutoff(work);

    *ret_swept = 0;
    return cutoff_ms > 0 ? orders_mark_old(work, cutoff_ms, max, ret_swept) : ERR_OK;
}
