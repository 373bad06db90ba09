/*
 * What a phone's word on its accounts is worth (contract, section 2, rule 9): it holds for 60
 * seconds, and an account belongs to the phone whose word holds.
 */
#include "domain/fleet/fleet_account.h"

#include "domain/fleet/fleet_account_db.h"
#include "domain/fleet/fleet_db.h"
#include "domain/fleet/presence.h"

#include <stdlib.h>

enum {
    /* A stored word that is good for this long is renewed in memory: phones declare every 20 s and
     * notes are written every second, so a word that is repeated never gets below. */
    ACCOUNT_STORED_ENOUGH_MS = 30 * 1000,
    /* As many digits could be a phone number. */
    ACCOUNT_DIGITS_SHOWN_MAX = 6,
};

const char *const account_state_words[] = {"linked", "connected", "disconnected", "banned", NULL};

static bool is_holding(const struct device_account *account, int64_t now_ms)
{
    return account->state_until > now_ms &&
           account->state_until <= now_ms + ACCOUNT_VALID_MS + SIM_READY_SLACK_MS;
}

struct log_field fleet_log_account(const char *name, const char *account_id)
{
    int digits = 0;
    for (const char *c = account_id; c && *c; c++)
        digits += *c >= '0' && *c <= '9';
    return digits > ACCOUNT_DIGITS_SHOWN_MAX ? log_phone(name, account_id)
                                             : log_text(name, account_id);
}

/* --- Declaring -------------------------------------------------------------------------------- */

static const struct device_account *find_account(const struct record_list *accounts,
                                                 const char *account_id)
{
    const struct device_account *items = accounts->items;
    for (size_t i = 0; i < accounts->count; i++) {
        if (strcmp(items[i].account_id, account_id) == 0) return &items[i];
    }
    return NULL;
}

static bool says_the_same(const struct device_account *stored, const struct device_account *account)
{
    return stored && stored->state == account->state &&
           strcmp(stored->messenger, account->messenger) == 0;
}

/* Whether every word of the declaration is stored already and good for a while. */
static bool is_stored_enough(const struct record_list *stored, const struct record_list *declared,
                             int64_t now_ms)
{
    const struct device_account *items = declared->items;
    for (size_t i = 0; i < declared->count; i++) {
        const struct device_account *row = find_account(stored, items[i].account_id);
        if (!says_the_same(row, &items[i]) || !is_holding(row, now_ms)) return false;
        if (row->state_until < now_ms + ACCOUNT_STORED_ENOUGH_MS) return false;
    }
    return true;
}

/* False if there is no room: then it has to be stored at once. */
static bool note_accounts(struct work *work, const struct device *device,
                          const struct record_list *declared)
{
    const struct device_account *items = declared->items;
    for (size_t i = 0; i < declared->count; i++) {
        if (!presence_note_account(work->service->presence, &device->id, items[i].account_id,
                                   work->now_ms + ACCOUNT_VALID_MS, work->now_ms))
            return false;
    }
    return true;
}

/* What a declaration does to one row. */
struct account_step {
    const struct device_account *account;
    bool is_forgotten; /* else stored */
};

struct account_plan {
    struct account_step *steps;
    size_t count;
};

static int compare_by_age(const void *a, const void *b)
{
    const struct device_account *left = a, *right = b;
    int order = (left->state_until > right->state_until) - (left->state_until < right->state_until);
    return order != 0 ? order : strcmp(left->account_id, right->account_id);
}

static int compare_by_account(const void *a, const void *b)
{
    const struct account_step *left = a, *right = b;
    return strcmp(left->account->account_id, right->account->account_id);
}

/* Makes room for `declared` among what the phone `stored`: of those that it names no more, the
 * longest lapsed go. Sorts `stored` by age. ERR_VALIDATION: too many words hold. */
static enum err plan_forgetting(struct account_plan *plan, struct record_list *stored,
                                const struct record_list *declared, int64_t now_ms)
{
    const struct device_account *rows = stored->items;
    size_t total = declared->count;

    if (stored->count > 0) qsort(stored->items, stored->count, sizeof(*rows), compare_by_age);
    for (size_t i = 0; i < stored->count; i++)
        total += !find_account(declared, rows[i].account_id);
    for (size_t i = 0; i < stored->count && total > DEVICE_ACCOUNTS_MAX; i++) {
        if (is_holding(&rows[i], now_ms) || find_account(declared, rows[i].account_id)) continue;
        plan->steps[plan->count++] = (struct account_step){&rows[i], .is_forgotten = true};
        total--;
    }
    return total > DEVICE_ACCOUNTS_MAX ? ERR_VALIDATION : ERR_OK;
}

static enum err make_plan(struct work *work, struct record_list *stored,
                          const struct record_list *declared, struct account_plan *ret_plan)
{
    struct account_plan plan = {
        .steps = arena_array(work->arena, stored->count + declared->count, sizeof(*plan.steps))};

    enum err err = plan_forgetting(&plan, stored, declared, work->now_ms);
    if (err) return err;
    for (size_t i = 0; i < declared->count; i++) {
        const struct device_account *account = (struct device_account *)declared->items + i;
        plan.steps[plan.count++] = (struct account_step){.account = account};
    }
    /* In the order of the accounts, so that two declarations cannot wait for each other. */
    qsort(plan.steps, plan.count, sizeof(*plan.steps), compare_by_account);
    *ret_plan = plan;
    return ERR_OK;
}

