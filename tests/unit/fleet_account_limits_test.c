/* domain/fleet/fleet_account: how many accounts a phone has, and what it may say of them (contract,
 * section 2, rule 9). */
#include "app/setup/migrations.h"
#include "fleet_account_scene.h"

/* --- How many a phone has --------------------------------------------------------------------- */

/* The number of accounts that are shown, and the first and last of those that are unbound. */
static void assert_unbound(struct world *world, const struct device *phone, size_t count,
                           const char *first, const char *last)
{
    struct device shown = world_read_phone(world, &phone->id);
    const struct device_account *accounts = shown.accounts.items;
    size_t own = 0;
    while (own < shown.accounts.count && accounts[own].state != ACCOUNT_UNBOUND)
        own++;
    assert_int_equal(shown.accounts.count - own, count);
    assert_string_equal(accounts[own].account_id, first);
    assert_string_equal(accounts[shown.accounts.count - 1].account_id, last);
}

/* Beside those that it is bound to, it may name as many others. */
static void a_phone_names_sixteen_accounts_of_others(struct store *store)
{
    AUTO_WORLD world;
    world_open(&world, store);
    struct device phone = world_phone(&world, A);
    struct device_account *accounts = make_accounts(&world, 1, DEVICE_ACCOUNTS_MAX);
    struct device_account *own = make_accounts(&world, 101, DEVICE_ACCOUNTS_MAX);
    bind_all(&world, &phone, own, DEVICE_ACCOUNTS_MAX);
    assert_ok(declare_all(&world, &phone, accounts, DEVICE_ACCOUNTS_MAX));
    assert_ok(declare_all(&world, &phone, own, DEVICE_ACCOUNTS_MAX));
    world.now_ms = WORLD_START_MS + ACCOUNT_VALID_MS - 1;
    assert_err(declare_one(&world, &phone, "one-more", ACCOUNT_CONNECTED), ERR_VALIDATION);
    assert_ok(declare_one(&world, &phone, "account-016", ACCOUNT_BANNED)); /* it is one of them */
    assert_ok(declare_one(&world, &phone, "account-101", ACCOUNT_CONNECTED)); /* its own */
    assert_unbound(&world, &phone, DEVICE_ACCOUNTS_MAX, "account-001", "account-016");

    world.now_ms = WORLD_START_MS + ACCOUNT_VALID_MS;
    assert_ok(declare_one(&world, &phone, "one-more", ACCOUNT_CONNECTED));
    assert_unbound(&world, &phone, DEVICE_ACCOUNTS_MAX, "account-002", "one-more");
    for (int i = 1; i <= DEVICE_ACCOUNTS_MAX; i++)
        assert_err(check(&world, accounts[i - 1].account_id), ERR_ACCOUNT_NOT_FOUND);
}

/* An account that was not named for a minute makes room, the oldest first; one that is named again
 * does not go. */
static void the_longest_not_named_are_forgotten_first(struct store *store)
{
    AUTO_WORLD world;
    world_open(&world, store);
    struct device phone = world_phone(&world, A);
    struct device_account *accounts = make_accounts(&world, 1, 18);
    for (int i = DEVICE_ACCOUNTS_MAX; i > 0; i--) { /* 16 is the oldest */
        assert_ok(declare_all(&world, &phone, &accounts[i - 1], 1));
        world.now_ms += SECOND_MS;
    }
    world.now_ms += ACCOUNT_VALID_MS;
    struct device_account wanted[] = {accounts[15], accounts[16], accounts[17]};
    assert_ok(declare_all(&world, &phone, wanted, COUNT_OF(wanted)));
    assert_unbound(&world, &phone, DEVICE_ACCOUNTS_MAX, "account-001", "account-018");
    struct device shown = world_read_phone(&world, &phone.id);
    const struct device_account *rows = shown.accounts.items;
    assert_string_equal(rows[12].account_id, "account-013");
    assert_string_equal(rows[13].account_id, "account-016"); /* 14 and 15 are gone */
}

struct crowding {
    struct device phone;
    enum err errs[8];
};

static void declare_sixteen_others(struct world *world, int index, void *arg)
{
    struct crowding *crowd = arg;
    struct device_account *accounts =
        make_accounts(world, index * DEVICE_ACCOUNTS_MAX, DEVICE_ACCOUNTS_MAX);
    crowd->errs[index] = declare_all(world, &crowd->phone, accounts, DEVICE_ACCOUNTS_MAX);
}

static void eight_declarations_at_once_do_not_pass_the_limit(struct store *store)
{
    struct crowding crowd;
    int stored = 0;
    AUTO_WORLD world;
    world_open(&world, store);
    crowd.phone = world_phone(&world, A);
    world_crowd(&world, 8, declare_sixteen_others, &crowd);
    for (int i = 0; i < 8; i++) {
        if (crowd.errs[i]) assert_err(crowd.errs[i], ERR_VALIDATION);
        stored += !crowd.errs[i];
    }
    assert_int_equal(stored, 1);
    assert_int_equal(world_read_phone(&world, &crowd.phone.id).accounts.count, DEVICE_ACCOUNTS_MAX);
}

