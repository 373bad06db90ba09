/* These tests show what becomes of a send by what the provider answers, and what is asked or told
 * afterwards. */
#include "app/setup/migrations.h"
#include "channel_stage.h"

#define CODE_IS_KEPT "channel_send WHERE success_code IS NOT NULL"

/* --- Outcomes --- */

struct outcome_row {
    const char *name;
    struct reaction reaction;
    enum send_state state;
    const char *error;
};

static void assert_outcome(struct store *store, enum channel channel, const struct outcome_row *row)
{
    struct stage stage;
    begin(&stage, store, row->reaction);
    scene_sql(&stage.scene, "DELETE FROM channel_send");
    scene_sql(&stage.scene, "DELETE FROM job");
    start_worker(&stage);
    queue(&stage, channel, 1, 1);
    await_count(&stage, "channel_send WHERE state IN ('queued', 'calling') AND attempt < 2", 0);
    /* It never goes out again, whatever happens. */
    hurry(&stage);
    sleep_ms(LINGER_MS);
    assert_send(&stage.scene, 1, row->state, row->error);
    assert_int_equal(stage.provider.sends, 1);
    assert_int_equal(scene_owner(&stage.scene, 1).told, 1);
    assert_int_equal(scene_owner(&stage.scene, 1).state, row->state);
    assert_int_equal(scene_count(&stage.scene, "job WHERE kind LIKE '%/send'"), 0);
    end(&stage);
}

