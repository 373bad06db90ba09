/* These tests show what a snapshot does to a catalog (doc B, section 3 "Snapshot effect"; contract,
 * section 5 "Applying", "Safety brake"). */
#include "catalog_scene.h"

/* --- Products --------------------------------------------------------------------------------- */

static void the_first_one_adds_all(struct store *store)
{
    AUTO_CATALOG scene;
    catalog_begin(&scene, store);

    assert_ok(apply_snapshot(&scene, 1,
                             "{'categories':[{'id':'c1','name':'Dairy'}],'products':["
                             "{'id':'p1','name':'MILK','category_id':'c1','variants':["
                             "{'id':'v1','price':10.50},{'id':'v2','price':1e2}]}]}"));
    assert_result(&scene, "products 1/0/0/0 categories 1/0/0/0 prices 2/0/0 stocks 0/0/0");
    assert_offers(&scene, "p1.v1=10.5 p1.v2=100");
    assert_int_equal(scene.progress.rows_done, 2);
    assert_count(store, "catalog_product_name WHERE folded = 'milk'", 1);
    assert_count(
        store,
        "catalog_product WHERE category_id = 'c1' AND last_variant = 2 AND variant_count = 2", 1);
}

/* A price is no content of the product. */
static void the_doc_has_no_prices(struct store *store)
{
    AUTO_CATALOG scene;
    catalog_begin(&scene, store);

    assert_ok(apply_snapshot(&scene, 1, SNAPSHOT(P("p1", "Milk", V("v1", "1234567")))));
    assert_count(store,
                 "catalog_product_doc WHERE doc LIKE '%\"Milk\"%' AND doc NOT LIKE '%1234567%'", 1);
}

static void the_same_again_writes_nothing_of_products(struct store *store)
{
    AUTO_CATALOG scene;
    catalog_begin_with(&scene, store, TWO);

    scene.world.now_ms += MINUTE_MS;
    assert_ok(apply_snapshot(&scene, 2, TWO));
    assert_result(&scene, "products 0/0/2/0 categories 0/0/0/0 prices 0/3/0 stocks 0/0/0");
    assert_offers(&scene, "p1.v1=10 p2.v1=20 p2.v2=30");
    assert_count(store, "catalog_product WHERE updated_at <> 1795235580000", 0);
    assert_int_equal(number_of(&scene, "SELECT max(price_receipt) AS n FROM catalog_offer"), 1);
    assert_int_equal(number_of(&scene, "SELECT snapshot_receipt AS n FROM catalog"), 2);
    assert_int_equal(scene.progress.rows_done, 2);
}

/* Another order of keys, white space, other spellings of numbers, defaults told, unknown keys. */
static void the_same_in_other_words_is_no_change(struct store *store)
{
    AUTO_CATALOG scene;
    catalog_begin(&scene, store);
    static const char other_words[] =
        "{'products':[ {'variants':[ {'price':1e1, 'measure_value':1.000, 'id':'v1',"
        " 'default':false, 'barcodes':[], 'name':'', 'option_groups':[{'id':'g',"
        "'name':'G','max_select':1,'options':[{'price_delta':0.0,'id':'o','name':'O'}]}]} ],\n "
        "'colour':'white', 'available':true,'tags':[],'attributes':[],"
        " 'name':'M\\u0069lk', 'id':'p1'} ], 'categories':[]}";

    assert_ok(apply_snapshot(&scene, 1,
                             SNAPSHOT(P("p1", "Milk",
                                        "{'id':'v1','price':10,'option_groups':[{'id':'g',"
                                        "'name':'G','options':[{'id':'o','name':'O'}]}]}"))));
    scene.world.now_ms += MINUTE_MS;
    assert_ok(apply_snapshot(&scene, 2, other_words));
    assert_result(&scene, "products 0/0/1/0 categories 0/0/0/0 prices 0/1/0 stocks 0/0/0");
    assert_count(store, "catalog_product WHERE updated_at <> 1795235580000", 0);
}

