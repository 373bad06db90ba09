/* domain/messenger: a phone claims messages for its accounts, sends them, and reports (contract,
 * section 2, rules 7, 9 and 11). What wants them is a stand-in here. */
#include "app/setup/migrations.h"
#include "domain/messenger/messenger.h"
#include "world.h"

#define A         "+79160000001"
#define B         "+79160000002"
#define RECIPIENT "+79161234567"
#define SHOP      "shop-12"

enum { LIFE_MS = 10 * MINUTE_MS };

/* --- The stand-in for codes and messages ------------------------------------------------------ */

static enum err lock_nothing(struct work *work, const struct uuid *owner_id, bool is_failure)
{
    (void)work, (void)owner_id, (void)is_failure;
    return ERR_OK;
}

static enum err make_text(struct work *work, const struct phone_task *task, const char **ret_text)
{
    *ret_text = arena_printf(work->arena, "To %s, to the letter", task->recipient);
    return ERR_OK;
}

static const char *const change_words[] = {
    [PHONE_TASK_UNCHANGED] = "nothing",       [PHONE_TASK_NOW_SENT] = "sent",
    [PHONE_TASK_NOW_DELIVERED] = "delivered", [PHONE_TASK_NOW_QUEUED] = "again",
    [PHONE_TASK_NOW_GIVEN_UP] = "given up",   [PHONE_TASK_NOW_UNKNOWN] = "unknown",
};

/* The word that its owner hears is read back from what the transaction notes. */
static enum err apply(struct work *work, const struct phone_task *task,
                      enum phone_task_change change)
{
    work_note(work, LOG_DEBUG, change_words[change], LOG_FIELDS(log_plain("error", task->error)));
    return ERR_OK;
}

static const struct phone_task_owner stand_in = {
    .hold = lock_nothing, .make_text = make_text, .apply = apply};
static const struct phone_task_owner *const owners[] = {
    [PHONE_TASK_OF_OTP] = &stand_in, [PHONE_TASK_OF_MESSAGE] = &stand_in};
static const struct phone_task_line *const phone_task_lines[] = {
    [PHONE_TASK_SMS] = &messenger_task_line, /* not used */
    [PHONE_TASK_PERSONAL_MESSENGER] = &messenger_task_line,
};

struct scene {
    struct world *world;
    struct device first, second; /* the first has the account */
};

/* --- What phones do --------------------------------------------------------------------------- */

struct declaring {
    const struct device *phone;
    struct device_account account;
};

static enum err run_declare(struct work *work, void *arg)
{
    struct declaring *step = arg;
    struct accounts_input input = {{&step->account, 1}};
    return fleet_declare_accounts(work, step->phone, &input);
}

static void declare(struct scene *scene, const struct device *phone, const char *account_id,
                    enum account_state state)
{
    struct declaring step = {phone, {account_id, "telegram", state, 0}};
    assert_ok(world_run(scene->world, run_declare, &step));
}

static void bind(struct scene *scene, const struct device *phone)
{
    assert_ok(world_bind(scene->world, &phone->id, (const char *[]){SHOP, "other"}, 2, NULL));
}

static void begin(struct scene *scene, struct world *world, struct store *store)
{
    world_open(world, store);
    world->phone_tasks.owners = owners;
    world->phone_tasks.lines = phone_task_lines;
    *scene = (struct scene){.world = world};
    scene->first = world_phone(world, A);
    scene->second = world_phone(world, B);
    bind(scene, &scene->first);
    declare(scene, &scene->first, SHOP, ACCOUNT_CONNECTED);
}

/* The operator takes the account from one phone and binds the other one to it. */
static void move(struct scene *scene, const struct device *from, const struct device *to)
{
    assert_ok(world_bind(scene->world, &from->id, NULL, 0, NULL));
    bind(scene, to);
    declare(scene, to, SHOP, ACCOUNT_CONNECTED);
}

static enum err run_queue(struct work *work, void *arg)
{
    return phone_task_queue(work, arg);
}

