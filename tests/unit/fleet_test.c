/* domain/fleet: phones, keys, numbers and which of them serves next (contract, section 2, rules 1
 * and 11). */
#include "app/setup/migrations.h"
#include "world.h"

#include <stdio.h>

#define A "+79160000001"
#define B "+79160000002"
#define C "+79160000003"

/* --- Registering --- */

struct registering {
    const char *const *numbers;
    size_t count;
    struct credentials credentials;
    struct fleet_taken taken;
};

static enum err run_register(struct work *work, void *arg)
{
    struct registering *step = arg;
    struct device_input input = {.name = "Shop 12",
                                 .numbers = {(void *)step->numbers, step->count}};
    return fleet_register(work, &input, &step->credentials, &step->taken);
}

static void a_phone_is_as_it_was_registered(struct store *store)
{
    static const char *const numbers[] = {C, A, B};
    struct registering step = {.numbers = numbers, .count = 3};
    AUTO_WORLD world;
    world_open(&world, store);
    assert_ok(world_run(&world, run_register, &step));
    assert_int_equal(strlen(step.credentials.device_key), 3 + SECRET_TOKEN_LEN);
    assert_memory_equal(step.credentials.device_key, "hd_", 3);

    struct device phone = world_read_phone(&world, &step.credentials.device_id);
    assert_string_equal(phone.name, "Shop 12");
    assert_true(phone.enabled);
    assert_true(phone.created_at == WORLD_START_MS);
    assert_int_equal(phone.last_seen_at, 0);
    assert_int_equal(phone.accounts.count, 0);
    assert_int_equal(phone.numbers.count, 3);
    for (size_t i = 0; i < 3; i++) {
        const struct device_number *number = (struct device_number *)phone.numbers.items + i;
        assert_string_equal(number->number, numbers[i]);
        assert_false(number->sim_ready);
        assert_int_equal(number->sim_ready_until, 0);
        assert_int_equal(number->active_challenges, 0);
    }
}

static void a_number_belongs_to_one_phone(struct store *store)
{
    static const char *const wanted[] = {B, A, C};
    struct registering step = {.numbers = wanted, .count = 3};
    AUTO_WORLD world;
    world_open(&world, store);
    world_phone(&world, A);
    assert_err(world_run(&world, run_register, &step), ERR_NUMBER_TAKEN);
    assert_string_equal(step.taken.number, A);
    /* Nothing of the refused phone remains. */
    assert_int_equal(store_number(store, "SELECT count(*) AS n FROM device"), 1);
    assert_int_equal(store_number(store, "SELECT count(*) AS n FROM device_number"), 1);
    world_phone(&world, B);
}

struct crowd {
    enum err errs[8];
};

static void register_at_once(struct world *world, int index, void *arg)
{
    /* In two orders, so that two transactions can wait for each other. */
    static const char *const orders[2][3] = {{A, B, C}, {C, B, A}};
    struct registering step = {.numbers = orders[index % 2], .count = 3};
    ((struct crowd *)arg)->errs[index] = world_run(world, run_register, &step);
}

static void eight_at_once_make_one_phone(struct store *store)
{
    struct crowd crowd;
    int made = 0;
    AUTO_WORLD world;
    world_open(&world, store);
    world_crowd(&world, 8, register_at_once, &crowd);
    for (int i = 0; i < 8; i++) {
        if (crowd.errs[i]) assert_err(crowd.errs[i], ERR_NUMBER_TAKEN);
        made += !crowd.errs[i];
    }
    assert_int_equal(made, 1);
    assert_int_equal(store_number(store, "SELECT count(*) AS n FROM device"), 1);
    assert_int_equal(store_number(store, "SELECT count(*) AS n FROM device_number"), 3);
}

/* --- The input's limits --- */

static bool is_taken(const char *body)
{
    struct arena arena;
    struct device_input input;
    arena_init(&arena);
    struct record_faults *faults = ARENA_NEW(&arena, struct record_faults);
    record_faults_init(faults, &arena);
    enum err err = record_decode(&device_input_record, str_of(body), true, &arena, &input, faults);
    arena_done(&arena);
    return err == ERR_OK;
}

/* {"name": <length times `letter`>, "numbers": [<count numbers>]} */
static bool is_taken_with(const char *letter, int length, int count)
{
    AUTO_BUF body = {0};
    buf_init(&body, 4096);
    buf_text(&body, "{\"name\":\"");
    for (int i = 0; i < length; i++)
        buf_text(&body, letter);
    buf_text(&body, "\",\"numbers\":[");
    for (int i = 0; i < count; i++)
        buf_printf(&body, "%s\"+7916000%04d\"", i > 0 ? "," : "", i);
    buf_text(&body, "]}");
    buf_char(&body, '\0');
    return is_taken(body.data);
}

