/* domain/inbound_call: one call confirms at most one challenge, whoever reports it (contract,
 * section 9.19). */
#include "app/setup/migrations.h"
#include "inbound_call_scene.h"

/* The first challenge is confirmed by a call; then another one of the same caller is created, and
 * a call reported that came `apart` ms after the first. */
static enum event_result_word ring_again(struct scene *scene, const char *caller, int64_t apart)
{
    struct world *world = scene->world;
    int64_t called_at = world->now_ms;
    struct call_event event = {"again", GATEWAY, caller, called_at + apart, 0};
    assert_ok(start(scene, caller, GATEWAY));
    assert_ok(ring(scene, GATEWAY, caller));
    assert_int_equal(scene->result.result, EVENT_CONFIRMED);
    if (apart > 4 * SECOND_MS) world->now_ms += apart - 4 * SECOND_MS;
    assert_ok(start(scene, caller, GATEWAY));
    world->now_ms += 4 * SECOND_MS;
    event.event_id = arena_printf(world->arena, "again-%d", ++scene->events);
    assert_ok(world_report_call(world, &scene->phone, &event, &scene->result));
    return scene->result.result;
}

static void one_call_confirms_one_challenge(struct store *store)
{
    static const struct {
        int64_t apart;
        enum event_result_word result;
    } rows[] = {
        {0, EVENT_NO_CHALLENGE},
        {-4 * SECOND_MS, EVENT_NO_CHALLENGE},
        {30 * SECOND_MS, EVENT_NO_CHALLENGE},
        {CALL_APART_MS, EVENT_NO_CHALLENGE},
        {CALL_APART_MS + 1, EVENT_CONFIRMED},
        {5 * MINUTE_MS, EVENT_CONFIRMED},
    };
    AUTO_WORLD world;
    struct scene scene;
    world_open(&world, store);
    begin(&scene, &world);
    for (size_t i = 0; i < COUNT_OF(rows); i++, world.now_ms += HOUR_MS) {
        const char *caller = arena_printf(world.arena, "+7916123456%zu", i);
        assert_string_equal(event_result_words[ring_again(&scene, caller, rows[i].apart)],
                            event_result_words[rows[i].result]);
        assert_state(&scene, rows[i].result == EVENT_CONFIRMED ? INBOUND_CALL_CONFIRMED
                                                               : INBOUND_CALL_PENDING);
    }
}

/* Nor does it help that the second report comes much later, that one between was canceled, or that
 * the phone says that the call is yet to come. */
static void a_call_is_spent_however_it_is_reported(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    world_open(&world, store);
    begin(&scene, &world);
    assert_ok(start(&scene, CALLER, GATEWAY));
    assert_ok(ring(&scene, GATEWAY, CALLER));
    assert_ok(start(&scene, CALLER, GATEWAY));
    assert_ok(world_cancel_call(&world, &scene.call.id));
    world.now_ms += SECOND_MS;
    assert_ok(start(&scene, CALLER, GATEWAY));
    struct call_event ahead = {"ahead", GATEWAY, CALLER, world.now_ms + 2 * MINUTE_MS, 0};
    assert_ok(world_report_call(&world, &scene.phone, &ahead, &scene.result));
    assert_int_equal(scene.result.result, EVENT_NO_CHALLENGE);
    assert_true(scene.result.is_spent);
    struct call_event again = {"again", GATEWAY, CALLER, world.now_ms, 0};
    world.now_ms += 2 * MINUTE_MS;
    assert_ok(world_report_call(&world, &scene.phone, &again, &scene.result));
    assert_int_equal(scene.result.result, EVENT_NO_CHALLENGE);
    assert_ok(ring(&scene, GATEWAY, CALLER)); /* another one */
    assert_int_equal(scene.result.result, EVENT_CONFIRMED);
}

static void calls_of_others_and_elsewhere_are_others(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    world_open(&world, store);
    begin(&scene, &world);
    assert_ok(start(&scene, CALLER, GATEWAY));
    assert_ok(ring(&scene, GATEWAY, CALLER));
    assert_ok(start(&scene, CALLER, SECOND));
    assert_ok(ring(&scene, SECOND, CALLER));
    assert_int_equal(scene.result.result, EVENT_CONFIRMED);
    assert_ok(start(&scene, "+79161234568", GATEWAY));
    assert_ok(ring(&scene, GATEWAY, "+79161234568"));
    assert_int_equal(scene.result.result, EVENT_CONFIRMED);
}

static enum err run_forget_call(struct work *work, void *arg)
{
    (void)arg;
    return db_exec(work->tx, "UPDATE call_challenge SET called_at = NULL", DB_NO_ARGS, NULL);
}

/* 0.5.0, which may run beside, does not keep when the call came. */
static void a_confirmation_of_an_older_version_counts(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    world_open(&world, store);
    begin(&scene, &world);
    assert_ok(start(&scene, CALLER, GATEWAY));
    assert_ok(ring(&scene, GATEWAY, CALLER));
    assert_ok(world_run(&world, run_forget_call, NULL));
    assert_ok(start(&scene, CALLER, GATEWAY));
    assert_ok(ring(&scene, GATEWAY, CALLER));
    assert_int_equal(scene.result.result, EVENT_NO_CHALLENGE);
}

struct renewing {
    struct device phone;
    _Atomic int confirmed;
};

/* One call reported over and over, while each challenge that ends is followed by another one. */
static void ring_and_renew(struct world *world, int index, void *arg)
{
    struct renewing *step = arg;
    for (int round = 0; round < 8; round++) {
        struct call_challenge call;
        struct uuid active;
        struct event_result result;
        struct call_event event = {
            .event_id = arena_printf(world->arena, "renew-%d-%d", index, round),
            .gateway_number = GATEWAY,
            .caller = CALLER,
            .occurred_at = WORLD_START_MS,
        };
        (void)world_call(world, CALLER, GATEWAY, &call, &active);
        if (world_report_call(world, &step->phone, &event, &result)) continue;
        step->confirmed += result.result == EVENT_CONFIRMED;
    }
}

static void a_call_reported_at_once_confirms_one_of_many(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    world_open(&world, store);
    begin(&scene, &world);
    struct renewing step = {.phone = scene.phone};
    world_crowd(&world, 8, ring_and_renew, &step);
    assert_int_equal(step.confirmed, 1);
    assert_int_equal(store_number(store, "SELECT count(*) AS n FROM call_challenge"
                                         " WHERE state = 'confirmed'"),
                     1);
}

int main(void)
{
    static const struct store_case cases[] = {
        {"one call confirms one challenge", one_call_confirms_one_challenge},
        {"a call is spent however it is reported", a_call_is_spent_however_it_is_reported},
        {"calls of others and elsewhere are others", calls_of_others_and_elsewhere_are_others},
        {"a confirmation of an older version counts", a_confirmation_of_an_older_version_counts},
        {"a call reported at once confirms one of many",
         a_call_reported_at_once_confirms_one_of_many},
    };
    return store_run_cases("calls once", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
