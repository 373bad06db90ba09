/* These tests show what a claim writes (contract, section 11): to know who is silent costs it no
 * statement and no row, however long a phone polls and whatever it is given. */
#include "app/setup/migrations.h"
#include "statement_count.h"
#include "world.h"

#define A "+79160000001"

enum { POLL_MS = 5 * SECOND_MS, TRIES = 5 };

/* Returns how many statements of a claim write; it brings a task, or none. */
static long writes_of_claim(struct world *world, const struct device *phone, bool has_task)
{
    long before = atomic_load(&counts.writes);
    const struct claimed_task *task = world_claim(world, phone, A);
    assert_true((task != NULL) == has_task);
    long writes = atomic_load(&counts.writes) - before;
    if (!task) return writes;
    struct phone_task_result sent = {.lease_id = task->lease_id, .status = PHONE_TASK_STATUS_SENT};
    assert_ok(world_report(world, phone, &task->id, &sent));
    return writes;
}

static void begin(struct world *world, struct store *store)
{
    world_open(world, store);
    count_begin(store);
}

static void end(struct world *world, struct store *store)
{
    count_end(store);
    world_close(world);
}

/* Renewals are written beside it, once a second for the whole fleet. */
static void a_poll_writes_nothing(struct store *store)
{
    struct world world;
    begin(&world, store);
    struct device phone = world_phone(&world, A);
    assert_int_equal(writes_of_claim(&world, &phone, false), 1); /* readiness and watch: a row */
    for (int64_t i = 0; i < world.fleet.silent_ms / POLL_MS - 1; i++) {
        world.now_ms += POLL_MS;
        assert_int_equal(writes_of_claim(&world, &phone, false), 0);
        world_flush(&world);
    }
    end(&world, store);
}

/* PostgreSQL may repeat a transaction, so the cheapest of several counts. */
static void a_claim_writes_its_lease_alone(struct store *store)
{
    long least = TRIES;
    struct world world;
    begin(&world, store);
    struct device phone = world_phone(&world, A);
    world_set_ready(&world, &phone, A, true);
    for (int i = 0; i < TRIES; i++) {
        struct otp otp;
        struct otp_refusal refusal;
        assert_ok(world_otp(&world, arena_printf(world.arena, "+7916100%04d", i), &otp, &refusal));
        long writes = writes_of_claim(&world, &phone, true);
        least = writes < least ? writes : least;
    }
    assert_int_equal(least, 1);
    assert_count(store, "phone_task", TRIES);
    end(&world, store);
}

struct looking {
    int64_t looked;
};

static enum err run_look(struct work *work, void *arg)
{
    struct looking *step = arg;
    return fleet_watch_sweep(work, 10, &step->looked);
}

/* The one claim that ends a silence writes that, and the next ones do not. */
static void the_claim_that_ends_a_silence_writes_that_once(struct store *store)
{
    struct looking step;
    struct world world;
    begin(&world, store);
    struct device phone = world_phone(&world, A);
    world_set_ready(&world, &phone, A, true);
    int64_t silent_at = world.now_ms + world.fleet.silent_ms;
    while (world.now_ms < silent_at) {
        world.now_ms += SECOND_MS;
        assert_ok(world_run(&world, run_look, &step));
    }
    assert_count(store, "device_number WHERE silent_since IS NOT NULL", 1);
    assert_int_equal(writes_of_claim(&world, &phone, false), 2); /* of one row */
    assert_count(store, "device_number WHERE silent_since IS NOT NULL", 0);
    assert_int_equal(writes_of_claim(&world, &phone, false), 0);
    end(&world, store);
}

int main(void)
{
    static const struct store_case cases[] = {
        STORE_CASE(a_poll_writes_nothing),
        STORE_CASE(a_claim_writes_its_lease_alone),
        STORE_CASE(the_claim_that_ends_a_silence_writes_that_once),
    };
    return store_run_cases("claim_cost", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
