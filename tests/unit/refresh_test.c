/* app/api/refresh: when something is fetched anew, and who is told (contract, section 4: an unknown
 * key fetches the key set again, at most once in 30 s). */
#include "app/api/refresh.h"
#include "kit/base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { NEVER_MS = 3600 * 1000, WAITING_MAX = 3 };

static int64_t now_ms = 1000000;

/* The linker puts it in the place of clock_monotonic_ms: the clock is the test's own. */
int64_t __wrap_clock_monotonic_ms(void);

int64_t __wrap_clock_monotonic_ms(void)
{
    return now_ms;
}

/* A count is fetched. */
struct source {
    struct refresh *refresh;
    int started;
    bool ends_at_once;
    bool is_good;
};

struct listener {
    struct refresh_waiter waiter; /* first */
    int told;
};

static void start(void *arg)
{
    struct source *source = arg;
    source->started++;
    if (source->ends_at_once) refresh_done(source->refresh, source->is_good);
}

static void be_told(struct refresh_waiter *waiter)
{
    ((struct listener *)waiter)->told++;
}

static struct source *source_new(int64_t period_ms, int64_t least_ms)
{
    static struct source source;
    source = (struct source){.is_good = true};
    source.refresh = refresh_new(&(struct refresh_options){.period_ms = period_ms,
                                                           .retry_ms = period_ms,
                                                           .retry_max_ms = period_ms,
                                                           .least_ms = least_ms,
                                                           .waiting_max = WAITING_MAX,
                                                           .trouble = ERR_KEYS_UNAVAILABLE,
                                                           .start = start,
                                                           .arg = &source});
    return &source;
}

static enum err wait_as(struct source *source, struct listener *listener)
{
    *listener = (struct listener){.waiter.done = be_told};
    return refresh_wait(source->refresh, &listener->waiter);
}

static void the_first_tick_fetches_and_then_the_period_counts(void **state)
{
    (void)state;
    struct source *source = source_new(40, NEVER_MS);
    refresh_tick(source->refresh);
    assert_int_equal(source->started, 1);
    refresh_tick(source->refresh); /* one at a time */
    assert_int_equal(source->started, 1);
    refresh_done(source->refresh, true);
    refresh_tick(source->refresh);
    assert_int_equal(source->started, 1);
    now_ms += 39;
    refresh_tick(source->refresh);
    assert_int_equal(source->started, 1);
    now_ms++;
    refresh_tick(source->refresh);
    assert_int_equal(source->started, 2);
    refresh_done(source->refresh, true);
    refresh_free(source->refresh);
}

static void who_waits_starts_a_fetch_and_hears_of_its_end(void **state)
{
    (void)state;
    struct source *source = source_new(NEVER_MS, NEVER_MS);
    struct listener first, second;
    assert_int_equal(wait_as(source, &first), ERR_OK);
    assert_int_equal(source->started, 1);
    assert_int_equal(wait_as(source, &second), ERR_OK); /* the same fetch serves both */
    assert_int_equal(source->started, 1);
    assert_int_equal(first.told + second.told, 0);
    refresh_done(source->refresh, true);
    assert_int_equal(first.told, 1);
    assert_int_equal(second.told, 1);
    assert_int_equal(first.waiter.err, ERR_OK);
    refresh_free(source->refresh);
}

/* Beyond as many as may wait, one is told at once that its key is not known yet. */
static void those_who_wait_are_counted(void **state)
{
    (void)state;
    struct source *source = source_new(NEVER_MS, NEVER_MS);
    struct listener listeners[WAITING_MAX], more;
    for (int round = 0; round < 2; round++, now_ms += NEVER_MS) {
        for (int i = 0; i < WAITING_MAX; i++)
            assert_int_equal(wait_as(source, &listeners[i]), ERR_OK);
        assert_int_equal(wait_as(source, &more), ERR_OVERLOADED);
        assert_int_equal(more.told, 0);
        refresh_done(source->refresh, true);
        for (int i = 0; i < WAITING_MAX; i++)
            assert_int_equal(listeners[i].told, 1);
    }
    refresh_free(source->refresh);
}

/* A flood of unknown keys fetches once. */
static void nobody_waits_for_what_was_fetched_a_moment_ago(void **state)
{
    (void)state;
    struct source *source = source_new(NEVER_MS, NEVER_MS);
    struct listener listener;
    refresh_tick(source->refresh);
    refresh_done(source->refresh, true);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(wait_as(source, &listener), ERR_UNAUTHORIZED);
    refresh_tick(source->refresh);
    assert_int_equal(source->started, 1);
    assert_int_equal(listener.told, 0);
    refresh_free(source->refresh);
}

static void a_failed_fetch_is_told_as_such(void **state)
{
    (void)state;
    struct source *source = source_new(NEVER_MS, NEVER_MS);
    struct listener listener;
    assert_int_equal(wait_as(source, &listener), ERR_OK);
    refresh_done(source->refresh, false);
    assert_int_equal(listener.told, 1);
    assert_int_equal(listener.waiter.err, ERR_KEYS_UNAVAILABLE);
    assert_int_equal(wait_as(source, &listener), ERR_KEYS_UNAVAILABLE);
    refresh_free(source->refresh);
}

