/* Messages of the bot through the worker: a chat gets them one after the other, also after a time
 * in which nothing went out. */
#include "app/setup/migrations.h"
#include "channel_stage.h"
#include "domain/message/message.h"

/* A group, for which the pace is long enough to look at what has been put off by it. */
#define GROUP "-42"

enum { MESSAGES = 25 };

static enum err run_create(struct work *work, void *arg)
{
    struct message_input input = {
        .channel = MESSAGE_MESSENGER_BOT, .text = "hello", .chat_id = {.text = arg}};
    struct uuid id = uuid_new(work->now_ms);
    struct message message;
    int64_t retry_after_ms;
    return message_create(work, &id, &input, &message, &retry_after_ms);
}

static void create(struct stage *stage, const char *chat_id, int count)
{
    for (int i = 0; i < count; i++)
        assert_ok(world_run(&stage->scene.world, run_create, (void *)chat_id));
}

static void begin_bot(struct stage *stage, struct store *store)
{
    begin(stage, store, (struct reaction){.body = BOT_OK});
    set_up_driver(stage, CHANNEL_MESSENGER_BOT, &driver_telegram_bot);
    stage->scene.setups[CHANNEL_MESSENGER_BOT].owner = message_channel_owner;
}

/* As when nobody has worked for a while. */
static void let_pass(struct stage *stage, int64_t wait_ms)
{
    struct arena *arena = stage->scene.world.arena;
    long long by = wait_ms;
    scene_sql(&stage->scene, arena_printf(arena,
                                          "UPDATE job SET run_at_ms = run_at_ms - %lld,"
                                          " due_at_ms = due_at_ms - %lld",
                                          by, by));
    scene_sql(&stage->scene,
              arena_printf(arena, "UPDATE chat_turn SET next_at = next_at - %lld", by));
}

/* Returns how many of the waiting sends, of which none is under way, have a turn of their own, a
 * pace from the next one. */
static int64_t count_turns(struct stage *stage)
{
    return store_number(stage->scene.world.store,
                        arena_printf(stage->scene.world.arena,
                                     "SELECT COUNT(*) AS n FROM job"
                                     " WHERE attempt > 0 AND lease_id IS NULL AND NOT"
                                     " EXISTS (SELECT 1 FROM job other WHERE other.id <> job.id"
                                     " AND other.run_at_ms BETWEEN job.run_at_ms"
                                     " AND job.run_at_ms + %d)",
                                     MESSAGE_GROUP_PACE_MS - 1));
}

static void what_is_late_goes_one_after_the_other(struct store *store)
{
    struct stage stage;
    begin_bot(&stage, store);
    create(&stage, GROUP, MESSAGES);
    create(&stage, "43", 1);
    let_pass(&stage, 2 * MINUTE_MS);
    int64_t start_ms = clock_monotonic_ms();
    start_worker(&stage);
    await_requests(&stage, "\"chat_id\":43", 1);
    await_requests(&stage, "\"chat_id\":" GROUP, 1);
    await_count(&stage, "job WHERE attempt > 0 AND lease_id IS NULL", MESSAGES - 1);
    assert_int_equal(count_requests(&stage.provider, "\"chat_id\":" GROUP), 1);
    assert_int_equal(count_turns(&stage), MESSAGES - 1);
    await_count(&stage, "channel_send WHERE state = 'sent'", 1 + 2);
    assert_true(clock_monotonic_ms() - start_ms >= MESSAGE_GROUP_PACE_MS);
    end(&stage);
}

/* The credentials are not taken: what fell due in the meantime does not go out all at once. */
static void what_waited_for_the_circuit_goes_one_after_the_other(struct store *store)
{
    struct stage stage;
    begin_bot(&stage, store);
    stage.provider.me = BOT_REFUSAL;
    start_worker(&stage);
    await_count(&stage, "channel_circuit WHERE open_until > 0", 1);
    scene_sql(&stage.scene, "UPDATE channel_circuit SET open_until = 0"); /* or none is taken */
    create(&stage, GROUP, MESSAGES);
    scene_sql(&stage.scene, "UPDATE job SET due_at_ms = 1");
    channel_worker_wake(stage.worker);
    await_count(&stage, "job WHERE attempt > 0 AND lease_id IS NULL", MESSAGES);
    assert_int_equal(stage.provider.sends, 0);
    assert_int_equal(count_turns(&stage), MESSAGES);
    end(&stage);
}

static void what_is_refused_for_now_takes_another_turn(struct store *store)
{
    struct stage stage;
    begin_bot(&stage, store);
    stage.provider.first = (struct reaction){
        .status = 429,
        .body = "{\"ok\":false,\"error_code\":429,\"description\":\"Too Many Requests\","
                "\"parameters\":{\"retry_after\":1}}"};
    stage.provider.first_count = 1;
    create(&stage, "42", 10);
    scene_sql(&stage.scene, "UPDATE job SET run_at_ms = run_at_ms + 60000,"
                            " due_at_ms = due_at_ms + 60000 WHERE run_at_ms >"
                            " (SELECT MIN(run_at_ms) FROM job)");
    start_worker(&stage);
    await_count(&stage, "channel_send WHERE attempt = 1 AND state = 'queued'", 1);
    int64_t wait_ms = store_number(store, "SELECT MAX(job.run_at_ms) - MAX(job.created_at_ms) AS n"
                                          " FROM job WHERE attempt = 1");
    assert_true(wait_ms >= 10 * SECOND_MS); /* behind the others */
    assert_true(wait_ms < 20 * SECOND_MS);
    end(&stage);
}

int main(void)
{
    static const struct store_case cases[] = {
        {"what is late goes one after the other", what_is_late_goes_one_after_the_other},
        {"what waited for the circuit goes one after the other",
         what_waited_for_the_circuit_goes_one_after_the_other},
        {"what is refused for now takes another turn", what_is_refused_for_now_takes_another_turn},
    };
    return store_run_cases("channel_turn", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
