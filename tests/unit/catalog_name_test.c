/* domain/catalog/catalog_name: upper and lower case are alike, in any alphabet. */
#include "arena_fixture.h"
#include "kit/base/fold.h"
#include "kit/json/utf8.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <wctype.h>

#include <cmocka.h>

static void names_lose_their_case(void **state)
{
    static const char *const rows[][2] = {
        {"", ""},
        {"Milk 3.2 %", "milk 3.2 %"},
        {"[@Z`{", "[@z`{"},
        {"МОЛОКО Ёжик", "молоко ёжик"},
        {"Ѐ Ґ Ў Џ", "ѐ ґ ў џ"},
        {"ÀÉÎÕÜ ×÷ Ÿ", "àéîõü ×÷ ÿ"},
        {"ŁÓDŹ Ĳ", "łódź ĳ"},
        {"ΟΔΟΣ οδος", "οδοσ οδοσ"},
        {"Straße ẞ", "straße ß"},
        {"ԱԲ ႠႡ", "աբ ⴀⴁ"},
        {"ＡＢＣ １", "ａｂｃ １"},
        {"Ⱥ K Å", "ⱥ k å"},
        {"𐐀 😀 漢字", "𐐨 😀 漢字"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_string_equal(fold_text(*state, rows[i][0]), rows[i][1]);
}

static const char *folded_point(struct arena *arena, uint32_t point)
{
    char text[UTF8_LEN_MAX + 1] = "";

    utf8_encode(point, text);
    return fold_text(arena, text);
}

/* The C library is another judge of what a letter's other case is. */
static void all_letters_equal_their_other_case(void **state)
{
    struct arena *arena = *state;
    locale_t locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", NULL);
    size_t pairs = 0;

    assert_non_null(locale);
    for (uint32_t point = 1; point < 0x110000; point++) {
        if (point >= 0xD800 && point <= 0xDFFF) continue;
        struct arena_mark mark = arena_mark(arena);
        wint_t lower = towlower_l((wint_t)point, locale);
        const char *folded = folded_point(arena, point);
        /* A folded text folds to itself. */
        assert_string_equal(fold_text(arena, folded), folded);
        if (lower != point && point != 0x130) {
            assert_string_equal(folded, folded_point(arena, lower));
            pairs++;
        }
        arena_rewind(arena, mark);
    }
    assert_true(pairs > 1300);
    freelocale(locale);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(names_lose_their_case, arena_begin, arena_end),
        cmocka_unit_test_setup_teardown(all_letters_equal_their_other_case, arena_begin, arena_end),
    };
    return cmocka_run_group_tests_name("catalog_name", tests, NULL, NULL);
}
