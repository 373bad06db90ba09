/* The places of large bodies: who finds one, and whose it was (contract, section 5). */
#include "domain/erp/erp_gate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { NOW = 1000000, SECOND = 1000, PLACES = 16, NOBODY = -1 };

struct hall {
    struct erp_gate *gate;
    struct erp_place places[PLACES];
    bool is_in[PLACES];
    int losses[PLACES];
};

static int begin(void **state)
{
    struct hall *hall = calloc(1, sizeof(*hall));
    assert_non_null(hall);
    hall->gate = erp_gate_new();
    *state = hall;
    return 0;
}

static int end(void **state)
{
    struct hall *hall = *state;
    for (int i = 0; i < PLACES; i++) {
        if (hall->is_in[i]) erp_gate_leave(hall->gate, &hall->places[i]);
    }
    erp_gate_free(hall->gate);
    free(hall);
    return 0;
}

static void count_loss(void *arg)
{
    ++*(int *)arg;
}

/* Upload `i`, of the integration of that letter. */
static bool enter(struct hall *hall, int i, char integration, int64_t now_ms)
{
    hall->places[i] = (struct erp_place){.integration_id = {{(uint8_t)integration}},
                                         .ending = {count_loss, &hall->losses[i]}};
    return hall->is_in[i] = erp_gate_enter(hall->gate, &hall->places[i], now_ms);
}

/* One upload for each letter. */
static void fill(struct hall *hall, const char *integrations, int64_t now_ms)
{
    for (int i = 0; integrations[i]; i++)
        assert_true(enter(hall, i, integrations[i], now_ms));
}

/* The one upload that has lost its place since it was asked last. */
static int loser(struct hall *hall)
{
    int found = NOBODY;

    for (int i = 0; i < PLACES; i++) {
        if (hall->losses[i] == 0) continue;
        assert_int_equal(hall->losses[i], 1);
        assert_int_equal(found, NOBODY);
        found = i;
        hall->losses[i] = 0;
    }
    return found;
}

static void note_all(struct hall *hall, int count, size_t bytes, int64_t now_ms)
{
    for (int i = 0; i < count; i++)
        assert_true(erp_gate_note(hall->gate, &hall->places[i], bytes, now_ms));
}

static void who_has_none_takes_of_whom_has_many(void **state)
{
    struct hall *hall = *state;

    fill(hall, "aaaabbbb", NOW);
    assert_true(enter(hall, 8, 'c', NOW));
    int first = loser(hall);
    assert_true(first >= 0 && first < 8);
    assert_false(erp_gate_note(hall->gate, &hall->places[first], 1, NOW));
    assert_false(erp_gate_keep(hall->gate, &hall->places[first]));
    assert_true(erp_gate_note(hall->gate, &hall->places[8], 1, NOW));
    assert_true(erp_gate_keep(hall->gate, &hall->places[8]));
}

/* Else two that come again and again would end each other's uploads for ever. */
static void nobody_is_left_with_fewer_than_who_takes(void **state)
{
    struct hall *hall = *state;

    fill(hall, "aaaabbbb", NOW);
    assert_true(enter(hall, 8, 'c', NOW));
    assert_true(enter(hall, 9, 'c', NOW));
    assert_int_equal(hall->places[0].is_lost + hall->places[1].is_lost + hall->places[2].is_lost +
                         hall->places[3].is_lost,
                     1);
    assert_false(enter(hall, 10, 'c', NOW));
    assert_false(enter(hall, 10, 'a', NOW)); /* three each, and two of c */
    assert_false(enter(hall, 10, 'b', NOW));
    assert_true(enter(hall, 10, 'd', NOW));
}

static void of_an_integration_the_slowest_goes(void **state)
{
    struct hall *hall = *state;

    fill(hall, "aaabbcde", NOW);
    note_all(hall, 8, 1000000, NOW + SECOND);
    assert_true(erp_gate_note(hall->gate, &hall->places[0], 5000, NOW + 2 * SECOND));
    assert_true(erp_gate_note(hall->gate, &hall->places[2], 5000, NOW + 2 * SECOND));
    assert_true(enter(hall, 8, 'f', NOW + 3 * SECOND));
    assert_int_equal(loser(hall), 1);
}

