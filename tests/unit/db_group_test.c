/* kit/db: tasks of one group run one behind the other, and those that wait share a transaction. */
#include "item_table.h"

#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { GROUP = 7, TASKS_MAX = 4 * DB_BATCH_MAX };

enum act {
    ACT_WRITE,
    ACT_REFUSE,         /* before anything is written */
    ACT_WRITE_AND_FAIL, /* the write must not stay */
    ACT_REPEAT,         /* of an id that is there */
    ACT_BREAK_ONCE,     /* the connection, behind a write */
    ACT_WAIT_TOO_LONG,  /* for a lock, as the server says */
};

struct member {
    struct db_task task;
    enum act act;
    int64_t id;
    int runs;
    int place; /* among those that share memory, as they count themselves; 0: it shares none */
    bool is_stranger; /* to what lies there */
    enum err err;
    int ended_as; /* in which order */
    struct party *party;
};

/* Tasks that wait until they are let through. */
struct gate {
    sem_t entered, opened, passed;
};

struct waiter {
    struct db_task task;
    struct gate *gate;
};

/* Tasks that are submitted while nothing runs. */
struct party {
    struct store *store;
    struct member members[TASKS_MAX];
    int count;
    sem_t ended;
    atomic_int ended_count;
    struct gate gate;
    struct waiter holders[STORE_CONNECTIONS];
};

static void gate_init(struct gate *gate)
{
    sem_init(&gate->entered, 0, 0);
    sem_init(&gate->opened, 0, 0);
    sem_init(&gate->passed, 0, 0);
}

/* Once all that waited there are told so. */
static void gate_done(struct gate *gate, int waiters)
{
    for (int i = 0; i < waiters; i++)
        sem_wait(&gate->passed);
    sem_destroy(&gate->entered);
    sem_destroy(&gate->opened);
    sem_destroy(&gate->passed);
}

static enum err wait_at_gate(struct db_task *task, struct db_tx *tx)
{
    struct gate *gate = ((struct waiter *)task)->gate;

    (void)tx;
    sem_post(&gate->entered);
    sem_wait(&gate->opened);
    return ERR_OK;
}

static void pass(struct db_task *task, enum err err)
{
    assert_int_equal(err, ERR_OK);
    sem_post(&((struct waiter *)task)->gate->passed);
}

static int writers_of(const struct store *store)
{
    return store->engine == DB_SQLITE ? 1 : STORE_CONNECTIONS;
}

static struct party *party_new(struct store *store)
{
    struct party *party = calloc(1, sizeof *party);

    assert_non_null(party);
    party->store = store;
    sem_init(&party->ended, 0, 0);
    gate_init(&party->gate);
    for (int i = 0; i < writers_of(store); i++) {
        party->holders[i] = (struct waiter){{.run = wait_at_gate, .done = pass}, &party->gate};
        assert_int_equal(db_submit(store->db, &party->holders[i].task), ERR_OK);
    }
    for (int i = 0; i < writers_of(store); i++)
        sem_wait(&party->gate.entered);
    return party;
}

static enum err run_statement(struct db_tx *tx, const char *sql)
{
    return db_exec(tx, sql, DB_NO_ARGS, NULL);
}

/* n tells how many there were before it. */
static enum err insert_next(struct db_tx *tx, int64_t id)
{
    AUTO_STMT row = NULL;
    enum err err = db_query_one(tx, item_count_sql, DB_NO_ARGS, &row);

    return err ? err : item_insert(tx, id, db_get_int(row, "n"));
}

static void count_in_shared(struct member *member, struct db_tx *tx)
{
    static const char known[] = "known", strange[] = "strange";
    const char *owner = member->is_stranger ? strange : known;
    int *counted = db_shared(tx, owner, sizeof *counted);

    assert_null(db_shared(tx, owner, DB_SHARED_MAX + 1));
    member->place = counted ? ++*counted : 0;
}

static enum err act(struct db_task *task, struct db_tx *tx)
{
    struct member *member = (struct member *)task;

    member->runs++;
    count_in_shared(member, tx);
    if (member->act == ACT_REFUSE) return ERR_VALIDATION;
    if (member->act == ACT_WAIT_TOO_LONG)
        return run_statement(tx, "DO $$ BEGIN RAISE lock_not_available; END $$");
    enum err err = insert_next(tx, member->id);
    if (err || member->act == ACT_WRITE || member->act == ACT_REPEAT) return err;
    if (member->act == ACT_WRITE_AND_FAIL) return ERR_VALIDATION;
    if (member->runs > 1) return ERR_OK;
    return run_statement(tx, "SELECT pg_terminate_backend(pg_backend_pid())");
}

