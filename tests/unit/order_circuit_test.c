/* ERPs that are down: the circuit of a lane, its probe, and how it comes back (contract, section
 * 6). */
#include "app/setup/migrations.h"
#include "order_stage.h"

static const struct reaction documents = {0};
static const struct reaction down = {.status = 503, .body = "", .makes_none = true};
static const struct reaction slow = {.is_slow = true};

static void assert_lane(struct stage *stage, int failures, bool is_open)
{
    const char *where =
        arena_printf(stage->world.arena, "order_lane WHERE failures = %d AND probe_at IS %s NULL",
                     failures, is_open ? "NOT" : "");
    await_count(stage, where, 1);
}

/* Brings the lane to where its circuit is open, with `orders`, at least 5, that wait. */
static struct uuid open_circuit(struct stage *stage, int orders)
{
    struct uuid integration = integrate(stage);
    stage->erp->health = 500;
    order_some(stage, &integration, orders);
    start(stage);
    await_count(stage, "order_lane WHERE probe_at IS NOT NULL", 1);
    await_state(stage, "queued", orders);
    return integration;
}

static void five_failures_stop_it(struct store *store)
{
    struct stage stage;
    begin(&stage, store, down);
    int64_t start_ms = clock_now_ms();
    open_circuit(&stage, 30);
    /* Up to four were under way when the fifth one failed. */
    int orders = stage.erp->orders;
    assert_true(orders >= CIRCUIT_FAILURES && orders <= CIRCUIT_FAILURES + 3);
    hurry(&stage);
    sleep_ms(LINGER_MS + ORDER_POLL_MS);
    assert_int_equal(stage.erp->orders, orders);
    assert_int_equal(stage.erp->probes, 0);
    int64_t probe_at = store_number(store, "SELECT probe_at AS n FROM order_lane");
    assert_true(probe_at >= start_ms + CIRCUIT_OPEN_MS);
    assert_true(probe_at <= clock_now_ms() + CIRCUIT_OPEN_MS);
    assert_int_equal(count_of(&stage, "order_delivery WHERE state = 'queued'"), 30);
    end(&stage);
    assert_int_equal(count_said(&stage, "does not take orders"), 1);
    assert_int_equal(count_said(&stage, "orders wait"), 1);
}

/* An order that was begun ahead while it was quick is not sent into its failures. */
static void nor_does_a_quick_one_get_more(struct store *store)
{
    struct stage stage;
    begin(&stage, store, documents);
    struct uuid integration = integrate(&stage);
    start(&stage);
    order_some(&stage, &integration, 20);
    await_state(&stage, "accepted", 20);
    int orders = stage.erp->orders;
    stage.erp->then = down;
    order_some(&stage, &integration, 30);
    await_count(&stage, "order_lane WHERE probe_at IS NOT NULL", 1);
    await_state(&stage, "queued", 30);
    int failed = stage.erp->orders - orders;
    assert_true(failed >= CIRCUIT_FAILURES && failed <= CIRCUIT_FAILURES + 3);
    end(&stage);
}

static void a_probe_that_fails_keeps_it_closed(struct store *store)
{
    struct stage stage;
    begin(&stage, store, down);
    open_circuit(&stage, 10);
    int orders = stage.erp->orders;
    the_clock_is_at_the_probe(&stage);
    await_number(&stage.erp->probes, 1);
    await_count(&stage, "order_lane WHERE probe_at > 1", 1);
    sleep_ms(LINGER_MS + ORDER_POLL_MS);
    assert_int_equal(stage.erp->probes, 1);
    assert_int_equal(stage.erp->orders, orders);
    assert_int_equal(count_requests(stage.erp, "GET /svc/v1/health HTTP/1.1\r\n"), 1);
    pthread_mutex_lock(&stage.erp->lock);
    const char *probe = stage.erp->posts[stage.erp->post_count - 1].request;
    assert_non_null(strstr(probe, "\r\nAuthorization: Bearer " ERP_TOKEN "\r\n"));
    pthread_mutex_unlock(&stage.erp->lock);
    end(&stage);
}

/* One at a time, until the first one was served. */
static void it_comes_back_one_by_one(struct store *store)
{
    struct stage stage;
    begin(&stage, store, down);
    open_circuit(&stage, 20);
    stage.erp->at_once_max = 0;
    stage.erp->then = slow;
    stage.erp->health = 204;
    int orders = stage.erp->orders;
    the_clock_is_at_the_probe(&stage);
    await_number(&stage.erp->orders, orders + 1);
    assert_int_equal(stage.erp->probes, 1);
    sleep_ms(LINGER_MS + ORDER_POLL_MS);
    assert_int_equal(stage.erp->orders, orders + 1);
    stage.erp->is_let_go = true;
    await_state(&stage, "accepted", 20);
    assert_lane(&stage, 0, false);
    assert_int_equal(count_documents(stage.erp), 20);
    end(&stage);
    assert_int_equal(count_said(&stage, "takes orders again"), 1);
}

