/* Signing keys whose rows are damaged: they keep no other out, nobody signs in their place, each is
 * told of once, and a rotation gets over them. */
#include "app/setup/migrations.h"
#include "token_scene.h"

#include <stdatomic.h>

enum { LEAD_MS = KEY_LEAD_S * 1000 };

struct damage {
    const char *sql; /* $1 is the kid */
    const char *kid;
};

#define DAMAGE_SEED   "UPDATE signing_key SET sealed_seed = public_key WHERE kid = $1"
#define DAMAGE_PUBLIC "UPDATE signing_key SET public_key = sealed_seed WHERE kid = $1"
/* The seed of the other key, of which there are two. */
#define SWAP_SEED                                                                           \
    "UPDATE signing_key SET sealed_seed = (SELECT other.sealed_seed FROM signing_key other" \
    " WHERE other.kid <> $1) WHERE kid = $1"

static enum err run_damage(struct work *work, void *arg)
{
    const struct damage *damage = arg;
    return db_exec(work->tx, damage->sql, DB_ARGS(db_text(damage->kid)), NULL);
}

static void damage(struct scene *scene, const char *sql, const char *kid)
{
    assert_ok(world_run(&scene->world, run_damage, &(struct damage){sql, kid}));
}

struct repair {
    const char *kid;
    struct str seed;
};

static enum err run_repair(struct work *work, void *arg)
{
    const struct repair *repair = arg;
    return db_exec(work->tx, "UPDATE signing_key SET sealed_seed = $1 WHERE kid = $2",
                   DB_ARGS(db_blob(repair->seed), db_text(repair->kid)), NULL);
}

static struct signing_key first_key(struct scene *scene)
{
    struct signing_key_list list = list_keys(scene);
    assert_true(list.keys.count > 0);
    return *(const struct signing_key *)list.keys.items;
}

static void load(struct scene *scene)
{
    load_keys(scene, scene->verifier.keyring, true);
}

/* Returns which key signs; NULL: none. */
static const char *signing_kid(struct scene *scene)
{
    struct arena *arena = scene->world.arena;
    struct jose_token parsed;
    const char *token =
        keyring_sign(scene->verifier.keyring, STR("{}"), scene->world.now_ms, arena);
    bool has_signer = keyring_has_signer(scene->verifier.keyring, scene->world.now_ms);
    assert_int_equal(has_signer, token != NULL);
    if (!token) return NULL;
    assert_ok(jose_parse(str_of(token), arena, &parsed));
    return parsed.kid;
}

static bool is_published(struct scene *scene, const char *kid)
{
    struct keyring *keyring = scene->verifier.keyring;
    struct jose_key found;
    const char *json = keyring_publish(keyring, scene->world.now_ms, scene->world.arena);
    bool is_it = strstr(json, kid) != NULL;
    assert_int_equal(keyring_find(keyring, kid, &found), is_it);
    return is_it;
}

static void check_news(struct scene *scene, const char *kid, bool is_fault)
{
    struct keyring_news news;
    assert_true(keyring_next_news(scene->verifier.keyring, &news));
    assert_string_equal(news.kid, kid);
    assert_int_equal(news.fault != NULL, is_fault);
}

static void check_no_news(struct scene *scene)
{
    struct keyring_news news;
    assert_false(keyring_next_news(scene->verifier.keyring, &news));
}

/* --- What is kept, and what is told ----------------------------------------------------------- */

static void check_others_are_kept(struct store *store, const char *damage_sql, bool stays_public)
{
    AUTO_SCENE scene;
    begin(&scene, store);
    ensure_key(&scene);
    const char *first = first_key(&scene).kid;
    const char *next = rotate_key(&scene).kid;
    load(&scene);
    check_no_news(&scene);
    damage(&scene, damage_sql, next);
    load(&scene);
    assert_string_equal(signing_kid(&scene), first);
    assert_true(is_published(&scene, first));
    assert_int_equal(is_published(&scene, next), stays_public);
    check_news(&scene, next, true);
    assert_int_equal(list_keys(&scene).keys.count, 2);
}

static void a_damaged_seed_keeps_no_other_out(struct store *store)
{
    check_others_are_kept(store, DAMAGE_SEED, true);
}

static void the_seed_of_another_keeps_no_other_out(struct store *store)
{
    check_others_are_kept(store, SWAP_SEED, true);
}

