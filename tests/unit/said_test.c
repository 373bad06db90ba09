/* kit/json/said_text: what is kept of the words of phones, providers and ERPs. */
#include "kit/base/macros.h"
#include "kit/json/said_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static void assert_kept(struct arena *arena, const char *said, struct said_rule rule,
                        const char *kept)
{
    const char *found = said_keep(arena, said, &rule);

    if (!kept) assert_null(found);
    if (kept) assert_string_equal(found, kept);
}

static void words_stay_as_they_came(void **state)
{
    static const char *const rows[] = {
        "no credit",
        "+CMS ERROR: 38",
        "call +79161234567 of Anna",
        "\u041d\u0435\u0442 \u0442\u043e\u0432\u0430\u0440\u0430 \U0001F600",
        "493021",
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_kept(*state, rows[i], (struct said_rule){0}, rows[i]);
}

static void they_are_one_line_of_text(void **state)
{
    static const char *const rows[][2] = {
        {"a\r\nb\tc", "a  b c"},
        {"\x1b[2Jx\x7f", "[2Jx"},
        {"a\u2028b\u202ec\xC2\x85"
         "d",
         "a b c d"},
        {"a\xC0\xAF\xFFz", "a\uFFFD\uFFFD\uFFFDz"},
        {"\xE2\x82", "\uFFFD\uFFFD"},
        {" \r\n ", NULL},
        {"", NULL},
        {NULL, NULL},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_kept(*state, rows[i][0], (struct said_rule){0}, rows[i][1]);
}

static void runs_as_long_as_the_code_are_hidden(void **state)
{
    static const char *const rows[][2] = {
        {"cannot send 493021", "cannot send ***"},
        {"493021", "***"},
        {"4930211", "4930211"},
        {"49302", "49302"},
        {"493021 493022", "*** ***"},
        {"a493021b", "a***b"},
        {"493 021", "493 021"},
        {"+79161234567", "+79161234567"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_kept(*state, rows[i][0], (struct said_rule){.code_length = 6}, rows[i][1]);
}

static void the_token_is_hidden(void **state)
{
    const struct said_rule rule = {.token = STR("s3cr3t")};

    assert_kept(*state, "Bearer s3cr3t, s3cr3t!", rule, "Bearer ***, ***!");
    assert_kept(*state, "s3cr3", rule, "s3cr3");
    assert_kept(*state, "S3CR3T", rule, "S3CR3T");
}

static void they_are_cut(void **state)
{
    char text[4 * SAID_MAX + 8] = "";

    for (int i = 0; i < SAID_MAX + 1; i++)
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "\u0436");
    assert_int_equal(utf8_length(str_of(said_keep(*state, text, &(struct said_rule){0}))),
                     SAID_MAX);
    memset(text, '1', sizeof(text) - 1);
    assert_int_equal(strlen(said_keep(*state, text, &(struct said_rule){0})), SAID_MAX);
}

static int begin(void **state)
{
    static struct arena arena;
    arena_init(&arena);
    *state = &arena;
    return 0;
}

static int end(void **state)
{
    arena_done(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_stay_as_they_came),
        cmocka_unit_test(they_are_one_line_of_text),
        cmocka_unit_test(runs_as_long_as_the_code_are_hidden),
        cmocka_unit_test(the_token_is_hidden),
        cmocka_unit_test(they_are_cut),
    };
    return cmocka_run_group_tests_name("said", tests, begin, end);
}