static void a_change_of_content_and_one_of_a_price_are_two_things(struct store *store)
{
    AUTO_CATALOG scene;
    catalog_begin_with(&scene, store, TWO);

    scene.world.now_ms += MINUTE_MS;
    assert_ok(apply_snapshot(&scene, 2,
                             SNAPSHOT(P("p1", "Milk", V("v1", "11")),
                                      P("p2", "Rye bread", V("v1", "20"), V("v2", "30")))));
    assert_result(&scene, "products 0/1/1/0 categories 0/0/0/0 prices 1/2/0 stocks 0/0/0");
    assert_offers(&scene, "p1.v1=11 p2.v1=20 p2.v2=30");
    /* The product with the new name, and the offer with the new price. */
    assert_count(store, "catalog_product WHERE id = 'p2' AND updated_at = 1795235640000", 1);
    assert_count(store, "catalog_product WHERE updated_at = 1795235580000", 1);
    assert_count(
        store,
        "catalog_offer WHERE updated_at = 1795235640000 AND price = '11' AND price_receipt = 2", 1);
    assert_count(store, "catalog_offer WHERE updated_at = 1795235580000", 2);
    assert_count(store, "catalog_product_name WHERE folded = 'rye bread'", 1);
}

static void what_is_absent_is_archived_and_comes_back_with_its_stock(struct store *store)
{
    AUTO_CATALOG scene;
    catalog_begin_with(&scene, store, TWO);

    assert_ok(apply_changes(&scene, 2, STOCKS(STOCK("p2", "v1", "5"), STOCK("p1", "v1", "9"))));
    assert_ok(apply_snapshot(&scene, 3, SNAPSHOT(P("p1", "Milk", V("v1", "10")))));
    assert_result(&scene, "products 0/0/1/1 categories 0/0/0/0 prices 0/1/0 stocks 0/0/0");
    assert_offers(&scene, "p1.v1=10/9 ~p2.v1=20/5 ~p2.v2=30");

    assert_ok(apply_snapshot(&scene, 4, SNAPSHOT(P("p1", "Milk", V("v1", "10")))));
    assert_result(&scene, "products 0/0/1/0 categories 0/0/0/0 prices 0/1/0 stocks 0/0/0");
    scene.world.now_ms += MINUTE_MS;
    assert_ok(apply_snapshot(
        &scene, 5,
        SNAPSHOT(P("p1", "Milk", V("v1", "10")), P("p2", "Bread", V("v1", "20"), V("v2", "33")))));
    assert_result(&scene, "products 0/1/1/0 categories 0/0/0/0 prices 1/2/0 stocks 0/0/0");
    assert_offers(&scene, "p1.v1=10/9 p2.v1=20/5 p2.v2=33");
    assert_count(store, "catalog_product WHERE id = 'p2' AND updated_at = 1795235640000", 1);
}

/* Also where its bytes are those of the last snapshot that had it. */
static void an_archived_product_comes_back_by_the_same_bytes(struct store *store)
{
    AUTO_CATALOG scene;
    catalog_begin_with(&scene, store, TWO);

    assert_ok(apply_snapshot(&scene, 2, SNAPSHOT()));
    assert_result(&scene, "products 0/0/0/2 categories 0/0/0/0 prices 0/0/0 stocks 0/0/0");
    assert_offers(&scene, "~p1.v1=10 ~p2.v1=20 ~p2.v2=30");
    assert_ok(apply_snapshot(&scene, 3, TWO));
    assert_result(&scene, "products 0/2/0/0 categories 0/0/0/0 prices 0/3/0 stocks 0/0/0");
    assert_offers(&scene, "p1.v1=10 p2.v1=20 p2.v2=30");
}

static void variants_go_and_come_back_with_their_offers(struct store *store)
{
    AUTO_CATALOG scene;
    catalog_begin(&scene, store);

    assert_ok(apply_snapshot(&scene, 1, SNAPSHOT(P("p1", "Milk", V("a", "1"), V("b", "2")))));
    assert_ok(apply_changes(&scene, 2, STOCKS(STOCK("p1", "a", "7"))));
    assert_ok(apply_snapshot(&scene, 3, SNAPSHOT(P("p1", "Milk", V("b", "2"), V("c", "3")))));
    assert_result(&scene, "products 0/1/0/0 categories 0/0/0/0 prices 1/1/0 stocks 0/0/0");
    assert_offers(&scene, "p1.~a=1/7 p1.b=2 p1.c=3");
    assert_ok(apply_snapshot(&scene, 4,
                             SNAPSHOT(P("p1", "Milk", V("d", "4"), V("a", "5"), V("b", "2")))));
    assert_result(&scene, "products 0/1/0/0 categories 0/0/0/0 prices 2/1/0 stocks 0/0/0");
    assert_offers(&scene, "p1.a=5/7 p1.b=2 p1.~c=3 p1.d=4");
    /* A number is never given twice. */
    assert_int_equal(number_of(&scene, "SELECT count(DISTINCT variant) AS n FROM catalog_variant"),
                     4);
    assert_ok(apply_snapshot(&scene, 5,
                             SNAPSHOT(P("p1", "Milk", V("d", "4"), V("a", "5"), V("b", "2")))));
    assert_result(&scene, "products 0/0/1/0 categories 0/0/0/0 prices 0/3/0 stocks 0/0/0");
}

