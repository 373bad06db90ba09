/* domain/sms: what follows a failure, a phone that goes, and a SIM that is ready no more (contract,
 * section 2, rules 7 and 11). */
#include "app/setup/migrations.h"
#include "sms_scene.h"

static const struct phone_task_result for_good = {
    .status = PHONE_TASK_STATUS_FAILED, .error = "no such number", .permanent = true};

/* Fails the task of `number` at its phone; the task must be there. */
static struct claimed_task claim_and_fail(struct scene *scene, const struct device *phone,
                                          const char *number)
{
    const struct claimed_task *job = world_claim(scene->world, phone, number);
    assert_non_null(job);
    assert_ok(report(scene, phone, job, PHONE_TASK_STATUS_FAILED));
    return *job;
}

/* --- Failures --- */

static void a_failed_task_is_sent_by_another_ready_number(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    create(&scene, RECIPIENT, NULL);
    const char *code = world_code(&world, &scene.otp.id);
    struct claimed_task first = claim_and_fail(&scene, &scene.first, A);
    assert_otp(&scene, OTP_QUEUED, A " failed, " B " queued");
    const struct claimed_task *second = world_claim(&world, &scene.second, B);
    assert_int_equal(second->attempt, 2);
    assert_memory_not_equal(&second->id, &first.id, sizeof(struct uuid));
    assert_non_null(strstr(second->text, code)); /* the code stays */
    assert_ok(report(&scene, &scene.second, second, PHONE_TASK_STATUS_SENT));
    assert_otp(&scene, OTP_SENT, A " failed, " B " sent");
}

/* B is busier than A, and yet A is avoided. */
static void the_failed_number_is_avoided_even_if_it_is_the_least_busy(struct store *store)
{
    struct call_challenge call;
    struct uuid active;
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    assert_ok(world_call(&world, OTHER, B, &call, &active));
    assert_ok(world_call(&world, "+79161234569", B, &call, &active));
    create(&scene, RECIPIENT, NULL);
    claim_and_fail(&scene, &scene.first, A);
    assert_otp(&scene, OTP_QUEUED, A " failed, " B " queued");
}

static void the_failed_number_sends_again_if_no_other_is_ready(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    world_set_ready(&world, &scene.second, B, false);
    create(&scene, RECIPIENT, NULL);
    claim_and_fail(&scene, &scene.first, A);
    assert_otp(&scene, OTP_QUEUED, A " failed, " A " queued");
}

static void a_failure_with_no_ready_sim_at_all_still_queues(struct store *store)
{
    struct sms_claim_input withdrawn = {.gateway_number = A, .sim_ready = false};
    struct claimed_task *none;
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    create(&scene, RECIPIENT, NULL);
    const struct claimed_task *job = world_claim(&world, &scene.first, A);
    assert_ok(world_claim_of(&world, &scene.first, &withdrawn, &none));
    world_set_ready(&world, &scene.second, B, false);
    assert_ok(report(&scene, &scene.first, job, PHONE_TASK_STATUS_FAILED));
    assert_otp(&scene, OTP_QUEUED, A " failed, " A " queued");
}

/* Rule 7 makes no exception for a number that was asked for by name. */
static void a_number_asked_for_is_avoided_too(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    create(&scene, RECIPIENT, A);
    claim_and_fail(&scene, &scene.first, A);
    assert_otp(&scene, OTP_QUEUED, A " failed, " B " queued");
}

static void three_sends_are_all(struct store *store)
{
    struct call_challenge call;
    struct uuid active;
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    create(&scene, RECIPIENT, NULL);
    claim_and_fail(&scene, &scene.first, A);
    claim_and_fail(&scene, &scene.second, B);
    assert_err(world_call(&world, RECIPIENT, NULL, &call, &active), ERR_ACTIVE_CHALLENGE_EXISTS);
    struct claimed_task last = claim_and_fail(&scene, &scene.first, A);
    assert_int_equal(last.attempt, 3);
    assert_otp(&scene, OTP_UNDELIVERED, A " failed, " B " failed, " A " failed");
    assert_null(world_claim(&world, &scene.first, A));
    assert_null(world_claim(&world, &scene.second, B));
    assert_ok(world_call(&world, RECIPIENT, NULL, &call, &active)); /* it may start again */
}

