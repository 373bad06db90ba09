/* The lanes of orders: how many at once, whose turn it is, several workers, and how one ends. */
#include "app/setup/migrations.h"
#include "domain/order/order_lane.h"
#include "order_stage.h"

enum { QUICK_TRIES_MAX = 100 };

static const struct reaction documents = {0};
static const struct reaction slow = {.is_slow = true};

static void assert_each_order_once(struct stage *stage, int orders)
{
    assert_int_equal(count_documents(stage->erp), orders);
    assert_int_equal(stage->erp->orders, orders);
    assert_int_equal(count_of(stage, "order_delivery WHERE attempts = 1"), orders);
    assert_int_equal(count_of(stage, "order_attempt"), orders);
    assert_int_equal(count_of(stage, "order_body"), 0);
}

/* --- At once ---------------------------------------------------------------------------------- */

static void four_at_once(struct store *store)
{
    struct stage stage;
    begin(&stage, store, slow);
    struct uuid integration = integrate(&stage);
    start(&stage);
    order_some(&stage, &integration, 20);
    await_number(&stage.erp->orders, 4);
    sleep_ms(LINGER_MS);
    assert_int_equal(stage.erp->at_once, 4);
    assert_int_equal(count_of(&stage, "order_delivery WHERE state = 'delivering'"), 4);
    stage.erp->is_let_go = true;
    await_state(&stage, "accepted", 20);
    assert_int_equal(stage.erp->at_once_max, 4);
    assert_each_order_once(&stage, 20);
    end(&stage);
}

/* Single orders until its ERP was quick, which one on a busy machine is not always; how many. */
static int be_quick(struct stage *stage, const struct uuid *integration)
{
    int orders = 0;
    struct order_attempt attempt = {.duration_ms = ORDER_QUICK_MS + 1};
    while (attempt.duration_ms > ORDER_QUICK_MS && orders < QUICK_TRIES_MAX) {
        struct uuid id = order_one(stage, integration);
        await_state(stage, "accepted", ++orders);
        attempt = attempt_of(stage, &id, 1);
    }
    assert_in_range(attempt.duration_ms, 0, ORDER_QUICK_MS);
    return orders;
}

/* One whose ERP was quick, and then holds what it gets; how many orders it has in all. */
static int hold_a_quick_one(struct stage *stage, int orders, int timeout_s)
{
    struct uuid integration = integrate_at(stage, stage->erp->server->port, timeout_s);
    start(stage);
    int before = be_quick(stage, &integration);
    stage->erp->then = slow;
    order_some(stage, &integration, orders);
    await_number(&stage->erp->orders, before + ORDER_IN_FLIGHT_MAX);
    await_state(stage, "delivering", ORDER_IN_FLIGHT_MAX + ORDER_AHEAD_MAX);
    sleep_ms(LINGER_MS);
    return before + orders;
}

/* Begun, so that their calls can leave at once; but there are never more than four. */
static void a_quick_lane_goes_ahead(struct store *store)
{
    struct stage stage;
    begin(&stage, store, documents);
    int orders = hold_a_quick_one(&stage, 40, TIMEOUT_S);
    assert_int_equal(stage.erp->at_once, ORDER_IN_FLIGHT_MAX);
    assert_int_equal(count_of(&stage, "order_delivery WHERE state = 'delivering'"),
                     ORDER_IN_FLIGHT_MAX + ORDER_AHEAD_MAX);
    stage.erp->is_let_go = true;
    await_state(&stage, "accepted", orders);
    assert_int_equal(stage.erp->at_once_max, ORDER_IN_FLIGHT_MAX);
    assert_each_order_once(&stage, orders);
    end(&stage);
}

static void assert_given_back(struct stage *stage, const char *why)
{
    const char *rows = arena_printf(
        stage->world.arena, "order_attempt WHERE outcome = 'not_sent' AND error = '%s'", why);
    assert_int_equal(count_of(stage, rows), ORDER_AHEAD_MAX);
    assert_int_equal(count_of(stage, "order_delivery WHERE failures > 0"), 0);
}

