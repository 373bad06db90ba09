/* domain/fleet/fleet_account: what a phone's word on its accounts is worth (contract, section 2,
 * rule 9), and whose they are. */
#include "app/setup/migrations.h"
#include "fleet_account_scene.h"

/* --- What is shown ---------------------------------------------------------------------------- */

static enum err run_list(struct work *work, void *arg)
{
    static const struct fleet_query all = {.limit = FLEET_WHOLE, .ready = -1, .enabled = -1};
    return fleet_list(work, &all, arg);
}

static void what_a_phone_declares_is_shown(struct store *store)
{
    static const struct device_account declared[] = {
        {"shop-12", "telegram", ACCOUNT_CONNECTED, 0},
        {"Магазин", "whatsapp", ACCOUNT_LINKED, 0},
        {"back-office", "telegram", ACCOUNT_BANNED, 0},
    };
    struct device_list list = {0};
    AUTO_WORLD world;
    world_open(&world, store);
    struct device first = world_phone(&world, A), second = world_phone(&world, B);
    struct device third = world_phone(&world, C);
    assert_accounts(&world, &first, "");
    bind_all(&world, &first, declared, COUNT_OF(declared));
    bind_one(&world, &third, "third");
    assert_accounts(&world, &first,
                    "back-office  disconnected, shop-12  disconnected, Магазин  disconnected");
    assert_ok(declare_all(&world, &first, declared, COUNT_OF(declared)));
    assert_ok(declare_one(&world, &third, "third", ACCOUNT_DISCONNECTED));
    assert_accounts(&world, &first,
                    "back-office telegram banned 60000, shop-12 telegram connected 60000,"
                    " Магазин whatsapp linked 60000");

    assert_ok(world_read(&world, run_list, &list));
    const struct device *phones = list.devices.items;
    assert_int_equal(list.devices.count, 3);
    assert_int_equal(phones[0].accounts.count, 3);
    assert_accounts_of(&phones[1], "");
    assert_uuid_equal(phones[1].id, second.id);
    assert_accounts_of(&phones[2], "third telegram disconnected 60000");
}

static void a_word_holds_for_sixty_seconds(struct store *store)
{
    AUTO_WORLD world;
    world_open(&world, store);
    struct device phone = world_phone(&world, A);
    bind_one(&world, &phone, "shop");
    assert_ok(declare_one(&world, &phone, "shop", ACCOUNT_CONNECTED));
    world.now_ms = WORLD_START_MS + ACCOUNT_VALID_MS - 1;
    assert_ok(check(&world, "shop"));
    assert_accounts(&world, &phone, "shop telegram connected 60000");
    world.now_ms = WORLD_START_MS + ACCOUNT_VALID_MS;
    assert_err(check(&world, "shop"), ERR_ACCOUNT_NOT_CONNECTED);
    assert_accounts(&world, &phone, "shop telegram disconnected 60000");
    assert_ok(check_own(&world, &phone, "shop")); /* nobody else took it */
}

static void only_a_connected_account_can_send(struct store *store)
{
    static const struct {
        enum account_state state;
        enum err err;
        const char *lapsed;
    } rows[] = {
        {ACCOUNT_LINKED, ERR_ACCOUNT_NOT_CONNECTED, "disconnected"},
        {ACCOUNT_CONNECTED, ERR_OK, "disconnected"},
        {ACCOUNT_DISCONNECTED, ERR_ACCOUNT_NOT_CONNECTED, "disconnected"},
        {ACCOUNT_BANNED, ERR_ACCOUNT_NOT_CONNECTED, "banned"},
    };
    AUTO_WORLD world;
    world_open(&world, store);
    struct device phone = world_phone(&world, A);
    assert_err(check(&world, "shop"), ERR_ACCOUNT_NOT_FOUND);
    bind_one(&world, &phone, "shop");
    assert_err(check(&world, "shop"), ERR_ACCOUNT_NOT_CONNECTED); /* its phone has not named it */
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        int64_t at = world.now_ms - WORLD_START_MS + ACCOUNT_VALID_MS;
        const char *word = account_state_words[rows[i].state];
        assert_ok(declare_one(&world, &phone, "shop", rows[i].state));
        assert_err(check(&world, "shop"), rows[i].err);
        assert_accounts(&world, &phone,
                        arena_printf(world.arena, "shop telegram %s %lld", word, (long long)at));
        world.now_ms += ACCOUNT_VALID_MS;
        assert_err(check(&world, "shop"), ERR_ACCOUNT_NOT_CONNECTED);
        word = rows[i].lapsed;
        assert_accounts(&world, &phone,
                        arena_printf(world.arena, "shop telegram %s %lld", word, (long long)at));
    }
}