/* A message of a new owner, or an SMS of one. */
static void queue_for(struct scene *scene, enum phone_task_channel channel, const char *sender)
{
    struct phone_task_spec order = {
        .channel = channel,
        .owner_kind = PHONE_TASK_OF_MESSAGE,
        .owner_id = uuid_new(scene->world->now_ms),
        .sender = sender,
        .recipient = RECIPIENT,
        .expires_at = scene->world->now_ms + LIFE_MS,
    };
    assert_ok(world_run(scene->world, run_queue, &order));
}

static void queue(struct scene *scene)
{
    queue_for(scene, PHONE_TASK_PERSONAL_MESSENGER, SHOP);
}

struct claiming {
    const struct device *phone;
    struct message_claim_input input;
    struct phone_task_claim_result result;
};

static enum err run_claim(struct work *work, void *arg)
{
    struct claiming *step = arg;
    return messenger_claim(work, step->phone, &step->input, &step->result);
}

/* As the dispatcher does: first as a read, then, if that is asked for, as a write. */
static enum err claim_of(struct world *world, const struct device *phone, const char *account_id,
                         struct claimed_task **ret_job)
{
    struct claiming step = {.phone = phone, .input = {account_id}};
    enum err err = world_read(world, run_claim, &step);
    if (err == ERR_WRITE_NEEDED) err = world_run(world, run_claim, &step);
    *ret_job = step.result.task;
    return err;
}

/* NULL: there is none. */
static struct claimed_task *claim(struct scene *scene, const struct device *phone)
{
    struct claimed_task *job;
    assert_ok(claim_of(scene->world, phone, SHOP, &job));
    return job;
}

/* There must be one. */
static struct claimed_task claim_one(struct scene *scene, const struct device *phone)
{
    const struct claimed_task *job = claim(scene, phone);
    assert_non_null(job);
    return *job;
}

struct reporting {
    const struct device *phone;
    const struct uuid *task_id;
    struct phone_task_result result;
};

static enum err run_report(struct work *work, void *arg)
{
    const struct reporting *step = arg;
    return phone_task_report(work, PHONE_TASK_PERSONAL_MESSENGER, step->phone, step->task_id,
                             &step->result);
}

static enum err report(struct scene *scene, const struct device *phone,
                       const struct claimed_task *job, enum phone_task_status status)
{
    struct reporting step = {phone, &job->id, {.lease_id = job->lease_id, .status = (int)status}};
    return world_run(scene->world, run_report, &step);
}

/* Returns what the last report told the owner; "" if nothing. */
static const char *heard(const struct scene *scene)
{
    const char *message = "";
    for (const struct work_note *note = scene->world->said; note; note = note->next)
        if (note->level == LOG_DEBUG) message = note->message;
    return message;
}

/* --- Claims ----------------------------------------------------------------------------------- */

static void a_phone_claims_what_waits_for_its_account(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    assert_null(claim(&scene, &scene.first));
    queue(&scene);
    queue(&scene);
    struct claimed_task job = claim_one(&scene, &scene.first);
    assert_string_equal(job.sender, SHOP);
    assert_string_equal(job.recipient, RECIPIENT);
    assert_string_equal(job.text, "To " RECIPIENT ", to the letter");
    assert_int_equal(job.attempt, 1);
    assert_true(job.lease_expires_at == WORLD_START_MS + PHONE_TASK_LEASE_MS);

    /* During the lease it is the same; one task at a time. */
    world.now_ms += PHONE_TASK_LEASE_MS - 1;
    struct claimed_task again = claim_one(&scene, &scene.first);
    assert_uuid_equal(again.id, job.id);
    assert_uuid_equal(again.lease_id, job.lease_id);
    assert_true(again.lease_expires_at == job.lease_expires_at);

    assert_ok(report(&scene, &scene.first, &job, PHONE_TASK_STATUS_SENT));
    struct claimed_task next = claim_one(&scene, &scene.first);
    assert_memory_not_equal(&next.id, &job.id, sizeof(struct uuid));
}