/* They are given back when they might still be under way at the end of their lease. */
static void what_finds_no_place_is_given_back(struct store *store)
{
    struct stage stage;
    begin(&stage, store, documents);
    int orders = hold_a_quick_one(&stage, 20, 30);
    sleep_ms(5000);
    stage.erp->is_let_go = true;
    await_state(&stage, "accepted", orders);
    assert_given_back(&stage, "there was no place for it");
    assert_int_equal(count_of(&stage, "order_delivery WHERE attempts = 2"), ORDER_AHEAD_MAX);
    assert_int_equal(stage.erp->orders, orders);
    end(&stage);
}

static void what_has_not_left_is_given_back_at_the_stop(struct store *store)
{
    struct stage stage;
    begin(&stage, store, documents);
    int orders = hold_a_quick_one(&stage, 20, TIMEOUT_S);
    worker_stop(&stage.worker, 50);
    assert_int_equal(stage.erp->orders, orders - 20 + ORDER_IN_FLIGHT_MAX);
    assert_given_back(&stage, "herald is stopping");
    const char *due =
        arena_printf(stage.world.arena, "order_delivery WHERE state = 'queued' AND due_at <= %lld",
                     (long long)clock_now_ms());
    assert_int_equal(count_of(&stage, due), 20);
    end(&stage);
}

/* One with many orders and a slow ERP, and one with a single order. */
static void a_single_order_does_not_wait_for_many(struct store *store)
{
    struct stage stage;
    begin(&stage, store, documents);
    struct erp_server *other = erp_start(slow);
    struct uuid crowded = integrate_at(&stage, other->server->port, TIMEOUT_S);
    struct uuid quiet = integrate(&stage);
    start(&stage);
    order_some(&stage, &crowded, 1000);
    await_number(&other->orders, 4);
    int64_t start_ms = clock_monotonic_ms();
    order_one(&stage, &quiet);
    await_state(&stage, "accepted", 1);
    assert_true(clock_monotonic_ms() - start_ms < TIMEOUT_S * SECOND_MS / 2);
    assert_int_equal(other->orders, 4);
    worker_stop(&stage.worker, 0);
    erp_stop(other);
    end(&stage);
}

/* More lanes than a page has, some with many orders; none is left out. */
static void all_lanes_get_their_turn(struct store *store)
{
    enum { LANES = 150 };
    struct stage stage;
    begin(&stage, store, documents);
    for (int i = 0; i < LANES; i++) {
        struct uuid integration = integrate(&stage);
        order_some(&stage, &integration, i % 50 == 0 ? 20 : 2);
    }
    start(&stage);
    await_state(&stage, "accepted", 2 * LANES + 3 * 18);
    assert_each_order_once(&stage, 2 * LANES + 3 * 18);
    end(&stage);
}

/* --- Disabled integrations -------------------------------------------------------------------- */

static void a_disabled_integration_waits(struct store *store)
{
    struct stage stage;
    begin(&stage, store, documents);
    struct uuid integration = integrate(&stage);
    order_some(&stage, &integration, 3);
    set_enabled(&stage, &integration, false);
    start(&stage);
    sleep_ms(LINGER_MS + ORDER_POLL_MS);
    assert_int_equal(stage.erp->orders, 0);
    set_enabled(&stage, &integration, true);
    await_state(&stage, "accepted", 3); /* found by looking */
    end(&stage);
}

/* --- Several workers -------------------------------------------------------------------------- */

static void workers_share_the_lanes(struct store *store)
{
    enum { LANES = 60, ORDERS = 10 };
    struct stage stage;
    begin(&stage, store, documents);
    stage.erp->work_us = 2000;
    struct order_worker *other = worker_start(&stage), *one = worker_start(&stage);
    for (int i = 0; i < LANES; i++) {
        struct uuid integration = integrate(&stage);
        order_some(&stage, &integration, ORDERS);
        order_worker_wake(other);
        order_worker_wake(one);
    }
    await_count(&stage, "order_lane WHERE held_until > 0", LANES);
    int64_t holders = store_number(store, "SELECT COUNT(DISTINCT holder) AS n FROM order_lane");
    await_state(&stage, "accepted", LANES * ORDERS);
    worker_stop(&other, PATIENCE_MS);
    worker_stop(&one, PATIENCE_MS);
    assert_each_order_once(&stage, LANES * ORDERS);
    assert_int_equal(holders, 2);
    assert_int_equal(count_of(&stage, "order_lane WHERE holder IS NULL AND held_until = 0"), LANES);
    end(&stage);
}