static void a_permanent_failure_is_the_last(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    create(&scene, RECIPIENT, NULL);
    struct uuid id = scene.otp.id;
    const char *code = world_code(&world, &id);
    const struct claimed_task *job = world_claim(&world, &scene.first, A);
    assert_ok(world_report(&world, &scene.first, &job->id, &for_good));
    assert_otp(&scene, OTP_UNDELIVERED, A " failed");
    struct otp otp = world_read_otp(&world, &id);
    assert_string_equal(((struct otp_send *)otp.sends.items)->error, "no such number");
    create(&scene, RECIPIENT, NULL); /* the number is free again */
    /* A code that was not delivered can still be verified until its end. */
    assert_ok(world_verify(&world, &id, code, &scene.otp, &scene.refusal));
    assert_int_equal(scene.otp.state, OTP_CONFIRMED);
}

static void an_undelivered_code_expires_and_exhausts_like_any(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    create(&scene, RECIPIENT, NULL);
    struct uuid id = scene.otp.id;
    const char *wrong = world_wrong_code(&world, &id);
    const struct claimed_task *job = world_claim(&world, &scene.first, A);
    assert_ok(world_report(&world, &scene.first, &job->id, &for_good));
    for (int i = 0; i < OTP_ATTEMPTS_MAX; i++)
        assert_err(world_verify(&world, &id, wrong, &scene.otp, &scene.refusal), ERR_CODE_MISMATCH);
    assert_otp(&scene, OTP_EXHAUSTED, A " failed");

    create(&scene, RECIPIENT, A);
    job = world_claim(&world, &scene.first, A);
    assert_ok(world_report(&world, &scene.first, &job->id, &for_good));
    world.now_ms = scene.otp.expires_at + 1;
    assert_otp(&scene, OTP_EXPIRED, A " failed");
}

/* Never past the expiry, to the millisecond. */
static void nothing_is_sent_again_after_the_end(struct store *store)
{
    static const struct {
        int after_end_ms;
        const char *sends;
    } rows[] = {{0, A " failed, " B " queued"}, {1, A " failed"}};
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        world.now_ms += HOUR_MS;
        make_ready(&scene);
        create(&scene, RECIPIENT, A);
        const struct claimed_task *job = world_claim(&world, &scene.first, A);
        world.now_ms = scene.otp.expires_at + rows[i].after_end_ms;
        world_set_ready(&world, &scene.second, B, true);
        assert_ok(report(&scene, &scene.first, job, PHONE_TASK_STATUS_FAILED));
        assert_otp(&scene, rows[i].after_end_ms > 0 ? OTP_EXPIRED : OTP_QUEUED, rows[i].sends);
    }
}

/* --- A phone that is disabled --- */

/* Does what the worker does every second; at once again if it goes on, for `arg` if that is not
 * NULL. */
static enum err run_move_stranded(struct work *work, void *arg)
{
    bool goes_on;
    return sms_move_stranded(work, arg ? arg : &goes_on);
}

static void a_disabled_phone_returns_its_tasks(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    create(&scene, RECIPIENT, NULL);
    const struct claimed_task *job = world_claim(&world, &scene.first, A);
    assert_ok(world_set_enabled(&world, &scene.first.id, false));
    assert_ok(world_run(&world, run_move_stranded, NULL));
    assert_otp(&scene, OTP_QUEUED, B " queued");
    const struct claimed_task *moved = world_claim(&world, &scene.second, B);
    assert_uuid_equal(moved->id, job->id);
    assert_int_equal(moved->attempt, 1);
    assert_ok(report(&scene, &scene.second, moved, PHONE_TASK_STATUS_SENT));
    assert_otp(&scene, OTP_SENT, B " sent");
}

/* Rule 7: the phone that held it may still report, until another lease is given. */
static void a_disabled_phone_may_still_report_what_it_held(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    create(&scene, RECIPIENT, NULL);
    const struct claimed_task *job = world_claim(&world, &scene.first, A);
    assert_ok(world_set_enabled(&world, &scene.first.id, false));
    assert_ok(world_run(&world, run_move_stranded, NULL));
    scene.first.enabled = false;
    assert_ok(report(&scene, &scene.first, job, PHONE_TASK_STATUS_SENT));
    struct otp otp = world_read_otp(&world, &scene.otp.id);
    assert_int_equal(otp.state, OTP_SENT);
    assert_null(world_claim(&world, &scene.second, B));
}

