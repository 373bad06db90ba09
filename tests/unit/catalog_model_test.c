/*
 * Random packages, applied in random order, beside a model that knows nothing of rows: a price is
 * that of the package with the highest receipt that told it, and so is a stock; what is there is
 * what the newest snapshot has.
 */
#include "catalog_scene.h"

enum { PRODUCTS = 4, VARIANTS = 3, STEPS = 120, WAITING_MAX = 16, ROUNDS = 6 };

struct told {
    int value;
    int64_t receipt; /* 0: never told */
};

struct model_pair {
    bool exists, is_listed; /* ever; by the newest snapshot that has the product */
    struct told price, stock;
};

struct model_product {
    bool exists, is_live;
    int name;
    struct model_pair pairs[VARIANTS];
};

/* A package; values of 0 are not in it. */
struct package {
    int64_t receipt;
    bool is_snapshot;
    int names[PRODUCTS]; /* of a snapshot */
    int prices[PRODUCTS][VARIANTS], stocks[PRODUCTS][VARIANTS];
};

struct tally {
    int added, changed, unchanged, archived;
    int prices_changed, prices_unchanged, prices_superseded;
    int stocks_changed, stocks_unchanged, stocks_superseded;
};

struct model {
    struct model_product products[PRODUCTS];
    int64_t snapshot_receipt, last_receipt;
    struct tally tally; /* of the package at hand */
    struct package waiting[WAITING_MAX];
    size_t waiting_count;
    struct package last_snapshot;
    uint64_t random;
};

static int pick(struct model *model, int below)
{
    model->random = model->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((model->random >> 33) % (uint64_t)below);
}

/* --- The model -------------------------------------------------------------------------------- */

static void tell(struct told *told, int value, int64_t receipt, int *changed, int *unchanged,
                 int *superseded)
{
    if (receipt < told->receipt) {
        ++*superseded;
        return;
    }
    if (told->receipt && told->value == value)
        ++*unchanged;
    else
        ++*changed;
    *told = (struct told){value, receipt};
}

static void model_list(struct model *model, const struct package *package, int p)
{
    struct model_product *product = &model->products[p];
    struct tally *tally = &model->tally;
    bool is_same = product->is_live && product->name == package->names[p];

    for (int v = 0; v < VARIANTS; v++) {
        struct model_pair *pair = &product->pairs[v];
        bool is_listed = package->prices[p][v] != 0;
        is_same = is_same && pair->is_listed == is_listed;
        pair->is_listed = is_listed;
        if (!is_listed) continue;
        pair->exists = true;
        tell(&pair->price, package->prices[p][v], package->receipt, &tally->prices_changed,
             &tally->prices_unchanged, &tally->prices_superseded);
    }
    *(product->exists ? is_same ? &tally->unchanged : &tally->changed : &tally->added) += 1;
    product->exists = product->is_live = true;
    product->name = package->names[p];
}

static void model_snapshot(struct model *model, const struct package *package)
{
    if (package->receipt < model->snapshot_receipt) return;
    model->snapshot_receipt = package->receipt;
    for (int p = 0; p < PRODUCTS; p++) {
        struct model_product *product = &model->products[p];
        if (package->names[p])
            model_list(model, package, p);
        else {
            model->tally.archived += product->is_live;
            product->is_live = false;
        }
    }
}

static bool model_may_change(const struct model *model, const struct package *package)
{
    for (int p = 0; p < PRODUCTS; p++) {
        for (int v = 0; v < VARIANTS; v++) {
            const struct model_product *product = &model->products[p];
            bool is_told = package->prices[p][v] || package->stocks[p][v];
            if (is_told && !(product->is_live && product->pairs[v].is_listed)) return false;
        }
    }
    return true;
}

static void model_change(struct model *model, const struct package *package)
{
    struct tally *tally = &model->tally;

    for (int p = 0; p < PRODUCTS; p++) {
        for (int v = 0; v < VARIANTS; v++) {
            struct model_pair *pair = &model->products[p].pairs[v];
            if (package->prices[p][v])
                tell(&pair->price, package->prices[p][v], package->receipt, &tally->prices_changed,
                     &tally->prices_unchanged, &tally->prices_superseded);
            if (package->stocks[p][v])
                tell(&pair->stock, package->stocks[p][v], package->receipt, &tally->stocks_changed,
                     &tally->stocks_unchanged, &tally->stocks_superseded);
        }
    }
}

static const char *model_offers(const struct model *model, struct arena *arena)
{
    const char *text = "";
    for (int p = 0; p < PRODUCTS; p++) {
        for (int v = 0; v < VARIANTS; v++) {
            const struct model_product *product = &model->products[p];
            const struct model_pair *pair = &product->pairs[v];
            if (!pair->exists) continue;
            text = arena_printf(arena, "%s%s%sp%d.%sv%d=%d", text, *text ? " " : "",
                                product->is_live ? "" : "~", p, pair->is_listed ? "" : "~", v,
                                pair->price.value);
            if (pair->stock.receipt) text = arena_printf(arena, "%s/%d", text, pair->stock.value);
        }
    }
    return text;
}

static const char *model_result(const struct model *model, struct arena *arena)
{
    const struct tally *tally = &model->tally;
    return arena_printf(arena,
                        "products %d/%d/%d/%d categories 0/0/0/0 prices %d/%d/%d stocks %d/%d/%d",
                        tally->added, tally->changed, tally->unchanged, tally->archived,
                        tally->prices_changed, tally->prices_unchanged, tally->prices_superseded,
                        tally->stocks_changed, tally->stocks_unchanged, tally->stocks_superseded);
}

/* --- Packages --------------------------------------------------------------------------------- */