/* As a worker that is dead and does not know it: its lease has ended. */
static void a_lane_that_was_left_is_taken(struct store *store)
{
    struct stage stage;
    begin(&stage, store, documents);
    struct uuid integration = integrate(&stage);
    order_some(&stage, &integration, 5);
    hold_lanes(&stage);
    start(&stage);
    sleep_ms(LINGER_MS + ORDER_POLL_MS);
    assert_int_equal(stage.erp->orders, 0);
    sql(&stage, "UPDATE order_lane SET held_until = 1");
    await_state(&stage, "accepted", 5); /* found by looking */
    assert_int_equal(count_of(&stage, "order_lane WHERE holder = integration_id"), 0);
    end(&stage);
}

/* Another worker has taken the lane: what is under way is recorded, and nothing begins. */
static void a_lane_that_was_lost_is_left_alone(struct store *store)
{
    struct stage stage;
    begin(&stage, store, slow);
    struct uuid integration = integrate(&stage);
    start(&stage);
    order_some(&stage, &integration, 10);
    await_number(&stage.erp->orders, 4);
    hold_lanes(&stage);
    stage.erp->is_let_go = true;
    await_state(&stage, "accepted", 4);
    sleep_ms(LINGER_MS + ORDER_POLL_MS);
    assert_int_equal(stage.erp->orders, 4);
    assert_int_equal(count_of(&stage, "order_lane WHERE holder = integration_id"), 1);
    end(&stage);
    assert_int_equal(count_of(&stage, "order_lane WHERE holder = integration_id"), 1);
}

/* The clock says that the call should be over, but it is not. */
static void an_order_is_not_begun_twice_by_one_worker(struct store *store)
{
    struct stage stage;
    begin(&stage, store, slow);
    struct uuid integration = integrate(&stage);
    start(&stage);
    order_one(&stage, &integration);
    await_number(&stage.erp->orders, 1);
    sql(&stage, "UPDATE order_delivery SET due_at = 1");
    wake(&stage);
    sleep_ms(LINGER_MS + ORDER_POLL_MS);
    assert_int_equal(stage.erp->orders, 1);
    stage.erp->is_let_go = true;
    await_state(&stage, "accepted", 1);
    assert_each_order_once(&stage, 1);
    end(&stage);
}

/* Nor does it keep others from their turn. */
static void a_call_that_is_overdue_hides_no_order(struct store *store)
{
    struct stage stage;
    begin(&stage, store, slow);
    struct uuid integration = integrate_at(&stage, stage.erp->server->port, 30);
    start(&stage);
    order_some(&stage, &integration, 3);
    await_number(&stage.erp->orders, 3);
    sql(&stage, "UPDATE order_delivery SET due_at = 1 WHERE state = 'delivering'");
    order_some(&stage, &integration, 2);
    await_number(&stage.erp->orders, 4);
    sleep_ms(LINGER_MS);
    assert_int_equal(stage.erp->orders, 4);
    stage.erp->is_let_go = true;
    await_state(&stage, "accepted", 5);
    assert_each_order_once(&stage, 5);
    end(&stage);
}

/* --- A database that refuses ------------------------------------------------------------------ */

/* Only this worker knows that the document is there. */
static void what_came_of_a_call_is_kept(struct store *store)
{
    struct stage stage;
    begin(&stage, store, slow);
    struct uuid integration = integrate(&stage);
    start(&stage);
    order_some(&stage, &integration, 6);
    await_number(&stage.erp->orders, 4);
    sql(&stage, "ALTER TABLE order_attempt RENAME TO gone");
    stage.erp->is_let_go = true;
    sleep_ms(LINGER_MS + ORDER_POLL_MS);
    assert_int_equal(count_of(&stage, "order_delivery WHERE state = 'delivering'"), 4);
    sql(&stage, "ALTER TABLE gone RENAME TO order_attempt");
    await_state(&stage, "accepted", 6);
    assert_each_order_once(&stage, 6);
    end(&stage);
}

