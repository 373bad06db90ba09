/* The rules of a lane: failures, circuit, probe, room (contract, section 6). */
#include "domain/order/order_lane.h"
#include "kit/base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { NOW_MS = 1000 * 1000 };

static const enum order_outcome failures[] = {
    ATTEMPT_CONTRACT_ERROR,
    ATTEMPT_REFUSED,
    ATTEMPT_UNKNOWN,
    ATTEMPT_NOT_SENT,
};
enum { FAILURE_KINDS = sizeof(failures) / sizeof(failures[0]) };

static struct order_lane failed(int times)
{
    struct order_lane lane = {0};
    for (int i = 0; i < times; i++)
        order_lane_count(&lane, failures[i % FAILURE_KINDS], NOW_MS);
    return lane;
}

static void four_at_once(void **state)
{
    struct order_lane lane = {0};
    (void)state;
    assert_int_equal(order_lane_room(&lane, 0, false, CROWD_SOME), 4);
    assert_int_equal(order_lane_room(&lane, 3, false, CROWD_SOME), 1);
    assert_int_equal(order_lane_room(&lane, 4, false, CROWD_SOME), 0);
    assert_int_equal(order_lane_room(&lane, 5, false, CROWD_SOME), 0);
}

static void one_at_once_where_it_is_crowded(void **state)
{
    struct order_lane lane = {0};
    (void)state;
    assert_int_equal(order_lane_room(&lane, 0, false, CROWD_LARGE), 1);
    assert_int_equal(order_lane_room(&lane, 1, false, CROWD_LARGE), 0);
    assert_int_equal(order_lane_room(&lane, 3, false, CROWD_LARGE), 0);
    lane = failed(5);
    assert_int_equal(order_lane_room(&lane, 0, false, CROWD_LARGE), 0);
    circuit_pass_probe(&lane.circuit);
    assert_int_equal(order_lane_room(&lane, 0, false, CROWD_LARGE), 1);
}

/* Few calls of any lane are under way, its own were quick, and none failed. */
static void a_quick_one_goes_ahead(void **state)
{
    enum { MOST = ORDER_IN_FLIGHT_MAX + ORDER_AHEAD_MAX };
    struct order_lane lane = {0};
    (void)state;
    assert_int_equal(order_lane_room(&lane, 0, true, CROWD_NONE), MOST);
    assert_int_equal(order_lane_room(&lane, MOST - 1, true, CROWD_NONE), 1);
    assert_int_equal(order_lane_room(&lane, MOST, true, CROWD_NONE), 0);
    assert_int_equal(order_lane_room(&lane, 0, false, CROWD_NONE), 4);
    assert_int_equal(order_lane_room(&lane, 0, true, CROWD_SOME), 4);
    assert_int_equal(order_lane_room(&lane, 0, true, CROWD_LARGE), 1);
    lane = failed(1);
    assert_int_equal(order_lane_room(&lane, 0, true, CROWD_NONE), 4);
    lane = failed(5);
    assert_int_equal(order_lane_room(&lane, 0, true, CROWD_NONE), 0);
    circuit_pass_probe(&lane.circuit);
    assert_int_equal(order_lane_room(&lane, 0, true, CROWD_NONE), 1);
}

static void five_failures_in_a_row_open(void **state)
{
    struct order_lane lane = {0};
    (void)state;
    assert_int_equal(order_lane_count(&lane, ATTEMPT_REFUSED, NOW_MS), CIRCUIT_FAILING);
    for (int i = 2; i <= 4; i++)
        assert_int_equal(order_lane_count(&lane, ATTEMPT_UNKNOWN, NOW_MS), CIRCUIT_SAME);
    assert_false(circuit_is_open(&lane.circuit));
    assert_int_equal(order_lane_room(&lane, 0, false, CROWD_SOME), 4);
    assert_int_equal(order_lane_count(&lane, ATTEMPT_NOT_SENT, NOW_MS), CIRCUIT_OPENED);
    assert_true(circuit_is_open(&lane.circuit));
    assert_int_equal(order_lane_room(&lane, 0, false, CROWD_SOME), 0);
    assert_int_equal(lane.circuit.probe_at, NOW_MS + CIRCUIT_OPEN_MS);
}

