/* The products that a catalog has at the beginning of a snapshot. */
#include "domain/catalog/catalog_live.h"

#include "domain/catalog/catalog_snapshot_db.h"
#include "kit/base/must.h"

#include <stdlib.h>

enum { PLACES_AT_FIRST = 1024 };

void catalog_live_init(struct catalog_live *live)
{
    *live = (struct catalog_live){0};
    text_map_init_large(&live->by_text);
}

void catalog_live_done(struct catalog_live *live)
{
    free(live->items);
    text_map_done(&live->by_text);
}

static struct str text_of(const struct catalog_hash *hash)
{
    return (struct str){(const char *)hash->bytes, sizeof(hash->bytes)};
}

static void add(void *arg, const struct live_row *row)
{
    struct catalog_live *live = arg;

    if (live->lacks_memory) return;
    struct live_product *items =
        may_grow(live->items, live->count, &live->capacity, PLACES_AT_FIRST, sizeof(*items));
    live->lacks_memory = !items;
    if (!items) return;
    live->items = items;
    text_map_add(&live->by_text, text_of(&row->text_hash), (uint32_t)live->count, NULL);
    live->items[live->count++] = (struct live_product){
        .product = row->product, .variant_count = row->variant_count, .kept = (int8_t)row->kept};
}

static void mark_touched(void *arg, int64_t product)
{
    struct live_product *known = catalog_live_by_number(arg, product);
    if (known) known->is_touched = true;
}

/* They are read in parts, since PostgreSQL gives a result as a whole. */
enum err catalog_live_load(struct catalog_live *live, struct work *work,
                           const struct catalog_row *catalog)
{
    size_t before;
    enum err err;

    do {
        before = live->count;
        int64_t after = before ? live->items[before - 1].product : catalog_first_product(catalog);
        err = catalog_live_select(work, after, catalog_end_product(catalog), add, live);
    } while (!err && live->count - before == CATALOG_LIVE_PART);
    if (!err && (live->lacks_memory || live->by_text.lacks_memory)) return ERR_OVERLOADED;
    return err ? err : catalog_live_select_touched(work, catalog, mark_touched, live);
}

struct live_product *catalog_live_by_text(struct catalog_live *live,
                                          const struct catalog_hash *hash)
{
    uint32_t place;
    return text_map_find(&live->by_text, text_of(hash), &place) ? &live->items[place] : NULL;
}

static int compare(const void *key, const void *item)
{
    int64_t product = *(const int64_t *)key;
    int64_t other = ((const struct live_product *)item)->product;
    return (product > other) - (product < other);
}

struct live_product *catalog_live_by_number(struct catalog_live *live, int64_t product)
{
    if (live->count == 0) return NULL;
    return bsearch(&product, live->items, live->count, sizeof(*live->items), compare);
}

void catalog_live_see(struct catalog_live *live, struct live_product *product)
{
    if (!product->is_seen) live->seen_count++;
    product->is_seen = true;
}