/* --- Leases over time ------------------------------------------------------------------------- */

static void lanes_in_use_are_renewed_and_idle_ones_given_back(struct store *store)
{
    struct stage stage;
    begin(&stage, store, documents);
    struct erp_server *other = erp_start(slow);
    struct uuid busy = integrate_at(&stage, other->server->port, 30);
    struct uuid idle = integrate(&stage);
    start(&stage);
    order_one(&stage, &busy);
    order_one(&stage, &idle);
    await_state(&stage, "accepted", 1);
    await_number(&other->orders, 1);
    int64_t first = store_number(store, "SELECT MIN(held_until) AS n FROM order_lane");
    await_count(&stage, "order_lane WHERE holder IS NULL", 1);
    await_count(&stage,
                arena_printf(stage.world.arena, "order_lane WHERE held_until >= %lld",
                             (long long)first + 9000),
                1);
    order_one(&stage, &idle); /* taken anew */
    await_state(&stage, "accepted", 2);
    other->is_let_go = true;
    await_state(&stage, "accepted", 3);
    stop(&stage);
    erp_stop(other);
    end(&stage);
}

/* --- Its end ---------------------------------------------------------------------------------- */

static void a_stop_waits_for_what_is_under_way(struct store *store)
{
    struct stage stage;
    begin(&stage, store, documents);
    stage.erp->work_us = 300 * 1000;
    struct uuid integration = integrate(&stage);
    start(&stage);
    order_some(&stage, &integration, 50);
    await_number(&stage.erp->orders, 4);
    worker_stop(&stage.worker, PATIENCE_MS);
    assert_int_equal(count_of(&stage, "order_delivery WHERE state = 'delivering'"), 0);
    assert_int_equal(count_of(&stage, "order_delivery WHERE state = 'accepted'"),
                     count_documents(stage.erp));
    assert_true(count_documents(stage.erp) < 50);
    assert_int_equal(count_of(&stage, "order_lane WHERE holder IS NOT NULL"), 0);
    stage.erp->work_us = 0;
    start(&stage);
    await_state(&stage, "accepted", 50);
    assert_each_order_once(&stage, 50);
    end(&stage);
}

static void a_stop_does_not_wait_for_ever(struct store *store)
{
    struct stage stage;
    begin(&stage, store, slow);
    struct uuid integration = integrate(&stage);
    start(&stage);
    order_some(&stage, &integration, 10);
    await_number(&stage.erp->orders, 4);
    worker_stop(&stage.worker, 50);
    const char *due = arena_printf(stage.world.arena,
                                   "order_delivery WHERE state = 'queued' AND "
                                   "failures = 0 AND due_at <= %lld",
                                   (long long)clock_now_ms());
    assert_int_equal(count_of(&stage, due), 10);
    assert_int_equal(count_of(&stage, "order_attempt WHERE outcome = 'unknown'"), 4);
    assert_int_equal(count_of(&stage, "order_lane WHERE holder IS NOT NULL"), 0);
    assert_int_equal(count_of(&stage, "order_lane WHERE failures = 0"), 1);
    stage.erp->is_let_go = true;
    start(&stage);
    await_state(&stage, "accepted", 10);
    assert_int_equal(count_documents(stage.erp), 10);
    end(&stage);
}

/* Before requests have ended, which may bring more orders. */
static void a_worker_that_is_told_begins_no_more(struct store *store)
{
    struct stage stage;
    begin(&stage, store, slow);
    struct uuid integration = integrate(&stage), other = integrate(&stage);
    start(&stage);
    order_some(&stage, &integration, 10);
    order_one(&stage, &other);
    await_number(&stage.erp->orders, 5);
    order_worker_begin_no_more(stage.worker);
    sleep_ms(LINGER_MS);
    stage.erp->is_let_go = true;
    order_some(&stage, &integration, 10);
    await_state(&stage, "accepted", 5); /* what was under way is recorded */
    await_count(&stage, "order_lane WHERE holder IS NULL", 2);
    sleep_ms(LINGER_MS + ORDER_POLL_MS);
    assert_int_equal(stage.erp->orders, 5);
    end(&stage);
}