static void the_accounts_of_a_disabled_phone_rest(struct store *store)
{
    AUTO_WORLD world;
    world_open(&world, store);
    struct device phone = world_phone(&world, A);
    bind_one(&world, &phone, "shop");
    assert_ok(declare_one(&world, &phone, "shop", ACCOUNT_CONNECTED));
    assert_ok(world_set_enabled(&world, &phone.id, false));
    struct device disabled = world_read_phone(&world, &phone.id);
    assert_err(check(&world, "shop"), ERR_ACCOUNT_NOT_CONNECTED);
    assert_err(check_own(&world, &disabled, "shop"), ERR_DEVICE_DISABLED);
    assert_err(declare_one(&world, &disabled, "shop", ACCOUNT_CONNECTED), ERR_DEVICE_DISABLED);
    assert_err(declare_all(&world, &disabled, NULL, 0), ERR_DEVICE_DISABLED);
    assert_ok(world_set_enabled(&world, &phone.id, true));
    assert_ok(check(&world, "shop"));
}

/* --- Whose it is ------------------------------------------------------------------------------ */

/* Declaring takes nothing: not from a phone that fell silent, and not from nobody. */
static void no_silence_moves_an_account(struct store *store)
{
    static const struct device_account wanted[] = {
        {"aaa", "telegram", ACCOUNT_CONNECTED, 0},
        {"mine", "telegram", ACCOUNT_CONNECTED, 0},
        {"shop", "whatsapp", ACCOUNT_CONNECTED, 0},
    };
    AUTO_WORLD world;
    world_open(&world, store);
    struct device first = world_phone(&world, A), second = world_phone(&world, B);
    bind_one(&world, &first, "shop");
    bind_one(&world, &second, "mine");
    assert_ok(declare_one(&world, &first, "shop", ACCOUNT_CONNECTED));
    for (int day = 0; day < 40; day += 39) {
        world.now_ms = WORLD_START_MS + 61 * SECOND_MS + day * (24 * (int64_t)HOUR_MS);
        long long until = world.now_ms - WORLD_START_MS + ACCOUNT_VALID_MS;
        assert_ok(declare_all(&world, &second, wanted, COUNT_OF(wanted)));
        assert_accounts(&world, &first, "shop telegram disconnected 60000");
        assert_accounts(&world, &second,
                        arena_printf(world.arena,
                                     "mine telegram connected %lld, aaa telegram unbound | shop",
                                     until));
        assert_ok(check(&world, "mine"));
        assert_err(check(&world, "aaa"), ERR_ACCOUNT_NOT_FOUND);
        assert_err(check(&world, "shop"), ERR_ACCOUNT_NOT_CONNECTED);
        assert_err(check_own(&world, &second, "shop"), ERR_NUMBER_NOT_OWNED);
        assert_err(check_own(&world, &second, "aaa"), ERR_NUMBER_NOT_OWNED);
        assert_ok(check_own(&world, &first, "shop"));
    }
}