static void a_failure_stops_it_again(struct store *store)
{
    struct stage stage;
    begin(&stage, store, down);
    open_circuit(&stage, 20);
    int orders = stage.erp->orders;
    stage.erp->health = 200;
    for (int i = 1; i <= 2; i++) {
        the_clock_is_at_the_probe(&stage);
        await_number(&stage.erp->orders, orders + i);
        await_count(&stage, "order_lane WHERE probe_at > 1", 1);
        hurry(&stage);
        sleep_ms(LINGER_MS + ORDER_POLL_MS);
        assert_int_equal(stage.erp->orders, orders + i);
        assert_int_equal(stage.erp->probes, i);
    }
    end(&stage);
    assert_int_equal(count_said(&stage, "orders wait"), 1);
}

/* The next worker knows what one worker found out of an ERP. */
static void the_circuit_outlives_its_worker(struct store *store)
{
    struct stage stage;
    begin(&stage, store, down);
    open_circuit(&stage, 10);
    int orders = stage.erp->orders;
    worker_stop(&stage.worker, PATIENCE_MS);
    hurry(&stage);
    start(&stage);
    sleep_ms(LINGER_MS + ORDER_POLL_MS);
    assert_int_equal(stage.erp->orders, orders);
    stage.erp->health = 200;
    stage.erp->then = documents;
    the_clock_is_at_the_probe(&stage);
    await_state(&stage, "accepted", 10);
    end(&stage);
}

/* An operator's retry waits for the probe as well. */
static void a_retry_waits_for_the_probe(struct store *store)
{
    struct stage stage;
    begin(&stage, store, down);
    struct uuid integration = open_circuit(&stage, 10);
    struct uuid id = order_one(&stage, &integration);
    int orders = stage.erp->orders;
    retry(&stage, id);
    sleep_ms(LINGER_MS);
    assert_int_equal(stage.erp->orders, orders);
    assert_int_equal(delivery_of(&stage, &id).state, ORDER_QUEUED);
    end(&stage);
}

static void one_erp_down_does_not_slow_others(struct store *store)
{
    struct stage stage;
    begin(&stage, store, documents);
    struct erp_server *dead = erp_start(down);
    dead->health = 500;
    for (int i = 0; i < 20; i++) {
        struct uuid integration = integrate_at(&stage, dead->server->port, TIMEOUT_S);
        order_some(&stage, &integration, 20);
    }
    struct uuid well = integrate(&stage);
    start(&stage);
    await_count(&stage, "order_lane WHERE failures > 0", 20);
    order_some(&stage, &well, 50);
    await_state(&stage, "accepted", 50);
    assert_int_equal(count_of(&stage, "order_delivery WHERE state = 'failed'"), 0);
    stop(&stage);
    erp_stop(dead);
    end(&stage);
}

/* An ERP that does not answer has few places, so others do not wait for its time-out. */
static void hanging_erps_leave_places_for_others(struct store *store)
{
    enum { LANES = 128 };
    struct stage stage;
    int fd;
    begin(&stage, store, documents);
    int port = listen_in_silence(&fd);
    for (int i = 0; i < LANES; i++) {
        struct uuid integration = integrate_at(&stage, port, 30);
        order_some(&stage, &integration, 6);
    }
    struct uuid well = integrate(&stage);
    start(&stage);
    await_count(&stage,
                "(SELECT 1 FROM order_delivery WHERE state = 'delivering' GROUP BY "
                "integration_id) AS lanes",
                LANES);
    assert_true(count_of(&stage, "order_delivery WHERE state = 'delivering'") <=
                ORDER_FETCHES_CROWDED + LANES);
    int64_t start_ms = clock_monotonic_ms();
    order_some(&stage, &well, 20);
    await_state(&stage, "accepted", 20);
    assert_true(clock_monotonic_ms() - start_ms < 10 * SECOND_MS);
    worker_stop(&stage.worker, 0);
    close(fd);
    end(&stage);
}

