/* The life of signing keys: the first one, the next one, what is published, and how they are kept.
 * Damaged ones: token_damage_test. */
#include "app/setup/migrations.h"
#include "token_scene.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    CROWD = 8,
    LEAD_MS = KEY_LEAD_S * 1000,
    TAIL_MS = (TOKEN_LIFE_S + KEY_MARGIN_S) * 1000, /* published after it signed */
};

static int64_t count_keys(struct store *store)
{
    return store_number(store, "SELECT COUNT(*) AS n FROM signing_key");
}

static const struct signing_key *key_at(const struct signing_key_list *list, size_t index)
{
    assert_true(index < list->keys.count);
    return (const struct signing_key *)list->keys.items + index;
}

static const char *kid_of_token(struct scene *scene, const char *token)
{
    struct jose_token parsed;
    assert_ok(jose_parse(str_of(token), scene->world.arena, &parsed));
    return parsed.kid;
}

/* Returns which key signs, in a process that loaded its keys at this moment. */
static const char *signing_kid(struct scene *scene)
{
    struct keyring *keyring = scene->verifier.keyring;
    load_keys(scene, keyring, true);
    const char *token = keyring_sign(keyring, STR("{}"), scene->world.now_ms, scene->world.arena);
    assert_non_null(token);
    return kid_of_token(scene, token);
}

static size_t published_count(struct scene *scene)
{
    struct arena *arena = scene->world.arena;
    const char *json = keyring_publish(scene->verifier.keyring, scene->world.now_ms, arena);
    struct record_list keys;
    assert_ok(jose_set_read(str_of(json), arena, &keys));
    return keys.count;
}

/* --- One after the other ---------------------------------------------------------------------- */

static void there_is_a_first_key_which_signs_at_once(struct store *store)
{
    AUTO_SCENE scene;
    begin(&scene, store);

    assert_int_equal(list_keys(&scene).keys.count, 0);
    ensure_key(&scene);
    ensure_key(&scene);
    assert_int_equal(count_keys(store), 1);
    struct signing_key_list list = list_keys(&scene);
    const struct signing_key *key = key_at(&list, 0);
    assert_int_equal(key->state, KEY_SIGNING);
    assert_int_equal(key->created_at, WORLD_START_MS);
    assert_int_equal(key->signs_from, WORLD_START_MS);
    assert_int_equal(key->signs_until, 0);
    assert_string_equal(key->key.kid, key->kid);
    assert_string_equal(signing_kid(&scene), key->kid);
}

/* The clock of another process may be behind that of the one that made it. */
static void the_first_key_signs_also_where_the_clock_is_behind(struct store *store)
{
    AUTO_SCENE scene;
    begin(&scene, store);
    ensure_key(&scene);
    scene.world.now_ms -= 20 * SECOND_MS;
    struct signing_key_list list = list_keys(&scene);
    assert_string_equal(signing_kid(&scene), key_at(&list, 0)->kid);
}

static void the_next_key_is_published_before_it_signs(struct store *store)
{
    AUTO_SCENE scene;
    begin(&scene, store);
    ensure_key(&scene);
    const char *first = signing_kid(&scene);
    struct signing_key next = rotate_key(&scene);

    assert_string_not_equal(next.kid, first);
    assert_int_equal(next.state, KEY_NEXT);
    assert_int_equal(next.created_at, WORLD_START_MS);
    assert_int_equal(next.signs_from, WORLD_START_MS + LEAD_MS);
    assert_int_equal(next.signs_until, 0);
    assert_string_equal(signing_kid(&scene), first);
    assert_int_equal(published_count(&scene), 2);

    struct signing_key_list list = list_keys(&scene);
    assert_int_equal(list.keys.count, 2);
    assert_string_equal(key_at(&list, 0)->kid, first);
    assert_int_equal(key_at(&list, 0)->state, KEY_SIGNING);
    assert_int_equal(key_at(&list, 0)->signs_until, next.signs_from);
    assert_int_equal(key_at(&list, 1)->state, KEY_NEXT);

    scene.world.now_ms = next.signs_from - 1;
    assert_string_equal(signing_kid(&scene), first);
    scene.world.now_ms = next.signs_from;
    assert_string_equal(signing_kid(&scene), next.kid);
    list = list_keys(&scene);
    assert_int_equal(key_at(&list, 0)->state, KEY_RETIRED);
    assert_int_equal(key_at(&list, 1)->state, KEY_SIGNING);
}

