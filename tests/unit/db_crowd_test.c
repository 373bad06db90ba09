/*
 * kit/db: many tasks at once, the queue they wait in, and who hears of their commits; on both
 * engines alike.
 */
#include "item_table.h"
#include "listener.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

/* --- Many at once --- */

enum { THREADS = 32 };

struct crowd {
    struct store *store;
    int rounds;
    atomic_int next_id;
    atomic_int failed;
};

static void run_crowd(struct crowd *crowd, void *(*run)(void *arg))
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run, crowd), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(crowd->failed, 0);
}

struct counted_task {
    struct db_task task;
    int64_t id;
    enum err err;
    sem_t *ended;
};

static enum err write_even_ids(struct db_task *task, struct db_tx *tx)
{
    int64_t id = ((struct counted_task *)task)->id;
    enum err err = item_insert(tx, id, id);
    return err || id % 2 == 0 ? err : ERR_VALIDATION;
}

static void note_end(struct db_task *task, enum err err)
{
    struct counted_task *counted = (struct counted_task *)task;
    counted->err = err;
    sem_post(counted->ended);
}

static void a_task_that_fails_does_not_disturb_its_batch(struct store *store)
{
    enum { COUNT = 4 * DB_BATCH_MAX };
    static struct counted_task tasks[COUNT];
    sem_t ended;
    sem_init(&ended, 0, 0);
    for (int i = 0; i < COUNT; i++) {
        tasks[i] = (struct counted_task){
            .task = {.run = write_even_ids, .done = note_end}, .id = i, .ended = &ended};
        assert_int_equal(db_submit(store->db, &tasks[i].task), ERR_OK);
    }
    for (int i = 0; i < COUNT; i++)
        sem_wait(&ended);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(tasks[i].err, i % 2 ? ERR_VALIDATION : ERR_OK);
    assert_int_equal(store_number(store, item_count_sql), COUNT / 2);
    assert_int_equal(store_number(store, "SELECT MAX(n % 2) AS n FROM item"), 0);
    sem_destroy(&ended);
}

static enum err add_one(void *arg, struct db_tx *tx)
{
    (void)arg;
    AUTO_STMT row = NULL;
    enum err err = db_query_one(tx, "SELECT n FROM item WHERE id = 1", DB_NO_ARGS, &row);
    if (err) return err;
    int64_t n = db_get_int(row, "n"), changed = 0;
    err = db_exec(tx, "UPDATE item SET n = $1 WHERE id = 1 AND n = $2",
                  DB_ARGS(db_int(n + 1), db_int(n)), &changed);
    if (err) return err;
    return changed ? ERR_OK : ERR_TX_RETRY;
}

static void *add_many(void *arg)
{
    struct crowd *crowd = arg;
    for (int done = 0; done < crowd->rounds;) {
        enum err err = db_run(crowd->store->db, false, add_one, NULL);
        if (!err) done++;
        if (err && err != ERR_STORAGE_UNAVAILABLE) crowd->failed++;
    }
    return NULL;
}

static void no_update_is_lost(struct store *store)
{
    struct crowd crowd = {.store = store, .rounds = 10};
    int64_t id = 1;
    store_write(store, item_insert_one, &id);
    run_crowd(&crowd, add_many);
    assert_int_equal(store_number(store, "SELECT n FROM item"), THREADS * crowd.rounds);
}

static enum err find_one(void *arg, struct db_tx *tx)
{
    AUTO_STMT row = NULL;
    return db_query_one(tx, "SELECT id FROM item WHERE id = $1", DB_ARGS(db_int(*(int64_t *)arg)),
                        &row);
}

static void *write_then_read(void *arg)
{
    struct crowd *crowd = arg;
    for (int i = 0; i < crowd->rounds; i++) {
        int64_t id = crowd->next_id++;
        if (db_run(crowd->store->db, false, item_insert_one, &id)) crowd->failed++;
        if (db_run(crowd->store->db, true, find_one, &id)) crowd->failed++;
    }
    return NULL;
}

