/* kit/base/secret: secrets, the vault, random numbers and tokens. */
#include "kit/base/secret.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define KEY             "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY" /* 0123...ef twice */
#define OTHER_KEY       "MTEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY"

/* --- Secrets --- */

static void a_secret_equals_itself_only(void **state)
{
    (void)state;
    static const char *const guesses[] = {"",       "s",      "secre", "secret ",
                                          "Secret", "secres", "xecret"};
    struct secret secret;
    secret_init(&secret, STR("secret"));
    assert_true(secret_equals(&secret, STR("secret")));
    for (size_t i = 0; i < COUNT_OF(guesses); i++)
        assert_false(secret_equals(&secret, str_of(guesses[i])));
    assert_false(secret_equals(&secret, (struct str){"secret\0", 7}));
    secret_done(&secret);
}

static void a_secret_that_was_never_set_equals_nothing(void **state)
{
    (void)state;
    struct secret never = {0}, done;
    assert_false(secret_equals(&never, STR("")));
    assert_false(secret_equals(&never, (struct str){NULL, 0}));
    secret_init(&done, STR("secret"));
    secret_done(&done);
    assert_false(secret_equals(&done, STR("secret")));
    secret_done(&done);
    secret_done(&never);
}

static void texts_are_compared_in_content_and_length(void **state)
{
    (void)state;
    assert_true(secret_text_equals(STR("493021"), STR("493021")));
    assert_true(secret_text_equals(STR(""), STR("")));
    assert_false(secret_text_equals(STR("493021"), STR("493022")));
    assert_false(secret_text_equals(STR("493021"), STR("49302")));
    assert_false(secret_text_equals(STR("49302"), STR("493021")));
}

static void a_wiped_secret_is_zero(void **state)
{
    (void)state;
    char text[] = "secret";
    secret_wipe(text, sizeof text);
    for (size_t i = 0; i < sizeof text; i++)
        assert_int_equal(text[i], 0);
}

/* --- Tokens, hashes, random numbers --- */

static void a_token_is_its_prefix_and_43_characters(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    const char *last = "";
    for (int i = 0; i < 100; i++) {
        const char *token = secret_new_token(&arena, "hd_");
        assert_int_equal(strlen(token), 3 + SECRET_TOKEN_LEN);
        assert_memory_equal(token, "hd_", 3);
        assert_int_equal(strspn(token + 3, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                           "0123456789-_"),
                         SECRET_TOKEN_LEN);
        assert_string_not_equal(token, last);
        last = token;
    }
    arena_done(&arena);
}

static void a_hash_is_blake2b(void **state)
{
    (void)state;
    /* BLAKE2b-256 of "abc", from the reference implementation (b2sum -l 256). */
    static const uint8_t expected[SECRET_HASH_LEN] = {
        0xbd, 0xdd, 0x81, 0x3c, 0x63, 0x42, 0x39, 0x72, 0x31, 0x71, 0xef,
        0x3f, 0xee, 0x98, 0x57, 0x9b, 0x94, 0x96, 0x4e, 0x3b, 0xb1, 0xcb,
        0x3e, 0x42, 0x72, 0x62, 0xc8, 0xc0, 0x68, 0xd5, 0x23, 0x19};
    uint8_t hash[SECRET_HASH_LEN];
    secret_hash(STR("abc"), hash);
    assert_memory_equal(hash, expected, sizeof hash);
}

/* Bounds that divide no power of two: a bias by modulo would pass 3 standard deviations. */
static void random_numbers_fill_their_range_evenly(void **state)
{
    (void)state;
    enum { BOUND = 10, DRAWS = 100000 };
    int counts[BOUND] = {0};
    for (int i = 0; i < DRAWS; i++) {
        uint32_t number = random_below(BOUND);
        assert_true(number < BOUND);
        counts[number]++;
    }
    for (int i = 0; i < BOUND; i++)
        assert_in_range(counts[i], DRAWS / BOUND * 9 / 10, DRAWS / BOUND * 11 / 10);
    /* 2^32 mod 3 * 2^30 is 2^30: by modulo the lowest third would come twice as often. */
    int low = 0;
    for (int i = 0; i < DRAWS; i++)
        low += random_below(3U << 30) < 1U << 30;
    assert_in_range(low, DRAWS / 3 * 9 / 10, DRAWS / 3 * 11 / 10);
    assert_int_equal(random_below(1), 0);
}

