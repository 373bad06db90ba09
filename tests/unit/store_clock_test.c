/* core/store_clock: store time goes on whatever is done to a clock (contract, section 7
 * "Clocks"). A clock that was set looks as the offset does that was changed behind herald's back.
 */
#include "app/setup/migrations.h"
#include "core/store_clock.h"
#include "kit/base/clock.h"
#include "store.h"

#include <pthread.h>
#include <stdlib.h>

enum { HOUR_MS = 3600 * 1000, SOON_MS = 30 * 1000 };

static void begin(struct store *store)
{
    assert_int_equal(store_clock_begin(store->db, false), ERR_OK);
}

static void learn(struct store *store)
{
    assert_int_equal(store_clock_learn(store->db), ERR_OK);
}

static int64_t ahead_ms(struct store *store)
{
    return store_number(store, "SELECT ahead_ms AS n FROM store_clock");
}

static int64_t noted_ms(struct store *store)
{
    return store_number(store, "SELECT noted_ms AS n FROM store_clock");
}

struct setting {
    const char *sql;
    int64_t value;
};

static enum err run_set(void *arg, struct db_tx *tx)
{
    const struct setting *setting = arg;
    return db_exec(tx, setting->sql, DB_ARGS(db_int(setting->value)), NULL);
}

static void step(struct store *store, int64_t ms)
{
    struct setting setting = {"UPDATE store_clock SET ahead_ms = ahead_ms + $1", ms};
    store_write(store, run_set, &setting);
}

static enum err run_note(void *arg, struct db_tx *tx)
{
    return store_clock_note(tx, *(const int64_t *)arg);
}

static void note(struct store *store, int64_t now_ms)
{
    store_write(store, run_note, &now_ms);
}

#define assert_near(a, b) assert_true(llabs((a) - (b)) < SOON_MS)

static void it_begins_with_the_clock(struct store *store)
{
    begin(store);
    assert_near(clock_now_ms(), clock_wall_ms());
    assert_int_equal(clock_to_wall(1000), 1000);
    assert_int_equal(ahead_ms(store), 0);
}

static void it_takes_out_what_a_clock_was_set_by(struct store *store)
{
    static const int64_t steps[] = {-HOUR_MS, HOUR_MS, -24 * HOUR_MS, 24 * HOUR_MS};

    begin(store);
    int64_t before_ms = clock_now_ms();
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        step(store, steps[i]);
        learn(store);
        assert_near(clock_now_ms(), before_ms);
        assert_true(llabs(ahead_ms(store)) < SOON_MS);
        learn(store);
        assert_near(clock_now_ms(), before_ms);
    }
}

/* Another process has taken it out before, so its offset is right for both. */
static void it_follows_an_offset_that_others_moved(struct store *store)
{
    begin(store);
    int64_t before_ms = clock_now_ms();
    clock_set(before_ms, HOUR_MS);
    learn(store);
    assert_near(clock_now_ms(), before_ms);
    assert_int_equal(clock_to_wall(1000), 1000);
}

static void it_never_begins_before_what_was_noted(struct store *store)
{
    int64_t noted = clock_wall_ms() + HOUR_MS;

    note(store, noted);
    begin(store);
    assert_near(clock_now_ms(), noted);
    assert_near(ahead_ms(store), HOUR_MS);
    assert_near(clock_to_wall(noted), noted - HOUR_MS);
    learn(store);
    assert_near(clock_now_ms(), noted);
}

static void beside_others_it_writes_nothing(struct store *store)
{
    note(store, clock_wall_ms() + HOUR_MS);
    assert_int_equal(store_clock_begin(store->db, true), ERR_OK);
    assert_int_equal(ahead_ms(store), 0);
}

/* As a machine does that was copied while it ran: the others went on by an hour. */
static void a_process_that_stood_still_takes_the_time_of_others(struct store *store)
{
    begin(store);
    int64_t true_ms = clock_now_ms();
    note(store, true_ms);
    clock_set(true_ms - HOUR_MS, 0);
    learn(store);
    assert_near(clock_now_ms(), true_ms);
    assert_int_equal(ahead_ms(store), 0);
}

/* Another process, which lives and has not seen a step of the server's clock yet. */
static void *live(void *arg)
{
    struct store *store = arg;
    for (int i = 0; i < 8; i++) {
        note(store, clock_wall_ms());
        sleep_ms(500);
    }
    return NULL;
}

static void a_process_that_begins_after_a_step_takes_the_time_of_others(struct store *store)
{
    pthread_t other;

    note(store, clock_wall_ms());
    step(store, HOUR_MS);
    assert_int_equal(pthread_create(&other, NULL, live, store), 0);
    begin(store);
    pthread_join(other, NULL);
    assert_near(clock_now_ms(), clock_wall_ms());
    learn(store);
    assert_near(clock_now_ms(), clock_wall_ms());
    assert_true(llabs(ahead_ms(store)) < SOON_MS);
}

static void what_was_noted_only_grows(struct store *store)
{
    note(store, 2000);
    note(store, 1000);
    assert_int_equal(noted_ms(store), 2000);
}

int main(void)
{
    static const struct store_case cases[] = {
        STORE_CASE(it_begins_with_the_clock),
        STORE_CASE(it_takes_out_what_a_clock_was_set_by),
        STORE_CASE(it_follows_an_offset_that_others_moved),
        STORE_CASE(it_never_begins_before_what_was_noted),
        STORE_CASE(beside_others_it_writes_nothing),
        STORE_CASE(a_process_that_stood_still_takes_the_time_of_others),
        {"a process that begins after a step takes the time of others",
         a_process_that_begins_after_a_step_takes_the_time_of_others, STORE_POSTGRES},
        STORE_CASE(what_was_noted_only_grows),
    };
    return store_run_cases("store_clock", herald_migrations, (size_t)herald_migration_count, cases,
                           sizeof(cases) / sizeof(cases[0]));
}
