/* These tests show which orders are taken (contract, section 6): one id is one order, whoever asks
 * how often and at which moment. */
#include "order_scene.h"

enum { CROWD = 8 };

static int64_t count_rows(struct store *store, const char *table)
{
    return store_number(store, arena_printf(&store->arena, "SELECT count(*) AS n FROM %s", table));
}

/* --- Taking ----------------------------------------------------------------------------------- */

static void an_order_is_queued(struct store *store)
{
    AUTO_WORLD world;
    struct integration shop = begin_shop(&world, store);
    struct order_input input = input_of(&world, &shop, &(struct uuid){{0}});
    struct ordering step;

    assert_ok(order_of(&world, &input, &step));
    struct order_delivery found = read_order(&world, &step.resource_id);
    assert_uuid_equal(step.delivery.id, step.resource_id);
    assert_uuid_equal(found.id, step.resource_id);
    assert_uuid_equal(found.integration_id, shop.id);
    assert_int_equal(found.state, ORDER_QUEUED);
    assert_int_equal(found.attempts, 0);
    assert_int_equal(found.next_attempt_at, WORLD_START_MS);
    assert_int_equal(found.created_at, WORLD_START_MS);
    assert_int_equal(found.updated_at, WORLD_START_MS);
    assert_null(found.erp_order_id);
    assert_null(found.erp_number);
    assert_null(found.last_error);
    assert_int_equal(step.delivery.next_attempt_at, found.next_attempt_at);
    assert_int_equal(store_number(store, "SELECT give_up_at AS n FROM order_delivery"),
                     WORLD_START_MS + 72 * (int64_t)HOUR_MS);
    assert_int_equal(count_rows(store, "order_lane"), 1);
}

struct peeking_body {
    const struct uuid *id;
    const char *body;
};

static enum err run_peek_body(struct work *work, void *arg)
{
    struct peeking_body *step = arg;
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx, "SELECT sealed FROM order_body WHERE id = $1",
                                DB_ARGS(db_uuid(step->id)), &stmt);
    if (err) return err;
    struct str sealed = db_get_blob(stmt, "sealed", work->arena);
    assert_null(memmem(sealed.data, sealed.len, "Anna", strlen("Anna")));
    return order_body_open(work->service->vault, step->id, sealed, work->arena, &step->body);
}

static void the_body_is_frozen_with_its_id(struct store *store)
{
    AUTO_WORLD world;
    struct integration shop = begin_shop(&world, store);
    struct order_delivery delivery = make_order(&world, &shop);
    char id[UUID_TEXT_LEN + 1], point[UUID_TEXT_LEN + 1];

    uuid_format(&delivery.id, id);
    uuid_format(&shop.point_id, point);
    struct peeking_body step = {.id = &delivery.id};
    assert_ok(world_read(&world, run_peek_body, &step));
    const char *expected = replaced(world.arena, SAMPLE_ORDER, SAMPLE_ID, id);
    assert_string_equal(step.body, replaced(world.arena, expected, SAMPLE_POINT, point));
}

static void the_log_names_nobody(struct store *store)
{
    static const char *const canaries[] = {"Anna", "Karenina", "1234567", "Tverskaya", "Ring"};
    AUTO_WORLD world;
    struct integration shop = begin_shop(&world, store);
    AUTO_BUF out = {0};

    make_order(&world, &shop);
    assert_non_null(world.said);
    assert_string_equal(world.said->message, "order queued");
    assert_null(world.said->next);
    buf_init(&out, 4096);
    log_encode_fields(&out, world.said->fields, world.said->field_count, true);
    assert_int_equal(world.said->field_count, 2);
    for (size_t i = 0; i < COUNT_OF(canaries); i++)
        assert_null(memmem(out.data, out.len, canaries[i], strlen(canaries[i])));
}

static void a_target_has_to_fit(struct store *store)
{
    AUTO_WORLD world;
    struct integration shop = begin_shop(&world, store);
    struct order_input input = input_of(&world, &shop, &(struct uuid){{0}});
    struct ordering step;

    input.integration_id = uuid_new(WORLD_START_MS);
    assert_err(order_of(&world, &input, &step), ERR_INTEGRATION_NOT_FOUND);
    input = input_of(&world, &shop, &(struct uuid){{0}});
    input.order->point_id = uuid_new(WORLD_START_MS);
    assert_err(order_of(&world, &input, &step), ERR_VALIDATION);
    assert_string_equal(step.fault.path, "order.point_id");
    change(&world, &shop.id, &(struct integration_change){.enabled = 0});
    input = input_of(&world, &shop, &(struct uuid){{0}});
    assert_err(order_of(&world, &input, &step), ERR_VALIDATION);
    assert_string_equal(step.fault.path, "integration_id");
    assert_int_equal(count_rows(store, "order_delivery"), 0);
    assert_int_equal(count_rows(store, "order_body"), 0);
    change(&world, &shop.id, &(struct integration_change){.enabled = 1});
    assert_ok(order_of(&world, &input, &step));
}