/* Returns how long it takes until the next fetch begins. */
static int64_t pause_of(struct source *source)
{
    int64_t begun_at_ms = now_ms;
    int started = source->started;

    while (source->started == started) {
        now_ms++;
        refresh_tick(source->refresh);
    }
    return now_ms - begun_at_ms;
}

static void what_fails_again_and_again_is_tried_less_often(void **state)
{
    (void)state;
    struct source *source = source_new(NEVER_MS, NEVER_MS);
    refresh_free(source->refresh);
    source->refresh = refresh_new(&(struct refresh_options){.period_ms = 10,
                                                            .retry_ms = 100,
                                                            .retry_max_ms = 300,
                                                            .least_ms = NEVER_MS,
                                                            .trouble = ERR_KEYS_UNAVAILABLE,
                                                            .start = start,
                                                            .arg = source});
    static const int64_t pauses_ms[] = {100, 200, 300, 300};
    refresh_tick(source->refresh);
    for (size_t i = 0; i < sizeof(pauses_ms) / sizeof(*pauses_ms); i++) {
        refresh_done(source->refresh, false);
        assert_int_equal(pause_of(source), pauses_ms[i]);
    }
    refresh_done(source->refresh, true); /* it begins anew */
    assert_int_equal(pause_of(source), 10);
    refresh_done(source->refresh, false);
    assert_int_equal(pause_of(source), 100);
    refresh_done(source->refresh, true);
    refresh_free(source->refresh);
}

/* Whoever may not fetch now but in a moment waits for that, not for what is under way: it may have
 * begun too early to bring what is wanted. */
static void a_turn_that_comes_soon_is_waited_for(void **state)
{
    (void)state;
    struct source *source = source_new(NEVER_MS, 30);
    struct listener listener;
    refresh_tick(source->refresh);
    assert_int_equal(wait_as(source, &listener), ERR_OK);
    refresh_done(source->refresh, true);
    assert_int_equal(listener.told, 0);
    now_ms += 29;
    refresh_tick(source->refresh);
    assert_int_equal(source->started, 1);
    now_ms++;
    refresh_tick(source->refresh);
    assert_int_equal(source->started, 2);
    refresh_done(source->refresh, true);
    assert_int_equal(listener.told, 1);
    refresh_free(source->refresh);
}

static void what_is_asked_for_comes_at_once_or_after_the_one_under_way(void **state)
{
    (void)state;
    struct source *source = source_new(NEVER_MS, 0);
    refresh_ask(source->refresh);
    assert_int_equal(source->started, 1);
    refresh_ask(source->refresh);
    assert_int_equal(source->started, 1);
    refresh_done(source->refresh, true);
    refresh_tick(source->refresh);
    assert_int_equal(source->started, 2);
    refresh_done(source->refresh, true);
    refresh_tick(source->refresh);
    assert_int_equal(source->started, 2);
    refresh_free(source->refresh);
}

/* A submit that fails ends within its start. */
static void a_fetch_may_end_at_once(void **state)
{
    (void)state;
    struct source *source = source_new(NEVER_MS, NEVER_MS);
    struct listener listener;
    source->ends_at_once = true;
    source->is_good = false;
    assert_int_equal(wait_as(source, &listener), ERR_OK);
    assert_int_equal(listener.told, 1);
    assert_int_equal(listener.waiter.err, ERR_KEYS_UNAVAILABLE);
    refresh_free(source->refresh);
}

/* Of a fetch that hangs; it may still end well later. */
static void nobody_waits_longer_than_the_bound(void **state)
{
    (void)state;
    struct source *source = source_new(NEVER_MS, NEVER_MS);
    struct listener listener;
    assert_int_equal(wait_as(source, &listener), ERR_OK);
    refresh_tick(source->refresh);
    assert_int_equal(listener.told, 0);
    now_ms += REFRESH_WAIT_MAX_MS - 1;
    refresh_tick(source->refresh);
    assert_int_equal(listener.told, 0);
    now_ms++;
    refresh_tick(source->refresh);
    assert_int_equal(listener.told, 1);
    assert_int_equal(listener.waiter.err, ERR_KEYS_UNAVAILABLE);
    refresh_done(source->refresh, true);
    assert_int_equal(listener.told, 1);
    refresh_free(source->refresh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_tick_fetches_and_then_the_period_counts),
        cmocka_unit_test(who_waits_starts_a_fetch_and_hears_of_its_end),
        cmocka_unit_test(those_who_wait_are_counted),
        cmocka_unit_test(nobody_waits_for_what_was_fetched_a_moment_ago),
        cmocka_unit_test(a_failed_fetch_is_told_as_such),
        cmocka_unit_test(what_fails_again_and_again_is_tried_less_often),
        cmocka_unit_test(a_turn_that_comes_soon_is_waited_for),
        cmocka_unit_test(what_is_asked_for_comes_at_once_or_after_the_one_under_way),
        cmocka_unit_test(a_fetch_may_end_at_once),
        cmocka_unit_test(nobody_waits_longer_than_the_bound),
    };
    return cmocka_run_group_tests_name("refresh", tests, NULL, NULL);
}