static void reads_see_what_was_acknowledged(struct store *store)
{
    struct crowd crowd = {.store = store, .rounds = 20};
    run_crowd(&crowd, write_then_read);
    assert_int_equal(store_number(store, item_count_sql), THREADS * crowd.rounds);
}

/* --- The queue --- */

struct gate {
    sem_t entered;
    sem_t opened;
};

struct gate_task {
    struct counted_task counted;
    struct gate *gate;
};

static void gate_init(struct gate *gate)
{
    sem_init(&gate->entered, 0, 0);
    sem_init(&gate->opened, 0, 0);
}

static enum err wait_at_gate(struct db_task *task, struct db_tx *tx)
{
    struct gate *gate = ((struct gate_task *)task)->gate;
    (void)tx;
    sem_post(&gate->entered);
    sem_wait(&gate->opened);
    return ERR_OK;
}

static enum err do_nothing(struct db_task *task, struct db_tx *tx)
{
    (void)task, (void)tx;
    return ERR_OK;
}

/* Every thread that writes is held up, so that what is submitted now has to wait. */
static int hold_up(struct store *store, struct gate *gate, struct gate_task *tasks, sem_t *ended)
{
    int count = store->engine == DB_SQLITE ? 1 : STORE_CONNECTIONS;
    gate_init(gate);
    for (int i = 0; i < count; i++) {
        tasks[i] = (struct gate_task){
            .counted = {.task = {.run = wait_at_gate, .done = note_end}, .ended = ended},
            .gate = gate};
        assert_int_equal(db_submit(store->db, &tasks[i].counted.task), ERR_OK);
    }
    for (int i = 0; i < count; i++)
        sem_wait(&gate->entered);
    return count;
}

static void a_full_queue_refuses(struct store *store)
{
    struct counted_task *tasks = calloc(DB_QUEUE_MAX + 1, sizeof *tasks);
    struct gate gate;
    struct gate_task holders[STORE_CONNECTIONS];
    sem_t ended;
    assert_non_null(tasks);
    sem_init(&ended, 0, 0);
    int held = hold_up(store, &gate, holders, &ended);
    for (int i = 0; i <= DB_QUEUE_MAX; i++) {
        tasks[i] =
            (struct counted_task){.task = {.run = do_nothing, .done = note_end}, .ended = &ended};
        enum err expected = i < DB_QUEUE_MAX ? ERR_OK : ERR_OVERLOADED;
        assert_int_equal(db_submit(store->db, &tasks[i].task), expected);
    }
    for (int i = 0; i < held; i++)
        sem_post(&gate.opened);
    for (int i = 0; i < held + DB_QUEUE_MAX; i++)
        sem_wait(&ended);
    int64_t id = 1;
    store_write(store, item_insert_one, &id);
    free(tasks);
}

enum { SLOW_MS = 300, SLOW_READS = 16 };

struct opener {
    struct gate gate;
    atomic_bool is_over;
};

/* Lets one through after the other, slowly at first. */
static void *let_through(void *arg)
{
    struct opener *opener = arg;
    for (int i = 0; i < SLOW_READS; i++) {
        for (int ms = 0; ms < SLOW_MS && !opener->is_over; ms++)
            sleep_ms(1);
        sem_post(&opener->gate.opened);
    }
    return NULL;
}

static enum err look(void *arg, struct db_tx *tx)
{
    (void)arg;
    AUTO_STMT row = NULL;
    return db_query_one(tx, item_count_sql, DB_NO_ARGS, &row);
}

static int how_many_ended(sem_t *ended)
{
    int count = 0;
    sem_getvalue(ended, &count);
    return count;
}

/* Whoever asks how the database is waits neither for those in the queue nor for those that a thread
 * has taken from it already. */
