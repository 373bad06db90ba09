/* The rules of sends, without a worker: what is queued, ended, reported, and which moves count. */
#include "app/setup/migrations.h"
#include "channel_scene.h"
#include "domain/channel/channel_db.h"

enum { OWNER = 7, TTL_MS = 5 * MINUTE_MS };

static const struct channel_setup gateway = {.driver = &driver_telegram_gateway,
                                             .owner = {.load = owner_load, .apply = owner_apply}};

static void begin(struct channel_scene *scene, struct store *store)
{
    scene_open(scene, store);
    scene->setups[CHANNEL_MESSENGER_GATEWAY] = gateway;
}

/* --- What the tests do to a send --- */

struct move {
    struct channel_send send;
    enum send_state from;
    bool is_moved;
};

static enum err run_move(struct work *work, void *arg)
{
    struct move *move = arg;
    return send_move(work, &move->send, move->from, &move->is_moved);
}

/* As a worker would have left it. */
static void set_state(struct channel_scene *scene, enum send_state state, const char *provider_id)
{
    struct move move = {.send = scene_send(scene, OWNER)};
    move.from = (enum send_state)move.send.state;
    move.send.state = state;
    move.send.provider_id = provider_id;
    move.send.error = NULL;
    assert_ok(world_run(&scene->world, run_move, &move));
    assert_true(move.is_moved);
}

struct report {
    enum channel channel;
    const char *provider_id;
    struct uuid send_id;
    struct channel_answer answer;
};

static enum err run_report(struct work *work, void *arg)
{
    const struct report *report = arg;
    return channel_apply_report(work, report->channel, report->provider_id, &report->send_id,
                                &report->answer);
}

static enum err report_of(struct channel_scene *scene, const char *provider_id,
                          enum channel_progress progress)
{
    struct report report = {.channel = CHANNEL_MESSENGER_GATEWAY,
                            .provider_id = provider_id,
                            .answer = {.outcome = OUTCOME_DONE, .progress = progress}};
    if (progress == PROGRESS_FAILED) report.answer.error = "expired";
    return world_run(&scene->world, run_report, &report);
}

/* --- Cases --- */

static void queues_a_send_and_its_job(struct store *store)
{
    struct channel_scene scene;
    begin(&scene, store);
    scene_queue(&scene, CHANNEL_MESSENGER_GATEWAY, OWNER, 1, TTL_MS);

    struct channel_send send = scene_send(&scene, OWNER);
    assert_int_equal(send.channel, CHANNEL_MESSENGER_GATEWAY);
    assert_int_equal(send.state, SEND_QUEUED);
    assert_int_equal(send.attempt, 0);
    assert_null(send.provider_id);
    assert_null(send.error);
    assert_int_equal(send.created_at, WORLD_START_MS);
    assert_int_equal(send.expires_at, WORLD_START_MS + TTL_MS);
    assert_int_equal(scene_count(&scene, "job WHERE kind = 'messenger_gateway/send'"), 1);
    assert_int_equal(scene_owner(&scene, OWNER).told, 0);
    scene_close(&scene);
}

static void a_send_waits_for_its_time(struct store *store)
{
    struct channel_scene scene;
    struct queueing queueing = {CHANNEL_MESSENGER_GATEWAY, OWNER, 1, SECOND_MS, TTL_MS};
    begin(&scene, store);
    assert_ok(world_run(&scene.world, run_queue, &queueing));
    const char *due = arena_printf(scene.world.arena, "job WHERE due_at_ms = %lld",
                                   (long long)WORLD_START_MS + SECOND_MS);
    assert_int_equal(scene_count(&scene, due), 1);
    assert_int_equal(scene_send(&scene, OWNER).created_at, WORLD_START_MS);
    scene_close(&scene);
}

static void a_channel_without_a_driver_is_unavailable(struct store *store)
{
    struct channel_scene scene;
    begin(&scene, store);
    assert_err(scene_check(&scene, CHANNEL_FLASH_CALL), ERR_CHANNEL_NOT_CONFIGURED);
    assert_ok(scene_check(&scene, CHANNEL_MESSENGER_GATEWAY));
    scene_close(&scene);
}

struct circuit {
    int64_t open_until;
};

