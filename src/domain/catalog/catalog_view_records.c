/* A catalog as operators read it (contract, section 5 "Reading the catalog"): every field is always
 * there. */
#include "domain/catalog/catalog_part_records.h"

#include <stddef.h>

#define EXAMPLE_TIME "\"2026-11-21T04:33:00.123Z\""

enum { ALWAYS = FIELD_REQUIRED, OR_NULL = FIELD_REQUIRED | FIELD_NULLABLE };

/* Since when it stands as it does. */
#define STANDING_FIELDS(view, updated_doc)                                                  \
    {.name = "archived",                                                                    \
     .type = FIELD_BOOLEAN,                                                                 \
     .flags = ALWAYS,                                                                       \
     .offset = offsetof(view, is_archived),                                                 \
     .doc = "Whether the newest snapshot does not have it.",                                \
     .example = "false"},                                                                   \
    {                                                                                       \
        .name = "updated_at", .type = FIELD_TIME, .flags = ALWAYS,                          \
        .offset = offsetof(view, updated_at), .doc = (updated_doc), .example = EXAMPLE_TIME \
    }

/* A page of a list. */
#define PAGE_FIELDS(list, item_record, list_doc)                                      \
    {.name = (list),                                                                  \
     .type = FIELD_RECORDS,                                                           \
     .flags = ALWAYS,                                                                 \
     .offset = offsetof(struct catalog_page, items),                                  \
     .record = (item_record),                                                         \
     .doc = (list_doc)},                                                              \
    {                                                                                 \
        .name = "next_cursor", .type = FIELD_STRING, .flags = OR_NULL,                \
        .offset = offsetof(struct catalog_page, next_cursor),                         \
        .doc = "Where the next page begins; null on the last one.", .example = "null" \
    }

#define UPDATED_DOC "When it last changed, was archived or came back."

/* --- Categories ------------------------------------------------------------------------------- */

static const struct field category_fields[] = {
    {.name = "id",
     .type = FIELD_STRING,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_category_view, id),
     .doc = "The ERP's id of the category.",
     .example = "\"c-17\""},
    {.name = "name",
     .type = FIELD_STRING,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_category_view, name),
     .doc = "What people call it.",
     .example = "\"Milk\""},
    STANDING_FIELDS(struct catalog_category_view, UPDATED_DOC),
};

static const struct record category_view_record = {
    .name = "CatalogCategory",
    .doc = "A category of a catalog.",
    .size = sizeof(struct catalog_category_view),
    RECORD_FIELDS(category_fields),
};

static const struct field category_list_fields[] = {
    PAGE_FIELDS("categories", &category_view_record, "The categories in order of their ids."),
};

const struct record catalog_category_list_record = {
    .name = "CatalogCategoryList",
    .doc = "A page of categories.",
    .size = sizeof(struct catalog_page),
    RECORD_FIELDS(category_list_fields),
};

/* --- Definitions ------------------------------------------------------------------------------ */

static const struct field definition_fields[] = {
    {.name = "id",
     .type = FIELD_STRING,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_definition_view, definition.id),
     .doc = "The ERP's id of the definition.",
     .example = "\"a-3\""},
    {.name = "code",
     .type = FIELD_STRING,
     .flags = OR_NULL,
     .offset = offsetof(struct catalog_definition_view, definition.code),
     .doc = "The ERP's internal code.",
     .example = "\"000000003\""},
    {.name = "name",
     .type = FIELD_STRING,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_definition_view, definition.name),
     .doc = "What people call it.",
     .example = "\"Brand\""},
    {.name = "type",
     .type = FIELD_ENUM,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_definition_view, definition.type),
     .words = catalog_value_type_words,
     .doc = "What its values are.",
     .example = "\"enum\""},
    {.name = "unit",
     .type = FIELD_STRING,
     .flags = OR_NULL,
     .offset = offsetof(struct catalog_definition_view, definition.unit),
     .doc = "The unit of its values.",
     .example = "null"},
    {.name = "canonical_code",
     .type = FIELD_STRING,
     .flags = OR_NULL,
     .offset = offsetof(struct catalog_definition_view, definition.canonical_code),
     .doc = "What it means, by agreement with the ERP.",
     .example = "\"brand\""},
    {.name = "values",
     .type = FIELD_RECORDS,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_definition_view, definition.values),
     .record = &catalog_value_record,
     .doc = "The allowed values of an enum; else none."},
    STANDING_FIELDS(struct catalog_definition_view, UPDATED_DOC),
};

