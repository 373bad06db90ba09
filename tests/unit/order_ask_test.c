/* These tests show what may be asked about orders (contract, section 6): lists, attempts, another
 * try. */
#include "order_scene.h"

/* --- Lists ------------------------------------------------------------------------------------ */

struct listing_orders {
    struct order_filter filter;
    struct order_list list;
};

static enum err run_list(struct work *work, void *arg)
{
    struct listing_orders *step = arg;
    return order_list(work, &step->filter, &step->list);
}

/* The ids of all pages, which have up to `limit`, as the letters by which `all` has them. */
static const char *letters_of(struct world *world, struct order_filter filter,
                              const struct order_delivery *all, size_t count)
{
    const char *letters = "";

    do {
        struct listing_orders step = {.filter = filter};
        assert_ok(world_read(world, run_list, &step));
        assert_in_range(step.list.orders.count, 0, filter.search.page.limit);
        const struct order_delivery *orders = step.list.orders.items;
        for (size_t i = 0; i < step.list.orders.count; i++) {
            size_t at = 0;
            while (at < count && !uuid_equal(&all[at].id, &orders[i].id))
                at++;
            letters = arena_printf(world->arena, "%s%c", letters, (char)('a' + at));
        }
        filter.search.page.cursor = step.list.next_cursor;
    } while (filter.search.page.cursor);
    return letters;
}

static void a_list_goes_from_the_newest_to_the_oldest(struct store *store)
{
    AUTO_WORLD world;
    struct integration shop = begin_shop(&world, store), other = create(&world);
    static const struct {
        const char *assignments;
        bool is_other;
    } rows[] = {
        {"state = 'queued'", false},
        {"state = 'delivering'", true},
        {"state = 'accepted', due_at = NULL", false},
        {"state = 'rejected', due_at = NULL", true},
        {"state = 'failed', due_at = NULL", false},
        {"state = 'failed', due_at = NULL", true},
    };
    struct order_delivery all[COUNT_OF(rows)];
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        all[i] = make_order(&world, rows[i].is_other ? &other : &shop);
        set_order(&world, &all[i].id, rows[i].assignments);
        world.now_ms += i % 2; /* two in a millisecond */
    }

    const struct {
        struct uuid integration_id;
        int state;
        const char *letters;
    } lists[] = {
        {{{0}}, -1, "fedcba"},          {shop.id, -1, "eca"},
        {other.id, -1, "fdb"},          {{{0}}, ORDER_QUEUED, "a"},
        {{{0}}, ORDER_DELIVERING, "b"}, {{{0}}, ORDER_ACCEPTED, "c"},
        {{{0}}, ORDER_REJECTED, "d"},   {{{0}}, ORDER_FAILED, "fe"},
        {shop.id, ORDER_FAILED, "e"},   {other.id, ORDER_FAILED, "f"},
        {other.id, ORDER_ACCEPTED, ""}, {uuid_new(WORLD_START_MS), -1, ""},
    };
    for (size_t i = 0; i < COUNT_OF(lists); i++) {
        for (int limit = 1; limit <= 7; limit++) {
            struct order_filter filter = {.integration_id = lists[i].integration_id,
                                          .state = lists[i].state,
                                          .search.page.limit = limit};
            assert_string_equal(letters_of(&world, filter, all, COUNT_OF(all)), lists[i].letters);
        }
    }
}

static struct order_delivery order_by(struct world *world, const struct integration *integration,
                                      const char *phone)
{
    struct order_input input = input_of(world, integration, &(struct uuid){{0}});
    struct ordering step;

    input.order->customer->phone = phone;
    assert_ok(order_of(world, &input, &step));
    world->now_ms++;
    return step.delivery;
}