/* Also in a process that does not load its keys again when the time has come. */
static void a_keyring_goes_over_to_the_next_key_by_itself(struct store *store)
{
    AUTO_SCENE scene;
    begin(&scene, store);
    ensure_key(&scene);
    struct signing_key next = rotate_key(&scene);
    struct keyring *keyring = scene.verifier.keyring;
    load_keys(&scene, keyring, true);

    const char *token = keyring_sign(keyring, STR("{}"), next.signs_from - 1, scene.world.arena);
    assert_string_not_equal(kid_of_token(&scene, token), next.kid);
    token = keyring_sign(keyring, STR("{}"), next.signs_from, scene.world.arena);
    assert_string_equal(kid_of_token(&scene, token), next.kid);
}

static void while_a_key_waits_it_is_the_answer(struct store *store)
{
    AUTO_SCENE scene;
    begin(&scene, store);
    ensure_key(&scene);
    struct signing_key next = rotate_key(&scene);
    scene.world.now_ms = next.signs_from - 1;
    struct signing_key again = rotate_key(&scene);
    assert_string_equal(again.kid, next.kid);
    assert_int_equal(again.state, KEY_NEXT);
    assert_int_equal(count_keys(store), 2);

    scene.world.now_ms = next.signs_from;
    struct signing_key third = rotate_key(&scene);
    assert_string_not_equal(third.kid, next.kid);
    assert_int_equal(third.signs_from, next.signs_from + LEAD_MS);
    assert_int_equal(count_keys(store), 3);
}

static void rotating_without_a_key_makes_the_first(struct store *store)
{
    AUTO_SCENE scene;
    begin(&scene, store);
    struct signing_key key = rotate_key(&scene);
    assert_int_equal(key.state, KEY_SIGNING);
    assert_int_equal(key.signs_from, WORLD_START_MS);
    assert_string_equal(signing_kid(&scene), key.kid);
}

static void a_key_is_published_until_its_last_token_expired(struct store *store)
{
    AUTO_SCENE scene;
    begin(&scene, store);
    ensure_key(&scene);
    const char *first = signing_kid(&scene);
    struct signing_key next = rotate_key(&scene);
    struct jose_key found;
    int64_t end = next.signs_from + TAIL_MS;

    scene.world.now_ms = end - 1;
    load_keys(&scene, scene.verifier.keyring, false);
    assert_true(keyring_find(scene.verifier.keyring, first, &found));
    assert_int_equal(published_count(&scene), 2);
    assert_int_equal(list_keys(&scene).keys.count, 2);

    scene.world.now_ms = end;
    assert_int_equal(published_count(&scene), 1); /* also before it is loaded again */
    assert_int_equal(list_keys(&scene).keys.count, 1);
    load_keys(&scene, scene.verifier.keyring, false);
    assert_false(keyring_find(scene.verifier.keyring, first, &found));
    assert_true(keyring_find(scene.verifier.keyring, next.kid, &found));
    assert_int_equal(published_count(&scene), 1);
}

static void old_keys_go_and_the_others_stay(struct store *store)
{
    AUTO_SCENE scene;
    begin(&scene, store);
    ensure_key(&scene);
    struct signing_key next = rotate_key(&scene);
    int64_t end = next.signs_from + TAIL_MS + KEY_KEPT_S * 1000;

    scene.world.now_ms = end - 1;
    assert_ok(world_run(&scene.world, run_sweep_keys, NULL));
    assert_int_equal(count_keys(store), 2);
    scene.world.now_ms = end;
    assert_ok(world_run(&scene.world, run_sweep_keys, NULL));
    assert_int_equal(count_keys(store), 1);
    assert_string_equal(signing_kid(&scene), next.kid);

    scene.world.now_ms += INT64_C(1000) * 24 * HOUR_MS; /* the last one signs for ever */
    assert_ok(world_run(&scene.world, run_sweep_keys, NULL));
    ensure_key(&scene);
    assert_int_equal(count_keys(store), 1);
    assert_string_equal(signing_kid(&scene), next.kid);
}

