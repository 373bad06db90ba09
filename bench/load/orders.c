/*
 * Orders on their way to an ERP, which is a sink of the generator's own (sink.h).
 *
 * `orders` posts a backlog while the sink keeps its answers back, so that each integration has as
 * many under way as it may and the others wait; then it opens the gate, and takes the time until
 * all are delivered. What came before the gate was open is not counted. Then as many are posted
 * while they are delivered.
 *
 * `arrivals` posts at a steady pace, and takes the time from the answer, by which the order is
 * accepted, to its arrival at the sink.
 *
 * `direct` has the generator itself post to the sink: the limit of the delivery.
 */
#include "bench.h"
#include "kit/base/clock.h"
#include "sink.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    ORDER_MAX = 3072,
    DELIVERY_MAX_MS = 20000,
    DIRECT_PER_S_MAX = 200000, /* for the array of arrivals */
};

struct orders {
    struct bench *bench;
    struct sink *sink;
    int64_t given, end;             /* numbers of the orders that are posted */
    int64_t start_us, end_us;       /* 0: not before the last is posted */
    int64_t *sent_us, *answered_us; /* by number; NULL: nobody asks */
    int64_t under_way[WIRE_CONNECTIONS_MAX];
};

/* ------------------------------------------------------------------------------- an order */

static void put_item(const char *name, int64_t place, struct buf *body)
{
    buf_printf(body,
               "{\"product_id\":\"0f6b9a51-7c1e-4d58-9a3b-0000000000%02" PRId64 "\","
               "\"variant_id\":\"c81d4e2e-bcf2-11e6-869b-0000000000%02" PRId64 "\","
               "\"name\":\"%s\",\"quantity\":\"2\",\"unit_price\":\"250.00\","
               "\"line_total\":\"580.00\",\"modifiers\":[{\"id\":\"o-%" PRId64
               "\",\"group_id\":\"milk\",\"name\":\"Oat milk\",\"quantity\":\"2\","
               "\"unit_price\":\"40.00\",\"line_total\":\"80.00\"}]}",
               place, place, name, place);
}

static void put_order(const char *id, int64_t n, const char *point_id, struct buf *body)
{
    buf_printf(body,
               "{\"id\":\"%s\",\"number\":\"A-%" PRId64 "\","
               "\"created_at\":\"2026-11-21T04:32:58.000Z\",\"point_id\":\"%s\","
               "\"type\":\"delivery\",\"status\":\"confirmed\",\"payment_method\":\"card_online\","
               "\"payment_status\":\"paid\",\"currency\":\"RUB\",\"subtotal\":\"1160.00\","
               "\"delivery_fee\":\"99.00\",\"total\":\"1259.00\","
               "\"customer\":{\"name\":\"Anna\",\"phone\":\"+79161234567\"},"
               "\"delivery\":{\"address\":\"Moscow, Tverskaya 1, 12\",\"scheduled_for\":null},"
               "\"comment\":\"The second door\",\"items\":[",
               id, n, point_id);
    put_item("Cappuccino", 1, body);
    buf_text(body, ",");
    put_item("Flat white", 2, body);
    buf_text(body, "]}");
}

/* ------------------------------------------------------------------------------- posting */

static bool take_number(struct orders *orders, const struct connection *connection, int64_t *ret_n)
{
    if (orders->given == orders->end || orders->bench->unexpected > 0) return false;
    int64_t now_us = clock_monotonic_us();
    if (orders->end_us != 0 && now_us >= orders->end_us) return false;
    *ret_n = orders->given++;
    if (orders->sent_us) orders->sent_us[*ret_n] = now_us;
    orders->under_way[connection->index] = *ret_n;
    return true;
}