/* Rule 7: after another lease the report of the phone that held it before is 409 lease_lost. */
static void a_report_after_the_task_went_to_another_phone_is_lost(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    create(&scene, RECIPIENT, NULL);
    const struct claimed_task *job = world_claim(&world, &scene.first, A);
    assert_ok(world_set_enabled(&world, &scene.first.id, false));
    assert_ok(world_run(&world, run_move_stranded, NULL));
    assert_non_null(world_claim(&world, &scene.second, B));
    assert_err(report(&scene, &scene.first, job, PHONE_TASK_STATUS_SENT), ERR_LEASE_LOST);
    assert_otp(&scene, OTP_QUEUED, B " claimed");
}

static void tasks_not_yet_claimed_move_too(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    create(&scene, RECIPIENT, NULL);
    assert_ok(world_set_enabled(&world, &scene.first.id, false));
    assert_ok(world_run(&world, run_move_stranded, NULL));
    assert_non_null(world_claim(&world, &scene.second, B));
}

/* Returned while no other SIM was ready: the next one to be ready gets it. */
static void a_returned_task_waits_for_any_sim(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    create(&scene, RECIPIENT, NULL);
    const struct claimed_task *job = world_claim(&world, &scene.first, A);
    world_set_ready(&world, &scene.second, B, false);
    assert_ok(world_set_enabled(&world, &scene.first.id, false));
    world_set_ready(&world, &scene.second, B, true);
    assert_ok(world_run(&world, run_move_stranded, NULL));
    const struct claimed_task *moved = world_claim(&world, &scene.second, B);
    assert_non_null(moved);
    assert_uuid_equal(moved->id, job->id);
}

/* --- A SIM that goes to another phone --- */

#define SPARE "+79160000009" /* what the phone that gives a SIM away has instead */

/* The SIM A goes from the first phone to the second. */
static void move_sim(struct scene *scene)
{
    const char *const spare[] = {SPARE}, *const both[] = {B, A};
    assert_ok(world_change(scene->world, &scene->first.id, spare, COUNT_OF(spare)));
    assert_ok(world_change(scene->world, &scene->second.id, both, COUNT_OF(both)));
}

/* Rule 7: what the phone took from it may be out, so nobody is given it before the lease ends. */
static void a_claimed_task_stays_with_the_phone_that_lost_the_sim(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    create(&scene, RECIPIENT, A);
    const struct claimed_task *job = world_claim(&world, &scene.first, A);
    world.now_ms += PHONE_TASK_LEASE_MS - 2;
    world_set_ready(&world, &scene.second, B, true);
    move_sim(&scene);
    assert_null(world_claim(&world, &scene.second, A));
    assert_ok(world_run(&world, run_move_stranded, NULL));
    assert_otp(&scene, OTP_QUEUED, A " claimed");
    assert_ok(report(&scene, &scene.first, job, PHONE_TASK_STATUS_SENT));
    assert_otp(&scene, OTP_SENT, A " sent");
    world.now_ms += PHONE_TASK_LEASE_MS;
    assert_null(world_claim(&world, &scene.second, A));
}

static void a_lease_that_ends_unanswered_goes_on_with_the_sim(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    create(&scene, RECIPIENT, A);
    const struct claimed_task *job = world_claim(&world, &scene.first, A);
    move_sim(&scene);
    world.now_ms += PHONE_TASK_LEASE_MS - 1;
    assert_null(world_claim(&world, &scene.second, A));
    world.now_ms += 1;
    const struct claimed_task *again = world_claim(&world, &scene.second, A);
    assert_non_null(again);
    assert_uuid_equal(again->id, job->id);
    assert_int_equal(again->attempt, 1);
    assert_err(report(&scene, &scene.first, job, PHONE_TASK_STATUS_SENT), ERR_LEASE_LOST);
    assert_ok(report(&scene, &scene.second, again, PHONE_TASK_STATUS_SENT));
    assert_otp(&scene, OTP_SENT, A " sent");
}

