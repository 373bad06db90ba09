/* domain/sms: tasks that phones claim with a lease and report on (contract, section 2, rule 7).
 * What follows a failure is in sms_repeat_test.c. */
#include "app/setup/migrations.h"
#include "sms_scene.h"

/* --- Claims --- */

static void a_claim_brings_the_task_under_a_lease(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    create(&scene, RECIPIENT, NULL);
    assert_otp(&scene, OTP_QUEUED, A " queued");
    world.now_ms += 3000;
    const struct claimed_task *job = world_claim(&world, &scene.first, A);
    assert_non_null(job);
    assert_string_equal(job->sender, A);
    assert_string_equal(job->recipient, RECIPIENT);
    assert_int_equal(job->attempt, 1);
    assert_true(job->lease_expires_at == WORLD_START_MS + 3000 + 90000);
    assert_false(uuid_is_nil(&job->lease_id));
    assert_non_null(strstr(job->text, world_code(&world, &scene.otp.id)));
    assert_otp(&scene, OTP_QUEUED, A " claimed");
}

static void there_may_be_no_task(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    assert_null(world_claim(&world, &scene.first, A));
    create(&scene, RECIPIENT, A);
    assert_null(world_claim(&world, &scene.second, B)); /* it waits for A */
}

static void claims_are_for_own_numbers_of_enabled_phones(struct store *store)
{
    struct sms_claim_input input = {.gateway_number = A, .sim_ready = true};
    struct claimed_task *job = NULL;
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    create(&scene, RECIPIENT, A);
    assert_err(world_claim_of(&world, &scene.second, &input, &job), ERR_NUMBER_NOT_OWNED);
    input.gateway_number = "+79169999999";
    assert_err(world_claim_of(&world, &scene.second, &input, &job), ERR_NUMBER_NOT_OWNED);
    input.gateway_number = A;
    scene.first.enabled = false;
    assert_err(world_claim_of(&world, &scene.first, &input, &job), ERR_DEVICE_DISABLED);
    assert_null(job);
    assert_otp(&scene, OTP_QUEUED, A " queued");
}

static void a_claim_declares_the_sim_ready(struct store *store)
{
    const struct number_choice ready = {.must_be_ready = true};
    const char *number;
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    world.now_ms += SIM_READY_MS + 1;
    assert_err(world_choose(&world, &ready, &number), ERR_NO_READY_SIM);
    assert_null(world_claim(&world, &scene.second, B));
    assert_ok(world_choose(&world, &ready, &number));
    assert_string_equal(number, B);
}

static void a_withdrawal_brings_no_task(struct store *store)
{
    struct sms_claim_input input = {.gateway_number = A, .sim_ready = false};
    const struct number_choice wanted = {.wanted = A, .must_be_ready = true};
    struct claimed_task *job = NULL;
    const char *number;
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    create(&scene, RECIPIENT, A);
    assert_ok(world_claim_of(&world, &scene.first, &input, &job));
    assert_null(job);
    assert_err(world_choose(&world, &wanted, &number), ERR_SIM_NOT_READY);
    assert_otp(&scene, OTP_QUEUED, A " queued");
    assert_non_null(world_claim(&world, &scene.first, A));
    assert_ok(world_claim_of(&world, &scene.first, &input, &job)); /* also during a lease */
    assert_null(job);
}

struct reading {
    const struct device *phone;
    struct phone_task_claim_result result;
};

static enum err run_claim_as_read(struct work *work, void *arg)
{
    struct reading *step = arg;
    struct sms_claim_input input = {.gateway_number = A, .sim_ready = true};
    return sms_claim(work, step->phone, &input, &step->result);
}

/* Most polls bring nothing: they must not cost a writing transaction. */
static void a_poll_for_nothing_only_reads(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    struct reading step = {.phone = &scene.first};
    assert_ok(world_read(&world, run_claim_as_read, &step));
    assert_null(step.result.task);
    create(&scene, RECIPIENT, A);
    assert_err(world_read(&world, run_claim_as_read, &step), ERR_WRITE_NEEDED);
    assert_otp(&scene, OTP_QUEUED, A " queued");
}

