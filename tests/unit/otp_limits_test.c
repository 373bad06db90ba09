/* domain/otp: what a recipient may ask for in a time (contract, section 2, rules 3 and 4), and what
 * an SMS says. */
#include "app/setup/migrations.h"
#include "world.h"

#include <stdio.h>

#define RECIPIENT "+79161234567"
#define GATEWAY   "+79160000001"

struct scene {
    struct world *world;
    struct device phone;
    struct otp otp;
    struct otp_refusal refusal;
};

static void begin(struct scene *scene, struct world *world, struct store *store)
{
    world_open(world, store);
    *scene = (struct scene){.world = world, .phone = world_phone(world, GATEWAY)};
    world_set_ready(world, &scene->phone, GATEWAY, true);
}

static enum err create(struct scene *scene, const char *recipient)
{
    return world_otp(scene->world, recipient, &scene->otp, &scene->refusal);
}

/* A code at the time given, ended at once so that only the rate counts. */
static void create_and_cancel(struct scene *scene, int64_t at_ms)
{
    scene->world->now_ms = at_ms;
    world_set_ready(scene->world, &scene->phone, GATEWAY, true);
    assert_ok(create(scene, RECIPIENT));
    assert_ok(world_cancel_otp(scene->world, &scene->otp.id));
}

static void assert_limited(struct scene *scene, int64_t at_ms, int64_t retry_after_ms)
{
    scene->world->now_ms = at_ms;
    world_set_ready(scene->world, &scene->phone, GATEWAY, true);
    scene->refusal.retry_after_ms = -1;
    assert_err(create(scene, RECIPIENT), ERR_RATE_LIMITED);
    assert_int_equal(scene->refusal.retry_after_ms, retry_after_ms);
}

/* --- Three in ten minutes --- */

static void assert_left(const struct scene *scene, int64_t left, int64_t refill_ms)
{
    const struct rate_limit *limit = &scene->refusal.limit;
    assert_string_equal(limit->name, "codes");
    assert_int_equal(limit->quota, 3);
    assert_int_equal(limit->window_s, 600);
    assert_int_equal(limit->left, left);
    assert_int_equal(limit->refill_ms, refill_ms);
}

static void each_code_tells_how_many_are_left(struct store *store)
{
    enum { WINDOW = 600000 };
    const int64_t t = WORLD_START_MS;
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    create_and_cancel(&scene, t);
    assert_left(&scene, 2, WINDOW);
    create_and_cancel(&scene, t + 1000);
    assert_left(&scene, 1, WINDOW - 1000);
    create_and_cancel(&scene, t + 2500);
    assert_left(&scene, 0, WINDOW - 2500);
    assert_limited(&scene, t + 2500, WINDOW - 2500);
    assert_left(&scene, 0, WINDOW - 2500);
    create_and_cancel(&scene, t + WINDOW);
    assert_left(&scene, 0, 1000);
    create_and_cancel(&scene, t + 10 * WINDOW);
    assert_left(&scene, 2, WINDOW);
}

static void the_fourth_code_in_ten_minutes_waits(struct store *store)
{
    enum { WINDOW = 600000 };
    const int64_t t = WORLD_START_MS;
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    create_and_cancel(&scene, t);
    create_and_cancel(&scene, t + 1000);
    create_and_cancel(&scene, t + 2500);
    assert_limited(&scene, t + 2500, WINDOW - 2500);
    assert_limited(&scene, t + 300001, WINDOW - 300001);
    assert_limited(&scene, t + WINDOW - 1, 1);
    /* At the millisecond that was told it works: the window slides from code to code. */
    create_and_cancel(&scene, t + WINDOW);
    assert_limited(&scene, t + WINDOW, 1000);
    assert_limited(&scene, t + WINDOW + 999, 1);
    create_and_cancel(&scene, t + WINDOW + 1000);
    assert_limited(&scene, t + WINDOW + 1000, 1500);
    create_and_cancel(&scene, t + WINDOW + 2500);
    /* Three of this round are the limit again. */
    assert_limited(&scene, t + 2 * WINDOW - 1, 1);
    create_and_cancel(&scene, t + 2 * WINDOW);
}

