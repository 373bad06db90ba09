/* These tests show which lanes a worker finds, and what that costs. */
#include "app/setup/migrations.h"
#include "domain/order/order_lane_db.h"
#include "domain/order/order_turn_db.h"
#include "order_stage.h"

static const struct reaction documents = {0};

struct looking {
    struct uuid holder;
    struct order_lane_page page;
    int64_t read; /* PostgreSQL: rows of order_delivery */
};

static enum err run_look(struct work *work, void *arg)
{
    struct looking *step = arg;
    struct uuid first = {0};
    struct db *db = work->service->exchange;
    int64_t before, after = 0;

    work->now_ms = clock_now_ms();
    enum err err = store_count_read(db, work->tx, "order_delivery", &before);
    if (!err) err = order_lane_select_due(work, &step->holder, &first, 10, &step->page);
    if (!err) err = store_count_read(db, work->tx, "order_delivery", &after);
    step->read = after - before;
    return err;
}

static struct looking look(struct stage *stage)
{
    struct looking step = {.holder = uuid_new(stage->world.now_ms)};
    assert_ok(world_read(&stage->world, run_look, &step));
    return step;
}

static size_t found_when(struct stage *stage, const char *column, int64_t ahead_ms)
{
    long long at = clock_now_ms() + ahead_ms;

    sql(stage, "UPDATE order_lane SET held_until = 0, probe_at = NULL");
    sql(stage, arena_printf(stage->world.arena, "UPDATE order_lane SET %s = %lld", column, at));
    return look(stage).page.count;
}

/* Held by another, or with nothing to begin: not before its time. */
static void lanes_are_found_when_something_can_begin(struct store *store)
{
    struct stage stage;
    begin(&stage, store, documents);
    struct uuid integration = integrate(&stage);
    assert_int_equal(look(&stage).page.count, 0);
    order_one(&stage, &integration);
    assert_int_equal(look(&stage).page.count, 1);
    assert_int_equal(found_when(&stage, "held_until", -1), 1);
    assert_int_equal(found_when(&stage, "held_until", ORDER_LANE_LEASE_MS), 0);
    assert_int_equal(found_when(&stage, "probe_at", -1), 1);
    assert_int_equal(found_when(&stage, "probe_at", CIRCUIT_OPEN_MS), 0);
    sql(&stage, "UPDATE order_lane SET probe_at = NULL");
    sql(&stage, "UPDATE order_delivery SET due_at = due_at + 60000");
    assert_int_equal(look(&stage).page.count, 0);
    end(&stage);
}

struct taking {
    struct uuid holder, lane;
    int64_t is_taken;
};

static enum err run_take(struct work *work, void *arg)
{
    struct taking *step = arg;
    work->now_ms = clock_now_ms();
    return order_lane_take(work, &step->holder, &step->lane, 1, work->now_ms + ORDER_LANE_LEASE_MS,
                           &step->is_taken);
}

static void a_lane_is_taken_once(struct store *store)
{
    struct stage stage;
    begin(&stage, store, documents);
    struct taking step = {.lane = integrate(&stage)};
    order_one(&stage, &step.lane);
    for (int i = 0; i < 3; i++) {
        step.holder = uuid_new(stage.world.now_ms);
        assert_ok(world_run(&stage.world, run_take, &step));
        assert_int_equal(step.is_taken, i != 1);
        if (i == 1) sql(&stage, "UPDATE order_lane SET held_until = held_until - 86400000");
    }
    end(&stage);
}

/* The costs hold whatever the statistics say: they are of a quiet time, and of many integrations.
 */
static void what_is_due_is_not_read(struct store *store)
{
    enum { DUE = 20000 };
    struct stage stage;
    begin(&stage, store, documents);
    struct uuid off = integrate(&stage);
    for (int i = 0; i < 200; i++) {
        struct uuid integration = integrate(&stage);
        order_one(&stage, &integration);
    }
    order_one(&stage, &off);
    sql(&stage, "UPDATE order_delivery SET due_at = due_at + 3600000");
    store_admin(store, "ANALYZE");
    set_enabled(&stage, &off, false);
    sql(&stage, arena_printf(stage.world.arena,
                             "INSERT INTO order_delivery (id, integration_id, state, attempts,"
                             " failures, due_at, give_up_at, fingerprint, erp_order_id, erp_number,"
                             " last_error, created_at, updated_at) SELECT"
                             " decode(md5('a' || i), 'hex'), integration_id, state, attempts,"
                             " failures, 1, give_up_at, fingerprint, erp_order_id, erp_number,"
                             " last_error, created_at, updated_at FROM order_delivery,"
                             " generate_series(1, %d) AS i WHERE integration_id ="
                             " (SELECT id FROM integration WHERE is_enabled = 0)",
                             DUE));
    struct looking step = look(&stage);
    assert_int_equal(step.page.count, 0);
    assert_in_range(step.read, 0, 1000);
    end(&stage);
}

struct beginning {
    struct due_share share;
    struct due_orders due;
    int64_t read;
};