static bool next(void *context, struct connection *connection, struct buf *request)
{
    struct orders *orders = context;
    const struct bench *bench = orders->bench;
    char id[SINK_ID_LEN + 1];
    AUTO_BUF body = {0};
    int64_t n;

    buf_init(&body, ORDER_MAX);
    if (!take_number(orders, connection, &n)) return false;
    const struct integration *integration =
        &bench->integrations[n % (int64_t)bench->integration_count];
    sink_order_id(bench->run, n, id);
    buf_printf(&body, "{\"integration_id\":\"%s\",\"order\":", integration->id);
    put_order(id, n, integration->point_id, &body);
    buf_append(&body, "}", sizeof "}"); /* with the end of the text */
    bench_post(bench, request, "/internal/v1/orders", id, NULL, body.data);
    return true;
}

static void on_accepted(void *context, struct connection *connection, const struct answer *answer)
{
    struct orders *orders = context;

    if (!bench_expect(orders->bench, answer, 202)) return;
    if (!orders->answered_us) return;
    orders->answered_us[orders->under_way[connection->index]] = clock_monotonic_us();
}

/* Posts the orders up to number `end`. */
static bool post(struct orders *orders, int64_t end)
{
    struct work work = {next, on_accepted, orders};

    orders->end = end;
    orders->start_us = clock_monotonic_us();
    return wire_run(&orders->bench->wire, &work) && orders->bench->unexpected == 0;
}

/* ------------------------------------------------------------------------------- a backlog */

/* How many a second are accepted, and then delivered. */
static bool measure_backlog(struct orders *orders, struct result *ret_result)
{
    int64_t count = orders->bench->orders;

    sink_close_gate(orders->sink);
    if (!post(orders, count)) return false;
    double accept_s = (double)(clock_monotonic_us() - orders->start_us) / 1e6;
    int64_t held = sink_came(orders->sink);
    int64_t opened_us = clock_monotonic_us();
    sink_open_gate(orders->sink);
    if (!sink_wait(orders->sink, count, DELIVERY_MAX_MS)) return false;
    ret_result->count = count - held;
    ret_result->seconds = (double)(sink_last_answer_us(orders->sink) - opened_us) / 1e6;
    ret_result->figures[0] = (struct figure){"accept_rate", (double)count / accept_s};
    ret_result->figures[1] = (struct figure){"held", (double)held};
    return true;
}

/* How many a second are accepted and delivered at once. */
static bool measure_both(struct orders *orders, struct result *ret_result)
{
    int64_t count = orders->bench->orders;

    if (!post(orders, 2 * count)) return false;
    if (!sink_wait(orders->sink, 2 * count, DELIVERY_MAX_MS)) return false;
    int64_t us = sink_last_answer_us(orders->sink) - orders->start_us;
    ret_result->figures[2] = (struct figure){"whole_rate", (double)count * 1e6 / (double)us};
    return true;
}

static struct sink *start_sink(const struct bench *bench, int64_t orders_max)
{
    char address[32];
    const uint8_t *ip = (const uint8_t *)&bench->sink.sin_addr;

    if (bench->integration_count == 0 || bench->sink.sin_port == 0) {
        fprintf(stderr, "load: orders need --integrations and --sink\n");
        return NULL;
    }
    snprintf(address, sizeof address, "%u.%u.%u.%u:%u", ip[0], ip[1], ip[2], ip[3],
             ntohs(bench->sink.sin_port));
    return sink_start(address, bench->run, orders_max);
}

static bool run_orders(struct bench *bench, struct result *ret_result)
{
    struct orders orders = {.bench = bench, .sink = start_sink(bench, 2 * bench->orders)};
    bool is_good = orders.sink && measure_backlog(&orders, ret_result) &&
                   measure_both(&orders, ret_result) && sink_is_clean(orders.sink);

    sink_stop(orders.sink);
    return is_good;
}

/* ------------------------------------------------------------------------ the first attempt */

static int64_t due_us(void *context)
{
    const struct orders *orders = context;

    return orders->start_us + orders->given * 1000000 / orders->bench->pace;
}

