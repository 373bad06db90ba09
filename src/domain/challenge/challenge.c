/* A number has one challenge, and gateway numbers count theirs (contract, section 2, rules 1 and
 * 2). */
#include "domain/challenge/challenge.h"

#include "domain/challenge/challenge_db.h"
#include "domain/fleet/fleet.h"

enum err challenge_take(struct work *work, const char *number, const struct uuid *id,
                        int64_t expires_at, const char *wanted, struct uuid *ret_other)
{
    struct record_list gateway_numbers;
    bool is_taken;
    int settle_max = wanted ? 0 : CHALLENGE_SETTLE_MAX;
    enum err err = active_take(work, number, id, expires_at, settle_max, &is_taken, ret_other,
                               &gateway_numbers);
    if (!err) err = fleet_release_numbers(work, &gateway_numbers);
    if (err || is_taken) return err;
    err = active_select(work, number, ret_other);
    return err ? err : ERR_ACTIVE_CHALLENGE_EXISTS;
}

enum err challenge_expire(struct work *work, const struct uuid *id)
{
    const struct challenge_setup *setup = work->service->challenges;
    bool is_found = uuid_is_nil(id);
    enum err err = ERR_OK;

    for (size_t i = 0; !err && !is_found && i < COUNT_OF(setup->expire); i++)
        err = setup->expire[i](work, id, &is_found);
    return err || is_found ? err : ERR_TX_RETRY;
}

enum err challenge_move_gateway_number(struct work *work, const char *number, const struct uuid *id,
                                       const char *gateway_number)
{
    const char *old;
    enum err err = active_select_gateway_number(work, number, id, &old);
    if (err == ERR_NOT_FOUND) { /* it is active no more */
        old = gateway_number;
        err = ERR_OK;
    } else if (!err) {
        err = challenge_set_gateway_number(work, number, id, gateway_number);
    }
    if (err || !old) return err;
    return fleet_release_numbers(work, &(struct record_list){&old, 1});
}

enum err challenge_release(struct work *work, const char *number, const struct uuid *id,
                           const char **ret_gateway_number)
{
    const char *gateway_number = NULL;

    enum err err = active_delete(work, number, id, &gateway_number);
    if (err && err != ERR_NOT_FOUND) return err;
    if (err) gateway_number = NULL;
    if (ret_gateway_number) *ret_gateway_number = gateway_number;
    if (!gateway_number) return ERR_OK;
    return fleet_release_numbers(work, &(struct record_list){&gateway_number, 1});
}

enum err challenge_release_all(struct work *work, const char *const *numbers,
                               const struct uuid *ids, size_t count)
{
    const char **gateway_numbers = arena_array(work->arena, count, sizeof(*gateway_numbers));
    size_t found = 0;

    for (size_t i = 0; i < count; i++) {
        const char *gateway_number;
        enum err err = active_delete(work, numbers[i], &ids[i], &gateway_number);
        if (err && err != ERR_NOT_FOUND) return err;
        if (!err && gateway_number) gateway_numbers[found++] = gateway_number;
    }
    return fleet_release_numbers(work, &(struct record_list){gateway_numbers, found});
}

enum err challenge_is_held(struct work *work, const char *number, const struct uuid *id,
                           bool *ret_is_held)
{
    struct uuid active;
    enum err err = active_select(work, number, &active);
    *ret_is_held = !err && uuid_equal(&active, id);
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

enum err challenge_sweep(struct work *work, int max, int64_t *ret_swept)
{
    struct record_list gateway_numbers;
    enum err err = active_delete_over(work, max, &gateway_numbers, ret_swept);
    if (err) return err;
    return fleet_release_numbers(work, &gateway_numbers);
}