static void a_stop_with_nothing_to_do(struct store *store)
{
    struct stage stage;
    begin(&stage, store, documents);
    start(&stage);
    worker_stop(&stage.worker, PATIENCE_MS);
    end(&stage);
}

/* --- ERPs that misbehave ---------------------------------------------------------------------- */

/* Every third call goes wrong in some way, most of them after the document was made. */
static void a_misbehaving_erp_makes_each_document_once(struct store *store)
{
    enum { LANES = 10, ORDERS = 20, LOOKS = 400 };
    struct stage stage;
    begin(&stage, store, documents);
    const struct reaction troubles[] = {
        {.is_cut = true},
        {.status = 500, .body = ""},
        {.body = "{\"accepted\":true}"},
        {.status = 429, .headers = "Retry-After: 1\r\n", .body = "", .makes_none = true},
        {.body = "<html>"},
    };
    for (int i = 0; i < REACTIONS_MAX; i++) {
        if (i % 3 == 0) stage.erp->first[i] = troubles[i / 3 % COUNT_OF(troubles)];
    }
    stage.erp->first_count = REACTIONS_MAX;
    start(&stage);
    for (int i = 0; i < LANES; i++) {
        struct uuid integration = integrate(&stage);
        order_some(&stage, &integration, ORDERS);
    }
    for (int i = 0; i < LOOKS && count_of(&stage, "order_delivery WHERE state <> 'accepted'");
         i++) {
        hurry(&stage);
        sleep_ms(20);
    }
    await_state(&stage, "accepted", LANES * ORDERS);
    assert_int_equal(count_documents(stage.erp), LANES * ORDERS);
    for (int i = 0; i < stage.erp->post_count; i++) {
        for (int j = 0; j < i; j++) {
            if (strcmp(stage.erp->posts[i].key, stage.erp->posts[j].key) == 0)
                assert_string_equal(stage.erp->posts[i].request, stage.erp->posts[j].request);
        }
    }
    end(&stage);
}

int main(void)
{
    const struct store_case cases[] = {
        {"four at once", four_at_once, 0},
        {"a quick lane goes ahead", a_quick_lane_goes_ahead, 0},
        {"what finds no place is given back", what_finds_no_place_is_given_back, 0},
        {"what has not left is given back at the stop", what_has_not_left_is_given_back_at_the_stop,
         0},
        {"a single order does not wait for many", a_single_order_does_not_wait_for_many, 0},
        {"all lanes get their turn", all_lanes_get_their_turn, 0},
        {"a disabled integration waits", a_disabled_integration_waits, 0},
        {"workers share the lanes", workers_share_the_lanes, STORE_POSTGRES},
        {"a lane that was left is taken", a_lane_that_was_left_is_taken, 0},
        {"a lane that was lost is left alone", a_lane_that_was_lost_is_left_alone, 0},
        {"an order is not begun twice by one worker", an_order_is_not_begun_twice_by_one_worker, 0},
        {"a call that is overdue hides no order", a_call_that_is_overdue_hides_no_order, 0},
        {"what came of a call is kept", what_came_of_a_call_is_kept, 0},
        {"lanes in use are renewed and idle ones given back",
         lanes_in_use_are_renewed_and_idle_ones_given_back, 0},
        {"a stop waits for what is under way", a_stop_waits_for_what_is_under_way, 0},
        {"a stop does not wait for ever", a_stop_does_not_wait_for_ever, 0},
        {"a worker that is told begins no more", a_worker_that_is_told_begins_no_more, 0},
        {"a stop with nothing to do", a_stop_with_nothing_to_do, 0},
        {"a misbehaving ERP makes each document once", a_misbehaving_erp_makes_each_document_once,
         0},
    };
    return store_run_cases("order_worker", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
