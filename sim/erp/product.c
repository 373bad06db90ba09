/*
 * The nature of a product follows from its place in the catalog, so that a small catalog has every
 * kind; the words and numbers in it follow from the seed.
 */
#include "product.h"

#include "sim/common/chance.h"
#include "words.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    ID_SIZE = 128,
    LONG_EVERY = 97, /* a long description */
    LONG_SENTENCES = 60,
    ODD_PRICES = 211, /* the form of a price is unusual in a few of so many */
};

const char *shop_guid(struct arena *arena, uint64_t seed, enum purpose purpose, uint64_t index)
{
    struct chance chance = chance_of(seed, purpose, index);
    char *text = arena_alloc(arena, UUID_TEXT_LEN + 1);

    chance_guid(&chance, text);
    return text;
}

/* Most ERPs have GUIDs; any text will do. */
const char *product_id(const struct catalog *catalog, int64_t index, struct arena *arena)
{
    if (index % 64 == 63)
        return arena_printf(arena, "Номенклатура/00-%08" PRId64 " №%" PRIu64 " 100%%", index,
                            catalog->plan.seed);
    return shop_guid(arena, catalog->plan.seed, PURPOSE_PRODUCT_ID, (uint64_t)index);
}

/* --- Texts ------------------------------------------------------------------------------------ */

/* Writes exactly `len` bytes of text without anything that JSON escapes. */
static void fill(char *at, size_t len)
{
    static const char pattern[] = "подробности на сайте; ";
    size_t done = 0;

    while (len - done >= sizeof(pattern) - 1) {
        memcpy(at + done, pattern, sizeof(pattern) - 1);
        done += sizeof(pattern) - 1;
    }
    memset(at + done, '.', len - done);
}

static const char *make_description(const struct catalog *catalog, struct chance *chance,
                                    int64_t index, bool is_changed, struct arena *arena)
{
    const char *sentences[LONG_SENTENCES + 1];
    size_t count = index % LONG_EVERY == 3 ? LONG_SENTENCES : chance_below(chance, 3);
    size_t len = (size_t)(catalog->plan.filling + (index == 0 ? catalog->plan.filling_extra : 0));
    size_t filling = len;

    for (size_t i = 0; i < count; i++)
        sentences[i] = word_at(word_sentences, (unsigned)chance_next(chance));
    if (is_changed) sentences[count++] = "Теперь по новому рецепту.";
    for (size_t i = 0; i < count; i++)
        len += strlen(sentences[i]) + 1;
    char *text = arena_alloc(arena, len + 1);
    char *at = text;
    for (size_t i = 0; i < count; i++) {
        size_t sentence_len = strlen(sentences[i]);
        memcpy(at, sentences[i], sentence_len);
        at[sentence_len] = ' ';
        at += sentence_len + 1;
    }
    fill(at, filling);
    return text;
}

static const char **pick_words(struct chance *chance, const char *const *list, unsigned count_max,
                               struct arena *arena, size_t *ret_count)
{
    unsigned first = (unsigned)chance_next(chance) % word_count(list);

    *ret_count = chance_below(chance, count_max + 1);
    const char **words = arena_array(arena, *ret_count + 1, sizeof(*words));
    for (size_t i = 0; i < *ret_count; i++)
        words[i] = word_at(list, first + (unsigned)i);
    return words;
}

/* --- Numbers ---------------------------------------------------------------------------------- */

static const char *make_price(struct chance *chance, uint64_t form, struct arena *arena)
{
    static const char *const odd[] = {"1.5e2",    "1E+2",      "0", "123456789012345.123456",
                                      "0.000001", "99.000000", "-0"};
    uint32_t rubles = 10 + chance_below(chance, 5000);
    uint32_t kopecks = chance_below(chance, 100);

    form %= ODD_PRICES;
    if (form >= 1 && form <= sizeof(odd) / sizeof(odd[0])) return odd[form - 1];
    if (kopecks < 40) return arena_printf(arena, "%" PRIu32, rubles);
    if (kopecks % 10 == 0) return arena_printf(arena, "%" PRIu32 ".%" PRIu32, rubles, kopecks / 10);
    return arena_printf(arena, "%" PRIu32 ".%02" PRIu32, rubles, kopecks);
}