static void one_task_at_a_time_the_oldest_first(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    create(&scene, RECIPIENT, A);
    world.now_ms++;
    create(&scene, OTHER, A);
    const struct claimed_task *first = world_claim(&world, &scene.first, A);
    assert_string_equal(first->recipient, RECIPIENT);
    const struct claimed_task *again = world_claim(&world, &scene.first, A);
    assert_uuid_equal(again->id, first->id);
    assert_ok(report(&scene, &scene.first, first, PHONE_TASK_STATUS_SENT));
    const struct claimed_task *second = world_claim(&world, &scene.first, A);
    assert_string_equal(second->recipient, OTHER);
    assert_ok(report(&scene, &scene.first, second, PHONE_TASK_STATUS_SENT));
    assert_null(world_claim(&world, &scene.first, A));
}

/* --- Leases --- */

static void a_lease_lasts_ninety_seconds(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    create(&scene, RECIPIENT, A);
    const struct claimed_task *job = world_claim(&world, &scene.first, A);
    world.now_ms = WORLD_START_MS + 89999;
    const struct claimed_task *same = world_claim(&world, &scene.first, A);
    assert_uuid_equal(same->lease_id, job->lease_id);
    assert_true(same->lease_expires_at == job->lease_expires_at);
    assert_otp(&scene, OTP_QUEUED, A " claimed");

    world.now_ms = WORLD_START_MS + 90000;
    assert_otp(&scene, OTP_QUEUED, A " queued");
    const struct claimed_task *renewed = world_claim(&world, &scene.first, A);
    assert_uuid_equal(renewed->id, job->id); /* the same SMS: the phone knows it again */
    assert_memory_not_equal(&renewed->lease_id, &job->lease_id, sizeof(struct uuid));
    assert_int_equal(renewed->attempt, 1);
    assert_true(renewed->lease_expires_at == WORLD_START_MS + 90000 + 90000);
}

static void an_ended_lease_puts_the_task_back_in_its_place(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    create(&scene, RECIPIENT, A);
    const struct claimed_task *job = world_claim(&world, &scene.first, A);
    world.now_ms++;
    create(&scene, OTHER, A);
    world.now_ms = WORLD_START_MS + 90000;
    const struct claimed_task *next = world_claim(&world, &scene.first, A);
    assert_uuid_equal(next->id, job->id);
}

static void a_result_after_the_lease_is_still_taken(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    create(&scene, RECIPIENT, A);
    const struct claimed_task *job = world_claim(&world, &scene.first, A);
    world.now_ms += 10 * MINUTE_MS;
    assert_ok(report(&scene, &scene.first, job, PHONE_TASK_STATUS_SENT));
    assert_otp(&scene, OTP_SENT, A " sent");
    assert_null(world_claim(&world, &scene.first, A));
}

static void a_result_is_lost_after_another_lease(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    create(&scene, RECIPIENT, A);
    const struct claimed_task *old = world_claim(&world, &scene.first, A);
    world.now_ms += 90000;
    const struct claimed_task *renewed = world_claim(&world, &scene.first, A);
    assert_err(report(&scene, &scene.first, old, PHONE_TASK_STATUS_SENT), ERR_LEASE_LOST);
    assert_otp(&scene, OTP_QUEUED, A " claimed");
    assert_ok(report(&scene, &scene.first, renewed, PHONE_TASK_STATUS_SENT));
    assert_err(report(&scene, &scene.first, old, PHONE_TASK_STATUS_SENT), ERR_LEASE_LOST);
    assert_otp(&scene, OTP_SENT, A " sent");
}

static void the_lease_may_be_left_out(struct store *store)
{
    struct phone_task_result result = {.status = PHONE_TASK_STATUS_SENT};
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    create(&scene, RECIPIENT, A);
    const struct claimed_task *job = world_claim(&world, &scene.first, A);
    assert_ok(world_report(&world, &scene.first, &job->id, &result));
    assert_otp(&scene, OTP_SENT, A " sent");
}

/* --- Results --- */

static void a_result_comes_from_the_phone_that_holds_the_task(struct store *store)
{
    struct phone_task_result result = {.status = PHONE_TASK_STATUS_SENT};
    struct uuid unknown = uuid_new(WORLD_START_MS);
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    create(&scene, RECIPIENT, A);
    const struct claimed_task *job = world_claim(&world, &scene.first, A);
    assert_err(report(&scene, &scene.second, job, PHONE_TASK_STATUS_SENT), ERR_NUMBER_NOT_OWNED);
    assert_err(world_report(&world, &scene.second, &job->id, &result), ERR_NUMBER_NOT_OWNED);
    assert_err(world_report(&world, &scene.first, &unknown, &result), ERR_NOT_FOUND);
    assert_otp(&scene, OTP_QUEUED, A " claimed");
}

