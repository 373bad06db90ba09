/* Bodies of packages as the catalog reads them: their items, what is complete of them, and the one
 * text that all spellings of a content have (contract, section 5 "Required", "Numbers"). */
#include "arena_fixture.h"
#include "domain/catalog/catalog_body.h"
#include "kit/base/macros.h"
#include "made_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* --- Items ------------------------------------------------------------------------------------ */

struct seen {
    struct buf text;
    int left; /* before it has had enough */
};

static enum err see(void *arg, const struct catalog_item *item)
{
    struct seen *seen = arg;
    buf_printf(&seen->text, "%s %zu %.*s|", catalog_list_words[item->list], item->index,
               (int)item->text.len, item->text.data);
    return --seen->left == 0 ? ERR_LEASE_LOST : ERR_OK;
}

static enum err see_all(struct arena *arena, const char *body, int most, const char **ret_seen)
{
    struct seen seen = {.left = most};
    buf_init(&seen.text, 10000);
    enum err err = catalog_each_item(str_of(quoted(arena, body)), see, &seen);
    *ret_seen = arena_str(arena, buf_view(&seen.text));
    buf_done(&seen.text);
    return err;
}

static void items_come_in_the_order_of_the_body(void **state)
{
    const char *seen;

    assert_int_equal(
        see_all(*state,
                "{'event_id':'e','products':[{'id':'p'}, 2 ],'stocks':[],'other':[{}],"
                "'\\u0063ategories':[{'a':[1]}],'prices':[null],'attribute_definitions':['d']}",
                0, &seen),
        ERR_OK);
    assert_string_equal(seen, "products 0 {\"id\":\"p\"}|products 1 2|categories 0 {\"a\":[1]}|"
                              "prices 0 null|attribute_definitions 0 \"d\"|");
    assert_int_equal(see_all(*state, "{'stocks':[1]}", 0, &seen), ERR_OK);
    assert_string_equal(seen, "stocks 0 1|");
    assert_int_equal(see_all(*state, "\xEF\xBB\xBF{'stocks':[1]}", 0, &seen), ERR_OK);
    assert_string_equal(seen, "stocks 0 1|");
    assert_int_equal(see_all(*state, "\xEF\xBB{'stocks':[1]}", 0, &seen), ERR_PACKAGE_REFUSED);
}

/* Whoever looks at them may end the walk; with its own error, not one of the body. */
static void a_walk_ends_where_it_shall(void **state)
{
    const char *seen;

    assert_int_equal(see_all(*state, "{'prices':[1,2,3]}", 2, &seen), ERR_LEASE_LOST);
    assert_string_equal(seen, "prices 0 1|prices 1 2|");
}

static void a_damaged_body_is_refused(void **state)
{
    static const char *const bodies[] = {"", "[]", "{'prices':[", "{'prices':[1}", "{'prices':[1]"};
    const char *seen;

    for (size_t i = 0; i < COUNT_OF(bodies); i++)
        assert_int_equal(see_all(*state, bodies[i], 0, &seen), ERR_PACKAGE_REFUSED);
}

/* --- Contents --------------------------------------------------------------------------------- */

/* The stored text of a product, or "refused". */
static const char *product_of(struct arena *arena, const char *text)
{
    struct catalog_product product;
    uint64_t seen;
    AUTO_BUF out = {0};

    buf_init(&out, 10000);
    if (catalog_decode_product(str_of(quoted(arena, text)), arena, &product, &seen))
        return "refused";
    catalog_encode(&catalog_product_record, &product, &out);
    return arena_str(arena, buf_view(&out));
}

#define assert_same(arena, left, right) \
    assert_string_equal(product_of(arena, left), product_of(arena, right))
#define assert_other(arena, left, right) \
    assert_string_not_equal(product_of(arena, left), product_of(arena, right))

#define PRODUCT(rest)  "{'id':'p','name':'n'," rest "'variants':[{'id':'v','price':1}]}"
#define VARIANT(rest)  "{'id':'p','name':'n','variants':[{'id':'v','price':1" rest "}]}"
#define OPTION(rest)   VARIANT(",'option_groups':[{'id':'g','name':'G'" rest "}]")
#define ATTRIBUTE(val) PRODUCT("'attributes':[{'attribute_id':'a','value':" val "}],")

/* A field that is left out and one that says its default are the same. */
static void what_is_left_out_has_its_default(void **state)
{
    struct arena *arena = *state;

    assert_same(arena, PRODUCT(""),
                PRODUCT("'available':true,'attributes':[],'option_axes':[],'allergens':[],"
                        "'tags':[],'description':null,'category_id':null,'tax':null,"));
    assert_same(arena, VARIANT(""),
                VARIANT(",'name':'','barcodes':[],'option_values':[],'option_groups':[],"
                        "'measure_unit':'piece','measure_value':1.0,'default':false,'sku':null"));
    assert_same(arena, OPTION(",'options':[{'id':'o','name':'O'},{'id':'q','name':'Q'}]"),
                OPTION(",'required':false,'min_select':0,'max_select':2,'options':["
                       "{'id':'o','name':'O','price_delta':0,'available':true},"
                       "{'id':'q','name':'Q','price_delta':-0.0}]"));
    assert_other(arena, PRODUCT(""), PRODUCT("'available':false,"));
    assert_other(arena, VARIANT(""), VARIANT(",'measure_value':2"));
    assert_other(arena, OPTION(",'options':[{'id':'o','name':'O'}]"),
                 OPTION(",'max_select':2,'options':[{'id':'o','name':'O'}]"));
}