static void a_claim_only_reads_where_nothing_waits(struct store *store)
{
    struct claiming step = {.input = {SHOP}};
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    step.phone = &scene.first;
    world.now_ms += SECOND_MS;
    assert_ok(world_read(&world, run_claim, &step));
    queue(&scene);
    assert_err(world_read(&world, run_claim, &step), ERR_WRITE_NEEDED);
    assert_null(step.result.task);
    world_flush(&world);
    struct device shown = world_read_phone(&world, &scene.first.id);
    assert_true(shown.last_seen_at == world.now_ms);
}

static void a_phone_claims_for_its_own_accounts_only(struct store *store)
{
    struct claimed_task *job;
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    queue(&scene);
    assert_err(claim_of(&world, &scene.second, SHOP, &job), ERR_NUMBER_NOT_OWNED);
    assert_err(claim_of(&world, &scene.first, "unknown", &job), ERR_NUMBER_NOT_OWNED);
    declare(&scene, &scene.first, "other", ACCOUNT_CONNECTED);
    assert_ok(claim_of(&world, &scene.first, "other", &job));
    assert_null(job);
    /* The number of a SIM is no account, and an SMS is no message. */
    queue_for(&scene, PHONE_TASK_SMS, "other");
    assert_ok(claim_of(&world, &scene.first, "other", &job));
    assert_null(job);

    assert_ok(world_set_enabled(&world, &scene.first.id, false));
    struct device disabled = world_read_phone(&world, &scene.first.id);
    assert_err(claim_of(&world, &disabled, SHOP, &job), ERR_DEVICE_DISABLED);
}

/* An account that its phone called anything else waits until it is connected again. */
static void only_a_connected_account_gets_tasks(struct store *store)
{
    static const enum account_state others[] = {ACCOUNT_LINKED, ACCOUNT_DISCONNECTED,
                                                ACCOUNT_BANNED};
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    queue(&scene);
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        declare(&scene, &scene.first, SHOP, others[i]);
        assert_null(claim(&scene, &scene.first));
    }
    declare(&scene, &scene.first, SHOP, ACCOUNT_CONNECTED);
    world.now_ms += ACCOUNT_VALID_MS; /* the word has lapsed, but who asks is there */
    claim_one(&scene, &scene.first);
}

static void nothing_is_claimed_after_its_time(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    queue(&scene);
    world.now_ms += LIFE_MS;
    claim_one(&scene, &scene.first);
    world.now_ms += PHONE_TASK_LEASE_MS;
    assert_null(claim(&scene, &scene.first));
}

enum { CROWD = 8 };

struct crowd {
    struct device phone;
    enum err errs[CROWD];
    bool has[CROWD];
    struct claimed_task jobs[CROWD];
};

static void claim_at_once(struct world *world, int index, void *arg)
{
    struct crowd *crowd = arg;
    struct claimed_task *job = NULL;
    crowd->errs[index] = claim_of(world, &crowd->phone, SHOP, &job);
    crowd->has[index] = job != NULL;
    if (job) crowd->jobs[index] = *job;
}

static void eight_claims_at_once_get_one_task(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    struct crowd crowd = {.phone = scene.first};
    for (int i = 0; i < CROWD; i++)
        queue(&scene);
    world_crowd(&world, CROWD, claim_at_once, &crowd);
    for (int i = 0; i < CROWD; i++) {
        assert_ok(crowd.errs[i]);
        assert_true(crowd.has[i]);
        assert_uuid_equal(crowd.jobs[i].id, crowd.jobs[0].id);
        assert_uuid_equal(crowd.jobs[i].lease_id, crowd.jobs[0].lease_id);
    }
}

/* --- Reports ---------------------------------------------------------------------------------- */

static void sent_may_become_delivered_and_nothing_else(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    queue(&scene);
    struct claimed_task job = claim_one(&scene, &scene.first);
    assert_ok(report(&scene, &scene.first, &job, PHONE_TASK_STATUS_SENT));
    assert_string_equal(heard(&scene), "sent");
    assert_ok(report(&scene, &scene.first, &job, PHONE_TASK_STATUS_SENT));
    assert_string_equal(heard(&scene), "");
    assert_ok(report(&scene, &scene.first, &job, PHONE_TASK_STATUS_DELIVERED));
    assert_string_equal(heard(&scene), "delivered");
    assert_ok(report(&scene, &scene.first, &job, PHONE_TASK_STATUS_DELIVERED));
    assert_ok(report(&scene, &scene.first, &job, PHONE_TASK_STATUS_SENT)); /* it was */
    assert_string_equal(heard(&scene), "");
    assert_err(report(&scene, &scene.first, &job, PHONE_TASK_STATUS_FAILED), ERR_RESULT_CONFLICT);
    assert_null(claim(&scene, &scene.first));
}

