/* domain/challenge: one active challenge per number, calls and codes together (contract, section 2,
 * rule 2). */
#include "app/setup/migrations.h"
#include "world.h"

#define CUSTOMER "+79161234567"
#define OTHER    "+79161234568"
#define GATEWAY  "+79160000001"

struct scene {
    struct world *world;
    struct device phone;
    struct call_challenge call;
    struct otp otp;
    struct otp_refusal refusal;
    struct uuid active;
};

static void begin(struct scene *scene, struct world *world)
{
    *scene = (struct scene){.world = world, .phone = world_phone(world, GATEWAY)};
    world_set_ready(world, &scene->phone, GATEWAY, true);
}

static enum err start_call(struct scene *scene, const char *number)
{
    return world_call(scene->world, number, NULL, &scene->call, &scene->active);
}

static enum err start_otp(struct scene *scene, const char *number)
{
    enum err err = world_otp(scene->world, number, &scene->otp, &scene->refusal);
    scene->active = scene->refusal.active;
    return err;
}

/* --- Which stand in each other's way --- */

static void the_second_is_told_of_the_first(struct store *store)
{
    static const struct {
        enum err (*first)(struct scene *, const char *);
        enum err (*second)(struct scene *, const char *);
    } rows[] = {{start_call, start_call},
                {start_call, start_otp},
                {start_otp, start_call},
                {start_otp, start_otp}};
    static const char *const numbers[] = {"+79161000001", "+79161000002", "+79161000003",
                                          "+79161000004"};
    AUTO_WORLD world;
    struct scene scene;
    world_open(&world, store);
    begin(&scene, &world);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_ok(rows[i].first(&scene, numbers[i]));
        struct uuid first = rows[i].first == start_call ? scene.call.id : scene.otp.id;
        assert_err(rows[i].second(&scene, numbers[i]), ERR_ACTIVE_CHALLENGE_EXISTS);
        assert_uuid_equal(scene.active, first);
    }
    assert_int_equal(store_number(store, "SELECT count(*) AS n FROM call_challenge"), 2);
    assert_int_equal(store_number(store, "SELECT count(*) AS n FROM otp"), 2);
}

static void numbers_do_not_hinder_each_other(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    world_open(&world, store);
    begin(&scene, &world);
    assert_ok(start_call(&scene, CUSTOMER));
    assert_ok(start_otp(&scene, OTHER));
}

/* --- How one ends --- */

static void end_by_confirmed_call(struct scene *scene)
{
    struct call_event event = {"e", GATEWAY, CUSTOMER, scene->world->now_ms};
    struct event_result result;
    assert_ok(start_call(scene, CUSTOMER));
    assert_ok(world_report_call(scene->world, &scene->phone, &event, &result));
    assert_int_equal(result.result, EVENT_CONFIRMED);
}

static void end_by_canceled_call(struct scene *scene)
{
    assert_ok(start_call(scene, CUSTOMER));
    assert_ok(world_cancel_call(scene->world, &scene->call.id));
}

static void end_by_confirmed_otp(struct scene *scene)
{
    assert_ok(start_otp(scene, CUSTOMER));
    const char *code = world_code(scene->world, &scene->otp.id);
    assert_ok(world_verify(scene->world, &scene->otp.id, code, &scene->otp, &scene->refusal));
}

static void end_by_canceled_otp(struct scene *scene)
{
    assert_ok(start_otp(scene, CUSTOMER));
    assert_ok(world_cancel_otp(scene->world, &scene->otp.id));
}

static void end_by_exhausted_otp(struct scene *scene)
{
    assert_ok(start_otp(scene, CUSTOMER));
    struct uuid id = scene->otp.id;
    const char *wrong = world_wrong_code(scene->world, &id);
    for (int i = 0; i < OTP_ATTEMPTS_MAX; i++)
        assert_err(world_verify(scene->world, &id, wrong, &scene->otp, &scene->refusal),
                   ERR_CODE_MISMATCH);
}

static void end_by_undelivered_otp(struct scene *scene)
{
    struct phone_task_result failed = {.status = PHONE_TASK_STATUS_FAILED, .permanent = true};
    assert_ok(start_otp(scene, CUSTOMER));
    const struct claimed_task *job = world_claim(scene->world, &scene->phone, GATEWAY);
    assert_ok(world_report(scene->world, &scene->phone, &job->id, &failed));
    assert_int_equal(world_read_otp(scene->world, &scene->otp.id).state, OTP_UNDELIVERED);
}

static void an_end_frees_the_number(struct store *store)
{
    static void (*const ends[])(struct scene *) = {
        end_by_confirmed_call, end_by_canceled_call, end_by_confirmed_otp,
        end_by_canceled_otp,   end_by_exhausted_otp, end_by_undelivered_otp,
    };
    AUTO_WORLD world;
    struct scene scene;
    world_open(&world, store);
    begin(&scene, &world);
    for (size_t i = 0; i < COUNT_OF(ends); i++) {
        world.now_ms += OTP_RATE_WINDOW_MS; /* no rate stands in the way */
        world_set_ready(&world, &scene.phone, GATEWAY, true);
        ends[i](&scene);
        assert_int_equal(store_number(store, "SELECT count(*) AS n FROM active_challenge"), 0);
        assert_ok(start_call(&scene, CUSTOMER));
        assert_ok(world_cancel_call(&world, &scene.call.id));
    }
}

