/* Taking packages in the order of checks of the contract, section 5, and what ERPs may ask of them
 * (doc B, sections 3 and 4). */
#include "app/setup/migrations.h"
#include "domain/erp/erp_applying.h"
#include "erp_scene.h"

/* --- The packages of a shop as they lie there --- */

struct looking {
    const char *sql;
    const struct uuid *integration_id;
    int64_t number;
};

static enum err run_look(struct work *work, void *arg)
{
    struct looking *step = arg;
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx, step->sql, DB_ARGS(db_uuid(step->integration_id)), &stmt);
    if (!err) step->number = db_get_int(stmt, "n");
    return err;
}

/* The column n of the one row about shop $1. */
static int64_t look(struct erp_scene *scene, int shop, const char *sql)
{
    struct looking step = {sql, &scene->base.shops[shop].id, 0};
    assert_ok(world_read(&scene->base.world, run_look, &step));
    return step.number;
}

static int64_t count_packages(struct erp_scene *scene, int shop)
{
    int64_t packages =
        look(scene, shop, "SELECT count(*) AS n FROM erp_package WHERE integration_id = $1");
    int64_t bodies =
        look(scene, shop, "SELECT count(*) AS n FROM erp_package_body WHERE integration_id = $1");
    assert_int_equal(packages, bodies);
    return packages;
}

/* --- Taking --- */

static void a_new_package_is_stored_byte_for_byte(struct store *store)
{
    AUTO_ERP_SCENE scene;
    erp_begin(&scene, store);
    struct sending step = sending_of(&scene, 0, ERP_PACKAGE_DELTA, "c:1");

    assert_ok(erp_send(&step, " " ERP_CHANGES("c:1") "\n"));
    assert_int_equal(step.acceptance.status, ERP_ACCEPTED);
    assert_string_equal(step.acceptance.event_id, "c:1");
    assert_int_equal(count_packages(&scene, 0), 1);
    assert_int_equal(look(&scene, 0,
                          "SELECT count(*) AS n FROM erp_package WHERE integration_id = $1"
                          " AND event_id = 'c:1' AND event_type = 'delta' AND status = 'accepted'"
                          " AND attempts = 0 AND receipt = 1 AND row_count = 1 AND rows_done = 0"
                          " AND released = 0 AND due_at = received_at"
                          " AND give_up_at - received_at = 86400000"),
                     1);
    assert_int_equal(
        look(&scene, 0, "SELECT received_at AS n FROM erp_package WHERE integration_id = $1"),
        WORLD_START_MS);
    assert_int_equal(
        look(&scene, 0, "SELECT generated_at AS n FROM erp_package WHERE integration_id = $1"),
        WORLD_START_MS - 10 * SECOND_MS);
    assert_int_equal(
        look(&scene, 0, "SELECT body_length AS n FROM erp_package WHERE integration_id = $1"),
        strlen(ERP_CHANGES("c:1")) + 2);
}

static void receipts_count_within_an_integration(struct store *store)
{
    AUTO_ERP_SCENE scene;
    erp_begin(&scene, store);

    erp_send_well(&scene, 0, ERP_PACKAGE_SNAPSHOT, "a");
    erp_send_well(&scene, 1, ERP_PACKAGE_DELTA, "a");
    erp_send_well(&scene, 0, ERP_PACKAGE_DELTA, "b");
    assert_int_equal(look(&scene, 0,
                          "SELECT receipt AS n FROM erp_package WHERE integration_id = $1"
                          " AND event_id = 'b'"),
                     2);
    assert_int_equal(look(&scene, 1,
                          "SELECT receipt AS n FROM erp_package WHERE integration_id = $1"
                          " AND event_id = 'a'"),
                     1);
}

/* "The unique key is (integration, event_id), across both types"; a repeat is known without a look
 * at its content, even if that has faults. */
