/* Bodies on their way in: packed as they were sent, all faults told, in whatever pieces they come
 * (contract, sections 1 and 5). */
#include "domain/erp/erp_gate.h"
#include "domain/erp/erp_intake.h"
#include "kit/base/macros.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define HEAD         "\"event_id\":\"e:1\",\"generated_at\":\"2026-11-21T04:33:00Z\""
#define CATEGORIES   "\"categories\":[{\"id\":\"c\",\"name\":\"C\"}]"
#define VARIANTS     "\"variants\":[{\"id\":\"v\",\"price\":1.5}]"
#define PRODUCT      "{\"id\":\"p\",\"name\":\"P\",\"category_id\":\"c\"," VARIANTS "}"
#define SNAPSHOT     "{" HEAD "," CATEGORIES ",\"products\":[" PRODUCT "]}"
#define PRICE_ROW    "{\"product_id\":\"p\",\"variant_id\":\"v\",\"price\":1}"
#define CHANGES      "{" HEAD ",\"prices\":[" PRICE_ROW "]}"
#define DETAIL(rows) "{\"detail\":[" rows "]}"

struct bench {
    struct service service;
    struct erp_setup erp;
    struct arena arena;
};

static int begin(void **state)
{
    struct bench *bench = calloc(1, sizeof(*bench));
    assert_non_null(bench);
    arena_init(&bench->arena);
    bench->service.erp = &bench->erp;
    bench->erp.packs = pack_pool_new();
    bench->erp.gate = erp_gate_new();
    *state = bench;
    return 0;
}

static int end(void **state)
{
    struct bench *bench = *state;
    pack_pool_free(bench->erp.packs);
    erp_gate_free(bench->erp.gate);
    arena_done(&bench->arena);
    free(bench);
    return 0;
}

static const struct uuid integrations[] = {{{1}}, {{2}}, {{3}}};

static struct erp_intake *new_intake(struct bench *bench, enum erp_package_type type,
                                     int64_t length)
{
    struct erp_intake *intake = NULL;
    assert_int_equal(erp_intake_new(&bench->service, &integrations[0], type, length,
                                    &(struct body_ending){NULL, NULL}, &intake),
                     ERR_OK);
    return intake;
}

/* Feeds it in pieces of `piece` bytes, as far as it goes. */
static void feed(struct erp_intake *intake, struct str text, size_t piece)
{
    while (text.len > 0) {
        size_t len = piece < text.len ? piece : text.len;
        if (!erp_intake_take(intake, (struct str){text.data, len})) return;
        text.data += len;
        text.len -= len;
    }
    erp_intake_end(intake);
}

static struct erp_intake *take_text(struct bench *bench, enum erp_package_type type,
                                    const char *text)
{
    struct erp_intake *intake = new_intake(bench, type, -1);
    feed(intake, str_of(text), SIZE_MAX);
    return intake;
}

static enum err check(struct bench *bench, struct erp_intake *intake, const char **ret_detail)
{
    *ret_detail = NULL;
    enum err err = erp_intake_check_form(intake, &bench->arena, ret_detail);
    return err ? err : erp_intake_check_content(intake, false, &bench->arena, ret_detail);
}

/* The document of faults; "" for none. */
static const char *faults_of(struct bench *bench, enum erp_package_type type, const char *text)
{
    struct erp_intake *intake = take_text(bench, type, text);
    const char *detail;
    enum err err = check(bench, intake, &detail);
    assert_int_equal(err, detail ? ERR_VALIDATION : ERR_OK);
    assert_int_equal(erp_intake_is_clean(intake), !detail);
    erp_intake_free(intake);
    return detail ? detail : "";
}

static void assert_faults(struct bench *bench, enum erp_package_type type, const char *text,
                          const char *expected)
{
    assert_string_equal(faults_of(bench, type, text), expected);
}

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

/* Contract, section 9.18. It is kept like any other byte; one alone, in whatever pieces. */
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

/* What is shown of a fault, and what is looked up in the second reading, is behind the mark too. */
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

/* Where the lists themselves are wrong, nobody knows how many rows were meant. */
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

/* Contract, section 9.18: only where they may be kept by the catalog is their judgement left to the
 * applying; what is null or empty is not kept. */
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

/* --- Sizes --- */

/* A good package of changes of exactly `length` bytes. */
static struct buf padded_changes(size_t length)
{
    struct buf text;
    buf_init(&text, length);
    buf_text(&text, CHANGES);
    while (text.len < length)
        buf_char(&text, ' ');
    return text;
}

static void test_25_mib_are_taken_and_a_byte_more_is_not(void **state)
{
    for (size_t length = ERP_BODY_MAX; length <= ERP_BODY_MAX + 1; length++) {
        bool is_good = length == ERP_BODY_MAX;
        struct buf text = padded_changes(length);
        struct erp_intake *intake = new_intake(*state, ERP_PACKAGE_DELTA, -1);
        const char *detail;
        feed(intake, buf_view(&text), 65536);
        assert_int_equal(erp_intake_is_clean(intake), is_good);
        assert_int_equal(check(*state, intake, &detail), is_good ? ERR_OK : ERR_PAYLOAD_TOO_LARGE);
        erp_intake_free(intake);
        buf_done(&text);
    }
}

static void test_what_is_announced_too_long_is_not_read(void **state)
{
    struct erp_intake *intake = new_intake(*state, ERP_PACKAGE_SNAPSHOT, ERP_BODY_MAX + 1);
    const char *detail;
    assert_false(erp_intake_take(intake, STR("{")));
    assert_false(erp_intake_is_clean(intake));
    assert_int_equal(check(*state, intake, &detail), ERR_PAYLOAD_TOO_LARGE);
    erp_intake_free(intake);
}

