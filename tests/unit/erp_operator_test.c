/* These tests show what operators do with packages: list, body, retry, release (contract, section 5
 * "Operator operations"), and how long bodies are kept. */
#include "app/setup/migrations.h"
#include "erp_scene.h"

/* --- Steps --- */

struct step {
    struct uuid integration_id;
    const char *event_id;
    struct erp_package_filter filter;
    struct erp_package_list list;
    struct erp_package package;
    struct buf body;
    const char *sql;
    int max;
    int64_t swept;
};

static enum err run_list(struct work *work, void *arg)
{
    struct step *step = arg;
    return erp_list_packages(work, &step->integration_id, &step->filter, &step->list);
}

static enum err run_show(struct work *work, void *arg)
{
    struct step *step = arg;
    return erp_show_package(work, &step->integration_id, step->event_id, &step->package);
}

static enum err run_body(struct work *work, void *arg)
{
    struct step *step = arg;
    return erp_read_body(work, &step->integration_id, step->event_id, &step->body);
}

static enum err run_retry(struct work *work, void *arg)
{
    struct step *step = arg;
    return erp_retry_package(work, &step->integration_id, step->event_id);
}

static enum err run_release(struct work *work, void *arg)
{
    struct step *step = arg;
    return erp_release_package(work, &step->integration_id, step->event_id);
}

static enum err run_sweep_bodies(struct work *work, void *arg)
{
    struct step *step = arg;
    return erp_sweep_bodies(work, step->max, &step->swept);
}

static enum err run_sql(struct work *work, void *arg)
{
    struct step *step = arg;
    return db_exec(
        work->tx, step->sql,
        DB_ARGS(db_uuid(&step->integration_id), db_text(step->event_id), db_int(work->now_ms)),
        NULL);
}

static struct step step_of(struct erp_scene *scene, int shop, const char *event_id)
{
    return (struct step){.integration_id = scene->base.shops[shop].id, .event_id = event_id};
}

/* $1 is the shop, $2 the event_id, $3 the time. */
static void change(struct erp_scene *scene, int shop, const char *event_id, const char *sql)
{
    struct step step = step_of(scene, shop, event_id);
    step.sql = sql;
    assert_ok(world_run(&scene->base.world, run_sql, &step));
}

#define OF_PACKAGE " WHERE integration_id = $1 AND event_id = $2"

static void make_failed(struct erp_scene *scene, const char *event_id)
{
    change(scene, 0, event_id,
           "UPDATE erp_package SET status = 'failed', due_at = NULL, attempts = 3,"
           " processed_at = $3, last_error = 'archive_limit'" OF_PACKAGE);
}

static struct erp_package show(struct erp_scene *scene, const char *event_id)
{
    struct step step = step_of(scene, 0, event_id);
    assert_ok(world_read(&scene->base.world, run_show, &step));
    return step.package;
}

/* Told by a change that counts up if it is. */
static bool is_released(struct erp_scene *scene, const char *event_id)
{
    int64_t before = show(scene, event_id).attempts;
    change(scene, 0, event_id,
           "UPDATE erp_package SET attempts = attempts + released, processed_at = $3" OF_PACKAGE);
    return show(scene, event_id).attempts > before;
}

/* --- Lists --- */

static enum err list(struct erp_scene *scene, int shop, int status, int type, int limit,
                     const char *cursor, struct erp_package_list *ret_list)
{
    struct step step = step_of(scene, shop, NULL);
    step.filter = (struct erp_package_filter){
        .status = status, .event_type = type, .cursor = cursor, .limit = limit};
    enum err err = world_read(&scene->base.world, run_list, &step);
    if (!err) *ret_list = step.list;
    return err;
}

/* The event_ids of the page, side by side. */
static const char *ids_of(struct erp_scene *scene, const struct erp_package_list *list)
{
    const struct erp_package *packages = list->events.items;
    const char *ids = "";
    for (size_t i = 0; i < list->events.count; i++)
        ids = arena_printf(scene->base.world.arena, "%s%s", ids, packages[i].event_id);
    return ids;
}