static void a_repeat_is_a_duplicate_whatever_it_holds(struct store *store)
{
    AUTO_ERP_SCENE scene;
    erp_begin(&scene, store);
    static const struct {
        enum erp_package_type type;
        const char *text;
    } repeats[] = {
        {ERP_PACKAGE_DELTA, ERP_CHANGES("x")},
        {ERP_PACKAGE_SNAPSHOT, ERP_SNAPSHOT("x")},
        {ERP_PACKAGE_DELTA, "{\"event_id\":\"x\"}"},
        {ERP_PACKAGE_SNAPSHOT, "{\"event_id\":\"x\",\"products\":7}"},
    };

    erp_send_well(&scene, 0, ERP_PACKAGE_DELTA, "x");
    for (size_t i = 0; i < COUNT_OF(repeats); i++) {
        struct sending step = sending_of(&scene, 0, repeats[i].type, "x");
        assert_ok(erp_send(&step, repeats[i].text));
        assert_int_equal(step.acceptance.status, ERP_DUPLICATE);
        assert_string_equal(step.acceptance.event_id, "x");
    }
    assert_int_equal(count_packages(&scene, 0), 1);
    assert_int_equal(look(&scene, 0,
                          "SELECT count(*) AS n FROM erp_package WHERE integration_id = $1"
                          " AND event_type = 'delta'"),
                     1);
}

/* Each has all faults that come after the one which is told. */
static void checks_come_in_the_order_of_the_contract(struct store *store)
{
    AUTO_ERP_SCENE scene;
    erp_begin(&scene, store);
    struct buf long_text;
    buf_init(&long_text, ERP_BODY_MAX + 1);
    while (!long_text.is_full)
        buf_char(&long_text, 'x');
    const char *too_long =
        arena_str(scene.base.world.arena, (struct str){long_text.data, ERP_BODY_MAX + 1});
    buf_done(&long_text);
    erp_send_well(&scene, 0, ERP_PACKAGE_DELTA, "old");

    struct sending step = sending_of(&scene, 0, ERP_PACKAGE_DELTA, NULL);
    step.integration_id = &scene.base.shops[1].id;
    assert_err(erp_send(&step, too_long), ERR_INTEGRATION_MISMATCH);
    step.integration_id = &scene.base.shops[0].id;
    assert_err(erp_send(&step, too_long), ERR_PAYLOAD_TOO_LARGE);
    assert_err(erp_send(&step, "{\"event_id\":\"old\""), ERR_VALIDATION);
    assert_non_null(strstr(step.refusal.detail, "json_invalid"));
    assert_err(erp_send(&step, "{\"event_id\":\"old\"}"), ERR_KEY_NOT_EVENT_ID);
    step.key = "old";
    assert_ok(erp_send(&step, "{\"event_id\":\"old\"}"));
    assert_int_equal(step.acceptance.status, ERP_DUPLICATE);
    step.key = "new";
    assert_err(erp_send(&step, "{\"event_id\":\"new\"}"), ERR_VALIDATION);
    assert_non_null(strstr(step.refusal.detail, "\"generated_at\""));
    assert_int_equal(count_packages(&scene, 0), 1);
}

static void the_key_is_the_event_id(struct store *store)
{
    AUTO_ERP_SCENE scene;
    erp_begin(&scene, store);
    static const char *const wrong[] = {NULL, "", "c", "c:11", "C:1"};

    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        struct sending step = sending_of(&scene, 0, ERP_PACKAGE_DELTA, wrong[i]);
        assert_err(erp_send(&step, ERP_CHANGES("c:1")), ERR_KEY_NOT_EVENT_ID);
        assert_null(step.refusal.detail);
    }
    /* One that is no id at all is a fault of the body. */
    static const char *const bodies[] = {"{}", "{\"event_id\":\"\"}", "{\"event_id\":7}", "[]"};
    for (size_t i = 0; i < COUNT_OF(bodies); i++) {
        struct sending step = sending_of(&scene, 0, ERP_PACKAGE_DELTA, NULL);
        assert_err(erp_send(&step, bodies[i]), ERR_VALIDATION);
        assert_non_null(step.refusal.detail);
    }
    assert_int_equal(count_packages(&scene, 0), 0);
}

static void what_is_clean_is_only_stored_where_it_may_be(struct store *store)
{
    AUTO_ERP_SCENE scene;
    erp_begin(&scene, store);
    struct sending step = sending_of(&scene, 0, ERP_PACKAGE_DELTA, "c:1");

    assert_ok(erp_intake_new(&scene.base.world.service, step.integration_id, step.type, -1,
                             &(struct body_ending){NULL, NULL}, &step.intake));
    assert_true(erp_intake_take(step.intake, STR(ERP_CHANGES("c:1"))));
    erp_intake_end(step.intake);
    assert_err(world_read(&scene.base.world, run_receive, &step), ERR_WRITE_NEEDED);
    assert_int_equal(count_packages(&scene, 0), 0);
    assert_ok(world_run(&scene.base.world, run_receive, &step));
    assert_int_equal(step.acceptance.status, ERP_ACCEPTED);
    erp_intake_free(step.intake);
}

