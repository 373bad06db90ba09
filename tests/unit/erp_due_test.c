/* These tests show which packages are found to be due, in which order, what that costs, and whom
 * one integration in trouble holds up: nobody (contract, section 5 "Applying"). */
#include "package_scene.h"

#define MILK SNAPSHOT(P("p1", "Milk", V("v1", "10")))

enum { BACKLOG = 20000, DUE_MAX = 32 };

/* --- Looking at what is due ------------------------------------------------------------------- */

struct looking {
    bool is_any;
    struct uuid integration_id;
    struct due_list due;
    int64_t read; /* PostgreSQL: rows of erp_package */
    int64_t us;
};

static enum err run_look(struct work *work, void *arg)
{
    struct looking *step = arg;
    struct due_skips skips = {.count = 0};
    struct db *db = work->service->exchange;
    int64_t read_before;

    *step = (struct looking){.is_any = false};
    work->now_ms = clock_now_ms();
    enum err err = store_count_read(db, work->tx, "erp_package", &read_before);
    if (err) return err;
    int64_t before_us = clock_monotonic_us();
    err = erp_due_select_integration(work, &skips, &step->integration_id);
    step->is_any = err == ERR_OK;
    if (!err) err = erp_due_select(work, &step->integration_id, DUE_MAX, &step->due);
    if (err && err != ERR_NOT_FOUND) return err;
    step->us = clock_monotonic_us() - before_us;
    err = store_count_read(db, work->tx, "erp_package", &step->read);
    step->read -= read_before;
    return err;
}

/* The fastest of some, so that a busy machine does not count. On PostgreSQL the rows tell all. */
static struct looking look(struct package_scene *scene)
{
    struct looking best = {.us = INT64_MAX};

    for (int i = 0; i < 20; i++) {
        struct looking step;
        assert_ok(world_read(&scene->catalog.world, run_look, &step));
        if (step.us < best.us) best = step;
    }
    if (scene->catalog.world.store->engine == DB_POSTGRES) best.us = 0;
    return best;
}

/* Some statements that each read what they yield, against a walk of some 10 ms. */
static void assert_no_walk(const struct looking *step)
{
    assert_in_range(step->read, 0, 400);
    assert_in_range(step->us, 0, 4000);
}

/* --- Packages of a shop ----------------------------------------------------------------------- */

struct crowd {
    const struct uuid *shop;
    int64_t first, last; /* receipts */
    int64_t due_at;
};

/* Packages in retry, each received a millisecond after the one before. */
static enum err run_crowd(struct work *work, void *arg)
{
    const struct crowd *step = arg;
    return db_exec(work->tx,
                   "WITH RECURSIVE n(i) AS (SELECT CAST($2 AS BIGINT) UNION ALL SELECT i + 1 FROM "
                   "n WHERE i < $3)"
                   " INSERT INTO erp_package (integration_id, event_id, receipt, event_type,"
                   " status, attempts, received_at, generated_at, due_at, give_up_at, released,"
                   " row_count, rows_done, body_length)"
                   " SELECT $1, 'r' || i, i, 'delta', 'retry', 1, $4 + i, 1, $5, $6, 0, 1, 0, 1"
                   " FROM n",
                   DB_ARGS(db_uuid(step->shop), db_int(step->first), db_int(step->last),
                           db_int(clock_now_ms() - HOUR_MS), db_int(step->due_at),
                           db_int(clock_now_ms() + 24 * (int64_t)HOUR_MS)),
                   NULL);
}

static void put_waiting(struct package_scene *scene, int shop, int64_t count, int64_t due_at)
{
    struct crowd step = {&scene->shops[shop], 1000 * 1000, 1000 * 1000 + count - 1, due_at};
    assert_ok(world_run(&scene->catalog.world, run_crowd, &step));
}

/* Makes whatever is not applied yet this, due so long from now. */
static void make_all(struct package_scene *scene, const char *status, int64_t ahead_ms)
{
    long long due_at = clock_now_ms() + ahead_ms;

    change_rows(scene, arena_printf(scene->catalog.world.arena,
                                    "UPDATE erp_package SET status = '%s', attempts = 1,"
                                    " due_at = %lld WHERE due_at IS NOT NULL",
                                    status, due_at));
}

/* --- What it costs ---------------------------------------------------------------------------- */

/* The costs hold whatever the statistics say: they are of a quiet time. */
static void begin_quiet(struct package_scene *scene, struct store *store)
{
    packages_begin(scene, store);
    for (int shop = 0; shop < SHOPS; shop++)
        put_package(scene, shop, "catalog:1", MILK);
    apply_all(scene);
    if (store->engine == DB_POSTGRES) store_admin(store, "ANALYZE");
}

