/* The frozen body: byte for byte what ERPs are sent (doc B, section 2 "Order sent to the ERP";
 * contract, section 6), and how it is stored. */
#include "arena_fixture.h"
#include "domain/order/order_body.h"
#include "order_sample.h"

static const char *body_of(struct arena *arena, const char *text)
{
    struct order order;

    assert_string_equal(decode_order(arena, text, &order), "");
    return order_body_write(&order, arena);
}

/* The sample is in the order of the table, and has decimals in every shape. */
static void the_body_is_what_was_given(void **state)
{
    assert_string_equal(body_of(*state, SAMPLE_ORDER), SAMPLE_ORDER);
}

static void times_and_ids_have_one_form(void **state)
{
    const char *text =
        replaced(*state, SAMPLE_ORDER, SAMPLE_ID, "0192F0CC-3333-7D3E-8F00-3B2A1C0D9E8F");
    text = replaced(*state, text, "2026-11-21T04:32:58.000Z", "2026-11-21t07:32:58.0009+03:00");
    text = replaced(*state, text, "null", "\"2026-11-21T05:00:00Z\"");
    const char *expected = replaced(*state, SAMPLE_ORDER, "null", "\"2026-11-21T05:00:00.000Z\"");
    assert_string_equal(body_of(*state, text), expected);
}

static void key_order_and_blanks_do_not_matter(void **state)
{
    const char *text =
        replaced(*state, SAMPLE_ORDER, "\"subtotal\":\"580.00\",\"delivery_fee\":\"0\"",
                 "\n\"delivery_fee\" : \"0\" , \"subtotal\":\"\\u00358\\u0030.00\"");
    assert_string_equal(body_of(*state, text), SAMPLE_ORDER);
}

static void no_text_breaks_out(void **state)
{
    const char *text = replaced(*state, SAMPLE_ORDER, "Ring twice",
                                "a\\\"}\\r\\n\\u0001\x7F\xE2\x80\xA8\xD0\x96\\/");
    const char *expected =
        replaced(*state, SAMPLE_ORDER, "Ring twice", "a\\\"}\\r\\n\\u0001\\u007f\\u2028\xD0\x96/");
    assert_string_equal(body_of(*state, text), expected);
}

/* The order that grows most fits all the same. */
static void the_longest_order_has_a_body(void **state)
{
    const char *text = replaced(*state, SAMPLE_ORDER, "Ring twice", repeated(*state, "\x7F", 4000));
    const char *item = replaced(*state, SAMPLE_ITEM, "Cappuccino", repeated(*state, "\x7F", 500));
    item = replaced(*state, item, SAMPLE_MODIFIER, "");
    const char *more = repeated(*state, arena_printf(*state, "%s,", item), 1620);
    text = replaced(*state, text, SAMPLE_ITEM, arena_printf(*state, "%s%s", more, item));
    assert_in_range(strlen(text), 950000, ORDER_REQUEST_MAX);
    assert_in_range(strlen(body_of(*state, text)), 4800000, ORDER_BODY_MAX - 1);
}

/* --- Sealing ---------------------------------------------------------------------------------- */

#define VAULT_KEY "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY"
#define OTHER_KEY "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWU"

static void a_sealed_body_opens_for_its_order_only(void **state)
{
    struct vault *vault, *other;
    struct uuid id = {.bytes = {1}}, other_id = {.bytes = {2}};
    struct str sealed;
    const char *body;

    assert_int_equal(vault_new(STR(VAULT_KEY), &vault), ERR_OK);
    assert_int_equal(vault_new(STR(OTHER_KEY), &other), ERR_OK);
    struct vault_place place = sealed_at(SEALED_ORDER_BODY, uuid_view(&id));
    assert_int_equal(vault_seal(vault, place, str_of(SAMPLE_ORDER), *state, &sealed), ERR_OK);
    assert_null(memmem(sealed.data, sealed.len, "Karenina", strlen("Karenina")));
    assert_int_equal(order_body_open(vault, &id, sealed, *state, &body), ERR_OK);
    assert_string_equal(body, SAMPLE_ORDER);
    assert_int_equal(order_body_open(vault, &other_id, sealed, *state, &body), ERR_INTERNAL);
    assert_int_equal(order_body_open(other, &id, sealed, *state, &body), ERR_INTERNAL);
    vault_free(vault);
    vault_free(other);
}

static void a_fingerprint_tells_contents_apart(void **state)
{
    struct vault *vault, *other;
    uint8_t hash[SECRET_HASH_LEN], found[SECRET_HASH_LEN];

    assert_int_equal(vault_new(STR(VAULT_KEY), &vault), ERR_OK);
    assert_int_equal(vault_new(STR(OTHER_KEY), &other), ERR_OK);
    order_body_fingerprint(vault, SAMPLE_ORDER, NULL, *state, hash);
    order_body_fingerprint(vault, SAMPLE_ORDER, NULL, *state, found);
    assert_memory_equal(found, hash, sizeof(hash));
    order_body_fingerprint(vault, SAMPLE_ORDER " ", NULL, *state, found);
    assert_memory_not_equal(found, hash, sizeof(hash));
    order_body_fingerprint(other, SAMPLE_ORDER, NULL, *state, found);
    assert_memory_not_equal(found, hash, sizeof(hash));

    /* Without metadata it is that of the body alone, as versions before had it. */
    uint8_t plain[SECRET_HASH_LEN];
    vault_fingerprint(vault, STR(SAMPLE_ORDER), plain);
    assert_memory_equal(plain, hash, sizeof(hash));
    order_body_fingerprint(vault, SAMPLE_ORDER, "{\"a\":\"1\"}", *state, found);
    assert_memory_not_equal(found, hash, sizeof(hash));
    order_body_fingerprint(vault, SAMPLE_ORDER, "{\"a\":\"1\"}", *state, plain);
    assert_memory_equal(plain, found, sizeof(hash));
    order_body_fingerprint(vault, SAMPLE_ORDER, "{\"a\":\"2\"}", *state, plain);
    assert_memory_not_equal(plain, found, sizeof(hash));
    vault_free(vault);
    vault_free(other);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, arena_begin, arena_end)
        TEST(the_body_is_what_was_given),         TEST(times_and_ids_have_one_form),
        TEST(key_order_and_blanks_do_not_matter), TEST(no_text_breaks_out),
        TEST(the_longest_order_has_a_body),       TEST(a_sealed_body_opens_for_its_order_only),
        TEST(a_fingerprint_tells_contents_apart),
    };
    if (!secret_system_init()) return 1;
    return cmocka_run_group_tests_name("order_body", tests, NULL, NULL);
}
