/* Bodies on their way in: packed as they were sent, all faults told, in whatever pieces they come
 * (contract, sections 1 and 5). */
#include "erp_intake_scene.h"

/* --- What is good --- */

static void assert_unpacks_to(struct str packed, struct str text)
{
    struct pack_pool *pool = pack_pool_new();
    AUTO_BUF body = {0};
    buf_init(&body, ERP_BODY_MAX);
    assert_int_equal(unpack(pool, packed, ERP_BODY_MAX, &body), ERR_OK);
    pack_pool_free(pool);
    assert_int_equal(body.len, text.len);
    assert_memory_equal(body.data, text.data, text.len);
}

static void test_a_good_body_is_packed_whatever_its_pieces(void **state)
{
    static const char text[] = " " SNAPSHOT "\r\n";
    static const size_t pieces[] = {1, 2, 7, SIZE_MAX};
    const char *detail;
    for (size_t i = 0; i < COUNT_OF(pieces); i++) {
        struct erp_intake *intake = new_intake(*state, ERP_PACKAGE_SNAPSHOT, strlen(text));
        feed(intake, str_of(text), pieces[i]);
        assert_true(erp_intake_is_clean(intake));
        assert_int_equal(check(*state, intake, &detail), ERR_OK);
        assert_string_equal(erp_intake_event_id(intake), "e:1");
        struct erp_body body = erp_intake_body(intake);
        assert_int_equal(body.length, strlen(text));
        assert_int_equal(body.row_count, 2);
        assert_int_equal(body.generated_at, 1795235580000);
        assert_unpacks_to(body.packed, str_of(text));
        erp_intake_free(intake);
    }
}

/* Contract, section 1 "Bodies". It is kept like any other byte; one alone, in whatever pieces. */
static void test_a_byte_order_mark_is_passed(void **state)
{
    static const char good[] = "\xEF\xBB\xBF " SNAPSHOT;
    static const struct {
        const char *text, *place;
    } bad[] = {
        {"\xEF\xBB\xBF\xEF\xBB\xBF" SNAPSHOT, "[\"body\",3]"},
        {"\xEF\xBB\xBF", "[\"body\",3]"},
        {"\xEF\xBB" SNAPSHOT, "[\"body\",0]"},
        {"\xEF" SNAPSHOT, "[\"body\",0]"},
        {" \xEF\xBB\xBF" SNAPSHOT, "[\"body\",1]"},
        {"\xEF\xBB\xBF{]", "[\"body\",4]"},
        {"\xEF\xBB", "[\"body\",2]"},
    };
    const char *detail;

    for (size_t piece = 1; piece < 6; piece++) {
        struct erp_intake *intake = new_intake(*state, ERP_PACKAGE_SNAPSHOT, -1);
        feed(intake, str_of(good), piece);
        assert_true(erp_intake_is_clean(intake));
        assert_int_equal(erp_intake_body(intake).length, strlen(good));
        assert_unpacks_to(erp_intake_body(intake).packed, str_of(good));
        erp_intake_free(intake);
        for (size_t i = 0; i < COUNT_OF(bad); i++) {
            intake = new_intake(*state, ERP_PACKAGE_SNAPSHOT, -1);
            feed(intake, str_of(bad[i].text), piece);
            assert_int_equal(check(*state, intake, &detail), ERR_VALIDATION);
            assert_non_null(strstr(detail, bad[i].place));
            erp_intake_free(intake);
        }
    }
}

/* The text that is shown of a fault, and the text that is looked up in the second reading, are
 * behind the mark too. */
static void test_a_byte_order_mark_moves_nothing(void **state)
{
    struct bench *bench = *state;
    static const char *const texts[] = {
        "{" HEAD ",\"products\":[" PRODUCT "]," CATEGORIES "}",
        "{" HEAD ",\"products\":[" PRODUCT "],\"categories\":[]}",
        "{" HEAD ",\"categories\":[{\"id\":[1,2],\"name\":{\"a\":1}}],\"products\":[7]}",
    };

    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        const char *marked = arena_printf(&bench->arena, "\xEF\xBB\xBF%s", texts[i]);
        struct erp_intake *with = take_text(bench, ERP_PACKAGE_SNAPSHOT, marked);
        struct erp_intake *without = take_text(bench, ERP_PACKAGE_SNAPSHOT, texts[i]);
        const char *detail, *expected;
        assert_int_equal(check(bench, with, &detail), check(bench, without, &expected));
        assert_string_equal(detail ? detail : "", expected ? expected : "");
        erp_intake_free(with);
        erp_intake_free(without);
    }
}

