/* Some orders have no worker that serves them: their lane is paused, their integration disabled, or
 * the process gone. */
#include "core/trace.h"
#include "domain/order/order_job.h"
#include "domain/order/order_lane_db.h"
#include "domain/order/order_turn_db.h"

#define OVER "not delivered within its time"

enum err order_release_leases(struct work *work)
{
    enum err err = orders_release(work);
    return err ? err : order_lane_release_everybodys(work);
}

enum err order_sweep_bodies(struct work *work, int max, int64_t *ret_swept)
{
    struct uuid *ids = arena_array(work->arena, (size_t)max, sizeof(*ids));
    size_t count;

    enum err err = bodies_over_select(work, max, ids, &count);
    if (err) return err;
    *ret_swept = (int64_t)count;
    return orders_forget_bodies(work, ids, count);
}

static enum err log_failed(struct work *work, const struct due_order *order)
{
    struct log_field trace[TRACE_FIELDS];
    struct trace_ids ids;

    enum err err = integration_learn_name(work, &order->integration_id);
    if (err) return err;
    trace_log_fields(order->traceparent, &ids, trace);
    work_note(work, LOG_ERROR, "order failed; an operator can have it tried again",
              LOG_FIELDS(trace[0], trace[1], log_uuid("order_id", &order->id),
                         log_integration(&order->integration_id),
                         log_int("attempts", order->attempts), log_plain("error", OVER)));
    return ERR_OK;
}

enum err order_sweep(struct work *work, int max, int64_t *ret_swept)
{
    struct due_orders orders;

    *ret_swept = 0;
    enum err err = overdue_orders_select(work, work->now_ms - ORDER_SWEEP_AFTER_MS, max, &orders);
    if (err) return err;
    int64_t *are_failed = arena_array(work->arena, orders.count, sizeof(*are_failed));
    err = orders_fail(work, orders.items, orders.count, OVER, are_failed);
    for (size_t i = 0; !err && i < orders.count; i++) {
        if (!are_failed[i]) continue;
        err = log_failed(work, &orders.items[i]);
        order_tell(work, &orders.items[i].id, ORDER_FAILED);
        (*ret_swept)++;
    }
    return err;
}
