/*
 * A package of changes is applied as a whole or not at all (doc B, section 4, rule 5). Its rows
 * carry final states, and a row only overwrites what an earlier package set: so it may be tried
 * again at any time, also after later packages.
 */
#include "core/service.h"
#include "domain/catalog/catalog_body.h"
#include "domain/catalog/catalog_changes_db.h"
#include "domain/catalog/catalog_outcome.h"
#include "kit/base/must.h"
#include "kit/base/text_map.h"

#include <stdlib.h>

enum { PLACES_AT_FIRST = 64 };

/* The change that a package makes to a pair: the last row of each list counts. */
struct change {
    struct catalog_pair pair;
    const char *price; /* NULL: nothing of its price */
    bool has_stock;
    int64_t stock;
};

struct change_row {
    struct catalog_item item;
    size_t change; /* the place of its pair */
};

struct changes {
    struct work *work;
    const struct catalog_package *package;
    struct catalog_row catalog;
    struct change_row *rows; /* as they were sent */
    struct change *changes;  /* one of each pair */
    size_t row_count, row_capacity, change_count, change_capacity;
    struct text_map by_pair;
    struct change **left; /* those that are not written yet, by the number of the product */
    size_t left_count;
    struct catalog_result result;
};

/* --- Reading ---------------------------------------------------------------------------------- */

static struct change *change_of(struct changes *changes, const struct catalog_item *item,
                                const char *product_id, const char *variant_id)
{
    uint32_t place = (uint32_t)changes->change_count;
    bool is_new =
        text_map_add_pair(&changes->by_pair, str_of(product_id), str_of(variant_id), place, &place);

    changes->rows = must_grow(changes->rows, changes->row_count, &changes->row_capacity,
                              PLACES_AT_FIRST, sizeof(*changes->rows));
    changes->changes = must_grow(changes->changes, changes->change_count, &changes->change_capacity,
                                 PLACES_AT_FIRST, sizeof(*changes->changes));
    changes->rows[changes->row_count++] = (struct change_row){*item, place};
    struct change *change = &changes->changes[place];
    if (!is_new) return change;
    changes->change_count++;
    *change = (struct change){.pair = {product_id, variant_id, 0, 0}};
    return change;
}

static enum err take_price(struct changes *changes, const struct catalog_item *item)
{
    struct catalog_price price;
    enum err err = catalog_decode_price(item->text, changes->work->arena, &price);
    if (err) return err;
    change_of(changes, item, price.product_id, price.variant_id)->price = price.price;
    return ERR_OK;
}

/* A stock below 0 is none (doc B, section 2 "Changes package"). */
static enum err take_stock(struct changes *changes, const struct catalog_item *item)
{
    struct catalog_stock stock;
    enum err err = catalog_decode_stock(item->text, changes->work->arena, &stock);
    if (err) return err;
    struct change *change = change_of(changes, item, stock.product_id, stock.variant_id);
    change->has_stock = true;
    change->stock = stock.available_quantity > 0 ? stock.available_quantity : 0;
    return ERR_OK;
}

static enum err take_row(void *arg, const struct catalog_item *item)
{
    struct changes *changes = arg;

    if (item->list != CATALOG_PRICES && item->list != CATALOG_STOCKS) return ERR_OK;
    if (changes->row_count == 2 * CATALOG_CHANGES_MAX) return ERR_PACKAGE_REFUSED;
    return item->list == CATALOG_PRICES ? take_price(changes, item) : take_stock(changes, item);
}

/* --- Looking up ------------------------------------------------------------------------------- */

/* Ids are looked up in their order, and so are numbers: the engine then reads and writes its pages
 * one behind the other, which is a third faster than at random. */
static int compare_ids(const void *a, const void *b)
{
    const struct catalog_pair *left = *(struct catalog_pair *const *)a;
    const struct catalog_pair *right = *(struct catalog_pair *const *)b;
    return strcmp(left->product_id, right->product_id);
}

static int compare_numbers(const void *a, const void *b)
{
    const struct change *left = *(struct change *const *)a, *right = *(struct change *const *)b;
    int64_t product = left->pair.product, other = right->pair.product;
    return (product > other) - (product < other);
}

/* Lists the pairs that no earlier package was about. */
static size_t list_unknown(struct changes *changes, struct catalog_pair **ret_pairs)
{
    struct catalog_memory *memory = changes->work->service->catalog_memory;
    size_t count = 0;

    for (size_t i = 0; i < changes->change_count; i++) {
        struct catalog_pair *pair = &changes->changes[i].pair;
        if (!catalog_memory_recall(memory, &changes->catalog, pair)) ret_pairs[count++] = pair;
    }
    return count;
}