static void note_end(struct db_task *task, enum err err)
{
    struct member *member = (struct member *)task;

    member->err = err;
    member->ended_as = member->party->ended_count++;
    sem_post(&member->party->ended);
}

static struct member *submit(struct party *party, enum act what, uint64_t group)
{
    struct member *member = &party->members[party->count++];

    assert_in_range(party->count, 1, TASKS_MAX);
    *member = (struct member){
        .task = {.run = act, .done = note_end, .group = group},
        .act = what,
        .id = what == ACT_REPEAT ? 1 : party->count,
        .party = party,
    };
    assert_int_equal(db_submit(party->store->db, &member->task), ERR_OK);
    return member;
}

static void let_go(struct party *party)
{
    for (int i = 0; i < writers_of(party->store); i++)
        sem_post(&party->gate.opened);
}

static void await_end(struct party *party)
{
    let_go(party);
    for (int i = 0; i < party->count; i++)
        sem_wait(&party->ended);
}

static void party_free(struct party *party)
{
    gate_done(&party->gate, writers_of(party->store));
    sem_destroy(&party->ended);
    free(party);
}

static int64_t count_transactions(struct store *store)
{
    return store_number(store, "SELECT COUNT(DISTINCT CAST(xmin AS TEXT)) AS n FROM item");
}

/* Each row knows how many there were before it. */
static void assert_in_order(struct store *store)
{
    assert_count(store, "item a WHERE n <> (SELECT count(*) FROM item b WHERE b.id < a.id)", 0);
}

/* --- On both engines --- */

static void each_hears_its_own_outcome(struct store *store)
{
    static const enum act acts[] = {ACT_WRITE, ACT_REFUSE, ACT_WRITE_AND_FAIL, ACT_WRITE};
    static const enum err outcomes[] = {ERR_OK, ERR_VALIDATION, ERR_VALIDATION, ERR_OK};
    struct party *party = party_new(store);

    for (int i = 0; i < 3 * DB_BATCH_MAX; i++)
        submit(party, acts[i % 4], GROUP);
    await_end(party);
    for (int i = 0; i < party->count; i++)
        assert_int_equal(party->members[i].err, outcomes[i % 4]);
    assert_int_equal(store_number(store, item_count_sql), party->count / 2);
    assert_in_order(store);
    party_free(party);
}

static void a_repeat_is_refused_alone(struct store *store)
{
    struct party *party = party_new(store);

    for (int i = 0; i < 20; i++)
        submit(party, i == 10 ? ACT_REPEAT : ACT_WRITE, GROUP);
    await_end(party);
    for (int i = 0; i < 20; i++)
        assert_int_equal(party->members[i].err, i == 10 ? ERR_UNIQUE : ERR_OK);
    assert_int_equal(store_number(store, item_count_sql), 19);
    assert_in_order(store);
    party_free(party);
}

static void closing_finishes_all_groups(struct store *store)
{
    struct party *party = party_new(store);

    for (int i = 0; i < 3 * DB_BATCH_MAX; i++)
        submit(party, ACT_WRITE, (uint64_t)(i % 3));
    let_go(party);
    store_close(store);
    for (int i = 0; i < party->count; i++) {
        assert_int_equal(sem_trywait(&party->ended), 0);
        assert_int_equal(party->members[i].err, ERR_OK);
    }
    store_open(store);
    assert_int_equal(store_number(store, item_count_sql), party->count);
    party_free(party);
}

/* --- On PostgreSQL --- */

static void those_that_wait_share_a_transaction(struct store *store)
{
    struct party *party = party_new(store);

    for (int i = 0; i < DB_BATCH_MAX; i++)
        submit(party, i % 2 ? ACT_WRITE : ACT_REFUSE, GROUP);
    await_end(party);
    assert_int_equal(count_transactions(store), 1);
    assert_int_equal(store_number(store, item_count_sql), DB_BATCH_MAX / 2);
    party_free(party);
}

static void what_one_has_read_those_behind_it_need_not_read(struct store *store)
{
    struct party *party = party_new(store);

    for (int i = 0; i < 20; i++)
        submit(party, ACT_WRITE, i % 2 ? GROUP : 0)->is_stranger = i == 19;
    await_end(party);
    for (int i = 0; i < 20; i++)
        assert_int_equal(party->members[i].place, i % 2 && i < 19 ? (i + 1) / 2 : 0);
    party_free(party);
}

