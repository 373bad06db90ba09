/* The document of faults (contract, section 1, exception 1). */
#include "arena_fixture.h"
#include "domain/erp/erp_faults.h"
#include "made_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define DETAIL(rows) "{\"detail\":[" rows "]}"

static void faults_are_told_in_their_order(void **state)
{
    static const struct stream_fault faults[] = {
        {.type = "missing",
         .message = "Field required",
         .loc = "\"products\",0,\"id\"",
         .input = "{}"},
        {.type = "too_short",
         .message = "Say \"more\"",
         .loc = "",
         .ctx = "{\"min_length\":1}",
         .input = "[]"},
    };
    assert_string_equal(erp_faults_print(faults, 2, false, STR(""), *state),
                        DETAIL("{\"type\":\"missing\",\"loc\":[\"body\",\"products\",0,\"id\"],"
                               "\"msg\":\"Field required\",\"input\":{}},"
                               "{\"type\":\"too_short\",\"loc\":[\"body\"],"
                               "\"msg\":\"Say \\\"more\\\"\",\"input\":[],"
                               "\"ctx\":{\"min_length\":1}}"));
    assert_string_equal(erp_faults_print(faults, 0, false, STR(""), *state), DETAIL(""));
}

static void that_there_are_more_is_the_last_fault(void **state)
{
    static const struct stream_fault fault = {
        .type = "t", .message = "m", .loc = "1", .input = "null"};
    assert_string_equal(erp_faults_print(&fault, 1, true, STR(""), *state),
                        DETAIL("{\"type\":\"t\",\"loc\":[\"body\",1],\"msg\":\"m\",\"input\":null},"
                               "{\"type\":\"truncated\",\"loc\":[\"body\"],"
                               "\"msg\":\"More faults are not shown\",\"input\":null}"));
}

/* The input of a fault whose value is the bytes [begin, end) of the text. */
static void assert_input(struct arena *arena, const char *body, uint64_t begin, uint64_t end,
                         const char *expected)
{
    struct stream_fault fault = {
        .type = "t", .message = "m", .loc = "", .begin = begin, .end = end};
    assert_string_equal(erp_faults_print(&fault, 1, false, str_of(body), arena),
                        arena_printf(arena,
                                     DETAIL("{\"type\":\"t\",\"loc\":[\"body\"],\"msg\":\"m\","
                                            "\"input\":%s}"),
                                     expected));
}

static void values_are_shown_as_they_were_sent(void **state)
{
    struct arena *arena = *state;

    assert_input(arena, "{\"a\": [1, 2 ]}", 6, 13, "[1, 2 ]");
    assert_input(arena, "{\"a\": 1}", 3, 3, "null");
}

/* 200 characters, not bytes; what is cut is no JSON any more, so it is a text. */
static void long_values_are_shown_by_their_beginning(void **state)
{
    struct arena *arena = *state;
    const char *fits = arena_printf(arena, "[\"%s\"]", repeat(arena, "€", STREAM_INPUT_MAX - 4));
    const char *long_one =
        arena_printf(arena, "[\"%s\"]", repeat(arena, "€", STREAM_INPUT_MAX - 3));

    assert_input(arena, fits, 0, strlen(fits), fits);
    assert_input(arena, long_one, 0, strlen(long_one),
                 arena_printf(arena, "\"[\\\"%s\\\"\"", repeat(arena, "€", STREAM_INPUT_MAX - 3)));
}

static void what_is_no_json_has_a_place(void **state)
{
    assert_string_equal(erp_faults_print_no_json("A \"quote\" is open.", UINT64_MAX, *state),
                        DETAIL("{\"type\":\"json_invalid\",\"loc\":[\"body\",18446744073709551615],"
                               "\"msg\":\"JSON decode error\",\"input\":{},"
                               "\"ctx\":{\"error\":\"A \\\"quote\\\" is open.\"}}"));
}

/* The most faults with the longest places that there may be. */
static void the_longest_document_fits(void **state)
{
    struct arena *arena = *state;
    struct stream_fault faults[STREAM_FAULTS_MAX];
    const char *place = arena_printf(arena, "\"%s\"", repeat(arena, "k", 40 * 1024));
    const char *input = arena_printf(arena, "\"%s\"", repeat(arena, "\\u0001", STREAM_INPUT_MAX));

    for (size_t i = 0; i < STREAM_FAULTS_MAX; i++)
        faults[i] =
            (struct stream_fault){.type = "t", .message = "m", .loc = place, .input = input};
    const char *text = erp_faults_print(faults, STREAM_FAULTS_MAX, true, STR(""), arena);
    assert_true(strlen(text) > STREAM_FAULTS_MAX * strlen(place));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, arena_begin, arena_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(faults_are_told_in_their_order),     TEST(that_there_are_more_is_the_last_fault),
        TEST(values_are_shown_as_they_were_sent), TEST(long_values_are_shown_by_their_beginning),
        TEST(what_is_no_json_has_a_place),        TEST(the_longest_document_fits),
    };
    return cmocka_run_group_tests_name("erp_faults", tests, NULL, NULL);
}
