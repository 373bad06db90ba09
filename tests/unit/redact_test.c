/* kit/base/redact: no code, number or key is left in others' words, whatever stands between. */
#include "arena_fixture.h"
#include "kit/base/glyph.h"
#include "kit/base/macros.h"
#include "kit/base/redact.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct row {
    const char *text, *kept;
};

static void what_looks_like_a_code_is_hidden(void **state)
{
    static const struct row rows[] = {
        {"493021", "***"},
        {"code 493021 refused", "code *** refused"},
        {"ERROR 4930", "ERROR ***"},
        {"4 9 3 0 2 1", "***"},
        {"4-9-3-0-2-1, 4.9.3.0.2.1; 4,9,3,0", "***"},
        {"<4930><21>", "<***>"},
        {"4\n9\t3\xE2\x80\x8B"
         "0",
         "***"}, /* a zero-width space */
        {"4  ...  9 // 3 ** 0", "***"},
        {"%34%39%33%30", "%***"},
        {"&#52;&#57;&#51;&#48;", "&#***;"},
        {"４９３０２１", "***"},
        {"①②③④ and ٤٩٣٠", "*** and ***"},
        {"4️⃣9️⃣3️⃣0️⃣ ok", "***️⃣ ok"},
        {"𝟒𝟗𝟑𝟎", "***"},
        {"+79161234567", "+***"},
        {"hd_3q2-7wECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxw", "***"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_string_equal(redact_codes(*state, rows[i].text, STR("")), rows[i].kept);
    assert_null(redact_codes(*state, NULL, STR("1234")));
}

static void what_helps_is_kept(void **state)
{
    static const char *const texts[] = {
        "",
        "no credit",
        "CMS ERROR 500",
        "+CMS ERROR: 38",
        "GSM 7-bit, 160 of 153 characters, try 3",
        "RESULT_ERROR_GENERIC_FAILURE_AGAIN",
        "Ошибка 17: сеть недоступна, попытка 2",
        "４９３ 号",
    };
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        assert_string_equal(redact_codes(*state, texts[i], STR("Code: 493021")), texts[i]);
}

/* The code is known: letters between its digits do not help. */
static void a_code_that_is_known_is_found_behind_words(void **state)
{
    static const struct row rows[] = {
        {"4 nine? 9 then 3, 0, 2 and 1 end", "*** end"},
        {"4a9b3c0d2e1", "***"},
        {"a4b9c3d0e2f1g and 4x9x3x0x2x2", "a***g and 4x9x3x0x2x2"},
        {"44a9b3c0d2e1", "4***"},
        {"try 4 of 9", "try 4 of 9"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_string_equal(redact_codes(*state, rows[i].text, STR("Code: 493021. 12")),
                            rows[i].kept);
}

static void a_digit_is_one_in_any_script(void **state)
{
    static const struct {
        uint32_t point;
        int digit;
        bool is_letter;
    } rows[] = {
        {'0', 0, false},     {'9', 9, false},      {'/', -1, false},      {':', -1, false},
        {'a', -1, true},     {0xB2, 2, false},     {0xB9, 1, false},      {0x660, 0, false},
        {0x669, 9, false},   {0x66A, -1, true},    {0x2460, 1, false},    {0xFF10, 0, false},
        {0xFF19, 9, false},  {0xFF1A, -1, false},  {0x1D7D7, 9, false},   {0x1D7D8, 0, false},
        {0x1FBF9, 9, false}, {0x1FBFA, -1, true},  {0x10FFFF, -1, false}, {0x416, -1, true},
        {0x4E2D, -1, true},  {0x2011, -1, false},  {0x20E3, -1, false},   {0xFE0F, -1, false},
        {0xA0, -1, false},   {0x1F600, -1, false}, {0, -1, false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(glyph_digit(rows[i].point), rows[i].digit);
        assert_int_equal(glyph_is_letter(rows[i].point), rows[i].is_letter);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define ARENA_TEST(name) cmocka_unit_test_setup_teardown(name, arena_begin, arena_end)
        ARENA_TEST(what_looks_like_a_code_is_hidden),
        ARENA_TEST(what_helps_is_kept),
        ARENA_TEST(a_code_that_is_known_is_found_behind_words),
        cmocka_unit_test(a_digit_is_one_in_any_script),
    };
    return cmocka_run_group_tests_name("redact", tests, NULL, NULL);
}