static void nothing_read_outlives_a_transaction(struct store *store)
{
    struct party *party = party_new(store);

    for (int i = 0; i < 20; i++)
        submit(party, i == 10 ? ACT_WRITE_AND_FAIL : ACT_WRITE, GROUP);
    await_end(party);
    for (int i = 0; i < 20; i++)
        assert_int_equal(party->members[i].place, 0); /* each ran again by itself */
    party_free(party);
}

static void one_more_is_the_next_transaction(struct store *store)
{
    struct party *party = party_new(store);

    for (int i = 0; i <= DB_BATCH_MAX; i++)
        submit(party, ACT_WRITE, GROUP);
    await_end(party);
    assert_int_equal(count_transactions(store), 2);
    assert_int_equal(store_number(store, item_count_sql), DB_BATCH_MAX + 1);
    party_free(party);
}

static void others_go_by_themselves(struct store *store)
{
    struct party *party = party_new(store);

    for (int i = 0; i < 20; i++)
        submit(party, ACT_WRITE, 0);
    await_end(party);
    assert_int_equal(count_transactions(store), 20);
    party_free(party);
}

/* However many connections there are, a group has one of them. */
static void a_group_that_waits_holds_up_nobody(struct store *store)
{
    struct party *party = party_new(store);
    struct gate gate;
    struct waiter slow = {{.run = wait_at_gate, .done = pass, .group = GROUP}, &gate};

    gate_init(&gate);
    assert_int_equal(db_submit(store->db, &slow.task), ERR_OK);
    let_go(party);
    sem_wait(&gate.entered);
    for (int i = 0; i < 20; i++)
        submit(party, ACT_WRITE, GROUP);
    for (int i = 0; i < 20; i++)
        submit(party, ACT_WRITE, i % 2 ? GROUP + 1 : 0);
    for (int i = 0; i < 20; i++)
        sem_wait(&party->ended);
    for (int i = 0; i < 20; i++)
        assert_in_range(party->members[20 + i].ended_as, 0, 19);
    assert_int_equal(party->ended_count, 20);
    sem_post(&gate.opened);
    for (int i = 0; i < 20; i++)
        sem_wait(&party->ended);
    assert_int_equal(store_number(store, item_count_sql), 40);
    gate_done(&gate, 1);
    party_free(party);
}

static void a_lost_connection_loses_none_of_a_group(struct store *store)
{
    struct party *party = party_new(store);

    for (int i = 0; i < 20; i++)
        submit(party, i == 10 ? ACT_BREAK_ONCE : ACT_WRITE, GROUP);
    await_end(party);
    for (int i = 0; i < 20; i++)
        assert_int_equal(party->members[i].err, ERR_OK);
    assert_int_equal(store_number(store, item_count_sql), 20);
    assert_in_order(store);
    party_free(party);
}

/* Each by itself would wait as long for the same lock. */
static void a_storage_that_fails_one_fails_those_with_it(struct store *store)
{
    struct party *party = party_new(store);

    for (int i = 0; i < 20; i++)
        submit(party, i == 10 ? ACT_WAIT_TOO_LONG : ACT_WRITE, GROUP);
    await_end(party);
    for (int i = 0; i < 20; i++)
        assert_int_equal(party->members[i].err, ERR_STORAGE_UNAVAILABLE);
    assert_int_equal(party->members[11].runs, 0);
    assert_int_equal(store_number(store, item_count_sql), 0);
    party_free(party);
}

int main(void)
{
    static const struct store_case cases[] = {
        STORE_CASE(each_hears_its_own_outcome),
        STORE_CASE(a_repeat_is_refused_alone),
        STORE_CASE(closing_finishes_all_groups),
        {"those_that_wait_share_a_transaction", those_that_wait_share_a_transaction,
         STORE_POSTGRES},
        {"what_one_has_read_those_behind_it_need_not_read",
         what_one_has_read_those_behind_it_need_not_read, STORE_POSTGRES},
        {"nothing_read_outlives_a_transaction", nothing_read_outlives_a_transaction,
         STORE_POSTGRES},
        {"one_more_is_the_next_transaction", one_more_is_the_next_transaction, STORE_POSTGRES},
        {"others_go_by_themselves", others_go_by_themselves, STORE_POSTGRES},
        {"a_group_that_waits_holds_up_nobody", a_group_that_waits_holds_up_nobody, STORE_POSTGRES},
        {"a_lost_connection_loses_none_of_a_group", a_lost_connection_loses_none_of_a_group,
         STORE_POSTGRES},
        {"a_storage_that_fails_one_fails_those_with_it",
         a_storage_that_fails_one_fails_those_with_it, STORE_POSTGRES},
    };
    return store_run_cases("db_group", item_migrations, 1, cases, sizeof cases / sizeof *cases);
}