static void a_customer_has_a_list(struct store *store)
{
    AUTO_WORLD world;
    struct integration shop = begin_shop(&world, store), other = create(&world);
    const struct {
        const struct integration *integration;
        const char *phone, *assignments;
    } rows[] = {
        {&shop, "+79160000001", "state = 'failed', due_at = NULL"},
        {&other, "8 (916) 000-00-01", "state = 'failed', due_at = NULL"},
        {&shop, "+79160000002", "state = 'queued'"},
        {&shop, "79160000001", "state = 'queued'"},
        {&shop, "nobody", "state = 'queued'"},
        {&other, "+79160000001", "state = 'accepted', due_at = NULL"},
    };
    struct order_delivery all[COUNT_OF(rows)];
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        all[i] = order_by(&world, rows[i].integration, rows[i].phone);
        set_order(&world, &all[i].id, rows[i].assignments);
    }

    const int64_t at_1 = all[1].created_at, at_3 = all[3].created_at;
    const struct {
        struct uuid integration_id;
        int state;
        int64_t since, until;
        const char *letters;
    } lists[] = {
        {{{0}}, -1, 0, 0, "fdba"},
        {shop.id, -1, 0, 0, "da"},
        {other.id, -1, 0, 0, "fb"},
        {{{0}}, ORDER_FAILED, 0, 0, "ba"},
        {{{0}}, ORDER_REJECTED, 0, 0, ""},
        {shop.id, ORDER_FAILED, 0, 0, "a"},
        {{{0}}, -1, at_1, 0, "fdb"},
        {{{0}}, -1, at_1 + 1, 0, "fd"},
        {{{0}}, -1, 0, at_3, "ba"},
        {{{0}}, -1, 0, at_3 + 1, "dba"},
        {{{0}}, -1, at_1, at_3, "b"},
        {{{0}}, ORDER_FAILED, at_1, at_3, "b"},
        {other.id, ORDER_ACCEPTED, 0, 0, "f"},
    };
    for (size_t i = 0; i < COUNT_OF(lists); i++) {
        for (int limit = 1; limit <= 5; limit++) {
            struct order_filter filter = {
                .integration_id = lists[i].integration_id,
                .state = lists[i].state,
                .search = {"+79160000001", lists[i].since, lists[i].until, {limit, NULL}}};
            assert_string_equal(letters_of(&world, filter, all, COUNT_OF(all)), lists[i].letters);
        }
    }
}

static void a_list_has_a_time(struct store *store)
{
    AUTO_WORLD world;
    struct integration shop = begin_shop(&world, store);
    struct order_delivery all[3];
    for (size_t i = 0; i < COUNT_OF(all); i++)
        all[i] = order_by(&world, &shop, "+79160000001");

    const int64_t at = all[1].created_at;
    const struct {
        int64_t since, until;
        const char *letters;
    } lists[] = {
        {at, 0, "cb"},     {at + 1, 0, "c"},       {0, at, "a"},          {0, at + 1, "ba"},
        {at, at + 1, "b"}, {at + 1, at, ""},       {at + 2, 0, ""},       {0, at - 1, ""},
        {0, -1, ""},       {INT64_MAX - 1, 0, ""}, {1, INT64_MAX, "cba"},
    };
    for (size_t i = 0; i < COUNT_OF(lists); i++) {
        for (int limit = 1; limit <= 4; limit++) {
            struct order_filter filter = {
                .state = -1, .search = {NULL, lists[i].since, lists[i].until, {limit, NULL}}};
            assert_string_equal(letters_of(&world, filter, all, COUNT_OF(all)), lists[i].letters);
            filter.state = ORDER_QUEUED;
            filter.integration_id = shop.id;
            assert_string_equal(letters_of(&world, filter, all, COUNT_OF(all)), lists[i].letters);
        }
    }
}

static void a_cursor_is_one_of_ours(struct store *store)
{
    static const char *const wrong[] = {"",
                                        ".",
                                        "1",
                                        "1.",
                                        "x." SAMPLE_ID,
                                        "." SAMPLE_ID,
                                        "1." SAMPLE_ID "0",
                                        SAMPLE_ID,
                                        "99999999999999999999." SAMPLE_ID};
    AUTO_WORLD world;
    begin(&world, store);

    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        struct listing_orders step = {.filter = {.state = -1, .search.page = {5, wrong[i]}}};
        assert_err(world_read(&world, run_list, &step), ERR_VALIDATION);
    }
    struct listing_orders step = {.filter = {.state = -1, .search.page = {5, "1." SAMPLE_ID}}};
    assert_ok(world_read(&world, run_list, &step));
    assert_int_equal(step.list.orders.count, 0);
}

