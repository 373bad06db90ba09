/*
 * A catalog and packages for it, written as JSON with single quotes; each package is applied in a
 * transaction of its own, as the ERP's worker does it. What came of it, and what the catalog is
 * then, are lines that can be read.
 */
#pragma once

#include "app/setup/migrations.h"
#include "domain/catalog/catalog.h"
#include "made_text.h"
#include "world.h"

#include <stdlib.h>

/* JSON by pieces, with commas between them; up to 5. */
#define JOIN1(a)             "" a
#define JOIN2(a, b)          a "," b
#define JOIN3(a, b, c)       a "," b "," c
#define JOIN4(a, b, c, d)    a "," b "," c "," d
#define JOIN5(a, b, c, d, e) a "," b "," c "," d "," e

#define JOIN_OF(a, b, c, d, e, name, ...) name

#define JOIN(...) JOIN_OF(__VA_ARGS__, JOIN5, JOIN4, JOIN3, JOIN2, JOIN1, )(__VA_ARGS__)

#define V(id, price) "{'id':'" id "','price':" price "}"
#define P(id, name, ...) \
    "{'id':'" id "','name':'" name "','variants':[" JOIN(__VA_ARGS__) "]}"   /* of V */
#define SNAPSHOT(...) "{'categories':[],'products':[" JOIN(__VA_ARGS__) "]}" /* of P */

/* Two products with three variants: "p1.v1=10 p2.v1=20 p2.v2=30". */
#define TWO SNAPSHOT(P("p1", "Milk", V("v1", "10")), P("p2", "Bread", V("v1", "20"), V("v2", "30")))

#define PRICE(p, v, price) "{'product_id':'" p "','variant_id':'" v "','price':" price "}"
#define STOCK(p, v, stock) \
    "{'product_id':'" p "','variant_id':'" v "','available_quantity':" stock "}"
#define PRICES(...) "{'prices':[" JOIN(__VA_ARGS__) "]}"
#define STOCKS(...) "{'stocks':[" JOIN(__VA_ARGS__) "]}"
/* {"stocks":[...],"prices":[...]} */
#define BOTH(stocks, prices) "{'stocks':[" stocks "],'prices':[" prices "]}"

struct catalog_scene {
    struct world world;
    struct uuid shop;
    int64_t archive_share_ppm;
    bool is_released, keeps_absent;
    struct catalog_outcome outcome; /* of the last package */
    struct catalog_progress progress;
};

static inline enum err run_open(struct work *work, void *arg)
{
    struct catalog_scene *scene = arg;
    struct erp_input erp = {.base_url = "https://erp.example",
                            .token = "made-up",
                            .order_path = ERP_PATH_DEFAULT,
                            .timeout_seconds = ERP_TIMEOUT_DEFAULT_S};
    struct integration_input input = {.tenant_id = uuid_new(work->now_ms),
                                      .point_id = uuid_new(work->now_ms),
                                      .name = "shop",
                                      .erp = &erp};
    struct integration integration;
    struct integration_refusal refusal;
    scene->shop = uuid_new(work->now_ms);
    return integration_create(work, &scene->shop, &input, &integration, &refusal);
}

static inline void catalog_begin(struct catalog_scene *scene, struct store *store)
{
    *scene = (struct catalog_scene){.archive_share_ppm = CATALOG_SHARE_OFF};
    world_open(&scene->world, store);
    scene->world.service.catalog_memory = catalog_memory_new();
    assert_ok(world_run(&scene->world, run_open, scene));
}

static inline void catalog_end(struct catalog_scene *scene)
{
    catalog_memory_free(scene->world.service.catalog_memory);
    world_close(&scene->world);
}
#define AUTO_CATALOG __attribute__((cleanup(catalog_end))) struct catalog_scene

/* --- Packages --------------------------------------------------------------------------------- */

static inline struct str json_of(struct arena *arena, const char *text)
{
    return str_of(quoted(arena, text));
}

struct applying {
    struct catalog_scene *scene;
    struct catalog_package package;
    enum err (*apply)(struct work *work, const struct catalog_package *package,
                      struct catalog_outcome *ret_outcome);
};

static inline enum err run_apply(struct work *work, void *arg)
{
    struct applying *step = arg;
    bool is_held;
    enum err err = catalog_try_hold(work, &step->scene->shop, &is_held);
    if (err) return err;
    if (!is_held) return ERR_TX_RETRY;
    return step->apply(work, &step->package, &step->scene->outcome);
}

