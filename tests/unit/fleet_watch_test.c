/* domain/fleet/fleet_watch: who is silent is told once, on the edge (contract, section 11). */
#include "app/setup/migrations.h"
#include "fleet_account_scene.h"

enum { SILENT_MS = 180 * SECOND_MS, GRACE_MS = 10 * SECOND_MS, POLL_MS = 5 * SECOND_MS };

/* --- The worker ------------------------------------------------------------------------------- */

struct looking {
    int max;
    int64_t looked;
};

static enum err run_look(struct work *work, void *arg)
{
    struct looking *step = arg;
    return fleet_watch_sweep(work, step->max, &step->looked);
}

/* Returns how many entries with this message the last transaction noted. */
static int said(const struct world *world, const char *message)
{
    int count = 0;
    for (const struct work_note *note = world->said; note; note = note->next)
        count += strncmp(note->message, message, strlen(message)) == 0;
    return count;
}

/* The worker looks each second until `until_ms`; returns how often it told this. */
static int look_until(struct world *world, int64_t until_ms, const char *message)
{
    int count = 0;
    while (world->now_ms < until_ms) {
        struct looking step = {.max = 3};
        world->now_ms += SECOND_MS;
        do {
            assert_ok(world_run(world, run_look, &step));
            count += said(world, message);
        } while (step.looked == step.max);
    }
    return count;
}

/* The worker has looked for a while. */
static void begin(struct world *world, struct store *store)
{
    world_open(world, store);
    look_until(world, WORLD_START_MS + GRACE_MS, "");
}

/* --- SIMs ------------------------------------------------------------------------------------- */

static void a_silent_sim_is_told_once_and_when_it_is_back(struct store *store)
{
    AUTO_WORLD world;
    begin(&world, store);
    struct device phone = world_phone(&world, A);
    assert_int_equal(look_until(&world, world.now_ms + 2 * SILENT_MS, "SIM"), 0); /* never heard */
    world_set_ready(&world, &phone, A, true);
    int64_t heard_at = world.now_ms;
    assert_int_equal(look_until(&world, heard_at + SILENT_MS - SECOND_MS, "SIM"), 0);
    assert_int_equal(look_until(&world, heard_at + SILENT_MS, "SIM silent"), 1);
    assert_int_equal(look_until(&world, world.now_ms + 3 * SILENT_MS, "SIM"), 0);
    for (int i = 0; i < 2; i++) {
        world.said = NULL;
        assert_ok(world_claim_of(&world, &phone,
                                 &(struct sms_claim_input){.gateway_number = A, .sim_ready = true},
                                 &(struct claimed_task *){NULL}));
        assert_int_equal(said(&world, "SIM back"), i == 0);
        world.now_ms += SECOND_MS;
    }
    heard_at = world.now_ms - SECOND_MS;
    world_flush(&world);
    assert_int_equal(look_until(&world, heard_at + SILENT_MS - SECOND_MS, "SIM"), 0);
    assert_int_equal(look_until(&world, heard_at + SILENT_MS + SECOND_MS, "SIM silent"), 1);
}

static void a_sim_that_dozes_or_polls_is_not_told(struct store *store)
{
    AUTO_WORLD world;
    begin(&world, store);
    struct device phone = world_phone(&world, A);
    for (int i = 0; i < 5; i++) {
        world_set_ready(&world, &phone, A, true);
        assert_int_equal(look_until(&world, world.now_ms + 2 * MINUTE_MS, "SIM"), 0);
    }
    for (int i = 0; i < 2 * SILENT_MS / POLL_MS; i++) {
        world_set_ready(&world, &phone, A, true);
        assert_int_equal(look_until(&world, world.now_ms + POLL_MS, "SIM"), 0);
    }
}

static void a_sim_that_is_not_ready_is_heard_with_its_phone(struct store *store)
{
    AUTO_WORLD world;
    begin(&world, store);
    struct device phone = world_phone(&world, A);
    for (int i = 0; i < 2 * SILENT_MS / POLL_MS; i++) {
        world_set_ready(&world, &phone, A, false);
        assert_int_equal(look_until(&world, world.now_ms + POLL_MS, "SIM"), 0);
    }
    assert_int_equal(look_until(&world, world.now_ms + SILENT_MS, "SIM silent"), 1);
}

static void a_disabled_phone_is_not_silent(struct store *store)
{
    AUTO_WORLD world;
    begin(&world, store);
    struct device phone = world_phone(&world, A);
    world_set_ready(&world, &phone, A, true);
    assert_ok(world_set_enabled(&world, &phone.id, false));
    assert_int_equal(look_until(&world, world.now_ms + 3 * SILENT_MS, "SIM"), 0);
    assert_ok(world_set_enabled(&world, &phone.id, true));
    assert_int_equal(look_until(&world, world.now_ms + SILENT_MS - SECOND_MS, "SIM"), 0);
    assert_int_equal(look_until(&world, world.now_ms + SECOND_MS, "SIM silent"), 1);
}