static void a_phone_has_a_name_and_one_to_eight_numbers(struct store *store)
{
    (void)store;
    static const struct {
        const char *letter;
        int length, count;
        bool is_taken;
    } rows[] = {
        {"x", 1, 1, true},   {"x", 0, 1, false},   {"x", 100, 1, true}, {"x", 101, 1, false},
        {"Ж", 100, 1, true}, {"Ж", 101, 1, false}, {"😀", 100, 1, true}, {"x", 1, 0, false},
        {"x", 1, 8, true},   {"x", 1, 9, false},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_int_equal(is_taken_with(rows[i].letter, rows[i].length, rows[i].count),
                         rows[i].is_taken);
    assert_false(is_taken("{\"name\":\"x\",\"numbers\":[\"+79160000001\",\"+79160000001\"]}"));
    assert_false(is_taken("{\"name\":\"x\",\"numbers\":[\"89160000001\"]}"));
    assert_false(is_taken("{\"name\":\"x\",\"numbers\":[\"+79160000001\"],\"extra\":1}"));
    assert_false(is_taken("{\"name\":\"x\"}"));
    assert_false(is_taken("{\"numbers\":[\"+79160000001\"]}"));
}

/* --- Keys --- */

struct authenticating {
    const char *key;
    struct device phone;
};

static enum err run_authenticate(struct work *work, void *arg)
{
    struct authenticating *step = arg;
    return fleet_authenticate(work, str_of(step->key), &step->phone);
}

static enum err authenticate(struct world *world, const char *key, struct device *ret_phone)
{
    struct authenticating step = {.key = key};
    enum err err = world_read(world, run_authenticate, &step);
    if (ret_phone) *ret_phone = step.phone;
    return err;
}

struct rotating {
    struct uuid id;
    struct rotated_key key;
};

static enum err run_rotate(struct work *work, void *arg)
{
    struct rotating *step = arg;
    return fleet_rotate_key(work, &step->id, &step->key);
}

static void a_key_opens_until_it_is_rotated(struct store *store)
{
    static const char *const numbers[] = {A};
    struct registering made = {.numbers = numbers, .count = 1};
    struct device phone;
    AUTO_WORLD world;
    world_open(&world, store);
    assert_ok(world_run(&world, run_register, &made));
    const char *key = made.credentials.device_key;
    assert_ok(authenticate(&world, key, &phone));
    assert_uuid_equal(phone.id, made.credentials.device_id);
    assert_true(phone.enabled);

    struct rotating step = {.id = phone.id};
    assert_ok(world_run(&world, run_rotate, &step));
    assert_uuid_equal(step.key.device_id, phone.id);
    assert_string_not_equal(step.key.device_key, key);
    assert_err(authenticate(&world, key, NULL), ERR_UNAUTHORIZED);
    assert_ok(authenticate(&world, step.key.device_key, NULL));
    assert_ok(world_set_enabled(&world, &phone.id, false));
    assert_ok(authenticate(&world, step.key.device_key, &phone));
    assert_false(phone.enabled);
}

static void wrong_keys_open_nothing(struct store *store)
{
    static const char *const numbers[] = {A};
    struct registering made = {.numbers = numbers, .count = 1};
    AUTO_WORLD world;
    world_open(&world, store);
    assert_ok(world_run(&world, run_register, &made));
    char *key = arena_text(&store->arena, made.credentials.device_key);
    assert_err(authenticate(&world, "", NULL), ERR_UNAUTHORIZED);
    assert_err(authenticate(&world, key + 1, NULL), ERR_UNAUTHORIZED);
    assert_err(authenticate(&world, arena_printf(&store->arena, "%s ", key), NULL),
               ERR_UNAUTHORIZED);
    key[10] = key[10] == 'a' ? 'b' : 'a';
    assert_err(authenticate(&world, key, NULL), ERR_UNAUTHORIZED);
    struct rotating unknown = {.id = uuid_new(WORLD_START_MS)};
    assert_err(world_run(&world, run_rotate, &unknown), ERR_NOT_FOUND);
    assert_err(world_set_enabled(&world, &unknown.id, true), ERR_NOT_FOUND);
}

/* --- Lists --- */

struct listing {
    struct fleet_query query;
    struct device_list list;
};

static enum err run_list(struct work *work, void *arg)
{
    struct listing *step = arg;
    step->query.ready = step->query.enabled = -1;
    return fleet_list(work, &step->query, &step->list);
}

static void lists_page_in_order_of_registration(struct store *store)
{
    enum { PHONES = 5 };
    static const char *const numbers[PHONES] = {C, A, B, "+79160000005", "+79160000004"};
    static const int limits[] = {FLEET_WHOLE, 1, 2, 4, 5, 6};
    AUTO_WORLD world;
    world_open(&world, store);
    struct uuid ids[PHONES];
    for (int i = 0; i < PHONES; i++)
        ids[i] = world_phone(&world, numbers[i]).id;
    for (size_t i = 0; i < COUNT_OF(limits); i++) {
        struct listing step = {.query.limit = limits[i]};
        size_t seen = 0;
        do {
            step.list = (struct device_list){0};
            assert_ok(world_read(&world, run_list, &step));
            const struct device *phones = step.list.devices.items;
            assert_true(step.list.devices.count <= (size_t)limits[i]);
            for (size_t k = 0; k < step.list.devices.count; k++)
                assert_uuid_equal(phones[k].id, ids[seen + k]);
            seen += step.list.devices.count;
            step.query.cursor = step.list.next_cursor;
        } while (step.list.next_cursor);
        assert_int_equal(seen, PHONES);
    }
}

/* --- Choosing --- */

static const struct number_choice any = {0};
static const struct number_choice any_ready = {.must_be_ready = true};

static void assert_chosen(struct world *world, const struct number_choice *choice,
                          const char *expected)
{
    const char *number = NULL;
    world->now_ms++;
    assert_ok(world_choose(world, choice, &number));
    assert_string_equal(number, expected);
}

/* A challenge of a new caller. */
static struct call_challenge start(struct world *world, const char *gateway_number)
{
    static int callers;
    struct call_challenge call;
    struct uuid active;
    world->now_ms++;
    const char *caller = arena_printf(world->arena, "+7917%07d", ++callers);
    assert_ok(world_call(world, caller, gateway_number, &call, &active));
    return call;
}

static void the_longest_unused_serves_next(struct store *store)
{
    static const char *const numbers[] = {A, B, C};
    AUTO_WORLD world;
    world_open(&world, store);
    world_phone_of(&world, numbers, 3);
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < 3; i++)
            assert_chosen(&world, &any, numbers[i]);
    assert_ok(world_choose(&world, &(struct number_choice){.wanted = A}, &(const char *){0}));
    assert_chosen(&world, &any, B);
}