/* --- Vault --- */

static struct vault *vault_of(const char *key)
{
    struct vault *vault = NULL;
    assert_int_equal(vault_new(str_of(key), &vault), ERR_OK);
    return vault;
}

static void keys_of_32_bytes_open_a_vault(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "short",
        "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZQ",   /* 31 bytes */
        "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWZn", /* 33 bytes */
        "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=", /* padded */
        "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWZ",  /* bits left over */
        "MDEyMzQ1Njc4OWFi+2RlZjAxMjM0NTY3ODlhYmNkZWY",  /* not of the URL alphabet */
        " MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY",
    };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        struct vault *vault = NULL;
        assert_int_equal(vault_new(str_of(bad[i]), &vault), ERR_VALIDATION);
        assert_null(vault);
    }
    vault_free(vault_of(KEY));
    vault_free(NULL);
}

static void what_was_sealed_opens_again(void **state)
{
    (void)state;
    static const struct str plains[] = {{"", 0}, {"4", 1}, {"493021", 6}, {"a\0b", 3}};
    struct vault *vault = vault_of(KEY);
    struct arena arena;
    arena_init(&arena);
    for (size_t i = 0; i < COUNT_OF(plains); i++) {
        AUTO_BUF sealed = {0};
        struct str plain;
        buf_init(&sealed, 200);
        vault_seal(vault, STR("row 1"), plains[i], &sealed);
        assert_int_equal(sealed.len, plains[i].len + VAULT_OVERHEAD);
        assert_int_equal(vault_open(vault, STR("row 1"), buf_view(&sealed), &arena, &plain),
                         ERR_OK);
        assert_int_equal(plain.len, plains[i].len);
        assert_memory_equal(plain.data, plains[i].data, plain.len + 1);
    }
    arena_done(&arena);
    vault_free(vault);
}

static void a_text_is_sealed_and_opened_in_the_arena(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "4", "493021", "Заказ готов"};
    struct vault *vault = vault_of(KEY);
    struct arena arena;
    arena_init(&arena);
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        const char *opened = NULL;
        struct str sealed = vault_seal_text(vault, STR("row 1"), texts[i], &arena);
        assert_int_equal(sealed.len, strlen(texts[i]) + VAULT_OVERHEAD);
        assert_int_equal(vault_open_text(vault, STR("row 2"), sealed, &arena, &opened),
                         ERR_INTERNAL);
        assert_null(opened);
        assert_int_equal(vault_open_text(vault, STR("row 1"), sealed, &arena, &opened), ERR_OK);
        assert_string_equal(opened, texts[i]);
    }
    arena_done(&arena);
    vault_free(vault);
}

static void one_text_is_sealed_differently_each_time(void **state)
{
    (void)state;
    struct vault *vault = vault_of(KEY);
    AUTO_BUF first = {0};
    AUTO_BUF second = {0};
    buf_init(&first, 200);
    buf_init(&second, 200);
    vault_seal(vault, STR("row 1"), STR("493021"), &first);
    vault_seal(vault, STR("row 1"), STR("493021"), &second);
    assert_memory_not_equal(first.data, second.data, first.len);
    assert_null(memmem(first.data, first.len, "493021", 6));
    vault_free(vault);
}

static void a_sealed_text_fits_or_is_left_out(void **state)
{
    (void)state;
    struct vault *vault = vault_of(KEY);
    AUTO_BUF room = {0};
    buf_init(&room, 6 + VAULT_OVERHEAD - 1);
    vault_seal(vault, STR("row 1"), STR("493021"), &room);
    assert_true(room.is_full);
    assert_int_equal(room.len, 0);
    vault_free(vault);
}

