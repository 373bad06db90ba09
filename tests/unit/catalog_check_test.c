/* domain/catalog/catalog_check: what no table says about a snapshot (contract, section 5
 * "Required", "References"). */
#include "snapshot_scene.h"

#define VARIANT(more)      "{'id':'v','price':1" more "}"
#define PRODUCT(more)      "{'id':'p','name':'n'" more ",'variants':[" VARIANT("") "]}"
#define WITH_VARIANT(more) "{'id':'p','name':'n','variants':[" VARIANT(more) "]}"

/* A faulty snapshot, or one that only looks like it. */
struct row {
    const char *name;
    struct lists lists;
    const char *faults; /* "" for none */
};

static size_t count_lines(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += *text == '\n';
    return count;
}

/* The same lines, in any order. */
static bool are_same(struct arena *arena, const char *actual, const char *expected)
{
    if (count_lines(actual) != count_lines(expected)) return false;
    for (const char *line = expected; *line; line = strchr(line, '\n') + 1) {
        struct str one = {line, (size_t)(strchr(line, '\n') + 1 - line)};
        if (!strstr(actual, arena_str(arena, one))) return false;
    }
    return true;
}

static void check_rows(struct arena *arena, const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (int order = PRODUCTS_LAST; order <= PRODUCTS_FIRST; order++) {
            const char *faults = faults_of(arena, &rows[i].lists, order);
            if (are_same(arena, faults, rows[i].faults)) continue;
            fail_msg("%s (order %d):\n%s", rows[i].name, order, faults);
        }
    }
}
#define CHECK_ROWS(arena, rows) check_rows(arena, rows, sizeof(rows) / sizeof((rows)[0]))

/* --- Ids --- */

static void ids_are_unique_in_their_list(void **state)
{
    static const struct row rows[] = {
        {"categories",
         {"", "{'id':'c','name':'a'},{'id':'d','name':'a'},{'id':'c','name':'b'}", ""},
         "duplicate_id categories,2,id\n"},
        {"definitions",
         {"{'id':'d','name':'','type':'string'},{'id':'d','name':'','type':'date'}", "", ""},
         "duplicate_id attribute_definitions,1,id\n"},
        {"products", {"", "", PRODUCT("") "," PRODUCT("")}, "duplicate_id products,1,id\n"},
        {"a category, a definition and a product may share one",
         {"{'id':'p','name':'','type':'string'}", "{'id':'p','name':'a'}", PRODUCT("")},
         ""},
        {"values of an enum",
         {"{'id':'d','name':'','type':'enum','values':[{'id':'x','name':''},"
          "{'id':'x','name':''}]}",
          "", ""},
         "duplicate_id attribute_definitions,0,values,1,id\n"},
        {"values of two enums",
         {"{'id':'d','name':'','type':'enum','values':[{'id':'x','name':''}]},"
          "{'id':'e','name':'','type':'enum','values':[{'id':'x','name':''}]}",
          "", ""},
         ""},
        {"axes",
         {"", "",
          "{'id':'p','name':'n','option_axes':[{'id':'a','name':'','values':[{'id':'x',"
          "'name':''}]},{'id':'a','name':'','values':[{'id':'x','name':''}]}],"
          "'variants':[" VARIANT(",'option_values':[{'axis_id':'a','value_id':'x'}]") "]}"},
         "duplicate_id products,0,option_axes,1,id\n"},
        {"values of an axis",
         {"", "",
          "{'id':'p','name':'n','option_axes':[{'id':'a','name':'','values':[{'id':'x',"
          "'name':''},{'id':'x','name':''}]}],"
          "'variants':[" VARIANT(",'option_values':[{'axis_id':'a','value_id':'x'}]") "]}"},
         "duplicate_id products,0,option_axes,0,values,1,id\n"},
        {"variants",
         {"", "", "{'id':'p','name':'n','variants':[" VARIANT("") "," VARIANT("") "]}"},
         "duplicate_id products,0,variants,1,id\n"},
        {"variants of two products",
         {"", "", PRODUCT("") ",{'id':'q','name':'n','variants':[" VARIANT("") "]}"},
         ""},
        {"barcodes",
         {"", "", WITH_VARIANT(",'barcodes':['1','2','1']")},
         "duplicate_id products,0,variants,0,barcodes,2\n"},
        {"an id that is absent equals none",
         {"", "{'name':'a'},{'name':'b'}", ""},
         "missing categories,0,id\nmissing categories,1,id\n"},
    };
    CHECK_ROWS(*state, rows);
}

