/* Lists of a catalog: pages, filters, and what makes a page shorter (contract, section 5). */
#include "catalog_view.h"

/* --- Pages ------------------------------------------------------------------------------------ */

#define FIVE                                                                    \
    SNAPSHOT(P("e", "Milk", V("v", "1")), P("d", "Bread", V("v", "1")),         \
             P("c", "Ice MILK", V("v", "1")), P("b", "Хлеб 100%", V("v", "1")), \
             P("a", "хлеб_1000", V("v", "1")))

static void pages_follow_each_other(struct store *store)
{
    static const char *const expected[] = {
        [1] = "e + d + c + b + a", [2] = "e d + c b + a", [3] = "e d c + b a",
        [4] = "e d c b + a",       [5] = "e d c b a",     [6] = "e d c b a",
    };
    AUTO_CATALOG scene;
    catalog_begin(&scene, store);

    assert_ok(apply_snapshot(&scene, 1, FIVE));
    for (int limit = 1; limit <= 6; limit++) {
        struct catalog_filter filter = {ANY};
        filter.limit = limit;
        assert_string_equal(
            walk(&scene, catalog_list_products, sizeof(struct catalog_product), filter),
            expected[limit]);
    }
}

static void catalogs_are_apart(struct store *store)
{
    AUTO_CATALOG scene;
    catalog_begin(&scene, store);

    assert_ok(apply_snapshot(&scene, 1, FIVE));
    struct uuid first = scene.shop;
    assert_ok(world_run(&scene.world, run_open, &scene));
    assert_ok(apply_snapshot(
        &scene, 1,
        "{'attribute_definitions':[{'id':'a','name':'','type':'date'}],'categories':[{'id':'x',"
        "'name':'x'}],'products':[" P("e", "Cheese", V("v", "2")) "]}"));
    assert_products(&scene, "e", .query = NULL);
    assert_products(&scene, "", .query = "milk");
    struct catalog_product product = product_of(&scene, "e");
    assert_string_equal(product.name, "Cheese");
    assert_err(fetch(&scene, "d"), ERR_NOT_FOUND);
    scene.shop = first;
    assert_products(&scene, "e d c b a", .query = NULL);
    assert_products(&scene, "", .query = "cheese");
    struct catalog_filter filter = {ANY};
    assert_int_equal(page_of(&scene, catalog_list_categories, &filter).items.count, 0);
    assert_int_equal(page_of(&scene, catalog_list_definitions, &filter).items.count, 0);
}

static void a_cursor_of_others_is_refused(struct store *store)
{
    static const char *const cursors[] = {"",           "x",  "0",  "-1",
                                          "4294967296", "1x", " 1", "99999999999999999999"};
    AUTO_CATALOG scene;
    catalog_begin(&scene, store);

    assert_ok(apply_snapshot(&scene, 1, FIVE));
    for (size_t i = 0; i < COUNT_OF(cursors); i++) {
        struct catalog_filter filter = {ANY, .cursor = cursors[i]};
        struct paging step = {catalog_list_products, &scene.shop, &filter, {{0}, NULL}};
        assert_err(world_read(&scene.world, run_page, &step), ERR_VALIDATION);
    }
    assert_products(&scene, "", .cursor = "4294967295");
}

/* --- Filters ---------------------------------------------------------------------------------- */

static void a_query_is_part_of_a_name_in_either_case(struct store *store)
{
    AUTO_CATALOG scene;
    catalog_begin(&scene, store);

    assert_ok(apply_snapshot(&scene, 1, FIVE));
    assert_products(&scene, "e c", .query = "mIlK");
    assert_products(&scene, "c", .query = " milk");
    assert_products(&scene, "b a", .query = "ХЛЕБ");
    assert_products(&scene, "b", .query = "100%");
    assert_products(&scene, "a", .query = "_");
    assert_products(&scene, "", .query = "хлеб 1000");
    assert_products(&scene, "", .query = "'; DROP TABLE catalog; --");
    assert_string_equal(
        walk(&scene, catalog_list_products, sizeof(struct catalog_product),
             (struct catalog_filter){.is_archived = -1, .limit = 1, .query = "milk"}),
        "e + c");
}

#define IN(id, name, category)                                  \
    "{'id':'" id "','name':'" name "','category_id':'" category \
    "','variants':[{'id':'v','price':1}]}"
