/* Passwords are hashed with the cost that the contract names, section 18.2. */
#include "kit/base/password.h"
#include "kit/base/secret.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define COST "$argon2id$v=19$m=65536,t=2,p=1$"

static void a_hash_matches_its_password_alone(void **state)
{
    char hash[PASSWORD_HASH_LEN], other[PASSWORD_HASH_LEN];
    (void)state;

    assert_true(password_hash(STR("пароль из слов"), hash));
    assert_true(password_hash(STR("пароль из слов"), other));
    assert_string_not_equal(hash, other); /* each has a salt */
    assert_memory_equal(hash, COST, strlen(COST));
    assert_true(password_matches(hash, STR("пароль из слов")));
    assert_false(password_matches(hash, STR("пароль из слов ")));
    assert_false(password_matches(hash, STR("")));
    assert_false(password_matches("no hash", STR("пароль из слов")));
}

/* An operator who is not there costs as much as anybody. */
static void nobody_has_a_hash_of_the_same_cost(void **state)
{
    (void)state;
    assert_memory_equal(password_of_nobody, COST, strlen(COST));
    assert_true(strlen(password_of_nobody) < PASSWORD_HASH_LEN);
    assert_false(password_matches(password_of_nobody, STR("")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hash_matches_its_password_alone),
        cmocka_unit_test(nobody_has_a_hash_of_the_same_cost),
    };
    if (!secret_system_init()) return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
