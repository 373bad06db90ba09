/*
 * These are the rules of the fleet: a number belongs to exactly one phone, the least busy number
 * serves next, and what a phone says of a SIM holds for 60 seconds (contract, section 2, rules 1
 * and 11).
 */
#include "domain/fleet/fleet.h"

#include "domain/fleet/fleet_account.h"
#include "domain/fleet/fleet_db.h"
#include "domain/fleet/presence.h"
#include "kit/base/clock.h"

#include <stdlib.h>

#define DEVICE_KEY_PREFIX "hd_"

enum {
    /* A claim renews in memory while what is stored is good for this long; phones poll every 5 s
     * and renewals are written every second, so a polled SIM never gets below. */
    READY_STORED_ENOUGH_MS = 45 * 1000,
    /* A clock that goes on as it did is stored once an hour. */
    CLOCK_SAME_MS = 1000,
    CLOCK_STORED_ENOUGH_MS = DEVICE_CLOCK_KEPT_MS - 60 * 60 * 1000,
};

/* Makes a new key; the arena holds the one copy of it, and its hash is stored. */
static const char *make_key(struct work *work, struct str *ret_hash)
{
    char *key = secret_new_token(work->arena, DEVICE_KEY_PREFIX);
    uint8_t *hash = arena_alloc(work->arena, SECRET_HASH_LEN);
    secret_hash(str_of(key), hash);
    *ret_hash = (struct str){(const char *)hash, SECRET_HASH_LEN};
    return key;
}

/* Tells where each number stands, in rising order of the numbers. */
static void sort_numbers(const char *const *numbers, size_t count,
                         int ret_order[static DEVICE_NUMBERS_MAX])
{
    for (size_t i = 0; i < count; i++) {
        size_t place = i;
        for (; place > 0 && strcmp(numbers[ret_order[place - 1]], numbers[i]) > 0; place--)
            ret_order[place] = ret_order[place - 1];
        ret_order[place] = (int)i;
    }
}

static enum err insert_numbers(struct work *work, const struct device *device,
                               const struct device_input *input, struct fleet_taken *ret_taken)
{
    const char *const *numbers = input->numbers.items;
    int order[DEVICE_NUMBERS_MAX];

    /* All insert in the order of the numbers, so that no two registrations wait for each other. */
    sort_numbers(numbers, input->numbers.count, order);
    for (size_t i = 0; i < input->numbers.count; i++) {
        const char *number = numbers[order[i]];
        enum err err = device_number_insert(work, &device->id, order[i], number);
        if (err == ERR_NUMBER_TAKEN) ret_taken->number = number;
        if (err) return err;
    }
    return ERR_OK;
}

enum err fleet_register(struct work *work, const struct device_input *input,
                        struct credentials *ret_credentials, struct fleet_taken *ret_taken)
{
    struct str key_hash;
    struct device *device = ARENA_NEW(work->arena, struct device);
    const char *key = make_key(work, &key_hash);

    *ret_taken = (struct fleet_taken){0};
    device->id = uuid_new(work->now_ms);
    device->name = input->name;
    device->created_at = work->now_ms;
    enum err err = device_insert(work, device, key_hash);
    if (err) return err;
    err = insert_numbers(work, device, input, ret_taken);
    if (!err && input->accounts.count > 0)
        err = fleet_bind_accounts(work, &device->id, &input->accounts, &ret_taken->account_id);
    if (!err) err = fleet_read(work, &device->id, device);
    if (err) return err;

    *ret_credentials =
        (struct credentials){.device_id = device->id, .device_key = key, .device = device};
    work_note(work, LOG_INFO, "device registered",
              LOG_FIELDS(log_uuid("device_id", &device->id), log_text("name", device->name),
                         log_int("numbers", (int64_t)input->numbers.count)));
    return ERR_OK;
}

enum err fleet_list(struct work *work, const struct page_query *query, struct device_list *ret_list)
{
    static const struct page_key by_id = PAGE_BY_ID(struct device, id);
    struct page_place after = {0};

    enum err err = page_begin(query->cursor, &by_id, &after);
    if (!err) err = device_select(work, &after.id, query->limit + 1, &ret_list->devices);
    if (err) return err;
    ret_list->next_cursor = page_end(query->limit, &by_id, &ret_list->devices, work->arena);
    return fleet_show_accounts(work, ret_list->devices.items, ret_list->devices.count);
}

enum err fleet_read(struct work *work, const struct uuid *id, struct device *ret_device)
{
    enum err err = device_select_one(work, id, ret_device);
    return err ? err : fleet_show_accounts(work, ret_device, 1);
}

enum err fleet_set_accounts(struct work *work, const struct uuid *device_id,
                            const struct device_accounts_input *input, struct device *ret_device,
                            const char **ret_taken)
{
    enum err err = device_select_one(work, device_id, ret_device);
    if (!err) err = fleet_bind_accounts(work, device_id, &input->accounts, ret_taken);
    return err ? err : fleet_read(work, device_id, ret_device);
}

enum err fleet_set_enabled(struct work *work, const struct uuid *id, bool is_enabled)
{
    enum err err = device_update_enabled(work, id, is_enabled);
    if (err) return err;
    if (!is_enabled) {
        err = work->service->fleet->on_device_disabled(work, id);
        if (err) return err;
    }
    work_note(work, LOG_INFO, is_enabled ? "device enabled" : "device disabled",
              LOG_FIELDS(log_uuid("device_id", id)));
    return ERR_OK;
}

