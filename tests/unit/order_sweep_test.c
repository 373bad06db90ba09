/* Orders without a worker that serves them. */
#include "app/setup/migrations.h"
#include "order_stage.h"

static const struct reaction documents = {0};

struct sweeping {
    int max;
    int64_t swept;
};

static enum err run_sweep(struct work *work, void *arg)
{
    struct sweeping *step = arg;
    return order_sweep(work, step->max, &step->swept);
}

static int64_t sweep(struct stage *stage, int max)
{
    struct sweeping step = {.max = max};
    stage->world.now_ms = clock_now_ms();
    assert_ok(world_run(&stage->world, run_sweep, &step));
    return step.swept;
}

#define DAYS_AGO                                                                   \
    "UPDATE order_delivery SET created_at = created_at - 400000000, give_up_at = " \
    "give_up_at - 400000000"

static void orders_that_nobody_serves_fail_in_time(struct store *store)
{
    struct stage stage;
    begin(&stage, store, documents);
    struct uuid integration = integrate(&stage);
    order_some(&stage, &integration, 5);
    set_enabled(&stage, &integration, false);
    assert_int_equal(sweep(&stage, 10), 0);
    sql(&stage, DAYS_AGO);
    assert_int_equal(sweep(&stage, 2), 2);
    assert_int_equal(sweep(&stage, 10), 3);
    assert_int_equal(sweep(&stage, 10), 0);
    assert_int_equal(count_of(&stage, "order_delivery WHERE state = 'failed' AND due_at IS NULL AND"
                                      " last_error = 'not delivered within its time'"),
                     5);
    assert_int_equal(count_of(&stage, "order_body"), 5);
    end(&stage);
}

static enum err run_sweep_bodies(struct work *work, void *arg)
{
    struct sweeping *step = arg;
    return order_sweep_bodies(work, step->max, &step->swept);
}

static int64_t sweep_bodies(struct stage *stage, int64_t now_ms, int max)
{
    struct sweeping step = {.max = max};
    stage->world.now_ms = now_ms;
    assert_ok(world_run(&stage->world, run_sweep_bodies, &step));
    return step.swept;
}

/* To the millisecond, and of no other order. */
static void bodies_of_what_failed_stay_for_30_days(struct store *store)
{
    struct stage stage;
    begin(&stage, store, documents);
    struct uuid integration = integrate(&stage);
    order_some(&stage, &integration, 4);
    set_enabled(&stage, &integration, false);
    sql(&stage, DAYS_AGO);
    assert_int_equal(sweep(&stage, 3), 3);
    int64_t failed_ms = stage.world.now_ms;
    assert_int_equal(sweep_bodies(&stage, failed_ms + ORDER_BODY_KEPT_MS - 1, 10), 0);
    assert_int_equal(count_of(&stage, "order_body"), 4);
    assert_int_equal(sweep_bodies(&stage, failed_ms + ORDER_BODY_KEPT_MS, 2), 2);
    assert_int_equal(sweep_bodies(&stage, failed_ms + ORDER_BODY_KEPT_MS, 2), 1);
    assert_int_equal(sweep_bodies(&stage, failed_ms + 2 * ORDER_BODY_KEPT_MS, 2), 0);
    assert_int_equal(count_of(&stage, "order_body"), 1);
    end(&stage);
}

static void what_is_being_delivered_is_not_swept(struct store *store)
{
    struct stage stage;
    begin(&stage, store, documents);
    struct uuid integration = integrate(&stage);
    order_some(&stage, &integration, 1);
    sql(&stage, DAYS_AGO);
    sql(&stage, "UPDATE order_delivery SET state = 'delivering', attempts = 1,"
                " due_at = due_at + 60000, last_error = 'HTTP 500'");
    assert_int_equal(sweep(&stage, 10), 0);
    sql(&stage, "UPDATE order_delivery SET due_at = 1");
    assert_int_equal(sweep(&stage, 10), 1);
    assert_int_equal(count_of(&stage, "order_delivery WHERE last_error = 'HTTP 500'"), 1);
    end(&stage);
}

static enum err run_release(struct work *work, void *arg)
{
    (void)arg;
    return order_release_leases(work);
}

static void an_embedded_start_takes_all_at_once(struct store *store)
{
    struct stage stage;
    begin(&stage, store, documents);
    struct uuid integration = integrate(&stage);
    struct uuid id = order_one(&stage, &integration);
    sql(&stage, "UPDATE order_delivery SET state = 'delivering', attempts = 1,"
                " due_at = due_at + 60000");
    hold_lanes(&stage);
    start(&stage);
    sleep_ms(LINGER_MS);
    assert_int_equal(stage.erp->orders, 0);
    stage.world.now_ms = clock_now_ms();
    assert_ok(world_run(&stage.world, run_release, NULL));
    wake(&stage);
    await_state(&stage, "accepted", 1);
    assert_int_equal(delivery_of(&stage, &id).attempts, 2);
    end(&stage);
}

/* Its 72 hours began anew, however old it is. */
static void a_retried_order_has_its_time(struct store *store)
{
    struct stage stage;
    begin(&stage, store, documents);
    struct uuid integration = integrate(&stage);
    struct uuid id = order_one(&stage, &integration);
    sql(&stage, DAYS_AGO);
    retry(&stage, id);
    assert_int_equal(sweep(&stage, 10), 0);
    sql(&stage, "UPDATE order_delivery SET give_up_at = give_up_at - 259261000");
    assert_int_equal(sweep(&stage, 10), 1);
    end(&stage);
}

int main(void)
{
    const struct store_case cases[] = {
        {"orders that nobody serves fail in time", orders_that_nobody_serves_fail_in_time, 0},
        {"bodies of what failed stay for 30 days", bodies_of_what_failed_stay_for_30_days},
        {"what is being delivered is not swept", what_is_being_delivered_is_not_swept, 0},
        {"an embedded start takes all at once", an_embedded_start_takes_all_at_once, 0},
        {"a retried order has its time", a_retried_order_has_its_time, 0},
    };
    return store_run_cases("order_sweep", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