static const struct record definition_view_record = {
    .name = "CatalogAttributeDefinition",
    .doc = "What products may say of themselves by an attribute.",
    .size = sizeof(struct catalog_definition_view),
    RECORD_FIELDS(definition_fields),
};

static const struct field definition_list_fields[] = {
    PAGE_FIELDS("attribute_definitions", &definition_view_record,
                "The definitions in order of their ids."),
};

const struct record catalog_definition_list_record = {
    .name = "CatalogAttributeDefinitionList",
    .doc = "A page of attribute definitions.",
    .size = sizeof(struct catalog_page),
    RECORD_FIELDS(definition_list_fields),
};

/* --- Attributes and axes ---------------------------------------------------------------------- */

static const struct field attribute_fields[] = {
    {.name = "attribute_id",
     .type = FIELD_STRING,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_attribute, attribute_id),
     .doc = "The ERP's id of its definition.",
     .example = "\"a-3\""},
    {.name = "canonical_code",
     .type = FIELD_STRING,
     .flags = OR_NULL,
     .offset = offsetof(struct catalog_attribute, canonical_code),
     .doc = "What the attribute means, by agreement with the ERP.",
     .example = "\"brand\""},
    {.name = "name",
     .type = FIELD_STRING,
     .flags = OR_NULL,
     .offset = offsetof(struct catalog_attribute, name),
     .doc = "What people call the attribute.",
     .example = "\"Brand\""},
    {.name = "value",
     .type = FIELD_SCALAR,
     .flags = OR_NULL,
     .offset = offsetof(struct catalog_attribute, value),
     .doc = "The value as it was sent; null where there is a `value_id`.",
     .example = "null"},
    {.name = "value_id",
     .type = FIELD_STRING,
     .flags = OR_NULL,
     .offset = offsetof(struct catalog_attribute, value_id),
     .doc = "Of an enum: the ERP's id of the value.",
     .example = "\"brand-9\""},
    {.name = "value_name",
     .type = FIELD_STRING,
     .flags = OR_NULL,
     .offset = offsetof(struct catalog_attribute, value_name),
     .doc = "Of an enum: what people call the value.",
     .example = "\"Green Meadow\""},
    {.name = "unit",
     .type = FIELD_STRING,
     .flags = OR_NULL,
     .offset = offsetof(struct catalog_attribute, unit),
     .doc = "The unit of the value: its own, or that of the definition.",
     .example = "null"},
};

static const struct record attribute_record = {
    .name = "CatalogAttribute",
    .doc = "What a product says of itself.",
    .size = sizeof(struct catalog_attribute),
    RECORD_FIELDS(attribute_fields),
};

static const struct field axis_fields[] = {
    {.name = "id",
     .type = FIELD_STRING,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_axis, id),
     .doc = "The ERP's id of the axis.",
     .example = "\"size\""},
    {.name = "code",
     .type = FIELD_STRING,
     .flags = OR_NULL,
     .offset = offsetof(struct catalog_axis, code),
     .doc = "The ERP's internal code.",
     .example = "\"000000007\""},
    {.name = "name",
     .type = FIELD_STRING,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_axis, name),
     .doc = "What people call it.",
     .example = "\"Size\""},
    {.name = "values",
     .type = FIELD_RECORDS,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_axis, values),
     .record = &catalog_value_record,
     .doc = "What variants choose from."},
};

static const struct record axis_record = {
    .name = "CatalogOptionAxis",
    .doc = "In what variants of a product differ. Each of them has one value of each axis.",
    .size = sizeof(struct catalog_axis),
    RECORD_FIELDS(axis_fields),
};