/* --- At one moment ---------------------------------------------------------------------------- */

static void call_ensure(struct world *world, int index, void *arg)
{
    atomic_int *failed = arg;
    (void)index;
    *failed += world_run(world, run_ensure_key, NULL) != ERR_OK;
}

static void many_processes_make_one_first_key(struct store *store)
{
    AUTO_SCENE scene;
    atomic_int failed = 0;
    begin(&scene, store);
    world_crowd(&scene.world, CROWD, call_ensure, &failed);
    assert_int_equal(failed, 0);
    assert_int_equal(count_keys(store), 1);
}

struct rotations {
    char kids[CROWD][JOSE_KID_MAX];
    atomic_int failed;
};

static void call_rotate(struct world *world, int index, void *arg)
{
    struct rotations *rotations = arg;
    struct signing_key key = {0};
    if (world_run(world, run_rotate_key, &key))
        rotations->failed++;
    else
        snprintf(rotations->kids[index], JOSE_KID_MAX, "%s", key.kid);
}

static void rotations_at_one_moment_make_one_key(struct store *store)
{
    AUTO_SCENE scene;
    struct rotations rotations = {0};
    begin(&scene, store);
    ensure_key(&scene);
    world_crowd(&scene.world, CROWD, call_rotate, &rotations);
    assert_int_equal(rotations.failed, 0);
    assert_int_equal(count_keys(store), 2);
    for (int i = 1; i < CROWD; i++)
        assert_string_equal(rotations.kids[i], rotations.kids[0]);
}

/* --- Loading ---------------------------------------------------------------------------------- */

static void without_seeds_nothing_is_signed(struct store *store)
{
    AUTO_SCENE scene;
    struct jose_key found;
    begin(&scene, store);
    ensure_key(&scene);
    load_keys(&scene, scene.verifier.keyring, false);
    assert_null(keyring_sign(scene.verifier.keyring, STR("{}"), WORLD_START_MS, &store->arena));
    assert_int_equal(published_count(&scene), 1);
    struct signing_key_list list = list_keys(&scene);
    assert_true(keyring_find(scene.verifier.keyring, key_at(&list, 0)->kid, &found));
}

/* A clock that steps back over the change of keys. */
static void the_old_key_is_at_hand_for_a_moment(struct store *store)
{
    AUTO_SCENE scene;
    begin(&scene, store);
    ensure_key(&scene);
    struct signing_key next = rotate_key(&scene);
    scene.world.now_ms = next.signs_from;
    assert_string_equal(signing_kid(&scene), next.kid);
    const char *token =
        keyring_sign(scene.verifier.keyring, STR("{}"), next.signs_from - 1, scene.world.arena);
    assert_non_null(token);
    assert_string_not_equal(kid_of_token(&scene, token), next.kid);
}

struct key_paging {
    struct page_query query;
    struct signing_key_list page;
};

static enum err run_page_keys(struct work *work, void *arg)
{
    struct key_paging *paging = arg;
    return token_page_keys(work, &paging->query, &paging->page);
}

static enum err page_keys(struct scene *scene, struct key_paging *paging)
{
    return world_read(&scene->world, run_page_keys, paging);
}

static void keys_are_listed_in_pages(struct store *store)
{
    AUTO_SCENE scene;
    begin(&scene, store);
    ensure_key(&scene);
    rotate_key(&scene);
    struct signing_key_list all = list_keys(&scene);
    assert_int_equal(all.keys.count, 2);

    struct key_paging paging = {.query.limit = 1};
    assert_ok(page_keys(&scene, &paging));
    assert_int_equal(paging.page.keys.count, 1);
    assert_string_equal(key_at(&paging.page, 0)->kid, key_at(&all, 0)->kid);
    assert_int_equal(key_at(&paging.page, 0)->signs_until, key_at(&all, 1)->signs_from);

    paging.query.cursor = paging.page.next_cursor;
    assert_non_null(paging.query.cursor);
    assert_ok(page_keys(&scene, &paging));
    assert_int_equal(paging.page.keys.count, 1);
    assert_string_equal(key_at(&paging.page, 0)->kid, key_at(&all, 1)->kid);
    assert_null(paging.page.next_cursor);

    paging = (struct key_paging){.query = {1, "99"}};
    assert_ok(page_keys(&scene, &paging));
    assert_int_equal(paging.page.keys.count, 0);
    assert_null(paging.page.next_cursor);
}

