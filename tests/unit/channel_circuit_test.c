/* The circuit of a channel, as a table: how fetches end, one after the other, and what it does. */
#include "domain/channel/channel_worker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { STEPS_MAX = 8, START_MS = 1000, PROBE_MS = START_MS + CIRCUIT_OPEN_MS };

struct step {
    int64_t at_ms;
    enum channel_outcome outcome;
    int times;                  /* 0: once */
    enum circuit_change change; /* of the last one; CIRCUIT_SAME of those before */
    bool is_open;
};

static const struct circuit_case {
    const char *name;
    struct step steps[STEPS_MAX]; /* ends with a row whose at_ms is 0 */
} cases[] = {
    {"one failure less than it takes", {{START_MS, OUTCOME_UNKNOWN, CIRCUIT_FAILURES - 1}}},
    {"as many failures as it takes",
     {{START_MS, OUTCOME_UNKNOWN, CIRCUIT_FAILURES, CIRCUIT_OPENED, true}}},
    {"both kinds of failure count",
     {{START_MS, OUTCOME_UNKNOWN, CIRCUIT_FAILURES - 1},
      {START_MS, OUTCOME_RETRYABLE, 1, CIRCUIT_OPENED, true}}},
    {"a success between",
     {{START_MS, OUTCOME_UNKNOWN, CIRCUIT_FAILURES - 1},
      {START_MS, OUTCOME_DONE},
      {START_MS, OUTCOME_UNKNOWN, CIRCUIT_FAILURES - 1}}},
    {"a bad recipient is the provider's good answer",
     {{START_MS, OUTCOME_UNKNOWN, CIRCUIT_FAILURES - 1},
      {START_MS, OUTCOME_PERMANENT},
      {START_MS, OUTCOME_UNKNOWN, CIRCUIT_FAILURES - 1}}},
    {"a limit neither counts nor forgives",
     {{START_MS, OUTCOME_UNKNOWN, CIRCUIT_FAILURES - 1},
      {START_MS, OUTCOME_RATE_LIMITED, 20},
      {START_MS, OUTCOME_UNKNOWN, 1, CIRCUIT_OPENED, true}}},
    {"credentials at once", {{START_MS, OUTCOME_OURS, 1, CIRCUIT_OPENED, true}}},
    {"fetches from before do not prolong it",
     {{START_MS, OUTCOME_OURS, 1, CIRCUIT_OPENED, true},
      {PROBE_MS - 1, OUTCOME_UNKNOWN, 50, CIRCUIT_SAME, true},
      {PROBE_MS - 1, OUTCOME_OURS, 50, CIRCUIT_SAME, true},
      {PROBE_MS - 1, OUTCOME_RATE_LIMITED, 1, CIRCUIT_SAME, true},
      {PROBE_MS, OUTCOME_UNKNOWN, 1, CIRCUIT_OPENED, true}}},
    {"a fetch from before that succeeds closes it",
     {{START_MS, OUTCOME_OURS, 1, CIRCUIT_OPENED, true},
      {START_MS + 1, OUTCOME_DONE, 1, CIRCUIT_CLOSED}}},
    {"a probe that succeeds",
     {{START_MS, OUTCOME_OURS, 1, CIRCUIT_OPENED, true},
      {PROBE_MS, OUTCOME_DONE, 1, CIRCUIT_CLOSED},
      {PROBE_MS, OUTCOME_UNKNOWN, CIRCUIT_FAILURES - 1}}},
    {"a probe with a bad recipient",
     {{START_MS, OUTCOME_OURS, 1, CIRCUIT_OPENED, true},
      {PROBE_MS, OUTCOME_PERMANENT, 1, CIRCUIT_CLOSED}}},
    {"a probe that is put off by a limit",
     {{START_MS, OUTCOME_OURS, 1, CIRCUIT_OPENED, true},
      {PROBE_MS, OUTCOME_RATE_LIMITED, 1, CIRCUIT_CLOSED}}},
    {"a probe that fails opens it for as long again",
     {{START_MS, OUTCOME_OURS, 1, CIRCUIT_OPENED, true},
      {PROBE_MS, OUTCOME_RETRYABLE, 1, CIRCUIT_OPENED, true},
      {PROBE_MS + CIRCUIT_OPEN_MS - 1, OUTCOME_RETRYABLE, 1, CIRCUIT_SAME, true},
      {PROBE_MS + CIRCUIT_OPEN_MS, OUTCOME_OURS, 1, CIRCUIT_OPENED, true}}},
};

static void run_step(const char *name, struct circuit *circuit, const struct step *step)
{
    int times = step->times ? step->times : 1;
    for (int i = 1; i <= times; i++) {
        enum circuit_change expected = i == times ? step->change : CIRCUIT_SAME;
        if (channel_count_outcome(circuit, step->outcome, step->at_ms) != expected)
            fail_msg("%s: at %lld ms, %d times", name, (long long)step->at_ms, i);
    }
    assert_int_equal(circuit_is_open(circuit), step->is_open);
}

static void counts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct circuit circuit = {0};
        for (const struct step *step = cases[i].steps; step->at_ms; step++)
            run_step(cases[i].name, &circuit, step);
    }
}

static void allows_a_probe_when_its_time_has_come(void **state)
{
    struct circuit circuit = {0};
    (void)state;
    assert_true(circuit_wait_ms(&circuit, 0) == 0);
    assert_int_equal(channel_count_outcome(&circuit, OUTCOME_OURS, START_MS), CIRCUIT_OPENED);
    assert_int_equal(circuit_wait_ms(&circuit, START_MS), CIRCUIT_OPEN_MS);
    assert_int_equal(circuit_wait_ms(&circuit, PROBE_MS - 1), 1);
    assert_true(circuit_is_probe_due(&circuit, PROBE_MS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts),
        cmocka_unit_test(allows_a_probe_when_its_time_has_come),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
