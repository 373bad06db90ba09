/* The tables of what ERPs send (doc B, section 2 and 8): each limit at n and one beyond, what is
 * required, what may be left out and what that means. */
#include "snapshot_scene.h"

/* Exactly this is wrong; NULL: nothing. */
static void expect(struct arena *arena, const struct lists *lists, const char *fault)
{
    const char *faults = faults_of(arena, lists, PRODUCTS_LAST);
    const char *expected = fault ? arena_printf(arena, "%s\n", fault) : "";

    if (strcmp(faults, expected) != 0)
        fail_msg("expected %s, got %s of %.300s", expected, faults, lists->products);
}

/* --- Lengths of texts --- */

enum list { DEFINITION, CATEGORY, ITEM };

/* A text of a length stands between the two halves. */
struct text_row {
    const char *before, *after;
    enum list list;
    size_t min, max;
    const char *place;
};

static struct lists lists_of(enum list list, const char *text)
{
    return (struct lists){
        .definitions = list == DEFINITION ? text : "{'id':'d','name':'','type':'string'}",
        .categories = list == CATEGORY ? text : "",
        .products = list == ITEM ? text : "",
    };
}

static void try_length(struct arena *arena, const struct text_row *row, const char *character,
                       size_t length, const char *type)
{
    char *text =
        arena_printf(arena, "%s%s%s", row->before, repeat(arena, character, length), row->after);
    struct lists lists = lists_of(row->list, text);
    expect(arena, &lists, type ? arena_printf(arena, "%s %s", type, row->place) : NULL);
}

#define TAIL      "','name':'n','variants':[{'id':'v','price':1}]}"
#define IN_ITEM   "{'id':'p','name':'n','variants':[{'id':'v','price':1}],"
#define IN_AXIS   "{'id':'p','name':'n','variants':[{}],'option_axes':[{"
#define VARIANT_0 "products,0,variants,0,"
#define IN_GROUP  "{'id':'p','name':'n','variants':[{'id':'v','price':1,'option_groups':[{"
#define IN_OPTION IN_GROUP "'id':'g','name':'','options':[{"

static void texts_are_as_long_as_they_may_be(void **state)
{
    static const struct text_row rows[] = {
        {"{'id':'", "','name':'a'}", CATEGORY, 1, 128, "categories,0,id"},
        {"{'id':'c','name':'", "'}", CATEGORY, 1, 255, "categories,0,name"},
        {"{'id':'", "','name':'','type':'date'}", DEFINITION, 1, 128, "attribute_definitions,0,id"},
        {"{'id':'e','type':'date','name':'", "'}", DEFINITION, 0, 255,
         "attribute_definitions,0,name"},
        {"{'id':'e','name':'','type':'date','code':'", "'}", DEFINITION, 0, 128,
         "attribute_definitions,0,code"},
        {"{'id':'e','name':'','type':'date','unit':'", "'}", DEFINITION, 0, 32,
         "attribute_definitions,0,unit"},
        {"{'id':'e','name':'','type':'date','canonical_code':'", "'}", DEFINITION, 0, 64,
         "attribute_definitions,0,canonical_code"},
        {"{'id':'e','name':'','type':'enum','values':[{'name':'','id':'", "'}]}", DEFINITION, 1,
         128, "attribute_definitions,0,values,0,id"},
        {"{'id':'", TAIL, ITEM, 1, 128, "products,0,id"},
        {"{'id':'p','variants':[{'id':'v','price':1}],'name':'", "'}", ITEM, 0, 255,
         "products,0,name"},
        {IN_ITEM "'marking':{'required':true,'group':'", "'}}", ITEM, 0, 64,
         "products,0,marking,group"},
        {IN_ITEM "'attributes':[{'attribute_id':'d','value':'','unit':'", "'}]}", ITEM, 0, 32,
         "products,0,attributes,0,unit"},
        {"{'id':'p','name':'n','variants':[{'price':1,'id':'", "'}]}", ITEM, 1, 128,
         VARIANT_0 "id"},
        {IN_GROUP "'name':'','options':[{'id':'o','name':''}],'id':'", "'}]}]}", ITEM, 1, 128,
         VARIANT_0 "option_groups,0,id"},
        {IN_OPTION "'name':'','id':'", "'}]}]}]}", ITEM, 1, 128,
         VARIANT_0 "option_groups,0,options,0,id"},
    };
    struct arena *arena = *state;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct text_row *row = &rows[i];
        try_length(arena, row, "Я", row->max, NULL);
        try_length(arena, row, "😀", row->max, NULL);
        try_length(arena, row, "Я", row->max + 1, "string_too_long");
        try_length(arena, row, "a", row->min, NULL);
        if (row->min > 0) try_length(arena, row, "a", row->min - 1, "string_too_short");
    }
}

