/* kit/base/mask: numbers are masked wherever they stand, and marked so that two of them differ. */
#include "kit/base/glyph.h"
#include "kit/base/macros.h"
#include "kit/base/mask.h"
#include "kit/base/secret.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* As herald makes them. */
#define SECRET "3q2-7wECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxw"

struct row {
    const char *text, *masked;
};

static const char *masked(struct str text, void (*mask)(struct str text, struct buf *out))
{
    static char kept[4][2000];
    static int next;
    char *copy = kept[next++ % 4];
    AUTO_BUF out = {0};

    buf_init(&out, MASK_GROWTH * text.len + MASK_LEN_MAX);
    mask(text, &out);
    assert_false(out.is_full);
    if (out.len > 0) memcpy(copy, out.data, out.len);
    copy[out.len] = '\0';
    return copy;
}

static void mask_all(struct str text, struct buf *out)
{
    mask_text(text, true, out);
}

static void mask_secrets(struct str text, struct buf *out)
{
    mask_text(text, false, out);
}

static void assert_rows(const struct row *rows, size_t count,
                        void (*mask)(struct str text, struct buf *out))
{
    for (size_t i = 0; i < count; i++)
        assert_string_equal(masked(str_of(rows[i].text), mask), rows[i].masked);
}

/* Without a key, as before the start has read it: no mark. */
static void a_number_shows_its_ends(void **state)
{
    static const struct row rows[] = {
        {"+79161234567", "+7916***4567"},
        {"+70000000000", "+7000***0000"},
        {"89161234567", "+7916***4567"},
        {"79161234567", "+7916***4567"},
        {"9161234567", "+7916***4567"},
        {"8 (916) 123-45-67", "+7916***4567"},
        {"+4915112345678", "+4915***5678"},
        {"+375291234567", "+3752***4567"},
        {"+6834000", "+68***00"},
        {"+29012345", "+290***45"},
        {"+998712345", "+998***345"},
        {"+123456789012345", "+1234***2345"},
        {"+1234567890123456", "***"}, /* no number has 16 digits */
        {"+683400", "***"},
        {"hidden", "***"},
        {"79161234567@c.us", "***"},
        {"+7916123456a", "***"},
        {"", "***"},
    };
    (void)state;
    assert_rows(rows, COUNT_OF(rows), mask_number);
}

static void numbers_are_found_in_texts(void **state)
{
    static const struct row rows[] = {
        {"phone of Anna +79161234567", "phone of Anna +7916***4567"},
        {"89161234567, 8-916-123-45-68;+375 29 123-45-67",
         "+7916***4567, +7916***4568;+3752***4567"},
        {"tel8 (916) 123.45.67x", "tel+7916***4567x"},
        {"8\xC2\xA0"
         "916\xE2\x80\x91"
         "123\xE2\x80\x89"
         "45 - 67",
         "+7916***4567"},
        {"８９１６１２３４５６７", "+7916***4567"},
        {"＋７（９１６）１２３４５６７", "+7916***4567"},
        {"٨٩١٦١٢٣٤٥٦٧ и ⑧⑨①⑥①②③④⑤⑥⑦", "+7916***4567 и +7916***4567"},
        {"req-79161234567-1", "req-+7916***4567-1"},
        {"req-79161234567.a", "req-+7916***4567.a"},
        {"89161234567 89161234568", "+7916***4567 +7916***4568"},
        {"8 916 123 45 67 8 916 123 45 68", "+7916***4567 +7916***4568"},
        {"375 29 123 45 67 375 29 123 45 68", "***"}, /* more than a number */
        {"8\xC3"
         "9161234567",
         "+7916***4567"}, /* no UTF-8 */
        {"8\x80"
         "916\xF0\x9F"
         "1234\xAA"
         "567\xE2\x80",
         "+7916***4567\xE2\x80"},
        {"+7 916 123 or +7 916 12", "+79***23 or +7 916 12"},
        {"00000000-0000-0000-0000-079161234567", "***"},
        {"", ""},
    };
    (void)state;
    assert_rows(rows, COUNT_OF(rows), mask_all);
}