/* So many take several blocks and several parts of what is loaded: the sums must be those of
 * one. */
static const char *many(struct catalog_scene *scene, int first, int count, int price)
{
    struct buf text;
    buf_init(&text, 16 * 1024 * 1024);
    buf_text(&text, "{'products':[");
    for (int i = 0; i < count; i++)
        buf_printf(&text,
                   "%s{'id':'product-%d','name':'n','variants':[{'id':'v','price':%d},"
                   "{'id':'w','price':2}]}",
                   i ? "," : "", first + i, price);
    buf_text(&text, "],'categories':[");
    for (int i = 0; i < count; i++)
        buf_printf(&text, "%s{'id':'c%d','name':'n%d'}", i ? "," : "", first + i, price);
    buf_text(&text, "]}");
    const char *copy = arena_str(scene->world.arena, buf_view(&text));
    buf_done(&text);
    return copy;
}

static void thousands_are_taken_in_blocks(struct store *store)
{
    AUTO_CATALOG scene;
    catalog_begin(&scene, store);

    assert_ok(apply_snapshot(&scene, 1, many(&scene, 0, 9000, 1)));
    assert_result(&scene,
                  "products 9000/0/0/0 categories 9000/0/0/0 prices 18000/0/0 stocks 0/0/0");
    assert_ok(apply_snapshot(&scene, 2, many(&scene, 0, 9000, 1)));
    assert_result(&scene,
                  "products 0/0/9000/0 categories 0/0/9000/0 prices 0/18000/0 stocks 0/0/0");
    assert_ok(apply_snapshot(&scene, 3, many(&scene, 1000, 9000, 3)));
    assert_result(&scene, "products 1000/0/8000/1000 categories 1000/8000/0/1000"
                          " prices 10000/8000/0 stocks 0/0/0");
    assert_ok(apply_snapshot(&scene, 4, many(&scene, 0, 10000, 3)));
    assert_result(&scene, "products 0/1000/9000/0 categories 0/1000/9000/0 prices 1000/19000/0"
                          " stocks 0/0/0");
    assert_count(store, "catalog_product WHERE archived = 0", 10000);
    assert_count(store, "catalog_offer", 20000);
}

/* --- Categories and definitions --------------------------------------------------------------- */

static void categories_are_compared_too(struct store *store)
{
    AUTO_CATALOG scene;
    catalog_begin(&scene, store);

    assert_ok(apply_snapshot(&scene, 1,
                             "{'categories':[{'id':'a','name':'A'},{'id':'b','name':'B'}],"
                             "'products':[]}"));
    scene.world.now_ms += MINUTE_MS;
    assert_ok(apply_snapshot(&scene, 2,
                             "{'categories':[{'id':'b','name':'BB'},{'id':'c','name':'C'}],"
                             "'products':[]}"));
    assert_result(&scene, "products 0/0/0/0 categories 1/1/0/1 prices 0/0/0 stocks 0/0/0");
    assert_count(store, "catalog_category WHERE updated_at = 1795235640000", 3);
    assert_ok(apply_snapshot(&scene, 3,
                             "{'categories':[{'id':'a','name':'A'},{'id':'b','name':'BB'}],"
                             "'products':[]}"));
    assert_result(&scene, "products 0/0/0/0 categories 0/1/1/1 prices 0/0/0 stocks 0/0/0");
    assert_count(store, "catalog_category WHERE archived = 0 AND id <> 'c'", 2);
    assert_count(store, "catalog_category WHERE archived = 1 AND id = 'c'", 1);
}

