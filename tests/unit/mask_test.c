/* kit/base/mask: numbers are masked wherever they stand, and marked so that two of them differ. */
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

static struct arena arena;

static bool mask_a_number(struct str text, struct buf *out)
{
    mask_number(text, out);
    return true;
}

static const char *masked(const char *text, mask_fn mask)
{
    return mask_text(mask, text, &arena);
}

static void assert_rows(const struct row *rows, size_t count, mask_fn mask)
{
    for (size_t i = 0; i < count; i++)
        assert_string_equal(masked(rows[i].text, mask), rows[i].masked);
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
    assert_rows(rows, COUNT_OF(rows), mask_a_number);
}

static void an_id_is_a_number_or_stands_whole(void **state)
{
    static const struct row rows[] = {
        {"+79161234567", "+7916***4567"},
        {"8 (916) 123-45-67", "+7916***4567"},
        {"9161234567", "+7916***4567"},
        {"+6834000", "+68***00"},
        {"6834000", "6834000"},
        {"call-+79161234567-1", "call-+79161234567-1"},
        {"catalog:2026-11-22T01:00:00+03:00", "catalog:2026-11-22T01:00:00+03:00"},
        {"0192f0c1-7c2a-7d3e-8f00-791612345678", "0192f0c1-7c2a-7d3e-8f00-791612345678"},
        {"01920001-7002-7003-8004-791612345678", "01920001-7002-7003-8004-791612345678"},
        {"8９161234567", "8９161234567"},
        {"https://203.0.113.250:8443/in", "https://203.0.113.250:8443/in"},
        {"", ""},
    };
    (void)state;
    assert_rows(rows, COUNT_OF(rows), mask_id);
}

static void runs_of_digits_in_words_show_their_last_two(void **state)
{
    static const struct row rows[] = {
        {"phone of Anna +79161234567", "phone of Anna +***67"},
        {"89161234567, 8-916-123-45-68;+375 29 123-45-67", "***67, ***68;+***67"},
        {"tel8 (916) 123.45.67x", "tel***67x"},
        {"8 [916] 1234567 and 8(916)1234568", "***67 and ***68"},
        {"1234567", "***67"},
        {"123456", "123456"},
        {"123  4567", "123  4567"},
        {"123 - 4567", "123 - 4567"},
        {"123--4567", "123--4567"},
        {"123,4567", "123,4567"},
        {"123 456-", "123 456-"},
        {"Shop 12, left drawer", "Shop 12, left drawer"},
        {"８９１６１２３４５６７", "８９１６１２３４５６７"},
        {"Магазин № 12", "Магазин № 12"},
        {"\xF0\x9F\x98\x80 +79161234567", "\xF0\x9F\x98\x80 +***67"},
        {"", ""},
    };
    (void)state;
    assert_rows(rows, COUNT_OF(rows), mask_words);
    assert_null(mask_text(mask_words, NULL, &arena));
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
    const char *one = masked("+79161234567", mask_a_number);
    assert_int_equal(strlen(one), MASK_LEN_MAX);
    assert_memory_equal(one, "+7916***4567 #", 14);
    assert_string_equal(masked("+79161234567", mask_a_number), one);
    assert_string_not_equal(masked("+79169994567", mask_a_number), one);
    assert_string_equal(masked("8 (916) 123-45-67", mask_id), one);
    assert_string_equal(masked("79161234567@c.us", mask_a_number) + 3, one + 12);
    assert_string_not_equal(masked("hidden", mask_a_number), masked("other", mask_a_number));
}

static void a_mark_is_useless_without_the_key(void **state)
{
    (void)state;
    set_key(1);
    const char *one = masked("+79161234567", mask_a_number);
    set_key(2);
    assert_string_not_equal(masked("+79161234567", mask_a_number), one);
}

/* --- Secrets ---------------------------------------------------------------------------------- */

static void secrets_are_hidden_in_words_and_ids(void **state)
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
    assert_rows(rows, COUNT_OF(rows), mask_words);
    assert_rows(rows, COUNT_OF(rows), mask_id);
    assert_rows(rows, COUNT_OF(rows), mask_secrets);
    for (size_t i = 0; i < COUNT_OF(others); i++)
        assert_rows(&(struct row){others[i], others[i]}, 1, mask_secrets);
}

static int begin(void **state)
{
    (void)state;
    arena_init(&arena);
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena_done(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_shows_its_ends),
        cmocka_unit_test(an_id_is_a_number_or_stands_whole),
        cmocka_unit_test(runs_of_digits_in_words_show_their_last_two),
        cmocka_unit_test(a_mark_tells_numbers_apart),
        cmocka_unit_test(a_mark_is_useless_without_the_key),
        cmocka_unit_test(secrets_are_hidden_in_words_and_ids),
    };
    return cmocka_run_group_tests_name("mask", tests, begin, end);
}