/* An EAN-13 with its check digit. */
static const char *make_barcode(uint64_t number, struct arena *arena)
{
    char *digits = arena_printf(arena, "46%010" PRIu64 "0", number % UINT64_C(10000000000));
    int sum = 0;

    for (int i = 0; i < 12; i++)
        sum += (digits[i] - '0') * (i % 2 ? 3 : 1);
    digits[12] = (char)('0' + (10 - sum % 10) % 10);
    return digits;
}

/* --- Attributes, tax, marking ----------------------------------------------------------------- */

static void set_tax(struct product *product)
{
    /* Rates that are numbers are sent as numbers too. */
    static const char *const rates[] = {
        "\"none\"", "0",         "5",         "7",      "10",         "20",
        "\"5\"",    "\"105/5\"", "\"107/7\"", "\"10\"", "\"110/10\"", "\"120/20\"",
        "\"0\"",    "\"7\"",     "\"20\"",    "10",     NULL,
    };
    unsigned count = sizeof(rates) / sizeof(rates[0]);

    product->vat_rate = rates[product->index % count];
    product->is_vat_included = product->index % 5 != 4;
    product->tax_category = product->index % 31 == 30
                                ? "agent_goods"
                                : shelves[product->index % SHELF_COUNT].tax_category;
}

static void set_marking(struct product *product)
{
    product->has_marking = product->index % 3 != 2;
    product->is_marking_required = product->index % 3 == 0;
    product->is_traceable = product->index % 7 == 6;
    if (product->is_marking_required)
        product->marking_group = word_at(word_marking_groups, (unsigned)product->index);
}

static struct attribute *add_attribute(const struct catalog *catalog, struct product *product,
                                       enum definition_index index)
{
    const struct definition *definition = &catalog->definitions[index];
    struct attribute *attribute = &product->attributes[product->attribute_count++];

    attribute->attribute_id = definition->id;
    attribute->unit = definition->unit;
    return attribute;
}

static void set_attributes(const struct catalog *catalog, struct chance *chance,
                           struct arena *arena, struct product *product)
{
    const struct definition *brand = &catalog->definitions[DEFINITION_BRAND];
    int64_t index = product->index;

    product->attributes = arena_array(arena, DEFINITION_COUNT, sizeof(*product->attributes));
    if (index % 3 != 2)
        add_attribute(catalog, product, DEFINITION_BRAND)->value_id =
            brand->values[(size_t)index % brand->value_count].id;
    if (index % 3 != 1)
        add_attribute(catalog, product, DEFINITION_COUNTRY)->value =
            arena_printf(arena, "\"%s\"", word_at(word_countries, (unsigned)chance_next(chance)));
    add_attribute(catalog, product, DEFINITION_WEIGHT)->value = arena_printf(
        arena, "%" PRIu32 ".%03" PRIu32, chance_below(chance, 3), 1 + chance_below(chance, 999));
    if (index % 4 == 0)
        add_attribute(catalog, product, DEFINITION_ENERGY)->value =
            arena_printf(arena, "%" PRIu32 "e-1", chance_below(chance, 9000));
    if (index % 2 == 0)
        add_attribute(catalog, product, DEFINITION_SHELF_LIFE)->value =
            arena_printf(arena, "%" PRIu32, 1 + chance_below(chance, 720));
    if (index % 3 == 0)
        add_attribute(catalog, product, DEFINITION_VEGAN)->value =
            chance_once_in(chance, 2) ? "true" : "false";
    if (index % 5 == 0)
        add_attribute(catalog, product, DEFINITION_HARVEST)->value =
            arena_printf(arena, "\"2025-%02" PRIu32 "-%02" PRIu32 "\"",
                         1 + chance_below(chance, 12), 1 + chance_below(chance, 28));
}

/* --- Axes and variants ------------------------------------------------------------------------ */

enum axis_kind { AXIS_COLOR, AXIS_SIZE, AXIS_VOLUME };

static const struct {
    const char *code, *name;
    const char *const *words;
} axis_rows[] = {
    [AXIS_COLOR] = {"COLOR", "Цвет", word_colors},
    [AXIS_SIZE] = {"SIZE", "Размер 📏", word_sizes},
    [AXIS_VOLUME] = {"VOLUME", "Объём", word_volumes},
};