static void definitions_are_compared_too(struct store *store)
{
    AUTO_CATALOG scene;
    catalog_begin(&scene, store);
    static const char size[] = "{'categories':[],'products':[],'attribute_definitions':["
                               "{'id':'size','name':'Size','type':'integer'}]}";

    assert_ok(apply_snapshot(&scene, 1, size));
    scene.world.now_ms += MINUTE_MS;
    assert_ok(apply_snapshot(&scene, 2,
                             "{'categories':[],'products':[],'attribute_definitions':["
                             "{'type':'integer','name':'Size','id':'size','unit':null},"
                             "{'id':'brand','name':'Brand','type':'enum',"
                             "'values':[{'id':'x','name':'X'}]}]}"));
    assert_count(store, "catalog_definition WHERE archived = 0", 2);
    assert_count(store, "catalog_definition WHERE id = 'size' AND updated_at = 1795235580000", 1);
    assert_ok(apply_snapshot(&scene, 3, "{'categories':[],'products':[]}"));
    assert_count(store, "catalog_definition WHERE archived = 1", 2);
    assert_ok(apply_snapshot(&scene, 4, size));
    assert_count(store, "catalog_definition WHERE archived = 0 AND id = 'size'", 1);
}

/* --- Order ------------------------------------------------------------------------------------ */

/* A price that a package of changes set is the snapshot's again, though its text is the same. */
static void a_snapshot_sets_all_prices_and_no_stock(struct store *store)
{
    AUTO_CATALOG scene;
    catalog_begin_with(&scene, store, TWO);

    assert_ok(apply_changes(
        &scene, 2,
        "{'prices':[" PRICE("p2", "v1", "21") "],'stocks':[" STOCK("p2", "v1", "4") "]}"));
    assert_offers(&scene, "p1.v1=10 p2.v1=21/4 p2.v2=30");
    assert_ok(apply_snapshot(&scene, 3, TWO));
    assert_result(&scene, "products 0/0/2/0 categories 0/0/0/0 prices 1/2/0 stocks 0/0/0");
    assert_offers(&scene, "p1.v1=10 p2.v1=20/4 p2.v2=30");
}

/* Held back, and released after a package of changes. */
static void a_late_snapshot_keeps_newer_prices(struct store *store)
{
    AUTO_CATALOG scene;
    catalog_begin_with(&scene, store, TWO);

    assert_ok(apply_changes(&scene, 3, PRICES(PRICE("p2", "v1", "21"))));
    assert_ok(
        apply_snapshot(&scene, 2, SNAPSHOT(P("p2", "Rye bread", V("v1", "50"), V("v2", "60")))));
    assert_result(&scene, "products 0/1/0/1 categories 0/0/0/0 prices 1/0/1 stocks 0/0/0");
    assert_offers(&scene, "~p1.v1=10 p2.v1=21 p2.v2=60");
    /* The next one is newer than both. */
    assert_ok(
        apply_snapshot(&scene, 4, SNAPSHOT(P("p2", "Rye bread", V("v1", "50"), V("v2", "60")))));
    assert_result(&scene, "products 0/0/1/0 categories 0/0/0/0 prices 1/1/0 stocks 0/0/0");
    assert_offers(&scene, "~p1.v1=10 p2.v1=50 p2.v2=60");
}

#define CHOSEN "{'id':'v1','price':10,'option_values':[{'axis_id':'size','value_id':'s'}]}"
#define SIZE   "'option_axes':[{'id':'size','name':'Size','values':[{'id':'s','name':'S'}]}],"

/* Contract, section 5 "What a package does not say": taken while the integration kept what is
 * absent, and applied when it no longer does. Choices whose axes go then are not stored without
 * them. */
static void choices_of_axes_that_are_not_kept_any_more_are_refused(struct store *store)
{
    AUTO_CATALOG scene;
    catalog_begin_with(&scene, store,
                       SNAPSHOT("{'id':'p1','name':'Milk'," SIZE "'variants':[" CHOSEN "]}"));
    const char *lean = SNAPSHOT("{'id':'p1','name':'Milk','variants':[" CHOSEN "]}");

    assert_err(apply_snapshot(&scene, 2, lean), ERR_PACKAGE_REFUSED);
    assert_true(scene.outcome.is_final);
    assert_int_equal(scene.outcome.faults.count, 1);
    scene.keeps_absent = true;
    assert_ok(apply_snapshot(&scene, 3, lean));
    assert_int_equal(scene.outcome.result.kept, 1);
    /* Nor by a text that is the same. */
    scene.keeps_absent = false;
    assert_err(apply_snapshot(&scene, 4, lean), ERR_PACKAGE_REFUSED);
    scene.keeps_absent = true;
    assert_ok(apply_snapshot(&scene, 4, lean));
    /* One that comes too late keeps nothing, and says so. */
    assert_ok(apply_snapshot(&scene, 2, lean));
    assert_int_equal(scene.outcome.result.kept, 0);
}