static void a_snapshot_is_told_in_the_log(struct store *store)
{
    AUTO_ERP_SCENE scene;
    erp_begin(&scene, store);

    erp_send_well(&scene, 0, ERP_PACKAGE_SNAPSHOT, "s");
    assert_non_null(scene.base.world.said);
    assert_string_equal(scene.base.world.said->message, "snapshot received");
    erp_send_well(&scene, 0, ERP_PACKAGE_DELTA, "c");
    assert_null(scene.base.world.said);
}

/* --- All at once --- */

enum { CROWD = 50 };

struct crowd {
    struct erp_scene *scene;
    enum err errs[CROWD];
    int status[CROWD];
};

static void send_the_same(struct world *world, int index, void *arg)
{
    struct crowd *crowd = arg;
    struct sending step = sending_of(crowd->scene, 0, ERP_PACKAGE_DELTA, "one");
    step.world = world;
    crowd->errs[index] = erp_send(&step, ERP_CHANGES("one"));
    crowd->status[index] = step.acceptance.status;
}

/* "Same event_id from 50 connections at once: one `accepted`, 49 `duplicate`." */
static void of_many_copies_one_is_accepted(struct store *store)
{
    AUTO_ERP_SCENE scene;
    erp_begin(&scene, store);
    struct crowd crowd = {.scene = &scene};
    int accepted = 0;

    world_crowd(&scene.base.world, CROWD, send_the_same, &crowd);
    for (int i = 0; i < CROWD; i++) {
        assert_ok(crowd.errs[i]);
        accepted += crowd.status[i] == ERP_ACCEPTED;
    }
    assert_int_equal(accepted, 1);
    assert_int_equal(count_packages(&scene, 0), 1);
}

static void send_another(struct world *world, int index, void *arg)
{
    struct crowd *crowd = arg;
    const char *id = arena_printf(world->arena, "c:%d", index);
    struct sending step = sending_of(crowd->scene, 0, ERP_PACKAGE_DELTA, id);
    step.world = world;
    crowd->errs[index] = erp_send(
        &step, arena_printf(world->arena,
                            "{\"event_id\":\"%s\",\"generated_at\":\"2026-11-21T04:33:00Z\","
                            "\"prices\":[{\"product_id\":\"p\",\"variant_id\":\"v\",\"price\":1}]}",
                            id));
    crowd->status[index] = step.acceptance.status;
}

static void receipts_are_given_once(struct store *store)
{
    AUTO_ERP_SCENE scene;
    erp_begin(&scene, store);
    struct crowd crowd = {.scene = &scene};

    world_crowd(&scene.base.world, CROWD, send_another, &crowd);
    for (int i = 0; i < CROWD; i++) {
        assert_ok(crowd.errs[i]);
        assert_int_equal(crowd.status[i], ERP_ACCEPTED);
    }
    assert_int_equal(count_packages(&scene, 0), CROWD);
    assert_int_equal(look(&scene, 0,
                          "SELECT count(DISTINCT receipt) AS n FROM erp_package"
                          " WHERE integration_id = $1"),
                     CROWD);
}

/* --- Asking --- */

struct changing {
    const char *sql;
    const struct uuid *integration_id;
};

static enum err run_change(struct work *work, void *arg)
{
    const struct changing *step = arg;
    return db_exec(work->tx, step->sql, DB_ARGS(db_uuid(step->integration_id)), NULL);
}

/* Lets a package come to this, as if it had. */
static void change(struct erp_scene *scene, int shop, const char *sql)
{
    struct changing step = {sql, &scene->base.shops[shop].id};
    assert_ok(world_run(&scene->base.world, run_change, &step));
}

struct reading {
    const struct token_claims *claims;
    const struct uuid *integration_id;
    const char *event_id;
    struct erp_package package;
};

static enum err run_read(struct work *work, void *arg)
{
    struct reading *step = arg;
    return erp_read_package(work, step->claims, step->integration_id, step->event_id,
                            &step->package);
}

/* The ERP of shop `asker` asks for a package of shop `shop`. */
static enum err read_package(struct erp_scene *scene, int asker, int shop, const char *event_id,
                             struct erp_package *ret_package)
{
    struct reading step = {&scene->claims[asker], &scene->base.shops[shop].id, event_id, {0}};
    enum err err = world_read(&scene->base.world, run_read, &step);
    if (!err) *ret_package = step.package;
    return err;
}

