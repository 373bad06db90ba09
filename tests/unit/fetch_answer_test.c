/* kit/fetch: an answer as it comes in, line by line and part by part. */
#include "kit/fetch/answer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static const int64_t NOW_MS = 1795235696000; /* 2026-11-21T04:34:56Z */

static int new_answer(void **state)
{
    static struct answer answer;
    answer_init(&answer, FETCH_ANSWER_MAX);
    *state = &answer;
    return 0;
}

static int free_answer(void **state)
{
    answer_done(*state);
    return 0;
}

static void add_line(struct answer *answer, const char *line)
{
    assert_true(answer_add_line(answer, str_of(line), NOW_MS));
}

static int64_t retry_after(struct answer *answer, const char *value)
{
    char line[160];
    snprintf(line, sizeof(line), "retry-after:%s\r\n", value);
    answer_clear(answer);
    add_line(answer, "HTTP/1.1 429 Slow Down\r\n");
    add_line(answer, line);
    add_line(answer, "\r\n");
    return answer->retry_after_ms;
}

static const int64_t MAX_MS = 30LL * 24 * 60 * 60 * 1000;

static void test_retry_after_seconds(void **state)
{
    struct answer *answer = *state;
    assert_int_equal(retry_after(answer, " 0"), 0);
    assert_int_equal(retry_after(answer, "120 "), 120000);
    assert_int_equal(retry_after(answer, " 2592000"), MAX_MS);
    assert_int_equal(retry_after(answer, " 2592001"), MAX_MS);
    assert_int_equal(retry_after(answer, " 9223372036854775807"), MAX_MS);
    assert_int_equal(retry_after(answer, " -5"), -1);
    assert_int_equal(retry_after(answer, ""), -1);
    assert_int_equal(retry_after(answer, " soon"), -1);
}

static void test_retry_after_date(void **state)
{
    struct answer *answer = *state;
    assert_int_equal(retry_after(answer, " Sat, 21 Nov 2026 04:35:26 GMT"), 30000);
    assert_int_equal(retry_after(answer, " Saturday, 21-Nov-26 04:35:26 GMT"), 30000);
    assert_int_equal(retry_after(answer, " Sat Nov 21 04:35:26 2026"), 30000);
    assert_int_equal(retry_after(answer, " Sat, 21 Nov 2026 04:34:00 GMT"), 0);
    assert_int_equal(retry_after(answer, " Sat, 21 Nov 2096 04:34:00 GMT"), MAX_MS);
    assert_int_equal(retry_after(answer, " Sat, 21 Nov 2026 04:35:26 GMT                       "
                                         "                                                   ."),
                     -1);
}

/* Only the head of the final answer counts. */
static void test_heads(void **state)
{
    struct answer *answer = *state;
    add_line(answer, "HTTP/1.1 103 Early Hints\r\n");
    add_line(answer, "Retry-After: 9\r\n");
    add_line(answer, "\r\n");
    assert_true(answer->is_head_whole);
    add_line(answer, "HTTP/1.1 200 OK\r\n");
    assert_false(answer->is_head_whole);
    assert_int_equal(answer->retry_after_ms, -1);
    add_line(answer, "Retry-After-All: 9\r\n");
    add_line(answer, "no header at all\r\n");
    assert_false(answer->is_head_whole);
    add_line(answer, "\n");
    assert_true(answer->is_head_whole);
    add_line(answer, "Retry-After: 9\r\n"); /* a trailer */
    assert_int_equal(answer->retry_after_ms, -1);
}

static void test_head_has_a_maximum(void **state)
{
    static const char line[ANSWER_HEAD_MAX / 2] = "X-Long: x";
    struct answer *answer = *state;
    for (int round = 0; round < 2; round++) { /* a new answer begins at nothing */
        assert_true(answer_add_line(answer, (struct str){line, sizeof(line)}, NOW_MS));
        assert_true(answer_add_line(answer, (struct str){line, sizeof(line)}, NOW_MS));
        assert_false(answer_add_line(answer, STR("\n"), NOW_MS));
        answer_clear(answer);
    }
}

static void test_body_has_a_maximum(void **state)
{
    static const char part[FETCH_ANSWER_MAX / 2] = "x";
    struct answer *answer = *state;
    assert_true(answer_add_body(answer, (struct str){part, sizeof(part)}));
    assert_true(answer_add_body(answer, (struct str){part, sizeof(part)}));
    assert_int_equal(answer->body_len, FETCH_ANSWER_MAX);
    assert_int_equal(answer_cut(answer, STR("xyz")).len, 0);
    answer->body_len -= 2;
    assert_int_equal(answer_cut(answer, STR("xyz")).len, 2);
    assert_int_equal(answer_cut(answer, STR("x")).len, 1);
    answer->body_len += 2;
    assert_true(answer_add_body(answer, (struct str){0}));
    assert_false(answer_add_body(answer, STR("x")));
}

static void test_clear_zeroes(void **state)
{
    static const char zero[9];
    struct answer *answer = *state;
    assert_true(answer_add_body(answer, STR("code ")));
    assert_true(answer_add_body(answer, STR("1234")));
    assert_memory_equal(answer->body, "code 1234", sizeof(zero));
    answer_clear(answer);
    assert_memory_equal(answer->body, zero, sizeof(zero));
    assert_int_equal(answer->body_len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_retry_after_seconds, new_answer, free_answer),
        cmocka_unit_test_setup_teardown(test_retry_after_date, new_answer, free_answer),
        cmocka_unit_test_setup_teardown(test_heads, new_answer, free_answer),
        cmocka_unit_test_setup_teardown(test_head_has_a_maximum, new_answer, free_answer),
        cmocka_unit_test_setup_teardown(test_body_has_a_maximum, new_answer, free_answer),
        cmocka_unit_test_setup_teardown(test_clear_zeroes, new_answer, free_answer),
    };
    return cmocka_run_group_tests_name("client_answer", tests, NULL, NULL);
}