static void a_failed_message_is_sent_three_times_by_its_account(struct store *store)
{
    static const char *const told[] = {"again", "again", "given up"};
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    declare(&scene, &scene.second, "other", ACCOUNT_CONNECTED); /* no other may speak for it */
    queue(&scene);
    struct claimed_task last = {0};
    for (int i = 0; i < PHONE_TASK_SENDS_MAX; i++) {
        struct claimed_task job = claim_one(&scene, &scene.first);
        assert_int_equal(job.attempt, i + 1);
        assert_string_equal(job.sender, SHOP);
        assert_memory_not_equal(&job.id, &last.id, sizeof(struct uuid));
        assert_ok(report(&scene, &scene.first, &job, PHONE_TASK_STATUS_FAILED));
        assert_string_equal(heard(&scene), told[i]);
        assert_ok(report(&scene, &scene.first, &job, PHONE_TASK_STATUS_FAILED)); /* twice is once */
        assert_string_equal(heard(&scene), "");
        assert_err(report(&scene, &scene.first, &job, PHONE_TASK_STATUS_SENT), ERR_RESULT_CONFLICT);
        last = job;
    }
    assert_null(claim(&scene, &scene.first));
    assert_int_equal(store_number(store, "SELECT count(*) AS n FROM phone_task"),
                     PHONE_TASK_SENDS_MAX);
}

static void a_permanent_failure_is_the_last(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    queue(&scene);
    struct claimed_task job = claim_one(&scene, &scene.first);
    struct reporting step = {
        &scene.first,
        &job.id,
        {.status = PHONE_TASK_STATUS_FAILED, .error = "blocked", .permanent = true}};
    assert_ok(world_run(&world, run_report, &step));
    assert_string_equal(heard(&scene), "given up");
    assert_null(claim(&scene, &scene.first));
}

static void a_message_is_reported_as_one_and_by_its_holder(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    queue(&scene);
    struct claimed_task job = claim_one(&scene, &scene.first);
    assert_err(report(&scene, &scene.second, &job, PHONE_TASK_STATUS_SENT), ERR_NUMBER_NOT_OWNED);
    struct claimed_task unknown = {.id = uuid_new(world.now_ms)};
    assert_err(report(&scene, &scene.first, &unknown, PHONE_TASK_STATUS_SENT), ERR_NOT_FOUND);
    struct claimed_task stale = {.id = job.id, .lease_id = uuid_new(world.now_ms)};
    assert_err(report(&scene, &scene.first, &stale, PHONE_TASK_STATUS_SENT), ERR_LEASE_LOST);

    /* A disabled phone may still tell what it did. */
    assert_ok(world_set_enabled(&world, &scene.first.id, false));
    struct device disabled = world_read_phone(&world, &scene.first.id);
    assert_ok(report(&scene, &disabled, &job, PHONE_TASK_STATUS_SENT));
}

static enum err run_report_as_sms(struct work *work, void *arg)
{
    const struct reporting *step = arg;
    return phone_task_report(work, PHONE_TASK_SMS, step->phone, step->task_id, &step->result);
}

static void a_message_is_no_sms(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    queue(&scene);
    struct claimed_task job = claim_one(&scene, &scene.first);
    struct reporting step = {&scene.first, &job.id, {.status = PHONE_TASK_STATUS_SENT}};
    assert_err(world_run(&world, run_report_as_sms, &step), ERR_NOT_FOUND);
}

/* --- Leases that end -------------------------------------------------------------------------- */

