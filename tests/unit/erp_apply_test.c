/* These tests show when packages are applied, and what is recorded of them (doc B, section 3;
 * contract, section 5 "Applying", "Event status record"). */
#include "kit/base/must.h"
#include "package_scene.h"

#include <stdio.h>

#ifdef HERALD_SANITIZED
const char *__asan_default_options(void);
const char *__tsan_default_options(void);

const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

const char *__tsan_default_options(void)
{
    return "allocator_may_return_null=1";
}
#endif

#define MILK       SNAPSHOT(P("p1", "Milk", V("v1", "10")))
#define MILK_BREAD SNAPSHOT(P("p1", "Milk", V("v1", "10")), P("p2", "Bread", V("v1", "20")))
/* Everything that waits is due. */
#define MAKE_DUE "UPDATE erp_package SET due_at = 0 WHERE due_at IS NOT NULL"

/* Another process is at work on what this tells, and lives. */
static void process_elsewhere(struct package_scene *scene, const char *which)
{
    change_rows(scene, arena_printf(scene->catalog.world.arena,
                                    "UPDATE erp_package SET status = 'processing', attempts = 1,"
                                    " due_at = %lld WHERE %s",
                                    (long long)clock_now_ms() + ERP_LEASE_MS, which));
}

/* --- Order ------------------------------------------------------------------------------------ */

static void packages_are_applied_in_order_of_receipt(struct store *store)
{
    AUTO_PACKAGES scene;
    packages_begin(&scene, store);

    assert_false(apply_next(&scene));
    put_package(&scene, 0, "catalog:1", MILK);
    put_package(&scene, 0, "changes:1", PRICES(PRICE("p1", "v1", "11")));
    put_package(&scene, 0, "changes:2", PRICES(PRICE("p1", "v1", "12")));
    put_package(&scene, 0, "catalog:2", MILK_BREAD);
    put_package(&scene, 0, "changes:3", BOTH(STOCK("p2", "v1", "3"), PRICE("p2", "v1", "21")));

    assert_true(apply_next(&scene));
    assert_status(&scene, 0, "catalog:1", "applied 1");
    assert_status(&scene, 0, "changes:1", "accepted 0");
    assert_true(apply_next(&scene)); /* up to the next snapshot, in one transaction */
    assert_status(&scene, 0, "changes:1", "applied 1");
    assert_status(&scene, 0, "changes:2", "applied 1");
    assert_status(&scene, 0, "catalog:2", "accepted 0");
    assert_shop_offers(&scene, "p1.v1=12");
    apply_all(&scene);
    assert_status(&scene, 0, "catalog:2", "applied 1");
    assert_status(&scene, 0, "changes:3", "applied 1");
    assert_shop_offers(&scene, "p1.v1=10 p2.v1=21/3");
}

static void an_applied_package_shows_its_result(struct store *store)
{
    AUTO_PACKAGES scene;
    packages_begin(&scene, store);
    int64_t before = clock_now_ms();

    put_package(&scene, 0, "catalog:1", MILK_BREAD);
    put_package(&scene, 0, "changes:1", BOTH(STOCK("p1", "v1", "3"), PRICE("p1", "v1", "10")));
    apply_all(&scene);
    struct erp_package package = show(&scene, 0, "catalog:1");
    assert_int_equal(package.result->products->added, 2);
    assert_int_equal(package.result->prices->changed, 2);
    assert_in_range(package.processed_at, before, clock_now_ms());
    assert_null(package.last_error);
    assert_int_equal(package.errors.count, 0);
    assert_null(package.progress);
    assert_int_equal(package.next_attempt_at, 0);

    package = show(&scene, 0, "changes:1");
    assert_int_equal(package.result->products->unchanged, 0);
    assert_int_equal(package.result->prices->unchanged, 1);
    assert_int_equal(package.result->stocks->changed, 1);
}

static void shops_do_not_wait_for_each_other(struct store *store)
{
    AUTO_PACKAGES scene;
    packages_begin(&scene, store);

    put_package(&scene, 1, "a", MILK);
    put_package(&scene, 0, "a", MILK);
    put_package(&scene, 1, "b", PRICES(PRICE("p1", "v1", "11")));
    change_rows(&scene, "UPDATE erp_package SET due_at = 1, received_at = 1 WHERE event_id = 'b'");
    process_elsewhere(&scene, "due_at > 1 AND integration_id ="
                              " (SELECT integration_id FROM erp_package WHERE event_id = 'b')");
    assert_true(apply_next(&scene));
    assert_status(&scene, 0, "a", "applied 1");
    assert_false(apply_next(&scene));
    assert_status(&scene, 1, "a", "processing 1");
    assert_status(&scene, 1, "b", "accepted 0");
}

