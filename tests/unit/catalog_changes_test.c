/* These tests show what a package of changes does to a catalog (doc B, section 2 "Changes package",
 * section 4, rules 5 to 8; contract, section 5 "Applying"). */
#include "catalog_scene.h"

static const char *fault(struct catalog_scene *scene, size_t index)
{
    const struct catalog_row_fault *faults = scene->outcome.faults.items;
    assert_true(index < scene->outcome.faults.count);
    return arena_printf(scene->world.arena, "%s %d %s.%s %s", faults[index].list,
                        (int)faults[index].index, faults[index].product_id,
                        faults[index].variant_id, faults[index].message);
}

/* --- Values ----------------------------------------------------------------------------------- */

static void prices_and_stock_are_set_together(struct store *store)
{
    AUTO_CATALOG scene;
    catalog_begin_with(&scene, store, TWO);

    scene.world.now_ms += MINUTE_MS;
    assert_ok(apply_changes(&scene, 2,
                            "{'stocks':[" STOCK("p1", "v1", "3") "," STOCK(
                                "p2", "v2", "0") "],"
                                                 "'prices':[" PRICE("p1", "v1", "0.30") "," PRICE(
                                                     "p2", "v1", "2e1") "]}"));
    assert_result(&scene, "products 0/0/0/0 categories 0/0/0/0 prices 1/1/0 stocks 2/0/0");
    assert_offers(&scene, "p1.v1=0.3/3 p2.v1=20 p2.v2=30/0");
    assert_int_equal(scene.progress.rows_done, 4);
    assert_count(store, "catalog_offer WHERE updated_at = 1795235640000", 2);
    /* Content did not change. */
    assert_count(store, "catalog_product WHERE updated_at = 1795235580000", 2);
}

static void the_last_row_of_a_pair_counts(struct store *store)
{
    AUTO_CATALOG scene;
    catalog_begin_with(&scene, store, TWO);

    assert_ok(apply_changes(
        &scene, 2,
        "{'prices':[" PRICE("p1", "v1", "1") "," PRICE(
            "p1", "v1", "2") "],"
                             "'stocks':[" STOCK("p1", "v1", "1") "," STOCK("p1", "v1", "-7") "]}"));
    assert_result(&scene, "products 0/0/0/0 categories 0/0/0/0 prices 1/0/0 stocks 1/0/0");
    assert_offers(&scene, "p1.v1=2/0 p2.v1=20 p2.v2=30");
}

static void decimals_are_exact(struct store *store)
{
    AUTO_CATALOG scene;
    catalog_begin_with(&scene, store, TWO);

    assert_ok(apply_changes(&scene, 2,
                            PRICES(PRICE("p1", "v1", "999999999999999.999999"),
                                   PRICE("p2", "v1", "0.100000"), PRICE("p2", "v2", "-0"))));
    assert_offers(&scene, "p1.v1=999999999999999.999999 p2.v1=0.1 p2.v2=0");
}

static void five_thousand_of_each_fit(struct store *store)
{
    AUTO_CATALOG scene;
    struct buf snapshot, changes;
    catalog_begin(&scene, store);
    buf_init(&snapshot, 16 * 1024 * 1024);
    buf_init(&changes, 16 * 1024 * 1024);

    buf_text(&snapshot, "{'categories':[],'products':[{'id':'p','name':'n','variants':[");
    buf_text(&changes, "{'prices':[");
    for (int i = 0; i < CATALOG_CHANGES_MAX; i++) {
        buf_printf(&snapshot, "%s{'id':'%d','price':1}", i ? "," : "", i);
        buf_printf(&changes, "%s{'product_id':'p','variant_id':'%d','price':2}", i ? "," : "", i);
    }
    buf_text(&changes, "],'stocks':[");
    for (int i = 0; i < CATALOG_CHANGES_MAX; i++)
        buf_printf(&changes, "%s{'product_id':'p','variant_id':'%d','available_quantity':%d}",
                   i ? "," : "", i, i);
    buf_text(&snapshot, "]}]}");
    buf_text(&changes, "]}");

    struct arena *arena = scene.world.arena;
    assert_ok(apply_snapshot(&scene, 1, arena_str(arena, buf_view(&snapshot))));
    assert_ok(apply_changes(&scene, 2, arena_str(arena, buf_view(&changes))));
    assert_result(&scene, "products 0/0/0/0 categories 0/0/0/0 prices 5000/0/0 stocks 5000/0/0");
    assert_int_equal(number_of(&scene, "SELECT sum(stock) AS n FROM catalog_offer"
                                       " WHERE price = '2'"),
                     4999 * 5000 / 2);
    buf_done(&snapshot);
    buf_done(&changes);
}

