/* The keyring with the keys of an outside service, and under many threads. With keys of our own:
 * token_key_test. */
#include "domain/token/keyring.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { KEYS = 4 };

struct scene {
    struct arena arena;
    struct keyring *keyring;
    struct jose_key keys[KEYS];
};

static int begin(void **state)
{
    static struct scene scene;
    struct jose_signer signer;

    scene = (struct scene){.keyring = keyring_new()};
    arena_init(&scene.arena);
    for (int i = 0; i < KEYS; i++) {
        jose_signer_new(&signer);
        scene.keys[i] = signer.key;
    }
    *state = &scene;
    return 0;
}

static int end(void **state)
{
    struct scene *scene = *state;
    keyring_free(scene->keyring);
    arena_done(&scene->arena);
    return 0;
}

static void set_keys(struct scene *scene, int first, int count)
{
    struct record_list list = {scene->keys + first, (size_t)count};
    keyring_set_foreign(scene->keyring, &list);
}

static bool has(struct scene *scene, int key)
{
    struct jose_key found;
    if (!keyring_find(scene->keyring, scene->keys[key].kid, &found)) return false;
    assert_memory_equal(&found, &scene->keys[key], sizeof(found));
    return true;
}

static void a_new_one_is_empty(void **state)
{
    struct scene *scene = *state;

    assert_false(has(scene, 0));
    assert_string_equal(keyring_publish(scene->keyring, 0, &scene->arena), "{\"keys\":[]}");
    assert_null(keyring_sign(scene->keyring, STR("{}"), 0, &scene->arena));
    keyring_free(NULL);
}

static void keys_are_replaced_as_a_whole(void **state)
{
    struct scene *scene = *state;

    set_keys(scene, 0, 2);
    assert_true(has(scene, 0) && has(scene, 1) && !has(scene, 2));
    set_keys(scene, 1, 2);
    assert_true(!has(scene, 0) && has(scene, 1) && has(scene, 2));
    assert_null(keyring_sign(scene->keyring, STR("{}"), 0, &scene->arena));
}

static void a_key_without_a_kid_is_left_out(void **state)
{
    struct scene *scene = *state;
    struct jose_key found;

    scene->keys[0].kid[0] = '\0';
    set_keys(scene, 0, 2);
    assert_false(keyring_find(scene->keyring, "", &found));
    assert_true(has(scene, 1));
}

static void what_is_published_is_a_key_set(void **state)
{
    struct scene *scene = *state;
    struct record_list keys;

    set_keys(scene, 0, KEYS);
    const char *json = keyring_publish(scene->keyring, 0, &scene->arena);
    assert_int_equal(jose_set_read(str_of(json), &scene->arena, &keys), ERR_OK);
    assert_int_equal(keys.count, KEYS);
    assert_memory_equal(keys.items, scene->keys, sizeof(scene->keys));
}

/* The most that a set may hold, with the longest ids: each character takes six in JSON. */
static void the_largest_set_is_published(void **state)
{
    struct scene *scene = *state;
    struct jose_key *keys = arena_array(&scene->arena, JOSE_KEYS_MAX, sizeof(*keys));

    for (int i = 0; i < JOSE_KEYS_MAX; i++) {
        keys[i] = scene->keys[0];
        memset(keys[i].kid, 1, JOSE_KID_MAX);
        keys[i].kid[0] = (char)(i + 1);
    }
    keyring_set_foreign(scene->keyring, &(struct record_list){keys, JOSE_KEYS_MAX});
    const char *json = keyring_publish(scene->keyring, 0, &scene->arena);
    assert_true(strlen(json) > (size_t)JOSE_KEYS_MAX * 6 * (JOSE_KID_MAX - 1));
    assert_int_equal(json[strlen(json) - 1], '}');
}

static void the_revision_follows_the_keys(void **state)
{
    struct scene *scene = *state;
    uint64_t first = keyring_revision(scene->keyring);

    assert_true(first > 0);
    set_keys(scene, 0, 2);
    uint64_t second = keyring_revision(scene->keyring);
    assert_true(second > first);
    set_keys(scene, 0, 2);
    assert_int_equal(keyring_revision(scene->keyring), second);
    scene->keys[1].public_key[7] ^= 1;
    set_keys(scene, 0, 2);
    assert_true(keyring_revision(scene->keyring) > second);
}

/* --- Many threads ----------------------------------------------------------------------------- */

enum { READERS = 3, ROUNDS = 3000 };

struct crowd {
    struct scene *scene;
    atomic_bool is_over;
    atomic_int faults;
};

/* Key 0 is always there. */
static void *read_keys(void *arg)
{
    struct crowd *crowd = arg;
    struct arena arena;

    arena_init(&arena);
    while (!crowd->is_over) {
        struct jose_key key;
        const struct keyring *keyring = crowd->scene->keyring;
        uint64_t revision = keyring_revision(keyring);
        if (!keyring_find(keyring, crowd->scene->keys[0].kid, &key)) crowd->faults++;
        const char *json = keyring_publish(keyring, 0, &arena);
        if (!strstr(json, crowd->scene->keys[0].kid)) crowd->faults++;
        if (keyring_revision(keyring) < revision) crowd->faults++;
        arena_done(&arena);
    }
    return NULL;
}

static void readers_never_see_half_a_set(void **state)
{
    struct crowd crowd = {.scene = *state};
    pthread_t threads[READERS];

    set_keys(*state, 0, 1);
    for (int i = 0; i < READERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, read_keys, &crowd), 0);
    for (int i = 0; i < ROUNDS; i++)
        set_keys(*state, 0, 1 + i % KEYS);
    crowd.is_over = true;
    for (int i = 0; i < READERS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(crowd.faults, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(a_new_one_is_empty),
        TEST(keys_are_replaced_as_a_whole),
        TEST(a_key_without_a_kid_is_left_out),
        TEST(what_is_published_is_a_key_set),
        TEST(the_largest_set_is_published),
        TEST(the_revision_follows_the_keys),
        TEST(readers_never_see_half_a_set),
    };
    if (!secret_system_init()) return 1;
    return cmocka_run_group_tests_name("keyring", tests, NULL, NULL);
}
