/* traceparent as W3C Trace Context has it, to the letter. */
#include "core/trace.h"
#include "kit/base/macros.h"
#include "kit/base/secret.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define TRACE "0af7651916cd43dd8448eb211c80319c"
#define SPAN  "b7ad6b7169203331"
#define GOOD  "00-" TRACE "-" SPAN "-01"

static bool is_taken(const char *given)
{
    char own[TRACEPARENT_LEN + 1] = "";
    return trace_take(str_of(given), own);
}

static void the_trace_goes_on_with_a_span_of_its_own(void **state)
{
    char own[TRACEPARENT_LEN + 1], again[TRACEPARENT_LEN + 1];
    (void)state;

    assert_true(trace_take(STR(GOOD), own));
    assert_int_equal(strlen(own), TRACEPARENT_LEN);
    assert_memory_equal(own, GOOD, strlen("00-" TRACE "-"));
    assert_string_equal(own + 52, "-01");
    assert_null(strstr(own, SPAN));
    assert_true(is_taken(own)); /* it is a traceparent itself */
    assert_true(trace_take(STR(GOOD), again));
    assert_string_not_equal(own, again);
}

static void flags_without_a_meaning_are_dropped(void **state)
{
    static const char *const rows[][2] = {{"00", "00"}, {"01", "01"}, {"02", "02"},
                                          {"03", "03"}, {"ff", "03"}, {"08", "00"}};
    (void)state;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char given[TRACEPARENT_LEN + 1], own[TRACEPARENT_LEN + 1];
        snprintf(given, sizeof(given), "00-" TRACE "-" SPAN "-%s", rows[i][0]);
        assert_true(trace_take(str_of(given), own));
        assert_string_equal(own + 53, rows[i][1]);
    }
}

static void what_is_not_to_the_letter_is_ignored(void **state)
{
    static const char *const rows[] = {
        "",
        "00",
        "00-" TRACE "-" SPAN, /* no flags */
        GOOD "-",             /* version 00 ends there */
        GOOD "-00",
        GOOD " ",
        " " GOOD,
        "00-" TRACE "-" SPAN "-0",
        "00-" TRACE "-" SPAN "-0g", /* */
        "00-" TRACE "-" SPAN "-0A", /* upper case */
        "00-0AF7651916CD43DD8448EB211C80319C-" SPAN "-01",
        "00-" TRACE "-B7AD6B7169203331-01",
        "00-00000000000000000000000000000000-" SPAN "-01",
        "00-" TRACE "-0000000000000000-01",
        "00_" TRACE "-" SPAN "-01",
        "00-" TRACE "_" SPAN "-01",
        "00-" TRACE "-" SPAN "_01",
        "ff-" TRACE "-" SPAN "-01", /* no version */
        "ff-" TRACE "-" SPAN "-01-more",
        "0x-" TRACE "-" SPAN "-01",
        "CC-" TRACE "-" SPAN "-01",
        "0-" TRACE "-" SPAN "-001",
        "00-" TRACE "1-" SPAN "-1",
    };
    (void)state;

    assert_true(is_taken(GOOD));
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (is_taken(rows[i])) fail_msg("taken: \"%s\"", rows[i]);
    char own[TRACEPARENT_LEN + 1];
    assert_false(trace_take((struct str){NULL, 0}, own));
}

static void a_later_version_is_read_as_far_as_this_one_goes(void **state)
{
    char own[TRACEPARENT_LEN + 1];
    (void)state;

    assert_true(trace_take(STR("cc-" TRACE "-" SPAN "-01"), own));
    assert_memory_equal(own, "00-", 3);
    assert_true(is_taken("01-" TRACE "-" SPAN "-01-what-the-future-brings"));
    assert_true(is_taken("01-" TRACE "-" SPAN "-01-"));
    assert_false(is_taken("01-" TRACE "-" SPAN "-01.what"));
    assert_false(is_taken("01-" TRACE "-" SPAN "-011"));
    assert_false(is_taken("01-" TRACE "-" SPAN "-0"));
}

static void the_log_shows_both_ids(void **state)
{
    struct trace_ids ids;
    struct log_field fields[TRACE_FIELDS];
    (void)state;

    trace_log_fields(GOOD, &ids, fields);
    assert_string_equal(fields[0].name, "trace_id");
    assert_string_equal(fields[0].text, TRACE);
    assert_string_equal(fields[1].name, "span_id");
    assert_string_equal(fields[1].text, SPAN);
    trace_log_fields(NULL, &ids, fields);
    assert_null(fields[0].text);
    assert_null(fields[1].text);
    trace_log_fields("00-" TRACE, &ids, fields); /* a row that is damaged */
    assert_null(fields[0].text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_trace_goes_on_with_a_span_of_its_own),
        cmocka_unit_test(flags_without_a_meaning_are_dropped),
        cmocka_unit_test(what_is_not_to_the_letter_is_ignored),
        cmocka_unit_test(a_later_version_is_read_as_far_as_this_one_goes),
        cmocka_unit_test(the_log_shows_both_ids),
    };
    if (!secret_system_init()) return 1;
    return cmocka_run_group_tests_name("trace", tests, NULL, NULL);
}
