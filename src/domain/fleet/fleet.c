/*
 * These are the rules of the fleet: a number belongs to exactly one phone, the least busy number
 * serves next, and what a phone says of a SIM holds for 60 seconds (contract, section 2, rules 1
 * and 11).
 */
#include "domain/fleet/fleet.h"

#include "core/audit.h"
#include "core/event.h"
#include "domain/fleet/fleet_account.h"
#include "domain/fleet/fleet_account_db.h"
#include "domain/fleet/fleet_db.h"
#include "domain/fleet/fleet_watch.h"
#include "domain/fleet/pairing.h"
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
    UNREADY_TOLD_MS = 60 * 60 * 1000, /* the log is told again after that */
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

/* --- For the audit ---------------------------------------------------------------------------- */

/* Joins the texts with which the items of a list begin; NULL: it is empty. */
static const char *join_items(struct work *work, const struct record_list *list, size_t item_size)
{
    const char *item = list->items, *joined = NULL;

    for (size_t i = 0; i < list->count; i++, item += item_size)
        joined = arena_printf(work->arena, "%s%s%s", joined ? joined : "", i > 0 ? ", " : "",
                              *(const char *const *)item);
    return joined;
}
static_assert(offsetof(struct device_number, number) == 0, "it begins with its text");
static_assert(offsetof(struct device_account, account_id) == 0, "it begins with its text");

/* Records how a phone became another; nothing if it did not. `before` is NULL for a new one, and
 * `after` for one that goes. */
static void audit_device(struct work *work, const char *action, const struct device *before,
                         const struct device *after)
{
    struct audit_changes changes = {.arena = work->arena};
    const struct device *either = after ? after : before;
    const size_t number = sizeof(struct device_number), account = sizeof(struct device_account);

    audit_change_words(&changes, "name", before ? before->name : NULL, after ? after->name : NULL);
    audit_change_text(&changes, "numbers",
                      before ? join_items(work, &before->numbers, number) : NULL,
                      after ? join_items(work, &after->numbers, number) : NULL);
    audit_change_text(&changes, "accounts",
                      before ? join_items(work, &before->accounts, account) : NULL,
                      after ? join_items(work, &after->accounts, account) : NULL);
    audit_change_bool(&changes, "enabled", before ? before->enabled : -1,
                      after ? after->enabled : -1);
    if (!before) audit_change_secret(&changes, "key");
    if (changes.count > 0) work_audit_id(work, action, "device", &either->id, &changes);
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
        enum err err = device_number_insert(work, device, order[i], order[i] + 1, number);
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
    device->enabled = true;
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
              LOG_FIELDS(log_device(&device->id), log_words("name", device->name),
                         log_int("numbers", (int64_t)input->numbers.count)));
    audit_device(work, "device.register", NULL, device);
    return ERR_OK;
}

/* --- One phone -------------------------------------------------------------------------------- */

enum err fleet_read(struct work *work, const struct uuid *id, struct device *ret_device)
{
    enum err err = device_select_one(work, id, ret_device);
    return err ? err : fleet_show_accounts(work, ret_device, 1);
}

enum err fleet_read_by_number(struct work *work, const char *number, struct device *ret_device,
                              int64_t *ret_changes)
{
    struct uuid device_id;
    bool is_enabled;
    struct sim_state sim;

    enum err err = device_number_select(work, number, &device_id, &is_enabled, &sim);
    if (!err) err = fleet_read(work, &device_id, ret_device);
    if (err) return err;
    const struct device_number *rows = ret_device->numbers.items;
    for (size_t i = 0; i < ret_device->numbers.count; i++) {
        if (strcmp(rows[i].number, number) == 0) *ret_changes = rows[i].changes;
    }
    return ERR_OK;
}

enum err fleet_read_by_account(struct work *work, const char *account_id, struct device *ret_device,
                               int64_t *ret_changes)
{
    struct account_owner owner;
    enum err err = device_account_select_owner(work, account_id, &owner);
    if (!err) err = fleet_read(work, &owner.device_id, ret_device);
    if (!err) *ret_changes = owner.account.changes;
    return err;
}

enum err fleet_set_accounts(struct work *work, const struct uuid *device_id,
                            const struct device_accounts_input *input, struct device *ret_device,
                            const char **ret_taken)
{
    struct device before;

    enum err err = device_hold(work, device_id);
    if (!err) err = fleet_read(work, device_id, &before);
    if (!err) err = fleet_bind_accounts(work, device_id, &input->accounts, ret_taken);
    if (!err) err = fleet_read(work, device_id, ret_device);
    if (!err) audit_device(work, "device.set_accounts", &before, ret_device);
    return err;
}