static void a_refused_code_is_not_counted(struct store *store)
{
    const int64_t t = WORLD_START_MS;
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    for (int i = 0; i < 3; i++)
        create_and_cancel(&scene, t);
    for (int i = 1; i <= 5; i++)
        assert_limited(&scene, t + i, 600000 - i);
    create_and_cancel(&scene, t + 600000);
    assert_int_equal(store_number(store, "SELECT count(*) AS n FROM active_challenge"), 0);
}

static void recipients_are_counted_apart(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    for (int i = 0; i < 3; i++)
        create_and_cancel(&scene, WORLD_START_MS);
    assert_err(create(&scene, RECIPIENT), ERR_RATE_LIMITED);
    assert_ok(create(&scene, "+79161234568"));
}

/* Rule 3: the active challenge is told first, then the rate, then the channel. */
static void refusals_come_in_the_order_of_the_contract(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    struct call_challenge call;
    begin(&scene, &world, store);
    for (int i = 0; i < 3; i++)
        create_and_cancel(&scene, WORLD_START_MS);
    assert_ok(world_call(&world, RECIPIENT, NULL, &call, &scene.refusal.active));
    assert_ok(world_set_enabled(&world, &scene.phone.id, false));
    assert_err(create(&scene, RECIPIENT), ERR_ACTIVE_CHALLENGE_EXISTS);
    assert_uuid_equal(scene.refusal.active, call.id);
    assert_ok(world_cancel_call(&world, &call.id));
    assert_err(create(&scene, RECIPIENT), ERR_RATE_LIMITED);
    assert_err(create(&scene, "+79161234568"), ERR_NO_READY_SIM);
}

enum { CROWD = 12 };

static void create_and_cancel_at_once(struct world *world, int index, void *arg)
{
    enum err *errs = arg;
    struct otp otp;
    struct otp_refusal refusal;
    /* While another one's is active, it waits its turn; not for ever, should that never end. */
    errs[index] = ERR_ACTIVE_CHALLENGE_EXISTS;
    for (int i = 0; i < 10000 && errs[index] == ERR_ACTIVE_CHALLENGE_EXISTS; i++) {
        if (i > 0) sleep_ms(2);
        errs[index] = world_otp(world, RECIPIENT, &otp, &refusal);
    }
    if (!errs[index]) errs[index] = world_cancel_otp(world, &otp.id);
}

static void three_get_through_however_many_try(struct store *store)
{
    enum err errs[CROWD];
    int made = 0;
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    world_crowd(&world, CROWD, create_and_cancel_at_once, errs);
    for (int i = 0; i < CROWD; i++) {
        made += !errs[i];
        if (errs[i]) assert_err(errs[i], ERR_RATE_LIMITED);
    }
    assert_int_equal(made, 3);
}

/* --- Fifty wrong codes in a day --- */

static enum err guess_wrong(struct scene *scene)
{
    struct uuid id = scene->otp.id;
    const char *wrong = world_wrong_code(scene->world, &id);
    return world_verify(scene->world, &id, wrong, &scene->otp, &scene->refusal);
}

/* `count` wrong codes from `at_ms` on, a new code for each five, ten minutes apart. */
static void guess_wrong_times(struct scene *scene, int64_t at_ms, int count)
{
    for (int i = 0; i < count; i++) {
        if (i % OTP_ATTEMPTS_MAX == 0) {
            scene->world->now_ms = at_ms + i / OTP_ATTEMPTS_MAX * (int64_t)OTP_RATE_WINDOW_MS;
            world_set_ready(scene->world, &scene->phone, GATEWAY, true);
            assert_ok(create(scene, RECIPIENT));
        }
        assert_err(guess_wrong(scene), ERR_CODE_MISMATCH);
    }
    if (count % OTP_ATTEMPTS_MAX != 0) assert_ok(world_cancel_otp(scene->world, &scene->otp.id));
}