/* Ids that refer to something fail there too, unless they are too long to be looked for. */
static void references_are_as_long_as_ids(void **state)
{
    struct arena *arena = *state;
    const char *id = repeat(arena, "ж", 128), *longer = repeat(arena, "ж", 129);
    const char *definition = arena_printf(arena,
                                          "{'id':'%s','name':'','type':'enum','values':["
                                          "{'id':'%s','name':''}]}",
                                          id, id);
    const char *category = arena_printf(arena, "{'id':'%s','name':'a'}", id);
    static const char *const places[] = {
        "category_id",
        "attributes,0,attribute_id",
        "attributes,0,value_id",
        "option_axes,0,id",
        "option_axes,0,values,0,id",
        "variants,0,option_values,0,axis_id",
        "variants,0,option_values,0,value_id",
    };
    const char *ids[7];

    for (int at = -1; at < 7; at++) {
        for (int i = 0; i < 7; i++)
            ids[i] = i == at ? longer : id;
        struct lists lists = {
            definition, category,
            arena_printf(arena,
                         "{'id':'p','name':'n','category_id':'%s','attributes':[{'attribute_id':"
                         "'%s','value_id':'%s'}],'option_axes':[{'id':'%s','name':'','values':["
                         "{'id':'%s','name':''}]}],'variants':[{'id':'v','price':1,"
                         "'option_values':[{'axis_id':'%s','value_id':'%s'}]}]}",
                         ids[0], ids[1], ids[2], ids[3], ids[4], ids[5], ids[6])};
        const char *faults = faults_of(arena, &lists, PRODUCTS_LAST);
        if (at < 0) {
            assert_string_equal(faults, "");
            continue;
        }
        const char *line = arena_printf(arena, "string_too_long products,0,%s\n", places[at]);
        if (!strstr(faults, line)) fail_msg("no %s in %s", line, faults);
    }
}

/* --- Lengths of lists --- */

static char *list_of(struct arena *arena, const char *before, const char *format, size_t count,
                     const char *after)
{
    AUTO_BUF text = {0};

    buf_init(&text, SCENE_TEXT_MAX);
    buf_text(&text, before);
    for (size_t i = 0; i < count; i++) {
        if (i > 0) buf_char(&text, ',');
        /* The number of the item stands where the format has a #. */
        for (const char *p = format; *p; p++) {
            if (*p == '#')
                buf_printf(&text, "%zu", i);
            else
                buf_char(&text, *p);
        }
    }
    buf_text(&text, after);
    return arena_str(arena, buf_view(&text));
}

struct list_row {
    const char *before, *item, *after;
    size_t min, max; /* max 0: none */
    const char *place;
};

static void try_count(struct arena *arena, const struct list_row *row, size_t count,
                      const char *type)
{
    struct lists lists = lists_of(ITEM, list_of(arena, row->before, row->item, count, row->after));
    expect(arena, &lists, type ? arena_printf(arena, "%s products,0,%s", type, row->place) : NULL);
}

