/*
 * A snapshot is applied by its difference to what there is (doc B, section 3 "Snapshot effect";
 * contract, section 5 "Applying"). A product whose bytes are those of the snapshot before costs a
 * hash and a look into memory, and writes nothing.
 */
#include "domain/catalog/catalog_block.h"
#include "domain/catalog/catalog_outcome.h"
#include "domain/catalog/catalog_reference.h"

#include <inttypes.h>

struct snapshot {
    struct work *work;
    const struct catalog_package *package;
    struct catalog_row catalog;
    struct catalog_live live;
    struct reference_list categories, definitions;
    struct catalog_keep keep; /* where the package keeps what is absent */
    bool skips_products, skips_references;
    bool has_lost_references; /* what is kept may refer to what is not there any more */
    struct catalog_block block;
    struct catalog_result result;
    struct buf doc;     /* of the definition at hand */
    struct arena arena; /* of the item at hand */
};

static void snapshot_init(struct snapshot *snapshot, struct work *work,
                          const struct catalog_package *package)
{
    *snapshot = (struct snapshot){
        .work = work, .package = package, .result = catalog_result_new(work->arena)};
    catalog_live_init(&snapshot->live);
    catalog_reference_init(&snapshot->categories, REFERENCE_CATEGORIES);
    catalog_reference_init(&snapshot->definitions, REFERENCE_DEFINITIONS);
    catalog_keep_init(&snapshot->keep);
    catalog_block_init(&snapshot->block);
    buf_init_large(&snapshot->doc, CATALOG_DOC_MAX);
    arena_init_large(&snapshot->arena, CATALOG_DOC_MAX);
}

static void snapshot_done(struct snapshot *snapshot)
{
    arena_done(&snapshot->arena);
    buf_done(&snapshot->doc);
    catalog_block_done(&snapshot->block);
    catalog_keep_done(&snapshot->keep);
    catalog_reference_done(&snapshot->definitions);
    catalog_reference_done(&snapshot->categories);
    catalog_live_done(&snapshot->live);
}

/* --- Items ------------------------------------------------------------------------------------ */

static enum err put_category(struct snapshot *snapshot, struct str text)
{
    struct catalog_category category;
    enum err err = catalog_decode_category(text, &snapshot->arena, &category);
    if (err) return err;
    if (snapshot->package->keeps_absent)
        (void)catalog_targets_add_category(&snapshot->keep.targets, &category);
    return catalog_reference_put(&snapshot->categories, category.id, str_of(category.name));
}

static enum err put_definition(struct snapshot *snapshot, struct str text)
{
    struct catalog_definition definition;
    enum err err = catalog_decode_definition(text, &snapshot->arena, &definition);
    if (err) return err;
    if (snapshot->package->keeps_absent)
        (void)catalog_targets_add_definition(&snapshot->keep.targets, &definition);
    buf_clear(&snapshot->doc);
    catalog_encode(&catalog_definition_record, &definition, &snapshot->doc);
    if (snapshot->doc.is_full)
        return snapshot->doc.lacks_memory ? ERR_OVERLOADED : ERR_PACKAGE_REFUSED;
    return catalog_reference_put(&snapshot->definitions, definition.id, buf_view(&snapshot->doc));
}

/* Returns whether the fields that it kept from earlier snapshots stay, too. */
static bool stays(const struct snapshot *snapshot, const struct live_product *known)
{
    if (known->kept == 0) return true;
    return snapshot->package->keeps_absent && !snapshot->has_lost_references;
}

static enum err put_product(struct snapshot *snapshot, const struct catalog_item *item)
{
    struct catalog_hash hash = catalog_hash(item->text);
    struct live_product *known = catalog_live_by_text(&snapshot->live, &hash);
    if (!known || known->is_touched || !stays(snapshot, known))
        return catalog_block_add(&snapshot->block, item, &hash);

    catalog_live_see(&snapshot->live, known);
    if (snapshot->package->keeps_absent) snapshot->result.kept += known->kept;
    snapshot->result.products->unchanged++;
    snapshot->result.prices->unchanged += known->variant_count;
    return ERR_OK;
}

/* Definitions are not counted as rows, neither here nor where the package was stored. */
static enum err put_item(void *arg, const struct catalog_item *item)
{
    struct snapshot *snapshot = arg;
    bool is_product = item->list == CATALOG_PRODUCTS;
    enum err err = ERR_OK;