/* --- Changing and removing -------------------------------------------------------------------- */

/* A new list of numbers moves each number of the phone so. */
struct number_step {
    const char *number;
    int position; /* -1: it leaves */
    int former;   /* -1: it comes */
    int slot;     /* of one that comes */
};

static int compare_steps(const void *a, const void *b)
{
    const struct number_step *left = a, *right = b;
    return strcmp(left->number, right->number);
}

/* A number that comes gets the first slot that none of those which stay has. */
static void choose_slots(const struct device_number *own, struct number_step *steps, size_t count)
{
    bool is_taken[2 * DEVICE_NUMBERS_MAX + 1] = {true};

    for (size_t i = 0; i < count; i++) {
        if (steps[i].former >= 0) is_taken[own[steps[i].former].slot] = true;
    }
    for (size_t i = 0; i < count; i++) {
        if (steps[i].former >= 0) continue;
        while (is_taken[steps[i].slot])
            steps[i].slot++;
        is_taken[steps[i].slot] = true;
    }
}

/* Plans in the order of the numbers, in which all lock them. `ret_leaving` has those that leave. */
static size_t plan_numbers(const struct record_list *own, const struct record_list *wanted,
                           struct number_step ret_steps[static 2 * DEVICE_NUMBERS_MAX],
                           struct record_list *ret_leaving)
{
    const struct device_number *rows = own->items;
    const char *const *numbers = wanted->items;
    const char **leaving = ret_leaving->items;
    size_t count = 0;

    for (size_t i = 0; i < wanted->count; i++)
        ret_steps[count++] = (struct number_step){numbers[i], (int)i, -1, 0};
    for (size_t i = 0; i < own->count; i++) {
        size_t k = 0;
        while (k < wanted->count && strcmp(numbers[k], rows[i].number) != 0)
            k++;
        if (k < wanted->count) {
            ret_steps[k].former = (int)i;
            continue;
        }
        ret_steps[count++] = (struct number_step){rows[i].number, -1, (int)i, 0};
        leaving[ret_leaving->count++] = rows[i].number;
    }
    choose_slots(rows, ret_steps, wanted->count);
    if (count > 0) qsort(ret_steps, count, sizeof(*ret_steps), compare_steps);
    return count;
}

static enum err take_step(struct work *work, const struct device *device,
                          const struct number_step *step)
{
    if (step->position < 0) return device_number_delete(work, &device->id, step->number);
    if (step->former < 0)
        return device_number_insert(work, device, step->position, step->slot, step->number);
    if (step->former == step->position) return ERR_OK;
    return device_number_set_position(work, step->number, step->position);
}

/* Gives the phone, whose row is held, these numbers and no others. */
static enum err set_numbers(struct work *work, const struct device *device,
                            const struct record_list *wanted, struct fleet_taken *ret_taken)
{
    const struct fleet_setup *setup = work->service->fleet;
    struct number_step steps[2 * DEVICE_NUMBERS_MAX];
    const char *numbers[DEVICE_NUMBERS_MAX];
    struct record_list leaving = {.items = numbers};
    size_t count = plan_numbers(&device->numbers, wanted, steps, &leaving);

    enum err err = leaving.count > 0 ? setup->on_numbers_leave(work, &leaving) : ERR_OK;
    for (size_t i = 0; !err && i < count; i++) {
        err = take_step(work, device, &steps[i]);
        if (err == ERR_NUMBER_TAKEN) ret_taken->number = steps[i].number;
        bool is_moved = !err && (steps[i].position < 0) != (steps[i].former < 0);
        if (is_moved)
            work_note(
                work, LOG_INFO, steps[i].former < 0 ? "number added" : "number taken away",
                LOG_FIELDS(log_device(&device->id), log_phone("gateway_number", steps[i].number)));
    }
    return !err && leaving.count > 0 ? setup->on_numbers_left(work, &leaving) : err;
}

enum err fleet_change(struct work *work, const struct uuid *id, const struct device_input *input,
                      struct device *ret_device, struct fleet_taken *ret_taken)
{
    struct device device;