static void fifty_wrong_codes_stop_creation_for_the_day(struct store *store)
{
    enum { DAY = 24 * HOUR_MS };
    const int64_t t = WORLD_START_MS;
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    guess_wrong_times(&scene, t, 49);
    world.now_ms += OTP_RATE_WINDOW_MS;
    world_set_ready(&world, &scene.phone, GATEWAY, true);
    assert_ok(create(&scene, RECIPIENT)); /* 49 are none too many */
    assert_err(guess_wrong(&scene), ERR_CODE_MISMATCH);
    assert_ok(world_cancel_otp(&world, &scene.otp.id));

    int64_t now = world.now_ms + OTP_RATE_WINDOW_MS;
    assert_limited(&scene, now, t + DAY - now);
    assert_ok(create(&scene, "+79161234568")); /* only the one recipient */
    assert_limited(&scene, t + DAY - 1, 1);
    world.now_ms = t + DAY;
    world_set_ready(&world, &scene.phone, GATEWAY, true);
    assert_ok(create(&scene, RECIPIENT));
}

/* The limit also ends the guessing at a living code, and costs it nothing. */
static void fifty_wrong_codes_stop_verification(struct store *store)
{
    enum { DAY = 24 * HOUR_MS };
    const int64_t t = WORLD_START_MS;
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    guess_wrong_times(&scene, t, 49);

    world.now_ms = t + DAY - 30000;
    world_set_ready(&world, &scene.phone, GATEWAY, true);
    assert_ok(create(&scene, RECIPIENT));
    struct uuid id = scene.otp.id;
    const char *right = world_code(&world, &id);
    assert_err(guess_wrong(&scene), ERR_CODE_MISMATCH); /* the fiftieth */
    assert_err(guess_wrong(&scene), ERR_RATE_LIMITED);
    assert_int_equal(scene.refusal.retry_after_ms, 30000);
    assert_err(world_verify(&world, &id, right, &scene.otp, &scene.refusal), ERR_RATE_LIMITED);
    assert_int_equal(world_read_otp(&world, &id).attempts_left, 4);

    world.now_ms = t + DAY - 1;
    assert_err(world_verify(&world, &id, right, &scene.otp, &scene.refusal), ERR_RATE_LIMITED);
    assert_int_equal(scene.refusal.retry_after_ms, 1);
    world.now_ms = t + DAY;
    assert_ok(world_verify(&world, &id, right, &scene.otp, &scene.refusal));
    assert_int_equal(scene.otp.attempts_left, 4);
}

static enum err run_sweep(struct work *work, void *arg)
{
    return otp_sweep_wrong_codes(work, 3, arg);
}

static void the_sweep_leaves_what_still_counts(struct store *store)
{
    enum { DAY = 24 * HOUR_MS };
    static const int64_t expected[] = {3, 2, 0};
    int64_t swept;
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    guess_wrong_times(&scene, WORLD_START_MS, 10);
    world.now_ms = WORLD_START_MS + DAY - 1;
    assert_ok(world_run(&world, run_sweep, &swept));
    assert_int_equal(swept, 0);
    world.now_ms++;
    for (size_t i = 0; i < COUNT_OF(expected); i++) {
        assert_ok(world_run(&world, run_sweep, &swept));
        assert_int_equal(swept, expected[i]);
    }
    assert_int_equal(store_number(store, "SELECT count(*) AS n FROM wrong_code"), 5);
}

/* --- Input --- */