static void packages_that_wait_are_not_walked(struct store *store)
{
    AUTO_PACKAGES scene;
    begin_quiet(&scene, store);

    for (int shop = 0; shop < SHOPS; shop++)
        put_waiting(&scene, shop, shop == 0 ? BACKLOG : BACKLOG / 10,
                    clock_now_ms() + 4 * MINUTE_MS);
    struct looking step = look(&scene);
    assert_false(step.is_any);
    assert_no_walk(&step);

    change_rows(&scene, "UPDATE erp_receipt SET last_receipt = 2000000");
    put_package(&scene, 0, "new", STOCKS(STOCK("p1", "v1", "3")));
    step = look(&scene);
    assert_int_equal(step.due.count, 1);
    assert_string_equal(step.due.items[0].event_id, "new");
    assert_no_walk(&step);

    assert_true(apply_next(&scene));
    assert_status(&scene, 0, "new", "applied 1");
    assert_false(apply_next(&scene));
}

/* As after the snapshot that they waited for: all at once, and by receipt. */
static void packages_that_are_woken_are_not_walked(struct store *store)
{
    AUTO_PACKAGES scene;
    begin_quiet(&scene, store);

    put_waiting(&scene, 0, BACKLOG, clock_now_ms() + 4 * MINUTE_MS);
    change_rows(&scene, "UPDATE erp_package SET due_at = due_at - receipt + 1000000"
                        " WHERE due_at IS NOT NULL");
    change_rows(&scene, "UPDATE erp_receipt SET last_receipt = 2000000");
    put_package(&scene, 0, "catalog:2", MILK);
    assert_true(apply_next(&scene));
    assert_status(&scene, 0, "catalog:2", "applied 1");

    struct looking step = look(&scene);
    assert_int_equal(step.due.count, DUE_MAX);
    for (size_t i = 0; i < step.due.count; i++)
        assert_int_equal(step.due.items[i].receipt, 1000 * 1000 + i);
    assert_no_walk(&step);
}

/* --- Order and clocks ------------------------------------------------------------------------- */

/* Those that are tried again and those that are new, side by side. */
static void all_that_is_due_is_by_receipt(struct store *store)
{
    AUTO_PACKAGES scene;
    packages_begin(&scene, store);
    static const char *const ids[] = {"1", "2", "3", "4", "5"};

    for (size_t i = 0; i < COUNT_OF(ids); i++)
        put_package(&scene, 0, ids[i], STOCKS(STOCK("p1", "v1", "3")));
    change_rows(&scene,
                "UPDATE erp_package SET status = 'retry', attempts = 1, due_at = 9 - receipt"
                " WHERE event_id IN ('2', '5')");
    change_rows(&scene, "UPDATE erp_package SET status = 'processing', attempts = 1, due_at = 9"
                        " WHERE event_id = '3'");
    change_rows(&scene, "UPDATE erp_package SET due_at = 9999999999999 WHERE event_id = '1'");
    struct looking step = look(&scene);
    assert_int_equal(step.due.count, COUNT_OF(ids));
    for (size_t i = 0; i < COUNT_OF(ids); i++)
        assert_string_equal(step.due.items[i].event_id, ids[i]);
}

static size_t found_when(struct package_scene *scene, const char *status, int64_t ahead_ms)
{
    make_all(scene, status, ahead_ms);
    struct looking step = look(scene);
    return step.due.count;
}

static void what_waits_is_found_in_its_time(struct store *store)
{
    AUTO_PACKAGES scene;
    packages_begin(&scene, store);
    put_package(&scene, 0, "changes:1", STOCKS(STOCK("p1", "v1", "3")));

    assert_int_equal(found_when(&scene, "accepted", 24 * HOUR_MS), 1);
    assert_int_equal(found_when(&scene, "retry", -1), 1);
    assert_int_equal(found_when(&scene, "retry", 5 * MINUTE_MS), 0);
    assert_int_equal(found_when(&scene, "processing", -1), 1);
    assert_int_equal(found_when(&scene, "processing", ERP_LEASE_MS), 0);
}

/* --- Whom trouble holds up -------------------------------------------------------------------- */

/* The package of another process begins between the look and the lock: here the row of the catalog
 * that is made for the lock does that. What is held then is given back before anything else is
 * done, so that the other one need not wait for it. */