/* And keys in another order, and what is read over. */
static void numbers_are_their_values(void **state)
{
    struct arena *arena = *state;

    assert_same(arena, ATTRIBUTE("100"), ATTRIBUTE("1e2"));
    assert_same(arena, ATTRIBUTE("0.5"), ATTRIBUTE("5.0E-1"));
    assert_same(arena, ATTRIBUTE("9007199254740993000"), ATTRIBUTE("9007199254740993e3"));
    assert_other(arena, ATTRIBUTE("9007199254740992000"), ATTRIBUTE("9007199254740993e3"));
    assert_other(arena, ATTRIBUTE("1"), ATTRIBUTE("'1'"));
    assert_other(arena, ATTRIBUTE("true"), ATTRIBUTE("'true'"));
    assert_same(arena, VARIANT(""), VARIANT(",'unknown':[{}]"));
    assert_same(arena, PRODUCT(""),
                "{'variants':[{'price':1.00,'id':'\\u0076'}], 'name':'n','id':'p'}");
}

static void a_definition_without_values_is_one_with_none(void **state)
{
    struct arena *arena = *state;
    struct catalog_definition left, right;
    AUTO_BUF out = {0}, other = {0};

    buf_init(&out, 1000);
    buf_init(&other, 1000);
    assert_int_equal(
        catalog_decode_definition(str_of(quoted(arena, "{'id':'d','name':'D','type':'date'}")),
                                  arena, &left),
        ERR_OK);
    assert_int_equal(
        catalog_decode_definition(
            str_of(quoted(arena, "{'type':'date','values':[],'unit':null,'name':'D','id':'d'}")),
            arena, &right),
        ERR_OK);
    catalog_encode(&catalog_definition_record, &left, &out);
    catalog_encode(&catalog_definition_record, &right, &other);
    assert_true(out.len == other.len && memcmp(out.data, other.data, out.len) == 0);
}

/* --- Damage ----------------------------------------------------------------------------------- */

static void a_product_needs_what_is_stored_of_it(void **state)
{
    static const char *const texts[] = {
        "",
        "[]",
        "{'id':'p','name':'n','variants':[{'id':'v'}]}",
        "{'id':'p','name':'n','variants':[{'price':1}]}",
        "{'id':'p','variants':[{'id':'v','price':1}]}",
        "{'name':'n','variants':[{'id':'v','price':1}]}",
        "{'id':'p','name':'n','variants':[{'id':'v','price':1}]",
        "{'id':1,'name':'n','variants':[{'id':'v','price':1}]}",
    };
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        assert_string_equal(product_of(*state, texts[i]), "refused");
}

static void rows_need_what_is_stored_of_them(void **state)
{
    struct arena *arena = *state;
    struct catalog_category category;
    struct catalog_definition definition;
    struct catalog_price price;
    struct catalog_stock stock;

#define READ(kind, text) catalog_decode_##kind(str_of(quoted(arena, text)), arena, &kind)
    assert_int_equal(READ(category, "{'id':'c','name':'C'}"), ERR_OK);
    assert_int_equal(READ(category, "{'id':'c'}"), ERR_PACKAGE_REFUSED);
    assert_int_equal(READ(category, "{'name':'C'}"), ERR_PACKAGE_REFUSED);
    assert_int_equal(READ(definition, "{'id':'d','name':'D'}"), ERR_PACKAGE_REFUSED);
    assert_int_equal(READ(definition, "{'name':'D','type':'enum'}"), ERR_PACKAGE_REFUSED);
    assert_int_equal(READ(price, "{'product_id':'p','variant_id':'v','price':1}"), ERR_OK);
    assert_int_equal(READ(price, "{'product_id':'p','variant_id':'v'}"), ERR_PACKAGE_REFUSED);
    assert_int_equal(READ(price, "{'product_id':'p','price':1}"), ERR_PACKAGE_REFUSED);
    assert_int_equal(READ(price, "{'variant_id':'v','price':1}"), ERR_PACKAGE_REFUSED);
    assert_int_equal(READ(stock, "{'product_id':'p','variant_id':'v','available_quantity':1}"),
                     ERR_OK);
    assert_int_equal(READ(stock, "{'product_id':'p','available_quantity':1}"), ERR_PACKAGE_REFUSED);
    assert_int_equal(READ(stock, "{'variant_id':'v','available_quantity':1}"), ERR_PACKAGE_REFUSED);
#undef READ
}

/* --- Hashes ----------------------------------------------------------------------------------- */

/* They are stored: another function would make every product look changed. */
static void hashes_stay_the_same(void **state)
{
    static const struct catalog_hash expected = {{0xee, 0xc8, 0x9f, 0x7b, 0x0f, 0xba, 0xe7, 0x6e,
                                                  0xb1, 0x48, 0x09, 0x3a, 0xff, 0xfe, 0x4b, 0xa5}};
    struct catalog_hash hash = catalog_hash(STR("milk"));
    (void)state;

    assert_memory_equal(&hash, &expected, sizeof(hash));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, arena_begin, arena_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(items_come_in_the_order_of_the_body),
        TEST(a_walk_ends_where_it_shall),
        TEST(a_damaged_body_is_refused),
        TEST(what_is_left_out_has_its_default),
        TEST(numbers_are_their_values),
        TEST(a_definition_without_values_is_one_with_none),
        TEST(a_product_needs_what_is_stored_of_it),
        TEST(rows_need_what_is_stored_of_them),
        TEST(hashes_stay_the_same),
    };
    return cmocka_run_group_tests_name("catalog_body", tests, NULL, NULL);
}
