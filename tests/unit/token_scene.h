/* Three shops with a client each, an identity service and a verifier, for the tests of tokens. */
#pragma once

#include "domain/token/keyring.h"
#include "domain/token/token_key.h"
#include "world.h"

enum { SHOPS = 3 };

#define ISSUER    "https://herald.example"
#define TOKEN_URL ISSUER "/v1/oauth/token"

struct scene {
    struct world world;
    struct token_verifier verifier;
    struct integration shops[SHOPS];
    struct client_credentials clients[SHOPS];
};

/* --- Keys ------------------------------------------------------------------------------------- */

static inline enum err run_ensure_key(struct work *work, void *arg)
{
    (void)arg;
    return token_ensure_key(work);
}

static inline enum err run_rotate_key(struct work *work, void *arg)
{
    return token_rotate_key(work, arg);
}

static inline enum err run_list_keys(struct work *work, void *arg)
{
    return token_list_keys(work, arg);
}

static inline enum err run_sweep_keys(struct work *work, void *arg)
{
    (void)arg;
    return token_sweep_keys(work);
}

struct loading {
    struct keyring *keyring;
    bool with_seeds;
};

static inline enum err run_load(struct work *work, void *arg)
{
    const struct loading *step = arg;
    return keyring_load(step->keyring, work, step->with_seeds);
}

static inline enum err run_withdraw_key(struct work *work, void *arg)
{
    return token_withdraw_key(work, arg);
}

static inline void ensure_key(struct scene *scene)
{
    assert_ok(world_run(&scene->world, run_ensure_key, NULL));
}

static inline struct signing_key rotate_key(struct scene *scene)
{
    struct signing_key key = {0};
    assert_ok(world_run(&scene->world, run_rotate_key, &key));
    return key;
}

static inline struct signing_key_list list_keys(struct scene *scene)
{
    struct signing_key_list list = {0};
    assert_ok(world_read(&scene->world, run_list_keys, &list));
    return list;
}

static inline void load_keys(struct scene *scene, struct keyring *keyring, bool with_seeds)
{
    assert_ok(world_read(&scene->world, run_load, &(struct loading){keyring, with_seeds}));
}

/* --- Tokens ----------------------------------------------------------------------------------- */

struct issuing {
    const struct token_request *request;
    struct token_answer answer;
};

static inline enum err run_issue(struct work *work, void *arg)
{
    struct issuing *step = arg;
    return token_issue(work, step->request, &step->answer);
}

static inline enum err issue(struct scene *scene, const struct token_request *request,
                             struct token_answer *ret_answer)
{
    struct issuing step = {.request = request};
    enum err err = world_read(&scene->world, run_issue, &step);
    if (!err) *ret_answer = step.answer;
    return err;
}

/* The request of a shop's client, for all its scopes. */
static inline struct token_request request_of(struct scene *scene, int shop)
{
    char *id = arena_alloc(scene->world.arena, UUID_TEXT_LEN + 1);
    uuid_format(&scene->clients[shop].client_id, id);
    return (struct token_request){.grant_type = "client_credentials",
                                  .client_id = id,
                                  .client_secret = scene->clients[shop].client_secret};
}

static inline const char *token_of(struct scene *scene, int shop)
{
    struct token_request request = request_of(scene, shop);
    struct token_answer answer = {0};
    assert_ok(issue(scene, &request, &answer));
    return answer.access_token;
}

static inline enum err verify(struct scene *scene, const char *token,
                              struct token_claims *ret_claims)
{
    struct token_refusal refusal;
    return token_verify(&scene->verifier, str_of(token), scene->world.now_ms, scene->world.arena,
                        ret_claims, &refusal);
}

/* --- Shops ------------------------------------------------------------------------------------ */

struct opening {
    struct scene *scene;
    int shop;
};

static inline enum err run_open_shop(struct work *work, void *arg)
{
    const struct opening *step = arg;
    struct integration *shop = &step->scene->shops[step->shop];
    struct uuid id = uuid_new(work->now_ms);
    struct erp_input erp = {.base_url = "https://erp.example",
                            .token = "made-up",
                            .order_path = ERP_PATH_DEFAULT,
                            .timeout_seconds = ERP_TIMEOUT_DEFAULT_S};
    struct integration_input input = {.tenant_id = uuid_new(work->now_ms),
                                      .point_id = uuid_new(work->now_ms),
                                      .name = "shop",
                                      .erp = &erp};
    struct integration_refusal refusal;
    enum err err = integration_create(work, &id, &input, shop, &refusal);
    if (err) return err;
    return client_create(work, &id, &(struct client_input){0}, &step->scene->clients[step->shop]);
}

static inline enum err run_disable_shop(struct work *work, void *arg)
{
    const struct opening *step = arg;
    struct integration_change change = {.enabled = false};
    struct integration changed;
    struct integration_refusal refusal;
    return integration_change(work, &step->scene->shops[step->shop].id, &change, &changed,
                              &refusal);
}

static inline void disable_shop(struct scene *scene, int shop)
{
    assert_ok(world_run(&scene->world, run_disable_shop, &(struct opening){scene, shop}));
}

/* --- The scene -------------------------------------------------------------------------------- */

static inline void begin(struct scene *scene, struct store *store)
{
    *scene = (struct scene){0};
    world_open(&scene->world, store);
    scene->verifier = (struct token_verifier){
        .keyring = keyring_new(), .cache = token_cache_new(), .issuer = ISSUER};
    scene->world.tokens.keyring = scene->verifier.keyring;
    scene->world.tokens.own_url = ISSUER;
    scene->world.tokens.issuer = ISSUER;
    scene->world.integrations.token_url = TOKEN_URL;
    scene->world.integrations.has_own_tokens = true;
}

/* With shops, and a key that signs. */
static inline void begin_open(struct scene *scene, struct store *store)
{
    begin(scene, store);
    for (int i = 0; i < SHOPS; i++)
        assert_ok(world_run(&scene->world, run_open_shop, &(struct opening){scene, i}));
    ensure_key(scene);
    load_keys(scene, scene->verifier.keyring, true);
}

static inline void end(struct scene *scene)
{
    keyring_free(scene->verifier.keyring);
    token_cache_free(scene->verifier.cache);
    world_close(&scene->world);
}
#define AUTO_SCENE __attribute__((cleanup(end))) struct scene