static void a_list_goes_from_the_newest_to_the_oldest(struct store *store)
{
    AUTO_ERP_SCENE scene;
    struct erp_package_list page = {0};
    erp_begin(&scene, store);
    static const char *const ids[] = {"a", "b", "c", "d", "e"};

    assert_ok(list(&scene, 0, -1, -1, 2, NULL, &page));
    assert_int_equal(page.events.count, 0);
    assert_null(page.next_cursor);
    for (size_t i = 0; i < COUNT_OF(ids); i++)
        erp_send_well(&scene, 0, ERP_PACKAGE_DELTA, ids[i]);
    erp_send_well(&scene, 1, ERP_PACKAGE_DELTA, "z");

    assert_ok(list(&scene, 0, -1, -1, 2, NULL, &page));
    assert_string_equal(ids_of(&scene, &page), "ed");
    assert_ok(list(&scene, 0, -1, -1, 2, page.next_cursor, &page));
    assert_string_equal(ids_of(&scene, &page), "cb");
    assert_ok(list(&scene, 0, -1, -1, 2, page.next_cursor, &page));
    assert_string_equal(ids_of(&scene, &page), "a");
    assert_null(page.next_cursor);
    assert_ok(list(&scene, 0, -1, -1, 5, NULL, &page));
    assert_string_equal(ids_of(&scene, &page), "edcba");
    assert_null(page.next_cursor);
}

static void a_list_can_be_of_a_status_or_a_kind(struct store *store)
{
    AUTO_ERP_SCENE scene;
    struct erp_package_list page = {0};
    erp_begin(&scene, store);
    static const struct {
        const char *id, *sql;
        enum erp_package_type type;
    } rows[] = {
        {"a", "status = 'accepted'", ERP_PACKAGE_DELTA},
        {"b", "status = 'processing'", ERP_PACKAGE_SNAPSHOT},
        {"c", "status = 'applied', due_at = NULL", ERP_PACKAGE_SNAPSHOT},
        {"d", "status = 'retry'", ERP_PACKAGE_DELTA},
        {"e", "status = 'failed', due_at = NULL", ERP_PACKAGE_SNAPSHOT},
        {"f", "status = 'failed', due_at = NULL", ERP_PACKAGE_DELTA},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        erp_send_well(&scene, 0, rows[i].type, rows[i].id);
        change(&scene, 0, rows[i].id,
               arena_printf(scene.base.world.arena,
                            "UPDATE erp_package SET %s, processed_at = $3" OF_PACKAGE,
                            rows[i].sql));
    }

    static const struct {
        int status, type;
        const char *ids;
    } pages[] = {
        {-1, -1, "fedcba"},
        {ERP_PACKAGE_ACCEPTED, -1, "a"},
        {ERP_PACKAGE_PROCESSING, -1, "b"},
        {ERP_PACKAGE_APPLIED, -1, "c"},
        {ERP_PACKAGE_RETRY, -1, "d"},
        {ERP_PACKAGE_FAILED, -1, "fe"},
        {-1, ERP_PACKAGE_SNAPSHOT, "ecb"},
        {-1, ERP_PACKAGE_DELTA, "fda"},
        {ERP_PACKAGE_FAILED, ERP_PACKAGE_DELTA, "f"},
        {ERP_PACKAGE_APPLIED, ERP_PACKAGE_DELTA, ""},
    };
    for (size_t i = 0; i < COUNT_OF(pages); i++) {
        assert_ok(list(&scene, 0, pages[i].status, pages[i].type, 50, NULL, &page));
        assert_string_equal(ids_of(&scene, &page), pages[i].ids);
    }
}

static void a_cursor_is_one_of_ours(struct store *store)
{
    AUTO_ERP_SCENE scene;
    struct erp_package_list page = {0};
    static const char *const wrong[] = {"", "x", "0", "-1", "1.5", "99999999999999999999"};
    erp_begin(&scene, store);

    for (size_t i = 0; i < COUNT_OF(wrong); i++)
        assert_err(list(&scene, 0, -1, -1, 2, wrong[i], &page), ERR_VALIDATION);
    struct step step = {.integration_id = uuid_new(WORLD_START_MS),
                        .filter = {.status = -1, .event_type = -1, .limit = 2}};
    assert_err(world_read(&scene.base.world, run_list, &step), ERR_NOT_FOUND);
}

/* --- Bodies --- */