/* A fault of some orders stops no others, and closes no circuit. */
static void refused_orders_stop_no_others(struct store *store)
{
    struct stage stage;
    begin(&stage, store, documents);
    stage.erp->refused = "broken";
    struct uuid integration = integrate(&stage);
    order_numbered(&stage, &integration, 20, "broken");
    start(&stage);
    for (int i = 1; i <= 3; i++) {
        await_count(&stage,
                    arena_printf(stage.world.arena,
                                 "order_delivery WHERE state = 'queued' AND attempts >= %d", i),
                    20);
        order_some(&stage, &integration, 5);
        await_state(&stage, "accepted", 5 * i);
        hurry(&stage);
    }
    assert_int_equal(stage.erp->probes, 0);
    assert_int_equal(count_of(&stage, "order_lane WHERE failures = 0 AND probe_at IS NULL"), 1);
    end(&stage);
    assert_int_equal(count_said(&stage, "does not take orders"), 0);
    assert_int_equal(count_said(&stage, "order refused by its ERP"), 20);
}

static void refused_orders_close_no_circuit(struct store *store)
{
    struct stage stage;
    begin(&stage, store, down);
    stage.erp->refused = "broken";
    struct uuid integration = integrate(&stage);
    stage.erp->first_count = 4;
    for (int i = 0; i < 4; i++)
        stage.erp->first[i] = down;
    start(&stage);
    order_some(&stage, &integration, 4);
    assert_lane(&stage, 4, false);
    order_numbered(&stage, &integration, 3, "broken");
    await_count(&stage, "order_attempt WHERE status = 422", 3);
    assert_lane(&stage, 4, false);
    order_one(&stage, &integration);
    await_count(&stage, "order_lane WHERE probe_at IS NOT NULL", 1);
    end(&stage);
}

/* Lanes whose orders cannot begin are not taken, and take no other lane's place in a turn. */
static void an_open_lane_is_left_alone(struct store *store)
{
    struct stage stage;
    begin(&stage, store, documents);
    struct uuid open = integrate(&stage), well = integrate(&stage);
    order_some(&stage, &open, 3);
    sql(&stage,
        arena_printf(stage.world.arena, "UPDATE order_lane SET failures = 5, probe_at = %lld",
                     (long long)clock_now_ms() + CIRCUIT_OPEN_MS));
    order_some(&stage, &well, 3);
    start(&stage);
    await_state(&stage, "accepted", 3);
    sleep_ms(LINGER_MS);
    assert_int_equal(count_of(&stage, "order_lane WHERE failures = 5 AND holder IS NULL"), 1);
    the_clock_is_at_the_probe(&stage);
    await_state(&stage, "accepted", 6);
    end(&stage);
}

/* The worker that tells it is not the one that told of the failures. */
static void who_comes_later_tells_that_it_is_well_again(struct store *store)
{
    struct stage stage;
    begin(&stage, store, down);
    open_circuit(&stage, 10);
    worker_stop(&stage.worker, PATIENCE_MS);
    stage.erp->health = 200;
    stage.erp->then = documents;
    start(&stage);
    the_clock_is_at_the_probe(&stage);
    await_state(&stage, "accepted", 10);
    end(&stage);
    assert_int_equal(count_said(&stage, "orders wait"), 1);
    assert_int_equal(count_said(&stage, "takes orders again"), 1);
}

static void a_probe_goes_to_no_http_address_unless_allowed(struct store *store)
{
    struct stage stage;
    begin(&stage, store, down);
    open_circuit(&stage, 10);
    worker_stop(&stage.worker, PATIENCE_MS);
    stage.world.integrations.may_use_http = false;
    stage.erp->health = 200;
    start(&stage);
    the_clock_is_at_the_probe(&stage);
    await_count(&stage, "order_lane WHERE probe_at > 1", 1);
    sleep_ms(LINGER_MS);
    assert_int_equal(stage.erp->probes, 0);
    end(&stage);
}

int main(void)
{
    const struct store_case cases[] = {
        {"five failures stop it", five_failures_stop_it, 0},
        {"nor does a quick one get more", nor_does_a_quick_one_get_more, 0},
        {"a probe that fails keeps it closed", a_probe_that_fails_keeps_it_closed, 0},
        {"it comes back one by one", it_comes_back_one_by_one, 0},
        {"a failure stops it again", a_failure_stops_it_again, 0},
        {"the circuit outlives its worker", the_circuit_outlives_its_worker, 0},
        {"a retry waits for the probe", a_retry_waits_for_the_probe, 0},
        {"one ERP down does not slow others", one_erp_down_does_not_slow_others, 0},
        {"hanging ERPs leave places for others", hanging_erps_leave_places_for_others, 0},
        {"refused orders stop no others", refused_orders_stop_no_others, 0},
        {"refused orders close no circuit", refused_orders_close_no_circuit, 0},
        {"an open lane is left alone", an_open_lane_is_left_alone, 0},
        {"who comes later tells that it is well again", who_comes_later_tells_that_it_is_well_again,
         0},
        {"a probe goes to no http address unless allowed",
         a_probe_goes_to_no_http_address_unless_allowed, 0},
    };
    return store_run_cases("order_circuit", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