static void telegram_gateway_answers(struct store *store)
{
    static const struct outcome_row rows[] = {
        {"done", {0, TELEGRAM_GATEWAY_OK, false}, SEND_ACCEPTED, NULL},
        {"permanent",
         {0, REFUSAL("PHONE_NUMBER_INVALID"), false},
         SEND_FAILED,
         "PHONE_NUMBER_INVALID"},
        {"cut",
         {0, NULL, false},
         SEND_UNKNOWN,
         "the server closed the connection without an answer"},
        {"nonsense",
         {0, "nonsense", false},
         SEND_UNKNOWN,
         "HTTP 200, with an answer that cannot be read"},
        {"a server's error",
         {502, "<html>", false},
         SEND_UNKNOWN,
         "HTTP 502, with an answer that cannot be read"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_outcome(store, CHANNEL_MESSENGER_GATEWAY, &rows[i]);
}

static void ucaller_answers(struct store *store)
{
    static const struct outcome_row rows[] = {
        {"done", {0, UCALLER_OK, false}, SEND_ACCEPTED, NULL},
        {"permanent",
         {0, "{\"status\":false,\"error\":\"no such number\",\"code\":3}", false},
         SEND_FAILED,
         "3: no such number"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_outcome(store, CHANNEL_FLASH_CALL, &rows[i]);
}

static void an_accepted_send_is_complete(struct store *store)
{
    struct stage stage;
    begin(&stage, store, (struct reaction){.body = TELEGRAM_GATEWAY_OK});
    start_worker(&stage);
    queue(&stage, CHANNEL_MESSENGER_GATEWAY, 1, 1);
    await_count(&stage, "channel_send WHERE state = 'accepted'", 1);
    struct channel_send send = scene_send(&stage.scene, 1);
    assert_string_equal(send.provider_id, "g-1");
    assert_int_equal(send.attempt, 1);
    assert_int_equal(count_requests(&stage.provider, "+79160000001"), 1);
    assert_int_equal(count_requests(&stage.provider, "\"code\":\"0042\""), 1);
    await_count(&stage, "log_entry WHERE message = 'send changed'", 1);
    end(&stage);
}

static void a_limit_is_waited_for(struct store *store)
{
    struct stage stage;
    begin(&stage, store, (struct reaction){.body = TELEGRAM_GATEWAY_OK});
    stage.provider.first = (struct reaction){.body = REFUSAL("FLOOD_WAIT_2")};
    stage.provider.first_count = 1;
    start_worker(&stage);
    int64_t start_ms = clock_monotonic_ms();
    queue(&stage, CHANNEL_MESSENGER_GATEWAY, 1, 1);
    await_count(&stage, "channel_send WHERE state = 'queued' AND attempt = 1", 1);
    assert_send(&stage.scene, 1, SEND_QUEUED, "FLOOD_WAIT_2");
    await_count(&stage, "channel_send WHERE state = 'accepted'", 1);
    assert_true(clock_monotonic_ms() - start_ms >= 2000);
    assert_send(&stage.scene, 1, SEND_ACCEPTED, NULL);
    assert_int_equal(scene_send(&stage.scene, 1).attempt, 2);
    end(&stage);
}

static void a_limit_beyond_its_time_is_its_end(struct store *store)
{
    struct stage stage;
    begin(&stage, store, (struct reaction){.body = REFUSAL("FLOOD_WAIT_300")});
    start_worker(&stage);
    queue(&stage, CHANNEL_MESSENGER_GATEWAY, 1, 1);
    await_count(&stage, "channel_send WHERE state = 'failed'", 1);
    assert_send(&stage.scene, 1, SEND_FAILED, "FLOOD_WAIT_300");
    end(&stage);
}

static void without_a_server_nothing_went_out(struct store *store)
{
    struct stage stage;
    begin(&stage, store, (struct reaction){.body = TELEGRAM_GATEWAY_OK});
    stage.scene.setups[CHANNEL_MESSENGER_GATEWAY].config.base_url = "http://127.0.0.1:1";
    start_worker(&stage);
    queue(&stage, CHANNEL_MESSENGER_GATEWAY, 1, 1);
    await_count(&stage,
                "channel_send WHERE state = 'queued' AND attempt >= 1 AND "
                "error = 'no connection to the server'",
                1);
    assert_int_equal(scene_owner(&stage.scene, 1).told, 0);
    end(&stage);
}

/* uCaller knows a repeat by `unique`; until it answers, the call may have been made. */
static void what_may_be_out_is_repeated_as_the_same(struct store *store)
{
    char unique[UUID_TEXT_LEN + 1];
    struct stage stage;
    begin(&stage, store, (struct reaction){.body = UCALLER_OK});
    stage.provider.first_count = 1; /* cut */
    start_worker(&stage);
    queue(&stage, CHANNEL_FLASH_CALL, 1, 1);
    await_count(&stage, "channel_send WHERE error IS NOT NULL", 1);
    assert_send(&stage.scene, 1, SEND_FETCHING,
                "the server closed the connection without an answer");
    await_count(&stage, "channel_send WHERE state = 'accepted'", 1);
    struct channel_send send = scene_send(&stage.scene, 1);
    assert_int_equal(send.attempt, 2);
    uuid_format(&send.id, unique);
    assert_int_equal(count_requests(&stage.provider, unique), 2);
    end(&stage);
}

/* A cancel does not make undone what may be out, nor does the end of its time. */
static void what_may_be_out_ends_as_unknown(struct store *store)
{
    struct stage stage;
    begin(&stage, store, (struct reaction){0}); /* cut */
    start_worker(&stage);
    queue(&stage, CHANNEL_FLASH_CALL, 1, 2);
    await_count(&stage, "channel_send WHERE error IS NOT NULL AND state = 'calling'", 2);
    scene_end(&stage.scene, 1, NULL);
    scene_sql(&stage.scene, "UPDATE channel_send SET expires_at = 1 WHERE owner_id <> "
                            "(SELECT owner_id FROM channel_send ORDER BY id LIMIT 1)");
    hurry(&stage);
    await_count(&stage, "channel_send WHERE state = 'unknown'", 2);
    assert_int_equal(stage.provider.sends, 2);
    end(&stage);
}

/* --- The circuit --- */

static void no_balance_opens_the_circuit(struct store *store)
{
    struct stage stage;
    begin(&stage, store, (struct reaction){.body = TELEGRAM_GATEWAY_OK});
    stage.provider.first = (struct reaction){.body = REFUSAL("BALANCE_NOT_ENOUGH")};
    stage.provider.first_count = 2;
    start_worker(&stage);
    queue(&stage, CHANNEL_MESSENGER_GATEWAY, 1, 1);
    await_count(&stage, "channel_circuit WHERE open_until > 0", 1);
    assert_err(scene_check(&stage.scene, CHANNEL_MESSENGER_GATEWAY), ERR_CIRCUIT_OPEN);
    assert_ok(scene_check(&stage.scene, CHANNEL_FLASH_CALL));

    /* Nothing is fetched while it is open. */
    queue(&stage, CHANNEL_MESSENGER_GATEWAY, 2, 9);
    hurry(&stage);
    sleep_ms(LINGER_MS);
    assert_int_equal(stage.provider.sends, 1);
    await_count(&stage, "channel_send WHERE state = 'queued'", 10);

    /* One probe, which fails. */
    the_clock_is_at_the_probe(&stage, CHANNEL_MESSENGER_GATEWAY);
    hurry(&stage);
    await_count(&stage, "log_entry WHERE message LIKE 'channel closed%'", 2);
    sleep_ms(LINGER_MS);
    assert_int_equal(stage.provider.sends, 2);

    /* And one that goes well. */
    the_clock_is_at_the_probe(&stage, CHANNEL_MESSENGER_GATEWAY);
    hurry(&stage);
    await_count(&stage, "channel_send WHERE state = 'accepted'", 10);
    await_count(&stage, "channel_circuit WHERE open_until = 0", 1);
    assert_int_equal(stage.provider.sends, 12);
    assert_ok(scene_check(&stage.scene, CHANNEL_MESSENGER_GATEWAY));
    end(&stage);
}

static void a_provider_that_is_down_opens_the_circuit_only_once(struct store *store)
{
    struct stage stage;
    begin(&stage, store, (struct reaction){.is_slow = true}); /* and then cut */
    start_worker(&stage);
    queue(&stage, CHANNEL_MESSENGER_GATEWAY, 1, 40);
    await_requests(&stage, "sendVerificationMessage", 40);
    stage.provider.is_let_go = true;
    await_count(&stage, "channel_send WHERE state = 'unknown'", 40);
    await_count(&stage, "channel_circuit WHERE open_until > 0", 1);
    await_count(&stage, "log_entry WHERE message = 'send changed'", 40);
    assert_int_equal(scene_count(&stage.scene, "log_entry WHERE message LIKE 'channel closed%'"),
                     1);
    end(&stage);
}

/* Another process has found out that the provider does not serve. */
static void a_circuit_of_another_process_is_kept_to(struct store *store)
{
    struct stage stage;
    begin(&stage, store, (struct reaction){.body = TELEGRAM_GATEWAY_OK});
    int64_t open_until = clock_now_ms() + MINUTE_MS;
    scene_sql(&stage.scene, arena_printf(stage.scene.world.arena,
                                         "INSERT INTO channel_circuit (channel, open_until) VALUES "
                                         "('messenger_gateway', %lld)",
                                         (long long)open_until));
    queue(&stage, CHANNEL_MESSENGER_GATEWAY, 1, 3);
    queue(&stage, CHANNEL_FLASH_CALL, 4, 1);
    start_worker(&stage);
    const char *put_off = arena_printf(stage.scene.world.arena,
                                       "job WHERE kind = 'messenger_gateway/send' AND "
                                       "run_at_ms = %lld",
                                       (long long)open_until);
    await_count(&stage, put_off, 3);
    await_requests(&stage, "/initCall ", 1);
    assert_int_equal(count_requests(&stage.provider, "sendVerificationMessage"), 0);
    scene_sql(&stage.scene, "UPDATE channel_circuit SET open_until = 0");
    hurry(&stage);
    await_count(&stage,
                "channel_send WHERE state = 'accepted' AND "
                "channel = 'messenger_gateway'",
                3);
    end(&stage);
}

/* --- Owners and channels that went --- */

static void a_channel_without_a_driver_ends_its_sends(struct store *store)
{
    struct stage stage;
    begin(&stage, store, (struct reaction){.body = TELEGRAM_GATEWAY_OK});
    queue(&stage, CHANNEL_MESSENGER_BOT, 1, 3);
    nobody_serves(&stage);
    queue(&stage, CHANNEL_MESSENGER_BOT, 4, 1); /* a worker with a driver may take it */
    queue(&stage, CHANNEL_MESSENGER_GATEWAY, 5, 1);
    start_worker(&stage);
    await_count(&stage, "channel_send WHERE state = 'failed'", 3);
    assert_send(&stage.scene, 1, SEND_FAILED, "the channel has no driver any more");
    await_count(&stage, "channel_send WHERE state = 'accepted'", 1);
    sleep_ms(CHANNEL_POLL_MS + LINGER_MS);
    assert_send(&stage.scene, 4, SEND_QUEUED, NULL);
    assert_int_equal(
        scene_count(&stage.scene, "job WHERE kind LIKE 'messenger_bot/%' AND attempt = 0"), 1);
    nobody_serves(&stage);
    await_count(&stage, "channel_send WHERE state = 'failed'", 4);
    end(&stage);
}

static void what_is_not_wanted_does_not_go_out(struct store *store)
{
    struct stage stage;
    begin(&stage, store, (struct reaction){.body = TELEGRAM_GATEWAY_OK});
    queue(&stage, CHANNEL_MESSENGER_GATEWAY, 1, 3);
    scene_end(&stage.scene, 1, NULL); /* says so */
    scene_end_owner(&stage.scene, 2); /* is found so */
    scene_queue(&stage.scene, CHANNEL_MESSENGER_GATEWAY, 4, 1, 0);
    scene_queue(&stage.scene, CHANNEL_MESSENGER_GATEWAY, 5, 1, TTL_MS);
    scene_sql(&stage.scene, "DELETE FROM channel_send WHERE owner_id = "
                            "(SELECT owner_id FROM channel_send ORDER BY id DESC LIMIT 1)");
    start_worker(&stage);
    await_count(&stage, "job WHERE kind LIKE '%/send'", 0);
    assert_send(&stage.scene, 1, SEND_FAILED, "the test ended it");
    assert_send(&stage.scene, 2, SEND_FAILED, "it is not wanted any more");
    assert_send(&stage.scene, 3, SEND_ACCEPTED, NULL);
    assert_send(&stage.scene, 4, SEND_FAILED, "there was no time left");
    assert_int_equal(stage.provider.sends, 1);
    end(&stage);
}

static void a_row_that_cannot_be_read_holds_up_nobody(struct store *store)
{
    struct stage stage;
    begin(&stage, store, (struct reaction){.body = TELEGRAM_GATEWAY_OK});
    queue(&stage, CHANNEL_MESSENGER_GATEWAY, 1, 1);
    scene_sql(&stage.scene, "UPDATE channel_send SET state = 'dreaming'");
    queue(&stage, CHANNEL_MESSENGER_GATEWAY, 2, 70);
    start_worker(&stage);
    await_count(&stage, "channel_send WHERE state = 'accepted'", 70);
    assert_int_equal(scene_count(&stage.scene, "channel_send WHERE state = 'dreaming'"), 1);
    assert_int_equal(scene_count(&stage.scene, "job WHERE kind LIKE '%/send'"), 1);
    end(&stage);
}

/* Its send is over, and the owner cannot be told. */
static void an_owner_that_cannot_be_read_holds_up_nobody(struct store *store)
{
    struct stage stage;
    begin(&stage, store, (struct reaction){.body = TELEGRAM_GATEWAY_OK});
    stage.scene.owners[1].is_broken = true;
    scene_queue(&stage.scene, CHANNEL_MESSENGER_GATEWAY, 1, 1, 0);
    scene_queue(&stage.scene, CHANNEL_MESSENGER_GATEWAY, 2, 1, 0);
    queue(&stage, CHANNEL_MESSENGER_GATEWAY, 3, 70);
    start_worker(&stage);
    await_count(&stage, "channel_send WHERE state = 'accepted'", 70);
    await_count(&stage, "channel_send WHERE state = 'failed' AND error = 'there was no time left'",
                1);
    assert_send(&stage.scene, 1, SEND_QUEUED, NULL);
    assert_int_equal(scene_count(&stage.scene, "job WHERE kind LIKE '%/send'"), 1);
    end(&stage);
}

static void a_cancel_during_the_fetch_is_made_good(struct store *store)
{
    struct stage stage;
    begin(&stage, store, (struct reaction){.body = TELEGRAM_GATEWAY_OK, .is_slow = true});
    start_worker(&stage);
    queue(&stage, CHANNEL_MESSENGER_GATEWAY, 1, 1);
    await_requests(&stage, "sendVerificationMessage", 1);
    scene_end(&stage.scene, 1, NULL);
    assert_send(&stage.scene, 1, SEND_FETCHING, NULL);
    stage.provider.is_let_go = true;
    await_requests(&stage, "revokeVerificationMessage", 1);
    await_count(&stage, "job", 0);
    assert_send(&stage.scene, 1, SEND_ACCEPTED, NULL);
    end(&stage);
}

/* Somebody else's send brought the code: the provider has nothing to take back. */
static void a_right_code_during_the_fetch_is_reported(struct store *store)
{
    struct stage stage;
    begin(&stage, store, (struct reaction){.body = TELEGRAM_GATEWAY_OK, .is_slow = true});
    start_worker(&stage);
    queue(&stage, CHANNEL_MESSENGER_GATEWAY, 1, 1);
    await_requests(&stage, "sendVerificationMessage", 1);
    scene_end(&stage.scene, 1, "0042");
    assert_int_equal(scene_count(&stage.scene, CODE_IS_KEPT), 1);
    stage.provider.is_let_go = true;
    await_requests(&stage, "\"request_id\":\"g-1\",\"code\":\"0042\"", 1);
    await_count(&stage, "job", 0);
    assert_send(&stage.scene, 1, SEND_ACCEPTED, NULL);
    assert_int_equal(scene_count(&stage.scene, CODE_IS_KEPT), 0);
    assert_int_equal(count_requests(&stage.provider, "revokeVerificationMessage"), 0);
    end(&stage);
}

static void the_right_code_is_reported(struct store *store)
{
    struct stage stage;
    begin(&stage, store, (struct reaction){.body = TELEGRAM_GATEWAY_OK});
    start_worker(&stage);
    queue(&stage, CHANNEL_MESSENGER_GATEWAY, 1, 1);
    await_count(&stage, "channel_send WHERE state = 'accepted'", 1);
    scene_end(&stage.scene, 1, "0042");
    channel_worker_wake(stage.worker);
    await_requests(&stage, "checkVerificationStatus", 1);
    assert_int_equal(count_requests(&stage.provider, "\"request_id\":\"g-1\",\"code\":\"0042\""),
                     1);
    await_count(&stage, "job WHERE kind LIKE '%/success'", 0);
    assert_int_equal(scene_count(&stage.scene, CODE_IS_KEPT), 0);
    end(&stage);
}

/* A send that is with the provider, and whose owner is confirmed. */
static void leave_a_success(struct stage *stage)
{
    queue(stage, CHANNEL_MESSENGER_GATEWAY, 1, 1);
    scene_sql(&stage->scene, "DELETE FROM job");
    scene_sql(&stage->scene, "UPDATE channel_send SET state = 'accepted', provider_id = 'g-1'");
    scene_end(&stage->scene, 1, "0042");
    assert_int_equal(scene_count(&stage->scene, "job"), 1);
    assert_int_equal(scene_count(&stage->scene, CODE_IS_KEPT), 1);
}

static void the_right_code_is_erased_without_a_driver(struct store *store)
{
    struct stage stage;
    begin(&stage, store, (struct reaction){.body = TELEGRAM_GATEWAY_OK});
    leave_a_success(&stage);
    stage.scene.setups[CHANNEL_MESSENGER_GATEWAY].driver = NULL;
    nobody_serves(&stage);
    start_worker(&stage);
    await_count(&stage, "job", 0);
    assert_int_equal(scene_count(&stage.scene, CODE_IS_KEPT), 0);
    end(&stage);
}

static void the_right_code_is_erased_when_its_time_is_over(struct store *store)
{
    struct stage stage;
    begin(&stage, store, (struct reaction){.body = TELEGRAM_GATEWAY_OK});
    leave_a_success(&stage);
    scene_sql(&stage.scene, "UPDATE channel_send SET expires_at = 1");
    start_worker(&stage);
    await_count(&stage, "job", 0);
    assert_int_equal(scene_count(&stage.scene, CODE_IS_KEPT), 0);
    assert_int_equal(stage.provider.request_count, 0);
    end(&stage);
}

static void the_right_code_is_erased_when_it_is_given_up(struct store *store)
{
    struct stage stage;
    begin(&stage, store, (struct reaction){.body = TELEGRAM_GATEWAY_OK});
    leave_a_success(&stage);
    stage.scene.setups[CHANNEL_MESSENGER_GATEWAY].config.base_url = "http://127.0.0.1:1";
    start_worker(&stage);
    for (int attempt = 1; attempt < 5; attempt++) {
        const char *is_over = arena_printf(stage.scene.world.arena,
                                           "job WHERE lease_id IS NULL AND attempt = %d", attempt);
        await_count(&stage, is_over, 1);
        assert_int_equal(scene_count(&stage.scene, CODE_IS_KEPT), 1);
        hurry(&stage);
    }
    await_count(&stage, "job", 0);
    assert_int_equal(scene_count(&stage.scene, CODE_IS_KEPT), 0);
    end(&stage);
}

static void the_state_is_asked_for_until_its_time_is_over(struct store *store)
{
    struct stage stage;
    begin(&stage, store, (struct reaction){.body = TELEGRAM_GATEWAY_OK});
    start_worker(&stage);
    queue(&stage, CHANNEL_MESSENGER_GATEWAY, 1, 1);
    await_count(&stage, "job WHERE kind = 'messenger_gateway/status'", 1);
    for (int i = 1; i <= 3; i++) {
        hurry(&stage);
        await_requests(&stage, "checkVerificationStatus", i);
        await_count(&stage, "job WHERE lease_id IS NULL", 1);
    }
    scene_sql(&stage.scene, "UPDATE channel_send SET expires_at = 1");
    hurry(&stage);
    await_count(&stage, "job", 0);
    assert_int_equal(count_requests(&stage.provider, "checkVerificationStatus"), 4);
    end(&stage);
}

static void the_last_state_ends_the_asking(struct store *store)
{
    struct stage stage;
    begin(&stage, store, (struct reaction){.body = TELEGRAM_GATEWAY_OK});
    stage.provider.status = TELEGRAM_GATEWAY_STATUS("delivered");
    start_worker(&stage);
    queue(&stage, CHANNEL_MESSENGER_GATEWAY, 1, 1);
    await_count(&stage, "job WHERE kind = 'messenger_gateway/status'", 1);
    hurry(&stage);
    await_count(&stage, "job", 0);
    assert_send(&stage.scene, 1, SEND_DELIVERED, NULL);
    assert_int_equal(count_requests(&stage.provider, "checkVerificationStatus"), 1);
    end(&stage);
}

int main(void)
{
    static const struct store_case cases[] = {
        {"Telegram Gateway answers", telegram_gateway_answers},
        {"uCaller answers", ucaller_answers},
        {"an accepted send is complete", an_accepted_send_is_complete},
        {"a limit is waited for", a_limit_is_waited_for},
        {"a limit beyond its time is its end", a_limit_beyond_its_time_is_its_end},
        {"without a server nothing went out", without_a_server_nothing_went_out},
        {"what may be out is repeated as the same", what_may_be_out_is_repeated_as_the_same},
        {"what may be out ends as unknown", what_may_be_out_ends_as_unknown},
        {"no balance opens the circuit", no_balance_opens_the_circuit},
        {"a provider that is down opens the circuit only once",
         a_provider_that_is_down_opens_the_circuit_only_once},
        {"a circuit of another process is kept to", a_circuit_of_another_process_is_kept_to},
        {"a channel without a driver ends its sends", a_channel_without_a_driver_ends_its_sends},
        {"what is not wanted does not go out", what_is_not_wanted_does_not_go_out},
        {"a row that cannot be read holds up nobody", a_row_that_cannot_be_read_holds_up_nobody},
        {"an owner that cannot be read holds up nobody",
         an_owner_that_cannot_be_read_holds_up_nobody},
        {"a cancel during the fetch is made good", a_cancel_during_the_fetch_is_made_good},
        {"a right code during the fetch is reported", a_right_code_during_the_fetch_is_reported},
        {"the right code is reported", the_right_code_is_reported},
        {"the right code is erased without a driver", the_right_code_is_erased_without_a_driver},
        {"the right code is erased when its time is over",
         the_right_code_is_erased_when_its_time_is_over},
        {"the right code is erased when it is given up",
         the_right_code_is_erased_when_it_is_given_up},
        {"the state is asked for until its time is over",
         the_state_is_asked_for_until_its_time_is_over},
        {"the last state ends the asking", the_last_state_ends_the_asking},
    };
    return store_run_cases("channel_job", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