static void test_rows_of_changes_are_counted(void **state)
{
    struct erp_intake *intake = take_text(
        *state, ERP_PACKAGE_DELTA,
        "{" HEAD ",\"prices\":[" PRICE_ROW "," PRICE_ROW "],\"stocks\":[{\"product_id\":\"p\","
        "\"variant_id\":\"v\",\"warehouse_id\":\"w\",\"available_quantity\":-3}]}");
    assert_true(erp_intake_is_clean(intake));
    assert_int_equal(erp_intake_body(intake).row_count, 3);
    erp_intake_free(intake);
}

/* --- Faults --- */

static void test_what_is_no_json_is_told_by_its_place(void **state)
{
    static const struct {
        const char *text;
        int offset;
    } cases[] = {{"", 0}, {"{\"event_id\":x}", 12}, {"{}{}", 2}, {"{\"\":\"\\u0000\"}", 5}};
    const char *begin = "{\"detail\":[{\"type\":\"json_invalid\",\"loc\":[\"body\",";
    const char *rest = "],\"msg\":\"JSON decode error\",\"input\":{},\"ctx\":{\"error\":\"";
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *detail = faults_of(*state, ERP_PACKAGE_DELTA, cases[i].text);
        assert_memory_equal(detail, begin, strlen(begin));
        char *end_of_number;
        assert_int_equal(strtoll(detail + strlen(begin), &end_of_number, 10), cases[i].offset);
        assert_memory_equal(end_of_number, rest, strlen(rest));
    }
}

static void test_what_is_no_json_is_not_read_on(void **state)
{
    struct erp_intake *intake = new_intake(*state, ERP_PACKAGE_DELTA, -1);
    const char *detail;
    assert_true(erp_intake_take(intake, STR("{")));
    assert_false(erp_intake_take(intake, STR("}}")));
    assert_false(erp_intake_take(intake, STR("{")));
    erp_intake_end(intake);
    assert_false(erp_intake_is_clean(intake));
    assert_int_equal(erp_intake_check_form(intake, &((struct bench *)*state)->arena, &detail),
                     ERR_VALIDATION);
    erp_intake_free(intake);
}

#define MISSING(loc, input)                                                                        \
    "{\"type\":\"missing\",\"loc\":[\"body\"," loc "],\"msg\":\"Field required\",\"input\":" input \
    "}"
#define NO_ROWS                                                                                \
    "{\"type\":\"too_short\",\"loc\":[\"body\",\"prices\"],\"msg\":\"List should have "        \
    "at least 1 item after validation, not 0\",\"input\":[],\"ctx\":{\"field_type\":\"List\"," \
    "\"min_length\":1,\"actual_length\":0}}"

static void test_changes_have_at_least_one_row(void **state)
{
    assert_faults(*state, ERP_PACKAGE_DELTA, CHANGES, "");
    assert_faults(*state, ERP_PACKAGE_DELTA, "{" HEAD "}", DETAIL(NO_ROWS));
    assert_faults(*state, ERP_PACKAGE_DELTA, "{" HEAD ",\"prices\":[],\"stocks\":[]}",
                  DETAIL(NO_ROWS));
    assert_faults(
        *state, ERP_PACKAGE_DELTA, "{}",
        DETAIL(MISSING("\"event_id\"", "{}") "," MISSING("\"generated_at\"", "{}") "," NO_ROWS));
}

/* If the lists themselves are wrong, nobody knows how many rows were meant. */
static void test_a_wrong_list_is_told_once(void **state)
{
    assert_faults(*state, ERP_PACKAGE_DELTA, "[7]",
                  DETAIL("{\"type\":\"dict_type\",\"loc\":[\"body\"],\"msg\":\"Input should be a "
                         "valid dictionary\",\"input\":[7]}"));
    assert_faults(*state, ERP_PACKAGE_DELTA, "{" HEAD ",\"stocks\":7}",
                  DETAIL("{\"type\":\"list_type\",\"loc\":[\"body\",\"stocks\"],\"msg\":\"Input "
                         "should be a valid list\",\"input\":7}"));
    assert_faults(*state, ERP_PACKAGE_DELTA, "{" HEAD ",\"prices\":{}}",
                  DETAIL("{\"type\":\"list_type\",\"loc\":[\"body\",\"prices\"],\"msg\":\"Input "
                         "should be a valid list\",\"input\":{}}"));
}