static enum err run_circuit(struct work *work, void *arg)
{
    const struct circuit *circuit = arg;
    return circuit_set(work, CHANNEL_MESSENGER_GATEWAY, circuit->open_until, "no balance", false);
}

static void a_circuit_is_open_until_its_time(struct store *store)
{
    struct channel_scene scene;
    struct circuit circuit = {WORLD_START_MS + 30 * SECOND_MS};
    begin(&scene, store);
    scene.setups[CHANNEL_FLASH_CALL] = gateway;

    for (int i = 0; i < 2; i++) /* the second time over the first */
        assert_ok(world_run(&scene.world, run_circuit, &circuit));
    scene.world.now_ms = circuit.open_until - 1;
    assert_err(scene_check(&scene, CHANNEL_MESSENGER_GATEWAY), ERR_CIRCUIT_OPEN);
    assert_ok(scene_check(&scene, CHANNEL_FLASH_CALL));
    scene.world.now_ms = circuit.open_until;
    assert_ok(scene_check(&scene, CHANNEL_MESSENGER_GATEWAY));

    circuit.open_until = 0;
    assert_ok(world_run(&scene.world, run_circuit, &circuit));
    scene.world.now_ms = WORLD_START_MS;
    assert_ok(scene_check(&scene, CHANNEL_MESSENGER_GATEWAY));
    scene_close(&scene);
}

static void a_closed_channel_tells_how_long(struct store *store)
{
    struct channel_scene scene;
    struct circuit circuit = {WORLD_START_MS + 30 * SECOND_MS};
    struct checking checking = {CHANNEL_MESSENGER_GATEWAY, -1};
    begin(&scene, store);
    assert_ok(world_run(&scene.world, run_circuit, &circuit));
    scene.world.now_ms = WORLD_START_MS + SECOND_MS;
    assert_err(world_read(&scene.world, run_check, &checking), ERR_CIRCUIT_OPEN);
    assert_int_equal(checking.retry_after_ms, 29 * SECOND_MS);

    scene.setups[CHANNEL_MESSENGER_GATEWAY].driver = NULL;
    assert_err(world_read(&scene.world, run_check, &checking), ERR_CHANNEL_NOT_CONFIGURED);
    scene_close(&scene);
}

struct withdrawing {
    struct uuid owner_id;
    bool is_fetching;
};

static enum err run_withdraw(struct work *work, void *arg)
{
    struct withdrawing *withdrawing = arg;
    return channel_withdraw(work, &withdrawing->owner_id, "another way", &withdrawing->is_fetching);
}

static void what_did_not_go_out_can_be_withdrawn(struct store *store)
{
    static const struct {
        enum send_state state, then;
        bool is_fetching;
    } rows[] = {
        {SEND_QUEUED, SEND_FAILED, false},       {SEND_FETCHING, SEND_FETCHING, true},
        {SEND_ACCEPTED, SEND_ACCEPTED, false},   {SEND_SENT, SEND_SENT, false},
        {SEND_DELIVERED, SEND_DELIVERED, false}, {SEND_FAILED, SEND_FAILED, false},
        {SEND_UNKNOWN, SEND_UNKNOWN, false},
    };
    struct channel_scene scene;
    begin(&scene, store);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct withdrawing withdrawing = {owner_id(OWNER), !rows[i].is_fetching};
        scene_sql(&scene, "DELETE FROM channel_send");
        scene_queue(&scene, CHANNEL_MESSENGER_GATEWAY, OWNER, 1, TTL_MS);
        set_state(&scene, rows[i].state, NULL);
        assert_ok(world_run(&scene.world, run_withdraw, &withdrawing));
        assert_int_equal(withdrawing.is_fetching, rows[i].is_fetching);
        bool is_withdrawn = rows[i].then != rows[i].state;
        assert_send(&scene, OWNER, rows[i].then, is_withdrawn ? "another way" : NULL);
    }
    assert_int_equal(scene_owner(&scene, OWNER).told, 0);
    scene_close(&scene);
}