static void the_fewest_active_challenges_win(struct store *store)
{
    static const char *const numbers[] = {A, B, C};
    AUTO_WORLD world;
    world_open(&world, store);
    world_phone_of(&world, numbers, 3);
    start(&world, A);
    start(&world, A);
    start(&world, B);
    struct call_challenge third = start(&world, C);
    struct call_challenge fourth = start(&world, C);
    assert_string_equal(start(&world, NULL).gateway_number, B); /* A 2, B 1, C 2 */
    assert_ok(world_cancel_call(&world, &third.id));
    assert_string_equal(start(&world, NULL).gateway_number, C); /* A 2, B 2, C 1 */
    assert_ok(world_cancel_call(&world, &fourth.id));
    assert_string_equal(start(&world, NULL).gateway_number, C); /* A 2, B 2, C 1 */
}

static void challenges_spread_evenly(struct store *store)
{
    static const char *const numbers[] = {A, B, C};
    AUTO_WORLD world;
    world_open(&world, store);
    struct device phone = world_phone_of(&world, numbers, 3);
    for (int i = 0; i < 12; i++)
        assert_string_equal(start(&world, NULL).gateway_number, numbers[i % 3]);
    phone = world_read_phone(&world, &phone.id);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(((struct device_number *)phone.numbers.items)[i].active_challenges, 4);
    world.now_ms += INBOUND_CALL_TTL_MAX_S * SECOND_MS;
    phone = world_read_phone(&world, &phone.id);
    assert_int_equal(((struct device_number *)phone.numbers.items)[0].active_challenges, 0);
}

/* By the clock, not by a sweeper: from the millisecond after their end on they do not count. */
static void expired_challenges_do_not_count(struct store *store)
{
    enum { MANY = 40 };
    static const char *const numbers[] = {A, B};
    AUTO_WORLD world;
    world_open(&world, store);
    world_phone_of(&world, numbers, 2);
    for (int i = 0; i < MANY; i++)
        start(&world, A);
    world.now_ms += INBOUND_CALL_TTL_DEFAULT_S * SECOND_MS;
    start(&world, B);
    assert_string_equal(start(&world, NULL).gateway_number, A); /* A 0, B 1 */
}