static void test_an_event_id_has_1_to_128_characters(void **state)
{
    struct bench *bench = *state;
    static const struct {
        int characters;
        bool is_id;
    } cases[] = {{0, false}, {1, true}, {128, true}, {129, false}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *id = "";
        for (int k = 0; k < cases[i].characters; k++)
            id = arena_printf(&bench->arena, "%s\xd0\xb6", id);
        const char *text = arena_printf(&bench->arena,
                                        "{\"event_id\":\"%s\",\"generated_at\":"
                                        "\"2026-11-21T04:33:00Z\",\"prices\":[" PRICE_ROW "]}",
                                        id);
        struct erp_intake *intake = take_text(bench, ERP_PACKAGE_DELTA, text);
        assert_int_equal(erp_intake_event_id(intake) != NULL, cases[i].is_id);
        assert_int_equal(erp_intake_is_clean(intake), cases[i].is_id);
        erp_intake_free(intake);
    }
}

/* A value of more than 200 characters is shown by its beginning; characters, not bytes. */
static void test_long_values_are_cut(void **state)
{
    struct bench *bench = *state;
    for (int padding = 190; padding < 194; padding++) {
        const char *row = "{\"a\":\"";
        for (int i = 0; i < padding; i++)
            row = arena_printf(&bench->arena, "%s\xd0\xb6", row);
        row = arena_printf(&bench->arena, "%s\"}", row); /* 8 characters beside them */
        const char *detail =
            faults_of(bench, ERP_PACKAGE_DELTA,
                      arena_printf(&bench->arena, "{" HEAD ",\"prices\":[%s," PRICE_ROW "]}", row));
        bool is_whole = strstr(detail, arena_printf(&bench->arena, "\"input\":%s}", row)) != NULL;
        assert_int_equal(is_whole, padding + 8 <= 200);
        if (is_whole) continue;
        const char *shown = "{\\\"a\\\":\\\""; /* 6 characters, and 194 of the others */
        for (int i = 0; i < 194 && i < padding; i++)
            shown = arena_printf(&bench->arena, "%s\xd0\xb6", shown);
        if (padding == 193) shown = arena_printf(&bench->arena, "%s\\\"", shown);
        assert_non_null(strstr(detail, arena_printf(&bench->arena, "\"input\":\"%s\"}", shown)));
    }
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    while ((text = strstr(text, part))) {
        count++;
        text += strlen(part);
    }
    return count;
}

static void test_a_hundred_faults_are_told(void **state)
{
    struct bench *bench = *state;
    for (int rows = 33; rows <= 34; rows++) {
        AUTO_BUF text = {0};
        buf_init(&text, 100000);
        buf_text(&text, "{" HEAD ",\"prices\":[{\"product_id\":\"p\",\"variant_id\":\"v\"}");
        for (int i = 0; i < rows; i++)
            buf_text(&text, ",{}");
        buf_text(&text, "]}");
        const char *detail =
            faults_of(bench, ERP_PACKAGE_DELTA, arena_str(&bench->arena, buf_view(&text)));
        assert_int_equal(count_of(detail, "\"type\":\"missing\""), 100);
        const char *rest = ",{\"type\":\"truncated\",\"loc\":[\"body\"],\"msg\":\"More faults are "
                           "not shown\",\"input\":null}]}";
        assert_int_equal(count_of(detail, rest), rows > 33);
    }
}

/* --- What refers to what stands behind it --- */

#define DEFINITIONS "\"attribute_definitions\":[{\"id\":\"a\",\"name\":\"A\",\"type\":\"integer\"}]"
#define RICH_PRODUCT(category, attribute)                                             \
    "{\"id\":\"p\",\"name\":\"P\",\"category_id\":\"" category "\",\"attributes\":[{" \
    "\"attribute_id\":\"" attribute "\",\"value\":7}]," VARIANTS "}"
#define NOT_FOUND_MARK "\"type\":\"reference_not_found\""

static void test_lists_may_stand_in_any_order(void **state)
{
    static const struct {
        const char *text;
        bool is_clean; /* at once, without a second reading */
    } cases[] = {
        {"{" HEAD "," DEFINITIONS "," CATEGORIES ",\"products\":[" RICH_PRODUCT("c", "a") "]}",
         true},
        {"{" HEAD "," CATEGORIES ",\"products\":[" RICH_PRODUCT("c", "a") "]," DEFINITIONS "}",
         false},
        {"{\"products\":[" RICH_PRODUCT("c", "a") "]," HEAD "," CATEGORIES "," DEFINITIONS "}",
         false},
        {"{" HEAD ",\"products\":[{\"id\":\"p\",\"name\":\"P\"," VARIANTS "}]," CATEGORIES "}",
         true},
        {"{" HEAD ",\"products\":[]," CATEGORIES "}", true},
    };
    const char *detail;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct erp_intake *intake = take_text(*state, ERP_PACKAGE_SNAPSHOT, cases[i].text);
        assert_int_equal(erp_intake_is_clean(intake), cases[i].is_clean);
        assert_int_equal(check(*state, intake, &detail), ERR_OK);
        assert_true(erp_intake_is_clean(intake));
        assert_int_equal(check(*state, intake, &detail), ERR_OK);
        erp_intake_free(intake);
    }
}