static void an_end_takes_back_what_did_not_go_out(struct store *store)
{
    struct channel_scene scene;
    begin(&scene, store);
    scene_queue(&scene, CHANNEL_MESSENGER_GATEWAY, OWNER, 1, TTL_MS);
    scene_end(&scene, OWNER, NULL);
    assert_send(&scene, OWNER, SEND_FAILED, "the test ended it");
    assert_int_equal(scene_owner(&scene, OWNER).told, 0); /* it said so itself */
    assert_int_equal(scene_count(&scene, "job WHERE kind = 'messenger_gateway/revoke'"), 0);

    scene_end(&scene, OWNER, NULL);
    assert_send(&scene, OWNER, SEND_FAILED, "the test ended it");
    scene_close(&scene);
}

/* An end queues a fetch by the state of the send and what the driver can do. */
static void an_end_tells_the_provider(struct store *store)
{
    static const struct {
        enum send_state state;
        const char *provider_id;
        const struct channel_driver *driver;
        const char *right_code;
        const char *kind; /* NULL: nothing */
        bool is_code_kept;
    } rows[] = {
        {SEND_ACCEPTED, "id", &driver_telegram_gateway, NULL, "revoke", false},
        {SEND_SENT, "id", &driver_telegram_gateway, NULL, "revoke", false},
        {SEND_DELIVERED, "id", &driver_telegram_gateway, "0042", "success", true},
        {SEND_ACCEPTED, NULL, &driver_telegram_gateway, NULL, NULL, false},
        {SEND_ACCEPTED, NULL, &driver_telegram_gateway, "0042", NULL, false},
        {SEND_FETCHING, NULL, &driver_telegram_gateway, NULL, NULL, false},
        {SEND_FETCHING, NULL, &driver_telegram_gateway, "0042", NULL, true},
        {SEND_UNKNOWN, NULL, &driver_telegram_gateway, "0042", NULL, false},
        {SEND_UNKNOWN, "id", &driver_telegram_gateway, "0042", NULL, false},
        {SEND_FAILED, "id", &driver_telegram_gateway, NULL, NULL, false},
        {SEND_FAILED, "id", &driver_telegram_gateway, "0042", NULL, false},
        {SEND_ACCEPTED, "id", &driver_ucaller, NULL, NULL, false},
        {SEND_ACCEPTED, "id", &driver_ucaller, "0042", NULL, false},
        {SEND_ACCEPTED, "id", NULL, NULL, NULL, false},
        {SEND_ACCEPTED, "id", NULL, "0042", NULL, false},
    };
    struct channel_scene scene;
    begin(&scene, store);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        scene_sql(&scene, "DELETE FROM channel_send");
        scene_sql(&scene, "DELETE FROM job");
        scene_queue(&scene, CHANNEL_MESSENGER_GATEWAY, OWNER, 1, TTL_MS);
        set_state(&scene, rows[i].state, rows[i].provider_id);
        scene.setups[CHANNEL_MESSENGER_GATEWAY].driver = rows[i].driver;
        scene_end(&scene, OWNER, rows[i].right_code);

        assert_send(&scene, OWNER, rows[i].state, NULL);
        const char *kind = rows[i].kind ? rows[i].kind : "nothing";
        const char *of_kind =
            arena_printf(scene.world.arena, "job WHERE kind = 'messenger_gateway/%s'", kind);
        assert_int_equal(scene_count(&scene, of_kind), rows[i].kind ? 1 : 0);
        assert_int_equal(scene_count(&scene, "job"), rows[i].kind ? 2 : 1);
        assert_int_equal(scene_count(&scene, "channel_send WHERE success_code IS NOT NULL"),
                         rows[i].is_code_kept);
    }
    scene_close(&scene);
}

struct kept {
    struct uuid send_id;
    const char *code;
};

static enum err run_open_code(struct work *work, void *arg)
{
    struct kept *kept = arg;
    return channel_open_code(work, &kept->send_id, &kept->code);
}

