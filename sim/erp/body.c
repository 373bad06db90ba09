/* Bodies as JSON. All fields are written, the empty ones too (doc B, section 2 "Product"). */
#include "body.h"

#include "fault.h"
#include "kit/json/writer.h"
#include "product.h"
#include "sim/common/chance.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

/* --- Pieces ----------------------------------------------------------------------------------- */

static void put_raw(struct json_writer *writer, const char *key, const char *json)
{
    json_key(writer, key);
    json_raw(writer, str_of(json));
}

/* A text that may be missing. */
static void put_if_there(struct json_writer *writer, const char *key, const char *text)
{
    if (text) json_put_text(writer, key, text);
}

static void put_texts(struct json_writer *writer, const char *key, const char **texts, size_t count)
{
    json_key(writer, key);
    json_array_begin(writer);
    for (size_t i = 0; i < count; i++)
        json_text(writer, texts[i]);
    json_array_end(writer);
}

static void put_values(struct json_writer *writer, const struct shop_value *values, size_t count)
{
    json_key(writer, "values");
    json_array_begin(writer);
    for (size_t i = 0; i < count; i++) {
        json_object_begin(writer);
        json_put_text(writer, "id", values[i].id);
        json_put_text(writer, "code", values[i].code);
        json_put_text(writer, "name", values[i].name);
        json_object_end(writer);
    }
    json_array_end(writer);
}

static void write_definition(struct json_writer *writer, const struct definition *definition)
{
    json_object_begin(writer);
    json_put_text(writer, "id", definition->id);
    json_put_text(writer, "code", definition->code);
    json_put_text(writer, "name", definition->name);
    json_put_text(writer, "type", definition->type);
    json_put_text(writer, "unit", definition->unit);
    json_put_text(writer, "canonical_code", definition->canonical_code);
    if (definition->value_count > 0)
        put_values(writer, definition->values, definition->value_count);
    json_object_end(writer);
}

static void write_attribute(struct json_writer *writer, const struct attribute *attribute)
{
    json_object_begin(writer);
    json_put_text(writer, "attribute_id", attribute->attribute_id);
    if (attribute->value_id) {
        json_put_text(writer, "value_id", attribute->value_id);
    } else {
        put_raw(writer, "value", attribute->value);
        json_put_text(writer, "unit", attribute->unit);
    }
    json_object_end(writer);
}

static void put_tax_and_marking(struct json_writer *writer, const struct product *product)
{
    json_key(writer, "tax");
    if (product->vat_rate) {
        json_object_begin(writer);
        put_raw(writer, "vat_rate", product->vat_rate);
        json_put_bool(writer, "vat_included", product->is_vat_included);
        json_put_text(writer, "tax_category", product->tax_category);
        json_object_end(writer);
    } else {
        json_null(writer);
    }
    json_key(writer, "marking");
    if (product->has_marking) {
        json_object_begin(writer);
        json_put_bool(writer, "required", product->is_marking_required);
        json_put_text(writer, "group", product->marking_group);
        json_put_bool(writer, "traceable", product->is_traceable);
        json_object_end(writer);
    } else {
        json_null(writer);
    }
}

/* --- Variants --------------------------------------------------------------------------------- */

static void write_modifier(struct json_writer *writer, const struct modifier *modifier)
{
    json_object_begin(writer);
    json_put_text(writer, "id", modifier->id);
    json_put_text(writer, "name", modifier->name);
    put_raw(writer, "price_delta", modifier->price_delta);
    json_put_bool(writer, "available", modifier->is_available);
    put_if_there(writer, "sku", modifier->sku);
    json_object_end(writer);
}

static void write_group(struct json_writer *writer, const struct modifier_group *group)
{
    json_object_begin(writer);
    json_put_text(writer, "id", group->id);
    json_put_text(writer, "name", group->name);
    json_put_bool(writer, "required", group->is_required);
    json_put_int(writer, "min_select", group->min_select);
    json_put_int(writer, "max_select", group->max_select);
    json_key(writer, "options");
    json_array_begin(writer);
    for (size_t i = 0; i < group->option_count; i++)
        write_modifier(writer, &group->options[i]);
    json_array_end(writer);
    json_object_end(writer);
}

static void put_choices(struct json_writer *writer, const struct variant *variant)
{
    json_key(writer, "option_values");
    json_array_begin(writer);
    for (size_t i = 0; i < variant->choice_count; i++) {
        json_object_begin(writer);
        json_put_text(writer, "axis_id", variant->choices[i].axis_id);
        json_put_text(writer, "value_id", variant->choices[i].value_id);
        json_object_end(writer);
    }
    json_array_end(writer);
}