#define CATEGORIES "'categories':[{'id':'x','name':'x'},{'id':'y','name':'y'}]"

static void filters_hold_at_once(struct store *store)
{
    AUTO_CATALOG scene;
    catalog_begin(&scene, store);

    assert_ok(apply_snapshot(
        &scene, 1,
        "{" CATEGORIES ",'products':[" IN("a", "Milk", "x") "," IN("b", "Bread", "x") "," IN(
            "c", "Milk", "y") "," IN("d", "Milk", "x") "," P("e", "Milk", V("v", "1")) "]}"));
    scene.world.now_ms += MINUTE_MS;
    assert_ok(apply_snapshot(&scene, 2,
                             "{" CATEGORIES
                             ",'products':[" IN("a", "Milk", "x") "," IN("b", "Bread", "x") "," IN(
                                 "c", "Milk", "y") "," P("e", "Milk 2", V("v", "1")) "]}"));
    scene.world.now_ms += MINUTE_MS;
    assert_ok(apply_changes(&scene, 3, STOCKS(STOCK("b", "v", "3"))));
    scene.world.now_ms += MINUTE_MS;
    assert_ok(apply_changes(&scene, 4, PRICES(PRICE("c", "v", "3"))));

    assert_products(&scene, "a b d", .category_id = "x");
    assert_products(&scene, "a d", .category_id = "x", .query = "MILK");
    assert_products(&scene, "", .category_id = "z");
    int64_t start = WORLD_START_MS;
    assert_products(&scene, "a b c d e", .updated_since_ms = start);
    assert_products(&scene, "b c d e", .updated_since_ms = start + 1);
    assert_products(&scene, "b c d e", .updated_since_ms = start + MINUTE_MS);
    assert_products(&scene, "b c", .updated_since_ms = start + MINUTE_MS + 1);
    assert_products(&scene, "c", .updated_since_ms = start + 3 * MINUTE_MS);
    assert_products(&scene, "", .updated_since_ms = start + 3 * MINUTE_MS + 1);
    assert_products(&scene, "c e", .query = "milk", .is_archived = 0,
                    .updated_since_ms = start + 1);
    assert_products(&scene, "d", .category_id = "x", .query = "milk", .is_archived = 1,
                    .updated_since_ms = start + 1);
    assert_products(&scene, "a b c e", .is_archived = 0);
    assert_products(&scene, "d", .is_archived = 1);
}

/* --- Long pages ------------------------------------------------------------------------------- */

static void fill(struct buf *text, char c, size_t count)
{
    char *room = buf_reserve(text, count);
    assert_non_null(room);
    memset(room, c, count);
}

/* 4 MiB of documents make a page, and one that is longer makes one by itself. */
static void long_products_make_short_pages(struct store *store)
{
    static const int megabytes[] = {1, 2, 2, 6, 0, 0, 1};
    AUTO_CATALOG scene;
    AUTO_BUF text = {0};
    catalog_begin(&scene, store);

    buf_init(&text, TEXT_MAX);
    buf_text(&text, "{'categories':[],'products':[");
    for (size_t i = 0; i < COUNT_OF(megabytes); i++) {
        buf_printf(&text,
                   "%s{'id':'%zu','name':'n','variants':[{'id':'v','price':1}],"
                   "'description':'",
                   i > 0 ? "," : "", i);
        fill(&text, 'x', (size_t)megabytes[i] << 20);
        buf_text(&text, "'}");
    }
    buf_text(&text, "]}");
    assert_ok(apply_snapshot(&scene, 1, arena_str(scene.world.arena, buf_view(&text))));
    assert_string_equal(walk(&scene, catalog_list_products, sizeof(struct catalog_product),
                             (struct catalog_filter){ANY}),
                        "0 1 + 2 + 3 + 4 5 6");
    struct catalog_product product = product_of(&scene, "3");
    assert_int_equal(strlen(product.description), 6 << 20);
}

