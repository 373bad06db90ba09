/* Asking what became of a package: only its own ERP may, and by the id that it gave (doc B,
 * sections 3 and 4). */
#include "app/migrations.h"
#include "domain/erp/erp.h"
#include "token_scene.h"

struct adding {
    const struct uuid *integration_id;
    const char *event_id, *event_type, *status, *last_error;
    int64_t processed_at; /* 0: not yet */
};

static enum err run_add(struct work *work, void *arg)
{
    const struct adding *row = arg;
    return db_exec(
        work->tx,
        "INSERT INTO erp_package (integration_id, event_id, event_type, status, attempts,"
        " received_at, processed_at, last_error) VALUES ($1, $2, $3, $4, 2, $5, $6, $7)",
        DB_ARGS(db_uuid(row->integration_id), db_text(row->event_id), db_text(row->event_type),
                db_text(row->status), db_int(work->now_ms), db_int_or_null(row->processed_at),
                db_text(row->last_error)),
        NULL);
}

static enum err add(struct scene *scene, struct adding row)
{
    return world_run(&scene->world, run_add, &row);
}

struct reading {
    const struct token_claims *claims;
    const struct uuid *integration_id;
    const char *event_id;
    struct erp_package package;
};

static enum err run_read(struct work *work, void *arg)
{
    struct reading *step = arg;
    return erp_read_package(work, step->claims, step->integration_id, step->event_id,
                            &step->package);
}

/* The ERP of shop `asker` asks for a package of shop `shop`. */
static enum err read_package(struct scene *scene, int asker, int shop, const char *event_id,
                             struct erp_package *ret_package)
{
    struct token_claims claims = {0};
    assert_ok(verify(scene, token_of(scene, asker), &claims));
    struct reading step = {&claims, &scene->shops[shop].id, event_id, {0}};
    enum err err = world_read(&scene->world, run_read, &step);
    if (!err) *ret_package = step.package;
    return err;
}

static void a_package_is_shown_as_it_stands(struct store *store)
{
    AUTO_SCENE scene;
    struct erp_package package = {0};
    begin_open(&scene, store);
    const struct uuid *id = &scene.shops[0].id;
    const char *event_id = "changes:\xd0\xba\xd0\xb0\xd1\x81\xd1\x81\xd0\xb0/1:17";

    assert_ok(add(&scene, (struct adding){id, "catalog:1", "snapshot", "accepted", NULL, 0}));
    assert_ok(read_package(&scene, 0, 0, "catalog:1", &package));
    assert_string_equal(package.event_id, "catalog:1");
    assert_int_equal(package.event_type, ERP_PACKAGE_SNAPSHOT);
    assert_int_equal(package.status, ERP_PACKAGE_ACCEPTED);
    assert_int_equal(package.attempts, 2);
    assert_int_equal(package.received_at, WORLD_START_MS);
    assert_int_equal(package.processed_at, 0);
    assert_null(package.last_error);

    assert_ok(add(&scene, (struct adding){id, event_id, "delta", "retry", "no such variant", 7}));
    assert_ok(read_package(&scene, 0, 0, event_id, &package));
    assert_string_equal(package.event_id, event_id);
    assert_int_equal(package.event_type, ERP_PACKAGE_DELTA);
    assert_int_equal(package.status, ERP_PACKAGE_RETRY);
    assert_int_equal(package.processed_at, 7);
    assert_string_equal(package.last_error, "no such variant");
}

/* An id is one within its integration, to the letter. */
static void an_id_means_a_package_of_its_own_integration(struct store *store)
{
    AUTO_SCENE scene;
    struct erp_package package = {0};
    begin_open(&scene, store);
    struct adding row = {&scene.shops[0].id, "catalog:1", "snapshot", "failed", NULL, 0};

    assert_ok(add(&scene, row));
    assert_err(add(&scene, row), ERR_UNIQUE);
    assert_err(read_package(&scene, 1, 1, "catalog:1", &package), ERR_NOT_FOUND);
    row.integration_id = &scene.shops[1].id;
    row.status = "applied";
    assert_ok(add(&scene, row));
    assert_ok(read_package(&scene, 0, 0, "catalog:1", &package));
    assert_int_equal(package.status, ERP_PACKAGE_FAILED);
    assert_ok(read_package(&scene, 1, 1, "catalog:1", &package));
    assert_int_equal(package.status, ERP_PACKAGE_APPLIED);
    assert_err(read_package(&scene, 0, 0, "Catalog:1", &package), ERR_NOT_FOUND);
    assert_err(read_package(&scene, 0, 0, "catalog:1 ", &package), ERR_NOT_FOUND);
    assert_err(read_package(&scene, 0, 0, "", &package), ERR_NOT_FOUND);
}

/* Who may not ask does not learn whether there is one. */
static void another_shop_learns_nothing(struct store *store)
{
    AUTO_SCENE scene;
    struct erp_package package = {0};
    begin_open(&scene, store);
    struct adding row = {&scene.shops[0].id, "catalog:1", "snapshot", "applied", NULL, 0};

    assert_ok(add(&scene, row));
    assert_err(read_package(&scene, 1, 0, "catalog:1", &package), ERR_INTEGRATION_MISMATCH);
    assert_err(read_package(&scene, 1, 0, "catalog:2", &package), ERR_INTEGRATION_MISMATCH);
    struct token_claims claims = {0};
    assert_ok(verify(&scene, token_of(&scene, 0), &claims));
    claims.scope_set = SCOPES_ALL & ~(1U << SCOPE_EVENTS_READ);
    struct reading step = {&claims, &scene.shops[0].id, "catalog:1", {0}};
    assert_err(world_read(&scene.world, run_read, &step), ERR_INSUFFICIENT_SCOPE);
}

/* A word of a later version is a fault of ours, and no status. */
static void an_unknown_word_is_not_shown(struct store *store)
{
    AUTO_SCENE scene;
    struct erp_package package = {0};
    begin_open(&scene, store);
    const struct uuid *id = &scene.shops[0].id;

    assert_ok(add(&scene, (struct adding){id, "a", "snapshot", "paused", NULL, 0}));
    assert_ok(add(&scene, (struct adding){id, "b", "order", "applied", NULL, 0}));
    assert_err(read_package(&scene, 0, 0, "a", &package), ERR_INTERNAL);
    assert_err(read_package(&scene, 0, 0, "b", &package), ERR_INTERNAL);
}

int main(void)
{
    static const struct store_case cases[] = {
        {"a_package_is_shown_as_it_stands", a_package_is_shown_as_it_stands, 0},
        {"an_id_means_a_package_of_its_own_integration",
         an_id_means_a_package_of_its_own_integration, 0},
        {"another_shop_learns_nothing", another_shop_learns_nothing, 0},
        {"an_unknown_word_is_not_shown", an_unknown_word_is_not_shown, 0},
    };
    return store_run_cases("erp", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