    *ret_taken = (struct fleet_taken){0};
    enum err err = device_hold(work, id);
    if (!err) err = fleet_read(work, id, &device);
    if (err) return err;
    if (strcmp(device.name, input->name) != 0) {
        err = device_update_name(work, id, input->name);
        work_note(work, LOG_INFO, "device renamed",
                  LOG_FIELDS(log_device(id), log_words("name", input->name)));
    }
    if (!err) err = set_numbers(work, &device, &input->numbers, ret_taken);
    if (!err) err = fleet_read(work, id, ret_device);
    if (!err) audit_device(work, "device.change", &device, ret_device);
    return err;
}

enum err fleet_remove(struct work *work, const struct uuid *id)
{
    struct device device;
    struct str key_hash;
    struct fleet_taken taken;
    const struct record_list none = {0};
    int64_t removed_at = 0;

    enum err err = device_hold(work, id);
    if (!err) err = device_select_removed(work, id, &removed_at);
    if (err || removed_at) return err;
    err = fleet_read(work, id, &device);
    make_key(work, &key_hash); /* nobody gets to know it */
    if (!err) err = device_update_removed(work, id, key_hash);
    if (!err) err = set_numbers(work, &device, &none, &taken);
    if (!err) err = fleet_bind_accounts(work, id, &none, &taken.account_id);
    if (!err) err = named_account_delete_all(work, id);
    if (!err) err = pairing_delete(work, id);
    if (!err) err = work->service->fleet->on_device_disabled(work, id);
    if (err) return err;
    work_note(work, LOG_INFO, "device removed",
              LOG_FIELDS(log_device(id), log_words("name", device.name)));
    audit_device(work, "device.remove", &device, NULL);
    return ERR_OK;
}

enum err fleet_set_enabled(struct work *work, const struct uuid *id, bool is_enabled)
{
    struct device before = {0};
    struct audit_changes changes = {.arena = work->arena};

    enum err err = device_hold(work, id);
    if (!err) err = device_select_one(work, id, &before);
    if (!err) err = device_update_enabled(work, id, is_enabled);
    if (!err && is_enabled != before.enabled) err = device_account_postpone_watch(work, id);
    if (err) return err;
    if (!is_enabled) {
        err = work->service->fleet->on_device_disabled(work, id);
        if (err) return err;
    }
    work_note(work, LOG_INFO, is_enabled ? "device enabled" : "device disabled",
              LOG_FIELDS(log_device(id)));
    audit_change_bool(&changes, "enabled", before.enabled, is_enabled);
    if (changes.count > 0)
        work_event_id(work, is_enabled ? EVENT_DEVICE_ENABLED : EVENT_DEVICE_DISABLED, id);
    if (changes.count > 0) work_audit_id(work, "device.enable", "device", id, &changes);
    return ERR_OK;
}

enum err fleet_renew_key(struct work *work, const struct uuid *id, struct rotated_key *ret_key)
{
    struct str key_hash;
    const char *key = make_key(work, &key_hash);

    *ret_key = (struct rotated_key){.device_id = *id, .device_key = key};
    return device_update_key(work, id, key_hash);
}

enum err fleet_rotate_key(struct work *work, const struct uuid *id, struct rotated_key *ret_key)
{
    enum err err = fleet_renew_key(work, id, ret_key);
    if (err) return err;
    work_note(work, LOG_INFO, "device key rotated", LOG_FIELDS(log_device(id)));
    struct audit_changes changes = {.arena = work->arena};
    audit_change_secret(&changes, "key");
    work_audit_id(work, "device.rotate_key", "device", id, &changes);
    return ERR_OK;
}

bool fleet_is_key(struct str key)
{
    size_t len = strlen(DEVICE_KEY_PREFIX);
    return key.len == len + SECRET_TOKEN_LEN && memcmp(key.data, DEVICE_KEY_PREFIX, len) == 0;
}

enum err fleet_authenticate(struct work *work, struct str key, struct device *ret_device)
{
    uint8_t hash[SECRET_HASH_LEN];
    secret_hash(key, hash);
    enum err err =
        device_select_by_key(work, (struct str){(const char *)hash, sizeof(hash)}, ret_device);
    return err == ERR_NOT_FOUND ? ERR_UNAUTHORIZED : err;
}

static int64_t clock_kept_ms(const struct device *device, int64_t now_ms)
{
    return clock_left_ms(device->clock_lag_at + DEVICE_CLOCK_KEPT_MS, now_ms);
}

int64_t fleet_clock_lag_ms(const struct device *device, int64_t now_ms)
{
    bool is_off = clock_kept_ms(device, now_ms) > 0 && !fleet_is_clock_right(device->clock_lag_ms);
    return is_off ? device->clock_lag_ms : 0;
}