/* --- Retries ---------------------------------------------------------------------------------- */

static void a_missing_pair_is_tried_again_by_the_schedule(struct store *store)
{
    AUTO_PACKAGES scene;
    packages_begin(&scene, store);
    static const int delays_s[] = {5, 15, 30, 60, 120, 300, 300};

    put_package(&scene, 0, "changes:1", PRICES(PRICE("p1", "v1", "11"), PRICE("p2", "v1", "1")));
    for (size_t i = 0; i < COUNT_OF(delays_s); i++) {
        assert_true(apply_next(&scene));
        assert_false(apply_next(&scene));
        struct erp_package package = show(&scene, 0, "changes:1");
        assert_int_equal(package.status, ERP_PACKAGE_RETRY);
        assert_int_equal(package.attempts, i + 1);
        assert_int_equal(package.next_attempt_at - package.processed_at, delays_s[i] * SECOND_MS);
        assert_string_equal(package.last_error,
                            "2 rows name a product or variant that the catalog does not have");
        assert_int_equal(package.errors.count, 2);
        const struct catalog_row_fault *faults = package.errors.items;
        assert_string_equal(faults[1].list, "prices");
        assert_int_equal(faults[1].index, 1);
        assert_string_equal(faults[1].product_id, "p2");
        assert_null(package.result);
        change_rows(&scene, MAKE_DUE);
    }
}

static void a_day_later_it_is_given_up(struct store *store)
{
    AUTO_PACKAGES scene;
    packages_begin(&scene, store);

    put_package(&scene, 0, "changes:1", PRICES(PRICE("p1", "v1", "11")));
    apply_all(&scene);
    int64_t day_ms =
        number_of(&scene.catalog, "SELECT give_up_at - received_at AS n FROM erp_package");
    assert_int_equal(day_ms, 24 * HOUR_MS);

    /* The last try is when the day is over, not later. */
    change_rows(&scene, "UPDATE erp_package SET due_at = 0, give_up_at = processed_at + 15000");
    assert_true(apply_next(&scene));
    assert_status(&scene, 0, "changes:1", "retry 2");
    assert_int_equal(number_of(&scene.catalog, "SELECT give_up_at - due_at AS n FROM erp_package"),
                     0);
    change_rows(&scene, "UPDATE erp_package SET due_at = 0, give_up_at = processed_at");
    assert_true(apply_next(&scene));
    assert_status(&scene, 0, "changes:1", "failed 3");
    struct erp_package package = show(&scene, 0, "changes:1");
    assert_int_equal(package.next_attempt_at, 0);
    assert_int_equal(package.errors.count, 1);
    assert_false(apply_next(&scene));
}

static void a_retry_holds_nobody_back_and_undoes_nothing(struct store *store)
{
    AUTO_PACKAGES scene;
    packages_begin(&scene, store);

    put_package(&scene, 0, "catalog:1", MILK);
    put_package(
        &scene, 0, "changes:1",
        BOTH(STOCK("p1", "v1", "1"), JOIN(PRICE("p1", "v1", "11"), PRICE("p2", "v1", "1"))));
    put_package(&scene, 0, "changes:2", PRICES(PRICE("p1", "v1", "12")));
    apply_all(&scene);
    assert_status(&scene, 0, "changes:1", "retry 1");
    assert_status(&scene, 0, "changes:2", "applied 1");
    assert_shop_offers(&scene, "p1.v1=12");

    /* The snapshot that brings the pair has it tried at once. */
    put_package(&scene, 0, "catalog:2", MILK_BREAD);
    put_package(&scene, 0, "changes:3", PRICES(PRICE("p1", "v1", "13")));
    apply_all(&scene);
    assert_status(&scene, 0, "catalog:2", "applied 1");
    assert_status(&scene, 0, "changes:1", "applied 2");
    assert_status(&scene, 0, "changes:3", "applied 1");
    struct erp_package package = show(&scene, 0, "changes:1");
    assert_int_equal(package.result->prices->superseded, 2);
    assert_int_equal(package.result->stocks->changed, 1);
    assert_int_equal(package.errors.count, 0);
    assert_null(package.last_error);
    assert_shop_offers(&scene, "p1.v1=13/1 p2.v1=20");
}

