/* domain/order on the wire: which orders are taken, with every limit at n and n + 1, and the frozen
 * body byte for byte (doc B, section 2 "Order sent to the ERP"; contract, section 6). */
#include "arena_fixture.h"
#include "kit/base/macros.h"
#include "order_sample.h"

/* --- Which orders are taken ------------------------------------------------------------------- */

static const char *faults_of(struct arena *arena, const char *text)
{
    struct order order;
    return decode_order(arena, text, &order);
}

static bool is_taken(struct arena *arena, const char *from, const char *to)
{
    return faults_of(arena, replaced(arena, SAMPLE_ORDER, from, to))[0] == '\0';
}

static void the_sample_is_taken(void **state)
{
    assert_string_equal(faults_of(*state, SAMPLE_ORDER), "");
    assert_true(is_taken(*state, "\"id\":\"" SAMPLE_ID "\",", ""));
    assert_true(is_taken(*state, "\"card_online\"", "null"));
    assert_true(is_taken(*state, "[" SAMPLE_MODIFIER "]", "[]"));
    assert_true(is_taken(*state, "null", "\"2026-11-21T12:00:00+03:00\""));
}

/* Everything but the id. */
static void what_is_missing_is_told_at_once(void **state)
{
    assert_string_equal(
        faults_of(*state, "{\"customer\":{},\"delivery\":{},\"items\":[{\"modifiers\":[{}]}]}"),
        "customer.name: Required.\n"
        "customer.phone: Required.\n"
        "delivery.address: Required.\n"
        "delivery.scheduled_for: Required.\n"
        "items[0].modifiers[0].id: Required.\n"
        "items[0].modifiers[0].group_id: Required.\n"
        "items[0].modifiers[0].name: Required.\n"
        "items[0].modifiers[0].quantity: Required.\n"
        "items[0].modifiers[0].unit_price: Required.\n"
        "items[0].modifiers[0].line_total: Required.\n"
        "items[0].product_id: Required.\n"
        "items[0].variant_id: Required.\n"
        "items[0].name: Required.\n"
        "items[0].quantity: Required.\n"
        "items[0].unit_price: Required.\n"
        "items[0].line_total: Required.\n"
        "number: Required.\n"
        "created_at: Required.\n"
        "point_id: Required.\n"
        "type: Required.\n"
        "status: Required.\n"
        "payment_method: Required.\n"
        "payment_status: Required.\n"
        "currency: Required.\n"
        "subtotal: Required.\n"
        "delivery_fee: Required.\n"
        "total: Required.\n"
        "comment: Required.\n");
}

static const struct {
    const char *from, *to;
} refused[] = {
    {"\"" SAMPLE_ID "\"", "\"x\""},
    {"\"" SAMPLE_POINT "\"", "null"},
    {"\"delivery\",\"status\"", "\"bundle\",\"status\""},
    {"\"card_online\"", "\"card\""},
    {"\"paid\"", "null"},
    {"\"paid\"", "\"Paid\""},
    {"\"confirmed\"", "\"\""},
    {"\"confirmed\"", "\"Confirmed\""},
    {"\"confirmed\"", "\"confirmed\\r\\n\""},
    {"\"RUB\"", "\"rub\""},
    {"\"RUB\"", "\"RU\""},
    {"\"RUB\"", "\"RUBL\""},
    {"\"A-1042\"", "\"\""},
    {"\"A-1042\"", "1042"},
    {"\"A-1042\"", "\"\\u0000\""},
    {"\"p-1\"", "\"\""},
    {"\"v-1\"", "null"},
    {"\"o-1\"", "\"\""},
    {"\"580.00\"", "580.00"},
    {"\"Anna Karenina\"", "null"},
    {"\"number\"", "\"nummer\":1,\"number\""},
    {"\"number\"", "\"number\":\"A-1042\",\"number\""},
    {"\"phone\"", "\"mail\":\"\",\"phone\""},
    {"\"variant_id\"", "\"bundle\":[],\"variant_id\""},
    {"[" SAMPLE_ITEM "]", "[]"},
    {"2026-11-21T04:32:58.000Z", "2026-11-21T04:32:58"},
    {"2026-11-21T04:32:58.000Z", "1970-01-01T00:00:00Z"},
    {"2026-11-21T04:32:58.000Z", "9999-12-31T23:59:59-00:01"},
    {"null", "\"9999-12-31T23:59:59-00:01\""},
    {"null", "\"0000-01-01T00:00:00+00:01\""},
    {"null", "\"1970-01-01T00:00:00Z\""},
    {"\"" SAMPLE_ID "\"", "\"00000000-0000-0000-0000-000000000000\""},
};

static void what_is_wrong_is_refused(void **state)
{
    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        if (is_taken(*state, refused[i].from, refused[i].to)) fail_msg("%s", refused[i].to);
    }
}

static void a_fault_says_where_it_is(void **state)
{
    const char *text = replaced(*state, SAMPLE_ORDER, "\"02\"", "\"0.0\"");
    text = replaced(*state, text, "2026-11-21T04:32:58.000Z", "1969-12-31T00:00:00Z");
    assert_string_equal(faults_of(*state, text),
                        "items[0].quantity: Must be a decimal above 0, such as \"1290.00\", with "
                        "at most 15 digits before the point and 6 after it.\n"
                        "created_at: Must be later than 1970-01-01T00:00:00Z.\n");
}