static void a_package_is_shown_as_it_stands(struct store *store)
{
    AUTO_ERP_SCENE scene;
    struct erp_package package = {0};
    const char *event_id = "changes:\xd0\xba\xd0\xb0\xd1\x81\xd1\x81\xd0\xb0/1:17";
    erp_begin(&scene, store);

    erp_send_well(&scene, 0, ERP_PACKAGE_DELTA, event_id);
    assert_ok(read_package(&scene, 0, 0, event_id, &package));
    assert_string_equal(package.event_id, event_id);
    assert_int_equal(package.event_type, ERP_PACKAGE_DELTA);
    assert_int_equal(package.status, ERP_PACKAGE_ACCEPTED);
    assert_int_equal(package.attempts, 0);
    assert_int_equal(package.received_at, WORLD_START_MS);
    assert_int_equal(package.next_attempt_at, WORLD_START_MS);
    assert_int_equal(package.processed_at, 0);
    assert_null(package.last_error);
    assert_null(package.result);
    assert_null(package.errors.items);
    assert_null(package.progress);
}

static void what_came_of_it_is_shown_with_it(struct store *store)
{
    AUTO_ERP_SCENE scene;
    struct erp_package package = {0};
    erp_begin(&scene, store);
    erp_send_well(&scene, 0, ERP_PACKAGE_DELTA, "c");

    change(&scene, 0,
           "UPDATE erp_package SET status = 'retry', attempts = 2, processed_at = 7, due_at = "
           "received_at + 9,"
           " last_error = 'no such variant', errors = '{\"errors\":[{\"list\":\"prices\","
           "\"index\":3,\"product_id\":\"p\",\"variant_id\":\"v\",\"message\":\"None.\"}]}'"
           " WHERE integration_id = $1");
    assert_ok(read_package(&scene, 0, 0, "c", &package));
    assert_int_equal(package.status, ERP_PACKAGE_RETRY);
    assert_int_equal(package.attempts, 2);
    assert_int_equal(package.processed_at, 7);
    assert_int_equal(package.next_attempt_at, WORLD_START_MS + 9);
    scene.base.world.now_ms += 10; /* it is due, so it is to come now, and not in the past */
    assert_ok(read_package(&scene, 0, 0, "c", &package));
    assert_int_equal(package.next_attempt_at, WORLD_START_MS + 10);
    assert_string_equal(package.last_error, "no such variant");
    assert_int_equal(package.errors.count, 1);
    const struct catalog_row_fault *fault = package.errors.items;
    assert_string_equal(fault->list, "prices");
    assert_int_equal(fault->index, 3);
    assert_string_equal(fault->variant_id, "v");

    /* Failed without a row at fault: the list is empty, not absent. */
    change(&scene, 0,
           "UPDATE erp_package SET status = 'failed', due_at = NULL, errors = NULL,"
           " last_error = 'archive_limit' WHERE integration_id = $1");
    assert_ok(read_package(&scene, 0, 0, "c", &package));
    assert_int_equal(package.next_attempt_at, 0);
    assert_int_equal(package.errors.count, 0);
    assert_non_null(package.errors.items);

    change(&scene, 0,
           "UPDATE erp_package SET status = 'applied', result = '{\"products\":{\"added\":1,"
           "\"changed\":2,\"unchanged\":3,\"archived\":4},\"categories\":{\"added\":0,"
           "\"changed\":0,\"unchanged\":0,\"archived\":0},\"prices\":{\"changed\":5,"
           "\"unchanged\":6,\"superseded\":7},\"stocks\":{\"changed\":0,\"unchanged\":0,"
           "\"superseded\":0}}' WHERE integration_id = $1");
    assert_ok(read_package(&scene, 0, 0, "c", &package));
    assert_int_equal(package.result->products->archived, 4);
    assert_int_equal(package.result->prices->superseded, 7);
    assert_null(package.errors.items);
}