/* Another process may have read its clock a moment before the snapshot was applied, or have another
 * one: what came first is first all the same. */
static void no_clock_puts_a_later_package_first(struct store *store)
{
    AUTO_PACKAGES scene;
    packages_begin(&scene, store);

    put_package(&scene, 0, "changes:1", PRICES(PRICE("p1", "v1", "11")));
    apply_all(&scene);
    put_package(&scene, 0, "catalog:1", MILK);
    assert_true(apply_next(&scene));
    assert_int_equal(number_of(&scene.catalog, "SELECT received_at - due_at AS n FROM erp_package"
                                               " WHERE event_id = 'changes:1'"),
                     0);

    put_package(&scene, 0, "changes:2", STOCKS(STOCK("p1", "v1", "2")));
    put_package(&scene, 0, "changes:3", STOCKS(STOCK("p1", "v1", "3")));
    change_rows(&scene, "UPDATE erp_package SET due_at = 9999999999999"
                        " WHERE event_id = 'changes:2'");
    apply_all(&scene);
    assert_int_equal(show(&scene, 0, "changes:2").result->stocks->changed, 1);
    assert_int_equal(show(&scene, 0, "changes:3").result->stocks->changed, 1);
    assert_shop_offers(&scene, "p1.v1=10/3");
}

/* Of many that are applied in one transaction, one that is refused leaves no trace in the catalog.
 */
static void one_refused_among_many(struct store *store)
{
    AUTO_PACKAGES scene;
    packages_begin(&scene, store);

    put_package(&scene, 0, "catalog:1", MILK);
    for (int i = 0; i < ERP_APPLY_PACKAGES_MAX + 3; i++) {
        char event_id[16];
        snprintf(event_id, sizeof event_id, "%d", i);
        put_package(&scene, 0, event_id,
                    i % 10 == 5 ? PRICES(PRICE("p1", "v1", "77"), PRICE("p9", "v1", "1"))
                                : STOCKS(STOCK("p1", "v1", "4")));
    }
    assert_true(apply_next(&scene));
    assert_true(apply_next(&scene));
    assert_true(apply_next(&scene));
    assert_false(apply_next(&scene));
    assert_shop_offers(&scene, "p1.v1=10/4");
    assert_count(store, "erp_package WHERE status = 'retry' AND attempts = 1", 3);
    assert_count(store, "erp_package WHERE status = 'applied' AND attempts = 1",
                 1 + ERP_APPLY_PACKAGES_MAX);
}

/* --- Failures --------------------------------------------------------------------------------- */

static void what_no_retry_can_mend_fails_at_once(struct store *store)
{
    AUTO_PACKAGES scene;
    packages_begin(&scene, store);
    static const char *const ids[] = {"gone", "gone too", "damaged", "damaged too"};

    put_package(&scene, 0, "gone", MILK);
    put_package(&scene, 0, "gone too", PRICES(PRICE("p1", "v1", "11")));
    put_package(&scene, 0, "damaged", MILK);
    put_package(&scene, 0, "damaged too", PRICES(PRICE("p1", "v1", "11")));
    put_package(&scene, 0, "cut", MILK);
    put_package(&scene, 0, "well", MILK);
    change_rows(&scene, "DELETE FROM erp_package_body WHERE receipt <= 2");
    change_rows(&scene, "UPDATE erp_package_body SET packed = (SELECT b.integration_id"
                        " FROM erp_package AS b WHERE b.receipt = 1) WHERE receipt IN (3, 4)");
    change_rows(&scene, "UPDATE erp_package SET body_length = body_length - 1 WHERE receipt = 5");
    apply_all(&scene);
    for (size_t i = 0; i < COUNT_OF(ids); i++) {
        assert_status(&scene, 0, ids[i], "failed 1");
        assert_string_equal(show(&scene, 0, ids[i]).last_error,
                            i < 2 ? "The stored body is gone."
                                  : "The stored body is damaged: it cannot be read any more.");
    }
    assert_status(&scene, 0, "cut", "failed 1");
    assert_status(&scene, 0, "well", "applied 1");
}

