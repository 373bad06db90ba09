/* Codes over providers: which code goes out, what each answer means for it, and the fallback to SMS
 * (contract, section 2, rules 5 and 8, and section 3). */
#include "app/setup/migrations.h"
#include "clock_step.h"
#include "domain/channel/channel_rules.h"
#include "kit/base/clock.h"
#include "sms_scene.h"

/* A narrow range, so that a code from outside of it would show; one without a range takes all. */
static const struct channel_driver gives = {.name = "gives", .code_min = 1, .code_max = 9};
static const struct channel_driver chooses = {.name = "chooses", .chooses_code = true};
static const struct channel_driver gateway = {.name = "gateway"};

struct stage {
    struct world world;
    struct scene scene;
    struct channel_setup setups[CHANNEL_COUNT];
};

static void stage_open(struct stage *stage, struct store *store, const struct channel_driver *flash)
{
    begin(&stage->scene, &stage->world, store);
    stage->setups[CHANNEL_FLASH_CALL] =
        (struct channel_setup){.driver = flash, .owner = otp_channel_owner};
    stage->setups[CHANNEL_MESSENGER_GATEWAY] =
        (struct channel_setup){.driver = &gateway, .owner = otp_channel_owner};
    stage->world.service.channels = stage->setups;
}

static void stage_close(struct stage *stage)
{
    world_close(&stage->world);
}
#define AUTO_STAGE __attribute__((cleanup(stage_close))) struct stage

static enum err try_create(struct stage *stage, int channel)
{
    struct otp_input input = {
        .channel = channel, .recipient = RECIPIENT, .ttl_seconds = OTP_TTL_DEFAULT_S};
    return world_otp_of(&stage->world, &input, &stage->scene.otp, &stage->scene.refusal);
}

static enum err verify(struct stage *stage, const char *code)
{
    struct otp otp;
    return world_verify(&stage->world, &stage->scene.otp.id, code, &otp, &stage->scene.refusal);
}

/* --- What a provider says --- */

struct answer {
    const struct uuid *otp_id;
    enum send_state state;
    const char *learned_code;
};

static enum err run_answer(struct work *work, void *arg)
{
    const struct answer *answer = arg;
    struct record_list list;
    enum err err = channel_list(work, answer->otp_id, &list);
    if (err) return err;
    assert_int_equal(list.count, 1);
    struct channel_send send = *(struct channel_send *)list.items;
    enum send_state from = (enum send_state)send.state;
    send.state = answer->state;
    if (answer->state == SEND_FAILED) send.error = "refused";
    return channel_move_send(work, &send, from, answer->learned_code);
}

static void answer(struct stage *stage, enum send_state state, const char *learned_code)
{
    struct answer step = {&stage->scene.otp.id, state, learned_code};
    assert_ok(world_run(&stage->world, run_answer, &step));
}

static enum err run_load(struct work *work, void *arg)
{
    struct channel_content *content = arg;
    return otp_channel_owner.load(work, &content->send_id, content);
}

/* Reads what the provider would be given: the owner's id stands in the send's place. */
static enum err load(struct stage *stage, struct channel_content *content)
{
    *content = (struct channel_content){.send_id = stage->scene.otp.id};
    return world_read(&stage->world, run_load, content);
}

static enum err run_fall_back(struct work *work, void *arg)
{
    struct scene *scene = arg;
    return otp_fall_back(work, &scene->otp.id, NULL, &scene->refusal);
}

static enum err fall_back(struct stage *stage)
{
    return world_run(&stage->world, run_fall_back, &stage->scene);
}

/* --- Cases --- */

static void a_code_keeps_to_the_range_of_its_driver(struct store *store)
{
    AUTO_STAGE stage;
    struct channel_content content;
    stage_open(&stage, store, &gives);
    assert_ok(try_create(&stage, OTP_FLASH_CALL));
    assert_int_equal(stage.scene.otp.code_length, 4);
    const char *code = world_code(&stage.world, &stage.scene.otp.id);
    assert_true(strcmp(code, "0001") >= 0 && strcmp(code, "0009") <= 0);
    assert_ok(load(&stage, &content));
    assert_string_equal(content.code, code);
    assert_string_equal(content.recipient, RECIPIENT);
    assert_otp(&stage.scene, OTP_QUEUED, "(null) queued");
}

static void a_messenger_gateway_code_has_six_digits(struct store *store)
{
    AUTO_STAGE stage;
    stage_open(&stage, store, NULL);
    assert_err(try_create(&stage, OTP_FLASH_CALL), ERR_CHANNEL_NOT_CONFIGURED);
    assert_ok(try_create(&stage, OTP_MESSENGER_GATEWAY));
    assert_int_equal(strlen(world_code(&stage.world, &stage.scene.otp.id)), 6);
}