/* --- Pairs that are not there ----------------------------------------------------------------- */

static void a_pair_that_is_missing_refuses_all(struct store *store)
{
    AUTO_CATALOG scene;
    catalog_begin_with(&scene, store, TWO);

    assert_ok(apply_snapshot(
        &scene, 2, SNAPSHOT(P("p1", "Milk", V("v2", "10")), P("p3", "Tea", V("v1", "5")))));
    const char *offers = offers_of(&scene);
    assert_err(
        apply_changes(
            &scene, 3,
            "{'stocks':[" STOCK("p3", "v1", "1") "," STOCK(
                "p9", "v1",
                "1") "],"
                     "'prices':[" PRICE("p3", "v1", "6") "," PRICE("p3", "v9", "1") "," PRICE(
                         "p2", "v1", "1") "," PRICE("p1", "v1", "1") "]}"),
        ERR_PACKAGE_REFUSED);
    assert_offers(&scene, offers);
    assert_false(scene.outcome.is_final);
    assert_string_equal(scene.outcome.problem,
                        "4 rows name a product or variant that the catalog does not have");
    assert_int_equal(scene.outcome.faults.count, 4);
    assert_string_equal(fault(&scene, 0), "stocks 1 p9.v1 The catalog has no such product.");
    assert_string_equal(fault(&scene, 1), "prices 1 p3.v9 The product has no such variant.");
    assert_string_equal(fault(&scene, 2), "prices 2 p2.v1 The product is archived.");
    assert_string_equal(fault(&scene, 3), "prices 3 p1.v1 The variant is archived.");
}

/* It waits for the first snapshot. */
static void before_any_snapshot_there_is_no_pair(struct store *store)
{
    AUTO_CATALOG scene;
    catalog_begin(&scene, store);

    assert_err(apply_changes(&scene, 1, PRICES(PRICE("p1", "v1", "1"))), ERR_PACKAGE_REFUSED);
    assert_string_equal(scene.outcome.problem,
                        "1 row names a product or variant that the catalog does not have");
    assert_ok(apply_snapshot(&scene, 2, TWO));
    assert_ok(apply_changes(&scene, 1, PRICES(PRICE("p1", "v1", "1"))));
    assert_result(&scene, "products 0/0/0/0 categories 0/0/0/0 prices 0/0/1 stocks 0/0/0");
    assert_offers(&scene, "p1.v1=10 p2.v1=20 p2.v2=30");
}

static void a_hundred_faults_are_told(struct store *store)
{
    AUTO_CATALOG scene;
    struct buf changes;
    catalog_begin(&scene, store);
    buf_init(&changes, 1024 * 1024);

    buf_text(&changes, "{'prices':[");
    for (int i = 0; i < CATALOG_FAULTS_MAX + 1; i++)
        buf_printf(&changes, "%s{'product_id':'p','variant_id':'%d','price':2}", i ? "," : "", i);
    buf_text(&changes, "]}");
    const char *text = arena_str(scene.world.arena, buf_view(&changes));
    buf_done(&changes);
    assert_err(apply_changes(&scene, 1, text), ERR_PACKAGE_REFUSED);
    assert_int_equal(scene.outcome.faults.count, CATALOG_FAULTS_MAX);
    assert_string_equal(scene.outcome.problem,
                        "101 rows name a product or variant that the catalog does not have");
}

/* Ids are opaque: no case, no space, no alphabet is taken for another. */
static void ids_are_compared_to_the_letter(struct store *store)
{
    AUTO_CATALOG scene;
    catalog_begin(&scene, store);

    assert_ok(
        apply_snapshot(&scene, 1,
                       SNAPSHOT(P("A", "n", V("1", "1")), P("a", "n", V("1", "2")),
                                P("\\u0001\\t\xd0\xb6\\ud83c\\udf5e%_", "n", V("/\\\\", "3")))));
    assert_ok(apply_changes(&scene, 2,
                            PRICES(PRICE("a", "1", "20"),
                                   PRICE("\\u0001\\t\\u0436\xf0\x9f\x8d\x9e%_", "\\/\\\\", "30"))));
    assert_count(store, "catalog_offer WHERE price IN ('1', '20', '30')", 3);
    assert_err(apply_changes(&scene, 3, PRICES(PRICE("a ", "1", "20"))), ERR_PACKAGE_REFUSED);
    assert_err(apply_changes(&scene, 4, PRICES(PRICE("a", "01", "20"))), ERR_PACKAGE_REFUSED);
}

