/* The cache of good tokens: what it may answer, what goes when it is full, and many threads. */
#include "domain/token/token_cache.h"
#include "kit/base/clock.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { NOW = 1000000, EARLIER = NOW - 30000, LATER = NOW + 600000, REVISION = 7, WAYS = 8 };

static int begin(void **state)
{
    *state = token_cache_new();
    return 0;
}

static int end(void **state)
{
    token_cache_free(*state);
    return 0;
}

/* Claims that tell which token they are of. */
static struct token_claims claims_of(uint32_t number)
{
    return (struct token_claims){
        .scope_set = number, .good_from = EARLIER, .expires_at = LATER, .revision = REVISION};
}

/* Hashes of one number differ from those of another; all are of one bucket. */
static struct token_hash hash_of(uint32_t number)
{
    struct token_hash hash = {{0}};
    memcpy(hash.bytes + 2, &number, sizeof(number));
    return hash;
}

static void put(struct token_cache *cache, uint32_t number, int64_t now_ms)
{
    struct token_hash hash = hash_of(number);
    struct token_claims claims = claims_of(number);
    token_cache_put(cache, &hash, now_ms, &claims);
}

static bool has(struct token_cache *cache, uint32_t number, uint64_t revision, int64_t now_ms)
{
    struct token_hash hash = hash_of(number);
    struct token_claims claims;

    if (!token_cache_find(cache, &hash, revision, now_ms, &claims)) return false;
    assert_int_equal(claims.scope_set, number);
    return true;
}

static void a_token_is_found_until_it_expires(void **state)
{
    assert_false(has(*state, 1, REVISION, NOW));
    put(*state, 1, NOW);
    assert_true(has(*state, 1, REVISION, NOW));
    assert_false(has(*state, 2, REVISION, NOW));
    assert_true(has(*state, 1, REVISION, LATER - 1));
    assert_false(has(*state, 1, REVISION, LATER));
}

/* A clock that is set back may come before the token's nbf. */
static void a_token_is_not_found_before_it_is_good(void **state)
{
    put(*state, 1, NOW);
    assert_true(has(*state, 1, REVISION, EARLIER));
    assert_false(has(*state, 1, REVISION, EARLIER - 1));
    assert_true(has(*state, 1, REVISION, NOW));
}

static void a_token_is_found_under_its_keys_only(void **state)
{
    put(*state, 1, NOW);
    assert_false(has(*state, 1, REVISION + 1, NOW));
    assert_false(has(*state, 1, REVISION - 1, NOW));
    assert_false(has(*state, 1, 0, NOW));
    assert_true(has(*state, 1, REVISION, NOW));
}

/* An empty cache holds zeros, which are no token. */
static void no_token_is_nothing(void **state)
{
    assert_false(has(*state, 0, 0, NOW));
    assert_false(has(*state, 0, REVISION, NOW));
}

static void the_longest_unused_one_goes(void **state)
{
    for (uint32_t i = 0; i < WAYS; i++)
        put(*state, i, NOW + (int)i);
    assert_true(has(*state, 0, REVISION, NOW + 100)); /* used again */
    put(*state, 100, NOW + 200);
    assert_true(has(*state, 100, REVISION, NOW + 200));
    assert_true(has(*state, 0, REVISION, NOW + 200));
    assert_false(has(*state, 1, REVISION, NOW + 200));
    for (uint32_t i = 2; i < WAYS; i++)
        assert_true(has(*state, i, REVISION, NOW + 200));
}

static void a_dead_one_goes_first(void **state)
{
    struct token_hash hash = hash_of(50);
    struct token_claims claims = claims_of(50);

    for (uint32_t i = 1; i < WAYS; i++)
        put(*state, i, NOW);
    claims.expires_at = NOW + 10;
    token_cache_put(*state, &hash, NOW + 5, &claims);
    put(*state, 100, NOW + 10);
    for (uint32_t i = 1; i < WAYS; i++)
        assert_true(has(*state, i, REVISION, NOW + 10));

    claims.expires_at = LATER;
    claims.revision = REVISION - 1; /* of keys that are no more */
    token_cache_put(*state, &hash, NOW + 20, &claims);
    put(*state, 101, NOW + 20);
    assert_true(has(*state, 101, REVISION, NOW + 20));
    assert_false(has(*state, 50, REVISION - 1, NOW + 20));
}

