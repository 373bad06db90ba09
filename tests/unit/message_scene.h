/* A phone with a connected account and a bot with a driver, for the tests of messages. */
#pragma once

#include "domain/channel/channel_rules.h"
#include "domain/message/message_db.h"
#include "world.h"

#define NUMBER    "+79160000001"
#define RECIPIENT "+79161234567"
#define ACCOUNT   "shop"
#define CHAT      "42"
#define TEXT      "Your order is ready: Заказ готов."

static const struct channel_driver bot = {.name = "bot"};

struct scene {
    struct world world;
    struct channel_setup setups[CHANNEL_COUNT];
    struct device phone;
    struct message message; /* the last one created */
    int64_t retry_after_ms; /* of the last one refused */
};

/* --- Accounts --- */

struct declaring {
    const struct device *phone;
    struct device_account account;
};

static inline enum err run_declare(struct work *work, void *arg)
{
    struct declaring *step = arg;
    struct accounts_input input = {.accounts = {&step->account, 1}};
    return fleet_declare_accounts(work, step->phone, &input);
}

static inline void declare(struct scene *scene, enum account_state state)
{
    struct declaring step = {
        .phone = &scene->phone,
        .account = {.account_id = ACCOUNT, .messenger = "telegram", .state = state},
    };
    assert_ok(world_run(&scene->world, run_declare, &step));
}

/* --- The scene --- */

static inline void begin(struct scene *scene, struct store *store)
{
    *scene = (struct scene){0};
    world_open(&scene->world, store);
    scene->setups[CHANNEL_MESSENGER_BOT] =
        (struct channel_setup){.driver = &bot, .owner = message_channel_owner};
    scene->world.service.channels = scene->setups;
    scene->phone = world_phone(&scene->world, NUMBER);
    assert_ok(world_bind(&scene->world, &scene->phone.id, &(const char *){ACCOUNT}, 1, NULL));
    declare(scene, ACCOUNT_CONNECTED);
}

static inline void end(struct scene *scene)
{
    world_close(&scene->world);
}
#define AUTO_SCENE __attribute__((cleanup(end))) struct scene

/* --- Messages --- */

struct creating_message {
    struct uuid id;
    const struct message_input *input;
    struct scene *scene;
};

static inline enum err run_create_message(struct work *work, void *arg)
{
    struct creating_message *step = arg;
    return message_create(work, &step->id, step->input, &step->scene->message,
                          &step->scene->retry_after_ms);
}

static inline enum err create(struct scene *scene, const struct message_input *input)
{
    struct creating_message step = {uuid_new(scene->world.now_ms), input, scene};
    return world_run(&scene->world, run_create_message, &step);
}

static inline enum err create_for_phone(struct scene *scene)
{
    struct message_input input = {.channel = MESSAGE_PERSONAL_MESSENGER,
                                  .text = TEXT,
                                  .account_id = ACCOUNT,
                                  .recipient = RECIPIENT};
    return create(scene, &input);
}

static inline enum err create_for_chat(struct scene *scene, const char *chat_id)
{
    struct message_input input = {
        .channel = MESSAGE_MESSENGER_BOT, .text = TEXT, .chat_id = {.text = chat_id}};
    return create(scene, &input);
}

struct reading_message {
    const struct uuid *id;
    struct message message;
};

static inline enum err run_read_message(struct work *work, void *arg)
{
    struct reading_message *step = arg;
    return message_read(work, step->id, &step->message);
}

/* As it is now. */
static inline struct message read_again(struct scene *scene)
{
    struct reading_message step = {.id = &scene->message.id};
    assert_ok(world_read(&scene->world, run_read_message, &step));
    return step.message;
}

static inline void assert_message(struct scene *scene, enum message_state state, const char *error)
{
    struct message message = read_again(scene);
    assert_string_equal(message_state_words[message.state], message_state_words[state]);
    assert_string_equal(message.error ? message.error : "", error ? error : "");
}

static inline bool has_text(struct scene *scene)
{
    return read_again(scene).sealed_text.len > 0;
}

struct sweeping_messages {
    int max;
    int64_t swept;
};

static inline enum err run_sweep_messages(struct work *work, void *arg)
{
    struct sweeping_messages *step = arg;
    return message_sweep(work, step->max, &step->swept);
}