/* A fault of herald's own holds up nobody else: here a row that says it is not there. */
static void our_own_mistake_is_tried_again(struct store *store)
{
    AUTO_PACKAGES scene;
    packages_begin(&scene, store);

    put_package(&scene, 0, "catalog:1", MILK);
    apply_all(&scene);
    put_package(&scene, 0, "catalog:2", MILK_BREAD);
    put_package(&scene, 0, "changes:1", PRICES(PRICE("p1", "v1", "11")));
    change_rows(&scene, "UPDATE catalog SET last_product = 0");
    apply_all(&scene);
    assert_status(&scene, 0, "catalog:2", "retry 1");
    assert_non_null(show(&scene, 0, "catalog:2").last_error);
    assert_status(&scene, 0, "changes:1", "applied 1");
    change_rows(&scene, "UPDATE catalog SET last_product = 1");
    change_rows(&scene, MAKE_DUE);
    apply_all(&scene);
    assert_status(&scene, 0, "catalog:2", "applied 2");
    assert_shop_offers(&scene, "p1.v1=11 p2.v1=20");
}

/* A package for which there is no memory now waits like one that cannot be applied yet. */
static void what_lacks_memory_is_tried_again(struct store *store)
{
    AUTO_PACKAGES scene;
    packages_begin(&scene, store);

    put_package(&scene, 0, "catalog:1", MILK);
    put_package(&scene, 1, "changes:1", PRICES(PRICE("p1", "v1", "11")));
    assert_false(memory_keep_reserve(SIZE_MAX / 2)); /* which nobody has: it is short for ever */
    apply_all(&scene);
    assert_true(memory_keep_reserve(1));
    assert_status(&scene, 0, "catalog:1", "retry 1");
    assert_status(&scene, 1, "changes:1", "retry 1");
    assert_non_null(strstr(show(&scene, 0, "catalog:1").last_error, "lacks memory"));
    assert_false(apply_next(&scene));
    change_rows(&scene, MAKE_DUE);
    apply_all(&scene);
    assert_status(&scene, 0, "catalog:1", "applied 2");
    assert_status(&scene, 1, "changes:1", "retry 2");
}

struct operating {
    const struct uuid *shop;
    enum err (*run)(struct work *work, const struct uuid *integration_id, const char *event_id);
};

static enum err run_operate(struct work *work, void *arg)
{
    const struct operating *step = arg;
    return step->run(work, step->shop, "catalog:2");
}

static void the_brake_is_released_by_an_operator(struct store *store)
{
    AUTO_PACKAGES scene;
    struct buf text;
    packages_begin(&scene, store);
    scene.catalog.world.integrations.archive_share_ppm = 500000;
    buf_init(&text, 1024 * 1024);
    buf_text(&text, "{'categories':[],'products':[");
    for (int i = 0; i < 30; i++)
        buf_printf(&text, "%s" P("%d", "n", V("v", "1")), i ? "," : "", i);
    buf_text(&text, "]}");
    put_package(&scene, 0, "catalog:1", arena_str(scene.catalog.world.arena, buf_view(&text)));
    buf_done(&text);
    put_package(&scene, 0, "catalog:2", MILK);
    put_package(&scene, 0, "changes:1", PRICES(PRICE("7", "v", "2")));
    apply_all(&scene);
    assert_status(&scene, 0, "catalog:2", "failed 1");
    assert_string_equal(show(&scene, 0, "catalog:2").last_error, "archive_limit");
    assert_status(&scene, 0, "changes:1", "applied 1");

    struct operating retry = {&scene.shops[0], erp_retry_package};
    assert_ok(world_run(&scene.catalog.world, run_operate, &retry));
    change_rows(&scene, MAKE_DUE);
    apply_all(&scene);
    assert_status(&scene, 0, "catalog:2", "failed 2");
    struct operating release = {&scene.shops[0], erp_release_package};
    assert_ok(world_run(&scene.catalog.world, run_operate, &release));
    change_rows(&scene, MAKE_DUE);
    apply_all(&scene);
    assert_status(&scene, 0, "catalog:2", "applied 3");
    assert_int_equal(show(&scene, 0, "catalog:2").result->products->archived, 30);
}

/* --- Leases ----------------------------------------------------------------------------------- */

static enum err run_release_leases(struct work *work, void *arg)
{
    (void)arg;
    return erp_release_leases(work);
}

