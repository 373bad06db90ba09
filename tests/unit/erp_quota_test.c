/* These tests show what an integration may send, and what is kept of it (contract, section 5
 * "Quotas"). */
#include "app/setup/migrations.h"
#include "domain/erp/erp_db.h"
#include "erp_scene.h"

enum { DAY_MS = 24 * 60 * MINUTE_MS, MANY = 1000 };

/* --- What is sent ----------------------------------------------------------------------------- */

static enum err send_as(struct erp_scene *scene, int shop, enum erp_package_type type,
                        const char *event_id, struct sending *ret_step)
{
    *ret_step = sending_of(scene, shop, type, event_id);
    const char *rest = type == ERP_PACKAGE_SNAPSHOT
                           ? "\"categories\":[],\"products\":[]"
                           : "\"prices\":[{\"product_id\":\"p\",\"variant_id\":\"v\",\"price\":1}]";
    const char *text = arena_printf(
        scene->base.world.arena,
        "{\"event_id\":\"%s\",\"generated_at\":\"2026-11-21T04:32:50Z\",%s}", event_id, rest);
    return erp_send(ret_step, text);
}

/* The n-th package of a kind; how long it has to wait, 0: it is taken. */
static int64_t wait_of(struct erp_scene *scene, int shop, enum erp_package_type type, int n)
{
    struct sending step;
    enum err err = send_as(scene, shop, type,
                           arena_printf(scene->base.world.arena, "%d:%d", (int)type, n), &step);
    if (!err) {
        assert_int_equal(step.acceptance.status, ERP_ACCEPTED);
        return 0;
    }
    assert_err(err, ERR_RATE_LIMITED);
    assert_true(step.refusal.wait_ms > 0);
    return step.refusal.wait_ms;
}

#define assert_taken(scene, type, n)    assert_int_equal(wait_of(scene, 0, type, n), 0)
#define assert_wait(scene, type, n, ms) assert_int_equal(wait_of(scene, 0, type, n), ms)

static void limit(struct erp_scene *scene, int64_t snapshots, int64_t packages)
{
    scene->base.world.erp.snapshots_per_day = snapshots;
    scene->base.world.erp.packages_per_minute = packages;
}

static void a_full_bucket_lets_its_number_through_at_once(struct store *store)
{
    AUTO_ERP_SCENE scene;
    erp_begin(&scene, store);
    int64_t *now_ms = &scene.base.world.now_ms;

    limit(&scene, 0, 6);
    for (int i = 0; i < 6; i++)
        assert_taken(&scene, ERP_PACKAGE_DELTA, i);
    assert_wait(&scene, ERP_PACKAGE_DELTA, 6, 10 * 1000);
    *now_ms += 9999;
    assert_wait(&scene, ERP_PACKAGE_DELTA, 6, 1);
    *now_ms += 1;
    assert_taken(&scene, ERP_PACKAGE_DELTA, 6);
    assert_wait(&scene, ERP_PACKAGE_DELTA, 7, 10 * 1000);
    assert_int_equal(wait_of(&scene, 1, ERP_PACKAGE_DELTA, 0), 0); /* each has its own */
    *now_ms += 100 * MINUTE_MS; /* and it is never more than full */
    for (int i = 10; i < 16; i++)
        assert_taken(&scene, ERP_PACKAGE_DELTA, i);
    assert_wait(&scene, ERP_PACKAGE_DELTA, 16, 10 * 1000);
}

static void assert_told(const struct rate_limit *limit, const char *name, int64_t quota,
                        int64_t window_s, int64_t left, int64_t refill_ms)
{
    assert_string_equal(limit->name, name);
    assert_int_equal(limit->quota, quota);
    assert_int_equal(limit->window_s, window_s);
    assert_int_equal(limit->left, left);
    assert_int_equal(limit->refill_ms, refill_ms);
}

