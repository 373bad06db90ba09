/* domain/fleet/presence: what polls renew is kept in memory and written in one go (contract,
 * section 2, rules 1 and 7: readiness is good for 60 s). */
#include "app/setup/migrations.h"
#include "world.h"

#define A "+79160000001"
#define B "+79160000002"

static const char *const numbers[] = {A, B};

/* --- Polls --- */

struct polling {
    const struct device *phone;
    const char *number;
    bool is_ready;
};

static enum err run_poll(struct work *work, void *arg)
{
    const struct polling *step = arg;
    struct sim_state stored;
    enum err err = fleet_check_number(work, step->phone, step->number, &stored);
    if (err) return err;
    return fleet_set_ready(work, step->phone, step->number, step->is_ready, &stored);
}

/* As the dispatcher does: first as a read, then, if that is asked for, as a write. */
static bool poll(struct world *world, const struct device *phone, const char *number, bool is_ready)
{
    struct polling step = {phone, number, is_ready};
    enum err err = world_read(world, run_poll, &step);
    if (err == ERR_WRITE_NEEDED) {
        assert_ok(world_run(world, run_poll, &step));
        return true;
    }
    assert_ok(err);
    return false;
}

static int64_t ready_until(struct world *world, const struct device *phone)
{
    struct device shown = world_read_phone(world, &phone->id);
    return ((const struct device_number *)shown.numbers.items)->sim_ready_until;
}

static bool is_ready(struct world *world, const struct device *phone)
{
    struct device shown = world_read_phone(world, &phone->id);
    return ((const struct device_number *)shown.numbers.items)->sim_ready;
}

static void the_first_word_of_a_sim_is_written_at_once(struct store *store)
{
    AUTO_WORLD world;
    world_open(&world, store);
    struct device phone = world_phone_of(&world, numbers, 2);
    assert_true(poll(&world, &phone, A, true));
    assert_true(ready_until(&world, &phone) == WORLD_START_MS + SIM_READY_MS);
    assert_false(poll(&world, &phone, A, true));
}

/* Ten minutes of polls every 5 s and flushes: the SIM is ready all the time, and hardly any poll
 * has to write. */
static void a_polled_sim_stays_ready(struct store *store)
{
    int writes = 0;
    AUTO_WORLD world;
    world_open(&world, store);
    struct device phone = world_phone_of(&world, numbers, 2);
    for (int second = 0; second <= 600; second++) {
        if (second % 5 == 0) writes += poll(&world, &phone, A, true);
        assert_true(is_ready(&world, &phone));
        world_flush(&world);
        world.now_ms += SECOND_MS;
    }
    assert_int_equal(writes, 1);
    world.now_ms += SIM_READY_MS;
    assert_false(is_ready(&world, &phone));
}

/* If the flush fails for long, the polls themselves write before the word runs out. */
static void polls_write_when_nothing_is_flushed(struct store *store)
{
    AUTO_WORLD world;
    world_open(&world, store);
    struct device phone = world_phone_of(&world, numbers, 2);
    for (int second = 0; second <= 600; second += 5) {
        poll(&world, &phone, A, true);
        assert_true(is_ready(&world, &phone));
        world.now_ms += 5 * SECOND_MS;
    }
}

static void a_flush_writes_what_was_renewed(struct store *store)
{
    AUTO_WORLD world;
    world_open(&world, store);
    struct device phone = world_phone_of(&world, numbers, 2);
    poll(&world, &phone, A, true);
    for (int i = 0; i < 3; i++) {
        world.now_ms += 1000;
        assert_false(poll(&world, &phone, A, true));
    }
    world.now_ms += 500;
    world_flush(&world);
    assert_null(presence_take(world.fleet.presence));
    assert_true(ready_until(&world, &phone) == WORLD_START_MS + 3000 + SIM_READY_MS);
    assert_true(world_read_phone(&world, &phone.id).last_seen_at == WORLD_START_MS + 3000);
}

/* --- Withdrawals --- */

static void a_flush_never_undoes_a_withdrawal(struct store *store)
{
    AUTO_WORLD world;
    world_open(&world, store);
    struct device phone = world_phone_of(&world, numbers, 2);
    poll(&world, &phone, A, true);
    world.now_ms += 1000;
    poll(&world, &phone, A, true); /* renewed, not written yet */
    world.now_ms += 10;
    poll(&world, &phone, A, false);
    assert_false(is_ready(&world, &phone));
    world_flush(&world);
    assert_false(is_ready(&world, &phone));
    assert_int_equal(ready_until(&world, &phone), 0);
    poll(&world, &phone, A, false);
    world_flush(&world);
    assert_int_equal(ready_until(&world, &phone), 0);
}

static void a_sim_withdrawn_can_come_back(struct store *store)
{
    AUTO_WORLD world;
    world_open(&world, store);
    struct device phone = world_phone_of(&world, numbers, 2);
    poll(&world, &phone, A, true);
    poll(&world, &phone, A, true);
    poll(&world, &phone, A, false);
    world.now_ms += 2000;
    assert_true(poll(&world, &phone, A, true));
    world_flush(&world);
    assert_true(ready_until(&world, &phone) == WORLD_START_MS + 2000 + SIM_READY_MS);
}

static void a_flush_never_shortens_what_is_stored(struct store *store)
{
    AUTO_WORLD world;
    world_open(&world, store);
    struct device phone = world_phone_of(&world, numbers, 2);
    poll(&world, &phone, A, true);
    assert_true(
        presence_renew(world.fleet.presence, &phone.id, A, WORLD_START_MS + 1000, WORLD_START_MS));
    world_flush(&world);
    assert_true(ready_until(&world, &phone) == WORLD_START_MS + SIM_READY_MS);
}

