/* core/work: notes are kept in order, as copies, and forgotten when the transaction runs again; and
 * a unit of work as a task of a database. */
#include "core/work.h"
#include "item_table.h"
#include "kit/base/macros.h"

#include <stdatomic.h>

static void notes_are_copies_in_order(struct store *store)
{
    (void)store;
    struct arena arena;
    struct work work;
    char message[16] = "first", value[16] = "one";
    arena_init(&arena);
    work_init(&work, NULL, &arena, 1234, "request");
    assert_null(work.notes);
    work_note(&work, LOG_INFO, message, LOG_FIELDS(log_words("name", value), log_int("n", 7)));
    memset(message, 'x', sizeof message - 1);
    memset(value, 'x', sizeof value - 1);
    work_note(&work, LOG_ERROR, "second", NULL, 0);

    const struct work_note *first = work.notes;
    assert_string_equal(first->message, "first");
    assert_int_equal(first->level, LOG_INFO);
    assert_int_equal(first->field_count, 2);
    assert_string_equal(first->fields[0].text, "one");
    assert_int_equal(first->fields[1].number, 7);
    assert_string_equal(first->next->message, "second");
    assert_int_equal(first->next->level, LOG_ERROR);
    assert_null(first->next->next);
    arena_done(&arena);
}

static void another_run_starts_without_notes(struct store *store)
{
    (void)store;
    struct arena arena;
    struct work work;
    arena_init(&arena);
    work_init(&work, NULL, &arena, 1234, NULL);
    work_note(&work, LOG_INFO, "forgotten", NULL, 0);
    work_restart(&work, NULL);
    assert_null(work.notes);
    assert_int_equal(work.now_ms, 1234);
    work_note(&work, LOG_INFO, "kept", NULL, 0);
    assert_string_equal(work.notes->message, "kept");
    assert_null(work.notes->next);
    arena_done(&arena);
}

/* --- On a database --- */

struct counting {
    struct work work;
    int runs, retries;
    enum err end; /* what the last run says */
    atomic_int ends;
    enum err ended_with;
};

static enum err insert_and_note(struct work *work)
{
    struct counting *step = CONTAINER_OF(work, struct counting, work);

    step->runs++;
    work_note(work, LOG_INFO, "inserted", LOG_FIELDS(log_int("run", step->runs)));
    enum err err = item_insert(work->tx, 1, step->runs);
    if (err) return err;
    return step->runs <= step->retries ? ERR_TX_RETRY : step->end;
}

static void ended(struct work *work, enum err err)
{
    struct counting *step = CONTAINER_OF(work, struct counting, work);
    step->ended_with = err;
    step->ends++;
}

/* The rows and notes of a run that is repeated are gone. */
static void assert_ran_twice(struct store *store, const struct counting *step)
{
    assert_int_equal(step->runs, 2);
    assert_non_null(step->work.notes);
    assert_int_equal(step->work.notes->fields[0].number, 2);
    assert_null(step->work.notes->next);
    assert_count(store, "item WHERE n = 2", 1);
}

static void a_work_that_is_waited_for_may_run_twice(struct store *store)
{
    struct counting step = {.retries = 1};
    work_init(&step.work, NULL, &store->arena, 1234, NULL);
    assert_int_equal(work_run(&step.work, store->db, insert_and_note), ERR_OK);
    assert_ran_twice(store, &step);
}

static void one_that_is_not_tells_its_end_once(struct store *store)
{
    struct counting step = {.retries = 1};
    work_init(&step.work, NULL, &store->arena, 1234, NULL);
    assert_int_equal(work_start(&step.work, store->db, insert_and_note, ended), ERR_OK);
    for (int ms = 0; step.ends == 0 && ms < 10000; ms++)
        sleep_ms(1);
    assert_int_equal(step.ends, 1);
    assert_int_equal(step.ended_with, ERR_OK);
    assert_ran_twice(store, &step);
}

static void a_failure_writes_nothing(struct store *store)
{
    struct counting step = {.end = ERR_NOT_FOUND};
    work_init(&step.work, NULL, &store->arena, 1234, NULL);
    assert_int_equal(work_run(&step.work, store->db, insert_and_note), ERR_NOT_FOUND);
    assert_int_equal(step.runs, 1);
    assert_count(store, "item", 0);
}

int main(void)
{
    static const struct store_case cases[] = {
        STORE_CASE(notes_are_copies_in_order),
        STORE_CASE(another_run_starts_without_notes),
        STORE_CASE(a_work_that_is_waited_for_may_run_twice),
        STORE_CASE(one_that_is_not_tells_its_end_once),
        STORE_CASE(a_failure_writes_nothing),
    };
    return store_run_cases("work", item_migrations, COUNT_OF(item_migrations), cases,
                           COUNT_OF(cases));
}