/* Short documents whose definitions have long names. */
static void long_names_make_short_pages(struct store *store)
{
    AUTO_CATALOG scene;
    AUTO_BUF text = {0};
    catalog_begin(&scene, store);

    buf_init(&text, TEXT_MAX);
    buf_text(&text, "{'attribute_definitions':[{'id':'d','name':'','type':'enum','values':[{"
                    "'id':'x','name':'");
    fill(&text, 'n', 1 << 20);
    buf_text(&text, "'}]}],'categories':[],'products':[");
    for (int i = 0; i < 3; i++) {
        buf_printf(&text,
                   "%s{'id':'%d','name':'','variants':[{'id':'v','price':1}],"
                   "'attributes':[",
                   i > 0 ? "," : "", i);
        for (int j = 0; j < 5; j++)
            buf_printf(&text, "%s{'attribute_id':'d','value_id':'x'}", j > 0 ? "," : "");
        buf_text(&text, "]}");
    }
    buf_text(&text, "]}");
    assert_ok(apply_snapshot(&scene, 1, arena_str(scene.world.arena, buf_view(&text))));
    assert_string_equal(walk(&scene, catalog_list_products, sizeof(struct catalog_product),
                             (struct catalog_filter){ANY}),
                        "0 1 + 2");
}

/* --- Categories and definitions --------------------------------------------------------------- */

static void categories_are_read_by_their_ids(struct store *store)
{
    struct catalog_filter filter = {ANY};
    AUTO_CATALOG scene;
    catalog_begin(&scene, store);

    assert_ok(apply_snapshot(&scene, 1,
                             "{'categories':[{'id':'c','name':'C'},{'id':'a','name':'A'},{'id':'b',"
                             "'name':'B'}],'products':[]}"));
    scene.world.now_ms += MINUTE_MS;
    assert_ok(apply_snapshot(
        &scene, 2, "{'categories':[{'id':'c','name':'C'},{'id':'a','name':'AA'}],'products':[]}"));
    struct catalog_page page = page_of(&scene, catalog_list_categories, &filter);
    assert_string_equal(
        encoded(&scene, &catalog_category_list_record, &page),
        json_of(scene.world.arena,
                "{'categories':[{'id':'a','name':'AA','archived':false,'updated_at':'" TIME_1
                "'},{'id':'b','name':'B','archived':true,'updated_at':'" TIME_1
                "'},{'id':'c','name':'C','archived':false,'updated_at':'" TIME_0
                "'}],'next_cursor':null}")
            .data);
    size_t size = sizeof(struct catalog_category_view);
    filter.limit = 2;
    assert_string_equal(walk(&scene, catalog_list_categories, size, filter), "a b + c");
    filter.limit = 1;
    filter.is_archived = 0;
    assert_string_equal(walk(&scene, catalog_list_categories, size, filter), "a + c");
    filter.is_archived = 1;
    assert_string_equal(walk(&scene, catalog_list_categories, size, filter), "b");
}

static void definitions_are_read_by_their_ids(struct store *store)
{
    struct catalog_filter filter = {ANY};
    AUTO_CATALOG scene;
    catalog_begin(&scene, store);

    assert_ok(apply_snapshot(
        &scene, 1,
        "{'attribute_definitions':[{'id':'b','name':'B','type':'enum','code':'7','unit':'u',"
        "'canonical_code':'cc','values':[{'id':'x','code':'9','name':'X'},{'id':'y','name':'Y'}]},"
        "{'id':'a','name':'','type':'date','values':[{'id':'x','name':'X'}]},{'id':'c','name':'',"
        "'type':'string'}],'categories':[],'products':[]}"));
    scene.world.now_ms += MINUTE_MS;
    assert_ok(apply_snapshot(
        &scene, 2,
        "{'attribute_definitions':[{'id':'b','name':'B','type':'enum','code':'7','unit':'u',"
        "'canonical_code':'cc','values':[{'id':'x','code':'9','name':'X'},{'id':'y','name':'Y'}]},"
        "{'id':'a','name':'','type':'date','values':[{'id':'x','name':'X'}]}],"
        "'categories':[],'products':[]}"));
    struct catalog_page page = page_of(&scene, catalog_list_definitions, &filter);
    assert_string_equal(
        encoded(&scene, &catalog_definition_list_record, &page),
        json_of(scene.world.arena,
                "{'attribute_definitions':[{'id':'a','code':null,'name':'','type':'date',"
                "'unit':null,'canonical_code':null,'values':[],'archived':false,'updated_at':'" //
                TIME_0 "'},{'id':'b','code':'7','name':'B','type':'enum','unit':'u',"
                "'canonical_code':'cc','values':[{'id':'x','code':'9','name':'X'},{'id':'y',"
                "'code':null,'name':'Y'}],'archived':false,'updated_at':'" TIME_0
                "'},{'id':'c','code':null,'name':'','type':'string','unit':null,"
                "'canonical_code':null,'values':[],'archived':true,'updated_at':'" TIME_1
                "'}],'next_cursor':null}")
            .data);
    size_t size = sizeof(struct catalog_definition_view);
    filter.limit = 2;
    assert_string_equal(walk(&scene, catalog_list_definitions, size, filter), "a b + c");
    filter.is_archived = 0;
    assert_string_equal(walk(&scene, catalog_list_definitions, size, filter), "a b");
}