static const struct {
    const char *value;
    bool is_difference, is_money, is_quantity;
} decimals[] = {
    {"1", true, true, true},
    {"1290.00", true, true, true},
    {"0", true, true, false},
    {"0.000000", true, true, false},
    {"0.000001", true, true, true},
    {"007.10", true, true, true},
    {"-1", true, false, false},
    {"-0", true, false, false},
    {"123456789012345.123456", true, true, true},
    {"-123456789012345.123456", true, false, false},
    {"1234567890123456", false, false, false},
    {"1.1234567", false, false, false},
    {"", false, false, false},
    {"-", false, false, false},
    {".", false, false, false},
    {".5", false, false, false},
    {"5.", false, false, false},
    {"1.-5", false, false, false},
    {"+1", false, false, false},
    {"--1", false, false, false},
    {" 1", false, false, false},
    {"1 ", false, false, false},
    {"1,5", false, false, false},
    {"1e2", false, false, false},
    {"0x10", false, false, false},
    {"NaN", false, false, false},
    {"1.2.3", false, false, false},
    {"\\u0661", false, false, false},
    {"1\\n", false, false, false},
};

static void decimals_have_a_form_and_a_sign(void **state)
{
    /* The values of the sample, each of which stands there once. */
    static const char *const differences[] = {"\"-40.0\"", "\"-80\""};
    static const char *const money[] = {"\"580.00\"", "\"0\"", "\"679.000\"", "\"250.10\"",
                                        "\"500.20\""};
    static const char *const quantities[] = {"\"02\"", "\"2.000000\""};

    for (size_t i = 0; i < COUNT_OF(decimals); i++) {
        const char *value = arena_printf(*state, "\"%s\"", decimals[i].value);
        for (size_t at = 0; at < COUNT_OF(differences); at++)
            assert_int_equal(is_taken(*state, differences[at], value), decimals[i].is_difference);
        for (size_t at = 0; at < COUNT_OF(money); at++)
            assert_int_equal(is_taken(*state, money[at], value), decimals[i].is_money);
        for (size_t at = 0; at < COUNT_OF(quantities); at++)
            assert_int_equal(is_taken(*state, quantities[at], value), decimals[i].is_quantity);
    }
}

static const struct {
    const char *from;
    size_t max;
} texts[] = {
    {"A-1042", 128},     {"Anna Karenina", 500}, {"+79161234567", 64}, {"Tverskaya 17", 1000},
    {"p-1", 128},        {"v-1", 128},           {"o-1", 128},         {"g-1", 128},
    {"Cappuccino", 500}, {"Oat milk", 500},      {"Ring twice", 4000},
};

/* In characters, not in bytes. */
static void texts_have_limits(void **state)
{
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        assert_true(is_taken(*state, texts[i].from, repeated(*state, "\xD0\x96", texts[i].max)));
        assert_false(
            is_taken(*state, texts[i].from, repeated(*state, "\xD0\x96", texts[i].max + 1)));
    }
    assert_true(is_taken(*state, "confirmed", repeated(*state, "_", 32)));
    assert_false(is_taken(*state, "confirmed", repeated(*state, "a", 33)));
}

/* As many as may be, and one more, go into a request. */
static void the_shortest_items_reach_their_limit(void **state)
{
    const char *item =
        "{\"product_id\":\"p\",\"variant_id\":\"v\",\"name\":\"\",\"quantity\":\"1\","
        "\"unit_price\":\"1\",\"line_total\":\"1\",\"modifiers\":[]}";
    for (size_t over = 0; over <= 1; over++) {
        struct order order;
        const char *more =
            repeated(*state, arena_printf(*state, "%s,", item), ORDER_ITEMS_MAX - 1 + over);
        const char *text =
            replaced(*state, SAMPLE_ORDER, SAMPLE_ITEM, arena_printf(*state, "%s%s", more, item));
        assert_in_range(strlen(text), 800000, ORDER_REQUEST_MAX - 100);
        assert_int_equal(strlen(decode_order(*state, text, &order)) > 0, over);
    }
}

/* `count` copies of `item` in the place of the one there. */
static bool is_list_taken(struct arena *arena, const char *item, size_t count)
{
    const char *more = repeated(arena, arena_printf(arena, "%s,", item), count - 1);
    return is_taken(arena, item, arena_printf(arena, "%s%s", more, item));
}

static void lists_have_limits(void **state)
{
    assert_true(is_list_taken(*state, SAMPLE_ITEM, ORDER_ITEMS_MAX));
    assert_false(is_list_taken(*state, SAMPLE_ITEM, ORDER_ITEMS_MAX + 1));
    assert_true(is_list_taken(*state, SAMPLE_MODIFIER, ORDER_MODIFIERS_MAX));
    assert_false(is_list_taken(*state, SAMPLE_MODIFIER, ORDER_MODIFIERS_MAX + 1));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, arena_begin, arena_end)
        TEST(the_sample_is_taken),
        TEST(what_is_missing_is_told_at_once),
        TEST(what_is_wrong_is_refused),
        TEST(a_fault_says_where_it_is),
        TEST(decimals_have_a_form_and_a_sign),
        TEST(texts_have_limits),
        TEST(lists_have_limits),
        TEST(the_shortest_items_reach_their_limit),
    };
    return cmocka_run_group_tests_name("order_records", tests, NULL, NULL);
}
