/* domain/message: accepting, sending by each way, and what comes of it (contract, section 2, rule
 * 9, and section 3). The bot's pace and messages that nobody sends are in message_time_test.c. */
#include "app/setup/migrations.h"
#include "core/request.h"
#include "domain/message/message.h"
#include "message_scene.h"
#include "route_of.h"

/* --- Accepting --- */

static void assert_shown(const struct message *message, int channel)
{
    bool is_personal = channel == MESSAGE_PERSONAL_MESSENGER;

    assert_int_equal(message->channel, channel);
    assert_int_equal(message->state, MESSAGE_ACCEPTED);
    assert_string_equal(is_personal ? message->account_id : message->chat_id.text,
                        is_personal ? ACCOUNT : CHAT);
    assert_string_equal(message->recipient ? message->recipient : "", is_personal ? RECIPIENT : "");
    assert_true((message->account_id == NULL) == !is_personal);
    assert_true((message->chat_id.text == NULL) == is_personal);
    assert_null(message->error);
    assert_true(message->created_at == WORLD_START_MS);
    assert_true(message->updated_at == WORLD_START_MS);
    assert_true(message->expires_at == WORLD_START_MS + 24 * HOUR_MS);
}

static void a_message_is_as_it_was_asked_for(struct store *store)
{
    AUTO_SCENE scene;
    begin(&scene, store);
    for (int channel = 0; channel <= MESSAGE_MESSENGER_BOT; channel++) {
        bool is_personal = channel == MESSAGE_PERSONAL_MESSENGER;
        assert_ok(is_personal ? create_for_phone(&scene) : create_for_chat(&scene, CHAT));
        struct message read = read_again(&scene);
        assert_uuid_equal(read.id, scene.message.id);
        assert_shown(&scene.message, channel);
        assert_shown(&read, channel);
    }
}

static void a_chat_id_stays_what_it_was(struct store *store)
{
    static const struct string_or_integer chats[] = {{"-100", true}, {"-100", false}};
    AUTO_SCENE scene;
    begin(&scene, store);
    for (size_t i = 0; i < COUNT_OF(chats); i++) {
        struct message_input input = {
            .channel = MESSAGE_MESSENGER_BOT, .text = TEXT, .chat_id = chats[i]};
        assert_ok(create(&scene, &input));
        struct message read = read_again(&scene);
        assert_string_equal(read.chat_id.text, "-100");
        assert_int_equal(read.chat_id.is_integer, chats[i].is_integer);
    }
}

static bool holds(struct str bytes, const char *text)
{
    return memmem(bytes.data, bytes.len, text, strlen(text)) != NULL;
}

/* Neither the row nor the log shows the text; the log shows who and where. */
static void the_text_is_a_secret(struct store *store)
{
    AUTO_SCENE scene;
    AUTO_BUF log = {0};
    begin(&scene, store);
    buf_init(&log, 10000);
    assert_ok(create_for_phone(&scene));
    const struct work_note *note = scene.world.said;
    assert_string_equal(note->message, "message accepted");
    log_encode_fields(&log, note->fields, note->field_count, true);
    assert_true(holds(buf_view(&log), "\"recipient\":\"" RECIPIENT "\""));
    assert_true(holds(buf_view(&log), "\"account_id\":\"" ACCOUNT "\""));
    assert_true(holds(buf_view(&log), "\"channel\":\"personal_messenger\""));
    assert_false(holds(buf_view(&log), "order is ready"));
    struct str sealed = read_again(&scene).sealed_text;
    assert_int_equal(sealed.len, strlen(TEXT) + VAULT_OVERHEAD);
    assert_false(holds(sealed, "order is ready"));
}

/* Rule 9; and nothing is left behind. */
static void an_account_must_be_known_and_connected(struct store *store)
{
    struct message_input unknown = {.channel = MESSAGE_PERSONAL_MESSENGER,
                                    .text = TEXT,
                                    .account_id = "nobody",
                                    .recipient = RECIPIENT};
    AUTO_SCENE scene;
    begin(&scene, store);
    assert_err(create(&scene, &unknown), ERR_ACCOUNT_NOT_FOUND);
    declare(&scene, ACCOUNT_LINKED);
    assert_err(create_for_phone(&scene), ERR_ACCOUNT_NOT_CONNECTED);
    declare(&scene, ACCOUNT_CONNECTED);
    scene.world.now_ms += ACCOUNT_VALID_MS + 1;
    assert_err(create_for_phone(&scene), ERR_ACCOUNT_NOT_CONNECTED);
    assert_int_equal(count(&scene, "message"), 0);
    assert_int_equal(count(&scene, "phone_task"), 0);
    declare(&scene, ACCOUNT_CONNECTED);
    assert_ok(create_for_phone(&scene));
}