static void what_has_come_keeps_its_place(void **state)
{
    struct hall *hall = *state;

    fill(hall, "aaaabbbb", NOW);
    for (int i = 0; i < 8; i++)
        assert_true(erp_gate_keep(hall->gate, &hall->places[i]));
    assert_false(enter(hall, 8, 'c', NOW + 60 * SECOND));
    erp_gate_leave(hall->gate, &hall->places[3]);
    hall->is_in[3] = false;
    assert_true(enter(hall, 8, 'c', NOW + 60 * SECOND));
    assert_int_equal(loser(hall), NOBODY);
}

/* One each: only a slow one is taken, and slow is who was so for 10 s. */
static void a_slow_upload_loses_its_place(void **state)
{
    struct hall *hall = *state;

    fill(hall, "abcdefgh", NOW);
    for (int second = 1; second <= 10; second++) {
        note_all(hall, 8, ERP_SLOW_RATE + 4096, NOW + second * SECOND);
        assert_false(enter(hall, 8, 'i', NOW + second * SECOND));
    }
    for (int second = 11; second <= 20; second++) {
        note_all(hall, 6, ERP_SLOW_RATE + 4096, NOW + second * SECOND);
        assert_true(erp_gate_note(hall->gate, &hall->places[6], ERP_SLOW_RATE - 4096,
                                  NOW + second * SECOND));
        assert_true(erp_gate_note(hall->gate, &hall->places[7], ERP_SLOW_RATE - 2048,
                                  NOW + second * SECOND));
    }
    assert_true(enter(hall, 8, 'i', NOW + 21 * SECOND - 1));
    assert_int_equal(loser(hall), 6);
    assert_true(enter(hall, 9, 'j', NOW + 21 * SECOND - 1));
    assert_int_equal(loser(hall), 7);
    assert_false(enter(hall, 10, 'k', NOW + 21 * SECOND - 1));
}

static void the_rate_is_that_of_the_last_ten_seconds(void **state)
{
    struct hall *hall = *state;

    fill(hall, "abcdefgh", NOW);
    note_all(hall, 8, 100 * 1024 * 1024, NOW); /* fast at first, and never again */
    assert_false(enter(hall, 8, 'i', NOW + 10 * SECOND));
    assert_true(enter(hall, 8, 'i', NOW + 11 * SECOND));
    assert_int_equal(loser(hall), 0);
}

static void who_has_all_that_one_may_have_takes_a_slow_one_of_its_own(void **state)
{
    struct hall *hall = *state;

    fill(hall, "aaaabb", NOW);
    assert_false(enter(hall, 8, 'a', NOW + 9 * SECOND));
    for (int i = 0; i < 6; i++) {
        if (i != 2) assert_true(erp_gate_note(hall->gate, &hall->places[i], 999999, NOW + SECOND));
    }
    assert_true(enter(hall, 8, 'a', NOW + 10 * SECOND));
    assert_int_equal(loser(hall), 2);
    assert_false(enter(hall, 9, 'a', NOW + 10 * SECOND));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(who_has_none_takes_of_whom_has_many, begin, end),
        cmocka_unit_test_setup_teardown(nobody_is_left_with_fewer_than_who_takes, begin, end),
        cmocka_unit_test_setup_teardown(of_an_integration_the_slowest_goes, begin, end),
        cmocka_unit_test_setup_teardown(what_has_come_keeps_its_place, begin, end),
        cmocka_unit_test_setup_teardown(a_slow_upload_loses_its_place, begin, end),
        cmocka_unit_test_setup_teardown(the_rate_is_that_of_the_last_ten_seconds, begin, end),
        cmocka_unit_test_setup_teardown(who_has_all_that_one_may_have_takes_a_slow_one_of_its_own,
                                        begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