static void write_variant(struct json_writer *writer, const struct variant *variant)
{
    json_object_begin(writer);
    json_put_text(writer, "id", variant->id);
    json_put_text(writer, "name", variant->name);
    put_raw(writer, "price", variant->price);
    json_put_text(writer, "sku", variant->sku);
    put_texts(writer, "barcodes", variant->barcodes, variant->barcode_count);
    json_put_bool(writer, "default", variant->is_default);
    json_put_text(writer, "measure_unit", variant->measure_unit);
    put_raw(writer, "measure_value", variant->measure_value);
    put_choices(writer, variant);
    json_key(writer, "option_groups");
    json_array_begin(writer);
    for (size_t i = 0; i < variant->group_count; i++)
        write_group(writer, &variant->groups[i]);
    json_array_end(writer);
    json_object_end(writer);
}

/* --- Products --------------------------------------------------------------------------------- */

static void put_axes(struct json_writer *writer, const struct product *product)
{
    json_key(writer, "option_axes");
    json_array_begin(writer);
    for (size_t i = 0; i < product->axis_count; i++) {
        const struct axis *axis = &product->axes[i];
        json_object_begin(writer);
        json_put_text(writer, "id", axis->id);
        json_put_text(writer, "code", axis->code);
        json_put_text(writer, "name", axis->name);
        put_values(writer, axis->values, axis->value_count);
        json_object_end(writer);
    }
    json_array_end(writer);
}

static void put_lists(struct json_writer *writer, const struct product *product)
{
    json_key(writer, "attributes");
    json_array_begin(writer);
    for (size_t i = 0; i < product->attribute_count; i++)
        write_attribute(writer, &product->attributes[i]);
    json_array_end(writer);
    put_axes(writer, product);
    json_key(writer, "variants");
    json_array_begin(writer);
    for (size_t i = 0; i < product->variant_count; i++)
        write_variant(writer, &product->variants[i]);
    json_array_end(writer);
    put_texts(writer, "allergens", product->allergens, product->allergen_count);
    put_texts(writer, "tags", product->tags, product->tag_count);
}

static void write_product(struct json_writer *writer, const struct product *product)
{
    json_object_begin(writer);
    json_put_text(writer, "id", product->id);
    put_if_there(writer, "name", product->name);
    json_put_text(writer, "description", product->description);
    json_put_text(writer, "composition", product->composition);
    json_put_text(writer, "category_id", product->category_id);
    json_put_bool(writer, "available", product->is_available);
    put_tax_and_marking(writer, product);
    put_lists(writer, product);
    json_object_end(writer);
}

static void put_products(struct json_writer *writer, const struct catalog *catalog,
                         const struct fault *fault)
{
    struct catalog_walk walk = catalog_walk_all(catalog);
    bool is_spoiled = !fault || !fault->spoil_product;
    struct product product;
    struct arena arena;

    arena_init(&arena);
    struct arena_mark start = arena_mark(&arena);
    json_key(writer, "products");
    json_array_begin(writer);
    while (catalog_next(catalog, &walk, &arena, &product)) {
        if (!is_spoiled && (product.index >= catalog->plan.product_count / 2 || walk.left == 0)) {
            fault->spoil_product(&(struct victim){catalog, &arena, &product});
            is_spoiled = true;
        }
        write_product(writer, &product);
        arena_rewind(&arena, start);
    }
    json_array_end(writer);
    arena_done(&arena);
}

/* --- Snapshot --------------------------------------------------------------------------------- */

static void put_head(struct json_writer *writer, struct body_head head, const struct fault *fault)
{
    if (fault && fault->spoil_head) fault->spoil_head(&head);
    put_if_there(writer, "event_id", head.event_id);
    put_if_there(writer, "generated_at", head.generated_at);
}

static void put_definitions_and_categories(struct json_writer *writer,
                                           const struct catalog *catalog)
{
    json_key(writer, "attribute_definitions");
    json_array_begin(writer);
    for (size_t i = 0; i < catalog->definition_count; i++)
        write_definition(writer, &catalog->definitions[i]);
    json_array_end(writer);
    json_key(writer, "categories");
    json_array_begin(writer);
    for (size_t i = 0; i < catalog->category_count; i++) {
        json_object_begin(writer);
        json_put_text(writer, "id", catalog->categories[i].id);
        json_put_text(writer, "name", catalog->categories[i].name);
        json_object_end(writer);
    }
    json_array_end(writer);
}