static void a_late_result_is_taken_until_another_lease_is_given(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    queue(&scene);
    struct claimed_task late = claim_one(&scene, &scene.first);
    world.now_ms += PHONE_TASK_LEASE_MS;
    assert_ok(report(&scene, &scene.first, &late, PHONE_TASK_STATUS_SENT));

    queue(&scene);
    struct claimed_task lost = claim_one(&scene, &scene.first);
    world.now_ms += PHONE_TASK_LEASE_MS;
    struct claimed_task again = claim_one(&scene, &scene.first);
    assert_uuid_equal(again.id, lost.id);
    assert_memory_not_equal(&again.lease_id, &lost.lease_id, sizeof(struct uuid));
    assert_int_equal(again.attempt, 1); /* the same send, not another */
    assert_err(report(&scene, &scene.first, &lost, PHONE_TASK_STATUS_SENT), ERR_LEASE_LOST);
    assert_ok(report(&scene, &scene.first, &again, PHONE_TASK_STATUS_SENT));
}

/* A task that waits for an account moves with it. */
static void who_gets_an_account_gets_its_tasks(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    queue(&scene);
    struct claimed_task held = claim_one(&scene, &scene.first);
    world.now_ms += ACCOUNT_VALID_MS;
    move(&scene, &scene.first, &scene.second);
    assert_null(claim(&scene, &scene.second)); /* the lease has 30 s to go */
    world.now_ms += PHONE_TASK_LEASE_MS - ACCOUNT_VALID_MS;
    struct claimed_task taken = claim_one(&scene, &scene.second);
    assert_uuid_equal(taken.id, held.id);
    assert_err(report(&scene, &scene.first, &held, PHONE_TASK_STATUS_SENT), ERR_LEASE_LOST);
    assert_ok(report(&scene, &scene.second, &taken, PHONE_TASK_STATUS_SENT));

    queue(&scene);
    held = claim_one(&scene, &scene.second);
    move(&scene, &scene.second, &scene.first);
    /* It is not its account any more, but it sent the message. */
    assert_ok(report(&scene, &scene.second, &held, PHONE_TASK_STATUS_SENT));
}

static void what_an_account_that_is_nobody_s_sent_is_still_heard(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    queue(&scene);
    struct claimed_task job = claim_one(&scene, &scene.first);
    assert_ok(world_bind(&world, &scene.first.id, NULL, 0, NULL));
    assert_ok(report(&scene, &scene.first, &job, PHONE_TASK_STATUS_SENT));
    assert_string_equal(heard(&scene), "sent");
    assert_err(report(&scene, &scene.second, &job, PHONE_TASK_STATUS_SENT), ERR_NUMBER_NOT_OWNED);
}

static void tasks_of_a_disabled_phone_wait_for_the_next_owner(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    queue(&scene);
    struct claimed_task held = claim_one(&scene, &scene.first);
    assert_ok(world_set_enabled(&world, &scene.first.id, false));
    world.now_ms += ACCOUNT_VALID_MS;
    move(&scene, &scene.first, &scene.second);
    struct claimed_task taken = claim_one(&scene, &scene.second); /* 30 s before the lease's end */
    assert_uuid_equal(taken.id, held.id);
}

/* Whoever holds a lease loses it with the right to send, whose account it may be by now. */
static void a_lease_ends_with_its_holder_s_phone(struct store *store)
{
    AUTO_WORLD world;
    struct scene scene;
    begin(&scene, &world, store);
    queue(&scene);
    struct claimed_task held = claim_one(&scene, &scene.first);
    world.now_ms += ACCOUNT_VALID_MS;
    move(&scene, &scene.first, &scene.second);
    assert_ok(world_set_enabled(&world, &scene.second.id, false));
    assert_ok(world_set_enabled(&world, &scene.second.id, true));
    assert_null(claim(&scene, &scene.second));
    assert_ok(world_set_enabled(&world, &scene.first.id, false));
    struct claimed_task taken = claim_one(&scene, &scene.second); /* 30 s before the lease's end */
    assert_uuid_equal(taken.id, held.id);
}

