/* domain/inbound_call: confirmation by an inbound call (contract, section 2, rules 1, 6, 10
 * and 11). */
#include "app/setup/migrations.h"
#include "inbound_call_scene.h"

/* --- Creating --- */

static void a_challenge_is_as_it_was_asked_for(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    struct call_challenge read;
    world_open(&world, store);
    begin(&scene, &world);
    assert_ok(start(&scene, CALLER, SECOND));
    assert_ok(world_read_call(&world, &scene.call.id, &read));
    assert_uuid_equal(read.id, scene.call.id);
    assert_string_equal(read.caller, CALLER);
    assert_string_equal(read.gateway_number, SECOND);
    assert_int_equal(read.state, INBOUND_CALL_PENDING);
    assert_true(read.created_at == WORLD_START_MS);
    assert_true(read.expires_at == WORLD_START_MS + 300 * SECOND_MS);
    assert_int_equal(read.confirmed_at, 0);
}

static void refusals_come_in_the_order_of_the_contract(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene = {.world = &world};
    world_open(&world, store);
    assert_err(start(&scene, CALLER, NULL), ERR_NO_ENABLED_NUMBER);
    assert_err(start(&scene, CALLER, FOREIGN), ERR_NUMBER_NOT_FOUND);
    begin(&scene, &world);
    assert_err(start(&scene, CALLER, FOREIGN), ERR_NUMBER_NOT_FOUND);
    assert_ok(start(&scene, CALLER, NULL));
    assert_ok(world_set_enabled(&world, &scene.phone.id, false));
    /* The active challenge is told before the channel. */
    assert_err(start(&scene, CALLER, NULL), ERR_ACTIVE_CHALLENGE_EXISTS);
    assert_err(start(&scene, CALLER, FOREIGN), ERR_ACTIVE_CHALLENGE_EXISTS);
    assert_err(start(&scene, "+79161234568", NULL), ERR_NO_ENABLED_NUMBER);
    assert_err(start(&scene, "+79161234568", GATEWAY), ERR_NUMBER_NOT_FOUND);
    assert_int_equal(store_number(store, "SELECT count(*) AS n FROM call_challenge"), 1);
    assert_int_equal(store_number(store, "SELECT count(*) AS n FROM active_challenge"), 1);
}

static void an_unknown_challenge_is_not_found(struct store *store)
{
    AUTO_WORLD world;
    struct call_challenge call;
    struct uuid id = uuid_new(WORLD_START_MS);
    world_open(&world, store);
    assert_err(world_read_call(&world, &id, &call), ERR_NOT_FOUND);
    assert_err(world_cancel_call(&world, &id), ERR_NOT_FOUND);
}

/* --- Ends --- */

static void a_challenge_expires_at_the_millisecond(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    world_open(&world, store);
    begin(&scene, &world);
    assert_ok(start(&scene, CALLER, GATEWAY));
    world.now_ms = scene.call.expires_at;
    assert_state(&scene, INBOUND_CALL_PENDING);
    world.now_ms++;
    assert_state(&scene, INBOUND_CALL_EXPIRED);
}

static void canceling_can_be_repeated(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    world_open(&world, store);
    begin(&scene, &world);
    assert_ok(start(&scene, CALLER, GATEWAY));
    assert_ok(world_cancel_call(&world, &scene.call.id));
    assert_state(&scene, INBOUND_CALL_CANCELED);
    assert_ok(world_cancel_call(&world, &scene.call.id));
    world.now_ms = scene.call.expires_at + 1;
    assert_state(&scene, INBOUND_CALL_CANCELED);
    assert_ok(start(&scene, CALLER, GATEWAY));
    world.now_ms = scene.call.expires_at + 1;
    assert_ok(world_cancel_call(&world, &scene.call.id));
    assert_state(&scene, INBOUND_CALL_EXPIRED);
}

static void a_confirmed_challenge_cannot_be_canceled(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    struct call_challenge read;
    world_open(&world, store);
    begin(&scene, &world);
    assert_ok(start(&scene, CALLER, GATEWAY));
    world.now_ms += 5000;
    assert_ok(ring(&scene, GATEWAY, CALLER));
    assert_err(world_cancel_call(&world, &scene.call.id), ERR_ALREADY_CONFIRMED);
    world.now_ms = scene.call.expires_at + 1;
    assert_state(&scene, INBOUND_CALL_CONFIRMED);
    assert_ok(world_read_call(&world, &scene.call.id, &read));
    assert_true(read.confirmed_at == WORLD_START_MS + 5000);
}

