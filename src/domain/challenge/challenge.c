/* A number has one challenge, and gateway numbers count theirs (contract, section 2, rules 1 and
 * 2). */
#include "domain/challenge/challenge.h"

#include "domain/challenge/challenge_db.h"
#include "domain/fleet/fleet.h"

enum err challenge_take(struct work *work, const char *number, const struct uuid *id,
                        int64_t expires_at, const char *wanted, struct uuid *ret_active)
{
    struct record_list gateways;
    bool is_taken;
    int settle_max = wanted ? 0 : CHALLENGE_SETTLE_MAX;
    enum err err = active_take(work, number, id, expires_at, settle_max, &is_taken, &gateways);
    if (!err) err = fleet_release_numbers(work, &gateways);
    if (err || is_taken) return err;
    err = active_select(work, number, ret_active);
    return err ? err : ERR_ACTIVE_CHALLENGE_EXISTS;
}

enum err challenge_move_gateway(struct work *work, const char *number, const struct uuid *id,
                                const char *gateway_number)
{
    const char *old;
    enum err err = active_select_gateway(work, number, id, &old);
    if (err == ERR_NOT_FOUND) { /* it is active no more */
        old = gateway_number;
        err = ERR_OK;
    } else if (!err) {
        err = challenge_set_gateway(work, number, id, gateway_number);
    }
    if (err || !old) return err;
    return fleet_release_numbers(work, &(struct record_list){&old, 1});
}

enum err challenge_release(struct work *work, const char *number, const struct uuid *id)
{
    return challenge_release_all(work, &number, id, 1);
}

enum err challenge_release_all(struct work *work, const char *const *numbers,
                               const struct uuid *ids, size_t count)
{
    const char **gateways = arena_array(work->arena, count, sizeof(*gateways));
    size_t gateway_count = 0;

    for (size_t i = 0; i < count; i++) {
        const char *gateway;
        enum err err = active_delete(work, numbers[i], &ids[i], &gateway);
        if (err && err != ERR_NOT_FOUND) return err;
        if (!err && gateway) gateways[gateway_count++] = gateway;
    }
    return fleet_release_numbers(work, &(struct record_list){gateways, gateway_count});
}

enum err challenge_sweep(struct work *work, int max, int64_t *ret_swept)
{
    struct record_list gateways;
    enum err err = active_delete_over(work, max, &gateways, ret_swept);
    if (err) return err;
    return fleet_release_numbers(work, &gateways);
}