static enum err store_account(struct work *work, const struct device *device,
                              const struct device_account *account)
{
    struct device_account word = *account;
    bool is_stored;

    word.state_until = work->now_ms + ACCOUNT_VALID_MS;
    enum err err = device_account_upsert(work, &device->id, &word, &is_stored);
    if (err) return err;
    return is_stored ? ERR_OK : ERR_NUMBER_NOT_OWNED;
}

static void note_news(struct work *work, const struct device *device,
                      const struct record_list *stored, const struct device_account *account)
{
    if (says_the_same(find_account(stored, account->account_id), account)) return;
    work_note(work, LOG_INFO, "account declared",
              LOG_FIELDS(log_uuid("device_id", &device->id),
                         fleet_log_account("account_id", account->account_id),
                         log_text("messenger", account->messenger),
                         log_text("state", account_state_words[account->state])));
}

static enum err carry_out(struct work *work, const struct device *device,
                          const struct record_list *stored, const struct account_plan *plan,
                          const char **ret_taken)
{
    for (size_t i = 0; i < plan->count; i++) {
        const struct device_account *account = plan->steps[i].account;
        enum err err = plan->steps[i].is_forgotten
                           ? device_account_delete_lapsed(work, &device->id, account->account_id)
                           : store_account(work, device, account);
        if (err == ERR_NUMBER_NOT_OWNED) *ret_taken = account->account_id;
        if (err) return err;
        if (!plan->steps[i].is_forgotten) note_news(work, device, stored, account);
    }
    return ERR_OK;
}

/* Declarations of one phone follow each other, or two could pass the limit together. */
static enum err store_accounts(struct work *work, const struct device *device,
                               const struct accounts_input *input, const char **ret_taken)
{
    struct device self = {.id = device->id};
    struct account_plan plan;

    enum err err = device_hold(work, &device->id);
    if (!err) err = device_account_select(work, &self, 1);
    if (!err) err = make_plan(work, &self.accounts, &input->accounts, &plan);
    return err ? err : carry_out(work, device, &self.accounts, &plan, ret_taken);
}

enum err fleet_declare_accounts(struct work *work, const struct device *device,
                                const struct accounts_input *input, const char **ret_taken)
{
    struct device seen = {.id = device->id};

    if (!device->enabled) return ERR_DEVICE_DISABLED;
    enum err err = device_account_select(work, &seen, 1);
    if (err) return err;
    fleet_note_seen(work, device);
    if (is_stored_enough(&seen.accounts, &input->accounts, work->now_ms) &&
        note_accounts(work, device, &input->accounts))
        return ERR_OK;
    return work->is_read ? ERR_WRITE_NEEDED : store_accounts(work, device, input, ret_taken);
}

/* --- What a word is worth --------------------------------------------------------------------- */

enum err fleet_check_account(struct work *work, const char *account_id)
{
    struct account_owner owner;
    enum err err = device_account_select_owner(work, account_id, &owner);
    if (err) return err;
    bool can_send = owner.is_enabled && owner.account.state == ACCOUNT_CONNECTED &&
                    is_holding(&owner.account, work->now_ms);
    return can_send ? ERR_OK : ERR_CHANNEL_UNAVAILABLE;
}

enum err fleet_check_own_account(struct work *work, const struct device *device,
                                 const char *account_id, bool *ret_is_connected)
{
    struct account_owner owner;
    if (!device->enabled) return ERR_DEVICE_DISABLED;
    enum err err = device_account_select_owner(work, account_id, &owner);
    if (err == ERR_NOT_FOUND) return ERR_NUMBER_NOT_OWNED;
    if (err) return err;
    if (!uuid_equal(&owner.device_id, &device->id)) return ERR_NUMBER_NOT_OWNED;
    if (ret_is_connected) *ret_is_connected = owner.account.state == ACCOUNT_CONNECTED;
    return ERR_OK;
}

enum err fleet_hold_account(struct work *work, const char *account_id)
{
    return device_account_hold(work, account_id);
}

/* A ban does not end because its phone went silent. */
static void show_account(struct device_account *account, int64_t now_ms)
{
    if (account->state == ACCOUNT_BANNED || is_holding(account, now_ms)) return;
    account->state = ACCOUNT_DISCONNECTED;
}

enum err fleet_show_accounts(struct work *work, struct device *devices, size_t count)
{
    enum err err = device_account_select(work, devices, count);
    for (size_t i = 0; !err && i < count; i++) {
        struct device_account *accounts = devices[i].accounts.items;
        for (size_t k = 0; k < devices[i].accounts.count; k++)
            show_account(&accounts[k], work->now_ms);
    }
    return err;
}

enum err fleet_sweep_accounts(struct work *work, int max, int64_t *ret_swept)
{
    int64_t last_named = work->now_ms - ACCOUNT_KEPT_MS;
    return device_account_delete_old(work, last_named + ACCOUNT_VALID_MS, max, ret_swept);
}
