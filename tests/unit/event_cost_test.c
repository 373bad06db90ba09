/* While nobody listens, no change has a statement more than with events switched off (contract,
 * section 13.1): each statement of a code, a call and a phone is counted. */
#include "app/setup/migrations.h"
#include "domain/event/event.h"
#include "domain/event/event_db.h"
#include "kit/base/clock.h"
#include "statement_count.h"
#include "world.h"

#define A "+79160000001"

/* --- What is counted -------------------------------------------------------------------------- */

static enum err read_device(struct work *work, const char *id, const void **ret_value,
                            int64_t *ret_sequence)
{
    struct device *device = ARENA_NEW(work->arena, struct device);
    struct uuid device_id;

    assert_true(uuid_parse(str_of(id), &device_id));
    enum err err = fleet_read(work, &device_id, device);
    *ret_value = device;
    *ret_sequence = device->changes;
    return err;
}

static enum err read_otp(struct work *work, const char *id, const void **ret_value,
                         int64_t *ret_sequence)
{
    struct otp *otp = ARENA_NEW(work->arena, struct otp);
    struct uuid otp_id;

    assert_true(uuid_parse(str_of(id), &otp_id));
    enum err err = otp_read(work, &otp_id, otp);
    *ret_value = otp;
    *ret_sequence = otp->changes;
    return err;
}

static enum err read_call(struct work *work, const char *id, const void **ret_value,
                          int64_t *ret_sequence)
{
    struct call_challenge *challenge = ARENA_NEW(work->arena, struct call_challenge);
    struct uuid challenge_id;

    assert_true(uuid_parse(str_of(id), &challenge_id));
    enum err err = inbound_call_read(work, &challenge_id, challenge);
    *ret_value = challenge;
    *ret_sequence = challenge->changes;
    return err;
}

static const struct event_reader readers[EVENT_SUBJECT_COUNT] = {
    [EVENT_OF_DEVICE] = {&device_record, read_device},
    [EVENT_OF_OTP] = {&otp_record, read_otp},
    [EVENT_OF_CHALLENGE] = {&challenge_record, read_call},
};

/* A code is sent, delivered, once wrong, and confirmed. */
static void confirm_code(struct world *world, const struct device *phone, const char *recipient)
{
    struct phone_task_result sent = {.status = PHONE_TASK_STATUS_SENT};
    struct phone_task_result delivered = {.status = PHONE_TASK_STATUS_DELIVERED};
    struct otp otp;
    struct otp_refusal refusal;

    assert_ok(world_otp(world, recipient, &otp, &refusal));
    struct claimed_task *task = world_claim(world, phone, A);
    assert_non_null(task);
    sent.lease_id = task->lease_id;
    assert_ok(world_report(world, phone, &task->id, &sent));
    assert_ok(world_report(world, phone, &task->id, &delivered));
    const char *code = world_code(world, &otp.id), *wrong = world_wrong_code(world, &otp.id);
    assert_err(world_verify(world, &otp.id, wrong, &otp, &refusal), ERR_CODE_MISMATCH);
    assert_ok(world_verify(world, &otp.id, code, &otp, &refusal));
}

static void end_calls(struct world *world, const struct device *phone, const char *caller)
{
    struct call_event event = {caller, A, caller, world->now_ms, 0};
    struct event_result result;
    struct call_challenge challenge;
    struct uuid active;

    assert_ok(world_call(world, caller, A, &challenge, &active));
    assert_ok(world_cancel_call(world, &challenge.id));
    assert_ok(world_call(world, caller, A, &challenge, &active));
    assert_ok(world_report_call(world, phone, &event, &result));
    assert_int_equal(result.result, EVENT_CONFIRMED);
}

/* Each time with another customer. Returns how many statements it took. */
static long live(struct world *world, const struct device *phone, int customer)
{
    const char *recipient = arena_printf(world->arena, "+7916100%04d", 2 * customer);
    const char *caller = arena_printf(world->arena, "+7916100%04d", 2 * customer + 1);
    long before = atomic_load(&statements);

    confirm_code(world, phone, recipient);
    end_calls(world, phone, caller);
    assert_ok(world_set_enabled(world, &phone->id, false));
    assert_ok(world_set_enabled(world, &phone->id, true));
    return atomic_load(&statements) - before;
}

enum { LIVES = 5, EVENTS_OF_LIFE = 7 };

/* PostgreSQL may repeat a transaction, so the cheapest of several lives counts. */
static long cheapest(struct world *world, const struct device *phone, int first)
{
    long least = live(world, phone, first);

    for (int i = 1; i < LIVES; i++) {
        long count = live(world, phone, first + i);
        least = count < least ? count : least;
    }
    return least;
}

static void nobody_who_listens_costs_no_statement(struct store *store)
{
    struct event_setup setup = {.readers = readers, .mode = EVENTS_OFF, .days = 7};
    struct world world;

    world_open(&world, store);
    world.service.events = &setup;
    atomic_store(&setup.known_at_ms, clock_monotonic_ms() + HOUR_MS); /* a busy machine, too */
    statements_begin(store);

    struct device phone = world_phone(&world, A);
    world_set_ready(&world, &phone, A, true);
    (void)live(&world, &phone, 0); /* the first of all makes what stays */
    long off = cheapest(&world, &phone, 1);
    setup.mode = EVENTS_AUTO;
    long nobody = cheapest(&world, &phone, 1 + LIVES);
    assert_count(store, "outbox", 0);
    setup.mode = EVENTS_ON;
    long somebody = cheapest(&world, &phone, 1 + 2 * LIVES);
    assert_count(store, "outbox", LIVES * EVENTS_OF_LIFE);

    assert_true(off > 20);
    assert_int_equal(nobody, off);
    assert_true(somebody >= off + EVENTS_OF_LIFE); /* or nothing is counted */
    statements_end(store);
    world_close(&world);
}

int main(void)
{
    static const struct store_case cases[] = {STORE_CASE(nobody_who_listens_costs_no_statement)};
    return store_run_cases("event_cost", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