/* A number that was chosen while all were busy was used then, not when it was last idle. */
static void a_number_chosen_while_busy_counts_as_used(struct store *store)
{
    static const char *const numbers[] = {A, B};
    AUTO_WORLD world;
    world_open(&world, store);
    world_phone_of(&world, numbers, 2);
    struct call_challenge first = start(&world, NULL), second = start(&world, NULL);
    struct call_challenge third = start(&world, NULL);
    assert_string_equal(first.gateway_number, A);
    assert_string_equal(second.gateway_number, B);
    assert_string_equal(third.gateway_number, A);
    assert_ok(world_cancel_call(&world, &first.id));
    assert_ok(world_cancel_call(&world, &second.id));
    assert_ok(world_cancel_call(&world, &third.id));
    assert_chosen(&world, &any, B); /* A was used last */
}

static void a_disabled_phone_is_not_chosen(struct store *store)
{
    const char *number;
    AUTO_WORLD world;
    world_open(&world, store);
    assert_err(world_choose(&world, &any, &number), ERR_NO_ENABLED_NUMBER);
    struct device first = world_phone(&world, A), second = world_phone(&world, B);
    assert_ok(world_set_enabled(&world, &first.id, false));
    assert_chosen(&world, &any, B);
    assert_chosen(&world, &any, B);
    struct number_choice wanted = {.wanted = A};
    assert_err(world_choose(&world, &wanted, &number), ERR_NUMBER_NOT_FOUND);
    assert_ok(world_set_enabled(&world, &second.id, false));
    assert_err(world_choose(&world, &any, &number), ERR_NO_ENABLED_NUMBER);
    assert_ok(world_set_enabled(&world, &first.id, true));
    assert_chosen(&world, &any, A);
    wanted.wanted = C;
    assert_err(world_choose(&world, &wanted, &number), ERR_NUMBER_NOT_FOUND);
}

static void a_sim_is_ready_for_sixty_seconds(struct store *store)
{
    const char *number;
    AUTO_WORLD world;
    world_open(&world, store);
    struct device phone = world_phone(&world, A);
    struct number_choice wanted = {.wanted = A, .must_be_ready = true};
    assert_err(world_choose(&world, &any_ready, &number), ERR_NO_READY_SIM);
    assert_err(world_choose(&world, &wanted, &number), ERR_SIM_NOT_READY);
    world_set_ready(&world, &phone, A, true);

    world.now_ms = WORLD_START_MS + 59999;
    const struct device_number *shown = world_read_phone(&world, &phone.id).numbers.items;
    assert_true(shown->sim_ready);
    assert_true(shown->sim_ready_until == WORLD_START_MS + 60000);
    assert_ok(world_choose(&world, &any_ready, &number));
    assert_ok(world_choose(&world, &wanted, &number));

    world.now_ms = WORLD_START_MS + 60000;
    shown = world_read_phone(&world, &phone.id).numbers.items;
    assert_false(shown->sim_ready);
    assert_err(world_choose(&world, &any_ready, &number), ERR_NO_READY_SIM);
    assert_err(world_choose(&world, &wanted, &number), ERR_SIM_NOT_READY);
    assert_chosen(&world, &any, A); /* a call needs no ready SIM */
}

static void an_avoided_number_serves_if_there_is_no_other(struct store *store)
{
    struct number_choice choice = {.avoided = A, .must_be_ready = true};
    AUTO_WORLD world;
    world_open(&world, store);
    struct device first = world_phone(&world, A), second = world_phone(&world, B);
    world_set_ready(&world, &first, A, true);
    assert_chosen(&world, &choice, A);
    world_set_ready(&world, &second, B, true);
    assert_chosen(&world, &choice, B);
    start(&world, B); /* busier than A, but not avoided */
    assert_chosen(&world, &choice, B);
}

/* --- The clock of a phone --- */

struct learning {
    const struct device *phone;
    int64_t told_ms, lag_ms;
};

static enum err run_learn(struct work *work, void *arg)
{
    struct learning *step = arg;
    return fleet_learn_clock(work, step->phone, step->told_ms, &step->lag_ms);
}