static void the_right_code_is_sealed_for_its_send(struct store *store)
{
    struct channel_scene scene;
    begin(&scene, store);
    scene_queue(&scene, CHANNEL_MESSENGER_GATEWAY, OWNER, 2, TTL_MS);
    set_state(&scene, SEND_SENT, "id-1");
    struct kept kept = {.send_id = scene_send(&scene, OWNER).id};
    assert_err(world_read(&scene.world, run_open_code, &kept), ERR_NOT_FOUND);

    scene_end(&scene, OWNER, "0042");
    assert_ok(world_read(&scene.world, run_open_code, &kept));
    assert_string_equal(kept.code, "0042");
    /* It is bound to the send: in another row it is worth nothing. */
    scene_sql(&scene, "UPDATE channel_send SET success_code = (SELECT success_code FROM"
                      " channel_send WHERE success_code IS NOT NULL)");
    kept.send_id = scene_send(&scene, OWNER + 1).id;
    assert_err(world_read(&scene.world, run_open_code, &kept), ERR_INTERNAL);
    scene_close(&scene);
}

static void the_right_code_goes_with_a_send_that_fails(struct store *store)
{
    struct channel_scene scene;
    begin(&scene, store);
    scene_queue(&scene, CHANNEL_MESSENGER_GATEWAY, OWNER, 1, TTL_MS);
    set_state(&scene, SEND_SENT, "id-1");
    scene_end(&scene, OWNER, "0042");
    assert_int_equal(scene_count(&scene, "channel_send WHERE success_code IS NOT NULL"), 1);
    assert_ok(report_of(&scene, "id-1", PROGRESS_FAILED));
    assert_int_equal(scene_count(&scene, "channel_send WHERE success_code IS NOT NULL"), 0);
    scene_close(&scene);
}

static void reports_move_forward_only(struct store *store)
{
    static const struct {
        enum send_state from;
        enum channel_progress progress;
        enum send_state to;
    } rows[] = {
        {SEND_ACCEPTED, PROGRESS_ACCEPTED, SEND_ACCEPTED},
        {SEND_ACCEPTED, PROGRESS_SENT, SEND_SENT},
        {SEND_ACCEPTED, PROGRESS_DELIVERED, SEND_DELIVERED},
        {SEND_ACCEPTED, PROGRESS_FAILED, SEND_FAILED},
        {SEND_SENT, PROGRESS_ACCEPTED, SEND_SENT},
        {SEND_SENT, PROGRESS_SENT, SEND_SENT},
        {SEND_SENT, PROGRESS_DELIVERED, SEND_DELIVERED},
        {SEND_SENT, PROGRESS_FAILED, SEND_FAILED},
        {SEND_DELIVERED, PROGRESS_SENT, SEND_DELIVERED},
        {SEND_DELIVERED, PROGRESS_FAILED, SEND_DELIVERED},
        {SEND_FAILED, PROGRESS_DELIVERED, SEND_FAILED},
        {SEND_UNKNOWN, PROGRESS_ACCEPTED, SEND_ACCEPTED},
        {SEND_UNKNOWN, PROGRESS_DELIVERED, SEND_DELIVERED},
        {SEND_UNKNOWN, PROGRESS_FAILED, SEND_FAILED},
    };
    struct channel_scene scene;
    begin(&scene, store);
    int told = 0;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        scene_sql(&scene, "DELETE FROM channel_send");
        scene_queue(&scene, CHANNEL_MESSENGER_GATEWAY, OWNER, 1, TTL_MS);
        set_state(&scene, rows[i].from, "id-1");
        assert_ok(report_of(&scene, "id-1", rows[i].progress));
        bool is_moved = rows[i].to != rows[i].from;
        bool is_failed = is_moved && rows[i].to == SEND_FAILED;
        assert_send(&scene, OWNER, rows[i].to, is_failed ? "expired" : NULL);
        told += is_moved;
        assert_int_equal(scene_owner(&scene, OWNER).told, told);
        if (is_moved) assert_int_equal(scene_owner(&scene, OWNER).state, rows[i].to);

        assert_ok(report_of(&scene, "id-1", rows[i].progress)); /* a repeat */
        assert_int_equal(scene_owner(&scene, OWNER).told, told);
    }
    scene_close(&scene);
}

static void a_report_of_no_send_is_refused(struct store *store)
{
    struct channel_scene scene;
    begin(&scene, store);
    scene_queue(&scene, CHANNEL_MESSENGER_GATEWAY, OWNER, 1, TTL_MS);
    assert_err(report_of(&scene, "id-1", PROGRESS_DELIVERED), ERR_NOT_FOUND);

    /* Of another channel's provider. */
    set_state(&scene, SEND_SENT, "id-1");
    struct report report = {CHANNEL_FLASH_CALL, "id-1", .answer.progress = PROGRESS_DELIVERED};
    assert_err(world_run(&scene.world, run_report, &report), ERR_NOT_FOUND);
    assert_send(&scene, OWNER, SEND_SENT, NULL);
    scene_close(&scene);
}