/* --- Events --- */

/* Rule 6: both what happened and its report lie within the challenge's life. */
static void an_event_counts_within_the_life_of_its_challenge(struct store *store)
{
    enum { LIFE = INBOUND_CALL_TTL_DEFAULT_S * SECOND_MS, DAY = 24 * HOUR_MS };
    static const struct {
        int64_t happened, arrived; /* after the creation */
        enum event_result_word result;
    } rows[] = {
        {0, 0, EVENT_CONFIRMED},           {1, 1, EVENT_CONFIRMED},
        {-5000, 0, EVENT_CONFIRMED},       {-5001, 0, EVENT_LATE},
        {-DAY, 1000, EVENT_LATE},          {1000, LIFE, EVENT_CONFIRMED},
        {1000, LIFE + 1, EVENT_LATE},      {LIFE, LIFE, EVENT_CONFIRMED},
        {LIFE + 1, LIFE, EVENT_LATE},      {LIFE + 1, LIFE + 1, EVENT_LATE},
        {DAY, LIFE, EVENT_LATE},           {1000, DAY, EVENT_LATE},
        {INT64_MIN / 4, 1000, EVENT_LATE}, {INT64_MAX / 4, 1000, EVENT_LATE},
    };
    AUTO_WORLD world;
    struct scene scene;
    world_open(&world, store);
    begin(&scene, &world);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char id[16], caller[PHONE_MAX + 1];
        snprintf(id, sizeof id, "row-%zu", i);
        snprintf(caller, sizeof caller, "+7916000%04zu", i);
        world.now_ms = WORLD_START_MS + (int64_t)i * 2 * DAY;
        assert_ok(start(&scene, caller, GATEWAY));
        struct call_event event = {id, GATEWAY, caller, scene.call.created_at + rows[i].happened};
        world.now_ms += rows[i].arrived;
        assert_ok(world_report_call(&world, &scene.phone, &event, &scene.result));
        assert_string_equal(event_result_words[scene.result.result],
                            event_result_words[rows[i].result]);
        assert_uuid_equal(scene.result.challenge_id, scene.call.id);
        assert_false(scene.result.duplicate);
    }
}

static void callers_are_read_in_the_shapes_of_phones(struct store *store)
{
    static const struct {
        const char *caller; /* as the phone reports it */
        enum event_result_word result;
    } rows[] = {
        {"+79161234567", EVENT_CONFIRMED},
        {"89161234567", EVENT_CONFIRMED},
        {"79161234567", EVENT_CONFIRMED},
        {NULL, EVENT_NO_CHALLENGE},
        {"", EVENT_NO_CHALLENGE},
        {"9161234567", EVENT_NO_CHALLENGE},
        {"+89161234567", EVENT_NO_CHALLENGE},
        {"+791612345678", EVENT_NO_CHALLENGE},
        {"Unknown", EVENT_NO_CHALLENGE},
        {"+79161234568", EVENT_NO_CHALLENGE},
        {"900", EVENT_NO_CHALLENGE},
    };
    AUTO_WORLD world;
    struct scene scene;
    world_open(&world, store);
    begin(&scene, &world);
    for (size_t i = 0; i < COUNT_OF(rows); i++, world.now_ms += CALL_APART_MS + 1) {
        assert_ok(start(&scene, CALLER, GATEWAY));
        assert_ok(ring(&scene, GATEWAY, rows[i].caller));
        assert_string_equal(event_result_words[scene.result.result],
                            event_result_words[rows[i].result]);
        bool is_found = rows[i].result == EVENT_CONFIRMED;
        assert_int_equal(uuid_is_nil(&scene.result.challenge_id), !is_found);
        assert_state(&scene, is_found ? INBOUND_CALL_CONFIRMED : INBOUND_CALL_PENDING);
        if (!is_found) assert_ok(world_cancel_call(&world, &scene.call.id));
    }
}

