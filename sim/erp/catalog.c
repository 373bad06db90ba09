/* The lists of a catalog, and the order of its products with what a change seed did to them. */
#include "catalog.h"

#include "product.h"
#include "sim/common/chance.h"
#include "words.h"

enum { PRODUCTS_OF_A_CATEGORY = 60, VALUES_OF_A_LIST_MAX = 1000 };

/* --- Categories and definitions --------------------------------------------------------------- */

static void make_categories(struct catalog *catalog)
{
    struct arena *arena = &catalog->arena;
    size_t count = (size_t)(catalog->plan.product_count / PRODUCTS_OF_A_CATEGORY) + SHELF_COUNT;

    catalog->category_count = count;
    catalog->categories = arena_array(arena, count, sizeof(*catalog->categories));
    for (size_t i = 0; i < count; i++) {
        const char *name = shelves[i % SHELF_COUNT].category;
        if (i >= SHELF_COUNT) name = arena_printf(arena, "%s, ряд %zu", name, i / SHELF_COUNT + 1);
        catalog->categories[i].id = shop_guid(arena, catalog->plan.seed, PURPOSE_CATEGORY, i);
        catalog->categories[i].name = name;
    }
}

static const struct {
    const char *code, *name, *type, *unit, *canonical_code;
    const char *const *values;
} definition_rows[DEFINITION_COUNT] = {
    [DEFINITION_BRAND] = {"BRAND", "Бренд", "enum", NULL, "brand", word_brands},
    [DEFINITION_COLOR] = {"COLOR", "Цвет", "enum", NULL, "color", word_colors},
    [DEFINITION_SIZE] = {"SIZE", "Размер", "enum", NULL, "size", word_sizes},
    [DEFINITION_COUNTRY] = {"COUNTRY", "Страна происхождения", "string", NULL, "country", NULL},
    [DEFINITION_WEIGHT] = {"WEIGHT", "Масса нетто", "decimal", "кг", "net_weight", NULL},
    [DEFINITION_ENERGY] = {"ENERGY", "Пищевая ценность 🔋", "decimal", "ккал/100 г", NULL, NULL},
    [DEFINITION_SHELF_LIFE] = {"LIFE", "Срок годности", "integer", "сут.", "shelf_life", NULL},
    [DEFINITION_VEGAN] = {"VEGAN", "Подходит веганам", "boolean", NULL, "vegan", NULL},
    [DEFINITION_HARVEST] = {NULL, "Дата урожая", "date", NULL, NULL, NULL},
};

static void make_values(struct catalog *catalog, size_t index)
{
    struct definition *definition = &catalog->definitions[index];
    const char *const *words = definition_rows[index].values;

    if (!words) return;
    definition->value_count = word_count(words);
    struct shop_value *values =
        arena_array(&catalog->arena, definition->value_count, sizeof(*values));
    for (size_t i = 0; i < definition->value_count; i++)
        values[i] = (struct shop_value){
            shop_guid(&catalog->arena, catalog->plan.seed, PURPOSE_DEFINITION_VALUE,
                      index * VALUES_OF_A_LIST_MAX + i),
            arena_printf(&catalog->arena, "%s-%02zu", definition->code, i + 1), words[i]};
    definition->values = values;
}

static void make_definitions(struct catalog *catalog)
{
    catalog->definition_count = DEFINITION_COUNT;
    catalog->definitions =
        arena_array(&catalog->arena, DEFINITION_COUNT, sizeof(*catalog->definitions));
    for (size_t i = 0; i < DEFINITION_COUNT; i++) {
        catalog->definitions[i] = (struct definition){
            .id = shop_guid(&catalog->arena, catalog->plan.seed, PURPOSE_DEFINITION, i),
            .code = definition_rows[i].code,
            .name = definition_rows[i].name,
            .type = definition_rows[i].type,
            .unit = definition_rows[i].unit,
            .canonical_code = definition_rows[i].canonical_code,
        };
        make_values(catalog, i);
    }
}

void catalog_init(struct catalog *catalog, const struct catalog_plan *plan)
{
    *catalog = (struct catalog){.plan = *plan};
    arena_init(&catalog->arena);
    make_categories(catalog);
    make_definitions(catalog);
}

void catalog_done(struct catalog *catalog)
{
    arena_done(&catalog->arena);
}

/* --- The order of the products ---------------------------------------------------------------- */

struct catalog_walk catalog_walk_from(const struct catalog *catalog, uint64_t start)
{
    int64_t count = catalog->plan.product_count;
    return (struct catalog_walk){.index = (int64_t)(start % (uint64_t)count), .left = count};
}

struct catalog_walk catalog_walk_all(const struct catalog *catalog)
{
    return catalog_walk_from(catalog, 0);
}

/* The change seed did one of these at a place of the catalog, in tenths of the changes there
 * are. */
enum place_change { PLACE_SAME, PLACE_PRICE, PLACE_NAME, PLACE_TEXT, PLACE_REMOVED, PLACE_ADDED };

static enum place_change change_at(const struct catalog_plan *plan, int64_t index)
{
    static const enum place_change tenths[] = {
        PLACE_PRICE, PLACE_PRICE, PLACE_PRICE, PLACE_PRICE,   PLACE_PRICE,
        PLACE_NAME,  PLACE_NAME,  PLACE_TEXT,  PLACE_REMOVED, PLACE_ADDED,
    };
    struct chance chance =
        chance_of(plan->seed ^ (plan->change_seed << 32), PURPOSE_CHANGE, (uint64_t)index);

    if (chance_below(&chance, CATALOG_SHARE_ALL) >= plan->change_ppm) return PLACE_SAME;
    return tenths[chance_below(&chance, 10)];
}

static enum product_change product_change_of(enum place_change change)
{
    switch (change) {
    case PLACE_PRICE:
        return CHANGE_PRICE;
    case PLACE_NAME:
        return CHANGE_NAME;
    case PLACE_TEXT:
        return CHANGE_TEXT;
    case PLACE_SAME:
    case PLACE_REMOVED:
    case PLACE_ADDED:
        return CHANGE_NONE;
    }
    return CHANGE_NONE;
}

bool catalog_next(const struct catalog *catalog, struct catalog_walk *walk, struct arena *arena,
                  struct product *ret_product)
{
    int64_t count = catalog->plan.product_count;

    if (walk->is_addition_due) { /* beside the place that came before */
        walk->is_addition_due = false;
        int64_t beside = (walk->index + count - 1) % count;
        product_make(catalog, count + beside, CHANGE_NONE, arena, ret_product);
        return true;
    }
    while (walk->left > 0) {
        int64_t index = walk->index;
        walk->index = (index + 1) % count;
        walk->left--;
        enum place_change change = change_at(&catalog->plan, index);
        if (change == PLACE_REMOVED) continue;
        walk->is_addition_due = change == PLACE_ADDED;
        product_make(catalog, index, product_change_of(change), arena, ret_product);
        return true;
    }
    return false;
}
