/* kit/job: jobs are claimed once, come back when a worker dies, and end under their lease only. */
#include "app/setup/migrations.h"
#include "kit/base/clock.h"
#include "kit/job/job.h"
#include "listener.h"

#include <pthread.h>
#include <stdatomic.h>

enum { LEASE_MS = 1000 };

/* --- The calls as transactions --- */

struct enqueueing {
    const char *kind;
    struct uuid subject;
    int64_t run_at_ms;
};

static enum err enqueue(void *arg, struct db_tx *tx)
{
    struct enqueueing *job = arg;
    return job_enqueue(tx, job->kind, &job->subject, job->run_at_ms, 1);
}

static void put(struct store *store, const char *kind, uint8_t subject, int64_t run_at_ms)
{
    struct enqueueing job = {kind, {.bytes = {subject}}, run_at_ms};
    store_write(store, enqueue, &job);
}

struct claiming {
    const char *kind;
    int max;
    int64_t now_ms;
    struct arena *arena;
    struct job *jobs;
    size_t count;
};

static enum err claim(void *arg, struct db_tx *tx)
{
    struct claiming *claiming = arg;
    return job_claim(tx, claiming->kind, claiming->max, LEASE_MS, claiming->now_ms, claiming->arena,
                     &claiming->jobs, &claiming->count);
}

static struct claiming claimed(struct store *store, const char *kind, int max, int64_t now_ms)
{
    struct claiming claiming = {kind, max, now_ms, &store->arena, NULL, 0};
    store_write(store, claim, &claiming);
    return claiming;
}

static enum err finish(void *arg, struct db_tx *tx)
{
    return job_finish(tx, arg);
}

static enum err retry_at_5000(void *arg, struct db_tx *tx)
{
    return job_retry(tx, arg, 5000);
}

static int64_t next_due(struct store *store)
{
    return store_number(store, "SELECT coalesce(min(due_at_ms), 0) AS n FROM job");
}

/* --- Cases --- */

static void the_longest_due_comes_first(struct store *store)
{
    put(store, "send", 1, 300);
    put(store, "send", 2, 100);
    put(store, "send", 3, 200);
    put(store, "send", 4, 999);
    put(store, "other", 5, 0);
    struct claiming two = claimed(store, "send", 2, 500);
    assert_int_equal(two.count, 2);
    assert_int_equal(two.jobs[0].subject.bytes[0], 2);
    assert_int_equal(two.jobs[1].subject.bytes[0], 3);
    assert_string_equal(two.jobs[0].kind, "send");
    assert_int_equal(two.jobs[0].attempt, 1);
    assert_int_equal(two.jobs[0].run_at_ms, 100);
    assert_int_equal(two.jobs[0].created_at_ms, 1);
    assert_int_equal(two.jobs[0].lease_until_ms, 500 + LEASE_MS);
    struct claiming rest = claimed(store, "send", 10, 998);
    assert_int_equal(rest.count, 1);
    assert_int_equal(rest.jobs[0].subject.bytes[0], 1);
    assert_int_equal(claimed(store, "send", 10, 999).count, 1);
}

static void a_finished_job_is_gone(struct store *store)
{
    put(store, "send", 1, 0);
    struct claiming once = claimed(store, "send", 10, 0);
    store_write(store, finish, &once.jobs[0]);
    assert_int_equal(db_run(store->db, false, finish, &once.jobs[0]), ERR_LEASE_LOST);
    assert_int_equal(claimed(store, "send", 10, 1000000).count, 0);
    assert_int_equal(next_due(store), 0);
}

static void a_lease_that_ends_gives_the_job_to_another(struct store *store)
{
    put(store, "send", 1, 0);
    struct claiming first = claimed(store, "send", 1, 10);
    assert_int_equal(next_due(store), 10 + LEASE_MS);
    assert_int_equal(claimed(store, "send", 1, 10 + LEASE_MS - 1).count, 0);
    struct claiming second = claimed(store, "send", 1, 10 + LEASE_MS);
    assert_int_equal(second.count, 1);
    assert_int_equal(second.jobs[0].attempt, 2);
    assert_true(uuid_equal(&first.jobs[0].id, &second.jobs[0].id));
    assert_int_equal(db_run(store->db, false, finish, &first.jobs[0]), ERR_LEASE_LOST);
    assert_int_equal(db_run(store->db, false, retry_at_5000, &first.jobs[0]), ERR_LEASE_LOST);
    store_write(store, finish, &second.jobs[0]);
}

static void an_ended_lease_that_nobody_took_still_counts(struct store *store)
{
    put(store, "send", 1, 0);
    struct claiming first = claimed(store, "send", 1, 10);
    store_write(store, finish, &first.jobs[0]);
    assert_int_equal(claimed(store, "send", 1, 1000000).count, 0);
}

static void a_retry_waits_for_its_time(struct store *store)
{
    put(store, "send", 1, 0);
    struct claiming first = claimed(store, "send", 1, 10);
    store_write(store, retry_at_5000, &first.jobs[0]);
    assert_int_equal(next_due(store), 5000);
    assert_int_equal(db_run(store->db, false, finish, &first.jobs[0]), ERR_LEASE_LOST);
    assert_int_equal(claimed(store, "send", 1, 4999).count, 0);
    struct claiming second = claimed(store, "send", 1, 5000);
    assert_int_equal(second.count, 1);
    assert_int_equal(second.jobs[0].attempt, 2);
    assert_int_equal(second.jobs[0].run_at_ms, 5000);
}