/* The row that 0.5.0 wrote when a phone declared. */
static enum err run_old_declaration(struct work *work, void *arg)
{
    return db_exec(work->tx,
                   "INSERT INTO device_account (account_id, device_id, messenger, state,"
                   " state_until) VALUES ('old', $1, 'telegram', 'connected', $2)",
                   DB_ARGS(db_uuid(arg), db_int(work->now_ms + ACCOUNT_VALID_MS)), NULL);
}

static void the_operator_moves_an_account(struct store *store)
{
    const char *taken, *both[] = {"shop", "other"};
    AUTO_WORLD world;
    world_open(&world, store);
    struct device first = world_phone(&world, A), second = world_phone(&world, B);
    assert_ok(world_bind(&world, &first.id, both, 2, NULL));
    assert_ok(declare_one(&world, &first, "shop", ACCOUNT_CONNECTED));
    assert_ok(declare_one(&world, &second, "shop", ACCOUNT_CONNECTED));
    assert_err(world_bind(&world, &second.id, both, 1, &taken), ERR_NUMBER_TAKEN);
    assert_string_equal(taken, "shop");

    assert_ok(world_bind(&world, &first.id, both + 1, 1, NULL));
    assert_err(check_own(&world, &first, "shop"), ERR_NUMBER_NOT_OWNED);
    assert_err(check(&world, "shop"), ERR_ACCOUNT_NOT_FOUND);
    assert_accounts(&world, &second, "shop telegram unbound");
    assert_ok(world_bind(&world, &second.id, both, 1, NULL));
    assert_ok(world_bind(&world, &second.id, both, 1, NULL)); /* a repeat changes nothing */
    assert_null(world.said);
    assert_accounts(&world, &first, "other  disconnected");
    assert_accounts(&world, &second, "shop  disconnected");
    assert_err(check(&world, "shop"), ERR_ACCOUNT_NOT_CONNECTED);
    assert_ok(declare_one(&world, &second, "shop", ACCOUNT_CONNECTED));
    assert_ok(check(&world, "shop"));
    bind_none(&world, &second);
    assert_accounts(&world, &second, "");
}

static enum err run_set_accounts(struct work *work, void *arg)
{
    const struct uuid nobody = {{1}};
    struct device device;
    const char *taken;
    (void)arg;
    return fleet_set_accounts(work, &nobody, &(struct device_accounts_input){0}, &device, &taken);
}

static void nobody_has_no_accounts(struct store *store)
{
    AUTO_WORLD world;
    world_open(&world, store);
    assert_err(world_run(&world, run_set_accounts, NULL), ERR_NOT_FOUND);
}

/* 0.5.0 left this behind: each account is bound to the phone that declared it last. */
static void what_was_declared_before_stays_bound(struct store *store)
{
    AUTO_WORLD world;
    world_open(&world, store);
    struct device first = world_phone(&world, A), second = world_phone(&world, B);
    assert_ok(world_run(&world, run_old_declaration, &first.id));
    world.now_ms += 1000 * (int64_t)HOUR_MS;
    assert_ok(declare_one(&world, &second, "old", ACCOUNT_CONNECTED));
    assert_accounts(&world, &second, " | old");
    assert_ok(declare_one(&world, &first, "old", ACCOUNT_CONNECTED));
    assert_ok(check(&world, "old"));
}

struct racing {
    struct device phones[2];
    const char **accounts[2]; /* the same, in two orders */
    size_t count;
    enum err errs[8];
};

static void bind_at_once(struct world *world, int index, void *arg)
{
    struct racing *race = arg;
    race->errs[index] = world_bind(world, &race->phones[index % 2].id,
                                   race->accounts[index / 2 % 2], race->count, NULL);
}