/* The SIM A leaves the first phone, for `taker` or for nobody (NULL), and nothing is heard of it.
 */
static void lose_sim(struct scene *scene, const struct device *taker)
{
    const char *const spare[] = {SPARE}, *const moved[] = {A};
    struct world *world = scene->world;

    assert_ok(world_change(world, &scene->first.id, spare, COUNT_OF(spare)));
    if (taker) assert_ok(world_change(world, &taker->id, moved, COUNT_OF(moved)));
    world->now_ms += PHONE_TASK_LEASE_MS - 1;
    world_set_ready(world, &scene->second, B, true);
    assert_ok(world_run(world, run_move_stranded, NULL));
    assert_otp(scene, OTP_QUEUED, A " claimed");
    world->now_ms += 1;
    assert_ok(world_run(world, run_move_stranded, NULL));
    assert_otp(scene, OTP_QUEUED, B " queued");
}

static void a_lease_that_ends_of_a_sim_that_is_nobody_s_goes_to_another(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    create(&scene, RECIPIENT, A);
    const struct claimed_task *job = world_claim(&world, &scene.first, A);
    lose_sim(&scene, NULL);
    const struct claimed_task *again = world_claim(&world, &scene.second, B);
    assert_non_null(again);
    assert_uuid_equal(again->id, job->id);
    assert_err(report(&scene, &scene.first, job, PHONE_TASK_STATUS_SENT), ERR_LEASE_LOST);
}

/* Rule 7: until another lease is given the phone that had it is heard. */
static void a_lease_that_ends_of_a_sim_whose_phone_is_away_goes_to_another(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    struct device away = world_phone(&world, "+79160000008");
    create(&scene, RECIPIENT, A);
    const struct claimed_task *job = world_claim(&world, &scene.first, A);
    lose_sim(&scene, &away);
    assert_ok(report(&scene, &scene.first, job, PHONE_TASK_STATUS_SENT));
    assert_null(world_claim(&world, &scene.second, B));
}

/* A code of a minute would be lost behind a lease of 90 s. */
static void a_lease_of_the_former_phone_holds_up_nobody(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    create(&scene, RECIPIENT, A);
    const struct claimed_task *job = world_claim(&world, &scene.first, A);
    create(&scene, OTHER, A);
    assert_uuid_equal(world_claim(&world, &scene.first, A)->id, job->id);
    move_sim(&scene);
    const struct claimed_task *next = world_claim(&world, &scene.second, A);
    assert_non_null(next);
    assert_string_equal(next->recipient, OTHER);
    assert_uuid_equal(world_claim(&world, &scene.second, A)->lease_id, next->lease_id);
    assert_ok(report(&scene, &scene.first, job, PHONE_TASK_STATUS_SENT));
    assert_ok(report(&scene, &scene.second, next, PHONE_TASK_STATUS_SENT));
    assert_null(world_claim(&world, &scene.second, A));
}

static void a_sim_that_comes_back_finds_its_lease(struct store *store)
{
    const char *const back[] = {A}, *const other[] = {B};
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    create(&scene, RECIPIENT, A);
    const struct claimed_task *job = world_claim(&world, &scene.first, A);
    move_sim(&scene);
    assert_ok(world_change(&world, &scene.second.id, other, COUNT_OF(other)));
    assert_ok(world_change(&world, &scene.first.id, back, COUNT_OF(back)));
    assert_uuid_equal(world_claim(&world, &scene.first, A)->lease_id, job->lease_id);
}

/* --- A SIM that is ready no more --- */

static void a_stranded_task_moves_to_a_ready_sim(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    create(&scene, RECIPIENT, NULL);
    world.now_ms += SIM_READY_MS - 1;
    world_set_ready(&world, &scene.second, B, true);
    assert_ok(world_run(&world, run_move_stranded, NULL));
    assert_otp(&scene, OTP_QUEUED, A " queued"); /* A is still ready */
    world.now_ms += 2;
    assert_ok(world_run(&world, run_move_stranded, NULL));
    assert_otp(&scene, OTP_QUEUED, B " queued");
    assert_non_null(world_claim(&world, &scene.second, B));
}

