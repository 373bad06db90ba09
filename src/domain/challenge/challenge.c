/* Who holds a number, and how busy gateway numbers are (contract, section 2, rules 1 and 2). */
#include "domain/challenge/challenge.h"

#include "domain/challenge/challenge_db.h"
#include "domain/fleet/fleet.h"

static enum err settle(struct work *work, const char *number, int max, int64_t *ret_count)
{
    struct record_list list;
    enum err err = active_delete_over(work, number, max, &list, ret_count);
    if (err) return err;

    const char *const *gateways = list.items;
    for (size_t i = 0; i < list.count; i++) {
        err = fleet_release_number(work, gateways[i]);
        if (err) return err;
    }
    return ERR_OK;
}

enum err challenge_settle(struct work *work, const char *number)
{
    int64_t count;
    return settle(work, number, CHALLENGE_SETTLE_MAX, &count);
}

enum err challenge_take(struct work *work, const char *number, const struct uuid *id,
                        const char *gateway_number, int64_t expires_at, struct uuid *ret_active)
{
    int64_t changed = 0;
    enum err err = active_insert(work, number, id, gateway_number, expires_at, &changed);
    if (err) return err;
    if (changed == 1) return ERR_OK;

    err = active_select(work, number, ret_active);
    if (err == ERR_NOT_FOUND) return ERR_TX_RETRY; /* released in between */
    return err ? err : ERR_ACTIVE_CHALLENGE_EXISTS;
}

enum err challenge_release(struct work *work, const char *number, const struct uuid *id)
{
    const char *gateway;
    enum err err = active_delete(work, number, id, &gateway);
    if (err || !gateway) return err;
    return fleet_release_number(work, gateway);
}

enum err challenge_sweep(struct work *work, int max, int64_t *ret_swept)
{
    return settle(work, NULL, max, ret_swept);
}