static bool is_taken(struct store *store, int letters)
{
    struct message_claim_input input;
    struct record_faults *faults = ARENA_NEW(&store->arena, struct record_faults);
    AUTO_BUF body = {0};
    buf_init(&body, 4096);
    record_faults_init(faults, &store->arena);
    buf_text(&body, "{\"later\":true,\"account_id\":\"");
    for (int i = 0; i < letters; i++)
        buf_text(&body, "Ж");
    buf_text(&body, "\"}");
    return !record_decode(&message_claim_record, buf_view(&body), false, &store->arena, &input,
                          faults);
}

static void a_claim_names_an_account(struct store *store)
{
    assert_true(is_taken(store, 1) && !is_taken(store, 0));
    assert_true(is_taken(store, ACCOUNT_ID_MAX) && !is_taken(store, ACCOUNT_ID_MAX + 1));
}

static void assert_encoded(const struct phone_task_claim_result *result, const char *expected)
{
    struct json_writer json;
    AUTO_BUF text = {0};
    buf_init(&text, 4096);
    json_writer_init(&json, &text);
    record_encode(&message_claim_result_record, result, &json);
    buf_char(&text, '\0');
    assert_string_equal(text.data, expected);
}

static void a_task_is_shown_whole(struct store *store)
{
    struct claimed_task job = {.sender = SHOP,
                               .recipient = RECIPIENT,
                               .text = "Готово",
                               .attempt = 2,
                               .lease_expires_at = WORLD_START_MS};
    (void)store;
    assert_true(uuid_parse(STR("0192f0c4-3333-7d3e-8f00-3b2a1c0d9e8f"), &job.id));
    assert_true(uuid_parse(STR("0192f0c4-4444-7d3e-8f00-3b2a1c0d9e8f"), &job.lease_id));
    assert_encoded(&(struct phone_task_claim_result){NULL}, "{\"task\":null}");
    assert_encoded(&(struct phone_task_claim_result){&job},
                   "{\"task\":{\"id\":\"0192f0c4-3333-7d3e-8f00-3b2a1c0d9e8f\","
                   "\"lease_id\":\"0192f0c4-4444-7d3e-8f00-3b2a1c0d9e8f\","
                   "\"account_id\":\"shop-12\",\"recipient\":\"+79161234567\","
                   "\"text\":\"Готово\",\"attempt\":2,"
                   "\"lease_expires_at\":\"2026-11-21T04:33:00.000Z\"}}");
}

int main(void)
{
    static const struct store_case cases[] = {
        {"a phone claims what waits for its account", a_phone_claims_what_waits_for_its_account},
        {"a claim only reads where nothing waits", a_claim_only_reads_where_nothing_waits},
        {"a phone claims for its own accounts only", a_phone_claims_for_its_own_accounts_only},
        {"only a connected account gets tasks", only_a_connected_account_gets_tasks},
        {"nothing is claimed after its time", nothing_is_claimed_after_its_time},
        {"eight claims at once get one task", eight_claims_at_once_get_one_task},
        {"sent may become delivered and nothing else", sent_may_become_delivered_and_nothing_else},
        {"a failed message is sent three times by its account",
         a_failed_message_is_sent_three_times_by_its_account},
        {"a permanent failure is the last", a_permanent_failure_is_the_last},
        {"a message is reported as one and by its holder",
         a_message_is_reported_as_one_and_by_its_holder},
        {"a message is no SMS", a_message_is_no_sms},
        {"a late result is taken until another lease is given",
         a_late_result_is_taken_until_another_lease_is_given},
        {"who gets an account gets its tasks", who_gets_an_account_gets_its_tasks},
        {"what an account that is nobody's sent is still heard",
         what_an_account_that_is_nobody_s_sent_is_still_heard},
        {"tasks of a disabled phone wait for the next owner",
         tasks_of_a_disabled_phone_wait_for_the_next_owner},
        {"a lease ends with its holder's phone", a_lease_ends_with_its_holder_s_phone},
        {"a claim names an account", a_claim_names_an_account, STORE_SQLITE},
        {"a task is shown whole", a_task_is_shown_whole, STORE_SQLITE},
    };
    return store_run_cases("messenger", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