/* --- What a declaration may say --------------------------------------------------------------- */

/* The paths of the faults of a body, one a line; "" if it is taken. */
static const char *faults_of(struct store *store, const char *body)
{
    struct arena *arena = &store->arena;
    struct accounts_input input;
    struct record_faults *faults = ARENA_NEW(arena, struct record_faults);
    AUTO_BUF text = {0};
    buf_init(&text, 16384);
    record_faults_init(faults, arena);
    enum err err =
        record_decode(&accounts_input_record, str_of(body), false, arena, &input, faults);
    assert_int_equal(err, faults->count > 0 ? ERR_VALIDATION : ERR_OK);
    for (size_t i = 0; i < faults->count; i++)
        buf_printf(&text, "%s\n", faults->rows[i].path);
    return arena_str(arena, buf_view(&text));
}

static const char *repeat(struct store *store, const char *letter, int count)
{
    AUTO_BUF text = {0};
    buf_init(&text, 4096);
    for (int i = 0; i < count; i++)
        buf_text(&text, letter);
    return arena_str(&store->arena, buf_view(&text));
}

static void assert_account_faults(struct store *store, const char *account_id,
                                  const char *messenger, const char *state, const char *expected)
{
    char *body = arena_printf(&store->arena,
                              "{\"accounts\":[{\"account_id\":\"%s\",\"messenger\":\"%s\","
                              "\"state\":\"%s\",\"state_until\":7}]}",
                              account_id, messenger, state);
    assert_string_equal(faults_of(store, body), expected);
}

static void an_account_has_an_id_a_messenger_and_a_state(struct store *store)
{
    static const char *const at_id = "accounts[0].account_id\n";
    static const char *const at_messenger = "accounts[0].messenger\n";
    const char *zhe = "Ж";
    assert_account_faults(store, "", "x", "linked", at_id);
    assert_account_faults(store, "x", "x", "linked", "");
    assert_account_faults(store, repeat(store, zhe, 128), "x", "connected", "");
    assert_account_faults(store, repeat(store, zhe, 129), "x", "connected", at_id);
    assert_account_faults(store, "x", "", "banned", at_messenger);
    assert_account_faults(store, "x", repeat(store, zhe, 50), "banned", "");
    assert_account_faults(store, "x", repeat(store, zhe, 51), "banned", at_messenger);
    assert_account_faults(store, "x", "x", "disconnected", "");
    assert_account_faults(store, "x", "x", "sleeping", "accounts[0].state\n");
    assert_string_equal(faults_of(store, "{\"accounts\":[{}]}"),
                        "accounts[0].account_id\naccounts[0].messenger\naccounts[0].state\n");
    assert_string_equal(faults_of(store, "{}"), "accounts\n");
    assert_string_equal(faults_of(store, "{\"accounts\":null}"), "accounts\n");
}

/* `count` accounts with different ids, but for the one at `twin`, which is that of the first. */
static const char *make_body(struct store *store, int count, int twin)
{
    AUTO_BUF body = {0};
    buf_init(&body, 16384);
    buf_text(&body, "{\"accounts\":[");
    for (int i = 0; i < count; i++)
        buf_printf(&body, "%s{\"account_id\":\"a%d\",\"messenger\":\"m\",\"state\":\"linked\"}",
                   i > 0 ? "," : "", i == twin ? 0 : i);
    buf_text(&body, "]}");
    return arena_str(&store->arena, buf_view(&body));
}

static void a_declaration_names_up_to_sixteen_accounts_each_once(struct store *store)
{
    assert_string_equal(faults_of(store, make_body(store, 0, -1)), "");
    assert_string_equal(faults_of(store, make_body(store, 16, -1)), "");
    assert_string_equal(faults_of(store, make_body(store, 17, -1)), "accounts\n");
    assert_string_equal(faults_of(store, make_body(store, 2, 1)), "accounts[1].account_id\n");
    assert_string_equal(faults_of(store, make_body(store, 16, 15)), "accounts[15].account_id\n");
}

int main(void)
{
    static const struct store_case cases[] = {
        {"a phone names sixteen accounts of others", a_phone_names_sixteen_accounts_of_others},
        {"the longest not named are forgotten first", the_longest_not_named_are_forgotten_first},
        {"eight declarations at once do not pass the limit",
         eight_declarations_at_once_do_not_pass_the_limit},
        {"an account has an id, a messenger and a state",
         an_account_has_an_id_a_messenger_and_a_state, STORE_SQLITE},
        {"a declaration names up to sixteen accounts, each once",
         a_declaration_names_up_to_sixteen_accounts_each_once, STORE_SQLITE},
    };
    return store_run_cases("fleet account limits", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