static void a_call_to_another_number_confirms_nothing(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    world_open(&world, store);
    begin(&scene, &world);
    assert_ok(start(&scene, CALLER, GATEWAY));
    assert_ok(ring(&scene, SECOND, CALLER));
    assert_int_equal(scene.result.result, EVENT_NO_CHALLENGE);
    assert_state(&scene, INBOUND_CALL_PENDING);
}

static void a_second_call_finds_no_challenge(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    world_open(&world, store);
    begin(&scene, &world);
    assert_ok(start(&scene, CALLER, GATEWAY));
    assert_ok(ring(&scene, GATEWAY, CALLER));
    assert_int_equal(scene.result.result, EVENT_CONFIRMED);
    assert_ok(ring(&scene, GATEWAY, CALLER));
    assert_int_equal(scene.result.result, EVENT_NO_CHALLENGE);
    assert_true(uuid_is_nil(&scene.result.challenge_id));
}

/* The offset of the phone's clock, up to an hour, is taken out where it is told. */
static void a_clock_that_is_off_is_understood(struct store *store)
{
    static const struct {
        int64_t offset;
        bool is_told;
        enum event_result_word result;
    } rows[] = {
        {0, true, EVENT_CONFIRMED},       {HOUR_MS, true, EVENT_CONFIRMED},
        {HOUR_MS, false, EVENT_LATE},     {-HOUR_MS, true, EVENT_CONFIRMED},
        {-HOUR_MS, false, EVENT_LATE},    {HOUR_MS + 1, true, EVENT_LATE},
        {-HOUR_MS - 1, true, EVENT_LATE},
    };
    AUTO_WORLD world;
    struct scene scene;
    world_open(&world, store);
    begin(&scene, &world);
    for (size_t i = 0; i < COUNT_OF(rows); i++, world.now_ms += SECOND_MS) {
        const char *caller = arena_printf(world.arena, "+7916123456%zu", i);
        assert_ok(start(&scene, caller, GATEWAY));
        world.now_ms += 10 * SECOND_MS;
        int64_t clock = world.now_ms + rows[i].offset;
        struct call_event event = {arena_printf(world.arena, "e-%zu", i), GATEWAY, caller,
                                   clock - 3 * SECOND_MS, rows[i].is_told ? clock : 0};
        assert_ok(world_report_call(&world, &scene.phone, &event, &scene.result));
        assert_string_equal(event_result_words[scene.result.result],
                            event_result_words[rows[i].result]);
    }
}

static void a_late_event_leaves_the_challenge_to_a_good_one(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    world_open(&world, store);
    begin(&scene, &world);
    assert_ok(start(&scene, CALLER, GATEWAY));
    struct call_event early = {"early", GATEWAY, CALLER, WORLD_START_MS - 60000};
    assert_ok(world_report_call(&world, &scene.phone, &early, &scene.result));
    assert_int_equal(scene.result.result, EVENT_LATE);
    assert_state(&scene, INBOUND_CALL_PENDING);
    assert_ok(ring(&scene, GATEWAY, CALLER));
    assert_int_equal(scene.result.result, EVENT_CONFIRMED);
}

/* Canceled and created again within a millisecond: the one that is pending is meant. */
static void a_new_challenge_of_the_same_millisecond_is_confirmed(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    world_open(&world, store);
    begin(&scene, &world);
    for (int i = 0; i < 5; i++) {
        assert_ok(start(&scene, CALLER, GATEWAY));
        assert_ok(world_cancel_call(&world, &scene.call.id));
    }
    assert_ok(start(&scene, CALLER, GATEWAY));
    assert_ok(ring(&scene, GATEWAY, CALLER));
    assert_int_equal(scene.result.result, EVENT_CONFIRMED);
    assert_uuid_equal(scene.result.challenge_id, scene.call.id);
}

/* --- Repeats and refusals --- */