static int losses;

static void count_loss(void *arg)
{
    (void)arg;
    losses++;
}

static enum err new_large(struct bench *bench, int integration, struct erp_intake **ret_intake)
{
    return erp_intake_new(&bench->service, &integrations[integration], ERP_PACKAGE_SNAPSHOT,
                          ERP_BODY_LARGE + 1, &(struct body_ending){count_loss, NULL}, ret_intake);
}

static void test_large_bodies_are_counted(void **state)
{
    struct bench *bench = *state;
    struct erp_intake *intakes[ERP_LARGE_BODIES_MAX], *more;
    const char *detail;
    for (size_t i = 0; i < ERP_LARGE_BODIES_OF_ONE; i++)
        assert_int_equal(new_large(bench, 0, &intakes[i]), ERR_OK);
    assert_int_equal(new_large(bench, 0, &more), ERR_OVERLOADED);
    for (size_t i = ERP_LARGE_BODIES_OF_ONE; i < ERP_LARGE_BODIES_MAX; i++)
        assert_int_equal(new_large(bench, 1, &intakes[i]), ERR_OK);
    assert_int_equal(new_large(bench, 0, &more), ERR_OVERLOADED);

    /* One that is not large, and one that turns out to be. */
    struct buf text = padded_changes(ERP_BODY_LARGE + 1);
    more = new_intake(bench, ERP_PACKAGE_DELTA, ERP_BODY_LARGE);
    feed(more, (struct str){text.data, ERP_BODY_LARGE}, SIZE_MAX);
    assert_true(erp_intake_is_clean(more));
    erp_intake_free(more);
    more = new_intake(bench, ERP_PACKAGE_DELTA, -1);
    feed(more, buf_view(&text), SIZE_MAX);
    assert_int_equal(check(bench, more, &detail), ERR_OVERLOADED);
    erp_intake_free(more);

    erp_intake_free(intakes[0]);
    more = new_intake(bench, ERP_PACKAGE_DELTA, -1);
    feed(more, buf_view(&text), SIZE_MAX);
    assert_int_equal(check(bench, more, &detail), ERR_OK);
    erp_intake_free(more);
    intakes[0] = new_intake(bench, ERP_PACKAGE_SNAPSHOT, ERP_BODY_LARGE + 1);
    for (size_t i = 0; i < COUNT_OF(intakes); i++)
        erp_intake_free(intakes[i]);
    buf_done(&text);
}

/* Short as a text, large as variants: it counts as what it takes. */
static void test_bodies_that_grow_are_counted(void **state)
{
    struct bench *bench = *state;
    struct erp_intake *intakes[ERP_LARGE_BODIES_OF_ONE], *more;
    const char *detail;
    AUTO_BUF text = {0};

    buf_init(&text, ERP_BODY_LARGE);
    buf_text(&text,
             "{" HEAD "," CATEGORIES ",\"products\":[{\"id\":\"p\",\"name\":\"\",\"variants\":"
             "[{\"id\":\"v\",\"price\":1}");
    for (int i = 0; i < 8000; i++)
        buf_printf(&text, ",{\"id\":\"%d\",\"price\":1}", i);
    buf_text(&text, "]}]}");
    assert_false(text.is_full);
    for (size_t i = 0; i < COUNT_OF(intakes); i++)
        assert_int_equal(new_large(bench, 0, &intakes[i]), ERR_OK);
    more = new_intake(bench, ERP_PACKAGE_SNAPSHOT, (int64_t)text.len);
    feed(more, buf_view(&text), 16 * 1024);
    assert_int_equal(check(bench, more, &detail), ERR_OVERLOADED);
    erp_intake_free(more);
    erp_intake_free(intakes[0]);
    more = new_intake(bench, ERP_PACKAGE_SNAPSHOT, (int64_t)text.len);
    feed(more, buf_view(&text), 16 * 1024);
    assert_int_equal(check(bench, more, &detail), ERR_OK);
    erp_intake_free(more);
    for (size_t i = 1; i < COUNT_OF(intakes); i++)
        erp_intake_free(intakes[i]);
}

/* Contract, section 9.3: its place goes to an integration that has none. */
static void test_a_body_may_lose_its_place(void **state)
{
    struct bench *bench = *state;
    struct erp_intake *intakes[ERP_LARGE_BODIES_MAX], *more;
    const char *detail;
    size_t open = 0;

    losses = 0;
    for (size_t i = 0; i < COUNT_OF(intakes); i++)
        assert_int_equal(new_large(bench, i % 2, &intakes[i]), ERR_OK);
    erp_intake_end(intakes[0]); /* it is here: this one keeps its place */
    assert_int_equal(new_large(bench, 2, &more), ERR_OK);
    assert_int_equal(losses, 1);
    for (size_t i = 0; i < COUNT_OF(intakes); i++) {
        bool is_open = erp_intake_take(intakes[i], STR("{"));
        open += is_open;
        if (i > 0 && !is_open) assert_int_equal(check(bench, intakes[i], &detail), ERR_OVERLOADED);
    }
    assert_int_equal(open, COUNT_OF(intakes) - 2);
    assert_true(erp_intake_take(more, STR("{")));
    erp_intake_free(more);
    for (size_t i = 0; i < COUNT_OF(intakes); i++)
        erp_intake_free(intakes[i]);
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
        cmocka_unit_test(test_25_mib_are_taken_and_a_byte_more_is_not),
        cmocka_unit_test(test_what_is_announced_too_long_is_not_read),
        cmocka_unit_test(test_large_bodies_are_counted),
        cmocka_unit_test(test_bodies_that_grow_are_counted),
        cmocka_unit_test(test_a_body_may_lose_its_place),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
