/* domain/inbound_call: one call confirms at most one challenge, whoever reports it (contract,
 * section 2, rule 6). */
#include "app/setup/migrations.h"
#include "domain/inbound_call/inbound_call_db.h"
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
    assert_non_null(scene.result.why);
    struct call_event again = {"again", GATEWAY, CALLER, world.now_ms, 0};
    world.now_ms += 2 * MINUTE_MS;
    assert_ok(world_report_call(&world, &scene.phone, &again, &scene.result));
    assert_int_equal(scene.result.result, EVENT_NO_CHALLENGE);
    assert_ok(ring(&scene, GATEWAY, CALLER)); /* another one */
    assert_int_equal(scene.result.result, EVENT_CONFIRMED);
}

/* The first of two challenges of one caller came to one of these. */
enum first {
    CONFIRMED,
    UNTOLD /* confirmed too, but the report had no sent_at */,
    SILENT,
    CANCELED
};

/* A call that is reported while the second challenge is alive. Times are true ones, in seconds
 * after the first challenge was created; the first call comes 10 s after it, its report at once. */
struct story {
    enum first first;
    int created, called, reported; /* the second challenge, the call, its report */
    int stale;                     /* so long before the report its sent_at was taken */
    enum event_result_word result;
};

static enum event_result_word report(struct scene *scene, const struct story *story, int lag_s,
                                     int64_t begin)
{
    struct world *world = scene->world;
    const char *caller = arena_printf(world->arena, "+7916123%04d", ++scene->events);
    struct call_event event = {
        .event_id = arena_printf(world->arena, "first-%d", scene->events),
        .gateway_number = GATEWAY,
        .caller = caller,
        .occurred_at = begin + (10 - lag_s) * SECOND_MS,
        .sent_at = story->first == UNTOLD ? 0 : begin + (10 - lag_s) * SECOND_MS,
    };

    world->now_ms = begin;
    assert_ok(start(scene, caller, GATEWAY));
    world->now_ms += 10 * SECOND_MS;
    if (story->first == CANCELED) assert_ok(world_cancel_call(world, &scene->call.id));
    if (story->first == CONFIRMED || story->first == UNTOLD) {
        assert_ok(world_report_call(world, &scene->phone, &event, &scene->result));
        assert_int_equal(scene->result.result, EVENT_CONFIRMED);
    }
    world->now_ms = begin + story->created * SECOND_MS;
    assert_ok(start(scene, caller, GATEWAY));
    world->now_ms = begin + story->reported * SECOND_MS;
    event.event_id = arena_printf(world->arena, "second-%d", scene->events);
    event.occurred_at = begin + (story->called - lag_s) * SECOND_MS;
    event.sent_at = begin + (story->reported - story->stale - lag_s) * SECOND_MS;
    assert_ok(world_report_call(world, &scene->phone, &event, &scene->result));
    return scene->result.result;
}

static void assert_stories(struct store *store, const struct story *stories, size_t count,
                           const int *lags_s, size_t lag_count)
{
    AUTO_WORLD world;
    struct scene scene;
    world_open(&world, store);
    begin(&scene, &world);
    for (size_t i = 0; i < count * lag_count; i++) {
        const struct story *story = &stories[i / lag_count];
        int64_t from = WORLD_START_MS + (int64_t)i * 24 * HOUR_MS;
        enum event_result_word result = report(&scene, story, lags_s[i % lag_count], from);
        if (result != story->result)
            fail_msg("story %zu, clock %d s behind: %s", i / lag_count, lags_s[i % lag_count],
                     event_result_words[result]);
    }
}

/* The phone stored the request and sends it again as it was, or lies: what it waited for looks like
 * a clock that is behind. */
static void a_call_grows_no_younger_while_its_report_waits(struct store *store)
{
    static const struct story stories[] = {
        /* the call that was counted, reported again as it was */
        {CONFIRMED, 80, 10, 90, 80, EVENT_NO_CHALLENGE},
        {CONFIRMED, 3000, 10, 3010, 3000, EVENT_NO_CHALLENGE},
        {UNTOLD, 80, 10, 90, 80, EVENT_NO_CHALLENGE},
        {CONFIRMED, 80, 40, 130, 90, EVENT_NO_CHALLENGE}, /* within 60 s of it */
        /* another one, behind the first and before the second challenge */
        {CONFIRMED, 180, 75, 200, 125, EVENT_LATE},
        {UNTOLD, 180, 75, 200, 125, EVENT_LATE},
        /* one that was meant for the first challenge, before and after its end */
        {SILENT, 3000, 20, 3020, 3000, EVENT_LATE},
        {SILENT, 400, 20, 420, 400, EVENT_LATE},
        {SILENT, 3000, 900, 3020, 2120, EVENT_LATE},
        {CANCELED, 100, 20, 120, 100, EVENT_LATE},
        {CANCELED, 100, 20, 399, 379, EVENT_LATE},
    };
    static const int right[] = {0};
    assert_stories(store, stories, COUNT_OF(stories), right, COUNT_OF(right));
}

