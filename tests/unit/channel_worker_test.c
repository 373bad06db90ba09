/* The worker of sends: deaths between fetch and record, crowds, paces, stops. */
#include "app/setup/migrations.h"
#include "channel_stage.h"

/* --- Workers that die --- */

/* As a worker leaves it that died between the fetch and its record. */
static void leave_behind(struct stage *stage, enum channel channel)
{
    queue(stage, channel, 1, 1);
    scene_sql(&stage->scene, "UPDATE channel_send SET state = 'calling', attempt = 1");
    scene_sql(&stage->scene, "UPDATE job SET attempt = 1, lease_id = subject, due_at_ms = 1");
}

static void a_fetch_left_behind_is_unknown(struct store *store)
{
    struct stage stage;
    begin(&stage, store, (struct reaction){.body = TELEGRAM_GATEWAY_OK});
    leave_behind(&stage, CHANNEL_MESSENGER_GATEWAY);
    start_worker(&stage);
    await_count(&stage, "channel_send WHERE state = 'unknown'", 1);
    await_count(&stage, "job", 0);
    sleep_ms(LINGER_MS);
    assert_send(&stage.scene, 1, SEND_UNKNOWN, "a worker ended during the fetch");
    assert_int_equal(scene_owner(&stage.scene, 1).state, SEND_UNKNOWN);
    assert_int_equal(stage.provider.sends, 0);
    end(&stage);
}

static void a_deduplicated_fetch_left_behind_is_repeated(struct store *store)
{
    struct stage stage;
    char unique[UUID_TEXT_LEN + 1];
    begin(&stage, store, (struct reaction){.body = UCALLER_OK});
    leave_behind(&stage, CHANNEL_FLASH_CALL);
    start_worker(&stage);
    await_count(&stage, "channel_send WHERE state = 'accepted' AND attempt = 2", 1);
    struct channel_send send = scene_send(&stage.scene, 1);
    uuid_format(&send.id, unique);
    assert_int_equal(count_requests(&stage.provider, unique), 1);
    end(&stage);
}

/* The other worker has it by now: what this one heard is not written. */
static void who_lost_the_lease_writes_nothing(struct store *store)
{
    struct stage stage;
    begin(&stage, store, (struct reaction){.body = TELEGRAM_GATEWAY_OK, .is_slow = true});
    start_worker(&stage);
    queue(&stage, CHANNEL_MESSENGER_GATEWAY, 1, 1);
    await_requests(&stage, "sendVerificationMessage", 1);
    scene_sql(&stage.scene, "UPDATE job SET lease_id = subject");
    scene_sql(&stage.scene, "UPDATE channel_send SET state = 'unknown'");
    stage.provider.is_let_go = true;
    stop_worker(&stage, PATIENCE_MS);
    assert_send(&stage.scene, 1, SEND_UNKNOWN, NULL);
    assert_int_equal(scene_count(&stage.scene, "job"), 1);
    assert_int_equal(scene_owner(&stage.scene, 1).told, 0);
    end(&stage);
}

/* --- Crowds and stops --- */

static void a_slow_provider_is_not_crowded(struct store *store)
{
    struct stage stage;
    begin(&stage, store, (struct reaction){.body = TELEGRAM_GATEWAY_OK, .is_slow = true});
    stage.provider.is_ucaller_well = true;
    start_worker(&stage);
    queue(&stage, CHANNEL_MESSENGER_GATEWAY, 1, 300);
    await_requests(&stage, "sendVerificationMessage", CHANNEL_IN_FLIGHT_MAX);
    sleep_ms(LINGER_MS);
    assert_int_equal(stage.provider.at_once, CHANNEL_IN_FLIGHT_MAX);
    assert_int_equal(scene_count(&stage.scene, "channel_send WHERE state = 'queued'"), 100);
    /* The other channel does not notice. */
    queue(&stage, CHANNEL_FLASH_CALL, 301, 50);
    await_count(&stage, "channel_send WHERE state = 'accepted'", 50);
    stage.provider.is_let_go = true;
    await_count(&stage, "channel_send WHERE state = 'accepted'", 350);
    assert_int_equal(stage.provider.at_once_max, CHANNEL_IN_FLIGHT_MAX);
    assert_int_equal(stage.provider.sends, 300);
    end(&stage);
}