    if (is_product ? snapshot->skips_products : snapshot->skips_references) return ERR_OK;
    if (item->list == CATALOG_CATEGORIES) err = put_category(snapshot, item->text);
    if (item->list == CATALOG_DEFINITIONS) err = put_definition(snapshot, item->text);
    if (is_product) err = put_product(snapshot, item);
    arena_done(&snapshot->arena);
    if (item->list == CATALOG_CATEGORIES || is_product)
        atomic_fetch_add(&snapshot->package->progress->rows_done, 1);
    return err;
}

/* --- What the snapshot does not have ---------------------------------------------------------- */

/* Returns whether so many products would go that an operator has to decide (contract, section 5
 * "Safety brake"). */
static bool is_braked(const struct snapshot *snapshot)
{
    const struct catalog_package *package = snapshot->package;
    uint64_t live = snapshot->live.count, gone = live - snapshot->live.seen_count;

    if (package->is_released || package->archive_share_ppm >= CATALOG_SHARE_OFF) return false;
    if (snapshot->catalog.snapshot_receipt == 0 || gone < CATALOG_BRAKE_LEAST) return false;
    return gone * CATALOG_SHARE_OFF > live * (uint64_t)package->archive_share_ppm;
}

static enum err archive_products(struct snapshot *snapshot)
{
    enum err err = ERR_OK;
    for (size_t i = 0; !err && i < snapshot->live.count; i++) {
        const struct live_product *live = &snapshot->live.items[i];
        if (live->is_seen) continue;
        snapshot->result.products->archived++;
        err = catalog_product_archive(&snapshot->block.rows, live->product);
    }
    return err ? err : catalog_snapshot_rows_run(&snapshot->block.rows);
}

/* --- The whole -------------------------------------------------------------------------------- */

static enum err load(struct snapshot *snapshot)
{
    struct work *work = snapshot->work;
    const struct catalog_row *catalog = &snapshot->catalog;

    catalog_block_begin(&snapshot->block,
                        &(struct block_target){
                            .work = work,
                            .catalog = &snapshot->catalog,
                            .live = &snapshot->live,
                            .result = &snapshot->result,
                            .keep = snapshot->package->keeps_absent ? &snapshot->keep : NULL,
                            .receipt = snapshot->package->receipt,
                        });
    enum err err = catalog_live_load(&snapshot->live, work, catalog);
    if (!err) err = catalog_reference_load(&snapshot->categories, work, catalog);
    if (!err) err = catalog_reference_load(&snapshot->definitions, work, catalog);
    return err;
}

static enum err finish(struct snapshot *snapshot)
{
    enum err err = archive_products(snapshot);
    if (!err) err = catalog_reference_finish(&snapshot->categories);
    if (!err) err = catalog_reference_finish(&snapshot->definitions);
    if (err) return err;
    *snapshot->result.categories = snapshot->categories.tally;
    snapshot->catalog.snapshot_receipt = snapshot->package->receipt;
    snapshot->catalog.snapshot_at = snapshot->work->now_ms;
    random_bytes(&snapshot->catalog.edition, sizeof(snapshot->catalog.edition));
    return catalog_row_update(snapshot->work, &snapshot->package->integration_id,
                              &snapshot->catalog);
}

/* A field that is kept may refer to any category or definition of the snapshot. JSON has no order,
 * so these are read first. */
static enum err put_references(struct snapshot *snapshot)
{
    snapshot->result.kept = 0;
    snapshot->skips_products = true;
    enum err err = catalog_each_item(snapshot->package->body, put_item, snapshot);
    snapshot->skips_products = false;
    snapshot->skips_references = true;
    snapshot->has_lost_references = catalog_reference_has_lost(&snapshot->categories) ||
                                    catalog_reference_has_lost(&snapshot->definitions);
    return !err && catalog_keep_lacks_memory(&snapshot->keep) ? ERR_OVERLOADED : err;
}

/* Refuses the package with what the ERP would have been told at once, had the snapshot had the
 * axes. */
