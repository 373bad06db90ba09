/* What is kept of an ERP's own words: nothing of what the order says of a person. */
#include "arena_fixture.h"
#include "domain/order/order_redact.h"
#include "kit/base/macros.h"
#include "order_sample.h"

#define TOKEN   "s3cr3t-T0ken"
#define ESCAPED "a text with escapes, which is not kept"

static void assert_text(const char *found, const char *expected)
{
    if (!expected) assert_null(found);
    if (!expected) return;
    assert_non_null(found);
    assert_string_equal(found, expected);
}

static const struct {
    const char *said, *kept;
} words[] = {
    {"Unknown product p-1", "Unknown product p-1"},
    {"No customer Anna Karenina", "No customer *** ***"},
    {"KARENINA,anna", "***,***"},
    {"Kareninas", "***"},
    {"Hannah", "***"},
    {"Ann", "Ann"},
    {"phone +79161234567 is bad", "phone +*** is bad"},
    {"phone 8 (916) 123-45-67 is bad", "phone *** is bad"},
    {"tel:89161234567", "tel:***"},
    {"order 7654321 of 2026-11-21", "order 7654321 of 2026-11-21"},
    {"No courier to Tverskaya, 17", "No courier to ***, ***"},
    {"What is 'ring twice'?", "What is '*** ***'?"},
    {"Wrong token: Bearer " TOKEN ".", "Wrong token: Bearer ***."},
    {"a\x01\tb\x7F\xC2\x85"
     "c\xE2\x80\xA9",
     "a  b  c"},
    /* Other separators of its groups; more in front, or less. */
    {"phone 8/916/123/45/67", "phone ***"},
    {"phone 8\xC2\xA0"
     "916\xC2\xA0"
     "123\xC2\xA0"
     "45\xC2\xA0"
     "67",
     "phone ***"},
    {"phone 916 123\xE2\x80\x91"
     "45\xE2\x80\x91"
     "67!",
     "phone ***!"},
    {"tel123-45-67 or 123456", "*** or ***"},
    {"x9161234567x", "***"},
    {"12345 or 4567", "12345 or 4567"},
    {"phone ８９１６１２３４５６７", "phone ***"},
    {"phone ８-９１６-１２３-４５-６７ or ٩١٦١٢٣", "phone *** or ***"},
    /* Spaced out, or in full width. */
    {"K a r e n i n a", "***"},
    {"No A-n-n-a, no Ka re ni na!", "No ***, no ***!"},
    {"Is it A. N. N. A. who", "Is it ***. who"},
    {"Ｋａｒｅｎｉｎａ, ａｎｎａ", "***, ***"},
    {"Ｋ　ａ　ｒ　ｅ　ｎ　ｉ　ｎ　ａ", "***"},
    {"a b c is no one of us", "a b c is no one of us"},
    {"No Kare  nina, no Ann (a)!", "No ***, no ***)!"},
    {"17 and 1 7, 117 and 1      7", "*** and ***, 117 and 1      7"},
    /* With what nobody sees within, or marks. */
    {"No Kare\xE2\x80\x8Bnina, An\xC2\xADna, A\xE2\x81\xA0nna", "No ***, ***, ***"},
    {"No An\xCC\x81na, \xC3\x80nn\xC3\xA5!", "No ***, ***!"},
    {"phone 8\xE2\x80\x8B"
     "916\xE3\x85\xA4"
     "123\xC2\xAD"
     "4567",
     "phone ***"},
    {"phone 8          9          1          6          1          2          3", "phone ***"},
    /* In letters of other scripts and styles. */
    {"No \u041A\u0430renina, \u0391nn\u03B1!", "No ***, ***!"},
    {"No \U0001D400\U0001D427\U0001D427\U0001D41A, \u24D0\u24DD\u24DD\u24D0", "No ***, ***"},
    /* The token in other spellings, and a part of it. */
    {"Wrong token: S3CR3T-T0KEN!", "Wrong token: ***!"},
    {"Wrong token: s3cr 3tT0 ken, s-3-c-r-3-t-T-0-k-e-n", "Wrong token: ***, ***"},
    {"Wrong token: s3c\xE2\x80\x8Br3t_T0ken", "Wrong token: ***"},
    {"It begins with s3cr3t-T0, not with s3cr3t", "It begins with ***, not with s3cr3t"},
    /* What may stand for a letter, however often it is to be read. */
    {"{\"name\": \"\\u0410\\u043d\\u043d\\u0430\"}", ESCAPED},
    {"\\\\u0410", ESCAPED},
    {"name=%D0%90%D0%BD%D0%BD%D0%B0", ESCAPED},
    {"=D0=90=D0=BD", ESCAPED},
    {"&#1040;&#1085;", ESCAPED},
    {"\\320\\220", ESCAPED},
    {"s3cr3t-T0ken is \\/", ESCAPED},
    {"\\\xE2\x80\x8Bu0410", ESCAPED},
    {"10 % of 5 %, a=b, A&B, C:\\base", "10 % of 5 %, a=b, A&B, C:\\base"},
    {"100%", "100%"},
    {"\\", "\\"},
    {"  ", NULL},
    {"***", "***"},
};

static void what_is_personal_is_masked(void **state)
{
    struct order order;

    assert_string_equal(decode_order(*state, SAMPLE_ORDER, &order), "");
    for (size_t i = 0; i < COUNT_OF(words); i++)
        assert_text(order_redact(&order, STR(TOKEN), str_of(words[i].said), *state), words[i].kept);
}

