/* kit/base/text_file: byte order marks, files that are too large, and lines of settings. */
#include "kit/base/macros.h"
#include "kit/base/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#define MARK "\xEF\xBB\xBF"

static const struct {
    const char *text, *read;
} texts[] = {{"", ""},
             {MARK, ""},
             {"a", "a"},
             {MARK "a", "a"},
             {MARK MARK, MARK},
             {"\xEF\xBB", "\xEF\xBB"},
             {"a" MARK, "a" MARK},
             {"\n" MARK, "\n" MARK}};

static void a_mark_is_no_part_of_a_text(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct str behind = text_behind_mark(str_of(texts[i].text));
        assert_true(str_is(behind, texts[i].read));
    }
}

/* Writes the text into a file without a name; read from its begin. */
static int open_file(const char *text, size_t len)
{
    char path[] = "/tmp/herald-text-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(write(fd, text, len), len);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    return fd;
}

static void a_file_is_read_without_its_mark(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        AUTO_BUF out = {0};
        int fd = open_file(texts[i].text, strlen(texts[i].text));
        buf_init(&out, 16);
        assert_true(text_file_read(fd, &out));
        assert_true(str_is(buf_view(&out), texts[i].read));
        close(fd);
    }
}

static void a_file_that_is_too_large_is_refused(void **state)
{
    (void)state;
    static const char text[10000];
    for (size_t len = sizeof(text) - 1; len <= sizeof(text); len++) {
        AUTO_BUF out = {0};
        int fd = open_file(text, len);
        buf_init(&out, sizeof(text) - 1);
        assert_int_equal(text_file_read(fd, &out), len < sizeof(text));
        if (len == sizeof(text)) assert_int_equal(errno, EFBIG);
        close(fd);
    }
}

static void only_a_marked_file_is_read_in_place_of_others(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        AUTO_BUF out = {0};
        char path[32];
        int fd = open_file(texts[i].text, strlen(texts[i].text));
        bool is_marked = strlen(texts[i].read) < strlen(texts[i].text);
        snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
        buf_init(&out, 16);
        assert_int_equal(text_file_read_marked(path, &out), is_marked);
        if (is_marked) assert_true(str_is(buf_view(&out), texts[i].read));
        close(fd);
    }
    AUTO_BUF none = {0};
    assert_false(text_file_read_marked("/nowhere", &none));
}

static void a_setting_has_a_name_and_a_value(void **state)
{
    (void)state;
    static const struct {
        const char *line, *name, *value; /* no name: the line says nothing; no value: no '=' */
    } rows[] = {
        {"A=1", "A", "1"},
        {"  A\t=  1 2 ", "A", "1 2"},
        {"A=1\r", "A", "1"},
        {"A==", "A", "="},
        {"A=", "A", ""},
        {"A", "A", NULL},
        {"=", "", ""},
        {"", NULL, NULL},
        {" \r", NULL, NULL},
        {" # A=1", NULL, NULL},
        {"A=\"1 2\"", "A", "1 2"},
        {"A='1'", "A", "1"},
        {"A=\"'1'\"", "A", "'1'"},
        {"A=\"\"", "A", ""},
        {"A=\"", "A", "\""},
        {"A=\"1'", "A", "\"1'"},
        {"A=1\"", "A", "1\""},
        {"A=\" 1 \"", "A", " 1 "},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char text[64];
        struct text_setting setting = {0};
        snprintf(text, sizeof(text), "\n%s\nB=2", rows[i].line);
        struct str rest = str_of(text);
        assert_true(text_next_setting(&rest, &setting));
        if (rows[i].name) {
            assert_int_equal(setting.line, 2);
            assert_true(str_is(setting.name, rows[i].name));
            assert_int_equal(setting.value.data != NULL, rows[i].value != NULL);
            if (rows[i].value) assert_true(str_is(setting.value, rows[i].value));
            assert_true(text_next_setting(&rest, &setting));
        }
        assert_int_equal(setting.line, 3);
        assert_true(str_is(setting.name, "B") && str_is(setting.value, "2"));
        assert_false(text_next_setting(&rest, &setting));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mark_is_no_part_of_a_text),
        cmocka_unit_test(a_file_is_read_without_its_mark),
        cmocka_unit_test(a_file_that_is_too_large_is_refused),
        cmocka_unit_test(only_a_marked_file_is_read_in_place_of_others),
        cmocka_unit_test(a_setting_has_a_name_and_a_value),
    };
    return cmocka_run_group_tests_name("text_file", tests, NULL, NULL);
}