static void what_is_no_number_stays(void **state)
{
    static const char *const texts[] = {
        "Shop 12, left drawer",
        "2026-11-21T04:33:00.123Z",
        "0192f0c1-7c2a-7d3e-8f00-791612345678",
        "after 0192F0C1-7C2A-4D3E-9F00-791612345678.",
        "order-42-01929071-7524-4d3e-9f00-3b2a1c0d9e8f",
        "no route to 192.168.100.200 port 443",
        "http://10.120.130.140:8080/a",
        "127.0.123.145:54321",
        "order 123456789 of 12:30:45 and 26 214 400 bytes",
        "from 2026-11-21T04:33:00.123456+03:00 to 2026-11-21 04:33:00.12-11:30",
        "catalog:2026-11-22T01:00:00+03:00",
        "http://203.0.113.250:8443/in",
        "OpenSSL 3.0.15 3 Sep 2024, SQLite 3.40.1",
        "+, + 1 and +123456",
        "+ + + and ++, +",
        "Магазин № 12",
        "\xF0\x9F\x98\x80\xF0\x9F\x98\x80",
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        assert_rows(&(struct row){texts[i], texts[i]}, 1, mask_all);
}

/* Whatever stands between that is no letter. */
static void what_stands_between_digits_hides_none(void **state)
{
    static const char *const between[] = {
        " ",
        "\t",
        "    ",
        "          ",
        "\xC2\xB7",
        "\xE2\x80\xA2",
        ",",
        ":",
        "*",
        "|",
        "\\",
        ";",
        "~",
        "'",
        "&",
        "[",
        "]",
        "{}",
        "<",
        ">",
        "\"",
        "?!",
        "#",
        "=",
        "@",
        "$%^`",
        "+",
        "\xCC\x81",
        "\xE2\xA0\x80",
        "\xE3\x85\xA4",
        "\xC2\xAD",
        "\xE2\x80\x8B",
        "\xE2\x81\xA0",
        "\xEF\xBB\xBF",
        "\xE1\xA0\x8E",
        "\r\n",
        "\x01\x7F",
        "\xC2\x85",
        "\xE2\x80\xA8",
        "\xEF\xBE\xA0",
        "\xD9\xAB",
        "\xE2\x83\xA3",
        "\xF3\xA0\x80\xA0", /* a tag that nobody sees */
        "\xF0\x9F\x93\x9E", /* a picture */
        "\xE2\x80\xAE",
        "\xEF\xB8\x8F\xE2\x83\xA3", /* of a keycap */
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(between); i++) {
        char text[400] = "of ";
        for (const char *digit = "89161234567"; *digit; digit++)
            snprintf(text + strlen(text), sizeof(text) - strlen(text), "%c%s", *digit,
                     digit[1] ? between[i] : "!");
        assert_rows(&(struct row){text, "of +7916***4567!"}, 1, mask_all);
    }
}

/* Beside a number digits are left that make none with its end. */
static void what_is_left_beside_a_number_is_none(void **state)
{
    static const struct row rows[] = {
        {"89161234567 (12345)", "+7916***4567 (12345)"},
        {"12345678901234 567890", "+1234***1234 ***"},
        {"12345678901234 567890 of 567890", "+1234***1234 *** of 567890"},
        {"1234567 7916 1234567", "***"},
        {"1234567916 1234567", "+7123***7916 ***"},
        {"8 12 345 678 91 61 234 567", "+7123***7891 ***"},
        {"8 916 123 +4567 123", "*** +45***23"},
        {"12 +79161234567", "12 +7916***4567"},
        {"\xE2\x81\xBA"
         "683 4000",
         "+68***00"},
        {"2026-11-21 04:33, 12", "+2026***3312"},
        {"10.120.130.140, 10.120.130.141", "***"},
        {"79 10.120.130.14", "+7910***3014"},
        {"2026-11-21T12:34:56.7891234567", "2026-11-21T***"},
        {"99999999-9999-4999-8999-979161234567", "***"}, /* chance makes no such UUID */
    };
    (void)state;
    assert_rows(rows, COUNT_OF(rows), mask_all);
}

static void four_numbers_that_are_no_address_are_a_number(void **state)
{
    static const struct row rows[] = {
        {"8.916.123.4567", "+7916***4567"},
        {"79.161.234.567", "+7916***4567"},
        {"192.168.100.200.1", "+1921***2001"},
        {"192.168.100.200 1", "+1921***2001"},
        {"79.161.231.212", "+7916***1212"},
        {"203.0.113.250:8443", "+2030***8443"},
        {"http://79.161.234.567/", "http://+7916***4567/"},
    };
    (void)state;
    assert_rows(rows, COUNT_OF(rows), mask_all);
}

/* --- Marks ------------------------------------------------------------------------------------ */

static void set_key(uint8_t first)
{
    uint8_t key[MASK_KEY_LEN] = {first};
    mask_set_key(key);
}

static void a_mark_tells_numbers_apart(void **state)
{
    (void)state;
    set_key(1);
    const char *one = masked(STR("+79161234567"), mask_number);
    assert_int_equal(strlen(one), MASK_LEN_MAX);
    assert_memory_equal(one, "+7916***4567 #", 14);
    assert_string_equal(masked(STR("+79161234567"), mask_number), one);
    assert_string_not_equal(masked(STR("+79169994567"), mask_number), one);
    assert_string_equal(masked(STR("8 (916) 123-45-67"), mask_all), one);
    assert_string_equal(masked(STR("８９１６１２３４５６７"), mask_all), one);
    assert_string_equal(masked(STR("79161234567@c.us"), mask_number) + 3, one + 12);
    assert_string_not_equal(masked(STR("hidden"), mask_number), masked(STR("other"), mask_number));
}

static void a_mark_is_useless_without_the_key(void **state)
{
    (void)state;
    set_key(1);
    const char *one = masked(STR("+79161234567"), mask_number);
    set_key(2);
    assert_string_not_equal(masked(STR("+79161234567"), mask_number), one);
}

static void a_text_with_nothing_to_hide_is_told_quickly(void **state)
{
    (void)state;
    assert_false(mask_may_hide(STR("channel_unavailable"), true));
    assert_false(mask_may_hide(STR("0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8f"), true));
    assert_false(
        mask_may_hide(STR("the account is not connected, says the phone that has it"), true));
    assert_false(mask_may_hide(STR("123456"), true));
    assert_true(mask_may_hide(STR("1234567"), true));
    assert_false(mask_may_hide(STR("1234567"), false));
    assert_true(mask_may_hide(STR("７８９"), true));
    assert_true(mask_may_hide(STR("a secret a_" SECRET), false));
}

/* --- Secrets ---------------------------------------------------------------------------------- */

static void secrets_are_hidden_with_and_without_numbers(void **state)
{
    static const struct row rows[] = {
        {"hs_" SECRET, "***"},
        {"hs_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "***"},
        {"shop of hd_" SECRET "!", "shop of ***!"},
        {"client_secret=hk_" SECRET "&x=1", "client_secret=***&x=1"},
        {"a-name-of-our-own-hs_" SECRET, "***"},
        {"eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCJ9." SECRET "." SECRET, "***.***.***"},
        {"1 2 5" SECRET, "1 2 ***"},
        {"4bf92f3577b34da6a3ce929d0e0e47364bf92f3577b34da6a3ce929d0e0e4736", "***"},
        {"the-key-of-the-tests-that-nobody-guesses", "***"},
        {"said: the-key-of-the-tests-that-nobody-guesses!", "said: ***!"},
        {"x-the-key-of-the-tests-that-nobody-guesses", "***"},
    };
    static const char *const others[] = {
        "4bf92f3577b34da6a3ce929d0e0e4736",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "Integration-of-Shop-12-in-Moscow-and-others",
        "RESULT_ERROR_GENERIC_FAILURE_AGAIN_AND_AGAIN_7",
        "the-key-of-the-tests-that-nobody-guesse",
        "https://erp.example.com/Company/Exchange/v1/Orders2",
        "0192F0C1-7C2A-4D3E-9F00-791612345678",
        "Order-42-01929071-7524-4d3e-9f00-3b2a1c0d9e8f",
        "hs_3q2-7wECAwQFBgcICQ",
    };
    (void)state;
    set_key(1);
    assert_true(mask_add_secret(STR("the-key-of-the-tests-that-nobody-guesses")));
    assert_true(mask_add_secret(STR("too-short")));
    assert_rows(rows, COUNT_OF(rows), mask_all);
    assert_rows(rows, COUNT_OF(rows), mask_secrets);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_true(mask_may_hide(str_of(rows[i].text), false));
    for (size_t i = 0; i < COUNT_OF(others); i++)
        assert_rows(&(struct row){others[i], others[i]}, 1, mask_secrets);
}

/* --- By chance -------------------------------------------------------------------------------- */

enum { CHANCES = 20000, MARK_LEN = sizeof(" #1234") - 1 };

/* A digit of any script, and what may stand behind one; most often nothing. */
static void put_dressed(struct buf *out, char digit)
{
    static const char *const between[] = {
        "",
        "",
        "",
        "",
        " ",
        "\t",
        "     ",
        ".",
        "-",
        ",",
        ":",
        "*",
        "|",
        "\\",
        ";",
        "~",
        "'",
        "&",
        "[",
        "}",
        "<",
        "/",
        "(",
        "_",
        "\"",
        "#",
        "\xC2\xB7",
        "\xCC\x81",
        "\xE2\xA0\x80",
        "\xE3\x85\xA4",
        "\xE2\x80\x8B",
        "\xC2\xAD",
        "\xEF\xB8\x8F\xE2\x83\xA3",
    };
    static const uint32_t zeros[] = {'0', '0', '0', 0xFF10, 0x660, 0x1D7D8};
    uint32_t point = zeros[random_below(COUNT_OF(zeros))] + (uint32_t)(digit - '0');
    char text[5] = {(char)point};

    if (point >= 0x10000)
        snprintf(text, sizeof(text), "%c%c%c%c", 0xF0 | point >> 18, 0x80 | (point >> 12 & 0x3F),
                 0x80 | (point >> 6 & 0x3F), 0x80 | (point & 0x3F));
    else if (point >= 0x800)
        snprintf(text, sizeof(text), "%c%c%c", 0xE0 | point >> 12, 0x80 | (point >> 6 & 0x3F),
                 0x80 | (point & 0x3F));
    else if (point >= 0x80)
        snprintf(text, sizeof(text), "%c%c", 0xC0 | point >> 6, 0x80 | (point & 0x3F));
    buf_text(out, text);
    buf_text(out, between[random_below(COUNT_OF(between))]);
}

/* The digits of a text, as who reads it sees them. Those of a mark are none: they come from a hash,
 * and may be by chance the ones that were hidden before it. */
static const char *digits_of(const char *text)
{
    static char digits[4000];
    size_t count = 0;

    for (struct str rest = str_of(text); rest.len > 0;) {
        int digit;
        if (rest.len >= MARK_LEN && memcmp(rest.data, " #", 2) == 0) {
            rest = (struct str){rest.data + MARK_LEN, rest.len - MARK_LEN};
            continue;
        }
        if (glyph_kind(utf8_take(&rest), &digit) == GLYPH_DIGIT)
            digits[count++] = (char)('0' + digit);
    }
    digits[count] = '\0';
    return digits;
}

/* Beside it may stand other digits, letters, and more of both. */
static void no_number_is_readable_however_it_is_dressed(void **state)
{
    static const char *const others[] = {"", "", "of ", "12 ", "123456 ", "x", "No. 7, ", "+"};
    (void)state;
    for (int i = 0; i < CHANCES; i++) {
        AUTO_BUF text = {0};
        char number[12] = "79";

        buf_init(&text, 1000);
        for (size_t k = 2; k < 11; k++)
            number[k] = (char)('0' + random_below(10));
        buf_text(&text, others[random_below(COUNT_OF(others))]);
        if (random_below(2)) number[0] = '8';
        for (const char *digit = number + random_below(2); *digit; digit++)
            put_dressed(&text, *digit);
        buf_text(&text, others[random_below(COUNT_OF(others))]);
        buf_char(&text, '\0');
        const char *shown = masked(str_of(text.data), mask_all);
        if (strstr(digits_of(shown), number + 1)) fail_msg("'%s' as '%s'", text.data, shown);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_shows_its_ends),
        cmocka_unit_test(numbers_are_found_in_texts),
        cmocka_unit_test(what_is_no_number_stays),
        cmocka_unit_test(what_stands_between_digits_hides_none),
        cmocka_unit_test(what_is_left_beside_a_number_is_none),
        cmocka_unit_test(four_numbers_that_are_no_address_are_a_number),
        cmocka_unit_test(a_mark_tells_numbers_apart),
        cmocka_unit_test(a_mark_is_useless_without_the_key),
        cmocka_unit_test(a_text_with_nothing_to_hide_is_told_quickly),
        cmocka_unit_test(secrets_are_hidden_with_and_without_numbers),
        cmocka_unit_test(no_number_is_readable_however_it_is_dressed),
    };
    return cmocka_run_group_tests_name("mask", tests, NULL, NULL);
}