static void a_repeat_gets_the_first_result_whatever_the_body(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    world_open(&world, store);
    begin(&scene, &world);
    assert_ok(start(&scene, CALLER, GATEWAY));
    struct call_event first = {"e-1", GATEWAY, CALLER, WORLD_START_MS};
    const struct call_event repeats[] = {
        first,
        {"e-1", SECOND, NULL, 0},
        {"e-1", FOREIGN, "+79160009999", WORLD_START_MS + HOUR_MS},
    };
    assert_ok(world_report_call(&world, &scene.phone, &first, &scene.result));
    assert_false(scene.result.duplicate);
    for (size_t i = 0; i < COUNT_OF(repeats); i++) {
        struct event_result result = {0};
        world.now_ms += HOUR_MS;
        assert_ok(world_report_call(&world, &scene.phone, &repeats[i], &result));
        assert_true(result.duplicate);
        assert_int_equal(result.result, EVENT_CONFIRMED);
        assert_string_equal(result.event_id, "e-1");
        assert_uuid_equal(result.challenge_id, scene.call.id);
    }
    assert_int_equal(store_number(store, "SELECT count(*) AS n FROM call_event"), 1);
}

static void a_repeat_of_no_challenge_stays_without_one(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    world_open(&world, store);
    begin(&scene, &world);
    struct call_event event = {"e-1", GATEWAY, CALLER, WORLD_START_MS};
    assert_ok(world_report_call(&world, &scene.phone, &event, &scene.result));
    assert_int_equal(scene.result.result, EVENT_NO_CHALLENGE);
    assert_ok(start(&scene, CALLER, GATEWAY));
    assert_ok(world_report_call(&world, &scene.phone, &event, &scene.result));
    assert_true(scene.result.duplicate);
    assert_int_equal(scene.result.result, EVENT_NO_CHALLENGE);
    assert_state(&scene, INBOUND_CALL_PENDING);
}

static void phones_number_their_events_by_themselves(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    world_open(&world, store);
    begin(&scene, &world);
    struct device other = world_phone(&world, FOREIGN);
    struct call_event event = {"e-1", GATEWAY, CALLER, WORLD_START_MS};
    assert_ok(world_report_call(&world, &scene.phone, &event, &scene.result));
    event.gateway_number = FOREIGN;
    assert_ok(world_report_call(&world, &other, &event, &scene.result));
    assert_false(scene.result.duplicate);
}

static void an_event_for_a_foreign_number_is_refused(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    world_open(&world, store);
    begin(&scene, &world);
    world_phone(&world, FOREIGN);
    assert_ok(start(&scene, CALLER, FOREIGN));
    assert_err(ring(&scene, FOREIGN, CALLER), ERR_NUMBER_NOT_OWNED);
    assert_err(ring(&scene, "+79169999999", CALLER), ERR_NUMBER_NOT_OWNED);
    assert_state(&scene, INBOUND_CALL_PENDING);
    assert_int_equal(store_number(store, "SELECT count(*) AS n FROM call_event"), 0);
}

static void an_event_of_a_disabled_phone_is_refused(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    world_open(&world, store);
    begin(&scene, &world);
    assert_ok(start(&scene, CALLER, GATEWAY));
    scene.phone.enabled = false;
    assert_err(ring(&scene, GATEWAY, CALLER), ERR_DEVICE_DISABLED);
    assert_state(&scene, INBOUND_CALL_PENDING);
}

/* --- At the same moment --- */

enum { CROWD = 16 };

struct crowd {
    const struct device *phone;
    bool is_one_event; /* the same report over and over; else distinct ones */
    enum err errs[CROWD];
    struct event_result results[CROWD];
    char ids[CROWD][16];
};

static void ring_at_once(struct world *world, int index, void *arg)
{
    struct crowd *crowd = arg;
    if (crowd->is_one_event)
        strcpy(crowd->ids[index], "the one");
    else
        snprintf(crowd->ids[index], sizeof crowd->ids[index], "e-%d", index);
    struct call_event event = {crowd->ids[index], GATEWAY, CALLER, world->now_ms};
    crowd->errs[index] = world_report_call(world, crowd->phone, &event, &crowd->results[index]);
}

static int count_firsts(const struct crowd *crowd)
{
    int firsts = 0;
    for (int i = 0; i < CROWD; i++) {
        assert_ok(crowd->errs[i]);
        firsts += !crowd->results[i].duplicate;
    }
    return firsts;
}