/* --- Attempts --------------------------------------------------------------------------------- */

struct listing_attempts {
    const struct uuid *id;
    struct page_query query;
    struct order_attempt_list list;
};

static enum err run_list_attempts(struct work *work, void *arg)
{
    struct listing_attempts *step = arg;
    return order_list_attempts(work, step->id, &step->query, &step->list);
}

static void add_attempt(struct world *world, const struct uuid *id, const char *values)
{
    struct changing_order step = {
        id, arena_printf(world->arena,
                         "INSERT INTO order_attempt (id, started_at, attempt, duration_ms, status,"
                         " outcome, error) VALUES ($1, $2, %s)",
                         values)};
    assert_ok(world_run(world, run_change_order, &step));
}

static void attempts_go_from_the_first_to_the_last(struct store *store)
{
    AUTO_WORLD world;
    struct integration shop = begin_shop(&world, store);
    struct uuid id = make_order(&world, &shop).id, other_id = make_order(&world, &shop).id;

    add_attempt(&world, &id, "10, 40, 200, 'accepted', NULL");
    add_attempt(&world, &id, "9, 10000, 0, 'unknown', 'the time was up'");
    add_attempt(&world, &id, "2, 3, 503, 'refused', 'HTTP 503'");
    add_attempt(&world, &other_id, "1, 3, 503, 'refused', 'HTTP 503'");
    struct listing_attempts step = {.id = &id, .query.limit = 2};
    assert_ok(world_read(&world, run_list_attempts, &step));
    const struct order_attempt *attempts = step.list.attempts.items;
    assert_int_equal(step.list.attempts.count, 2);
    assert_int_equal(attempts[0].attempt, 2);
    assert_int_equal(attempts[0].started_at, WORLD_START_MS);
    assert_int_equal(attempts[0].duration_ms, 3);
    assert_int_equal(attempts[0].status, 503);
    assert_int_equal(attempts[0].outcome, ATTEMPT_REFUSED);
    assert_string_equal(attempts[0].error, "HTTP 503");
    assert_int_equal(attempts[1].attempt, 9);
    assert_int_equal(attempts[1].status, -1);
    assert_int_equal(attempts[1].outcome, ATTEMPT_UNKNOWN);
    step.query.cursor = step.list.next_cursor;
    assert_non_null(step.query.cursor);
    assert_ok(world_read(&world, run_list_attempts, &step));
    attempts = step.list.attempts.items;
    assert_int_equal(step.list.attempts.count, 1);
    assert_int_equal(attempts[0].attempt, 10);
    assert_null(attempts[0].error);
    assert_null(step.list.next_cursor);
}

static void attempts_are_of_an_order(struct store *store)
{
    static const char *const wrong[] = {"", "x", "0", "-1", "1.5", "99999999999999999999"};
    AUTO_WORLD world;
    struct integration shop = begin_shop(&world, store);
    struct uuid id = make_order(&world, &shop).id, nobody = uuid_new(WORLD_START_MS);

    struct listing_attempts step = {.id = &nobody, .query.limit = 2};
    assert_err(world_read(&world, run_list_attempts, &step), ERR_NOT_FOUND);
    step.id = &id;
    assert_ok(world_read(&world, run_list_attempts, &step));
    assert_int_equal(step.list.attempts.count, 0);
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        step.query.cursor = wrong[i];
        assert_err(world_read(&world, run_list_attempts, &step), ERR_VALIDATION);
    }
}

/* --- Trying again ----------------------------------------------------------------------------- */

/* As versions before did with the body of a rejected order. */
static enum err run_lose_body(struct work *work, void *arg)
{
    (void)arg;
    return db_exec(work->tx, "DELETE FROM order_body", NULL, 0, NULL);
}

static int64_t give_up_at(struct store *store)
{
    return store_number(store, "SELECT give_up_at AS n FROM order_delivery");
}

