/* Shops whose ERPs send packages, for the tests of domain/erp. */
#pragma once

#include "domain/erp/erp_gate.h"
#include "domain/erp/erp_intake.h"
#include "token_scene.h"

struct erp_scene {
    struct scene base;
    struct token_claims claims[SHOPS]; /* with every scope */
};

static inline void erp_begin(struct erp_scene *scene, struct store *store)
{
    struct world *world = &scene->base.world;

    begin_open(&scene->base, store);
    world->erp.packs = pack_pool_new();
    world->erp.gate = erp_gate_new();
    world->erp.applying = erp_applying_new();
    world->integrations.archive_share_ppm = CATALOG_SHARE_OFF;
    for (int i = 0; i < SHOPS; i++)
        assert_ok(verify(&scene->base, token_of(&scene->base, i), &scene->claims[i]));
}

static inline void erp_end(struct erp_scene *scene)
{
    struct world *world = &scene->base.world;

    pack_pool_free(world->erp.packs);
    erp_gate_free(world->erp.gate);
    erp_applying_free(world->erp.applying);
    end(&scene->base);
}
#define AUTO_ERP_SCENE __attribute__((cleanup(erp_end))) struct erp_scene

/* --- What ERPs send --------------------------------------------------------------------------- */

/* One body, sent by the ERP of shop `asker` to shop `shop`. */
struct sending {
    struct world *world;
    const struct token_claims *claims;
    const struct uuid *integration_id;
    enum erp_package_type type;
    struct erp_intake *intake;
    const char *key; /* NULL: none */
    /* This came of it. */
    struct erp_acceptance acceptance;
    struct erp_refusal refusal;
};

static inline enum err run_receive(struct work *work, void *arg)
{
    struct sending *step = arg;
    step->refusal = (struct erp_refusal){.detail = NULL};
    struct erp_arrival arrival = {step->claims, step->integration_id, step->intake,
                                  str_of(step->key)};
    return erp_receive(work, &arrival, &step->acceptance, &step->refusal);
}

/* As the dispatcher does it: what is not clean is read first. */
static inline enum err erp_send(struct sending *step, const char *text)
{
    enum err err =
        erp_intake_new(&step->world->service, step->integration_id, step->type,
                       (int64_t)strlen(text), &(struct body_ending){NULL, NULL}, &step->intake);
    if (err) return err;
    if (erp_intake_take(step->intake, str_of(text))) erp_intake_end(step->intake);
    err = erp_intake_is_clean(step->intake) ? ERR_WRITE_NEEDED
                                            : world_read(step->world, run_receive, step);
    if (err == ERR_WRITE_NEEDED) err = world_run(step->world, run_receive, step);
    erp_intake_free(step->intake);
    return err;
}

static inline struct sending sending_of(struct erp_scene *scene, int shop,
                                        enum erp_package_type type, const char *key)
{
    return (struct sending){.world = &scene->base.world,
                            .claims = &scene->claims[shop],
                            .integration_id = &scene->base.shops[shop].id,
                            .type = type,
                            .key = key};
}

#define ERP_HEAD(id) "\"event_id\":\"" id "\",\"generated_at\":\"2026-11-21T04:32:50Z\""
#define ERP_CHANGES(id) \
    "{" ERP_HEAD(id) ",\"prices\":[{\"product_id\":\"p\",\"variant_id\":\"v\",\"price\":1}]}"
#define ERP_SNAPSHOT(id) "{" ERP_HEAD(id) ",\"categories\":[],\"products\":[]}"

/* A package that is taken. */
static inline void erp_send_well(struct erp_scene *scene, int shop, enum erp_package_type type,
                                 const char *event_id)
{
    struct sending step = sending_of(scene, shop, type, event_id);
    bool is_snapshot = type == ERP_PACKAGE_SNAPSHOT;
    const char *text = arena_printf(
        scene->base.world.arena,
        is_snapshot ? "{\"event_id\":\"%s\",\"generated_at\":\"2026-11-21T04:32:50Z\","
                      "\"categories\":[],\"products\":[]}"
                    : "{\"event_id\":\"%s\",\"generated_at\":\"2026-11-21T04:32:50Z\",\"prices\":["
                      "{\"product_id\":\"p\",\"variant_id\":\"v\",\"price\":1}]}",
        event_id);
    assert_ok(erp_send(&step, text));
    assert_int_equal(step.acceptance.status, ERP_ACCEPTED);
    assert_string_equal(step.acceptance.event_id, event_id);
}
