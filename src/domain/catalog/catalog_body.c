/* The bodies of packages as the catalog reads them. */
#include "domain/catalog/catalog_body.h"

#include "kit/json/decimal.h"
#include "kit/json/number.h"
#include "kit/json/record_stream.h"

#include <inttypes.h>
#include <sodium.h>

const char *const catalog_list_words[CATALOG_LIST_COUNT] = {
    [CATALOG_DEFINITIONS] = "attribute_definitions",
    [CATALOG_CATEGORIES] = "categories",
    [CATALOG_PRODUCTS] = "products",
    [CATALOG_STOCKS] = "stocks",
    [CATALOG_PRICES] = "prices",
};

/* --- Items ------------------------------------------------------------------------------------ */

struct walk {
    enum err (*on_item)(void *arg, const struct catalog_item *item);
    void *arg;
    enum err err; /* of on_item */
};

/* Newer ERPs may send lists of other names; they are passed over. */
static enum err take_item(void *arg, struct str list, size_t index, struct str text)
{
    struct walk *walk = arg;

    for (int i = 0; i < CATALOG_LIST_COUNT; i++) {
        if (!str_is(list, catalog_list_words[i])) continue;
        struct catalog_item item = {(enum catalog_list)i, index, text};
        return walk->err = walk->on_item(walk->arg, &item);
    }
    return ERR_OK;
}

enum err catalog_each_item(struct str body,
                           enum err (*on_item)(void *arg, const struct catalog_item *item),
                           void *arg)
{
    const struct str mark = STR("\xEF\xBB\xBF"); /* a byte order mark is stored as it came */
    struct walk walk = {on_item, arg, ERR_OK};
    if (body.len >= mark.len && memcmp(body.data, mark.data, mark.len) == 0)
        body = (struct str){body.data + mark.len, body.len - mark.len};
    enum err err = json_each_item(body, take_item, &walk);
    if (walk.err) return walk.err;
    return err ? ERR_PACKAGE_REFUSED : ERR_OK;
}

/* --- Contents --------------------------------------------------------------------------------- */

/* A body passed the checks when it came. So what cannot be read now is damage, unless only memory
 * is lacking. */
static enum err damage(enum err err)
{
    return err && err != ERR_OVERLOADED ? ERR_PACKAGE_REFUSED : err;
}

static enum err decode(const struct record *record, struct str text, struct arena *arena,
                       void *ret_value)
{
    return damage(record_decode_known(record, text, arena, ret_value));
}

/* An item without one of these never passed the checks, and cannot be stored. */
static enum err need(bool has_all)
{
    return has_all ? ERR_OK : ERR_PACKAGE_REFUSED;
}

enum err catalog_decode_category(struct str text, struct arena *arena,
                                 struct catalog_category *ret_category)
{
    enum err err = decode(&catalog_category_record, text, arena, ret_category);
    return err ? err : need(ret_category->id && ret_category->name);
}

/* A field that was left out is stored as what it stands for (contract, section 5 "Required"): an
 * empty list, or the default of a value. */
static void complete_list(struct record_list *list)
{
    if (list->count == 0) list->items = NULL;
}

enum err catalog_decode_definition(struct str text, struct arena *arena,
                                   struct catalog_definition *ret_definition)
{
    enum err err = decode(&catalog_definition_record, text, arena, ret_definition);
    if (!err) complete_list(&ret_definition->values);
    return err ? err : need(ret_definition->id && ret_definition->type >= 0);
}

static void complete_group(struct catalog_option_group *group)
{
    struct catalog_option *options = group->options.items;

    complete_list(&group->options);
    if (group->max_select < 0) group->max_select = (int64_t)group->options.count;
    for (size_t i = 0; i < group->options.count; i++) {
        if (!options[i].price_delta) options[i].price_delta = "0";
    }
}

static void complete_variant(struct catalog_variant *variant)
{
    struct catalog_option_group *groups = variant->option_groups.items;

    complete_list(&variant->barcodes);
    complete_list(&variant->choices);
    complete_list(&variant->option_groups);
    if (!variant->name) variant->name = "";
    if (!variant->measure_value) variant->measure_value = "1";
    for (size_t i = 0; i < variant->option_groups.count; i++)
        complete_group(&groups[i]);
}

/* A number is stored by its value: 1e2 is 100 (contract, section 5 "Numbers"). An integer may be
 * longer than a decimal. */
static void complete_value(struct scalar *value, struct arena *arena)
{
    struct str number = str_of(value->text);
    char decimal[DECIMAL_SIZE];
    int64_t integer;

    if (value->kind != SCALAR_NUMBER) return;
    if (decimal_read(number, decimal) == DECIMAL_OK)
        value->text = arena_text(arena, decimal);
    else if (number_to_int64(number, &integer))
        value->text = arena_printf(arena, "%" PRId64, integer);
}

static void complete_product(struct catalog_product *product, struct arena *arena)
{
    struct catalog_attribute *attributes = product->attributes.items;

    for (size_t i = 0; i < product->attributes.count; i++)
        complete_value(&attributes[i].value, arena);
    complete_list(&product->attributes);
    complete_list(&product->axes);
    complete_list(&product->allergens);
    complete_list(&product->tags);
}

bool catalog_is_there(uint64_t seen, size_t offset)
{
    for (size_t i = 0; i < catalog_product_record.field_count; i++) {
        if (catalog_product_record.fields[i].offset == offset) return seen >> i & 1;
    }
    return false;
}

enum err catalog_decode_product(struct str text, struct arena *arena,
                                struct catalog_product *ret_product, uint64_t *ret_seen)
{
    enum err err =
        damage(record_decode_seen(&catalog_product_record, text, arena, ret_product, ret_seen));
    if (!err) err = need(ret_product->id && ret_product->name);
    if (err) return err;
    complete_product(ret_product, arena);
    struct catalog_variant *variants = ret_product->variants.items;
    for (size_t i = 0; !err && i < ret_product->variants.count; i++) {
        complete_variant(&variants[i]);
        err = need(variants[i].id && variants[i].price);
    }
    return err;
}

enum err catalog_decode_stock(struct str text, struct arena *arena, struct catalog_stock *ret_stock)
{
    enum err err = decode(&catalog_stock_record, text, arena, ret_stock);
    return err ? err : need(ret_stock->product_id && ret_stock->variant_id);
}

enum err catalog_decode_price(struct str text, struct arena *arena, struct catalog_price *ret_price)
{
    enum err err = decode(&catalog_price_record, text, arena, ret_price);
    return err ? err : need(ret_price->product_id && ret_price->variant_id && ret_price->price);
}

void catalog_encode(const struct record *record, const void *content, struct buf *out)
{
    struct json_writer writer;
    json_writer_init(&writer, out);
    record_encode(record, content, &writer);
}

/* SipHash is five times as fast as BLAKE2b. Its key need not be secret: an ERP that found two texts
 * with one hash would only deceive its own catalog. */
struct catalog_hash catalog_hash(struct str text)
{
    static const unsigned char key[crypto_shorthash_siphashx24_KEYBYTES] = "herald catalog 1";
    static_assert(sizeof((struct catalog_hash){0}.bytes) == crypto_shorthash_siphashx24_BYTES, "");
    struct catalog_hash hash;
    crypto_shorthash_siphashx24(hash.bytes, (const unsigned char *)text.data, text.len, key);
    return hash;
}