enum err fleet_rotate_key(struct work *work, const struct uuid *id, struct rotated_key *ret_key)
{
    struct str key_hash;
    const char *key = make_key(work, &key_hash);
    enum err err = device_update_key(work, id, key_hash);
    if (err) return err;

    *ret_key = (struct rotated_key){.device_id = *id, .device_key = key};
    work_note(work, LOG_INFO, "device key rotated", LOG_FIELDS(log_uuid("device_id", id)));
    return ERR_OK;
}

enum err fleet_authenticate(struct work *work, struct str key, struct device *ret_device)
{
    uint8_t hash[SECRET_HASH_LEN];
    secret_hash(key, hash);
    enum err err =
        device_select_by_key(work, (struct str){(const char *)hash, sizeof(hash)}, ret_device);
    return err == ERR_NOT_FOUND ? ERR_UNAUTHORIZED : err;
}

enum err fleet_learn_clock(struct work *work, const struct device *device, int64_t told_ms,
                           int64_t *ret_lag_ms)
{
    int64_t known_ms = device->clock_lag_ms;
    int64_t kept_ms = clock_left_ms(device->clock_lag_at + DEVICE_CLOCK_KEPT_MS,
                                    DEVICE_CLOCK_KEPT_MS, work->now_ms);
    bool is_known = kept_ms > 0, is_right = fleet_is_clock_right(told_ms);
    bool is_credible = told_ms >= -DEVICE_CLOCK_LAG_MAX_MS && told_ms <= DEVICE_CLOCK_LAG_MAX_MS;
    bool has_waited = is_known && !is_right && told_ms > known_ms;
    bool was_set =
        told_ms < known_ms - CLOCK_SAME_MS || (is_right && !fleet_is_clock_right(known_ms));
    bool is_old = told_ms <= known_ms + CLOCK_SAME_MS && kept_ms <= CLOCK_STORED_ENOUGH_MS;

    *ret_lag_ms = has_waited ? known_ms : is_credible ? told_ms : 0;
    if (!is_credible || (is_known && !was_set && !is_old)) return ERR_OK;
    return device_update_clock(work, &device->id, told_ms);
}

enum err fleet_check_number(struct work *work, const struct device *device, const char *number,
                            int64_t *ret_ready_until)
{
    struct uuid owner;
    bool is_enabled;
    int64_t ready_until = 0;

    if (!device->enabled) return ERR_DEVICE_DISABLED;
    enum err err = device_number_select(work, number, &owner, &is_enabled, &ready_until);
    if (err == ERR_NOT_FOUND) return ERR_NUMBER_NOT_OWNED;
    if (err) return err;
    if (!uuid_equal(&owner, &device->id)) return ERR_NUMBER_NOT_OWNED;
    if (ret_ready_until) *ret_ready_until = ready_until;
    return ERR_OK;
}

static enum err take_wanted(struct work *work, const struct number_choice *choice,
                            const char **ret_number)
{
    struct uuid owner;
    bool is_enabled;
    int64_t ready_until;
    enum err err = device_number_select(work, choice->wanted, &owner, &is_enabled, &ready_until);
    if (err) return err;
    if (!is_enabled) return ERR_NOT_FOUND;
    if (choice->must_be_ready && !fleet_is_ready(ready_until, work->now_ms))
        return ERR_NO_READY_SIM;
    *ret_number = choice->wanted;
    return device_number_use(work, choice->wanted);
}

enum err fleet_take_number(struct work *work, const struct number_choice *choice,
                           const char **ret_number)
{
    if (choice->wanted) return take_wanted(work, choice, ret_number);
    enum err err = device_number_take(work, choice, choice->avoided, ret_number);
    if (err == ERR_NOT_FOUND && choice->avoided)
        err = device_number_take(work, choice, NULL, ret_number);
    if (err == ERR_NOT_FOUND)
        return choice->must_be_ready ? ERR_NO_READY_SIM : ERR_NO_ENABLED_NUMBER;
    return err;
}

static int compare_numbers(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

enum err fleet_release_numbers(struct work *work, const struct record_list *numbers)
{
    const char **sorted = arena_array(work->arena, numbers->count, sizeof(*sorted));
    size_t run;

    if (numbers->count > 0) memcpy(sorted, numbers->items, numbers->count * sizeof(*sorted));
    qsort(sorted, numbers->count, sizeof(*sorted), compare_numbers);
    for (size_t i = 0; i < numbers->count; i += run) {
        for (run = 1; i + run < numbers->count && strcmp(sorted[i], sorted[i + run]) == 0; run++) {
        }
        enum err err = device_number_add_load(work, sorted[i], -(int)run);
        if (err) return err;
    }
    return ERR_OK;
}

enum err fleet_set_ready(struct work *work, const struct device *device, const char *number,
                         bool is_ready, int64_t stored_until)
{
    int64_t ready_until = is_ready ? work->now_ms + SIM_READY_MS : 0;
    bool is_good_for_a_while = stored_until >= work->now_ms + READY_STORED_ENOUGH_MS &&
                               fleet_is_ready(stored_until, work->now_ms);
    bool is_stored_enough = is_ready ? is_good_for_a_while : stored_until == 0;

    if (is_stored_enough && presence_renew(work->service->fleet->presence, &device->id,
                                           is_ready ? number : NULL, ready_until, work->now_ms))
        return ERR_OK;
    if (work->task.is_read) return ERR_WRITE_NEEDED;
    fleet_renew_seen(work, device);
    return device_number_set_ready(work, number, ready_until);
}