/* Beyond a dozen a map does the work. */
static void ids_of_long_lists_are_unique(void **state)
{
    struct arena *arena = *state;
    const char *variants = "";

    for (int i = 0; i < 40; i++)
        variants = arena_printf(arena, "%s{'id':'v%d','price':1},", variants, i);
    struct lists lists = {"", "",
                          arena_printf(arena,
                                       "{'id':'p','name':'n','variants':[%s{'id':'v39','price':1},"
                                       "{'id':'v0','price':1}]},"
                                       "{'id':'q','name':'n','variants':[%s{'id':'w','price':1}]}",
                                       variants, variants)};
    assert_string_equal(faults_of(arena, &lists, PRODUCTS_LAST),
                        "duplicate_id products,0,variants,40,id\n"
                        "duplicate_id products,0,variants,41,id\n");
}

/* --- Definitions --- */

static void an_enum_has_values(void **state)
{
    static const struct row rows[] = {
        {"none",
         {"{'id':'d','name':'','type':'enum'}", "", ""},
         "missing attribute_definitions,0,values\n"},
        {"null",
         {"{'id':'d','name':'','type':'enum','values':null}", "", ""},
         "missing attribute_definitions,0,values\n"},
        {"an empty list",
         {"{'id':'d','name':'','type':'enum','values':[]}", "", ""},
         "too_short attribute_definitions,0,values\n"},
        {"without id and name",
         {"{'id':'d','name':'','type':'enum','values':[{}]}", "", ""},
         "missing attribute_definitions,0,values,0,id\n"
         "missing attribute_definitions,0,values,0,name\n"},
        {"of another kind",
         {"{'id':'d','name':'','type':'enum','values':'x'}", "", ""},
         "list_type attribute_definitions,0,values\n"},
        {"other types need none",
         {"{'id':'d','name':'','type':'string','values':[]},{'id':'e','name':'','type':'date'}", "",
          ""},
         ""},
        {"an unknown type is told once",
         {"{'id':'d','name':'','type':'money'}", "",
          PRODUCT(",'attributes':[{'attribute_id':'d','value':1}]")},
         "enum attribute_definitions,0,type\n"},
    };
    CHECK_ROWS(*state, rows);
}

/* --- References --- */

#define ENUM            "{'id':'e','name':'','type':'enum','values':[{'id':'x','name':''}]}"
#define TEXT            "{'id':'s','name':'','type':'string','values':[{'id':'x','name':''}]}"
#define ATTRIBUTE(more) PRODUCT(",'attributes':[{'attribute_id':" more "}]")