/* Of two phones that are bound to the same at the same moment, in any order, one has them all. */
static void two_bindings_at_once_make_one_owner(struct store *store)
{
    enum { COUNT = 12 };
    struct racing race = {.count = COUNT};
    AUTO_WORLD world;
    world_open(&world, store);
    race.phones[0] = world_phone(&world, A);
    race.phones[1] = world_phone(&world, B);
    for (int order = 0; order < 2; order++) {
        race.accounts[order] = arena_array(world.arena, COUNT, sizeof(char *));
        for (int i = 0; i < COUNT; i++)
            race.accounts[order][order ? COUNT - 1 - i : i] =
                arena_printf(world.arena, "account-%02d", i);
    }
    for (int round = 0; round < 5; round++) {
        int won = 0;
        world_crowd(&world, 8, bind_at_once, &race);
        for (int i = 0; i < 8; i++) {
            if (race.errs[i]) assert_err(race.errs[i], ERR_NUMBER_TAKEN);
            won += !race.errs[i];
        }
        assert_int_equal(won, 4); /* each phone was bound four times */
        assert_int_equal(store_number(store, "SELECT count(DISTINCT device_id) AS n"
                                             " FROM device_account"),
                         1);
        assert_int_equal(store_number(store, "SELECT count(*) AS n FROM device_account"), COUNT);
        bind_none(&world, &race.phones[0]);
        bind_none(&world, &race.phones[1]);
    }
}

/* --- Repeats ---------------------------------------------------------------------------------- */

/* Ten minutes of declarations every 20 s: the word holds all the time, and every second one writes
 * nothing. */
static void a_repeat_writes_only_when_the_word_gets_old(struct store *store)
{
    struct device_account account = {"shop", "telegram", ACCOUNT_CONNECTED, 0};
    int writes = 0;
    AUTO_WORLD world;
    world_open(&world, store);
    struct device phone = world_phone(&world, A);
    bind_one(&world, &phone, "shop");
    struct declaring step = {.phone = &phone, .input = {{&account, 1}}};
    for (int second = 0; second < 600; second++, world.now_ms += SECOND_MS) {
        bool wrote = false;
        if (second % 20 == 0) assert_ok(declare(&world, &step, &wrote));
        writes += wrote;
        assert_ok(check(&world, "shop"));
    }
    assert_int_equal(writes, 15);
    world_flush(&world);
    struct device shown = world_read_phone(&world, &phone.id);
    assert_true(shown.last_seen_at == WORLD_START_MS + 580 * SECOND_MS); /* that one wrote not */
}

/* A word that a repeat only noted counts from that repeat, once the next flush has written it. */
static void a_word_counts_from_the_last_declaration(struct store *store)
{
    AUTO_WORLD world;
    world_open(&world, store);
    struct device phone = world_phone(&world, A);
    struct device_account *accounts = make_accounts(&world, 1, 2);
    bind_all(&world, &phone, accounts, 2);
    assert_ok(declare_all(&world, &phone, accounts, 2));
    world.now_ms += 28 * SECOND_MS;
    struct declaring step = {.phone = &phone, .input = {{accounts, 1}}};
    bool wrote;
    assert_ok(declare(&world, &step, &wrote));
    assert_false(wrote);
    world_flush(&world);
    assert_accounts(&world, &phone,
                    "account-001 telegram connected 88000, account-002 telegram connected 60000");

    world.now_ms = WORLD_START_MS + (28 + 59) * SECOND_MS;
    assert_ok(check(&world, "account-001"));
    assert_err(check(&world, "account-002"), ERR_ACCOUNT_NOT_CONNECTED); /* was not named again */
    world.now_ms = WORLD_START_MS + (28 + 61) * SECOND_MS;
    assert_err(check(&world, "account-001"), ERR_ACCOUNT_NOT_CONNECTED);
}

