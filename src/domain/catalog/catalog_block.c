/* Products of a snapshot that have to be looked at. */
#include "domain/catalog/catalog_block.h"

#include "domain/catalog/catalog_outcome.h"
#include "kit/base/fold.h"

#include <stddef.h>

void catalog_block_init(struct catalog_block *block)
{
    *block = (struct catalog_block){0};
    arena_init_large(&block->arena, CATALOG_BLOCK_MEMORY_MAX);
    arena_init_large(&block->kept, CATALOG_BLOCK_MEMORY_MAX);
    buf_init_large(&block->doc, CATALOG_DOC_MAX);
    text_map_init_large(&block->by_variant);
    text_map_init_large(&block->by_value);
}

void catalog_block_done(struct catalog_block *block)
{
    text_map_done(&block->by_value);
    text_map_done(&block->by_variant);
    buf_done(&block->doc);
    arena_done(&block->kept);
    arena_done(&block->arena);
}

void catalog_block_begin(struct catalog_block *block, const struct block_target *target)
{
    block->target = *target;
    block->items =
        arena_array(target->work->arena, CATALOG_BLOCK_PRODUCTS_MAX, sizeof(*block->items));
    catalog_snapshot_rows_init(&block->rows, target->work);
}

/* --- Taking ----------------------------------------------------------------------------------- */

/* Prices are no content: they are set aside, so that the doc has none. */
static enum err take_prices(struct catalog_block *block, struct block_product *item)
{
    struct catalog_variant *variants = item->content.variants.items;
    size_t count = item->content.variants.count;

    item->prices = arena_try(&block->arena, count, sizeof(*item->prices));
    if (!item->prices) return ERR_OVERLOADED;
    for (size_t i = 0; i < count; i++) {
        item->prices[i] = variants[i].price;
        variants[i].price = NULL;
    }
    return ERR_OK;
}

static enum err make_doc(struct catalog_block *block, struct block_product *item,
                         struct arena *arena)
{
    buf_clear(&block->doc);
    catalog_encode(&catalog_product_record, &item->content, &block->doc);
    if (block->doc.is_full) return block->doc.lacks_memory ? ERR_OVERLOADED : ERR_PACKAGE_REFUSED;
    item->doc = (struct str){arena_try_str(arena, buf_view(&block->doc)), block->doc.len};
    if (!item->doc.data) return ERR_OVERLOADED;
    item->doc_hash = catalog_hash(item->doc);
    return ERR_OK;
}

enum err catalog_block_add(struct catalog_block *block, const struct catalog_item *product,
                           const struct catalog_hash *text_hash)
{
    struct block_product *item = &block->items[block->count];
    *item = (struct block_product){.index = product->index, .text_hash = *text_hash};

    enum err err =
        catalog_decode_product(product->text, &block->arena, &item->content, &item->seen);
    if (!err) err = take_prices(block, item);
    if (!err) err = make_doc(block, item, &block->arena);
    if (err) return err;
    block->count++;
    block->bytes += product->text.len;
    bool is_full =
        block->count == CATALOG_BLOCK_PRODUCTS_MAX || block->bytes >= CATALOG_BLOCK_BYTES_MAX;
    return is_full ? catalog_block_write(block) : ERR_OK;
}

/* --- Looking up ------------------------------------------------------------------------------- */

static void take_known(void *arg, const struct known_product *row)
{
    struct catalog_block *block = arg;
    if (row->place < block->count) block->items[row->place].known = *row;
}

static void take_variant(void *arg, const struct known_variant *row)
{
    struct catalog_block *block = arg;
    if (row->place >= block->count) return;

    struct block_variant *variant = arena_try(&block->arena, 1, sizeof(*variant));
    if (!variant) return; /* which the arena remembers */
    struct block_product *item = &block->items[row->place];
    *variant = (struct block_variant){.next = item->variants, .row = *row};
    item->variants = variant;
}

static enum err look_up(struct catalog_block *block)
{
    struct work *work = block->target.work;
    const char **ids = arena_array(&block->arena, block->count, sizeof(*ids));
    int64_t *products = arena_array(&block->arena, block->count, sizeof(*products));
    struct product_keys keys = {ids, products, block->count};
    size_t known_count = 0;

