/* A fault is what can be wrong with a body. It sits in the middle of the body, behind much that is
 * right. */
#include "fault.h"

#include "product.h"
#include "sim/common/print.h"

#include <stdio.h>

enum { BODY_LIMIT = 26214400, NAME_TOO_LONG = 256, BARCODES_TOO_MANY = 101, TOO_DEEP = 65 };

/* --- The head --------------------------------------------------------------------------------- */

static void drop_event_id(struct body_head *head)
{
    head->event_id = NULL;
}

static void spoil_time(struct body_head *head)
{
    head->generated_at = "2026-01-01T00:00:00"; /* in which time zone? */
}

/* --- A product -------------------------------------------------------------------------------- */

static void drop_name(const struct victim *victim)
{
    victim->product->name = NULL;
}

static void lengthen_name(const struct victim *victim)
{
    static const char letter[] = {'\xD1', '\x8F'}; /* я: a character, not a byte, counts */
    char *name = arena_alloc(victim->arena, NAME_TOO_LONG * sizeof(letter) + 1);

    for (size_t i = 0; i < NAME_TOO_LONG; i++)
        memcpy(name + i * sizeof(letter), letter, sizeof(letter));
    victim->product->name = name;
}

static void drop_variants(const struct victim *victim)
{
    victim->product->variant_count = 0;
}

static void set_negative_price(const struct victim *victim)
{
    victim->product->variants[0].price = "-0.01";
}

static void set_text_price(const struct victim *victim)
{
    victim->product->variants[0].price = "\"12.50\"";
}

static void set_long_price(const struct victim *victim)
{
    victim->product->variants[0].price = "1234567890123456";
}

static void set_fine_price(const struct victim *victim)
{
    victim->product->variants[0].price = "0.0000001";
}

static void set_foreign_category(const struct victim *victim)
{
    victim->product->category_id = "no-such-category";
}

static void set_foreign_attribute(const struct victim *victim)
{
    victim->product->attributes[0].attribute_id = "no-such-attribute";
}

static void set_foreign_value(const struct victim *victim)
{
    struct attribute *attribute = &victim->product->attributes[0];

    attribute->attribute_id = victim->catalog->definitions[DEFINITION_BRAND].id;
    attribute->value_id = "no-such-value";
}

static void set_wrong_type(const struct victim *victim)
{
    struct product *product = victim->product;
    const char *decimal = victim->catalog->definitions[DEFINITION_WEIGHT].id;

    for (size_t i = 0; i < product->attribute_count; i++)
        if (strcmp(product->attributes[i].attribute_id, decimal) == 0)
            product->attributes[i].value = "\"полкило\"";
}

static void set_unknown_vat(const struct victim *victim)
{
    victim->product->vat_rate = "18";
    victim->product->tax_category = "goods";
}

/* One axis more than the variants choose from. */
static void add_unchosen_axis(const struct victim *victim)
{
    static struct shop_value values[] = {{"value", "V", "Значение"}};
    struct product *product = victim->product;
    struct axis *axes = arena_array(victim->arena, product->axis_count + 1, sizeof(*axes));

    if (product->axis_count > 0) memcpy(axes, product->axes, product->axis_count * sizeof(*axes));
    axes[product->axis_count++] =
        (struct axis){.id = "unchosen", .code = "U", .name = "Ось", values, 1};
    product->axes = axes;
}

static void choose_from_no_axis(const struct victim *victim)
{
    struct variant *variant = &victim->product->variants[0];
    size_t count = variant->choice_count + 1;
    struct choice *choices = arena_array(victim->arena, count, sizeof(*choices));

    memcpy(choices, variant->choices, variant->choice_count * sizeof(*choices));
    choices[variant->choice_count++] = (struct choice){"no-such-axis", "value"};
    variant->choices = choices;
}

static void repeat_product_id(const struct victim *victim)
{
    struct catalog_walk walk = catalog_walk_all(victim->catalog);
    struct product first;

    if (catalog_next(victim->catalog, &walk, victim->arena, &first)) victim->product->id = first.id;
}