static void lists_are_as_long_as_they_may_be(void **state)
{
    static const struct list_row rows[] = {
        {IN_ITEM "'attributes':[", "{'attribute_id':'d','value':'#'}", "]}", 0, 500, "attributes"},
        {"{'id':'p','name':'n','variants':[{'id':'v','price':1,'barcodes':[", "'#'", "]}]}", 0, 100,
         "variants,0,barcodes"},
        {"{'id':'p','name':'n','variants':[", "{'id':'#','price':1}", "]}", 1, 0, "variants"},
        {IN_GROUP "'id':'g','name':'','options':[", "{'id':'#','name':''}", "]}]}]}", 1, 0,
         "variants,0,option_groups,0,options"},
        {IN_ITEM "'tags':[", "'#'", "]}", 0, 0, "tags"},
        {IN_ITEM "'allergens':[", "'#'", "]}", 0, 0, "allergens"},
    };
    struct arena *arena = *state;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct list_row *row = &rows[i];
        try_count(arena, row, row->max ? row->max : 2000, NULL);
        try_count(arena, row, row->min, NULL);
        if (row->max) try_count(arena, row, row->max + 1, "too_long");
        if (row->min) try_count(arena, row, row->min - 1, "too_short");
    }
}

static void a_product_has_twenty_axes(void **state)
{
    struct arena *arena = *state;

    for (size_t count = 0; count <= 21; count++) {
        char *axes =
            list_of(arena, "", "{'id':'#','name':'','values':[{'id':'x','name':''}]}", count, "");
        char *choices = list_of(arena, "", "{'axis_id':'#','value_id':'x'}", count, "");
        struct lists lists = lists_of(
            ITEM, arena_printf(arena,
                               "{'id':'p','name':'n','option_axes':[%s],'variants':[{'id':'v',"
                               "'price':1,'option_values':[%s]}]}",
                               axes, choices));
        expect(arena, &lists, count > 20 ? "too_long products,0,option_axes" : NULL);
    }
}

/* --- Numbers and words --- */

struct value_row {
    const char *value, *fault; /* NULL: none */
};

/* `before` and `after`: around the value in a product. */
static void try_values(struct arena *arena, const char *before, const char *after,
                       const char *place, const struct value_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct lists lists =
            lists_of(ITEM, arena_printf(arena, "%s%s%s", before, rows[i].value, after));
        expect(arena, &lists,
               rows[i].fault ? arena_printf(arena, "%s products,0,%s", rows[i].fault, place)
                             : NULL);
    }
}
#define TRY_VALUES(arena, before, after, place, rows) \
    try_values(arena, before, after, place, rows, sizeof(rows) / sizeof((rows)[0]))

static void numbers_are_decimals(void **state)
{
    static const struct value_row prices[] = {
        {"0", NULL},
        {"-0", NULL},
        {"1e2", NULL},
        {"0.1", NULL},
        {"0.000001", NULL},
        {"999999999999999.999999", NULL},
        {"1e14", NULL},
        {"1.000000000", NULL},
        {"1e15", "decimal_whole_digits"},
        {"-1", "greater_than_equal"},
        {"-0.000001", "greater_than_equal"},
        {"1000000000000000", "decimal_whole_digits"},
        {"0.0000001", "decimal_max_places"},
        {"'1'", "float_type"},
        {"true", "float_type"},
        {"[]", "float_type"},
    };
    static const struct value_row measures[] = {
        {"1", NULL},
        {"0.000001", NULL},
        {"0", "greater_than"},
        {"-0.0", "greater_than"},
        {"-1", "greater_than"},
    };
    static const struct value_row deltas[] = {
        {"-12.5", NULL},
        {"0", NULL},
        {"-1e15", "decimal_whole_digits"},
    };

    TRY_VALUES(*state, "{'id':'p','name':'n','variants':[{'id':'v','price':", "}]}",
               "variants,0,price", prices);
    TRY_VALUES(*state,
               "{'id':'p','name':'n','variants':[{'id':'v','price':1,'measure_value':", "}]}",
               "variants,0,measure_value", measures);
    TRY_VALUES(*state, IN_OPTION "'id':'o','name':'','price_delta':", "}]}]}]}",
               "variants,0,option_groups,0,options,0,price_delta", deltas);
}

