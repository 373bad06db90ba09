/* domain/message over time: the bot's pace in a chat, and what becomes of a message that nobody
 * sends within its life (contract, section 3). */
#include "app/setup/migrations.h"
#include "message_scene.h"

#include <stdatomic.h>

/* --- The pace --- */

static void assert_turn(struct scene *scene, const char *chat_id, int64_t wait_ms)
{
    sql(scene, "DELETE FROM job");
    assert_ok(create_for_chat(scene, chat_id));
    assert_int_equal(last_run_at(scene), scene->world.now_ms - WORLD_START_MS + wait_ms);
}

static void a_chat_takes_turns(struct store *store)
{
    AUTO_SCENE scene;
    begin(&scene, store);
    assert_turn(&scene, CHAT, 0);
    assert_turn(&scene, CHAT, 1000);
    assert_turn(&scene, CHAT, 2000);
    assert_turn(&scene, "43", 0); /* another chat does not wait */
    scene.world.now_ms += 2999;
    assert_turn(&scene, CHAT, 1);
    scene.world.now_ms += 1001;
    assert_turn(&scene, CHAT, 0);
    scene.world.now_ms += HOUR_MS;
    assert_turn(&scene, CHAT, 0);
    assert_turn(&scene, CHAT, 1000);
}

static void groups_and_channels_are_slower(struct store *store)
{
    AUTO_SCENE scene;
    begin(&scene, store);
    assert_turn(&scene, "-1001234567890", 0);
    assert_turn(&scene, "-1001234567890", 3000);
    assert_turn(&scene, "@Herald_News", 0);
    assert_turn(&scene, "@herald_news", 3000); /* the same in either case */
    assert_turn(&scene, "@HERALD_NEWS", 6000);
}

/* 200 turns of 3 s fill the 10 minutes, and one more begins when they are over. */
static void a_full_chat_tells_the_exact_wait(struct store *store)
{
    enum { FITS = MESSAGE_CHAT_QUEUE_MS / MESSAGE_GROUP_PACE_MS + 1 };
    AUTO_SCENE scene;
    begin(&scene, store);
    for (int i = 0; i < FITS; i++)
        assert_ok(create_for_chat(&scene, "-7"));
    assert_int_equal(last_run_at(&scene), MESSAGE_CHAT_QUEUE_MS);
    for (int i = 0; i < 2; i++) { /* what is refused takes no turn */
        assert_err(create_for_chat(&scene, "-7"), ERR_RATE_LIMITED);
        assert_int_equal(scene.retry_after_ms, MESSAGE_GROUP_PACE_MS);
    }
    assert_int_equal(count(&scene, "message"), FITS);
    assert_int_equal(count(&scene, "channel_send"), FITS);
    assert_ok(create_for_chat(&scene, CHAT));

    scene.world.now_ms += MESSAGE_GROUP_PACE_MS - 1;
    assert_err(create_for_chat(&scene, "-7"), ERR_RATE_LIMITED);
    assert_int_equal(scene.retry_after_ms, 1);
    scene.world.now_ms += 1;
    assert_ok(create_for_chat(&scene, "-7"));
    assert_err(create_for_chat(&scene, "-7"), ERR_RATE_LIMITED);
}

/* The message does not go out at its turn. */
static void assert_another_turn(struct scene *scene, int64_t at_least_ms, int64_t wait_ms)
{
    int64_t turn = -1;
    assert_ok(take_another_turn(scene, scene->world.now_ms + at_least_ms, &turn));
    assert_int_equal(turn - scene->world.now_ms, wait_ms);
}

static void what_is_put_off_takes_another_turn(struct store *store)
{
    AUTO_SCENE scene;
    begin(&scene, store);
    for (int i = 0; i < 3; i++)
        assert_turn(&scene, CHAT, i * 1000);
    /* Behind all others of the chat ... */
    assert_another_turn(&scene, 1, 3000);
    assert_another_turn(&scene, 2500, 4000);
    /* ... and not before its time, nor together with another one. */
    for (int i = 0; i < 25; i++)
        assert_another_turn(&scene, 30 * SECOND_MS, 30 * SECOND_MS + i * 1000);
    assert_turn(&scene, CHAT, 55 * SECOND_MS);
    assert_turn(&scene, "43", 0);
}

/* As after a restart: all are due, and one goes at once. */
static void what_is_found_late_goes_one_by_one(struct store *store)
{
    AUTO_SCENE scene;
    begin(&scene, store);
    for (int i = 0; i < 3; i++)
        assert_turn(&scene, CHAT, i * 1000);
    scene.world.now_ms += MINUTE_MS;
    for (int i = 0; i < 3; i++)
        assert_another_turn(&scene, 0, i * 1000);
    assert_turn(&scene, CHAT, 3000);
    scene.world.now_ms += MESSAGE_CHAT_PACE_MS - 1;
    assert_another_turn(&scene, 0, 3001);
    scene.world.now_ms += 1;
    assert_another_turn(&scene, 0, 0);
    sql(&scene, "DELETE FROM chat_turn"); /* long ago */
    assert_another_turn(&scene, 0, 0);
    assert_another_turn(&scene, 0, 1000);
}