static void repeat_variant(const struct victim *victim)
{
    struct product *product = victim->product;
    size_t count = product->variant_count;
    struct variant *variants = arena_array(victim->arena, count + 1, sizeof(*variants));

    memcpy(variants, product->variants, count * sizeof(*variants));
    variants[count] = variants[0];
    product->variants = variants;
    product->variant_count = count + 1;
}

static void set_barcodes(const struct victim *victim, size_t count, bool is_same)
{
    struct variant *variant = &victim->product->variants[0];

    variant->barcodes = arena_array(victim->arena, count, sizeof(*variant->barcodes));
    variant->barcode_count = count;
    for (size_t i = 0; i < count; i++)
        variant->barcodes[i] = arena_printf(victim->arena, "%zu", is_same ? 0 : i);
}

static void repeat_barcode(const struct victim *victim)
{
    set_barcodes(victim, 2, true);
}

static void add_barcodes(const struct victim *victim)
{
    set_barcodes(victim, BARCODES_TOO_MANY, false);
}

/* --- A row of changes ------------------------------------------------------------------------- */

static void set_unknown_pair(struct row *row)
{
    row->product_id = "no-such-product";
}

static void set_negative_row(struct row *row)
{
    if (row->is_price) row->amount = "-1";
}

static void set_text_row(struct row *row)
{
    if (row->is_price) row->amount = "\"12.50\"";
}

static void set_fraction(struct row *row)
{
    if (!row->is_price) row->amount = "1.5";
}

/* --- The text --------------------------------------------------------------------------------- */

/* Puts `text` behind the first `mark` in the second half of the body, or else in the first. */
static bool insert_behind(struct buf *body, const char *mark, const char *text)
{
    size_t half = body->len / 2;
    char *found = memmem(body->data + half, body->len - half, mark, strlen(mark));

    if (!found) found = memmem(body->data, body->len, mark, strlen(mark));
    if (!found) return false;
    size_t at = (size_t)(found - body->data) + strlen(mark);
    size_t tail = body->len - at;
    size_t len = strlen(text);
    if (!buf_reserve(body, len)) return false;
    memmove(body->data + at + len, body->data + at, tail);
    memcpy(body->data + at, text, len);
    return true;
}

static bool cut(struct buf *body)
{
    body->len /= 2;
    return true;
}

static bool add_trailing(struct buf *body)
{
    buf_text(body, "{}");
    return true;
}

static bool insert_bad_utf8(struct buf *body)
{
    return insert_behind(body, "_id\":\"", "\xC0\xAF");
}

static bool insert_nul(struct buf *body)
{
    return insert_behind(body, "_id\":\"", "\\u0000");
}

static bool insert_nan(struct buf *body)
{
    return insert_behind(body, "\"price\":", "NaN,\"was\":");
}

static bool repeat_key(struct buf *body)
{
    return insert_behind(body, "\"price\":", "1,\"price\":");
}

static bool nest_deeply(struct buf *body)
{
    static const char rest[] = ",\"was\":";
    char text[2 * TOO_DEEP + sizeof(rest)];

    memset(text, '[', TOO_DEEP);
    memset(text + TOO_DEEP, ']', TOO_DEEP);
    memcpy(text + 2 * (size_t)TOO_DEEP, rest, sizeof(rest));
    return insert_behind(body, "\"price\":", text);
}

static bool pad(struct buf *body)
{
    if (body->len > BODY_LIMIT) return true;
    size_t len = BODY_LIMIT + 1 - body->len;
    char *room = buf_reserve(body, len);
    if (!room) return false;
    memset(room, ' ', len);
    return true;
}

/* --- The table -------------------------------------------------------------------------------- */

#define SNAPSHOT (1U << PACKAGE_SNAPSHOT)
#define CHANGES  (1U << PACKAGE_CHANGES)