static void progress_only_goes_forward(struct store *store)
{
    static const struct {
        enum send_state state;
        enum otp_state otp;
        const char *sends;
    } steps[] = {
        {SEND_FETCHING, OTP_QUEUED, "(null) claimed"},
        {SEND_ACCEPTED, OTP_ACCEPTED, "(null) accepted"},
        {SEND_SENT, OTP_SENT, "(null) sent"},
        {SEND_DELIVERED, OTP_DELIVERED, "(null) delivered"},
        {SEND_ACCEPTED, OTP_DELIVERED, "(null) accepted"}, /* the code does not go back */
    };
    AUTO_STAGE stage;
    stage_open(&stage, store, &gives);
    assert_ok(try_create(&stage, OTP_FLASH_CALL));
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        answer(&stage, steps[i].state, NULL);
        assert_otp(&stage.scene, steps[i].otp, steps[i].sends);
    }
}

static void an_undelivered_code_frees_its_recipient(struct store *store)
{
    AUTO_STAGE stage;
    stage_open(&stage, store, &gives);
    assert_ok(try_create(&stage, OTP_FLASH_CALL));
    assert_err(try_create(&stage, OTP_FLASH_CALL), ERR_ACTIVE_CHALLENGE_EXISTS);
    struct otp first = stage.scene.otp;
    answer(&stage, SEND_FAILED, NULL);
    assert_otp(&stage.scene, OTP_UNDELIVERED, "(null) failed");
    assert_ok(try_create(&stage, OTP_FLASH_CALL));
    stage.scene.otp = first;
    assert_ok(verify(&stage, world_code(&stage.world, &first.id)));
}

static void an_unknown_outcome_leaves_every_way_open(struct store *store)
{
    AUTO_STAGE stage;
    stage_open(&stage, store, &gives);
    assert_ok(try_create(&stage, OTP_FLASH_CALL));
    answer(&stage, SEND_UNKNOWN, NULL);
    assert_otp(&stage.scene, OTP_QUEUED, "(null) unknown");
    assert_ok(fall_back(&stage));
    assert_otp(&stage.scene, OTP_QUEUED, "(null) unknown, " A " queued");
    assert_ok(verify(&stage, world_code(&stage.world, &stage.scene.otp.id)));
}

static void a_final_code_is_wanted_no_more(struct store *store)
{
    AUTO_STAGE stage;
    struct channel_content content;
    stage_open(&stage, store, &gives);
    assert_ok(try_create(&stage, OTP_FLASH_CALL));
    answer(&stage, SEND_ACCEPTED, NULL);
    assert_ok(verify(&stage, world_code(&stage.world, &stage.scene.otp.id)));
    assert_err(load(&stage, &content), ERR_NOT_FOUND);
    answer(&stage, SEND_FAILED, "1234");
    assert_otp(&stage.scene, OTP_CONFIRMED, "(null) failed");
    assert_null(world_code(&stage.world, &stage.scene.otp.id));
}

static void an_expired_code_is_wanted_no_more(struct store *store)
{
    AUTO_STAGE stage;
    struct channel_content content;
    stage_open(&stage, store, &gives);
    assert_ok(try_create(&stage, OTP_FLASH_CALL));
    stage.world.now_ms = stage.scene.otp.expires_at + 1;
    assert_err(load(&stage, &content), ERR_NOT_FOUND);
    answer(&stage, SEND_FAILED, NULL);
    assert_otp(&stage.scene, OTP_EXPIRED, "(null) failed");
}

/* --- Codes that the provider chooses --- */

static void a_learned_code_counts_once_it_is_told(struct store *store)
{
    AUTO_STAGE stage;
    struct channel_content content;
    stage_open(&stage, store, &chooses);
    assert_ok(try_create(&stage, OTP_FLASH_CALL));
    assert_ok(load(&stage, &content));
    assert_null(content.code);
    assert_err(verify(&stage, "1435"), ERR_CODE_MISMATCH);
    answer(&stage, SEND_FETCHING, NULL);
    assert_err(fall_back(&stage), ERR_CALL_UNDER_WAY);
    answer(&stage, SEND_ACCEPTED, "1435");
    assert_ok(fall_back(&stage));
    struct claimed_task *job = world_claim(&stage.world, &stage.scene.first, A);
    assert_non_null(strstr(job->text, "1435"));
    assert_ok(verify(&stage, "1435"));
}

