/* These tests show what operators read of a catalog (contract, section 5 "Reading the catalog"). */
#include "catalog_view.h"

#include <stdatomic.h>

/* --- Nothing yet ------------------------------------------------------------------------------ */

static void an_unknown_integration_is_not_found(struct store *store)
{
    static lister *const lists[] = {catalog_list_categories, catalog_list_definitions,
                                    catalog_list_products};
    struct catalog_filter filter = {ANY};
    AUTO_CATALOG scene;
    catalog_begin(&scene, store);

    for (size_t i = 0; i < COUNT_OF(lists); i++) {
        struct catalog_page page = page_of(&scene, lists[i], &filter);
        assert_int_equal(page.items.count, 0);
        assert_null(page.next_cursor);
    }
    assert_err(fetch(&scene, "p"), ERR_NOT_FOUND);
    scene.shop = uuid_new(scene.world.now_ms);
    for (size_t i = 0; i < COUNT_OF(lists); i++) {
        struct paging step = {.list = lists[i], .shop = &scene.shop, .filter = &filter};
        assert_err(world_read(&scene.world, run_page, &step), ERR_NOT_FOUND);
    }
    assert_err(fetch(&scene, "p"), ERR_NOT_FOUND);
}

static void empty_lists_are_lists(struct store *store)
{
    struct catalog_page page = {0};
    AUTO_CATALOG scene;
    catalog_begin(&scene, store);

    assert_string_equal(encoded(&scene, &catalog_product_list_record, &page),
                        "{\"products\":[],\"next_cursor\":null}");
    assert_string_equal(encoded(&scene, &catalog_category_list_record, &page),
                        "{\"categories\":[],\"next_cursor\":null}");
    assert_string_equal(encoded(&scene, &catalog_definition_list_record, &page),
                        "{\"attribute_definitions\":[],\"next_cursor\":null}");
}

/* --- A product as a whole --------------------------------------------------------------------- */

static void what_was_left_out_is_written_out(struct store *store)
{
    AUTO_CATALOG scene;
    catalog_begin(&scene, store);

    assert_ok(apply_snapshot(
        &scene, 1,
        "{'categories':[],'products':[{'id':'p','name':'','variants':[{'id':'v','price':1e2,"
        "'option_groups':[{'id':'g','name':'','options':[{'id':'o','name':''},{'id':'q',"
        "'name':''}]}]}]}]}"));
    assert_product(
        &scene, "p",
        "{'id':'p','name':'','description':null,'composition':null,'category_id':null,"
        "'available':true,'archived':false,'updated_at':'" TIME_0 "','tax':null,'marking':null,"
        "'attributes':[],'option_axes':[],'variants':[{'id':'v','name':'','price':100,"
        "'stock':null,'available':true,'sku':null,'barcodes':[],'default':false,"
        "'measure_unit':'piece','measure_value':1,'option_values':[],'option_groups':[{'id':'g',"
        "'name':'','required':false,'min_select':0,'max_select':2,'options':[{'id':'o','name':'',"
        "'price_delta':0,'available':true,'sku':null},{'id':'q','name':'','price_delta':0,"
        "'available':true,'sku':null}]}]}],'allergens':[],'tags':[]}");
}

