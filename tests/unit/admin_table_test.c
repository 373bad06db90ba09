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
    const char *const cells[] = {("\xe2\x80\xae"
                                  "12 pohS"),
                                 "\xe2\x81\xa6x\xe2\x81\xa9", "\xe2\x80\xa8", "\xe2\x80\xafy"};
    assert_table(cells, 4, 1, "\\u202e12 pohS  \\u2066x\\u2069  \\u2028  \xe2\x80\xafy\n");
}

#define DOTS "\xe2\x80\xa6"
#define ID   "0192f0c6-6666-7d3e-8f00-3b2a1c0d9e8f"

static void assert_within(const char *const *cells, size_t columns, size_t rows, size_t width,
                          const char *expected)
{
    AUTO_BUF out = {0};
    buf_init(&out, 4096);
    show_table_within(cells, columns, rows, width, &out);
    buf_char(&out, '\0');
    assert_string_equal(out.data, expected);
}

static void wide_characters_keep_the_columns(void **state)
{
    (void)state;
    const char *const cells[] = {"\xe4\xb8\xad\xe6\x96\x87", "x", "1", "e\xcc\x81", "y", "2"};
    assert_table(cells, 3, 2,
                 "\xe4\xb8\xad\xe6\x96\x87  x  1\n"
                 "e\xcc\x81     y  2\n");
}

static void a_table_fits_the_terminal(void **state)
{
    (void)state;
    const char *const cells[] = {"ID", "NAME", "STATE", ID, "a name of twenty-four.", "enabled"};
    assert_within(cells, 3, 2, 0,
                  "ID                                    NAME                    STATE\n" ID
                  "  a name of twenty-four.  enabled\n");
    assert_within(cells, 3, 2, 60,
                  "ID                                    NAME           STATE\n" ID
                  "  a name of tw" DOTS "  enabled\n");
    /* No column becomes too narrow to read: then the line ends. */
    assert_within(cells, 3, 2, 50,
                  "ID                                    NAME       " DOTS "\n" ID
                  "  a name of t" DOTS "\n");
}

/* A time that does not fit gives its seconds, and not its hour, before names become shorter. */
static void times_stay_useful(void **state)
{
    (void)state;
    const char *const cells[] = {"ID", "NAME",       "STATE",  "CREATED",
                                 ID,   "Shop at 12", "queued", "2026-11-21T04:33:00.123Z"};
    assert_within(cells, 4, 2, 84,
                  "ID                                    NAME        STATE   CREATED\n" ID
                  "  Shop at 12  queued  2026-11-21T04:33:00.123Z\n");
    assert_within(cells, 4, 2, 80,
                  "ID                                    NAME        STATE   CREATED\n" ID
                  "  Shop at 12  queued  2026-11-21 04:33\n");
}

/* A type is a word to go on with, so a title gives before it. */
static void types_stay_whole(void **state)
{
    (void)state;
    const char *const cells[] = {"TYPE",   "TITLE", "STATE", "webhook_endpoint", "https://shop.ru",
                                 "enabled"};
    assert_within(cells, 3, 2, 40,
                  "TYPE              TITLE          STATE\n"
                  "webhook_endpoint  https://shop" DOTS "  enabled\n");
}

/* The first column need not give for one that has no room either way. */
static void what_is_not_seen_takes_no_room(void **state)
{
    (void)state;
    const char *const cells[] = {"a name of twenty-four.", "one two three", ID};
    assert_within(cells, 3, 1, 45, "a name of twenty-four.  one two three  0192f" DOTS "\n");
}

/* A secret that is shown once must never be cut. */
static void facts_stay_whole(void **state)
{
    (void)state;
    const char *const cells[] = {"client_secret", "hs_0123456789012345678901234567890123456789012"};
    assert_within(cells, 2, 1, 20,
                  "client_secret  hs_0123456789012345678901234567890123456789012\n");
}

/* A word of 40 characters that are two columns wide fills a line. */
static void lines_end_at_the_last_column(void **state)
{
    (void)state;
    AUTO_BUF word = {0}, out = {0};
    struct show_lines lines = {.out = &out, .indent = 2, .column = 2};

    buf_init(&word, 1024);
    buf_init(&out, 1024);
    for (int i = 0; i < 40; i++)
        buf_text(&word, "\xe4\xb8\xad");
    buf_char(&word, '\0');
    show_words(&lines, word.data);
    assert_int_equal(lines.column, 4);
    assert_memory_equal(out.data + 3 * 39, "\n  \xe4\xb8\xad", 6);
    buf_clear(&out);
    lines.column = 2;
    show_words(&lines, "a \xe4\xb8\xad\xe6\x96\x87 e\xcc\x81");
    assert_int_equal(lines.column, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_as_wide_as_their_widest_cell),
        cmocka_unit_test(terminal_obeys_no_cell),
        cmocka_unit_test(terminal_is_not_turned_around),
        cmocka_unit_test(wide_characters_keep_the_columns),
        cmocka_unit_test(a_table_fits_the_terminal),
        cmocka_unit_test(times_stay_useful),
        cmocka_unit_test(types_stay_whole),
        cmocka_unit_test(what_is_not_seen_takes_no_room),
        cmocka_unit_test(facts_stay_whole),
        cmocka_unit_test(lines_end_at_the_last_column),
    };
    return cmocka_run_group_tests_name("admin_table", tests, NULL, NULL);
}
