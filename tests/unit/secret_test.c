/* kit/base/secret: secrets, the vault, random numbers and tokens. */
#include "clock_step.h"
#include "kit/base/clock.h"
#include "kit/base/macros.h"
#include "kit/base/secret.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define KEY       "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY" /* 0123...ef twice */
#define OTHER_KEY "MTEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY"

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

static struct vault_place row(const char *key)
{
    return (struct vault_place){"otp", "code", str_of(key)};
}

static struct str seal(const struct vault *vault, struct vault_place place, struct str plain,
                       struct arena *arena)
{
    struct str sealed;
    assert_int_equal(vault_seal(vault, place, plain, arena, &sealed), ERR_OK);
    return sealed;
}

static void what_was_sealed_opens_again(void **state)
{
    (void)state;
    static const struct str plains[] = {{"", 0}, {"4", 1}, {"493021", 6}, {"a\0b", 3}};
    struct vault *vault = vault_of(KEY);
    struct arena arena;
    arena_init(&arena);
    for (size_t i = 0; i < COUNT_OF(plains); i++) {
        struct str plain, sealed = seal(vault, row("1"), plains[i], &arena);
        assert_int_equal(sealed.len, plains[i].len + VAULT_OVERHEAD);
        assert_true(vault_has_prefix(vault, sealed));
        assert_int_equal(vault_open(vault, row("1"), sealed, &arena, &plain), ERR_OK);
        assert_int_equal(plain.len, plains[i].len);
        assert_memory_equal(plain.data, plains[i].data, plain.len);
        assert_int_equal(plain.data[plain.len], 0);
    }
    arena_done(&arena);
    vault_free(vault);
}

static void a_text_is_opened_in_the_arena(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "4", "493021", "Заказ готов"};
    struct vault *vault = vault_of(KEY);
    struct arena arena;
    arena_init(&arena);
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        const char *opened = NULL;
        struct str sealed = seal(vault, row("1"), str_of(texts[i]), &arena);
        assert_int_equal(vault_open_text(vault, row("2"), sealed, &arena, &opened), ERR_INTERNAL);
        assert_null(opened);
        assert_int_equal(vault_open_text(vault, row("1"), sealed, &arena, &opened), ERR_OK);
        assert_string_equal(opened, texts[i]);
    }
    arena_done(&arena);
    vault_free(vault);
}

static void one_text_is_sealed_differently_each_time(void **state)
{
    (void)state;
    struct vault *vault = vault_of(KEY);
    struct arena arena;
    arena_init(&arena);
    struct str first = seal(vault, row("1"), STR("493021"), &arena);
    struct str second = seal(vault, row("1"), STR("493021"), &arena);
    assert_memory_not_equal(first.data, second.data, first.len);
    assert_null(memmem(first.data, first.len, "493021", 6));
    arena_done(&arena);
    vault_free(vault);
}

static void assert_refused(const struct vault *vault, struct vault_place place, struct str sealed)
{
    struct arena arena;
    struct str plain = STR("untouched");
    arena_init(&arena);
    assert_int_equal(vault_open(vault, place, sealed, &arena, &plain), ERR_INTERNAL);
    assert_true(str_is(plain, "untouched"));
    arena_done(&arena);
}

static void a_sealed_text_opens_with_its_key_at_its_place_only(void **state)
{
    (void)state;
    static const struct vault_place places[] = {
        {"otp", "code", {"", 0}},         {"otp", "code", {"row", 3}},
        {"otp", "code", {"row 2", 5}},    {"otp", "code", {"row 1 ", 6}},
        {"otp", "codes", {"row 1", 5}},   {"order_body", "code", {"row 1", 5}},
        {"otp", "", {"code\0row 1", 10}}, {"ot", "pcode", {"row 1", 5}},
    };
    struct vault *vault = vault_of(KEY), *other = vault_of(OTHER_KEY);
    struct arena arena;
    arena_init(&arena);
    struct str sealed = seal(vault, row("row 1"), STR("493021"), &arena);
    for (size_t i = 0; i < COUNT_OF(places); i++)
        assert_refused(vault, places[i], sealed);
    assert_refused(other, row("row 1"), sealed);
    arena_done(&arena);
    vault_free(vault);
    vault_free(other);
}