static void a_damaged_public_key_keeps_no_other_out(struct store *store)
{
    check_others_are_kept(store, DAMAGE_PUBLIC, false);
}

static void a_fault_is_told_once_and_so_is_its_end(struct store *store)
{
    AUTO_SCENE scene;
    begin(&scene, store);
    ensure_key(&scene);
    load(&scene);
    struct signing_key key = first_key(&scene);

    damage(&scene, DAMAGE_SEED, key.kid);
    for (int i = 0; i < 3; i++) {
        load(&scene);
        if (i == 0) check_news(&scene, key.kid, true);
        check_no_news(&scene);
        assert_null(signing_kid(&scene));
    }
    assert_ok(world_run(&scene.world, run_repair, &(struct repair){key.kid, key.sealed_seed}));
    for (int i = 0; i < 3; i++) {
        load(&scene);
        if (i == 0) check_news(&scene, key.kid, false);
        check_no_news(&scene);
        assert_string_equal(signing_kid(&scene), key.kid);
    }
}

/* It is not looked at any more, which is no news. */
static void a_damaged_key_that_retires_stays_as_it_is(struct store *store)
{
    AUTO_SCENE scene;
    begin(&scene, store);
    ensure_key(&scene);
    const char *first = first_key(&scene).kid;
    struct signing_key next = rotate_key(&scene);
    damage(&scene, DAMAGE_SEED, first);
    load(&scene);
    check_news(&scene, first, true);
    scene.world.now_ms = next.signs_from + KEY_MARGIN_S * SECOND_MS;
    load(&scene);
    check_no_news(&scene);
    assert_string_equal(signing_kid(&scene), next.kid);
    assert_true(is_published(&scene, first));
}

/* A process that only verifies needs no seeds, and does not look at them. */
static void without_seeds_a_damaged_one_is_no_fault(struct store *store)
{
    AUTO_SCENE scene;
    begin(&scene, store);
    ensure_key(&scene);
    const char *kid = first_key(&scene).kid;
    damage(&scene, DAMAGE_SEED, kid);
    load_keys(&scene, scene.verifier.keyring, false);
    check_no_news(&scene);
    assert_true(is_published(&scene, kid));
}

static void a_seed_is_bound_to_its_key(struct store *store)
{
    AUTO_SCENE scene;
    begin(&scene, store);
    ensure_key(&scene);
    const char *kid = first_key(&scene).kid;
    damage(&scene, "UPDATE signing_key SET kid = 'other' WHERE kid = $1", kid);
    load(&scene);
    check_news(&scene, "other", true);
    assert_null(signing_kid(&scene));
    assert_false(is_published(&scene, "other"));
}

static void a_seed_needs_the_secret_key(struct store *store)
{
    AUTO_SCENE scene;
    begin(&scene, store);
    ensure_key(&scene);
    struct vault *other;
    assert_ok(vault_new(STR("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"), &other));
    scene.world.service.vault = other;
    load(&scene);
    assert_null(signing_kid(&scene));
    check_news(&scene, first_key(&scene).kid, true);
    vault_free(other);
}

/* --- Nobody signs in its place ---------------------------------------------------------------- */

static void at_its_time_no_other_signs(struct store *store)
{
    AUTO_SCENE scene;
    struct token_answer answer;
    begin_open(&scene, store);
    struct token_request request = request_of(&scene, 0);
    struct signing_key next = rotate_key(&scene);
    damage(&scene, DAMAGE_SEED, next.kid);
    load(&scene);
    scene.world.now_ms = next.signs_from - 1;
    assert_ok(issue(&scene, &request, &answer));
    scene.world.now_ms = next.signs_from;
    assert_err(issue(&scene, &request, &answer), ERR_SIGNING_KEY_UNAVAILABLE);
    load(&scene);
    assert_err(issue(&scene, &request, &answer), ERR_SIGNING_KEY_UNAVAILABLE);
}

static void a_silent_keyring_signs_nothing_until_it_may(struct store *store)
{
    AUTO_SCENE scene;
    struct token_answer answer;
    begin_open(&scene, store);
    struct token_request request = request_of(&scene, 0);
    keyring_set_silent(scene.verifier.keyring, true);
    assert_err(issue(&scene, &request, &answer), ERR_SIGNING_KEY_UNAVAILABLE);
    keyring_set_silent(scene.verifier.keyring, false);
    assert_ok(issue(&scene, &request, &answer));
}

