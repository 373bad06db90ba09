/* kit/base/redact: no code, number or key is left in others' words, whatever stands between. */
#include "arena_fixture.h"
#include "kit/base/glyph.h"
#include "kit/base/macros.h"
#include "kit/base/redact.h"
#include "kit/base/secret.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

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
        {"4️⃣9️⃣3️⃣0️⃣ ok", "*** ok"},
        {"4\xE3\x85\xA4"
         "9\xD9\xAB"
         "3\xE2\xA0\x80"
         "0",
         "***"}, /* a filler that is a letter to Unicode */
        {"hd_3q2-7wECAw\xE2\x80\x8BQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxw", "***"},
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
        /* Other digits between. */
        {"1st: 4, 2nd: 9, 3rd: 3, 4th: 0, 5th: 2, 6th: 1.", "1st: ***."},
        {"a4b19c23d30e42f51g", "a***g"},
        {"a4b4c9d9e9f3g0h2i1", "a4b***"},
        {"a4b777c9d3e0f2g1", "a4b777c9d3e0f2g1"}, /* more than two of them */
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_string_equal(redact_codes(*state, rows[i].text, STR("Code: 493021. 12")),
                            rows[i].kept);
}

static void each_character_is_of_one_kind(void **state)
{
    static const struct {
        uint32_t point;
        int digit;
        enum glyph_kind kind;
    } rows[] = {
        {'0', 0, GLYPH_DIGIT},        {'9', 9, GLYPH_DIGIT},         {'/', -1, GLYPH_BETWEEN},
        {':', -1, GLYPH_BETWEEN},     {'a', -1, GLYPH_LETTER},       {'Z', -1, GLYPH_LETTER},
        {0xB2, 2, GLYPH_DIGIT},       {0xB9, 1, GLYPH_DIGIT},        {0x660, 0, GLYPH_DIGIT},
        {0x669, 9, GLYPH_DIGIT},      {0x66A, -1, GLYPH_BETWEEN},    {0x2460, 1, GLYPH_DIGIT},
        {0xFF10, 0, GLYPH_DIGIT},     {0xFF19, 9, GLYPH_DIGIT},      {0xFF1A, -1, GLYPH_BETWEEN},
        {0x1D7D7, 9, GLYPH_DIGIT},    {0x1D7D8, 0, GLYPH_DIGIT},     {0x1FBF9, 9, GLYPH_DIGIT},
        {0x416, -1, GLYPH_LETTER},    {0x4E2D, -1, GLYPH_LETTER},    {0x1FBFA, -1, GLYPH_BETWEEN},
        {0x24B6, -1, GLYPH_LETTER},   {0x2011, -1, GLYPH_BETWEEN},   {0x20E3, -1, GLYPH_UNSEEN},
        {0xFE0F, -1, GLYPH_UNSEEN},   {0x200B, -1, GLYPH_UNSEEN},    {0xAD, -1, GLYPH_UNSEEN},
        {0x301, -1, GLYPH_UNSEEN},    {0x3164, -1, GLYPH_UNSEEN},    {0x2800, -1, GLYPH_BETWEEN},
        {0xA0, -1, GLYPH_BETWEEN},    {0x10FFFF, -1, GLYPH_BETWEEN}, {0, -1, GLYPH_BETWEEN},
        {0x1F600, -1, GLYPH_BETWEEN}, {0xE0020, -1, GLYPH_UNSEEN},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        int digit;
        assert_int_equal(glyph_kind(rows[i].point, &digit), rows[i].kind);
        assert_int_equal(digit, rows[i].digit);
    }
}

static size_t put_chance(char *text, char digit)
{
    static const char *const between[] = {"",
                                          "",
                                          " ",
                                          "\t",
                                          ".",
                                          "nd: ",
                                          "x",
                                          "  and  ",
                                          "\xE2\x80\x8B",
                                          "\xE3\x85\xA4",
                                          "<b>",
                                          "7",
                                          " 2. ",
                                          "\xEF\xB8\x8F\xE2\x83\xA3"};
    return (size_t)sprintf(text, "%c%s", digit, between[random_below(COUNT_OF(between))]);
}

/* With letters between, and a digit that is none of it. */
static void no_code_is_readable_however_it_is_dressed(void **state)
{
    for (int i = 0; i < 5000; i++) {
        char code[7] = "", text[200] = "said ";
        size_t len = strlen(text);
        for (int k = 0; k < 6; k++)
            code[k] = (char)('0' + random_below(10));
        for (const char *digit = code; *digit; digit++)
            len += put_chance(text + len, *digit);
        const char *kept = redact_codes(*state, text, str_of(code));
        size_t found = 0;
        for (const char *c = kept; *c; c++)
            found += *c == code[found];
        if (found == 6) fail_msg("'%s' as '%s'", text, kept);
    }
}

/* Whatever case, marks, width, style and script: one letter. */
static void letters_that_look_alike_are_one(void **state)
{
    static const char *const texts[] = {
        "ekaterina",
        "EKATERINA",
        "ＥＫaterina",
        "𝐄𝐊𝐀𝐓𝐄𝐑𝐈𝐍𝐀",
        "\u0415\u041A\u0410\u0422\u0415RIN\u0410",
        "\u0401kat\u00e9ri\u0301na",
        "\u200Be\u00ADk\u200Ba\u2060t\u0301erina",
    };
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct glyphs glyphs = glyphs_read(str_of(texts[i]), *state);
        size_t at = glyphs.at[0].kind == GLYPH_UNSEEN ? 1 : 0;
        assert_int_equal(glyphs.count - at, 9);
        for (const char *letter = texts[0]; *letter; letter++)
            assert_int_equal(glyphs.at[at++].folded, *letter);
        assert_int_equal(glyphs.at[at].offset, strlen(texts[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define ARENA_TEST(name) cmocka_unit_test_setup_teardown(name, arena_begin, arena_end)
        ARENA_TEST(what_looks_like_a_code_is_hidden),
        ARENA_TEST(what_helps_is_kept),
        ARENA_TEST(a_code_that_is_known_is_found_behind_words),
        cmocka_unit_test(each_character_is_of_one_kind),
        ARENA_TEST(letters_that_look_alike_are_one),
        ARENA_TEST(no_code_is_readable_however_it_is_dressed),
    };
    return cmocka_run_group_tests_name("redact", tests, NULL, NULL);
}
