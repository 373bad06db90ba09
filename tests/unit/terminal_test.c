/* kit/base/terminal: what would steer a terminal is escaped, and nothing else is. */
#include "kit/base/terminal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void assert_escaped(struct str text, const char *kept, const char *expected)
{
    AUTO_BUF out = {0};

    buf_init(&out, 1000);
    terminal_escape(text, kept, &out);
    if (!str_is(buf_view(&out), expected))
        fail_msg("%s: %.*s", expected, (int)out.len, out.data ? out.data : "");
}

static void test_what_steers_is_escaped(void **state)
{
    (void)state;
    assert_escaped(STR("\0"), "", "\\ufffd");
    assert_escaped(STR("\0"), "\n", "\\ufffd");
    assert_escaped(STR("a\x1b[2Jb"), "", "a\\u001b[2Jb");
    assert_escaped(STR("\x1f\x7f"), "", "\\u001f\\u007f");
    assert_escaped(STR("\xc2\x80\xc2\x9f"), "", "\\u0080\\u009f");
    assert_escaped(STR("\xe2\x80\xa8\xe2\x80\xa9"), "", "\\u2028\\u2029");
    assert_escaped(STR("\xe2\x80\xaa\xe2\x80\xae"), "", "\\u202a\\u202e");
    assert_escaped(STR("\xe2\x81\xa6\xe2\x81\xa9"), "", "\\u2066\\u2069");
}

static void test_all_else_stays(void **state)
{
    static const char *const rows[] = {
        "",
        " ~",
        "\\u001b",
        "\xc2\xa0",
        "\xd0\x9b\xd1\x8f",
        "\xc2",
        "\xc2\xc2\xa0",
        "\xe2\x80\xa7",
        "\xe2\x80\xaf",
        "\xe2\x81\xa5",
        "\xe2\x81\xaa",
        "\xe2\x80",
        "\xe2\x80x\xa8",
        "\xf0\x9f\x98\x80",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_escaped(str_of(rows[i]), "", rows[i]);
}

static void test_lines_can_be_kept(void **state)
{
    (void)state;
    assert_escaped(STR("a\nb\tc"), "", "a\\u000ab\\u0009c");
    assert_escaped(STR("a\nb\tc"), "\n", "a\nb\\u0009c");
}

/* --- Columns --- */

static void assert_cut(const char *text, size_t columns, const char *expected)
{
    AUTO_BUF out = {0};

    buf_init(&out, 1000);
    terminal_cut(str_of(text), columns, &out);
    if (!str_is(buf_view(&out), expected))
        fail_msg("%s: %.*s", expected, (int)out.len, out.data ? out.data : "");
}

static void test_columns_are_counted(void **state)
{
    static const struct {
        const char *text;
        size_t width;
    } rows[] = {
        {"", 0},
        {"abc", 3},
        {"\xd0\x9b\xd1\x8f", 2},          /* Cyrillic */
        {"\xe4\xb8\xad\xe6\x96\x87", 4},  /* Chinese */
        {"\xed\x95\x9c", 2},              /* Hangul */
        {"\xef\xbc\xa1", 2},              /* a full-width A */
        {"\xef\xbd\xb1", 1},              /* a half-width katakana */
        {"e\xcc\x81", 1},                 /* a letter and its mark */
        {"\xd0\xb8\xcc\x86", 1},          /* the same in Cyrillic */
        {"\xf0\x9f\x98\x80", 2},          /* an emoji */
        {"a\xe2\x80\x8d\xef\xb8\x8f", 1}, /* a joiner and a variant: unseen */
        {"\xff\xfe", 2},                  /* no UTF-8 */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(terminal_width(str_of(rows[i].text)), rows[i].width);
}

#define DOTS "\xe2\x80\xa6"

static void test_a_text_is_cut_to_columns(void **state)
{
    (void)state;
    assert_cut("abcd", 4, "abcd");
    assert_cut("abcde", 4, "abc" DOTS);
    assert_cut("abcde", 1, DOTS);
    assert_cut("abcde", 0, "");
    assert_cut("", 0, "");
    /* A wide character that has no room for its second column is left out. */
    assert_cut("\xe4\xb8\xad\xe6\x96\x87", 4, "\xe4\xb8\xad\xe6\x96\x87");
    assert_cut("\xe4\xb8\xad\xe6\x96\x87", 3, "\xe4\xb8\xad" DOTS);
    assert_cut("\xe4\xb8\xad\xe6\x96\x87", 2, DOTS);
    /* A mark stays with its letter. */
    assert_cut("e\xcc\x81xyz", 2, "e\xcc\x81" DOTS);
}

static void test_a_file_has_no_columns(void **state)
{
    (void)state;
    assert_int_equal(terminal_columns(-1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_steers_is_escaped),
        cmocka_unit_test(test_all_else_stays),
        cmocka_unit_test(test_lines_can_be_kept),
        cmocka_unit_test(test_columns_are_counted),
        cmocka_unit_test(test_a_text_is_cut_to_columns),
        cmocka_unit_test(test_a_file_has_no_columns),
    };
    return cmocka_run_group_tests_name("terminal", tests, NULL, NULL);
}