/* The clock alone ends it: at its last millisecond it is active, at the next it is not. */
static void the_clock_frees_the_number(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    world_open(&world, store);
    begin(&scene, &world);
    assert_ok(start_call(&scene, CUSTOMER));
    int64_t expires_at = scene.call.expires_at;
    assert_true(expires_at == WORLD_START_MS + INBOUND_CALL_TTL_DEFAULT_S * SECOND_MS);

    world.now_ms = expires_at;
    assert_err(start_call(&scene, CUSTOMER), ERR_ACTIVE_CHALLENGE_EXISTS);
    world.now_ms = expires_at + 1;
    world_set_ready(&world, &scene.phone, GATEWAY, true);
    assert_ok(start_otp(&scene, CUSTOMER));
    expires_at = scene.otp.expires_at;
    world.now_ms = expires_at;
    assert_err(start_call(&scene, CUSTOMER), ERR_ACTIVE_CHALLENGE_EXISTS);
    world.now_ms = expires_at + 1;
    assert_ok(start_call(&scene, CUSTOMER));
}

static void expect_late_call(struct scene *scene, const struct call_challenge *call)
{
    struct call_event event = {"late", GATEWAY, call->caller, scene->world->now_ms};
    struct event_result result;
    assert_ok(world_report_call(scene->world, &scene->phone, &event, &result));
    assert_int_equal(result.result, EVENT_LATE);
    assert_uuid_equal(result.challenge_id, call->id);
}

/* Whoever takes the place makes the former one expired at once: also those see so whose clock is
 * behind, and the sends and those who listen are told as by the sweep. */
static void the_former_is_expired_with_the_taking(struct store *store)
{
    static enum err (*const starts[])(struct scene *, const char *) = {start_call, start_otp};
    static const char *const numbers[] = {"+79161000001", "+79161000002", "+79161000003",
                                          "+79161000004"};
    AUTO_WORLD world;
    struct scene scene;
    world_open(&world, store);
    begin(&scene, &world);
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        bool is_call = i % 2 == 0;
        assert_ok(starts[i % 2](&scene, numbers[i]));
        struct call_challenge call = scene.call;
        struct otp otp = scene.otp;
        int64_t ended_at = is_call ? call.expires_at : otp.expires_at;
        world.now_ms = ended_at + 1;
        world_set_ready(&world, &scene.phone, GATEWAY, true);
        assert_ok(starts[i / 2](&scene, numbers[i]));
        world.now_ms = ended_at - 1;
        if (is_call) {
            assert_ok(world_read_call(&world, &call.id, &call));
            assert_int_equal(call.state, INBOUND_CALL_EXPIRED);
            if (starts[i / 2] == start_otp) expect_late_call(&scene, &call);
        } else {
            assert_int_equal(world_read_otp(&world, &otp.id).state, OTP_EXPIRED);
        }
        world.now_ms = ended_at + 1;
    }
    assert_int_equal(store_number(store, "SELECT count(*) AS n FROM otp WHERE state = 'expired'"),
                     2);
}

/* A challenge that ends late must not free what came after it. */
static void an_old_end_leaves_the_new_one_active(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    world_open(&world, store);
    begin(&scene, &world);
    end_by_undelivered_otp(&scene);
    struct uuid undelivered = scene.otp.id;
    const char *code = world_code(&world, &undelivered);
    assert_ok(start_call(&scene, CUSTOMER));
    assert_ok(world_verify(&world, &undelivered, code, &scene.otp, &scene.refusal));
    assert_err(start_otp(&scene, CUSTOMER), ERR_ACTIVE_CHALLENGE_EXISTS);
    assert_uuid_equal(scene.active, scene.call.id);
}

static enum err take_in_vain(struct work *work, void *arg)
{
    struct uuid id = uuid_new(work->now_ms), active;
    (void)arg;
    assert_err(challenge_take(work, CUSTOMER, &id, work->now_ms + SECOND_MS, NULL, &active),
               ERR_ACTIVE_CHALLENGE_EXISTS);
    return ERR_OK;
}

static enum err take_over(struct work *work, void *arg)
{
    struct uuid id = uuid_new(work->now_ms), active;
    (void)arg;
    return challenge_take(work, CUSTOMER, &id, work->now_ms + SECOND_MS, NULL, &active);
}

/* A fallback goes on without its number, and what was settled on the way with it. */
static void two_of_which_one_is_over(struct scene *scene)
{
    assert_ok(start_call(scene, OTHER));
    scene->world->now_ms = scene->call.expires_at;
    world_set_ready(scene->world, &scene->phone, GATEWAY, true);
    assert_ok(start_call(scene, CUSTOMER));
    scene->world->now_ms++;
}