/* --- 16 claimers --- */

enum { CLAIMERS = 16, JOBS = 400 };

struct claimers {
    struct store *store;
    atomic_int claims[JOBS];
    atomic_int claimed;
    atomic_int failed;
};

static enum err enqueue_all(void *arg, struct db_tx *tx)
{
    (void)arg;
    for (int i = 0; i < JOBS; i++) {
        struct uuid subject = {.bytes = {(uint8_t)(i / 256), (uint8_t)i}};
        enum err err = job_enqueue(tx, "send", &subject, i % 7, 1);
        if (err) return err;
    }
    return ERR_OK;
}

static void count_claims(struct claimers *claimers, const struct claiming *claiming)
{
    for (size_t i = 0; i < claiming->count; i++) {
        const uint8_t *bytes = claiming->jobs[i].subject.bytes;
        claimers->claims[bytes[0] * 256 + bytes[1]]++;
        claimers->claimed++;
        struct job job = claiming->jobs[i];
        if (i % 2 && db_run(claimers->store->db, false, finish, &job)) claimers->failed++;
    }
}

/* Until all are claimed; one that comes too early finds none, and asks again. */
static void *claim_all(void *arg)
{
    struct claimers *claimers = arg;
    for (int tries = 0; claimers->claimed < JOBS && tries < 2000; tries++) {
        struct arena arena;
        arena_init(&arena);
        struct claiming claiming = {"send", 5, 100, &arena, NULL, 0};
        if (db_run(claimers->store->db, false, claim, &claiming)) claimers->failed++;
        count_claims(claimers, &claiming);
        arena_done(&arena);
    }
    return NULL;
}

static void claimers_never_share_a_job(struct store *store)
{
    static struct claimers claimers;
    memset(&claimers, 0, sizeof claimers);
    claimers.store = store;
    store_write(store, enqueue_all, NULL);
    pthread_t threads[CLAIMERS];
    for (int i = 0; i < CLAIMERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, claim_all, &claimers), 0);
    for (int i = 0; i < CLAIMERS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(claimers.failed, 0);
    for (int i = 0; i < JOBS; i++)
        assert_int_equal(claimers.claims[i], 1);
}

/* --- Notification --- */

static void count_call(void *arg)
{
    ++*(atomic_int *)arg;
}

static void a_new_job_wakes_the_worker(struct store *store)
{
    static atomic_int calls;
    calls = 0;
    db_subscribe(store->db, "job", count_call, &calls);
    await_listener(store);
    int before = calls;
    put(store, "send", 1, 0);
    for (int i = 0; i < 3000 && calls == before; i++)
        sleep_ms(10);
    assert_int_equal(calls, before + 1);
}

/* --- Leases by name --- */

struct leasing {
    struct uuid holder;
    int64_t now_ms, until_ms;
    bool is_held;
};

static enum err take_lease(void *arg, struct db_tx *tx)
{
    struct leasing *lease = arg;
    return lease_take(tx, "sweeper", &lease->holder, lease->now_ms, lease->until_ms,
                      &lease->is_held);
}

static enum err release_lease(void *arg, struct db_tx *tx)
{
    return lease_release(tx, "sweeper", &((struct leasing *)arg)->holder);
}

static bool holds(struct store *store, uint8_t holder, int64_t now_ms)
{
    struct leasing lease = {{.bytes = {holder}}, now_ms, now_ms + LEASE_MS, false};
    store_write(store, take_lease, &lease);
    return lease.is_held;
}

static void release(struct store *store, uint8_t holder)
{
    struct leasing lease = {.holder = {.bytes = {holder}}};
    store_write(store, release_lease, &lease);
}

static void one_holds_the_lease(struct store *store)
{
    assert_true(holds(store, 1, 0));
    assert_false(holds(store, 2, 0));
    assert_true(holds(store, 1, 500)); /* renewed until 1500 */
    assert_false(holds(store, 2, 1499));
    assert_true(holds(store, 2, 1500));
    assert_false(holds(store, 1, 1501));
    release(store, 1); /* not its own any more */
    assert_false(holds(store, 1, 1502));
    release(store, 2);
    assert_true(holds(store, 1, 1503));
}

int main(void)
{
    static const struct store_case cases[] = {
        {"the longest due comes first", the_longest_due_comes_first},
        {"a finished job is gone", a_finished_job_is_gone},
        {"a lease that ends gives the job to another", a_lease_that_ends_gives_the_job_to_another},
        {"an ended lease that nobody took still counts",
         an_ended_lease_that_nobody_took_still_counts},
        {"a retry waits for its time", a_retry_waits_for_its_time},
        {"16 claimers never share a job", claimers_never_share_a_job},
        {"a new job wakes the worker", a_new_job_wakes_the_worker},
        {"one holds the lease", one_holds_the_lease},
    };
    return store_run_cases("job", herald_migrations, 1, cases, sizeof cases / sizeof *cases);
}