/* --- Options ---------------------------------------------------------------------------------- */

static const struct field option_fields[] = {
    {.name = "id",
     .type = FIELD_STRING,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_option, id),
     .doc = "The ERP's id of the option.",
     .example = "\"oat\""},
    {.name = "name",
     .type = FIELD_STRING,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_option, name),
     .doc = "What people call it.",
     .example = "\"Oat milk\""},
    {.name = "price_delta",
     .type = FIELD_DECIMAL,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_option, price_delta),
     .doc = "What it adds to the price, or takes off it.",
     .example = "40.5"},
    {.name = "available",
     .type = FIELD_BOOLEAN,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_option, is_available),
     .doc = "Whether it can be ordered.",
     .example = "true"},
    {.name = "sku",
     .type = FIELD_STRING,
     .flags = OR_NULL,
     .offset = offsetof(struct catalog_option, sku),
     .doc = "Its article number.",
     .example = "\"OAT-1\""},
};

static const struct record option_record = {
    .name = "CatalogOption",
    .doc = "A modifier.",
    .size = sizeof(struct catalog_option),
    RECORD_FIELDS(option_fields),
};

static const struct field group_fields[] = {
    {.name = "id",
     .type = FIELD_STRING,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_option_group, id),
     .doc = "The ERP's id of the group.",
     .example = "\"milk\""},
    {.name = "name",
     .type = FIELD_STRING,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_option_group, name),
     .doc = "What people call it.",
     .example = "\"Milk\""},
    {.name = "required",
     .type = FIELD_BOOLEAN,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_option_group, is_required),
     .doc = "Whether something has to be chosen.",
     .example = "false"},
    {.name = "min_select",
     .type = FIELD_INTEGER,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_option_group, min_select),
     .doc = "How many options have to be chosen.",
     .example = "0"},
    {.name = "max_select",
     .type = FIELD_INTEGER,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_option_group, max_select),
     .doc = "How many may be chosen.",
     .example = "1"},
    {.name = "options",
     .type = FIELD_RECORDS,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_option_group, options),
     .record = &option_record,
     .doc = "What is chosen from."},
};

static const struct record group_record = {
    .name = "CatalogOptionGroup",
    .doc = "A group of modifiers.",
    .size = sizeof(struct catalog_option_group),
    RECORD_FIELDS(group_fields),
};

/* --- Variants --------------------------------------------------------------------------------- */

static const struct field variant_fields[] = {
    {.name = "id",
     .type = FIELD_STRING,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_variant, id),
     .doc = "The ERP's id of the variant.",
     .example = "\"v-1\""},
    {.name = "name",
     .type = FIELD_STRING,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_variant, name),
     .doc = "What people call it; may be empty.",
     .example = "\"0.9 l\""},
    {.name = "price",
     .type = FIELD_DECIMAL,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_variant, price),
     .doc = "The current price.",
     .example = "89.9"},
    {.name = "stock",
     .type = FIELD_INTEGER,
     .flags = OR_NULL,
     .offset = offsetof(struct catalog_variant, stock),
     .doc = "How many units are there; null: the ERP never told.",
     .example = "14"},
    {.name = "available",
     .type = FIELD_BOOLEAN,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_variant, is_available),
     .doc = "Whether it can be ordered: the product is available and not archived, and its stock "
            "is above 0 or unknown.",
     .example = "true"},
    {.name = "sku",
     .type = FIELD_STRING,
     .flags = OR_NULL,
     .offset = offsetof(struct catalog_variant, sku),
     .doc = "Its article number.",
     .example = "\"ML-0001\""},
    {.name = "barcodes",
     .type = FIELD_STRINGS,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_variant, barcodes),
     .doc = "Its barcodes.",
     .example = "[\"4607004890017\"]"},
    {.name = "default",
     .type = FIELD_BOOLEAN,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_variant, is_default),
     .doc = "Whether it is offered first.",
     .example = "true"},
    {.name = "measure_unit",
     .type = FIELD_ENUM,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_variant, measure_unit),
     .words = catalog_measure_words,
     .doc = "In what it is measured.",
     .example = "\"liter\""},
    {.name = "measure_value",
     .type = FIELD_DECIMAL,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_variant, measure_value),
     .doc = "How much of that it is.",
     .example = "0.9"},
    {.name = "option_values",
     .type = FIELD_RECORDS,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_variant, choices),
     .record = &catalog_choice_record,
     .doc = "One value of each option axis of the product."},
    {.name = "option_groups",
     .type = FIELD_RECORDS,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_variant, option_groups),
     .record = &group_record,
     .doc = "Its groups of modifiers."},
};

