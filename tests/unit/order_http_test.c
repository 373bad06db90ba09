/* Orders as requests: one key is one order, and what lists and attempts are asked with. */
#include "core/page.h"
#include "kit/idem/idem.h"
#include "order_scene.h"
#include "route_of.h"

#include <stdio.h>

enum { CROWD = 8 };

/* --- One key is one order --------------------------------------------------------------------- */

struct keyed_order {
    struct order_input input;
    struct idem_key key;
    struct route route;
    struct request rq;
    bool is_replay;
    const char *reply;
};

/* As the dispatcher does it. */
static enum err run_keyed(struct work *work, void *arg)
{
    struct keyed_order *step = arg;
    struct request *rq = &step->rq;
    struct uuid original;

    step->route = route_of(&order_routes, "createOrder");
    *rq = (struct request){.work = *work, .route = &step->route, .body = &step->input};
    request_restart(rq, work->tx);
    rq->resource_id = uuid_new(work->now_ms);
    enum err err = idem_take(work->tx, &step->key, &rq->resource_id, &step->is_replay, &original);
    if (err) return err;
    if (step->is_replay) rq->resource_id = original;
    err = step->is_replay ? step->route.replay(rq) : step->route.handle(rq);
    step->reply = arena_str(work->arena, buf_view(&rq->reply));
    buf_done(&rq->reply);
    return err;
}

static struct keyed_order keyed(struct order_input input, const char *key)
{
    return (struct keyed_order){.input = input, .key = {.family = "orders", .key = key}};
}

static void a_repeat_answers_with_the_order(struct store *store)
{
    AUTO_WORLD world;
    struct integration shop = begin_shop(&world, store);
    struct uuid ids[] = {{{0}}, uuid_new(WORLD_START_MS)};
    static const char *const keys[] = {"made", "brought"};

    for (size_t i = 0; i < COUNT_OF(ids); i++) {
        struct keyed_order step = keyed(input_of(&world, &shop, &ids[i]), keys[i]);
        assert_ok(world_run(&world, run_keyed, &step));
        assert_false(step.is_replay);
        const char *first = arena_text(world.arena, step.reply);
        for (int repeat = 0; repeat < 2; repeat++) {
            assert_ok(world_run(&world, run_keyed, &step));
            assert_true(step.is_replay);
            assert_int_equal(step.rq.status, 202);
            assert_string_equal(step.reply, first);
        }
    }
    assert_int_equal(store_number(store, "SELECT count(*) AS n FROM order_delivery"), 2);
}

/* A refusal leaves nothing behind: the key may be tried again. */
static void a_refused_key_is_free(struct store *store)
{
    AUTO_WORLD world;
    struct integration shop = begin_shop(&world, store);
    struct keyed_order step = keyed(input_of(&world, &shop, &(struct uuid){{0}}), "k");

    step.input.order->point_id = uuid_new(WORLD_START_MS);
    assert_err(world_run(&world, run_keyed, &step), ERR_VALIDATION);
    assert_int_equal(step.rq.faults->count, 1);
    assert_string_equal(step.rq.faults->rows[0].path, "order.point_id");
    step.input.order->point_id = shop.point_id;
    assert_ok(world_run(&world, run_keyed, &step));
    assert_false(step.is_replay);
}

struct crowd_keyed {
    struct order_input input;
    enum err errs[CROWD];
    char replies[CROWD][512];
};

static void key_in_crowd(struct world *world, int index, void *arg)
{
    struct crowd_keyed *crowd = arg;
    struct keyed_order step = keyed(crowd->input, "one");
    crowd->errs[index] = world_run(world, run_keyed, &step);
    if (!crowd->errs[index])
        snprintf(crowd->replies[index], sizeof(crowd->replies[index]), "%s", step.reply);
}

static void a_crowd_with_one_key_makes_one_order(struct store *store)
{
    AUTO_WORLD world;
    struct integration shop = begin_shop(&world, store);
    struct crowd_keyed crowd;

    crowd.input = input_of(&world, &shop, &(struct uuid){{0}});

    world_crowd(&world, CROWD, key_in_crowd, &crowd);
    for (int i = 0; i < CROWD; i++) {
        assert_ok(crowd.errs[i]);
        assert_string_equal(crowd.replies[i], crowd.replies[0]);
    }
    assert_int_equal(store_number(store, "SELECT count(*) AS n FROM order_delivery"), 1);
}