static void one_event_reported_at_once_is_applied_once(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    world_open(&world, store);
    begin(&scene, &world);
    struct crowd crowd = {.phone = &scene.phone, .is_one_event = true};
    assert_ok(start(&scene, CALLER, GATEWAY));
    world_crowd(&world, CROWD, ring_at_once, &crowd);
    assert_int_equal(count_firsts(&crowd), 1);
    for (int i = 0; i < CROWD; i++) {
        assert_int_equal(crowd.results[i].result, EVENT_CONFIRMED);
        assert_uuid_equal(crowd.results[i].challenge_id, scene.call.id);
    }
}

static void several_events_at_once_confirm_once(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    int confirmed = 0;
    world_open(&world, store);
    begin(&scene, &world);
    struct crowd crowd = {.phone = &scene.phone};
    assert_ok(start(&scene, CALLER, GATEWAY));
    world_crowd(&world, CROWD, ring_at_once, &crowd);
    assert_int_equal(count_firsts(&crowd), CROWD);
    for (int i = 0; i < CROWD; i++)
        confirmed += crowd.results[i].result == EVENT_CONFIRMED;
    assert_int_equal(confirmed, 1);
    assert_state(&scene, INBOUND_CALL_CONFIRMED);
}

/* --- Input --- */

struct input_row {
    const char *body;
    bool is_taken;
};

static void assert_taken(const struct record *record, const struct input_row *rows, size_t count,
                         bool is_strict)
{
    for (size_t i = 0; i < count; i++) {
        struct arena arena;
        arena_init(&arena);
        struct record_faults *faults = ARENA_NEW(&arena, struct record_faults);
        record_faults_init(faults, &arena);
        void *value = arena_alloc(&arena, record->size);
        enum err err =
            record_decode(record, str_of(rows[i].body), is_strict, &arena, value, faults);
        if ((err == ERR_OK) != rows[i].is_taken) fail_msg("%s", rows[i].body);
        arena_done(&arena);
    }
}

static void a_challenge_has_its_limits(struct store *store)
{
    (void)store;
#define BEGIN "{\"caller\":\"+79161234567\""
    static const struct input_row rows[] = {
        {BEGIN "}", true},
        {BEGIN ",\"ttl_seconds\":29}", false},
        {BEGIN ",\"ttl_seconds\":30}", true},
        {BEGIN ",\"ttl_seconds\":900}", true},
        {BEGIN ",\"ttl_seconds\":901}", false},
        {BEGIN ",\"gateway_number\":\"+79160000001\"}", true},
        {BEGIN ",\"gateway_number\":\"1\"}", false},
        {BEGIN ",\"extra\":1}", false},
        {"{\"caller\":\"89161234567\"}", false},
        {"{}", false},
    };
#undef BEGIN
    assert_taken(&create_challenge_record, rows, COUNT_OF(rows), true);
}

static void an_event_has_its_limits(struct store *store)
{
    (void)store;
    char longest[EVENT_ID_MAX + 2];
    memset(longest, 'x', sizeof longest);
    longest[EVENT_ID_MAX + 1] = '\0';
    struct arena arena;
    arena_init(&arena);
#define REST ",\"gateway_number\":\"+79160000001\",\"occurred_at\":\"2026-11-21T04:33:20Z\""
    const struct input_row rows[] = {
        {"{\"event_id\":\"e\"" REST ",\"caller\":null}", true},
        {"{\"event_id\":\"e\"" REST ",\"caller\":\"89161234567\"}", true},
        {"{\"event_id\":\"e\"" REST ",\"caller\":null,\"sim_slot\":1}", true}, /* a newer client */
        {"{\"event_id\":\"e\"" REST "}", true},
        {"{\"event_id\":\"e\"" REST ",\"caller\":\"\"}", true},
        {"{\"event_id\":\"e\"" REST ",\"caller\":\"no number\"}", true},
        {"{\"event_id\":\"e\"" REST ",\"caller\":79161234567}", true},
        {"{\"event_id\":\"e\"" REST ",\"caller\":{\"a\":[1,{\"b\":2}]}}", true},
        {"{\"event_id\":\"e\"" REST ",\"caller\":[\"+79161234567\"]}", true},
        {"{\"event_id\":\"e\"" REST ",\"caller\":{\"a\":1,\"a\":2}}", false}, /* no JSON of ours */
        {"{\"event_id\":\"e\"" REST ",\"sent_at\":\"2026-11-21T04:33:21Z\"}", true},
        {"{\"event_id\":\"e\"" REST ",\"sent_at\":null}", true},
        {"{\"event_id\":\"e\"" REST ",\"sent_at\":\"now\"}", false},
        {"{\"event_id\":\"\"" REST ",\"caller\":null}", false},
        {arena_printf(&arena, "{\"event_id\":\"%.128s\"%s,\"caller\":null}", longest, REST), true},
        {arena_printf(&arena, "{\"event_id\":\"%.129s\"%s,\"caller\":null}", longest, REST), false},
        {"{\"event_id\":\"e\",\"gateway_number\":\"+79160000001\",\"caller\":null}", false},
        {"{\"event_id\":\"e\",\"gateway_number\":\"+79160000001\",\"caller\":null,"
         "\"occurred_at\":\"2026-11-21T04:33:20\"}",
         false},
    };
#undef REST
    assert_taken(&call_event_record, rows, COUNT_OF(rows), false);
    arena_done(&arena);
}