static void a_report_during_the_fetch_is_to_be_repeated(struct store *store)
{
    static const enum send_state states[] = {SEND_QUEUED, SEND_FETCHING};
    struct channel_scene scene;
    begin(&scene, store);
    for (size_t i = 0; i < COUNT_OF(states); i++) {
        scene_sql(&scene, "DELETE FROM channel_send");
        scene_queue(&scene, CHANNEL_MESSENGER_GATEWAY, OWNER, 1, TTL_MS);
        set_state(&scene, states[i], "id-1");
        assert_err(report_of(&scene, "id-1", PROGRESS_DELIVERED), ERR_NOT_FOUND);
        assert_send(&scene, OWNER, states[i], NULL);
    }
    scene_close(&scene);
}

/* A send that went out without a readable answer is found by the id that we sent along. */
static void a_report_by_our_id(struct store *store)
{
    static const struct {
        enum send_state from;
        const char *provider_id;
        enum channel channel;
        enum channel_progress progress;
        enum err err;
        enum send_state to;
    } rows[] = {
        {SEND_UNKNOWN, NULL, CHANNEL_MESSENGER_GATEWAY, PROGRESS_DELIVERED, ERR_OK, SEND_DELIVERED},
        {SEND_UNKNOWN, NULL, CHANNEL_MESSENGER_GATEWAY, PROGRESS_ACCEPTED, ERR_OK, SEND_ACCEPTED},
        {SEND_UNKNOWN, "other", CHANNEL_MESSENGER_GATEWAY, PROGRESS_SENT, ERR_NOT_FOUND,
         SEND_UNKNOWN},
        {SEND_UNKNOWN, NULL, CHANNEL_FLASH_CALL, PROGRESS_SENT, ERR_NOT_FOUND, SEND_UNKNOWN},
        {SEND_QUEUED, NULL, CHANNEL_MESSENGER_GATEWAY, PROGRESS_SENT, ERR_NOT_FOUND, SEND_QUEUED},
        {SEND_FETCHING, NULL, CHANNEL_MESSENGER_GATEWAY, PROGRESS_SENT, ERR_NOT_FOUND,
         SEND_FETCHING},
        {SEND_FAILED, NULL, CHANNEL_MESSENGER_GATEWAY, PROGRESS_SENT, ERR_NOT_FOUND, SEND_FAILED},
    };
    struct channel_scene scene;
    begin(&scene, store);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        scene_sql(&scene, "DELETE FROM channel_send");
        scene_queue(&scene, CHANNEL_MESSENGER_GATEWAY, OWNER, 1, TTL_MS);
        set_state(&scene, rows[i].from, rows[i].provider_id);
        struct report report = {.channel = rows[i].channel,
                                .provider_id = "id-9",
                                .send_id = scene_send(&scene, OWNER).id,
                                .answer = {.outcome = OUTCOME_DONE, .progress = rows[i].progress}};
        /* Only that it is there: a word that is new, or none. */
        report.answer.is_pending = rows[i].progress == PROGRESS_ACCEPTED;
        for (int times = 0; times < 2; times++) { /* the second time it is a repeat */
            assert_err(world_run(&scene.world, run_report, &report), rows[i].err);
            assert_send(&scene, OWNER, rows[i].to, NULL);
            const char *provider_id = scene_send(&scene, OWNER).provider_id;
            const char *expected = rows[i].err ? rows[i].provider_id : "id-9";
            assert_string_equal(provider_id ? provider_id : "", expected ? expected : "");
        }
    }
    scene_close(&scene);
}