/* --- Asking ----------------------------------------------------------------------------------- */

struct getting {
    struct route route;
    struct uuid id;
    const void *query;
    struct request rq;
    const char *reply;
};

static enum err run_get(struct work *work, void *arg)
{
    struct getting *step = arg;
    struct request *rq = &step->rq;

    *rq = (struct request){.work = *work, .route = &step->route};
    request_restart(rq, work->tx);
    rq->path_ids[0] = step->id;
    rq->query = step->query;
    enum err err = step->route.handle(rq);
    step->reply = arena_str(work->arena, buf_view(&rq->reply));
    buf_done(&rq->reply);
    return err;
}

static size_t count_in(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, part)); at++)
        count++;
    return count;
}

static void a_list_is_filtered_and_paged(struct store *store)
{
    AUTO_WORLD world;
    struct integration shop = begin_shop(&world, store), other = create(&world);

    for (int i = 0; i < 60; i++)
        make_order(&world, &shop);
    struct uuid failed = make_order(&world, &other).id;
    set_order(&world, &failed, "state = 'failed', due_at = NULL");
    const struct {
        struct order_filter filter;
        size_t count;
        bool has_more;
    } asks[] = {
        {{.state = -1, .search.page.limit = PAGE_LIMIT_DEFAULT}, PAGE_LIMIT_DEFAULT, true},
        {{.state = -1, .search.page.limit = 200}, 61, false},
        {{.state = ORDER_QUEUED, .search.page.limit = 60}, 60, false},
        {{.state = ORDER_FAILED, .search.page.limit = 1}, 1, false},
        {{other.id, .state = -1, .search.page.limit = 50}, 1, false},
        {{other.id, .state = ORDER_QUEUED, .search.page.limit = 50}, 0, false},
    };
    for (size_t i = 0; i < COUNT_OF(asks); i++) {
        struct getting step = {.route = route_of(&order_routes, "listOrders"),
                               .query = &asks[i].filter};
        assert_ok(world_read(&world, run_get, &step));
        assert_int_equal(step.rq.status, 200);
        assert_int_equal(count_in(step.reply, "\"state\":"), asks[i].count);
        assert_int_equal(count_in(step.reply, "\"next_cursor\":null"), !asks[i].has_more);
    }
}

static void a_wrong_cursor_is_a_fault_of_its_field(struct store *store)
{
    AUTO_WORLD world;
    struct integration shop = begin_shop(&world, store);
    struct getting steps[] = {
        {.route = route_of(&order_routes, "listOrders"),
         .query = &(struct order_filter){.state = -1, .search.page = {5, "x"}}},
        {.route = route_of(&order_routes, "listOrderAttempts"),
         .id = make_order(&world, &shop).id,
         .query = &(struct page_query){5, "x"}},
    };
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        assert_err(world_read(&world, run_get, &steps[i]), ERR_VALIDATION);
        assert_int_equal(steps[i].rq.faults->count, 1);
        assert_string_equal(steps[i].rq.faults->rows[0].path, "cursor");
    }
}

static void nobodys_order_is_not_found(struct store *store)
{
    static const char *const operations[] = {"getOrder", "listOrderAttempts", "retryOrder"};
    AUTO_WORLD world;
    struct integration shop = begin_shop(&world, store);
    struct uuid ids[] = {uuid_new(WORLD_START_MS), make_order(&world, &shop).id};

    for (size_t i = 0; i < COUNT_OF(operations); i++) {
        struct getting step = {.query = &(struct page_query){.limit = 5},
                               .route = route_of(&order_routes, operations[i])};
        for (int known = 0; known <= 1; known++) {
            step.id = ids[known];
            assert_err(world_run(&world, run_get, &step), known ? ERR_OK : ERR_NOT_FOUND);
        }
        assert_int_equal(step.rq.status, step.route.status);
    }
}

int main(void)
{
    static const struct store_case cases[] = {
#define CASE(name) {#name, name, 0}
        CASE(a_repeat_answers_with_the_order),        CASE(a_refused_key_is_free),
        CASE(a_crowd_with_one_key_makes_one_order),   CASE(a_list_is_filtered_and_paged),
        CASE(a_wrong_cursor_is_a_fault_of_its_field), CASE(nobodys_order_is_not_found),
    };
    return store_run_cases("order_http", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
