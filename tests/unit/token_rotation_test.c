/*
 * A hundred rotations, one as soon as the other allows, on a clock of the test's own. Three parties
 * follow at their worst: an issuer and an api that load the keys every 10 seconds, and an outside
 * verifier that keeps a key set for 300 seconds, as an api gave it that was 10 seconds behind. No
 * token may be refused before its time, and none accepted after it.
 */
#include "app/setup/migrations.h"
#include "kit/base/clock.h"
#include "token_scene.h"

enum {
    ROTATIONS = 100,
    STEP_S = 5,
    LOAD_S = 10,
    KEPT = TOKEN_LIFE_S / STEP_S + 1, /* tokens of the last 600 seconds, and one that is dead */
};

struct party {
    struct token_verifier verifier;
    int64_t fresh_at;
};

struct follow_up {
    struct scene scene;
    struct party api, outside; /* the issuer's keyring is that of the scene */
    int64_t issuer_fresh_at;
    struct arena token_arenas[KEPT];
    const char *tokens[KEPT];
    int64_t issued_at[KEPT];
    int kept;
    int64_t next_signs_from;
    int rotations, refused;
};

static void open_party(struct party *party)
{
    party->verifier = (struct token_verifier){
        .keyring = keyring_new(), .cache = token_cache_new(), .issuer = ISSUER};
}

static void close_party(struct party *party)
{
    keyring_free(party->verifier.keyring);
    token_cache_free(party->verifier.cache);
}

/* Fetches what the api publishes, which may be behind itself. */
static void fetch_key_set(struct follow_up *run)
{
    struct arena *arena = run->scene.world.arena;
    const char *json = keyring_publish(run->api.verifier.keyring, run->scene.world.now_ms, arena);
    struct record_list keys;
    assert_ok(jose_set_read(str_of(json), arena, &keys));
    keyring_set_foreign(run->outside.verifier.keyring, &keys);
    run->outside.fresh_at = run->scene.world.now_ms;
}

/* Each does so as late as it may. */
static void refresh(struct follow_up *run)
{
    int64_t now_ms = run->scene.world.now_ms;

    if (now_ms - run->issuer_fresh_at >= LOAD_S * SECOND_MS) {
        load_keys(&run->scene, run->scene.verifier.keyring, true);
        run->issuer_fresh_at = now_ms;
    }
    if (now_ms - run->outside.fresh_at >= KEY_SET_CACHE_S * SECOND_MS) fetch_key_set(run);
    if (now_ms - run->api.fresh_at >= LOAD_S * SECOND_MS) {
        load_keys(&run->scene, run->api.verifier.keyring, false);
        run->api.fresh_at = now_ms;
    }
}

static void issue_one(struct follow_up *run)
{
    int slot = run->kept++ % KEPT;

    arena_done(&run->token_arenas[slot]);
    arena_init(&run->token_arenas[slot]);
    run->tokens[slot] = arena_text(&run->token_arenas[slot], token_of(&run->scene, 0));
    run->issued_at[slot] = run->scene.world.now_ms;
}

static void check_with(struct follow_up *run, const struct party *party, int slot)
{
    struct world *world = &run->scene.world;
    struct token_claims claims;
    struct token_refusal refusal;
    bool is_alive = world->now_ms < run->issued_at[slot] + TOKEN_LIFE_S * SECOND_MS;
    enum err err = token_verify(&party->verifier, str_of(run->tokens[slot]), world->now_ms,
                                world->arena, &claims, &refusal);
    run->refused += is_alive && err;
    assert_int_equal(err == ERR_OK, is_alive);
}

/* The newest, the one that dies next, the one that died just now, and some between. */
static void check_some(struct follow_up *run)
{
    static const int ages[] = {0, 1, 2, KEPT / 4, KEPT / 2, KEPT - 3, KEPT - 2, KEPT - 1};

    for (size_t i = 0; i < COUNT_OF(ages); i++) {
        if (ages[i] >= run->kept) return;
        int slot = (run->kept - 1 - ages[i]) % KEPT;
        check_with(run, &run->api, slot);
        check_with(run, &run->outside, slot);
    }
}