/* A worker that stood still while the others went over to the new form has to look first, as a
 * request has to. What it knows of the call is kept, and recorded then. */
static void a_learned_code_waits_until_the_form_is_known(struct store *store)
{
    AUTO_STAGE stage;
    struct channel_content content;
    stage_open(&stage, store, &chooses);
    vault_set_forms(stage.world.vault, (struct vault_forms){false, .takes_form_1 = true},
                    clock_monotonic_ms());
    assert_ok(try_create(&stage, OTP_FLASH_CALL));
    answer(&stage, SEND_FETCHING, NULL);
    struct answer late = {&stage.scene.otp.id, SEND_ACCEPTED, "1435"};
    clock_ahead_ms += VAULT_FORMS_MS;
    assert_err(world_run(&stage.world, run_answer, &late), ERR_STORAGE_UNAVAILABLE);
    assert_ok(load(&stage, &content));
    assert_null(content.code);
    vault_set_forms(stage.world.vault, (struct vault_forms){true, .takes_form_1 = true},
                    clock_monotonic_ms());
    answer(&stage, SEND_ACCEPTED, "1435");
    assert_ok(verify(&stage, "1435"));
}

/* Too late for what the provider tells afterwards: the SMS is under way. */
static void fall_back_untold(struct store *store, enum send_state end)
{
    AUTO_STAGE stage;
    stage_open(&stage, store, &chooses);
    assert_ok(try_create(&stage, OTP_FLASH_CALL));
    answer(&stage, end, NULL);
    assert_ok(fall_back(&stage));
    const char *code = world_code(&stage.world, &stage.scene.otp.id);
    assert_int_equal(strlen(code), 4);
    struct claimed_task *job = world_claim(&stage.world, &stage.scene.first, A);
    assert_non_null(strstr(job->text, code));
    answer(&stage, SEND_DELIVERED, "1435");
    assert_ok(verify(&stage, code));
}

static void a_fallback_makes_a_code_after_a_failure(struct store *store)
{
    fall_back_untold(store, SEND_FAILED);
}

static void a_fallback_makes_a_code_after_an_unknown_outcome(struct store *store)
{
    fall_back_untold(store, SEND_UNKNOWN);
}

/* The provider is down, which is what a fallback is for: nothing is called any more. */
static void a_fallback_withdraws_what_was_not_called_yet(struct store *store)
{
    AUTO_STAGE stage;
    stage_open(&stage, store, &chooses);
    assert_ok(try_create(&stage, OTP_FLASH_CALL));
    assert_ok(fall_back(&stage));
    assert_otp(&stage.scene, OTP_QUEUED, "(null) failed, " A " queued");
    const char *code = world_code(&stage.world, &stage.scene.otp.id);
    assert_int_equal(strlen(code), 4);
    assert_ok(verify(&stage, code));
}

/* --- Fallback --- */

static void a_fallback_revives_what_was_undelivered(struct store *store)
{
    AUTO_STAGE stage;
    stage_open(&stage, store, &gives);
    assert_ok(try_create(&stage, OTP_FLASH_CALL));
    answer(&stage, SEND_FAILED, NULL);
    assert_ok(fall_back(&stage));
    assert_ok(fall_back(&stage));
    assert_otp(&stage.scene, OTP_QUEUED, "(null) failed, " A " queued");
    struct otp first = stage.scene.otp;
    assert_err(try_create(&stage, OTP_FLASH_CALL), ERR_ACTIVE_CHALLENGE_EXISTS);
    stage.scene.otp = first;
    struct claimed_task *job = world_claim(&stage.world, &stage.scene.first, A);
    assert_ok(report(&stage.scene, &stage.scene.first, job, PHONE_TASK_STATUS_SENT));
    assert_otp(&stage.scene, OTP_SENT, "(null) failed, " A " sent");
}

static void a_fallback_waits_for_a_newer_code(struct store *store)
{
    AUTO_STAGE stage;
    stage_open(&stage, store, &gives);
    assert_ok(try_create(&stage, OTP_FLASH_CALL));
    answer(&stage, SEND_FAILED, NULL);
    struct otp first = stage.scene.otp;
    assert_ok(try_create(&stage, OTP_FLASH_CALL));
    struct otp second = stage.scene.otp;
    stage.scene.otp = first;
    assert_err(fall_back(&stage), ERR_ACTIVE_CHALLENGE_EXISTS);
    assert_uuid_equal(stage.scene.refusal.active, second.id);
    assert_otp(&stage.scene, OTP_UNDELIVERED, "(null) failed");

    stage.scene.otp = second;
    assert_ok(verify(&stage, world_code(&stage.world, &second.id)));
    stage.scene.otp = first;
    assert_ok(fall_back(&stage));
    assert_otp(&stage.scene, OTP_QUEUED, "(null) failed, " A " queued");
    assert_err(try_create(&stage, OTP_FLASH_CALL), ERR_ACTIVE_CHALLENGE_EXISTS);
    assert_uuid_equal(stage.scene.refusal.active, first.id);
}

