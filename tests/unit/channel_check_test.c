/* Sends that are checked before: whether the recipient can be reached, and what became of a send
 * whose fetch had no answer. */
#include "app/setup/migrations.h"
#include "channel_stage.h"

#define CHECKS   "/checkSendAbility "
#define STATUSES "/checkVerificationStatus "
#define SENDS    "/sendVerificationMessage "

static void begin_checked(struct stage *stage, struct store *store, struct reaction then)
{
    begin(stage, store, then);
    stage->scene.setups[CHANNEL_MESSENGER_GATEWAY].config.is_checking = true;
}

/* The first send is cut; a moment later its state is asked for. */
static void send_without_an_answer(struct stage *stage)
{
    stage->provider.first_count = 1;
    start_worker(stage);
    queue(stage, CHANNEL_MESSENGER_GATEWAY, 1, 1);
    await_count(stage, "channel_send WHERE state = 'calling' AND error IS NOT NULL", 1);
    assert_int_equal(count_requests(&stage->provider, STATUSES), 0);
    hurry(stage);
}

static void a_send_is_free_by_the_id_of_its_check(struct store *store)
{
    struct stage stage;
    begin_checked(&stage, store, (struct reaction){.body = TELEGRAM_GATEWAY_OK});
    start_worker(&stage);
    queue(&stage, CHANNEL_MESSENGER_GATEWAY, 1, 1);
    await_count(&stage, "channel_send WHERE state = 'accepted'", 1);
    assert_int_equal(count_requests(&stage.provider, CHECKS), 1);
    assert_int_equal(count_requests(&stage.provider, "{\"phone_number\":\"+79160000001\"}"), 1);
    assert_int_equal(count_requests(&stage.provider, "\"request_id\":\"g-1\""), 1);
    assert_int_equal(stage.provider.sends, 1);
    assert_int_equal(scene_send(&stage.scene, 1).attempt, 1);
    /* Each fetch is a step of its timeline. */
    await_count(&stage, "channel_send WHERE steps LIKE 'k% odone_f%_f% odone_'", 1);
    end(&stage);
}

static void who_cannot_be_reached_is_sent_nothing(struct store *store)
{
    struct stage stage;
    begin_checked(&stage, store, (struct reaction){.body = TELEGRAM_GATEWAY_OK});
    stage.provider.ability = REFUSAL("PHONE_NUMBER_NOT_FOUND");
    start_worker(&stage);
    queue(&stage, CHANNEL_MESSENGER_GATEWAY, 1, 1);
    await_count(&stage, "channel_send WHERE state = 'failed'", 1);
    assert_send(&stage.scene, 1, SEND_FAILED, "PHONE_NUMBER_NOT_FOUND");
    assert_int_equal(scene_owner(&stage.scene, 1).state, SEND_FAILED);
    await_count(&stage, "job", 0);
    assert_int_equal(stage.provider.sends, 0);
    end(&stage);
}

/* A check sends nothing, so whatever came of it, it is made again. */
static void a_check_without_an_answer_is_repeated(struct store *store)
{
    struct stage stage;
    begin_checked(&stage, store, (struct reaction){.body = TELEGRAM_GATEWAY_OK});
    stage.provider.ability = "nonsense";
    start_worker(&stage);
    queue(&stage, CHANNEL_MESSENGER_GATEWAY, 1, 1);
    await_count(&stage, "channel_send WHERE error IS NOT NULL", 1);
    assert_send(&stage.scene, 1, SEND_QUEUED, "HTTP 200, with an answer that cannot be read");
    stage.provider.ability = TELEGRAM_GATEWAY_OK;
    hurry(&stage);
    await_count(&stage, "channel_send WHERE state = 'accepted'", 1);
    assert_int_equal(count_requests(&stage.provider, CHECKS), 2);
    assert_int_equal(stage.provider.sends, 1);
    end(&stage);
}

static void no_balance_for_a_check_opens_the_circuit(struct store *store)
{
    struct stage stage;
    begin_checked(&stage, store, (struct reaction){.body = TELEGRAM_GATEWAY_OK});
    stage.provider.ability = REFUSAL("BALANCE_NOT_ENOUGH");
    start_worker(&stage);
    queue(&stage, CHANNEL_MESSENGER_GATEWAY, 1, 1);
    await_count(&stage, "channel_circuit WHERE open_until > 0", 1);
    await_count(&stage,
                "channel_send WHERE state = 'queued' AND error LIKE 'the provider refused"
                " the credentials%'",
                1);
    end(&stage);
}