static void a_late_one_does_not_wait_for_a_full_chat(struct store *store)
{
    AUTO_SCENE scene;
    begin(&scene, store);
    for (int i = 0; i < 20; i++)
        assert_turn(&scene, CHAT, i * 1000);
    scene.world.now_ms += 5 * SECOND_MS;
    assert_another_turn(&scene, 0, 0);
    assert_another_turn(&scene, 0, 15 * SECOND_MS);
}

struct rush {
    atomic_int failed;
};

static void create_in_a_rush(struct world *world, int index, void *arg)
{
    struct rush *rush = arg;
    struct scene scene = {.world = *world};
    (void)index;
    if (create_for_chat(&scene, CHAT)) rush->failed++;
}

static void no_two_messages_share_a_turn(struct store *store)
{
    enum { CROWD = 8 };
    struct rush rush = {0};
    AUTO_SCENE scene;
    begin(&scene, store);
    world_crowd(&scene.world, CROWD, create_in_a_rush, &rush);
    assert_int_equal(rush.failed, 0);
    assert_int_equal(store_number(store, "SELECT COUNT(DISTINCT run_at_ms) AS n FROM job"), CROWD);
    assert_int_equal(last_run_at(&scene), (CROWD - 1) * MESSAGE_CHAT_PACE_MS);
}

static void turns_that_are_over_are_forgotten(struct store *store)
{
    AUTO_SCENE scene;
    begin(&scene, store);
    assert_ok(create_for_chat(&scene, "1"));
    assert_ok(create_for_chat(&scene, "2"));
    assert_ok(create_for_chat(&scene, "3"));
    scene.world.now_ms += MESSAGE_CHAT_PACE_MS + MINUTE_MS;
    assert_int_equal(sweep(&scene, 2), 0);
    scene.world.now_ms += 1;
    assert_int_equal(sweep(&scene, 2), 2);
    assert_int_equal(sweep(&scene, 2), 1);
    assert_int_equal(count(&scene, "chat_turn"), 0);
}

/* --- Its end --- */

#define UNSENT "it was not sent within 24 hours"
#define UNTOLD "it is not known whether it was sent: its phone did not report within 24 hours"

static void set_clock(struct scene *scene, int64_t since_start_ms)
{
    scene->world.now_ms = WORLD_START_MS + since_start_ms;
}

static void what_no_phone_takes_has_failed(struct store *store)
{
    AUTO_SCENE scene;
    begin(&scene, store);
    assert_ok(create_for_phone(&scene));
    set_clock(&scene, MESSAGE_LIFE_MS);
    assert_int_equal(sweep(&scene, 10), 0);
    assert_message(&scene, MESSAGE_ACCEPTED, NULL);
    set_clock(&scene, MESSAGE_LIFE_MS + 1);
    assert_int_equal(sweep(&scene, 10), 1);
    assert_message(&scene, MESSAGE_FAILED, UNSENT);
    assert_false(has_text(&scene));
    assert_int_equal(count(&scene, "phone_task WHERE state = 'failed'"), 1);
    assert_null(claim(&scene));
    assert_int_equal(sweep(&scene, 10), 0);
}

static void it_is_claimed_to_its_last_millisecond(struct store *store)
{
    AUTO_SCENE scene;
    begin(&scene, store);
    assert_ok(create_for_phone(&scene));
    set_clock(&scene, MESSAGE_LIFE_MS);
    struct claimed_task *job = claim(&scene);
    assert_non_null(job);
    /* Its phone has it at this moment, and will tell. */
    set_clock(&scene, MESSAGE_LIFE_MS + PHONE_TASK_LEASE_MS - 1);
    assert_int_equal(sweep(&scene, 10), 0);
    assert_message(&scene, MESSAGE_ACCEPTED, NULL);
    assert_ok(report(&scene, job, PHONE_TASK_STATUS_SENT));
    assert_message(&scene, MESSAGE_SENT, NULL);
    set_clock(&scene, MESSAGE_LIFE_MS + PHONE_TASK_LEASE_MS);
    assert_int_equal(sweep(&scene, 10), 0);
    assert_message(&scene, MESSAGE_SENT, NULL);
}