/* --- A rotation gets over it ------------------------------------------------------------------ */

static void a_damaged_key_that_waits_is_replaced(struct store *store)
{
    AUTO_SCENE scene;
    begin(&scene, store);
    ensure_key(&scene);
    const char *first = first_key(&scene).kid;
    const char *damaged = rotate_key(&scene).kid;
    damage(&scene, DAMAGE_SEED, damaged);
    scene.world.now_ms += 1000;
    struct signing_key next = rotate_key(&scene);
    assert_string_not_equal(next.kid, damaged);
    assert_int_equal(next.signs_from, scene.world.now_ms + LEAD_MS);
    assert_string_equal(rotate_key(&scene).kid, next.kid);
    load(&scene);
    assert_false(is_published(&scene, damaged));
    assert_string_equal(signing_kid(&scene), first);
    scene.world.now_ms = next.signs_from - 1;
    assert_string_equal(signing_kid(&scene), first);
    scene.world.now_ms = next.signs_from;
    assert_string_equal(signing_kid(&scene), next.kid);
}

static void check_rotated_at_once(struct store *store, const char *damage_sql, bool stays_public)
{
    AUTO_SCENE scene;
    begin(&scene, store);
    ensure_key(&scene);
    const char *damaged = first_key(&scene).kid;
    damage(&scene, damage_sql, damaged);
    scene.world.now_ms += 1000;
    struct signing_key next = rotate_key(&scene);
    assert_int_equal(next.signs_from, scene.world.now_ms);
    assert_int_equal(next.state, KEY_SIGNING);
    load(&scene);
    assert_string_equal(signing_kid(&scene), next.kid);
    assert_int_equal(is_published(&scene, damaged), stays_public);
}

/* Tokens that it signed before it was damaged are good until their end. */
static void after_a_damaged_seed_the_next_key_signs_at_once(struct store *store)
{
    check_rotated_at_once(store, DAMAGE_SEED, true);
}

static void after_a_damaged_public_key_the_next_key_signs_at_once(struct store *store)
{
    check_rotated_at_once(store, DAMAGE_PUBLIC, false);
}

enum { CROWD = 8 };

static void call_rotate(struct world *world, int index, void *arg)
{
    struct signing_key key = {0};
    (void)index;
    if (world_run(world, run_rotate_key, &key)) atomic_fetch_add((atomic_int *)arg, 1);
}

static void rotations_at_one_moment_replace_it_once(struct store *store)
{
    AUTO_SCENE scene;
    atomic_int failed = 0;
    begin(&scene, store);
    ensure_key(&scene);
    const char *damaged = rotate_key(&scene).kid;
    damage(&scene, DAMAGE_SEED, damaged);
    world_crowd(&scene.world, CROWD, call_rotate, &failed);
    assert_int_equal(failed, 0);
    struct signing_key_list list = list_keys(&scene);
    const struct signing_key *keys = list.keys.items;
    assert_int_equal(list.keys.count, 2);
    assert_string_not_equal(keys[1].kid, damaged);
}

int main(void)
{
#define TEST(name)     \
    {                  \
#name, name, 0 \
    }
    static const struct store_case cases[] = {
        TEST(a_damaged_seed_keeps_no_other_out),
        TEST(the_seed_of_another_keeps_no_other_out),
        TEST(a_damaged_public_key_keeps_no_other_out),
        TEST(a_fault_is_told_once_and_so_is_its_end),
        TEST(a_damaged_key_that_retires_stays_as_it_is),
        TEST(without_seeds_a_damaged_one_is_no_fault),
        TEST(a_seed_is_bound_to_its_key),
        TEST(a_seed_needs_the_secret_key),
        TEST(at_its_time_no_other_signs),
        TEST(a_silent_keyring_signs_nothing_until_it_may),
        TEST(a_damaged_key_that_waits_is_replaced),
        TEST(after_a_damaged_seed_the_next_key_signs_at_once),
        TEST(after_a_damaged_public_key_the_next_key_signs_at_once),
        TEST(rotations_at_one_moment_replace_it_once),
    };
    return store_run_cases("token_damage", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