static inline int64_t sweep(struct scene *scene, int max)
{
    struct sweeping_messages step = {.max = max};
    assert_ok(world_run(&scene->world, run_sweep_messages, &step));
    return step.swept;
}

/* --- The phone --- */

struct claiming_message {
    const struct device *phone;
    struct phone_task_claim_result result;
};

static inline enum err run_claim_message(struct work *work, void *arg)
{
    struct claiming_message *step = arg;
    struct message_claim_input input = {.account_id = ACCOUNT};
    return messenger_claim(work, step->phone, &input, &step->result);
}

/* NULL: there is none. */
static inline struct claimed_task *claim(struct scene *scene)
{
    struct claiming_message step = {.phone = &scene->phone};
    assert_ok(world_run(&scene->world, run_claim_message, &step));
    return step.result.task;
}

struct reporting_message {
    const struct device *phone;
    const struct uuid *task_id;
    const struct phone_task_result *result;
};

static inline enum err run_report_message(struct work *work, void *arg)
{
    const struct reporting_message *step = arg;
    return phone_task_report(work, PHONE_TASK_PERSONAL_MESSENGER, step->phone, step->task_id,
                             step->result);
}

static inline enum err report_of(struct scene *scene, const struct claimed_task *job,
                                 const struct phone_task_result *result)
{
    struct reporting_message step = {&scene->phone, &job->id, result};
    return world_run(&scene->world, run_report_message, &step);
}

static inline enum err report(struct scene *scene, const struct claimed_task *job,
                              enum phone_task_status status)
{
    return report_of(scene, job, &(struct phone_task_result){.status = status});
}

/* --- The bot --- */

struct answering {
    const struct uuid *message_id;
    enum send_state state;
    const char *error;
};

static inline enum err run_answer(struct work *work, void *arg)
{
    const struct answering *step = arg;
    struct record_list list;
    enum err err = channel_list(work, step->message_id, &list);
    if (err) return err;
    assert_int_equal(list.count, 1);
    struct channel_send send = *(struct channel_send *)list.items;
    enum send_state from = (enum send_state)send.state;
    send.state = step->state;
    send.error = step->error;
    return channel_move_send(work, &send, from, NULL);
}

/* Tells what the provider says of the message's send. */
static inline void answer(struct scene *scene, enum send_state state, const char *error)
{
    struct answering step = {&scene->message.id, state, error};
    assert_ok(world_run(&scene->world, run_answer, &step));
}

struct loading {
    const struct uuid *message_id;
    struct channel_content order;
};

static inline enum err run_load(struct work *work, void *arg)
{
    struct loading *step = arg;
    return message_channel_owner.load(work, step->message_id, &step->order);
}

static inline enum err load(struct scene *scene, struct channel_content *ret_order)
{
    struct loading step = {.message_id = &scene->message.id};
    enum err err = world_read(&scene->world, run_load, &step);
    *ret_order = step.order;
    return err;
}

struct taking_turn {
    const struct uuid *message_id;
    int64_t at_least_ms, run_at;
};

static inline enum err run_take_another_turn(struct work *work, void *arg)
{
    struct taking_turn *step = arg;
    return message_channel_owner.next_turn(work, step->message_id, step->at_least_ms,
                                           &step->run_at);
}

static inline enum err take_another_turn(struct scene *scene, int64_t at_least_ms,
                                         int64_t *ret_run_at)
{
    struct taking_turn step = {&scene->message.id, at_least_ms, 0};
    enum err err = world_run(&scene->world, run_take_another_turn, &step);
    *ret_run_at = step.run_at;
    return err;
}

/* --- The database --- */

static inline enum err run_sql(struct work *work, void *arg)
{
    return db_exec(work->tx, arg, DB_NO_ARGS, NULL);
}

static inline void sql(struct scene *scene, const char *text)
{
    assert_ok(world_run(&scene->world, run_sql, (void *)text));
}

static inline int64_t count(struct scene *scene, const char *from)
{
    return store_number(scene->world.store,
                        arena_printf(scene->world.arena, "SELECT COUNT(*) AS n FROM %s", from));
}

/* Returns when the latest job runs, from the beginning of the scene. */
static inline int64_t last_run_at(struct scene *scene)
{
    return store_number(scene->world.store, "SELECT MAX(run_at_ms) AS n FROM job") - WORLD_START_MS;
}