/* Of one that this process applies, the memory knows more than the row. */
static void progress_is_that_of_the_moment(struct store *store)
{
    AUTO_ERP_SCENE scene;
    struct erp_package package = {0};
    erp_begin(&scene, store);
    struct erp_applying *applying = scene.base.world.erp.applying;
    erp_send_well(&scene, 0, ERP_PACKAGE_SNAPSHOT, "s");
    change(&scene, 0,
           "UPDATE erp_package SET status = 'processing', attempts = 1, row_count = 90,"
           " rows_done = 20 WHERE integration_id = $1");

    assert_ok(read_package(&scene, 0, 0, "s", &package));
    assert_int_equal(package.progress->rows_done, 20);
    assert_int_equal(package.progress->rows_all, 90);
    assert_int_equal(package.next_attempt_at, 0);
    struct erp_applied applied = {
        .integration_id = scene.base.shops[0].id, .receipt = package.receipt, .attempts = 1};
    atomic_store(&applied.progress.rows_done, 33);
    erp_applying_enter(applying, &applied);
    assert_ok(read_package(&scene, 0, 0, "s", &package));
    assert_int_equal(package.progress->rows_done, 33);
    erp_applying_leave(applying, &applied);
}

/* An id is one within its integration, to the letter. */
static void an_id_means_a_package_of_its_own_integration(struct store *store)
{
    AUTO_ERP_SCENE scene;
    struct erp_package package = {0};
    erp_begin(&scene, store);

    erp_send_well(&scene, 0, ERP_PACKAGE_SNAPSHOT, "catalog:1");
    assert_err(read_package(&scene, 1, 1, "catalog:1", &package), ERR_NOT_FOUND);
    erp_send_well(&scene, 1, ERP_PACKAGE_DELTA, "catalog:1");
    assert_ok(read_package(&scene, 0, 0, "catalog:1", &package));
    assert_int_equal(package.event_type, ERP_PACKAGE_SNAPSHOT);
    assert_ok(read_package(&scene, 1, 1, "catalog:1", &package));
    assert_int_equal(package.event_type, ERP_PACKAGE_DELTA);
    assert_err(read_package(&scene, 0, 0, "Catalog:1", &package), ERR_NOT_FOUND);
    assert_err(read_package(&scene, 0, 0, "catalog:1 ", &package), ERR_NOT_FOUND);
    assert_err(read_package(&scene, 0, 0, "", &package), ERR_NOT_FOUND);
}

/* Another shop may not ask, and does not learn whether there is one. */
static void another_shop_learns_nothing(struct store *store)
{
    AUTO_ERP_SCENE scene;
    struct erp_package package = {0};
    erp_begin(&scene, store);
    erp_send_well(&scene, 0, ERP_PACKAGE_SNAPSHOT, "catalog:1");

    assert_err(read_package(&scene, 1, 0, "catalog:1", &package), ERR_INTEGRATION_MISMATCH);
    assert_err(read_package(&scene, 1, 0, "catalog:2", &package), ERR_INTEGRATION_MISMATCH);
}

/* A word of a later version is a fault of ours, and no status. */
static void an_unknown_word_is_not_shown(struct store *store)
{
    AUTO_ERP_SCENE scene;
    struct erp_package package = {0};
    erp_begin(&scene, store);
    erp_send_well(&scene, 0, ERP_PACKAGE_SNAPSHOT, "a");
    erp_send_well(&scene, 1, ERP_PACKAGE_SNAPSHOT, "a");

    change(&scene, 0, "UPDATE erp_package SET status = 'paused' WHERE integration_id = $1");
    change(&scene, 1, "UPDATE erp_package SET event_type = 'order' WHERE integration_id = $1");
    assert_err(read_package(&scene, 0, 0, "a", &package), ERR_INTERNAL);
    assert_err(read_package(&scene, 1, 1, "a", &package), ERR_INTERNAL);
}

int main(void)
{
    static const struct store_case cases[] = {
#define CASE(name) {#name, name, 0}
        CASE(a_new_package_is_stored_byte_for_byte),
        CASE(receipts_count_within_an_integration),
        CASE(a_repeat_is_a_duplicate_whatever_it_holds),
        CASE(checks_come_in_the_order_of_the_contract),
        CASE(the_key_is_the_event_id),
        CASE(what_is_clean_is_only_stored_where_it_may_be),
        CASE(a_snapshot_is_told_in_the_log),
        CASE(of_many_copies_one_is_accepted),
        CASE(receipts_are_given_once),
        CASE(a_package_is_shown_as_it_stands),
        CASE(what_came_of_it_is_shown_with_it),
        CASE(progress_is_that_of_the_moment),
        CASE(an_id_means_a_package_of_its_own_integration),
        CASE(another_shop_learns_nothing),
        CASE(an_unknown_word_is_not_shown),
    };
    return store_run_cases("erp", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