static void a_body_comes_back_as_it_was_sent(struct store *store)
{
    AUTO_ERP_SCENE scene;
    erp_begin(&scene, store);
    static const char text[] =
        "\n{" ERP_HEAD("\xd0\xb6") ",\"stocks\":[{\"product_id\" : \"p\","
                                   "\"variant_id\":\"v\",\"available_quantity\":-0}]}\t ";
    struct sending sending = sending_of(&scene, 0, ERP_PACKAGE_DELTA, "\xd0\xb6");
    assert_ok(erp_send(&sending, text));

    struct step step = step_of(&scene, 0, "\xd0\xb6");
    buf_init(&step.body, ERP_BODY_MAX);
    assert_ok(world_run(&scene.base.world, run_body, &step));
    assert_int_equal(step.body.len, strlen(text));
    assert_memory_equal(step.body.data, text, strlen(text));
    buf_done(&step.body);
    step = step_of(&scene, 1, "\xd0\xb6");
    buf_init(&step.body, ERP_BODY_MAX);
    assert_err(world_run(&scene.base.world, run_body, &step), ERR_NOT_FOUND);
}

static void old_bodies_of_applied_packages_go(struct store *store)
{
    AUTO_ERP_SCENE scene;
    erp_begin(&scene, store);
    struct world *world = &scene.base.world;
    static const char *const ids[] = {"a", "b", "c", "failed", "waiting"};
    world->erp.body_days = 30;
    for (size_t i = 0; i < COUNT_OF(ids); i++) {
        erp_send_well(&scene, 0, ERP_PACKAGE_DELTA, ids[i]);
        if (i < 3)
            change(&scene, 0, ids[i],
                   "UPDATE erp_package SET status = 'applied', due_at = NULL,"
                   " processed_at = $3" OF_PACKAGE);
    }
    make_failed(&scene, "failed");
    int64_t sent_ms = world->now_ms;

    struct step step = {.max = 2};
    world->now_ms = sent_ms + 30 * 24 * (int64_t)HOUR_MS;
    assert_ok(world_run(world, run_sweep_bodies, &step));
    assert_int_equal(step.swept, 0);
    world->now_ms++;
    world->erp.body_days = 0;
    assert_ok(world_run(world, run_sweep_bodies, &step));
    assert_int_equal(step.swept, 0);
    world->erp.body_days = 30;
    assert_ok(world_run(world, run_sweep_bodies, &step));
    assert_int_equal(step.swept, 2);
    assert_ok(world_run(world, run_sweep_bodies, &step));
    assert_int_equal(step.swept, 1);
    assert_ok(world_run(world, run_sweep_bodies, &step));
    assert_int_equal(step.swept, 0);

    for (size_t i = 0; i < COUNT_OF(ids); i++) {
        step = step_of(&scene, 0, ids[i]);
        buf_init(&step.body, ERP_BODY_MAX);
        assert_err(world_run(world, run_body, &step), i < 3 ? ERR_PACKAGE_BODY_GONE : ERR_OK);
        buf_done(&step.body);
        assert_string_equal(show(&scene, ids[i]).event_id, ids[i]);
    }
}

/* --- Trying again --- */

static void a_failed_package_is_accepted_again(struct store *store)
{
    AUTO_ERP_SCENE scene;
    erp_begin(&scene, store);
    struct step step = step_of(&scene, 0, "a");
    erp_send_well(&scene, 0, ERP_PACKAGE_SNAPSHOT, "a");
    make_failed(&scene, "a");

    scene.base.world.now_ms += HOUR_MS;
    for (int i = 0; i < 2; i++) {
        assert_ok(world_run(&scene.base.world, run_retry, &step));
        struct erp_package package = show(&scene, "a");
        assert_int_equal(package.status, ERP_PACKAGE_ACCEPTED);
        assert_int_equal(package.attempts, 3);
        assert_int_equal(package.next_attempt_at, scene.base.world.now_ms); /* it is due */
        scene.base.world.now_ms += HOUR_MS;
    }
    change(&scene, 0, "a",
           "UPDATE erp_package SET attempts = give_up_at, processed_at = $3" OF_PACKAGE);
    assert_int_equal(show(&scene, "a").attempts, WORLD_START_MS + 25 * (int64_t)HOUR_MS);
    assert_false(is_released(&scene, "a"));
}