/* --- One id is one order ---------------------------------------------------------------------- */

static void the_same_order_is_answered_again(struct store *store)
{
    AUTO_WORLD world;
    struct integration shop = begin_shop(&world, store);
    struct uuid id = uuid_new(WORLD_START_MS);
    struct order_input input = input_of(&world, &shop, &id);
    struct ordering step;

    assert_ok(order_of(&world, &input, &step));
    assert_uuid_equal(step.delivery.id, id);
    set_order(&world, &id,
              "state = 'accepted', due_at = NULL, attempts = 1,"
              " erp_order_id = 'd-1', erp_number = '00-1'");
    world.now_ms += HOUR_MS;
    assert_ok(order_of(&world, &input, &step));
    assert_null(world.said);
    assert_uuid_equal(step.delivery.id, id);
    assert_int_equal(step.delivery.state, ORDER_ACCEPTED);
    assert_int_equal(step.delivery.created_at, WORLD_START_MS);
    assert_string_equal(step.delivery.erp_order_id, "d-1");
    assert_string_equal(step.delivery.erp_number, "00-1");
    assert_int_equal(count_rows(store, "order_delivery"), 1);
    assert_int_equal(count_rows(store, "order_body"), 1);
}

/* The caller who missed the answer asks again, with a new key, when the integration is off. */
static void what_was_taken_is_answered_whatever_became_of_its_target(struct store *store)
{
    AUTO_WORLD world;
    struct integration shop = begin_shop(&world, store);
    struct uuid id = uuid_new(WORLD_START_MS);
    struct order_input input = input_of(&world, &shop, &id);
    struct ordering step;

    assert_ok(order_of(&world, &input, &step));
    change(&world, &shop.id, &(struct integration_change){.enabled = 0});
    assert_ok(order_of(&world, &input, &step));
    assert_uuid_equal(step.delivery.id, id);
    input.order->total = "679.0000";
    assert_err(order_of(&world, &input, &step), ERR_ORDER_CONFLICT);
    assert_int_equal(count_rows(store, "order_delivery"), 1);
}

static void other_content_is_refused(struct store *store)
{
    AUTO_WORLD world;
    struct integration shop = begin_shop(&world, store);
    struct uuid id = uuid_new(WORLD_START_MS);
    struct order_input input = input_of(&world, &shop, &id);
    struct ordering step;

    assert_ok(order_of(&world, &input, &step));
    input.order->total = "679.0000"; /* digit for digit */
    assert_err(order_of(&world, &input, &step), ERR_ORDER_CONFLICT);
    input = input_of(&world, &shop, &id);
    input.order->created_at++;
    assert_err(order_of(&world, &input, &step), ERR_ORDER_CONFLICT);
    input = input_of(&world, &shop, &id);
    assert_ok(order_of(&world, &input, &step));
}

/* Of the same point, so that the content is the same. */
static void another_integration_has_ids_of_its_own(struct store *store)
{
    AUTO_WORLD world;
    struct integration shop = begin_shop(&world, store);
    struct erp_input erp = {.base_url = "https://trial.example/hs", .token = "made-up"};
    struct creating other = {.id = uuid_new(WORLD_START_MS),
                             .input = {.tenant_id = shop.tenant_id,
                                       .point_id = shop.point_id,
                                       .environment = ENVIRONMENT_TEST,
                                       .name = "Shop 13",
                                       .erp = &erp}};
    struct uuid id = uuid_new(WORLD_START_MS);
    struct order_input input = input_of(&world, &shop, &id);
    struct ordering step;

    assert_ok(world_run(&world, run_create, &other));
    assert_ok(order_of(&world, &input, &step));
    assert_uuid_equal(step.delivery.id, id);
    input.integration_id = other.id;
    assert_ok(order_of(&world, &input, &step));
    struct order_delivery own = step.delivery;
    assert_uuid_equal(own.id, step.resource_id);
    assert_uuid_equal(own.order_id, id);
    struct order_delivery found = read_order(&world, &own.id);
    assert_uuid_equal(found.integration_id, other.id);
    assert_int_equal(found.environment, ENVIRONMENT_TEST);
    assert_int_equal(own.environment, ENVIRONMENT_TEST);
    assert_string_equal(found.integration_name, "Shop 13");
    assert_string_equal(own.integration_name, "Shop 13");
    found = read_order(&world, &id);
    assert_uuid_equal(found.integration_id, shop.id);

    assert_ok(order_of(&world, &input, &step));
    assert_uuid_equal(step.delivery.id, own.id);
    input.order->comment = "Another";
    assert_err(order_of(&world, &input, &step), ERR_ORDER_CONFLICT);
    assert_int_equal(store_number(store, "SELECT count(*) AS n FROM order_delivery"), 2);
    assert_int_equal(store_number(store, "SELECT count(*) AS n FROM order_body"), 2);
}