static const struct fault faults[] = {
    {"no-event-id", SNAPSHOT | CHANGES, "event_id is missing", .spoil_head = drop_event_id},
    {"no-time-zone", SNAPSHOT | CHANGES, "generated_at has no time zone", .spoil_head = spoil_time},
    {"no-name", SNAPSHOT, "a product without a name", .spoil_product = drop_name},
    {"long-name", SNAPSHOT, "a product name of 256 characters", .spoil_product = lengthen_name},
    {"no-variants", SNAPSHOT, "a product without variants", .spoil_product = drop_variants},
    {"negative-price", SNAPSHOT, "a price below 0", .spoil_product = set_negative_price},
    {"text-price", SNAPSHOT, "a price as a string", .spoil_product = set_text_price},
    {"long-price", SNAPSHOT, "16 digits before the point", .spoil_product = set_long_price},
    {"fine-price", SNAPSHOT, "7 digits behind the point", .spoil_product = set_fine_price},
    {"unknown-category", SNAPSHOT, "a category that is not in the list",
     .spoil_product = set_foreign_category},
    {"unknown-attribute", SNAPSHOT, "an attribute without definition",
     .spoil_product = set_foreign_attribute},
    {"unknown-value", SNAPSHOT, "a value that its enum does not have",
     .spoil_product = set_foreign_value},
    {"wrong-type", SNAPSHOT, "a text for a decimal attribute", .spoil_product = set_wrong_type},
    {"unknown-vat", SNAPSHOT, "a VAT rate that there is not", .spoil_product = set_unknown_vat},
    {"unchosen-axis", SNAPSHOT, "variants that leave out an axis",
     .spoil_product = add_unchosen_axis},
    {"unknown-axis", SNAPSHOT, "a variant with a value of no axis",
     .spoil_product = choose_from_no_axis},
    {"same-product", SNAPSHOT, "two products with one id", .spoil_product = repeat_product_id},
    {"same-variant", SNAPSHOT, "two variants with one id", .spoil_product = repeat_variant},
    {"same-barcode", SNAPSHOT, "a barcode twice in a variant", .spoil_product = repeat_barcode},
    {"many-barcodes", SNAPSHOT, "101 barcodes of a variant", .spoil_product = add_barcodes},
    {"unknown-pair", CHANGES, "a row whose product does not exist: no fault of the body",
     .spoil_row = set_unknown_pair},
    {"negative-price", CHANGES, "a price below 0", .spoil_row = set_negative_row},
    {"text-price", CHANGES, "a price as a string", .spoil_row = set_text_row},
    {"fractional-stock", CHANGES, "a quantity that is no integer", .spoil_row = set_fraction},
    {"cut", SNAPSHOT | CHANGES, "ends in the middle", .spoil_text = cut},
    {"trailing", SNAPSHOT | CHANGES, "something behind the end", .spoil_text = add_trailing},
    {"bad-utf8", SNAPSHOT | CHANGES, "bytes that are no UTF-8", .spoil_text = insert_bad_utf8},
    {"nul", SNAPSHOT | CHANGES, "\\u0000 in a string", .spoil_text = insert_nul},
    {"nan", SNAPSHOT | CHANGES, "NaN as a price", .spoil_text = insert_nan},
    {"same-key", SNAPSHOT | CHANGES, "a key twice in an object", .spoil_text = repeat_key},
    {"deep", SNAPSHOT | CHANGES, "too many levels of arrays", .spoil_text = nest_deeply},
    {"too-large", SNAPSHOT | CHANGES, "a byte more than 25 MiB, of white space", .spoil_text = pad},
};

enum { FAULT_COUNT = sizeof(faults) / sizeof(faults[0]) };

const struct fault *fault_find(const char *name, enum package_type type)
{
    for (size_t i = 0; i < FAULT_COUNT; i++)
        if (faults[i].types & (1U << type) && strcmp(faults[i].name, name) == 0) return &faults[i];
    return NULL;
}

void fault_print_help(void)
{
    static const char *const of[] = {
        [SNAPSHOT] = "snapshot", [CHANGES] = "changes", [SNAPSHOT | CHANGES] = "both"};

    for (size_t i = 0; i < FAULT_COUNT; i++) {
        char left[40];
        snprintf(left, sizeof(left), "%-18s %s", faults[i].name, of[faults[i].types]);
        print_row(left, 28, faults[i].help);
    }
}