static void a_lease_that_ended_is_taken_by_the_next(struct store *store)
{
    AUTO_PACKAGES scene;
    packages_begin(&scene, store);

    put_package(&scene, 0, "catalog:1", MILK);
    put_package(&scene, 0, "changes:1", PRICES(PRICE("p1", "v1", "11")));
    process_elsewhere(&scene, "receipt = 1");
    assert_false(apply_next(&scene));
    change_rows(&scene, "UPDATE erp_package SET due_at = 5 WHERE receipt = 1");
    apply_all(&scene);
    assert_status(&scene, 0, "catalog:1", "applied 2");
    assert_status(&scene, 0, "changes:1", "applied 1");
    assert_shop_offers(&scene, "p1.v1=11");
}

static void attempts_that_never_end_hold_nobody_back(struct store *store)
{
    AUTO_PACKAGES scene;
    packages_begin(&scene, store);

    put_package(&scene, 0, "catalog:1", MILK);
    put_package(&scene, 0, "catalog:2", MILK);
    change_rows(&scene, "UPDATE erp_package SET status = 'processing', attempts = 3, due_at = 5"
                        " WHERE receipt = 1");
    assert_true(apply_next(&scene));
    assert_status(&scene, 0, "catalog:1", "retry 3");
    assert_non_null(strstr(show(&scene, 0, "catalog:1").last_error, "without a result"));
    apply_all(&scene);
    assert_status(&scene, 0, "catalog:2", "applied 1");
}

static void at_the_start_no_lease_is_alive(struct store *store)
{
    AUTO_PACKAGES scene;
    packages_begin(&scene, store);

    put_package(&scene, 0, "catalog:1", MILK);
    process_elsewhere(&scene, "receipt = 1");
    assert_false(apply_next(&scene));
    scene.catalog.world.now_ms = clock_now_ms();
    assert_ok(world_run(&scene.catalog.world, run_release_leases, NULL));
    apply_all(&scene);
    assert_status(&scene, 0, "catalog:1", "applied 2");
}

static enum err run_note(struct work *work, void *arg)
{
    (void)arg;
    return erp_note_progress(work);
}

/* Also for others to see, and with a longer lease. */
static void progress_is_told_while_it_goes_on(struct store *store)
{
    AUTO_PACKAGES scene;
    packages_begin(&scene, store);
    struct world *world = &scene.catalog.world;
    struct erp_applying *applying = world->erp.applying;
    int64_t rows;

    int64_t receipt = put_package(&scene, 0, "catalog:1", MILK);
    change_rows(&scene, "UPDATE erp_package SET status = 'processing', attempts = 3, due_at = 7");
    struct erp_applied applied = {
        .integration_id = scene.shops[0], .receipt = receipt, .attempts = 3};
    erp_applying_enter(applying, &applied);
    atomic_store(&applied.progress.rows_done, 17);
    assert_true(erp_applying_find(applying, &scene.shops[0], receipt, &rows));
    assert_int_equal(rows, 17);
    assert_false(erp_applying_find(applying, &scene.shops[1], receipt, &rows));
    assert_false(erp_applying_find(applying, &scene.shops[0], receipt + 1, &rows));

    assert_ok(world_run(world, run_note, NULL));
    assert_int_equal(number_of(&scene.catalog, "SELECT rows_done AS n FROM erp_package"), 17);
    assert_int_equal(number_of(&scene.catalog, "SELECT due_at AS n FROM erp_package"),
                     world->now_ms + ERP_LEASE_MS);
    /* Another attempt is under way by now: nothing of it is ours. */
    change_rows(&scene, "UPDATE erp_package SET attempts = 4, due_at = 7, rows_done = 1");
    assert_ok(world_run(world, run_note, NULL));
    assert_int_equal(number_of(&scene.catalog, "SELECT rows_done + due_at AS n FROM erp_package"),
                     8);
    erp_applying_leave(applying, &applied);
    assert_true(erp_applying_is_empty(applying));
    assert_false(erp_applying_find(applying, &scene.shops[0], receipt, &rows));
}

/* --- Several workers -------------------------------------------------------------------------- */

enum { WORKERS = 4, CROWD_PACKAGES = 40 };