static void a_sealed_text_that_was_changed_does_not_open(void **state)
{
    (void)state;
    struct vault *vault = vault_of(KEY);
    struct arena arena;
    arena_init(&arena);
    vault_set_forms(vault, (struct vault_forms){true, .takes_form_1 = true}, clock_monotonic_ms());
    struct str sealed = seal(vault, row("1"), STR("493021"), &arena);
    char *copy = arena_alloc(&arena, sealed.len + 1);
    memcpy(copy, sealed.data, sealed.len);
    for (size_t i = 0; i < sealed.len; i++) {
        copy[i] ^= 1;
        assert_refused(vault, row("1"), (struct str){copy, sealed.len});
        copy[i] ^= 1;
    }
    for (size_t len = 0; len < sealed.len; len++)
        assert_refused(vault, row("1"), (struct str){copy, len});
    assert_refused(vault, row("1"), (struct str){copy, sealed.len + 1});
    arena_done(&arena);
    vault_free(vault);
}

static void a_prefix_names_form_and_key(void **state)
{
    (void)state;
    struct vault *vault = vault_of(KEY), *same = vault_of(KEY), *other = vault_of(OTHER_KEY);
    struct str prefix = vault_prefix(vault);
    assert_int_equal(prefix.len, VAULT_PREFIX_LEN);
    assert_int_equal(prefix.data[0], 2);
    assert_true(vault_has_prefix(same, prefix));
    assert_false(vault_has_prefix(other, prefix));
    assert_false(vault_has_prefix(vault, (struct str){prefix.data, prefix.len - 1}));
    vault_free(vault);
    vault_free(same);
    vault_free(other);
}

/* "493021" as herald 0.5.0 sealed it under KEY for the row "row 1": without a prefix, and with the
 * row alone as what is authenticated. */
static const uint8_t OF_0_5_0[] = {
    0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f,
    0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0xda, 0x3d, 0x5e, 0xd6, 0x70, 0x8e, 0x24, 0x45,
    0x07, 0xb9, 0xd7, 0x01, 0x87, 0x7d, 0xc2, 0x81, 0x4f, 0xb1, 0xf6, 0x84, 0xc7, 0x45};

static void the_form_of_0_5_0_is_taken_while_it_is_asked_for(void **state)
{
    (void)state;
    struct vault *vault = vault_of(KEY);
    struct str old = {(const char *)OF_0_5_0, sizeof OF_0_5_0}, plain;
    struct arena arena;
    arena_init(&arena);
    assert_refused(vault, row("row 1"), old);
    vault_set_forms(vault, (struct vault_forms){true, .takes_form_1 = true}, clock_monotonic_ms());
    assert_int_equal(vault_open(vault, row("row 1"), old, &arena, &plain), ERR_OK);
    assert_true(str_is(plain, "493021"));
    assert_refused(vault, row("row 2"), old);
    vault_set_forms(vault, (struct vault_forms){true, .takes_form_1 = false}, clock_monotonic_ms());
    assert_refused(vault, row("row 1"), old);
    arena_done(&arena);
    vault_free(vault);
}