/* Nobody knew that the provider has it when it was canceled. */
static void a_late_report_of_a_canceled_send_takes_it_back(struct store *store)
{
    static const struct {
        bool is_final;
        enum channel_progress progress;
        int revokes;
    } rows[] = {
        {true, PROGRESS_ACCEPTED, 1},
        {true, PROGRESS_SENT, 1},
        {true, PROGRESS_FAILED, 0},
        {false, PROGRESS_SENT, 0},
    };
    struct channel_scene scene;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        begin(&scene, store);
        scene_sql(&scene, "DELETE FROM channel_send");
        scene_sql(&scene, "DELETE FROM job");
        scene_queue(&scene, CHANNEL_MESSENGER_GATEWAY, OWNER, 1, TTL_MS);
        set_state(&scene, SEND_UNKNOWN, NULL);
        if (rows[i].is_final) scene_end(&scene, OWNER, NULL);
        assert_int_equal(scene_count(&scene, "job WHERE kind LIKE '%/revoke'"), 0);
        struct report report = {.channel = CHANNEL_MESSENGER_GATEWAY,
                                .provider_id = "id-9",
                                .send_id = scene_send(&scene, OWNER).id,
                                .answer = {.outcome = OUTCOME_DONE, .progress = rows[i].progress}};
        for (int times = 0; times < 2; times++) { /* the second time it is a repeat */
            assert_ok(world_run(&scene.world, run_report, &report));
            assert_int_equal(scene_count(&scene, "job WHERE kind LIKE '%/revoke'"),
                             rows[i].revokes);
        }
        scene_close(&scene);
    }
}

static void a_move_needs_the_state_it_knew(struct store *store)
{
    struct channel_scene scene;
    begin(&scene, store);
    scene_queue(&scene, CHANNEL_MESSENGER_GATEWAY, OWNER, 1, TTL_MS);
    struct move move = {.send = scene_send(&scene, OWNER), .from = SEND_FETCHING, .is_moved = true};
    move.send.state = SEND_ACCEPTED;
    assert_ok(world_run(&scene.world, run_move, &move));
    assert_false(move.is_moved);
    assert_send(&scene, OWNER, SEND_QUEUED, NULL);
    scene_close(&scene);
}

static enum err run_read_all(struct work *work, void *arg)
{
    struct record_list list;
    struct uuid id = owner_id(OWNER);
    (void)arg;
    return channel_list(work, &id, &list);
}

static void words_of_a_later_version_are_no_index(struct store *store)
{
    struct channel_scene scene;
    begin(&scene, store);
    scene_queue(&scene, CHANNEL_MESSENGER_GATEWAY, OWNER, 1, TTL_MS);
    scene_sql(&scene, "UPDATE channel_send SET channel = 'pigeon'");
    assert_err(world_read(&scene.world, run_read_all, NULL), ERR_INTERNAL);
    scene_sql(&scene, "UPDATE channel_send SET channel = 'flash_call', state = 'dreaming'");
    assert_err(world_read(&scene.world, run_read_all, NULL), ERR_INTERNAL);
    scene_close(&scene);
}

static const struct store_case cases[] = {
    {"queues a send and its job", queues_a_send_and_its_job},
    {"a send waits for its time", a_send_waits_for_its_time},
    {"a channel without a driver is unavailable", a_channel_without_a_driver_is_unavailable},
    {"a circuit is open until its time", a_circuit_is_open_until_its_time},
    {"a closed channel tells how long", a_closed_channel_tells_how_long},
    {"what did not go out can be withdrawn", what_did_not_go_out_can_be_withdrawn},
    {"an end takes back what did not go out", an_end_takes_back_what_did_not_go_out},
    {"an end tells the provider", an_end_tells_the_provider},
    {"the right code is sealed for its send", the_right_code_is_sealed_for_its_send},
    {"the right code goes with a send that fails", the_right_code_goes_with_a_send_that_fails},
    {"reports move forward only", reports_move_forward_only},
    {"a report of no send is refused", a_report_of_no_send_is_refused},
    {"a report during the fetch is to be repeated", a_report_during_the_fetch_is_to_be_repeated},
    {"a report by our id", a_report_by_our_id},
    {"a late report of a canceled send takes it back",
     a_late_report_of_a_canceled_send_takes_it_back},
    {"a move needs the state it knew", a_move_needs_the_state_it_knew},
    {"words of a later version are no index", words_of_a_later_version_are_no_index},
};

int main(void)
{
    return store_run_cases("channel", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
