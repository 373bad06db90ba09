/* app/doctor: the report, and what is judged from a number alone (contract, section 11.10). */
#include "app/doctor/doctor_check.h"
#include "arena_fixture.h"
#include "kit/base/mask.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const char *print(struct doctor_report *report, size_t columns)
{
    AUTO_BUF out = {0};
    buf_init(&out, 4096);
    doctor_report_print(report, columns, &out);
    return arena_str(report->arena, buf_view(&out));
}

static void test_the_worst_line_counts(void **state)
{
    struct doctor_report report = {.arena = *state};

    assert_int_equal(doctor_report_worst(&report), DOCTOR_OK);
    doctor_report_add(&report, "a", DOCTOR_OK, "Well.");
    assert_int_equal(doctor_report_worst(&report), DOCTOR_OK);
    doctor_report_add(&report, "b", DOCTOR_FAIL, "Bad.");
    doctor_report_add(&report, "c", DOCTOR_WARN, "Look.");
    assert_int_equal(doctor_report_worst(&report), DOCTOR_FAIL);
    assert_string_equal(print(&report, 0), "ok    a           Well.\n"
                                           "fail  b           Bad.\n"
                                           "warn  c           Look.\n");
}

static void test_messages_go_on_below_themselves(void **state)
{
    struct doctor_report report = {.arena = *state};

    doctor_report_add(&report, "sims", DOCTOR_WARN,
                      "\xd0\x9b\xd0\xb0\xd0\xb2\xd0\xba\xd0\xb0 one two three four five");
    assert_string_equal(print(&report, 38),
                        "warn  sims        \xd0\x9b\xd0\xb0\xd0\xb2\xd0\xba\xd0\xb0 one two three\n"
                        "                  four five\n");
    /* A terminal that is too narrow wraps by itself. */
    assert_null(strstr(print(&report, 37), "\n "));
}

static void test_nobody_steers_the_terminal(void **state)
{
    struct doctor_report report = {.arena = *state};

    doctor_report_add(&report, "erps", DOCTOR_WARN, "a\x1b[2J\nb");
    assert_string_equal(print(&report, 0), "warn  erps        a\\u001b[2J\\u000ab\n");
}

static void test_secrets_are_hidden(void **state)
{
    struct doctor_report report = {.arena = *state};

    doctor_report_add(&report, "sims", DOCTOR_WARN,
                      "hs_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG at 127.0.0.1:8080");
    const char *text = print(&report, 0);
    assert_null(strstr(text, "0123456789abc"));
    assert_non_null(strstr(text, "127.0.0.1:8080"));
}

static void test_a_report_has_an_end(void **state)
{
    struct doctor_report report = {.arena = *state};

    for (int i = 0; i < DOCTOR_LINES_MAX + 1; i++)
        doctor_report_add(&report, "a", DOCTOR_OK, "Well.");
    assert_int_equal(report.count, DOCTOR_LINES_MAX);
}

static void test_room_and_clocks_are_judged(void **state)
{
    (void)state;
    assert_int_equal(doctor_judge_room(63), DOCTOR_FAIL);
    assert_int_equal(doctor_judge_room(64), DOCTOR_WARN);
    assert_int_equal(doctor_judge_room(1023), DOCTOR_WARN);
    assert_int_equal(doctor_judge_room(1024), DOCTOR_OK);
    for (int sign = -1; sign <= 1; sign += 2) {
        assert_int_equal(doctor_judge_offset(sign * 5000), DOCTOR_OK);
        assert_int_equal(doctor_judge_offset(sign * 5001), DOCTOR_WARN);
        assert_int_equal(doctor_judge_offset(sign * 30000), DOCTOR_WARN);
        assert_int_equal(doctor_judge_offset(sign * 30001), DOCTOR_FAIL);
    }
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, arena_begin, arena_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_the_worst_line_counts),      CASE(test_messages_go_on_below_themselves),
        CASE(test_nobody_steers_the_terminal), CASE(test_secrets_are_hidden),
        CASE(test_a_report_has_an_end),        CASE(test_room_and_clocks_are_judged),
    };
    return cmocka_run_group_tests_name("doctor", tests, NULL, NULL);
}
