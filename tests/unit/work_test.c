/* core/work: notes are kept in order, as copies, and forgotten when the transaction runs again.
 */
#include "core/work.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static void notes_are_copies_in_order(void **state)
{
    (void)state;
    struct arena arena;
    struct work work;
    char message[16] = "first", value[16] = "one";
    arena_init(&arena);
    work_init(&work, NULL, &arena, 1234, "request");
    assert_null(work.notes);
    work_note(&work, LOG_INFO, message, LOG_FIELDS(log_text("name", value), log_int("n", 7)));
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

static void another_run_starts_without_notes(void **state)
{
    (void)state;
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

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(notes_are_copies_in_order),
        cmocka_unit_test(another_run_starts_without_notes),
    };
    return cmocka_run_group_tests_name("work", tests, NULL, NULL);
}
