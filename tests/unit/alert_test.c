/* domain/alert: when people are told of a trouble. */
#include "domain/alert/alert.h"
#include "kit/base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { NOW_MS = 1000 * 1000 * 1000, HOUR_MS = 60 * 60 * 1000 };

/* A look: how long after the look before, whether it is there, and what is to be done. */
struct look {
    int64_t after_ms;
    bool is_there;
    enum alert_move move;
};

/* Looks one after the other; what is to be told is told at once. */
static void expect_looks(const struct look *looks, size_t count)
{
    struct alert alert = {.kind = TROUBLE_DISK_LOW};
    int64_t now_ms = NOW_MS;

    for (size_t i = 0; i < count; i++) {
        now_ms += looks[i].after_ms;
        enum alert_move move = alert_look(&alert, looks[i].is_there, now_ms);
        if (move != looks[i].move) fail_msg("look %zu: %d", i, (int)move);
        if (move == ALERT_KEEP) continue;
        alert.is_told = move == ALERT_TELL;
        alert.told_at = now_ms;
    }
}
#define EXPECT_LOOKS(...)                            \
    expect_looks((const struct look[]){__VA_ARGS__}, \
                 sizeof((const struct look[]){__VA_ARGS__}) / sizeof(struct look))

static void what_lasts_is_told_once_and_at_its_end(void **state)
{
    (void)state;
    EXPECT_LOOKS({0, true, ALERT_KEEP}, {ALERT_HOLD_MS - 1, true, ALERT_KEEP},
                 {1, true, ALERT_TELL}, {HOUR_MS, true, ALERT_KEEP}, {1000, false, ALERT_KEEP},
                 {ALERT_HOLD_MS, false, ALERT_TELL_OVER}, {1000, false, ALERT_KEEP},
                 {ALERT_REST_MS, false, ALERT_FORGET});
}

static void what_is_over_soon_is_not_told(void **state)
{
    (void)state;
    EXPECT_LOOKS({0, true, ALERT_KEEP}, {ALERT_HOLD_MS - 1, false, ALERT_FORGET});
}

static void an_end_that_is_none_is_not_told(void **state)
{
    (void)state;
    EXPECT_LOOKS({0, true, ALERT_KEEP}, {ALERT_HOLD_MS, true, ALERT_TELL},
                 {1000, false, ALERT_KEEP}, {ALERT_HOLD_MS - 1, true, ALERT_KEEP},
                 {HOUR_MS, true, ALERT_KEEP});
}

static void what_comes_and_goes_is_told_after_a_rest(void **state)
{
    (void)state;
    EXPECT_LOOKS({0, true, ALERT_KEEP}, {ALERT_HOLD_MS, true, ALERT_TELL},
                 {1000, false, ALERT_KEEP}, {ALERT_HOLD_MS, false, ALERT_TELL_OVER},
                 {1000, true, ALERT_KEEP}, {ALERT_HOLD_MS, true, ALERT_KEEP},
                 {ALERT_REST_MS - ALERT_HOLD_MS - 1000, true, ALERT_TELL});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_lasts_is_told_once_and_at_its_end),
        cmocka_unit_test(what_is_over_soon_is_not_told),
        cmocka_unit_test(an_end_that_is_none_is_not_told),
        cmocka_unit_test(what_comes_and_goes_is_told_after_a_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