static inline enum err apply_json(struct catalog_scene *scene, int64_t receipt, struct str body,
                                  bool is_snapshot)
{
    struct applying step = {
        .scene = scene,
        .package = {.integration_id = scene->shop,
                    .receipt = receipt,
                    .body = body,
                    .archive_share_ppm = scene->archive_share_ppm,
                    .is_released = scene->is_released,
                    .keeps_absent = scene->keeps_absent,
                    .progress = &scene->progress},
        .apply = is_snapshot ? catalog_apply_snapshot : catalog_apply_changes,
    };
    return world_run(&scene->world, run_apply, &step);
}

static inline enum err apply_snapshot(struct catalog_scene *scene, int64_t receipt,
                                      const char *text)
{
    return apply_json(scene, receipt, json_of(scene->world.arena, text), true);
}

static inline enum err apply_changes(struct catalog_scene *scene, int64_t receipt, const char *text)
{
    return apply_json(scene, receipt, json_of(scene->world.arena, text), false);
}

/* With the first snapshot applied, as receipt 1. */
static inline void catalog_begin_with(struct catalog_scene *scene, struct store *store,
                                      const char *snapshot)
{
    catalog_begin(scene, store);
    assert_ok(apply_snapshot(scene, 1, snapshot));
}

/* "added/changed/unchanged/archived" of products and categories, "changed/unchanged/superseded" of
 * prices and stocks. */
static inline const char *result_of(struct catalog_scene *scene)
{
    const struct catalog_result *result = &scene->outcome.result;
    const struct catalog_content_tally *p = result->products, *c = result->categories;
    const struct catalog_offer_tally *price = result->prices, *stock = result->stocks;
    return arena_printf(scene->world.arena,
                        "products %d/%d/%d/%d categories %d/%d/%d/%d prices %d/%d/%d"
                        " stocks %d/%d/%d",
                        (int)p->added, (int)p->changed, (int)p->unchanged, (int)p->archived,
                        (int)c->added, (int)c->changed, (int)c->unchanged, (int)c->archived,
                        (int)price->changed, (int)price->unchanged, (int)price->superseded,
                        (int)stock->changed, (int)stock->unchanged, (int)stock->superseded);
}

#define assert_result(scene, expected) assert_string_equal(result_of(scene), expected)

/* --- The catalog ------------------------------------------------------------------------------ */

struct telling {
    struct buf text;
    struct arena *arena;
};

static inline enum err run_tell_offers(struct work *work, void *arg)
{
    struct telling *step = arg;
    AUTO_STMT stmt = NULL;
    enum err err = db_query(
        work->tx,
        "SELECT p.id AS product, p.archived AS is_gone, v.id AS variant, v.archived AS is_left,"
        " o.price, o.stock FROM catalog_product AS p JOIN catalog_variant AS v"
        " ON v.product = p.product JOIN catalog_offer AS o"
        " ON o.product = v.product AND o.variant = v.variant ORDER BY p.id, v.id",
        DB_NO_ARGS, &stmt);
    if (err) return err;
    buf_clear(&step->text);
    while ((err = db_step(stmt)) == ERR_OK) {
        buf_printf(
            &step->text, "%s%s%s.%s%s=%s", step->text.len ? " " : "",
            db_get_int(stmt, "is_gone") ? "~" : "", db_get_text(stmt, "product", step->arena),
            db_get_int(stmt, "is_left") == 1 ? "~" : "", db_get_text(stmt, "variant", step->arena),
            db_get_text(stmt, "price", step->arena));
        if (!db_get_null(stmt, "stock"))
            buf_printf(&step->text, "/%d", (int)db_get_int(stmt, "stock"));
    }
    return err == ERR_NOT_FOUND ? ERR_OK : err;
}

/* Each offer as product.variant=price/stock, what is archived behind a ~, in order. */
static inline const char *offers_of(struct catalog_scene *scene)
{
    struct telling step = {.arena = scene->world.arena};
    buf_init(&step.text, 1024 * 1024);
    assert_ok(world_read(&scene->world, run_tell_offers, &step));
    const char *text = arena_str(step.arena, buf_view(&step.text));
    buf_done(&step.text);
    return text;
}

#define assert_offers(scene, expected) assert_string_equal(offers_of(scene), expected)

/* One number of the database, as column n. */
#define number_of(scene, sql) store_number((scene)->world.store, sql)