static void words_are_of_their_lists(void **state)
{
    static const struct value_row rates[] = {
        {"'none'", NULL},   {"'0'", NULL},      {"'5'", NULL},     {"'7'", NULL},
        {"'10'", NULL},     {"'20'", NULL},     {"'105/5'", NULL}, {"'107/7'", NULL},
        {"'110/10'", NULL}, {"'120/20'", NULL}, {"0", NULL},       {"5", NULL},
        {"7", NULL},        {"10", NULL},       {"20", NULL},      {"'18'", "enum"},
        {"18", "enum"},     {"'20%'", "enum"},  {"true", "enum"},  {"'22'", NULL},
        {"22", NULL},       {"'122/22'", NULL}, {"20.0", NULL},    {"22.0", NULL},
        {"2e1", NULL},      {"20.5", "enum"},   {"18.0", "enum"},
    };
    static const struct value_row categories[] = {
        {"'goods'", NULL},       {"'service'", NULL}, {"'excise'", NULL}, {"'marked_goods'", NULL},
        {"'agent_goods'", NULL}, {"'good'", "enum"},  {"1", "enum"},
    };
    static const struct value_row units[] = {
        {"'piece'", NULL},      {"'gram'", NULL},  {"'kilogram'", NULL},
        {"'milliliter'", NULL}, {"'liter'", NULL}, {"'litre'", "enum"},
    };

    TRY_VALUES(*state, IN_ITEM "'tax':{'vat_rate':", "}}", "tax,vat_rate", rates);
    TRY_VALUES(*state, IN_ITEM "'tax':{'vat_rate':'5','tax_category':", "}}", "tax,tax_category",
               categories);
    TRY_VALUES(*state,
               "{'id':'p','name':'n','variants':[{'id':'v','price':1,'measure_unit':", "}]}",
               "variants,0,measure_unit", units);
}

static void rates_of_vat_are_read_strictly(void **state)
{
    static const char *const lists[] = {"none", "0, 22 ,122/22,99,199/99", CATALOG_VAT_RATES};
    static const char *const others[] = {"",   "none,",  "20,20", "100",    "07",  "-5",
                                         "+5", "120/22", "100/0", "22/122", "22%", "None"};
    const char *const *rates;

    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        assert_true(catalog_vat_rates_read(str_of(lists[i]), *state, &rates));
    assert_string_equal(rates[11], "122/22");
    assert_null(rates[12]);
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        assert_false(catalog_vat_rates_read(str_of(others[i]), *state, &rates));
}

/* At 50 and at 51. */
static void rates_of_vat_are_at_most_fifty(void **state)
{
    AUTO_BUF list = {0};
    const char *const *rates;

    buf_init(&list, 1000);
    for (int rate = 0; rate < CATALOG_VAT_RATES_MAX; rate++)
        buf_printf(&list, "%s%d", rate > 0 ? "," : "", rate);
    assert_true(catalog_vat_rates_read(buf_view(&list), *state, &rates));
    buf_text(&list, ",none");
    assert_false(catalog_vat_rates_read(buf_view(&list), *state, &rates));
}

/* --- What is required --- */