static void what_was_sent_comes_back(struct store *store)
{
    AUTO_CATALOG scene;
    catalog_begin(&scene, store);

    assert_ok(apply_snapshot(
        &scene, 1,
        "{'attribute_definitions':[{'id':'b','name':'Brand','type':'enum','canonical_code':'brand',"
        "'values':[{'id':'z','name':'Zed'},{'id':'a','name':'Acme'}]},{'id':'w','name':'Weight',"
        "'type':'decimal','unit':'kg'}],'categories':[{'id':'c','name':'Milk'}],'products':[{"
        "'id':'p/1','name':'Молоко','description':'d','composition':'m','category_id':'c',"
        "'available':true,'tax':{'vat_rate':10,'vat_included':false,'tax_category':'excise'},"
        "'marking':{'required':true,'group':'milk','traceable':true},'attributes':[{"
        "'attribute_id':'b','value_id':'a'},{'attribute_id':'w','value':1.50},{'attribute_id':'w',"
        "'value':2,'unit':'lb'}],'option_axes':[{'id':'s','code':'7','name':'Size','values':[{"
        "'id':'m','code':'8','name':'M'}]}],'variants':[{'id':'v','name':'M','price':0.10,"
        "'sku':'S','barcodes':['1','2'],'default':true,'measure_unit':'liter',"
        "'measure_value':0.9,'option_values':[{'axis_id':'s','value_id':'m'}],'option_groups':[{"
        "'id':'g','name':'G','required':true,'min_select':1,'max_select':1,'options':[{'id':'o',"
        "'name':'O','price_delta':-1.5,'available':false,'sku':'O1'}]}]}],'allergens':['milk'],"
        "'tags':['x','y']}]}"));
    scene.world.now_ms += MINUTE_MS;
    assert_ok(apply_changes(&scene, 2, BOTH(STOCK("p/1", "v", "7"), PRICE("p/1", "v", "0.30"))));
    assert_product(
        &scene, "p/1",
        "{'id':'p/1','name':'Молоко','description':'d','composition':'m','category_id':'c',"
        "'available':true,'archived':false,'updated_at':'" TIME_1 "','tax':{'vat_rate':'10',"
        "'vat_included':false,'tax_category':'excise'},'marking':{'required':true,'group':'milk',"
        "'traceable':true},'attributes':[{'attribute_id':'b','canonical_code':'brand',"
        "'name':'Brand','value':null,'value_id':'a','value_name':'Acme','unit':null},{"
        "'attribute_id':'w','canonical_code':null,'name':'Weight','value':1.5,'value_id':null,"
        "'value_name':null,'unit':'kg'},{'attribute_id':'w','canonical_code':null,'name':'Weight',"
        "'value':2,'value_id':null,'value_name':null,'unit':'lb'}],'option_axes':[{'id':'s',"
        "'code':'7','name':'Size','values':[{'id':'m','code':'8','name':'M'}]}],'variants':[{"
        "'id':'v','name':'M','price':0.3,'stock':7,'available':true,'sku':'S','barcodes':['1',"
        "'2'],'default':true,'measure_unit':'liter','measure_value':0.9,'option_values':[{"
        "'axis_id':'s','value_id':'m'}],'option_groups':[{'id':'g','name':'G','required':true,"
        "'min_select':1,'max_select':1,'options':[{'id':'o','name':'O','price_delta':-1.5,"
        "'available':false,'sku':'O1'}]}]}],'allergens':['milk'],'tags':['x','y']}");
}

/* --- Prices, stock, availability -------------------------------------------------------------- */

static const struct catalog_variant *variant_of(const struct catalog_product *product,
                                                const char *id)
{
    const struct catalog_variant *variants = product->variants.items;
    for (size_t i = 0; i < product->variants.count; i++)
        if (strcmp(variants[i].id, id) == 0) return &variants[i];
    fail_msg("no variant %s", id);
    return NULL;
}

static bool can_be_ordered(struct catalog_scene *scene, const char *product_id,
                           const char *variant_id)
{
    struct catalog_product product = product_of(scene, product_id);
    return variant_of(&product, variant_id)->is_available;
}

#define OFF "{'id':'off','name':'','available':false,'variants':[" V("a", "1") "," V("b", "1") "]}"

static void availability_is_content_and_stock(struct store *store)
{
    AUTO_CATALOG scene;
    catalog_begin(&scene, store);

    assert_ok(apply_snapshot(&scene, 1,
                             SNAPSHOT(P("on", "", V("a", "1"), V("b", "1"), V("c", "1")), OFF,
                                      P("x", "", V("a", "1")))));
    assert_ok(apply_changes(&scene, 2,
                            "{'stocks':[" STOCK("on", "b", "0") "," STOCK("on", "c", "1") "," STOCK(
                                "off", "b", "5") "," STOCK("x", "a", "5") "]}"));
    assert_true(can_be_ordered(&scene, "on", "a")); /* unknown */
    assert_false(can_be_ordered(&scene, "on", "b"));
    assert_true(can_be_ordered(&scene, "on", "c"));
    assert_false(can_be_ordered(&scene, "off", "a"));
    assert_false(can_be_ordered(&scene, "off", "b"));
    assert_true(can_be_ordered(&scene, "x", "a"));
    assert_ok(apply_snapshot(&scene, 3, SNAPSHOT(P("on", "", V("a", "1")))));
    assert_false(can_be_ordered(&scene, "x", "a")); /* archived */
    assert_true(can_be_ordered(&scene, "on", "a"));
}

/* The price and stock of a variant that is gone neither show nor count. */
static void variants_that_are_gone_are_not_read(struct store *store)
{
    AUTO_CATALOG scene;
    catalog_begin(&scene, store);

    assert_ok(apply_snapshot(&scene, 1, SNAPSHOT(P("p", "", V("a", "1"), V("b", "2")))));
    scene.world.now_ms += MINUTE_MS;
    assert_ok(apply_snapshot(&scene, 2, SNAPSHOT(P("p", "", V("b", "2"), V("c", "3")))));
    struct catalog_product product = product_of(&scene, "p");
    assert_int_equal(product.variants.count, 2);
    assert_string_equal(variant_of(&product, "b")->price, "2");
    assert_string_equal(variant_of(&product, "c")->price, "3");
    assert_true(variant_of(&product, "b")->stock == -1);
}

