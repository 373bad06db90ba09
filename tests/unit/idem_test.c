/* kit/idem: one key, one resource, also at the same moment (contract, section 1). */
#include "app/setup/migrations.h"
#include "kit/idem/idem.h"
#include "store.h"

#include <pthread.h>
#include <stdio.h>

struct taking {
    struct idem_key key;
    struct uuid resource;
    struct uuid original;
    bool is_replay;
    enum err outcome; /* of the transaction, once the key is taken */
    int hold_ms;      /* the time the transaction takes after that */
};

static struct taking taking_of(const char *key, uint8_t fingerprint, uint8_t resource)
{
    return (struct taking){
        .key = {.family = "otp", .key = key, .fingerprint = {fingerprint}},
        .resource = {.bytes = {resource}},
    };
}

static enum err take(void *arg, struct db_tx *tx)
{
    struct taking *taking = arg;
    enum err err =
        idem_take(tx, &taking->key, &taking->resource, &taking->is_replay, &taking->original);
    if (err) return err;
    if (taking->hold_ms) sleep_ms(taking->hold_ms);
    return taking->outcome;
}

static void assert_taken(struct store *store, struct taking taking)
{
    store_write(store, take, &taking);
    assert_false(taking.is_replay);
}

static void assert_replayed(struct store *store, struct taking taking, uint8_t original)
{
    store_write(store, take, &taking);
    assert_true(taking.is_replay);
    assert_int_equal(taking.original.bytes[0], original);
}

static void a_repeat_finds_the_original(struct store *store)
{
    struct taking first = taking_of("a", 1, 10), repeat = taking_of("a", 1, 11);
    struct taking other_body = taking_of("a", 2, 12), other_family = taking_of("a", 2, 13);
    other_family.key.family = "messages";
    assert_taken(store, first);
    assert_replayed(store, repeat, 10);
    assert_int_equal(db_run(store->db, false, take, &other_body), ERR_IDEMPOTENCY_CONFLICT);
    assert_taken(store, other_family);
    assert_replayed(store, repeat, 10);
}

static void the_longest_key_counts_to_its_end(struct store *store)
{
    char key[IDEM_KEY_MAX + 1], other[IDEM_KEY_MAX + 1];
    memset(key, 'k', IDEM_KEY_MAX);
    key[IDEM_KEY_MAX] = '\0';
    memcpy(other, key, sizeof key);
    other[IDEM_KEY_MAX - 1] = 'x';
    assert_taken(store, taking_of(key, 1, 10));
    assert_taken(store, taking_of(other, 1, 11));
    assert_replayed(store, taking_of(key, 1, 12), 10);
}

static void only_successes_are_remembered(struct store *store)
{
    struct taking refused = taking_of("a", 1, 10);
    refused.outcome = ERR_VALIDATION;
    assert_int_equal(db_run(store->db, false, take, &refused), ERR_VALIDATION);
    assert_taken(store, taking_of("a", 2, 11));
}

/* --- At the same moment --- */

struct race {
    struct store *store;
    struct taking taking;
    enum err err;
    pthread_t thread;
};

static void *run_race(void *arg)
{
    struct race *race = arg;
    race->err = db_run(race->store->db, false, take, &race->taking);
    return NULL;
}

static void run_races(struct store *store, struct race *races, int count)
{
    for (int i = 0; i < count; i++) {
        races[i].store = store;
        assert_int_equal(pthread_create(&races[i].thread, NULL, run_race, &races[i]), 0);
    }
    for (int i = 0; i < count; i++)
        pthread_join(races[i].thread, NULL);
}

static void two_at_one_moment_make_one_resource(struct store *store)
{
    enum { RACERS = 4, ROUNDS = 20 };
    for (int round = 0; round < ROUNDS; round++) {
        char key[16];
        snprintf(key, sizeof key, "key %d", round);
        struct race races[RACERS] = {0};
        for (int i = 0; i < RACERS; i++) {
            races[i].taking = taking_of(key, 1, (uint8_t)(i + 1));
            races[i].taking.hold_ms = 3;
        }
        run_races(store, races, RACERS);

        int winner = -1, winners = 0;
        for (int i = 0; i < RACERS; i++) {
            assert_int_equal(races[i].err, ERR_OK);
            if (races[i].taking.is_replay) continue;
            winner = i;
            winners++;
        }
        assert_int_equal(winners, 1);
        for (int i = 0; i < RACERS; i++)
            if (i != winner) assert_int_equal(races[i].taking.original.bytes[0], winner + 1);
    }
}

/* The first to take the key fails in the end: the one that waited for it takes the key. */
static void a_failed_creation_frees_the_key_for_who_waits(struct store *store)
{
    struct race races[] = {{.taking = taking_of("a", 1, 10)}, {.taking = taking_of("a", 1, 11)}};
    for (int i = 0; i < 2; i++) {
        races[i].taking.hold_ms = 100;
        races[i].taking.outcome = i == 0 ? ERR_VALIDATION : ERR_OK;
    }
    run_races(store, races, 2);
    assert_int_equal(races[1].err, ERR_OK);
    if (races[0].err == ERR_OK) { /* it came second, and replays */
        assert_true(races[0].taking.is_replay);
        return;
    }
    assert_int_equal(races[0].err, ERR_VALIDATION);
    assert_false(races[1].taking.is_replay);
    assert_replayed(store, taking_of("a", 1, 12), 11);
}

int main(void)
{
    static const struct store_case cases[] = {
        {"a repeat finds the original", a_repeat_finds_the_original},
        {"the longest key counts to its end", the_longest_key_counts_to_its_end},
        {"only successes are remembered", only_successes_are_remembered},
        {"two at one moment make one resource", two_at_one_moment_make_one_resource},
        {"a failed creation frees the key for who waits",
         a_failed_creation_frees_the_key_for_who_waits},
    };
    return store_run_cases("idem", herald_migrations, 1, cases, sizeof cases / sizeof *cases);
}