static bool spoil_text(const struct fault *fault, struct buf *body)
{
    return !fault || !fault->spoil_text || fault->spoil_text(body);
}

bool body_write_snapshot(const struct catalog *catalog, struct body_head head,
                         const struct fault *fault, struct buf *body)
{
    struct json_writer writer;

    json_writer_init(&writer, body);
    json_object_begin(&writer);
    put_head(&writer, head, fault);
    put_definitions_and_categories(&writer, catalog);
    put_products(&writer, catalog, fault);
    json_object_end(&writer);
    return spoil_text(fault, body);
}

bool body_fit(struct catalog_plan *plan, int64_t bytes)
{
    struct catalog_plan as_made = *plan;
    char longest_id[BODY_EVENT_ID_MAX + 1];
    struct catalog catalog;
    AUTO_BUF body = {0};

    memset(longest_id, 'x', BODY_EVENT_ID_MAX);
    longest_id[BODY_EVENT_ID_MAX] = '\0';
    as_made.change_ppm = 0;
    catalog_init(&catalog, &as_made);
    buf_init(&body, BODY_MAX);
    bool is_written = body_write_snapshot(
        &catalog, (struct body_head){longest_id, "2026-01-01T00:00:00.000Z"}, NULL, &body);
    catalog_done(&catalog);
    if (!is_written || body.is_full || (int64_t)body.len > bytes) return false;
    plan->filling = (bytes - (int64_t)body.len) / plan->product_count;
    plan->filling_extra = (bytes - (int64_t)body.len) % plan->product_count;
    return true;
}

/* --- Changes ---------------------------------------------------------------------------------- */

static const char *make_amount(struct chance *chance, bool is_price, struct arena *arena)
{
    if (is_price)
        return arena_printf(arena, "%" PRIu32 ".%02" PRIu32, 10 + chance_below(chance, 5000),
                            chance_below(chance, 100));
    if (chance_once_in(chance, 50)) return "-3";
    if (chance_once_in(chance, 10)) return "0";
    return arena_printf(arena, "%" PRIu32, 1 + chance_below(chance, 500));
}

static void write_row(struct json_writer *writer, const struct row *row)
{
    json_object_begin(writer);
    json_put_text(writer, "product_id", row->product_id);
    json_put_text(writer, "variant_id", row->variant_id);
    if (!row->is_price) json_put_text(writer, "warehouse_id", "main");
    put_raw(writer, row->is_price ? "price" : "available_quantity", row->amount);
    json_object_end(writer);
}

/* Rows of the catalog's pairs from the place `start` on. False: they come to an end before. */
static bool put_rows(struct json_writer *writer, const struct catalog *catalog, uint64_t start,
                     const struct fault *fault, struct chance *chance, bool is_price, int64_t count)
{
    struct catalog_walk walk = catalog_walk_from(catalog, start);
    int64_t left = count;
    struct product product;
    struct arena arena;

    arena_init(&arena);
    struct arena_mark mark = arena_mark(&arena);
    json_key(writer, is_price ? "prices" : "stocks");
    json_array_begin(writer);
    while (left > 0 && catalog_next(catalog, &walk, &arena, &product)) {
        for (size_t i = 0; i < product.variant_count && left > 0; i++) {
            struct row row = {is_price, product.id, product.variants[i].id,
                              make_amount(chance, is_price, &arena)};
            if (fault && fault->spoil_row && left == count / 2 + 1) fault->spoil_row(&row);
            write_row(writer, &row);
            left--;
        }
        arena_rewind(&arena, mark);
    }
    json_array_end(writer);
    arena_done(&arena);
    return left == 0;
}

bool body_write_changes(const struct catalog *catalog, struct body_head head,
                        const struct changes_plan *changes, const struct fault *fault,
                        struct buf *body)
{
    struct chance chance = chance_of(catalog->plan.seed, PURPOSE_ROWS, changes->number);
    uint64_t start = chance_next(&chance) >> 1; /* both lists tell of the same pairs */
    struct json_writer writer;

    json_writer_init(&writer, body);
    json_object_begin(&writer);
    put_head(&writer, head, fault);
    bool is_whole = put_rows(&writer, catalog, start, fault, &chance, false, changes->stock_count);
    is_whole &= put_rows(&writer, catalog, start, fault, &chance, true, changes->price_count);
    json_object_end(&writer);
    return is_whole && spoil_text(fault, body);
}