static void references_lead_somewhere(void **state)
{
    static const struct row rows[] = {
        {"a category", {"", "{'id':'c','name':'a'}", PRODUCT(",'category_id':'c'")}, ""},
        {"no such category",
         {"", "{'id':'c','name':'a'}", PRODUCT(",'category_id':'d'")},
         "reference_not_found products,0,category_id\n"},
        {"no category", {"", "", PRODUCT(",'category_id':null")}, ""},
        {"a definition", {TEXT, "", ATTRIBUTE("'s','value':'a'")}, ""},
        {"no such definition",
         {TEXT, "", ATTRIBUTE("'t','value':'a'")},
         "reference_not_found products,0,attributes,0,attribute_id\n"},
        {"a category is no definition",
         {"", "{'id':'c','name':'a'}", ATTRIBUTE("'c','value':'a'")},
         "reference_not_found products,0,attributes,0,attribute_id\n"},
        {"a value of an enum", {ENUM, "", ATTRIBUTE("'e','value_id':'x'")}, ""},
        {"with a value beside", {ENUM, "", ATTRIBUTE("'e','value_id':'x','value':7")}, ""},
        {"no such value",
         {ENUM, "", ATTRIBUTE("'e','value_id':'y'")},
         "reference_not_found products,0,attributes,0,value_id\n"},
        {"a value of another enum",
         {ENUM ",{'id':'f','name':'','type':'enum','values':[{'id':'y','name':''}]}", "",
          ATTRIBUTE("'e','value_id':'y'")},
         "reference_not_found products,0,attributes,0,value_id\n"},
        {"an enum without value_id",
         {ENUM, "", ATTRIBUTE("'e','value':'x'")},
         "missing products,0,attributes,0,value_id\n"},
        {"a text with value_id",
         {TEXT, "", ATTRIBUTE("'s','value_id':'x'")},
         "missing products,0,attributes,0,value\n"},
        {"nothing of an enum",
         {ENUM, "", ATTRIBUTE("'e'")},
         "missing products,0,attributes,0,value\n"},
        {"nothing of a text",
         {TEXT, "", ATTRIBUTE("'s','unit':'g'")},
         "missing products,0,attributes,0,value\n"},
        {"nulls",
         {TEXT, "", ATTRIBUTE("'s','value':null,'value_id':null")},
         "missing products,0,attributes,0,value\n"},
        {"a value_id that is none is told once",
         {ENUM, "", ATTRIBUTE("'e','value_id':''")},
         "string_too_short products,0,attributes,0,value_id\n"},
        {"a value that is none is told once",
         {TEXT, "", ATTRIBUTE("'s','value':[]")},
         "string_type products,0,attributes,0,value\n"},
        {"an enum without values is told once",
         {"{'id':'e','name':'','type':'enum'}", "", ATTRIBUTE("'e','value_id':'x'")},
         "missing attribute_definitions,0,values\n"},
        {"an attribute may stand twice",
         {TEXT, "",
          PRODUCT(",'attributes':[{'attribute_id':'s','value':'a'},"
                  "{'attribute_id':'s','value':'b'}]")},
         ""},
    };
    CHECK_ROWS(*state, rows);
}

/* --- Values by their types --- */

struct value_row {
    const char *type, *value, *fault; /* NULL: none */
};

static void check_value_row(struct arena *arena, const struct value_row *row)
{
    struct lists lists = {arena_printf(arena, "{'id':'d','name':'','type':'%s'}", row->type), "",
                          arena_printf(arena, ATTRIBUTE("'d','value':%s"), row->value)};
    const char *expected =
        row->fault ? arena_printf(arena, "%s products,0,attributes,0,value\n", row->fault) : "";
    const char *faults = faults_of(arena, &lists, PRODUCTS_LAST);

    if (strcmp(faults, expected) != 0) fail_msg("%s %s: %s", row->type, row->value, faults);
}