static void numbers_of_one_phone_stand_for_themselves(struct store *store)
{
    AUTO_WORLD world;
    world_open(&world, store);
    struct device phone = world_phone_of(&world, numbers, 2);
    poll(&world, &phone, A, true);
    poll(&world, &phone, B, true);
    world.now_ms += 1000;
    poll(&world, &phone, B, true);
    poll(&world, &phone, A, false);
    world_flush(&world);
    struct device shown = world_read_phone(&world, &phone.id);
    const struct device_number *rows = shown.numbers.items;
    assert_false(rows[0].sim_ready);
    assert_true(rows[1].sim_ready_until == WORLD_START_MS + 1000 + SIM_READY_MS);
}

/* --- Notes --- */

static void the_latest_of_many_renewals_is_written(struct store *store)
{
    enum { PHONES = 20, ROUNDS = 7 };
    struct device phones[PHONES];
    AUTO_WORLD world;
    world_open(&world, store);
    for (int i = 0; i < PHONES; i++) {
        phones[i] = world_phone(&world, arena_printf(world.arena, "+7916100%04d", i));
        poll(&world, &phones[i], arena_printf(world.arena, "+7916100%04d", i), true);
    }
    world_flush(&world);
    for (int round = ROUNDS; round > 0; round--) { /* newest first: the order must not matter */
        for (int i = 0; i < PHONES; i++)
            presence_renew(
                world.fleet.presence, &phones[i].id, arena_printf(world.arena, "+7916100%04d", i),
                WORLD_START_MS + SIM_READY_MS + round * (i + 1), WORLD_START_MS + round * (i + 1));
    }
    world_flush(&world);
    for (int i = 0; i < PHONES; i++) {
        assert_true(ready_until(&world, &phones[i]) ==
                    WORLD_START_MS + SIM_READY_MS + ROUNDS * (i + 1));
        assert_true(world_read_phone(&world, &phones[i].id).last_seen_at ==
                    WORLD_START_MS + ROUNDS * (i + 1));
    }
}

static void renewals_are_bounded(struct store *store)
{
    AUTO_WORLD world;
    world_open(&world, store);
    struct device phone = world_phone_of(&world, numbers, 2);
    struct presence *presence = world.fleet.presence;
    poll(&world, &phone, A, true);
    world_flush(&world);
    for (int i = 0; i < PRESENCE_RENEWALS_MAX; i++)
        assert_true(presence_renew(presence, &phone.id, NULL, 0, WORLD_START_MS + i));
    assert_false(presence_renew(presence, &phone.id, NULL, 0, WORLD_START_MS));
    world.now_ms += 1000;
    assert_true(poll(&world, &phone, A, true)); /* no room: the poll writes by itself */
    assert_true(ready_until(&world, &phone) == WORLD_START_MS + 1000 + SIM_READY_MS);
    world_flush(&world);
    assert_true(presence_renew(presence, &phone.id, NULL, 0, WORLD_START_MS));
}

/* A chunk is what one transaction writes; nothing is left over or written twice. */
static void renewals_are_taken_in_chunks(struct store *store)
{
    AUTO_WORLD world;
    world_open(&world, store);
    struct device phone = world_phone_of(&world, numbers, 2);
    struct presence *presence = world.fleet.presence;
    static const int counts[] = {1, PRESENCE_CHUNK, PRESENCE_CHUNK + 1, 3 * PRESENCE_CHUNK};
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        for (int k = 0; k < counts[i]; k++)
            assert_true(presence_renew(presence, &phone.id, NULL, 0, WORLD_START_MS + k));
        int chunks = 0;
        struct presence_chunk *chunk;
        for (; (chunk = presence_take(presence)); chunks++)
            presence_chunk_free(chunk);
        assert_int_equal(chunks, (counts[i] + PRESENCE_CHUNK - 1) / PRESENCE_CHUNK);
    }
}

static void renew_at_once(struct world *world, int index, void *arg)
{
    const struct device *phone = arg;
    for (int i = 0; i < 1000; i++)
        presence_renew(world->fleet.presence, &phone->id, index % 2 ? A : NULL,
                       WORLD_START_MS + SIM_READY_MS + i, WORLD_START_MS + i);
}

static void renewals_come_from_any_thread(struct store *store)
{
    AUTO_WORLD world;
    world_open(&world, store);
    struct device phone = world_phone_of(&world, numbers, 2);
    poll(&world, &phone, A, true);
    world_crowd(&world, 8, renew_at_once, &phone);
    world_flush(&world);
    assert_true(ready_until(&world, &phone) == WORLD_START_MS + SIM_READY_MS + 999);
    assert_true(world_read_phone(&world, &phone.id).last_seen_at == WORLD_START_MS + 999);
}

int main(void)
{
    static const struct store_case cases[] = {
        {"the first word of a SIM is written at once", the_first_word_of_a_sim_is_written_at_once},
        {"a polled SIM stays ready", a_polled_sim_stays_ready},
        {"polls write when nothing is flushed", polls_write_when_nothing_is_flushed},
        {"a flush writes what was renewed", a_flush_writes_what_was_renewed},
        {"a flush never undoes a withdrawal", a_flush_never_undoes_a_withdrawal},
        {"a SIM withdrawn can come back", a_sim_withdrawn_can_come_back},
        {"a flush never shortens what is stored", a_flush_never_shortens_what_is_stored},
        {"numbers of one phone stand for themselves", numbers_of_one_phone_stand_for_themselves},
        {"the latest of many renewals is written", the_latest_of_many_renewals_is_written},
        {"renewals are bounded", renewals_are_bounded, STORE_SQLITE},
        {"renewals are taken in chunks", renewals_are_taken_in_chunks, STORE_SQLITE},
        {"renewals come from any thread", renewals_come_from_any_thread},
    };
    return store_run_cases("presence", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
