/* app/admin: tables for people, which no cell can spoil. */
#include "app/admin/admin_show.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void assert_table(const char *const *cells, size_t columns, size_t rows,
                         const char *expected)
{
    AUTO_BUF out = {0};
    buf_init(&out, 4096);
    show_table(cells, columns, rows, &out);
    buf_char(&out, '\0');
    assert_string_equal(out.data, expected);
}

static void columns_are_as_wide_as_their_widest_cell(void **state)
{
    (void)state;
    const char *const cells[] = {"ID", "NAME", "END", "1234", "\xd0\x9b\xd0\xb0",
                                 NULL, "",     "x",   ""};
    assert_table(cells, 3, 3,
                 "ID    NAME  END\n"
                 "1234  \xd0\x9b\xd0\xb0    -\n"
                 "      x\n");
}

static void terminal_obeys_no_cell(void **state)
{
    (void)state;
    const char *const cells[] = {"a\x1b[31m\n\x7f"
                                 "b",
                                 "\xc2\x9b"
                                 "c\xc2\xa0",
                                 "\xd0\x9b"};
    assert_table(cells, 3, 1, "a\\u001b[31m\\u000a\\u007fb  \\u009bc\xc2\xa0  \xd0\x9b\n");
}

/* A name that turns the text behind it around would show another one. */
static void terminal_is_not_turned_around(void **state)
{
    (void)state;
    const char *const cells[] = {"\xe2\x80\xae"
                                 "12 pohS",
                                 "\xe2\x81\xa6x\xe2\x81\xa9", "\xe2\x80\xa8", "\xe2\x80\xafy"};
    assert_table(cells, 4, 1, "\\u202e12 pohS  \\u2066x\\u2069  \\u2028  \xe2\x80\xafy\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_as_wide_as_their_widest_cell),
        cmocka_unit_test(terminal_obeys_no_cell),
        cmocka_unit_test(terminal_is_not_turned_around),
    };
    return cmocka_run_group_tests_name("admin_table", tests, NULL, NULL);
}