/* A report tells this while `known_ms` is known since `age_ms`; `stored_ms` is known behind it. */
static void a_clock_is_no_further_behind_than_it_was(struct store *store)
{
    enum { SLACK = DEVICE_CLOCK_SLACK_MS, MAX = DEVICE_CLOCK_LAG_MAX_MS, HOUR = 3600 * 1000 };
    enum { DAY = 24 * HOUR, NEVER = -1 };
    static const struct {
        int64_t known_ms, age_ms, told_ms, lag_ms, stored_ms;
        bool is_stored_now;
    } rows[] = {
        {0, NEVER, 300000, 300000, 300000, true},
        {0, NEVER, MAX, MAX, MAX, true},
        {0, NEVER, MAX + 1, 0, 0, false},
        {0, NEVER, -MAX, -MAX, -MAX, true},
        {0, NEVER, -MAX - 1, 0, 0, false},
        /* a report that has waited, or is on its way for some seconds */
        {0, HOUR, SLACK + 1, 0, 0, false},
        {0, HOUR, 300000, 0, 0, false},
        {MAX, HOUR, MAX + 300000, MAX, MAX, false},
        {-300000, HOUR, -200000, -300000, -300000, false},
        {-300000, HOUR, SLACK + 1, -300000, -300000, false},
        {300000, HOUR, 308000, 300000, 300000, false},
        /* a clock that goes on as it did, and one that was set forward */
        {300000, HOUR - 1, 301000, 300000, 300000, false},
        {300000, HOUR, 301000, 300000, 301000, true},
        {300000, HOUR, 301001, 300000, 300000, false},
        {300000, HOUR - 1, 299000, 299000, 300000, false},
        {300000, 0, 298999, 298999, 298999, true},
        /* one that was set right, and one that was right before */
        {-300000, 0, SLACK, SLACK, SLACK, true},
        {-300000, 0, -SLACK, -SLACK, -SLACK, true},
        {0, 0, SLACK, SLACK, 0, false},
        /* one that was set back is believed a day later */
        {0, DAY - 1, 300000, 0, 0, false},
        {0, DAY, 300000, 300000, 300000, true},
    };
    AUTO_WORLD world;
    world_open(&world, store);
    struct device phone = world_phone(&world, A);
    for (size_t i = 0; i < COUNT_OF(rows); i++, world.now_ms++) {
        int64_t seen_at = world.now_ms - rows[i].age_ms;
        phone.clock_lag_ms = rows[i].known_ms;
        phone.clock_lag_at = rows[i].age_ms == NEVER ? 0 : seen_at;
        struct learning step = {.phone = &phone, .told_ms = rows[i].told_ms};
        assert_ok(world_run(&world, run_learn, &step));
        struct device stored = world_read_phone(&world, &phone.id);
        bool is_stored = stored.clock_lag_at == world.now_ms;
        int64_t stored_ms = is_stored ? stored.clock_lag_ms : rows[i].known_ms;
        if (step.lag_ms != rows[i].lag_ms || is_stored != rows[i].is_stored_now ||
            stored_ms != rows[i].stored_ms)
            fail_msg("row %zu: %lld, stored %d: %lld", i, (long long)step.lag_ms, is_stored,
                     (long long)stored_ms);
    }
}

int main(void)
{
    static const struct store_case cases[] = {
        {"a phone is as it was registered", a_phone_is_as_it_was_registered},
        {"a number belongs to one phone", a_number_belongs_to_one_phone},
        {"eight at once make one phone", eight_at_once_make_one_phone},
        {"a phone has a name and one to eight numbers", a_phone_has_a_name_and_one_to_eight_numbers,
         STORE_SQLITE},
        {"a key opens until it is rotated", a_key_opens_until_it_is_rotated},
        {"wrong keys open nothing", wrong_keys_open_nothing},
        {"lists page in order of registration", lists_page_in_order_of_registration},
        {"the longest unused serves next", the_longest_unused_serves_next},
        {"the fewest active challenges win", the_fewest_active_challenges_win},
        {"challenges spread evenly", challenges_spread_evenly},
        {"expired challenges do not count", expired_challenges_do_not_count},
        {"a number chosen while busy counts as used", a_number_chosen_while_busy_counts_as_used},
        {"a disabled phone is not chosen", a_disabled_phone_is_not_chosen},
        {"a SIM is ready for sixty seconds", a_sim_is_ready_for_sixty_seconds},
        {"an avoided number serves if there is no other",
         an_avoided_number_serves_if_there_is_no_other},
        {"a clock is no further behind than it was", a_clock_is_no_further_behind_than_it_was},
    };
    return store_run_cases("fleet", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