/* The same result twice is one; another that contradicts it is a conflict. */
static void results_agree_or_conflict(struct store *store)
{
    static const struct {
        enum phone_task_status first, second;
        enum err err;
        enum otp_state state;
        const char *sends;
    } rows[] = {
        {PHONE_TASK_STATUS_SENT, PHONE_TASK_STATUS_SENT, ERR_OK, OTP_SENT, A " sent"},
        {PHONE_TASK_STATUS_SENT, PHONE_TASK_STATUS_DELIVERED, ERR_OK, OTP_DELIVERED,
         A " delivered"},
        {PHONE_TASK_STATUS_SENT, PHONE_TASK_STATUS_FAILED, ERR_RESULT_CONFLICT, OTP_SENT,
         A " sent"},
        {PHONE_TASK_STATUS_DELIVERED, PHONE_TASK_STATUS_DELIVERED, ERR_OK, OTP_DELIVERED,
         A " delivered"},
        {PHONE_TASK_STATUS_DELIVERED, PHONE_TASK_STATUS_FAILED, ERR_RESULT_CONFLICT, OTP_DELIVERED,
         A " delivered"},
        {PHONE_TASK_STATUS_FAILED, PHONE_TASK_STATUS_SENT, ERR_RESULT_CONFLICT, OTP_QUEUED,
         A " failed, " A " queued"},
        {PHONE_TASK_STATUS_FAILED, PHONE_TASK_STATUS_DELIVERED, ERR_RESULT_CONFLICT, OTP_QUEUED,
         A " failed, " A " queued"},
        {PHONE_TASK_STATUS_FAILED, PHONE_TASK_STATUS_FAILED, ERR_OK, OTP_QUEUED,
         A " failed, " A " queued"},
        {PHONE_TASK_STATUS_UNKNOWN, PHONE_TASK_STATUS_UNKNOWN, ERR_OK, OTP_QUEUED, A " unknown"},
        {PHONE_TASK_STATUS_UNKNOWN, PHONE_TASK_STATUS_SENT, ERR_OK, OTP_SENT, A " sent"},
        {PHONE_TASK_STATUS_UNKNOWN, PHONE_TASK_STATUS_DELIVERED, ERR_OK, OTP_DELIVERED,
         A " delivered"},
        {PHONE_TASK_STATUS_SENT, PHONE_TASK_STATUS_UNKNOWN, ERR_OK, OTP_SENT, A " sent"},
        {PHONE_TASK_STATUS_FAILED, PHONE_TASK_STATUS_UNKNOWN, ERR_OK, OTP_QUEUED,
         A " failed, " A " queued"},
    };
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        world.now_ms += HOUR_MS;
        world_set_ready(&world, &scene.first, A, true);
        create(&scene, arena_printf(world.arena, "+7916300000%zu", i), A);
        const struct claimed_task *job = world_claim(&world, &scene.first, A);
        assert_ok(report(&scene, &scene.first, job, rows[i].first));
        for (int again = 0; again < 2; again++) {
            assert_err(report(&scene, &scene.first, job, rows[i].second), rows[i].err);
            assert_otp(&scene, rows[i].state, rows[i].sends);
        }
        assert_ok(world_cancel_otp(&world, &scene.otp.id));
    }
}

static void a_result_after_the_end_changes_no_final_state(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    create(&scene, RECIPIENT, A);
    const struct claimed_task *job = world_claim(&world, &scene.first, A);
    const char *code = world_code(&world, &scene.otp.id);
    assert_ok(world_verify(&world, &scene.otp.id, code, &scene.otp, &scene.refusal));
    assert_null(world_claim(&world, &scene.first, A)); /* it is not sent any more */
    assert_ok(report(&scene, &scene.first, job, PHONE_TASK_STATUS_SENT));
    assert_otp(&scene, OTP_CONFIRMED, A " sent");

    create(&scene, RECIPIENT, A);
    job = world_claim(&world, &scene.first, A);
    assert_ok(world_cancel_otp(&world, &scene.otp.id));
    assert_ok(report(&scene, &scene.first, job, PHONE_TASK_STATUS_FAILED));
    assert_otp(&scene, OTP_CANCELED, A " failed");
}

