/* core/phone: what is a phone number, by which prefixes, and how phones spell it. */
#include "core/phone.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void phone_numbers_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_valid;
        const char *normal; /* NULL: no number */
    } rows[] = {
        {"+79161234567", true, "+79161234567"},
        {"+70000000000", true, "+70000000000"},
        {"89161234567", false, "+79161234567"},
        {"79161234567", false, "+79161234567"},
        {"9161234567", false, NULL},
        {"+7916123456", false, NULL},
        {"+791612345678", false, NULL},
        {"8916123456", false, NULL},
        {"891612345678", false, NULL},
        {"+89161234567", false, NULL},
        {"+7916123456a", false, NULL},
        {"8916123456a", false, NULL},
        {"+7 916123456", false, NULL},
        {"69161234567", false, NULL},
        {"+380501234567", false, NULL},
        {"", false, NULL},
        {"+", false, NULL},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char phone[PHONE_MAX + 1];
        struct str text = str_of(rows[i].text);
        assert_int_equal(phone_is_valid(text), rows[i].is_valid);
        assert_int_equal(phone_normalize(text, phone), rows[i].normal != NULL);
        if (rows[i].normal) assert_string_equal(phone, rows[i].normal);
    }
}

/* A NUL inside is a digit that is missing, not an end. */
static void a_phone_number_with_a_nul_is_none(void **state)
{
    (void)state;
    char phone[PHONE_MAX + 1];
    assert_false(phone_is_valid((struct str){"+7916123456\0", 12}));
    assert_false(phone_normalize((struct str){"8916123456\0", 11}, phone));
}

static void numbers_are_those_of_the_prefixes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_valid, is_e164;
    } rows[] = {
        {"+79161234567", true, true},
        {"+375291234567", true, true},
        {"+3751234", true, true},
        {"+375123", false, false},
        {"+375123456789012", true, true},
        {"+3751234567890123", false, false},
        {"+4421", false, false},
        {"+442079460000", false, true},
        {"+99855", false, false},
        {"+9985512345", true, true},
        {"+9985412345", false, true},
        {"+7916123456", false, false},
        {"+791612345678", false, false},
        {"+0791612345", false, false},
        {"375291234567", false, false},
        {"+37529 1234567", false, false},
        {"+", false, false},
        {"", false, false},
    };
    char phone[PHONE_MAX + 1];
    phone_set_prefixes(STR("+7, +375,+99855"));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(phone_is_valid(str_of(rows[i].text)), rows[i].is_valid);
        assert_int_equal(phone_is_e164(str_of(rows[i].text)), rows[i].is_e164);
        assert_int_equal(phone_normalize(str_of(rows[i].text), phone), rows[i].is_valid);
    }
    assert_string_equal(phone_rule.pattern,
                        "^(\\+7[0-9]{10}|\\+375[0-9]{4,12}|\\+99855[0-9]{2,10})$");
    assert_true(phone_normalize(STR("89161234567"), phone));
    assert_string_equal(phone, "+79161234567");

    phone_set_prefixes(STR("+375"));
    assert_false(phone_normalize(STR("89161234567"), phone));
    assert_string_equal(phone_rule.pattern, "^\\+375[0-9]{4,12}$");
    phone_set_prefixes(STR("+7916"));
    assert_string_equal(phone_rule.pattern, "^\\+7916[0-9]{7}$");
    assert_true(phone_normalize(STR("89161234567"), phone));
    assert_false(phone_normalize(STR("89171234567"), phone));
    phone_set_prefixes(STR("+7"));
    assert_string_equal(phone_rule.pattern, "^\\+7[0-9]{10}$"); /* doc A's */
}

static void a_number_is_read_however_people_spell_it(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *number; /* NULL: it is none */
    } rows[] = {
        {"+79161234567", "+79161234567"},
        {"79161234567", "+79161234567"},
        {"89161234567", "+79161234567"},
        {"8 (916) 123-45-67", "+79161234567"},
        {" +7 916 123 45 67 ", "+79161234567"},
        {" 79161234567", "+79161234567"},
        {"+7.916.123.45.67", "+79161234567"},
        {"8\u00A0916\u2011123\u201345/67", "+79161234567"},
        {"(+7) 916 1234567", "+79161234567"},
        {"\u202A+7\u00A0916\u202F123\u201445\u221267\u202C", "+79161234567"},
        {"\uFEFF\u20668 916 123\u200B45\u200B67\u2069\t", "+79161234567"},
        {"8 916 123\u204545\u204667", NULL},
        {"0079161234567", "+79161234567"},
        {"+375 29 123-45-67", "+375291234567"},
        {"375291234567", "+375291234567"},
        {"00375291234567", "+375291234567"},
        {"+81312345678", "+81312345678"},
        {"+123456789012345", "+123456789012345"},
        {"123456789012345", "+123456789012345"},
        {"1234567890123456", NULL},
        {"+1234567890123456", NULL},
        {"9161234567", NULL},
        {"+7916123456", NULL},
        {"+791612345678", NULL},
        {"916123", NULL},
        {"", NULL},
        {" ", NULL},
        {"+", NULL},
        {"00", NULL},
        {"0", NULL},
        {"7+9161234567", NULL},
        {"++79161234567", NULL},
        {"+7916123456x", NULL},
        {"8(916)123-45-67-8(916)123-45-67-8(916)123-45-67-8(916)123-45-67", NULL},
        {"\u0667\u0669161234567", NULL},
    };
    char number[PHONE_MAX + 1];
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        bool is_read = phone_read(str_of(rows[i].text), number);
        assert_int_equal(is_read, rows[i].number != NULL);
        assert_int_equal(format_spelled_phone.is_valid(str_of(rows[i].text)), is_read);
        if (is_read) assert_string_equal(number, rows[i].number);
    }
}

static void a_list_of_prefixes_has_its_form(void **state)
{
    (void)state;
    static const struct {
        const char *list;
        bool is_one;
    } rows[] = {
        {"+7", true},
        {" +7 , +375", true},
        {"+1234567", true},
        {"+12345678", false},
        {"", false},
        {"7", false},
        {"+", false},
        {"+7,", false},
        {",+7", false},
        {"+0", false},
        {"+7a", false},
        {"+7 +375", false},
        {"+1,+2,+3,+4,+5,+6,+7,+8,+9,+10,+11,+12,+13,+14,+15,+16", true},
        {"+1,+2,+3,+4,+5,+6,+7,+8,+9,+10,+11,+12,+13,+14,+15,+16,+17", false},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_int_equal(phone_is_prefix_list(str_of(rows[i].list)), rows[i].is_one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(phone_numbers_are_read),
        cmocka_unit_test(numbers_are_those_of_the_prefixes),
        cmocka_unit_test(a_number_is_read_however_people_spell_it),
        cmocka_unit_test(a_list_of_prefixes_has_its_form),
        cmocka_unit_test(a_phone_number_with_a_nul_is_none),
    };
    return cmocka_run_group_tests_name("phone", tests, NULL, NULL);
}