/* It waits for the provider to come back, but not beyond its time. */
static void a_provider_is_down_for_a_while(struct store *store)
{
    struct stage stage;
    begin(&stage, store, (struct reaction){.body = TELEGRAM_GATEWAY_OK});
    stage.provider.first_count = CALLS_MAX; /* cut */
    stage.provider.is_ucaller_well = true;
    start_worker(&stage);
    queue(&stage, CHANNEL_MESSENGER_GATEWAY, 1, 20);
    await_count(&stage, "channel_circuit WHERE open_until > 0", 1);
    await_count(&stage, "channel_send WHERE state = 'calling'", 0);
    int64_t unknown = scene_count(&stage.scene, "channel_send WHERE state = 'unknown'");
    assert_true(unknown >= CIRCUIT_FAILURES);
    assert_err(scene_check(&stage.scene, CHANNEL_MESSENGER_GATEWAY), ERR_CIRCUIT_OPEN);

    scene_queue(&stage.scene, CHANNEL_MESSENGER_GATEWAY, 21, 3, SECOND_MS);
    queue(&stage, CHANNEL_MESSENGER_GATEWAY, 24, 100);
    queue(&stage, CHANNEL_FLASH_CALL, 201, 50);
    await_count(&stage, "channel_send WHERE state = 'accepted'", 50);
    await_count(&stage, "channel_send WHERE state = 'failed' AND error = 'there was no time left'",
                3);
    assert_int_equal(count_requests(&stage.provider, "sendVerificationMessage"), unknown);
    assert_int_equal(scene_count(&stage.scene, "channel_send WHERE state = 'queued'"),
                     100 + 20 - unknown);
    /* A job that waits is left alone until the probe. */
    assert_int_equal(scene_count(&stage.scene, "job WHERE kind = 'messenger_gateway/send' AND "
                                               "attempt > 3"),
                     0);

    stage.provider.first_count = 0;
    the_clock_is_at_the_probe(&stage, CHANNEL_MESSENGER_GATEWAY);
    hurry(&stage);
    await_count(&stage, "channel_send WHERE state = 'accepted'", 50 + 100 + 20 - unknown);
    assert_ok(scene_check(&stage.scene, CHANNEL_MESSENGER_GATEWAY));
    end(&stage);
}

static void a_pace_is_kept(struct store *store)
{
    struct stage stage;
    struct channel_driver paced = driver_telegram_gateway;
    paced.calls_per_s = 20;
    begin(&stage, store, (struct reaction){.body = TELEGRAM_GATEWAY_OK});
    stage.scene.setups[CHANNEL_MESSENGER_GATEWAY].driver = &paced;
    queue(&stage, CHANNEL_MESSENGER_GATEWAY, 1, 44);
    int64_t start_ms = clock_monotonic_ms();
    start_worker(&stage);
    await_count(&stage, "channel_send WHERE state = 'accepted'", 44);
    /* 4 at once, then 16 a second. */
    assert_in_range(clock_monotonic_ms() - start_ms, 2400, PATIENCE_MS / 2);
    end(&stage);
}

static void a_stop_leaves_nothing_half_done(struct store *store)
{
    struct stage stage;
    begin(&stage, store, (struct reaction){.body = TELEGRAM_GATEWAY_OK, .is_slow = true});
    start_worker(&stage);
    queue(&stage, CHANNEL_MESSENGER_GATEWAY, 1, 250);
    queue(&stage, CHANNEL_FLASH_CALL, 251, 10);
    await_requests(&stage, "POST /sendVerificationMessage", CHANNEL_IN_FLIGHT_MAX);
    await_requests(&stage, "POST /v1.0/initCall", 10);
    stop_worker(&stage, 50);
    const char *gateway = "channel_send WHERE channel = 'messenger_gateway' AND state = 'unknown'";
    assert_int_equal(scene_count(&stage.scene, gateway), CHANNEL_IN_FLIGHT_MAX);
    assert_int_equal(scene_count(&stage.scene, "channel_send WHERE state = 'queued'"), 50);
    /* uCaller is asked again after the next start. */
    const char *ucaller = "channel_send WHERE channel = 'flash_call' AND state = 'calling'";
    assert_int_equal(scene_count(&stage.scene, ucaller), 10);
    assert_int_equal(scene_count(&stage.scene, "job WHERE lease_id IS NOT NULL"), 0);
    /* That herald stops is no fault of the provider's. */
    assert_int_equal(scene_count(&stage.scene, "channel_circuit"), 0);
    end(&stage);
}

static void a_stop_while_claims_run(struct store *store)
{
    struct stage stage;
    begin(&stage, store, (struct reaction){.body = TELEGRAM_GATEWAY_OK});
    queue(&stage, CHANNEL_MESSENGER_GATEWAY, 1, 200);
    for (int i = 0; i < 20; i++) {
        start_worker(&stage);
        sleep_ms(i % 5);
        stop_worker(&stage, PATIENCE_MS);
        scene_sql(&stage.scene, "UPDATE job SET due_at_ms = 1 WHERE lease_id IS NULL AND kind LIKE "
                                "'%/send'");
    }
    assert_int_equal(scene_count(&stage.scene, "channel_send WHERE state = 'calling'"), 0);
    assert_int_equal(scene_count(&stage.scene, "channel_send WHERE state = 'unknown'"), 0);
    assert_int_equal(scene_count(&stage.scene, "job WHERE lease_id IS NOT NULL"), 0);
    start_worker(&stage);
    await_count(&stage, "channel_send WHERE state = 'accepted'", 200);
    assert_int_equal(stage.provider.sends, 200);
    end(&stage);
}

int main(void)
{
    static const struct store_case cases[] = {
        {"a fetch left behind is unknown", a_fetch_left_behind_is_unknown},
        {"a deduplicated fetch left behind is repeated",
         a_deduplicated_fetch_left_behind_is_repeated},
        {"who lost the lease writes nothing", who_lost_the_lease_writes_nothing},
        {"a slow provider is not crowded", a_slow_provider_is_not_crowded},
        {"a provider is down for a while", a_provider_is_down_for_a_while},
        {"a pace is kept", a_pace_is_kept},
        {"a stop leaves nothing half done", a_stop_leaves_nothing_half_done},
        {"a stop while claims run", a_stop_while_claims_run},
    };
    return store_run_cases("channel_worker", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