static void test_what_is_referred_to_is_there_in_any_order(void **state)
{
    static const struct {
        const char *text;
        size_t count;
    } cases[] = {
        {"{" HEAD "," DEFINITIONS "," CATEGORIES ",\"products\":[" RICH_PRODUCT("d", "b") "]}", 2},
        {"{" HEAD "," CATEGORIES ",\"products\":[" RICH_PRODUCT("d", "b") "]," DEFINITIONS "}", 2},
        {"{" HEAD ",\"products\":[" RICH_PRODUCT("d", "a") "]," CATEGORIES "," DEFINITIONS "}", 1},
        {"{" HEAD ",\"products\":[" RICH_PRODUCT("c", "a") "]," CATEGORIES "}", 1},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *detail = faults_of(*state, ERP_PACKAGE_SNAPSHOT, cases[i].text);
        assert_int_equal(count_of(detail, NOT_FOUND_MARK), cases[i].count);
        assert_int_equal(count_of(detail, "\"type\":"), cases[i].count);
        assert_int_equal(count_of(detail, "\"loc\":[\"body\",\"products\",0,"), cases[i].count);
    }
}

/* Contract, section 5 "What a package does not say": only where they may be kept by the catalog is
 * their judgement left to the applying; what is null or empty is not kept. */
static void test_choices_of_absent_axes_wait_for_the_integration(void **state)
{
#define CHOOSING(axes)                                                                  \
    "{" HEAD "," CATEGORIES ",\"products\":[{\"id\":\"p\",\"name\":\"P\"," axes         \
    "\"variants\":[{\"id\":\"v\",\"price\":1,\"option_values\":[{\"axis_id\":\"size\"," \
    "\"value_id\":\"s\"}]}]}]}"
    static const struct {
        const char *text;
        bool keeps_absent;
        enum err err;
    } cases[] = {
        {CHOOSING(""), true, ERR_OK},
        {CHOOSING(""), false, ERR_VALIDATION},
        {CHOOSING("\"option_axes\":null,"), true, ERR_VALIDATION},
        {CHOOSING("\"option_axes\":[],"), true, ERR_VALIDATION},
    };
    struct bench *bench = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct erp_intake *intake = take_text(bench, ERP_PACKAGE_SNAPSHOT, cases[i].text);
        const char *detail = "";
        assert_false(erp_intake_is_clean(intake));
        for (int time = 0; time < 2; time++)
            assert_int_equal(
                erp_intake_check_content(intake, cases[i].keeps_absent, &bench->arena, &detail),
                cases[i].err);
        assert_int_equal(count_of(detail, NOT_FOUND_MARK), cases[i].err ? 1 : 0);
        erp_intake_free(intake);
    }
}

/* A transaction may run twice. */
static void test_faults_are_the_same_when_they_are_asked_for_again(void **state)
{
    struct erp_intake *intake = take_text(
        *state, ERP_PACKAGE_SNAPSHOT,
        "{" HEAD ",\"products\":[" RICH_PRODUCT("d", "b") ",{}]," CATEGORIES "," DEFINITIONS "}");
    const char *first, *second;
    assert_int_equal(check(*state, intake, &first), ERR_VALIDATION);
    assert_int_equal(check(*state, intake, &second), ERR_VALIDATION);
    assert_string_equal(first, second);
    assert_int_equal(count_of(first, NOT_FOUND_MARK), 2);
    erp_intake_free(intake);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_good_body_is_packed_whatever_its_pieces),
        cmocka_unit_test(test_a_byte_order_mark_is_passed),
        cmocka_unit_test(test_a_byte_order_mark_moves_nothing),
        cmocka_unit_test(test_rows_of_changes_are_counted),
        cmocka_unit_test(test_what_is_no_json_is_told_by_its_place),
        cmocka_unit_test(test_what_is_no_json_is_not_read_on),
        cmocka_unit_test(test_changes_have_at_least_one_row),
        cmocka_unit_test(test_a_wrong_list_is_told_once),
        cmocka_unit_test(test_an_event_id_has_1_to_128_characters),
        cmocka_unit_test(test_long_values_are_cut),
        cmocka_unit_test(test_a_hundred_faults_are_told),
        cmocka_unit_test(test_lists_may_stand_in_any_order),
        cmocka_unit_test(test_what_is_referred_to_is_there_in_any_order),
        cmocka_unit_test(test_choices_of_absent_axes_wait_for_the_integration),
        cmocka_unit_test(test_faults_are_the_same_when_they_are_asked_for_again),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