static void every_kind_of_failure_counts(void **state)
{
    (void)state;
    for (int kind = 0; kind < FAILURE_KINDS; kind++) {
        struct order_lane lane = {0};
        for (int i = 0; i < CIRCUIT_FAILURES; i++)
            order_lane_count(&lane, failures[kind], NOW_MS);
        assert_true(circuit_is_open(&lane.circuit));
    }
}

static void an_answer_ends_the_row(void **state)
{
    const enum order_outcome successes[] = {ATTEMPT_ACCEPTED, ATTEMPT_REJECTED};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct order_lane lane = failed(4);
        assert_int_equal(order_lane_count(&lane, successes[i], NOW_MS), CIRCUIT_RECOVERED);
        assert_int_equal(order_lane_count(&lane, successes[i], NOW_MS), CIRCUIT_SAME);
        assert_int_equal(lane.circuit.failures, 0);
        for (int n = 0; n < 4; n++)
            order_lane_count(&lane, ATTEMPT_REFUSED, NOW_MS);
        assert_false(circuit_is_open(&lane.circuit));
    }
}

static void only_a_probe_closes(void **state)
{
    struct order_lane lane = failed(5);
    (void)state;
    assert_int_equal(order_lane_count(&lane, ATTEMPT_ACCEPTED, NOW_MS), CIRCUIT_SAME);
    assert_true(circuit_is_open(&lane.circuit));
    order_lane_count(&lane, ATTEMPT_REFUSED, NOW_MS + 1);
    assert_int_equal(lane.circuit.probe_at, NOW_MS + CIRCUIT_OPEN_MS);
    circuit_pass_probe(&lane.circuit);
    assert_int_equal(order_lane_room(&lane, 0, false, CROWD_SOME), 4);
}

static void probes_are_apart(void **state)
{
    struct order_lane lane = failed(5);
    (void)state;
    assert_false(circuit_is_probe_due(&lane.circuit, NOW_MS + CIRCUIT_OPEN_MS - 1));
    assert_true(circuit_is_probe_due(&lane.circuit, NOW_MS + CIRCUIT_OPEN_MS));
    circuit_begin_probe(&lane.circuit, NOW_MS + CIRCUIT_OPEN_MS);
    assert_false(circuit_is_probe_due(&lane.circuit, NOW_MS + CIRCUIT_OPEN_MS + 1));
    assert_true(circuit_is_probe_due(&lane.circuit, NOW_MS + 2 * CIRCUIT_OPEN_MS));
    circuit_pass_probe(&lane.circuit);
    assert_false(circuit_is_probe_due(&lane.circuit, INT64_MAX));
}

static void one_at_a_time_until_the_first_success(void **state)
{
    struct order_lane lane = failed(5);
    (void)state;
    circuit_pass_probe(&lane.circuit);
    assert_int_equal(order_lane_room(&lane, 0, false, CROWD_SOME), 1);
    assert_int_equal(order_lane_room(&lane, 1, false, CROWD_SOME), 0);
    assert_int_equal(order_lane_count(&lane, ATTEMPT_ACCEPTED, NOW_MS), CIRCUIT_CLOSED);
    assert_int_equal(order_lane_room(&lane, 1, false, CROWD_SOME), 3);
}

static void a_failure_reopens_at_once(void **state)
{
    struct order_lane lane = failed(5);
    (void)state;
    circuit_pass_probe(&lane.circuit);
    assert_int_equal(order_lane_count(&lane, ATTEMPT_REFUSED, NOW_MS + 7), CIRCUIT_OPENED);
    assert_int_equal(lane.circuit.probe_at, NOW_MS + 7 + CIRCUIT_OPEN_MS);
    assert_int_equal(order_lane_room(&lane, 0, false, CROWD_SOME), 0);
}