static void a_flush_leaves_newer_words_alone(struct store *store)
{
    AUTO_WORLD world;
    world_open(&world, store);
    struct device first = world_phone(&world, A), second = world_phone(&world, B);
    bind_one(&world, &first, "shop");
    assert_ok(declare_one(&world, &first, "shop", ACCOUNT_CONNECTED));
    world.now_ms += SECOND_MS;
    assert_ok(declare_one(&world, &first, "shop", ACCOUNT_CONNECTED)); /* noted */
    world.now_ms += 10;
    assert_ok(declare_one(&world, &first, "shop", ACCOUNT_DISCONNECTED));
    world_flush(&world);
    assert_accounts(&world, &first, "shop telegram disconnected 61010");

    world.now_ms += SECOND_MS;
    assert_ok(declare_one(&world, &first, "shop", ACCOUNT_DISCONNECTED)); /* noted */
    bind_none(&world, &first);
    bind_one(&world, &second, "shop");
    world_flush(&world);
    assert_accounts(&world, &first, "");
    assert_accounts(&world, &second, "shop  disconnected");
}

/* No room: the declaration writes by itself. */
static void what_cannot_be_noted_is_written(struct store *store)
{
    AUTO_WORLD world;
    world_open(&world, store);
    struct device phone = world_phone(&world, A);
    bind_one(&world, &phone, "shop");
    assert_ok(declare_one(&world, &phone, "shop", ACCOUNT_CONNECTED));
    while (presence_renew(world.fleet.presence, &phone.id, NULL, 0, WORLD_START_MS))
        ;
    world.now_ms += SECOND_MS;
    assert_ok(declare_one(&world, &phone, "shop", ACCOUNT_CONNECTED));
    assert_accounts(&world, &phone, "shop telegram connected 61000");
}

static bool writes(struct world *world, const struct device *phone, size_t count,
                   const struct device_account *accounts)
{
    struct declaring step = {.phone = phone, .input = {{(void *)accounts, count}}};
    bool wrote;
    assert_ok(declare(world, &step, &wrote));
    return wrote;
}

static void what_says_something_new_is_written_at_once(struct store *store)
{
    struct device_account both[] = {
        {"one", "telegram", ACCOUNT_CONNECTED, 0},
        {"two", "telegram", ACCOUNT_LINKED, 0},
    };
    AUTO_WORLD world;
    world_open(&world, store);
    struct device phone = world_phone(&world, A);
    bind_all(&world, &phone, both, 2);
    assert_false(writes(&world, &phone, 0, NULL));
    assert_true(writes(&world, &phone, 2, both));
    world.now_ms += 30 * SECOND_MS; /* good for 30 s more */
    assert_false(writes(&world, &phone, 2, both));
    assert_false(writes(&world, &phone, 1, both)); /* the other lapses by itself */
    assert_false(writes(&world, &phone, 0, NULL));
    both[1].state = ACCOUNT_CONNECTED;
    assert_true(writes(&world, &phone, 2, both));
    both[0].messenger = "whatsapp";
    assert_true(writes(&world, &phone, 2, both));
    assert_false(writes(&world, &phone, 2, both));
    world.now_ms += 30 * SECOND_MS + 1;
    assert_true(writes(&world, &phone, 1, both));
    assert_accounts(&world, &phone, "one whatsapp connected 120001, two telegram connected 90000");
}

/* A phone goes on naming what is not its own: that is written once an hour, and not at each poll.
 */
static void what_is_not_its_own_is_written_once_an_hour(struct store *store)
{
    struct device_account named[] = {
        {"nobody's", "telegram", ACCOUNT_CONNECTED, 0},
        {"own", "telegram", ACCOUNT_CONNECTED, 0},
        {"shop", "telegram", ACCOUNT_CONNECTED, 0},
    };
    AUTO_WORLD world;
    world_open(&world, store);
    struct device first = world_phone(&world, A), second = world_phone(&world, B);
    bind_one(&world, &first, "shop");
    bind_one(&world, &second, "own");
    assert_true(writes(&world, &second, 3, named));
    assert_false(writes(&world, &second, 3, named));
    world.now_ms += HOUR_MS - 1;
    assert_true(writes(&world, &second, 1, named + 1));
    assert_false(writes(&world, &second, 3, named));
    world.now_ms++;
    assert_true(writes(&world, &second, 3, named));
    assert_false(writes(&world, &second, 3, named));
    named[0].messenger = "whatsapp";
    assert_true(writes(&world, &second, 3, named));
    assert_false(writes(&world, &second, 3, named));
    assert_accounts(&world, &second,
                    "own telegram connected 3660000, nobody's whatsapp unbound | shop");
}

