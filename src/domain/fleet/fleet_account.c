/*
 * The operator says which phone an account is bound to; what the phone says of it holds for 60
 * seconds (contract, section 2, rule 9).
 */
#include "domain/fleet/fleet_account.h"

#include "domain/fleet/fleet_account_db.h"
#include "domain/fleet/fleet_db.h"
#include "domain/fleet/fleet_watch.h"
#include "domain/fleet/presence.h"

#include <stddef.h>
#include <stdlib.h>

enum {
    /* A word that is stored and good for this long is renewed in memory: phones declare every 20 s
     * and renewals are written every second, so an account that is declared never gets below. */
    ACCOUNT_STORED_ENOUGH_MS = 30 * 1000,
    /* A word on an account that is only named may be this old. */
    NAMED_STORED_ENOUGH_MS = 60 * 60 * 1000,
};

const char *const account_state_words[] = {"linked", "connected", "disconnected", "banned", NULL};

static bool is_holding(const struct device_account *account, int64_t now_ms)
{
    return account->state_until > now_ms;
}

static struct device_account *find_account(const struct record_list *accounts,
                                           const char *account_id)
{
    struct device_account *items = accounts->items;
    for (size_t i = 0; i < accounts->count; i++) {
        if (strcmp(items[i].account_id, account_id) == 0) return &items[i];
    }
    return NULL;
}

/* --- Binding ---------------------------------------------------------------------------------- */

/* A new list of accounts binds some accounts and unbinds others: this is one of them. */
struct binding {
    const char *account_id;
    bool is_wanted; /* false: the phone is not bound to it any more */
};

/* Orders bindings or accounts by id, with which both begin. */
static int compare_by_id(const void *a, const void *b)
{
    const char *const *left = a, *const *right = b;
    return strcmp(*left, *right);
}
static_assert(offsetof(struct binding, account_id) == 0, "it begins with its id");
static_assert(offsetof(struct device_account, account_id) == 0, "it begins with its id");

static bool is_wanted(const struct record_list *account_ids, const char *account_id)
{
    const char *const *ids = account_ids->items;
    size_t i = 0;
    while (i < account_ids->count && strcmp(ids[i], account_id) != 0)
        i++;
    return i < account_ids->count;
}

/* Plans in the order of the accounts, so that two phones that exchange some cannot wait for each
 * other. */
static size_t plan_bindings(const struct record_list *account_ids, const struct record_list *own,
                            struct binding *ret_bindings)
{
    const char *const *ids = account_ids->items;
    const struct device_account *accounts = own->items;
    size_t count = 0;

    for (size_t i = 0; i < account_ids->count; i++) {
        if (!find_account(own, ids[i])) ret_bindings[count++] = (struct binding){ids[i], true};
    }
    for (size_t i = 0; i < own->count; i++) {
        if (!is_wanted(account_ids, accounts[i].account_id))
            ret_bindings[count++] = (struct binding){accounts[i].account_id, false};
    }
    if (count > 0) qsort(ret_bindings, count, sizeof(*ret_bindings), compare_by_id);
    return count;
}

static enum err carry_out_binding(struct work *work, const struct uuid *device_id,
                                  const struct binding *binding)
{
    const char *account_id = binding->account_id;
    enum err err = binding->is_wanted ? device_account_insert(work, device_id, account_id)
                                      : device_account_delete(work, device_id, account_id);
    if (!err && binding->is_wanted) err = named_account_delete(work, device_id, account_id);
    if (err) return err;
    work_note(work, LOG_INFO, binding->is_wanted ? "account bound" : "account unbound",
              LOG_FIELDS(log_device(device_id), fleet_log_sender("account_id", account_id)));
    return ERR_OK;
}

enum err fleet_bind_accounts(struct work *work, const struct uuid *device_id,
                             const struct record_list *account_ids, const char **ret_taken)
{
    struct device self = {.id = *device_id};

    enum err err = device_hold(work, device_id);
    if (!err) err = device_account_select(work, &self, 1);
    if (err) return err;
    size_t max = account_ids->count + self.accounts.count;
    struct binding *bindings = arena_array(work->arena, max, sizeof(*bindings));
    size_t count = plan_bindings(account_ids, &self.accounts, bindings);
    for (size_t i = 0; !err && i < count; i++) {
        *ret_taken = bindings[i].account_id;
        err = carry_out_binding(work, device_id, &bindings[i]);
    }
    return err;
}

/* --- Declaring -------------------------------------------------------------------------------- */

/* This is known of a phone that declares. */
struct known {
    struct device self;       /* with the accounts that it is bound to */
    struct record_list named; /* other ones that it named before; only where it names such */
};