static enum err run_select(struct work *work, void *arg)
{
    struct beginning *step = arg;
    struct db *db = work->service->exchange;
    int64_t before, after = 0;

    enum err err = store_count_read(db, work->tx, "order_delivery", &before);
    if (!err) err = due_orders_select(work, &step->share, 1, &step->due);
    if (!err) err = store_count_read(db, work->tx, "order_delivery", &after);
    step->read = after - before;
    return err;
}

/* Nor sorted, to begin a few. There are no statistics yet. */
static void a_turn_does_not_read_a_backlog(struct store *store)
{
    struct stage stage;
    begin(&stage, store, documents);
    struct beginning step = {.share = {integrate(&stage), 10}};
    order_some(&stage, &step.share.integration_id, 3000);
    assert_ok(world_run(&stage.world, run_select, &step));
    assert_int_equal(step.due.count, 10);
    assert_in_range(step.read, 0, 100);
    end(&stage);
}

/* --- Rows that another transaction has -------------------------------------------------------- */

/* A transaction on a thread of its own, which may have to wait for one of the test's. */
struct rival {
    struct stage *stage;
    enum err (*run)(struct work *work, void *arg);
    void *arg;
    struct arena arena;
    struct work work;
    atomic_bool has_run;
    pthread_t thread;
};

static enum err run_of_rival(void *arg, struct db_tx *tx)
{
    struct rival *rival = arg;
    work_restart(&rival->work, tx);
    enum err err = rival->run(&rival->work, rival->arg);
    rival->has_run = true;
    return err;
}

static void *compete(void *arg)
{
    struct rival *rival = arg;
    assert_ok(db_run(rival->stage->world.store->db, false, run_of_rival, rival));
    return NULL;
}

static void rival_start(struct rival *rival)
{
    arena_init(&rival->arena);
    work_init(&rival->work, &rival->stage->world.service, &rival->arena, clock_now_ms(), NULL);
    assert_int_equal(pthread_create(&rival->thread, NULL, compete, rival), 0);
}

/* A rival that is not over within this time has to wait; the database lets it do so for 5 s. */
enum { RIVAL_WAITS_MS = 500, RIVAL_IS_FREE_MS = 4500 };

/* Returns whether it did not come to its end by itself. */
static bool rival_waits(struct rival *rival, int ms)
{
    int64_t end_ms = clock_monotonic_ms() + ms;
    while (!rival->has_run && clock_monotonic_ms() < end_ms)
        sleep_ms(5);
    return !rival->has_run;
}

static void rival_end(struct rival *rival)
{
    pthread_join(rival->thread, NULL);
    arena_done(&rival->arena);
}

static enum err lock_row(struct work *work, const char *sql, const struct uuid *id)
{
    AUTO_STMT stmt = NULL;
    return db_query_one(work->tx, sql, DB_ARGS(db_uuid(id)), &stmt);
}

struct holding {
    struct rival rival;
    struct uuid locked;
    bool waits;
};

static enum err run_hold_lane(struct work *work, void *arg)
{
    struct holding *step = arg;
    enum err err =
        lock_row(work, "SELECT failures FROM order_lane WHERE integration_id = $1 FOR UPDATE",
                 &step->locked);
    if (err) return err;
    rival_start(&step->rival);
    step->waits = rival_waits(&step->rival, RIVAL_IS_FREE_MS);
    return ERR_OK;
}

static void assert_does_not_wait(struct stage *stage, const struct uuid *lane,
                                 enum err (*run)(struct work *work, void *arg), void *arg)
{
    struct holding step = {.rival = {.stage = stage, .run = run, .arg = arg}, .locked = *lane};
    assert_ok(world_run(&stage->world, run_hold_lane, &step));
    rival_end(&step.rival);
    assert_false(step.waits);
}

struct renewing {
    struct uuid holder, lane;
    size_t count;
    struct order_lane_state state;
};

static enum err run_renew(struct work *work, void *arg)
{
    struct renewing *step = arg;
    struct uuid *ids;
    return order_lane_renew(work, &step->holder, work->now_ms + ORDER_LANE_LEASE_MS, 10, &ids,
                            &step->count);
}

static enum err run_release(struct work *work, void *arg)
{
    struct renewing *step = arg;
    return order_lane_release(work, &step->holder, &step->lane, 1);
}

static enum err run_write(struct work *work, void *arg)
{
    struct renewing *step = arg;
    return order_lane_write(work, &step->holder, &step->state, 1, NULL);
}