static const struct record variant_record = {
    .name = "CatalogVariant",
    .doc = "What is sold of a product.",
    .size = sizeof(struct catalog_variant),
    RECORD_FIELDS(variant_fields),
};

/* --- Products --------------------------------------------------------------------------------- */

static const struct field product_fields[] = {
    {.name = "id",
     .type = FIELD_STRING,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_product, id),
     .doc = "The ERP's id of the product.",
     .example = "\"p-100\""},
    {.name = "name",
     .type = FIELD_STRING,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_product, name),
     .doc = "What people call it.",
     .example = "\"Milk 3.2 %\""},
    {.name = "description",
     .type = FIELD_STRING,
     .flags = OR_NULL,
     .offset = offsetof(struct catalog_product, description),
     .doc = "A text about it.",
     .example = "\"Pasteurised milk\""},
    {.name = "composition",
     .type = FIELD_STRING,
     .flags = OR_NULL,
     .offset = offsetof(struct catalog_product, composition),
     .doc = "What it is made of.",
     .example = "\"Whole milk\""},
    {.name = "category_id",
     .type = FIELD_STRING,
     .flags = OR_NULL,
     .offset = offsetof(struct catalog_product, category_id),
     .doc = "The ERP's id of its category.",
     .example = "\"c-17\""},
    {.name = "available",
     .type = FIELD_BOOLEAN,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_product, is_available),
     .doc = "Whether the ERP says that it can be ordered; each variant tells whether it can be.",
     .example = "true"},
    STANDING_FIELDS(struct catalog_product,
                    "When its content, a price or a stock of it last changed."),
    {.name = "tax",
     .type = FIELD_RECORD,
     .flags = OR_NULL,
     .offset = offsetof(struct catalog_product, tax),
     .record = &catalog_tax_record,
     .doc = "VAT and payment subject."},
    {.name = "marking",
     .type = FIELD_RECORD,
     .flags = OR_NULL,
     .offset = offsetof(struct catalog_product, marking),
     .record = &catalog_marking_record,
     .doc = "Marking and traceability."},
    {.name = "attributes",
     .type = FIELD_RECORDS,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_product, attributes),
     .record = &attribute_record,
     .doc = "What it says of itself."},
    {.name = "option_axes",
     .type = FIELD_RECORDS,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_product, axes),
     .record = &axis_record,
     .doc = "In what its variants differ."},
    {.name = "variants",
     .type = FIELD_RECORDS,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_product, variants),
     .record = &variant_record,
     .doc = "What is sold of it."},
    {.name = "allergens",
     .type = FIELD_STRINGS,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_product, allergens),
     .doc = "What it may cause an allergy by.",
     .example = "[\"milk\"]"},
    {.name = "tags",
     .type = FIELD_STRINGS,
     .flags = ALWAYS,
     .offset = offsetof(struct catalog_product, tags),
     .doc = "Words to find it by.",
     .example = "[\"breakfast\"]"},
};

const struct record catalog_product_view_record = {
    .name = "CatalogProduct",
    .doc = "A product of a catalog, with current prices and stock.",
    .size = sizeof(struct catalog_product),
    RECORD_FIELDS(product_fields),
};

static const struct field product_list_fields[] = {
    PAGE_FIELDS("products", &catalog_product_view_record,
                "The products in the order in which they came into the catalog."),
};

const struct record catalog_product_list_record = {
    .name = "CatalogProductList",
    .doc = "A page of products.",
    .size = sizeof(struct catalog_page),
    RECORD_FIELDS(product_list_fields),
};