static void what_is_required_has_to_be_there(void **state)
{
    static const char product[] =
        "{'option_axes':[{}],'tax':{},'marking':{},'attributes':[{}],'variants':[{"
        "'option_values':[{}],'option_groups':[{}]},{'option_groups':[{'options':[{}]}]}]}";
    static const char *const places[] = {
        "id",
        "name",
        "option_axes,0,id",
        "option_axes,0,name",
        "option_axes,0,values",
        "tax,vat_rate",
        "marking,required",
        "attributes,0,attribute_id",
        "attributes,0,value",
        "variants,0,id",
        "variants,0,price",
        "variants,0,option_values,0,axis_id",
        "variants,0,option_values,0,value_id",
        "variants,0,option_groups,0,id",
        "variants,0,option_groups,0,name",
        "variants,0,option_groups,0,options",
        "variants,1,id",
        "variants,1,price",
        "variants,1,option_groups,0,id",
        "variants,1,option_groups,0,name",
        "variants,1,option_groups,0,options,0,id",
        "variants,1,option_groups,0,options,0,name",
    };
    struct arena *arena = *state;
    struct lists lists = {"{}", "{}", arena_printf(arena, "%s,{'id':'q','name':''}", product)};
    const char *faults = faults_of(arena, &lists, PRODUCTS_LAST);
    size_t count = 0;

    for (const char *p = faults; *p; p++)
        count += *p == '\n';
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        const char *line = arena_printf(arena, "missing products,0,%s\n", places[i]);
        if (!strstr(faults, line)) fail_msg("no %s in %s", line, faults);
    }
    assert_non_null(strstr(faults, "missing products,1,variants\n"));
    assert_non_null(strstr(faults, "missing categories,0,id\nmissing categories,0,name\n"));
    assert_non_null(strstr(faults, "missing attribute_definitions,0,id\n"
                                   "missing attribute_definitions,0,name\n"
                                   "missing attribute_definitions,0,type\n"));
    assert_int_equal(count, sizeof(places) / sizeof(places[0]) + 6);
}

/* --- What may be left out --- */

static void assert_defaults(struct arena *arena, const char *text)
{
    struct catalog_product product;

    assert_int_equal(
        record_decode_known(&catalog_product_record, str_of(quoted(arena, text)), arena, &product),
        ERR_OK);
    const struct catalog_variant *variant = product.variants.items;
    const struct catalog_option_group *group = variant->option_groups.items;
    const struct catalog_option *option = group->options.items;
    assert_true(product.is_available);
    assert_null(product.description);
    assert_null(product.category_id);
    assert_true(product.tax->is_vat_included);
    assert_string_equal(catalog_tax_category_words[product.tax->tax_category], "goods");
    assert_string_equal(product.tax->vat_rate, "20");
    assert_int_equal(product.marking->is_required, 0);
    assert_false(product.marking->is_traceable);
    assert_null(variant->name);
    assert_false(variant->is_default);
    assert_string_equal(catalog_measure_words[variant->measure_unit], "piece");
    assert_null(variant->measure_value);
    assert_int_equal(variant->barcodes.count, 0);
    assert_int_equal(variant->choices.count, 0);
    assert_false(group->is_required);
    assert_int_equal(group->min_select, 0);
    assert_true(group->max_select == -1);
    assert_null(option->price_delta);
    assert_true(option->is_available);
    assert_null(option->sku);
}

#define LEAST                                                                                    \
    "{'id':'p','name':'','tax':{'vat_rate':20%s},'marking':{'required':false%s},'variants':[{"   \
    "'id':'v','price':1,'option_groups':[{'id':'g','name':'','options':[{'id':'o','name':''%s}]" \
    "%s}]%s}]%s}"

static void what_is_left_out_or_null_has_its_default(void **state)
{
    struct arena *arena = *state;
    char *least = arena_printf(arena, LEAST, "", "", "", "", "", "");
    char *nulls = arena_printf(
        arena, LEAST, ",'vat_included':null,'tax_category':null", ",'group':null,'traceable':null",
        ",'price_delta':null,'available':null,'sku':null",
        ",'required':null,'min_select':null,'max_select':null",
        ",'name':null,'sku':null,'barcodes':null,'default':null,'measure_unit':null,"
        "'measure_value':null,'option_values':null",
        ",'description':null,'composition':null,'category_id':null,'available':null,"
        "'attributes':null,'option_axes':null,'allergens':null,'tags':null");
    char *absent = arena_printf(arena, "{'id':'q','name':'','tax':null,'marking':null,'variants':["
                                       "{'id':'v','price':1,'option_groups':null}]}");
    struct lists lists = {"{'id':'d','name':'','type':'date','code':null,'unit':null,"
                          "'canonical_code':null,'values':null}",
                          "", least};

    expect(arena, &lists, NULL);
    lists.products = nulls;
    expect(arena, &lists, NULL);
    lists.products = absent;
    expect(arena, &lists, NULL);
    assert_defaults(arena, least);
    assert_defaults(arena, nulls);
}