static enum err read_known(struct work *work, const struct uuid *device_id,
                           const struct record_list *declared, struct known *ret_known)
{
    const struct device_account *items = declared->items;
    size_t own = 0;

    *ret_known = (struct known){.self = {.id = *device_id}};
    enum err err = device_account_select(work, &ret_known->self, 1);
    for (size_t i = 0; i < declared->count; i++)
        own += find_account(&ret_known->self.accounts, items[i].account_id) != NULL;
    if (err || own == declared->count) return err;
    return named_account_select(work, &ret_known->self, 1, &ret_known->named);
}

static bool says_the_same(const struct device_account *stored, const struct device_account *account)
{
    return stored && stored->state == account->state &&
           strcmp(stored->messenger, account->messenger) == 0;
}

/* Tells whether what a phone says of an account is stored already and good for a while. */
static bool is_stored_enough(const struct work *work, const struct known *known,
                             const struct device_account *account)
{
    int64_t now_ms = work->now_ms;
    const struct device_account *own = find_account(&known->self.accounts, account->account_id);
    const struct device_account *named = find_account(&known->named, account->account_id);

    if (own)
        return says_the_same(own, account) && is_holding(own, now_ms) &&
               (account->state != ACCOUNT_CONNECTED || own->watch_at > 0) &&
               own->state_until >= now_ms + ACCOUNT_STORED_ENOUGH_MS;
    return named && named->is_told && strcmp(named->messenger, account->messenger) == 0 &&
           named->state_until > now_ms - NAMED_STORED_ENOUGH_MS && named->state_until <= now_ms;
}

/* Renews in memory what is stored. False: some of it is not, or there is no room, so all has to be
 * stored at once. */
static bool renew_accounts(struct work *work, const struct known *known,
                           const struct record_list *declared)
{
    const struct device_account *items = declared->items;
    int64_t until = work->now_ms + ACCOUNT_VALID_MS;

    for (size_t i = 0; i < declared->count; i++) {
        if (!is_stored_enough(work, known, &items[i])) return false;
    }
    for (size_t i = 0; i < declared->count; i++) {
        if (!find_account(&known->self.accounts, items[i].account_id)) continue;
        if (!presence_renew_account(work->service->fleet->presence, &known->self.id,
                                    items[i].account_id, until, work->now_ms))
            return false;
    }
    return true;
}

static int compare_by_age(const void *a, const void *b)
{
    const struct device_account *left = a, *right = b;
    int order = (left->state_until > right->state_until) - (left->state_until < right->state_until);
    return order != 0 ? order : strcmp(left->account_id, right->account_id);
}

/* Makes room for what is declared among the accounts that the phone named: of those that it names
 * no more, the oldest go. Sorts `known->named` by age. ERR_VALIDATION: too many were named just
 * now. */
static enum err forget_named(struct work *work, const struct known *known,
                             const struct record_list *declared)
{
    struct device_account *rows = known->named.items, *items = declared->items;
    size_t total = 0;
    enum err err = ERR_OK;

    for (size_t i = 0; i < declared->count; i++)
        total += !find_account(&known->self.accounts, items[i].account_id);
    for (size_t i = 0; i < known->named.count; i++)
        total += !find_account(declared, rows[i].account_id);
    if (known->named.count > 0) qsort(rows, known->named.count, sizeof(*rows), compare_by_age);
    for (size_t i = 0; !err && i < known->named.count && total > DEVICE_ACCOUNTS_MAX; i++) {
        if (find_account(declared, rows[i].account_id)) continue;
        if (rows[i].state_until > work->now_ms - ACCOUNT_VALID_MS) break;
        err = named_account_delete(work, &known->self.id, rows[i].account_id);
        total--;
    }
    if (err) return err;
    return total > DEVICE_ACCOUNTS_MAX ? ERR_VALIDATION : ERR_OK;
}

/* An account comes and goes by what its phone says; where it says nothing, the worker finds out. */
static void tell_own(struct work *work, const struct uuid *device_id,
                     const struct device_account *own, struct device_account *word)
{
    bool is_there = word->state == ACCOUNT_CONNECTED;

    word->watch_at = is_there ? work->now_ms + work->service->fleet->silent_ms : 0;
    word->gone_since = is_there ? 0 : own->gone_since;
    word->changes = is_there ? own->gone_since != 0 : own->watch_at != 0;
    if (is_there && own->gone_since)
        fleet_tell_edge(work, FLEET_ACCOUNT_BACK, device_id, word->account_id, own->gone_since);
    if (is_there || !own->watch_at) return;
    word->gone_since = work->now_ms;
    fleet_tell_edge(work, FLEET_ACCOUNT_GONE, device_id, word->account_id, work->now_ms);
}

static enum err store_own(struct work *work, const struct uuid *device_id,
                          const struct device_account *own, const struct device_account *account)
{
    struct device_account word = *account;

    word.state_until = work->now_ms + ACCOUNT_VALID_MS;
    if (!says_the_same(own, account))
        work_note(work, LOG_INFO, "account declared",
                  LOG_FIELDS(log_device(device_id),
                             fleet_log_sender("account_id", account->account_id),
                             log_plain("messenger", account->messenger),
                             log_plain("state", account_state_words[account->state])));
    tell_own(work, device_id, own, &word);
    return device_account_update(work, device_id, &word);
}

