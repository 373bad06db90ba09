/* The circuit breaker, as a table: how calls end, one after the other, and what the circuit does.
 */
#include "domain/channel/channel_breaker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { STEPS_MAX = 8, START_MS = 1000, PROBE_MS = START_MS + BREAKER_OPEN_MS };

struct step {
    int64_t at_ms;
    enum channel_outcome outcome;
    int times;                  /* 0: once */
    enum breaker_change change; /* of the last one; BREAKER_UNCHANGED of those before */
    bool is_open;
};

static const struct breaker_case {
    const char *name;
    struct step steps[STEPS_MAX]; /* ends with a row whose at_ms is 0 */
} cases[] = {
    {"one failure less than it takes", {{START_MS, OUTCOME_UNKNOWN, BREAKER_FAILURES - 1}}},
    {"as many failures as it takes",
     {{START_MS, OUTCOME_UNKNOWN, BREAKER_FAILURES, BREAKER_OPENED, true}}},
    {"both kinds of failure count",
     {{START_MS, OUTCOME_UNKNOWN, BREAKER_FAILURES - 1},
      {START_MS, OUTCOME_RETRYABLE, 1, BREAKER_OPENED, true}}},
    {"a success between",
     {{START_MS, OUTCOME_UNKNOWN, BREAKER_FAILURES - 1},
      {START_MS, OUTCOME_DONE},
      {START_MS, OUTCOME_UNKNOWN, BREAKER_FAILURES - 1}}},
    {"a bad recipient is the provider's good answer",
     {{START_MS, OUTCOME_UNKNOWN, BREAKER_FAILURES - 1},
      {START_MS, OUTCOME_PERMANENT},
      {START_MS, OUTCOME_UNKNOWN, BREAKER_FAILURES - 1}}},
    {"a limit neither counts nor forgives",
     {{START_MS, OUTCOME_UNKNOWN, BREAKER_FAILURES - 1},
      {START_MS, OUTCOME_RATE_LIMITED, 20},
      {START_MS, OUTCOME_UNKNOWN, 1, BREAKER_OPENED, true}}},
    {"credentials at once", {{START_MS, OUTCOME_OURS, 1, BREAKER_OPENED, true}}},
    {"calls from before do not prolong it",
     {{START_MS, OUTCOME_OURS, 1, BREAKER_OPENED, true},
      {PROBE_MS - 1, OUTCOME_UNKNOWN, 50, BREAKER_UNCHANGED, true},
      {PROBE_MS - 1, OUTCOME_OURS, 50, BREAKER_UNCHANGED, true},
      {PROBE_MS - 1, OUTCOME_RATE_LIMITED, 1, BREAKER_UNCHANGED, true},
      {PROBE_MS, OUTCOME_UNKNOWN, 1, BREAKER_OPENED, true}}},
    {"a call from before that succeeds closes it",
     {{START_MS, OUTCOME_OURS, 1, BREAKER_OPENED, true},
      {START_MS + 1, OUTCOME_DONE, 1, BREAKER_CLOSED}}},
    {"a probe that succeeds",
     {{START_MS, OUTCOME_OURS, 1, BREAKER_OPENED, true},
      {PROBE_MS, OUTCOME_DONE, 1, BREAKER_CLOSED},
      {PROBE_MS, OUTCOME_UNKNOWN, BREAKER_FAILURES - 1}}},
    {"a probe with a bad recipient",
     {{START_MS, OUTCOME_OURS, 1, BREAKER_OPENED, true},
      {PROBE_MS, OUTCOME_PERMANENT, 1, BREAKER_CLOSED}}},
    {"a probe that is put off by a limit",
     {{START_MS, OUTCOME_OURS, 1, BREAKER_OPENED, true},
      {PROBE_MS, OUTCOME_RATE_LIMITED, 1, BREAKER_CLOSED}}},
    {"a probe that fails opens it for as long again",
     {{START_MS, OUTCOME_OURS, 1, BREAKER_OPENED, true},
      {PROBE_MS, OUTCOME_RETRYABLE, 1, BREAKER_OPENED, true},
      {PROBE_MS + BREAKER_OPEN_MS - 1, OUTCOME_RETRYABLE, 1, BREAKER_UNCHANGED, true},
      {PROBE_MS + BREAKER_OPEN_MS, OUTCOME_OURS, 1, BREAKER_OPENED, true}}},
};

static void run_step(const char *name, struct breaker *breaker, const struct step *step)
{
    int times = step->times ? step->times : 1;
    for (int i = 1; i <= times; i++) {
        enum breaker_change expected = i == times ? step->change : BREAKER_UNCHANGED;
        if (breaker_count(breaker, step->outcome, step->at_ms) != expected)
            fail_msg("%s: at %lld ms, %d times", name, (long long)step->at_ms, i);
    }
    assert_int_equal(breaker_is_probing(breaker), step->is_open);
}

static void counts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct breaker breaker = {0};
        for (const struct step *step = cases[i].steps; step->at_ms; step++)
            run_step(cases[i].name, &breaker, step);
    }
}

static void allows_a_probe_when_its_time_has_come(void **state)
{
    struct breaker breaker = {0};
    (void)state;
    assert_true(breaker_allows(&breaker, 0));
    assert_int_equal(breaker_count(&breaker, OUTCOME_OURS, START_MS), BREAKER_OPENED);
    assert_false(breaker_allows(&breaker, START_MS));
    assert_false(breaker_allows(&breaker, PROBE_MS - 1));
    assert_true(breaker_allows(&breaker, PROBE_MS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts),
        cmocka_unit_test(allows_a_probe_when_its_time_has_come),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