static void what_was_held_for_nothing_is_given_back(struct store *store)
{
    AUTO_PACKAGES scene;
    packages_begin(&scene, store);

    put_package(&scene, 0, "a", MILK);
    put_package(&scene, 1, "b", STOCKS(STOCK("p1", "v1", "3")));
    change_rows(&scene, "UPDATE erp_package SET due_at = 1 WHERE event_id = 'a'");
    change_rows(&scene, arena_printf(scene.catalog.world.arena,
                                     "CREATE FUNCTION begin_elsewhere() RETURNS trigger AS $$ BEGIN"
                                     " UPDATE erp_package SET status = 'processing', attempts = 1,"
                                     " due_at = %lld WHERE event_id = 'a'"
                                     " AND integration_id = NEW.integration_id; RETURN NEW; END $$"
                                     " LANGUAGE plpgsql",
                                     (long long)clock_now_ms() + ERP_LEASE_MS));
    change_rows(&scene, "CREATE TRIGGER begin_elsewhere AFTER INSERT ON catalog"
                        " FOR EACH ROW EXECUTE FUNCTION begin_elsewhere()");
    assert_true(apply_next(&scene));
    assert_status(&scene, 0, "a", "processing 1");
    assert_status(&scene, 1, "b", "retry 1");
    assert_false(apply_next(&scene));
    /* In one transaction both would be its rows. */
    assert_count(store,
                 "erp_package AS a JOIN erp_package AS b ON a.xmin = b.xmin"
                 " WHERE a.event_id = 'a' AND b.event_id = 'b'",
                 0);
}

/* As a newer version beside this one may write it. */
static void one_that_cannot_be_read_holds_up_no_other(struct store *store)
{
    AUTO_PACKAGES scene;
    packages_begin(&scene, store);

    put_package(&scene, 0, "a", MILK);
    put_package(&scene, 1, "b", MILK);
    change_rows(&scene, "UPDATE erp_package SET event_type = 'new', due_at = 1"
                        " WHERE event_id = 'a'");
    apply_all(&scene);
    assert_status(&scene, 1, "b", "applied 1");
    assert_count(store, "erp_package WHERE event_id = 'a' AND status = 'accepted'", 1);

    put_package(&scene, 2, "c", MILK);
    apply_all(&scene);
    assert_status(&scene, 2, "c", "applied 1");
    event_log_free(scene.event_log); /* writes what waits */
    scene.event_log = event_log_new(store->db, false);
    assert_count(store, "log_entry WHERE level = 3", 1);

    /* It is tried again when its time is over. */
    change_rows(&scene, "UPDATE erp_package SET event_type = 'snapshot' WHERE event_id = 'a'");
    assert_false(apply_next(&scene));
    erp_applying_set_aside(scene.catalog.world.erp.applying, &scene.shops[0], clock_monotonic_ms());
    assert_true(apply_next(&scene));
    assert_status(&scene, 0, "a", "applied 1");
}

/* More than there is room for: the one whose time ends first goes. */
static void integrations_are_set_aside_for_a_while(struct store *store)
{
    AUTO_PACKAGES scene;
    struct uuid ids[ERP_ASIDE_MAX + 2], aside[ERP_ASIDE_MAX];
    packages_begin(&scene, store);
    struct erp_applying *applying = scene.catalog.world.erp.applying;
    int64_t now_ms = clock_monotonic_ms();

    assert_int_equal(erp_applying_list_aside(applying, aside), 0);
    for (int i = 0; i < ERP_ASIDE_MAX + 2; i++) {
        ids[i] = uuid_new(WORLD_START_MS);
        erp_applying_set_aside(applying, &ids[i], now_ms + HOUR_MS + i);
        erp_applying_set_aside(applying, &ids[i], now_ms + 2 * HOUR_MS + i);
    }
    assert_int_equal(erp_applying_list_aside(applying, aside), ERP_ASIDE_MAX);
    for (size_t i = 0; i < ERP_ASIDE_MAX; i++)
        assert_uuid_equal(aside[(i + 2) % ERP_ASIDE_MAX], ids[i + 2]);
    erp_applying_set_aside(applying, &ids[5], now_ms);
    assert_int_equal(erp_applying_list_aside(applying, aside), ERP_ASIDE_MAX - 1);
}

int main(void)
{
    static const struct store_case cases[] = {
        STORE_CASE(packages_that_wait_are_not_walked),
        STORE_CASE(packages_that_are_woken_are_not_walked),
        STORE_CASE(all_that_is_due_is_by_receipt),
        STORE_CASE(what_waits_is_found_in_its_time),
        {"what_was_held_for_nothing_is_given_back", what_was_held_for_nothing_is_given_back,
         STORE_POSTGRES},
        STORE_CASE(one_that_cannot_be_read_holds_up_no_other),
        {"integrations_are_set_aside_for_a_while", integrations_are_set_aside_for_a_while,
         STORE_SQLITE},
    };
    return store_run_cases("erp_due", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