/* --- Time and the log ------------------------------------------------------------------------- */

struct sweeping {
    int max;
    int64_t swept;
};

static enum err run_sweep(struct work *work, void *arg)
{
    struct sweeping *step = arg;
    return fleet_sweep_accounts(work, step->max, &step->swept);
}

static int64_t sweep(struct world *world, int max)
{
    struct sweeping step = {.max = max};
    assert_ok(world_run(world, run_sweep, &step));
    return step.swept;
}

static void what_is_only_named_goes_after_a_day(struct store *store)
{
    AUTO_WORLD world;
    world_open(&world, store);
    struct device phone = world_phone(&world, A);
    bind_one(&world, &phone, "own");
    assert_ok(declare_all(&world, &phone, make_accounts(&world, 1, 5), 5));
    assert_ok(declare_one(&world, &phone, "own", ACCOUNT_CONNECTED));
    world.now_ms += SECOND_MS;
    assert_ok(declare_one(&world, &phone, "younger", ACCOUNT_CONNECTED));
    world.now_ms = WORLD_START_MS + ACCOUNT_NAMED_MS;
    assert_int_equal(sweep(&world, 100), 0);
    world.now_ms++;
    assert_int_equal(sweep(&world, 2), 2);
    assert_int_equal(sweep(&world, 100), 3);
    assert_accounts(&world, &phone, "own telegram disconnected 60000, younger telegram unbound");
}

static void assert_said(struct world *world, const char *message)
{
    assert_non_null(world->said);
    assert_string_equal(world->said->message, message);
    assert_null(world->said->next);
}

static void news_are_logged_and_repeats_are_not(struct store *store)
{
    AUTO_WORLD world;
    world_open(&world, store);
    struct device phone = world_phone(&world, A);
    bind_one(&world, &phone, "shop");
    assert_said(&world, "account bound");
    assert_ok(declare_one(&world, &phone, "shop", ACCOUNT_LINKED));
    assert_said(&world, "account declared");
    world.now_ms += 59 * SECOND_MS;
    assert_ok(declare_one(&world, &phone, "shop", ACCOUNT_LINKED));
    assert_null(world.said);
    assert_ok(declare_one(&world, &phone, "shop", ACCOUNT_CONNECTED));
    assert_non_null(world.said);
    bind_none(&world, &phone);
    assert_said(&world, "account unbound");
}

/* Once, and again when it is another phone's, or nobody's, since. */
static void what_is_left_out_is_logged_once(struct store *store)
{
    static const char unbound[] =
        "account not used: it is bound to no phone until an operator binds it";
    static const char left_out[] = "account left out: it is bound to another phone";
    AUTO_WORLD world;
    world_open(&world, store);
    struct device first = world_phone(&world, A), second = world_phone(&world, B);
    for (int round = 0; round < 3; round++, world.now_ms += HOUR_MS) {
        assert_ok(declare_one(&world, &second, "shop", ACCOUNT_CONNECTED));
        if (round == 0) assert_said(&world, unbound);
        if (round > 0) assert_null(world.said);
    }
    bind_one(&world, &first, "shop");
    for (int round = 0; round < 3; round++, world.now_ms += HOUR_MS) {
        assert_ok(declare_one(&world, &second, "shop", ACCOUNT_LINKED));
        if (round == 0) assert_said(&world, left_out);
        if (round > 0) assert_null(world.said);
    }
    bind_none(&world, &first);
    assert_ok(declare_one(&world, &second, "shop", ACCOUNT_LINKED));
    assert_said(&world, unbound);
}