static void add_axis(const struct catalog *catalog, struct product *product, enum axis_kind kind,
                     size_t value_count, struct arena *arena)
{
    uint64_t seed = catalog->plan.seed;
    struct axis *axis = &product->axes[product->axis_count++];

    axis->id = arena_printf(arena, "%s-%" PRIu64, axis_rows[kind].code, seed);
    axis->code = axis_rows[kind].code;
    axis->name = axis_rows[kind].name;
    axis->values = arena_array(arena, value_count, sizeof(*axis->values));
    axis->value_count = value_count;
    for (size_t i = 0; i < value_count; i++)
        axis->values[i] =
            (struct shop_value){arena_printf(arena, "%s-%zu", axis->code, i + 1),
                                arena_printf(arena, "%02zu", i + 1), axis_rows[kind].words[i]};
}

/* Every other product comes in one form only; some come in two, some in three dimensions. */
static void set_axes(const struct catalog *catalog, struct arena *arena, struct product *product)
{
    int64_t turn = product->index + product->index / SHELF_COUNT; /* differs along a shelf */

    product->axes = arena_array(arena, 3, sizeof(*product->axes));
    if (turn % 2 == 0) return;
    if (turn % 6 == 1) {
        add_axis(catalog, product, AXIS_SIZE, 3, arena);
        return;
    }
    if (turn % 6 == 3) {
        add_axis(catalog, product, AXIS_COLOR, 2, arena);
        add_axis(catalog, product, AXIS_SIZE, 2, arena);
        if (turn % 300 == 9) add_axis(catalog, product, AXIS_VOLUME, 3, arena);
        return;
    }
    add_axis(catalog, product, AXIS_VOLUME, 3, arena);
}

/* The combination of values that stands at `place` among all: the last axis turns fastest. */
static void set_choices(const struct product *product, size_t place, struct arena *arena,
                        struct variant *variant)
{
    char name[ID_SIZE] = "";
    size_t len = 0;

    variant->choices = arena_array(arena, product->axis_count + 1, sizeof(*variant->choices));
    variant->choice_count = product->axis_count;
    for (size_t i = product->axis_count; i-- > 0;) {
        const struct axis *axis = &product->axes[i];
        const struct shop_value *value = &axis->values[place % axis->value_count];
        place /= axis->value_count;
        variant->choices[i] = (struct choice){axis->id, value->id};
        int written =
            snprintf(name + len, sizeof(name) - len, "%s%s", len ? ", " : "", value->name);
        len += (size_t)written < sizeof(name) - len ? (size_t)written : 0;
    }
    variant->name = arena_str(arena, (struct str){name, len});
}

static const struct modifier sirups[] = {
    {"sirup-vanilla", "Сироп «Ваниль»", "40", "SIR-1", true},
    {"sirup-nut", "Сироп «Лесной орех» 🌰", "45.50", NULL, true},
    {"sirup-mint", "Сироп «Мята»", "0", "", false},
};
static const struct modifier milks[] = {
    {"milk-cow", "Молоко коровье", "0", NULL, true},
    {"milk-oat", "Молоко овсяное", "60", NULL, true},
    {"milk-none", "Без молока", "-15.5", NULL, true},
};
static const struct modifier_group groups[] = {
    {"sirups", "Сиропы", false, 0, 2, sirups, sizeof(sirups) / sizeof(sirups[0])},
    {"milks", "Молоко", true, 1, 1, milks, sizeof(milks) / sizeof(milks[0])},
};

static void set_barcodes(const struct product *product, size_t place, struct arena *arena,
                         struct variant *variant)
{
    size_t count = product->index % 40 == 7 ? 0 : product->index % 50 == 0 ? 5 : 1;

    variant->barcodes = arena_array(arena, count + 1, sizeof(*variant->barcodes));
    variant->barcode_count = count;
    for (size_t i = 0; i < count; i++)
        variant->barcodes[i] =
            make_barcode((uint64_t)product->index * 1000 + place * 10 + i, arena);
}