enum err fleet_learn_clock(struct work *work, const struct device *device, int64_t told_ms,
                           int64_t *ret_lag_ms)
{
    int64_t known_ms = device->clock_lag_ms;
    int64_t kept_ms = clock_kept_ms(device, work->now_ms);
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
                            struct sim_state *ret_sim)
{
    struct uuid owner;
    bool is_enabled;
    struct sim_state sim = {0};

    if (!device->enabled) return ERR_DEVICE_DISABLED;
    enum err err = device_number_select(work, number, &owner, &is_enabled, &sim);
    if (err == ERR_NOT_FOUND) return ERR_NUMBER_NOT_OWNED;
    if (err) return err;
    if (!uuid_equal(&owner, &device->id)) return ERR_NUMBER_NOT_OWNED;
    if (ret_sim) *ret_sim = sim;
    return ERR_OK;
}

static enum err take_wanted(struct work *work, const struct number_choice *choice,
                            const char **ret_number, struct sim_state *ret_sim)
{
    struct uuid owner;
    bool is_enabled;
    enum err err = device_number_select(work, choice->wanted, &owner, &is_enabled, ret_sim);
    if (err == ERR_NOT_FOUND || (!err && !is_enabled)) return ERR_NUMBER_NOT_FOUND;
    if (err) return err;
    if (choice->must_be_ready && !fleet_is_ready(ret_sim->ready_until, work->now_ms))
        return ERR_SIM_NOT_READY;
    *ret_number = choice->wanted;
    return device_number_use(work, choice->wanted);
}

static enum err take_number(struct work *work, const struct number_choice *choice,
                            const char **ret_number, struct sim_state *ret_sim)
{
    if (choice->wanted) return take_wanted(work, choice, ret_number, ret_sim);
    enum err err = device_number_take(work, choice, choice->avoided, ret_number, ret_sim);
    if (err == ERR_NOT_FOUND && choice->avoided)
        err = device_number_take(work, choice, NULL, ret_number, ret_sim);
    if (err == ERR_NOT_FOUND)
        return choice->must_be_ready ? ERR_NO_READY_SIM : ERR_NO_ENABLED_NUMBER;
    return err;
}

enum err fleet_take_number(struct work *work, const struct number_choice *choice,
                           const char **ret_number)
{
    struct sim_state sim;
    return take_number(work, choice, ret_number, &sim);
}

enum err fleet_take_number_to_call(struct work *work, const char *wanted,
                                   struct number_to_call *ret_number)
{
    struct number_choice choice = {.wanted = wanted, .prefers_ready = true};
    struct number_to_call taken = {0};
    struct sim_state sim;

    enum err err = take_number(work, &choice, &taken.number, &sim);
    if (err) return err;
    taken.is_ready = fleet_is_ready(sim.ready_until, work->now_ms);
    taken.never_was = !sim.ready_until && !sim.watch_at && !sim.silent_since;
    taken.is_to_be_told = !taken.is_ready && work->now_ms >= sim.unready_told_at + UNREADY_TOLD_MS;
    if (taken.is_to_be_told) err = device_number_set_unready_told(work, taken.number);
    *ret_number = taken;
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
                         bool is_ready, const struct sim_state *stored)
{
    int64_t ready_until = is_ready ? work->now_ms + SIM_READY_MS : 0;
    bool is_good_for_a_while = stored->ready_until >= work->now_ms + READY_STORED_ENOUGH_MS &&
                               fleet_is_ready(stored->ready_until, work->now_ms);
    bool is_stored_enough = is_ready ? is_good_for_a_while : stored->ready_until == 0;
    bool is_watched = !stored->silent_since && stored->watch_at > 0;
    bool was_silent = false;

    if (is_stored_enough && is_watched &&
        presence_renew(work->service->fleet->presence, &device->id, is_ready ? number : NULL,
                       ready_until, work->now_ms))
        return ERR_OK;
    if (work->task.is_read) return ERR_WRITE_NEEDED;
    fleet_renew_seen(work, device);
    enum err err =
        stored->silent_since ? device_number_end_silence(work, number, &was_silent) : ERR_OK;
    if (was_silent)
        fleet_tell_edge(work, FLEET_SIM_BACK, &device->id, number, stored->silent_since);
    return err ? err : device_number_set_ready(work, &device->id, number, ready_until);
}