static void what_went_out_is_not_sent_again(struct store *store)
{
    static const struct {
        const char *status;
        enum send_state state;
        const char *error;
    } rows[] = {
        {TELEGRAM_GATEWAY_STATUS("delivered"), SEND_DELIVERED, NULL},
        {TELEGRAM_GATEWAY_STATUS("sent"), SEND_SENT, NULL},
        {TELEGRAM_GATEWAY_STATUS("expired"), SEND_FAILED, "expired"},
        {TELEGRAM_GATEWAY_STATUS("a word of next year"), SEND_ACCEPTED, NULL},
        {REFUSAL("REQUEST_ID_INVALID"), SEND_UNKNOWN, "REQUEST_ID_INVALID"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct stage stage;
        begin_checked(&stage, store, (struct reaction){.body = TELEGRAM_GATEWAY_OK});
        scene_sql(&stage.scene, "DELETE FROM channel_send");
        scene_sql(&stage.scene, "DELETE FROM job");
        stage.provider.status = rows[i].status;
        send_without_an_answer(&stage);
        await_count(&stage, "job WHERE kind LIKE '%/send'", 0);
        assert_send(&stage.scene, 1, rows[i].state, rows[i].error);
        assert_int_equal(stage.provider.sends, 1);
        end(&stage);
    }
}

static void what_did_not_go_out_is_sent_by_the_same_id(struct store *store)
{
    struct stage stage;
    begin_checked(&stage, store, (struct reaction){.body = TELEGRAM_GATEWAY_OK});
    send_without_an_answer(&stage);
    await_count(&stage, "channel_send WHERE state = 'accepted'", 1);
    await_count(&stage,
                "channel_send WHERE steps LIKE"
                " 'k% odone_f%_f% ounknown%_p% odone%_f%_f% odone_'",
                1);
    assert_int_equal(count_requests(&stage.provider, STATUSES), 1);
    assert_int_equal(count_requests(&stage.provider, CHECKS), 1);
    assert_int_equal(count_requests(&stage.provider, SENDS), 2);
    assert_int_equal(count_requests(&stage.provider, "\"request_id\":\"g-1\""), 3);
    end(&stage);
}

static void it_is_sent_twice_at_most(struct store *store)
{
    struct stage stage;
    begin_checked(&stage, store, (struct reaction){.body = TELEGRAM_GATEWAY_OK});
    send_without_an_answer(&stage);
    stage.provider.first_count = CALLS_MAX;
    await_requests(&stage, SENDS, 2);
    await_count(&stage, "job WHERE lease_id IS NULL AND attempt = 4", 1);
    hurry(&stage);
    await_count(&stage, "channel_send WHERE state = 'unknown'", 1);
    await_count(&stage, "job", 0);
    assert_int_equal(count_requests(&stage.provider, STATUSES), 2);
    assert_int_equal(count_requests(&stage.provider, SENDS), 2);
    end(&stage);
}

static void a_fetch_left_behind_is_asked_for(struct store *store)
{
    struct stage stage;
    begin_checked(&stage, store, (struct reaction){.body = TELEGRAM_GATEWAY_OK});
    stage.provider.status = TELEGRAM_GATEWAY_STATUS("delivered");
    queue(&stage, CHANNEL_MESSENGER_GATEWAY, 1, 1);
    scene_sql(&stage.scene,
              "UPDATE channel_send SET state = 'calling', attempt = 1, provider_id = 'g-1'");
    scene_sql(&stage.scene, "UPDATE job SET attempt = 1, lease_id = subject, due_at_ms = 1");
    start_worker(&stage);
    await_count(&stage, "channel_send WHERE state = 'delivered'", 1);
    assert_int_equal(stage.provider.sends, 0);
    end(&stage);
}

static void what_is_canceled_during_its_check_is_not_sent(struct store *store)
{
    struct stage stage;
    begin_checked(&stage, store, (struct reaction){.body = TELEGRAM_GATEWAY_OK});
    stage.provider.ability = "nonsense"; /* so that it waits */
    start_worker(&stage);
    queue(&stage, CHANNEL_MESSENGER_GATEWAY, 1, 1);
    await_count(&stage, "channel_send WHERE error IS NOT NULL", 1);
    scene_end(&stage.scene, 1, NULL);
    stage.provider.ability = TELEGRAM_GATEWAY_OK;
    hurry(&stage);
    await_count(&stage, "job", 0);
    assert_send(&stage.scene, 1, SEND_FAILED, "the test ended it");
    assert_int_equal(stage.provider.sends, 0);
    end(&stage);
}

int main(void)
{
    static const struct store_case cases[] = {
        {"a send is free by the id of its check", a_send_is_free_by_the_id_of_its_check},
        {"who cannot be reached is sent nothing", who_cannot_be_reached_is_sent_nothing},
        {"a check without an answer is repeated", a_check_without_an_answer_is_repeated},
        {"no balance for a check opens the circuit", no_balance_for_a_check_opens_the_circuit},
        {"what went out is not sent again", what_went_out_is_not_sent_again},
        {"what did not go out is sent by the same id", what_did_not_go_out_is_sent_by_the_same_id},
        {"it is sent twice at most", it_is_sent_twice_at_most},
        {"a fetch left behind is asked for", a_fetch_left_behind_is_asked_for},
        {"what is canceled during its check is not sent",
         what_is_canceled_during_its_check_is_not_sent},
    };
    return store_run_cases("channel_check", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