static void the_form_of_0_5_0_is_written_while_it_may_run_beside(void **state)
{
    (void)state;
    struct vault *vault = vault_of(KEY);
    struct arena arena;
    struct str plain;
    arena_init(&arena);
    vault_set_forms(vault, (struct vault_forms){false, .takes_form_1 = true}, clock_monotonic_ms());
    struct str old = seal(vault, row("row 1"), STR("493021"), &arena);
    assert_int_equal(old.len, sizeof OF_0_5_0);
    assert_int_equal(vault_open(vault, row("row 1"), old, &arena, &plain), ERR_OK);
    assert_int_equal(vault_open(vault, (struct vault_place){"message", "text", STR("row 1")}, old,
                                &arena, &plain),
                     ERR_OK); /* which the new form is for */
    vault_set_forms(vault, (struct vault_forms){true, .takes_form_1 = true}, clock_monotonic_ms());
    struct str new = seal(vault, row("row 1"), STR("493021"), &arena);
    assert_int_equal(vault_open(vault, row("row 1"), new, &arena, &plain), ERR_OK);
    assert_refused(vault, (struct vault_place){"message", "text", STR("row 1")}, new);
    arena_done(&arena);
    vault_free(vault);
}

/* Others may take the new form alone by then. */
static void the_form_of_0_5_0_is_written_for_15_s_after_a_look(void **state)
{
    (void)state;
    const struct vault_forms old = {.writes_form_2 = false, .takes_form_1 = true};
    struct vault *vault = vault_of(KEY);
    struct str sealed = STR("untouched");
    struct arena arena;
    arena_init(&arena);
    vault_set_forms(vault, old, clock_monotonic_ms());
    clock_ahead_ms += VAULT_FORMS_MS - 2000;
    seal(vault, row("1"), STR("493021"), &arena);
    clock_ahead_ms += 2000;
    assert_int_equal(vault_seal(vault, row("1"), STR("493021"), &arena, &sealed),
                     ERR_STORAGE_UNAVAILABLE);
    assert_true(str_is(sealed, "untouched"));
    vault_set_forms(vault, old, clock_monotonic_ms());
    seal(vault, row("1"), STR("493021"), &arena);
    vault_set_forms(vault, (struct vault_forms){.writes_form_2 = true, .takes_form_1 = true},
                    clock_monotonic_ms());
    clock_ahead_ms += 10 * VAULT_FORMS_MS;
    seal(vault, row("1"), STR("493021"), &arena);
    arena_done(&arena);
    vault_free(vault);
}

/* A process may stand still between its look and what it makes of it. */
static void a_look_counts_from_its_beginning(void **state)
{
    const struct vault_forms forms = {.writes_form_2 = false, .takes_form_1 = true};
    struct vault *vault = vault_of(KEY);
    struct str sealed;
    struct arena arena;
    (void)state;
    arena_init(&arena);
    int64_t read_at_ms = clock_monotonic_ms();
    clock_ahead_ms += VAULT_FORMS_MS;
    vault_set_forms(vault, forms, read_at_ms);
    assert_false(vault_is_fresh(vault));
    assert_int_equal(vault_seal(vault, row("1"), STR("493021"), &arena, &sealed),
                     ERR_STORAGE_UNAVAILABLE);
    vault_set_forms(vault, forms, clock_monotonic_ms());
    assert_true(vault_is_fresh(vault));
    arena_done(&arena);
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
        cmocka_unit_test(a_text_is_opened_in_the_arena),
        cmocka_unit_test(one_text_is_sealed_differently_each_time),
        cmocka_unit_test(a_sealed_text_opens_with_its_key_at_its_place_only),
        cmocka_unit_test(a_sealed_text_that_was_changed_does_not_open),
        cmocka_unit_test(a_prefix_names_form_and_key),
        cmocka_unit_test(the_form_of_0_5_0_is_taken_while_it_is_asked_for),
        cmocka_unit_test(the_form_of_0_5_0_is_written_while_it_may_run_beside),
        cmocka_unit_test(the_form_of_0_5_0_is_written_for_15_s_after_a_look),
        cmocka_unit_test(a_look_counts_from_its_beginning),
        cmocka_unit_test(fingerprints_hang_on_text_and_key),
    };
    if (!secret_system_init()) return 1;
    return cmocka_run_group_tests_name("secret", tests, NULL, NULL);
}
