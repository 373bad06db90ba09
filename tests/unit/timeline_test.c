/* core/timeline: lines that come back, lines that nobody wrote, and the order of steps. */
#include "core/timeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define AT    INT64_C(1795235580123)
#define PHONE "0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8f"

static struct arena arena;

static int set_up(void **state)
{
    (void)state;
    arena_init(&arena);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_done(&arena);
    return 0;
}

static struct timeline read_lines(const char *text)
{
    struct timeline_step row = timeline_step_of(TIMELINE_QUEUED, AT);
    struct timeline timeline;

    row.channel = 2;
    row.attempt = 7;
    timeline_init(&timeline, &arena);
    timeline_add_lines(&timeline, text, &row);
    return timeline;
}

static struct timeline_step full_step(void)
{
    struct timeline_step step = timeline_step_of(TIMELINE_FETCH, AT);

    assert_true(uuid_parse(str_of(PHONE), &step.device_id));
    step.gateway_number = "+79160000001";
    step.duration_ms = 142;
    step.status = 429;
    step.outcome = 1;
    step.error = "too many: wait 3 s";
    return step;
}

static void a_line_comes_back(void **state)
{
    struct timeline_step step = full_step();
    (void)state;

    const char *line = timeline_line(&arena, &step);
    assert_string_equal(line, "f1795235580123 d" PHONE " n+79160000001 t142 h429 orate_limited"
                              " etoo many: wait 3 s\n");
    struct timeline timeline = read_lines(line);
    assert_int_equal(timeline.steps.count, 1);
    const struct timeline_step *read = timeline_at(&timeline, 0);
    assert_int_equal(read->word, TIMELINE_FETCH);
    assert_int_equal(read->at, AT);
    assert_true(uuid_equal(&read->device_id, &step.device_id));
    assert_string_equal(read->gateway_number, "+79160000001");
    assert_int_equal(read->duration_ms, 142);
    assert_int_equal(read->status, 429);
    assert_int_equal(read->outcome, 1);
    assert_string_equal(read->error, "too many: wait 3 s");
    /* These are the row's. */
    assert_int_equal(read->channel, 2);
    assert_int_equal(read->attempt, 7);
}

static void a_line_is_no_longer_than_what_it_tells(void **state)
{
    struct timeline_step step = timeline_step_of(TIMELINE_WRONG_CODE, AT);
    (void)state;
    assert_string_equal(timeline_line(&arena, &step), "w1795235580123\n");
}

static void each_word_comes_back(void **state)
{
    (void)state;
    for (int word = 0; word < TIMELINE_CUT; word++) {
        struct timeline_step step = timeline_step_of((enum timeline_word)word, AT + word);
        struct timeline timeline = read_lines(timeline_line(&arena, &step));
        assert_int_equal(timeline.steps.count, 1);
        assert_int_equal(timeline_at(&timeline, 0)->word, word);
        assert_int_equal(timeline_at(&timeline, 0)->at, AT + word);
    }
}

/* An error is foreign text: it can neither end its line nor make it long. */
static void an_error_stays_in_its_line(void **state)
{
    struct timeline_step step = timeline_step_of(TIMELINE_FETCH, AT);
    char error[TIMELINE_ERROR_MAX + 60];
    (void)state;

    step.error = "a\nz1795235580124\n\x7f+";
    struct timeline timeline = read_lines(timeline_line(&arena, &step));
    assert_int_equal(timeline.steps.count, 1);
    assert_string_equal(timeline_at(&timeline, 0)->error, "a z1795235580124  +");

    memset(error, 'e', sizeof(error));
    memcpy(error + TIMELINE_ERROR_MAX - 1, "\xd0\x96", 2); /* a character across the limit */
    error[sizeof(error) - 1] = 0;
    step.error = error;
    timeline = read_lines(timeline_line(&arena, &step));
    assert_int_equal(strlen(timeline_at(&timeline, 0)->error), TIMELINE_ERROR_MAX - 1);
}