static enum err find_pairs(struct changes *changes)
{
    struct work *work = changes->work;
    struct catalog_pair **pairs = arena_array(work->arena, changes->change_count, sizeof(*pairs));
    size_t count = list_unknown(changes, pairs);

    if (count == 0) return ERR_OK;
    qsort(pairs, count, sizeof(*pairs), compare_ids);
    enum err err = catalog_pairs_select(work, changes->catalog.number, pairs, count);
    for (size_t i = 0; !err && i < count; i++) {
        if (pairs[i]->product == 0) continue;
        catalog_memory_keep(work->service->catalog_memory, &changes->catalog, pairs[i]);
    }
    return err;
}

static void sort_by_number(struct changes *changes)
{
    size_t count = changes->change_count;

    changes->left = arena_array(changes->work->arena, count, sizeof(*changes->left));
    changes->left_count = count;
    for (size_t i = 0; i < count; i++)
        changes->left[i] = &changes->changes[i];
    qsort(changes->left, count, sizeof(*changes->left), compare_numbers);
}

/* --- Rows at fault ---------------------------------------------------------------------------- */

static enum err add_fault(struct changes *changes, const struct change_row *row,
                          struct record_list *faults)
{
    const struct change *change = &changes->changes[row->change];
    struct pair_state state;

    enum err err =
        catalog_pair_select_state(changes->work, changes->catalog.number, change->pair.product_id,
                                  change->pair.variant_id, &state);
    if (err) return err;
    const char *message = "The catalog has no such product.";
    if (state.has_product) message = "The product has no such variant.";
    if (state.has_variant) message = "The variant is archived.";
    if (state.is_product_archived) message = "The product is archived.";
    catalog_add_fault(changes->work->arena, faults,
                      &(struct catalog_row_fault){
                          .list = catalog_list_words[row->item.list],
                          .index = (int64_t)row->item.index,
                          .product_id = change->pair.product_id,
                          .variant_id = change->pair.variant_id,
                          .message = message,
                      });
    return ERR_OK;
}

/* ERR_PACKAGE_REFUSED: a row names a pair that is not there. Nothing was written yet. */
static enum err check_rows(struct changes *changes, struct catalog_outcome *outcome)
{
    struct arena *arena = changes->work->arena;
    size_t missing = 0;
    enum err err = ERR_OK;

    for (size_t i = 0; !err && i < changes->row_count; i++) {
        const struct change_row *row = &changes->rows[i];
        if (changes->changes[row->change].pair.product != 0 || missing++ >= CATALOG_FAULTS_MAX)
            continue;
        err = add_fault(changes, row, &outcome->faults);
    }
    if (err || missing == 0) return err;
    outcome->problem =
        missing == 1 ? "1 row names a product or variant that the catalog does not have"
                     : arena_printf(arena,
                                    "%zu rows name a product or variant that the catalog does not"
                                    " have",
                                    missing);
    return ERR_PACKAGE_REFUSED;
}

/* --- Applying --------------------------------------------------------------------------------- */

enum verdict { SUPERSEDED, UNCHANGED, CHANGED };

static enum verdict judge(int64_t receipt, int64_t newest_receipt, bool is_equal,
                          struct catalog_offer_tally *tally)
{
    if (receipt < newest_receipt) {
        tally->superseded++;
        return SUPERSEDED;
    }
    if (is_equal)
        tally->unchanged++;
    else
        tally->changed++;
    return is_equal ? UNCHANGED : CHANGED;
}

/* A value that is told again stays, but takes the newer receipt number: a package that came in
 * between and is tried again later must find that it is older. A snapshot sets all prices, and no
 * stock. */
static enum verdict set_price(const struct changes *changes, const struct change *change,
                              struct offer_row *offer)
{
    int64_t receipt = changes->package->receipt;
    int64_t newest = changes->catalog.snapshot_receipt;
    if (newest < offer->price_receipt) newest = offer->price_receipt;
    bool is_equal = strcmp(offer->price, change->price) == 0;

    enum verdict verdict = judge(receipt, newest, is_equal, changes->result.prices);
    if (verdict == SUPERSEDED) return verdict;
    offer->price = change->price;
    offer->price_receipt = receipt;
    return verdict;
}

static enum verdict set_stock(const struct changes *changes, const struct change *change,
                              struct offer_row *offer)
{
    int64_t receipt = changes->package->receipt;
    bool is_equal = offer->stock == change->stock;