static void random_product(struct model *model, struct package *package, int p)
{
    package->names[p] = 0;
    memset(package->prices[p], 0, sizeof(package->prices[p]));
    if (pick(model, 5) == 0) return;
    package->names[p] = 1 + pick(model, 10) / 9;
    package->prices[p][pick(model, VARIANTS)] = 1 + pick(model, 3);
    for (int v = 0; v < VARIANTS; v++)
        if (pick(model, 3)) package->prices[p][v] = 1 + pick(model, 3);
}

/* Most products are those of the snapshot before. */
static struct package random_snapshot(struct model *model)
{
    struct package package = model->last_snapshot;
    package.is_snapshot = true;
    for (int p = 0; p < PRODUCTS; p++) {
        if (pick(model, 4) == 0) random_product(model, &package, p);
    }
    return model->last_snapshot = package;
}

static struct package random_changes(struct model *model)
{
    struct package package = {.is_snapshot = false};
    for (int i = 0; i <= pick(model, 3); i++) {
        int p = pick(model, PRODUCTS), v = pick(model, VARIANTS);
        if (pick(model, 2))
            package.prices[p][v] = 1 + pick(model, 3);
        else
            package.stocks[p][v] = 1 + pick(model, 3);
    }
    return package;
}

/* A text that differs in more than what it says: the bytes of equal products are often equal. */
static const char *snapshot_text(struct model *model, const struct package *package,
                                 struct arena *arena)
{
    const char *text = "{'categories':[],'products':[", *comma = "";
    for (int p = 0; p < PRODUCTS; p++) {
        if (!package->names[p]) continue;
        const char *variants = "";
        for (int v = 0; v < VARIANTS; v++) {
            if (!package->prices[p][v]) continue;
            variants =
                arena_printf(arena, "%s%s{'id':'v%d','price':%d%s}", variants, *variants ? "," : "",
                             v, package->prices[p][v], pick(model, 16) ? "" : ".0");
        }
        text = arena_printf(arena, "%s%s{'id':'p%d','name':'name %d','variants':[%s]}", text, comma,
                            p, package->names[p], variants);
        comma = ",";
    }
    return arena_printf(arena, "%s]}", text);
}

static const char *rows_text(const int (*values)[VARIANTS], const char *name, struct arena *arena)
{
    const char *text = "";
    for (int p = 0; p < PRODUCTS; p++) {
        for (int v = 0; v < VARIANTS; v++) {
            if (values[p][v])
                text = arena_printf(arena, "%s%s{'product_id':'p%d','variant_id':'v%d','%s':%d}",
                                    text, *text ? "," : "", p, v, name, values[p][v]);
        }
    }
    return text;
}

static const char *changes_text(const struct package *package, struct arena *arena)
{
    return arena_printf(arena, "{'prices':[%s],'stocks':[%s]}",
                        rows_text(package->prices, "price", arena),
                        rows_text(package->stocks, "available_quantity", arena));
}

/* --- The walk --------------------------------------------------------------------------------- */

static void wait_with(struct model *model, const struct package *package)
{
    if (model->waiting_count == WAITING_MAX) return; /* given up */
    model->waiting[model->waiting_count++] = *package;
}

static void apply_one(struct catalog_scene *scene, struct model *model,
                      const struct package *package)
{
    struct arena *arena = scene->world.arena;
    bool is_old = package->is_snapshot && package->receipt < model->snapshot_receipt;

    model->tally = (struct tally){0};
    if (package->is_snapshot) {
        assert_ok(apply_snapshot(scene, package->receipt, snapshot_text(model, package, arena)));
        model_snapshot(model, package);
    } else if (model_may_change(model, package)) {
        assert_ok(apply_changes(scene, package->receipt, changes_text(package, arena)));
        model_change(model, package);
    } else {
        assert_err(apply_changes(scene, package->receipt, changes_text(package, arena)),
                   ERR_PACKAGE_REFUSED);
        wait_with(model, package);
        return;
    }
    if (!is_old) assert_result(scene, model_result(model, arena));
}

static void take_step(struct catalog_scene *scene, struct model *model)
{
    struct package package;

    if (model->waiting_count > 0 && pick(model, 3) == 0) {
        size_t i = (size_t)pick(model, (int)model->waiting_count);
        package = model->waiting[i];
        model->waiting[i] = model->waiting[--model->waiting_count];
    } else {
        package = pick(model, 3) ? random_changes(model) : random_snapshot(model);
        package.receipt = ++model->last_receipt;
        if (pick(model, 6) == 0) {
            wait_with(model, &package);
            return;
        }
    }
    apply_one(scene, model, &package);
}

/* The line of offers shows all catalogs. */
static enum err clear_offers(void *arg, struct db_tx *tx)
{
    (void)arg;
    return db_exec(tx, "DELETE FROM catalog_offer", DB_NO_ARGS, NULL);
}

static void the_catalog_is_what_the_model_says(struct store *store)
{
    for (int round = 0; round < ROUNDS; round++) {
        AUTO_CATALOG scene;
        struct model model = {.random = (uint64_t)round + 1};
        catalog_begin(&scene, store);
        for (int step = 0; step < STEPS; step++) {
            struct arena_mark mark = arena_mark(scene.world.arena);
            take_step(&scene, &model);
            assert_offers(&scene, model_offers(&model, scene.world.arena));
            arena_rewind(scene.world.arena, mark);
        }
        store_write(store, clear_offers, NULL);
    }
}

int main(void)
{
    static const struct store_case cases[] = {
        STORE_CASE(the_catalog_is_what_the_model_says),
    };
    return store_run_cases("catalog_model", herald_migrations, herald_migration_count, cases,
                           COUNT_OF(cases));
}
