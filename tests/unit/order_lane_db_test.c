/* Which lanes a worker finds, and what that costs. */
#include "app/migrations.h"
#include "domain/order/order_lane_db.h"
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
    AUTO_STMT stmt = NULL;

    work->now_ms = clock_now_ms();
    enum err err = order_lane_select_due(work, &step->holder, &first, 10, &step->page);
    if (err || db_engine_of(work->service->exchange) == DB_SQLITE) return err;
    err = db_query_one(work->tx,
                       "SELECT seq_tup_read + COALESCE(idx_tup_fetch, 0) AS n"
                       " FROM pg_stat_xact_user_tables WHERE relid = 'order_delivery'::regclass",
                       DB_NO_ARGS, &stmt);
    if (!err) step->read = db_get_int(stmt, "n");
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

/* Held by another, or with nothing to begin: not before its time, and not for longer than it can
 * be. */
static void lanes_are_found_when_something_can_begin(struct store *store)
{
    enum { DAY_MS = 24 * HOUR_MS };
    struct stage stage;
    begin(&stage, store, documents);
    struct uuid integration = integrate(&stage);
    assert_int_equal(look(&stage).page.count, 0);
    order_one(&stage, &integration);
    assert_int_equal(look(&stage).page.count, 1);
    assert_int_equal(found_when(&stage, "held_until", -1), 1);
    assert_int_equal(found_when(&stage, "held_until", ORDER_LANE_LEASE_MS), 0);
    assert_int_equal(found_when(&stage, "held_until", DAY_MS), 1);
    assert_int_equal(found_when(&stage, "probe_at", -1), 1);
    assert_int_equal(found_when(&stage, "probe_at", ORDER_PROBE_EVERY_MS), 0);
    assert_int_equal(found_when(&stage, "probe_at", DAY_MS), 1);
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
        if (i == 1) sql(&stage, "UPDATE order_lane SET held_until = held_until + 86400000");
    }
    end(&stage);
}

/* Whatever its statistics say: they are of a quiet time, and of many integrations. */
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
                             "INSERT INTO order_delivery SELECT"
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

int main(void)
{
    const struct store_case cases[] = {
        {"lanes are found when something can begin", lanes_are_found_when_something_can_begin, 0},
        {"a lane is taken once", a_lane_is_taken_once, 0},
        {"what is due is not read", what_is_due_is_not_read, STORE_POSTGRES},
    };
    return store_run_cases("order_lane_db", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