/* A phone had it and fell silent: it may have sent it, and may still say so. */
static void what_a_phone_never_told_of_is_not_known(struct store *store)
{
    AUTO_SCENE scene;
    begin(&scene, store);
    assert_ok(create_for_phone(&scene));
    set_clock(&scene, MESSAGE_LIFE_MS);
    struct claimed_task *job = claim(&scene);
    set_clock(&scene, MESSAGE_LIFE_MS + PHONE_TASK_LEASE_MS);
    assert_int_equal(sweep(&scene, 10), 1);
    assert_message(&scene, MESSAGE_UNKNOWN, UNTOLD);
    assert_false(has_text(&scene));
    assert_int_equal(sweep(&scene, 10), 0);
    assert_null(claim(&scene));
    assert_ok(report(&scene, job, PHONE_TASK_STATUS_SENT));
    assert_message(&scene, MESSAGE_SENT, NULL);
}

/* Disabling a phone returns its task to the queue, but does not unsend it. */
static void what_a_disabled_phone_had_is_not_known(struct store *store)
{
    AUTO_SCENE scene;
    begin(&scene, store);
    assert_ok(create_for_phone(&scene));
    assert_non_null(claim(&scene));
    assert_ok(world_set_enabled(&scene.world, &scene.phone.id, false));
    set_clock(&scene, MESSAGE_LIFE_MS + 1);
    assert_int_equal(sweep(&scene, 10), 1);
    assert_message(&scene, MESSAGE_UNKNOWN, UNTOLD);
}

static void what_the_bot_does_not_get_to_has_failed(struct store *store)
{
    AUTO_SCENE scene;
    begin(&scene, store);
    assert_ok(create_for_chat(&scene, CHAT));
    sql(&scene, "DELETE FROM chat_turn");
    set_clock(&scene, MESSAGE_LIFE_MS);
    assert_int_equal(sweep(&scene, 10), 0);
    assert_message(&scene, MESSAGE_ACCEPTED, NULL);
    set_clock(&scene, MESSAGE_LIFE_MS + 1);
    assert_int_equal(sweep(&scene, 10), 1);
    assert_message(&scene, MESSAGE_FAILED, UNSENT);
    assert_false(has_text(&scene));
    assert_int_equal(count(&scene, "channel_send WHERE state = 'failed'"), 1);
}

/* A call is under way: what came of it will be told. */
static void what_is_being_sent_is_left_alone(struct store *store)
{
    AUTO_SCENE scene;
    begin(&scene, store);
    assert_ok(create_for_chat(&scene, CHAT));
    sql(&scene, "DELETE FROM chat_turn");
    answer(&scene, SEND_FETCHING, NULL);
    set_clock(&scene, MESSAGE_LIFE_MS + 1);
    assert_int_equal(sweep(&scene, 10), 0);
    assert_message(&scene, MESSAGE_ACCEPTED, NULL);
    answer(&scene, SEND_SENT, NULL);
    assert_message(&scene, MESSAGE_SENT, NULL);
}

static void a_sweep_takes_no_more_than_it_may(struct store *store)
{
    AUTO_SCENE scene;
    begin(&scene, store);
    for (int i = 0; i < 3; i++)
        assert_ok(create_for_phone(&scene));
    set_clock(&scene, MESSAGE_LIFE_MS + 1);
    assert_int_equal(sweep(&scene, 2), 2);
    assert_int_equal(count(&scene, "message WHERE state = 'failed' AND text IS NULL"), 2);
    assert_int_equal(sweep(&scene, 2), 1);
    assert_int_equal(count(&scene, "message WHERE state = 'failed' AND text IS NULL"), 3);
}

int main(void)
{
    const struct store_case cases[] = {
        {"a chat takes turns", a_chat_takes_turns},
        {"groups and channels are slower", groups_and_channels_are_slower},
        {"a full chat tells the exact wait", a_full_chat_tells_the_exact_wait},
        {"what is put off takes another turn", what_is_put_off_takes_another_turn},
        {"what is found late goes one by one", what_is_found_late_goes_one_by_one},
        {"a late one does not wait for a full chat", a_late_one_does_not_wait_for_a_full_chat},
        {"no two messages share a turn", no_two_messages_share_a_turn},
        {"turns that are over are forgotten", turns_that_are_over_are_forgotten},
        {"what no phone takes has failed", what_no_phone_takes_has_failed},
        {"it is claimed to its last millisecond", it_is_claimed_to_its_last_millisecond},
        {"what a phone never told of is not known", what_a_phone_never_told_of_is_not_known},
        {"what a disabled phone had is not known", what_a_disabled_phone_had_is_not_known},
        {"what the bot does not get to has failed", what_the_bot_does_not_get_to_has_failed},
        {"what is being sent is left alone", what_is_being_sent_is_left_alone},
        {"a sweep takes no more than it may", a_sweep_takes_no_more_than_it_may},
    };
    return store_run_cases("message_time", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