static void what_has_its_body_is_due_now(struct store *store)
{
    static const char *const states[] = {
        "state = 'failed', due_at = NULL, attempts = 870, last_error = 'HTTP 503'",
        "state = 'queued', due_at = due_at + 300000, attempts = 871",
        "state = 'rejected', due_at = NULL, attempts = 872, last_error = 'HTTP 503'"};
    AUTO_WORLD world;
    struct integration shop = begin_shop(&world, store);
    struct uuid id = make_order(&world, &shop).id;

    for (int i = 0; i < (int)COUNT_OF(states); i++) {
        set_order(&world, &id, states[i]);
        world.now_ms += 100 * (int64_t)HOUR_MS;
        assert_ok(world_run(&world, run_retry, &id));
        assert_string_equal(world.said->message, "order is tried again");
        struct order_delivery found = read_order(&world, &id);
        assert_int_equal(found.state, ORDER_QUEUED);
        assert_int_equal(found.next_attempt_at, world.now_ms);
        assert_int_equal(found.attempts, 870 + i);
        assert_string_equal(found.last_error, "HTTP 503");
        assert_int_equal(give_up_at(store), world.now_ms + 72 * (int64_t)HOUR_MS);
    }
}

/* To the millisecond, and whether the body was swept already or not. */
static void what_has_lost_its_body_is_refused(struct store *store)
{
    AUTO_WORLD world;
    struct integration shop = begin_shop(&world, store);
    struct uuid id = make_order(&world, &shop).id;

    set_order(&world, &id, "state = 'rejected', due_at = NULL, body_until = 1");
    assert_err(world_run(&world, run_retry, &id), ERR_BODY_GONE);
    char *until = arena_printf(world.arena, "body_until = %lld", (long long)world.now_ms);
    set_order(&world, &id, until);
    assert_err(world_run(&world, run_retry, &id), ERR_BODY_GONE);
    world.now_ms--;
    assert_ok(world_run(&world, run_retry, &id));
    assert_int_equal(store_number(store, "SELECT count(*) AS n FROM order_delivery"
                                         " WHERE body_until IS NULL"),
                     1);
    set_order(&world, &id, "state = 'failed', due_at = NULL");
    assert_ok(world_run(&world, run_lose_body, NULL));
    assert_err(world_run(&world, run_retry, &id), ERR_BODY_GONE);
}

static void others_stay_as_they_are(struct store *store)
{
    static const char *const states[] = {"state = 'delivering', attempts = 1",
                                         "state = 'accepted', due_at = NULL"};
    AUTO_WORLD world;
    struct integration shop = begin_shop(&world, store);
    struct uuid id = make_order(&world, &shop).id, nobody = uuid_new(WORLD_START_MS);

    for (size_t i = 0; i < COUNT_OF(states); i++) {
        set_order(&world, &id, states[i]);
        struct order_delivery before = read_order(&world, &id);
        assert_int_equal(before.next_attempt_at, 0);
        world.now_ms += HOUR_MS;
        assert_err(world_run(&world, run_retry, &id), i == 0 ? ERR_OK : ERR_ALREADY_ACCEPTED);
        assert_null(world.said);
        struct order_delivery after = read_order(&world, &id);
        assert_int_equal(after.state, before.state);
        assert_int_equal(after.updated_at, before.updated_at);
        assert_int_equal(give_up_at(store), WORLD_START_MS + 72 * (int64_t)HOUR_MS);
    }
    assert_err(world_run(&world, run_retry, &nobody), ERR_NOT_FOUND);
}

int main(void)
{
    static const struct store_case cases[] = {
#define CASE(name) {#name, name, 0}
        CASE(a_list_goes_from_the_newest_to_the_oldest),
        CASE(a_customer_has_a_list),
        CASE(a_list_has_a_time),
        CASE(a_cursor_is_one_of_ours),
        CASE(attempts_go_from_the_first_to_the_last),
        CASE(attempts_are_of_an_order),
        CASE(what_has_its_body_is_due_now),
        CASE(what_has_lost_its_body_is_refused),
        CASE(others_stay_as_they_are),
    };
    return store_run_cases("order_ask", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