/* Of 60 s six have 10 s each, which come back one by one. */
static void what_is_left_is_told(struct store *store)
{
    AUTO_ERP_SCENE scene;
    struct sending step;
    erp_begin(&scene, store);

    limit(&scene, 3, 6);
    assert_ok(send_as(&scene, 0, ERP_PACKAGE_DELTA, "a", &step));
    assert_told(&step.refusal.limits[0], "packages", 6, 60, 5, 10 * 1000);
    assert_null(step.refusal.limits[1].name);
    scene.base.world.now_ms += 4000;
    assert_ok(send_as(&scene, 0, ERP_PACKAGE_SNAPSHOT, "b", &step));
    assert_told(&step.refusal.limits[0], "packages", 6, 60, 4, 6000);
    assert_told(&step.refusal.limits[1], "snapshots", 3, DAY_MS / 1000, 2, DAY_MS / 3);
    for (int i = 0; i < 4; i++)
        assert_taken(&scene, ERP_PACKAGE_DELTA, i);
    assert_err(send_as(&scene, 0, ERP_PACKAGE_DELTA, "c", &step), ERR_RATE_LIMITED);
    assert_told(&step.refusal.limits[0], "packages", 6, 60, 0, 6000);
    assert_int_equal(step.refusal.wait_ms, 6000);
    limit(&scene, 0, 0);
    assert_ok(send_as(&scene, 0, ERP_PACKAGE_SNAPSHOT, "d", &step));
    assert_null(step.refusal.limits[0].name);
    assert_null(step.refusal.limits[1].name);
    limit(&scene, 0, 999999); /* in whole microseconds a million would fit into the minute */
    assert_ok(send_as(&scene, 1, ERP_PACKAGE_DELTA, "e", &step));
    assert_in_range(step.refusal.limits[0].left, 999998, 999999);
}

static void snapshots_have_a_bucket_of_their_own_too(struct store *store)
{
    AUTO_ERP_SCENE scene;
    erp_begin(&scene, store);

    limit(&scene, 2, 4);
    assert_taken(&scene, ERP_PACKAGE_SNAPSHOT, 0);
    assert_taken(&scene, ERP_PACKAGE_SNAPSHOT, 1);
    assert_wait(&scene, ERP_PACKAGE_SNAPSHOT, 2, DAY_MS / 2);
    assert_taken(&scene, ERP_PACKAGE_DELTA, 0);
    assert_taken(&scene, ERP_PACKAGE_DELTA, 1);
    assert_wait(&scene, ERP_PACKAGE_DELTA, 2, 15 * 1000);
    assert_wait(&scene, ERP_PACKAGE_SNAPSHOT, 2, DAY_MS / 2); /* the longer of both */
    scene.base.world.now_ms += DAY_MS / 2;
    assert_taken(&scene, ERP_PACKAGE_SNAPSHOT, 2);
}

static void a_repeat_does_not_count(struct store *store)
{
    AUTO_ERP_SCENE scene;
    erp_begin(&scene, store);
    struct sending step;

    limit(&scene, 0, 2);
    assert_taken(&scene, ERP_PACKAGE_DELTA, 0);
    for (int i = 0; i < 5; i++) {
        assert_ok(send_as(&scene, 0, ERP_PACKAGE_DELTA, "1:0", &step));
        assert_int_equal(step.acceptance.status, ERP_DUPLICATE);
    }
    assert_taken(&scene, ERP_PACKAGE_DELTA, 1);
    assert_wait(&scene, ERP_PACKAGE_DELTA, 2, 30 * 1000);
    assert_ok(send_as(&scene, 0, ERP_PACKAGE_DELTA, "1:0", &step)); /* also when none is left */
    assert_int_equal(step.acceptance.status, ERP_DUPLICATE);
    assert_wait(&scene, ERP_PACKAGE_DELTA, 2, 30 * 1000);
}

/* Two at one moment both see the last token; the row that both lock says who gets it. */
struct late {
    const struct uuid *shop;
    const char *event_id;
    struct erp_charge charge;
    bool is_new;
};

static enum err run_insert(struct work *work, void *arg)
{
    struct late *late = arg;
    struct erp_package package = {.event_id = late->event_id, .event_type = ERP_PACKAGE_DELTA};
    return erp_package_insert(work, late->shop, &package, 1, &late->charge, &late->is_new);
}

static void the_row_says_who_gets_the_last_token(struct store *store)
{
    AUTO_ERP_SCENE scene;
    erp_begin(&scene, store);
    struct world *world = &scene.base.world;
    static const char *const ids[] = {"a", "b", "c"};

    limit(&scene, 0, 2);
    for (size_t i = 0; i < COUNT_OF(ids); i++) {
        struct late late = {.shop = &scene.base.shops[0].id,
                            .event_id = ids[i],
                            .charge = erp_quota_charge(&world->service, ERP_PACKAGE_DELTA, false, 9,
                                                       world->now_ms)};
        assert_ok(world_run(world, run_insert, &late));
        assert_int_equal(late.is_new, i < 2);
    }
}

static void without_a_limit_all_are_taken(struct store *store)
{
    AUTO_ERP_SCENE scene;
    erp_begin(&scene, store);

    for (int i = 0; i < 50; i++) {
        assert_taken(&scene, ERP_PACKAGE_DELTA, i);
        assert_taken(&scene, ERP_PACKAGE_SNAPSHOT, i);
    }
    limit(&scene, 1, 1); /* and none of them has taken a token */
    assert_taken(&scene, ERP_PACKAGE_SNAPSHOT, 50);
}