struct crowd_order {
    struct order_input input;
    const struct idem_key *key; /* NULL: none */
    enum err errs[CROWD];
    struct uuid ids[CROWD];
};

static void order_in_crowd(struct world *world, int index, void *arg)
{
    struct crowd_order *crowd = arg;
    struct ordering step;
    crowd->errs[index] = order_of(world, &crowd->input, &step);
    crowd->ids[index] = step.delivery.id;
}

static void a_crowd_with_one_id_makes_one_order(struct store *store)
{
    AUTO_WORLD world;
    struct integration shop = begin_shop(&world, store);
    for (int round = 1; round <= 10; round++) {
        struct uuid id = uuid_new(WORLD_START_MS);
        struct crowd_order crowd = {.input = input_of(&world, &shop, &id)};
        world_crowd(&world, CROWD, order_in_crowd, &crowd);
        for (int i = 0; i < CROWD; i++) {
            assert_ok(crowd.errs[i]);
            assert_uuid_equal(crowd.ids[i], id);
        }
        assert_int_equal(count_rows(store, "order_delivery"), round);
        assert_int_equal(count_rows(store, "order_body"), round);
    }
    assert_int_equal(count_rows(store, "order_lane"), 1);
}

/* Everybody with a total of their own: whoever is first is right. */
static void order_differently(struct world *world, int index, void *arg)
{
    struct crowd_order *crowd = arg;
    struct order order = *crowd->input.order;
    struct order_input input = {crowd->input.integration_id, &order};
    struct ordering step;
    order.total = arena_printf(world->arena, "%d", index);
    crowd->errs[index] = order_of(world, &input, &step);
}

static void a_crowd_with_other_contents_is_refused(struct store *store)
{
    AUTO_WORLD world;
    struct integration shop = begin_shop(&world, store);
    struct uuid id = uuid_new(WORLD_START_MS);
    struct crowd_order crowd = {.input = input_of(&world, &shop, &id)};
    int taken = 0;

    world_crowd(&world, CROWD, order_differently, &crowd);
    for (int i = 0; i < CROWD; i++) {
        taken += crowd.errs[i] == ERR_OK;
        if (crowd.errs[i]) assert_err(crowd.errs[i], ERR_ORDER_CONFLICT);
    }
    assert_int_equal(taken, 1);
    assert_int_equal(count_rows(store, "order_delivery"), 1);
}

/* --- Whose work it is ------------------------------------------------------------------------- */

static void wake(void *arg)
{
    __atomic_add_fetch((int *)arg, 1, __ATOMIC_SEQ_CST);
}

/* A listener that has just connected calls everybody, too: it may have missed something. */
static void assert_woken(const int *wakes, int before)
{
    for (int ms = 0; ms < 5000 && __atomic_load_n(wakes, __ATOMIC_SEQ_CST) <= before; ms++)
        sleep_ms(1);
    assert_true(__atomic_load_n(wakes, __ATOMIC_SEQ_CST) > before);
}

static void a_worker_hears_of_it(struct store *store)
{
    AUTO_WORLD world;
    struct integration shop = begin_shop(&world, store);
    static int wakes;

    wakes = 0;
    db_subscribe(store->db, ORDER_TOPIC, wake, &wakes);
    struct uuid id = make_order(&world, &shop).id;
    assert_woken(&wakes, 0);
    int before = __atomic_load_n(&wakes, __ATOMIC_SEQ_CST);
    assert_ok(world_run(&world, run_retry, &id));
    assert_woken(&wakes, before);
}

int main(void)
{
    static const struct store_case cases[] = {
#define CASE(name) {#name, name, 0}
        CASE(an_order_is_queued),
        CASE(the_body_is_frozen_with_its_id),
        CASE(the_log_names_nobody),
        CASE(a_target_has_to_fit),
        CASE(the_same_order_is_answered_again),
        CASE(what_was_taken_is_answered_whatever_became_of_its_target),
        CASE(other_content_is_refused),
        CASE(another_integration_has_ids_of_its_own),
        CASE(a_crowd_with_one_id_makes_one_order),
        CASE(a_crowd_with_other_contents_is_refused),
        CASE(a_worker_hears_of_it),
    };
    return store_run_cases("order", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
