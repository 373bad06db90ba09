/* These tests show what a good token may do: three shops, and every swap between them (contract,
 * section 4). */
#include "app/setup/migrations.h"
#include "domain/erp/erp_db.h"
#include "token_scene.h"

#include <stdio.h>

struct authorizing {
    const struct token_claims *claims;
    const struct uuid *integration_id;
};

static enum err run_authorize(struct work *work, void *arg)
{
    struct authorizing *step = arg;
    struct erp_sender sender;
    enum err err = erp_sender_select(work, step->claims, step->integration_id, &sender);
    if (err) return err;
    return token_authorize(step->claims, step->integration_id, &sender.standing);
}

static enum err authorize(struct scene *scene, const struct token_claims *claims, int shop)
{
    struct authorizing step = {claims, &scene->shops[shop].id};
    return world_read(&scene->world, run_authorize, &step);
}

static struct token_claims claims_of(struct scene *scene, int shop)
{
    struct token_claims claims = {0};
    assert_ok(verify(scene, token_of(scene, shop), &claims));
    return claims;
}

static void a_token_opens_its_own_shop_only(struct store *store)
{
    AUTO_SCENE scene;
    begin_open(&scene, store);

    for (int owner = 0; owner < SHOPS; owner++) {
        struct token_claims claims = claims_of(&scene, owner);
        for (int shop = 0; shop < SHOPS; shop++)
            assert_err(authorize(&scene, &claims, shop),
                       shop == owner ? ERR_OK : ERR_INTEGRATION_MISMATCH);
    }
}

/* Every mixture of the three ids: only the three of one shop open it. */
static void no_mixture_of_ids_opens_a_shop(struct store *store)
{
    AUTO_SCENE scene;
    begin_open(&scene, store);
    struct token_claims claims = claims_of(&scene, 0);
    scene.world.integrations.has_own_tokens = false; /* its client may be of any shop */

    for (int mixture = 0; mixture < SHOPS * SHOPS * SHOPS; mixture++) {
        int integration = mixture % SHOPS, tenant = mixture / SHOPS % SHOPS;
        int point = mixture / SHOPS / SHOPS;
        claims.integration_id = scene.shops[integration].id;
        claims.tenant_id = scene.shops[tenant].tenant_id;
        claims.point_id = scene.shops[point].point_id;
        for (int shop = 0; shop < SHOPS; shop++) {
            bool is_his = integration == shop && tenant == shop && point == shop;
            assert_err(authorize(&scene, &claims, shop),
                       is_his ? ERR_OK : ERR_INTEGRATION_MISMATCH);
        }
    }
}

static void a_disabled_shop_is_closed_at_once(struct store *store)
{
    AUTO_SCENE scene;
    begin_open(&scene, store);
    struct token_claims claims = claims_of(&scene, 0);

    assert_ok(authorize(&scene, &claims, 0));
    disable_shop(&scene, 0);
    assert_err(authorize(&scene, &claims, 0), ERR_UNAUTHORIZED);
    assert_err(authorize(&scene, &claims, 1), ERR_INTEGRATION_MISMATCH);
}

struct enabling {
    const struct uuid *client_id;
    bool is_enabled;
};

static enum err run_enable(struct work *work, void *arg)
{
    const struct enabling *step = arg;
    return client_set_enabled(work, step->client_id, step->is_enabled);
}

/* Contract, section 4: not only no new tokens. */
static void a_disabled_client_loses_the_tokens_that_it_has(struct store *store)
{
    AUTO_SCENE scene;
    begin_open(&scene, store);
    struct token_claims claims = claims_of(&scene, 0);
    struct enabling step = {&scene.clients[0].client_id, false};

    assert_ok(world_run(&scene.world, run_enable, &step));
    assert_err(authorize(&scene, &claims, 0), ERR_UNAUTHORIZED);
    step.is_enabled = true;
    assert_ok(world_run(&scene.world, run_enable, &step));
    assert_ok(authorize(&scene, &claims, 0));
}

/* A client of another identity service has no row here; one of herald's own always has. */
static void an_unknown_client_counts_where_tokens_come_from_elsewhere(struct store *store)
{
    static const char *const names[] = {"0192f0c1-7c2a-7d3e-8f00-3b2a1c0d9e8f", "erp-of-shop-1"};
    AUTO_SCENE scene;
    begin_open(&scene, store);
    struct token_claims claims = claims_of(&scene, 0);

    for (size_t i = 0; i < COUNT_OF(names); i++) {
        snprintf(claims.client_id, sizeof(claims.client_id), "%s", names[i]);
        scene.world.integrations.has_own_tokens = true;
        assert_err(authorize(&scene, &claims, 0), ERR_UNAUTHORIZED);
        scene.world.integrations.has_own_tokens = false;
        assert_ok(authorize(&scene, &claims, 0));
    }
}

/* The client of another shop says nothing about this one's. */
static void a_client_counts_in_its_own_shop(struct store *store)
{
    AUTO_SCENE scene;
    begin_open(&scene, store);
    struct token_claims claims = claims_of(&scene, 0);

    uuid_format(&scene.clients[1].client_id, claims.client_id);
    assert_err(authorize(&scene, &claims, 0), ERR_UNAUTHORIZED);
}

static void a_shop_that_is_not_there_is_none_of_his(struct store *store)
{
    AUTO_SCENE scene;
    begin_open(&scene, store);
    struct token_claims claims = claims_of(&scene, 0);

    claims.integration_id = uuid_new(WORLD_START_MS);
    scene.shops[0].id = claims.integration_id;
    assert_err(authorize(&scene, &claims, 0), ERR_INTEGRATION_MISMATCH);
}

int main(void)
{
#define TEST(name)     \
    {                  \
#name, name, 0 \
    }
    static const struct store_case cases[] = {
        TEST(a_token_opens_its_own_shop_only),
        TEST(no_mixture_of_ids_opens_a_shop),
        TEST(a_disabled_shop_is_closed_at_once),
        TEST(a_shop_that_is_not_there_is_none_of_his),
        TEST(a_disabled_client_loses_the_tokens_that_it_has),
        TEST(an_unknown_client_counts_where_tokens_come_from_elsewhere),
        TEST(a_client_counts_in_its_own_shop),
    };
    return store_run_cases("token_authorize", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