/* --- What is kept ----------------------------------------------------------------------------- */

struct look {
    const char *sql;
    int64_t number;
};

static enum err run_look(struct work *work, void *arg)
{
    struct look *look = arg;
    AUTO_STMT stmt = NULL;
    enum err err = db_query_one(work->tx, look->sql, DB_NO_ARGS, &stmt);
    if (!err) look->number = db_get_int(stmt, "n");
    return err;
}

static int64_t look(struct erp_scene *scene, const char *sql)
{
    struct look step = {.sql = sql};
    assert_ok(world_read(&scene->base.world, run_look, &step));
    return step.number;
}

static int64_t count_bodies(struct erp_scene *scene)
{
    return look(scene, "SELECT count(*) AS n FROM erp_package_body");
}

/* The count is that of what is there. */
static int64_t kept_bytes(struct erp_scene *scene)
{
    int64_t counted = look(scene, "SELECT sum(kept_bytes) AS n FROM erp_receipt");
    assert_int_equal(
        counted, look(scene, "SELECT COALESCE(sum(length(packed)), 0) AS n FROM erp_package_body"));
    return counted;
}

static enum err run_sql(struct work *work, void *arg)
{
    return db_exec(work->tx, arg, DB_NO_ARGS, NULL);
}

static void change(struct erp_scene *scene, const char *sql)
{
    assert_ok(world_run(&scene->base.world, run_sql, (void *)sql));
}

struct sweeping {
    enum err (*sweep)(struct work *work, int max, int64_t *ret_swept);
    int max;
    int64_t swept;
};

static enum err run_sweep(struct work *work, void *arg)
{
    struct sweeping *step = arg;
    return step->sweep(work, step->max, &step->swept);
}

/* As the worker does it: again at once while there may be more. */
static void sweep(struct erp_scene *scene,
                  enum err (*job)(struct work *work, int max, int64_t *ret_swept), int max)
{
    struct sweeping step = {.sweep = job, .max = max};
    int rounds = 0;

    do {
        assert_true(++rounds < MANY);
        assert_ok(world_run(&scene->base.world, run_sweep, &step));
    } while (step.swept == max);
}

#define APPLIED "UPDATE erp_package SET status = 'applied', due_at = NULL"

static void bodies_are_counted_as_they_come_and_go(struct store *store)
{
    AUTO_ERP_SCENE scene;
    erp_begin(&scene, store);
    struct sending step;

    scene.base.world.erp.body_days = 30;
    for (int i = 0; i < 9; i++)
        assert_int_equal(wait_of(&scene, i % SHOPS, ERP_PACKAGE_DELTA, i), 0);
    int64_t bytes = kept_bytes(&scene);
    assert_true(bytes > 0);
    assert_ok(send_as(&scene, 0, ERP_PACKAGE_DELTA, "1:0", &step));
    assert_int_equal(kept_bytes(&scene), bytes); /* a repeat brings no body */
    change(&scene, APPLIED " WHERE event_id <> '1:8'");
    scene.base.world.now_ms += 31 * (int64_t)DAY_MS;
    sweep(&scene, erp_sweep_bodies, 3);
    assert_int_equal(count_bodies(&scene), 1);
    assert_in_range(kept_bytes(&scene), 1, bytes / 2);
}

static void the_oldest_bodies_of_applied_packages_go(struct store *store)
{
    AUTO_ERP_SCENE scene;
    erp_begin(&scene, store);

    for (int i = 0; i < 10; i++)
        assert_int_equal(wait_of(&scene, 0, ERP_PACKAGE_DELTA, i), 0);
    assert_int_equal(wait_of(&scene, 1, ERP_PACKAGE_DELTA, 0), 0);
    int64_t one = kept_bytes(&scene) / 11 + 2; /* some have a byte more than others */
    scene.base.world.erp.bodies_max = 4 * one;
    change(&scene, APPLIED " WHERE receipt > 2");
    sweep(&scene, erp_trim_bodies, 2);
    assert_int_equal(count_bodies(&scene), 11); /* it was not too much when it was stored */

    assert_int_equal(wait_of(&scene, 0, ERP_PACKAGE_DELTA, 10), 0);
    sweep(&scene, erp_trim_bodies, 2);
    assert_int_equal(count_bodies(&scene), 4 + 1);
    assert_in_range(kept_bytes(&scene), 1, 5 * one);
    assert_int_equal(
        look(&scene, "SELECT count(*) AS n FROM erp_package_body WHERE receipt IN (1, 2, 10, 11)"),
        4 + 1); /* the first one of the other shop, too */
    assert_int_equal(
        look(&scene, "SELECT count(*) AS n FROM erp_receipt WHERE trim_at IS NOT NULL"), 0);
}