/* Declared at 0 and 28 s: the word ends at 88 s. */
static void an_account_can_send_for_sixty_seconds_after_its_last_word(struct store *store)
{
    AUTO_SCENE scene;
    begin(&scene, store);
    scene.world.now_ms += 28 * SECOND_MS;
    declare(&scene, ACCOUNT_CONNECTED);
    world_flush(&scene.world);
    scene.world.now_ms = WORLD_START_MS + 61500;
    assert_ok(create_for_phone(&scene));
    scene.world.now_ms = WORLD_START_MS + 88000;
    assert_err(create_for_phone(&scene), ERR_ACCOUNT_NOT_CONNECTED);
}

static enum err run_fill(struct work *work, void *arg)
{
    struct message_input input = {.channel = MESSAGE_PERSONAL_MESSENGER,
                                  .text = TEXT,
                                  .account_id = ACCOUNT,
                                  .recipient = RECIPIENT};
    enum err err = ERR_OK;
    for (int i = 0; !err && i < *(int *)arg; i++) {
        struct uuid id = uuid_new(work->now_ms);
        err = message_create(work, &id, &input, &(struct message){0}, &(int64_t){0});
    }
    return err;
}

/* A message under a lease waits, too; one that is sent does not. A code is never refused for it. */
static void no_more_than_a_thousand_wait_for_an_account(struct store *store)
{
    int room = MESSAGES_WAITING_MAX - 1;
    AUTO_SCENE scene;
    begin(&scene, store);
    assert_ok(world_run(&scene.world, run_fill, &room));
    struct claimed_task *job = claim(&scene);
    assert_ok(create_for_phone(&scene));
    scene.retry_after_ms = 0;
    assert_err(create_for_phone(&scene), ERR_RATE_LIMITED);
    assert_int_equal(scene.retry_after_ms, MESSAGES_WAITING_RETRY_MS);
    assert_int_equal(count(&scene, "message"), MESSAGES_WAITING_MAX);
    assert_int_equal(count(&scene, "phone_task"), MESSAGES_WAITING_MAX);

    struct otp_input code = {.channel = OTP_PERSONAL_MESSENGER,
                             .recipient = RECIPIENT,
                             .account_id = ACCOUNT,
                             .ttl_seconds = OTP_TTL_DEFAULT_S};
    assert_ok(world_otp_of(&scene.world, &code, &(struct otp){0}, &(struct otp_refusal){0}));
    assert_err(create_for_phone(&scene), ERR_RATE_LIMITED);
    for (int i = 0; i < 2; i++, job = claim(&scene))
        assert_ok(report(&scene, job, PHONE_TASK_STATUS_SENT));
    assert_ok(create_for_phone(&scene));
    assert_err(create_for_phone(&scene), ERR_RATE_LIMITED);
}

static void the_bot_must_be_there_and_serve(struct store *store)
{
    AUTO_SCENE scene;
    begin(&scene, store);
    scene.setups[CHANNEL_MESSENGER_BOT].driver = NULL;
    assert_err(create_for_chat(&scene, CHAT), ERR_CHANNEL_NOT_CONFIGURED);
    scene.setups[CHANNEL_MESSENGER_BOT].driver = &bot;
    sql(&scene, "INSERT INTO channel_circuit (channel, open_until)"
                " VALUES ('messenger_bot', 1795235580001)");
    assert_err(create_for_chat(&scene, CHAT), ERR_CIRCUIT_OPEN);
    assert_int_equal(count(&scene, "message"), 0);
    assert_int_equal(count(&scene, "chat_turn"), 0);
    assert_int_equal(count(&scene, "channel_send"), 0);
    scene.world.now_ms++;
    assert_ok(create_for_chat(&scene, CHAT));
}

/* --- By a phone --- */

static void a_phone_sends_it(struct store *store)
{
    AUTO_SCENE scene;
    begin(&scene, store);
    assert_ok(create_for_phone(&scene));
    struct claimed_task *job = claim(&scene);
    assert_string_equal(job->text, TEXT);
    assert_string_equal(job->sender, ACCOUNT);
    assert_string_equal(job->recipient, RECIPIENT);
    assert_message(&scene, MESSAGE_ACCEPTED, NULL);
    assert_true(has_text(&scene));

    scene.world.now_ms += SECOND_MS;
    assert_ok(report(&scene, job, PHONE_TASK_STATUS_SENT));
    assert_message(&scene, MESSAGE_SENT, NULL);
    assert_true(read_again(&scene).updated_at == WORLD_START_MS + SECOND_MS);
    assert_false(has_text(&scene));
    assert_null(claim(&scene));

    assert_ok(report(&scene, job, PHONE_TASK_STATUS_DELIVERED));
    assert_message(&scene, MESSAGE_DELIVERED, NULL);
    /* Reports overtake each other. */
    assert_ok(report(&scene, job, PHONE_TASK_STATUS_SENT));
    assert_message(&scene, MESSAGE_DELIVERED, NULL);
}