/* As soon as it may be, and before anybody can have heard of it. */
static void rotate_if_due(struct follow_up *run)
{
    if (run->scene.world.now_ms < run->next_signs_from) return;
    run->next_signs_from = rotate_key(&run->scene).signs_from;
    run->rotations++;
}

static void step(struct follow_up *run)
{
    struct world *world = &run->scene.world;
    struct arena_mark mark = arena_mark(world->arena);

    /* The steps may take longer than what the vault has read is fresh. */
    vault_set_forms(world->vault, vault_forms(world->vault), clock_monotonic_ms());
    rotate_if_due(run);
    issue_one(run);
    check_some(run);
    refresh(run);
    arena_rewind(world->arena, mark);
    world->now_ms += STEP_S * SECOND_MS;
}

static void open_run(struct follow_up *run, struct store *store)
{
    begin_open(&run->scene, store);
    open_party(&run->api);
    open_party(&run->outside);
    load_keys(&run->scene, run->api.verifier.keyring, false);
    run->issuer_fresh_at = run->api.fresh_at = run->scene.world.now_ms;
    fetch_key_set(run);
    for (int i = 0; i < KEPT; i++)
        arena_init(&run->token_arenas[i]);
}

static void close_run(struct follow_up *run)
{
    for (int i = 0; i < KEPT; i++)
        arena_done(&run->token_arenas[i]);
    close_party(&run->api);
    close_party(&run->outside);
    end(&run->scene);
}

static void a_hundred_rotations_refuse_no_token(struct store *store)
{
    struct follow_up run = {0};

    open_run(&run, store);
    while (run.rotations < ROTATIONS)
        step(&run);
    for (int i = 0; i < KEPT; i++) /* what the last keys signed lives and dies, too */
        step(&run);
    assert_int_equal(run.refused, 0);
    assert_int_equal(store_number(store, "SELECT MAX(number) AS n FROM signing_key"),
                     run.rotations + 1);
    assert_ok(world_run(&run.scene.world, run_sweep_keys, NULL));
    assert_true(list_keys(&run.scene).keys.count <= 5);
    close_run(&run);
}

/* The same without the time to hear of a key: what the test above would show. */
static void without_the_lead_tokens_would_be_refused(struct store *store)
{
    struct follow_up run = {0};

    open_run(&run, store);
    struct signing_key next = rotate_key(&run.scene);
    load_keys(&run.scene, run.scene.verifier.keyring, true);
    run.scene.world.now_ms = next.signs_from;
    const char *token = token_of(&run.scene, 0);
    struct token_claims claims;
    struct token_refusal refusal;
    assert_err(token_verify(&run.outside.verifier, str_of(token), run.scene.world.now_ms,
                            run.scene.world.arena, &claims, &refusal),
               ERR_UNAUTHORIZED);
    assert_int_equal(refusal.fault, TOKEN_UNKNOWN_KEY);
    close_run(&run);
}

/* The seed may have been stolen: the key is gone, and all that it signs with it. */
static void the_tokens_of_a_retired_key_die_with_it(struct store *store)
{
    AUTO_SCENE scene;
    struct token_claims claims;
    begin_open(&scene, store);
    struct keyring *thief = keyring_new();
    load_keys(&scene, thief, true);
    struct signing_key next = rotate_key(&scene);
    int64_t end_ms = next.signs_from + (TOKEN_LIFE_S + KEY_MARGIN_S) * SECOND_MS;

    scene.world.now_ms = end_ms - 1;
    load_keys(&scene, scene.verifier.keyring, true);
    struct keyring *own = scene.world.tokens.keyring;
    scene.world.tokens.keyring = thief;
    const char *token = token_of(&scene, 0);
    scene.world.tokens.keyring = own;
    assert_ok(verify(&scene, token, &claims)); /* and is remembered */
    scene.world.now_ms = end_ms;
    load_keys(&scene, scene.verifier.keyring, true);
    assert_err(verify(&scene, token, &claims), ERR_UNAUTHORIZED);
    keyring_free(thief);
}

int main(void)
{
#define TEST(name)     \
    {                  \
#name, name, 0 \
    }
    static const struct store_case cases[] = {
        TEST(a_hundred_rotations_refuse_no_token),
        TEST(without_the_lead_tokens_would_be_refused),
        TEST(the_tokens_of_a_retired_key_die_with_it),
    };
    return store_run_cases("token_rotation", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