static void a_snapshot_older_than_the_newest_changes_nothing(struct store *store)
{
    AUTO_CATALOG scene;
    catalog_begin(&scene, store);

    assert_ok(apply_snapshot(&scene, 5, TWO));
    assert_ok(apply_snapshot(&scene, 4,
                             "{'categories':[{'id':'a','name':'A'}],'products':[" P(
                                 "p1", "Old milk", V("v1", "1"), V("v2", "2")) "]}"));
    assert_result(&scene, "products 0/0/1/0 categories 0/0/1/0 prices 0/0/2 stocks 0/0/0");
    assert_offers(&scene, "p1.v1=10 p2.v1=20 p2.v2=30");
    assert_count(store, "catalog_category", 0);
    assert_int_equal(number_of(&scene, "SELECT snapshot_receipt AS n FROM catalog"), 5);
}

/* --- The safety brake ------------------------------------------------------------------------- */

static void brake_case(struct store *store, int64_t share_ppm, int before, int after, bool passes)
{
    AUTO_CATALOG scene;
    catalog_begin(&scene, store);

    scene.archive_share_ppm = share_ppm;
    assert_ok(apply_snapshot(&scene, 1, many(&scene, 0, before, 1)));
    enum err err = apply_snapshot(&scene, 2, many(&scene, 0, after, 2));
    assert_err(err, passes ? ERR_OK : ERR_PACKAGE_REFUSED);
    assert_count(store, "catalog_product WHERE archived = 0", passes ? after : before);
    if (passes) return;
    assert_string_equal(scene.outcome.problem, "archive_limit");
    assert_true(scene.outcome.is_final);
    /* Nothing of it was done. */
    assert_count(store, "catalog_offer WHERE price = '2' AND price_receipt = 2", 0);
    scene.is_released = true;
    assert_ok(apply_snapshot(&scene, 2, many(&scene, 0, after, 2)));
    assert_count(store, "catalog_product WHERE archived = 0", after);
}

static void the_brake_holds_beyond_its_share(struct store *store)
{
    brake_case(store, 500000, 100, 50, true);
}

static void the_brake_holds_one_more(struct store *store)
{
    brake_case(store, 500000, 100, 49, false);
}

static void nineteen_products_may_always_go(struct store *store)
{
    brake_case(store, 500000, 22, 3, true);
}

static void twenty_may_not(struct store *store)
{
    brake_case(store, 500000, 22, 2, false);
}

static void the_brake_is_off_by_default(struct store *store)
{
    brake_case(store, CATALOG_SHARE_OFF, 100, 0, true);
}

static void a_share_of_nothing_holds_twenty(struct store *store)
{
    brake_case(store, 0, 1000, 980, false);
}

/* A product that is archived already is not live. */
static void archived_products_do_not_count(struct store *store)
{
    AUTO_CATALOG scene;
    catalog_begin(&scene, store);

    assert_ok(apply_snapshot(&scene, 1, many(&scene, 0, 200, 1)));
    assert_ok(apply_snapshot(&scene, 2, many(&scene, 0, 50, 1)));
    scene.archive_share_ppm = 500000;
    assert_err(apply_snapshot(&scene, 3, many(&scene, 0, 24, 1)), ERR_PACKAGE_REFUSED);
    assert_ok(apply_snapshot(&scene, 4, many(&scene, 0, 25, 1)));
}

/* --- Bodies ----------------------------------------------------------------------------------- */