/* However much it is. It is looked at again, and goes when it was applied. */
static void bodies_that_wait_never_go(struct store *store)
{
    AUTO_ERP_SCENE scene;
    erp_begin(&scene, store);

    assert_int_equal(wait_of(&scene, 0, ERP_PACKAGE_DELTA, 0), 0);
    scene.base.world.erp.bodies_max = kept_bytes(&scene) + 2;
    for (int i = 1; i < 5; i++)
        assert_int_equal(wait_of(&scene, i % 2, ERP_PACKAGE_DELTA, i), 0);
    scene.base.world.erp.bodies_max = 1;
    sweep(&scene, erp_trim_bodies, 50);
    assert_int_equal(count_bodies(&scene), 5);
    change(&scene, APPLIED " WHERE receipt = 1");
    sweep(&scene, erp_trim_bodies, 50);
    assert_int_equal(count_bodies(&scene), 5); /* not before some time has passed */
    scene.base.world.now_ms += 10 * 1000;
    sweep(&scene, erp_trim_bodies, 50);
    assert_int_equal(count_bodies(&scene), 3);
    change(&scene, APPLIED);
    scene.base.world.now_ms -= DAY_MS; /* no wait is believed that is longer than it can be */
    sweep(&scene, erp_trim_bodies, 50);
    assert_int_equal(count_bodies(&scene), 0);
    assert_int_equal(kept_bytes(&scene), 0);
}

/* A snapshot may bring what they wait for, and is taken up to three times as much. */
static void bodies_that_wait_are_no_more_than_twice_the_limit(struct store *store)
{
    AUTO_ERP_SCENE scene;
    erp_begin(&scene, store);
    int64_t *now_ms = &scene.base.world.now_ms;

    assert_taken(&scene, ERP_PACKAGE_DELTA, 0);
    scene.base.world.erp.bodies_max = kept_bytes(&scene) - 4;
    assert_taken(&scene, ERP_PACKAGE_DELTA, 1);
    assert_wait(&scene, ERP_PACKAGE_DELTA, 2, 1000); /* some of it may be applied */
    *now_ms += 500;
    sweep(&scene, erp_trim_bodies, 50);
    assert_wait(&scene, ERP_PACKAGE_DELTA, 2, 10 * 1000);
    change(&scene,
           "UPDATE erp_package SET status = 'retry', due_at = due_at + 60500, attempts = 5");
    assert_wait(&scene, ERP_PACKAGE_DELTA, 2, 60 * 1000);
    change(&scene, "UPDATE erp_package SET status = 'failed', due_at = NULL");
    assert_wait(&scene, ERP_PACKAGE_DELTA, 2, 5 * MINUTE_MS);
    assert_int_equal(count_bodies(&scene), 2);
    assert_taken(&scene, ERP_PACKAGE_SNAPSHOT, 3);
    assert_wait(&scene, ERP_PACKAGE_SNAPSHOT, 4, 10 * 1000);
    change(&scene, APPLIED);
    *now_ms += 10 * 1000;
    sweep(&scene, erp_trim_bodies, 50);
    assert_taken(&scene, ERP_PACKAGE_DELTA, 2);
}

/* As one that is lowered: until the first look nobody knows what may go. */
static void what_was_no_more_than_allowed_is_looked_at_first(struct store *store)
{
    AUTO_ERP_SCENE scene;
    erp_begin(&scene, store);

    for (int i = 0; i < 5; i++)
        assert_taken(&scene, ERP_PACKAGE_DELTA, i);
    change(&scene, APPLIED);
    scene.base.world.erp.bodies_max = 1;
    assert_taken(&scene, ERP_PACKAGE_DELTA, 5);
    sweep(&scene, erp_trim_bodies, 50);
    assert_int_equal(count_bodies(&scene), 1);
}

int main(void)
{
#define TEST(name)     \
    {                  \
#name, name, 0 \
    }
    static const struct store_case cases[] = {
        TEST(what_is_left_is_told),
        TEST(a_full_bucket_lets_its_number_through_at_once),
        TEST(snapshots_have_a_bucket_of_their_own_too),
        TEST(a_repeat_does_not_count),
        TEST(the_row_says_who_gets_the_last_token),
        TEST(without_a_limit_all_are_taken),
        TEST(bodies_are_counted_as_they_come_and_go),
        TEST(the_oldest_bodies_of_applied_packages_go),
        TEST(bodies_that_wait_never_go),
        TEST(bodies_that_wait_are_no_more_than_twice_the_limit),
        TEST(what_was_no_more_than_allowed_is_looked_at_first),
    };
    return store_run_cases("erp_quota", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
