/* What a good token may do: three shops, and every swap between them (contract, section 4). */
#include "app/migrations.h"
#include "token_scene.h"

struct authorizing {
    const struct token_claims *claims;
    enum scope scope;
    const struct uuid *integration_id;
    struct integration integration;
};

static enum err run_authorize(struct work *work, void *arg)
{
    struct authorizing *step = arg;
    return token_authorize(work, step->claims, step->scope, step->integration_id,
                           &step->integration);
}

static enum err authorize(struct scene *scene, const struct token_claims *claims, enum scope scope,
                          int shop)
{
    struct authorizing step = {claims, scope, &scene->shops[shop].id, {{{0}}}};
    enum err err = world_read(&scene->world, run_authorize, &step);
    if (!err) assert_uuid_equal(step.integration.id, scene->shops[shop].id);
    return err;
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
            assert_err(authorize(&scene, &claims, SCOPE_CATALOG_WRITE, shop),
                       shop == owner ? ERR_OK : ERR_INTEGRATION_MISMATCH);
    }
}

/* Every mixture of the three ids: only the three of one shop open it. */
static void no_mixture_of_ids_opens_a_shop(struct store *store)
{
    AUTO_SCENE scene;
    begin_open(&scene, store);
    struct token_claims claims = claims_of(&scene, 0);

    for (int mixture = 0; mixture < SHOPS * SHOPS * SHOPS; mixture++) {
        int integration = mixture % SHOPS, tenant = mixture / SHOPS % SHOPS;
        int point = mixture / SHOPS / SHOPS;
        claims.integration_id = scene.shops[integration].id;
        claims.tenant_id = scene.shops[tenant].tenant_id;
        claims.point_id = scene.shops[point].point_id;
        for (int shop = 0; shop < SHOPS; shop++) {
            bool is_his = integration == shop && tenant == shop && point == shop;
            assert_err(authorize(&scene, &claims, SCOPE_EVENTS_READ, shop),
                       is_his ? ERR_OK : ERR_INTEGRATION_MISMATCH);
        }
    }
}

static void each_scope_opens_what_it_is_for(struct store *store)
{
    AUTO_SCENE scene;
    begin_open(&scene, store);
    struct token_claims claims = claims_of(&scene, 0);

    for (unsigned set = 0; set <= SCOPES_ALL; set++) {
        claims.scope_set = set;
        for (unsigned scope = 0; scope < SCOPE_COUNT; scope++)
            assert_err(authorize(&scene, &claims, (enum scope)scope, 0),
                       set >> scope & 1 ? ERR_OK : ERR_INSUFFICIENT_SCOPE);
    }
    claims.scope_set = 0; /* the scope is looked at first */
    assert_err(authorize(&scene, &claims, SCOPE_EVENTS_READ, 1), ERR_INSUFFICIENT_SCOPE);
}

static void a_disabled_shop_is_closed_at_once(struct store *store)
{
    AUTO_SCENE scene;
    begin_open(&scene, store);
    struct token_claims claims = claims_of(&scene, 0);

    assert_ok(authorize(&scene, &claims, SCOPE_EVENTS_READ, 0));
    disable_shop(&scene, 0);
    assert_err(authorize(&scene, &claims, SCOPE_EVENTS_READ, 0), ERR_INTEGRATION_MISMATCH);
}

static void a_shop_that_is_not_there_is_none_of_his(struct store *store)
{
    AUTO_SCENE scene;
    begin_open(&scene, store);
    struct token_claims claims = claims_of(&scene, 0);

    claims.integration_id = uuid_new(WORLD_START_MS);
    scene.shops[0].id = claims.integration_id;
    assert_err(authorize(&scene, &claims, SCOPE_EVENTS_READ, 0), ERR_INTEGRATION_MISMATCH);
}

int main(void)
{
#define TEST(name)     \
    {                  \
#name, name, 0 \
    }
    static const struct store_case cases[] = {
        TEST(a_token_opens_its_own_shop_only),         TEST(no_mixture_of_ids_opens_a_shop),
        TEST(each_scope_opens_what_it_is_for),         TEST(a_disabled_shop_is_closed_at_once),
        TEST(a_shop_that_is_not_there_is_none_of_his),
    };
    return store_run_cases("token_authorize", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