/* A task that ends with the code never shows as a task that still waits. */
static void a_task_cut_off_by_the_end_is_not_queued_again(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    create(&scene, RECIPIENT, A);
    world_claim(&world, &scene.first, A);
    assert_ok(world_cancel_otp(&world, &scene.otp.id));
    world.now_ms += PHONE_TASK_LEASE_MS + 1;
    struct otp otp = world_read_otp(&world, &scene.otp.id);
    const struct otp_send *send = otp.sends.items;
    assert_string_not_equal(otp_send_state_words[send->state], "queued");
}

static void a_task_ends_with_its_code(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    create(&scene, RECIPIENT, A);
    world.now_ms = scene.otp.expires_at + 1;
    assert_null(world_claim(&world, &scene.first, A));
    world.now_ms = scene.otp.expires_at;
    assert_non_null(world_claim(&world, &scene.first, A));
}

/* --- At the same moment --- */

enum { CROWD = 16 };

struct crowd {
    const struct device *phone;
    struct uuid ids[CROWD], leases[CROWD];
    enum err errs[CROWD];
};

static void claim_at_once(struct world *world, int index, void *arg)
{
    struct crowd *crowd = arg;
    struct sms_claim_input input = {.gateway_number = A, .sim_ready = true};
    struct claimed_task *job = NULL;
    crowd->errs[index] = world_claim_of(world, crowd->phone, &input, &job);
    if (!job) return;
    crowd->ids[index] = job->id;
    crowd->leases[index] = job->lease_id;
}

static void claims_at_once_get_one_lease(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    struct crowd crowd = {.phone = &scene.first};
    create(&scene, RECIPIENT, A);
    create(&scene, OTHER, A);
    world_crowd(&world, CROWD, claim_at_once, &crowd);
    for (int i = 0; i < CROWD; i++) {
        assert_ok(crowd.errs[i]);
        assert_false(uuid_is_nil(&crowd.ids[i]));
        assert_uuid_equal(crowd.ids[i], crowd.ids[0]);
        assert_uuid_equal(crowd.leases[i], crowd.leases[0]);
    }
}

/* --- Input --- */

static void an_error_has_at_most_five_hundred_characters(struct store *store)
{
    (void)store;
    static const struct {
        int length;
        bool is_taken;
    } rows[] = {{0, true}, {500, true}, {501, false}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct arena arena;
        struct phone_task_result result;
        AUTO_BUF body = {0};
        buf_init(&body, 4096);
        buf_text(&body, "{\"status\":\"failed\",\"error\":\"");
        for (int k = 0; k < rows[i].length; k++)
            buf_text(&body, "Ж");
        buf_text(&body, "\"}");
        arena_init(&arena);
        struct record_faults *faults = ARENA_NEW(&arena, struct record_faults);
        record_faults_init(faults, &arena);
        enum err err =
            record_decode(&sms_result_record, buf_view(&body), false, &arena, &result, faults);
        assert_int_equal(err == ERR_OK, rows[i].is_taken);
        arena_done(&arena);
    }
}

int main(void)
{
    static const struct store_case cases[] = {
        {"a claim brings the task under a lease", a_claim_brings_the_task_under_a_lease},
        {"there may be no task", there_may_be_no_task},
        {"claims are for own numbers of enabled phones",
         claims_are_for_own_numbers_of_enabled_phones},
        {"a claim declares the SIM ready", a_claim_declares_the_sim_ready},
        {"a withdrawal brings no task", a_withdrawal_brings_no_task},
        {"a poll for nothing only reads", a_poll_for_nothing_only_reads},
        {"one task at a time, the oldest first", one_task_at_a_time_the_oldest_first},
        {"a lease lasts ninety seconds", a_lease_lasts_ninety_seconds},
        {"an ended lease puts the task back in its place",
         an_ended_lease_puts_the_task_back_in_its_place},
        {"a result after the lease is still taken", a_result_after_the_lease_is_still_taken},
        {"a result is lost after another lease", a_result_is_lost_after_another_lease},
        {"the lease may be left out", the_lease_may_be_left_out},
        {"a result comes from the phone that holds the task",
         a_result_comes_from_the_phone_that_holds_the_task},
        {"results agree or conflict", results_agree_or_conflict},
        {"a result after the end changes no final state",
         a_result_after_the_end_changes_no_final_state},
        {"a task cut off by the end is not queued again",
         a_task_cut_off_by_the_end_is_not_queued_again},
        {"a task ends with its code", a_task_ends_with_its_code},
        {"claims at once get one lease", claims_at_once_get_one_lease},
        {"an error has at most five hundred characters",
         an_error_has_at_most_five_hundred_characters, STORE_SQLITE},
    };
    return store_run_cases("sms", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