/* A null where something is required is a value of another type. */
static void required_values_are_not_null(void **state)
{
    static const struct value_row ids[] = {{"null", "string_type"}};
    static const struct value_row prices[] = {{"null", "float_type"}};
    static const struct value_row lists[] = {{"null", "list_type"}};

    TRY_VALUES(*state, "{'name':'n','variants':[{'id':'v','price':1}],'id':", "}", "id", ids);
    TRY_VALUES(*state, "{'id':'p','name':'n','variants':[{'id':'v','price':", "}]}",
               "variants,0,price", prices);
    TRY_VALUES(*state, "{'id':'p','name':'n','variants':", "}", "variants", lists);
}

/* --- Rows of changes --- */

struct change_row {
    const char *text, *faults;
};

static void keep_nothing(void *arg, struct record_stream *stream, const struct stream_item *item)
{
    (void)arg;
    (void)stream;
    (void)item;
}

static void rows_of_changes_are_checked(void **state)
{
    static const struct change_row rows[] = {
        {"'stocks':[{'product_id':'p','variant_id':'v','available_quantity':-5,"
         "'warehouse_id':[1]}]",
         ""},
        {"'stocks':[{'product_id':'p','variant_id':'v','available_quantity':1e2}]", ""},
        {"'stocks':[{'product_id':'p','variant_id':'v','available_quantity':1.5}]",
         "int_from_float stocks,0,available_quantity\n"},
        {"'stocks':[{'product_id':'p','variant_id':'v','available_quantity':'1'}]",
         "int_type stocks,0,available_quantity\n"},
        {"'stocks':[{}]", "missing stocks,0,product_id\nmissing stocks,0,variant_id\n"
                          "missing stocks,0,available_quantity\n"},
        {"'prices':[{'product_id':'p','variant_id':'v','price':0.1}]", ""},
        {"'prices':[{'product_id':'','variant_id':'','price':-1}]",
         "string_too_short prices,0,product_id\nstring_too_short prices,0,variant_id\n"
         "greater_than_equal prices,0,price\n"},
        {"'prices':[{}]", "missing prices,0,product_id\nmissing prices,0,variant_id\n"
                          "missing prices,0,price\n"},
    };
    struct arena *arena = *state;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct record_stream_options options = {
            .record = &erp_changes_record, .token_max = 1000, .on_item = keep_nothing};
        struct record_stream *stream = record_stream_new(&options);
        char *text = quoted(
            arena, arena_printf(arena, "{'event_id':'e','generated_at':'2026-11-21T04:33:00Z',%s}",
                                rows[i].text));
        AUTO_BUF out = {0};

        buf_init(&out, SCENE_TEXT_MAX);
        assert_int_equal(record_stream_feed(stream, str_of(text), true), STREAM_END);
        add_faults(&out, arena, stream);
        assert_string_equal(arena_str(arena, buf_view(&out)), rows[i].faults);
        record_stream_free(stream);
    }
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, arena_begin, arena_end)
    const struct CMUnitTest tests[] = {
        CASE(texts_are_as_long_as_they_may_be),
        CASE(references_are_as_long_as_ids),
        CASE(lists_are_as_long_as_they_may_be),
        CASE(a_product_has_twenty_axes),
        CASE(numbers_are_decimals),
        CASE(words_are_of_their_lists),
        CASE(rates_of_vat_are_read_strictly),
        CASE(rates_of_vat_are_at_most_fifty),
        CASE(what_is_required_has_to_be_there),
        CASE(what_is_left_out_or_null_has_its_default),
        CASE(required_values_are_not_null),
        CASE(rows_of_changes_are_checked),
    };
    return cmocka_run_group_tests_name("catalog_limits", tests, NULL, NULL);
}