/* --- Sweeping --- */

static enum err run_sweep(struct work *work, void *arg)
{
    return inbound_call_sweep(work, 2, arg);
}

static void the_sweep_takes_the_oldest_events(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    world_open(&world, store);
    begin(&scene, &world);
    for (int i = 0; i < 4; i++, world.now_ms++)
        assert_ok(ring(&scene, GATEWAY, CALLER));
    int64_t swept;
    world.now_ms = WORLD_START_MS + 3 + INBOUND_CALL_EVENT_KEPT_MS;
    assert_ok(world_run(&world, run_sweep, &swept));
    assert_int_equal(swept, 2);
    assert_int_equal(store_number(store, "SELECT min(arrived_at) AS n FROM call_event"),
                     WORLD_START_MS + 2);
    assert_ok(world_run(&world, run_sweep, &swept));
    assert_int_equal(swept, 1);
    assert_int_equal(store_number(store, "SELECT min(arrived_at) AS n FROM call_event"),
                     WORLD_START_MS + 3);
}

int main(void)
{
    static const struct store_case cases[] = {
        {"a challenge is as it was asked for", a_challenge_is_as_it_was_asked_for},
        {"refusals come in the order of the contract", refusals_come_in_the_order_of_the_contract},
        {"an unknown challenge is not found", an_unknown_challenge_is_not_found},
        {"a challenge expires at the millisecond", a_challenge_expires_at_the_millisecond},
        {"canceling can be repeated", canceling_can_be_repeated},
        {"a confirmed challenge cannot be canceled", a_confirmed_challenge_cannot_be_canceled},
        {"an event counts within the life of its challenge",
         an_event_counts_within_the_life_of_its_challenge},
        {"callers are read in the shapes of phones", callers_are_read_in_the_shapes_of_phones},
        {"a call to another number confirms nothing", a_call_to_another_number_confirms_nothing},
        {"a second call finds no challenge", a_second_call_finds_no_challenge},
        {"a clock that is off is understood", a_clock_that_is_off_is_understood},
        {"a late event leaves the challenge to a good one",
         a_late_event_leaves_the_challenge_to_a_good_one},
        {"a new challenge of the same millisecond is confirmed",
         a_new_challenge_of_the_same_millisecond_is_confirmed},
        {"a repeat gets the first result whatever the body",
         a_repeat_gets_the_first_result_whatever_the_body},
        {"a repeat of no challenge stays without one", a_repeat_of_no_challenge_stays_without_one},
        {"phones number their events by themselves", phones_number_their_events_by_themselves},
        {"an event for a foreign number is refused", an_event_for_a_foreign_number_is_refused},
        {"an event of a disabled phone is refused", an_event_of_a_disabled_phone_is_refused},
        {"one event reported at once is applied once", one_event_reported_at_once_is_applied_once},
        {"several events at once confirm once", several_events_at_once_confirm_once},
        {"a challenge has its limits", a_challenge_has_its_limits, STORE_SQLITE},
        {"an event has its limits", an_event_has_its_limits, STORE_SQLITE},
        {"the sweep takes the oldest events", the_sweep_takes_the_oldest_events},
    };
    return store_run_cases("call", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