static void it_is_undelivered_when_every_send_has_failed(struct store *store)
{
    struct phone_task_result for_good = {.status = PHONE_TASK_STATUS_FAILED, .permanent = true};
    AUTO_STAGE stage;
    stage_open(&stage, store, &gives);
    assert_ok(try_create(&stage, OTP_FLASH_CALL));
    answer(&stage, SEND_ACCEPTED, NULL);
    assert_ok(fall_back(&stage));
    struct claimed_task *job = world_claim(&stage.world, &stage.scene.first, A);
    assert_ok(world_report(&stage.world, &stage.scene.first, &job->id, &for_good));
    assert_otp(&stage.scene, OTP_ACCEPTED, "(null) accepted, " A " failed");
    assert_err(try_create(&stage, OTP_FLASH_CALL), ERR_ACTIVE_CHALLENGE_EXISTS);
    answer(&stage, SEND_FAILED, NULL);
    assert_otp(&stage.scene, OTP_UNDELIVERED, "(null) failed, " A " failed");
}

static void a_fallback_that_waits_keeps_the_code_alive(struct store *store)
{
    AUTO_STAGE stage;
    stage_open(&stage, store, &gives);
    assert_ok(try_create(&stage, OTP_FLASH_CALL));
    assert_ok(fall_back(&stage));
    answer(&stage, SEND_FAILED, NULL);
    assert_otp(&stage.scene, OTP_QUEUED, "(null) failed, " A " queued");
}

static void the_provider_does_not_lower_what_the_sms_reached(struct store *store)
{
    AUTO_STAGE stage;
    stage_open(&stage, store, &gives);
    assert_ok(try_create(&stage, OTP_FLASH_CALL));
    answer(&stage, SEND_FETCHING, NULL);
    assert_ok(fall_back(&stage));
    struct claimed_task *job = world_claim(&stage.world, &stage.scene.first, A);
    assert_ok(report(&stage.scene, &stage.scene.first, job, PHONE_TASK_STATUS_SENT));
    answer(&stage, SEND_ACCEPTED, NULL);
    assert_otp(&stage.scene, OTP_SENT, "(null) accepted, " A " sent");
}

int main(void)
{
    static const struct store_case cases[] = {
        {"a code keeps to the range of its driver", a_code_keeps_to_the_range_of_its_driver, 0},
        {"a messenger gateway code has six digits", a_messenger_gateway_code_has_six_digits, 0},
        {"progress only goes forward", progress_only_goes_forward, 0},
        {"an undelivered code frees its recipient", an_undelivered_code_frees_its_recipient, 0},
        {"an unknown outcome leaves every way open", an_unknown_outcome_leaves_every_way_open, 0},
        {"a final code is wanted no more", a_final_code_is_wanted_no_more, 0},
        {"an expired code is wanted no more", an_expired_code_is_wanted_no_more, 0},
        {"a learned code counts once it is told", a_learned_code_counts_once_it_is_told, 0},
        {"a learned code waits until the form is known",
         a_learned_code_waits_until_the_form_is_known, STORE_SQLITE},
        {"a fallback makes a code after a failure", a_fallback_makes_a_code_after_a_failure, 0},
        {"a fallback makes a code after an unknown outcome",
         a_fallback_makes_a_code_after_an_unknown_outcome, 0},
        {"a fallback withdraws what was not called yet",
         a_fallback_withdraws_what_was_not_called_yet, 0},
        {"a fallback waits for a newer code", a_fallback_waits_for_a_newer_code, 0},
        {"a fallback revives what was undelivered", a_fallback_revives_what_was_undelivered, 0},
        {"it is undelivered when every send has failed",
         it_is_undelivered_when_every_send_has_failed, 0},
        {"a fallback that waits keeps the code alive", a_fallback_that_waits_keeps_the_code_alive,
         0},
        {"the provider does not lower what the SMS reached",
         the_provider_does_not_lower_what_the_sms_reached, 0},
    };
    return store_run_cases("otp channels", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
