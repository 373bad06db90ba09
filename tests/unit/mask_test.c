/* kit/base/mask: numbers are masked wherever they stand, and marked so that two of them differ. */
#include "kit/base/macros.h"
#include "kit/base/mask.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

struct row {
    const char *text, *masked;
};

static const char *masked(struct str text, void (*mask)(struct str text, struct buf *out))
{
    static char kept[4][400];
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
        {"+7 916 123, +7 916 12", "+79***23, +7 916 12"},
        {"00000000-0000-0000-0000-079161234567", "***"},
        {"", ""},
    };
    (void)state;
    assert_rows(rows, COUNT_OF(rows), mask_text);
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
        "order 123456789 of 12:30:45, 26 214 400 bytes",
        "+, + 1, +123456",
        "Магазин № 12",
        "\xF0\x9F\x98\x80\xF0\x9F\x98\x80",
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        assert_rows(&(struct row){texts[i], texts[i]}, 1, mask_text);
}

static void four_numbers_that_are_no_address_are_a_number(void **state)
{
    static const struct row rows[] = {
        {"8.916.123.4567", "+7916***4567"},
        {"79.161.234.567", "+7916***4567"},
        {"192.168.100.200.1", "+1921***2001"},
    };
    (void)state;
    assert_rows(rows, COUNT_OF(rows), mask_text);
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
    assert_string_equal(masked(STR("8 (916) 123-45-67"), mask_text), one);
    assert_string_equal(masked(STR("８９１６１２３４５６７"), mask_text), one);
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

static void a_text_without_numbers_is_told_quickly(void **state)
{
    (void)state;
    assert_false(mask_may_hold_number(STR("channel_unavailable")));
    assert_false(mask_may_hold_number(STR("0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8f")));
    assert_false(mask_may_hold_number(STR("123456")));
    assert_true(mask_may_hold_number(STR("1234567")));
    assert_true(mask_may_hold_number(STR("７８９")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_shows_its_ends),
        cmocka_unit_test(numbers_are_found_in_texts),
        cmocka_unit_test(what_is_no_number_stays),
        cmocka_unit_test(four_numbers_that_are_no_address_are_a_number),
        cmocka_unit_test(a_mark_tells_numbers_apart),
        cmocka_unit_test(a_mark_is_useless_without_the_key),
        cmocka_unit_test(a_text_without_numbers_is_told_quickly),
    };
    return cmocka_run_group_tests_name("mask", tests, NULL, NULL);
}
