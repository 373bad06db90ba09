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

/* Somebody who says again and again that it is enabled does not hide that it is silent. */
static void a_phone_that_is_enabled_already_has_no_more_time(struct store *store)
{
    AUTO_WORLD world;
    begin(&world, store);
    struct device phone = world_phone(&world, A);
    bind_one(&world, &phone, "shop-12");
    assert_ok(declare_one(&world, &phone, "shop-12", ACCOUNT_CONNECTED));
    world_set_ready(&world, &phone, A, true);
    int64_t heard_at = world.now_ms;
    while (world.now_ms < heard_at + SILENT_MS - MINUTE_MS) {
        assert_int_equal(look_until(&world, world.now_ms + MINUTE_MS, ""), 0);
        assert_ok(world_set_enabled(&world, &phone.id, true));
    }
    assert_int_equal(look_until(&world, heard_at + SILENT_MS, ""), 2);
}

static void a_thousand_at_once_have_an_entry_each(struct store *store)
{
    enum { PHONES = 1000 };
    AUTO_WORLD world;
    begin(&world, store);
    const char **numbers = arena_array(world.arena, PHONES, sizeof(*numbers));
    struct device *phones = arena_array(world.arena, PHONES, sizeof(*phones));
    for (int i = 0; i < PHONES; i++) {
        numbers[i] = arena_printf(world.arena, "+7916%07d", i);
        phones[i] = world_phone(&world, numbers[i]);
        world_set_ready(&world, &phones[i], numbers[i], true);
    }
    assert_int_equal(look_until(&world, world.now_ms + SILENT_MS - SECOND_MS, "SIM"), 0);
    assert_int_equal(look_until(&world, world.now_ms + POLL_MS, "SIM silent"), PHONES);
    assert_int_equal(look_until(&world, world.now_ms + SILENT_MS, "SIM"), 0);
    for (int i = 0; i < PHONES; i++) {
        struct sms_claim_input input = {.gateway_number = numbers[i], .sim_ready = true};
        for (int claim = 0; claim < 2; claim++) {
            assert_ok(world_claim_of(&world, &phones[i], &input, &(struct claimed_task *){NULL}));
            assert_int_equal(said(&world, "SIM back"), claim == 0);
        }
    }
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

/* --- SIMs that move --------------------------------------------------------------------------- */

#define SPARE "+79160000009" /* what the phone that gives a SIM away has instead */

static void move_sim(struct world *world, const struct device *giver, const struct device *taker)
{
    const char *const spare[] = {SPARE}, *const both[] = {B, A};
    assert_ok(world_change(world, &giver->id, spare, COUNT_OF(spare)));
    assert_ok(world_change(world, &taker->id, both, COUNT_OF(both)));
}

static int64_t silent_since(struct world *world, const struct device *phone, const char *number)
{
    struct device shown = world_read_phone(world, &phone->id);
    const struct device_number *rows = shown.numbers.items;
    size_t i = 0;

    while (i < shown.numbers.count && strcmp(rows[i].number, number) != 0)
        i++;
    assert_true(i < shown.numbers.count);
    return rows[i].silent_since;
}

/* The phone claims twice; returns how often it was told that the SIM is back. */
static int come_back(struct world *world, const struct device *phone, const char *number)
{
    int count = 0;
    for (int i = 0; i < 2; i++) {
        struct sms_claim_input input = {.gateway_number = number, .sim_ready = true};
        world->said = NULL;
        assert_ok(world_claim_of(world, phone, &input, &(struct claimed_task *){NULL}));
        count += said(world, "SIM back");
        world->now_ms += SECOND_MS;
    }
    world_flush(world);
    return count;
}

static void a_sim_that_moves_while_it_is_silent_is_back_once(struct store *store)
{
    AUTO_WORLD world;
    begin(&world, store);
    struct device broken = world_phone(&world, A), other = world_phone(&world, B);
    world_set_ready(&world, &broken, A, true);
    int64_t heard_at = world.now_ms;
    assert_int_equal(silent_since(&world, &broken, A), 0);
    assert_int_equal(look_until(&world, heard_at + SILENT_MS, "SIM silent"), 1);
    assert_true(silent_since(&world, &broken, A) == heard_at);
    move_sim(&world, &broken, &other);
    assert_true(silent_since(&world, &other, A) == heard_at);
    assert_count(store, "free_sender", 0);
    assert_int_equal(look_until(&world, world.now_ms + 2 * SILENT_MS, "SIM"), 0);
    assert_int_equal(come_back(&world, &other, A), 1);
    assert_int_equal(silent_since(&world, &other, A), 0);
    assert_int_equal(look_until(&world, world.now_ms + 2 * SILENT_MS, "SIM silent"), 1);
}

/* Its time had not come when it was moved: it is told of a phone that does nothing with it. */
static void a_sim_that_moves_and_never_claims_is_told_once(struct store *store)
{
    AUTO_WORLD world;
    begin(&world, store);
    struct device broken = world_phone(&world, A), other = world_phone(&world, B);
    world_set_ready(&world, &broken, A, true);
    int64_t moved_at = world.now_ms + SILENT_MS / 2;
    assert_int_equal(look_until(&world, moved_at, "SIM"), 0);
    move_sim(&world, &broken, &other);
    assert_int_equal(look_until(&world, moved_at + SILENT_MS - SECOND_MS, "SIM"), 0);
    assert_int_equal(look_until(&world, moved_at + SILENT_MS, "SIM silent"), 1);
    assert_int_equal(look_until(&world, world.now_ms + 2 * SILENT_MS, "SIM"), 0);
    assert_int_equal(come_back(&world, &other, A), 1);
}

/* It is not ready in its new phone because it was so in the other one. */
static void a_sim_that_moves_and_claims_is_not_told(struct store *store)
{
    AUTO_WORLD world;
    begin(&world, store);
    struct device giver = world_phone(&world, A), taker = world_phone(&world, B);
    world_set_ready(&world, &giver, A, true);
    move_sim(&world, &giver, &taker);
    struct device shown = world_read_phone(&world, &taker.id);
    assert_false(((const struct device_number *)shown.numbers.items)[1].sim_ready);
    for (int i = 0; i < 2 * SILENT_MS / POLL_MS; i++) {
        world_set_ready(&world, &taker, A, true);
        assert_int_equal(look_until(&world, world.now_ms + POLL_MS, "SIM"), 0);
    }
}

/* Its phone gets another name, and a SIM beside it that comes first. */
static void a_silent_sim_of_a_phone_that_is_changed_is_told_once(struct store *store)
{
    const char *const two[] = {C, A};
    AUTO_WORLD world;
    begin(&world, store);
    struct device phone = world_phone(&world, A);
    world_set_ready(&world, &phone, A, true);
    assert_int_equal(look_until(&world, world.now_ms + SILENT_MS / 2, "SIM"), 0);
    assert_ok(world_change(&world, &phone.id, two, COUNT_OF(two)));
    assert_int_equal(look_until(&world, world.now_ms + SILENT_MS / 2, "SIM silent"), 1);
    assert_ok(world_change(&world, &phone.id, two + 1, 1));
    assert_int_equal(look_until(&world, world.now_ms + 2 * SILENT_MS, "SIM"), 0);
    assert_int_equal(come_back(&world, &phone, A), 1);
}

/* A phone with no other SIM is removed, and its number registered with a new one. */
static void a_silent_sim_of_a_phone_that_is_removed_is_back_once(struct store *store)
{
    AUTO_WORLD world;
    begin(&world, store);
    struct device broken = world_phone(&world, A), bystander = world_phone(&world, C);
    world_set_ready(&world, &broken, A, true);
    assert_int_equal(look_until(&world, world.now_ms + SILENT_MS, "SIM silent"), 1);
    assert_ok(world_remove(&world, &broken.id));
    assert_ok(world_remove(&world, &bystander.id));
    assert_count(store, "free_sender", 1); /* of one that never claimed nothing is known */
    world.now_ms += HOUR_MS;
    struct device next = world_phone(&world, A);
    assert_int_equal(come_back(&world, &next, A), 1);
}

static enum err run_forget(struct work *work, void *arg)
{
    return fleet_sweep_free(work, 1, arg);
}

static void what_is_nobody_s_for_long_is_forgotten(struct store *store)
{
    int64_t forgotten = 0;
    AUTO_WORLD world;
    begin(&world, store);
    struct device broken = world_phone(&world, A);
    world_set_ready(&world, &broken, A, true);
    assert_int_equal(look_until(&world, world.now_ms + SILENT_MS, "SIM silent"), 1);
    assert_ok(world_remove(&world, &broken.id));
    world.now_ms += FLEET_FREE_KEPT_MS;
    assert_ok(world_run(&world, run_forget, &forgotten));
    assert_int_equal(forgotten, 0);
    world.now_ms += 1;
    assert_ok(world_run(&world, run_forget, &forgotten));
    assert_int_equal(forgotten, 1);
    struct device next = world_phone(&world, A);
    assert_int_equal(come_back(&world, &next, A), 0);
}

struct moving {
    const struct device *broken;
    int backs;
};

/* The phone that was given up claims once more, at the moment at which its SIM is taken from it. */
static void claim_or_move(struct world *world, int index, void *arg)
{
    struct moving *moving = arg;
    struct sms_claim_input input = {.gateway_number = A, .sim_ready = true};
    const char *const spare[] = {SPARE};
    enum err err;

    if (index > 0) {
        err = world_change(world, &moving->broken->id, spare, COUNT_OF(spare));
        assert(!err);
        return;
    }
    err = world_claim_of(world, moving->broken, &input, &(struct claimed_task *){NULL});
    assert(!err || err == ERR_NUMBER_NOT_OWNED);
    moving->backs += said(world, "SIM back");
}

static void a_claim_and_a_move_at_once_tell_it_once(struct store *store)
{
    enum { ROUNDS = 20 };
    const char *const own[] = {A}, *const both[] = {B, A};
    AUTO_WORLD world;
    begin(&world, store);
    struct device broken = world_phone(&world, SPARE), other = world_phone(&world, B);
    for (int i = 0; i < ROUNDS; i++) {
        struct moving moving = {.broken = &broken};
        assert_ok(world_change(&world, &other.id, both, 1));
        assert_ok(world_change(&world, &broken.id, own, COUNT_OF(own)));
        world_set_ready(&world, &broken, A, true);
        assert_int_equal(look_until(&world, world.now_ms + SILENT_MS, "SIM silent"), 1);
        world_crowd(&world, 2, claim_or_move, &moving);
        assert_ok(world_change(&world, &other.id, both, COUNT_OF(both)));
        assert_int_equal(moving.backs + come_back(&world, &other, A), 1);
    }
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

/* The worker looks at it again just after its phone was enabled, which has not declared it yet. */
static void an_account_of_a_disabled_phone_is_not_gone(struct store *store)
{
    static const char gone[] = "messenger account gone";
    AUTO_WORLD world;
    begin(&world, store);
    struct device phone = world_phone(&world, A);
    bind_one(&world, &phone, "shop-12");
    assert_ok(declare_one(&world, &phone, "shop-12", ACCOUNT_CONNECTED));
    assert_ok(world_set_enabled(&world, &phone.id, false));
    assert_int_equal(look_until(&world, world.now_ms + 3 * SILENT_MS - SECOND_MS, "messenger"), 0);
    assert_ok(world_set_enabled(&world, &phone.id, true));
    assert_int_equal(look_until(&world, world.now_ms + SILENT_MS - SECOND_MS, "messenger"), 0);
    assert_int_equal(look_until(&world, world.now_ms + SECOND_MS, gone), 1);
}

/* Its phone declares it as often as a declaration holds, and not as often as a SIM claims. */
static void a_gap_makes_no_account_gone(struct store *store)
{
    static const char gone[] = "messenger account gone";
    AUTO_WORLD world;
    begin(&world, store);
    struct device alive = world_phone(&world, A), dead = world_phone(&world, B);
    bind_one(&world, &alive, "shop-12");
    bind_one(&world, &dead, "shop-13");
    assert_ok(declare_one(&world, &alive, "shop-12", ACCOUNT_CONNECTED));
    assert_ok(declare_one(&world, &dead, "shop-13", ACCOUNT_CONNECTED));
    world.now_ms += HOUR_MS;
    assert_int_equal(look_until(&world, world.now_ms + ACCOUNT_VALID_MS, "messenger"), 0);
    assert_ok(declare_one(&world, &alive, "shop-12", ACCOUNT_CONNECTED));
    assert_int_equal(look_until(&world, world.now_ms + POLL_MS, gone), 1);
}

static int64_t gone_since(struct world *world, const struct device *phone)
{
    struct device shown = world_read_phone(world, &phone->id);
    assert_int_equal(shown.accounts.count, 1);
    return ((const struct device_account *)shown.accounts.items)->gone_since;
}

static void an_account_that_moves_is_told_once(struct store *store)
{
    static const char gone[] = "messenger account gone", back[] = "messenger account back";
    AUTO_WORLD world;
    begin(&world, store);
    struct device broken = world_phone(&world, A), other = world_phone(&world, B);
    bind_one(&world, &broken, "shop-12");
    assert_ok(declare_one(&world, &broken, "shop-12", ACCOUNT_CONNECTED));
    int64_t heard_at = world.now_ms;
    assert_int_equal(gone_since(&world, &broken), 0);
    assert_int_equal(look_until(&world, heard_at + SILENT_MS, gone), 1);
    assert_true(gone_since(&world, &broken) == heard_at);
    bind_none(&world, &broken);
    bind_one(&world, &other, "shop-12");
    assert_true(gone_since(&world, &other) == heard_at);
    assert_int_equal(look_until(&world, world.now_ms + 2 * SILENT_MS, "messenger"), 0);
    world.said = NULL;
    assert_ok(declare_one(&world, &other, "shop-12", ACCOUNT_CONNECTED));
    assert_int_equal(said(&world, back), 1);
    assert_int_equal(gone_since(&world, &other), 0);

    bind_none(&world, &other); /* and back before its time: nobody declares it any more */
    bind_one(&world, &broken, "shop-12");
    int64_t moved_at = world.now_ms;
    assert_int_equal(look_until(&world, moved_at + SILENT_MS - SECOND_MS, "messenger"), 0);
    assert_int_equal(look_until(&world, moved_at + SILENT_MS, gone), 1);
    assert_int_equal(look_until(&world, world.now_ms + 2 * SILENT_MS, "messenger"), 0);
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
        {"a phone that is enabled already has no more time",
         a_phone_that_is_enabled_already_has_no_more_time},
        {"a thousand at once have an entry each", a_thousand_at_once_have_an_entry_each},
        {"a gap makes nobody silent", a_gap_makes_nobody_silent},
        {"several workers tell it once", several_workers_tell_it_once},
        {"a SIM that moves while it is silent is back once",
         a_sim_that_moves_while_it_is_silent_is_back_once},
        {"a SIM that moves and never claims is told once",
         a_sim_that_moves_and_never_claims_is_told_once},
        {"a SIM that moves and claims is not told", a_sim_that_moves_and_claims_is_not_told},
        {"a silent SIM of a phone that is changed is told once",
         a_silent_sim_of_a_phone_that_is_changed_is_told_once},
        {"a silent SIM of a phone that is removed is back once",
         a_silent_sim_of_a_phone_that_is_removed_is_back_once},
        STORE_CASE(what_is_nobody_s_for_long_is_forgotten),
        {"a claim and a move at once tell it once", a_claim_and_a_move_at_once_tell_it_once},
        STORE_CASE(an_account_that_moves_is_told_once),
        {"a gap makes no account gone", a_gap_makes_no_account_gone},
        {"an account of a disabled phone is not gone", an_account_of_a_disabled_phone_is_not_gone},
        {"an account that goes is told once, and when it is back",
         an_account_that_goes_is_told_once_and_when_it_is_back},
    };
    return store_run_cases("fleet_watch", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