static void what_is_no_line_is_left_out(void **state)
{
    static const char *const texts[] = {
        "\n",
        "\n\n\n",
        " ",
        "c",
        "c\n",
        "c \n",
        "c17952355",
        "?1795235580123\n",
        "1795235580123\n",
        "c-1\n",
        "c1x\n",
        "c 1795235580123\n",
        "c99999999999999999999\n",
        "\xff\xfe\n",
        " c1795235580123\n",
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        assert_int_equal(read_lines(texts[i]).steps.count, 0);
    assert_int_equal(read_lines(NULL).steps.count, 0);
}

static void damaged_values_are_not_told(void **state)
{
    (void)state;
    struct timeline timeline = read_lines("c1795235580123 dnobody t-3 h oweird Qnew   t\n"
                                          "s1795235580124\n");
    assert_int_equal(timeline.steps.count, 2);
    const struct timeline_step *step = timeline_at(&timeline, 0);
    assert_true(uuid_is_nil(&step->device_id));
    assert_int_equal(step->duration_ms, -1);
    assert_int_equal(step->status, -1);
    assert_int_equal(step->outcome, -1);
    assert_null(step->error);
    assert_int_equal(timeline_at(&timeline, 1)->word, TIMELINE_SENT);
}

static void a_mark_is_a_step_at_its_place(void **state)
{
    (void)state;
    struct timeline timeline = read_lines("c1795235580130\n+z1795235580140\n");
    assert_int_equal(timeline.steps.count, 3);
    assert_int_equal(timeline_at(&timeline, 1)->word, TIMELINE_CUT);
    assert_int_equal(timeline_at(&timeline, 1)->at, AT + 7);
    assert_int_equal(timeline_at(&timeline, 2)->word, TIMELINE_CANCELED);
    assert_int_equal(read_lines("+").steps.count, 1);
}

static void steps_of_one_moment_stay_as_they_were_added(void **state)
{
    static const enum timeline_word words[] = {TIMELINE_SENT, TIMELINE_CREATED, TIMELINE_QUEUED,
                                               TIMELINE_CLAIMED};
    static const int64_t times[] = {30, 10, 10, 20};
    struct timeline timeline;
    (void)state;

    timeline_init(&timeline, &arena);
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        struct timeline_step step = timeline_step_of(words[i], times[i]);
        timeline_add(&timeline, &step);
    }
    timeline_sort(&timeline);
    assert_int_equal(timeline_at(&timeline, 0)->word, TIMELINE_CREATED);
    assert_int_equal(timeline_at(&timeline, 1)->word, TIMELINE_QUEUED);
    assert_int_equal(timeline_at(&timeline, 2)->word, TIMELINE_CLAIMED);
    assert_int_equal(timeline_at(&timeline, 3)->word, TIMELINE_SENT);
    timeline_remove(&timeline, 1);
    assert_int_equal(timeline.steps.count, 3);
    assert_int_equal(timeline_at(&timeline, 1)->word, TIMELINE_CLAIMED);
}

static void a_timeline_has_an_end(void **state)
{
    struct timeline timeline;
    struct timeline_step step = timeline_step_of(TIMELINE_CLAIMED, AT);
    (void)state;

    timeline_init(&timeline, &arena);
    for (int i = 0; i < TIMELINE_STEPS_MAX; i++)
        timeline_add(&timeline, &step);
    assert_int_equal(timeline_at(&timeline, TIMELINE_STEPS_MAX - 1)->word, TIMELINE_CLAIMED);
    timeline_add(&timeline, &step);
    assert_int_equal(timeline.steps.count, TIMELINE_STEPS_MAX);
    assert_int_equal(timeline_at(&timeline, TIMELINE_STEPS_MAX - 1)->word, TIMELINE_CUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_comes_back),
        cmocka_unit_test(a_line_is_no_longer_than_what_it_tells),
        cmocka_unit_test(each_word_comes_back),
        cmocka_unit_test(an_error_stays_in_its_line),
        cmocka_unit_test(what_is_no_line_is_left_out),
        cmocka_unit_test(damaged_values_are_not_told),
        cmocka_unit_test(a_mark_is_a_step_at_its_place),
        cmocka_unit_test(steps_of_one_moment_stay_as_they_were_added),
        cmocka_unit_test(a_timeline_has_an_end),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