/* Stores an account that the phone is not bound to; the log tells of it once, and again if it
 * becomes, or is no more, another phone's. */
static enum err store_named(struct work *work, const struct uuid *device_id,
                            const struct device_account *named,
                            const struct device_account *account)
{
    enum account_state state;
    enum err err = named_account_upsert(work, device_id, account, &state);
    if (err || (named && named->is_told)) return err;
    work_note(work, LOG_WARNING,
              state == ACCOUNT_TAKEN
                  ? "account left out: it is bound to another phone"
                  : "account not used: it is bound to no phone until an operator binds it",
              LOG_FIELDS(log_device(device_id), fleet_log_sender("account_id", account->account_id),
                         log_plain("messenger", account->messenger)));
    return ERR_OK;
}

/* Stores in the order of the accounts, as all do who write them. Declarations of one phone follow
 * each other, or two could pass the limit together. */
static enum err store_accounts(struct work *work, const struct uuid *device_id,
                               const struct record_list *declared)
{
    struct device_account *items = arena_array(work->arena, declared->count, sizeof(*items));
    struct known known;

    enum err err = device_hold(work, device_id);
    if (!err) err = read_known(work, device_id, declared, &known);
    if (!err) err = forget_named(work, &known, declared);
    if (err || declared->count == 0) return err;
    memcpy(items, declared->items, declared->count * sizeof(*items));
    qsort(items, declared->count, sizeof(*items), compare_by_id);
    for (size_t i = 0; !err && i < declared->count; i++) {
        const struct device_account *own = find_account(&known.self.accounts, items[i].account_id);
        err = own ? store_own(work, device_id, own, &items[i])
                  : store_named(work, device_id, find_account(&known.named, items[i].account_id),
                                &items[i]);
    }
    return err;
}

enum err fleet_declare_accounts(struct work *work, const struct device *device,
                                const struct accounts_input *input)
{
    struct known known;

    if (!device->enabled) return ERR_DEVICE_DISABLED;
    enum err err = read_known(work, &device->id, &input->accounts, &known);
    if (err) return err;
    fleet_renew_seen(work, device);
    if (renew_accounts(work, &known, &input->accounts)) return ERR_OK;
    if (work->task.is_read) return ERR_WRITE_NEEDED;
    return store_accounts(work, &device->id, &input->accounts);
}

/* --- Checking and showing --------------------------------------------------------------------- */

enum err fleet_check_account(struct work *work, const char *account_id)
{
    struct account_owner owner;
    enum err err = device_account_select_owner(work, account_id, &owner);
    if (err) return err == ERR_NOT_FOUND ? ERR_ACCOUNT_NOT_FOUND : err;
    bool can_send = owner.is_enabled && owner.account.state == ACCOUNT_CONNECTED &&
                    is_holding(&owner.account, work->now_ms);
    return can_send ? ERR_OK : ERR_ACCOUNT_NOT_CONNECTED;
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

/* Shows what the phone only named: an account that is nobody's stands behind its own accounts, one
 * that is another phone's is listed by its id. */
static void show_named(struct arena *arena, struct device *device, const struct record_list *named)
{
    const struct device_account *rows = named->items;
    size_t count = device->accounts.count;
    struct device_account *accounts = arena_array(arena, count + named->count, sizeof(*accounts));
    const char **left_out = arena_array(arena, named->count, sizeof(*left_out));

    if (count > 0) memcpy(accounts, device->accounts.items, count * sizeof(*accounts));
    device->left_out.items = left_out;
    for (size_t i = 0; i < named->count; i++) {
        if (rows[i].state == ACCOUNT_TAKEN) {
            left_out[device->left_out.count++] = rows[i].account_id;
            continue;
        }
        accounts[count] = rows[i];
        accounts[count++].state_until = 0;
    }
    device->accounts = (struct record_list){accounts, count};
}

enum err fleet_show_accounts(struct work *work, struct device *devices, size_t count)
{
    struct record_list *named = arena_array(work->arena, count, sizeof(*named));
    enum err err = device_account_select(work, devices, count);
    if (!err) err = named_account_select(work, devices, count, named);
    for (size_t i = 0; !err && i < count; i++) {
        struct device_account *accounts = devices[i].accounts.items;
        for (size_t k = 0; k < devices[i].accounts.count; k++) {
            if (!accounts[k].messenger[0]) accounts[k].state_until = 0; /* it is not declared yet */
            /* A ban does not end because its phone went silent. */
            if (accounts[k].state != ACCOUNT_BANNED && !is_holding(&accounts[k], work->now_ms))
                accounts[k].state = ACCOUNT_DISCONNECTED;
        }
        if (named[i].count > 0) show_named(work->arena, &devices[i], &named[i]);
    }
    return err;
}
