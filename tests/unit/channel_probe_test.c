/* The bot's getMe: asked at the start, and instead of a send while the circuit is open. */
#include "app/setup/migrations.h"
#include "channel_stage.h"

static void begin_bot(struct stage *stage, struct store *store)
{
    begin(stage, store, (struct reaction){.body = BOT_OK});
    set_up_driver(stage, CHANNEL_MESSENGER_BOT, &driver_telegram_bot);
}

static void good_credentials_are_no_news(struct store *store)
{
    struct stage stage;
    begin_bot(&stage, store);
    start_worker(&stage);
    await_requests(&stage, "GET /bottoken/getMe ", 1);
    queue(&stage, CHANNEL_MESSENGER_BOT, 1, 1);
    await_count(&stage, "channel_send WHERE state = 'sent'", 1);
    sleep_ms(CHANNEL_POLL_MS + LINGER_MS);
    assert_int_equal(count_requests(&stage.provider, "/getMe "), 1);
    assert_int_equal(scene_count(&stage.scene, "channel_circuit"), 0);
    end(&stage);
}

static void bad_credentials_close_the_channel_at_the_start(struct store *store)
{
    struct stage stage;
    begin_bot(&stage, store);
    stage.provider.me = BOT_REFUSAL;
    start_worker(&stage);
    await_count(&stage, "channel_circuit WHERE reason LIKE 'the provider refused the credentials%'",
                1);
    assert_err(scene_check(&stage.scene, CHANNEL_MESSENGER_BOT), ERR_CIRCUIT_OPEN);
    assert_ok(scene_check(&stage.scene, CHANNEL_MESSENGER_GATEWAY));
    await_count(&stage, "log_entry WHERE level = 3 AND message LIKE 'channel closed%'", 1);
    queue(&stage, CHANNEL_MESSENGER_BOT, 1, 3);
    sleep_ms(CHANNEL_POLL_MS + LINGER_MS);
    assert_int_equal(stage.provider.sends, 0);
    assert_int_equal(count_requests(&stage.provider, "/getMe "), 1);
    end(&stage);
}

/* That may pass before anybody wants a send. */
static void a_provider_that_is_away_at_the_start_closes_nothing(struct store *store)
{
    struct stage stage;
    begin_bot(&stage, store);
    stage.scene.setups[CHANNEL_MESSENGER_BOT].config.base_url = "http://127.0.0.1:1";
    start_worker(&stage);
    sleep_ms(CHANNEL_POLL_MS + LINGER_MS);
    assert_ok(scene_check(&stage.scene, CHANNEL_MESSENGER_BOT));
    assert_int_equal(scene_count(&stage.scene, "channel_circuit"), 0);
    end(&stage);
}

static void no_send_is_risked_while_the_circuit_is_open(struct store *store)
{
    struct stage stage;
    begin_bot(&stage, store);
    stage.provider.first = (struct reaction){.body = BOT_REFUSAL};
    stage.provider.first_count = 1;
    start_worker(&stage);
    await_requests(&stage, "/getMe ", 1);
    queue(&stage, CHANNEL_MESSENGER_BOT, 1, 1);
    await_count(&stage, "channel_circuit WHERE open_until > 0", 1);
    queue(&stage, CHANNEL_MESSENGER_BOT, 2, 4);

    /* A probe that fails opens it for as long again. */
    stage.provider.me = BOT_REFUSAL;
    the_clock_is_at_the_probe(&stage, CHANNEL_MESSENGER_BOT);
    hurry(&stage);
    await_count(&stage, "log_entry WHERE message LIKE 'channel closed%'", 2);
    hurry(&stage);
    sleep_ms(CHANNEL_POLL_MS + LINGER_MS);
    assert_int_equal(count_requests(&stage.provider, "/getMe "), 2);
    assert_int_equal(stage.provider.sends, 1);
    assert_err(scene_check(&stage.scene, CHANNEL_MESSENGER_BOT), ERR_CIRCUIT_OPEN);

    /* And one that goes well closes it. */
    stage.provider.me = BOT_ME;
    the_clock_is_at_the_probe(&stage, CHANNEL_MESSENGER_BOT);
    channel_worker_wake(stage.worker);
    await_count(&stage, "channel_circuit WHERE open_until = 0", 1);
    assert_int_equal(stage.provider.sends, 1);
    hurry(&stage);
    await_count(&stage, "channel_send WHERE state = 'sent'", 5);
    assert_int_equal(count_requests(&stage.provider, "/getMe "), 3);
    assert_ok(scene_check(&stage.scene, CHANNEL_MESSENGER_BOT));
    end(&stage);
}

static void what_is_not_configured_is_not_probed(struct store *store)
{
    struct stage stage;
    begin(&stage, store,
          (struct reaction){.body = TELEGRAM_GATEWAY_OK}); /* drivers without a probe */
    start_worker(&stage);
    sleep_ms(CHANNEL_POLL_MS + LINGER_MS);
    assert_int_equal(stage.provider.request_count, 0);
    end(&stage);
}

static void a_stop_does_not_wait_for_a_probe(struct store *store)
{
    struct stage stage;
    begin_bot(&stage, store);
    stage.provider.is_me_slow = true;
    start_worker(&stage);
    await_requests(&stage, "/getMe ", 1);
    int64_t start_ms = clock_monotonic_ms();
    stop_worker(&stage, 0);
    assert_true(clock_monotonic_ms() - start_ms < PATIENCE_MS / 2);
    assert_int_equal(scene_count(&stage.scene, "channel_circuit"), 0);
    end(&stage);
}

static void stops_at_any_moment_of_a_probe(struct store *store)
{
    struct stage stage;
    begin_bot(&stage, store);
    stage.provider.me = BOT_REFUSAL;
    for (int i = 0; i < 20; i++) {
        start_worker(&stage);
        usleep((useconds_t)i * 200);
        stop_worker(&stage, 0);
    }
    assert_true(count_requests(&stage.provider, "/getMe ") <= 20);
    end(&stage);
}

int main(void)
{
    static const struct store_case cases[] = {
        {"good credentials are no news", good_credentials_are_no_news},
        {"bad credentials close the channel at the start",
         bad_credentials_close_the_channel_at_the_start},
        {"a provider that is away at the start closes nothing",
         a_provider_that_is_away_at_the_start_closes_nothing},
        {"no send is risked while the circuit is open",
         no_send_is_risked_while_the_circuit_is_open},
        {"what is not configured is not probed", what_is_not_configured_is_not_probed},
        {"a stop does not wait for a probe", a_stop_does_not_wait_for_a_probe},
        {"stops at any moment of a probe", stops_at_any_moment_of_a_probe},
    };
    return store_run_cases("channel_probe", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