static void a_look_waits_for_nobody(struct store *store)
{
    static struct gate_task tasks[SLOW_READS];
    struct opener opener = {.is_over = false};
    pthread_t thread;
    sem_t ended;
    sem_init(&ended, 0, 0);
    gate_init(&opener.gate);
    for (int i = 0; i < SLOW_READS; i++) {
        tasks[i] = (struct gate_task){
            .counted = {.task = {.run = wait_at_gate, .done = note_end, .is_read = true},
                        .ended = &ended},
            .gate = &opener.gate};
        assert_int_equal(db_submit(store->db, &tasks[i].counted.task), ERR_OK);
    }
    sem_wait(&opener.gate.entered);
    assert_int_equal(pthread_create(&thread, NULL, let_through, &opener), 0);
    assert_int_equal(db_look(store->db, look, NULL), ERR_OK);
    assert_true(how_many_ended(&ended) <= STORE_CONNECTIONS + 1);
    opener.is_over = true;
    pthread_join(thread, NULL);
    for (int i = 0; i < SLOW_READS; i++)
        sem_wait(&ended);
    sem_destroy(&ended);
}

static void closing_finishes_what_is_queued(struct store *store)
{
    enum { COUNT = 300 };
    static struct counted_task tasks[COUNT];
    struct gate gate;
    struct gate_task holders[STORE_CONNECTIONS];
    sem_t ended;
    sem_init(&ended, 0, 0);
    int held = hold_up(store, &gate, holders, &ended);
    for (int i = 0; i < COUNT; i++) {
        tasks[i] = (struct counted_task){
            .task = {.run = write_even_ids, .done = note_end}, .id = 2 * i, .ended = &ended};
        assert_int_equal(db_submit(store->db, &tasks[i].task), ERR_OK);
    }
    for (int i = 0; i < held; i++)
        sem_post(&gate.opened);
    store_close(store);
    for (int i = 0; i < held + COUNT; i++)
        assert_int_equal(sem_trywait(&ended), 0);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(tasks[i].err, ERR_OK);
    store_open(store);
    assert_int_equal(store_number(store, item_count_sql), COUNT);
}

/* --- Notifications --- */

static enum err insert_and_notify(void *arg, struct db_tx *tx)
{
    db_notify(tx, "item");
    db_notify(tx, "item");
    return item_insert_one(arg, tx);
}

static enum err notify_and_refuse(void *arg, struct db_tx *tx)
{
    enum err err = insert_and_notify(arg, tx);
    return err ? err : ERR_VALIDATION;
}

static void count_call(void *arg)
{
    (*(atomic_int *)arg)++;
}

static void await_count(atomic_int *counter, int count)
{
    for (int i = 0; i < 3000 && *counter < count; i++)
        sleep_ms(10);
    assert_int_equal(*counter, count);
}

static void subscribers_hear_of_commits(struct store *store)
{
    static atomic_int calls, others;
    calls = others = 0;
    db_subscribe(store->db, "other", count_call, &others);
    db_subscribe(store->db, "item", count_call, &calls);
    await_listener(store);
    int before = calls, others_before = others;

    int64_t id = 1;
    assert_int_equal(db_run(store->db, false, notify_and_refuse, &id), ERR_VALIDATION);
    store_write(store, insert_and_notify, &id);
    await_count(&calls, before + 1);
    sleep_ms(100);
    assert_int_equal(calls, before + 1);
    assert_int_equal(others, others_before);
}

int main(void)
{
    static const struct store_case cases[] = {
        {"a task that fails does not disturb its batch",
         a_task_that_fails_does_not_disturb_its_batch},
        {"no update is lost", no_update_is_lost},
        {"reads see what was acknowledged", reads_see_what_was_acknowledged},
        {"a full queue refuses", a_full_queue_refuses},
        {"a look waits for nobody", a_look_waits_for_nobody},
        {"closing finishes what is queued", closing_finishes_what_is_queued},
        {"subscribers hear of commits", subscribers_hear_of_commits},
    };
    return store_run_cases("db crowd", item_migrations, 1, cases, sizeof cases / sizeof *cases);
}