static void a_thousand_at_once_have_an_entry_each(struct store *store)
{
    enum { PHONES = 1000 };
    AUTO_WORLD world;
    begin(&world, store);
    for (int i = 0; i < PHONES; i++) {
        const char *number = arena_printf(world.arena, "+7916%07d", i);
        struct device phone = world_phone(&world, number);
        world_set_ready(&world, &phone, number, true);
    }
    assert_int_equal(look_until(&world, world.now_ms + SILENT_MS - SECOND_MS, "SIM"), 0);
    assert_int_equal(look_until(&world, world.now_ms + POLL_MS, "SIM silent"), PHONES);
    assert_int_equal(look_until(&world, world.now_ms + SILENT_MS, "SIM"), 0);
}

/* The phones could not be heard while herald or its database was away. */
static void a_gap_makes_nobody_silent(struct store *store)
{
    AUTO_WORLD world;
    begin(&world, store);
    struct device alive = world_phone(&world, A), dead = world_phone(&world, B);
    world_set_ready(&world, &alive, A, true);
    world_set_ready(&world, &dead, B, true);
    world.now_ms += HOUR_MS;
    assert_int_equal(look_until(&world, world.now_ms + POLL_MS, "SIM"), 0);
    world_set_ready(&world, &alive, A, true);
    assert_int_equal(look_until(&world, world.now_ms + GRACE_MS, "SIM silent"), 1);
}

struct crowd {
    int told[8];
};

/* Each is the worker of a process of its own, which began to look in time to tell now. */
static void look_at_once(struct world *world, int index, void *arg)
{
    struct fleet_setup fleet = *world->service.fleet;
    struct looking step = {.max = 10};
    fleet.watch = fleet_watch_new();
    world->service.fleet = &fleet;
    world->now_ms -= GRACE_MS;
    enum err err = world_run(world, run_look, &step);
    world->now_ms += GRACE_MS;
    if (!err) err = world_run(world, run_look, &step);
    if (!err) ((struct crowd *)arg)->told[index] = said(world, "SIM silent");
    fleet_watch_free(fleet.watch);
}

static void several_workers_tell_it_once(struct store *store)
{
    struct crowd crowd = {{0}};
    int told = 0;
    AUTO_WORLD world;
    begin(&world, store);
    struct device phone = world_phone(&world, A);
    world_set_ready(&world, &phone, A, true);
    assert_int_equal(look_until(&world, world.now_ms + SILENT_MS - SECOND_MS, "SIM"), 0);
    world.now_ms += SECOND_MS;
    world_crowd(&world, 8, look_at_once, &crowd);
    for (int i = 0; i < 8; i++)
        told += crowd.told[i];
    assert_int_equal(told, 1);
}

/* --- Accounts --------------------------------------------------------------------------------- */

static void an_account_that_goes_is_told_once_and_when_it_is_back(struct store *store)
{
    static const char gone[] = "messenger account gone", back[] = "messenger account back";
    AUTO_WORLD world;
    begin(&world, store);
    struct device phone = world_phone(&world, A);
    bind_one(&world, &phone, "shop-12");
    assert_ok(declare_one(&world, &phone, "shop-12", ACCOUNT_LINKED));
    assert_int_equal(said(&world, "messenger"), 0);
    assert_ok(declare_one(&world, &phone, "shop-12", ACCOUNT_CONNECTED));
    assert_int_equal(said(&world, "messenger"), 0);
    for (int i = 0; i < 2; i++) {
        world.said = NULL;
        assert_ok(declare_one(&world, &phone, "shop-12", ACCOUNT_DISCONNECTED));
        assert_int_equal(said(&world, gone), i == 0);
    }
    for (int i = 0; i < 2; i++) {
        world.said = NULL;
        assert_ok(declare_one(&world, &phone, "shop-12", ACCOUNT_CONNECTED));
        assert_int_equal(said(&world, back), i == 0);
    }
    assert_int_equal(look_until(&world, world.now_ms + SILENT_MS - SECOND_MS, "messenger"), 0);
    assert_int_equal(look_until(&world, world.now_ms + 2 * SECOND_MS, gone), 1);
    assert_int_equal(look_until(&world, world.now_ms + 2 * SILENT_MS, "messenger"), 0);
    assert_ok(declare_one(&world, &phone, "shop-12", ACCOUNT_CONNECTED));
    assert_int_equal(said(&world, back), 1);
}

int main(void)
{
    static const struct store_case cases[] = {
        {"a silent SIM is told once, and when it is back",
         a_silent_sim_is_told_once_and_when_it_is_back},
        {"a SIM that dozes or polls is not told", a_sim_that_dozes_or_polls_is_not_told},
        {"a SIM that is not ready is heard with its phone",
         a_sim_that_is_not_ready_is_heard_with_its_phone},
        {"a disabled phone is not silent", a_disabled_phone_is_not_silent},
        {"a thousand at once have an entry each", a_thousand_at_once_have_an_entry_each},
        {"a gap makes nobody silent", a_gap_makes_nobody_silent},
        {"several workers tell it once", several_workers_tell_it_once},
        {"an account that goes is told once, and when it is back",
         an_account_that_goes_is_told_once_and_when_it_is_back},
    };
    return store_run_cases("fleet_watch", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
