/* modem/journal: what was begun is never begun again, whatever ends the process (contract, section
 * 15.4). */
#include "kit/base/secret.h"
#include "modem/journal.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { NOW_MS = 1795696238, HOUR_MS = 60 * 60 * 1000 };

struct place {
    char folder[64];
    struct arena arena;
    struct journal *journal;
};

static void open_at(struct place *place, int64_t now_ms)
{
    const char *fault = NULL;

    journal_close(place->journal);
    place->journal = journal_open(place->folder, now_ms, &place->arena, &fault);
    assert_non_null(place->journal);
}

static int set_up(void **state)
{
    static struct place place;

    place = (struct place){.folder = "/tmp/herald-journal-XXXXXX"};
    assert_non_null(mkdtemp(place.folder));
    arena_init(&place.arena);
    open_at(&place, NOW_MS);
    *state = &place;
    return 0;
}

static int tear_down(void **state)
{
    struct place *place = *state;
    char path[128];

    journal_close(place->journal);
    arena_done(&place->arena);
    snprintf(path, sizeof path, "%s/journal", place->folder);
    unlink(path);
    return rmdir(place->folder);
}

static struct task new_task(int64_t at_ms)
{
    return (struct task){.id = uuid_new(at_ms),
                         .lease_id = uuid_new(at_ms),
                         .number = "+79160000001",
                         .state = TASK_SENDING,
                         .told = -1,
                         .tag = journal_tag("+79161234567"),
                         .at_ms = at_ms};
}

/* Begins a task and brings it to this state. */
static struct uuid add(struct place *place, int64_t at_ms, enum task_state state, int told)
{
    struct task task = new_task(at_ms);
    struct task *begun = journal_begin(place->journal, &task);

    assert_non_null(begun);
    begun->state = state;
    begun->told = told;
    journal_note(place->journal, begun, true);
    return task.id;
}

static void append_raw(const struct place *place, const char *text)
{
    char path[128];

    snprintf(path, sizeof path, "%s/journal", place->folder);
    int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static void what_was_being_sent_is_unknown_after_a_start(void **state)
{
    struct place *place = *state;
    struct task task = new_task(NOW_MS);

    assert_non_null(journal_begin(place->journal, &task));
    for (int start = 0; start < 2; start++) {
        open_at(place, NOW_MS + 1);
        const struct task *found = journal_find(place->journal, &task.id);
        assert_non_null(found);
        assert_int_equal(found->state, TASK_UNKNOWN);
        assert_int_equal(found->told, -1);
        assert_true(uuid_equal(&found->lease_id, &task.lease_id));
        assert_string_equal(found->number, "+79160000001");
        assert_string_equal(found->error, "herald-modem ended while it was being sent");
    }
}

static void the_last_line_of_a_task_counts(void **state)
{
    struct place *place = *state;
    struct uuid id = add(place, NOW_MS, TASK_SENT, TASK_SENT);
    struct task *task = journal_find(place->journal, &id);

    task->state = TASK_FAILED;
    task->permanent = true;
    task->reference = 200;
    snprintf(task->error, sizeof task->error, "no such number, CMS 1");
    journal_note(place->journal, task, false);
    open_at(place, NOW_MS + 1);
    task = journal_find(place->journal, &id);
    assert_int_equal(task->state, TASK_FAILED);
    assert_int_equal(task->told, TASK_SENT);
    assert_true(task->permanent);
    assert_int_equal(task->reference, 200);
    assert_int_equal(task->at_ms, NOW_MS);
    assert_string_equal(task->error, "no such number, CMS 1");
}

/* As a kill in the middle of a write leaves it, or a disk that lost its mind. */
static void lines_that_are_none_are_passed_over(void **state)
{
    static const char *const broken[] = {
        "1 0192f0c1-7c2a",
        "\n",
        "nonsense\n",
        "2 0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8f 0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8f +79160000001 "
        "sent - 0 1 1 1 \n",
        "1 0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8f 0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8f +79160000001 "
        "gone - 0 1 1 1 \n",
        "1 0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8f 0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8f 79160000001 "
        "sent - 0 1 1 1 \n",
        "1 0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8f 0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8f +79160000001 "
        "sent - 0 1 1",
    };
    struct place *place = *state;

    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        struct uuid id = add(place, NOW_MS, TASK_SENT, -1);
        append_raw(place, broken[i]);
        open_at(place, NOW_MS + 1);
        assert_non_null(journal_find(place->journal, &id));
        assert_null(journal_at(place->journal, i + 1));
    }
}

