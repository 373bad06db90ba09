/* domain/webhook/webhook_rules: signatures of Standard Webhooks, the schedule of attempts, and what
 * is kept of answers (contract, section 13.3). */
#include "arena_fixture.h"
#include "domain/webhook/webhook_rules.h"
#include "kit/base/macros.h"
#include "kit/fetch/fetch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define HOUR_MS (INT64_C(3600) * 1000)

/* The example of the specification under a secret of 32 bytes, signed by Python's hmac. */
#define SECRET "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="

static void a_signature_is_that_of_the_standard(void **state)
{
    struct arena *arena = *state;
    const char *signature = webhook_sign(SECRET, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330,
                                         STR("{\"test\": 2432232314}"), arena);
    assert_non_null(signature);
    assert_string_equal(signature, "v1,455+aOk04wwxufzYeT7AdJGy67Jm9L1UV9h0WvJANVo=");
    assert_string_not_equal(signature,
                            webhook_sign(SECRET, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265331,
                                         STR("{\"test\": 2432232314}"), arena));
}

static void a_secret_is_new_and_signs(void **state)
{
    struct arena *arena = *state;
    const char *one = webhook_new_secret(arena), *other = webhook_new_secret(arena);
    assert_int_equal(strlen(one), strlen(WEBHOOK_SECRET_PREFIX) + 44);
    assert_string_not_equal(one, other);
    assert_non_null(webhook_sign(one, "id", 1, STR("{}"), arena));
    assert_null(webhook_sign(one + 1, "id", 1, STR("{}"), arena));
    assert_null(webhook_sign("whsec_AAAA", "id", 1, STR("{}"), arena));
}

static void attempts_are_further_and_further_apart(void **state)
{
    static const int64_t waits_ms[] = {
        5000,         300000,       1800000,      2 * HOUR_MS,  5 * HOUR_MS,
        10 * HOUR_MS, 14 * HOUR_MS, 20 * HOUR_MS, 24 * HOUR_MS, -1};
    (void)state;
    for (int i = 0; i < (int)COUNT_OF(waits_ms); i++) {
        assert_int_equal(webhook_wait_ms(i + 1, -1, 0), waits_ms[i]);
        if (waits_ms[i] < 0) continue;
        int64_t latest_ms = webhook_wait_ms(i + 1, -1, 999);
        assert_true(latest_ms > waits_ms[i] && latest_ms <= waits_ms[i] * 6 / 5);
    }
    assert_int_equal(webhook_wait_ms(1, 60000, 0), 60000);
    assert_int_equal(webhook_wait_ms(2, 60000, 0), 300000);
    assert_int_equal(webhook_wait_ms(1, 48 * HOUR_MS, 0), 24 * HOUR_MS);
    assert_int_equal(webhook_wait_ms(10, 60000, 0), -1);
}

static enum webhook_outcome of_status(int status)
{
    struct fetch fetch = {.end = FETCH_ANSWERED, .status = status};
    return webhook_read_outcome(&fetch);
}

static void an_answer_is_read(void **state)
{
    struct fetch unsent = {.end = FETCH_CANCELED}, lost = {.end = FETCH_UNKNOWN};
    (void)state;
    assert_int_equal(of_status(200), WEBHOOK_OK);
    assert_int_equal(of_status(299), WEBHOOK_OK);
    assert_int_equal(of_status(300), WEBHOOK_RETRY);
    assert_int_equal(of_status(199), WEBHOOK_RETRY);
    assert_int_equal(of_status(404), WEBHOOK_RETRY);
    assert_int_equal(of_status(410), WEBHOOK_GONE);
    assert_int_equal(of_status(503), WEBHOOK_RETRY);
    assert_int_equal(webhook_read_outcome(&unsent), WEBHOOK_UNSENT);
    assert_int_equal(webhook_read_outcome(&lost), WEBHOOK_RETRY);
}

static void of_an_answer_little_is_kept(void **state)
{
    struct arena *arena = *state;
    char long_body[WEBHOOK_ANSWER_MAX + 2];
    memset(long_body, '.', sizeof(long_body));
    struct str whole = {long_body, WEBHOOK_ANSWER_MAX}, longer = {long_body, sizeof(long_body)};
    assert_string_equal(webhook_show_answer(STR("ok\n\x1b[2J\xff"), arena), "ok  [2J ");
    assert_int_equal(strlen(webhook_show_answer(whole, arena)), WEBHOOK_ANSWER_MAX);
    assert_int_equal(strlen(webhook_show_answer(longer, arena)), WEBHOOK_ANSWER_MAX);
    assert_string_equal(webhook_show_answer(STR("call +79161234567 now"), arena),
                        "call +***67 now");
}

static void of_an_answer_no_secret_is_kept(void **state)
{
    struct arena *arena = *state;
    const char *secret = webhook_new_secret(arena), *bare = strchr(secret, '_') + 1;
    const char *dots = "................................................................"
                       "................................................................"
                       "................................................................";
    struct str texts[] = {
        str_of(arena_printf(arena, "wrong: %s", secret)),
        str_of(arena_printf(arena, "\"%s\"", bare)),
        str_of(arena_printf(arena, "%s%s", dots, secret)), /* which the end would cut */
    };

    for (size_t i = 0; i < COUNT_OF(texts); i++)
        assert_null(
            strstr(webhook_show_answer(texts[i], arena), arena_printf(arena, "%.6s", bare)));
    assert_string_equal(webhook_show_answer(texts[0], arena), "wrong: ***=");
    assert_string_equal(webhook_show_answer(STR("id 01a2194b-82b8-700c-8a79-6f02af524e98"), arena),
                        "id 01a2194b-82b8-700c-8a79-6f02af524e98");
    assert_string_equal(webhook_show_answer(STR(""), arena), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_signature_is_that_of_the_standard, arena_begin,
                                        arena_end),
        cmocka_unit_test_setup_teardown(a_secret_is_new_and_signs, arena_begin, arena_end),
        cmocka_unit_test(attempts_are_further_and_further_apart),
        cmocka_unit_test(an_answer_is_read),
        cmocka_unit_test_setup_teardown(of_an_answer_little_is_kept, arena_begin, arena_end),
        cmocka_unit_test_setup_teardown(of_an_answer_no_secret_is_kept, arena_begin, arena_end),
    };
    if (!secret_system_init()) return 1;
    return cmocka_run_group_tests_name("webhook_rules", tests, NULL, NULL);
}