/* --- Order ------------------------------------------------------------------------------------ */

static void a_late_package_overwrites_nothing_newer(struct store *store)
{
    AUTO_CATALOG scene;
    catalog_begin_with(&scene, store, TWO);

    assert_ok(apply_changes(
        &scene, 5,
        "{'prices':[" PRICE("p1", "v1", "15") "],'stocks':[" STOCK("p2", "v1", "25") "]}"));
    assert_ok(apply_changes(&scene, 4,
                            "{'prices':[" PRICE("p1", "v1", "14") "," PRICE(
                                "p2", "v1", "24") "],"
                                                  "'stocks':[" STOCK("p1", "v1", "14") "," STOCK(
                                                      "p2", "v1", "24") "]}"));
    assert_result(&scene, "products 0/0/0/0 categories 0/0/0/0 prices 1/0/1 stocks 1/0/1");
    assert_offers(&scene, "p1.v1=15/14 p2.v1=24/25 p2.v2=30");
}

/* A snapshot carries prices, and no stock: they have numbers of their own. */
static void a_package_from_before_the_snapshot_sets_stock_only(struct store *store)
{
    AUTO_CATALOG scene;
    catalog_begin(&scene, store);

    assert_ok(apply_snapshot(&scene, 3, TWO));
    assert_ok(apply_changes(
        &scene, 2,
        "{'prices':[" PRICE("p1", "v1", "9") "],'stocks':[" STOCK("p1", "v1", "9") "]}"));
    assert_result(&scene, "products 0/0/0/0 categories 0/0/0/0 prices 0/0/1 stocks 1/0/0");
    assert_offers(&scene, "p1.v1=10/9 p2.v1=20 p2.v2=30");
}

/* Also by a snapshot that wrote no row of the product. */
static void a_price_that_was_confirmed_is_not_undone(struct store *store)
{
    AUTO_CATALOG scene;
    catalog_begin_with(&scene, store, TWO);

    assert_ok(apply_snapshot(&scene, 3, TWO));
    assert_ok(apply_changes(&scene, 2, PRICES(PRICE("p1", "v1", "9"))));
    assert_result(&scene, "products 0/0/0/0 categories 0/0/0/0 prices 0/0/1 stocks 0/0/0");

    assert_ok(apply_changes(&scene, 6, PRICES(PRICE("p1", "v1", "10"))));
    assert_result(&scene, "products 0/0/0/0 categories 0/0/0/0 prices 0/1/0 stocks 0/0/0");
    assert_ok(apply_changes(&scene, 5, PRICES(PRICE("p1", "v1", "9"))));
    assert_result(&scene, "products 0/0/0/0 categories 0/0/0/0 prices 0/0/1 stocks 0/0/0");

    assert_ok(apply_changes(&scene, 8, STOCKS(STOCK("p1", "v1", "4"))));
    assert_ok(apply_changes(&scene, 10, STOCKS(STOCK("p1", "v1", "4"))));
    assert_result(&scene, "products 0/0/0/0 categories 0/0/0/0 prices 0/0/0 stocks 0/1/0");
    assert_ok(apply_changes(&scene, 9, STOCKS(STOCK("p1", "v1", "3"))));
    assert_result(&scene, "products 0/0/0/0 categories 0/0/0/0 prices 0/0/0 stocks 0/0/1");
    assert_offers(&scene, "p1.v1=10/4 p2.v1=20 p2.v2=30");
}

static void numbers_come_back_from_the_archive(struct store *store)
{
    AUTO_CATALOG scene;
    catalog_begin_with(&scene, store, TWO);

    assert_ok(apply_changes(&scene, 3, STOCKS(STOCK("p1", "v1", "3"))));
    assert_ok(apply_snapshot(&scene, 4, SNAPSHOT()));
    assert_err(apply_changes(&scene, 5, STOCKS(STOCK("p1", "v1", "5"))), ERR_PACKAGE_REFUSED);
    assert_ok(apply_snapshot(&scene, 6, TWO));
    assert_ok(apply_changes(&scene, 2, STOCKS(STOCK("p1", "v1", "2"))));
    assert_result(&scene, "products 0/0/0/0 categories 0/0/0/0 prices 0/0/0 stocks 0/0/1");
    assert_ok(apply_changes(&scene, 5, STOCKS(STOCK("p1", "v1", "5"))));
    assert_offers(&scene, "p1.v1=10/5 p2.v1=20 p2.v2=30");
}

/* --- What is remembered of products ----------------------------------------------------------- */