static void input_has_its_limits(struct store *store)
{
    (void)store;
#define SMS "{\"channel\":\"sms\",\"recipient\":\"+79161234567\""
    static const struct {
        const char *body;
        bool is_taken;
    } rows[] = {
        {SMS "}", true},
        {SMS ",\"ttl_seconds\":60}", true},
        {SMS ",\"ttl_seconds\":59}", false},
        {SMS ",\"ttl_seconds\":900}", true},
        {SMS ",\"ttl_seconds\":901}", false},
        {SMS ",\"ttl_seconds\":60.5}", false},
        {SMS ",\"gateway_number\":\"+79160000001\"}", true},
        {SMS ",\"gateway_number\":\"89160000001\"}", false},
        {SMS ",\"app_hash\":\"FA+9qCX9VSu\"}", true},
        {SMS ",\"app_hash\":\"FA+9qCX9VS\"}", false},
        {SMS ",\"app_hash\":\"FA+9qCX9VSuu\"}", false},
        {SMS ",\"app_hash\":\"FA 9qCX9VSu\"}", false},
        {SMS ",\"origin\":\"example.com\"}", true},
        {SMS ",\"origin\":\"https://example.com\"}", false},
        {SMS ",\"origin\":\"example.com/x\"}", false},
        {SMS ",\"origin\":\"-example.com\"}", false},
        {SMS ",\"origin\":\"example..com\"}", false},
        {SMS ",\"origin\":\"example.com\\n@evil.org #1\"}", false},
        {SMS ",\"code\":\"1234\"}", false},
        {"{\"channel\":\"fax\",\"recipient\":\"+79161234567\"}", false},
        {"{\"channel\":\"sms\",\"recipient\":\"89161234567\"}", false},
        {"{\"channel\":\"sms\"}", false},
        {"{\"recipient\":\"+79161234567\"}", false},
    };
#undef SMS
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct arena arena;
        struct otp_input input;
        arena_init(&arena);
        struct record_faults *faults = ARENA_NEW(&arena, struct record_faults);
        record_faults_init(faults, &arena);
        enum err err =
            record_decode(&otp_input_record, str_of(rows[i].body), true, &arena, &input, faults);
        if ((err == ERR_OK) != rows[i].is_taken) fail_msg("%s", rows[i].body);
        arena_done(&arena);
    }
}

static void a_guess_has_four_to_six_digits(struct store *store)
{
    (void)store;
    static const struct {
        const char *body;
        bool is_taken;
    } rows[] = {
        {"{\"code\":\"1234\"}", true},   {"{\"code\":\"123\"}", false},
        {"{\"code\":\"123456\"}", true}, {"{\"code\":\"1234567\"}", false},
        {"{\"code\":\"12345\"}", true},  {"{\"code\":\"12a4\"}", false},
        {"{\"code\":1234}", false},      {"{}", false},
        {"{\"code\":\"١٢٣٤\"}", false},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct arena arena;
        struct verify_code input;
        arena_init(&arena);
        struct record_faults *faults = ARENA_NEW(&arena, struct record_faults);
        record_faults_init(faults, &arena);
        enum err err =
            record_decode(&verify_code_record, str_of(rows[i].body), true, &arena, &input, faults);
        assert_int_equal(err == ERR_OK, rows[i].is_taken);
        arena_done(&arena);
    }
}

int main(void)
{
    static const struct store_case cases[] = {
        {"each code tells how many are left", each_code_tells_how_many_are_left},
        {"the fourth code in ten minutes waits", the_fourth_code_in_ten_minutes_waits},
        {"a refused code is not counted", a_refused_code_is_not_counted},
        {"recipients are counted apart", recipients_are_counted_apart},
        {"refusals come in the order of the contract", refusals_come_in_the_order_of_the_contract},
        {"three get through however many try", three_get_through_however_many_try},
        {"fifty wrong codes stop creation for the day",
         fifty_wrong_codes_stop_creation_for_the_day},
        {"fifty wrong codes stop verification", fifty_wrong_codes_stop_verification},
        {"the sweep leaves what still counts", the_sweep_leaves_what_still_counts},
        {"input has its limits", input_has_its_limits, STORE_SQLITE},
        {"a guess has four to six digits", a_guess_has_four_to_six_digits, STORE_SQLITE},
    };
    return store_run_cases("otp limits", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