static void a_cursor_of_no_page_is_refused(struct store *store)
{
    static const char *const cursors[] = {"0", "-1", "x", "1x", "99999999999999999999"};
    AUTO_SCENE scene;
    begin(&scene, store);
    for (size_t i = 0; i < COUNT_OF(cursors); i++) {
        struct key_paging paging = {.query = {1, cursors[i]}};
        assert_err(page_keys(&scene, &paging), ERR_VALIDATION);
    }
}

static void loading_the_same_keys_changes_nothing(struct store *store)
{
    AUTO_SCENE scene;
    begin(&scene, store);
    ensure_key(&scene);
    load_keys(&scene, scene.verifier.keyring, true);
    uint64_t revision = keyring_revision(scene.verifier.keyring);
    scene.world.now_ms += HOUR_MS;
    load_keys(&scene, scene.verifier.keyring, true);
    assert_int_equal(keyring_revision(scene.verifier.keyring), revision);
    rotate_key(&scene);
    load_keys(&scene, scene.verifier.keyring, true);
    assert_true(keyring_revision(scene.verifier.keyring) > revision);
}

/* --- At rest ---------------------------------------------------------------------------------- */

static enum err run_open(struct work *work, void *arg)
{
    struct signing_key_list list;
    const char *fault;
    enum err err = token_list_keys(work, &list);
    return err ? err : token_key_open(work, list.keys.items, arg, &fault);
}

static bool holds(struct str text, const uint8_t *seed)
{
    return memmem(text.data, text.len, seed, JOSE_SEED_LEN / 2) ||
           memmem(text.data, text.len, seed + JOSE_SEED_LEN / 2, JOSE_SEED_LEN / 2);
}

static struct str read_file(struct arena *arena, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) return (struct str){0};
    enum { FILE_MAX = 8 * 1024 * 1024 };
    char *data = arena_alloc(arena, FILE_MAX);
    size_t len = fread(data, 1, FILE_MAX, file);
    fclose(file);
    return (struct str){data, len};
}

static void the_seed_is_sealed_in_the_database(struct store *store)
{
    AUTO_SCENE scene;
    struct jose_signer signer;
    begin(&scene, store);
    ensure_key(&scene);
    assert_ok(world_read(&scene.world, run_open, &signer));
    struct signing_key_list list = list_keys(&scene);
    struct str sealed = key_at(&list, 0)->sealed_seed;
    assert_int_equal(sealed.len, JOSE_SEED_LEN + VAULT_OVERHEAD);
    assert_false(holds(sealed, signer.seed));
    assert_memory_equal(signer.key.public_key, key_at(&list, 0)->key.public_key, JOSE_PUBLIC_LEN);
    if (store->engine != DB_SQLITE) return;

    struct str key = {(const char *)signer.key.public_key, JOSE_PUBLIC_LEN};
    bool has_public_key = false;
    static const char *const ends[] = {"", "-wal"};
    for (size_t i = 0; i < COUNT_OF(ends); i++) {
        const char *path = arena_printf(&store->arena, "%s/herald.db%s", store->folder, ends[i]);
        struct str bytes = read_file(&store->arena, path);
        assert_false(holds(bytes, signer.seed));
        has_public_key |= bytes.data && memmem(bytes.data, bytes.len, key.data, key.len);
    }
    assert_true(has_public_key); /* we looked in the right place */
}

/* --- Withdrawn keys --------------------------------------------------------------------------- */