static void russian_is_masked_in_either_case(void **state)
{
    struct order order;
    const char *text = replaced(*state, SAMPLE_ORDER, "Anna Karenina", "Фёдор Иванов");

    text = replaced(*state, text, "Tverskaya 17", "«Тверская», д. 1");
    assert_string_equal(decode_order(*state, text, &order), "");
    assert_text(order_redact(&order, STR(""), STR("Нет клиента: ИВАНОВУ ФЁДОР—тверская"), *state),
                "Нет клиента: *** ***—***");
    assert_text(order_redact(&order, STR(""), STR("Нет: Федор, ФЕДОР"), *state), "Нет: ***, ***");
}

static void letters_of_any_alphabet_have_two_cases(void **state)
{
    struct order order;
    const char *text = replaced(*state, SAMPLE_ORDER, "Anna Karenina", "Ірина Әлем ÉLISE Łódź");

    assert_string_equal(decode_order(*state, text, &order), "");
    assert_text(order_redact(&order, STR(""), STR("ІРИНА әлем élise ŁÓDŹ"), *state),
                "*** *** *** ***");
}

/* An ERP may write a Russian name with Latin letters that look alike, and lose accents. */
static void letters_of_another_script_hide_no_name(void **state)
{
    struct order order;
    const char *text = replaced(*state, SAMPLE_ORDER, "Anna Karenina", "Фёдор Михайлов Высоцкий");

    assert_string_equal(decode_order(*state, text, &order), "");
    assert_text(
        order_redact(&order, STR(""), STR("Нет: Фeдop, MИXAЙЛOB, Bыcoцкий, Михайлова"), *state),
        "Нет: ***, ***, ***, ***");
    assert_text(order_redact(&order, STR(""), STR("Нет: МИХАИЛОВ, Федо\xCC\x88р, ВЫСОЦКИИ\xCC\x86"),
                             *state),
                "Нет: ***, ***, ***");
}

/* The last digits are not the number's, or there are few. */
static void a_phone_is_found_by_some_digits(void **state)
{
    static const struct {
        const char *phone, *said, *kept;
    } phones[] = {
        {"+7 (916) 123-45-67 доб. 12", "phone +79161234567", "phone +***"},
        {"+7 (916) 123-45-67 доб. 12", "8-916-123-45-67 ext 12", "*** ext 12"},
        {"12-34-56", "123456, 12 34 56, 812 12.34.56", "***"},
        {"12-34-56", "123465", "123465"},
        {"12-34", "no 1234 here, 12-34", "no *** here, ***"},
        {"112", "call 112", "call 112"},
        {"", "call 112", "call 112"},
    };
    for (size_t i = 0; i < COUNT_OF(phones); i++) {
        struct order order;
        const char *text = replaced(*state, SAMPLE_ORDER, "+79161234567", phones[i].phone);
        assert_string_equal(decode_order(*state, text, &order), "");
        assert_text(order_redact(&order, STR(""), str_of(phones[i].said), *state), phones[i].kept);
    }
}

static void an_order_without_texts_masks_nothing(void **state)
{
    struct order order;
    const char *text = replaced(*state, SAMPLE_ORDER, "Anna Karenina", "");

    text = replaced(*state, text, "+79161234567", "12");
    text = replaced(*state, text, "Tverskaya 17", "");
    text = replaced(*state, text, "Ring twice", "");
    assert_string_equal(decode_order(*state, text, &order), "");
    assert_text(order_redact(&order, STR("abc"), STR("abc 12 +79161234567"), *state),
                "abc 12 +79161234567");
}

/* Whole words, up to 200 characters. */
static void words_are_cut(void **state)
{
    struct order order;
    const char *long_word = repeated(*state, "\xD0\x96", 200);

    assert_string_equal(decode_order(*state, SAMPLE_ORDER, &order), "");
    const char *said = arena_printf(*state, "%s and more", long_word);
    assert_text(order_redact(&order, STR(""), str_of(said), *state), long_word);
    said = arena_printf(*state, "No: %s", repeated(*state, "x", 60000));
    assert_text(order_redact(&order, STR(""), str_of(said), *state), "No:");
    said = repeated(*state, "Anna ", 13000);
    assert_int_equal(strlen(order_redact(&order, STR(""), str_of(said), *state)), 199);
}

static void a_text_is_cleaned(void **state)
{
    assert_text(order_clean(STR("a\tb\xE2\x80\xA8"
                                "c"),
                            9, *state),
                "a b c");
    assert_text(order_clean(STR("\xD0\x96\xD0\x96\xD0\x96"), 2, *state), "\xD0\x96\xD0\x96");
    assert_text(order_clean(STR(""), 2, *state), "");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, arena_begin, arena_end)
        TEST(what_is_personal_is_masked),
        TEST(russian_is_masked_in_either_case),
        TEST(letters_of_any_alphabet_have_two_cases),
        TEST(letters_of_another_script_hide_no_name),
        TEST(a_phone_is_found_by_some_digits),
        TEST(an_order_without_texts_masks_nothing),
        TEST(words_are_cut),
        TEST(a_text_is_cleaned),
    };
    return cmocka_run_group_tests_name("order_redact", tests, NULL, NULL);
}