static void many_variants_have_their_own_prices(struct store *store)
{
    AUTO_CATALOG scene;
    AUTO_BUF text = {0};
    catalog_begin(&scene, store);

    buf_init(&text, TEXT_MAX);
    buf_text(&text, "{'categories':[],'products':[{'id':'p','name':'','variants':[");
    for (int i = 0; i < 3000; i++)
        buf_printf(&text, "%s{'id':'v%d','price':%d}", i > 0 ? "," : "", i * 7 % 3000,
                   i * 7 % 3000);
    buf_text(&text, "]}]}");
    assert_ok(apply_snapshot(&scene, 1, arena_str(scene.world.arena, buf_view(&text))));
    struct catalog_product product = product_of(&scene, "p");
    assert_int_equal(product.variants.count, 3000);
    const struct catalog_variant *variants = product.variants.items;
    for (size_t i = 0; i < 3000; i++)
        assert_string_equal(variants[i].price, variants[i].id + 1);
}

/* --- While it changes ------------------------------------------------------------------------- */

enum { ROUNDS = 60, READERS = 3 };

struct watching {
    struct catalog_scene *scene;
    atomic_bool is_over;
    atomic_int mixed, failed, read;
};

/* A snapshot in which everything has the number of its round. */
static enum err apply_round(struct catalog_scene *scene, int round)
{
    struct arena *arena = scene->world.arena;
    char *text = arena_printf(arena,
                              "{'attribute_definitions':[{'id':'d','name':'%d','type':'string'}],"
                              "'categories':[],'products':[",
                              round);

    for (int i = 0; i < 20; i++)
        text = arena_printf(arena,
                            "%s%s{'id':'p%d','name':'%d','attributes':[{'attribute_id':'d',"
                            "'value':'%d'}],'variants':[{'id':'v','price':%d}]}",
                            text, i > 0 ? "," : "", i, round, round, round);
    return apply_snapshot(scene, round, arena_printf(arena, "%s]}", text));
}

static bool is_of_one_round(const struct catalog_page *page)
{
    const struct catalog_product *products = page->items.items;

    for (size_t i = 0; i < page->items.count; i++) {
        const struct catalog_attribute *attribute = products[i].attributes.items;
        const struct catalog_variant *variant = products[i].variants.items;
        if (strcmp(products[i].name, products[0].name) != 0) return false;
        if (strcmp(products[0].name, attribute->name) != 0) return false;
        if (strcmp(products[0].name, variant->price) != 0) return false;
    }
    return page->items.count == 20;
}

static void write_rounds(struct catalog_scene *scene, struct watching *watching)
{
    for (int round = 2; round <= ROUNDS; round++)
        if (apply_round(scene, round)) watching->failed++;
    watching->is_over = true;
}

static void read_rounds(struct catalog_scene *scene, struct watching *watching)
{
    struct catalog_filter filter = {ANY};

    while (!watching->is_over) {
        struct paging step = {catalog_list_products, &scene->shop, &filter, {{0}, NULL}};
        struct arena_mark mark = arena_mark(scene->world.arena);
        if (world_read(&scene->world, run_page, &step)) watching->failed++;
        if (!is_of_one_round(&step.page)) watching->mixed++;
        watching->read++;
        arena_rewind(scene->world.arena, mark);
    }
}

static void run_watcher(struct world *world, int index, void *arg)
{
    struct watching *watching = arg;
    struct catalog_scene scene = *watching->scene;

    scene.world = *world;
    if (index == 0)
        write_rounds(&scene, watching);
    else
        read_rounds(&scene, watching);
}

/* Names come from definitions, which are read after the products. */
static void readers_see_all_of_a_snapshot_or_nothing(struct store *store)
{
    AUTO_CATALOG scene;
    catalog_begin(&scene, store);
    struct watching watching = {.scene = &scene};

    assert_ok(apply_round(&scene, 1));
    world_crowd(&scene.world, 1 + READERS, run_watcher, &watching);
    assert_int_equal(watching.failed, 0);
    assert_int_equal(watching.mixed, 0);
    assert_true(watching.read > ROUNDS);
}

int main(void)
{
    static const struct store_case cases[] = {
        STORE_CASE(an_unknown_integration_is_not_found),
        STORE_CASE(empty_lists_are_lists),
        STORE_CASE(what_was_left_out_is_written_out),
        STORE_CASE(what_was_sent_comes_back),
        STORE_CASE(availability_is_content_and_stock),
        STORE_CASE(variants_that_are_gone_are_not_read),
        STORE_CASE(many_variants_have_their_own_prices),
        STORE_CASE(readers_see_all_of_a_snapshot_or_nothing),
    };
    return store_run_cases("catalog_read", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