static void withdraw(struct scene *scene, const char *kid)
{
    assert_ok(world_run(&scene->world, run_withdraw_key, (void *)kid));
}

static void a_withdrawn_key_is_followed_by_a_new_one_at_once(struct store *store)
{
    AUTO_SCENE scene;
    struct jose_key found;
    begin(&scene, store);
    ensure_key(&scene);
    const char *first = signing_kid(&scene);
    uint64_t revision = keyring_revision(scene.verifier.keyring);

    withdraw(&scene, first);
    const char *second = signing_kid(&scene);
    assert_string_not_equal(second, first);
    assert_false(keyring_find(scene.verifier.keyring, first, &found));
    assert_int_not_equal(keyring_revision(scene.verifier.keyring), revision);
    assert_int_equal(published_count(&scene), 1);
    assert_int_equal(world_run(&scene.world, run_withdraw_key, (void *)first), ERR_NOT_FOUND);
    assert_string_equal(signing_kid(&scene), second);
}

static void the_key_that_waits_takes_the_place_of_a_withdrawn_one(struct store *store)
{
    AUTO_SCENE scene;
    begin(&scene, store);
    ensure_key(&scene);
    const char *first = signing_kid(&scene);
    struct signing_key next = rotate_key(&scene);

    withdraw(&scene, first);
    assert_string_equal(signing_kid(&scene), next.kid);
    assert_int_equal(count_keys(store), 1);
}

static void withdrawing_another_key_leaves_the_signer(struct store *store)
{
    AUTO_SCENE scene;
    begin(&scene, store);
    ensure_key(&scene);
    const char *first = signing_kid(&scene);
    struct signing_key next = rotate_key(&scene);
    withdraw(&scene, next.kid); /* it waits */
    assert_string_equal(signing_kid(&scene), first);
    next = rotate_key(&scene);
    scene.world.now_ms = next.signs_from;
    withdraw(&scene, first); /* it is retired */
    assert_string_equal(signing_kid(&scene), next.kid);
    assert_int_equal(count_keys(store), 1);
}

/* The one before it, whose tokens are good still, does not sign again. */
static void a_retired_key_does_not_come_back(struct store *store)
{
    AUTO_SCENE scene;
    struct jose_key found;
    begin(&scene, store);
    ensure_key(&scene);
    const char *first = signing_kid(&scene);
    struct signing_key next = rotate_key(&scene);
    scene.world.now_ms = next.signs_from;

    withdraw(&scene, next.kid);
    const char *third = signing_kid(&scene);
    assert_string_not_equal(third, first);
    assert_string_not_equal(third, next.kid);
    assert_true(keyring_find(scene.verifier.keyring, first, &found));
    assert_int_equal(published_count(&scene), 2);
}

int main(void)
{
#define TEST(name)     \
    {                  \
#name, name, 0 \
    }
    static const struct store_case cases[] = {
        TEST(there_is_a_first_key_which_signs_at_once),
        TEST(the_first_key_signs_also_where_the_clock_is_behind),
        TEST(the_next_key_is_published_before_it_signs),
        TEST(a_keyring_goes_over_to_the_next_key_by_itself),
        TEST(while_a_key_waits_it_is_the_answer),
        TEST(rotating_without_a_key_makes_the_first),
        TEST(a_key_is_published_until_its_last_token_expired),
        TEST(old_keys_go_and_the_others_stay),
        TEST(many_processes_make_one_first_key),
        TEST(rotations_at_one_moment_make_one_key),
        TEST(without_seeds_nothing_is_signed),
        TEST(the_old_key_is_at_hand_for_a_moment),
        TEST(keys_are_listed_in_pages),
        TEST(a_cursor_of_no_page_is_refused),
        TEST(loading_the_same_keys_changes_nothing),
        TEST(the_seed_is_sealed_in_the_database),
        TEST(a_withdrawn_key_is_followed_by_a_new_one_at_once),
        TEST(the_key_that_waits_takes_the_place_of_a_withdrawn_one),
        TEST(withdrawing_another_key_leaves_the_signer),
        TEST(a_retired_key_does_not_come_back),
    };
    return store_run_cases("token_key", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