static void sum_up(const struct orders *orders, struct result *ret_result)
{
    struct bench *bench = orders->bench;

    for (int64_t n = 0; n < orders->end; n++) {
        int64_t came_us = sink_came_us(orders->sink, n);
        samples_add(&bench->latency, came_us - orders->answered_us[n]);
        samples_add(&bench->latency_extra, came_us - orders->sent_us[n]);
    }
    ret_result->count = orders->end;
    ret_result->seconds = (double)(clock_monotonic_us() - orders->start_us) / 1e6;
    ret_result->figures[0] =
        (struct figure){"sent_p50_ms", samples_percentile_ms(&bench->latency_extra, 0.50)};
    ret_result->figures[1] =
        (struct figure){"sent_p99_ms", samples_percentile_ms(&bench->latency_extra, 0.99)};
}

static bool post_at_pace(struct orders *orders, struct result *ret_result)
{
    struct work work = {next, on_accepted, orders, due_us};

    orders->start_us = clock_monotonic_us();
    if (!wire_run(&orders->bench->wire, &work) || orders->bench->unexpected > 0) return false;
    if (!sink_wait(orders->sink, orders->end, DELIVERY_MAX_MS)) return false;
    sum_up(orders, ret_result);
    return sink_is_clean(orders->sink);
}

static bool run_arrivals(struct bench *bench, struct result *ret_result)
{
    struct orders orders = {.bench = bench, .end = bench->pace * bench->duration_us / 1000000};

    orders.sent_us = calloc((size_t)orders.end, sizeof *orders.sent_us);
    orders.answered_us = calloc((size_t)orders.end, sizeof *orders.answered_us);
    if (!orders.sent_us || !orders.answered_us) abort();
    orders.sink = start_sink(bench, orders.end);
    bool is_good = orders.sink && post_at_pace(&orders, ret_result);
    sink_stop(orders.sink);
    free(orders.sent_us);
    free(orders.answered_us);
    return is_good;
}

/* ------------------------------------------------------------------------ without anybody */

static bool next_direct(void *context, struct connection *connection, struct buf *request)
{
    struct orders *orders = context;
    const struct bench *bench = orders->bench;
    char id[SINK_ID_LEN + 1];
    AUTO_BUF body = {0};
    int64_t n;

    buf_init(&body, ORDER_MAX);
    if (!take_number(orders, connection, &n)) return false;
    sink_order_id(bench->run, n, id);
    put_order(id, n, bench->integrations[0].point_id, &body);
    buf_append(&body, "", 1);
    bench_post(bench, request, "/svc/v1/orders", id, NULL, body.data);
    return true;
}

static void on_delivered(void *context, struct connection *connection, const struct answer *answer)
{
    struct orders *orders = context;

    (void)connection;
    if (bench_expect(orders->bench, answer, 200)) samples_add(&orders->bench->latency, answer->us);
}

static bool post_directly(struct orders *orders, struct result *ret_result)
{
    struct bench *bench = orders->bench;
    struct work work = {next_direct, on_delivered, orders};
    struct wire wire = {0};

    orders->start_us = clock_monotonic_us();
    orders->end_us = orders->start_us + bench->duration_us;
    bool is_good = wire_open(&wire, &bench->sink, bench->in_flight) && wire_run(&wire, &work);
    wire_close(&wire);
    ret_result->seconds = (double)(clock_monotonic_us() - orders->start_us) / 1e6;
    ret_result->count = orders->given;
    return is_good && bench->unexpected == 0 && sink_is_clean(orders->sink);
}

static bool run_direct(struct bench *bench, struct result *ret_result)
{
    struct orders orders = {.bench = bench, .end = bench->duration_us * DIRECT_PER_S_MAX / 1000000};

    orders.sink = start_sink(bench, orders.end);
    bool is_good = orders.sink && post_directly(&orders, ret_result);
    sink_stop(orders.sink);
    return is_good;
}

const struct scenario scenario_orders = {
    .name = "orders",
    .help = "a backlog of orders that is delivered, then as many while they are accepted",
    .run = run_orders,
};
const struct scenario scenario_arrivals = {
    .name = "arrivals",
    .help = "from an order's 202 to its arrival at its ERP, at a steady pace",
    .run = run_arrivals,
};
const struct scenario scenario_direct = {
    .name = "direct",
    .help = "orders from the generator itself to the sink: the limit of the delivery",
    .run = run_direct,
};