/* Two workers, one of which stood still past its leases, would else wait for each other. */
static void nobody_waits_for_a_lane(struct store *store)
{
    struct stage stage;
    begin(&stage, store, documents);
    struct taking take = {.holder = uuid_new(stage.world.now_ms), .lane = integrate(&stage)};
    order_one(&stage, &take.lane);
    assert_does_not_wait(&stage, &take.lane, run_take, &take);
    assert_int_equal(take.is_taken, 0);
    assert_ok(world_run(&stage.world, run_take, &take));
    assert_int_equal(take.is_taken, 1);

    struct renewing step = {.holder = take.holder, .lane = take.lane, .count = 1};
    step.state = (struct order_lane_state){take.lane, {.circuit = {.failures = 3}}};
    assert_does_not_wait(&stage, &take.lane, run_renew, &step);
    assert_int_equal(step.count, 0);
    assert_does_not_wait(&stage, &take.lane, run_write, &step);
    assert_does_not_wait(&stage, &take.lane, run_release, &step);
    assert_int_equal(count_of(&stage, "order_lane WHERE holder IS NOT NULL AND failures = 0"), 1);
    assert_ok(world_run(&stage.world, run_renew, &step));
    assert_int_equal(step.count, 1);
    assert_ok(world_run(&stage.world, run_write, &step));
    assert_int_equal(count_of(&stage, "order_lane WHERE failures = 3"), 1);
    end(&stage);
}

struct ending {
    struct order_end ends[2]; /* the larger key first */
    int64_t are_ended[2];
    struct rival rival;
    bool waits, is_other_free;
};

static enum err run_ends(struct work *work, void *arg)
{
    struct ending *step = arg;
    return orders_end(work, step->ends, 2, step->are_ended);
}

#define LOCK_ORDER "SELECT attempts FROM order_delivery WHERE id = $1 FOR UPDATE"

/* Another attempt of the smaller key begins; whoever does that can still get the larger one. */
static enum err run_hold_order(struct work *work, void *arg)
{
    struct ending *step = arg;
    enum err err = db_exec(work->tx, "UPDATE order_delivery SET attempts = 2 WHERE id = $1",
                           DB_ARGS(db_uuid(&step->ends[1].id)), NULL);
    if (err) return err;
    rival_start(&step->rival);
    step->waits = rival_waits(&step->rival, RIVAL_WAITS_MS);
    err = lock_row(work, LOCK_ORDER " SKIP LOCKED", &step->ends[0].id);
    step->is_other_free = err == ERR_OK;
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

static void orders_are_locked_in_order_of_their_keys(struct store *store)
{
    struct stage stage;
    begin(&stage, store, documents);
    struct uuid integration = integrate(&stage);
    struct ending step = {.rival = {.stage = &stage, .run = run_ends, .arg = &step}};
    for (size_t i = 0; i < 2; i++) {
        struct uuid id = order_one(&stage, &integration);
        step.ends[1 - i] = (struct order_end){.id = id, .attempt = 1, .state = ORDER_REJECTED};
        sleep_ms(2); /* ids of one moment are in no order */
    }
    sql(&stage, "UPDATE order_delivery SET state = 'delivering', attempts = 1");
    assert_ok(world_run(&stage.world, run_hold_order, &step));
    rival_end(&step.rival);
    assert_true(step.waits);
    assert_true(step.is_other_free);
    assert_int_equal(step.are_ended[0], 1);
    assert_int_equal(step.are_ended[1], 0);
    end(&stage);
}

struct choosing {
    struct due_share share;
    struct due_orders due;
    struct rival rival;
    struct uuid locked;
    bool waits;
};

static enum err run_choose(struct work *work, void *arg)
{
    struct choosing *step = arg;
    return due_orders_select(work, &step->share, 1, &step->due);
}

static enum err run_hold_due(struct work *work, void *arg)
{
    struct choosing *step = arg;
    enum err err = lock_row(work, LOCK_ORDER, &step->locked);
    if (err) return err;
    rival_start(&step->rival);
    step->waits = rival_waits(&step->rival, RIVAL_IS_FREE_MS);
    return ERR_OK;
}

static void an_order_that_is_being_recorded_is_not_begun(struct store *store)
{
    struct stage stage;
    begin(&stage, store, documents);
    struct choosing step = {.share = {integrate(&stage), 10},
                            .rival = {.stage = &stage, .run = run_choose, .arg = &step}};
    step.locked = order_one(&stage, &step.share.integration_id);
    struct uuid other = order_one(&stage, &step.share.integration_id);
    assert_ok(world_run(&stage.world, run_hold_due, &step));
    assert_false(step.waits);
    assert_int_equal(step.due.count, 1);
    assert_uuid_equal(step.due.items[0].id, other);
    rival_end(&step.rival);
    end(&stage);
}

int main(void)
{
    const struct store_case cases[] = {
        {"lanes are found when something can begin", lanes_are_found_when_something_can_begin, 0},
        {"a lane is taken once", a_lane_is_taken_once, 0},
        {"nobody waits for a lane", nobody_waits_for_a_lane, STORE_POSTGRES},
        {"orders are locked in order of their keys", orders_are_locked_in_order_of_their_keys,
         STORE_POSTGRES},
        {"an order that is being recorded is not begun",
         an_order_that_is_being_recorded_is_not_begun, STORE_POSTGRES},
        {"what is due is not read", what_is_due_is_not_read, STORE_POSTGRES},
        {"a turn does not read a backlog", a_turn_does_not_read_a_backlog, STORE_POSTGRES},
    };
    return store_run_cases("order_lane_db", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
