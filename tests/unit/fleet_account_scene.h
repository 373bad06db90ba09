/* Phones that declare personal messenger accounts, and what is known of those. */
#pragma once

#include "domain/fleet/fleet_account.h"
#include "world.h"

#define A "+79160000001"
#define B "+79160000002"
#define C "+79160000003"

/* --- An operator binds ------------------------------------------------------------------------ */

static inline void bind_one(struct world *world, const struct device *phone, const char *account_id)
{
    assert_ok(world_bind(world, &phone->id, &account_id, 1, NULL));
}

static inline void bind_none(struct world *world, const struct device *phone)
{
    assert_ok(world_bind(world, &phone->id, NULL, 0, NULL));
}

/* The phone is bound to these accounts, and to no others. */
static inline void bind_all(struct world *world, const struct device *phone,
                            const struct device_account *accounts, size_t count)
{
    const char *ids[DEVICE_ACCOUNTS_MAX];
    for (size_t i = 0; i < count; i++)
        ids[i] = accounts[i].account_id;
    assert_ok(world_bind(world, &phone->id, ids, count, NULL));
}

/* --- A phone declares ------------------------------------------------------------------------- */

struct declaring {
    const struct device *phone;
    struct accounts_input input;
    int writes; /* runs of the writing transaction: one, unless it met another in a deadlock */
};

static inline enum err run_declare(struct work *work, void *arg)
{
    struct declaring *step = arg;
    step->writes += !work->task.is_read;
    return fleet_declare_accounts(work, step->phone, &step->input);
}

/* As the dispatcher does: first as a read, then, if that is asked for, as a write. */
static inline enum err declare(struct world *world, struct declaring *step, bool *ret_wrote)
{
    enum err err = world_read(world, run_declare, step);
    *ret_wrote = err == ERR_WRITE_NEEDED;
    if (!*ret_wrote) return err;
    return world_run(world, run_declare, step);
}

static inline enum err declare_all(struct world *world, const struct device *phone,
                                   const struct device_account *accounts, size_t count)
{
    struct declaring step = {.phone = phone, .input = {{(void *)accounts, count}}};
    return declare(world, &step, &(bool){false});
}

static inline enum err declare_one(struct world *world, const struct device *phone,
                                   const char *account_id, enum account_state state)
{
    struct device_account account = {account_id, "telegram", state, 0};
    return declare_all(world, phone, &account, 1);
}

/* `count` connected accounts, named from `first` on; the texts live as long as the world. */
static inline struct device_account *make_accounts(struct world *world, int first, int count)
{
    struct device_account *accounts = arena_array(world->arena, (size_t)count, sizeof(*accounts));
    for (int i = 0; i < count; i++)
        accounts[i] = (struct device_account){arena_printf(world->arena, "account-%03d", first + i),
                                              "telegram", ACCOUNT_CONNECTED, 0};
    return accounts;
}

/* --- What is known of it ---------------------------------------------------------------------- */

static inline enum err run_check(struct work *work, void *arg)
{
    return fleet_check_account(work, arg);
}

static inline enum err check(struct world *world, const char *account_id)
{
    return world_read(world, run_check, (void *)account_id);
}

struct owning {
    const struct device *phone;
    const char *account_id;
};

static inline enum err run_check_own(struct work *work, void *arg)
{
    const struct owning *step = arg;
    return fleet_check_own_account(work, step->phone, step->account_id, NULL);
}

static inline enum err check_own(struct world *world, const struct device *phone,
                                 const char *account_id)
{
    return world_read(world, run_check_own, &(struct owning){phone, account_id});
}

/* As the operator sees a phone's accounts: "shop-12 telegram connected 60000, ..."; the number is
 * when the word ends, in ms since the start of the world; without one there is none. Behind a bar
 * stands what was left out. */
static inline void assert_accounts_of(const struct device *phone, const char *expected)
{
    const struct device_account *accounts = phone->accounts.items;
    AUTO_BUF text = {0};
    buf_init(&text, 4096);
    for (size_t i = 0; i < phone->accounts.count; i++) {
        bool is_unbound = accounts[i].state == ACCOUNT_UNBOUND;
        buf_printf(&text, "%s%s %s %s", i > 0 ? ", " : "", accounts[i].account_id,
                   accounts[i].messenger,
                   is_unbound ? "unbound" : account_state_words[accounts[i].state]);
        if (accounts[i].state_until)
            buf_printf(&text, " %lld", (long long)(accounts[i].state_until - WORLD_START_MS));
    }
    for (size_t i = 0; i < phone->left_out.count; i++)
        buf_printf(&text, "%s%s", i > 0 ? ", " : " | ", ((const char **)phone->left_out.items)[i]);
    buf_char(&text, '\0');
    assert_string_equal(text.data, expected);
}

static inline void assert_accounts(struct world *world, const struct device *phone,
                                   const char *expected)
{
    struct device shown = world_read_phone(world, &phone->id);
    assert_accounts_of(&shown, expected);
}