static void a_stranded_task_stays_without_a_ready_sim(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    create(&scene, RECIPIENT, NULL);
    world.now_ms += SIM_READY_MS + 1;
    assert_ok(world_run(&world, run_move_stranded, NULL));
    assert_otp(&scene, OTP_QUEUED, A " queued");
}

/* A phone held it once: it stays where that phone knows it again. */
static void a_task_that_was_held_does_not_move(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    create(&scene, RECIPIENT, NULL);
    assert_non_null(world_claim(&world, &scene.first, A));
    world.now_ms += PHONE_TASK_LEASE_MS + 1;
    world_set_ready(&world, &scene.second, B, true);
    assert_ok(world_run(&world, run_move_stranded, NULL));
    assert_otp(&scene, OTP_QUEUED, A " queued");
}

/* --- At the same moment --- */

enum { CROWD = 12 };

struct crowd {
    const struct device *phone;
    struct claimed_task job;
    enum err errs[CROWD];
};

static void fail_at_once(struct world *world, int index, void *arg)
{
    struct crowd *crowd = arg;
    struct phone_task_result result = {.lease_id = crowd->job.lease_id,
                                       .status = PHONE_TASK_STATUS_FAILED};
    crowd->errs[index] = world_report(world, crowd->phone, &crowd->job.id, &result);
}

static void one_failure_reported_at_once_queues_once(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    create(&scene, RECIPIENT, NULL);
    struct crowd crowd = {.phone = &scene.first, .job = *world_claim(&world, &scene.first, A)};
    world_crowd(&world, CROWD, fail_at_once, &crowd);
    for (int i = 0; i < CROWD; i++)
        assert_ok(crowd.errs[i]);
    assert_otp(&scene, OTP_QUEUED, A " failed, " B " queued");
}

int main(void)
{
    static const struct store_case cases[] = {
        {"a failed task is sent by another ready number",
         a_failed_task_is_sent_by_another_ready_number},
        {"the failed number is avoided even if it is the least busy",
         the_failed_number_is_avoided_even_if_it_is_the_least_busy},
        {"the failed number sends again if no other is ready",
         the_failed_number_sends_again_if_no_other_is_ready},
        {"a failure with no ready SIM at all still queues",
         a_failure_with_no_ready_sim_at_all_still_queues},
        {"a number asked for is avoided too", a_number_asked_for_is_avoided_too},
        {"three sends are all", three_sends_are_all},
        {"a permanent failure is the last", a_permanent_failure_is_the_last},
        {"an undelivered code expires and exhausts like any",
         an_undelivered_code_expires_and_exhausts_like_any},
        {"nothing is sent again after the end", nothing_is_sent_again_after_the_end},
        {"a disabled phone returns its tasks", a_disabled_phone_returns_its_tasks},
        {"a disabled phone may still report what it held",
         a_disabled_phone_may_still_report_what_it_held},
        {"a report after the task went to another phone is lost",
         a_report_after_the_task_went_to_another_phone_is_lost},
        {"tasks not yet claimed move too", tasks_not_yet_claimed_move_too},
        {"a returned task waits for any SIM", a_returned_task_waits_for_any_sim},
        {"a claimed task stays with the phone that lost the SIM",
         a_claimed_task_stays_with_the_phone_that_lost_the_sim},
        {"a lease that ends unanswered goes on with the SIM",
         a_lease_that_ends_unanswered_goes_on_with_the_sim},
        STORE_CASE(a_lease_that_ends_of_a_sim_that_is_nobody_s_goes_to_another),
        STORE_CASE(a_lease_that_ends_of_a_sim_whose_phone_is_away_goes_to_another),
        {"a lease of the former phone holds up nobody",
         a_lease_of_the_former_phone_holds_up_nobody},
        {"a SIM that comes back finds its lease", a_sim_that_comes_back_finds_its_lease},
        {"a stranded task moves to a ready SIM", a_stranded_task_moves_to_a_ready_sim},
        {"a stranded task stays without a ready SIM", a_stranded_task_stays_without_a_ready_sim},
        {"a task that was held does not move", a_task_that_was_held_does_not_move},
        {"one failure reported at once queues once", one_failure_reported_at_once_queues_once},
    };
    return store_run_cases("sms repeat", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