    /* The first snapshot finds nothing. */
    if (block->target.catalog->last_product == 0) return ERR_OK;
    for (size_t i = 0; i < block->count; i++)
        ids[i] = block->items[i].content.id;
    enum err err =
        catalog_product_select_known(work, block->target.catalog->number, &keys, take_known, block);
    if (err) return err;

    for (size_t i = 0; i < block->count; i++) {
        products[i] = block->items[i].known.product;
        known_count += products[i] != 0;
    }
    if (known_count == 0) return ERR_OK;
    err = catalog_variant_select_known(work, &keys, &block->arena, take_variant, block);
    return !err && block->arena.is_exhausted ? ERR_OVERLOADED : err;
}

/* --- What they keep --------------------------------------------------------------------------- */

struct keeping {
    struct catalog_block *block;
    struct block_product **items; /* by place in the question */
    enum err err;
};

static void fill(void *arg, size_t place, const struct catalog_product *stored)
{
    struct keeping *keeping = arg;
    struct catalog_block *block = keeping->block;
    struct block_product *item = keeping->items[place];

    if (keeping->err) return;
    item->is_filled = true;
    item->kept =
        catalog_keep_fill(block->target.keep, stored, item->seen, &item->content, &block->kept);
    if (item->kept > 0) keeping->err = make_doc(block, item, &block->kept);
}

/* Fills those products that the catalog has and whose text lacks something that would be kept. What
 * is stored of many products may be far more than the snapshot has; then the first are filled, up
 * to `ret_end`, and the others when these are written. */
static enum err keep_fields(struct catalog_block *block, size_t begin, size_t *ret_end)
{
    struct arena *arena = &block->kept;
    size_t room = block->count - begin, end = begin;
    struct keeping keeping = {block, arena_array(arena, room, sizeof(*keeping.items)), ERR_OK};
    int64_t *products = arena_array(arena, room, sizeof(*products));
    struct product_keys keys = {.products = products};

    for (size_t i = begin; i < block->count; i++) {
        struct block_product *item = &block->items[i];
        item->is_filled = !item->known.product || !catalog_keep_lacks_any(item->seen);
        if (item->is_filled) continue;
        products[keys.count] = item->known.product;
        keeping.items[keys.count++] = item;
    }
    enum err err = ERR_OK;
    if (keys.count > 0)
        err = catalog_doc_select_known(block->target.work, &keys, arena, fill, &keeping);
    if (!err) err = keeping.err;
    if (!err && catalog_keep_lacks_memory(block->target.keep)) err = ERR_OVERLOADED;
    if (err) return err;
    while (end < block->count && block->items[end].is_filled)
        end++;
    if (end == begin) return LOG_BROKEN("a product has no content");
    *ret_end = end;
    return ERR_OK;
}

/* --- What their variants choose --------------------------------------------------------------- */

/* A variant under judgement. */
struct chooser {
    struct catalog_block *block;
    const struct block_product *item;
    const char *variant_id;
    bool is_at_fault;
};

/* Only the first flaw of a variant is told. */
static void take_flaw(void *arg, enum choice_flaw flaw, size_t index)
{
    static const char *const messages[] = {
        [CHOICE_OF_NO_AXIS] = "The variant names an option axis that the product does not have.",
        [CHOICE_REPEATED] = "The variant names an option axis twice.",
        [CHOICE_OF_NO_VALUE] = "The variant names a value that the option axis does not have.",
        [CHOICE_LACKING] = "The variant names no value of an option axis that the product keeps.",
    };
    struct chooser *chooser = arg;
    struct catalog_block *block = chooser->block;
    struct arena *arena = block->target.work->arena;

    (void)index;
    if (chooser->is_at_fault) return;
    chooser->is_at_fault = true;
    if (block->fault_count++ >= CATALOG_FAULTS_MAX) return;
    catalog_add_fault(arena, &block->faults,
                      &(struct catalog_row_fault){
                          .list = catalog_list_words[CATALOG_PRODUCTS],
                          .index = (int64_t)chooser->item->index,
                          .product_id = arena_text(arena, chooser->item->content.id),
                          .variant_id = arena_text(arena, chooser->variant_id),
                          .message = messages[flaw],
                      });
}