static void values_have_the_type_of_their_definition(void **state)
{
    static const struct value_row rows[] = {
        {"string", "'a'", NULL},
        {"string", "''", NULL},
        {"string", "1", "string_type"},
        {"string", "true", "string_type"},
        {"decimal", "1", NULL},
        {"decimal", "-0", NULL},
        {"decimal", "1e2", NULL},
        {"decimal", "999999999999999.999999", NULL},
        {"decimal", "-999999999999999.999999", NULL},
        {"decimal", "1.50000000000000000000", NULL},
        {"decimal", "1000000000000000", "decimal_whole_digits"},
        {"decimal", "1e15", "decimal_whole_digits"},
        {"decimal", "1e999999999999", "decimal_max_digits"},
        {"decimal", "0.0000001", "decimal_max_places"},
        {"decimal", "'1'", "float_type"},
        {"decimal", "false", "float_type"},
        {"integer", "0", NULL},
        {"integer", "1e2", NULL},
        {"integer", "100.0", NULL},
        {"integer", "9223372036854775807", NULL},
        {"integer", "-9223372036854775808", NULL},
        {"integer", "9223372036854775808", "int_parsing_size"},
        {"integer", "1e999999", "int_parsing_size"},
        {"integer", "1.5", "int_from_float"},
        {"integer", "1e-1", "int_from_float"},
        {"integer", "'1'", "int_type"},
        {"integer", "true", "int_type"},
        {"boolean", "true", NULL},
        {"boolean", "false", NULL},
        {"boolean", "1", "bool_type"},
        {"boolean", "'true'", "bool_type"},
        {"date", "'2026-11-21'", NULL},
        {"date", "'2024-02-29'", NULL},
        {"date", "'2000-02-29'", NULL},
        {"date", "'0001-01-01'", NULL},
        {"date", "'9999-12-31'", NULL},
        {"date", "'2023-02-29'", "date_parsing"},
        {"date", "'1900-02-29'", "date_parsing"},
        {"date", "'2026-04-31'", "date_parsing"},
        {"date", "'2026-13-01'", "date_parsing"},
        {"date", "'2026-00-10'", "date_parsing"},
        {"date", "'2026-01-00'", "date_parsing"},
        {"date", "'0000-01-01'", "date_parsing"},
        {"date", "'2026-1-01'", "date_parsing"},
        {"date", "'21.11.2026'", "date_parsing"},
        {"date", "'2026-11-21T00:00:00Z'", "date_parsing"},
        {"date", "' 2026-11-21'", "date_parsing"},
        {"date", "''", "date_parsing"},
        {"date", "20261121", "date_type"},
        {"date", "true", "date_type"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        check_value_row(*state, &rows[i]);
}

/* --- Axes --- */

#define AXES                                                                                    \
    "'option_axes':[{'id':'a','name':'','values':[{'id':'x','name':''},{'id':'y','name':''}]}," \
    "{'id':'b','name':'','values':[{'id':'x','name':''}]}]"
#define CHOOSING(choices)                                                                          \
    {                                                                                              \
        "", "",                                                                                    \
            "{'id':'p','name':'n'," AXES ",'variants':[" VARIANT(",'option_values':" choices) "]}" \
    }
#define CHOICE(axis, value) "{'axis_id':'" axis "','value_id':'" value "'}"
#define AT                  "products,0,variants,0,option_values,"

static void a_variant_has_a_value_of_each_axis(void **state)
{
    static const struct row rows[] = {
        {"both", CHOOSING("[" CHOICE("b", "x") "," CHOICE("a", "y") "]"), ""},
        {"one is missing", CHOOSING("[" CHOICE("a", "y") "]"), "missing " AT "b\n"},
        {"none", CHOOSING("[]"), "missing " AT "a\nmissing " AT "b\n"},
        {"null", CHOOSING("null"), "missing " AT "a\nmissing " AT "b\n"},
        {"twice", CHOOSING("[" CHOICE("a", "x") "," CHOICE("b", "x") "," CHOICE("a", "y") "]"),
         "duplicate_id " AT "2,axis_id\n"},
        {"an unknown axis", CHOOSING("[" CHOICE("a", "x") "," CHOICE("c", "x") "]"),
         "reference_not_found " AT "1,axis_id\nmissing " AT "b\n"},
        {"a value of the other axis", CHOOSING("[" CHOICE("a", "x") "," CHOICE("b", "y") "]"),
         "reference_not_found " AT "1,value_id\n"},
        {"half a choice", CHOOSING("[{'axis_id':'a'}," CHOICE("b", "x") "]"),
         "missing " AT "0,value_id\n"},
        {"of some axis", CHOOSING("[{'value_id':'x'}," CHOICE("b", "x") "]"),
         "missing " AT "0,axis_id\n"},
        {"axes that are no list are told once",
         {"", "",
          "{'id':'p','name':'n','option_axes':7,'variants':[" VARIANT(
              ",'option_values':[" CHOICE("a", "x") "]") "]}"},
         "list_type products,0,option_axes\n"},
        {"without axes", {"", "", WITH_VARIANT(",'option_values':[]")}, ""},
        {"without axes, but chosen",
         {"", "", WITH_VARIANT(",'option_values':[" CHOICE("a", "x") "]")},
         "reference_not_found " AT "0,axis_id\n"},
    };
    CHECK_ROWS(*state, rows);
}

/* More values than are compared one by one, and the next product begins anew. */
static void long_axes_are_looked_up(void **state)
{
    struct arena *arena = *state;
    const char *values = "{'id':'x','name':''}";

    for (int i = 0; i < 100; i++)
        values = arena_printf(arena, "%s,{'id':'x%d','name':''}", values, i);
    struct lists lists = {
        "", "",
        arena_printf(
            arena,
            "{'id':'p','name':'n','option_axes':[{'id':'a','name':'','values':[%s]},"
            "{'id':'b','name':'','values':[{'id':'z','name':''}]}],'variants':["
            "{'id':'v','price':1,'option_values':[" CHOICE("a", "x99") "," CHOICE(
                "b",
                "z") "]},"
                     "{'id':'w','price':1,'option_values':[" CHOICE("a", "z") "," CHOICE(
                         "b",
                         "x99") "]}]},"
                                "{'id':'q','name':'n','option_axes':[{'id':'a','name':'','values':["
                                "{'id':'y','name':''}]}],'variants':[{'id':'v','price':1,"
                                "'option_values':[" CHOICE("a", "x") "]}]}",
            values)};
    assert_string_equal(faults_of(arena, &lists, PRODUCTS_LAST),
                        "reference_not_found products,0,variants,1,option_values,0,value_id\n"
                        "reference_not_found products,0,variants,1,option_values,1,value_id\n"
                        "reference_not_found products,1,variants,0,option_values,0,value_id\n");
}

/* --- Option groups --- */

#define GROUP(more)                                                                               \
    WITH_VARIANT(",'option_groups':[{'id':'g','name':''" more ",'options':[{'id':'o','name':''}," \
                 "{'id':'o','name':''}]}]")

static void as_much_can_be_selected_as_has_to_be(void **state)
{
    static const struct row rows[] = {
        {"defaults", {"", "", GROUP("")}, ""},
        {"all", {"", "", GROUP(",'min_select':2")}, ""},
        {"more than there are",
         {"", "", GROUP(",'min_select':3")},
         "greater_than_equal products,0,variants,0,option_groups,0,max_select\n"},
        {"equal", {"", "", GROUP(",'min_select':1,'max_select':1")}, ""},
        {"none", {"", "", GROUP(",'max_select':0")}, ""},
        {"null is the default", {"", "", GROUP(",'min_select':null,'max_select':null")}, ""},
        {"less",
         {"", "", GROUP(",'min_select':2,'max_select':1")},
         "greater_than_equal products,0,variants,0,option_groups,0,max_select\n"},
        {"below zero",
         {"", "", GROUP(",'min_select':-1,'max_select':-1")},
         "greater_than_equal products,0,variants,0,option_groups,0,min_select\n"
         "greater_than_equal products,0,variants,0,option_groups,0,max_select\n"},
        {"no options are one fault",
         {"", "",
          WITH_VARIANT(",'option_groups':[{'id':'g','name':'','min_select':1,'options':[]}]")},
         "too_short products,0,variants,0,option_groups,0,options\n"},
    };
    CHECK_ROWS(*state, rows);
}

/* --- Words and values of faults --- */

struct told {
    struct lists lists;
    const char *message, *ctx, *input;
};

static void check_told(struct arena *arena, const struct told *told)
{
    struct reading reading = {.check = catalog_check_new()};
    struct record_stream *stream =
        read_all(&reading, snapshot_text(arena, &told->lists, PRODUCTS_LAST));
    size_t count;
    bool is_truncated;
    const struct stream_fault *faults = record_stream_faults(stream, &count, &is_truncated);

    assert_int_equal(count, 1);
    assert_string_equal(faults[0].message, told->message);
    if (told->ctx)
        assert_string_equal(faults[0].ctx, quoted(arena, told->ctx));
    else
        assert_null(faults[0].ctx);
    assert_string_equal(faults[0].input, quoted(arena, told->input));
    record_stream_free(stream);
    catalog_check_free(reading.check);
}

static void faults_say_what_and_show_the_value(void **state)
{
    static const struct told rows[] = {
        {{"", "{'id':'c','name':'a'},{'id':'c','name':'b'}", ""},
         "This id stands twice in its list",
         NULL,
         "'c'"},
        {{"", "", PRODUCT(",'category_id':'d'")},
         "No category with this id in this snapshot",
         NULL,
         "'d'"},
        {{"", "", ATTRIBUTE("'t','value':1")},
         "No attribute definition with this id in this snapshot",
         NULL,
         "'t'"},
        {{ENUM, "", ATTRIBUTE("'e','value_id':'y'")},
         "No value with this id in the definition of this attribute",
         NULL,
         "'y'"},
        {{TEXT, "", ATTRIBUTE("'s','unit':'g'")},
         "Field required",
         NULL,
         "{'attribute_id':'s','unit':'g'}"},
        {{TEXT, "", ATTRIBUTE("'s','value':1.50")}, "Input should be a valid string", NULL, "1.50"},
        {{"{'id':'d','name':'','type':'date'}", "", ATTRIBUTE("'d','value':'2026-02-29'")},
         "Input should be a valid date in the format YYYY-MM-DD, day value is outside expected "
         "range",
         "{'error':'day value is outside expected range'}",
         "'2026-02-29'"},
        {{"{'id':'d','name':'','type':'decimal'}", "", ATTRIBUTE("'d','value':1e15")},
         "Decimal input should have no more than 15 digits before the decimal point",
         "{'whole_digits':15}",
         "1e15"},
        {{"{'id':'d','name':'','type':'enum','values':[]}", "", ""},
         "List should have at least 1 item after validation, not 0",
         "{'field_type':'List','min_length':1,'actual_length':0}",
         "[]"},
        {CHOOSING("[" CHOICE("a", "x") "]"), "Field required", NULL, "[" CHOICE("a", "x") "]"},
        {CHOOSING("[" CHOICE("a", "x") "," CHOICE("b", "y") "]"),
         "No value with this id in this option axis", NULL, "'y'"},
        {{"", "", GROUP(",'min_select':3")},
         "Input should be greater than or equal to 3",
         "{'ge':3}",
         "2"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        check_told(*state, &rows[i]);
}

/* Characters are counted, not bytes; what is no text is shown as one. */
static void long_values_are_cut(void **state)
{
    struct arena *arena = *state;
    const char *number = "{'id':'d','name':'','type':'integer'}";
    struct told rows[] = {
        {{number, "", arena_printf(arena, ATTRIBUTE("'d','value':'%s'"), repeat(arena, "ы", 300))},
         "Input should be a valid integer",
         NULL,
         arena_printf(arena, "'%s'", repeat(arena, "ы", STREAM_INPUT_MAX))},
        {{number, "",
          arena_printf(arena, ATTRIBUTE("'d','value':'%s'"), repeat(arena, "ы", STREAM_INPUT_MAX))},
         "Input should be a valid integer",
         NULL,
         arena_printf(arena, "'%s'", repeat(arena, "ы", STREAM_INPUT_MAX))},
        {{arena_printf(arena, "{'id':'d','name':'%s','type':'enum'}", repeat(arena, "ы", 255)), "",
          ""},
         "Field required",
         NULL,
         arena_printf(arena, "'{\\'id\\':\\'d\\',\\'name\\':\\'%s'", repeat(arena, "ы", 182))},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        check_told(arena, &rows[i]);
}

/* A place has the id of the axis in it, whatever that is. */
static void ids_in_places_are_texts_of_json(void **state)
{
    static const struct told row = {
        {"", "",
         "{'id':'p','name':'n','option_axes':[{'id':'\\u0022,\\\\\\u0001я','name':'',"
         "'values':[{'id':'x','name':''}]}],'variants':[" VARIANT("") "]}"},
        "Field required",
        NULL,
        "[]"};
    check_told(*state, &row);
}

/* --- Size --- */

static void faults_beyond_the_most_are_not_told(void **state)
{
    struct arena *arena = *state;
    struct lists lists = {"", "",
                          arena_printf(arena,
                                       "{'id':'p','name':'n','variants':[%s" VARIANT("") "]}",
                                       repeat(arena, VARIANT("") ",", 5000))};
    const char *faults = faults_of(arena, &lists, PRODUCTS_LAST);

    assert_int_equal(count_lines(faults), STREAM_FAULTS_MAX + 1);
    assert_non_null(strstr(faults, "truncated\n"));
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, arena_begin, arena_end)
    const struct CMUnitTest tests[] = {
        CASE(ids_are_unique_in_their_list),
        CASE(ids_of_long_lists_are_unique),
        CASE(an_enum_has_values),
        CASE(references_lead_somewhere),
        CASE(values_have_the_type_of_their_definition),
        CASE(a_variant_has_a_value_of_each_axis),
        CASE(long_axes_are_looked_up),
        CASE(as_much_can_be_selected_as_has_to_be),
        CASE(faults_say_what_and_show_the_value),
        CASE(long_values_are_cut),
        CASE(ids_in_places_are_texts_of_json),
        CASE(faults_beyond_the_most_are_not_told),
    };
    return cmocka_run_group_tests_name("catalog_check", tests, NULL, NULL);
}