static void no_clock_makes_one_call_two(struct store *store)
{
    static const struct story stories[] = {
        {CONFIRMED, 11, 10, 12, 2, EVENT_NO_CHALLENGE},
        {CONFIRMED, 80, 10, 90, 80, EVENT_NO_CHALLENGE},
        {CONFIRMED, 80, 10, 90, 0, EVENT_NO_CHALLENGE},
        {CONFIRMED, 3000, 10, 3010, 3000, EVENT_NO_CHALLENGE},
        {CONFIRMED, 7000, 10, 7010, 7000, EVENT_NO_CHALLENGE},
    };
    static const int lags_s[] = {0, 1, 70, 600, 1800, 3600, -1, -70, -290, -1800, -3600};
    assert_stories(store, stories, COUNT_OF(stories), lags_s, COUNT_OF(lags_s));
}

/* A second call counts so whatever the clock, as long as each report says what it is when it is
 * sent. */
static void a_second_call_counts_by_any_clock(struct store *store)
{
    static const struct story stories[] = {
        {CONFIRMED, 20, 71, 71, 0, EVENT_CONFIRMED},
        {CONFIRMED, 80, 100, 101, 0, EVENT_CONFIRMED},
        {CONFIRMED, 600, 610, 612, 0, EVENT_CONFIRMED},
        {CONFIRMED, 80, 100, 160, 3, EVENT_CONFIRMED},
        {CONFIRMED, 3600, 3610, 3611, 0, EVENT_CONFIRMED},
    };
    static const int lags_s[] = {0, 3, 60, 70, 600, 1800, 3597, -3, -60, -600, -3600};
    assert_stories(store, stories, COUNT_OF(stories), lags_s, COUNT_OF(lags_s));
}

/* By a clock that is some minutes behind, the call would come after the first challenge and before
 * the second, as that of a report that has waited: such a clock has to be right. */
static void a_call_counts_after_a_challenge_that_nobody_called_for(struct store *store)
{
    static const struct story stories[] = {
        {SILENT, 400, 420, 421, 0, EVENT_CONFIRMED},
        {CANCELED, 20, 40, 41, 0, EVENT_CONFIRMED},
    };
    static const int lags_s[] = {0, 3, 1800, 3597, -3, -60, -600, -3600};
    assert_stories(store, stories, COUNT_OF(stories), lags_s, COUNT_OF(lags_s));
}

/* However many came since, the call that counted is found, page by page. */
static void many_challenges_hide_no_call(struct store *store)
{
    static const struct {
        int between; /* challenges, each canceled */
        bool is_stale;
        enum event_result_word result;
    } rows[] = {
        {CALL_PAST_MAX - 2, true, EVENT_NO_CHALLENGE},
        {CALL_PAST_MAX - 1, true, EVENT_NO_CHALLENGE},
        {3 * CALL_PAST_MAX, true, EVENT_NO_CHALLENGE},
        {CALL_PAST_MAX - 1, false, EVENT_CONFIRMED},
    };
    AUTO_WORLD world;
    struct scene scene;
    world_open(&world, store);
    begin(&scene, &world);
    for (size_t i = 0; i < COUNT_OF(rows); i++, world.now_ms += HOUR_MS) {
        const char *caller = arena_printf(world.arena, "+7916123456%zu", i);
        assert_ok(start(&scene, caller, GATEWAY));
        assert_ok(ring(&scene, GATEWAY, caller));
        for (int k = 0; k < rows[i].between; k++) {
            world.now_ms += SECOND_MS;
            assert_ok(start(&scene, caller, GATEWAY));
            assert_ok(world_cancel_call(&world, &scene.call.id));
        }
        world.now_ms += 70 * SECOND_MS;
        assert_ok(start(&scene, caller, GATEWAY));
        int64_t called_at =
            world.now_ms - (rows[i].is_stale ? (rows[i].between + 70) * SECOND_MS : 0);
        struct call_event event = {arena_printf(world.arena, "many-%zu", i), GATEWAY, caller,
                                   called_at, called_at};
        assert_ok(world_report_call(&world, &scene.phone, &event, &scene.result));
        assert_string_equal(event_result_words[scene.result.result],
                            event_result_words[rows[i].result]);
    }
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
        {"a call grows no younger while its report waits",
         a_call_grows_no_younger_while_its_report_waits},
        {"no clock makes one call two", no_clock_makes_one_call_two},
        {"a second call counts by any clock", a_second_call_counts_by_any_clock},
        {"a call counts after a challenge that nobody called for",
         a_call_counts_after_a_challenge_that_nobody_called_for},
        {"many challenges hide no call", many_challenges_hide_no_call},
        {"calls of others and elsewhere are others", calls_of_others_and_elsewhere_are_others},
        {"a confirmation of an older version counts", a_confirmation_of_an_older_version_counts},
        {"a call reported at once confirms one of many",
         a_call_reported_at_once_confirms_one_of_many},
    };
    return store_run_cases("calls once", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