/* If the axes are stated, their choices were checked when the package came. ERR_OVERLOADED: there
 * is no memory to look the values up. */
static enum err check_choices(struct catalog_block *block, const struct block_product *item)
{
    const struct catalog_variant *variants = item->content.variants.items;

    if (catalog_is_there(item->seen, offsetof(struct catalog_product, axes))) return ERR_OK;
    struct catalog_axes axes = catalog_axes_of(&item->content.axes, &block->by_value);
    if (block->by_value.lacks_memory) return ERR_OVERLOADED;
    for (size_t i = 0; i < item->content.variants.count; i++) {
        struct chooser chooser = {block, item, variants[i].id, false};
        catalog_choices_judge(&axes, &variants[i].choices, take_flaw, &chooser);
    }
    return ERR_OK;
}

/* --- Products that are new -------------------------------------------------------------------- */

static struct product_row row_of(const struct block_product *item, int64_t product)
{
    return (struct product_row){
        .product = product,
        .category_id = item->content.category_id,
        .text_hash = &item->text_hash,
        .doc_hash = &item->doc_hash,
        .variant_count = (int64_t)item->content.variants.count,
        .kept = item->kept,
    };
}

static enum err add_variant(struct catalog_block *block, const struct block_product *item,
                            size_t index, int64_t product, int64_t variant)
{
    const struct catalog_variant *variants = item->content.variants.items;

    block->target.result->prices->changed++;
    enum err err = catalog_variant_insert(&block->rows, product, variant, variants[index].id);
    if (err) return err;
    return catalog_offer_insert(&block->rows, product, variant, item->prices[index],
                                block->target.receipt);
}

static enum err add_product(struct catalog_block *block, const struct block_product *item)
{
    struct catalog_row *catalog = block->target.catalog;
    int64_t product = catalog_first_product(catalog) + ++catalog->last_product;
    struct product_row row = row_of(item, product);
    const char *folded = fold_text(&block->arena, item->content.name);

    row.last_variant = row.variant_count;
    block->target.result->products->added++;
    enum err err = catalog_product_insert(&block->rows, catalog->number, item->content.id, &row);
    if (!err) err = catalog_product_insert_doc(&block->rows, product, item->doc, folded);
    for (size_t i = 0; !err && i < item->content.variants.count; i++)
        err = add_variant(block, item, i, product, (int64_t)i + 1);
    return err;
}

/* --- Products that there are ------------------------------------------------------------------ */

/* A price that a later package set stays; that happens where a snapshot was held back and released
 * afterwards. */
static enum err set_price(struct catalog_block *block, const struct known_variant *variant,
                          int64_t product, const char *price)
{
    struct catalog_offer_tally *tally = block->target.result->prices;

    if (variant->price_receipt > block->target.receipt) {
        tally->superseded++;
        return ERR_OK;
    }
    if (strcmp(variant->price, price) == 0) {
        tally->unchanged++;
        return ERR_OK;
    }
    tally->changed++;
    return catalog_offer_set_price(&block->rows, product, variant->variant, price,
                                   block->target.receipt);
}

/* NULL: there is no memory for it. */
static struct block_variant **index_variants(struct catalog_block *block,
                                             const struct block_product *item)
{
    size_t count = 0;
    for (struct block_variant *variant = item->variants; variant; variant = variant->next)
        count++;

    struct block_variant **places = arena_try(&block->arena, count, sizeof(*places));
    uint32_t place = 0;
    text_map_clear(&block->by_variant);
    for (struct block_variant *variant = item->variants; places && variant;
         variant = variant->next) {
        text_map_add(&block->by_variant, str_of(variant->row.id), place, NULL);
        places[place++] = variant;
    }
    return block->by_variant.lacks_memory ? NULL : places;
}

static enum err keep_variant(struct catalog_block *block, const struct block_product *item,
                             struct block_variant *variant, const char *price)
{
    int64_t product = item->known.product;
    enum err err = ERR_OK;