/* An archived product keeps the names of definitions that are gone with it. */
static void archived_products_have_archived_names(struct store *store)
{
    AUTO_CATALOG scene;
    catalog_begin(&scene, store);

    assert_ok(apply_snapshot(
        &scene, 1,
        "{'attribute_definitions':[{'id':'d','name':'D','type':'string'}],'categories':[],"
        "'products':[{'id':'p','name':'','attributes':[{'attribute_id':'d','value':'x'}],"
        "'variants':[" V("v", "1") "]}]}"));
    assert_ok(apply_snapshot(&scene, 2, "{'categories':[],'products':[]}"));
    struct catalog_product product = product_of(&scene, "p");
    const struct catalog_attribute *attribute = product.attributes.items;
    assert_true(product.is_archived);
    assert_string_equal(attribute->name, "D");
}

/* More than one statement fetches, and long ones, which pages are cut by. */
static void many_definitions_are_found(struct store *store)
{
    AUTO_CATALOG scene;
    AUTO_BUF text = {0};
    catalog_begin(&scene, store);

    buf_init(&text, TEXT_MAX);
    buf_text(&text, "{'attribute_definitions':[");
    for (int i = 0; i < 100; i++)
        buf_printf(&text, "%s{'id':'d%02d','name':'name of d%02d','type':'integer'}",
                   i > 0 ? "," : "", i, i);
    buf_text(&text, ",{'id':'e1','name':'','type':'enum','values':[{'id':'x','name':'");
    fill(&text, 'n', 3 << 20);
    buf_text(&text, "'}]},{'id':'e2','name':'','type':'enum','values':[{'id':'x','name':'");
    fill(&text, 'n', 3 << 20);
    buf_text(&text, "'}]}],'categories':[],'products':[{'id':'p','name':'','variants':[{'id':'v',"
                    "'price':1}],'attributes':[");
    for (int i = 0; i < 100; i++)
        buf_printf(&text, "%s{'attribute_id':'d%02d','value':1}", i > 0 ? "," : "", i * 37 % 100);
    buf_text(&text, "]}]}");
    assert_ok(apply_snapshot(&scene, 1, arena_str(scene.world.arena, buf_view(&text))));
    struct catalog_product product = product_of(&scene, "p");
    assert_int_equal(product.attributes.count, 100);
    const struct catalog_attribute *attributes = product.attributes.items;
    for (size_t i = 0; i < 100; i++)
        assert_string_equal(attributes[i].name, arena_printf(scene.world.arena, "name of %s",
                                                             attributes[i].attribute_id));

    struct catalog_filter filter = {ANY, .cursor = "d98"};
    struct catalog_page page = page_of(&scene, catalog_list_definitions, &filter);
    assert_string_equal(ids_of(&scene, &page, sizeof(struct catalog_definition_view)), "d99 e1 +");
}

int main(void)
{
    static const struct store_case cases[] = {
        STORE_CASE(pages_follow_each_other),
        STORE_CASE(catalogs_are_apart),
        STORE_CASE(a_cursor_of_others_is_refused),
        STORE_CASE(a_query_is_part_of_a_name_in_either_case),
        STORE_CASE(filters_hold_at_once),
        STORE_CASE(long_products_make_short_pages),
        STORE_CASE(long_names_make_short_pages),
        STORE_CASE(categories_are_read_by_their_ids),
        STORE_CASE(definitions_are_read_by_their_ids),
        STORE_CASE(archived_products_have_archived_names),
        STORE_CASE(many_definitions_are_found),
    };
    return store_run_cases("catalog_page", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