static void a_token_has_one_place(void **state)
{
    for (int i = 0; i < 100; i++)
        put(*state, 1, NOW + i);
    for (uint32_t i = 2; i <= WAYS; i++)
        put(*state, i, NOW + 200);
    for (uint32_t i = 1; i <= WAYS; i++)
        assert_true(has(*state, i, REVISION, NOW + 200));
}

static void each_process_hashes_in_its_own_way(void **state)
{
    struct token_cache *other = token_cache_new();
    struct token_hash a, b, again;

    token_cache_hash(*state, STR("token"), &a);
    token_cache_hash(*state, STR("token"), &again);
    token_cache_hash(other, STR("token"), &b);
    assert_memory_equal(&a, &again, sizeof(a));
    assert_memory_not_equal(&a, &b, sizeof(a));
    token_cache_hash(*state, STR("tokem"), &b);
    assert_memory_not_equal(&a, &b, sizeof(a));
    token_cache_hash(*state, (struct str){0}, &b); /* no token at all */
    token_cache_free(other);
}

/* All that fits is kept, by and large: buckets are not filled alike. */
static void it_holds_what_it_promises(void **state)
{
    size_t kept = 0;

    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < TOKEN_CACHE_MAX / 2; i++) {
            struct token_hash hash;
            struct token_claims claims = claims_of((uint32_t)i);
            token_cache_hash(*state, (struct str){(const char *)&i, sizeof(i)}, &hash);
            if (round == 0) token_cache_put(*state, &hash, NOW + i, &claims);
            if (round == 1) kept += token_cache_find(*state, &hash, REVISION, NOW, &claims);
        }
    }
    assert_true(kept > (size_t)TOKEN_CACHE_MAX / 2 * 9 / 10);
}

/* --- Many threads ----------------------------------------------------------------------------- */

enum { THREADS = 4, ROUNDS = 20000 };

struct crowd {
    struct token_cache *cache;
    uint32_t seed;
    int wrong, found;
};

static void *mill(void *arg)
{
    struct crowd *crowd = arg;
    uint32_t random = crowd->seed;

    for (int i = 0; i < ROUNDS; i++) {
        random = random * 1664525U + 1013904223U;
        uint32_t number = random >> 16 & 1023;
        struct token_hash hash;
        struct token_claims claims;
        token_cache_hash(crowd->cache, (struct str){(const char *)&number, sizeof(number)}, &hash);
        if (token_cache_find(crowd->cache, &hash, REVISION, NOW, &claims)) {
            crowd->found++;
            crowd->wrong += claims.scope_set != number;
            continue;
        }
        claims = claims_of(number);
        token_cache_put(crowd->cache, &hash, NOW, &claims);
    }
    return NULL;
}

static void many_threads_get_what_is_theirs(void **state)
{
    struct crowd crowd[THREADS] = {0};
    pthread_t threads[THREADS];

    for (uint32_t i = 0; i < THREADS; i++) {
        crowd[i] = (struct crowd){.cache = *state, .seed = i};
        assert_int_equal(pthread_create(&threads[i], NULL, mill, &crowd[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(crowd[i].wrong, 0);
        assert_true(crowd[i].found > ROUNDS / 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_token_is_found_until_it_expires, begin, end),
        cmocka_unit_test_setup_teardown(a_token_is_not_found_before_it_is_good, begin, end),
        cmocka_unit_test_setup_teardown(a_token_is_found_under_its_keys_only, begin, end),
        cmocka_unit_test_setup_teardown(no_token_is_nothing, begin, end),
        cmocka_unit_test_setup_teardown(the_longest_unused_one_goes, begin, end),
        cmocka_unit_test_setup_teardown(a_dead_one_goes_first, begin, end),
        cmocka_unit_test_setup_teardown(a_token_has_one_place, begin, end),
        cmocka_unit_test_setup_teardown(each_process_hashes_in_its_own_way, begin, end),
        cmocka_unit_test_setup_teardown(it_holds_what_it_promises, begin, end),
        cmocka_unit_test_setup_teardown(many_threads_get_what_is_theirs, begin, end),
    };
    if (!secret_system_init()) return 1;
    return cmocka_run_group_tests_name("token_cache", tests, NULL, NULL);
}
