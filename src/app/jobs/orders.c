/* The delivery of orders. */
#include "app/jobs/orders.h"

#include "domain/order/order_job.h"
#include "kit/base/clock.h"
#include "kit/base/must.h"
#include "kit/fetch/fetch.h"

#include <stdlib.h>

struct orders {
    struct app *app;
    struct fetch_client *client;
    struct order_worker *worker;
};

static void wake(void *arg)
{
    order_worker_wake(arg);
}

struct orders *orders_start(struct app *app)
{
    struct orders *orders = must_calloc(1, sizeof(*orders));
    orders->app = app;
    orders->client = fetch_client_new_wide(ORDER_CALLS_MAX + ORDER_PROBES_MAX, 0, ORDER_ANSWER_MAX);
    orders->worker = order_worker_new(&app->service, app->event_log, orders->client);
    db_subscribe(app->service.exchange, ORDER_CHANNEL, wake, orders->worker);
    return orders;
}

void orders_begin_no_more(struct orders *orders)
{
    if (orders) order_worker_begin_no_more(orders->worker);
}

void orders_pause(struct orders *orders)
{
    if (orders) order_worker_pause(orders->worker, 0);
}

void orders_stop(struct orders *orders)
{
    if (!orders) return;
    int64_t grace_ms = orders->app->calls_end_ms - clock_monotonic_ms();
    order_worker_pause(orders->worker, grace_ms > 0 ? (int)grace_ms : 0);
    fetch_client_free(orders->client);
    order_worker_stop(orders->worker);
}

void orders_free(struct orders *orders)
{
    if (!orders) return;
    order_worker_free(orders->worker);
    free(orders);
}