    enum verdict verdict = judge(receipt, offer->stock_receipt, is_equal, changes->result.stocks);
    if (verdict == SUPERSEDED) return verdict;
    offer->stock = change->stock;
    offer->stock_receipt = receipt;
    return verdict;
}

/* Returns whether the offer has to be written. */
static bool set_offer(const struct changes *changes, const struct change *change,
                      struct offer_row *offer)
{
    enum verdict price = change->price ? set_price(changes, change, offer) : SUPERSEDED;
    enum verdict stock = change->has_stock ? set_stock(changes, change, offer) : SUPERSEDED;
    if (price == CHANGED || stock == CHANGED) offer->updated_at = changes->work->now_ms;
    return price != SUPERSEDED || stock != SUPERSEDED;
}

/* Takes off the list what catalog_offers_renew has written. */
static void drop_renewed(struct changes *changes, const int64_t *written)
{
    size_t left = 0;
    for (size_t i = 0; i < changes->left_count; i++) {
        struct change *change = changes->left[i];
        changes->result.prices->changed += written[i] && change->price;
        changes->result.stocks->changed += written[i] && change->has_stock;
        if (!written[i]) changes->left[left++] = change;
    }
    changes->left_count = left;
}

/* Mostly all that a package says is new; then it is written without a look at what there was. */
static enum err renew_offers(struct changes *changes)
{
    struct arena *arena = changes->work->arena;
    size_t count = changes->left_count;
    struct offer_news *news = arena_array(arena, count, sizeof(*news));
    int64_t *written = arena_array(arena, count, sizeof(*written));

    if (changes->package->receipt < changes->catalog.snapshot_receipt) return ERR_OK;
    for (size_t i = 0; i < count; i++) {
        const struct change *change = changes->left[i];
        news[i] = (struct offer_news){change->pair.product, change->pair.variant, change->price,
                                      change->has_stock ? change->stock : -1};
    }
    enum err err =
        catalog_offers_renew(changes->work, news, count, changes->package->receipt, written);
    if (!err) drop_renewed(changes, written);
    return err;
}

static enum err find_offers(struct changes *changes, struct offer_row *ret_offers)
{
    size_t count = changes->left_count;
    const struct catalog_pair **pairs = arena_array(changes->work->arena, count, sizeof(*pairs));

    for (size_t i = 0; i < count; i++)
        pairs[i] = &changes->left[i]->pair;
    return catalog_offers_select(changes->work, pairs, count, ret_offers);
}

/* Compares each value that is left with what there is. */
static enum err merge_offers(struct changes *changes)
{
    size_t left = changes->left_count, count = 0;
    struct offer_row *offers = arena_array(changes->work->arena, left, sizeof(*offers));

    if (left == 0) return ERR_OK;
    enum err err = find_offers(changes, offers);
    for (size_t i = 0; !err && i < left; i++) {
        struct offer_row offer = offers[i];
        if (offer.product == 0) return LOG_BROKEN("a variant has no offer");
        if (set_offer(changes, changes->left[i], &offer)) offers[count++] = offer;
    }
    if (err || count == 0) return err;
    return catalog_offers_update(changes->work, offers, count);
}

static enum err apply(struct changes *changes, struct catalog_outcome *outcome)
{
    enum err err = catalog_each_item(changes->package->body, take_row, changes);
    if (err == ERR_PACKAGE_REFUSED) return catalog_refuse(outcome, CATALOG_DAMAGED);
    if (!err) err = find_pairs(changes);
    if (!err) err = check_rows(changes, outcome);
    if (err) return err;
    sort_by_number(changes);
    err = renew_offers(changes);
    if (!err) err = merge_offers(changes);
    if (err) return err;
    outcome->result = changes->result;
    atomic_store(&changes->package->progress->rows_done, (int64_t)changes->row_count);
    changes->catalog.changes_at = changes->work->now_ms;
    return catalog_row_update(changes->work, &changes->package->integration_id, &changes->catalog);
}

enum err catalog_apply_changes(struct work *work, const struct catalog_package *package,
                               struct catalog_outcome *ret_outcome)
{
    struct changes changes = {
        .work = work, .package = package, .result = catalog_result_new(work->arena)};

    *ret_outcome = (struct catalog_outcome){0};
    enum err err = catalog_row_select(work, &package->integration_id, &changes.catalog);
    if (err) return err;
    text_map_init(&changes.by_pair);
    err = apply(&changes, ret_outcome);
    text_map_done(&changes.by_pair);
    free(changes.changes);
    free(changes.rows);
    return err;
}
