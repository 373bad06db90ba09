/*
 * Packages of ERPs as they are stored, and the worker that applies them. Its clock is the true one;
 * a case moves the times in the rows instead.
 */
#pragma once

#include "catalog_scene.h"
#include "domain/erp/erp_apply.h"
#include "domain/erp/erp_applying.h"
#include "domain/erp/erp_db.h"
#include "domain/event_log/event_log.h"
#include "kit/base/clock.h"
#include "kit/pack/pack.h"

enum { SHOPS = 4 };

struct package_scene {
    struct catalog_scene catalog; /* its shop is the first of them */
    struct uuid shops[SHOPS];
    int64_t receipts[SHOPS];
    struct event_log *event_log;
};

static inline void packages_begin(struct package_scene *scene, struct store *store)
{
    *scene = (struct package_scene){.event_log = NULL};
    catalog_begin(&scene->catalog, store);
    struct world *world = &scene->catalog.world;
    scene->shops[0] = scene->catalog.shop;
    for (int i = 1; i < SHOPS; i++) {
        assert_ok(world_run(world, run_open, &scene->catalog));
        scene->shops[i] = scene->catalog.shop;
    }
    world->erp.packs = pack_pool_new();
    world->erp.applying = erp_applying_new();
    world->integrations.archive_share_ppm = CATALOG_SHARE_OFF;
    scene->event_log = event_log_new(store->db, false);
}

static inline void packages_end(struct package_scene *scene)
{
    event_log_free(scene->event_log);
    erp_applying_free(scene->catalog.world.erp.applying);
    pack_pool_free(scene->catalog.world.erp.packs);
    catalog_end(&scene->catalog);
}
#define AUTO_PACKAGES __attribute__((cleanup(packages_end))) struct package_scene

/* --- Storing ---------------------------------------------------------------------------------- */

struct storing {
    const struct uuid *shop;
    struct erp_package package;
    struct str packed;
};

static inline enum err run_store(struct work *work, void *arg)
{
    struct storing *step = arg;
    struct erp_charge charge =
        erp_quota_charge(work->service, (enum erp_package_type)step->package.event_type, false,
                         step->packed.len, work->now_ms);
    bool is_new;
    enum err err = erp_package_insert(work, step->shop, &step->package, 2, &charge, &is_new);
    if (!err) err = erp_body_insert(work, step->shop, step->package.receipt, step->packed);
    return err;
}

/* The next package of a shop; its receipt number. */
static inline int64_t put_package(struct package_scene *scene, int shop, const char *event_id,
                                  const char *text)
{
    struct world *world = &scene->catalog.world;
    struct str body = json_of(world->arena, text);
    bool is_snapshot = strstr(text, "'products'") != NULL;
    struct pack *pack = pack_begin(world->erp.packs, false);
    assert_true(pack_add(pack, body));
    struct storing step = {
        .shop = &scene->shops[shop],
        .package = {.event_id = event_id,
                    .event_type = is_snapshot ? ERP_PACKAGE_SNAPSHOT : ERP_PACKAGE_DELTA,
                    .received_at = clock_now_ms(),
                    .body_length = (int64_t)body.len},
        .packed = pack_finish(pack),
    };
    assert_ok(world_run(world, run_store, &step));
    pack_done(pack);
    return step.package.receipt;
}

/* --- The worker ------------------------------------------------------------------------------- */

static inline bool apply_next(struct package_scene *scene)
{
    struct world *world = &scene->catalog.world;
    bool was_due = false;
    assert_ok(erp_apply_due(&world->service, scene->event_log, world->arena, &was_due));
    return was_due;
}

static inline void apply_all(struct package_scene *scene)
{
    while (apply_next(scene))
        ;
}

/* --- Looking ---------------------------------------------------------------------------------- */

struct showing {
    const struct uuid *shop;
    const char *event_id;
    struct erp_package package;
};

static inline enum err run_show(struct work *work, void *arg)
{
    struct showing *step = arg;
    return erp_package_select(work, step->shop, step->event_id, &step->package);
}

static inline struct erp_package show(struct package_scene *scene, int shop, const char *event_id)
{
    struct showing step = {&scene->shops[shop], event_id, {0}};
    assert_ok(world_read(&scene->catalog.world, run_show, &step));
    return step.package;
}

/* "applied 1", "retry 3": the status and the attempts. */
static inline const char *status_of(struct package_scene *scene, int shop, const char *event_id)
{
    struct erp_package package = show(scene, shop, event_id);
    return arena_printf(scene->catalog.world.arena, "%s %d",
                        erp_package_status_words[package.status], (int)package.attempts);
}
#define assert_status(scene, shop, event_id, expected) \
    assert_string_equal(status_of(scene, shop, event_id), expected)

/* Changes rows behind the worker's back. */
static inline enum err run_sql(struct work *work, void *arg)
{
    return db_exec(work->tx, arg, DB_NO_ARGS, NULL);
}

static inline void change_rows(struct package_scene *scene, const char *sql)
{
    assert_ok(world_run(&scene->catalog.world, run_sql, (void *)sql));
}

#define assert_shop_offers(scene, expected) assert_offers(&(scene)->catalog, expected)
