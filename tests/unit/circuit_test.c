/* kit/job/circuit: what opens it, what closes it. What counts as a
 * failure is its owner's: channel_circuit_test and order_lane_test. */
#include "kit/base/clock.h"
#include "kit/job/circuit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { NOW_MS = 1000 * 1000, PROBE_MS = NOW_MS + CIRCUIT_OPEN_MS };

static struct circuit failed(int times)
{
    struct circuit circuit = {0};
    for (int i = 0; i < times; i++)
        circuit_count_failure(&circuit, 1, NOW_MS);
    return circuit;
}

static void failures_in_a_row_open_it(void **state)
{
    struct circuit circuit = {0};
    (void)state;
    assert_int_equal(circuit_count_failure(&circuit, 1, NOW_MS), CIRCUIT_FAILING);
    for (int i = 2; i < CIRCUIT_FAILURES; i++)
        assert_int_equal(circuit_count_failure(&circuit, 1, NOW_MS), CIRCUIT_SAME);
    assert_false(circuit_is_open(&circuit));
    assert_int_equal(circuit_wait_ms(&circuit, NOW_MS), 0);
    assert_int_equal(circuit_count_failure(&circuit, 1, NOW_MS), CIRCUIT_OPENED);
    assert_true(circuit_is_open(&circuit));
    assert_int_equal(circuit_wait_ms(&circuit, NOW_MS), CIRCUIT_OPEN_MS);
}

static void a_grave_one_opens_it_alone(void **state)
{
    struct circuit circuit = {0};
    (void)state;
    assert_int_equal(circuit_count_failure(&circuit, CIRCUIT_FAILURES, NOW_MS), CIRCUIT_OPENED);
}

static void a_success_ends_the_row(void **state)
{
    struct circuit circuit = failed(CIRCUIT_FAILURES - 1);
    (void)state;
    assert_int_equal(circuit_count_success(&circuit), CIRCUIT_RECOVERED);
    assert_int_equal(circuit_count_success(&circuit), CIRCUIT_SAME);
    assert_int_equal(circuit_count_failure(&circuit, 1, NOW_MS), CIRCUIT_FAILING);
}

/* They began before it opened. */
static void failures_while_it_is_open_change_nothing(void **state)
{
    struct circuit circuit = failed(CIRCUIT_FAILURES);
    (void)state;
    assert_int_equal(circuit_count_failure(&circuit, 1, PROBE_MS - 1), CIRCUIT_SAME);
    assert_int_equal(circuit.failures, CIRCUIT_FAILURES);
    assert_int_equal(circuit.probe_at, PROBE_MS);
}

static void a_fetch_in_place_of_a_probe(void **state)
{
    struct circuit circuit = failed(CIRCUIT_FAILURES);
    (void)state;
    assert_false(circuit_is_probe_due(&circuit, PROBE_MS - 1));
    assert_true(circuit_is_probe_due(&circuit, PROBE_MS));
    assert_int_equal(circuit_count_failure(&circuit, 1, PROBE_MS), CIRCUIT_OPENED);
    assert_int_equal(circuit.probe_at, PROBE_MS + CIRCUIT_OPEN_MS);
    assert_int_equal(circuit_count_success(&circuit), CIRCUIT_CLOSED);
    assert_false(circuit_is_open(&circuit) || circuit_is_half_open(&circuit));
}

static void a_probe_that_goes_well_makes_it_half_open(void **state)
{
    struct circuit circuit = failed(CIRCUIT_FAILURES);
    (void)state;
    circuit_begin_probe(&circuit, PROBE_MS);
    assert_false(circuit_is_probe_due(&circuit, PROBE_MS));
    circuit_pass_probe(&circuit);
    assert_true(circuit_is_half_open(&circuit));
    assert_false(circuit_is_open(&circuit));

    struct circuit other = circuit;
    assert_int_equal(circuit_count_failure(&other, 1, PROBE_MS), CIRCUIT_OPENED);
    assert_int_equal(circuit_count_success(&circuit), CIRCUIT_CLOSED);
    assert_false(circuit_is_half_open(&circuit));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failures_in_a_row_open_it),
        cmocka_unit_test(a_grave_one_opens_it_alone),
        cmocka_unit_test(a_success_ends_the_row),
        cmocka_unit_test(failures_while_it_is_open_change_nothing),
        cmocka_unit_test(a_fetch_in_place_of_a_probe),
        cmocka_unit_test(a_probe_that_goes_well_makes_it_half_open),
    };
    return cmocka_run_group_tests_name("circuit", tests, NULL, NULL);
}
