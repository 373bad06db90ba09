/* Integrations that get orders, for the tests of domain/order: each function one transaction. */
#pragma once

#include "app/setup/migrations.h"
#include "client_scene.h"
#include "domain/order/order_body.h"
#include "order_sample.h"

static inline struct integration begin_shop(struct world *world, struct store *store)
{
    begin(world, store);
    return create(world);
}

/* --- Orders ----------------------------------------------------------------------------------- */

/* The sample for an integration, under `id` (nil: without one). */
static inline struct order_input input_of(struct world *world,
                                          const struct integration *integration,
                                          const struct uuid *id)
{
    struct order *order = ARENA_NEW(world->arena, struct order);

    assert_string_equal(decode_order(world->arena, SAMPLE_ORDER, order), "");
    order->id = *id;
    order->point_id = integration->point_id;
    return (struct order_input){.integration_id = integration->id, .order = order};
}

struct ordering {
    struct uuid resource_id;
    struct order_input input;
    struct order_delivery delivery;
    struct record_fault fault;
};

static inline enum err run_order(struct work *work, void *arg)
{
    struct ordering *step = arg;
    return order_create(work, &step->resource_id, &step->input, &step->delivery, &step->fault);
}

static inline enum err order_of(struct world *world, const struct order_input *input,
                                struct ordering *step)
{
    *step = (struct ordering){.resource_id = uuid_new(world->now_ms), .input = *input};
    return world_run(world, run_order, step);
}

/* A new order with an id of herald's. */
static inline struct order_delivery make_order(struct world *world,
                                               const struct integration *integration)
{
    struct order_input input = input_of(world, integration, &(struct uuid){{0}});
    struct ordering step;
    assert_ok(order_of(world, &input, &step));
    return step.delivery;
}

struct reading_order {
    const struct uuid *id;
    struct order_delivery delivery;
};

static inline enum err run_read_order(struct work *work, void *arg)
{
    struct reading_order *step = arg;
    return order_read(work, step->id, &step->delivery);
}

static inline struct order_delivery read_order(struct world *world, const struct uuid *id)
{
    struct reading_order step = {.id = id};
    assert_ok(world_read(world, run_read_order, &step));
    return step.delivery;
}

static inline enum err run_retry(struct work *work, void *arg)
{
    return order_retry(work, arg);
}

/* --- What a worker would have done ------------------------------------------------------------ */

struct changing_order {
    const struct uuid *id;
    const char *sql; /* $1: the id, $2: now */
};

static inline enum err run_change_order(struct work *work, void *arg)
{
    const struct changing_order *step = arg;
    return db_exec(work->tx, step->sql, DB_ARGS(db_uuid(step->id), db_int(work->now_ms)), NULL);
}

static inline void set_order(struct world *world, const struct uuid *id, const char *assignments)
{
    struct changing_order step = {
        id,
        arena_printf(world->arena, "UPDATE order_delivery SET %s, updated_at = $2 WHERE id = $1",
                     assignments)};
    assert_ok(world_run(world, run_change_order, &step));
}