static void what_is_over_is_settled_in_vain_too(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    world_open(&world, store);
    begin(&scene, &world);
    two_of_which_one_is_over(&scene);
    assert_count(store, "device_number WHERE active_challenges = 2", 1);
    assert_ok(world_run(&world, take_in_vain, NULL));
    assert_count(store, "device_number WHERE active_challenges = 1", 1);
    assert_count(store, "active_challenge", 1);
}

static enum err take_naming_a_number(struct work *work, void *arg)
{
    struct uuid id = uuid_new(work->now_ms), active;
    (void)arg;
    return challenge_take(work, "+79161234569", &id, work->now_ms + SECOND_MS, GATEWAY, &active);
}

/* It is going to wait for that number's row, and so must hold those of no others. */
static void whoever_names_a_number_settles_no_others(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    world_open(&world, store);
    begin(&scene, &world);
    two_of_which_one_is_over(&scene);
    assert_ok(world_run(&world, take_naming_a_number, NULL));
    assert_count(store, "active_challenge", 3);
    assert_count(store, "device_number WHERE active_challenges = 2", 1);
}

/* One that takes over a number without a gateway number of its own gives that of the former one
 * back. */
static void the_former_gateway_number_is_given_back(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    world_open(&world, store);
    begin(&scene, &world);
    assert_ok(start_call(&scene, CUSTOMER));
    world.now_ms = scene.call.expires_at + 1;
    assert_ok(world_run(&world, take_over, NULL));
    assert_count(store, "device_number WHERE active_challenges = 0", 1);
    assert_count(store, "active_challenge WHERE gateway_number IS NULL", 1);
}

/* --- Sweeping --- */

static enum err run_sweep(struct work *work, void *arg)
{
    int64_t *swept = arg;
    return challenge_sweep(work, 2, swept);
}

static void the_sweep_takes_what_is_over_and_no_more_than_asked(struct store *store)
{
    static const char *const numbers[] = {"+79161000001", "+79161000002", "+79161000003"};
    AUTO_WORLD world;
    struct scene scene;
    int64_t swept = -1;
    world_open(&world, store);
    begin(&scene, &world);
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        assert_ok(start_call(&scene, numbers[i]));
    world.now_ms = scene.call.expires_at;
    assert_ok(world_run(&world, run_sweep, &swept));
    assert_int_equal(swept, 0);
    world.now_ms++;
    assert_ok(world_run(&world, run_sweep, &swept));
    assert_int_equal(swept, 2);
    assert_ok(world_run(&world, run_sweep, &swept));
    assert_int_equal(swept, 1);
    assert_int_equal(store_number(store, "SELECT count(*) AS n FROM active_challenge"), 0);
}

/* --- At the same moment --- */

enum { CROWD = 50 };

struct attempt {
    enum err err;
    struct uuid id, active;
};

static void start_either(struct world *world, int index, void *arg)
{
    struct attempt *attempt = &((struct attempt *)arg)[index];
    struct call_challenge call = {0};
    struct otp otp = {0};
    struct otp_refusal refusal = {0};
    if (index % 2 == 0) {
        attempt->err = world_call(world, CUSTOMER, NULL, &call, &attempt->active);
        attempt->id = call.id;
        return;
    }
    attempt->err = world_otp(world, CUSTOMER, &otp, &refusal);
    attempt->id = otp.id;
    attempt->active = refusal.active;
}

static void fifty_at_once_make_one(struct store *store)
{
    struct attempt attempts[CROWD] = {0};
    const struct attempt *winner = NULL;
    AUTO_WORLD world;
    struct scene scene;
    world_open(&world, store);
    begin(&scene, &world);
    world_crowd(&world, CROWD, start_either, attempts);
    for (int i = 0; i < CROWD; i++) {
        if (attempts[i].err) continue;
        assert_null(winner);
        winner = &attempts[i];
    }
    assert_non_null(winner);
    for (int i = 0; i < CROWD; i++) {
        if (&attempts[i] == winner) continue;
        assert_err(attempts[i].err, ERR_ACTIVE_CHALLENGE_EXISTS);
        assert_uuid_equal(attempts[i].active, winner->id);
    }
    assert_int_equal(store_number(store, "SELECT (SELECT count(*) FROM call_challenge)"
                                         " + (SELECT count(*) FROM otp) AS n"),
                     1);
}

int main(void)
{
    static const struct store_case cases[] = {
        {"the second is told of the first", the_second_is_told_of_the_first},
        {"numbers do not hinder each other", numbers_do_not_hinder_each_other},
        {"an end frees the number", an_end_frees_the_number},
        {"the clock frees the number", the_clock_frees_the_number},
        {"the former one is expired with the taking", the_former_is_expired_with_the_taking},
        {"an old end leaves the new one active", an_old_end_leaves_the_new_one_active},
        {"what is over is settled in vain too", what_is_over_is_settled_in_vain_too},
        {"whoever names a number settles no others", whoever_names_a_number_settles_no_others},
        {"the gateway number of a former one is given back",
         the_former_gateway_number_is_given_back},
        {"the sweep takes what is over and no more than asked",
         the_sweep_takes_what_is_over_and_no_more_than_asked},
        {"fifty at once make one", fifty_at_once_make_one},
    };
    return store_run_cases("challenge", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