static void all_lanes_get_their_share(void **state)
{
    (void)state;
    assert_int_equal(order_lane_share(0, 3), 0);
    assert_int_equal(order_lane_share(-1, 3), 0);
    assert_int_equal(order_lane_share(256, 0), 0);
    assert_int_equal(order_lane_share(256, 1), 256);
    assert_int_equal(order_lane_share(256, 64), 4);
    assert_int_equal(order_lane_share(256, 65), 3);
    assert_int_equal(order_lane_share(256, 128), 2);
    assert_int_equal(order_lane_share(100, 128), 1);
}

static void refused_credentials_are_told_once_an_hour(void **state)
{
    struct order_lane lane = {0};
    (void)state;
    assert_true(order_lane_warns(&lane, NOW_MS));
    assert_false(order_lane_warns(&lane, NOW_MS + ORDER_WARN_EVERY_MS - 1));
    assert_true(order_lane_warns(&lane, NOW_MS + ORDER_WARN_EVERY_MS));
    assert_false(order_lane_warns(&lane, NOW_MS + ORDER_WARN_EVERY_MS + 1));
}

/* An operator reads since when, and why. */
static void a_lane_notes_since_when_it_is_shut(void **state)
{
    struct order_lane lane = {0};
    char longest[2 * ORDER_LANE_ERROR_MAX];
    (void)state;

    for (int i = 0; i < CIRCUIT_FAILURES; i++) {
        assert_int_equal(lane.opened_at, 0);
        order_lane_count(&lane, ATTEMPT_REFUSED, NOW_MS + i);
        order_lane_note(&lane, "HTTP 503", NOW_MS + i);
        assert_string_equal(lane.last_error, "HTTP 503");
    }
    assert_int_equal(lane.opened_at, NOW_MS + CIRCUIT_FAILURES - 1);
    order_lane_note(&lane, "HTTP 401", NOW_MS + 1000);
    circuit_pass_probe(&lane.circuit);
    order_lane_note(&lane, NULL, NOW_MS + 2000);
    assert_int_equal(lane.opened_at, NOW_MS + CIRCUIT_FAILURES - 1);
    assert_string_equal(lane.last_error, "HTTP 401");
    order_lane_count(&lane, ATTEMPT_ACCEPTED, NOW_MS + 3000);
    order_lane_note(&lane, NULL, NOW_MS + 3000);
    assert_int_equal(lane.opened_at, 0);
    assert_string_equal(lane.last_error, "");

    memset(longest, 'e', sizeof(longest));
    longest[sizeof(longest) - 1] = '\0';
    order_lane_count(&lane, ATTEMPT_UNKNOWN, NOW_MS);
    order_lane_note(&lane, longest, NOW_MS);
    assert_int_equal(strlen(lane.last_error), ORDER_LANE_ERROR_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_at_once),
        cmocka_unit_test(one_at_once_where_it_is_crowded),
        cmocka_unit_test(a_quick_one_goes_ahead),
        cmocka_unit_test(five_failures_in_a_row_open),
        cmocka_unit_test(every_kind_of_failure_counts),
        cmocka_unit_test(an_answer_ends_the_row),
        cmocka_unit_test(only_a_probe_closes),
        cmocka_unit_test(probes_are_apart),
        cmocka_unit_test(one_at_a_time_until_the_first_success),
        cmocka_unit_test(a_failure_reopens_at_once),
        cmocka_unit_test(all_lanes_get_their_share),
        cmocka_unit_test(refused_credentials_are_told_once_an_hour),
        cmocka_unit_test(a_lane_notes_since_when_it_is_shut),
    };
    return cmocka_run_group_tests_name("order_lane", tests, NULL, NULL);
}