static void work_until_done(struct world *world, int index, void *arg)
{
    struct package_scene *scene = arg;
    int idle = 0;
    (void)index;
    while (idle < 3) {
        bool was_due = false;
        enum err err = erp_apply_due(&world->service, scene->event_log, world->arena, &was_due);
        if (err) abort();
        idle = was_due ? 0 : idle + 1;
        if (!was_due) sleep_ms(20);
    }
}

static void workers_share_the_shops(struct store *store)
{
    AUTO_PACKAGES scene;
    packages_begin(&scene, store);
    char *event_ids = arena_alloc(scene.catalog.world.arena, (CROWD_PACKAGES + 1) * 16);

    for (int i = 0; i <= CROWD_PACKAGES; i++) {
        char *event_id = event_ids + i * 16;
        snprintf(event_id, 16, "e%d", i);
        const char *text = i % 10 == 0 ? MILK_BREAD
                                       : arena_printf(scene.catalog.world.arena,
                                                      STOCKS(STOCK("p1", "v1", "%d")), i);
        for (int shop = 0; shop < SHOPS; shop++)
            put_package(&scene, shop, event_id, text);
    }
    world_crowd(&scene.catalog.world, WORKERS, work_until_done, &scene);
    for (int shop = 0; shop < SHOPS; shop++)
        for (int i = 0; i <= CROWD_PACKAGES; i++)
            assert_status(&scene, shop, event_ids + i * 16, "applied 1");
    assert_shop_offers(&scene, "p1.v1=10/39 p1.v1=10/39 p1.v1=10/39 p1.v1=10/39"
                               " p2.v1=20 p2.v1=20 p2.v1=20 p2.v1=20");
}

/* --- The log ---------------------------------------------------------------------------------- */

static int64_t entries(struct package_scene *scene, const char *sql)
{
    event_log_free(scene->event_log); /* writes what waits */
    scene->event_log = event_log_new(scene->catalog.world.store->db, false);
    return number_of(&scene->catalog, sql);
}

static void the_log_tells_what_happened_once(struct store *store)
{
    AUTO_PACKAGES scene;
    packages_begin(&scene, store);

    put_package(&scene, 0, "changes:1", PRICES(PRICE("p1", "v1", "11")));
    apply_all(&scene);
    for (int i = 0; i < 3; i++) {
        change_rows(&scene, MAKE_DUE);
        apply_all(&scene);
    }
    assert_int_equal(entries(&scene, "SELECT count(*) AS n FROM log_entry WHERE level = 2"), 1);
    put_package(&scene, 0, "catalog:1", MILK);
    apply_all(&scene);
    assert_int_equal(entries(&scene, "SELECT count(*) AS n FROM log_entry"
                                     " WHERE message = 'package applied'"),
                     2);
    put_package(&scene, 0, "gone", MILK);
    change_rows(&scene, "DELETE FROM erp_package_body");
    apply_all(&scene);
    assert_int_equal(entries(&scene, "SELECT count(*) AS n FROM log_entry WHERE level = 3"), 1);
    /* Never what a package holds. */
    assert_int_equal(entries(&scene, "SELECT count(*) AS n FROM log_entry"
                                     " WHERE fields LIKE '%Milk%'"),
                     0);
}

int main(void)
{
    static const struct store_case cases[] = {
        STORE_CASE(packages_are_applied_in_order_of_receipt),
        STORE_CASE(an_applied_package_shows_its_result),
        STORE_CASE(shops_do_not_wait_for_each_other),
        STORE_CASE(a_missing_pair_is_tried_again_by_the_schedule),
        STORE_CASE(a_day_later_it_is_given_up),
        STORE_CASE(a_retry_holds_nobody_back_and_undoes_nothing),
        STORE_CASE(no_clock_puts_a_later_package_first),
        STORE_CASE(one_refused_among_many),
        STORE_CASE(what_no_retry_can_mend_fails_at_once),
        STORE_CASE(our_own_mistake_is_tried_again),
        STORE_CASE(what_lacks_memory_is_tried_again),
        STORE_CASE(the_brake_is_released_by_an_operator),
        STORE_CASE(a_lease_that_ended_is_taken_by_the_next),
        STORE_CASE(attempts_that_never_end_hold_nobody_back),
        STORE_CASE(at_the_start_no_lease_is_alive),
        STORE_CASE(progress_is_told_while_it_goes_on),
        STORE_CASE(workers_share_the_shops),
        STORE_CASE(the_log_tells_what_happened_once),
    };
    return store_run_cases("erp_apply", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