static void lists_come_in_any_order_and_by_any_spelling(struct store *store)
{
    AUTO_CATALOG scene;
    catalog_begin(&scene, store);

    assert_ok(apply_snapshot(
        &scene, 1,
        "{'produ\\u0063ts':[" P(
            "p1", "Milk",
            V("v1", "10")) "],"
                           "'later':[1,{'products':[]}],'categories':[{'id':'c','name':'C'}]}"));
    assert_result(&scene, "products 1/0/0/0 categories 1/0/0/0 prices 1/0/0 stocks 0/0/0");
}

static void a_damaged_body_is_refused_for_ever(struct store *store)
{
    AUTO_CATALOG scene;
    catalog_begin(&scene, store);
    static const char *const bodies[] = {
        "",
        "[]",
        "{'products':[{'id':'p1','name':'Milk','variants':[{'id':'v1','price':",
        "{'products':[17]}",
        "{'products':[{'name':'Milk','variants':[]}]}",
        "{'products':[{'id':'p1','name':'Milk','variants':[{'id':'v1'}]}]}",
        "{'categories':[{'id':'c'}]}",
        "{'attribute_definitions':[{'id':'c','name':'C','type':'colour'}]}",
    };

    assert_ok(apply_snapshot(&scene, 1, TWO));
    for (size_t i = 0; i < COUNT_OF(bodies); i++) {
        assert_err(apply_snapshot(&scene, 2, bodies[i]), ERR_PACKAGE_REFUSED);
        assert_true(scene.outcome.is_final);
        assert_non_null(scene.outcome.problem);
    }
    assert_offers(&scene, "p1.v1=10 p2.v1=20 p2.v2=30");
}

/* Another one of the same tables: nothing of one is seen from the other. */
static void catalogs_are_apart(struct store *store)
{
    AUTO_CATALOG scene;
    catalog_begin_with(&scene, store, TWO);

    assert_ok(world_run(&scene.world, run_open, &scene));
    assert_ok(apply_snapshot(&scene, 1, SNAPSHOT(P("p1", "Other", V("v1", "77")))));
    assert_result(&scene, "products 1/0/0/0 categories 0/0/0/0 prices 1/0/0 stocks 0/0/0");
    assert_ok(apply_changes(&scene, 2, PRICES(PRICE("p1", "v1", "78"))));
    assert_err(apply_changes(&scene, 3, PRICES(PRICE("p2", "v1", "78"))), ERR_PACKAGE_REFUSED);
    assert_ok(apply_snapshot(&scene, 4, SNAPSHOT()));
    assert_result(&scene, "products 0/0/0/1 categories 0/0/0/0 prices 0/0/0 stocks 0/0/0");
    assert_offers(&scene, "p1.v1=10 ~p1.v1=78 p2.v1=20 p2.v2=30");
}

int main(void)
{
    static const struct store_case cases[] = {
        STORE_CASE(the_first_one_adds_all),
        STORE_CASE(the_doc_has_no_prices),
        STORE_CASE(the_same_again_writes_nothing_of_products),
        STORE_CASE(the_same_in_other_words_is_no_change),
        STORE_CASE(a_change_of_content_and_one_of_a_price_are_two_things),
        STORE_CASE(what_is_absent_is_archived_and_comes_back_with_its_stock),
        STORE_CASE(an_archived_product_comes_back_by_the_same_bytes),
        STORE_CASE(variants_go_and_come_back_with_their_offers),
        STORE_CASE(thousands_are_taken_in_blocks),
        STORE_CASE(categories_are_compared_too),
        STORE_CASE(definitions_are_compared_too),
        STORE_CASE(a_snapshot_sets_all_prices_and_no_stock),
        STORE_CASE(a_late_snapshot_keeps_newer_prices),
        STORE_CASE(choices_of_axes_that_are_not_kept_any_more_are_refused),
        STORE_CASE(a_snapshot_older_than_the_newest_changes_nothing),
        STORE_CASE(the_brake_holds_beyond_its_share),
        STORE_CASE(the_brake_holds_one_more),
        STORE_CASE(nineteen_products_may_always_go),
        STORE_CASE(twenty_may_not),
        STORE_CASE(the_brake_is_off_by_default),
        STORE_CASE(a_share_of_nothing_holds_twenty),
        STORE_CASE(archived_products_do_not_count),
        STORE_CASE(lists_come_in_any_order_and_by_any_spelling),
        STORE_CASE(a_damaged_body_is_refused_for_ever),
        STORE_CASE(catalogs_are_apart),
    };
    return store_run_cases("catalog_snapshot", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