static void what_is_delivered_at_once_was_sent(struct store *store)
{
    AUTO_SCENE scene;
    begin(&scene, store);
    assert_ok(create_for_phone(&scene));
    struct claimed_task *job = claim(&scene);
    assert_ok(report(&scene, job, PHONE_TASK_STATUS_DELIVERED));
    assert_message(&scene, MESSAGE_DELIVERED, NULL);
    assert_false(has_text(&scene));
}

static void it_has_failed_when_the_last_send_has(struct store *store)
{
    struct phone_task_result failed = {.status = PHONE_TASK_STATUS_FAILED, .error = "no network"};
    AUTO_SCENE scene;
    begin(&scene, store);
    assert_ok(create_for_phone(&scene));
    for (int i = 1; i <= PHONE_TASK_SENDS_MAX; i++) {
        assert_message(&scene, MESSAGE_ACCEPTED, NULL);
        struct claimed_task *job = claim(&scene);
        assert_int_equal(job->attempt, i);
        assert_string_equal(job->text, TEXT);
        assert_ok(report_of(&scene, job, &failed));
    }
    assert_message(&scene, MESSAGE_FAILED, "no network");
    assert_false(has_text(&scene));
    assert_null(claim(&scene));
}

static void a_permanent_failure_is_the_last(struct store *store)
{
    struct phone_task_result failed = {.status = PHONE_TASK_STATUS_FAILED, .permanent = true};
    AUTO_SCENE scene;
    begin(&scene, store);
    assert_ok(create_for_phone(&scene));
    assert_ok(report_of(&scene, claim(&scene), &failed));
    assert_message(&scene, MESSAGE_FAILED, "the phone could not send it");
    assert_null(claim(&scene));
}

/* --- By the bot --- */

static void the_bot_sends_it(struct store *store)
{
    struct channel_content order;
    AUTO_SCENE scene;
    begin(&scene, store);
    assert_ok(create_for_chat(&scene, CHAT));
    assert_int_equal(last_run_at(&scene), 0);
    assert_ok(load(&scene, &order));
    assert_string_equal(order.chat_id, CHAT);
    assert_string_equal(order.text, TEXT);
    assert_null(order.code);
    answer(&scene, SEND_FETCHING, NULL);
    assert_message(&scene, MESSAGE_ACCEPTED, NULL);

    answer(&scene, SEND_SENT, NULL);
    assert_message(&scene, MESSAGE_SENT, NULL);
    assert_false(has_text(&scene));
    /* It is not to be taken back, and there is nothing to send any more. */
    assert_ok(load(&scene, &order));
    assert_null(order.text);
    answer(&scene, SEND_DELIVERED, NULL);
    assert_message(&scene, MESSAGE_DELIVERED, NULL);
    answer(&scene, SEND_SENT, NULL);
    assert_message(&scene, MESSAGE_DELIVERED, NULL);
}

/* A message that the provider has is on its way. */
static void what_the_provider_took_is_sent(struct store *store)
{
    AUTO_SCENE scene;
    begin(&scene, store);
    assert_ok(create_for_chat(&scene, CHAT));
    answer(&scene, SEND_ACCEPTED, NULL);
    assert_message(&scene, MESSAGE_SENT, NULL);
    assert_false(has_text(&scene));
    answer(&scene, SEND_FAILED, "expired");
    assert_message(&scene, MESSAGE_FAILED, "expired");
}

static void what_the_bot_may_not_send_has_failed(struct store *store)
{
    struct channel_content order;
    AUTO_SCENE scene;
    begin(&scene, store);
    assert_ok(create_for_chat(&scene, CHAT));
    answer(&scene, SEND_FAILED, "403: bot was blocked");
    assert_message(&scene, MESSAGE_FAILED, "403: bot was blocked");
    assert_false(has_text(&scene));
    assert_err(load(&scene, &order), ERR_NOT_FOUND);
    /* A report that comes late changes nothing. */
    answer(&scene, SEND_SENT, NULL);
    answer(&scene, SEND_UNKNOWN, "no answer");
    assert_message(&scene, MESSAGE_FAILED, "403: bot was blocked");
}

/* It may be out, so it is never sent again by itself; it may be learned later. */
static void an_unknown_outcome_is_told(struct store *store)
{
    struct channel_content order;
    AUTO_SCENE scene;
    begin(&scene, store);
    assert_ok(create_for_chat(&scene, CHAT));
    answer(&scene, SEND_FETCHING, NULL);
    answer(&scene, SEND_UNKNOWN, "no answer in time");
    assert_message(&scene, MESSAGE_UNKNOWN,
                   "it is not known whether it was sent: no answer in time");
    assert_false(has_text(&scene));
    assert_err(load(&scene, &order), ERR_NOT_FOUND);

    scene.world.now_ms += MESSAGE_LIFE_MS + 1;
    sweep(&scene, 10);
    assert_message(&scene, MESSAGE_UNKNOWN,
                   "it is not known whether it was sent: no answer in time");
    answer(&scene, SEND_SENT, NULL);
    assert_message(&scene, MESSAGE_SENT, NULL);
}

