/* domain/call_report: calls as other applications report them (contract, section 15.3). */
#include "app/setup/migrations.h"
#include "domain/call_report/call_report.h"
#include "inbound_call_scene.h"

/* --- Times --- */

static void times_of_templates_are_read(struct store *store)
{
    static const struct {
        const char *text;
        int64_t ms; /* 0: it is none */
    } rows[] = {
        {"1795235580", 1795235580000},
        {"1795235580123", 1795235580123},
        {"1", 1000},
        {"99999999999", 99999999999000},
        {"100000000000", 100000000000},
        {"253402300799999", 253402300799999},
        {"253402300800000", 0},
        {"9223372036854775807", 0},
        {"9223372036854775808", 0},
        {"2026-11-21T04:33:00.123456789Z", 1795235580123},
        {"2026-11-21T07:33:00.123+03:00", 1795235580123},
        {"0", 0},
        {"-1795235580", 0},
        {"1795235580.123", 0},
        {" 1795235580", 0},
        {"2026-11-21", 0},
        {"now", 0},
        {"", 0},
    };
    (void)store;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        int64_t ms = 0;
        bool is_time = call_report_read_time(str_of(rows[i].text), &ms);
        if (is_time != (rows[i].ms != 0) || ms != rows[i].ms)
            fail_msg("%s: %lld", rows[i].text, (long long)ms);
    }
}

/* --- Reports --- */

struct taking {
    struct scene *scene;
    const struct call_report *report;
};

static enum err run_take(struct work *work, void *arg)
{
    struct taking *taking = arg;

    return call_report_apply(work, &taking->scene->phone, taking->report, &taking->scene->result);
}

static enum err take(struct scene *scene, const char *kind, const char *caller, const char *time)
{
    const struct call_report report = {
        .kind = kind, .gateway_number = GATEWAY, .caller = caller, .occurred_at = {time}};
    struct taking taking = {scene, &report};
    return world_run(scene->world, run_take, &taking);
}

static const char *now_text(struct scene *scene)
{
    return arena_printf(scene->world->arena, "%lld", (long long)scene->world->now_ms);
}

static void a_report_of_a_call_confirms_once(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    world_open(&world, store);
    begin(&scene, &world);
    assert_ok(start(&scene, CALLER, GATEWAY));
    const char *now = now_text(&scene);
    assert_ok(take(&scene, "Incoming Call", CALLER, now));
    assert_int_equal(scene.result.result, EVENT_CONFIRMED);
    assert_null(scene.result.why);
    assert_ok(take(&scene, "call", CALLER, now));
    assert_true(scene.result.duplicate);
    assert_state(&scene, INBOUND_CALL_CONFIRMED);
}

static void what_is_no_call_is_not_kept(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    world_open(&world, store);
    begin(&scene, &world);
    assert_ok(start(&scene, CALLER, GATEWAY));
    assert_ok(take(&scene, "Incoming SMS", CALLER, now_text(&scene)));
    assert_int_equal(scene.result.result, EVENT_NO_CHALLENGE);
    assert_non_null(scene.result.why);
    assert_state(&scene, INBOUND_CALL_PENDING);
    assert_int_equal(store_number(store, "SELECT count(*) AS n FROM call_event"), 0);
}

/* The id of an event is kept longer than the caller may be. */
static void the_caller_is_not_in_the_id(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    world_open(&world, store);
    begin(&scene, &world);
    assert_ok(take(&scene, "call", CALLER, now_text(&scene)));
    assert_null(strstr(scene.result.event_id, "9161234567"));
    const char *first = arena_text(world.arena, scene.result.event_id);
    assert_ok(take(&scene, "call", "+79161234568", now_text(&scene)));
    assert_string_not_equal(scene.result.event_id, first);
}

int main(void)
{
    static const struct store_case cases[] = {
        {"times of templates are read", times_of_templates_are_read, STORE_SQLITE},
        {"a report of a call confirms once", a_report_of_a_call_confirms_once},
        {"what is no call is not kept", what_is_no_call_is_not_kept},
        {"the caller is not in the id", the_caller_is_not_in_the_id},
    };
    return store_run_cases("call_report", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