/* Messengers name accounts by phone numbers, too (rule 12). */
static void an_id_that_could_be_a_number_is_masked(struct store *store)
{
    static const struct {
        const char *account_id, *shown;
    } rows[] = {
        {"shop-12", "{\"account_id\":\"shop-12\"}"},
        {"shop-123456", "{\"account_id\":\"shop-123456\"}"},
        {"shop-1234567", "{\"account_id\":\"***\"}"},
        {"+79161234567", "{\"account_id\":\"+7916***4567\"}"},
        {"79161234567@c.us", "{\"account_id\":\"***\"}"},
    };
    (void)store;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct log_field field = fleet_log_sender("account_id", rows[i].account_id);
        AUTO_BUF text = {0};
        buf_init(&text, 1000);
        log_encode_fields(&text, &field, 1, false);
        buf_char(&text, '\0');
        assert_string_equal(text.data, rows[i].shown);
    }
}

/* As the dispatcher asks where there are many writers: at once as a write. */
static enum err declare_and_see(struct work *work, void *arg)
{
    AUTO_STMT stmt = NULL;
    enum err err = run_declare(work, arg);
    if (!err)
        err = db_query_one(work->tx, "SELECT pg_current_xact_id_if_assigned() IS NULL AS none",
                           DB_NO_ARGS, &stmt);
    if (!err) assert_int_equal(db_get_int(stmt, "none"), 1);
    return err;
}

static void a_repeat_writes_nothing_where_it_could(struct store *store)
{
    struct device_account account = {"shop", "telegram", ACCOUNT_CONNECTED, 0};
    AUTO_WORLD world;
    world_open(&world, store);
    struct device phone = world_phone(&world, A);
    struct declaring step = {.phone = &phone, .input = {{&account, 1}}};
    bind_one(&world, &phone, account.account_id);
    assert_ok(declare_all(&world, &phone, &account, 1));
    assert_ok(world_run(&world, declare_and_see, &step));
}

int main(void)
{
    static const struct store_case cases[] = {
        {"what a phone declares is shown", what_a_phone_declares_is_shown},
        {"a word holds for sixty seconds", a_word_holds_for_sixty_seconds},
        {"only a connected account can send", only_a_connected_account_can_send},
        {"the accounts of a disabled phone rest", the_accounts_of_a_disabled_phone_rest},
        {"no silence moves an account", no_silence_moves_an_account},
        {"the operator moves an account", the_operator_moves_an_account},
        {"nobody has no accounts", nobody_has_no_accounts, STORE_SQLITE},
        {"what was declared before stays bound", what_was_declared_before_stays_bound},
        {"two bindings at once make one owner", two_bindings_at_once_make_one_owner},
        {"a repeat writes only when the word gets old",
         a_repeat_writes_only_when_the_word_gets_old},
        {"a repeat writes nothing where it could", a_repeat_writes_nothing_where_it_could,
         STORE_POSTGRES},
        {"a word counts from the last declaration", a_word_counts_from_the_last_declaration},
        {"a flush leaves newer words alone", a_flush_leaves_newer_words_alone},
        {"what cannot be noted is written", what_cannot_be_noted_is_written, STORE_SQLITE},
        {"what says something new is written at once", what_says_something_new_is_written_at_once},
        {"what is not its own is written once an hour",
         what_is_not_its_own_is_written_once_an_hour},
        {"what is only named goes after a day", what_is_only_named_goes_after_a_day},
        {"news are logged and repeats are not", news_are_logged_and_repeats_are_not},
        {"what is left out is logged once", what_is_left_out_is_logged_once},
        {"an id that could be a number is masked", an_id_that_could_be_a_number_is_masked,
         STORE_SQLITE},
    };
    return store_run_cases("fleet accounts", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