static enum err refuse_choices(struct snapshot *snapshot, struct catalog_outcome *outcome)
{
    size_t count = snapshot->block.fault_count;
    enum err err = catalog_refuse(
        outcome, arena_printf(snapshot->work->arena,
                              "%zu variant%s not choose one value of each option axis that the"
                              " catalog has of the product: send its option_axes and"
                              " option_values",
                              count, count == 1 ? " does" : "s do"));
    outcome->faults = snapshot->block.faults;
    return err;
}

/* Says how much would go, and that it is for an operator to say whether it shall (contract, section
 * 5 "Safety brake"). */
static enum err refuse_archiving(struct snapshot *snapshot, struct catalog_outcome *outcome)
{
    uint64_t live = snapshot->live.count, gone = live - snapshot->live.seen_count;
    uint64_t share_ppm = (uint64_t)snapshot->package->archive_share_ppm;
    uint64_t most = live * share_ppm / CATALOG_SHARE_OFF;
    enum err err = catalog_refuse(outcome, CATALOG_ARCHIVE_LIMIT);
    const char *message = arena_printf(
        snapshot->work->arena,
        "%" PRIu64 " of %" PRIu64 " live products would be archived; the limit is %" PRIu64
        ", a share of %g. An operator may release the package.",
        gone, live, most < CATALOG_BRAKE_LEAST ? CATALOG_BRAKE_LEAST - 1 : most,
        (double)share_ppm / CATALOG_SHARE_OFF);

    catalog_add_fault(snapshot->work->arena, &outcome->faults,
                      &(struct catalog_row_fault){.list = "products", .message = message});
    return err;
}

static enum err apply(struct snapshot *snapshot, struct catalog_outcome *outcome)
{
    enum err err = load(snapshot);
    if (err) return err;
    if (snapshot->package->keeps_absent) err = put_references(snapshot);
    if (!err) err = catalog_each_item(snapshot->package->body, put_item, snapshot);
    if (!err) err = catalog_block_write(&snapshot->block);
    if (err == ERR_PACKAGE_REFUSED) return catalog_refuse(outcome, CATALOG_DAMAGED);
    if (err) return err;
    if (snapshot->block.fault_count > 0) return refuse_choices(snapshot, outcome);
    if (is_braked(snapshot)) return refuse_archiving(snapshot, outcome);
    err = finish(snapshot);
    outcome->result = snapshot->result;
    return err;
}

/* --- A snapshot that comes too late ----------------------------------------------------------- */

struct late_snapshot {
    struct catalog_result result;
    struct arena arena;
};

static enum err count_late_item(void *arg, const struct catalog_item *item)
{
    struct late_snapshot *late = arg;
    struct catalog_product product = {0};
    uint64_t seen;
    enum err err = ERR_OK;

    if (item->list == CATALOG_CATEGORIES) late->result.categories->unchanged++;
    if (item->list == CATALOG_PRODUCTS) {
        late->result.products->unchanged++;
        err = catalog_decode_product(item->text, &late->arena, &product, &seen);
        late->result.prices->superseded += (int64_t)product.variants.count;
        arena_done(&late->arena);
    }
    return err;
}

/* A snapshot that came later was applied already. So this one, which was held back and then
 * released, changes nothing any more. */
static enum err pass_over(struct work *work, const struct catalog_package *package,
                          struct catalog_outcome *outcome)
{
    struct late_snapshot late = {.result = catalog_result_new(work->arena)};
    arena_init_large(&late.arena, CATALOG_DOC_MAX);
    if (package->keeps_absent) late.result.kept = 0;
    enum err err = catalog_each_item(package->body, count_late_item, &late);
    arena_done(&late.arena);
    if (err == ERR_PACKAGE_REFUSED) return catalog_refuse(outcome, CATALOG_DAMAGED);
    outcome->result = late.result;
    return err;
}

enum err catalog_apply_snapshot(struct work *work, const struct catalog_package *package,
                                struct catalog_outcome *ret_outcome)
{
    struct snapshot snapshot;
    struct catalog_row catalog;

    *ret_outcome = (struct catalog_outcome){0};
    atomic_store(&package->progress->rows_done, 0);
    enum err err = catalog_row_select(work, &package->integration_id, &catalog);
    if (err) return err;
    if (package->receipt <= catalog.snapshot_receipt) return pass_over(work, package, ret_outcome);

    snapshot_init(&snapshot, work, package);
    snapshot.catalog = catalog;
    err = apply(&snapshot, ret_outcome);
    snapshot_done(&snapshot);
    return err;
}