static void what_is_remembered_ends_with_the_snapshot(struct store *store)
{
    AUTO_CATALOG scene;
    catalog_begin_with(&scene, store, TWO);

    assert_ok(apply_changes(&scene, 2, PRICES(PRICE("p1", "v1", "1"), PRICE("p2", "v2", "2"))));
    assert_ok(apply_snapshot(&scene, 3, SNAPSHOT(P("p2", "Bread", V("v1", "20"), V("v2", "30")))));
    assert_err(apply_changes(&scene, 4, PRICES(PRICE("p1", "v1", "3"), PRICE("p2", "v2", "4"))),
               ERR_PACKAGE_REFUSED);
    assert_int_equal(scene.outcome.faults.count, 1);
    assert_string_equal(fault(&scene, 0), "prices 0 p1.v1 The product is archived.");
    assert_ok(apply_changes(&scene, 4, PRICES(PRICE("p2", "v2", "4"))));
    assert_offers(&scene, "~p1.v1=1 p2.v1=20 p2.v2=4");
}

/* A snapshot and changes of what it brought, in a transaction that is lost. */
static enum err run_and_lose(struct work *work, void *arg)
{
    struct catalog_scene *scene = arg;
    struct catalog_package package = {
        .integration_id = scene->shop,
        .receipt = 2,
        .body = json_of(work->arena, SNAPSHOT(P("p8", "Salt", V("v1", "8")))),
        .archive_share_ppm = CATALOG_SHARE_OFF,
        .progress = &scene->progress,
    };
    enum err err = catalog_apply_snapshot(work, &package, &scene->outcome);
    if (err) return err;
    package.receipt = 3;
    package.body = json_of(work->arena, PRICES(PRICE("p8", "v1", "9")));
    err = catalog_apply_changes(work, &package, &scene->outcome);
    return err ? err : ERR_LEASE_LOST;
}

static void nothing_is_remembered_of_a_lost_transaction(struct store *store)
{
    AUTO_CATALOG scene;
    catalog_begin_with(&scene, store, TWO);

    assert_err(world_run(&scene.world, run_and_lose, &scene), ERR_LEASE_LOST);
    assert_ok(apply_snapshot(
        &scene, 2, SNAPSHOT(P("p7", "Tea", V("v1", "7")), P("p8", "Salt", V("v1", "8")))));
    assert_ok(apply_changes(&scene, 3, PRICES(PRICE("p8", "v1", "9"))));
    assert_offers(&scene, "~p1.v1=10 ~p2.v1=20 ~p2.v2=30 p7.v1=7 p8.v1=9");
}

/* --- Bodies ----------------------------------------------------------------------------------- */

static void a_damaged_body_is_refused_for_ever(struct store *store)
{
    AUTO_CATALOG scene;
    catalog_begin(&scene, store);
    static const char *const bodies[] = {
        "", "{'prices':[", "{'prices':[{'product_id':'p1','variant_id':'v1'}]}",
        "{'prices':[" PRICE("p1", "v1", "1") ",{'product_id':'p1'}]}", "{'stocks':[true]}"};

    assert_ok(apply_snapshot(&scene, 1, TWO));
    for (size_t i = 0; i < COUNT_OF(bodies); i++) {
        assert_err(apply_changes(&scene, 2, bodies[i]), ERR_PACKAGE_REFUSED);
        assert_true(scene.outcome.is_final);
    }
    assert_offers(&scene, "p1.v1=10 p2.v1=20 p2.v2=30");
}

int main(void)
{
    static const struct store_case cases[] = {
        STORE_CASE(prices_and_stock_are_set_together),
        STORE_CASE(the_last_row_of_a_pair_counts),
        STORE_CASE(decimals_are_exact),
        STORE_CASE(five_thousand_of_each_fit),
        STORE_CASE(a_pair_that_is_missing_refuses_all),
        STORE_CASE(before_any_snapshot_there_is_no_pair),
        STORE_CASE(a_hundred_faults_are_told),
        STORE_CASE(ids_are_compared_to_the_letter),
        STORE_CASE(a_late_package_overwrites_nothing_newer),
        STORE_CASE(a_package_from_before_the_snapshot_sets_stock_only),
        STORE_CASE(a_price_that_was_confirmed_is_not_undone),
        STORE_CASE(numbers_come_back_from_the_archive),
        STORE_CASE(what_is_remembered_ends_with_the_snapshot),
        STORE_CASE(nothing_is_remembered_of_a_lost_transaction),
        STORE_CASE(a_damaged_body_is_refused_for_ever),
    };
    return store_run_cases("catalog_changes", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