    variant->is_listed = true;
    if (variant->row.archived != VARIANT_LIVE)
        err = catalog_variant_set_archived(&block->rows, product, variant->row.id, VARIANT_LIVE);
    return err ? err : set_price(block, &variant->row, product, price);
}

static enum err archive_variants(struct catalog_block *block, const struct block_product *item)
{
    enum err err = ERR_OK;
    for (struct block_variant *known = item->variants; !err && known; known = known->next) {
        if (!known->is_listed && known->row.archived != VARIANT_LEFT)
            err = catalog_variant_set_archived(&block->rows, item->known.product, known->row.id,
                                               VARIANT_LEFT);
    }
    return err;
}

/* `ret_last`: the number that was given last to a variant of it. */
static enum err change_variants(struct catalog_block *block, const struct block_product *item,
                                int64_t *ret_last)
{
    const struct catalog_variant *variants = item->content.variants.items;
    struct block_variant **known = index_variants(block, item);
    int64_t last = item->known.last_variant;
    enum err err = known ? ERR_OK : ERR_OVERLOADED;

    for (size_t i = 0; !err && i < item->content.variants.count; i++) {
        uint32_t place;
        if (text_map_find(&block->by_variant, str_of(variants[i].id), &place))
            err = keep_variant(block, item, known[place], item->prices[i]);
        else
            err = add_variant(block, item, i, item->known.product, ++last);
    }
    *ret_last = last;
    return err ? err : archive_variants(block, item);
}

static bool is_same(const struct catalog_hash *a, const struct catalog_hash *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

/* The content is the same, even if the text is not: it may have another price, or its keys in
 * another order. */
static enum err keep_content(struct catalog_block *block, const struct block_product *item)
{
    block->target.result->products->unchanged++;
    bool is_same_text = is_same(&item->known.text_hash, &item->text_hash);
    if (is_same_text && item->known.kept == item->kept) return ERR_OK;
    return catalog_product_update_text(&block->rows, item->known.product, &item->text_hash,
                                       item->kept);
}

static enum err change_content(struct catalog_block *block, const struct block_product *item,
                               int64_t last_variant)
{
    struct product_row row = row_of(item, item->known.product);
    row.last_variant = last_variant;

    block->target.result->products->changed++;
    enum err err = catalog_product_update(&block->rows, &row);
    if (err || is_same(&item->known.doc_hash, &item->doc_hash)) return err;
    return catalog_product_update_doc(&block->rows, row.product, item->doc,
                                      fold_text(&block->arena, item->content.name));
}

static enum err change_product(struct catalog_block *block, const struct block_product *item)
{
    struct live_product *live = catalog_live_by_number(block->target.live, item->known.product);
    if (live) catalog_live_see(block->target.live, live);

    int64_t last_variant;
    enum err err = change_variants(block, item, &last_variant);
    if (err) return err;
    if (!item->known.is_archived && is_same(&item->known.doc_hash, &item->doc_hash))
        return keep_content(block, item);
    return change_content(block, item, last_variant);
}

/* --- Writing ---------------------------------------------------------------------------------- */

static enum err write_some(struct catalog_block *block, size_t begin, size_t end)
{
    enum err err = ERR_OK;

    for (size_t i = begin; !err && i < end; i++)
        err = check_choices(block, &block->items[i]);
    for (size_t i = begin; !err && block->fault_count == 0 && i < end; i++) {
        const struct block_product *item = &block->items[i];
        if (block->target.keep) block->target.result->kept += item->kept;
        err = item->known.product ? change_product(block, item) : add_product(block, item);
    }
    if (!err) err = catalog_snapshot_rows_run(&block->rows);
    arena_done(&block->kept);
    return err;
}

enum err catalog_block_write(struct catalog_block *block)
{
    if (block->count == 0) return ERR_OK;
    enum err err = look_up(block);
    for (size_t begin = 0, end = block->count; !err && begin < block->count; begin = end) {
        if (block->target.keep) err = keep_fields(block, begin, &end);
        if (!err) err = write_some(block, begin, end);
    }
    block->count = block->bytes = 0;
    arena_done(&block->arena);
    return err;
}