static void assert_refused(const struct vault *vault, struct str context, struct str sealed)
{
    struct arena arena;
    struct str plain = STR("untouched");
    arena_init(&arena);
    assert_int_equal(vault_open(vault, context, sealed, &arena, &plain), ERR_INTERNAL);
    assert_true(str_is(plain, "untouched"));
    arena_done(&arena);
}

static void a_sealed_text_opens_with_its_key_and_context_only(void **state)
{
    (void)state;
    static const char *const contexts[] = {"", "row", "row 2", "row 1 "};
    struct vault *vault = vault_of(KEY), *other = vault_of(OTHER_KEY);
    AUTO_BUF sealed = {0};
    buf_init(&sealed, 200);
    vault_seal(vault, STR("row 1"), STR("493021"), &sealed);
    for (size_t i = 0; i < COUNT_OF(contexts); i++)
        assert_refused(vault, str_of(contexts[i]), buf_view(&sealed));
    assert_refused(other, STR("row 1"), buf_view(&sealed));
    vault_free(vault);
    vault_free(other);
}

static void a_sealed_text_that_was_changed_does_not_open(void **state)
{
    (void)state;
    struct vault *vault = vault_of(KEY);
    AUTO_BUF sealed = {0};
    buf_init(&sealed, 200);
    vault_seal(vault, STR("row 1"), STR("493021"), &sealed);
    for (size_t i = 0; i < sealed.len; i++) {
        sealed.data[i] ^= 1;
        assert_refused(vault, STR("row 1"), buf_view(&sealed));
        sealed.data[i] ^= 1;
    }
    for (size_t len = 0; len < sealed.len; len++)
        assert_refused(vault, STR("row 1"), (struct str){sealed.data, len});
    buf_char(&sealed, 'x');
    assert_refused(vault, STR("row 1"), buf_view(&sealed));
    vault_free(vault);
}

static void fingerprints_hang_on_text_and_key(void **state)
{
    (void)state;
    struct vault *vault = vault_of(KEY), *same = vault_of(KEY), *other = vault_of(OTHER_KEY);
    uint8_t a[SECRET_HASH_LEN], b[SECRET_HASH_LEN];
    vault_fingerprint(vault, STR("body"), a);
    vault_fingerprint(same, STR("body"), b);
    assert_memory_equal(a, b, sizeof a);
    vault_fingerprint(vault, STR("bodx"), b);
    assert_memory_not_equal(a, b, sizeof a);
    vault_fingerprint(other, STR("body"), b);
    assert_memory_not_equal(a, b, sizeof a);
    secret_hash(STR("body"), b);
    assert_memory_not_equal(a, b, sizeof a);
    vault_free(vault);
    vault_free(same);
    vault_free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_secret_equals_itself_only),
        cmocka_unit_test(a_secret_that_was_never_set_equals_nothing),
        cmocka_unit_test(texts_are_compared_in_content_and_length),
        cmocka_unit_test(a_wiped_secret_is_zero),
        cmocka_unit_test(a_token_is_its_prefix_and_43_characters),
        cmocka_unit_test(a_hash_is_blake2b),
        cmocka_unit_test(random_numbers_fill_their_range_evenly),
        cmocka_unit_test(keys_of_32_bytes_open_a_vault),
        cmocka_unit_test(what_was_sealed_opens_again),
        cmocka_unit_test(a_text_is_sealed_and_opened_in_the_arena),
        cmocka_unit_test(one_text_is_sealed_differently_each_time),
        cmocka_unit_test(a_sealed_text_fits_or_is_left_out),
        cmocka_unit_test(a_sealed_text_opens_with_its_key_and_context_only),
        cmocka_unit_test(a_sealed_text_that_was_changed_does_not_open),
        cmocka_unit_test(fingerprints_hang_on_text_and_key),
    };
    if (!secret_system_init()) return 1;
    return cmocka_run_group_tests_name("secret", tests, NULL, NULL);
}