static void a_package_in_retry_is_due_now(struct store *store)
{
    AUTO_ERP_SCENE scene;
    erp_begin(&scene, store);
    struct step step = step_of(&scene, 0, "a");
    erp_send_well(&scene, 0, ERP_PACKAGE_DELTA, "a");
    change(
        &scene, 0, "a",
        "UPDATE erp_package SET status = 'retry', due_at = $3 + CAST(300000 AS BIGINT)" OF_PACKAGE);

    scene.base.world.now_ms += 5;
    assert_ok(world_run(&scene.base.world, run_retry, &step));
    struct erp_package package = show(&scene, "a");
    assert_int_equal(package.status, ERP_PACKAGE_RETRY);
    assert_int_equal(package.next_attempt_at, WORLD_START_MS + 5);
}

static bool was_said(const struct erp_scene *scene, const char *message)
{
    const struct work_note *said = scene->base.world.said;
    return said && strcmp(said->message, message) == 0;
}

/* Neither of them, nor one that nobody knows. That the brake does not hold any more is told all the
 * same, once. */
static void others_stay_as_they_are(struct store *store)
{
    AUTO_ERP_SCENE scene;
    erp_begin(&scene, store);
    static const struct {
        const char *id, *sql;
        int status;
    } rows[] = {
        {"waits", "status = 'accepted'", ERP_PACKAGE_ACCEPTED},
        {"runs", "status = 'processing'", ERP_PACKAGE_PROCESSING},
        {"done", "status = 'applied', due_at = NULL", ERP_PACKAGE_APPLIED},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        erp_send_well(&scene, 0, ERP_PACKAGE_SNAPSHOT, rows[i].id);
        change(&scene, 0, rows[i].id,
               arena_printf(scene.base.world.arena,
                            "UPDATE erp_package SET %s, processed_at = $3" OF_PACKAGE,
                            rows[i].sql));
        struct step step = step_of(&scene, 0, rows[i].id);
        struct erp_package before = show(&scene, rows[i].id);
        scene.base.world.now_ms += 5;
        assert_ok(world_run(&scene.base.world, run_retry, &step));
        assert_null(scene.base.world.said);
        for (int j = 0; j < 2; j++) {
            bool is_news = j == 0 && rows[i].status != ERP_PACKAGE_APPLIED;
            assert_ok(world_run(&scene.base.world, run_release, &step));
            assert_int_equal(was_said(&scene, "package is released"), is_news);
        }
        struct erp_package after = show(&scene, rows[i].id);
        assert_int_equal(after.status, rows[i].status);
        /* A package that is due is shown as due now. */
        int64_t due_at = before.next_attempt_at > 0 ? scene.base.world.now_ms : 0;
        assert_int_equal(after.next_attempt_at, due_at);
        assert_int_equal(is_released(&scene, rows[i].id), rows[i].status != ERP_PACKAGE_APPLIED);
    }
    struct step step = step_of(&scene, 1, "waits");
    assert_err(world_run(&scene.base.world, run_retry, &step), ERR_NOT_FOUND);
    assert_err(world_run(&scene.base.world, run_release, &step), ERR_NOT_FOUND);
}

static void a_released_snapshot_is_tried_again(struct store *store)
{
    AUTO_ERP_SCENE scene;
    erp_begin(&scene, store);
    struct step step = step_of(&scene, 0, "a");
    erp_send_well(&scene, 0, ERP_PACKAGE_SNAPSHOT, "a");
    make_failed(&scene, "a");

    assert_ok(world_run(&scene.base.world, run_release, &step));
    assert_non_null(scene.base.world.said);
    assert_string_equal(scene.base.world.said->message, "package is released");
    assert_int_equal(show(&scene, "a").status, ERP_PACKAGE_ACCEPTED);
    assert_true(is_released(&scene, "a"));
}

int main(void)
{
    static const struct store_case cases[] = {
#define CASE(name) {#name, name, 0}
        CASE(a_list_goes_from_the_newest_to_the_oldest),
        CASE(a_list_can_be_of_a_status_or_a_kind),
        CASE(a_cursor_is_one_of_ours),
        CASE(a_body_comes_back_as_it_was_sent),
        CASE(old_bodies_of_applied_packages_go),
        CASE(a_failed_package_is_accepted_again),
        CASE(a_package_in_retry_is_due_now),
        CASE(others_stay_as_they_are),
        CASE(a_released_snapshot_is_tried_again),
    };
    return store_run_cases("erp_operator", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