/* --- Over HTTP --- */

struct asking {
    struct request *rq;
    enum err (*handle)(struct request *rq);
};

static enum err run_ask(struct work *work, void *arg)
{
    struct asking *step = arg;
    step->rq->work = *work;
    buf_init(&step->rq->reply, 10000);
    return step->handle(step->rq);
}

static enum err ask(struct scene *scene, struct request *rq, enum err (*handle)(struct request *rq))
{
    struct asking step = {rq, handle};
    buf_done(&rq->reply);
    return world_run(&scene->world, run_ask, &step);
}

static void a_replay_answers_with_the_message_as_it_is_now(struct store *store)
{
    struct message_input input = {
        .channel = MESSAGE_MESSENGER_BOT, .text = TEXT, .chat_id = {CHAT, true}};
    struct route created = route_of(&message_routes, "createMessage");
    AUTO_SCENE scene;
    begin(&scene, store);
    struct request rq = {
        .route = &created, .body = &input, .resource_id = uuid_new(scene.world.now_ms)};
    assert_ok(ask(&scene, &rq, created.handle));
    assert_int_equal(rq.status, 202);
    assert_true(holds(buf_view(&rq.reply), "\"state\":\"accepted\",\"account_id\":null,"
                                           "\"recipient\":null,\"chat_id\":42,\"error\":null,"));
    assert_false(holds(buf_view(&rq.reply), "text"));

    scene.message.id = rq.resource_id;
    answer(&scene, SEND_SENT, NULL);
    rq.is_replayed = true;
    assert_ok(ask(&scene, &rq, created.replay));
    assert_true(holds(buf_view(&rq.reply), "\"state\":\"sent\""));
    rq.path_ids[0] = rq.resource_id;
    rq.is_replayed = false;
    assert_ok(ask(&scene, &rq, route_of(&message_routes, "getMessage").handle));
    assert_true(holds(buf_view(&rq.reply), "\"state\":\"sent\""));
    rq.path_ids[0] = uuid_new(scene.world.now_ms);
    assert_err(ask(&scene, &rq, route_of(&message_routes, "getMessage").handle), ERR_NOT_FOUND);
    buf_done(&rq.reply);
}

static void a_full_chat_tells_the_wait(struct store *store)
{
    struct message_input input = {
        .channel = MESSAGE_MESSENGER_BOT, .text = TEXT, .chat_id = {CHAT, false}};
    struct route created = route_of(&message_routes, "createMessage");
    AUTO_SCENE scene;
    begin(&scene, store);
    sql(&scene, "INSERT INTO chat_turn (chat, next_at) VALUES ('42', 1795236181501)");
    struct request rq = {
        .route = &created, .body = &input, .resource_id = uuid_new(scene.world.now_ms)};
    assert_err(ask(&scene, &rq, created.handle), ERR_RATE_LIMITED);
    assert_int_equal(rq.retry_after_s, 2); /* 1501 ms, rounded up */
    buf_done(&rq.reply);
}

int main(void)
{
    const struct store_case cases[] = {
        {"a message is as it was asked for", a_message_is_as_it_was_asked_for},
        {"a chat id stays what it was", a_chat_id_stays_what_it_was},
        {"the text is a secret", the_text_is_a_secret},
        {"an account must be known and connected", an_account_must_be_known_and_connected},
        {"an account can send for sixty seconds after its last word",
         an_account_can_send_for_sixty_seconds_after_its_last_word},
        {"no more than a thousand wait for an account",
         no_more_than_a_thousand_wait_for_an_account},
        {"the bot must be there and serve", the_bot_must_be_there_and_serve},
        {"a phone sends it", a_phone_sends_it},
        {"what is delivered at once was sent", what_is_delivered_at_once_was_sent},
        {"it has failed when the last send has", it_has_failed_when_the_last_send_has},
        {"a permanent failure is the last", a_permanent_failure_is_the_last},
        {"the bot sends it", the_bot_sends_it},
        {"what the provider took is sent", what_the_provider_took_is_sent},
        {"what the bot may not send has failed", what_the_bot_may_not_send_has_failed},
        {"an unknown outcome is told", an_unknown_outcome_is_told},
        {"a replay answers with the message as it is now",
         a_replay_answers_with_the_message_as_it_is_now},
        {"a full chat tells the wait", a_full_chat_tells_the_wait},
    };
    return store_run_cases("message", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