/* Unique in the product; of one without characteristics made up, and stable. */
static const char *make_variant_id(const struct product *product, size_t place, struct arena *arena)
{
    if (product->axis_count == 0) return "default";
    if (product->index % 8 != 1) return arena_printf(arena, "%zu", place + 1);
    return arena_printf(arena, "%s#%zu", product->id, place + 1);
}

static void make_variant(const struct catalog *catalog, const struct product *product, size_t place,
                         enum product_change change, struct arena *arena,
                         struct variant *ret_variant)
{
    uint64_t number = (uint64_t)product->index * 100 + place;
    struct chance chance = chance_of(catalog->plan.seed, PURPOSE_PRICE, number);

    if (change == CHANGE_PRICE)
        chance = chance_of(catalog->plan.seed ^ catalog->plan.change_seed, PURPOSE_CHANGED_PRICE,
                           number);
    ret_variant->price = make_price(&chance, change == CHANGE_PRICE ? 0 : number, arena);
    ret_variant->id = make_variant_id(product, place, arena);
    set_choices(product, place, arena, ret_variant);
    ret_variant->sku = arena_printf(arena, "АРТ-%06" PRId64 "-%zu", product->index, place + 1);
    set_barcodes(product, place, arena, ret_variant);
    ret_variant->is_default = place == 0;
    ret_variant->measure_unit = shelves[product->index % SHELF_COUNT].measure_unit;
    ret_variant->measure_value = product->index % 8 == 6 ? "0.5" : product->index % 8 ? "1" : "250";
    if (product->index % 28 == 0) {
        ret_variant->groups = groups;
        ret_variant->group_count = sizeof(groups) / sizeof(groups[0]);
    }
}

static void set_variants(const struct catalog *catalog, enum product_change change,
                         struct arena *arena, struct product *product)
{
    size_t count = 1;

    for (size_t i = 0; i < product->axis_count; i++)
        count *= product->axes[i].value_count;
    product->variants = arena_array(arena, count, sizeof(*product->variants));
    product->variant_count = count;
    for (size_t i = 0; i < count; i++)
        make_variant(catalog, product, i, change, arena, &product->variants[i]);
}

/* --- The whole -------------------------------------------------------------------------------- */

static const char *make_name(struct chance *chance, int64_t index, bool is_changed,
                             struct arena *arena)
{
    return arena_printf(arena, "%s «%s» %s, арт. %05" PRId64 "%s",
                        shelves[index % SHELF_COUNT].noun,
                        word_at(word_brands, (unsigned)chance_next(chance)),
                        word_at(word_adjectives, (unsigned)chance_next(chance)), index,
                        is_changed ? " — новая упаковка 📦" : "");
}

void product_make(const struct catalog *catalog, int64_t index, enum product_change change,
                  struct arena *arena, struct product *ret_product)
{
    struct chance chance = chance_of(catalog->plan.seed, PURPOSE_PRODUCT, (uint64_t)index);
    const struct shelf *shelf = &shelves[index % SHELF_COUNT];
    /* Of the rows of a shelf, one; now and then a product stands nowhere. */
    size_t rows = catalog->category_count / SHELF_COUNT;
    size_t category =
        (size_t)(index % SHELF_COUNT) + chance_below(&chance, (uint32_t)rows) * SHELF_COUNT;

    *ret_product = (struct product){
        .index = index,
        .id = product_id(catalog, index, arena),
        .name = make_name(&chance, index, change == CHANGE_NAME, arena),
        .composition = shelf->composition,
        .category_id = index % 41 == 40 ? NULL : catalog->categories[category].id,
        .is_available = index % 20 != 19,
    };
    ret_product->description =
        make_description(catalog, &chance, index, change == CHANGE_TEXT, arena);
    set_tax(ret_product);
    set_marking(ret_product);
    set_attributes(catalog, &chance, arena, ret_product);
    set_axes(catalog, arena, ret_product);
    set_variants(catalog, change, arena, ret_product);
    ret_product->allergens =
        pick_words(&chance, word_allergens, 2, arena, &ret_product->allergen_count);
    ret_product->tags = pick_words(&chance, word_tags, 2, arena, &ret_product->tag_count);
}