static void what_herald_has_heard_goes_after_a_day(void **state)
{
    struct place *place = *state;
    struct uuid told = add(place, NOW_MS, TASK_SENT, TASK_SENT);
    struct uuid untold = add(place, NOW_MS, TASK_DELIVERED, TASK_SENT);

    open_at(place, NOW_MS + JOURNAL_KEEP_MS - 1);
    assert_non_null(journal_find(place->journal, &told));
    open_at(place, NOW_MS + JOURNAL_KEEP_MS);
    assert_null(journal_find(place->journal, &told));
    assert_non_null(journal_find(place->journal, &untold));
}

/* Nothing that herald has not heard of makes room. */
static void room_is_bounded(void **state)
{
    struct place *place = *state;
    struct uuid first = add(place, NOW_MS, TASK_SENT, -1);

    for (int i = 1; i < JOURNAL_TASKS_MAX; i++) {
        struct task task = new_task(NOW_MS);
        assert_true(journal_has_room(place->journal));
        assert_non_null(journal_begin(place->journal, &task));
    }
    struct task task = new_task(NOW_MS);
    assert_false(journal_has_room(place->journal));
    assert_null(journal_begin(place->journal, &task));
    journal_find(place->journal, &first)->told = TASK_SENT;
    assert_true(journal_has_room(place->journal));
    assert_non_null(journal_begin(place->journal, &task));
    assert_null(journal_find(place->journal, &first));
    assert_non_null(journal_find(place->journal, &task.id));
}

static void a_delivery_report_finds_its_sms(void **state)
{
    struct place *place = *state;
    const char *number = "+79160000001";
    unsigned tag = journal_tag("+79161234567");
    struct uuid older = add(place, NOW_MS, TASK_SENT, -1),
                younger = add(place, NOW_MS, TASK_SENT, -1);

    journal_find(place->journal, &older)->reference = 7;
    journal_find(place->journal, &younger)->reference = 7;
    const struct task *found =
        journal_find_report(place->journal, number, 7, tag, NOW_MS + HOUR_MS);
    assert_true(found && uuid_equal(&found->id, &younger));
    assert_null(journal_find_report(place->journal, number, 8, tag, NOW_MS));
    assert_null(journal_find_report(place->journal, number, 7, tag ^ 1, NOW_MS));
    assert_null(journal_find_report(place->journal, "+79160000002", 7, tag, NOW_MS));
    assert_null(journal_find_report(place->journal, number, 7, tag, NOW_MS + JOURNAL_KEEP_MS));
    assert_int_equal(journal_tag("89161234567"), tag); /* as some networks write it */
}

static void one_process_has_it(void **state)
{
    struct place *place = *state;
    const char *fault = NULL;

    assert_null(journal_open(place->folder, NOW_MS, &place->arena, &fault));
    assert_non_null(strstr(fault, "another herald-modem uses it"));
    assert_null(journal_open("/proc/nowhere/at/all", NOW_MS, &place->arena, &fault));
    assert_non_null(strstr(fault, "cannot be opened"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_was_being_sent_is_unknown_after_a_start, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_last_line_of_a_task_counts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(lines_that_are_none_are_passed_over, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_herald_has_heard_goes_after_a_day, set_up, tear_down),
        cmocka_unit_test_setup_teardown(room_is_bounded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_delivery_report_finds_its_sms, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_process_has_it, set_up, tear_down),
    };
    return secret_system_init() ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
